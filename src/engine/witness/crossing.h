/* The search of a step for crossings: what the files that read the step's ends, locate crossings of witnesses and find
 * where conditions turn true share. */
#ifndef SAL_CROSSING_H
#define SAL_CROSSING_H

#include "engine/simulator.h"

/* A witness in the step from t0 to t1, compared with a level. */
typedef struct sal__witness_probe {
    sal_simulator *sim;
    sal__witness *witness;
    double t0, t1, level;
} sal__witness_probe;

static inline void sal__warn_of_event(sal_simulator *sim, int event, const char *key, const char *text) {
    if (event < 0) /* a watch, which may be gone when the warning is read */
        return;
    sal__warn(sim, sim->plan->event[event].part, sim->plan->event[event].index, -1, key, text);
}

/* ---- witness_value.c ---- */

sal_status sal__finder_value(sal_simulator *sim, const sal__witness *f, double *value);
/* The value of any witness, finders too, at the context as it looks now. */
static inline sal_status sal__witness_value(sal_simulator *sim, const sal__witness *w, double *value) {
    return w->info.value ? sal__event_value(sim, w, value) : sal__finder_value(sim, w, value);
}
/* sal__probe functions of a sal__witness_probe: the value minus the level at theta of the step, on its dense output;
 * at_stored_time: at the time at which an event there is stored. */
sal_status sal__probe_witness(void *user, double theta, double *value);
sal_status sal__probe_witness_at_stored_time(void *user, double theta, double *value);
/* Computes the dense output, which is needed only when something is to be located. */
static inline sal_status sal__prepare_dense(sal_simulator *sim) {
    return sim->plan->nx > 0 ? sal_integrator_prepare_dense(sim->integrator, sal__current_rhs(sim)) : SAL_OK;
}
/* Puts the state at theta of the step, which is at time t, into scratch. SAL_RETRY: it cannot meet the constraints. */
static inline sal_status sal__interpolate_state(sal_simulator *sim, double theta, double t) {
    if (sim->plan->nx == 0)
        return SAL_OK;
    sal_integrator_interpolate(sim->integrator, theta, sim->flow.scratch);
    return sim->projection ? sal__project(sim, t, sim->flow.scratch) : SAL_OK;
}

static inline const double *sal__end_state(const sal_simulator *sim) {
    return sim->plan->nx > 0 ? sal_integrator_end(sim->integrator) : NULL;
}
/* An event is stored at a double: the smallest one that is not before theta of the step. */
static inline double sal__stored_time(double t0, double t1, double theta) {
    const double t = t0 + theta * (t1 - t0);
    const double short_of = theta * (t1 - t0) - (t - t0); /* 0 where t is as small as subnormal numbers */
    const double up = short_of > 0 ? 0x1.8p-53 : 0; /* of t: to the next double; half of all are short, by chance */
    return sal__min(t + up * fabs(t), t1);
}

/* ---- condition_rounding.c ---- */

/* In a step of a few ulp, from now to (t, x) at theta: sets `stays` of each condition. */
sal_status sal__conditions_look_beyond(sal_simulator *sim, double now, double t, const double *x, double theta);

/* ---- guard.c ---- */

/* Activates witnesses whose guard opens within the step to t1. */
sal_status sal__guards_activate(sal_simulator *sim, double t1);
/* Both ends of the step were read. Deactivates witnesses that have no value at one of them, where their guard is false;
 * SAL_ENAN if it is true there. */
sal_status sal__guards_check_values(sal_simulator *sim, double now, double t1);

/* ---- step_ends.c ---- */

/* Shows the context what a short Euler step leads to, forwards from where the flow begins and backwards from the end of
 * the step. Its length is dt; h is the length of what is left of the step. */
double sal__look_after_start(sal_simulator *sim, double now, double h);
sal_status sal__look_before_end(sal_simulator *sim, double t1, double h, double *dt);
/* The slope of a witness at the end of a step of length h, over an Euler step long enough to rise above rounding; 0 if
 * there is none. */
sal_status sal__slope_at_end(sal_simulator *sim, const sal__witness *w, double t1, double h, double *slope);
/* The witness set out from its level to the side `near`, and reads that level or beyond at the end of the step. Is
 * it on its way back there, or did a step of a few ulp not show it leave? `slope` is its slope at the end; NaN:
 * unknown. */
static inline sal_status sal__comes_back(const sal__witness_probe *s, double slope, int near, bool *back) {
    const sal_status status =
        slope * near < 0 ? SAL_OK : sal__slope_at_end(s->sim, s->witness, s->t1, s->t1 - s->t0, &slope);
    *back = !(slope * near > 0);
    return status;
}
/* Is a step of length h so much shorter than the usual ones that its ends may differ by rounding alone? */
double sal__longest_sliver(const sal_simulator *sim);
static inline bool sal__is_sliver(const sal_simulator *sim, double h) {
    return h < sal__longest_sliver(sim);
}
/* Does the integrator's last step, within its first h seconds, move the state by far more than rounding, or the time if
 * there is no state? A witness that reads zero all along is flat there. */
bool sal__moves_clearly(const sal_simulator *sim, double h);
/* Forgets the slopes that were taken at the end of the rest of a step if that rest, of length h, is far shorter than
 * the step. */
void sal__discard_end_slopes(sal_simulator *sim, double h);
/* Is the witness searched for in pieces of a step, since it may move faster than the step is long? */
static inline bool sal__is_walked(const sal_simulator *sim, const sal__witness *w) {
    return w->info.is_subdivided || (w->may_be_fast && sim->config.interior_search);
}
/* Notes whether a witness changes where only the time moves, from now into the step to t1. Its value now is w0. */
sal_status sal__witness_check_time(sal_simulator *sim, sal__witness *w, double now, double t1);
/* All active witnesses become candidates. */
void sal__candidates_add_all(sal_simulator *sim);
/* Reads the witnesses at both ends of the step to t1, and lists as candidates those that may cross in it. */
sal_status sal__read_step_ends(sal_simulator *sim, double t1, bool isolates);

/* ---- locate.c ---- */

/* At (t, x), which is more accurate than the step was: fires the witnesses that are at zero or beyond there though the
 * step did not see them cross. The flow goes on from x, so they would never cross. */
sal_status sal__witness_fire_unforeseen(sal_simulator *sim, double t, const double *x);

/* ---- crossing_search.c, step_subdivision.c and turning_point.c: *theta is 2 where nothing is found ---- */

/* How far into a step to search at first. Without continuous state, steps are as long as they may be. */
static inline double sal__first_reach(const sal_simulator *sim, double t0, double t1) {
    return sim->plan->nx == 0 ? sal__max(2 * sim->last_event.spacing / (t1 - t0), 0x1p-30) : 1;
}
/* Does a crossing from the side of `from` count? */
static inline bool sal__is_wanted(sal_direction wanted, double from) {
    return wanted == SAL_CROSSING || wanted == (from > 0 ? SAL_FALLING : SAL_RISING);
}
/* A cubic is monotone if both slopes point along its rise and neither exceeds three times it (Fritsch and Carlson, SIAM
 * J. Numer. Anal. 17, 1980). The slopes are times the width. */
static inline bool sal__is_monotone(double rise, double sa, double sb) {
    const double most = 3 * rise;
    return rise > 0 ? sa >= 0 && sb >= 0 && sa <= most && sb <= most : sa <= 0 && sb <= 0 && sa >= most && sb >= most;
}
/* No crossing can lie between the ends of a step of length h, as far as they show. In the usual case both have one
 * sign, and between them the witness is monotone, or turns away from zero, which leaves no room for another
 * extremum. */
static inline bool sal__cannot_cross(const sal__witness *w, double h) {
    if (w->on_surface || !(w->w0 > 0 ? w->w1 > 0 : w->w0 < 0 && w->w1 < 0))
        return false;
    const double sa = w->s0 * h, sb = w->s1 * h;
    if (sal__is_monotone(w->w1 - w->w0, sa, sb))
        return w->w1 != w->w0; /* flat, or only at the ends? */
    return w->w0 > 0 ? sa >= 0 && sb <= 0 : sa <= 0 && sb >= 0;
}
/* Where the witness crosses in a piece of a step: by the piece's ends and the search between them. */
sal_status sal__find_crossing(sal__witness_probe *s, const sal__root_interval *piece, double *theta);
/* Does the witness leave zero at the start of the step and read zero again at its end? And where it comes back. */
bool sal__is_back_at_zero(const sal__witness *w, const sal__root_interval *whole);
sal_status sal__find_return_to_zero(sal__witness_probe *s, const sal__root_interval *whole, double *theta);
/* The same as sal__find_crossing in short pieces, for a witness that may cross often. Does not search beyond `most`. */
sal_status sal__find_crossing_subdivided(sal__witness_probe *s, const sal__root_interval *ends, double most,
                                         double *theta);
/* Where the witness stops rising after `from`. */
sal_status sal__find_turning_point(sal__witness_probe *s, double from, double *theta);

/* ---- missed_crossing.c ---- */

/* Witnesses are looked at in the first steps, then in fewer and fewer, and in steps that are far longer than all
 * before. A new one is looked at where it becomes active. */
enum { SAL__FIRST_STEPS = 8 };
static inline bool sal__looks_for_missed(const sal_simulator *sim, double h) {
    return h > 1.5 * sim->witnesses.longest_look || sal__steps_of_run(sim) < SAL__FIRST_STEPS || sal__is_rare_step(sim);
}
/* The step from t0 to t1 was searched. Does reading a witness inside it show a crossing that was missed? From now on
 * such a witness is searched for in pieces of steps. */
sal_status sal__find_missed_crossings(sal_simulator *sim, double t0, double t1, bool *any);

/* ---- witness_warnings.c ---- */

/* An update moved the witness from `was`, perhaps across zero. */
void sal__warn_about_jump(sal_simulator *sim, const sal__witness *w, double was);
/* The witness is exactly 0 where the run starts. */
void sal__warn_about_start(sal_simulator *sim, const sal__witness *w);

/* ---- undersampling.c ---- */

void sal__warn_about_missed_crossings(sal_simulator *sim, const sal__witness *w);

#endif
