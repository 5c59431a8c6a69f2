/* Detects a Jacobian's sparsity pattern if it is not given.
 *
 * Probing moves one variable at a time, from a point where probably none is zero, and compares the bits of the
 * derivatives: a derivative that does not depend on the variable does not change. The first point is far from the
 * state, by about the size of each variable: near a state of rest, products of small variables are lost in the
 * rounding of other terms. A probe can miss elements, for example in a branch not taken there. This shows when the
 * Jacobian, computed by groups, predicts a change of the derivatives wrongly, or when Newton's iteration fails with
 * it: then a point near the state is probed too, and then far and near ones alternate. If a pattern keeps growing,
 * detection gives up: all elements count as nonzero. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "implicit.h"

enum { SMALLEST = 17, MOST_GROWTHS = 3 }; /* smallest n for detection; growths before giving up */
enum { LARGEST = 2000 };                  /* from this n on, "auto" has memory for bands only */

/* ---- set-up ---- */

/* "auto" allocates no matrices larger than a dense one of LARGEST unknowns, which a band of thousands may be. */
static bool is_bounded(const sal__implicit *im) {
    return im->integrator->config.method->methods_by_kind && im->n > LARGEST && im->mass.count == 0 &&
           im->differences.sparsity != SAL__GIVEN_PATTERN;
}

/* Limits the lists to a quarter of all elements; beyond that they save nothing. */
static size_t found_capacity(const sal__implicit *im) {
    const size_t n = is_bounded(im) ? LARGEST : (size_t)im->n, quarter = n / 2 * (n / 2);
    return quarter < INT_MAX ? quarter : INT_MAX;
}

/* Returns false if there is no more room. */
static bool add_once(sal__pattern *p, int column, int row) {
    if (p->mark[row] == column + 1)
        return true;
    p->mark[row] = column + 1;
    return sal__pattern_add(p, column, row);
}

/* Every matrix contains the diagonal, or M's elements. */
static bool add_mass(sal__implicit *im, int column) {
    bool fits = add_once(&im->differences.pattern, column, column);
    for (int k = 0; k < im->mass.count; k++)
        if (im->mass.columns[k] == column)
            fits = fits && add_once(&im->differences.pattern, column, im->mass.rows[k]);
    return fits;
}

static void read_band(sal__implicit *im) {
    sal__pattern *p = &im->differences.pattern;
    const sal_integrator_config *c = &im->integrator->config;
    memset(p->mark, 0, (size_t)im->n * sizeof *p->mark);
    sal__pattern_open(p);
    for (int j = 0; j < im->n; j++) {
        const int last = j + c->lower < im->n ? j + c->lower : im->n - 1;
        for (int i = j > c->upper ? j - c->upper : 0; i <= last; i++)
            add_once(p, j, i);
        add_mass(im, j);
        sal__pattern_end_column(p, j);
    }
    sal__pattern_close(p);
}

/* Only methods with `takes_bands` solve with bands; others use only the groups. */
void sal__choose_shape(sal__implicit *im) {
    const sal__pattern *p = &im->differences.pattern;
    im->matrices.shape = sal__dense_shape(im->n);
    if (sal__has_pattern(im) && im->method->takes_bands && sal__band_pays(im->n, p->lower, p->upper))
        im->matrices.shape = sal__band_shape(im->n, p->lower, p->upper, p->reordered ? p->position : NULL);
    im->matrices.too_large = im->differences.sparsity != SAL__WANTED_PATTERN &&
                             sal__factors_room(&im->matrices.shape) > im->matrices.factor_size;
}

sal_status sal__pattern_detection_init(const sal_allocator *allocator, sal__implicit *im) {
    const sal_integrator_config *c = &im->integrator->config;
    const size_t n = (size_t)im->n;
    im->mass.count = sal__mass_count(im->n, c->mass);
    im->differences.sparsity = c->lower >= 0 ? SAL__GIVEN_PATTERN : SAL__NO_PATTERN;
    size_t capacity = 0;
    if (im->differences.sparsity == SAL__GIVEN_PATTERN)
        capacity = n * (size_t)(c->lower + c->upper + 1) + (size_t)im->mass.count;
    else if (im->n >= SMALLEST && !c->dense_jacobian)
        capacity = found_capacity(im);
    const size_t ints = 2 * (size_t)im->mass.count + (capacity > 0 ? sal__pattern_room(n, capacity) : 0);
    im->lists_bytes = (size_t)im->mass.count * sizeof(double) + ints * sizeof(int);
    im->list_memory = sal__resize(allocator, NULL, 0, im->lists_bytes);
    if (!im->list_memory)
        return SAL_ENOMEM;
    im->mass.values = im->list_memory;
    im->mass.rows = (int *)(void *)(im->mass.values + im->mass.count);
    im->mass.columns = im->mass.rows + im->mass.count;
    sal__mass_read(&im->mass, im->n, c->mass);
    if (capacity > 0)
        sal__pattern_lay_out(&im->differences.pattern, im->n, (int)capacity, im->mass.columns + im->mass.count);
    if (im->differences.sparsity == SAL__GIVEN_PATTERN)
        read_band(im);
    sal__choose_shape(im);
    im->matrices.factor_size = is_bounded(im) ? (size_t)LARGEST * LARGEST : sal__factors_room(&im->matrices.shape);
    return SAL_OK;
}

/* A Jacobian function of the user fills all elements. */
void sal__pattern_detection_reset(sal__implicit *im) {
    const bool by_differences = !im->integrator->config.jacobian;
    im->differences.probe_count = im->differences.growth_count = im->differences.alarm_count = 0;
    im->differences.pattern_is_doubted = false;
    im->differences.failed_time = NAN;
    if (im->differences.sparsity != SAL__GIVEN_PATTERN)
        im->differences.sparsity =
            im->differences.pattern.capacity > 0 && by_differences ? SAL__WANTED_PATTERN : SAL__NO_PATTERN;
    sal__choose_shape(im);
}

/* ---- probing ---- */

/* Uniform in [1/2, 3/2): the same in every run. */
static double chance(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return 0.5 + *seed / 4294967296.;
}

/* Returns the length of a probe: about the variable's size, away from zero, so that no variable changes sign and
 * leaves its domain; or a thousandth of the change in a step. */
static double probe_distance(const sal_attempt *a, int j, double x, bool far) {
    const double weight = a->implicit->integrator->scale.weight[j];
    return far ? fmax(fabs(x), 1 / (weight > 0 ? weight : 1)) : 1e-3 * fmax(fabs(x), sal__difference_floor(a, j));
}

/* A point where no variable is zero; a near point lies in the direction in which x moves. */
static void choose_spot(const sal_attempt *a, const double *x, bool far, uint32_t *seed) {
    sal__implicit *im = a->implicit;
    for (int i = 0; i < im->n; i++) {
        const double rise = far && x[i] != 0 ? x[i] : a->f0[i], way = rise < 0 ? -1 : 1;
        im->differences.probe_point[i] = x[i] + way * chance(seed) * probe_distance(a, i, x[i], far);
    }
}

static bool changed(const double *a, const double *b) {
    return memcmp(a, b, sizeof *a) != 0;
}

/* Adds the rows that change with variable j, and the rows known before. */
static bool add_changed(sal__implicit *im, int j) {
    sal__pattern *p = &im->differences.pattern;
    bool fits = add_mass(im, j);
    for (int k = p->row_starts[j]; k < p->row_starts[j + 1]; k++)
        fits = fits && add_once(p, j, p->columns[k]);
    for (int i = 0; i < im->n; i++)
        if (changed(&im->work.rate[i], &im->differences.probe_rate[i]))
            fits = fits && add_once(p, j, i);
    return fits;
}

/* The derivatives at the probe point; SAL_RETRY if the model cannot compute all of them. */
static sal_status eval_spot(const sal_rhs *rhs, sal_attempt *a, double t, double *rate) {
    const sal_status status = sal__eval_for_jacobian(rhs, a, t, a->implicit->differences.probe_point, rate);
    return status == SAL_OK && sal__first_not_finite(rhs->n, rate) >= 0 ? SAL_RETRY : status;
}

static sal_status probe_column(const sal_rhs *rhs, sal_attempt *a, double t, int j, bool far, uint32_t *seed) {
    sal__implicit *im = a->implicit;
    const double kept = im->differences.probe_point[j], way = far && kept < 0 ? -1 : 1;
    im->differences.probe_point[j] += way * chance(seed) * probe_distance(a, j, kept, far);
    const sal_status status = eval_spot(rhs, a, t, im->work.rate);
    im->differences.probe_point[j] = kept;
    return status;
}

/* Saves the known pattern while the lists are rewritten. */
static void set_aside(sal__implicit *im) {
    sal__pattern *p = &im->differences.pattern;
    const bool any = im->differences.sparsity == SAL__FOUND_PATTERN;
    for (int j = 0; j <= im->n; j++)
        p->row_starts[j] = any ? p->starts[j] : 0;
    for (int k = 0; k < p->row_starts[im->n]; k++)
        p->columns[k] = p->rows[k];
}

static void adopt(sal__implicit *im, sal__sparsity sparsity) {
    im->differences.sparsity = sparsity;
    if (sparsity == SAL__FOUND_PATTERN)
        sal__pattern_close(&im->differences.pattern);
    sal__choose_shape(im);
    for (int i = 0; i < SAL__MATRICES; i++)
        im->matrices.factors[i].is_factored = false;
}

/* Rebuilds the lists from the known pattern and the elements seen at a point; SAL_RETRY if the model fails there. */
static sal_status probe(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, bool far, bool *fits) {
    sal__implicit *im = a->implicit;
    uint32_t seed = 1234567u + (uint32_t)im->differences.probe_count++;
    choose_spot(a, x, far, &seed);
    memset(im->differences.pattern.mark, 0, (size_t)im->n * sizeof *im->differences.pattern.mark);
    sal__pattern_open(&im->differences.pattern);
    sal_status status = eval_spot(rhs, a, t, im->differences.probe_rate);
    for (int j = 0; status == SAL_OK && *fits && j < im->n; j++) {
        status = probe_column(rhs, a, t, j, far, &seed);
        *fits = status == SAL_OK && add_changed(im, j);
        sal__pattern_end_column(&im->differences.pattern, j);
    }
    return status;
}

/* If the model fails at a far point, a near one is probed. If it fails there too, or depends on too much, the matrix
 * is dense: the step itself may not need such points. */
void sal__find_pattern(const sal_rhs *rhs, sal_attempt *a, double t, const double *x) {
    sal__implicit *im = a->implicit;
    const bool known = im->differences.sparsity == SAL__FOUND_PATTERN, far = im->differences.probe_count % 2 == 0;
    bool fits = true;
    im->differences.pattern_is_doubted = false;
    set_aside(im);
    const int before = im->differences.pattern.row_starts[im->n];
    sal_status status = probe(rhs, a, t, x, far, &fits);
    if (status > 0 && far) {
        fits = true;
        status = probe(rhs, a, t, x, false, &fits);
    }
    fits = fits && status == SAL_OK;
    if (known && fits && im->differences.pattern.starts[im->n] > before) {
        im->differences.alarm_count = 0;
        fits = ++im->differences.growth_count < MOST_GROWTHS;
    }
    adopt(im, fits ? SAL__FOUND_PATTERN : SAL__NO_PATTERN);
}

/* While probing finds nothing new, alarms are handled less and less often: the 1st, the 8th, the 64th. */
static bool alarm(sal__implicit *im) {
    int since = ++im->differences.alarm_count;
    while (since % 8 == 0)
        since /= 8;
    im->differences.pattern_is_doubted = since == 1;
    return im->differences.pattern_is_doubted;
}

/* Newton's iteration failed with a fresh Jacobian. The first time, the step was probably too long; if a shorter step
 * from the same start fails too, the Jacobian is suspect. */
void sal__question_pattern(sal__implicit *im) {
    const bool again = im->differences.failed_time == im->matrices.jacobian_time;
    if (im->matrices.jacobian_is_fresh)
        im->differences.failed_time = im->matrices.jacobian_time;
    if (im->matrices.jacobian_is_fresh && again && im->differences.sparsity == SAL__FOUND_PATTERN &&
        !im->integrator->config.jacobian && alarm(im))
        im->matrices.has_jacobian = false;
}

/* ---- the check ---- */

static const double forgiven = 1e-6; /* fraction of a row's sum allowed for curvature */

/* Computes a simultaneous change of all variables, about as large as their differences, and J times it; bound is the
 * possible error from rounding and curvature. */
static void foretell(sal__implicit *im, const double *x, const double *f, double *change, double *bound) {
    const sal__pattern *p = &im->differences.pattern;
    uint32_t seed = 7654321u;
    for (int i = 0; i < im->n; i++) {
        change[i] = 0;
        bound[i] = 1e-13 * fabs(f[i]);
    }
    for (int j = 0; j < im->n; j++) {
        const double step = im->differences.width[j] * chance(&seed);
        im->differences.probe_point[j] = x[j] + step;
        for (int k = p->starts[j]; k < p->starts[j + 1]; k++) {
            const int i = p->rows[k];
            const double slope = im->matrices.jacobian[sal__matrix_at(&im->matrices.shape, i, j)];
            change[i] += slope * (im->differences.probe_point[j] - x[j]);
            bound[i] += fabs(slope) * (forgiven * fabs(step) + 1e-13 * fabs(x[j]));
        }
    }
}

sal_status sal__check_pattern(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, const double *f,
                              bool *missed) {
    sal__implicit *im = a->implicit;
    double *change = im->work.scratch, *bound = change + im->n;
    foretell(im, x, f, change, bound);
    const sal_status status =
        sal__eval_for_jacobian(rhs, a, t, im->differences.probe_point, im->differences.probe_rate);
    *missed = false;
    for (int i = 0; status == SAL_OK && i < im->n; i++)
        if (fabs(im->differences.probe_rate[i] - f[i] - change[i]) > bound[i])
            *missed = true;
    *missed = *missed && alarm(im);
    return status < 0 ? status : SAL_OK;
}
