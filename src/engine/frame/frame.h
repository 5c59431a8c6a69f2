/* What hosts do in each frame. Part of engine/simulator.h, which defines the structs. */
#ifndef SAL_FRAME_H
#define SAL_FRAME_H

/* ---- frame/frame.c ---- */

void sal__frame_archive(sal__archive *a, sal_simulator *sim);
void sal__frame_copy(sal_simulator *to, const sal_simulator *from);
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
