/* Piecewise polynomials alone, and as the dense output of runs. */
#include "saltus/polynomial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/integrator.h"

/* x = t^2 and y = 3 - t on [t0, t1]. */
static sal_status append_parabola(sal_polynomial *p, double t0, double t1) {
    const double h = t1 - t0, x0[2] = {t0 * t0, 3 - t0}, c[4] = {2 * t0 * h, -h, h * h, 0};
    return sal_polynomial_append(p, t0, t1, x0, c);
}

static void checks_parabola(const sal_polynomial *p, double t) {
    double x[2] = {NAN, NAN}, dx[2] = {NAN, NAN};
    CHECK(sal_polynomial_value(p, t, x) == SAL_OK && sal_polynomial_rate(p, t, dx) == SAL_OK);
    CHECK_NEAR(x[0], t * t, 1e-15);
    CHECK_NEAR(x[1], 3 - t, 1e-15);
    CHECK_NEAR(dx[0], 2 * t, 1e-14);
    CHECK_NEAR(dx[1], -1, 1e-14);
}

static void joins_segments(void) {
    sal_polynomial *p = NULL;
    double x[2];
    CHECK(sal_polynomial_new(NULL, 2, 2, &p) == SAL_OK);
    CHECK(sal_polynomial_segments(p) == 0 && isnan(sal_polynomial_break(p, 0)));
    CHECK(sal_polynomial_value(p, 0, x) == SAL_ETIME);
    for (int i = 0; i < 100; i++)
        CHECK(append_parabola(p, i * 0.125, (i + 1) * 0.125) == SAL_OK);
    CHECK(sal_polynomial_segments(p) == 100 && sal_polynomial_size(p) == 2 && sal_polynomial_degree(p) == 2);
    CHECK(sal_polynomial_break(p, 0) == 0 && sal_polynomial_break(p, 3) == 0.375);
    CHECK(sal_polynomial_break(p, 100) == 12.5 && isnan(sal_polynomial_break(p, 101)));
    for (int i = 0; i <= 1000; i++)
        checks_parabola(p, i / 1000. * 1.5);
    CHECK(sal_polynomial_value(p, -1e-9, x) == SAL_ETIME && sal_polynomial_value(p, 12.6, x) == SAL_ETIME);
    CHECK(sal_polynomial_rate(p, NAN, x) == SAL_ETIME);
    sal_polynomial_free(p);
    sal_polynomial_free(NULL);
}

/* 0.1, 0.2, then back to 0.1 and on to 0.15 leaves two segments; then a segment from 0.2 is refused. */
static void redoes_the_last(void) {
    sal_polynomial *p = NULL;
    CHECK(sal_polynomial_new(NULL, 2, 2, &p) == SAL_OK);
    CHECK(append_parabola(p, 0, 0.1) == SAL_OK && append_parabola(p, 0.1, 0.2) == SAL_OK);
    CHECK(append_parabola(p, 0.1, 0.15) == SAL_OK);
    CHECK(sal_polynomial_segments(p) == 2 && sal_polynomial_break(p, 2) == 0.15);
    CHECK(append_parabola(p, 0.2, 0.3) == SAL_ETIME && append_parabola(p, 0.15, 0.15) == SAL_ETIME);
    CHECK(append_parabola(p, NAN, 1) == SAL_ETIME && append_parabola(p, 0.15, INFINITY) == SAL_ETIME);
    sal_polynomial_truncate(p, 0.125);
    CHECK(sal_polynomial_segments(p) == 2 && sal_polynomial_break(p, 2) == 0.125);
    checks_parabola(p, 0.12);
    CHECK(append_parabola(p, 0.05, 0.07) == SAL_OK);
    CHECK(sal_polynomial_segments(p) == 2 && sal_polynomial_break(p, 1) == 0.05);
    checks_parabola(p, 0.02);
    sal_polynomial_clear(p);
    CHECK(sal_polynomial_segments(p) == 0);
    CHECK(append_parabola(p, 7, 8) == SAL_OK);
    sal_polynomial_free(p);
}

static void keeps_jumps(void) {
    sal_polynomial *p = NULL;
    double x;
    CHECK(sal_polynomial_new(NULL, 1, 1, &p) == SAL_OK);
    CHECK(sal_polynomial_append(p, 0, 1, &(double){0}, &(double){1}) == SAL_OK);
    CHECK(sal_polynomial_append(p, 1, 2, &(double){5}, &(double){1}) == SAL_OK);
    CHECK(sal_polynomial_value(p, 0.75, &x) == SAL_OK && x == 0.75);
    CHECK(sal_polynomial_value(p, 1, &x) == SAL_OK && x == 5); /* the later one's */
    CHECK(sal_polynomial_value(p, 2, &x) == SAL_OK && x == 6);
    sal_polynomial_free(p);
}

/* ---- of an integrator ---- */

static sal_status spring(void *user, double t, const double *x, double *dx) {
    (void)t;
    ++*(int *)user;
    dx[0] = x[1];
    dx[1] = -x[0];
    return SAL_OK;
}

static void follows_a_run(const char *name) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(name);
    config.max_step = 0.25;
    if (sal_method_error_order(config.method) > 0)
        config.accuracy = 1e-7;
    else
        config.fixed_step = true;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    sal_polynomial *dense = NULL;
    CHECK(sal_integrator_stop_dense_output(in, &dense) == SAL_ESTATE);
    CHECK(sal_integrator_start_dense_output(in) == SAL_OK && sal_integrator_start_dense_output(in) == SAL_ESTATE);
    int calls = 0, steps = 0;
    const sal_rhs rhs = {2, spring, &calls};
    double t = 0, x[2] = {1, 0}, y[2], last[2] = {1, 0};
    while (t < 3) {
        const sal_limits to = {INFINITY, INFINITY, 3};
        CHECK(sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_OK);
        const sal_polynomial *so_far = sal_integrator_dense_output(in);
        CHECK(sal_polynomial_segments(so_far) == ++steps && sal_polynomial_break(so_far, steps - 1) == t);
        const double middle = t + 0.5 * (sal_integrator_end_time(in) - t);
        sal_integrator_interpolate(in, (middle - t) / (sal_integrator_end_time(in) - t), y);
        CHECK(sal_polynomial_value(so_far, middle, last) == SAL_OK);
        CHECK_NEAR(last[0], y[0], 1e-15);
        CHECK_NEAR(last[1], y[1], 1e-15);
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), sizeof x);
    }
    CHECK(sal_integrator_statistics(in)->derivative_evaluations == calls);
    CHECK(sal_integrator_stop_dense_output(in, &dense) == SAL_OK && !sal_integrator_dense_output(in));
    sal_integrator_free(in);
    CHECK(sal_polynomial_break(dense, steps) == 3); /* it outlives the integrator */
    CHECK(sal_polynomial_value(dense, 3, y) == SAL_OK);
    CHECK_NEAR(y[0], x[0], 1e-15);
    sal_polynomial_free(dense);
}

/* A cut step ends where it was cut; a repeated step replaces the old one. */
static void follows_cuts(void) {
    sal_integrator_config config = sal_integrator_config_default();
    config.max_step = 0.1;
    config.fixed_step = true;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    CHECK(sal_integrator_start_dense_output(in) == SAL_OK);
    int calls = 0;
    const sal_rhs rhs = {2, spring, &calls};
    const sal_limits to = {INFINITY, INFINITY, 1}, shorter = {INFINITY, INFINITY, 0.02};
    const double x[2] = {1, 0}, other[2] = {2, 0};
    double y[2];
    const sal_polynomial *so_far = sal_integrator_dense_output(in);
    CHECK(sal_integrator_step(in, &rhs, 0, x, &to, NULL) == SAL_OK);
    sal_integrator_cut(in, 0.04, INFINITY);
    CHECK(sal_polynomial_segments(so_far) == 1 && sal_polynomial_break(so_far, 1) == 0.04);
    CHECK(sal_polynomial_value(so_far, 0.03, y) == SAL_OK);
    CHECK_NEAR(y[0], cos(0.03), 1e-8);
    CHECK(sal_integrator_step(in, &rhs, 0.04, other, &to, NULL) == SAL_OK);
    CHECK(sal_polynomial_segments(so_far) == 2);
    CHECK(sal_polynomial_value(so_far, 0.04, y) == SAL_OK && y[0] == 2);
    CHECK(sal_integrator_step(in, &rhs, 0, x, &shorter, NULL) == SAL_OK);
    CHECK(sal_polynomial_segments(so_far) == 1 && sal_polynomial_break(so_far, 1) == 0.02);
    CHECK(sal_integrator_step(in, &rhs, 0.3, x, &to, NULL) == SAL_ETIME); /* a gap */
    CHECK(sal_integrator_initialize(in) == SAL_OK && sal_polynomial_segments(so_far) == 0);
    sal_integrator_free(in); /* with what it has recorded */
}

int main(void) {
    joins_segments();
    redoes_the_last();
    keeps_jumps();
    const sal_method *m;
    for (int k = 0; (m = sal_method_at(k)) != NULL; k++)
        follows_a_run(sal_method_name(m));
    follows_cuts();
    return check_summary();
}
