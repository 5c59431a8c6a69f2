/* The Jacobian of a right-hand side: by differences, one group of columns at a time, or from the model. */
#include <math.h>

#include "implicit.h"

static const double forward = 0x1p-26; /* sqrt(eps), where truncation and rounding balance */
static const double centred = 0x1p-22; /* a power of eps between 1/2 and 1/3 */

/* The increment: relative to x above the floor, and away from zero. */
double sal__difference_increment(double x, double floor, bool central) {
    const double size = central ? centred : forward;
    return fabs(x) < floor ? size * floor : size * x;
}

/* The floor below which variable j counts as small: 1 as in Drake, or, for methods with scaled_increments, the
 * change in a step, but at least what the accuracy distinguishes from zero. Equations without derivative are sums of
 * full-size terms, in which less than a thousandth is lost, and their value is not a rate. */
double sal__difference_floor(const sal_attempt *a, int j) {
    const sal_integrator *in = a->implicit->integrator;
    if (!a->implicit->method->scaled_increments)
        return 1;
    const double weight = in->scale.weight[j] > 0 ? in->scale.weight[j] : 1;
    const double least = a->implicit->mass.count > 0 ? fmax(in->accuracy, 1e-3) : in->accuracy;
    const double rate = sal__mass_has_row(&a->implicit->mass, j) ? a->f0[j] : 0;
    return fmax(fabs(a->h * rate), least / weight);
}

sal_status sal__eval_for_jacobian(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, double *dx) {
    sal__implicit *im = a->implicit;
    im->stats.total.derivative_evaluations_for_jacobians++;
    im->stats.estimator.derivative_evaluations_for_jacobians += im->is_estimating;
    return sal__eval(rhs, a, t, x, dx);
}

/* ---- by differences ---- */

/* Columns that share one difference; without a pattern, all rows of a single column. */
typedef struct group {
    const int *columns;
    int count;
    bool whole;
} group;

/* Moves the probe by an increment. Its width is the distance, as rounded, between the two points of the difference. */
static void move(sal__implicit *im, const group *g, const sal_attempt *a, const double *x, bool central, int sign) {
    for (int k = 0; k < g->count; k++) {
        const int j = g->columns[k];
        const double increment = sal__difference_increment(x[j], sal__difference_floor(a, j), central);
        im->work.probe[j] = x[j] + sign * increment;
        im->differences.width[j] = im->work.probe[j] - (central ? x[j] - increment : x[j]);
    }
}

static void store(sal__implicit *im, const group *g, const double *ahead, const double *behind) {
    const sal__pattern *p = &im->differences.pattern;
    for (int k = 0; k < g->count; k++) {
        const int j = g->columns[k];
        const double width = im->differences.width[j];
        for (int r = g->whole ? 0 : p->starts[j]; r < (g->whole ? im->n : p->starts[j + 1]); r++) {
            const int i = g->whole ? r : p->rows[r];
            im->matrices.jacobian[sal__matrix_at(&im->matrices.shape, i, j)] = (ahead[i] - behind[i]) / width;
        }
    }
}

/* `f` is the derivative at the base point for one-sided differences. */
static sal_status difference(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, const double *f,
                             const group *g, bool central) {
    sal__implicit *im = a->implicit;
    sal_status status = SAL_OK;
    if (central) {
        move(im, g, a, x, central, -1);
        status = sal__eval_for_jacobian(rhs, a, t, im->work.probe, im->differences.probe_rate);
        f = im->differences.probe_rate;
    }
    move(im, g, a, x, central, 1);
    if (status == SAL_OK)
        status = sal__eval_for_jacobian(rhs, a, t, im->work.probe, im->work.rate);
    for (int k = 0; k < g->count; k++)
        im->work.probe[g->columns[k]] = x[g->columns[k]];
    if (status == SAL_OK)
        store(im, g, im->work.rate, f);
    return status;
}

static void clear(sal__implicit *im) {
    const size_t count = sal__matrix_elements(&im->matrices.shape);
    for (size_t k = 0; k < count; k++)
        im->matrices.jacobian[k] = 0;
}

static sal_status all_groups(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, const double *f) {
    sal__implicit *im = a->implicit;
    const sal__pattern *p = &im->differences.pattern;
    const bool whole = im->differences.sparsity == SAL__NO_PATTERN;
    if (!whole)
        clear(im);
    for (int i = 0; i < im->n; i++)
        im->work.probe[i] = x[i];
    sal_status status = SAL_OK;
    for (int g = 0; status == SAL_OK && g < (whole ? im->n : p->group_count); g++) {
        const group columns = {whole ? &g : p->members + p->group_starts[g],
                               whole ? 1 : p->group_starts[g + 1] - p->group_starts[g], whole};
        status = difference(rhs, a, t, x, f, &columns, im->integrator->config.central_differences);
    }
    return status;
}

static sal_status by_differences(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, const double *f) {
    sal__implicit *im = a->implicit;
    sal_status status = SAL_OK;
    if (im->differences.pattern_is_doubted)
        sal__find_pattern(rhs, a, t, x);
    if (status == SAL_OK && !f &&
        (!im->integrator->config.central_differences || im->differences.sparsity == SAL__FOUND_PATTERN)) {
        status = sal__eval_for_jacobian(rhs, a, t, x, im->work.rate0);
        f = im->work.rate0;
    }
    for (bool missed = true; missed && status == SAL_OK;) {
        missed = false;
        status = all_groups(rhs, a, t, x, f);
        if (status == SAL_OK && im->differences.sparsity == SAL__FOUND_PATTERN)
            status = sal__check_pattern(rhs, a, t, x, f, &missed);
        if (missed && status == SAL_OK)
            sal__find_pattern(rhs, a, t, x);
    }
    return status;
}

/* ---- from the model ---- */

/* For a band, the function writes rows of lower + upper + 1. */
static sal_status by_function(const sal_rhs *rhs, sal__implicit *im, double t, const double *x) {
    const sal_integrator_config *c = &im->integrator->config;
    if (im->differences.sparsity != SAL__GIVEN_PATTERN)
        return c->jacobian(rhs->user, t, x, im->matrices.jacobian);
    const sal_status status = c->jacobian(rhs->user, t, x, im->matrices.model_band);
    clear(im);
    for (int i = 0; status == SAL_OK && i < im->n; i++)
        for (int k = 0; k <= c->lower + c->upper; k++) {
            const int j = i - c->lower + k;
            if (j >= 0 && j < im->n)
                im->matrices.jacobian[sal__matrix_at(&im->matrices.shape, i, j)] =
                    im->matrices.model_band[i * (c->lower + c->upper + 1) + k];
        }
    return status;
}

sal_status sal__update_jacobian(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, const double *f) {
    sal__implicit *im = a->implicit;
    im->matrices.has_jacobian = false;
    im->stats.total.jacobians++;
    im->stats.estimator.jacobians += im->is_estimating;
    if (im->differences.sparsity == SAL__WANTED_PATTERN)
        sal__find_pattern(rhs, a, t, x);
    if (im->matrices.too_large)
        return SAL_RETRY;
    sal_status status = im->integrator->config.jacobian ? by_function(rhs, im, t, x) : by_differences(rhs, a, t, x, f);
    if (status == SAL_OK && !sal__all_finite(sal__matrix_elements(&im->matrices.shape), im->matrices.jacobian))
        status = SAL_RETRY;
    im->matrices.has_jacobian = im->matrices.jacobian_is_fresh = status == SAL_OK;
    im->matrices.jacobian_time = t;
    return status;
}

static void times(const sal__implicit *im, const double *v, double *out, bool sizes) {
    const sal__pattern *p = &im->differences.pattern;
    const bool whole = !sal__has_pattern(im);
    for (int i = 0; i < im->n; i++)
        out[i] = 0;
    for (int j = 0; j < im->n; j++)
        for (int k = whole ? 0 : p->starts[j]; k < (whole ? im->n : p->starts[j + 1]); k++) {
            const int i = whole ? k : p->rows[k];
            const double element = im->matrices.jacobian[sal__matrix_at(&im->matrices.shape, i, j)];
            out[i] += (sizes ? fabs(element) : element) * v[j];
        }
}

void sal__jacobian_times(const sal__implicit *im, const double *v, double *out) {
    times(im, v, out, false);
}

void sal__jacobian_size_times(const sal__implicit *im, const double *v, double *out) {
    times(im, v, out, true);
}

/* ---- the check ---- */

sal_status sal__check_jacobian(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    const double wrong = 0.3, rounding = 1e-13;
    double *move = im->work.guess, *predicted = im->work.scratch, *terms = predicted + im->n;
    for (int j = 0; j < im->n; j++) {
        const double increment = sal__difference_increment(a->x0[j], sal__difference_floor(a, j), false);
        im->work.probe[j] = a->x0[j] + increment * (0.5 + fmod(0.6180339887498949 * j, 1));
        move[j] = im->work.probe[j] - a->x0[j];
    }
    const sal_status status = sal__eval_for_jacobian(rhs, a, a->t, im->work.probe, im->work.rate);
    if (status != SAL_OK) {
        sal__implicit_discard_matrices(im);
        return status < 0 ? status : SAL_OK;
    }
    sal__jacobian_times(im, move, predicted);
    for (int j = 0; j < im->n; j++)
        move[j] = fabs(a->x0[j]);
    sal__jacobian_size_times(im, move, terms);
    bool holds = true;
    for (int i = 0; i < im->n; i++) {
        const double change = im->work.rate[i] - a->f0[i], allowed = wrong * fabs(predicted[i]);
        holds = holds && fabs(change - predicted[i]) <= allowed + rounding * (fabs(a->f0[i]) + terms[i]);
    }
    if (!holds)
        sal__implicit_discard_matrices(im);
    im->matrices.jacobian_time = -INFINITY; /* checked */
    return SAL_OK;
}
