/* Jacobians of implicit methods: reused while they converge, renewed on request or when the model changes, or
 * computed by the host. */
#include "test_problems.h"

static sal_status robertson_jacobian(void *user, double t, const double *x, double *j) {
    (void)user, (void)t;
    const double rows[9] = {-0.04,       1e4 * x[2], 1e4 * x[1], 0.04, -6e7 * x[1] - 1e4 * x[2],
                            -1e4 * x[1], 0,          6e7 * x[1], 0};
    memcpy(j, rows, sizeof rows);
    return SAL_OK;
}

/* Reference: Hairer and Wanner's test set, t = 40. */
static void solves_robertson(const sal_integrator_config *config, sal_implicit_stats *stats) {
    sal_integrator *in = make(config, 3);
    const double typical[3] = {1, 1e4, 1};
    for (int i = 0; i < 3; i++)
        sal_integrator_set_weight(in, i, typical[i], false);
    const sal_rhs rhs = {3, robertson, NULL};
    double x[3] = {1, 0, 0};
    CHECK(go(in, &rhs, 0, 40, x) == SAL_OK);
    CHECK_NEAR(x[0], 0.7158270688, 2e-5);
    CHECK_NEAR(x[1], 0.9185534765e-5, 2e-9);
    CHECK_NEAR(x[0] + x[1] + x[2], 1, 1e-9);
    *stats = sal_integrator_implicit_statistics(in);
    sal_integrator_free(in);
}

/* More frequent renewal gives equally good results. */
static void renews_when_told(void) {
    sal_implicit_stats s[3];
    for (int k = 0; k < 3; k++) {
        sal_integrator_config config = named("radau5", INFINITY);
        config.accuracy = 1e-6;
        config.no_matrix_reuse = k == 1;
        config.full_newton = k == 2;
        solves_robertson(&config, &s[k]);
    }
    CHECK(s[0].total.jacobians < s[1].total.jacobians && s[1].total.jacobians < s[2].total.jacobians);
    CHECK(s[2].total.jacobians >= s[2].total.newton_iterations);
}

static void keeps_what_serves(void) {
    sal_integrator_config config = named("radau3", 10);
    config.accuracy = 1e-5;
    sal_implicit_stats kept, renewed, newton, central, given;
    solves_robertson(&config, &kept);
    config.no_matrix_reuse = true;
    solves_robertson(&config, &renewed);
    config.no_matrix_reuse = false;
    config.full_newton = true;
    solves_robertson(&config, &newton);
    config.full_newton = false;
    config.central_differences = true;
    solves_robertson(&config, &central);
    config.jacobian = robertson_jacobian;
    solves_robertson(&config, &given);
    CHECK(kept.total.jacobians < renewed.total.jacobians && renewed.total.jacobians < newton.total.jacobians);
    CHECK(newton.total.jacobians == newton.total.newton_iterations);
    CHECK(central.total.derivative_evaluations_for_jacobians == 6 * central.total.jacobians);
    CHECK(given.total.derivative_evaluations_for_jacobians == 0 && given.total.jacobians > 0);
    CHECK(kept.estimator.newton_iterations > 0 && kept.estimator.newton_iterations < kept.total.newton_iterations);
    CHECK(kept.estimator.derivative_evaluations < kept.total.derivative_evaluations);
}

/* A Rosenbrock method needs the Jacobian at the start, and a start whose model has changed is another start. */
static void asks_again_when_the_model_changes(void) {
    world w = {.rate = 1};
    sal_integrator_config config = in_equal_steps("rodas4", 0.1);
    sal_integrator *in = make(&config, 1);
    const sal_rhs rhs = {1, relaxing, &w};
    double x = 2;
    const sal_limits to = {INFINITY, INFINITY, 1};
    CHECK(sal_integrator_step(in, &rhs, 0, &x, &to, NULL) == SAL_OK);
    CHECK(sal_integrator_step(in, &rhs, 0, &x, &to, NULL) == SAL_OK);
    CHECK(sal_integrator_implicit_statistics(in).total.jacobians == 1);
    w.rate = 30;
    sal_integrator_invalidate(in);
    CHECK(sal_integrator_step(in, &rhs, 0, &x, &to, NULL) == SAL_OK);
    CHECK(sal_integrator_implicit_statistics(in).total.jacobians == 2);
    CHECK_NEAR(sal_integrator_end(in)[0], cos(0.1) + exp(-3), 0.03);
    sal_integrator_free(in);
}

static void drops_matrices_with_the_scheme(void) {
    sal_integrator_config config = in_equal_steps("radau1", 0.1);
    sal_integrator *in = make(&config, 3);
    const sal_rhs rhs = {3, pendulum, NULL};
    double x[3] = {0.4, -0.2, 0.3};
    CHECK(go(in, &rhs, 0, 0.5, x) == SAL_OK && in->implicit->matrices.has_jacobian);
    sal_integrator_set_jacobian(in, NULL, true);
    CHECK(!in->implicit->matrices.has_jacobian);
    CHECK(go(in, &rhs, 0.5, 1, x) == SAL_OK);
    CHECK(sal_integrator_implicit_statistics(in).total.jacobians == 2);
    CHECK(sal_integrator_initial_step_target(in) == 0.1);
    sal_integrator_free(in);
}

/* The model's function and its Jacobian share a user pointer, also while a failed step is analysed. */
typedef struct broken {
    int magic;
    bool strange;
} broken;

static sal_status broken_rate(void *user, double t, const double *x, double *dx) {
    const broken *b = user;
    CHECK(b->magic == 4711);
    dx[0] = -x[0];
    dx[1] = t > 0.5 ? NAN : 1;
    return SAL_OK;
}

static sal_status broken_jacobian(void *user, double t, const double *x, double *j) {
    broken *b = user;
    (void)t, (void)x;
    b->strange |= b->magic != 4711;
    const double rows[4] = {-1, 0, 0, 0};
    memcpy(j, rows, sizeof rows);
    return SAL_OK;
}

static void gives_the_jacobian_its_user(void) {
    static const char *const all[] = {"implicit_euler", "velocity_implicit_euler", "radau3", "radau5", "rodas4"};
    for (int i = 0; i < 5; i++) {
        broken b = {4711, false};
        const sal_rhs rhs = {2, broken_rate, &b};
        sal_integrator_config config = named(all[i], 0.1);
        config.jacobian = broken_jacobian;
        sal_integrator *in = NULL;
        double x[2] = {1, 0};
        CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
        CHECK(go(in, &rhs, 0, 1, x) == SAL_ESTEP && !b.strange);
        const sal_integrator_failure *f = sal_integrator_last_failure(in);
        CHECK(f->variable == 1 && f->not_finite && isnan(f->value));
        CHECK(sal_integrator_config_of(in)->jacobian == broken_jacobian);
        sal_integrator_free(in);
    }
}

int main(void) {
    keeps_what_serves();
    renews_when_told();
    asks_again_when_the_model_changes();
    drops_matrices_with_the_scheme();
    gives_the_jacobian_its_user();
    return check_summary();
}
