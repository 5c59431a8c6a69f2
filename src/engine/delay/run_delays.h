/* What a run does with its past. Part of engine/simulator.h, which defines the structs. */
#ifndef SAL_RUN_DELAYS_H
#define SAL_RUN_DELAYS_H

/* ---- delay.c ---- */

sal_status sal__delays_new(sal_simulator *sim);
void sal__delays_set_time_scale(sal_simulator *sim, double scale); /* sal__run_scale of a call */
void sal__delays_free(sal_simulator *sim);
/* For an integrator or a context that the simulator does not use yet. */
sal_status sal__delays_attach(sal_simulator *sim, sal_integrator *in, sal__context_data *context);
sal_status sal__delays_start(sal_simulator *sim);
sal_status sal__delays_add_jump(sal_simulator *sim);
/* After updates, at each event of a run: inline, as sal__project_updated and sal__report_failure. */
static inline sal_status sal__delays_record_jump(sal_simulator *sim) {
    return SAL__RARELY(sim->delay_state) ? sal__delays_add_jump(sim) : SAL_OK;
}
sal_status sal__delays_flush(sal_simulator *sim); /* after one that failed */
sal_status sal__delays_preview(sal_simulator *sim, double t1);
sal_status sal__delays_extend(sal_simulator *sim, double t);
static inline sal_status sal__delays_commit(sal_simulator *sim, double t) {
    return sim->delay_state ? sal__delays_extend(sim, t) : SAL_OK;
}
void sal__delays_truncate(sal_simulator *sim, double t);

/* ---- discontinuity.c ---- */

/* A step begins at t; its start was evaluated; the step failed. */
void sal__checkpoint_save(sal__delay_state *m, double t);
void sal__checkpoint_update(sal__delay_state *m, double t);
void sal__checkpoint_restore(sal__delay_state *m);
sal_status sal__delays_reserve(sal_simulator *sim, int count); /* room for so many discontinuities */

/* ---- delay_snapshot.c ---- */

/* Discontinuities and sites. Reading needs room for so many discontinuities. */
void sal__delays_archive(sal__archive *a, sal_simulator *sim, int *count);
bool sal__is_history(const sal_simulator *sim, int slot);
/* The bytes of a slot that is a history: its points are hashed while they are copied, which makes a save and a load of
 * 256 points 7 % faster. A check loads them into the lookup context; `status` says why it could not. Returns false
 * for other slots. */
bool sal__history_archive(sal__archive *a, sal_simulator *sim, int slot, size_t bytes, sal_status *status);
void sal__delays_copy(sal_simulator *to, const sal_simulator *from);

/* ---- delay_step.c ---- */

/* Takes a step from (t, x) that ends where a read meets a discontinuity. */
sal_status sal__delays_step(sal_simulator *sim, const sal_rhs *rhs, double t, const double *x,
                            const sal_limits *limits);
/* The rest of an interrupted step, which is not tried again: finds what reads the past at its end, also after load. */
sal_status sal__delays_resume_step(sal_simulator *sim, double now, double t1);
/* Without continuous state. *end: in, the latest end of the step; out, its end. */
sal_status sal__delays_end_without_state(sal_simulator *sim, double t, double *end);

/* ---- past_readers.c ---- */

/* The value of a witness at the context as it looks now, and whether it reads the past. */
sal_status sal__witness_value_by_reads(sal_simulator *sim, const sal__witness *w, double *value, bool *reads_past);
/* The context looks as at t: does the witness read a jump there? */
bool sal__reads_jump(sal_simulator *sim, const sal__witness *w, double t);

#endif
