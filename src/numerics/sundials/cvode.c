/* CVODE's multistep methods (Hindmarsh et al., SUNDIALS: Suite of Nonlinear and Differential/Algebraic Equation
 * Solvers, ACM Transactions on Mathematical Software 31, 2005) as integrator steps. They choose sizes and orders
 * themselves; if a step does not start where the last one ended, CVODE is restarted at order 1. */
#include "cvode.h"

#include <math.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

static double *values(N_Vector v) {
    return NV_DATA_S(v);
}

/* ---- callbacks of CVODE ---- */

static int eval(realtype t, N_Vector state, N_Vector rate, void *user) {
    sal__cvode *c = user;
    const sal_status status = sal__eval(c->rhs, c->a, t, values(state), values(rate));
    if (status != SAL_OK)
        c->failed = status;
    if (status == SAL_OK && sal__first_not_finite(c->in->n, values(rate)) >= 0) {
        memcpy(c->a->work, values(rate), (size_t)c->in->n * sizeof(double)); /* for the failure report */
        return 1;
    }
    return status < 0 ? -1 : status > 0;
}

/* CVODE's norm is 1 if the weighted errors equal the accuracy. */
static int weigh(N_Vector state, N_Vector weight, void *user) {
    const sal__cvode *c = user;
    for (int i = 0; i < c->in->n; i++)
        values(weight)[i] = sal_integrator_weight(c->in, i, values(state)[i]) / c->in->accuracy;
    return 0;
}

/* ---- its life ---- */

static void close(void *self) {
    sal__cvode *c = self;
    const sal_allocator allocator = c->in->allocator;
    if (c->memory)
        CVodeFree(&c->memory);
    sal__cvode_drop_matrix(c);
    if (c->nonlinear)
        SUNNonlinSolFree(c->nonlinear);
    if (c->state)
        N_VDestroy(c->state);
    if (c->other)
        N_VDestroy(c->other);
    if (c->context)
        SUNContext_Free(&c->context);
    sal__free(&allocator, c, sizeof *c);
}

static bool make(sal__cvode *c, int family) {
    if (SUNContext_Create(NULL, &c->context) != 0)
        return false;
    c->state = N_VNew_Serial(c->in->n, c->context);
    c->other = N_VNew_Serial(c->in->n, c->context);
    c->memory = CVodeCreate(family, c->context);
    if (!c->state || !c->other || !c->memory)
        return false;
    CVodeSetErrFile(c->memory, NULL);
    if (CVodeInit(c->memory, eval, 0, c->state) != CV_SUCCESS || CVodeWFtolerances(c->memory, weigh) != CV_SUCCESS ||
        CVodeSetUserData(c->memory, c) != CV_SUCCESS)
        return false;
    if (family == CV_BDF)
        return true;
    c->nonlinear = SUNNonlinSol_FixedPoint(c->state, 0, c->context);
    return c->nonlinear && CVodeSetNonlinearSolver(c->memory, c->nonlinear) == CV_SUCCESS;
}

static sal_status open(sal_integrator *in, int family, void **out) {
    sal__cvode *c = sal__alloc(&in->allocator, sizeof *c);
    if (!c)
        return SAL_ENOMEM;
    c->in = in;
    if (!make(c, family)) {
        close(c);
        return SAL_ENOMEM;
    }
    *out = c;
    return SAL_OK;
}

static sal_status open_bdf(sal_integrator *in, void **out) {
    return open(in, CV_BDF, out);
}

static sal_status open_adams(sal_integrator *in, void **out) {
    return open(in, CV_ADAMS, out);
}

static void forget(void *self) {
    ((sal__cvode *)self)->started = false;
}

/* ---- a step ---- */

static bool goes_on(const sal__cvode *c) {
    const size_t bytes = (size_t)c->in->n * sizeof(double);
    return c->started && c->t == c->a->t && memcmp(values(c->state), c->a->x0, bytes) == 0;
}

static sal_status start(sal__cvode *c) {
    const sal_integrator_config *config = &c->in->config;
    memcpy(values(c->state), c->a->x0, (size_t)c->in->n * sizeof(double));
    if (CVodeReInit(c->memory, c->a->t, c->state) != CV_SUCCESS)
        return SAL_EINVAL;
    CVodeSetInitStep(c->memory, isnan(config->initial_step) ? 0 : config->initial_step);
    return c->nonlinear || c->matrix ? SAL_OK : sal__cvode_attach_matrix(c);
}

/* The polynomial of the step, from its derivatives at the start; the difference at the end, from rounding and the
 * change between two steps, is added to the slope. */
static void keep_polynomial(sal__cvode *c, int order) {
    sal_attempt *a = c->a;
    const int n = c->in->n, degree = c->in->method->dense_degree;
    double *sum = values(c->other);
    memset(a->work, 0, (size_t)(n * degree) * sizeof *a->work);
    double scale = 1;
    for (int k = 1; k <= order && k <= degree; k++) {
        scale *= a->h / k;
        if (CVodeGetDky(c->memory, a->t, k, c->other) != CV_SUCCESS)
            break;
        for (int i = 0; i < n; i++)
            a->work[(k - 1) * n + i] = scale * sum[i];
    }
    for (int i = 0; i < n; i++) {
        double end = a->x0[i];
        for (int k = 0; k < degree; k++)
            end += a->work[k * n + i];
        a->work[i] += a->x1[i] - end;
    }
}

/* The times are closer than CVODE can distinguish. */
static void step_over(sal__cvode *c, double limit) {
    sal_attempt *a = c->a;
    a->t1 = limit;
    a->h = limit - a->t;
    for (int i = 0; i < c->in->n; i++)
        a->x1[i] = a->x0[i] + a->h * a->f0[i];
    c->started = false;
    memset(a->err, 0, (size_t)c->in->n * sizeof *a->err);
    keep_polynomial(c, 0);
}

static void read_result(sal__cvode *c, double t, double limit) {
    sal_attempt *a = c->a;
    const size_t bytes = (size_t)c->in->n * sizeof(double);
    int order = 0;
    a->t1 = t < limit ? t : limit;
    a->h = a->t1 - a->t;
    c->t = a->t1;
    c->started = true;
    memcpy(a->x1, values(c->state), bytes);
    CVodeGetEstLocalErrors(c->memory, c->other);
    memcpy(a->err, values(c->other), bytes);
    CVodeGetLastOrder(c->memory, &order);
    keep_polynomial(c, order);
    CVodeGetCurrentStep(c->memory, &c->in->controller.ideal_step);
}

typedef struct tally {
    long rejected, matrices, iterations;
} tally;

static tally count(const sal__cvode *c) {
    tally so_far = {0, 0, 0};
    CVodeGetNumErrTestFails(c->memory, &so_far.rejected);
    CVodeGetNumNonlinSolvIters(c->memory, &so_far.iterations);
    if (c->matrix)
        CVodeGetNumLinSolvSetups(c->memory, &so_far.matrices);
    return so_far;
}

static void add_counts(sal__cvode *c, tally before) {
    const tally now = count(c);
    c->in->stats.rejected_steps += now.rejected - before.rejected;
    if (!c->in->implicit)
        return;
    c->in->implicit->stats.total.factorizations += now.matrices - before.matrices;
    c->in->implicit->stats.total.newton_iterations += now.iterations - before.iterations;
}

static sal_status step(void *self, const sal_rhs *rhs, sal_attempt *a, double limit) {
    sal__cvode *c = self;
    const double farthest = 1e300;
    c->rhs = rhs;
    c->a = a;
    c->failed = SAL_OK;
    const sal_status status = goes_on(c) ? SAL_OK : start(c);
    if (status != SAL_OK)
        return status;
    const tally before = count(c);
    double t = a->t;
    limit = limit < farthest ? limit : farthest;
    CVodeSetMaxStep(c->memory, isinf(c->in->config.max_step) ? 0 : c->in->config.max_step);
    CVodeSetMinStep(c->memory, sal_integrator_working_minimum(c->in, t));
    CVodeSetStopTime(c->memory, limit);
    const int flag = CVode(c->memory, limit, c->state, &t, CV_ONE_STEP);
    add_counts(c, before);
    if (flag == CV_TOO_CLOSE) {
        step_over(c, limit);
        return SAL_OK;
    }
    if (flag < 0) {
        c->started = false;
        CVodeGetCurrentStep(c->memory, &a->h);
        return c->failed < 0 ? c->failed : SAL_RETRY;
    }
    read_result(c, t, limit);
    return SAL_OK;
}

static void dense(int n, const sal_attempt *a, double *coefficients) {
    const size_t count = (size_t)(n * a->method->dense_degree);
    memcpy(coefficients, a->work, count * sizeof *coefficients);
}

static const sal__solver bdf = {open_bdf, close, forget, step}, adams = {open_adams, close, forget, step};

/* Common members of the methods, for the highest order that they reach. */
#define MULTISTEP(highest) \
    .order = (highest), .error_order = (highest), .dense_order = (highest), .dense_degree = (highest), \
    .work = (highest), .default_accuracy = 1e-4, .loosest_accuracy = 1e-2, .dense = dense

const sal_method sal__cvode_bdf = {.name = "cvode_bdf",
                                   MULTISTEP(5),
                                   .implicit_stages = 1,
                                   .takes_bands = true,
                                   .scaled_increments = true,
                                   .solver = &bdf};
const sal_method sal__cvode_adams = {.name = "cvode_adams", MULTISTEP(12), .solver = &adams};
