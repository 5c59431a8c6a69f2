/* Conditions in steps of a few ulp.
 *
 * There rounding decides what a comparison reads that has just changed: a condition that turned true at the last event
 * may read false and true again, and one that turned false may read true. So it counts what they read a little farther
 * along the flow, beyond rounding. A condition that has just changed, and reads there as it did before the step, has
 * not changed in it. */
#include <math.h>

#include "crossing.h"

enum { ULPS = 64, MOST_ULPS_OF_TIME = 1 << 20 };

/* How long the flow takes to leave rounding behind. A state that hardly moves takes long: only up to a limit. */
static double time_beyond_rounding(const sal_simulator *sim, double t, const double *x, const double *f) {
    const double most = sal__min(MOST_ULPS_OF_TIME * sal__ulp(t), sal__longest_sliver(sim));
    double dt = ULPS * sal__ulp(t);
    for (int i = 0; i < sim->plan->nx; i++)
        if (f[i] != 0)
            dt = sal__max(dt, ULPS * sal__ulp(x[i]) / fabs(f[i]));
    return sal__min(dt, most);
}

static sal_status rate_at(sal_simulator *sim, double theta, const double **f) {
    if (theta >= 1)
        return sal_integrator_end_rate(sim->integrator, sal__current_rhs(sim), f);
    sal_integrator_interpolate_rate(sim->integrator, theta, sim->flow.rate);
    *f = sim->flow.rate;
    return SAL_OK;
}

/* Shows the context what an Euler step of dt from (t, x) leads to, but leaves x, which may be flow.scratch. */
static void look_beyond(sal_simulator *sim, double t, const double *x, const double *f, double dt) {
    for (int i = 0; i < sim->plan->nx; i++)
        sim->flow.rate[i] = x[i] + dt * f[i];
    sal__context_data_look(sim->contexts.current, t + dt, sim->flow.rate);
}

sal_status sal__conditions_look_beyond(sal_simulator *sim, double now, double t, const double *x, double theta) {
    const double *f = NULL;
    for (int i = 0; i < sim->conditions.count; i++)
        sim->conditions.item[i].stays = false;
    if (sim->plan->nx == 0 || !sal__is_sliver(sim, t - now))
        return SAL_OK;
    sal_status status = rate_at(sim, theta, &f);
    if (status != SAL_OK)
        return status;
    const double dt = time_beyond_rounding(sim, t, x, f);
    if (t - now > dt)
        return SAL_OK;
    look_beyond(sim, t, x, f, dt);
    for (int i = 0; status == SAL_OK && i < sim->conditions.count; i++) {
        sal__condition *c = &sim->conditions.item[i];
        bool there = false, holds = false;
        if (!c->can_flow || t - c->changed_at > dt)
            continue;
        status = sal__condition_eval(sim, c, &there, &holds);
        c->stays = holds == c->is_true;
        if (c->stays)
            sim->conditions.rounding_until = t + dt;
    }
    return status;
}
