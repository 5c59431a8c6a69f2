/* Who notices stiffness, and that "auto" goes over and comes back: correct ends, the bits
 * of its mild method where nothing is stiff, dense output across the changes, and a pace
 * from which a run goes on. */
#include <math.h>
#include <string.h>

#include "../../spec/support/flows.h"
#include "base/check.h"
#include "integrator_parts.h"

enum { MOST = FLOW_MOST };

static sal_integrator *make(const char *method, int n, double accuracy) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(method);
    config.accuracy = accuracy;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, n, &in) == SAL_OK);
    for (int i = 0; i < n; i++)
        sal_integrator_set_weight(in, i, 1, true);
    sal_integrator_initialize(in);
    return in;
}

typedef struct changes {
    int count, steps_stiff;
} changes;

static changes go(sal_integrator *in, const sal_rhs *rhs, double t, double t1, double *x) {
    changes c = {0, 0};
    int64_t was = sal_integrator_pace(in).stiff;
    const sal_limits to = {INFINITY, INFINITY, t1};
    while (t < t1 && sal_integrator_step(in, rhs, t, x, &to, NULL) == SAL_OK) {
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), sizeof *x * (size_t)rhs->n);
        const int64_t now = sal_integrator_pace(in).stiff;
        c.count += now != was;
        c.steps_stiff += (int)now;
        was = now;
    }
    CHECK(t == t1);
    return c;
}

static sal_status van_der_pol(void *user, double t, const double *x, double *dx) {
    const double mu = *(const double *)user;
    (void)t;
    dx[0] = x[1];
    dx[1] = mu * (1 - x[0] * x[0]) * x[1] - x[0];
    return SAL_OK;
}

/* Bound to cos t, and that hard for half of the time: x = cos t where it begins there. */
static sal_status by_turns(void *user, double t, const double *x, double *dx) {
    (void)user;
    const double pull = 1 + (sin(t / 2) > 0 ? 1e4 * sin(t / 2) : 0);
    dx[0] = -pull * (x[0] - cos(t)) - sin(t);
    dx[1] = x[0];
    return SAL_OK;
}

static sal_status robertson(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    const double a = 0.04 * x[0], b = 1e4 * x[1] * x[2], c = 3e7 * x[1] * x[1];
    dx[0] = -a + b;
    dx[1] = a - b - c;
    dx[2] = c;
    return SAL_OK;
}

static void leaves_the_others_alone(void) {
    for (int k = 0; k < FLOWS; k++)
        for (double accuracy = 1e-3; accuracy > 1e-11; accuracy *= 0.1) {
            double x[2][MOST];
            int64_t evaluations[2];
            for (int automatic = 0; automatic < 2; automatic++) {
                sal_integrator *in = make(automatic ? "auto" : "tsitouras5", flows[k].n, accuracy);
                const sal_rhs rhs = {flows[k].n, flows[k].eval, NULL};
                memcpy(x[automatic], flows[k].x0, sizeof x[0]);
                CHECK(go(in, &rhs, 0, flows[k].t1, x[automatic]).count == 0);
                CHECK(!sal_integrator_stiffness(in).found);
                evaluations[automatic] = sal_integrator_statistics(in)->derivative_evaluations;
                sal_integrator_free(in);
            }
            CHECK(memcmp(x[0], x[1], sizeof *x[0] * (size_t)flows[k].n) == 0 && evaluations[0] == evaluations[1]);
        }
}

/* Those of the field, too, find nothing in these problems at ordinary accuracies. */
static void is_noticed(const char *method) {
    for (int k = 0; k < FLOWS; k++) {
        sal_integrator *in = make(method, flows[k].n, 1e-6);
        const sal_rhs rhs = {flows[k].n, flows[k].eval, NULL};
        double x[MOST];
        memcpy(x, flows[k].x0, sizeof x);
        go(in, &rhs, 0, flows[k].t1, x);
        CHECK(!sal_integrator_stiffness(in).found);
        sal_integrator_free(in);
    }
    double mu = 1000, x[2] = {2, 0};
    const sal_rhs rhs = {2, van_der_pol, &mu};
    sal_integrator *in = make(method, 2, 1e-4);
    go(in, &rhs, 0, 1, x);
    const sal_stiffness s = sal_integrator_stiffness(in);
    const double edge = sal_method_find(method)->stable;
    CHECK(s.found && s.variable == 1 && s.time > 0 && s.time < 0.5);
    CHECK(s.h_lambda > 0.9 * edge && s.h_lambda < 1.5 * edge);
    CHECK(sal_integrator_method_in_use(in) == sal_method_find(method));
    sal_integrator_initialize(in);
    CHECK(!sal_integrator_stiffness(in).found);
    sal_integrator_free(in);
}

/* E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.10, in our time. */
static void relaxes(void) {
    double mu = 1000, x[2] = {2, 0};
    const sal_rhs rhs = {2, van_der_pol, &mu};
    sal_integrator *in = make("auto", 2, 1e-6);
    const changes c = go(in, &rhs, 0, 2000, x);
    CHECK_NEAR(x[0], 1.7061677321704649, 1e-5);
    CHECK_NEAR(x[1], -0.00089280970102481662, 1e-8);
    CHECK(c.count == 5 && sal_integrator_statistics(in)->derivative_evaluations < 5000);
    CHECK(sal_integrator_stiffness(in).found && sal_integrator_stiffness(in).variable == 1);
    CHECK(strcmp(sal_method_name(sal_integrator_config_of(in)->method), "auto") == 0);
    CHECK(sal_integrator_method_in_use(in) == sal_method_find("rodas4"));
    CHECK(sal_integrator_implicit_statistics(in).total.factorizations > 0);
    sal_integrator_free(in);
}

static void reacts(void) {
    double x[3] = {1, 0, 0};
    const sal_rhs rhs = {3, robertson, NULL};
    sal_integrator *in = make("auto", 3, 1e-8);
    const changes c = go(in, &rhs, 0, 1e4, x);
    CHECK_NEAR(x[0], 0.10730042853780404, 1e-7);
    CHECK_NEAR(x[1], 4.8001669725716706e-07, 1e-12);
    CHECK(c.count == 1 && sal_integrator_statistics(in)->steps < 500);
    sal_integrator_free(in);
}

/* The run's dense output, through five changes, and its derivative. */
static void interpolates_throughout(bool hermite) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find("auto");
    config.hermite = hermite;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    CHECK(sal_integrator_start_dense_output(in) == SAL_OK);
    double x[2] = {1, 0};
    const sal_rhs rhs = {2, by_turns, NULL};
    const changes c = go(in, &rhs, 0, 30, x);
    CHECK(c.count == 5 && c.steps_stiff > 100);
    sal_polynomial *run = NULL;
    CHECK(sal_integrator_stop_dense_output(in, &run) == SAL_OK);
    for (double t = 0; t < 30; t += 0.01) {
        double y[2];
        CHECK(sal_polynomial_value(run, t, y) == SAL_OK);
        CHECK_NEAR(y[0], cos(t), 1e-4);
        CHECK_NEAR(y[1], sin(t), 1e-4);
    }
    sal_polynomial_free(run);
    sal_integrator_free(in);
}

/* State and pace are all that a run goes on from: at any time, stiff or not. */
static void goes_on_elsewhere(void) {
    const sal_rhs rhs = {2, by_turns, NULL};
    for (double cut = 0.5; cut < 20; cut += 0.7) {
        double x[2] = {1, 0}, y[2];
        sal_integrator *here = make("auto", 2, 1e-6), *there = make("auto", 2, 1e-6);
        go(here, &rhs, 0, cut, x);
        memcpy(y, x, sizeof y);
        const sal_pace pace = sal_integrator_pace(here);
        sal_integrator_set_pace(there, &pace);
        go(here, &rhs, cut, 25, x);
        go(there, &rhs, cut, 25, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        sal_integrator_free(here);
        sal_integrator_free(there);
    }
}

/* Without error control there is nothing to notice: the mild method, step by step. */
static void takes_fixed_steps(void) {
    double x[2][2] = {{1, 0}, {1, 0}};
    for (int automatic = 0; automatic < 2; automatic++) {
        sal_integrator_config config = sal_integrator_config_default();
        config.method = sal_method_find(automatic ? "auto" : "tsitouras5");
        config.fixed_step = true;
        config.max_step = 1e-4;
        sal_integrator *in = NULL;
        CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
        const sal_rhs rhs = {2, by_turns, NULL};
        go(in, &rhs, 0, 0.5, x[automatic]);
        CHECK(!sal_integrator_stiffness(in).found);
        sal_integrator_free(in);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
}

int main(void) {
    leaves_the_others_alone();
    const char *const noticing[] = {"runge_kutta3", "bogacki_shampine3", "runge_kutta5", "tsitouras5",
                                    "dormand_prince8"};
    for (int k = 0; k < 5; k++)
        is_noticed(noticing[k]);
    relaxes();
    reacts();
    interpolates_throughout(false);
    interpolates_throughout(true);
    goes_on_elsewhere();
    takes_fixed_steps();
    return check_summary();
}
