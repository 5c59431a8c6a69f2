/* Witnesses: arming, crossings, surfaces.
 *
 * The seed's half-open rule holds on each piece of a step: from a value that is
 * not zero to one that is zero or beyond. A witness that fired and is left on or
 * beyond its surface is compared with the value it was left at, until it has
 * been on the side it came from, or farther. So one crossing never fires twice,
 * and a bounce that never gets above the floor again still fires. */
#include <math.h>
#include <string.h>

#include "engine.h"

#define SLOPE 1e-4 /* of the step: the Euler step that a slope is taken over */

static const sal_event_config *config_of(const sal_simulator *sim, const sal__witness *w) {
    return sim->plan->event[w->event].config;
}

/* As after initialize: armed by whatever value it has next. */
static void start(sal__witness *w) {
    w->surface = w->fired = w->settle = w->zeno = false;
    w->rapid = 0;
    w->limit = NAN;
    for (int i = 0; i < 4; i++)
        w->times[i] = NAN;
}

void sal__witness_start(sal_simulator *sim) {
    for (int i = 0; i < sim->witnesses; i++) {
        start(&sim->witness[i]);
        sim->witness[i].active = false;
        sim->witness[i].firings = 0;
    }
    sim->waiting = 0;
    sim->values_hold = false;
    sim->last_event = NAN;
}

sal_status sal__witness_value(sal_simulator *sim, int witness, double *value) {
    const sal__planned_event *e = &sim->plan->event[sim->witness[witness].event];
    const sal_system *sys = sim->plan->part[e->part].system;
    sim->stats.witness_evaluations++;
    const sal_status status = sys->behaviour->witness(sys, &sim->run->window[e->part], e->index, value);
    if (status != SAL_OK)
        return status;
    return isnan(*value) ? SAL_ENAN : SAL_OK;
}

static sal_status blame_witness(sal_simulator *sim, int i, sal_status status, sal_report *report) {
    const char *text = status == SAL_ENAN ? "the witness answered NaN; a `when` keeps it out of where it has no value" : NULL;
    return sal__blame(sim, report, status, sim->witness[i].event, text);
}

double sal__window(const sal_simulator *sim) {
    const sal_integrator_config *in = sal_integrator_config_of(sim->in);
    if (!sim->config.isolation || (in->fixed_step && isnan(sim->config.context_accuracy)))
        return NAN;
    const double least = sal_integrator_working_minimum(sim->in, sim->run->time);
    if (!isnan(sim->config.isolation_window))
        return fmax(sim->config.isolation_window, least);
    const double accuracy =
        isnan(sim->config.context_accuracy) ? sal_integrator_accuracy_in_use(sim->in) : sim->config.context_accuracy;
    return fmax(0.01 * accuracy * (in->fixed_step ? in->max_step : sim->config.characteristic_time), least);
}

/* ---- arming ---- */

static sal_status ask_guard(sal_simulator *sim, sal__witness *w, bool *active) {
    *active = config_of(sim, w)->direction != SAL_NEVER;
    if (!config_of(sim, w)->guarded || !*active)
        return SAL_OK;
    const sal__planned_event *e = &sim->plan->event[w->event];
    const sal_system *sys = sim->plan->part[e->part].system;
    return sys->behaviour->when(sys, &sim->run->window[e->part], e->index, active);
}

/* On the surface while between the level it was left at and zero. */
static void settle(sal__witness *w) {
    if (w->settle) {
        w->surface = w->w0 * w->near <= 0;
        w->level = w->w0;
        w->settle = false;
    } else if (w->surface) {
        w->surface = w->w0 * w->near <= 0 && (w->w0 - w->level) * w->near >= 0;
    }
}

/* In the rest of a step only what fired or has just become active is new. */
static void choose_looks(const sal_simulator *sim, sal__witness *w, bool was_active) {
    w->end_unknown = !sim->rest.there || !was_active;
    w->look = w->end_unknown || w->settle;
    if (w->look)
        w->theta = 2;
}

static sal_status arm_one(sal_simulator *sim, int i) {
    sal__witness *w = &sim->witness[i];
    const bool was_active = w->active;
    sal_status status = ask_guard(sim, w, &w->active);
    if (status != SAL_OK || !w->active)
        return status;
    sim->armed++;
    if (!was_active)
        start(w);
    choose_looks(sim, w, was_active);
    if (!w->look)
        return SAL_OK;
    if (sim->values_hold && was_active) {
        w->w0 = w->w1;
        w->s0 = w->s1;
    } else {
        status = sal__witness_value(sim, i, &w->w0);
        w->s0 = NAN;
    }
    if (status == SAL_OK)
        settle(w);
    return status;
}

sal_status sal__witness_arm(sal_simulator *sim, sal_report *report) {
    sim->armed = 0;
    for (int i = 0; i < sim->witnesses; i++) {
        const sal_status status = arm_one(sim, i);
        if (status != SAL_OK)
            return blame_witness(sim, i, status, report);
    }
    return SAL_OK;
}

/* ---- one step's values and slopes ---- */

typedef struct span {
    sal_simulator *sim;
    int witness;
    double t0, t1, level;
} span;

/* w - level at theta of the step, on its dense output. */
static sal_status probe(void *user, double theta, double *value) {
    const span *s = user;
    sal_simulator *sim = s->sim;
    if (sim->plan->nx > 0)
        sal_integrator_interpolate(sim->in, theta, sim->scratch);
    const double t = theta >= 1 ? s->t1 : s->t0 + theta * (s->t1 - s->t0);
    sal__store_look(sim->run, t, sim->plan->nx > 0 ? sim->scratch : NULL);
    sim->stats.isolation_evaluations++;
    const sal_status status = sal__witness_value(sim, s->witness, value);
    *value -= s->level;
    return status;
}

/* w after an Euler step of `dt` from (t, x) with rate f. */
static sal_status value_beside(sal_simulator *sim, int witness, double t, const double *x, const double *f, double dt,
                               double *value) {
    for (int i = 0; i < sim->plan->nx; i++)
        sim->scratch[i] = x[i] + dt * f[i];
    sal__store_look(sim->run, t + dt, sim->plan->nx > 0 ? sim->scratch : NULL);
    return sal__witness_value(sim, witness, value);
}

/* Where the look begins: the step's start, or the event that the rest goes on from. */
static const double *start_rate(sal_simulator *sim) {
    if (sim->plan->nx == 0)
        return NULL;
    if (!sim->rest.there)
        return sal_integrator_start_rate(sim->in);
    sal_integrator_interpolate_rate(sim->in, sim->rest.theta, sim->rate);
    return sim->rate;
}

static sal_status start_slope(sal_simulator *sim, int i, double now, double h) {
    sal__witness *w = &sim->witness[i];
    const double dt = SLOPE * h;
    double beside = 0;
    const double *x = sim->run->block, *f = start_rate(sim);
    sal_status status = value_beside(sim, i, now, x, f, dt, &beside);
    if (status != SAL_OK)
        return status;
    w->s0 = (beside - w->w0) / dt;
    if (!w->surface || w->s0 * w->near > 0)
        return SAL_OK;
    /* It seems to go on beyond the surface. A short hop would look the same: look closer. */
    status = value_beside(sim, i, now, x, f, 1e-3 * dt, &beside);
    if (status == SAL_OK && (beside - w->w0) * w->near > 0)
        w->s0 = (beside - w->w0) / (1e-3 * dt);
    return status;
}

static sal_status end_slope(sal_simulator *sim, int i, double t1, double h, const double *f1) {
    sal__witness *w = &sim->witness[i];
    const double dt = -SLOPE * h;
    double beside = 0;
    const double *x = sim->plan->nx > 0 ? sal_integrator_end(sim->in) : NULL;
    const sal_status status = value_beside(sim, i, t1, x, f1, dt, &beside);
    w->s1 = (beside - w->w1) / dt;
    return status;
}

static sal_status end_values(sal_simulator *sim, double t1, sal_report *report) {
    sal__store_look(sim->run, t1, sim->plan->nx > 0 ? sal_integrator_end(sim->in) : NULL);
    for (int i = 0; i < sim->witnesses; i++) {
        sal__witness *w = &sim->witness[i];
        if (!w->active || !w->end_unknown)
            continue;
        w->s1 = NAN;
        const sal_status status = sal__witness_value(sim, i, &w->w1);
        if (status != SAL_OK)
            return blame_witness(sim, i, status, report);
    }
    return SAL_OK;
}

static bool is_curved(const sal_simulator *sim) {
    if (sim->plan->nx == 0)
        return true;
    const sal_integrator_config *in = sal_integrator_config_of(sim->in);
    return in->hermite || sal_method_dense_order(in->method) >= 2;
}

static sal_status slopes_of(sal_simulator *sim, int i, bool search, double now, double t1) {
    sal__witness *w = &sim->witness[i];
    sal_status status = SAL_OK;
    if (isnan(w->s0) && (search || w->surface))
        status = start_slope(sim, i, now, t1 - now);
    if (status != SAL_OK || !search || !w->end_unknown)
        return status;
    const double *f1 = NULL;
    if (sim->plan->nx > 0) {
        const sal_rhs rhs = sal__rhs_of(sim);
        status = sal_integrator_end_rate(sim->in, &rhs, &f1);
    }
    return status == SAL_OK ? end_slope(sim, i, t1, t1 - now, f1) : status;
}

static sal_status slopes(sal_simulator *sim, double now, double t1, sal_report *report) {
    const bool search = sim->config.interior && is_curved(sim);
    for (int i = 0; i < sim->witnesses; i++) {
        if (!sim->witness[i].active || !sim->witness[i].look)
            continue;
        const sal_status status = slopes_of(sim, i, search, now, t1);
        if (status != SAL_OK)
            return blame_witness(sim, i, status, report);
    }
    return SAL_OK;
}

/* ---- crossings ---- */

static bool fits(sal_direction wanted, double from) {
    return wanted == SAL_CROSSING || wanted == (from > 0 ? SAL_FALLING : SAL_RISING);
}

/* The interpolant, only when something is to be located. */
static sal_status prepare(sal_simulator *sim) {
    const sal_rhs rhs = sal__rhs_of(sim);
    return sim->plan->nx > 0 ? sal_integrator_prepare_dense(sim->in, &rhs) : SAL_OK;
}

static sal_status isolate(span *s, sal_piece piece, double level, double *theta) {
    sal__witness *w = &s->sim->witness[s->witness];
    s->level = level;
    piece.wa -= level;
    piece.wb -= level;
    w->from = (signed char)(piece.wb < 0 || (piece.wb == 0 && (piece.wa > 0 || (piece.wa == 0 && piece.sa > 0))) ? 1 : -1);
    const sal_probe look = {probe, s};
    double value = 0;
    const sal_status status = prepare(s->sim);
    if (status != SAL_OK)
        return status;
    s->sim->stats.isolations++;
    return sal__isolate_root(&look, &piece, 0, theta, &value); /* to an ulp or two of theta */
}

static sal_status dip(span *s, const sal_piece *piece, bool *found, double *u, double *wu) {
    const sal_probe look = {probe, s};
    *found = false;
    if (isnan(piece->sa) || isnan(piece->sb))
        return SAL_OK;
    s->level = 0;
    const sal_status status = prepare(s->sim);
    if (status != SAL_OK)
        return status;
    s->sim->stats.searches++;
    return sal__search_dip(&look, piece, found, u, wu);
}

/* Both ends on one side: two crossings inside, or none. The one in the wanted direction. */
static sal_status inner_crossing(span *s, const sal_piece *whole, sal_direction wanted, double *theta) {
    bool found = false;
    double u = 0, wu = 0;
    const sal_status status = dip(s, whole, &found, &u, &wu);
    if (status != SAL_OK || !found)
        return status;
    const double side = whole->wa != 0 ? whole->wa : whole->wb;
    if (fits(wanted, side))
        return isolate(s, (sal_piece){whole->a, whole->wa, whole->sa, u, wu, NAN}, 0, theta);
    if (wu == 0)
        return SAL_OK;
    return isolate(s, (sal_piece){u, wu, NAN, whole->b, whole->wb, whole->sb}, 0, theta);
}

static sal_status from_surface(span *s, const sal_piece *whole, double *theta) {
    const sal__witness *w = &s->sim->witness[s->witness];
    const int near = w->near;
    const double level = w->level;
    if (w->w1 * near > 0) { /* back on its own side: armed again, or, gone on beyond first, crossing back */
        const sal_direction wanted = config_of(s->sim, w)->direction;
        return w->s0 * near < 0 && fits(wanted, -near) ? isolate(s, *whole, 0, theta) : SAL_OK;
    }
    if (level != 0) {  /* was it there in between? */
        bool found = false;
        double u = 0, wu = 0;
        const sal_status status = dip(s, whole, &found, &u, &wu);
        if (status != SAL_OK)
            return status;
        if (found && wu != 0)
            return isolate(s, (sal_piece){u, wu, NAN, 1, whole->wb, whole->sb}, 0, theta);
    }
    const double f0 = (w->w0 - level) * near, f1 = (w->w1 - level) * near;
    if (f1 <= 0 && (f0 > 0 || (f0 == 0 && f1 < 0 && w->s0 * near > 0)))
        return isolate(s, *whole, level, theta);
    return SAL_OK;
}

static sal_status find_crossing(span *s, double h, double *theta) {
    const sal__witness *w = &s->sim->witness[s->witness];
    const sal_direction wanted = config_of(s->sim, w)->direction;
    const double from = s->sim->rest.there ? s->sim->rest.theta : 0;
    const sal_piece whole = {from, w->w0, w->s0 * h, 1, w->w1, w->s1 * h};
    if (w->surface)
        return from_surface(s, &whole, theta);
    if (w->w0 != 0 && w->w0 * (w->w1 > 0 ? 1.0 : w->w1 < 0 ? -1.0 : 0.0) <= 0)
        return fits(wanted, w->w0) ? isolate(s, whole, 0, theta) : SAL_OK;
    if (isnan(w->s0))
        return SAL_OK;
    if (w->w0 == 0 && w->s0 * w->w1 < 0) /* left zero to one side, ended on the other */
        return fits(wanted, w->s0) ? isolate(s, whole, 0, theta) : SAL_OK;
    return w->w1 != 0 ? inner_crossing(s, &whole, wanted, theta) : SAL_OK;
}

/* Without isolation: the signs at the ends, with a surface's level in place of zero. */
static void by_ends(sal_simulator *sim, sal__witness *w) {
    const double level = w->surface ? w->level : 0;
    const double f0 = w->w0 - level, f1 = w->w1 - level;
    const bool crossed = (f0 > 0 && f1 <= 0) || (f0 < 0 && f1 >= 0);
    if (!crossed || (w->surface && (w->w1 * w->near > 0 || f0 * w->near < 0)))
        return;
    if (!w->surface && !fits(config_of(sim, w)->direction, f0))
        return;
    w->from = f0 > 0 ? 1 : -1;
    w->theta = 1;
}

static sal_status cross_all(sal_simulator *sim, double t0, double t1, sal_report *report) {
    for (int i = 0; i < sim->witnesses; i++) {
        if (!sim->witness[i].active || !sim->witness[i].look)
            continue;
        span s = {sim, i, t0, t1, 0};
        const sal_status status = find_crossing(&s, t1 - t0, &sim->witness[i].theta);
        if (status != SAL_OK)
            return blame_witness(sim, i, status, report);
    }
    return SAL_OK;
}

/* Roots within 4 ulp of the earliest are one instant; its state is that of the last, where all have crossed. */
static double first_instant(sal_simulator *sim, double t0, double t1) {
    double first = 2, last = 0;
    for (int i = 0; i < sim->witnesses; i++)
        if (sim->witness[i].active)
            first = fmin(first, sim->witness[i].theta);
    if (first > 1)
        return first;
    const double t_first = t0 + first * (t1 - t0);
    for (int i = 0; i < sim->witnesses; i++) {
        sal__witness *w = &sim->witness[i];
        if (!w->active || w->theta > 1)
            continue;
        w->fired = sal__same_instant(t0 + w->theta * (t1 - t0), t_first, 0);
        if (!w->fired)
            continue;
        w->near = w->from;
        last = fmax(last, w->theta);
    }
    return last;
}

sal_status sal__witness_locate(sal_simulator *sim, double t0, double t1, double *theta, sal_report *report) {
    const double now = sim->run->time;
    *theta = 2;
    sal_status status = end_values(sim, t1, report);
    if (status == SAL_OK && isnan(sal__window(sim))) {
        for (int i = 0; i < sim->witnesses; i++)
            if (sim->witness[i].active)
                by_ends(sim, &sim->witness[i]);
    } else if (status == SAL_OK) {
        status = slopes(sim, now, t1, report);
        if (status == SAL_OK)
            status = cross_all(sim, t0, t1, report);
    }
    if (status != SAL_OK)
        return status;
    *theta = first_instant(sim, t0, t1);
    sim->values_hold = *theta > 1;
    return SAL_OK;
}

/* ---- firing ---- */

static void note_firing(sal_simulator *sim, sal__witness *w, double t) {
    memmove(w->times + 1, w->times, 3 * sizeof *w->times);
    memmove(w->steps + 1, w->steps, 4 * sizeof *w->steps);
    w->times[0] = t;
    w->steps[0] = sim->stats.steps;
    w->firings++;
}

/* Accumulation: three shrinking intervals, the last below 100 windows. Without
 * isolation times are rounded to steps: one more firing after three in six steps,
 * at the end of a run of intervals in which none grew and the first was longer. Chattering: 100 firings
 * closer than 10 windows each. */
static void judge(sal_simulator *sim, sal__witness *w) {
    const double window = sal__window(sim);
    const double d1 = w->times[0] - w->times[1], d2 = w->times[1] - w->times[2], d3 = w->times[2] - w->times[3];
    if (!(d1 <= d2))
        w->longest = d1;
    if (isnan(window))
        w->zeno = !isnan(d3) && d1 < w->longest && d2 <= d3 && w->steps[1] - w->steps[4] <= 6;
    else
        w->zeno = d1 < d2 && d2 < d3 && d1 < 100 * window;
    w->limit = w->zeno ? w->times[0] + (d1 < d2 ? d1 * d1 / (d2 - d1) : d1) : NAN;
    w->rapid = d1 < 10 * window ? w->rapid + 1 : 1;
    w->zeno = w->zeno || w->rapid >= 100;
}

void sal__witness_fire(sal_simulator *sim, double t0, double t1, double t_event) {
    memcpy(sim->before->block, sim->run->block, (size_t)sim->run->words * sizeof(double));
    sal__store_touch(sim->before);
    sal__store_look(sim->before, t0, NULL);
    for (int i = 0; i < sim->witnesses; i++) {
        sal__witness *w = &sim->witness[i];
        if (!w->active || !w->fired)
            continue;
        w->t0 = t0;
        w->t1 = t1;
        w->theta = 2;
        sim->waiting++;
        note_firing(sim, w, t_event);
        judge(sim, w);
    }
}

/* Publishes come now; updates, and what stands in for a handler when firings accumulate, with the next ones. */
static sal_kind kind_of(const sal_simulator *sim, const sal__witness *w) {
    return w->zeno ? SAL_UNRESTRICTED : config_of(sim, w)->kind;
}

void sal__witness_collect(sal_simulator *sim, sal_kind kind) {
    for (int i = 0; i < sim->witnesses; i++) {
        const sal__witness *w = &sim->witness[i];
        if (w->fired && kind_of(sim, w) == kind)
            sal__dispatch_add(sim, w->event, w->firings, i);
    }
}

void sal__witness_handled(sal_simulator *sim, bool publishes) {
    for (int i = 0; i < sim->witnesses; i++) {
        sal__witness *w = &sim->witness[i];
        if (!w->fired || (kind_of(sim, w) <= SAL_PUBLISH) != publishes)
            continue;
        if (w->zeno)
            start(w);
        else
            w->settle = true;
        w->fired = false;
        sim->waiting--;
    }
}
