/* What hosts do in each frame. Part of engine/simulator.h, which defines the structs. */
#ifndef SAL_FRAME_H
#define SAL_FRAME_H

/* ---- frame/frame.c ---- */

void sal__frame_archive(sal__archive *a, sal_simulator *sim);
void sal__frame_copy(sal_simulator *to, const sal_simulator *from);
/* The steps of one frame, for hosts that do more than to advance:
 *
 *   begin; while (next) { advance to t, which no interrupt ends; if (!add) break; } end
 *
 * begin refuses what sal_simulator_run_frame refuses; then there is nothing to end. next: is there another step, to *t?
 * add: what came of it; does the frame go on? end closes the budget. */
sal_status sal__frame_begin(sal_simulator *sim, double dt, const sal_frame_config *config, sal__frame_steps *f,
                            sal_report *report);
bool sal__frame_next(sal_simulator *sim, sal__frame_steps *f, double *t, sal_report *report);
bool sal__frame_add(sal_simulator *sim, sal__frame_steps *f, sal_status status, const sal_report *report);
sal_frame sal__frame_end(sal_simulator *sim, sal__frame_steps *f);
/* After a step: is the budget of the present frame used up? Then it was until the next one begins. */
bool sal__frame_is_spent(sal_simulator *sim);
static inline bool sal__frame_was_spent(const sal_simulator *sim) {
    return sim->host.frame.is_spent;
}

/* ---- frame/pacing.c ---- */

void sal__pacing_new(sal_simulator *sim);
void sal__pacing_start(sal_simulator *sim); /* from the present time on */
/* Only with a target rate. wait: until the clock has reached the run's time; note_step: has it passed it? */
void sal__pacing_wait(sal_simulator *sim);
void sal__pacing_note_step(sal_simulator *sim);

/* ---- frame/copy.c ---- */

/* Do both have the same system and the same integrator, so that one can become a copy of the other? */
bool sal__simulators_are_alike(const sal_simulator *a, const sal_simulator *b);

#endif
