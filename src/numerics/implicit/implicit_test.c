/* Implicit methods: orders, exactness, stiff problems, halved steps. */
#include "test_problems.h"

static const char *const names[] = {"implicit_euler", "velocity_implicit_euler", "radau1", "radau3", "radau5",
                                    "rodas4"};
enum { NAMES = 6 };

/* ---- problems ---- */

static sal_status steady(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t, (void)x;
    dx[0] = 4;
    return SAL_OK;
}
static sal_status square_of_time(void *user, double t, const double *x, double *dx) {
    (void)user, (void)x;
    dx[0] = 2 * t + 3;
    return SAL_OK;
}
static sal_status cube_of_time(void *user, double t, const double *x, double *dx) {
    (void)user, (void)x;
    dx[0] = 3 * t * t + 2 * t + 5;
    return SAL_OK;
}
static sal_status drifting(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = x[1];
    dx[1] = 0;
    return SAL_OK;
}
static sal_status van_der_pol(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = x[1];
    dx[1] = ((1 - x[0] * x[0]) * x[1] - x[0]) / 1e-6;
    return SAL_OK;
}

/* The end of a run in equal steps, with Newton iterations converged to rounding. */
static void in_steps(const char *name, int steps, double accuracy, double *x) {
    sal_integrator_config config = in_equal_steps(name, 2. / steps);
    config.accuracy = accuracy;
    sal_integrator *in = make(&config, 3);
    sal_integrator_set_split(in, 1, 1);
    const sal_rhs rhs = {3, pendulum, NULL};
    CHECK(go(in, &rhs, 0, 2, x) == SAL_OK);
    sal_integrator_free(in);
}

/* ---- behaviour ---- */

static void has_its_order(const char *name) {
    const sal_method *m = sal_method_find(name);
    const double start[3] = {0.4, -0.2, 0.3};
    double x[4][3];
    for (int k = 0; k < 4; k++) {
        memcpy(x[k], start, sizeof start);
        in_steps(name, (m->order == 1 ? 200 : m->order == 3 ? 25 : m->order == 4 ? 16 : 4) << k, 1e-12, x[k]);
    }
    double coarse = 0, fine = 0; /* differences: no exact solution is needed */
    for (int i = 0; i < 3; i++) {
        coarse = fmax(coarse, fabs(x[1][i] - x[2][i]));
        fine = fmax(fine, fabs(x[2][i] - x[3][i]));
    }
    CHECK_NEAR(log(coarse / fine) / log(2), m->order, 0.1);
}

static void attempt_once(const char *name, sal_status (*eval)(void *, double, const double *, double *), double h,
                         double *x1, double *err, sal_implicit_stats *stats) {
    sal_integrator_config config = in_equal_steps(name, h);
    sal_integrator *in = make(&config, 1);
    const sal_rhs rhs = {1, eval, NULL};
    double x = 0;
    CHECK(go(in, &rhs, 0, h, &x) == SAL_OK);
    *x1 = x;
    *err = in->steps.accepted->err[0];
    *stats = sal_integrator_implicit_statistics(in);
    sal_integrator_free(in);
}

/* In a run of 1 s, a publish at 5e-15 s. */
static void is_explicit_below_the_least_step(void) {
    sal_integrator_config config = named("radau3", INFINITY);
    sal_integrator *in = make(&config, 1);
    const sal_rhs rhs = {1, square_of_time, NULL};
    const sal_limits to = {5e-15, INFINITY, 1};
    double x = 0;
    sal_integrator_set_ideal_step(in, 1);
    CHECK(sal_integrator_step(in, &rhs, 0, &x, &to, NULL) == SAL_OK && sal_integrator_end_time(in) == 5e-15);
    const sal_implicit_stats s = sal_integrator_implicit_statistics(in);
    CHECK(s.total.derivative_evaluations == 4 && s.total.newton_iterations == 0);
    sal_integrator_free(in);
}

/* D-227, D-228. */
static void estimates_exactly_on_polynomials(void) {
    double x, e, finer;
    sal_implicit_stats s;
    for (int k = 0; k < 3; k++) {
        attempt_once(names[k], square_of_time, 1, &x, &e, &s);
        CHECK_NEAR(e, x - 4, 1e-14); /* t^2 + 3 t */
        attempt_once(names[k], square_of_time, 0.5, &x, &finer, &s);
        CHECK_NEAR(e / finer, 4, 1e-12);
    }
    attempt_once("radau3", cube_of_time, 1, &x, &e, &s);
    CHECK_NEAR(x, 7, 4e-15);
    attempt_once("radau3", square_of_time, 1, &x, &e, &s);
    CHECK_NEAR(e, 0, 4e-15);
    CHECK(s.total.derivative_evaluations == 8);
    is_explicit_below_the_least_step();
    attempt_once("radau1", square_of_time, 1, &x, &e, &s);
    CHECK(s.total.derivative_evaluations == 6);
    attempt_once("radau1", steady, 1, &x, &e, &s);
    CHECK(s.total.derivative_evaluations == 6);
    CHECK_NEAR(x, 4, 4e-15);
    CHECK_NEAR(e, 0, 4e-15);
}

static void crosses_a_long_drift(const char *name) {
    sal_integrator_config config = in_equal_steps(name, 3.1415926);
    sal_integrator *in = make(&config, 2);
    sal_integrator_set_split(in, 1, 1);
    const sal_rhs rhs = {2, drifting, NULL};
    double x[2] = {0, 1};
    CHECK(go(in, &rhs, 0, 3.1415926, x) == SAL_OK);
    CHECK_NEAR(x[0], 3.1415926, 1e-10);
    CHECK_NEAR(x[1], 1, 1e-10);
    sal_integrator_free(in);
}

static void agrees_without_configuration(void) {
    const double start[3] = {0.4, -0.2, 0.3};
    double x[2][3];
    for (int k = 0; k < 2; k++) {
        memcpy(x[k], start, sizeof start);
        sal_integrator_config config = named(names[k], 0.1);
        config.accuracy = 1e-4;
        sal_integrator *in = make(&config, 3);
        const sal_rhs rhs = {3, pendulum, NULL};
        CHECK(go(in, &rhs, 0, 1, x[k]) == SAL_OK);
        sal_integrator_free(in);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
}

static sal_status geared(void *user, double t, const double *x, double *dx) {
    (void)user;
    dx[0] = (1 + 0.5 * sin(x[0])) * x[1]; /* q' = N(q) v */
    dx[1] = -4 * x[0] - 0.2 * x[1] + cos(t);
    return SAL_OK;
}

/* The same equations as implicit Euler's, solved in another way. */
static void follows_configuration(void) {
    double x[2][2];
    for (int k = 0; k < 2; k++) {
        x[k][0] = 0.7, x[k][1] = -0.3;
        sal_integrator_config config = in_equal_steps(names[k], 0.05);
        config.accuracy = 1e-12;
        sal_integrator *in = make(&config, 2);
        CHECK(sal_integrator_set_split(in, 1, 1) == SAL_OK);
        const sal_rhs rhs = {2, geared, NULL};
        CHECK(go(in, &rhs, 0, 3, x[k]) == SAL_OK);
        CHECK(sal_integrator_statistics(in)->steps == 60);
        sal_integrator_free(in);
    }
    CHECK_NEAR(x[1][0], x[0][0], 1e-11);
    CHECK_NEAR(x[1][1], x[0][1], 1e-11);
}

/* A rate of 1e6: an explicit method would need steps of 2e-6. */
static void is_not_held_up_by_stiffness(const char *name) {
    world w = {.rate = 1e6};
    sal_integrator_config config = named(name, 0.5);
    config.accuracy = 1e-4;
    sal_integrator *in = make(&config, 1);
    const sal_rhs rhs = {1, relaxing, &w};
    double x = 1;
    CHECK(go(in, &rhs, 0, 10, &x) == SAL_OK);
    CHECK_NEAR(x, cos(10), 1e-5);
    CHECK(sal_integrator_statistics(in)->steps < 2000);
    sal_integrator_free(in);
}

/* Hairer and Wanner's test set again: t = 1e11, where x[0] = 2.083340149701255e-8. */
static void solves_robertson_to_the_end(void) {
    sal_integrator_config config = named("radau5", INFINITY);
    config.accuracy = 1e-6;
    config.initial_step = 1e-6;
    sal_integrator *in = make(&config, 3);
    const double smallest[3] = {1e-8, 1e-12, 1};
    for (int i = 0; i < 3; i++)
        sal_integrator_set_weight(in, i, 1 / smallest[i], true);
    const sal_rhs rhs = {3, robertson, NULL};
    double x[3] = {1, 0, 0};
    CHECK(go(in, &rhs, 0, 1e11, x) == SAL_OK);
    CHECK_NEAR(x[0] / 2.083340149701255e-8, 1, 1e-5);
    CHECK_NEAR(x[1] / 8.333360770334713e-14, 1, 1e-5);
    CHECK(sal_integrator_statistics(in)->steps < 600);
    CHECK(sal_integrator_implicit_statistics(in).total.jacobians < 40);
    sal_integrator_free(in);
}

/* And van der Pol's equation, eps = 1e-6, t = 2. */
static void solves_van_der_pol(void) {
    sal_integrator_config config = named("radau5", INFINITY);
    config.accuracy = 1e-6;
    config.initial_step = 1e-6;
    sal_integrator *in = make(&config, 2);
    for (int i = 0; i < 2; i++)
        sal_integrator_set_weight(in, i, 1, true);
    const sal_rhs rhs = {2, van_der_pol, NULL};
    double x[2] = {2, 0};
    CHECK(go(in, &rhs, 0, 2, x) == SAL_OK);
    CHECK_NEAR(x[0], 1.706167732170469, 1e-6);
    CHECK_NEAR(x[1], -0.8928097010248125, 1e-6);
    CHECK(sal_integrator_statistics(in)->steps < 1000);
    sal_integrator_free(in);
}

/* Largest error inside the steps of a run whose solution is known. */
static double inside_error(const char *name, int steps) {
    world w = {.rate = 1};
    sal_integrator_config config = in_equal_steps(name, 1. / steps);
    config.accuracy = 1e-13;
    sal_integrator *in = make(&config, 1);
    const sal_rhs rhs = {1, relaxing, &w};
    double t = 0, x = 2, y, worst = 0; /* x = cos t + exp(-t) */
    while (t < 1) {
        const sal_limits to = {INFINITY, INFINITY, 1};
        CHECK(sal_integrator_step(in, &rhs, t, &x, &to, NULL) == SAL_OK);
        CHECK(sal_integrator_prepare_dense(in, &rhs) == SAL_OK);
        const double h = sal_integrator_end_time(in) - t;
        for (int k = 1; k < 8; k++) {
            sal_integrator_interpolate(in, k / 8., &y);
            worst = fmax(worst, fabs(y - cos(t + k / 8. * h) - exp(-t - k / 8. * h)));
        }
        t = sal_integrator_end_time(in);
        x = sal_integrator_end(in)[0];
    }
    sal_integrator_free(in);
    return worst;
}

static void interpolates_with_its_order(const char *name) {
    const int claimed = sal_method_dense_order(sal_method_find(name));
    CHECK(log(inside_error(name, 20) / inside_error(name, 40)) / log(2) > claimed - 0.1);
}

/* An iterate beyond the wall makes the model request a smaller step: steps are halved until none is beyond. */
static void halves_when_it_must(void) {
    world w = {.rate = -1, .wall = 4}; /* x' = x - ...: Newton's first iterate of a long step is far away */
    sal_integrator_config config = in_equal_steps("radau1", 0.95);
    sal_integrator *in = make(&config, 1);
    const sal_rhs rhs = {1, relaxing, &w};
    double x = 2;
    const sal_limits to = {INFINITY, INFINITY, 2};
    CHECK(sal_integrator_step(in, &rhs, 0, &x, &to, NULL) == SAL_OK);
    CHECK(sal_integrator_end_time(in) < 0.95);
    const sal_integrator_stats *s = sal_integrator_statistics(in);
    CHECK(s->substep_failures > 0 && s->substep_failures == s->substep_shrinkages);
    sal_integrator_free(in);
}

int main(void) {
    for (int k = 0; k < NAMES; k++) {
        const int before = check_failed;
        has_its_order(names[k]);
        crosses_a_long_drift(names[k]);
        interpolates_with_its_order(names[k]);
        is_not_held_up_by_stiffness(names[k]);
        if (check_failed != before)
            printf("    in %s\n", names[k]);
    }
    estimates_exactly_on_polynomials();
    agrees_without_configuration();
    follows_configuration();
    solves_robertson_to_the_end();
    solves_van_der_pol();
    halves_when_it_must();
    return check_summary();
}
