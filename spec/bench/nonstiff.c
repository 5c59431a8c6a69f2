/* Non-stiff problems to a given error: a C system through the simulator, with
 * dormand_prince8 or tsitouras5, against GSL's rk8pd and odeint's fehlberg78 and dopri5,
 * in turn, in one run.
 *
 *   nonstiff PROBLEM
 *
 * All run at accuracies of 1e-3 to 1e-13. Prints `key value` lines: the microseconds to an
 * error of 1e-4, 1e-6 and 1e-8, of ours the better of the two and of theirs the best; and
 * what an evaluation costs on the whole at 1e-6, dormand_prince8's, as an integrator alone,
 * and GSL's, each run as often and after its own run at the accuracy before. WORK=1: every pair. */
#include "clock.h"

#include <stdio.h>

#include "../support/flows.h"
#include "saltus/saltus.h"
#include "work.h"

#if defined(__has_include)
#if __has_include(<gsl/gsl_odeiv2.h>)
#define HAVE_GSL
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#endif
#endif

enum { DORMAND_PRINCE8, TSITOURAS5, OURS, ALONE = OURS, GSL, FEHLBERG78, DOPRI5, CODES };
static const char *const names[CODES] = {"dormand_prince8", "tsitouras5",        "dormand_prince8 alone",
                                         "GSL rk8pd",       "odeint fehlberg78", "odeint dopri5"};

static const flow *problem;
static int64_t calls;
static double x[FLOW_MOST];

/* ---- ours ---- */

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    return problem->eval(NULL, 0, sal_context_get(ctx, SAL_Z), dot->z);
}

static const sal_system_class class = {.name = "flow", .derivatives = rates};

static sal_simulator *make(const char *method, double accuracy) {
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find(method);
    config.integrator.accuracy = accuracy;
    sal_system *sys = NULL;
    sal_simulator *sim = NULL;
    if (sal_system_new(NULL, &class, problem->name, NULL, &sys) != SAL_OK ||
        sal_system_add_values(sys, SAL_Z, "x", problem->n, problem->x0) != SAL_OK ||
        sal_simulator_new(NULL, sys, NULL, &config, &sim) != SAL_OK) {
        fprintf(stderr, "nonstiff: no simulator\n");
        exit(1);
    }
    return sim;
}

static bool ours(sal_simulator *sim, run *r) {
    sal_context *ctx = sal_simulator_context(sim);
    memcpy(sal_context_edit(ctx, SAL_Z), problem->x0, (size_t)problem->n * sizeof *x);
    sal_context_set_time(ctx, 0);
    sal_simulator_reset_statistics(sim);
    sal_report report = {0};
    const double begin = now();
    const bool done = sal_simulator_initialize(sim, false, &report) == SAL_OK &&
                      sal_simulator_advance_to(sim, problem->t1, &report) == SAL_OK;
    r->seconds = now() - begin;
    r->evaluations = sal_simulator_statistics(sim).derivative_evaluations;
    r->steps = sal_simulator_statistics(sim).steps;
    memcpy(x, sal_context_get(ctx, SAL_Z), (size_t)problem->n * sizeof *x);
    return done;
}

/* The integrator alone, on the same function as GSL. */
static bool alone(run *r) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(names[DORMAND_PRINCE8]);
    config.accuracy = r->accuracy;
    sal_integrator *in = NULL;
    if (sal_integrator_new(NULL, &config, problem->n, &in) != SAL_OK)
        return false;
    for (int i = 0; i < problem->n; i++)
        sal_integrator_set_weight(in, i, 1, true);
    const sal_rhs rhs = {problem->n, problem->eval, NULL};
    const sal_limits to = {INFINITY, INFINITY, problem->t1};
    double t = 0;
    memcpy(x, problem->x0, sizeof x);
    const double begin = now();
    sal_integrator_initialize(in);
    while (t < problem->t1 && sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_OK) {
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), (size_t)problem->n * sizeof *x);
    }
    r->seconds = now() - begin;
    r->evaluations = sal_integrator_statistics(in)->derivative_evaluations;
    sal_integrator_free(in);
    return t >= problem->t1;
}

/* ---- theirs ---- */

#ifdef HAVE_GSL
static int gsl_rates(double t, const double *state, double *dx, void *user) {
    (void)user;
    calls++;
    return problem->eval(NULL, t, state, dx) == SAL_OK ? GSL_SUCCESS : GSL_FAILURE;
}

static bool gsl(run *r) {
    gsl_odeiv2_system sys = {gsl_rates, NULL, (size_t)problem->n, NULL};
    gsl_odeiv2_driver *driver =
        gsl_odeiv2_driver_alloc_y_new(&sys, gsl_odeiv2_step_rk8pd, 1e-6, r->accuracy, r->accuracy);
    double t = 0;
    memcpy(x, problem->x0, sizeof x);
    calls = 0;
    const double begin = now();
    const int status = gsl_odeiv2_driver_apply(driver, &t, problem->t1, x);
    r->seconds = now() - begin;
    r->evaluations = calls;
    gsl_odeiv2_driver_free(driver);
    return status == GSL_SUCCESS;
}
#endif

#ifdef HAVE_ODEINT
/* In odeint_peer.cpp: integrate_adaptive from `state` to t1. */
void odeint_run(int dopri5, int n, double t1, double accuracy, double *state,
                sal_status (*eval)(void *user, double t, const double *x, double *dx), int64_t *calls, double *seconds);

static void odeint(bool dopri5, run *r) {
    memcpy(x, problem->x0, sizeof x);
    odeint_run(dopri5, problem->n, problem->t1, r->accuracy, x, problem->eval, &r->evaluations, &r->seconds);
}
#endif

static bool go(int code, sal_simulator *sim, run *r) {
    if (code < OURS)
        return ours(sim, r);
    if (code == ALONE)
        return alone(r);
#ifdef HAVE_GSL
    if (code == GSL)
        return gsl(r);
#endif
#ifdef HAVE_ODEINT
    if (code > GSL) {
        odeint(code == DOPRI5, r);
        return true;
    }
#endif
    return false;
}

/* The best of some codes. */
static double best_to(double error, run runs[CODES][RUNS], int from, int to) {
    double best = NAN;
    for (int code = from; code < to; code++)
        if (!(time_to(error, runs[code]) >= best))
            best = time_to(error, runs[code]);
    return best;
}

static double each(const run *runs, double accuracy) {
    for (int i = 0; i < RUNS; i++)
        if (fabs(runs[i].accuracy / accuracy - 1) < 0.01 && runs[i].evaluations > 0)
            return runs[i].seconds / (double)runs[i].evaluations;
    return NAN;
}

static void put(const char *key, double value, double unit) {
    if (value > 0)
        printf("%s %.6g\n", key, value * unit);
}

int main(int count, char **arguments) {
    for (int k = 0; count > 1 && k < FLOWS; k++)
        if (strcmp(flows[k].name, arguments[1]) == 0)
            problem = &flows[k];
    if (!problem) {
        fprintf(stderr, "nonstiff lorenz | vdp5 | arenstorf | pleiades\n");
        return 1;
    }
    static run runs[CODES][RUNS];
    sal_simulator *sims[OURS][RUNS];
    for (int i = 0; i < RUNS; i++)
        for (int code = 0; code < OURS; code++)
            sims[code][i] = make(names[code], pow(10, -3 - 0.5 * i));
    const double begin = now();
    do
        for (int i = 0; i < RUNS; i++)
            for (int code = 0; code < CODES; code++) {
                run r = {.accuracy = pow(10, -3 - 0.5 * i)};
                const bool done = go(code, code < OURS ? sims[code][i] : NULL, &r);
                keep_best(&runs[code][i], &r, done ? flow_error(problem, x) : NAN);
            }
    while (now() - begin < 0.6 * patience());
    for (int code = 0; getenv("WORK") && *getenv("WORK") && code < CODES; code++)
        for (int i = 0; i < RUNS; i++)
            fprintf(stderr, "%-21s %.1e error %.2e  %9.2f us %7ld evaluations\n", names[code], runs[code][i].accuracy,
                    runs[code][i].error, runs[code][i].seconds * 1e6, (long)runs[code][i].evaluations);
    for (int digits = 4; digits <= 8; digits += 2) {
        char key[20];
        snprintf(key, sizeof key, "ours_%d", digits);
        put(key, best_to(pow(10, -digits), runs, 0, OURS), 1e6);
        snprintf(key, sizeof key, "theirs_%d", digits);
        put(key, best_to(pow(10, -digits), runs, GSL, CODES), 1e6);
    }
    put("each_ours", each(runs[ALONE], 1e-6), 1e9);
    put("each_theirs", each(runs[GSL], 1e-6), 1e9);
    return 0;
}
