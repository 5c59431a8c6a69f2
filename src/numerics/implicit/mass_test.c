/* M x' = f: with a regular M, with an M that leaves variables without derivative, and with methods that accept no M. */
#include "test_problems.h"

static const double coupling[9] = {2, 1, 0, 0, 1, 0.5, -0.3, 0, 1};

/* The pendulum's equations, each replaced by a sum of several. */
static sal_status coupled_pendulum(void *user, double t, const double *x, double *dx) {
    double rate[3];
    pendulum(user, t, x, rate);
    for (int i = 0; i < 3; i++)
        dx[i] = coupling[3 * i] * rate[0] + coupling[3 * i + 1] * rate[1] + coupling[3 * i + 2] * rate[2];
    return SAL_OK;
}

static void undoes_a_regular_mass(const char *name) {
    double x[2][3];
    for (int k = 0; k < 2; k++) {
        x[k][0] = 0.4, x[k][1] = -0.2, x[k][2] = 0.3;
        sal_integrator_config config = in_equal_steps(name, 0.1);
        config.accuracy = 1e-12;
        config.mass = k ? coupling : NULL;
        sal_integrator *in = make(&config, 3);
        const sal_rhs rhs = {3, k ? coupled_pendulum : pendulum, NULL};
        CHECK(go(in, &rhs, 0, 2, x[k]) == SAL_OK);
        sal_integrator_free(in);
    }
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(x[1][i], x[0][i], strcmp(name, "radau5") == 0 ? 1e-11 : 1e-8); /* J's own error in the other */
}

/* x' = -w, 0 = x^3 - w: x = 1 / sqrt(1 + 2 t). */
static sal_status algebraic(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = -x[1];
    dx[1] = x[0] * x[0] * x[0] - x[1];
    return SAL_OK;
}

static double algebraic_error(const char *name, double step) {
    static const double mass[4] = {1, 0, 0, 0};
    sal_integrator_config config = in_equal_steps(name, step);
    config.accuracy = 1e-13;
    config.full_newton = true;
    config.mass = mass;
    sal_integrator *in = make(&config, 2);
    const sal_rhs rhs = {2, algebraic, NULL};
    double x[2] = {1, 1};
    CHECK(go(in, &rhs, 0, 4, x) == SAL_OK);
    sal_integrator_free(in);
    return fmax(fabs(x[0] - 1. / 3), fabs(x[1] - 1. / 27));
}

static void keeps_its_order_without_a_derivative(const char *name) {
    const double order = log(algebraic_error(name, 0.0625) / algebraic_error(name, 0.03125)) / log(2);
    CHECK(order > sal_method_order(sal_method_find(name)) - 0.2);
}

/* x' = -y, 0 = y^3 + y - x from a y that is not the solution 1 for x = 2; and 0 = y^2 + x, which has no solution. */
static sal_status cubic(void *user, double t, const double *x, double *dx) {
    (void)t;
    dx[0] = -x[1];
    dx[1] = user ? x[1] * x[1] + x[0] : x[1] * x[1] * x[1] + x[1] - x[0];
    return SAL_OK;
}

static void moves_a_start_to_its_equations(const char *name) {
    static const double mass[4] = {1, 0, 0, 0};
    sal_integrator_config config = named(name, 0.1);
    config.accuracy = 1e-6;
    config.mass = mass;
    sal_integrator *in = make(&config, 2);
    sal_rhs rhs = {2, cubic, NULL};
    double x[2] = {2, 9};
    CHECK(go(in, &rhs, 0, 0.5, x) == SAL_OK);
    CHECK_NEAR(x[1] * x[1] * x[1] + x[1], x[0], 1e-4);
    x[0] = 30; /* y is 3.09 there, and unchanged */
    CHECK(go(in, &rhs, 0.5, 1, x) == SAL_OK);
    CHECK_NEAR(x[1] * x[1] * x[1] + x[1], x[0], 1e-4);
    rhs.user = x;
    CHECK(go(in, &rhs, 1, 2, x) == SAL_ESTEP);
    const sal_integrator_failure *f = sal_integrator_last_failure(in);
    CHECK(f->unmet_equation && f->variable == 1);
    CHECK_NEAR(f->value, x[1] * x[1] + x[0], 1e-9 * f->value);
    sal_integrator_free(in);
}

static void others_refuse_mass(void) {
    for (int i = 0; sal_method_at(i); i++) {
        sal_integrator_config config = named(sal_method_name(sal_method_at(i)), 0.1);
        config.fixed_step = true;
        config.mass = coupling;
        sal_note why = {{0}, {0}};
        const bool takes = sal_method_takes_mass(sal_method_at(i));
        CHECK((sal_integrator_config_check(&config, &why) == SAL_OK) == takes);
        CHECK(takes || strstr(why.text, "radau5 and rodas4"));
        config.hermite = true;
        CHECK(sal_integrator_config_check(&config, NULL) == SAL_EINVAL);
    }
}

int main(void) {
    undoes_a_regular_mass("radau5");
    undoes_a_regular_mass("rodas4");
    keeps_its_order_without_a_derivative("radau5");
    keeps_its_order_without_a_derivative("rodas4");
    moves_a_start_to_its_equations("radau5");
    moves_a_start_to_its_equations("rodas4");
    moves_a_start_to_its_equations("auto");
    others_refuse_mass();
    return check_summary();
}
