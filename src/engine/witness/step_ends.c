/* What witnesses read at the two ends of a step: their values, and their slopes over a short Euler step.
 *
 * Witnesses that cannot cross, as far as the ends show, are no candidates for the search. */
#include <math.h>

#include "crossing.h"

#define SLOPE 1e-4     /* of the step: the Euler step over which a slope is measured */
#define FAR_SHORTER 16 /* times */
#define SLIVER 1e-6    /* of the longest Euler step: a step shorter than that may show nothing but rounding */

/* Shows the context the state after an Euler step of `dt` from (t, x) with the rate f. */
static inline void look_after_euler_step(sal_simulator *sim, double t, const double *x, const double *f, double dt) {
    for (int i = 0; i < sim->plan->nx; i++)
        sim->flow.scratch[i] = x[i] + dt * f[i];
    sal__context_data_look(sim->contexts.current, t + dt, sim->plan->nx > 0 ? sim->flow.scratch : NULL);
}

/* The flow begins at the start of the step, or at the event that interrupted it. */
static void look_after_start(sal_simulator *sim, double now, double dt) {
    const bool in_rest = sim->flow.interrupted_step.is_pending && sim->plan->nx > 0;
    if (in_rest)
        sal_integrator_interpolate_rate(sim->integrator, sim->flow.interrupted_step.theta, sim->flow.rate);
    look_after_euler_step(sim, now, sim->contexts.current->block,
                          in_rest ? sim->flow.rate : sal_integrator_start_rate(sim->integrator), dt);
}

/* dt, or a longer step, so that adding it to the time rounds little. */
static double euler_step_size(double now, double h, double dt) {
    const double least = sal__min(0x1p-46 * fabs(now), h);
    return dt > 4 * least ? dt : (now + sal__max(dt, least)) - now;
}

double sal__look_after_start(sal_simulator *sim, double now, double h) {
    const double dt = euler_step_size(now, h, SLOPE * h);
    look_after_start(sim, now, dt);
    return dt;
}

static sal_status look_before_end(sal_simulator *sim, double t1, double dt) {
    const double *f1 = NULL;
    if (sim->plan->nx > 0) {
        const sal_status status = sal_integrator_end_rate(sim->integrator, sal__current_rhs(sim), &f1);
        if (status != SAL_OK)
            return status;
    }
    look_after_euler_step(sim, t1, sal__end_state(sim), f1, dt);
    return SAL_OK;
}

sal_status sal__look_before_end(sal_simulator *sim, double t1, double h, double *dt) {
    *dt = -euler_step_size(t1, h, SLOPE * h);
    return look_before_end(sim, t1, *dt);
}

static double usual_step(const sal_simulator *sim) {
    const sal_integrator_config *in = sim->integrator_config;
    return in->fixed_step ? in->max_step : sal_integrator_ideal_step(sim->integrator);
}

/* The longest Euler step that is tried for a slope in a step of h, which may be a few ulp. */
static double longest_euler_step(const sal_simulator *sim, double h) {
    return sal__max(usual_step(sim), 100 * h);
}

double sal__longest_sliver(const sal_simulator *sim) {
    return SLIVER * usual_step(sim);
}

bool sal__moves_clearly(const sal_simulator *sim, double h) {
    const sal_integrator *in = sim->integrator;
    const double *from = sal_integrator_start(in), *to = sal_integrator_end(in);
    const double share = h / (sal_integrator_end_time(in) - sal_integrator_start_time(in));
    for (int i = 0; i < sim->plan->nx; i++)
        if (share * fabs(to[i] - from[i]) > 0x1p-32 * sal__max(fabs(to[i]), fabs(from[i])))
            return true;
    return sim->plan->nx == 0 && h > 0x1p-42 * fabs(sim->contexts.current->time);
}

/* ---- slopes at the start ---- */

/* A witness at the start of a step of h, and its slope over an Euler step of dt. */
typedef struct start_slope {
    sal_simulator *sim;
    sal__witness *w;
    double now, h, dt;
    double from;        /* its value at the start */
    double rise, slope; /* over dt, and per second */
    bool reads_past;
} start_slope;

static sal_status measure(start_slope *s, double dt) {
    double value = 0;
    s->dt = euler_step_size(s->now, s->h, dt);
    look_after_start(s->sim, s->now, s->dt);
    const sal_status status = sal__witness_value_by_reads(s->sim, s->w, &value, &s->reads_past);
    s->rise = value - s->from;
    s->slope = s->rise / s->dt;
    return status;
}

/* The witness seems to go on beyond the surface. A short hop after an update looks the same, so a shorter Euler step
 * decides. */
static sal_status look_for_hop(start_slope *s) {
    const sal_status status = measure(s, 1e-3 * s->dt);
    if (status == SAL_OK && s->rise * s->w->armed_side > 0)
        s->w->s0 = s->slope;
    return status;
}

/* The witness seems to come back to its near side, and a crossing back would count. There may be a pair of crossings
 * closer than dt: shorter Euler steps decide, as long as they rise above rounding. */
static sal_status look_for_pair(start_slope *s) {
    sal__witness *w = s->w;
    const double rounding = 1e-15 * (fabs(w->w1) + fabs(w->w0));
    sal__context_data_look(s->sim->contexts.current, s->now, NULL);
    const sal_status read = sal__witness_value(s->sim, w, &s->from); /* w0 may be the level by agreement */
    if (read != SAL_OK)
        return read;
    for (int k = 0; k < 3; k++) {
        const sal_status status = measure(s, 1e-2 * s->dt);
        if (status != SAL_OK || fabs(s->rise) < rounding)
            return status;
        if (s->rise * w->armed_side < 0) {
            w->s0 = s->slope;
            return SAL_OK;
        }
    }
    return SAL_OK;
}

/* The witness is at zero or at its level, and the flow is too slow for a short Euler step to move it. Behind the step,
 * a flat witness may rise, and what it reads of the past may jump. */
static sal_status look_farther(start_slope *s) {
    double most = sal__is_sliver(s->sim, s->h) ? longest_euler_step(s->sim, s->h) : s->h;
    sal_status status = s->sim->delay_state ? measure(s, s->dt) : SAL_OK;
    if (s->reads_past)
        most = s->h;
    for (double dt = s->w->w1 == s->w->w0 ? s->h : 10 * s->dt; s->w->s0 == 0 && dt <= most; dt *= 10) {
        status = measure(s, dt);
        if (status != SAL_OK)
            break;
        s->w->s0 = s->slope;
    }
    return status;
}

/* The witness is at its level, and the step is tiny: a short Euler step in it shows mostly rounding. */
static sal_status look_beyond_rounding(start_slope *s) {
    const sal_status status = measure(s, sal__longest_sliver(s->sim));
    if (status == SAL_OK && s->rise != 0 && !s->reads_past)
        s->w->s0 = s->slope;
    return status;
}

/* How to measure a slope once more where the first one may mislead; else NULL. */
static sal_status (*second_look(const sal_simulator *sim, const sal__witness *w, double h))(start_slope *s) {
    const bool in_rest = sim->flow.interrupted_step.is_pending;
    if (w->s0 == 0 && (w->on_surface ? w->w0 == w->surface_level : w->w0 == 0 && w->w1 != 0) && !in_rest)
        return look_farther;
    if (!w->on_surface)
        return NULL;
    if (!in_rest && sal__is_sliver(sim, h))
        return look_beyond_rounding;
    if (!(w->s0 * w->armed_side > 0))
        return in_rest ? NULL : look_for_hop;
    return w->w1 * w->armed_side > 0 && sal__is_wanted(w->info.direction, -w->armed_side) ? look_for_pair : NULL;
}

void sal__discard_end_slopes(sal_simulator *sim, double h) {
    if (!(FAR_SHORTER * h < sim->flow.interrupted_step.t1 - sim->flow.interrupted_step.t0))
        return;
    for (int k = 0; k < sim->witnesses.active_count; k++) {
        sal__witness *w = &sim->witnesses.item[sim->witnesses.active[k]];
        w->s1 = w->end_unread ? NAN : w->s1;
    }
}

static sal_status read_start_slopes(sal_simulator *sim, bool search, double now, double h) {
    /* Slopes from the end of a step far shorter than this one are mostly rounding. */
    if (h > FAR_SHORTER * sim->witnesses.previous_step_size && !sim->flow.interrupted_step.is_pending)
        sal__witness_discard_slopes(sim);
    if (sim->witnesses.without_slope == 0)
        return SAL_OK;
    double dt = 0;
    bool must_look = true; /* the context does not show the Euler step */
    for (int k = 0; k < sim->witnesses.active_count; k++) {
        sal__witness *w = &sim->witnesses.item[sim->witnesses.active[k]];
        if (!isnan(w->s0) || !(search || w->on_surface) || sal__finds_turning(w))
            continue;
        if (must_look)
            dt = sal__look_after_start(sim, now, h);
        double value = 0;
        sal_status status = sal__event_value(sim, w, &value);
        w->s0 = (value - w->w0) / dt;
        sal_status (*again)(start_slope * s) = status == SAL_OK ? second_look(sim, w, h) : NULL;
        must_look = again != NULL;
        if (again)
            status = again(&(start_slope){.sim = sim, .w = w, .now = now, .h = h, .dt = dt, .from = w->w0});
        if (status != SAL_OK) {
            w->s0 = NAN;
            return sal__witness_report(sim, sim->witnesses.active[k], status);
        }
        sal__witness_turn_back(w);
        if (w->w0 == 0 && w->firings.count == 0 && sal__steps_of_run(sim) == 0)
            sal__warn_about_start(sim, w);
    }
    return SAL_OK;
}

/* ---- at the end ---- */

static sal_status read_end_values(sal_simulator *sim, double t1) {
    sal__context_data_look(sim->contexts.current, t1, sal__end_state(sim));
    for (const int *at = sim->witnesses.active, *end = at + sim->witnesses.active_count; at < end; at++) {
        sal__witness *w = &sim->witnesses.item[*at];
        if (!w->end_unread)
            continue;
        w->s1 = NAN;
        const sal_status status = sal__guarded_value(sim, w, &w->w1);
        if (status != SAL_OK)
            return sal__witness_report(sim, *at, status);
    }
    return SAL_OK;
}

/* Only time may move the witness, and neither its inputs nor the host do. If both ends and their slopes read the same,
 * it does not read the time. */
static bool is_constant(const sal_simulator *sim, const sal__witness *w) {
    return !w->info.inputs_vary && !sim->contexts.current->feeds && w->w0 == w->w1 && w->s0 == 0 && w->s1 == 0;
}

/* What is fed, and what a witness reads of the past, is not looked at before the step. A short Euler step in a tiny
 * step shows mostly rounding. */
sal_status sal__slope_at_end(sal_simulator *sim, const sal__witness *w, double t1, double h, double *slope) {
    double most = sim->contexts.current->feeds ? h : longest_euler_step(sim, h);
    const double least = sal__is_sliver(sim, h) ? sal__longest_sliver(sim) : 0;
    *slope = 0;
    for (double dt = -euler_step_size(t1, h, SLOPE * h); (*slope == 0 || -dt < least) && -dt <= most; dt *= 10) {
        double value = 0;
        bool reads_past = false;
        sal_status status = look_before_end(sim, t1, dt);
        if (status == SAL_OK)
            status = sal__witness_value_by_reads(sim, w, &value, &reads_past);
        most = reads_past ? sal__min(most, h) : most;
        if (status != SAL_OK)
            return status == SAL_ENAN || status > 0 ? SAL_OK : status;
        *slope = (value - w->w1) / dt;
    }
    return SAL_OK;
}

sal_status sal__candidates_new(sal_simulator *sim) {
    sim->candidates.item = sal__pool_alloc(&sim->pool, sim->witnesses.capacity, sizeof *sim->candidates.item);
    return sal__pool_status(&sim->pool);
}

void sal__candidates_add_all(sal_simulator *sim) {
    sim->candidates.count = 0;
    for (int k = 0; k < sim->witnesses.active_count; k++)
        sim->candidates.item[sim->candidates.count++] = sim->witnesses.active[k];
}

static sal_status read_end_slopes(sal_simulator *sim, double t1, double h) {
    double dt = 0;
    bool must_look = true;
    for (const int *at = sim->witnesses.active, *end = at + sim->witnesses.active_count; at < end; at++) {
        sal__witness *w = &sim->witnesses.item[*at];
        if (w->end_unread && !sal__finds_turning(w)) {
            sal_status status = must_look ? sal__look_before_end(sim, t1, h, &dt) : SAL_OK;
            if (status != SAL_OK)
                return status;
            must_look = false;
            double value = 0;
            status = sal__event_value(sim, w, &value);
            w->s1 = (value - w->w1) / dt;
            if (status != SAL_OK)
                return sal__witness_report(sim, *at, status);
            if (w->info.time_only ? is_constant(sim, w) : !sal__is_walked(sim, w) && sal__cannot_cross(w, h))
                continue;
        }
        sim->candidates.item[sim->candidates.count++] = *at;
    }
    return SAL_OK;
}

/* Where only time moves, from the start of the step (x is NULL) or to its end. */
static sal_status read_beside(sal_simulator *sim, const sal__witness *w, double t, const double *x, double *value) {
    sal__context_data_look(sim->contexts.current, t, x);
    return sal__witness_value(sim, w, value);
}

sal_status sal__witness_check_time(sal_simulator *sim, sal__witness *w, double now, double t1) {
    static const double inside[] = {0.6180339887498949, 0.0901699437494742, 0.2360679774997897, 0.3262379212492639,
                                    0.4721359549995794, 0.7639320225002103, 0.8541019662496845, 0.9442719099991588};
    if (w->may_be_fast || sal__finds_turning(w) || isnan(w->w0))
        return SAL_OK;
    double value = w->w0, t = now;
    sal_status status = SAL_OK;
    for (int k = 0; status == SAL_OK && value == w->w0 && k < (w->w1 == w->w0 ? 8 : 1); k++) {
        t = now + inside[k] * (t1 - now);
        if (t > now)
            status = read_beside(sim, w, t, NULL, &value);
    }
    bool varies = value != w->w0;
    if (!varies && status == SAL_OK) {
        status = read_beside(sim, w, t, sal__end_state(sim), &value);
        varies = value != w->w1;
    }
    sal__context_data_look(sim->contexts.current, now, NULL);
    sal__witness_note_time_check(w, status == SAL_OK && varies);
    return status == SAL_ENAN || status > 0 ? SAL_OK : status;
}

/* In a step that is far longer than those before, those that were checked often are left out. */
static sal_status check_time_dependence(sal_simulator *sim, double now, double t1) {
    const bool all = sim->witnesses.time_check_due || sal__is_rare_step(sim);
    if (!all && !sal__looks_for_missed(sim, t1 - now))
        return SAL_OK;
    for (const int *at = sim->witnesses.active, *end = at + sim->witnesses.active_count; at < end; at++) {
        sal__witness *w = &sim->witnesses.item[*at];
        const bool checks = w->end_unread && (all || w->time_checks < SAL__MAX_TIME_CHECKS);
        const sal_status status = checks ? sal__witness_check_time(sim, w, now, t1) : SAL_OK;
        if (status != SAL_OK)
            return sal__witness_report(sim, *at, status);
    }
    return SAL_OK;
}

sal_status sal__read_step_ends(sal_simulator *sim, double t1, bool isolates) {
    const double now = sim->contexts.current->time;
    sim->candidates.count = 0;
    sal_status status = read_end_values(sim, t1);
    if (status == SAL_OK && sim->witnesses.guarded_count > 0)
        status = sal__guards_check_values(sim, now, t1);
    if (status != SAL_OK)
        return status;
    const bool search = isolates && sim->has_interior_search;
    status = read_start_slopes(sim, search, now, t1 - now);
    if (status == SAL_OK && isolates && sim->config.interior_search)
        status = check_time_dependence(sim, now, t1);
    if (status == SAL_OK && search)
        return read_end_slopes(sim, t1, t1 - now);
    sal__candidates_add_all(sim);
    return status;
}
