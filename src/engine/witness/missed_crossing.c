/* Witnesses that move faster than steps are long, and do not read the time: error control follows the state, and knows
 * nothing of a sine of it. In some of the steps, a witness whose slopes at the ends are steep for its values is read at
 * points between them. If it changes its sign where the search found no crossing, the search missed one. From then on,
 * the witness is searched for in pieces of steps, as one that reads the time is (step_subdivision.c).
 *
 * A crossing that only rounding makes is none: close to it, the witness has to keep its value. */
#include <math.h>

#include "crossing.h"

#define STEEP 3   /* slopes times the length of the step, as a share of the values at its ends */
#define LEAST 1e5 /* the length of a step that shows more than rounding, in ulp of its time */
#define LEAP 0.05 /* the least change between two points, as a share of the values at the ends */
#define NEAR 1e-3 /* a distance from the cubic, as a share of the slopes times the length of the step */

enum { POINTS = 32, FIRST_POINTS = 5 };

static bool is_suspect(const sal_simulator *sim, const sal__witness *w, double h) {
    if (!((fabs(w->s0) + fabs(w->s1)) * h > STEEP * (fabs(w->w0) + fabs(w->w1))))
        return false;
    return !sal__is_walked(sim, w) && w->info.direction != SAL_TURNING && !w->info.guard_can_flow;
}

/* Does the witness keep its value close to theta, before `end`? */
static sal_status is_steady(sal__witness_probe *s, double theta, double end, double value, bool *steady) {
    static const double beside[] = {1e-6, 3e-6, 7e-6, 1.3e-5};
    for (int k = 0; *steady && k < 4; k++) {
        double there = 0;
        const sal_status status = sal__probe_witness(s, theta + beside[k] * (end - theta), &there);
        if (status != SAL_OK)
            return status;
        *steady = fabs(there - value) < 0.05 * fabs(value);
    }
    return SAL_OK;
}

/* Does the witness follow, as slow ones do, the cubic with its values and slopes at the ends of the step? The points
 * are at no simple fractions. */
static sal_status is_cubic(sal__witness_probe *s, bool *cubic) {
    static const double at[FIRST_POINTS] = {0.1459, 0.3263, 0.5279, 0.7082, 0.8885};
    const sal__witness *w = s->witness;
    const double h = s->t1 - s->t0;
    *cubic = true;
    for (int k = 0; *cubic && k < FIRST_POINTS; k++) {
        const double theta = at[k], rest = 1 - theta;
        const double ends = rest * rest * (1 + 2 * theta) * w->w0 + theta * theta * (1 + 2 * rest) * w->w1;
        double value = 0;
        const sal_status status = sal__probe_witness(s, theta, &value);
        if (status != SAL_OK)
            return status;
        *cubic = fabs(value - ends - theta * rest * h * (rest * w->s0 - theta * w->s1)) <=
                 NEAR * h * (fabs(w->s0) + fabs(w->s1));
    }
    return SAL_OK;
}

/* Does it cross before `end`, where the search found nothing? */
static sal_status was_missed(sal__witness_probe *s, double end, bool *missed) {
    const sal__witness *w = s->witness;
    double before = w->on_surface ? 0 : w->w0, golden = 0;
    for (int k = 1; k <= POINTS; k++) {
        golden += golden < 0.3819660112501051 ? 0.6180339887498949 : -0.3819660112501051;
        const double theta = (k - golden) / POINTS * end;
        double value = 0;
        sal_status status = sal__probe_witness(s, theta, &value);
        *missed = value * before < 0 && sal__is_wanted(w->info.direction, before) &&
                  fabs(value - before) > LEAP * (fabs(w->w0) + fabs(w->w1));
        if (status == SAL_OK && *missed)
            status = is_steady(s, theta, end, value, missed);
        if (status != SAL_OK || *missed)
            return status;
        before = value;
    }
    return SAL_OK;
}

/* A witness that fails between the ends of the step is judged by the search. */
static sal_status examine(sal__witness_probe *s, double end, bool *missed) {
    bool cubic = false;
    sal_status status = is_cubic(s, &cubic);
    *missed = false;
    if (status == SAL_OK && !cubic)
        status = was_missed(s, end, missed);
    if (status == SAL_OK)
        return SAL_OK;
    *missed = false;
    return status == SAL_ENAN || status > 0 ? SAL_OK : status;
}

sal_status sal__find_missed_crossings(sal_simulator *sim, double t0, double t1, bool *any) {
    const double h = t1 - t0, end = sal__next_crossing(sim);
    const bool all = sal__looks_for_all_missed(sim);
    sal_status status = SAL_OK;
    *any = false;
    if (!sal__has_interior_search(sim) || end * h < LEAST * sal__ulp(sal__max(fabs(t0), fabs(t1))))
        return SAL_OK;
    for (int k = 0; status == SAL_OK && k < sim->witnesses.active_count; k++) {
        sal__witness *w = &sim->witnesses.item[sim->witnesses.active[k]];
        if (!(all || w->theta > 1) || !is_suspect(sim, w, h))
            continue;
        bool missed = false;
        status = sal__prepare_dense(sim);
        if (status == SAL_OK)
            status = examine(&(sal__witness_probe){sim, w, t0, t1, 0}, end, &missed);
        if (status != SAL_OK)
            return sal__witness_report(sim, sim->witnesses.active[k], status);
        if (missed && sal__steps_of_run(sim) > SAL__FIRST_STEPS)
            sal__warn_of_event(
                sim, w->info.event, "fast",
                "may have missed crossings: its witness crosses several times within a step, and only this "
                "one shows it; set its max_interval (s) or samples (per step)");
        if (missed)
            sal__witness_note_missed_crossing(w);
        *any |= missed;
    }
    return status;
}
