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
    return !sal__is_walked(sim, w) && !sal__finds_turning(w) && !w->info.guard_can_flow;
}

/* At fractions of a step that are not simple ones. */
static const double beside[FIRST_POINTS] = {0.1458980337503155, 0.3262379212492639, 0.5278640450004206,
                                            0.7082039324993691, 0.8885438199983176};

/* A witness between theta `from`, where the flow goes on in its step, and `end`, which is 1 or the next crossing. */
typedef struct look {
    sal__witness_probe probe;
    double from, end;
} look;

/* NaN if this read or one before it failed. */
static double read_at(look *s, double theta, sal_status *status) {
    double value = NAN;
    if (*status == SAL_OK)
        *status = sal__probe_witness(&s->probe, theta, &value);
    return *status == SAL_OK ? value : NAN;
}

/* Does the witness keep its value close to theta, before the end? */
static bool is_steady(look *s, double theta, double value, sal_status *status) {
    for (int k = 0; k < FIRST_POINTS; k++)
        if (!(fabs(read_at(s, theta + 1.5e-5 * beside[k] * (s->end - theta), status) - value) < 0.05 * fabs(value)))
            return false;
    return true;
}

/* Does the witness follow, as slow ones do, the cubic with its values and slopes at the ends? */
static bool is_cubic(look *s, sal_status *status) {
    const sal__witness *w = s->probe.witness;
    const double h = (1 - s->from) * (s->probe.t1 - s->probe.t0), near = NEAR * h * (fabs(w->s0) + fabs(w->s1));
    for (int k = 0; k < FIRST_POINTS; k++) {
        const double done = beside[k], rest = 1 - done;
        const double cubic = rest * rest * ((1 + 2 * done) * w->w0 + done * h * w->s0) +
                             done * done * ((1 + 2 * rest) * w->w1 - rest * h * w->s1);
        if (!(fabs(read_at(s, s->from + done * (1 - s->from), status) - cubic) <= near))
            return false;
    }
    return true;
}

/* Does it cross where the search found nothing? */
static bool was_missed(look *s, sal_status *status) {
    const sal__witness *w = s->probe.witness;
    double before = w->on_surface ? 0 : w->w0, golden = 0;
    for (int k = 1; k <= POINTS && *status == SAL_OK; k++) {
        golden += golden < 0.3819660112501051 ? 0.6180339887498949 : -0.3819660112501051;
        const double theta = s->from + (k - golden) / POINTS * (s->end - s->from), value = read_at(s, theta, status);
        if (value * before < 0 && sal__is_wanted(w->info.direction, before) &&
            fabs(value - before) > LEAP * (fabs(w->w0) + fabs(w->w1)) && is_steady(s, theta, value, status))
            return true;
        before = value;
    }
    return false;
}

/* A witness that fails between the ends of the step is judged by the search. */
static sal_status examine(look *s, bool *missed) {
    sal_status status = SAL_OK;
    *missed = !is_cubic(s, &status) && was_missed(s, &status);
    return status == SAL_ENAN || status > 0 ? SAL_OK : status;
}

/* In the rest of a step, old ones were looked at in the whole step. */
static bool looks_at_old(const sal_simulator *sim, double h) {
    return !sim->flow.interrupted_step.is_pending && sal__looks_for_missed(sim, h);
}

static void note_missed(sal_simulator *sim, sal__witness *w) {
    if (sal__steps_of_run(sim) > SAL__FIRST_STEPS)
        sal__warn_about_missed_crossings(sim, w);
    sal__witness_note_fast(w);
    if (w->info.kind == (sal_kind)SAL__WATCH)
        sal__watches_note_fast(sim);
}

sal_status sal__find_missed_crossings(sal_simulator *sim, double t0, double t1, bool *any) {
    look s = {{sim, NULL, t0, t1, 0}, sal__flow_from(sim), sal__next_crossing(sim)};
    const double h = (1 - s.from) * (t1 - t0);
    const bool only_new = !looks_at_old(sim, h);
    sal_status status = SAL_OK;
    *any = false;
    if (!sim->has_interior_search || (s.end - s.from) * (t1 - t0) < LEAST * sal__ulp(sal__max(fabs(t0), fabs(t1))))
        return SAL_OK;
    for (int k = 0; status == SAL_OK && k < sim->witnesses.active_count; k++) {
        sal__witness *w = s.probe.witness = &sim->witnesses.item[sim->witnesses.active[k]];
        if ((only_new && w->time_checks > 1) || !is_suspect(sim, w, h))
            continue;
        bool missed = false;
        status = sal__prepare_dense(sim);
        if (status == SAL_OK)
            status = examine(&s, &missed);
        if (status != SAL_OK)
            return sal__witness_report(sim, sim->witnesses.active[k], status);
        if (missed)
            note_missed(sim, w);
        *any |= missed;
    }
    if (status == SAL_OK && !*any)
        sal__witness_note_look(sim, h);
    return status;
}
