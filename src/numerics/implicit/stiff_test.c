/* Standard stiff problems: radau5 and rodas4 compared with references that are accurate to 1e-12
 * (spec/data/stiff/README.md). */
#include "../../../spec/support/stiff.h"

#include "base/test_check.h"
#include "saltus/integrator.h"

static sal_status eval(void *user, double t, const double *x, double *dx) {
    const stiff_problem *p = user;
    p->rates(t, x, dx);
    return SAL_OK;
}

static sal_integrator_stats last_run;

/* The greatest error of any variable, relative to its size. */
static double solve(const stiff_problem *p, const char *method, double accuracy, bool told, sal_implicit_counts *counts,
                    double *x) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(method);
    config.accuracy = accuracy;
    config.lower = told ? p->lower : -1;
    config.upper = told ? p->upper : -1;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, p->n, &in) == SAL_OK);
    for (int i = 0; i < p->n; i++)
        sal_integrator_set_weight(in, i, 1 / p->smallest, true);
    sal_integrator_initialize(in);
    p->start(x);
    const sal_rhs rhs = {p->n, eval, (void *)(size_t)p};
    const sal_limits to = {INFINITY, INFINITY, p->end};
    double t = 0;
    sal_status status = SAL_OK;
    while (t < p->end && status == SAL_OK) {
        status = sal_integrator_step(in, &rhs, t, x, &to, NULL);
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), (size_t)p->n * sizeof *x);
    }
    CHECK(status == SAL_OK);
    *counts = sal_integrator_implicit_statistics(in).total;
    last_run = *sal_integrator_statistics(in);
    sal_integrator_free(in);
    return stiff_error(p, x);
}

/* The error at the end is at most three times the accuracy, ten times at the tightest. */
static void reaches_its_accuracy(const stiff_problem *p) {
    static double x[STIFF_BIGGEST];
    static const struct {
        const char *method;
        double accuracy, error;
    } wanted[] = {{"radau5", 1e-4, 3e-4}, {"radau5", 1e-6, 3e-6}, {"radau5", 1e-10, 1e-9},
                  {"rodas4", 1e-4, 3e-4}, {"rodas4", 1e-6, 3e-6}, {"rodas4", 1e-9, 3e-9}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        sal_implicit_counts counts;
        const double error = solve(p, wanted[k].method, wanted[k].accuracy, true, &counts, x);
        CHECK_NEAR(error, 0, wanted[k].error);
        if (!(error <= wanted[k].error))
            printf("    %s at %g on %s\n", wanted[k].method, wanted[k].accuracy, p->name);
    }
}

/* A detected band gives exactly the same run as a given one: it costs n + 1 evaluations for the probe and one more
 * for each Jacobian. */
static void finds_the_band(const stiff_problem *p) {
    static double told[STIFF_BIGGEST], found[STIFF_BIGGEST];
    sal_implicit_counts a, b;
    solve(p, "radau5", 1e-6, true, &a, told);
    solve(p, "radau5", 1e-6, false, &b, found);
    CHECK(memcmp(told, found, (size_t)p->n * sizeof *told) == 0);
    CHECK(b.derivative_evaluations <= a.derivative_evaluations + p->n + 1 + b.jacobians);
}

/* The predictive controller avoids rejections: without it a third of the steps of these two are rejected. */
static void rarely_rejects(const char *problem, const char *method) {
    double x[3];
    sal_implicit_counts counts;
    solve(stiff_find(problem), method, 1e-5, true, &counts, x);
    CHECK(last_run.rejected_steps * 15 < last_run.steps);
}

int main(void) {
    rarely_rejects("van_der_pol", "radau5");
    rarely_rejects("van_der_pol", "rodas4");
    rarely_rejects("orego", "radau5");
    rarely_rejects("orego", "rodas4");
    for (int i = 0; i < STIFF_PROBLEMS; i++) {
        reaches_its_accuracy(&stiff_problems[i]);
        if (stiff_problems[i].lower >= 0)
            finds_the_band(&stiff_problems[i]);
    }
    return check_summary();
}
