/* Forms, factors and solves with iteration matrices, dense or banded. */
#include "matrix.h"

#include <string.h>

#include "lu.h"

sal__shape sal__dense_shape(int n) {
    return (sal__shape){.n = n, .width = n};
}

sal__shape sal__band_shape(int n, int lower, int upper, const int *place) {
    return (sal__shape){.n = n, .width = lower + upper + 1, .is_banded = true, .lower = lower, .position = place};
}

/* Operations for the factors, plus the overhead of a loop for each row. */
bool sal__band_pays(int n, int lower, int upper) {
    const double whole = (double)n * n / 3, band = (double)lower * (lower + upper + 8);
    return band < whole && lower + lower + upper < n;
}

size_t sal__matrix_elements(const sal__shape *s) {
    return (size_t)s->n * (size_t)s->width;
}

size_t sal__factors_room(const sal__shape *s) {
    return (size_t)s->n * (size_t)(s->width + s->lower);
}

/* The last columns have fewer multipliers than `lower`; the rest is 0, since factors are saved as a whole. */
static double *multipliers(const sal__shape *s, double *factors) {
    double *const all = factors + sal__matrix_elements(s);
    const int first = s->n > s->lower ? s->n - s->lower : 0;
    memset(all + (size_t)first * (size_t)s->lower, 0, (size_t)(s->n - first) * (size_t)s->lower * sizeof *all);
    return all;
}

int sal__mass_count(int n, const double *matrix) {
    const size_t elements = matrix ? (size_t)n * (size_t)n : 0;
    int count = 0;
    for (size_t k = 0; k < elements; k++)
        count += matrix[k] != 0;
    return count;
}

void sal__mass_read(sal__mass *mass, int n, const double *matrix) {
    int count = 0;
    for (int i = 0; matrix && i < n; i++)
        for (int j = 0; j < n; j++) {
            const double value = matrix[(size_t)i * (size_t)n + (size_t)j];
            if (value == 0)
                continue;
            mass->rows[count] = i;
            mass->columns[count] = j;
            mass->values[count++] = value;
        }
}

bool sal__mass_has_row(const sal__mass *mass, int i) {
    int low = -1, high = mass->count;
    SAL__BISECT(int, low, high, mass->rows[middle] < i)
    return mass->count == 0 || (high < mass->count && mass->rows[high] == i);
}

const double *sal__mass_times(const sal__mass *mass, int n, const double *x, double *room) {
    if (mass->count == 0)
        return x;
    for (int i = 0; i < n; i++)
        room[i] = 0;
    for (int k = 0; k < mass->count; k++)
        room[mass->rows[k]] += mass->values[k] * x[mass->columns[k]];
    return room;
}

static void add_shift(const sal__shape *s, const sal__mass *mass, double shift, double *a) {
    for (int k = 0; k < mass->count; k++)
        a[sal__matrix_at(s, mass->rows[k], mass->columns[k])] += shift * mass->values[k];
    for (int i = 0; mass->count == 0 && i < s->n; i++)
        a[sal__matrix_at(s, i, i)] += shift;
}

static void form(const sal__shape *s, double h, const double *restrict jacobian, double *restrict a) {
    const size_t count = sal__matrix_elements(s);
    for (size_t k = 0; k < count; k++)
        a[k] = -h * jacobian[k];
}

bool sal__matrix_factor(const sal__shape *s, const sal__mass *mass, double shift, double h, const double *jacobian,
                        double *factors, int *pivots) {
    form(s, h, jacobian, factors);
    add_shift(s, mass, shift, factors);
    if (s->is_banded)
        return sal__lu_band_factor(s->n, s->lower, s->width, factors, multipliers(s, factors), pivots);
    return sal__lu_factor(s->n, factors, pivots);
}

/* Permutes to the order of the band, and back. */
static double *gather(const sal__shape *s, double *b, double *scratch) {
    if (!s->position)
        return b;
    for (int i = 0; i < s->n; i++)
        scratch[s->position[i]] = b[i];
    return scratch;
}

static void scatter(const sal__shape *s, const double *from, double *b) {
    for (int i = 0; s->position && i < s->n; i++)
        b[i] = from[s->position[i]];
}

void sal__matrix_solve(const sal__shape *s, const double *factors, const int *pivots, double *b, double *scratch) {
    if (!s->is_banded) {
        sal__lu_solve(s->n, factors, pivots, b);
        return;
    }
    double *x = gather(s, b, scratch);
    sal__lu_band_solve(s->n, s->lower, s->width, factors, factors + sal__matrix_elements(s), pivots, x);
    scatter(s, x, b);
}

bool sal__matrix_complex_factor(const sal__shape *s, const sal__mass *mass, double shift_re, double shift_im, double h,
                                const double *jacobian, double *factors, int *pivots) {
    double *re = factors, *im = factors + sal__factors_room(s);
    form(s, h, jacobian, re);
    memset(im, 0, sal__matrix_elements(s) * sizeof *im);
    add_shift(s, mass, shift_re, re);
    add_shift(s, mass, shift_im, im);
    if (s->is_banded)
        return sal__lu_band_complex_factor(s->n, s->lower, s->width, re, im, multipliers(s, re), multipliers(s, im),
                                           pivots);
    return sal__lu_complex_factor(s->n, re, im, pivots);
}

void sal__matrix_complex_solve(const sal__shape *s, const double *factors, const int *pivots, double *b_re,
                               double *b_im, double *scratch) {
    const double *re = factors, *im = factors + sal__factors_room(s);
    if (!s->is_banded) {
        sal__lu_complex_solve(s->n, re, im, pivots, b_re, b_im);
        return;
    }
    const size_t elements = sal__matrix_elements(s);
    double *x = gather(s, b_re, scratch), *y = gather(s, b_im, scratch + s->n);
    sal__lu_band_complex_solve(s->n, s->lower, s->width, re, im, re + elements, im + elements, pivots, x, y);
    scatter(s, x, b_re);
    scatter(s, y, b_im);
}
