/* Problems for tests of implicit methods, and how they are solved. */
#ifndef SAL_TEST_PROBLEMS_H
#define SAL_TEST_PROBLEMS_H

#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "implicit.h"

typedef struct world {
    double rate;
    double wall; /* beyond this x the problem requests a smaller step */
} world;

static inline sal_status pendulum(void *user, double t, const double *x, double *dx) {
    (void)user;
    dx[0] = x[1];
    dx[1] = -sin(x[0]) - 0.1 * x[1] + 0.2 * x[2];
    dx[2] = -0.5 * x[2] + cos(t);
    return SAL_OK;
}

static inline sal_status relaxing(void *user, double t, const double *x, double *dx) {
    const world *w = user;
    if (w->wall != 0 && fabs(x[0]) > w->wall)
        return SAL_RETRY;
    dx[0] = -w->rate * (x[0] - cos(t)) - sin(t);
    return SAL_OK;
}

static inline sal_status robertson(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = -0.04 * x[0] + 1e4 * x[1] * x[2];
    dx[2] = 3e7 * x[1] * x[1];
    dx[1] = -dx[0] - dx[2];
    return SAL_OK;
}

static inline sal_integrator_config named(const char *name, double max_step) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(name);
    config.max_step = max_step;
    return config;
}

static inline sal_integrator_config in_equal_steps(const char *name, double step) {
    sal_integrator_config config = named(name, step);
    config.fixed_step = true;
    return config;
}

static inline sal_integrator *make(const sal_integrator_config *config, int n) {
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, config, n, &in) == SAL_OK);
    CHECK(sal_integrator_initialize(in) == SAL_OK);
    return in;
}

static inline sal_status go(sal_integrator *in, const sal_rhs *rhs, double t, double end, double *x) {
    sal_status status = SAL_OK;
    while (t < end && status == SAL_OK) {
        const sal_limits to = {INFINITY, INFINITY, end};
        status = sal_integrator_step(in, rhs, t, x, &to, NULL);
        if (status == SAL_OK) {
            t = sal_integrator_end_time(in);
            memcpy(x, sal_integrator_end(in), sizeof *x * (size_t)rhs->n);
        }
    }
    return status;
}

#endif
