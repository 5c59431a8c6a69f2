/* Drake's schemes one by one (D-221 to D-229), as part of a run: the result of a step, its estimate, the polynomials
 * that are exact, and the evaluations. Tests of stiff schemes are in implicit_test.c. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/integrator.h"

static const double eps = DBL_EPSILON;

/* ---- problems ---- */

/* x = (q, v, z), with all components nonlinear and coupled. */
static sal_status world(void *user, double t, const double *x, double *dx) {
    (void)user;
    dx[0] = x[1];
    dx[1] = -x[0] * x[0] - 0.3 * x[1] * x[2] + 0.25 * t;
    dx[2] = x[0] * x[1] - 0.5 * x[2] + t * t;
    return SAL_OK;
}
static const double world_start[3] = {0.4, -0.2, 0.3};

/* x' of a polynomial whose degree is *user: t^d + 5 t^(d-1) + ... + 5 */
static sal_status polynomial_rate(void *user, double t, const double *x, double *dx) {
    const int degree = *(const int *)user;
    (void)x;
    dx[0] = degree;
    for (int k = degree - 1; k > 0; k--)
        dx[0] = dx[0] * t + 5 * k;
    return SAL_OK;
}
static double polynomial(int degree, double t) {
    double x = 1;
    for (int k = 0; k < degree; k++)
        x = x * t + 5;
    return x;
}

static sal_status power_rate(void *user, double t, const double *x, double *dx) {
    const int p = *(const int *)user;
    (void)x;
    dx[0] = p;
    for (int i = 1; i < p; i++)
        dx[0] *= t;
    return SAL_OK;
}

/* ---- runs ---- */

typedef struct outcome {
    double x[3], err[3];
    int64_t evaluations;
} outcome;

/* Equal steps from 0. With nq = nv = 0, q is not declared. */
static outcome go(const char *name, const sal_rhs *rhs, const double *x0, double h, int steps, int nq, int nv) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(name);
    config.max_step = h;
    config.fixed_step = true;
    if (sal_method_error_order(config.method) > 0)
        config.accuracy = 1e-13; /* of Newton's iteration */
    sal_integrator *in = NULL;
    outcome got = {{0}, {0}, 0};
    CHECK(sal_integrator_new(NULL, &config, rhs->n, &in) == SAL_OK);
    CHECK(sal_integrator_set_split(in, nq, nv) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    memcpy(got.x, x0, sizeof *x0 * (size_t)rhs->n);
    const sal_limits to = {INFINITY, INFINITY, h * steps};
    double t = 0;
    CHECK(sal_integrator_advance(in, rhs, &to, 0, NULL, &t, got.x, NULL) == SAL_OK && t == h * steps);
    CHECK(sal_integrator_statistics(in)->steps == steps);
    if (sal_integrator_error_estimate(in))
        memcpy(got.err, sal_integrator_error_estimate(in), sizeof *x0 * (size_t)rhs->n);
    got.evaluations = sal_integrator_statistics(in)->derivative_evaluations;
    sal_integrator_free(in);
    return got;
}

/* ---- the tableaus as published ---- */

enum { MOST_STAGES = 7 };
typedef struct tableau {
    const char *name;
    int stages, each, first; /* evaluations: of each step, and extra ones of the first */
    double c[MOST_STAGES], a[MOST_STAGES][MOST_STAGES], b[MOST_STAGES], embedded[MOST_STAGES];
} tableau;

/* D-222 to D-225: the explicit trapezoid; Kutta's third-order method with its own midpoint; P. Bogacki, L. F.
 * Shampine, Applied Mathematics Letters 2, 1989; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I,
 * table II.5.2. Drake evaluates the last stage of the last two again in the next step, Saltus does not. */
static const tableau published[] = {
    {"runge_kutta2", 2, 2, 0, {0, 1}, {{0}, {1}}, {0.5, 0.5}, {0}},
    {"runge_kutta3", 3, 3, 0, {0, 0.5, 1}, {{0}, {0.5}, {-1, 2}}, {1. / 6, 4. / 6, 1. / 6}, {0, 1, 0}},
    {"bogacki_shampine3",
     4,
     3,
     1,
     {0, 0.5, 0.75, 1},
     {{0}, {0.5}, {0, 0.75}, {2. / 9, 1. / 3, 4. / 9}},
     {2. / 9, 1. / 3, 4. / 9},
     {7. / 24, 1. / 4, 1. / 3, 1. / 8}},
    {"runge_kutta5",
     7,
     6,
     1,
     {0, 0.2, 0.3, 0.8, 8. / 9, 1, 1},
     {{0},
      {1. / 5},
      {3. / 40, 9. / 40},
      {44. / 45, -56. / 15, 32. / 9},
      {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
      {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
      {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}},
     {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0},
     {5179. / 57600, 0, 7571. / 16695, 393. / 640, -92097. / 339200, 187. / 2100, 1. / 40}},
};
enum { PUBLISHED = sizeof published / sizeof *published };

/* One step of a method from the start, and its result minus the embedded one. */
static outcome by_hand(const tableau *w, double h) {
    double k[MOST_STAGES][3], x[3];
    outcome made = {{0}, {0}, 0};
    for (int s = 0; s < w->stages; s++) {
        for (int i = 0; i < 3; i++) {
            x[i] = world_start[i];
            for (int j = 0; j < s; j++)
                x[i] += h * w->a[s][j] * k[j][i];
        }
        world(NULL, w->c[s] * h, x, k[s]);
    }
    for (int i = 0; i < 3; i++) {
        made.x[i] = world_start[i];
        for (int j = 0; j < w->stages; j++) {
            made.x[i] += h * w->b[j] * k[j][i];
            made.err[i] += h * (w->b[j] - w->embedded[j]) * k[j][i];
        }
    }
    return made;
}

static void steps_as_published(const tableau *w) {
    const sal_rhs rhs = {3, world, NULL};
    const double h = 0.125;
    const outcome wanted = by_hand(w, h), got = go(w->name, &rhs, world_start, h, 1, 1, 1);
    const bool estimates = sal_method_error_order(sal_method_find(w->name)) > 0;
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(got.x[i], wanted.x[i], 2 * eps);
        CHECK_NEAR(fabs(got.err[i]), estimates ? fabs(wanted.err[i]) : 0, eps);
    }
    CHECK(go(w->name, &rhs, world_start, h, 8, 1, 1).evaluations == 8 * w->each + w->first);
}

/* ---- D-221 ---- */

static void is_euler(void) {
    const sal_rhs rhs = {3, world, NULL};
    const double h = 0.125, *x0 = world_start;
    double f[3], later[3], wanted[3];
    world(NULL, 0, x0, f);
    for (int i = 0; i < 3; i++)
        wanted[i] = x0[i] + h * f[i];
    const outcome euler = go("explicit_euler", &rhs, x0, h, 1, 1, 1);
    CHECK(memcmp(euler.x, wanted, sizeof wanted) == 0 && euler.evaluations == 1);

    /* v and z with the old derivatives, then q with the new v */
    world(NULL, 0, wanted, later);
    wanted[0] = x0[0] + h * later[0];
    const outcome semi = go("semi_explicit_euler", &rhs, x0, h, 1, 1, 1);
    CHECK(memcmp(semi.x, wanted, sizeof wanted) == 0 && semi.x[0] != euler.x[0]);
    CHECK(memcmp(go("semi_explicit_euler", &rhs, x0, h, 1, 1, 2).x, wanted, sizeof wanted) == 0); /* z a v too */

    const outcome whole = go("semi_explicit_euler", &rhs, x0, h, 40, 0, 0),
                  same = go("explicit_euler", &rhs, x0, h, 40, 0, 0);
    CHECK(memcmp(whole.x, same.x, sizeof same.x) == 0 && whole.evaluations == same.evaluations);
    CHECK(memcmp(go("semi_explicit_euler", &rhs, x0, h, 40, 1, 1).x, same.x, sizeof same.x) != 0);
}

/* ---- D-221 to D-225, D-228: polynomials ---- */

static double error_in_one_step(const char *name, int degree, double h) {
    const sal_rhs rhs = {1, polynomial_rate, &degree};
    const double x0 = polynomial(degree, 0), x1 = polynomial(degree, h);
    return fabs(go(name, &rhs, &x0, h, 1, 0, 0).x[0] / x1 - 1);
}

/* And no further. */
static void is_exact_up_to(const char *name, int degree, double tolerance) {
    for (int d = 1; d <= degree; d++)
        for (double h = 0.25; h <= 1; h *= 2)
            CHECK_NEAR(error_in_one_step(name, d, h), 0, tolerance);
    CHECK(error_in_one_step(name, degree + 1, 1) > 1e-6);
}

/* Zero for polynomials of lower degree than its order, and decreasing as h^order for that degree. */
static void estimates_nothing_below(const char *name, int order) {
    const double zero = 0;
    for (int p = 1; p < order; p++) {
        const sal_rhs rhs = {1, power_rate, &p};
        CHECK_NEAR(go(name, &rhs, &zero, 1, 1, 0, 0).err[0], 0, 2 * eps);
    }
    const sal_rhs rhs = {1, power_rate, &order};
    const double coarse = go(name, &rhs, &zero, 1, 1, 0, 0).err[0], fine = go(name, &rhs, &zero, 0.5, 1, 0, 0).err[0];
    CHECK(fabs(coarse) > 1e-4);
    CHECK_NEAR(coarse / fine / pow(2, order), 1, 1e-10);
}

/* ---- D-226, D-229: what the implicit ones of first order are ---- */

enum { RATE = 3 };
static sal_status decay(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = -RATE * x[0];
    return SAL_OK;
}

/* x' = -3 x has a closed solution: for the state, and for the estimate. */
static void take_their_own_steps(void) {
    const sal_rhs rhs = {1, decay, NULL};
    const double one = 1, h = 0.25, whole = 1 / (1 + RATE * h), half = 1 / (1 + RATE * h / 2);
    const double trapezoid = (1 - RATE * h / 2) / (1 + RATE * h / 2);
    const char *const halving[] = {"implicit_euler", "velocity_implicit_euler"};
    for (int k = 0; k < 2; k++) {
        const outcome got = go(halving[k], &rhs, &one, h, 1, 0, 0);
        CHECK_NEAR(got.x[0], half * half, 1e-14);
        CHECK_NEAR(got.err[0], whole - half * half, 1e-14);
    }
    const outcome got = go("radau1", &rhs, &one, h, 1, 0, 0);
    CHECK_NEAR(got.x[0], whole, 1e-14);
    CHECK_NEAR(got.err[0], whole - trapezoid, 1e-14);
}

/* x' = A x + (0, sin 2t): the problem of the recorded runs. */
static sal_status forced(void *user, double t, const double *x, double *dx) {
    (void)user;
    dx[0] = -2 * x[0] + x[1];
    dx[1] = x[0] - 3 * x[1] + sin(2 * t);
    return SAL_OK;
}

/* y = b + w (A y + (0, sin 2t)), by Cramer's rule. */
static void solve(double w, double t, const double *b, double *y) {
    const double p = 1 + 2 * w, q = 1 + 3 * w, determinant = p * q - w * w, b1 = b[1] + w * sin(2 * t);
    y[0] = (q * b[0] + w * b1) / determinant;
    y[1] = (w * b[0] + p * b1) / determinant;
}

/* D-229: radau1 is backward Euler with the implicit trapezoid as its estimate, step by step and in its counts: as
 * recorded from Drake, the "forced linear: radau1" of spec/data/drake/D12-fixed-step.json. A Jacobian by differences
 * takes one evaluation less here. */
static void is_backward_euler(void) {
    enum { STEPS = 8 };
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find("radau1");
    config.max_step = 0.0625;
    config.fixed_step = true;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    const sal_rhs rhs = {2, forced, NULL};
    const sal_limits to = {INFINITY, INFINITY, INFINITY};
    const double h = config.max_step;
    double t = 0, x[2] = {1, -0.5};
    for (int k = 0; k < STEPS; k++) {
        double f[2], euler[2], half[2], trapezoid[2];
        forced(NULL, t, x, f);
        solve(h, t + h, x, euler);
        for (int i = 0; i < 2; i++)
            half[i] = x[i] + h / 2 * f[i];
        solve(h / 2, t + h, half, trapezoid);
        CHECK(sal_integrator_advance(in, &rhs, &to, 1, NULL, &t, x, NULL) == SAL_OK && t == (k + 1) * h);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(x[i], euler[i], 2 * eps);
            CHECK_NEAR(sal_integrator_error_estimate(in)[i], euler[i] - trapezoid[i], 2 * eps);
        }
    }
    const sal_implicit_stats s = sal_integrator_implicit_statistics(in);
    CHECK(s.total.derivative_evaluations == 43 - 1 && s.estimator.derivative_evaluations == 16);
    CHECK(s.total.derivative_evaluations_for_jacobians == 3 - 1);
    CHECK(s.estimator.derivative_evaluations_for_jacobians == 0);
    CHECK(s.total.jacobians == 1 && s.estimator.jacobians == 0);
    CHECK(s.total.factorizations == 2 && s.estimator.factorizations == 1);
    CHECK(s.total.newton_iterations == 32 && s.estimator.newton_iterations == 16);
    sal_integrator_free(in);
}

int main(void) {
    is_euler();
    for (int k = 0; k < PUBLISHED; k++)
        steps_as_published(&published[k]);
    is_exact_up_to("explicit_euler", 1, eps);
    is_exact_up_to("semi_explicit_euler", 1, eps);
    is_exact_up_to("runge_kutta2", 2, 10 * eps);
    is_exact_up_to("runge_kutta3", 4, eps); /* Simpson's rule */
    is_exact_up_to("bogacki_shampine3", 3, eps);
    is_exact_up_to("runge_kutta5", 5, eps);
    is_exact_up_to("radau3", 3, eps);
    estimates_nothing_below("runge_kutta3", 3);
    estimates_nothing_below("bogacki_shampine3", 3);
    estimates_nothing_below("runge_kutta5", 5);
    take_their_own_steps();
    is_backward_euler();
    return check_summary();
}
