/* Where the flow turns conditions true: the first point of a step, as an event is stored, at which one is true.
 *
 * A condition has finders: functions that cross zero where the condition may change. This file treats them as
 * witnesses of any direction that fire nothing. The condition is evaluated where a finder crosses and halfway to the
 * next crossing. If the finders are complete, the condition does not change between two neighbours. Between a point
 * where it is false and the next where it is true, bisection finds the first point; the finders only say where to look.
 * The condition is also evaluated at the end of the step. So one without finders is found too, unless it turns true
 * and false again within the step. Finders may be NaN.
 *
 * The step then ends at that point, as at the event of a witness, and instant.c evaluates all conditions there. */
#include <math.h>

#include "crossing.h"

#define NEAR_ZERO 0x1p-20 /* share of a piece: a finder that is no farther from zero may just have crossed */

typedef struct search {
    sal_simulator *sim;
    sal__condition *c;
    double t0, t1;    /* the step */
    double now;       /* where the flow goes on in it; the context shows other times in between */
    double from, end; /* theta of now, and up to which the search goes */
    double clear;     /* theta from which on the finder that crossed last is no longer at zero, give or take rounding */
    double at;        /* theta of the last evaluation, */
    bool was;         /* and its result */
    double found;     /* theta at which the condition turns true; > 1: nowhere */
} search;

/* ---- finders ---- */

/* NaN is no failure: a finder that is NaN is ignored for the rest of the step. */
static sal_status report_finder(const search *s, const sal__witness *f, sal_status status) {
    return sal__report_callback(s->sim, status == SAL_ENAN ? SAL_OK : status, f->info.event, "finder");
}

static bool finders_are_active(const sal__condition *c) {
    return c->finder_count > 0 && (!c->event->has_guard || c->guard_held || c->event->config->when_flows);
}

/* Reads the finders at one end of the step: their values, or their slopes over an Euler step of dt. */
static sal_status read_finders(search *s, bool at_end, double dt) {
    for (int i = 0; i < s->c->finder_count; i++) {
        sal__witness *f = &s->c->finder[i];
        double value = NAN, *w = at_end ? &f->w1 : &f->w0, *slope = at_end ? &f->s1 : &f->s0;
        const sal_status status = report_finder(s, f, sal__witness_value(s->sim, f, &value));
        if (status != SAL_OK)
            return status;
        *slope = dt == 0 ? NAN : (value - *w) / dt;
        *w = dt == 0 ? value : *w;
    }
    return SAL_OK;
}

static sal_status read_ends(search *s) {
    sal_simulator *sim = s->sim;
    const double h = s->t1 - s->now;
    sal__context_data_look(sim->contexts.current, s->now, NULL);
    sal_status status = read_finders(s, false, 0);
    sal__context_data_look(sim->contexts.current, s->t1, sal__end_state(sim));
    if (status == SAL_OK)
        status = read_finders(s, true, 0);
    if (status != SAL_OK || !sim->has_interior_search)
        return status;
    double dt = sal__look_after_start(sim, s->now, h);
    status = read_finders(s, false, dt);
    if (status == SAL_OK)
        status = sal__look_before_end(sim, s->t1, h, &dt);
    return status == SAL_OK ? read_finders(s, true, dt) : status;
}

static sal__witness_probe probe_of(const search *s, sal__witness *f) {
    return (sal__witness_probe){s->sim, f, s->t0, s->t1, 0};
}

/* Does a straight line through two points say that the finder has yet to cross? It must fit the start of the piece. */
static bool is_approaching(const sal__root_interval *piece, double from, double before, double slope, double ulp) {
    const double start = before - slope * from; /* on the line */
    return start * before < 0 && fabs(start) > 2 * ulp * fabs(slope) && fabs(piece->wa - start) <= fabs(start) / 2;
}

/* A finder that has just crossed may still read either side, by rounding. Then the piece begins where the finder has
 * left zero: where it grows as the stride does. The condition is evaluated behind that point, so nothing is lost. */
static sal_status leave_zero(search *s, sal__witness *f, sal__root_interval *piece) {
    const double width = piece->b - piece->a, ulp = sal__ulp(sal__max(fabs(s->t0), fabs(s->t1))) / (s->t1 - s->t0);
    sal__witness_probe probe = probe_of(s, f);
    const double near = sal__min(sal__max(NEAR_ZERO * width, 4096 * ulp), width / 4);
    double before = 0, last = 0;
    if (!(fabs(piece->wa) <= near * sal__max(fabs(piece->sa), fabs(piece->wb - piece->wa) / width)))
        return SAL_OK;
    sal_status status = sal__prepare_dense(s->sim);
    for (double stride = sal__max(4 * ulp, 0x1p-50); stride < near; last = stride, stride *= 16) {
        double value = 0;
        status = status == SAL_OK ? sal__probe_witness_at_stored_time(&probe, piece->a + stride, &value) : status;
        if (status != SAL_OK)
            return status;
        if (before * value > 0 && fabs(value) > 8 * fabs(before)) {
            const bool had_left = fabs(value) < 32 * fabs(before); /* more than rounding had it been at `last` */
            const double slope = (value - before) / (stride - last);
            if (is_approaching(piece, last, before, slope, ulp))
                return SAL_OK;
            s->clear = piece->a + (had_left ? last : stride);
            *piece = (sal__root_interval){s->clear, had_left ? before : value, slope, piece->b, piece->wb, piece->sb};
            return SAL_OK;
        }
        before = value;
    }
    return SAL_OK;
}

/* Finds the first crossing in a piece of the step. Without continuous state the search goes farther and farther. */
static sal_status cross(search *s, sal__witness *f, const sal__root_interval *piece) {
    sal__witness_probe probe = probe_of(s, f);
    f->theta = 2;
    if (isnan(piece->wa) || isnan(piece->wb))
        return SAL_OK;
    const bool subdivides = sal__is_walked(s->sim, f);
    double most = subdivides ? sal__first_reach(s->sim, s->t0, s->t1) : 1;
    sal_status status = SAL_OK;
    for (bool done = false; status == SAL_OK && !done; most *= 4) {
        status = subdivides ? sal__find_crossing_subdivided(&probe, piece, most, &f->theta)
                            : sal__find_crossing(&probe, piece, &f->theta);
        done = f->theta <= 1 || most >= 1;
    }
    if (status == SAL_ENAN || status > 0)
        f->theta = 2;
    return report_finder(s, f, status > 0 ? SAL_OK : status);
}

static sal_status cross_first(search *s, sal__witness *f) {
    const double h = s->t1 - s->t0;
    f->theta = 2;
    if (s->sim->config.interior_search && (f->time_checks == 0 || sal__is_rare_step(s->sim))) {
        const sal_status status = sal__witness_check_time(s->sim, f, s->now, s->t1);
        if (status != SAL_OK)
            return report_finder(s, f, status);
    }
    if (!sal__is_walked(s->sim, f) && sal__cannot_cross(f, s->t1 - s->now))
        return SAL_OK;
    sal__root_interval whole = {s->from, f->w0, f->s0 * h, 1, f->w1, f->s1 * h};
    sal__witness_probe probe = probe_of(s, f);
    if (sal__is_back_at_zero(f, &whole))
        return report_finder(s, f, sal__find_return_to_zero(&probe, &whole, &f->theta));
    const sal_status status = leave_zero(s, f, &whole);
    return status == SAL_OK ? cross(s, f, &whole) : report_finder(s, f, status);
}

/* Goes on behind the crossing, as it would be stored: up to there, what only time moves reads the same. */
static sal_status cross_next(search *s, sal__witness *f) {
    const double h = s->t1 - s->t0, stored = (sal__stored_time(s->t0, s->t1, f->theta) - s->t0) / h;
    const double a = sal__max(f->theta, stored), da = 1e-4 * (1 - a);
    sal__witness_probe probe = probe_of(s, f);
    double here = 0, after = 0;
    f->theta = 2;
    if (!(da > 0x1p-50))
        return SAL_OK;
    sal_status status = sal__probe_witness_at_stored_time(&probe, a, &here);
    if (status == SAL_OK)
        status = sal__probe_witness(&probe, a + da, &after);
    if (status != SAL_OK)
        return report_finder(s, f, status);
    sal__root_interval rest = {a, here, (after - here) / da, 1, f->w1, f->s1 * h};
    status = leave_zero(s, f, &rest);
    status = status == SAL_OK ? cross(s, f, &rest) : report_finder(s, f, status);
    if (!(f->theta > a))
        f->theta = 2;
    return status;
}

/* The finder that crosses next, or NULL. */
static sal__witness *next_crossing(const search *s) {
    sal__witness *next = NULL;
    for (int i = 0; i < s->c->finder_count; i++) {
        sal__witness *f = &s->c->finder[i];
        if (f->theta <= s->end && (!next || f->theta < next->theta))
            next = f;
    }
    return next;
}

/* ---- evaluating ---- */

/* The condition at theta, at the time and the state of an event that is stored there. */
static sal_status evaluate_at(search *s, double theta, bool *holds) {
    sal_simulator *sim = s->sim;
    const double t = theta < 1 ? sal__stored_time(s->t0, s->t1, theta) : s->t1;
    const bool inside = t < s->t1 && sim->plan->nx > 0;
    sal_status status = inside ? sal__prepare_dense(sim) : SAL_OK;
    if (status == SAL_OK && inside)
        status = sal__interpolate_state(sim, theta, t);
    if (status < 0)
        return status;
    sal__context_data_look(sim->contexts.current, t, inside ? sim->flow.scratch : sal__end_state(sim));
    status = sal__condition_eval(sim, s->c, &s->c->guard_at_end, &s->c->true_at_end);
    *holds = s->c->true_at_end;
    return status;
}

/* How finely an event can be placed. Near the start of a step theta is finer than the time. */
static double finest(const search *s) {
    const double ulp = sal__ulp(sal__max(fabs(s->t0), fabs(s->t1))) / (s->t1 - s->t0);
    return s->sim->plan->nx > 0 ? 0x1p-60 * ulp : ulp / 4;
}

/* The condition is false at lo and true at hi. Finds the first point where it is true. */
static sal_status bisect(search *s, double lo, double hi) {
    const double least = finest(s);
    while (hi - lo > least) {
        const double mid = lo + (hi - lo) / 2;
        bool holds = false;
        if (!(lo < mid && mid < hi))
            break;
        const sal_status status = evaluate_at(s, mid, &holds);
        if (status != SAL_OK)
            return status;
        *(holds ? &hi : &lo) = mid;
    }
    s->found = hi;
    return SAL_OK;
}

/* The same, from `near`, one of the two, where a finder crosses: in longer and longer strides. */
static sal_status bisect_near(search *s, double lo, double near, double hi) {
    const double way = near < hi ? 1 : -1;
    double stride = sal__max(0x1p-51 * near, finest(s));
    for (bool left = false; !left && stride < hi - lo; stride *= 16) {
        const double theta = near + way * stride;
        bool holds = false;
        const sal_status status = evaluate_at(s, theta, &holds);
        if (status != SAL_OK)
            return status;
        *(holds ? &hi : &lo) = theta;
        left = holds == (way > 0);
    }
    return bisect(s, lo, hi);
}

/* Evaluates the condition at the next point. `near` is a crossing between the last point and this one. */
static sal_status go_to(search *s, double theta, double near) {
    bool holds = false;
    sal_status status = evaluate_at(s, theta, &holds);
    if (status == SAL_OK && holds && !s->was)
        status = near > s->from ? bisect_near(s, s->at, near, theta) : bisect(s, s->at, theta);
    s->was = holds;
    s->at = theta;
    return status;
}

/* If the finders are incomplete, the condition may be false at a crossing, true right behind it, and false again
 * before the next one. So it is evaluated close behind the crossing too, in longer and longer strides. It must be
 * true twice in a row: so close to the crossing rounding may turn it true. */
static sal_status evaluate_behind(search *s, double crossing, double next) {
    enum { STRIDES = 6 };
    double stride = sal__max(0x1p-40, finest(s));
    bool before = false;
    for (int k = 0; k < STRIDES && !s->was && crossing + stride < next; k++, stride *= 16) {
        bool holds = false;
        const sal_status status = evaluate_at(s, crossing + stride, &holds);
        if (status != SAL_OK)
            return status;
        if (holds && before)
            return go_to(s, crossing + stride / 16, crossing);
        before = holds;
    }
    return SAL_OK;
}

/* Does a finder start at zero, give or take rounding? Then the condition may change right behind the start, without a
 * crossing there. */
static bool starts_at_zero(const search *s) {
    int i = 0;
    while (i < s->c->finder_count && s->c->finder[i].w0 != 0)
        i++;
    return i < s->c->finder_count || s->clear > s->from;
}

enum { MAX_CROSSINGS = 1 << 22 }; /* of finders in a step that turn nothing true */

/* Evaluates the condition around the crossings of its finders, until it turns true. */
static sal_status follow(search *s) {
    double last = s->from; /* the crossing before */
    sal__witness *f = next_crossing(s);
    sal_status status = SAL_OK;
    for (int n = 0; status == SAL_OK && f && s->found > 1 && n < MAX_CROSSINGS; n++) {
        const double here = f->theta;
        if (here > s->at && here > s->clear)
            status = go_to(s, s->at + (here - s->at) / 2, last);
        if (status == SAL_OK && s->found > 1 && here > s->at)
            status = go_to(s, here, here);
        last = here;
        if (status == SAL_OK)
            status = cross_next(s, f);
        f = next_crossing(s);
        if (status == SAL_OK && s->found > 1 && !s->c->event->config->finders_suffice)
            status = evaluate_behind(s, here, f ? f->theta : s->end);
    }
    if (status == SAL_OK && s->found > 1 && last > s->from && s->end > s->at && s->end > s->clear)
        status = go_to(s, s->at + (s->end - s->at) / 2, last);
    return status;
}

/* Searches up to s->end, and evaluates the condition there in any case. */
static sal_status search_step(search *s) {
    sal_simulator *sim = s->sim;
    sal_status status = SAL_OK;
    const bool isolates = sal__is_isolating(sim);
    if (isolates && finders_are_active(s->c)) {
        status = read_ends(s);
        for (int i = 0; status == SAL_OK && i < s->c->finder_count; i++)
            status = cross_first(s, &s->c->finder[i]);
        if (status == SAL_OK && next_crossing(s))
            status = follow(s);
        else if (status == SAL_OK && starts_at_zero(s))
            status = go_to(s, s->from + (s->end - s->from) / 2, s->from);
    }
    if (status != SAL_OK || s->found <= 1)
        return status;
    bool holds = false;
    status = evaluate_at(s, s->end, &holds);
    if (status != SAL_OK)
        return status;
    if (!holds || s->was)
        return SAL_OK;
    s->found = s->end;
    return isolates ? bisect(s, s->at, s->end) : SAL_OK;
}

/* ---- a step ---- */

/* At the end of the step it is what it was before. */
static void keep(sal__condition *c) {
    c->true_at_end = c->is_true;
    c->guard_at_end = c->guard_held;
}

sal_status sal__conditions_locate(sal_simulator *sim, double t0, double t1, double *theta) {
    const double now = sim->contexts.current->time;
    double first = *theta;
    sal_status status = sal__conditions_look_beyond(sim, now, t1, sal__end_state(sim), 1);
    for (int i = 0; status == SAL_OK && i < sim->conditions.count; i++) {
        sal__condition *c = &sim->conditions.item[i];
        c->turns_at = 2;
        if (c->stays)
            keep(c);
        if (c->stays || !c->can_flow)
            continue;
        const double from = sal__flow_from(sim);
        const double clear = sal__max(from, (sim->conditions.rounding_until - t0) / (t1 - t0));
        search s = {sim, c, t0, t1, now, from, sal__min(first, 1), clear, from, c->is_true, 2};
        status = search_step(&s);
        c->turns_at = s.found;
        first = sal__min(first, s.found);
    }
    sal__context_data_look(sim->contexts.current, now, NULL);
    if (status != SAL_OK)
        return status;
    const bool before = *theta > 1 || !sal__same_instant(t0 + first * (t1 - t0), t0 + *theta * (t1 - t0), 0);
    if (first < *theta && before) {
        sal__witness_cancel(sim); /* their crossings come later in the step */
        sal__witness_set_ends_valid(sim, false);
        *theta = first;
    }
    return SAL_OK;
}

sal_status sal__conditions_fire_at_end(sal_simulator *sim, double now, double t, const double *x, double theta,
                                       double integrated_to) {
    const sal_status looked = sal__conditions_look_beyond(sim, now, t, x, integrated_to);
    if (looked != SAL_OK)
        return looked;
    sal__context_data_look(sim->contexts.current, t, x);
    for (int i = 0; i < sim->conditions.count; i++) {
        sal__condition *c = &sim->conditions.item[i];
        const bool stays = c->stays && c->turns_at > theta;
        if (stays)
            keep(c);
        if (stays || !c->can_flow)
            continue;
        const sal_status status = sal__condition_eval(sim, c, &c->guard_at_end, &c->true_at_end);
        if (status != SAL_OK)
            return status;
        if (!c->true_at_end || (c->is_true && c->turns_at > theta))
            continue;
        sal__witness_add_fired(sim, c->witness);
    }
    return SAL_OK;
}

void sal__conditions_accept_step(sal_simulator *sim) {
    for (int i = 0; i < sim->conditions.count; i++) {
        sal__condition *c = &sim->conditions.item[i];
        if (!c->can_flow)
            continue;
        const bool fires = sim->witnesses.item[c->witness].has_fired;
        if (fires || c->is_true != c->true_at_end)
            c->changed_at = sim->contexts.current->time;
        sal__condition_set(c, c->is_true && c->true_at_end && !fires, c->guard_at_end);
    }
}
