/* Stepping without a simulator: advances t and x to a limit, a crossing, or by a number of steps. */
#include <math.h>
#include <string.h>

#include "integrator_impl.h"
#include "numerics/root_finder.h"

typedef struct crossing {
    const sal_surface *surface;
    const sal_integrator *in;
    double *x; /* scratch */
    double t0, t1;
} crossing;

static double time_at(const crossing *c, double theta) {
    return theta >= 1 ? c->t1 : c->t0 + theta * (c->t1 - c->t0);
}

static sal_status look(void *user, double theta, double *w) {
    const crossing *c = user;
    sal_integrator_interpolate(c->in, theta, c->x);
    const sal_status status = c->surface->eval(c->surface->user, time_at(c, theta), c->x, w);
    return status == SAL_OK && isnan(*w) ? SAL_ENAN : status;
}

static bool on_one_side(double a, double b) {
    return (a > 0 && b > 0) || (a < 0 && b < 0) || a == 0;
}

/* Finds where w reaches or crosses zero; without a crossing *theta is unchanged. A start at zero counts as on the
 * side to which the step leaves it. */
static sal_status cross(sal_integrator *in, const sal_rhs *rhs, const crossing *c, double *theta) {
    const sal__probe probe = {look, (void *)(uintptr_t)c};
    double w0 = 0, w1 = 0, w = 0, start = 0;
    sal_status status = look(probe.user, 0, &w0);
    if (status == SAL_OK)
        status = look(probe.user, 1, &w1);
    if (status != SAL_OK || (w0 != 0 && on_one_side(w0, w1)))
        return status;
    status = sal_integrator_prepare_dense(in, rhs);
    if (status == SAL_OK && w0 == 0)
        status = look(probe.user, start = 0x1p-10, &w0);
    if (status != SAL_OK || on_one_side(w0, w1))
        return status;
    const sal__root_interval whole = {start, w0, NAN, 1, w1, NAN};
    return sal__find_root(&probe, &whole, 0, theta, &w);
}

/* Makes one step and cuts it at a crossing. */
static sal_status once(sal_integrator *in, const sal_rhs *rhs, const sal_limits *limits, const sal_surface *surface,
                       double *t, double *x, sal_step_result *result) {
    sal_status status = sal_integrator_step(in, rhs, *t, x, limits, result);
    if (status != SAL_OK)
        return status;
    const crossing c = {surface, in, in->steps.trial->x1, *t, in->steps.accepted->t1};
    double theta = 2;
    if (surface)
        status = cross(in, rhs, &c, &theta);
    if (status != SAL_OK)
        return status;
    if (theta <= 1)
        *result = SAL_REACHED_CROSSING;
    *t = time_at(&c, theta);
    sal_integrator_interpolate(in, fmin(theta, 1), x);
    if (theta < 1)
        sal_integrator_cut(in, *t, INFINITY);
    return SAL_OK;
}

sal_status sal_integrator_advance(sal_integrator *in, const sal_rhs *rhs, const sal_limits *limits, int64_t max_steps,
                                  const sal_surface *surface, double *t, double *x, sal_step_result *result) {
    sal_step_result mine = SAL_TIME_ADVANCED;
    sal_status status = SAL_OK;
    for (int64_t steps = 1; status == SAL_OK && mine == SAL_TIME_ADVANCED; steps++) {
        status = once(in, rhs, limits, surface, t, x, &mine);
        if (status == SAL_OK && mine == SAL_TIME_ADVANCED && steps == max_steps)
            mine = SAL_REACHED_STEP_LIMIT;
    }
    if (status == SAL_OK && result)
        *result = mine;
    return status;
}

sal_status sal_integrator_single_fixed_step(sal_integrator *in, const sal_rhs *rhs, double target, double *t, double *x,
                                            bool *taken) {
    if (!in->initialized || !in->config.fixed_step)
        return SAL_ESTATE;
    const sal_limits to = {INFINITY, INFINITY, target};
    const double max_step = in->config.max_step;
    in->config.max_step = target - *t;
    in->steps.no_halving = true;
    const sal_status status = sal_integrator_step(in, rhs, *t, x, &to, NULL);
    in->steps.no_halving = false;
    in->config.max_step = max_step;
    if (status == SAL_OK) {
        *t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), (size_t)in->n * sizeof *x);
    }
    *taken = status == SAL_OK;
    return status == SAL_ESTEP ? SAL_OK : status;
}
