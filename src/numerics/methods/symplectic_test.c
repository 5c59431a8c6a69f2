/* The methods for x = (q, v): their order, what they conserve over thousands of periods, reversibility, and their
 * order for other models. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "methods.h"

enum { MOST = 4 };

typedef struct problem {
    int n, nq, nv;
    double t1, x0[MOST];
    sal_status (*eval)(void *, double, const double *, double *);
    void (*exact)(double t, double *x);
} problem;

static sal_status pendulum(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = x[1];
    dx[1] = -4 * x[0];
    return SAL_OK;
}
static void swing(double t, double *x) {
    x[0] = cos(2 * t);
    x[1] = -2 * sin(2 * t);
}

/* q = exp(-t^2), with a force that depends on time. */
static sal_status driven(void *user, double t, const double *x, double *dx) {
    (void)user;
    dx[0] = x[1];
    dx[1] = (4 * t * t - 2) * x[0];
    return SAL_OK;
}
static void bell(double t, double *x) {
    x[0] = exp(-t * t);
    x[1] = -2 * t * x[0];
}

/* A rotation at the rate v = 1 + t^2 / 2, as cosine and sine: two q for one v. */
static sal_status turning(void *user, double t, const double *x, double *dx) {
    (void)user;
    dx[0] = -x[1] * x[2];
    dx[1] = x[0] * x[2];
    dx[2] = t;
    return SAL_OK;
}
static void turn(double t, double *x) {
    x[0] = cos(t + t * t * t / 6);
    x[1] = sin(t + t * t * t / 6);
    x[2] = 1 + t * t / 2;
}

/* Friction, and a z: outside the methods' conditions. */
static sal_status damped(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = x[1];
    dx[1] = -2 * x[0] - 2 * x[1];
    dx[2] = x[0] - x[2];
    return SAL_OK;
}
static void decay(double t, double *x) {
    x[0] = exp(-t) * cos(t);
    x[1] = -exp(-t) * (cos(t) + sin(t));
    x[2] = exp(-t) * sin(t);
}

static const problem kind[] = {
    {2, 1, 1, 2, {1, 0}, pendulum, swing},
    {2, 1, 1, 1.5, {1, 0}, driven, bell},
    {3, 2, 1, 2, {1, 0, 1}, turning, turn},
};
static const problem unkind = {3, 1, 1, 2, {1, -1, 0}, damped, decay};

static sal_integrator *make(const sal_method *m, int n, int nq, int nv, double h) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = m;
    config.max_step = h;
    config.fixed_step = true;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, n, &in) == SAL_OK);
    CHECK(sal_integrator_set_split(in, nq, nv) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    return in;
}

static double farther(int n, const double *a, const double *b, double so_far) {
    for (int i = 0; i < n; i++)
        so_far = fmax(so_far, fabs(a[i] - b[i]));
    return so_far;
}

/* Largest errors of a run, at the ends of steps and inside them. */
static void run(const sal_method *m, const problem *p, int steps, double *ends, double *inside) {
    sal_integrator *in = make(m, p->n, p->nq, p->nv, p->t1 / steps);
    const sal_rhs rhs = {p->n, p->eval, NULL};
    double t = 0, x[MOST], y[MOST], wanted[MOST];
    memcpy(x, p->x0, sizeof x);
    *ends = *inside = 0;
    while (t < p->t1) {
        const sal_limits to = {INFINITY, INFINITY, p->t1};
        CHECK(sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_OK);
        CHECK(sal_integrator_prepare_dense(in, &rhs) == SAL_OK);
        for (int k = 1; k < 8; k++) {
            sal_integrator_interpolate(in, k / 8., y);
            p->exact(t + k / 8. * (sal_integrator_end_time(in) - t), wanted);
            *inside = farther(p->n, y, wanted, *inside);
        }
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), sizeof *x * (size_t)p->n);
        p->exact(t, wanted);
        *ends = farther(p->n, x, wanted, *ends);
    }
    sal_integrator_free(in);
}

static void has_order(const sal_method *m, const problem *p, double order, double dense_order) {
    const int steps = order > 2 ? 80 : 300;
    double coarse, fine, coarse_inside, fine_inside;
    run(m, p, steps, &coarse, &coarse_inside);
    run(m, p, 2 * steps, &fine, &fine_inside);
    CHECK_NEAR(log(coarse / fine) / log(2), order, 0.1);
    CHECK(log(coarse_inside / fine_inside) / log(2) > dense_order - 0.1);
}

/* Kepler's ellipse of eccentricity e and period 2 pi, from its perihelion. */
static sal_status kepler(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    const double r2 = x[0] * x[0] + x[1] * x[1], r3 = r2 * sqrt(r2);
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = -x[0] / r3;
    dx[3] = -x[1] / r3;
    return SAL_OK;
}
static void perihelion(double e, double *x) {
    x[0] = 1 - e;
    x[1] = x[2] = 0;
    x[3] = sqrt((1 + e) / (1 - e));
}
static double energy(const double *x) {
    return (x[2] * x[2] + x[3] * x[3]) / 2 - 1 / sqrt(x[0] * x[0] + x[1] * x[1]);
}

static void advance(sal_integrator *in, const sal_rhs *rhs, double *t, double *x, double h) {
    const sal_limits to = {INFINITY, INFINITY, *t + h};
    if (sal_integrator_step(in, rhs, *t, x, &to, NULL) != SAL_OK)
        CHECK(false); /* steps are taken */
    *t = sal_integrator_end_time(in);
    memcpy(x, sal_integrator_end(in), sizeof *x * (size_t)rhs->n);
}

/* The energy error never exceeds its maximum over the first hundred periods by more than 1 %. BENCH=long: over a
 * million periods. */
static void bounds_energy(const sal_method *m) {
    const char *bench = getenv("BENCH");
    const int first = 100, periods = bench && strcmp(bench, "long") == 0 ? 1000000 : 1000, per_period = 128;
    const double h = 2 * 3.14159265358979323846 / per_period;
    const sal_rhs rhs = {4, kepler, NULL};
    sal_integrator *in = make(m, 4, 2, 2, h);
    double x[4], t = 0, early = 0, later = 0;
    perihelion(0.2, x);
    const double begun = energy(x);
    for (int p = 0; p < periods; p++)
        for (int k = 0; k < per_period; k++) {
            advance(in, &rhs, &t, x, h);
            double *most = p < first ? &early : &later;
            *most = fmax(*most, fabs(energy(x) - begun));
        }
    CHECK(early > 0 && early < (m->order > 2 ? 1e-5 : 1e-3));
    CHECK(later < 1.01 * early);
    sal_integrator_free(in);
}

/* Reversibility: with reversed velocities the run returns to its start. */
static void finds_back(const sal_method *m, const problem *p) {
    const double h = p->t1 / 128;
    const sal_rhs rhs = {p->n, p->eval, NULL};
    sal_integrator *in = make(m, p->n, p->nq, p->nv, h);
    double x[MOST], t = 0;
    memcpy(x, p->x0, sizeof x);
    for (int way = 0; way < 2; way++) {
        for (int k = 0; k < 1000; k++)
            advance(in, &rhs, &t, x, h);
        for (int i = 0; i < p->nv; i++)
            x[p->nq + i] = -x[p->nq + i];
    }
    CHECK(farther(p->n, x, p->x0, 0) < 1e-10);
    sal_integrator_free(in);
}

static sal_status steady_turning(void *user, double t, const double *x, double *dx) {
    const sal_status status = turning(user, t, x, dx);
    dx[2] = x[1] - x[0] / 2;
    return status;
}

/* If q' = v: one evaluation a leap, and one for the start. */
static void counts_evaluations(void) {
    const int each[] = {2, 6};
    const sal_method *const methods[] = {&sal__velocity_verlet, &sal__symplectic4};
    for (int k = 0; k < 2; k++) {
        const sal_rhs rhs = {2, pendulum, NULL};
        sal_integrator *in = make(methods[k], 2, 1, 1, 0.01);
        double t = 0, x[2] = {1, 0};
        for (int i = 0; i < 10; i++)
            advance(in, &rhs, &t, x, 0.01);
        CHECK(sal_integrator_statistics(in)->derivative_evaluations == 10 * each[k]);
        sal_integrator_free(in);
    }
}

int main(void) {
    const sal_method *const methods[] = {&sal__velocity_verlet, &sal__symplectic4};
    problem ellipse = {4, 2, 2, 2 * 3.14159265358979323846, {0}, kepler, NULL};
    const problem rolling = {3, 2, 1, 4, {1, 0, 1}, steady_turning, NULL};
    perihelion(0.2, ellipse.x0);
    for (int k = 0; k < 2; k++) {
        const sal_method *m = methods[k];
        for (size_t i = 0; i < sizeof kind / sizeof *kind; i++)
            has_order(m, &kind[i], m->order, m->dense_order);
        has_order(m, &unkind, 2, 2);
        finds_back(m, &ellipse);
        finds_back(m, &kind[0]);
        finds_back(m, &rolling);
        bounds_energy(m);
    }
    counts_evaluations();
    return check_summary();
}
