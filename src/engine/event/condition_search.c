/* Where flow turns conditions true: at the first point of a step, as an event is stored, where one returns true.
 *
 * A condition has finders, functions that cross zero where it may change; they are witnesses to this file, in any
 * direction, which fire nothing. Where one crosses, the condition is evaluated, and halfway to the next crossing:
 * between two neighbours it does not change, if its finders are all that there are. From one of these points, where it
 * is false, to the next, where it is true, bisection finds the first point; the finders only say where to look. Beside
 * them it is asked at the step's end, so that one without finders is found too, unless it turns true and false again
 * within the step. What is NaN is no matter there.
 *
 * The step then ends at that point as at the event of a witness; instant.c evaluates all conditions there. */
#include <math.h>

#include "engine/simulator.h"

typedef struct search {
    sal_simulator *sim;
    sal__condition *c;
    sal_report *report;
    double t0, t1;    /* the step */
    double from, end; /* of it: where the flow goes on from, and how far it is looked at */
    double at;        /* where it was evaluated last, */
    bool was;         /* and what it returned */
    double found;     /* where it turns true; > 1: nowhere */
} search;

/* ---- finders ---- */

sal_status sal__finder_value(sal_simulator *sim, const sal__witness *f, double *value) {
    SAL__COUNT_ONE(sim, witness_evaluations);
    const sal_status status =
        f->info.system->behaviour->finder(f->info.system, f->info.ctx, f->info.index, f->info.finder, value);
    return status == SAL_OK && isnan(*value) ? SAL_ENAN : status;
}

/* NaN is none: it is looked at no more in this step. */
static sal_status read_finder(search *s, sal__witness *f, double *value) {
    *value = NAN;
    const sal_status status = sal__witness_value(s->sim, f, value);
    return status == SAL_ENAN || status == SAL_OK ? SAL_OK
                                                  : sal__report_at(s->sim, s->report, status, f->info.event, NULL);
}

static bool finders_are_there(const sal__condition *c) {
    return c->finder_count > 0 && (!c->event->has_guard || c->guard_held || c->event->config->when_flows);
}

static sal_status read_all(search *s, bool at_end) {
    for (int i = 0; i < s->c->finder_count; i++) {
        sal__witness *f = &s->c->finder[i];
        const sal_status status = read_finder(s, f, at_end ? &f->w1 : &f->w0);
        if (status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

/* Their slopes, by what they read an Euler step of dt beside. */
static sal_status read_slopes(search *s, bool at_end, double dt) {
    for (int i = 0; i < s->c->finder_count; i++) {
        sal__witness *f = &s->c->finder[i];
        double beside = 0;
        const sal_status status = read_finder(s, f, &beside);
        if (status != SAL_OK)
            return status;
        if (at_end)
            f->s1 = (beside - f->w1) / dt;
        else
            f->s0 = (beside - f->w0) / dt;
    }
    return SAL_OK;
}

/* What they read at both ends, and beside them. */
static sal_status read_ends(search *s) {
    sal_simulator *sim = s->sim;
    const double now = sim->contexts.current->time, h = s->t1 - now;
    sal__context_data_look(sim->contexts.current, now, NULL);
    sal_status status = read_all(s, false);
    sal__context_data_look(sim->contexts.current, s->t1,
                           sim->plan->nx > 0 ? sal_integrator_end(sim->integrator) : NULL);
    if (status == SAL_OK)
        status = read_all(s, true);
    for (int i = 0; i < s->c->finder_count; i++)
        s->c->finder[i].s0 = s->c->finder[i].s1 = NAN;
    if (status != SAL_OK || !sal__has_interior_search(sim))
        return status;
    const double dt = sal__probe_after_start(sim, now, h);
    status = read_slopes(s, false, dt);
    double back = 0;
    if (status == SAL_OK)
        status = sal__probe_before_end(sim, s->t1, h, &back);
    return status == SAL_OK ? read_slopes(s, true, back) : status;
}

static sal__witness_probe span_of(const search *s, sal__witness *f) {
    return (sal__witness_probe){s->sim, f, s->t0, s->t1, 0};
}

/* Where it first crosses in a piece, > 1: nowhere. Without continuous state a step is as long as it may be: it is
 * looked at ever farther. */
static sal_status cross(search *s, sal__witness *f, const sal__root_interval *piece, double *theta) {
    sal__witness_probe span = span_of(s, f);
    sal_simulator *sim = s->sim;
    *theta = 2;
    if (isnan(piece->wa) || isnan(piece->wb))
        return SAL_OK;
    const bool timed = f->info.is_subdivided || (f->info.time_only && sal__has_interior_search(sim));
    double most = timed && sim->plan->nx == 0 ? sal__max(2 * sim->last_event.spacing / (s->t1 - s->t0), 0x1p-30) : 1;
    sal_status status = SAL_OK;
    for (bool done = false; status == SAL_OK && !done; most *= 4) {
        status =
            timed ? sal__find_crossing_subdivided(&span, piece, most, theta) : sal__find_crossing(&span, piece, theta);
        done = *theta <= 1 || most >= 1;
    }
    if (status == SAL_ENAN || status > 0)
        *theta = 2;
    return status >= 0 || status == SAL_ENAN ? SAL_OK : sal__report_at(sim, s->report, status, f->info.event, NULL);
}

static sal_status cross_first(search *s, sal__witness *f) {
    const double h = s->t1 - s->t0;
    f->theta = 2;
    if (!f->info.time_only && !f->info.is_subdivided && sal__cannot_cross(f, s->t1 - s->sim->contexts.current->time))
        return SAL_OK;
    const sal__root_interval whole = {s->from, f->w0, f->s0 * h, 1, f->w1, f->s1 * h};
    if (!sal__is_back_at_zero(f, &whole))
        return cross(s, f, &whole, &f->theta);
    sal__witness_probe span = span_of(s, f);
    const sal_status status = sal__find_return_to_zero(&span, &whole, &f->theta);
    return status == SAL_OK || status == SAL_ENAN ? SAL_OK
                                                  : sal__report_at(s->sim, s->report, status, f->info.event, NULL);
}

/* From its crossing on, as it would be stored: what time alone moves stands still up to there. */
static sal_status cross_next(search *s, sal__witness *f) {
    const double h = s->t1 - s->t0, stored = (sal__stored_time(s->t0, s->t1, f->theta) - s->t0) / h;
    const double a = sal__max(f->theta, stored), aside = 1e-4 * (1 - a);
    sal__witness_probe span = span_of(s, f);
    double here = 0, beside = 0;
    f->theta = 2;
    if (!(aside > 0x1p-50))
        return SAL_OK;
    sal_status status = sal__probe_witness_at_stored_time(&span, a, &here);
    if (status == SAL_OK)
        status = sal__probe_witness(&span, a + aside, &beside);
    if (status != SAL_OK)
        return status == SAL_ENAN ? SAL_OK : sal__report_at(s->sim, s->report, status, f->info.event, NULL);
    status = cross(s, f, &(sal__root_interval){a, here, (beside - here) / aside, 1, f->w1, f->s1 * h}, &f->theta);
    if (!(f->theta > a))
        f->theta = 2;
    return status;
}

/* The finder that crosses next, NULL: none up to the end. */
static sal__witness *next_crossing(const search *s) {
    sal__witness *next = NULL;
    for (int i = 0; i < s->c->finder_count; i++) {
        sal__witness *f = &s->c->finder[i];
        if (f->theta <= s->end && (!next || f->theta < next->theta))
            next = f;
    }
    return next;
}

/* ---- asking ---- */

static sal_status interpolate(sal_simulator *sim, double theta, double t) {
    const sal_rhs rhs = sal__current_rhs(sim);
    const sal_status status = sal_integrator_prepare_dense(sim->integrator, &rhs);
    if (status != SAL_OK)
        return status;
    sal_integrator_interpolate(sim->integrator, theta, sim->flow.scratch);
    return sal__project(sim, t, sim->flow.scratch);
}

/* Its value at theta, where and as an event there would be stored. */
static sal_status ask_at(search *s, double theta, bool *holds) {
    sal_simulator *sim = s->sim;
    const double t = theta < 1 ? sal__stored_time(s->t0, s->t1, theta) : s->t1;
    const bool at_end = !(t < s->t1);
    const double *x = sim->plan->nx > 0 ? sim->flow.scratch : NULL;
    sal_status status = SAL_OK;
    if (at_end && x)
        x = sal_integrator_end(sim->integrator);
    else if (x)
        status = interpolate(sim, theta, t);
    if (status < 0)
        return status;
    sal__context_data_look(sim->contexts.current, t, x);
    status = sal__condition_eval(sim, s->c, &s->c->guard_at_end, &s->c->true_at_end, s->report);
    *holds = s->c->true_at_end;
    return status;
}

/* As fine as an event can be placed: beside the start of a step theta is finer than the time. */
static double finest(const search *s) {
    const double ulp = sal__ulp(sal__max(fabs(s->t0), fabs(s->t1))) / (s->t1 - s->t0);
    return s->sim->plan->nx > 0 ? 0x1p-60 * ulp : ulp / 4;
}

/* The first point where it is true, between one where it is not and one where it is. */
static sal_status bisect(search *s, double lo, double hi) {
    const double least = finest(s);
    while (hi - lo > least) {
        const double mid = lo + (hi - lo) / 2;
        bool holds = false;
        if (!(lo < mid && mid < hi))
            break;
        const sal_status status = ask_at(s, mid, &holds);
        if (status != SAL_OK)
            return status;
        *(holds ? &hi : &lo) = mid;
    }
    s->found = hi;
    return SAL_OK;
}

/* The same, near the crossing at `near`, one of the two: from there in ever longer strides. */
static sal_status bisect_near(search *s, double lo, double near, double hi) {
    const double way = near < hi ? 1 : -1;
    double stride = sal__max(0x1p-51 * near, finest(s));
    for (bool left = false; !left && stride < hi - lo; stride *= 16) {
        const double theta = near + way * stride;
        bool holds = false;
        const sal_status status = ask_at(s, theta, &holds);
        if (status != SAL_OK)
            return status;
        *(holds ? &hi : &lo) = theta;
        left = holds == (way > 0);
    }
    return bisect(s, lo, hi);
}

/* The next point where it is evaluated; `near`: a crossing between the last one and this one. */
static sal_status look(search *s, double theta, double near) {
    bool holds = false;
    sal_status status = ask_at(s, theta, &holds);
    if (status == SAL_OK && holds && !s->was)
        status = near > s->from ? bisect_near(s, s->at, near, theta) : bisect(s, s->at, theta);
    if (!holds)
        s->c->false_at = sal__min(s->c->false_at, theta);
    s->was = holds;
    s->at = theta;
    return status;
}

/* Where its finders are not all that there is, a condition may be false at a crossing, true right behind it and false
 * again before the next one: it is asked close behind it too, in ever longer strides. Twice in a row: so close rounding
 * may make anything of what is false from there on. */
static sal_status look_behind(search *s, double crossing, double next) {
    enum { STRIDES = 6 };
    double stride = sal__max(0x1p-40, finest(s));
    bool before = false;
    for (int k = 0; k < STRIDES && !s->was && crossing + stride < next; k++, stride *= 16) {
        bool holds = false;
        const sal_status status = ask_at(s, crossing + stride, &holds);
        if (status != SAL_OK)
            return status;
        if (holds && before)
            return look(s, crossing + stride / 16, crossing);
        before = holds;
    }
    return SAL_OK;
}

enum { MOST_CROSSINGS = 1 << 22 }; /* of finders in a step that turn nothing true */

/* The points around its finders' crossings, up to the first where it turns true. */
static sal_status follow(search *s) {
    double last = s->from; /* the crossing before */
    sal__witness *f = next_crossing(s);
    sal_status status = SAL_OK;
    for (int n = 0; status == SAL_OK && f && s->found > 1 && n < MOST_CROSSINGS; n++) {
        const double here = f->theta;
        if (here > s->at)
            status = look(s, s->at + (here - s->at) / 2, last);
        if (status == SAL_OK && s->found > 1 && here > s->at)
            status = look(s, here, here);
        last = here;
        if (status == SAL_OK)
            status = cross_next(s, f);
        f = next_crossing(s);
        if (status == SAL_OK && s->found > 1 && !s->c->event->config->finders_suffice)
            status = look_behind(s, here, f ? f->theta : s->end);
    }
    if (status == SAL_OK && s->found > 1 && last > s->from && s->end > s->at)
        status = look(s, s->at + (s->end - s->at) / 2, last);
    return status;
}

/* Up to s->end, where it is evaluated in any case. */
static sal_status search_step(search *s) {
    sal_simulator *sim = s->sim;
    sal_status status = SAL_OK;
    const bool isolates = sal__is_isolating(sim);
    if (isolates && finders_are_there(s->c)) {
        status = read_ends(s);
        for (int i = 0; status == SAL_OK && i < s->c->finder_count; i++)
            status = cross_first(s, &s->c->finder[i]);
        if (status == SAL_OK && next_crossing(s))
            status = follow(s);
    }
    if (status != SAL_OK || s->found <= 1)
        return status;
    bool holds = false;
    status = ask_at(s, s->end, &holds);
    if (status != SAL_OK)
        return status;
    if (!holds)
        s->c->false_at = sal__min(s->c->false_at, s->end);
    if (!holds || s->was)
        return SAL_OK;
    s->found = s->end;
    return isolates ? bisect(s, s->at, s->end) : SAL_OK;
}

/* ---- a step ---- */

sal_status sal__conditions_locate(sal_simulator *sim, double t0, double t1, double *theta, sal_report *report) {
    const double now = sim->contexts.current->time;
    double first = *theta;
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->conditions.count; i++) {
        sal__condition *c = &sim->conditions.item[i];
        c->false_at = 2;
        if (!c->can_flow)
            continue;
        const double from = sim->flow.interrupted_step.is_pending ? sim->flow.interrupted_step.theta : 0;
        search s = {sim, c, report, t0, t1, from, sal__min(first, 1), from, c->is_true, 2};
        status = search_step(&s);
        first = sal__min(first, s.found);
    }
    sal__context_data_look(sim->contexts.current, now, NULL);
    if (status != SAL_OK)
        return status;
    const bool before = *theta > 1 || !sal__same_instant(t0 + first * (t1 - t0), t0 + *theta * (t1 - t0), 0);
    if (first < *theta && before) {
        sal__witness_cancel(sim); /* theirs is a later point of the step */
        sal__witness_set_ends_valid(sim, false);
        *theta = first;
    }
    return SAL_OK;
}

sal_status sal__conditions_fire_at_end(sal_simulator *sim, double theta, double t, const double *x,
                                       sal_report *report) {
    sal__context_data_look(sim->contexts.current, t, x);
    for (int i = 0; i < sim->conditions.count; i++) {
        sal__condition *c = &sim->conditions.item[i];
        if (!c->can_flow)
            continue;
        const sal_status status = sal__condition_eval(sim, c, &c->guard_at_end, &c->true_at_end, report);
        if (status != SAL_OK)
            return status;
        if (!c->true_at_end || (c->is_true && c->false_at > theta))
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
        sal__condition_set(c, c->is_true && c->true_at_end && !sim->witnesses.item[c->witness].has_fired,
                           c->guard_at_end);
    }
}
