/* What a right-hand side costs with the engine around it: Lorenz to t = 10 at
 * 1e-6, tsitouras5 through the simulator, over GSL's rk8pd. Seconds of a run by
 * evaluations, the least of many runs, the two in turn. Prints `key value` lines. */
#include "clock.h"

#include "lorenz.h"

#if defined(__has_include)
#if __has_include(<gsl/gsl_odeiv2.h>)
#define HAVE_GSL
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#endif
#endif

static double ours(sal_simulator *sim) {
    sal_context *ctx = sal_simulator_context(sim);
    double *x = sal_context_edit(ctx, SAL_Z);
    x[0] = x[1] = x[2] = 1;
    sal_context_set_time(ctx, 0);
    sal_simulator_reset_statistics(sim);
    sal_report report = {0};
    const double begin = now();
    if (sal_simulator_initialize(sim, false, &report) != SAL_OK ||
        sal_simulator_advance_to(sim, 10, &report) != SAL_OK) {
        fprintf(stderr, "c_rhs: %s\n", report.note.text);
        exit(1);
    }
    return (now() - begin) / (double)sal_simulator_statistics(sim).derivative_evaluations;
}

#ifdef HAVE_GSL
static int64_t calls;

static int gsl_rhs(double t, const double *x, double *dx, void *user) {
    (void)t, (void)user;
    calls++;
    lorenz(x, dx);
    return GSL_SUCCESS;
}

static double theirs(void) {
    gsl_odeiv2_system sys = {gsl_rhs, NULL, 3, NULL};
    gsl_odeiv2_driver *driver = gsl_odeiv2_driver_alloc_y_new(&sys, gsl_odeiv2_step_rk8pd, 1e-6, 1e-6, 1e-6);
    double t = 0, x[3] = {1, 1, 1};
    calls = 0;
    const double begin = now();
    gsl_odeiv2_driver_apply(driver, &t, 10, x);
    const double each = (now() - begin) / (double)calls;
    gsl_odeiv2_driver_free(driver);
    return each;
}
#endif

int main(void) {
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find("tsitouras5");
    config.integrator.accuracy = 1e-6;
    sal_simulator *sim = new_lorenz(&config);
    double best = 1, peer = 1;
    for (int i = 0; i < 1000 * patience(); i++) {
        const double mine = ours(sim);
        best = mine < best ? mine : best;
#ifdef HAVE_GSL
        const double gsl = theirs();
        peer = gsl < peer ? gsl : peer;
#endif
    }
    printf("ours %.3f\n", best * 1e9);
    if (peer < 1)
        printf("theirs %.3f\n", peer * 1e9);
    return 0;
}
