/* Detects firings that accumulate at a time that they never reach (Zeno), and firings that chatter.
 *
 * Both are found by the intervals between firings, compared with earlier intervals of the same witness: what is a long
 * interval in one model is a short one in another. */
#include <math.h>
#include <string.h>

#include "engine/witness/crossing.h"

#define SHRINKS 0.995   /* an interval that is clearly shorter than the one before */
#define ROUNDED 0x1p-46 /* of the time: intervals that rounding makes what they are */

enum { FEWEST = 5, MANY = 100, ULPS = 1024 };

/* The older ones move through copies of known size, without a call. */
static void record_firing(const sal_simulator *sim, sal__witness *w, double t) {
    double times[3];
    int64_t steps[4];
    memcpy(times, w->firings.times, sizeof times);
    memcpy(steps, w->firings.steps, sizeof steps);
    memcpy(w->firings.times + 1, times, sizeof times);
    memcpy(w->firings.steps + 1, steps, sizeof steps);
    w->firings.times[0] = t;
    w->firings.steps[0] = sim->run_state.total_steps;
    w->firings.count++;
}

/* ---- isolated firings ---- */

/* What a witness reads after a state has moved by `by`. */
static sal_status value_moved(sal_simulator *sim, const sal__witness *w, int state, double by, double *value) {
    double *x = sim->flow.rate;
    sal__copy(x, sim->contexts.current->block, sim->plan->nx);
    x[state] += by;
    sal__context_data_look(sim->contexts.current, sim->contexts.current->time, x);
    const sal_status status = sal__witness_value(sim, w, value);
    sal__context_data_look(sim->contexts.current, sim->contexts.current->time, NULL);
    return status;
}

/* A condition may read any state. */
static sal_status reads_state(sal_simulator *sim, const sal__witness *w, int state, bool *reads) {
    const double by = ULPS * sal__ulp(sim->contexts.current->block[state]);
    double is = 0, moved = 0;
    *reads = true;
    if (w->info.condition >= 0)
        return SAL_OK;
    sal_status status = value_moved(sim, w, state, 0, &is);
    if (status == SAL_OK)
        status = value_moved(sim, w, state, by, &moved);
    *reads = status != SAL_OK || is != moved;
    return status == SAL_ENAN || status > 0 ? SAL_OK : status;
}

/* Does a state that the witness reads move by so little in d1 that rounding begins to make the next interval what it
 * is? There it moves by this share of what it moved in d1. The last step began at the last firing, with the speed that
 * counts. */
static sal_status is_lost_in_rounding(sal_simulator *sim, const sal__witness *w, double d1, double share, bool *lost) {
    const double *f = sim->plan->nx > 0 ? sal_integrator_start_rate(sim->integrator) : NULL;
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && !*lost && i < sim->plan->nx; i++) {
        const double ulp = sal__ulp(sim->contexts.current->block[i]), moves = fabs(f[i]) * d1;
        if (moves > ulp && share * moves < ULPS * ulp)
            status = reads_state(sim, w, i, lost);
    }
    return status;
}

/* Do three intervals shrink like a series, and fast? Not those of a few ulp of the time, which rounding makes. */
static bool is_geometric(double t, double d1, double d2, double d3) {
    return fabs(d1 * d3 - d2 * d2) < 0.02 * d2 * d2 && d1 < d3 / 50 && d1 > ROUNDED * fabs(t);
}

sal_status sal__zeno_look(sal_simulator *sim, sal__witness *w, double t_event) {
    sal__firings *r = &w->firings;
    const double d1 = t_event - r->times[0], d2 = r->times[0] - r->times[1], d3 = r->times[1] - r->times[2];
    const bool are_many = r->shrinking_count + 1 >= FEWEST;
    r->is_rounded = false;
    if (!(d1 < SHRINKS * d2) || !(are_many || is_geometric(t_event, d1, d2, d3)) || !(d1 < r->longest_interval / 100))
        return SAL_OK;
    return is_lost_in_rounding(sim, w, d1, are_many ? 1 : d1 / d2 * d1 / d2, &r->is_rounded);
}

/* Each interval is clearly shorter than the one before, five times or more, and the last one is less than a hundredth
 * of the first. It is also shorter than 100 windows, or less than a millionth of the first, or so short that rounding
 * determines the next one. Then three intervals that shrink like a series are enough. The intervals of an oscillator
 * whose rate grows in proportion to itself do not shrink so fast: the n-th is shorter than the one before by a share of
 * 1 / n only. */
static bool accumulates(sal__witness *w, double d1, double d2, double window) {
    if (!(d1 < SHRINKS * d2)) {
        w->firings.shrinking_count = 0;
        w->firings.longest_interval = d1;
        return false;
    }
    const double first = w->firings.longest_interval;
    w->firings.shrinking_count++;
    return w->firings.is_rounded ||
           (w->firings.shrinking_count >= FEWEST && d1 < first / 100 && d1 < sal__max(100 * window, 1e-6 * first));
}

/* The witness fired from its surface, at the level where its handler left it: it has not come back to its near side. */
static bool fires_from_surface(const sal__witness *w) {
    return w->on_surface && w->crossing_level != 0;
}

/* Is the interval below 10 windows? And did the witness fire from its surface, or is the interval far shorter than its
 * longest one, or so short that rounding determines it? */
static bool is_rapid(const sal_simulator *sim, const sal__witness *w, double d1, double window) {
    if (!(d1 < 10 * window)) /* the usual case */
        return false;
    const double scale = sal__max(fabs(w->firings.times[0]), sal__characteristic_time(sim));
    return fires_from_surface(w) || d1 < sal__max(1e-5 * w->firings.longest_overall, ROUNDED * scale);
}

/* A hundred firings in a row. */
static bool chatters(const sal_simulator *sim, sal__witness *w, double d1, double window) {
    w->firings.rapid_count = is_rapid(sim, w, d1, window) ? w->firings.rapid_count + 1 : 1;
    return w->firings.rapid_count >= MANY;
}

/* ---- at the ends of steps ---- */

/* Up to rounding: without isolation, the times are sums of step sizes. */
static bool grew(double interval, double before) {
    return !(interval <= (1 + 1e-9) * before);
}

/* Without isolation, times are ends of steps, so intervals shrink only down to a few steps. Firings accumulate in two
 * cases. In the first, no interval of a sequence grew, the last is shorter than the first, and the three before the
 * last took six steps at most. In the second, the witness fired three times in a row from its surface, as it may for
 * ever if its handler moves nothing; `rapid_count` counts these firings. */
static bool accumulates_in_steps(sal__witness *w, double d1, double d2) {
    const double d3 = w->firings.times[2] - w->firings.times[3];
    if (grew(d1, d2))
        w->firings.longest_interval = d1;
    w->firings.rapid_count = fires_from_surface(w) && w->info.kind > SAL_PUBLISH ? w->firings.rapid_count + 1 : 0;
    const bool settled = !isnan(d3) && d1 < w->firings.longest_interval && !grew(d2, d3) &&
                         w->firings.steps[1] - w->firings.steps[4] <= 6;
    return settled || w->firings.rapid_count >= 3;
}

/* ---- both ---- */

static void evaluate_intervals(const sal_simulator *sim, sal__witness *w, double window) {
    const double d1 = w->firings.times[0] - w->firings.times[1], d2 = w->firings.times[1] - w->firings.times[2];
    w->firings.longest_overall =
        sal__max(w->firings.longest_overall, isnan(d1) ? w->firings.times[0] - w->firings.judged_from : d1);
    w->firings.is_zeno = isnan(window) ? accumulates_in_steps(w, d1, d2) : accumulates(w, d1, d2, window);
    w->firings.zeno_time =
        w->firings.is_zeno ? w->firings.times[0] + (d1 < (1 - 1e-9) * d2 ? d1 * d1 / (d2 - d1) : d1) : NAN;
    if (!isnan(window) && chatters(sim, w, d1, window))
        w->firings.is_zeno = true;
}

void sal__zeno_reset(sal__witness *w, double now) {
    w->firings.is_zeno = false;
    w->firings.judged_from = now;
    w->firings.rapid_count = w->firings.shrinking_count = 0;
    w->firings.longest_overall = w->firings.longest_interval = 0;
    w->firings.zeno_time = NAN;
    for (int i = 0; i < 4; i++)
        w->firings.times[i] = NAN;
}

void sal__zeno_record_firing(const sal_simulator *sim, sal__witness *w, double t_event, double window) {
    record_firing(sim, w, t_event);
    evaluate_intervals(sim, w, window);
}

void sal__zeno_set_count(sal__witness *w, int64_t count) {
    w->firings.count = count;
}

void sal__zeno_archive(sal__archive *a, sal__witness *w) {
    sal__firings *f = &w->firings;
    sal__flag(a, &f->is_zeno);
    for (int i = 0; i < 4; i++)
        sal__real(a, &f->times[i]);
    for (int i = 0; i < 5; i++)
        sal__int64(a, &f->steps[i], 0, SAL__MAX_COUNT);
    double *const values[] = {&f->zeno_time, &f->longest_interval, &f->judged_from, &f->longest_overall};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        sal__real(a, values[i]);
    int64_t *const counts[] = {&f->count, &f->rapid_count, &f->shrinking_count};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        sal__int64(a, counts[i], 0, SAL__MAX_COUNT);
}
