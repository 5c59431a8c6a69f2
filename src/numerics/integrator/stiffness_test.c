/* Tests which methods detect stiffness, and that "auto" switches to its implicit method and back. The ends of runs are
 * correct. If nothing is stiff, its bits are those of its explicit method. Dense output works across a switch. A run
 * continues from a saved controller state. */
#include <math.h>
#include <string.h>

#include "../../../spec/support/flows.h"
#include "base/test_check.h"
#include "integrator_impl.h"

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
    int64_t was = sal_integrator_controller_state(in).next_is_stiff;
    const sal_limits to = {INFINITY, INFINITY, t1};
    while (t < t1 && sal_integrator_step(in, rhs, t, x, &to, NULL) == SAL_OK) {
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), sizeof *x * (size_t)rhs->n);
        const int64_t now = sal_integrator_controller_state(in).next_is_stiff;
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

/* Bound to cos t, strongly for half of the time: x = cos t if it begins there. */
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

/* Non-stiff problems give the same bits as the explicit method for the accuracy; a refused trial costs little, and
 * there is none below two thousand evaluations unless a step was beyond stability. */
static void leaves_the_others_alone(void) {
    int untouched = 0;
    for (int k = 0; k < FLOWS; k++)
        for (double accuracy = 1e-3; accuracy > 1e-11; accuracy *= 0.1) {
            const char *const names[] = {accuracy < 2e-8 ? "dormand_prince8" : "tsitouras5", "auto"};
            double x[2][MOST];
            int64_t evaluations[2];
            changes c = {0, 0};
            for (int automatic = 0; automatic < 2; automatic++) {
                sal_integrator *in = make(names[automatic], flows[k].n, accuracy);
                const sal_rhs rhs = {flows[k].n, flows[k].eval, NULL};
                memcpy(x[automatic], flows[k].x0, sizeof x[0]);
                c = go(in, &rhs, 0, flows[k].t1, x[automatic]);
                CHECK(c.count > 0 || !sal_integrator_stiffness(in).found);
                evaluations[automatic] = sal_integrator_statistics(in)->derivative_evaluations;
                sal_integrator_free(in);
            }
            CHECK(c.count <= 2 && (double)evaluations[1] < 1.2 * (double)evaluations[0]);
            if (c.count > 0)
                continue;
            CHECK(memcmp(x[0], x[1], sizeof *x[0] * (size_t)flows[k].n) == 0 && evaluations[0] == evaluations[1]);
            untouched++;
        }
    CHECK(untouched > FLOWS * 9 * 3 / 4);
}

/* At rest, with a mode of 6,000 rad/s that must not be excited: an eigenvalue on the imaginary axis, at the far end
 * of a chain of springs whose near end is driven. */
static sal_status chain(void *user, double t, const double *x, double *dx) {
    enum { LINKS = 20 };
    (void)user;
    for (int i = 0; i < LINKS; i++) {
        const double left = i ? x[i - 1] : sin(t) * sin(t), right = i < LINKS - 1 ? x[i + 1] : x[i];
        dx[i] = x[LINKS + i];
        dx[LINKS + i] = 9e6 * (left - 2 * x[i] + right);
    }
    return SAL_OK;
}

static int64_t chain_by(const char *method, double accuracy) {
    double x[40] = {0};
    const sal_rhs rhs = {40, chain, NULL};
    sal_integrator *in = make(method, 40, accuracy);
    go(in, &rhs, 0, 10, x);
    const int64_t evaluations = sal_integrator_statistics(in)->derivative_evaluations;
    sal_integrator_free(in);
    return evaluations;
}

static void tries_on_the_imaginary_axis(double accuracy) {
    double x[40] = {0};
    const sal_rhs rhs = {40, chain, NULL};
    sal_integrator *in = make("auto", 40, accuracy);
    const changes c = go(in, &rhs, 0, 10, x);
    CHECK(c.count == 1 && c.steps_stiff > 0 && sal_integrator_stiffness(in).found);
    const double evaluations = (double)sal_integrator_statistics(in)->derivative_evaluations;
    CHECK(evaluations < 1.1 * (double)chain_by("radau5", accuracy));
    CHECK(evaluations < 0.3 * (double)chain_by("tsitouras5", accuracy));
    for (int i = 0; i < 20; i++) /* stiff springs: all follow */
        CHECK_NEAR(x[i], sin(10) * sin(10), 100 * accuracy + 1e-3);
    sal_switch first, last;
    CHECK(sal_integrator_switch_count(in) == 2 && !sal_integrator_switch_at(in, 2, &last));
    CHECK(sal_integrator_switch_at(in, 0, &first) && sal_integrator_switch_at(in, 1, &last));
    CHECK(first.why == SAL_SWITCH_START && first.method == sal_method_find("tsitouras5"));
    CHECK(last.why == SAL_SWITCH_TRIAL && last.method == sal_method_find("radau5"));
    CHECK(last.time > 0 && last.time < 0.1 && last.steps == c.steps_stiff - 1);
    CHECK(first.steps > 0 && first.steps + last.steps == sal_integrator_statistics(in)->steps);
    sal_integrator_free(in);
}

/* With few variables and a rough accuracy, the stiff method without iteration. */
static void chooses_by_accuracy(void) {
    static const struct {
        double accuracy;
        const char *nonstiff, *stiff;
    } wanted[] = {{1e-3, "tsitouras5", "rodas4"}, {1e-6, "tsitouras5", "radau5"}, {1e-8, "dormand_prince8", "radau5"}};
    for (int k = 0; k < 3; k++) {
        double mu = 1000, x[2] = {2, 0};
        const sal_rhs rhs = {2, van_der_pol, &mu};
        sal_integrator *in = make("auto", 2, wanted[k].accuracy);
        CHECK(sal_integrator_method_in_use(in) == sal_method_find(wanted[k].nonstiff));
        go(in, &rhs, 0, 100, x);
        CHECK(sal_integrator_method_in_use(in) == sal_method_find(wanted[k].stiff));
        sal_integrator_free(in);
    }
}

/* Thousands of variables: a band is detected and used; without a band the explicit method continues and reports it. */
enum { MANY = 2500 };

static sal_status rod(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    const double c = 4e6;
    for (int i = 0; i < MANY; i++)
        dx[i] = c * ((i ? x[i - 1] : 0) - 2 * x[i] + (i < MANY - 1 ? x[i + 1] : 0));
    return SAL_OK;
}

static sal_status crowd(void *user, double t, const double *x, double *dx) {
    (void)user;
    double mean = 0;
    for (int i = 0; i < MANY; i++)
        mean += x[i] / MANY;
    for (int i = 0; i < MANY; i++)
        dx[i] = 1e4 * (cos(t) - x[i]) + mean;
    return SAL_OK;
}

static void solves_what_is_large(void) {
    static double x[MANY];
    const double angle = 3.14159265358979323846 / (MANY + 1), s = sin(angle / 2), end = 0.1;
    for (int i = 0; i < MANY; i++)
        x[i] = sin(angle * (i + 1));
    const sal_rhs rhs = {MANY, rod, NULL};
    sal_integrator *in = make("auto", MANY, 1e-6);
    go(in, &rhs, 0, end, x);
    const double left = exp(-16e6 * s * s * end);
    for (int i = 0; i < MANY; i += 100)
        CHECK_NEAR(x[i], left * sin(angle * (i + 1)), 1e-5);
    CHECK(sal_integrator_method_in_use(in) == sal_method_find("radau5") && sal_integrator_stiffness(in).will_switch);
    CHECK(sal_integrator_statistics(in)->derivative_evaluations < 2 * MANY);
    sal_integrator_free(in);
}

static void says_what_is_too_large(void) {
    static double x[MANY];
    for (int i = 0; i < MANY; i++)
        x[i] = 1;
    const sal_rhs rhs = {MANY, crowd, NULL};
    sal_integrator *in = make("auto", MANY, 1e-3);
    go(in, &rhs, 0, 0.05, x);
    CHECK_NEAR(x[0], cos(0.05), 1e-3);
    CHECK(sal_integrator_method_in_use(in) == sal_method_find("tsitouras5"));
    CHECK(sal_integrator_stiffness(in).found && !sal_integrator_stiffness(in).will_switch);
    sal_switch last;
    CHECK(sal_integrator_switch_at(in, sal_integrator_switch_count(in) - 1, &last));
    CHECK(last.why == SAL_SWITCH_TOO_LARGE);
    sal_integrator_free(in);
}

/* With a mass matrix there is only one method. */
static sal_status constrained(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = -x[1];
    dx[1] = x[0] - x[1];
    return SAL_OK;
}

static void solves_with_a_mass_matrix(void) {
    static const double mass[4] = {1, 0, 0, 0};
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find("auto");
    config.mass = mass;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    double x[2] = {1, 1};
    const sal_rhs rhs = {2, constrained, NULL};
    CHECK(go(in, &rhs, 0, 1, x).count == 0);
    CHECK(sal_integrator_method_in_use(in) == sal_method_find("radau5"));
    CHECK_NEAR(x[0], exp(-1), 1e-5);
    CHECK_NEAR(x[1], exp(-1), 1e-5);
    sal_integrator_free(in);
}

/* These standard problems show no stiffness either, at ordinary accuracies. */
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
    const double edge = sal_method_find(method)->stability_limit;
    CHECK(s.found && s.variable == 1 && s.time > 0 && s.time < 0.5);
    CHECK(s.h_lambda > 0.9 * edge && s.h_lambda < 1.5 * edge);
    CHECK(sal_integrator_method_in_use(in) == sal_method_find(method));
    sal_integrator_initialize(in);
    CHECK(!sal_integrator_stiffness(in).found);
    sal_integrator_free(in);
}

/* E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, IV.10, in our units of time. */
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
    CHECK(sal_integrator_method_in_use(in) == sal_method_find("radau5"));
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

/* The run's dense output across five switches, and its derivative. */
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

/* The saved state is everything that a run continues from: at any time, stiff, on trial or not. */
static void goes_on_elsewhere(void) {
    const sal_rhs rhs = {2, by_turns, NULL};
    static unsigned char saved[100000];
    for (double cut = 0.5; cut < 20; cut += 0.7) {
        double x[2] = {1, 0}, y[2];
        sal_integrator *here = make("auto", 2, 1e-6), *there = make("auto", 2, 1e-6);
        go(here, &rhs, 0, cut, x);
        memcpy(y, x, sizeof y);
        const size_t size = sal_integrator_save_size(here);
        CHECK(size <= sizeof saved);
        sal_integrator_save(here, saved);
        CHECK(sal_integrator_load(there, saved, size) == SAL_OK);
        go(here, &rhs, cut, 25, x);
        go(there, &rhs, cut, 25, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        sal_integrator_free(here);
        sal_integrator_free(there);
    }
}

/* Without error control there is no detection: the explicit method, step by step. */
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
    tries_on_the_imaginary_axis(1e-4);
    tries_on_the_imaginary_axis(1e-6);
    chooses_by_accuracy();
    solves_with_a_mass_matrix();
    solves_what_is_large();
    says_what_is_too_large();
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
