/* Stiff problems to a given error: radau5 and rodas4 against CVODE's BDF, in turn, in one run.
 *
 *   stiff PROBLEM [METHOD]
 *
 * Both run at accuracies of 1e-2 to 1e-12. The time to an error is read from the lower hull
 * of their (error, seconds) pairs, logarithms interpolated. Prints `key value` lines: the
 * milliseconds to an error of 1e-4, 1e-6 and 1e-8, ours and theirs; with WORK=1 every pair. */
#include "clock.h"

#include "../support/stiff.h"
#include "saltus/saltus.h"
#include "work.h"

#if defined(__has_include)
#if __has_include(<cvode/cvode.h>)
#define HAVE_CVODE
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#endif
#endif

static const stiff_problem *problem;
static double x[STIFF_BIGGEST];

static void die(const char *why) {
    fprintf(stderr, "stiff: %s\n", why);
    exit(1);
}

/* ---- ours ---- */

static sal_status eval(void *user, double t, const double *state, double *dx) {
    (void)user;
    problem->rates(t, state, dx);
    return SAL_OK;
}

static sal_integrator *make(const char *method, double accuracy) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find(method);
    config.accuracy = accuracy;
    config.lower = problem->lower;
    config.upper = problem->upper;
    sal_integrator *in = NULL;
    if (sal_integrator_new(NULL, &config, problem->n, &in) != SAL_OK)
        die("no integrator");
    for (int i = 0; i < problem->n; i++)
        sal_integrator_set_weight(in, i, 1 / problem->smallest, true);
    return in;
}

static bool ours(const char *method, run *r) {
    const double begin = now();
    sal_integrator *in = make(method, r->accuracy);
    const sal_rhs rhs = {problem->n, eval, NULL};
    const sal_limits to = {INFINITY, INFINITY, problem->end};
    sal_integrator_initialize(in);
    problem->start(x);
    double t = 0;
    sal_status status = SAL_OK;
    const double *at = x;
    while (t < problem->end && status == SAL_OK) {
        status = sal_integrator_step(in, &rhs, t, at, &to, NULL);
        t = sal_integrator_end_time(in);
        at = sal_integrator_end(in);
    }
    memcpy(x, at, (size_t)problem->n * sizeof *x);
    const sal_implicit_stats s = sal_integrator_implicit_statistics(in);
    r->evaluations = s.total.derivative_evaluations;
    r->factorizations = s.total.factorizations;
    r->jacobians = s.total.jacobians;
    r->steps = sal_integrator_statistics(in)->steps;
    sal_integrator_free(in);
    r->seconds = now() - begin;
    return status == SAL_OK;
}

/* ---- theirs ---- */

#ifdef HAVE_CVODE
static int64_t calls;

static int cvode_eval(realtype t, N_Vector state, N_Vector dx, void *user) {
    (void)user;
    calls++;
    problem->rates(t, NV_DATA_S(state), NV_DATA_S(dx));
    return 0;
}

static bool cvode(run *r) {
    const double begin = now();
    SUNContext context = NULL;
    SUNContext_Create(NULL, &context);
    N_Vector state = N_VNew_Serial(problem->n, context);
    problem->start(NV_DATA_S(state));
    void *memory = CVodeCreate(CV_BDF, context);
    CVodeInit(memory, cvode_eval, 0, state);
    CVodeSStolerances(memory, r->accuracy, r->accuracy * problem->smallest);
    CVodeSetMaxNumSteps(memory, 1000000);
    CVodeSetErrFile(memory, NULL);
    SUNMatrix matrix = problem->lower >= 0 ? SUNBandMatrix(problem->n, problem->upper, problem->lower, context)
                                           : SUNDenseMatrix(problem->n, problem->n, context);
    SUNLinearSolver solver =
        problem->lower >= 0 ? SUNLinSol_Band(state, matrix, context) : SUNLinSol_Dense(state, matrix, context);
    CVodeSetLinearSolver(memory, solver, matrix);
    CVodeSetStopTime(memory, problem->end);
    realtype t = 0;
    calls = 0;
    const int status = CVode(memory, problem->end, state, &t, CV_NORMAL);
    long steps = 0, factorizations = 0, jacobians = 0;
    CVodeGetNumSteps(memory, &steps);
    CVodeGetNumLinSolvSetups(memory, &factorizations);
    CVodeGetNumJacEvals(memory, &jacobians);
    memcpy(x, NV_DATA_S(state), (size_t)problem->n * sizeof *x);
    CVodeFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(state);
    SUNContext_Free(&context);
    r->evaluations = calls;
    r->steps = steps;
    r->factorizations = factorizations;
    r->jacobians = jacobians;
    r->seconds = now() - begin;
    return status >= 0;
}
#endif

/* ---- work against precision ---- */

static void report(const char *whose, const run *runs) {
    for (int i = 0; getenv("WORK") && *getenv("WORK") && i < RUNS; i++)
        fprintf(stderr, "%-8s %.1e error %.2e  %9.3f ms %7ld evaluations %6ld steps %6ld matrices %5ld jacobians\n",
                whose, runs[i].accuracy, runs[i].error, runs[i].seconds * 1e3, (long)runs[i].evaluations,
                (long)runs[i].steps, (long)runs[i].factorizations, (long)runs[i].jacobians);
    for (int digits = 4; digits <= 8; digits += 2)
        if (time_to(pow(10, -digits), runs) > 0)
            printf("%s_%d %.6g\n", whose, digits, time_to(pow(10, -digits), runs) * 1e3);
}

int main(int count, char **arguments) {
    problem = count > 1 ? stiff_find(arguments[1]) : NULL;
    const char *method = count > 2 ? arguments[2] : "radau5";
    if (!problem || !sal_method_find(method))
        die("stiff PROBLEM [METHOD]");
    run mine[RUNS] = {{0}}, theirs[RUNS] = {{0}};
    const double begin = now();
    do {
        for (int i = 0; i < RUNS; i++) {
            run r = {.accuracy = pow(10, -2 - 0.5 * i)};
            const bool done = ours(method, &r);
            keep_best(&mine[i], &r, done ? stiff_error(problem, x) : NAN);
#ifdef HAVE_CVODE
            const bool finished = cvode(&r);
            keep_best(&theirs[i], &r, finished ? stiff_error(problem, x) : NAN);
#endif
        }
    } while (now() - begin < 0.8 * patience());
    report("ours", mine);
    report("theirs", theirs);
    return 0;
}
