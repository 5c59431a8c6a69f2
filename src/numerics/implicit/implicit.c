/* Creation of the data that implicit methods share, and the equations of a single stage. */
#include "implicit.h"

#include <math.h>
#include <string.h>

/* A block that is divided into arrays; without memory, it only computes the length. */
typedef struct block {
    double *memory;
    size_t used;
} block;

static double *take(block *b, size_t count) {
    double *taken = b->memory ? b->memory + b->used : NULL;
    b->used += count;
    return taken;
}

/* Doubles of the stage matrix: dense over all unknowns, or with factors_apart (radau5) three arrays of n x n, for a
 * real and a complex matrix. */
static size_t stages_room(const sal__implicit *im, size_t unknowns, size_t one) {
    const sal_method *m = im->method;
    return m->factors_apart || m->implicit_stages == 1 ? (size_t)m->implicit_stages * one : unknowns * unknowns;
}

static size_t given_width(const sal__implicit *im) {
    return (size_t)(im->integrator->config.lower + im->integrator->config.upper + 1);
}

/* Doubles of a matrix, if one of n unknowns takes `one`. */
static size_t room_of(const sal__implicit *im, sal__matrix which, size_t one) {
    const size_t unknowns = (size_t)im->n * (size_t)im->method->implicit_stages;
    if (which == SAL__STAGES)
        return stages_room(im, unknowns, one);
    return im->method->has_trapezoid_estimate ? one : 0;
}

size_t sal__factor_size(const sal__implicit *im, sal__matrix which) {
    return room_of(im, which, sal__factors_room(&im->matrices.shape));
}

int sal__factor_systems(const sal__implicit *im, sal__matrix which) {
    return which == SAL__STAGES && im->method->factors_apart ? 2 : 1;
}

int sal__factor_unknowns(const sal__implicit *im, sal__matrix which) {
    const bool together = which == SAL__STAGES && !im->method->factors_apart;
    return together ? im->n * im->method->implicit_stages : im->n;
}

/* In doubles. */
static size_t pivots_room(const sal__implicit *im, sal__matrix which) {
    const size_t row = (size_t)sal__factor_unknowns(im, which) + 1;
    return ((size_t)sal__factor_systems(im, which) * row + 1) / 2;
}

enum { STATES = 12 };

/* Matrices come last, so that unused parts of them are never touched. */
static size_t lay_out(sal__implicit *im, double *memory) {
    const size_t n = (size_t)im->n, unknowns = n * (size_t)im->method->implicit_stages;
    block room = {memory, 0};
    double **const states[STATES] = {&im->newton.x,
                                     &im->newton.dx,
                                     &im->work.probe,
                                     &im->work.rate,
                                     &im->work.rate0,
                                     &im->work.base,
                                     &im->work.guess,
                                     &im->work.full,
                                     &im->work.half,
                                     &im->differences.width,
                                     &im->differences.probe_point,
                                     &im->differences.probe_rate};
    for (size_t i = 0; i < STATES; i++)
        *states[i] = take(&room, n);
    im->work.scratch = take(&room, 2 * n);
    im->newton.unknowns = take(&room, unknowns);
    im->newton.update = take(&room, unknowns);
    im->matrices.factors[SAL__STAGES].pivots = (int *)(void *)take(&room, pivots_room(im, SAL__STAGES));
    im->matrices.factors[SAL__ESTIMATE].pivots = (int *)(void *)take(&room, pivots_room(im, SAL__ESTIMATE));
    im->matrices.jacobian = take(&room, im->matrices.factor_size);
    im->matrices.model_band = take(&room, im->differences.sparsity == SAL__GIVEN_PATTERN ? n * given_width(im) : 0);
    im->matrices.factors[SAL__STAGES].lu = take(&room, room_of(im, SAL__STAGES, im->matrices.factor_size));
    im->matrices.factors[SAL__ESTIMATE].lu = take(&room, room_of(im, SAL__ESTIMATE, im->matrices.factor_size));
    return room.used;
}

sal_status sal__implicit_new(const sal_allocator *allocator, const sal_integrator *in, sal__implicit **out) {
    sal__implicit plan = {.integrator = in, .method = in->method, .n = in->n};
    sal_status status = sal__pattern_detection_init(allocator, &plan);
    if (status != SAL_OK)
        return status;
    plan.bytes = sizeof plan + lay_out(&plan, NULL) * sizeof(double);
    sal__implicit *im = sal__resize(allocator, NULL, 0, plan.bytes);
    if (!im) {
        sal__free(allocator, plan.list_memory, plan.lists_bytes);
        return SAL_ENOMEM;
    }
    *im = plan;
    lay_out(im, (double *)(void *)(im + 1));
    /* What is saved even if it is unused: all before the matrices, and matrices that may be smaller than their room. */
    memset(im->newton.x, 0, (size_t)((char *)im->matrices.jacobian - (char *)im->newton.x));
    if (!im->method->takes_bands)
        memset(im->matrices.factors[SAL__STAGES].lu, 0, sal__factor_size(im, SAL__STAGES) * sizeof(double));
    *out = im;
    return SAL_OK;
}

void sal__implicit_free(const sal_allocator *allocator, sal__implicit *im) {
    if (!im)
        return;
    sal__free(allocator, im->list_memory, im->lists_bytes);
    sal__free(allocator, im, im->bytes);
}

void sal__implicit_discard_matrices(sal__implicit *im) {
    im->matrices.has_jacobian = im->matrices.jacobian_is_fresh = false;
    for (int i = 0; i < SAL__MATRICES; i++)
        im->matrices.factors[i].is_factored = false;
}

void sal__implicit_model_changed(sal__implicit *im) {
    im->matrices.jacobian_is_fresh = false;
    im->matrices.jacobian_time = NAN;
}

void sal__implicit_reset_start(sal__implicit *im) {
    sal__implicit_discard_matrices(im);
    im->newton.remaining_error = 1;
}

void sal__implicit_reset(sal__implicit *im) {
    sal__pattern_detection_reset(im);
    sal__implicit_reset_start(im);
}

/* ---- an attempt ---- */

/* Adds the evaluations since the last call to the present kind of work. */
static void count_evaluations(sal_attempt *a) {
    sal__implicit *im = a->implicit;
    if (im->is_estimating)
        im->stats.estimator.derivative_evaluations += a->evaluations - im->evaluations_counted;
    im->evaluations_counted = a->evaluations;
}

void sal__set_estimating(sal_attempt *a, bool estimating) {
    count_evaluations(a);
    a->implicit->is_estimating = estimating;
}

static bool too_short_to_solve(const sal_attempt *a) {
    return a->implicit->mass.count == 0 && a->h < sal_integrator_working_minimum(a->implicit->integrator, a->t);
}

/* After an accepted step the Jacobian is old; after a failed or rejected one it still belongs to the start. */
sal_status sal__implicit_attempt(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    im->matrices.jacobian_is_fresh = im->matrices.has_jacobian && im->matrices.jacobian_time == a->t;
    im->is_estimating = false;
    im->evaluations_counted = a->evaluations;
    sal_status status = SAL_OK;
    if (im->matrices.has_jacobian && isnan(im->matrices.jacobian_time))
        status = sal__check_jacobian(rhs, a);
    if (status == SAL_OK)
        status = too_short_to_solve(a) ? a->method->explicit_step(rhs, a) : a->method->implicit_step(rhs, a);
    sal__set_estimating(a, false);
    return status;
}

/* Two explicit Euler steps, and the difference of one step from them. */
sal_status sal__explicit_halves(const sal_rhs *rhs, sal_attempt *a) {
    const int n = rhs->n;
    const double h = a->h;
    double *x = a->x1, *rate = a->implicit->work.rate;
    for (int i = 0; i < n; i++)
        x[i] = a->x0[i] + h / 2 * a->f0[i];
    const sal_status status = sal__eval(rhs, a, a->t + h / 2, x, rate);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < n; i++) {
        a->err[i] = h / 2 * (a->f0[i] - rate[i]);
        x[i] += h / 2 * rate[i];
    }
    return SAL_OK;
}

sal_status sal__explicit_third_order(const sal_rhs *rhs, sal_attempt *a) {
    sal_attempt other = *a;
    other.work = a->implicit->newton.unknowns;
    const sal_status status = sal__bogacki_shampine3.attempt(rhs, &other);
    a->evaluations = other.evaluations;
    return status;
}

/* ---- a single stage ---- */

static sal_status begin(const sal__newton *p) {
    sal__implicit *im = p->a->implicit;
    memcpy(im->newton.x, p->guess, (size_t)im->n * sizeof(double));
    return SAL_OK;
}

static sal_status defect(const sal__newton *p, double *d) {
    const sal__implicit *im = p->a->implicit;
    const sal_status status = sal__eval(p->rhs, p->a, p->t1, im->newton.x, im->work.rate);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < im->n; i++)
        d[i] = p->base[i] + p->h * im->work.rate[i] - im->newton.x[i];
    return SAL_OK;
}

static sal_status advance(const sal__newton *p, const double *update) {
    sal__implicit *im = p->a->implicit;
    for (int i = 0; i < im->n; i++) {
        im->newton.dx[i] = update[i];
        im->newton.x[i] += update[i];
    }
    return SAL_OK;
}

sal__newton sal__single_stage(const sal_rhs *rhs, sal_attempt *a, double t0, double t1, double h, const double *x0) {
    return (sal__newton){.rhs = rhs,
                         .a = a,
                         .t0 = t0,
                         .t1 = t1,
                         .h = h,
                         .x0 = x0,
                         .base = x0,
                         .guess = x0,
                         .size = rhs->n,
                         .matrix = SAL__STAGES,
                         .begin = begin,
                         .defect = defect,
                         .advance = advance};
}

sal_status sal__newton_solve_into(const sal__newton *p, double *x) {
    const sal_status status = sal__newton_solve(p);
    for (int i = 0; status == SAL_OK && i < p->rhs->n; i++)
        x[i] = p->a->implicit->newton.x[i];
    return status;
}

/* The result of the whole step is the guess for the two halves. */
static sal_status two_halves(const sal_rhs *rhs, sal_attempt *a, sal__stage_maker stage) {
    sal__implicit *im = a->implicit;
    const double half = a->h / 2, middle = a->t + half;
    for (int i = 0; i < rhs->n; i++)
        im->work.guess[i] = 0.5 * (a->x0[i] + im->work.full[i]);
    sal__newton first = stage(rhs, a, a->t, middle, half, a->x0);
    first.f0 = a->f0;
    first.guess = im->work.guess;
    const sal_status status = sal__newton_solve_into(&first, im->work.half);
    if (status != SAL_OK)
        return status;
    sal__newton second = stage(rhs, a, middle, a->t1, half, im->work.half);
    second.guess = im->work.full;
    return sal__newton_solve_into(&second, a->x1);
}

sal_status sal__step_by_halves(const sal_rhs *rhs, sal_attempt *a, sal__stage_maker stage) {
    sal__implicit *im = a->implicit;
    sal__newton whole = stage(rhs, a, a->t, a->t1, a->h, a->x0);
    whole.f0 = a->f0;
    sal__set_estimating(a, true);
    sal_status status = sal__newton_solve_into(&whole, im->work.full);
    sal__set_estimating(a, false);
    if (status == SAL_OK)
        status = two_halves(rhs, a, stage);
    for (int i = 0; status == SAL_OK && i < rhs->n; i++)
        a->err[i] = im->work.full[i] - a->x1[i];
    return status;
}

sal_status sal__estimate_by_trapezoid(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    const double half = a->h / 2;
    for (int i = 0; i < im->n; i++)
        im->work.base[i] = a->x0[i] + half * a->f0[i];
    sal__newton trapezoid = sal__single_stage(rhs, a, a->t, a->t1, half, a->x0);
    trapezoid.f0 = a->f0;
    trapezoid.base = im->work.base;
    trapezoid.guess = a->x1;
    trapezoid.matrix = SAL__ESTIMATE;

    sal__set_estimating(a, true);
    const sal_status status = sal__newton_solve(&trapezoid);
    sal__set_estimating(a, false);
    for (int i = 0; status == SAL_OK && i < im->n; i++)
        a->err[i] = a->x1[i] - im->newton.x[i];
    return status;
}
