/* What is known of a Jacobian's pattern, and how it is found out where nobody told.
 *
 * Probing moves one variable at a time, from a point at which none is likely to be zero, and
 * sees which derivatives change in any bit: those that do not depend on it cannot. What such
 * a probe misses (a branch not taken there) shows when the Jacobian, made by groups,
 * foretells a change of the derivatives wrongly: then another point is probed too, and
 * after that all elements are taken for non-zero. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "implicit.h"

enum { SMALLEST = 17, PROBES = 3 }; /* n below which nothing is gained; probes before giving up */

/* ---- set-up ---- */

/* Room for lists that are worth it: a quarter of all elements. */
static size_t found_capacity(size_t n) {
    const size_t quarter = n / 2 * (n / 2);
    return quarter < INT_MAX ? quarter : INT_MAX;
}

/* False when there is no more room. */
static bool add_once(sal__pattern *p, int column, int row) {
    if (p->mark[row] == column + 1)
        return true;
    p->mark[row] = column + 1;
    return sal__pattern_add(p, column, row);
}

/* Every matrix has the diagonal, or M's elements. */
static bool add_mass(sal__implicit *im, int column) {
    bool fits = add_once(&im->pattern, column, column);
    for (int k = 0; k < im->mass.count; k++)
        if (im->mass.columns[k] == column)
            fits = fits && add_once(&im->pattern, column, im->mass.rows[k]);
    return fits;
}

static void read_band(sal__implicit *im) {
    sal__pattern *p = &im->pattern;
    const sal_integrator_config *c = &im->in->config;
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

/* Only methods that say so solve with bands; others use the groups alone. */
void sal__choose_shape(sal__implicit *im) {
    const sal__pattern *p = &im->pattern;
    const bool known = im->sparsity == SAL__FOUND_PATTERN || im->sparsity == SAL__GIVEN_PATTERN;
    im->shape = sal__dense_shape(im->n);
    if (known && im->method->bands && sal__band_pays(im->n, p->lower, p->upper))
        im->shape = sal__band_shape(im->n, p->lower, p->upper, p->reordered ? p->place : NULL);
}

sal_status sal__sparsity_set_up(const sal_allocator *allocator, sal__implicit *im) {
    const sal_integrator_config *c = &im->in->config;
    const size_t n = (size_t)im->n;
    im->mass.count = sal__mass_count(im->n, c->mass);
    im->sparsity = c->lower >= 0 ? SAL__GIVEN_PATTERN : SAL__NO_PATTERN;
    size_t capacity = 0;
    if (im->sparsity == SAL__GIVEN_PATTERN)
        capacity = n * (size_t)(c->lower + c->upper + 1) + (size_t)im->mass.count;
    else if (im->n >= SMALLEST && !c->dense_jacobian)
        capacity = found_capacity(n);
    const size_t ints = 2 * (size_t)im->mass.count + (capacity > 0 ? sal__pattern_room(n, capacity) : 0);
    im->lists_bytes = (size_t)im->mass.count * sizeof(double) + ints * sizeof(int);
    im->lists = sal__resize(allocator, NULL, 0, im->lists_bytes);
    if (!im->lists)
        return SAL_ENOMEM;
    im->mass.values = im->lists;
    im->mass.rows = (int *)(void *)(im->mass.values + im->mass.count);
    im->mass.columns = im->mass.rows + im->mass.count;
    sal__mass_read(&im->mass, im->n, c->mass);
    if (capacity > 0)
        sal__pattern_lay_out(&im->pattern, im->n, (int)capacity, im->mass.columns + im->mass.count);
    if (im->sparsity == SAL__GIVEN_PATTERN)
        read_band(im);
    sal__choose_shape(im);
    return SAL_OK;
}

/* A given function fills all elements. */
void sal__sparsity_forget(sal__implicit *im) {
    const bool by_differences = !im->in->config.jacobian;
    im->probes = 0;
    if (im->sparsity != SAL__GIVEN_PATTERN)
        im->sparsity = im->pattern.capacity > 0 && by_differences ? SAL__WANTED_PATTERN : SAL__NO_PATTERN;
    sal__choose_shape(im);
}

/* ---- probing ---- */

/* Uniform in [1/2, 3/2): the same at every run. */
static double chance(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return 0.5 + *seed / 4294967296.;
}

/* A point near x, in the direction in which it moves, where no variable is zero. */
static void go_near(const sal_attempt *a, const double *x, uint32_t *seed) {
    sal__implicit *im = a->implicit;
    for (int i = 0; i < im->n; i++) {
        const double way = a->f0[i] < 0 ? -1 : 1, far = fmax(fabs(x[i]), sal__difference_floor(a, i));
        im->spot[i] = x[i] + way * 1e-3 * chance(seed) * far;
    }
}

static bool changed(const double *a, const double *b) {
    return memcmp(a, b, sizeof *a) != 0;
}

/* The rows that change with variable j, and those known from before. */
static bool add_changed(sal__implicit *im, int j) {
    sal__pattern *p = &im->pattern;
    bool fits = add_mass(im, j);
    for (int k = p->row_starts[j]; k < p->row_starts[j + 1]; k++)
        fits = fits && add_once(p, j, p->columns[k]);
    for (int i = 0; i < im->n; i++)
        if (changed(&im->rate[i], &im->spot_rate[i]))
            fits = fits && add_once(p, j, i);
    return fits;
}

static sal_status probe_column(const sal_rhs *rhs, sal_attempt *a, double t, int j, uint32_t *seed) {
    sal__implicit *im = a->implicit;
    const double kept = im->spot[j];
    im->spot[j] += 1e-3 * chance(seed) * fmax(fabs(kept), sal__difference_floor(a, j));
    const sal_status status = sal__eval_for_jacobian(rhs, a, t, im->spot, im->rate);
    im->spot[j] = kept;
    return status;
}

/* What is known already stands by the side while the lists are written anew. */
static void set_aside(sal__implicit *im) {
    sal__pattern *p = &im->pattern;
    const bool any = im->sparsity == SAL__FOUND_PATTERN;
    for (int j = 0; j <= im->n; j++)
        p->row_starts[j] = any ? p->starts[j] : 0;
    for (int k = 0; k < p->row_starts[im->n]; k++)
        p->columns[k] = p->rows[k];
    for (int i = 0; i < im->n; i++)
        p->mark[i] = 0;
}

static void adopt(sal__implicit *im, sal__sparsity sparsity) {
    im->sparsity = sparsity;
    if (sparsity == SAL__FOUND_PATTERN)
        sal__pattern_close(&im->pattern);
    sal__choose_shape(im);
    for (int i = 0; i < SAL__MATRICES; i++)
        im->factors[i].ready = false;
}

/* A model that cannot say anything at the probe, or fails there, or depends on too much, gets
 * the whole matrix: no step was asked to go there. */
void sal__find_pattern(const sal_rhs *rhs, sal_attempt *a, double t, const double *x) {
    sal__implicit *im = a->implicit;
    uint32_t seed = 1234567u + (uint32_t)im->probes;
    bool fits = im->probes++ < PROBES;
    go_near(a, x, &seed);
    set_aside(im);
    sal_status status = fits ? sal__eval_for_jacobian(rhs, a, t, im->spot, im->spot_rate) : SAL_OK;
    sal__pattern_open(&im->pattern);
    for (int j = 0; status == SAL_OK && fits && j < im->n; j++) {
        status = probe_column(rhs, a, t, j, &seed);
        fits = status == SAL_OK && add_changed(im, j);
        sal__pattern_end_column(&im->pattern, j);
    }
    adopt(im, status == SAL_OK && fits ? SAL__FOUND_PATTERN : SAL__NO_PATTERN);
}

/* ---- the check ---- */

/* Steps of all variables at once, about as wide as their differences, and J times them; bound
 * is what rounding and curvature may add to that. */
static void foretell(sal__implicit *im, const double *x, const double *f, double *change, double *bound) {
    const sal__pattern *p = &im->pattern;
    uint32_t seed = 7654321u;
    for (int i = 0; i < im->n; i++) {
        change[i] = 0;
        bound[i] = 1e-13 * fabs(f[i]);
    }
    for (int j = 0; j < im->n; j++) {
        const double step = im->width[j] * chance(&seed);
        im->spot[j] = x[j] + step;
        for (int k = p->starts[j]; k < p->starts[j + 1]; k++) {
            const int i = p->rows[k];
            const double slope = im->jacobian[sal__matrix_at(&im->shape, i, j)];
            change[i] += slope * (im->spot[j] - x[j]);
            bound[i] += fabs(slope) * (1e-3 * fabs(step) + 1e-13 * fabs(x[j]));
        }
    }
}

sal_status sal__check_pattern(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, const double *f,
                              bool *missed) {
    sal__implicit *im = a->implicit;
    double *change = im->scratch, *bound = change + im->n;
    foretell(im, x, f, change, bound);
    const sal_status status = sal__eval_for_jacobian(rhs, a, t, im->spot, im->spot_rate);
    *missed = false;
    for (int i = 0; status == SAL_OK && i < im->n; i++)
        if (fabs(im->spot_rate[i] - f[i] - change[i]) > bound[i])
            *missed = true;
    return status < 0 ? status : SAL_OK;
}
