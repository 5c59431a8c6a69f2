/* A spring for the tests of the integrator, and how to integrate it. */
#ifndef SAL_TEST_SPRING_H
#define SAL_TEST_SPRING_H

#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/integrator.h"

/* A right-hand side that counts its calls and fails at a chosen point. */
typedef struct world {
    int n, calls;
    double stiffness;
    double nan_from, retry_above, inside; /* fails from this time on; for steps longer than this, begun at `inside` */
    sal_status answer;
} world;

static inline sal_status spring(void *user, double t, const double *x, double *dx) {
    world *w = user;
    w->calls++;
    if (w->answer != SAL_OK)
        return w->answer;
    if (t - w->inside > w->retry_above)
        return SAL_RETRY;
    dx[0] = x[1];
    dx[1] = t >= w->nan_from ? NAN : -w->stiffness * x[0];
    return SAL_OK;
}

static inline world calm(void) {
    return (world){.n = 2, .stiffness = 1, .nan_from = INFINITY, .retry_above = INFINITY};
}

static inline sal_integrator *make(const char *method, int n, double max_step, bool fixed) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(method);
    config.max_step = max_step;
    config.fixed_step = fixed;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, n, &in) == SAL_OK);
    CHECK(sal_integrator_initialize(in) == SAL_OK);
    return in;
}

/* Steps to a boundary; returns the status of the last step. */
static inline sal_status go(sal_integrator *in, world *w, double *t, double *x, double boundary) {
    const sal_rhs rhs = {2, spring, w};
    const sal_limits to = {INFINITY, INFINITY, boundary};
    sal_status status = SAL_OK;
    while (*t < boundary && (status = sal_integrator_step(in, &rhs, *t, x, &to, NULL)) == SAL_OK) {
        *t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), 2 * sizeof *x);
    }
    return status;
}

#endif
