/* The state that implicit methods carry from step to step. A detected pattern is saved as its elements; groups and
 * bands are recomputed on load. */
#include <math.h>

#include "implicit.h"
#include "numerics/integrator/integrator_snapshot.h"

/* Newton's states and the stages, which are contiguous. */
static size_t states_of(const sal__implicit *im) {
    return (size_t)((double *)(void *)im->matrices.factors[SAL__STAGES].pivots - im->newton.x);
}

/* ---- the pattern ---- */

static bool has_element(const unsigned char *rows, int begin, int end, int row) {
    for (int k = begin; k < end; k++)
        if (sal__int_at(rows, (size_t)k) == row)
            return true;
    return false;
}

/* Every matrix contains the diagonal and M's elements. */
static bool has_needed(const sal__implicit *im, const unsigned char *starts, const unsigned char *rows) {
    for (int j = 0; j < im->n; j++)
        if (!has_element(rows, sal__int_at(starts, (size_t)j), sal__int_at(starts, (size_t)j + 1), j))
            return false;
    for (int k = 0; k < im->mass.count; k++) {
        const size_t j = (size_t)im->mass.columns[k];
        if (!has_element(rows, sal__int_at(starts, j), sal__int_at(starts, j + 1), im->mass.rows[k]))
            return false;
    }
    return true;
}

static bool ascends(const unsigned char *starts, int n, int last) {
    int before = 0;
    for (int j = 0; j <= n; j++) {
        const int start = sal__int_at(starts, (size_t)j);
        if (start < before || start > last || (j == 0 && start != 0))
            return false;
        before = start;
    }
    return before == last;
}

static bool are_rows(const unsigned char *rows, int count, int n) {
    for (int k = 0; k < count; k++)
        if (sal__int_at(rows, (size_t)k) < 0 || sal__int_at(rows, (size_t)k) >= n)
            return false;
    return true;
}

static void archive_pattern(sal__archive *a, sal__implicit *im) {
    sal__pattern *p = &im->differences.pattern;
    int last = sal__is_loading(a) ? 0 : p->starts[im->n];
    const int count = sal__count(a, &last, p->capacity, sizeof(int));
    const unsigned char *starts = sal__bytes(a, p->starts, ((size_t)im->n + 1) * sizeof *p->starts);
    const unsigned char *rows = sal__bytes(a, p->rows, (size_t)count * sizeof *p->rows);
    sal__may_take(a, (size_t)(p->capacity - count) * sizeof *p->rows);
    if (a->mode == SAL__CHECK && !a->is_bad)
        sal__rule(a, ascends(starts, im->n, count) && are_rows(rows, count, im->n) && has_needed(im, starts, rows));
    if (a->mode == SAL__READ)
        sal__pattern_close(p);
}

/* The most bytes of a pattern. */
static size_t pattern_bytes(const sal__implicit *im) {
    const size_t numbers =
        im->differences.pattern.capacity > 0 ? (size_t)im->n + 2 + (size_t)im->differences.pattern.capacity : 0;
    return numbers * sizeof(int);
}

/* ---- matrices ---- */

/* Each system of m unknowns has m pivots, followed by one more number. */
static void archive_pivots(sal__archive *a, const sal__implicit *im, sal__matrix which) {
    const int m = sal__factor_unknowns(im, which), systems = sal__factor_systems(im, which);
    int *const pivots = im->matrices.factors[which].pivots;
    const size_t row = ((size_t)m + 1) * sizeof *pivots;
    const unsigned char *from = sal__bytes(a, pivots, (size_t)systems * row);
    for (int s = 0; a->mode == SAL__CHECK && from && s < systems; s++)
        sal__rule(a, are_rows(from + (size_t)s * row, m, m));
}

/* A given pattern, or a detected one, determines the shape, banded or dense; without a pattern it is dense. */
static void archive_shape(sal__archive *a, const sal__implicit *im, sal__sparsity sparsity, sal__shape *s) {
    const int n = im->n;
    const bool banded = sal__flag(a, &s->is_banded);
    const int width = sal__int(a, &s->width, 0, n), lower = sal__int(a, &s->lower, 0, n);
    s->is_banded = banded, s->width = width, s->lower = lower;
    const bool is_whole = !banded && width == n && lower == 0;
    if (sparsity == SAL__GIVEN_PATTERN)
        sal__rule(a, banded == im->matrices.shape.is_banded && width == im->matrices.shape.width &&
                         lower == im->matrices.shape.lower);
    else
        sal__rule(a, is_whole || (sparsity == SAL__FOUND_PATTERN && banded && width + lower <= n));
}

static bool is_shape(const sal__shape *a, const sal__shape *b) {
    return a->is_banded == b->is_banded && a->width == b->width && a->lower == b->lower;
}

/* The most bytes of all matrices, in any shape. */
static size_t matrix_bytes(const sal__implicit *im) {
    const size_t doubles = (size_t)(im->matrices.factors[SAL__ESTIMATE].lu - im->newton.x) + im->matrices.factor_size;
    return doubles * sizeof(double);
}

/* The shape follows from the pattern; bytes with another shape are skipped. */
static void archive_matrices(sal__archive *a, sal__implicit *im, sal__sparsity sparsity) {
    sal__implicit said = *im;
    archive_shape(a, im, sparsity, &said.matrices.shape);
    if (a->mode == SAL__READ && !is_shape(&said.matrices.shape, &im->matrices.shape)) {
        sal__implicit_discard_matrices(im);
        a->at = a->size; /* skip the rest: it belongs to the matrices */
        return;
    }
    const bool has_jacobian = sal__flag(a, &im->matrices.has_jacobian);
    sal__may_take(a, matrix_bytes(im));
    sal__rule(a, !has_jacobian || sal__factors_room(&said.matrices.shape) <= im->matrices.factor_size);
    if (has_jacobian && !a->is_bad) {
        sal__reals(a, im->newton.x, states_of(im));
        sal__reals(a, im->matrices.jacobian, sal__matrix_elements(&said.matrices.shape));
    }
    for (int i = 0; i < SAL__MATRICES; i++) {
        bool serves = has_jacobian && im->matrices.factors[i].is_factored;
        const bool ready = sal__flag(a, &serves);
        sal__rule(a, has_jacobian || !ready);
        if (a->mode == SAL__READ)
            im->matrices.factors[i].is_factored = ready;
        if (a->is_bad || !ready)
            continue;
        archive_pivots(a, im, (sal__matrix)i);
        sal__reals(a, im->matrices.factors[i].lu, sal__factor_size(&said, (sal__matrix)i));
    }
}

static sal__sparsity archive_sparsity(sal__archive *a, sal__implicit *im) {
    int now = (int)im->differences.sparsity;
    const sal__sparsity sparsity = (sal__sparsity)sal__int(a, &now, SAL__NO_PATTERN, SAL__GIVEN_PATTERN);
    const bool by_probes = sparsity == SAL__WANTED_PATTERN || sparsity == SAL__FOUND_PATTERN;
    sal__rule(a, (sparsity == SAL__GIVEN_PATTERN) == (im->differences.sparsity == SAL__GIVEN_PATTERN));
    sal__rule(a, !by_probes || (im->differences.pattern.capacity > 0 && !im->integrator->config.jacobian));
    if (a->mode == SAL__READ)
        im->differences.sparsity = sparsity;
    return sparsity;
}

void sal__implicit_archive(sal__archive *a, sal__implicit *im) {
    enum { MANY = 1 << 20 };
    sal__real(a, &im->matrices.jacobian_time);
    sal__real(a, &im->matrices.factored_h);
    sal__real(a, &im->newton.contraction);
    sal__real_finite(a, &im->newton.remaining_error);
    sal__real(a, &im->differences.failed_time);
    sal__flag(a, &im->matrices.jacobian_is_fresh);
    sal__int(a, &im->differences.probe_count, 0, MANY);
    sal__int(a, &im->differences.growth_count, 0, MANY);
    sal__int(a, &im->differences.alarm_count, 0, MANY);
    const bool doubted = sal__flag(a, &im->differences.pattern_is_doubted);
    sal__int(a, &im->newton.iteration_count, 0, MANY);
    const sal__sparsity sparsity = archive_sparsity(a, im);
    sal__rule(a, !doubted || sparsity == SAL__WANTED_PATTERN || sparsity == SAL__FOUND_PATTERN);
    if (a->is_bad)
        return;
    if (sparsity == SAL__FOUND_PATTERN)
        archive_pattern(a, im);
    else
        sal__may_take(a, pattern_bytes(im));
    if (a->mode == SAL__READ)
        sal__choose_shape(im);
    archive_matrices(a, im, sparsity);
}

/* ---- a copy ---- */

static void copy_pattern(sal__pattern *to, const sal__pattern *from) {
    memcpy(to->starts, from->starts, ((size_t)from->n + 1) * sizeof *to->starts);
    memcpy(to->rows, from->rows, (size_t)from->starts[from->n] * sizeof *to->rows);
    sal__pattern_close(to);
}

static void copy_matrices(sal__implicit *to, const sal__implicit *from) {
    to->matrices.has_jacobian = from->matrices.has_jacobian;
    if (from->matrices.has_jacobian) {
        memcpy(to->newton.x, from->newton.x, states_of(from) * sizeof(double));
        memcpy(to->matrices.jacobian, from->matrices.jacobian,
               sal__matrix_elements(&from->matrices.shape) * sizeof(double));
    }
    for (int i = 0; i < SAL__MATRICES; i++) {
        const sal__factors *had = &from->matrices.factors[i];
        sal__factors *has = &to->matrices.factors[i];
        has->is_factored = from->matrices.has_jacobian && had->is_factored;
        if (!has->is_factored)
            continue;
        const size_t row = (size_t)sal__factor_unknowns(from, (sal__matrix)i) + 1;
        memcpy(has->pivots, had->pivots, (size_t)sal__factor_systems(from, (sal__matrix)i) * row * sizeof *has->pivots);
        memcpy(has->lu, had->lu, sal__factor_size(from, (sal__matrix)i) * sizeof(double));
    }
}

void sal__implicit_copy(sal__implicit *to, const sal__implicit *from) {
    to->matrices.jacobian_time = from->matrices.jacobian_time;
    to->matrices.factored_h = from->matrices.factored_h;
    to->matrices.jacobian_is_fresh = from->matrices.jacobian_is_fresh;
    to->newton.contraction = from->newton.contraction;
    to->newton.remaining_error = from->newton.remaining_error;
    to->newton.iteration_count = from->newton.iteration_count;
    to->differences.failed_time = from->differences.failed_time;
    to->differences.probe_count = from->differences.probe_count;
    to->differences.growth_count = from->differences.growth_count;
    to->differences.alarm_count = from->differences.alarm_count;
    to->differences.pattern_is_doubted = from->differences.pattern_is_doubted;
    to->differences.sparsity = from->differences.sparsity;
    if (from->differences.sparsity == SAL__FOUND_PATTERN)
        copy_pattern(&to->differences.pattern, &from->differences.pattern);
    sal__choose_shape(to);
    if (is_shape(&to->matrices.shape, &from->matrices.shape))
        copy_matrices(to, from);
    else
        sal__implicit_discard_matrices(to);
}
