/* Where witnesses cross zero inside a step: between its ends, by the search for what those cannot show, and
 * the instant that comes first.
 *
 * The root finder is Chandrupatla's (Adv. Eng. Software 28, 1997), begun from the
 * cubic of the ends; see numerics/root_finder.c. */
#include <math.h>

#include "engine/simulator.h"

typedef sal__witness_probe span;

static inline sal_status probe_at(const span *s, double theta, double t, double *value) {
    sal_simulator *sim = s->sim;
    double *x = sim->plan->nx > 0 ? sim->flow.scratch : NULL;
    if (x)
        sal_integrator_interpolate(sim->integrator, theta, x);
    sal__context_data_look(sim->contexts.current, t, x);
    SAL__COUNT_ONE(sim, isolation_evaluations);
    const sal_status status = sal__witness_value(sim, s->witness, value);
    *value -= s->level;
    return status;
}

sal_status sal__probe_witness(void *user, double theta, double *value) {
    const span *s = user;
    return probe_at(s, theta, theta >= 1 ? s->t1 : s->t0 + theta * (s->t1 - s->t0), value);
}

sal_status sal__probe_witness_at_stored_time(void *user, double theta, double *value) {
    const span *s = user;
    const double t = sal__stored_time(s->t0, s->t1, theta);
    return probe_at(s, t < s->t1 ? theta : 1, t, value);
}

static bool fits(sal_direction wanted, double from) {
    return wanted == SAL_CROSSING || wanted == (from > 0 ? SAL_FALLING : SAL_RISING);
}

bool sal_witness_should_trigger(sal_direction direction, double w0, double w1) {
    const bool crosses = (w0 > 0 && w1 <= 0) || (w0 < 0 && w1 >= 0);
    return crosses && fits(direction, w0);
}

/* The interpolant, only when something is to be located. */
static sal_status prepare(sal_simulator *sim) {
    const sal_rhs rhs = sal__current_rhs(sim);
    return sim->plan->nx > 0 ? sal_integrator_prepare_dense(sim->integrator, &rhs) : SAL_OK;
}

/* The least of theta that moves what w reads: of one that time alone moves, an ulp of the time. */
static double finest(const span *s) {
    return s->witness->info.time_only ? sal__ulp(sal__max(fabs(s->t0), fabs(s->t1))) / (s->t1 - s->t0) : 0;
}

/* Among the points that an event can be stored at: what is found is zero or beyond as the handler will see it. */
static sal_status isolate(span *s, sal__root_interval piece, double level, double *theta) {
    sal__witness *w = s->witness;
    s->level = w->crossing_level = level;
    piece.wa -= level;
    piece.wb -= level;
    w->crossing_side =
        (signed char)(piece.wb < 0 || (piece.wb == 0 && (piece.wa > 0 || (piece.wa == 0 && piece.sa > 0))) ? 1 : -1);
    const sal__probe look = {sal__probe_witness_at_stored_time, s};
    double value = 0;
    const sal_status status = prepare(s->sim);
    if (status != SAL_OK)
        return status;
    SAL__COUNT_ONE(s->sim, isolations);
    return sal__find_root(&look, &piece, finest(s), theta, &value); /* to an ulp or two of theta */
}

/* A cubic with both slopes along its rise and none above three times it is monotone
 * (Fritsch and Carlson, SIAM J. Numer. Anal. 17, 1980): no extremum, as nearly always. */
static bool goes_one_way(const sal__root_interval *piece) {
    const double rise = piece->wb - piece->wa, width = piece->b - piece->a;
    const double sa = piece->sa * width, sb = piece->sb * width;
    return sa * rise >= 0 && sb * rise >= 0 && fabs(sa) <= 3 * fabs(rise) && fabs(sb) <= 3 * fabs(rise);
}

/* Does w read the same side at u where an event could be stored? */
static sal_status confirm(span *s, double u, bool *found, double *wu) {
    const double side = *wu;
    const sal_status status = sal__probe_witness_at_stored_time(s, u, wu);
    *found = side != 0 ? *wu * side > 0 : *wu == 0;
    return status;
}

static sal_status dip(span *s, const sal__root_interval *piece, bool *found, double *u, double *wu) {
    const sal__probe look = {sal__probe_witness, s};
    *found = false;
    if (isnan(piece->sa) || isnan(piece->sb) || goes_one_way(piece))
        return SAL_OK;
    s->level = 0;
    const sal_status status = prepare(s->sim);
    if (status != SAL_OK)
        return status;
    SAL__COUNT_ONE(s->sim, searches);
    const sal_status searched = sal__search_interior_extremum(&look, piece, found, u, wu);
    return searched == SAL_OK && *found ? confirm(s, *u, found, wu) : searched;
}

/* Both ends on one side: two crossings inside, or none. The one in the wanted direction. */
static sal_status inner_crossing(span *s, const sal__root_interval *whole, sal_direction wanted, double *theta) {
    bool found = false;
    double u = 0, wu = 0;
    const sal_status status = dip(s, whole, &found, &u, &wu);
    if (status != SAL_OK || !found)
        return status;
    const double side = whole->wa != 0 ? whole->wa : whole->wb;
    if (fits(wanted, side))
        return isolate(s, (sal__root_interval){whole->a, whole->wa, whole->sa, u, wu, NAN}, 0, theta);
    if (wu == 0)
        return SAL_OK;
    return isolate(s, (sal__root_interval){u, wu, NAN, whole->b, whole->wb, whole->sb}, 0, theta);
}

/* From its level w goes to the side `near`, by its slope, and ends beyond: where the parabola has its top. */
static double top_of(const sal__root_interval *whole, int near, double level) {
    const double width = whole->b - whole->a, up = whole->sa * near * width, down = (level - whole->wb) * near;
    return whole->a + width * up / (2 * (up + down));
}

/* Is w on the side `near` of the level at u? */
static sal_status look_at(span *s, double u, int near, double level, bool *found, double *value) {
    s->level = 0;
    sal_status status = prepare(s->sim);
    if (status == SAL_OK)
        status = sal__probe_witness_at_stored_time(s, u, value);
    *found = (*value - level) * near > 0;
    return status;
}

/* It set out to the side `near`, and ends at its level or beyond: is it back, or has a step of a few ulp not shown it
 * leave? Where it goes on to tells. */
static sal_status comes_back(const span *s, double slope, int near, bool *back) {
    const sal_status status =
        slope * near < 0 ? SAL_OK : sal__slope_at_end(s->sim, s->witness, s->t1, s->t1 - s->t0, &slope);
    *back = !(slope * near > 0);
    return status;
}

/* From its level there and back. A root before the top is rounding of a start that hardly moves, where the top is
 * seen. */
static sal_status cross_hop(span *s, const sal__root_interval *whole, int near, double level, double *theta) {
    bool found = true;
    sal_status status = whole->b < 1 ? SAL_OK : comes_back(s, whole->sb, near, &found);
    if (status == SAL_OK && found)
        status = isolate(s, *whole, level, theta);
    const double top = top_of(whole, near, level);
    if (status != SAL_OK || !found || *theta >= top)
        return status;
    double value = 0;
    status = look_at(s, top, near, level, &found, &value);
    if (status != SAL_OK || !found)
        return status;
    return isolate(s, (sal__root_interval){top, value, NAN, whole->b, whole->wb, whole->sb}, level, theta);
}

/* It was on its own side, at u, in between: the way back there is a crossing where updates turned the flow, else the
 * one beyond again. */
static sal_status cross_beside(span *s, const sal__root_interval *whole, double u, double wu, double level,
                               double *theta) {
    const sal__witness *w = s->witness;
    if (w->flow_changed && fits(w->info.direction, -w->armed_side))
        return isolate(s, (sal__root_interval){whole->a, whole->wa, whole->sa, u, wu, NAN}, 0, theta);
    return isolate(s, (sal__root_interval){u, wu, NAN, whole->b, whole->wb, whole->sb}, level, theta);
}

/* Ends on its own side: armed again; or, gone on beyond first, or turned back, it crosses on the way. */
static sal_status back_from_surface(span *s, const sal__root_interval *whole, double *theta) {
    const sal__witness *w = s->witness;
    const bool crosses = w->flow_changed || whole->sa * w->armed_side < 0;
    return crosses && fits(w->info.direction, -w->armed_side) ? isolate(s, *whole, 0, theta) : SAL_OK;
}

static sal_status from_surface(span *s, const sal__root_interval *whole, double *theta) {
    const sal__witness *w = s->witness;
    const int near = w->armed_side;
    const double level = w->surface_level;
    bool found = false;
    double u = 0, wu = 0;
    if (whole->wb * near > 0)
        return back_from_surface(s, whole, theta);
    if (whole->wb == 0 && whole->sa * near < 0 && fits(w->info.direction, -near)) { /* from beyond to zero, just now? */
        const sal_status status = comes_back(s, whole->sb, -near, &found);
        if (status != SAL_OK || found)
            return status == SAL_OK ? isolate(s, *whole, 0, theta) : status;
    }
    if (level != 0) { /* was it there in between? */
        const sal_status status = dip(s, whole, &found, &u, &wu);
        if (status != SAL_OK)
            return status;
        if (found && wu != 0)
            return cross_beside(s, whole, u, wu, 0, theta);
    }
    const double f0 = (whole->wa - level) * near, f1 = (whole->wb - level) * near;
    /* Where nothing jumped, what a hop would show may be rounding: it must be seen. */
    if ((s->sim->flow.interrupted_step.is_pending || w->flow_changed) && f0 == 0 && f1 <= 0 && whole->sa * near > 0) {
        u = top_of(whole, near, level);
        const sal_status status = look_at(s, u, near, level, &found, &wu);
        return status == SAL_OK && found ? cross_beside(s, whole, u, wu, level, theta) : status;
    }
    if (f1 <= 0 && f0 == 0 && whole->sa * near > 0)
        return cross_hop(s, whole, near, level, theta);
    return f1 <= 0 && f0 > 0 ? isolate(s, *whole, level, theta) : SAL_OK;
}

sal_status sal__find_crossing(span *s, const sal__root_interval *piece, double *theta) {
    const sal__witness *w = s->witness;
    const sal_direction wanted = w->info.direction;
    if (w->on_surface)
        return from_surface(s, piece, theta);
    if (piece->wa != 0 && piece->wa * (piece->wb > 0 ? 1.0 : piece->wb < 0 ? -1.0 : 0.0) <= 0)
        return fits(wanted, piece->wa) ? isolate(s, *piece, 0, theta) : SAL_OK;
    if (isnan(piece->sa))
        return SAL_OK;
    if (piece->wa == 0 && piece->sa * piece->wb < 0) /* left zero to one side, ended on the other */
        return fits(wanted, piece->sa) ? cross_hop(s, piece, piece->sa > 0 ? 1 : -1, 0, theta) : SAL_OK;
    return piece->wb != 0 ? inner_crossing(s, piece, wanted, theta) : SAL_OK;
}

bool sal__is_back_at_zero(const sal__witness *w, const sal__root_interval *whole) {
    return !w->on_surface && whole->wa == 0 && whole->wb == 0 && whole->sa != 0 && fits(w->info.direction, whole->sa);
}

sal_status sal__find_return_to_zero(span *s, const sal__root_interval *whole, double *theta) {
    return cross_hop(s, whole, whole->sa > 0 ? 1 : -1, 0, theta);
}

static sal_status find_crossing(span *s, double h, double most, double *theta) {
    const sal__witness *w = s->witness;
    const double from = s->sim->flow.interrupted_step.is_pending ? s->sim->flow.interrupted_step.theta : 0;
    if (w->info.direction == SAL_TURNING) {
        const sal_status status = prepare(s->sim);
        return status == SAL_OK ? sal__find_turning_point(s, from, theta) : status;
    }
    const sal__root_interval whole = {from, w->w0, w->s0 * h, 1, w->w1, w->s1 * h};
    if (sal__is_back_at_zero(w, &whole))
        return sal__find_return_to_zero(s, &whole, theta);
    if (w->info.is_subdivided || (w->info.time_only && sal__has_interior_search(s->sim))) {
        const sal_status status = prepare(s->sim);
        return status == SAL_OK ? sal__find_crossing_subdivided(s, &whole, most, theta) : status;
    }
    return sal__find_crossing(s, &whole, theta);
}

/* Off the surface towards its own side, and not above it at the end: there and back within one step. */
static bool was_thrown_up(const sal__witness *w) {
    return w->on_surface && w->w0 == w->surface_level && (w->w1 - w->surface_level) * w->armed_side <= 0 &&
           w->s0 * w->armed_side > 0;
}

/* Turned back to its own side over the step. */
static bool was_turned_back(const sal__witness *w) {
    return w->on_surface && w->flow_changed && w->w1 * w->armed_side > 0 && fits(w->info.direction, -w->armed_side);
}

static void cross_at_end(sal__witness *w, double level, int from) {
    w->crossing_level = level;
    w->crossing_side = (signed char)from;
    w->theta = 1;
}

/* Without isolation: the signs at the ends, with a surface's level in place of zero. */
static sal_status by_ends(const span *s) {
    sal__witness *w = s->witness;
    const double level = w->on_surface ? w->surface_level : 0, f0 = w->w0 - level, f1 = w->w1 - level;
    const bool crossed = (f0 > 0 && f1 <= 0) || (f0 < 0 && f1 >= 0);
    sal_status status = SAL_OK;
    bool back = false;
    if (w->info.direction == SAL_TURNING)
        return SAL_OK;
    if (was_thrown_up(w))
        status = comes_back(s, NAN, w->armed_side, &back);
    if (was_turned_back(w))
        cross_at_end(w, 0, -w->armed_side);
    else if (back)
        cross_at_end(w, level, w->armed_side);
    else if (crossed &&
             (w->on_surface ? w->w1 * w->armed_side <= 0 && f0 * w->armed_side >= 0 : fits(w->info.direction, f0)))
        cross_at_end(w, level, f0 > 0 ? 1 : -1);
    return status;
}

/* It set out from its level to one side, in a step that is nothing beside those that are taken, and reads the other
 * side by rounding: where it goes on to tells. Then it has not left its level. */
static sal_status hold_at_level(const span *s) {
    sal__witness *w = s->witness;
    const bool apart =
        w->on_surface && !w->flow_changed && w->w0 == w->surface_level && w->s0 * (w->w1 - w->surface_level) < 0;
    if (!apart || !sal__is_sliver(s->sim, s->t1 - s->t0))
        return SAL_OK;
    bool back = false;
    const sal_status status = comes_back(s, w->s1, w->s0 > 0 ? 1 : -1, &back);
    if (status == SAL_OK && !back)
        sal__witness_stay_at_level(w);
    return status;
}

/* ---- the list ---- */

void sal__crossings_new(sal_simulator *sim) {
    sim->crossings.item = sal__pool_alloc(&sim->pool, sim->witnesses.capacity, sizeof *sim->crossings.item);
}

void sal__crossing_insert(sal_simulator *sim, int witness) {
    int at = sim->crossings.count++;
    int *const list = sim->crossings.item;
    for (; at > 0 && sim->witnesses.item[list[at - 1]].theta < sim->witnesses.item[witness].theta; at--)
        list[at] = list[at - 1];
    list[at] = witness;
}

void sal__crossings_sort(sal_simulator *sim, int count) {
    sim->crossings.count = 0;
    for (int k = 0; k < count; k++)
        if (sim->witnesses.item[sim->crossings.item[k]].is_active)
            sal__crossing_insert(sim, sim->crossings.item[k]);
}

void sal__crossings_clear(sal_simulator *sim) {
    for (int k = 0; k < sim->witnesses.active_count; k++)
        sim->witnesses.item[sim->witnesses.active[k]].theta = 2;
    int kept = 0;
    for (int k = 0; sim->flow.interrupted_step.is_pending && k < sim->crossings.count; k++)
        if (sim->witnesses.item[sim->crossings.item[k]].theta <= 1)
            sim->crossings.item[kept++] = sim->crossings.item[k];
    sim->crossings.count = kept;
}

/* Finds where each suspect crosses up to `most` of the step, perhaps farther; *first: the earliest. */
static sal_status cross_up_to(sal_simulator *sim, double t0, double t1, double most, double *first,
                              sal_report *report) {
    const bool isolates = sal__is_isolating(sim);
    const int *const suspect = sim->candidates.item;
    *first = 2;
    for (int k = 0; k < sim->candidates.count; k++) {
        sal__witness *w = &sim->witnesses.item[suspect[k]];
        span s = {sim, w, t0, t1, 0};
        w->theta = 2;
        sal_status status = hold_at_level(&s);
        if (status == SAL_OK)
            status = isolates ? find_crossing(&s, t1 - t0, most, &w->theta) : by_ends(&s);
        if (status != SAL_OK)
            return sal__witness_report(sim, suspect[k], status, report);
        *first = sal__min(*first, w->theta);
    }
    return SAL_OK;
}

/* Of the candidates those are listed that cross, of equals the first declared last. Without continuous state the step is as long as
 * it may be, and nothing is kept of what lies beyond its first event: not to look there in vain each time, as far as
 * events were apart, then ever farther. */
static sal_status cross_all(sal_simulator *sim, double t0, double t1, sal_report *report) {
    double most = sim->plan->nx == 0 ? sal__max(2 * sim->last_event.spacing / (t1 - t0), 0x1p-30) : 1, first = 2;
    sal_status status = cross_up_to(sim, t0, t1, most, &first, report);
    for (; status == SAL_OK && first > most && most < 1; most *= 4)
        status = cross_up_to(sim, t0, t1, 4 * most, &first, report);
    if (status != SAL_OK)
        return status;
    for (int k = sim->candidates.count - 1; k >= 0; k--)
        if (sim->witnesses.item[sim->candidates.item[k]].theta <= 1)
            sal__crossing_insert(sim, sim->candidates.item[k]);
    return SAL_OK;
}

/* Roots within 4 ulp of the earliest are one instant; its state is that of the last,
 * where all have crossed. They move from the list of crossings to that of the fired. */
static double first_instant(sal_simulator *sim, double t0, double t1) {
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

sal_status sal__witness_locate(sal_simulator *sim, double t0, double t1, double *theta, sal_report *report) {
    const double now = sim->contexts.current->time;
    *theta = 2;
    sal_status status = SAL_OK;
    if (sim->witnesses.guarded_count > 0) {
        sal__crossings_sort(sim, sim->crossings.count);
        status = sal__guards_activate(sim, t1, report);
    }
    if (status == SAL_OK)
        status = sal__read_step_ends(sim, t1, report);
    if (status == SAL_OK)
        status = cross_all(sim, t0, t1, report);
    if (status != SAL_OK)
        return status;
    if (sim->witnesses.phased_count > 0)
        sal__warn_about_undersampling(sim, t1);
    *theta = first_instant(sim, t0, t1);
    sal__witness_set_ends_valid(sim, *theta > 1);
    if (*theta > 1 && sim->flow.interrupted_step.is_pending)
        sal__discard_end_slopes(sim, t1 - now);
    return SAL_OK;
}
