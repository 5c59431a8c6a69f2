/* What witnesses read at the two ends of a step: their values, and their slopes by a short Euler step.
 *
 * What both ends show to be no matter stays out of the search for crossings. */
#include <math.h>

#include "engine/simulator.h"

#define SLOPE 1e-4     /* of the step: the Euler step that a slope is taken over */
#define FAR_SHORTER 16 /* times */

/* Looks at what an Euler step of `dt` from (t, x) with rate f leads to. */
static void show_euler_step(sal_simulator *sim, double t, const double *x, const double *f, double dt) {
    for (int i = 0; i < sim->plan->nx; i++)
        sim->flow.scratch[i] = x[i] + dt * f[i];
    sal__context_data_look(sim->contexts.current, t + dt, sim->plan->nx > 0 ? sim->flow.scratch : NULL);
}

/* From where the flow begins: the step's start, or the event that the rest goes on from. */
static void show_after_start(sal_simulator *sim, double now, double dt) {
    const bool in_rest = sim->flow.interrupted_step.is_pending && sim->plan->nx > 0;
    if (in_rest)
        sal_integrator_interpolate_rate(sim->integrator, sim->flow.interrupted_step.theta, sim->flow.rate);
    show_euler_step(sim, now, sim->contexts.current->block,
                    in_rest ? sim->flow.rate : sal_integrator_start_rate(sim->integrator), dt);
}

/* By how much to look beside: the time moves by it, too, and is rounded little. */
static double euler_step_size(double now, double h, double dt) {
    const double least = sal__min(0x1p-46 * fabs(now), h);
    return dt > 4 * least ? dt : (now + sal__max(dt, least)) - now;
}

/* A witness at the start of a step of h, and the slope there over an Euler step of dt. */
typedef struct outlook {
    sal_simulator *sim;
    sal__witness *w;
    double now, h, dt;
    double rise, slope; /* over dt; what is left of it in seconds */
} outlook;

static sal_status measure_slope(outlook *o, double dt) {
    double beside = 0;
    o->dt = euler_step_size(o->now, o->h, dt);
    show_after_start(o->sim, o->now, o->dt);
    const sal_status status = sal__witness_value(o->sim, o->w, &beside);
    o->rise = beside - o->w->w0;
    o->slope = o->rise / o->dt;
    return status;
}

/* It seems to go on beyond the surface. After an update a short hop would look the same: look closer. */
static sal_status look_for_hop(outlook *o) {
    const sal_status status = measure_slope(o, 1e-3 * o->dt);
    if (status == SAL_OK && o->rise * o->w->armed_side > 0)
        o->w->s0 = o->slope;
    return status;
}

/* It seems to come back to the side that it crossed from, and a crossing back would count: that may be a pair of
 * crossings closer than dt. Look closer, as long as rounding lets it be seen. */
static sal_status look_for_pair(outlook *o) {
    sal__witness *w = o->w;
    const double seen = 1e-15 * (fabs(w->w1) + fabs(w->w0));
    for (int k = 0; k < 3; k++) {
        const sal_status status = measure_slope(o, 1e-2 * o->dt);
        if (status != SAL_OK || fabs(o->rise) < seen)
            return status;
        if (o->rise * w->armed_side < 0) {
            w->s0 = o->slope;
            return SAL_OK;
        }
    }
    return SAL_OK;
}

/* How far an Euler step may lead where shorter ones show nothing: of a step of h, which may be one of a few ulp. */
static double farthest(const sal_simulator *sim, double h) {
    const sal_integrator_config *in = sal_integrator_config_of(sim->integrator);
    return sal__max(in->fixed_step ? in->max_step : sal_integrator_ideal_step(sim->integrator), 100 * h);
}

bool sal__is_sliver(const sal_simulator *sim, double h) {
    return h < 1e-6 * farthest(sim, h);
}

/* At zero or at its level, and what flows is too slow for a short Euler step to show where to. */
static sal_status look_farther(outlook *o) {
    const double most = farthest(o->sim, o->h);
    sal_status status = SAL_OK;
    for (double dt = o->w->w1 == o->w->w0 ? o->h : 10 * o->dt; o->w->s0 == 0 && dt <= most; dt *= 10) {
        status = measure_slope(o, dt);
        if (status != SAL_OK)
            break;
        o->w->s0 = o->slope;
    }
    return status;
}

static bool counts_back(const sal__witness *w) {
    return w->info.direction == SAL_CROSSING || w->info.direction == (w->armed_side > 0 ? SAL_RISING : SAL_FALLING);
}

/* Does its slope need another look? Which one, or NULL. */
static sal_status (*second_look(const sal_simulator *sim, const sal__witness *w))(outlook *o) {
    if (w->s0 == 0 && (w->on_surface ? w->w0 == w->surface_level : w->w0 == 0 && w->w1 != 0) &&
        !sim->flow.interrupted_step.is_pending)
        return look_farther;
    if (!w->on_surface)
        return NULL;
    if (!(w->s0 * w->armed_side > 0))
        return sim->flow.interrupted_step.is_pending ? NULL : look_for_hop;
    return w->w1 * w->armed_side > 0 && counts_back(w) ? look_for_pair : NULL;
}

void sal__discard_end_slopes(sal_simulator *sim, double h) {
    if (!(FAR_SHORTER * h < sim->flow.interrupted_step.t1 - sim->flow.interrupted_step.t0))
        return;
    for (int k = 0; k < sim->witnesses.active_count; k++) {
        sal__witness *w = &sim->witnesses.item[sim->witnesses.active[k]];
        w->s1 = w->end_unread ? NAN : w->s1;
    }
}

/* What begins at 0 has not crossed it. A ball that is thrown up from the floor does so; a relay on the wrong branch
 * would stay there for ever. */
static void warn_about_start(sal_simulator *sim, const sal__witness *w) {
    const bool leaves = w->info.direction == SAL_CROSSING ? w->s0 != 0 && w->info.kind == SAL_DISCRETE
                                                          : (w->info.direction == SAL_RISING ? w->s0 : -w->s0) > 0;
    if (leaves && w->info.kind > SAL_PUBLISH)
        sal__warn(
            sim, sim->plan->event[w->info.event].part, w->info.index, -1, "start",
            "has a witness that is exactly 0 as the run begins and then leaves 0: that is no crossing, its handler "
            "is not called; begin beside 0, or use `becomes` with at_start");
}

static sal_status start_slopes(sal_simulator *sim, bool search, double now, double h, sal_report *report) {
    /* Slopes at the end of a step that was far shorter than this one are mostly rounding. */
    if (h > FAR_SHORTER * sim->witnesses.previous_step_size && !sim->flow.interrupted_step.is_pending)
        sal__witness_discard_slopes(sim);
    if (sim->witnesses.without_slope == 0)
        return SAL_OK;
    const double dt = euler_step_size(now, h, SLOPE * h);
    bool looking = false;
    for (int k = 0; k < sim->witnesses.active_count; k++) {
        sal__witness *w = &sim->witnesses.item[sim->witnesses.active[k]];
        if (!isnan(w->s0) || !(search || w->on_surface) || w->info.direction == SAL_TURNING)
            continue;
        if (!looking)
            show_after_start(sim, now, dt);
        looking = true;
        double beside = 0;
        sal_status status = sal__event_value(sim, w, &beside);
        w->s0 = (beside - w->w0) / dt;
        sal_status (*again)(outlook * o) = status == SAL_OK ? second_look(sim, w) : NULL;
        if (again) {
            outlook o = {sim, w, now, h, dt, 0, 0};
            status = again(&o);
            looking = false;
        }
        if (status != SAL_OK)
            w->s0 = NAN;
        if (status != SAL_OK)
            return sal__witness_report(sim, sim->witnesses.active[k], status, report);
        if (w->w0 == 0 && w->firings.count == 0 && sim->run_state.total_steps == sim->flow.initial_step_count)
            warn_about_start(sim, w);
    }
    return SAL_OK;
}

static sal_status end_values(sal_simulator *sim, double t1, sal_report *report) {
    sal__context_data_look(sim->contexts.current, t1, sim->plan->nx > 0 ? sal_integrator_end(sim->integrator) : NULL);
    for (const int *at = sim->witnesses.active, *end = at + sim->witnesses.active_count; at < end; at++) {
        sal__witness *w = &sim->witnesses.item[*at];
        if (!w->end_unread)
            continue;
        w->s1 = NAN;
        const sal_status status = sal__guarded_value(sim, w, &w->w1);
        if (status != SAL_OK)
            return sal__witness_report(sim, *at, status, report);
    }
    return SAL_OK;
}

/* One that time alone may move, and nothing that feeds it, nor the host: it does not read the time, where both ends and
 * what is beside them are the same. */
static bool is_constant(const sal_simulator *sim, const sal__witness *w) {
    return !w->info.inputs_vary && !sim->contexts.current->feeds && w->w0 == w->w1 && w->s0 == 0 && w->s1 == 0;
}

static sal_status look_at_end(sal_simulator *sim, double t1, double dt) {
    const double *f1 = NULL;
    if (sim->plan->nx > 0) {
        const sal_rhs rhs = sal__current_rhs(sim);
        const sal_status status = sal_integrator_end_rate(sim->integrator, &rhs, &f1);
        if (status != SAL_OK)
            return status;
    }
    show_euler_step(sim, t1, sim->plan->nx > 0 ? sal_integrator_end(sim->integrator) : NULL, f1, dt);
    return SAL_OK;
}

sal_status sal__slope_at_end(sal_simulator *sim, const sal__witness *w, double t1, double h, double *slope) {
    const double most = farthest(sim, h);
    *slope = 0;
    for (double dt = -euler_step_size(t1, h, SLOPE * h); *slope == 0 && -dt <= most; dt *= 10) {
        double beside = 0;
        sal_status status = sim->contexts.current->feeds && dt < -h ? SAL_RETRY : look_at_end(sim, t1, dt);
        if (status == SAL_OK)
            status = sal__witness_value(sim, w, &beside);
        if (status != SAL_OK)
            return status == SAL_ENAN || status > 0 ? SAL_OK : status;
        *slope = (beside - w->w1) / dt;
    }
    return SAL_OK;
}

void sal__candidates_new(sal_simulator *sim) {
    sim->candidates.item = sal__pool_alloc(&sim->pool, sim->witnesses.capacity, sizeof *sim->candidates.item);
}

static sal_status end_slopes(sal_simulator *sim, double t1, double h, sal_report *report) {
    const double dt = -euler_step_size(t1, h, SLOPE * h);
    bool looking = false;
    for (const int *at = sim->witnesses.active, *end = at + sim->witnesses.active_count; at < end; at++) {
        sal__witness *w = &sim->witnesses.item[*at];
        if (w->end_unread && w->info.direction != SAL_TURNING) {
            sal_status status = looking ? SAL_OK : look_at_end(sim, t1, dt);
            if (status != SAL_OK)
                return status;
            looking = true;
            double beside = 0;
            status = sal__event_value(sim, w, &beside);
            w->s1 = (beside - w->w1) / dt;
            if (status != SAL_OK)
                return sal__witness_report(sim, *at, status, report);
            if (w->info.time_only ? is_constant(sim, w) : !w->info.is_subdivided && sal__cannot_cross(w, h))
                continue;
        }
        sim->candidates.item[sim->candidates.count++] = *at;
    }
    return SAL_OK;
}

static void add_all_candidates(sal_simulator *sim) {
    for (; sim->candidates.count < sim->witnesses.active_count; sim->candidates.count++)
        sim->candidates.item[sim->candidates.count] = sim->witnesses.active[sim->candidates.count];
}

double sal__probe_after_start(sal_simulator *sim, double now, double h) {
    const double dt = euler_step_size(now, h, SLOPE * h);
    show_after_start(sim, now, dt);
    return dt;
}

sal_status sal__probe_before_end(sal_simulator *sim, double t1, double h, double *dt) {
    *dt = -euler_step_size(t1, h, SLOPE * h);
    return look_at_end(sim, t1, *dt);
}

/* Slopes are of x', and of an interpolant that is curved. */
bool sal__has_interior_search(const sal_simulator *sim) {
    if (!sim->config.interior_search || sim->flow.has_mass || sim->plan->nx == 0)
        return sim->config.interior_search && !sim->flow.has_mass;
    const sal_integrator_config *in = sal_integrator_config_of(sim->integrator);
    return in->hermite || sal_method_dense_order(in->method) >= 2;
}

sal_status sal__read_step_ends(sal_simulator *sim, double t1, sal_report *report) {
    const double now = sim->contexts.current->time;
    sim->candidates.count = 0;
    sal_status status = end_values(sim, t1, report);
    if (status == SAL_OK && sim->witnesses.guarded_count > 0)
        status = sal__guards_check_values(sim, now, t1, report);
    if (status != SAL_OK)
        return status;
    const bool search = sal__is_isolating(sim) && sal__has_interior_search(sim);
    const sal_status sloped = start_slopes(sim, search, now, t1 - now, report);
    if (sloped == SAL_OK && search)
        return end_slopes(sim, t1, t1 - now, report);
    add_all_candidates(sim);
    return sloped;
}
