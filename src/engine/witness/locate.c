/* Where witnesses cross in the step that was just integrated, and which crossings come first. */
#include <math.h>

#include "crossing.h"

typedef sal__witness_probe span;

#define MOSTLY 1e-3 /* of the change of a witness over a longer way: less than that is rounding in a tiny step */

/* Searches up to `most` of the step, perhaps farther. */
static sal_status isolate_crossing(span *s, double h, double most, double *theta) {
    const sal__witness *w = s->witness;
    const double from = sal__flow_from(s->sim);
    const sal__root_interval whole = {from, w->w0, w->s0 * h, 1, w->w1, w->s1 * h};
    const bool turning = sal__finds_turning(w);
    if (!turning && sal__is_back_at_zero(w, &whole))
        return sal__find_return_to_zero(s, &whole, theta);
    if (!turning)
        return sal__is_walked(s->sim, w) ? sal__find_crossing_subdivided(s, &whole, most, theta)
                                         : sal__find_crossing(s, &whole, theta);
    const sal_status status = sal__prepare_dense(s->sim);
    return status == SAL_OK ? sal__find_turning_point(s, from, theta) : status;
}

/* ---- without isolation ---- */

/* The witness left its surface towards its near side, and is not there at the end. */
static bool hopped(const sal__witness *w) {
    return w->on_surface && w->w0 == w->surface_level && (w->w1 - w->surface_level) * w->armed_side <= 0 &&
           w->s0 * w->armed_side > 0;
}

/* Updates turned the witness back to its near side. */
static bool was_turned_back(const sal__witness *w) {
    return w->on_surface && w->flow_changed && w->w1 * w->armed_side > 0 &&
           sal__is_wanted(w->info.direction, -w->armed_side);
}

static void cross_at_end(sal__witness *w, double level, int from) {
    w->crossing_level = level;
    w->crossing_side = (signed char)from;
    w->crossing_value = w->w1;
    w->has_jumped = false;
    w->theta = 1;
}

/* Does the witness reach or cross its level between the start of the step and `value`? */
static bool comes_beyond(const sal__witness *w, double level, double value) {
    const double f0 = w->w0 - level, f1 = value - level;
    const bool crossed = (f0 > 0 && f1 <= 0) || (f0 < 0 && f1 >= 0);
    return crossed && (w->on_surface ? value * w->armed_side <= 0 && f0 * w->armed_side >= 0
                                     : sal__is_wanted(w->info.direction, f0));
}

static double level_of(const sal__witness *w) {
    return w->on_surface ? w->surface_level : 0;
}

/* Compares the signs at the ends, with the level of a surface in place of zero. */
static sal_status compare_ends(const span *s) {
    sal__witness *w = s->witness;
    const double level = level_of(w);
    sal_status status = SAL_OK;
    bool back = false;
    if (sal__finds_turning(w))
        return SAL_OK;
    if (hopped(w))
        status = sal__comes_back(s, NAN, w->armed_side, &back);
    if (was_turned_back(w))
        cross_at_end(w, 0, -w->armed_side);
    else if (back)
        cross_at_end(w, level, w->armed_side);
    else if (comes_beyond(w, level, w->w1))
        cross_at_end(w, level, w->w0 > level ? 1 : -1);
    return status;
}

static bool was_seen(const sal_simulator *sim, int witness) {
    int k = sim->crossings.count;
    while (k > 0 && sim->crossings.item[k - 1] != witness)
        k--;
    return k > 0 || sim->witnesses.item[witness].has_fired;
}

sal_status sal__witness_fire_unforeseen(sal_simulator *sim, double t, const double *x) {
    sal__context_data_look(sim->contexts.current, t, x);
    for (int k = 0; k < sim->witnesses.active_count; k++) {
        const int i = sim->witnesses.active[k];
        sal__witness *w = &sim->witnesses.item[i];
        const double level = level_of(w);
        double value = 0;
        if (sal__finds_turning(w) || was_seen(sim, i))
            continue;
        const sal_status status = sal__guarded_value(sim, w, &value);
        if (status != SAL_OK)
            return sal__witness_report(sim, i, status);
        if (!comes_beyond(w, level, value))
            continue;
        cross_at_end(w, level, w->w0 > level ? 1 : -1);
        sal__crossing_set_value(sim, i, value);
        sal__witness_add_fired(sim, i);
    }
    return SAL_OK;
}

/* ---- all candidates ---- */

/* How far the witness is off its level at a point inside of the step. */
static sal_status probe_inside(span *s, double *off) {
    s->level = s->witness->surface_level;
    const sal_status status = sal__prepare_dense(s->sim);
    return status == SAL_OK ? sal__probe_witness(s, 1 - 0.3819660112501051 * (1 - sal__flow_from(s->sim)), off)
                            : status;
}

/* The witness was at its level. In a tiny step its values are mostly rounding, but its slope over a longer way shows
 * where it goes. If it sets out that way, and its values inside of the step and at its end are not beyond the level, or
 * by far less than it changes over that way, it has not left its level. */
static sal_status hold_at_level(span *s, bool *held) {
    sal__witness *w = s->witness;
    const double end = w->w1 - w->surface_level;
    *held = false;
    if (!w->on_surface || !(w->s0 * end <= 0) || !sal__is_sliver(s->sim, s->t1 - s->t0))
        return SAL_OK;
    double slope = 0, inside = 0;
    sal_status status = sal__slope_at_end(s->sim, w, s->t1, s->t1 - s->t0, &slope); /* s1 is rounding too */
    const double rounding = MOSTLY * fabs(slope) * sal__longest_sliver(s->sim);
    *held =
        slope * end <= 0 && slope * w->s0 >= 0 && fabs(end) <= rounding && fabs(w->w0 - w->surface_level) <= rounding;
    if (status == SAL_OK && *held)
        status = probe_inside(s, &inside);
    if (fabs(inside) > rounding)
        *held = false;
    if (*held)
        sal__witness_stay_at_level(w);
    return status;
}

/* Finds where each candidate crosses up to `most` of the step, perhaps farther. *first is the earliest. */
static sal_status cross_up_to(sal_simulator *sim, double t0, double t1, bool isolates, double most, double *first) {
    *first = 2;
    for (int k = 0; k < sim->candidates.count; k++) {
        const int i = sim->candidates.item[k];
        sal__witness *w = &sim->witnesses.item[i];
        span s = {sim, w, t0, t1, 0};
        w->theta = 2;
        bool held = false;
        sal_status status = hold_at_level(&s, &held);
        if (status == SAL_OK && !held)
            status = isolates ? isolate_crossing(&s, t1 - t0, most, &w->theta) : compare_ends(&s);
        if (status != SAL_OK)
            return sal__witness_report(sim, i, status);
        *first = sal__min(*first, w->theta);
    }
    return SAL_OK;
}

/* Lists the candidates that cross. Without continuous state, a step is as long as its limit, and only its first event
 * is used. So the search begins with a piece of the step that is twice as long as the last interval between events. It
 * makes the piece longer until there is a crossing in it. */
static sal_status cross_all(sal_simulator *sim, double t0, double t1, bool isolates) {
    double most = sal__first_reach(sim, t0, t1), first = 2;
    sal_status status = cross_up_to(sim, t0, t1, isolates, most, &first);
    for (; status == SAL_OK && first > most && most < 1; most *= 4)
        status = cross_up_to(sim, t0, t1, isolates, 4 * most, &first);
    for (int k = sim->candidates.count - 1; status == SAL_OK && k >= 0; k--)
        if (sim->witnesses.item[sim->candidates.item[k]].theta <= 1)
            sal__crossing_insert(sim, sim->candidates.item[k]); /* of equals, the first declared is the first */
    return status;
}

/* Does time alone move a candidate whose ends read the same, and that was not seen to cross? Then crossings of it were
 * missed. */
static sal_status look_between_equal_ends(sal_simulator *sim, double t0, double t1, bool *missed) {
    sal_status status = SAL_OK;
    for (int k = 0; status == SAL_OK && k < sim->candidates.count; k++) {
        sal__witness *w = &sim->witnesses.item[sim->candidates.item[k]];
        if (w->theta <= 1 || w->w0 != w->w1 || w->may_be_fast || !sim->config.interior_search)
            continue;
        status = sal__witness_check_time(sim, w, t0, t1);
        *missed |= w->may_be_fast;
    }
    return status;
}

/* Where a crossing was missed, the step is searched again, now in pieces. */
static sal_status search(sal_simulator *sim, double t0, double t1, bool isolates) {
    const bool looks_twice = isolates && (sal__looks_for_missed(sim, t1 - t0) || sim->witnesses.time_check_due);
    for (bool missed = true; missed;) {
        sal_status status = cross_all(sim, t0, t1, isolates);
        missed = false;
        if (SAL__RARELY(sim->crossings.count < sim->candidates.count) && isolates && status == SAL_OK)
            status = look_between_equal_ends(sim, t0, t1, &missed);
        if (status == SAL_OK && !missed && looks_twice)
            status = sal__find_missed_crossings(sim, t0, t1, &missed);
        if (status != SAL_OK)
            return status;
        if (missed) {
            sal__crossings_clear(sim);
            sal__candidates_add_all(sim);
        }
    }
    return SAL_OK;
}

/* Roots within 4 ulp of the earliest are one instant. Its state is that of the last one, where all have crossed. Their
 * witnesses move from the list of crossings to the list of fired ones. */
static double fire_first_instant(sal_simulator *sim, double t0, double t1) {
    if (sim->crossings.count == 0)
        return 2;
    const double first = t0 + sal__next_crossing(sim) * (t1 - t0);
    double theta;
    do {
        theta = sal__next_crossing(sim);
        sal__crossing_fire(sim, sim->crossings.count - 1);
    } while (sim->crossings.count > 0 && sal__same_instant(t0 + sal__next_crossing(sim) * (t1 - t0), first, 0));
    return theta;
}

sal_status sal__witness_locate(sal_simulator *sim, double t0, double t1, double *theta) {
    const double now = sim->contexts.current->time;
    const bool isolates = sal__is_isolating(sim);
    *theta = 2;
    sal_status status = SAL_OK;
    if (sim->witnesses.guarded_count > 0) {
        sal__crossings_sort(sim, sim->crossings.count);
        status = sal__guards_activate(sim, t1);
    }
    if (status == SAL_OK)
        status = sal__read_step_ends(sim, t1, isolates);
    if (status == SAL_OK)
        status = search(sim, t0, t1, isolates);
    if (status != SAL_OK)
        return status;
    *theta = fire_first_instant(sim, t0, t1);
    sal__witness_set_ends_valid(sim, *theta > 1);
    if (*theta > 1 && sim->flow.interrupted_step.is_pending)
        sal__discard_end_slopes(sim, t1 - now);
    return SAL_OK;
}
