/* Every method's declared properties: order of the result, the estimate and the interpolant, by halving steps on
 * three problems; exactness for polynomials. */
#include "methods.h"

#include <math.h>
#include <string.h>

#include "base/test_check.h"

typedef struct problem {
    int n;
    double t0, t1, x0[2];
    sal_status (*eval)(void *, double, const double *, double *);
    void (*exact)(double t, double *x);
} problem;

static sal_status oscillator(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    return SAL_OK;
}
static void oscillation(double t, double *x) {
    x[0] = cos(t) + 0.5 * sin(t);
    x[1] = 0.5 * cos(t) - sin(t);
}

static sal_status logistic(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = x[0] * (1 - x[0]) * 2;
    return SAL_OK;
}
static void logistic_curve(double t, double *x) {
    x[0] = 1 / (1 + 4 * exp(-2 * t));
}

static sal_status forced(void *user, double t, const double *x, double *dx) {
    (void)user;
    dx[0] = cos(t) * x[0];
    dx[1] = 2 * t * x[1] * x[1];
    return SAL_OK;
}
static void forced_curve(double t, double *x) {
    x[0] = exp(sin(t));
    x[1] = 1 / (2 - t * t);
}

static const problem problems[] = {
    {2, 0, 2, {1, 0.5}, oscillator, oscillation},
    {1, 0, 1.5, {0.2}, logistic, logistic_curve},
    {2, 0, 1, {1, 0.5}, forced, forced_curve},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

typedef struct errors {
    double ends, inside, slope_inside;
} errors;

/* Largest errors of a run in `steps` equal steps. */
static errors run(const sal_method *m, const problem *p, int steps, bool hermite) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = m;
    config.max_step = (p->t1 - p->t0) / steps;
    config.fixed_step = true;
    config.hermite = hermite;
    if (m->implicit_stages > 0)
        config.accuracy = 1e-12; /* of Newton's iteration */
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, p->n, &in) == SAL_OK);
    sal_integrator_initialize(in);
    const sal_rhs rhs = {p->n, p->eval, NULL};
    double t = p->t0, x[2], y[2], wanted[2];
    memcpy(x, p->x0, sizeof x);
    errors e = {0, 0, 0};
    while (t < p->t1) {
        const sal_limits to = {INFINITY, INFINITY, p->t1};
        CHECK(sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_OK);
        CHECK(sal_integrator_prepare_dense(in, &rhs) == SAL_OK);
        const double h = sal_integrator_end_time(in) - t;
        for (int k = 1; k < 8; k++) {
            double rate[2], wanted_rate[2];
            sal_integrator_interpolate(in, k / 8., y);
            sal_integrator_interpolate_rate(in, k / 8., rate);
            p->exact(t + k / 8. * h, wanted);
            p->eval(NULL, t + k / 8. * h, wanted, wanted_rate);
            for (int i = 0; i < p->n; i++) {
                e.inside = fmax(e.inside, fabs(y[i] - wanted[i]));
                e.slope_inside = fmax(e.slope_inside, fabs(rate[i] - wanted_rate[i]));
            }
        }
        sal_integrator_interpolate(in, 1, y);
        CHECK(memcmp(y, sal_integrator_end(in), sizeof *y * (size_t)p->n) == 0);
        sal_integrator_interpolate(in, 0, y);
        CHECK(memcmp(y, x, sizeof *y * (size_t)p->n) == 0);
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), sizeof *x * (size_t)p->n);
        p->exact(t, wanted);
        for (int i = 0; i < p->n; i++)
            e.ends = fmax(e.ends, fabs(x[i] - wanted[i]));
    }
    CHECK(sal_integrator_statistics(in)->steps == steps);
    sal_integrator_free(in);
    return e;
}

static double order_of(double coarse, double fine) {
    return log(coarse / fine) / log(2);
}

static void has_its_order(const sal_method *m) {
    int steps = m->order >= 8 ? 8 : m->order >= 5 ? 30 : m->order >= 3 ? 160 : 1000;
    if (m->order == 4 && m->implicit_stages > 0)
        steps = 20; /* a Rosenbrock method is as accurate as its Jacobian, here by differences */
    double least = 100, dense = 100, slope = 100;
    for (int k = 0; k < PROBLEMS; k++) {
        if (m->order >= 8)
            steps = k < 2 ? 8 : 16; /* smaller steps would measure rounding */
        const errors coarse = run(m, &problems[k], steps, false), fine = run(m, &problems[k], 2 * steps, false);
        const double order = order_of(coarse.ends, fine.ends);
        CHECK(order > m->order - 0.1);
        least = fmin(least, order);
        dense = fmin(dense, order_of(coarse.inside, fine.inside));
        slope = fmin(slope, order_of(coarse.slope_inside, fine.slope_inside));
    }
    CHECK_NEAR(least, m->order, 0.1);
    CHECK(dense > m->dense_order - 0.1);
    CHECK(slope > m->dense_order - (m->dense_order == 1 ? 0.1 : m->order < 8 ? 0.35 : 0.65));
    const errors h1 = run(m, &problems[0], steps, true), h2 = run(m, &problems[0], 2 * steps, true);
    CHECK(order_of(h1.inside, h2.inside) > fmin(m->order, 3) - 0.1);
}

/* One step of h, directly from the table; returns the estimate too. */
static void attempt(const sal_method *m, const sal_rhs *rhs, double t, double x0, double h, double *x1, double *err) {
    double f0 = 0, f1 = 0, work[12];
    sal_attempt a = {.t = t, .h = h, .t1 = t + h, .x0 = &x0, .f0 = &f0, .x1 = x1, .f1 = &f1, .err = err, .work = work};
    CHECK(m->work <= 12);
    CHECK(rhs->eval(rhs->user, t, &x0, &f0) == SAL_OK && m->attempt(rhs, &a) == SAL_OK);
}

static sal_status power_rate(void *user, double t, const double *x, double *dx) {
    const int p = *(const int *)user;
    (void)x;
    dx[0] = p;
    for (int i = 1; i < p; i++)
        dx[0] *= t;
    return SAL_OK;
}

/* x' = p t^(p-1): a method of order p integrates it exactly; an estimate of order p is zero for t^(p-1) and
 * decreases as h^p. That of dormand_prince8 combines two, of which the better one has order 5. */
static void is_exact_on_polynomials(const sal_method *m) {
    double x, err = 0, fine;
    for (int p = 1; p <= m->order; p++) {
        const sal_rhs rhs = {1, power_rate, &p};
        attempt(m, &rhs, 0, 0, 1, &x, &err);
        CHECK_NEAR(x, 1, 1e-14);
        if (p < m->error_order && p < 6)
            CHECK_NEAR(err, 0, 1e-14);
    }
    if (m->error_order == 0)
        return;
    int p = m->error_order;
    const sal_rhs beyond = {1, power_rate, &p};
    attempt(m, &beyond, 0, 0, 1, &x, &err);
    attempt(m, &beyond, 0, 0, 0.5, &x, &fine);
    CHECK_NEAR(order_of(fabs(err), fabs(fine)), m->error_order, 1e-6);
}

/* The estimate for a problem that is not a quadrature. */
static void estimates_its_order(const sal_method *m) {
    const sal_rhs rhs = {1, logistic, NULL};
    double x, coarse = 0, fine = 0;
    const double h = m->error_order > 3 ? 0.02 : 0.005;
    attempt(m, &rhs, 0, 0.2, h, &x, &coarse);
    attempt(m, &rhs, 0, 0.2, h / 2, &x, &fine);
    if (m->error_order)
        CHECK_NEAR(order_of(fabs(coarse), fabs(fine)), m->error_order, m->error_order < 8 ? 0.1 : 0.25);
}

static void can_be_found(void) {
    int count = 0;
    for (const sal_method *m; (m = sal_method_at(count)) != NULL; count++) {
        CHECK(sal_method_find(sal_method_name(m)) == m);
        CHECK(m->dense_degree >= 1 && (m->methods_by_kind || (m->attempt && m->dense)));
        CHECK((m->error_order == 0) == (isnan(m->default_accuracy) != 0));
        CHECK(!(m->loosest_accuracy < m->default_accuracy));
        CHECK_NEAR(m->margin > 0 ? log2(m->margin) : 0, m->log2_margin, 1e-15);
    }
    CHECK(count >= 17);
    CHECK(sal_method_at(-1) == NULL && sal_method_at(count) == NULL);
    CHECK(sal_method_find("runge") == NULL && sal_method_find(NULL) == NULL);
}

/* x = (q, v): v first, then q with the new v; all at once if q is not declared. */
static void moves_velocity_first(void) {
    const double h = 0.1;
    for (int nq = 0; nq < 2; nq++) {
        sal_integrator_config config = sal_integrator_config_default();
        config.method = sal_method_find("semi_explicit_euler");
        config.max_step = h;
        config.fixed_step = true;
        sal_integrator *in = NULL;
        CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK);
        CHECK(sal_integrator_set_split(in, 2, 1) == SAL_EINVAL && sal_integrator_set_split(in, -1, 0) == SAL_EINVAL);
        CHECK(sal_integrator_set_split(in, nq, nq) == SAL_OK);
        sal_integrator_initialize(in);
        const sal_rhs rhs = {2, oscillator, NULL};
        const sal_limits to = {INFINITY, INFINITY, h};
        const double x[2] = {1, 0.5}, v1 = x[1] - h * x[0];
        CHECK(sal_integrator_step(in, &rhs, 0, x, &to, NULL) == SAL_OK);
        CHECK_NEAR(sal_integrator_end(in)[1], v1, 1e-16);
        CHECK_NEAR(sal_integrator_end(in)[0], x[0] + h * (nq ? v1 : x[1]), 1e-16);
        CHECK(sal_integrator_statistics(in)->derivative_evaluations == 1 + nq);
        sal_integrator_free(in);
    }
}

int main(void) {
    moves_velocity_first();
    can_be_found();
    const sal_method *m;
    for (int k = 0; (m = sal_method_at(k)) != NULL; k++) {
        if (m == &sal__velocity_verlet || m == &sal__symplectic4 || m == &sal__auto)
            continue; /* symplectic_test.c, stiffness_test.c */
        const int before = check_failed;
        has_its_order(m);
        if (m->implicit_stages > 0)
            continue; /* implicit_test.c */
        is_exact_on_polynomials(m);
        estimates_its_order(m);
        if (check_failed != before)
            printf("    in %s\n", m->name);
    }
    return check_summary();
}
