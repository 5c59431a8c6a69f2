/* Iteration matrices: how a Jacobian is stored, and the factored matrices made of it, dense
 * or banded, real or complex. */
#ifndef SAL_MATRIX_H
#define SAL_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

/* Rows of a dense matrix are n long; those of a band begin at column max(0, row - lower). */
typedef struct sal__shape {
    int n, width;
    bool is_banded;
    int lower;
    const int *position; /* row and column of unknown i in the band; NULL: the same as i */
} sal__shape;

/* The elements of M in M x' = f, each once, by rows; none: M is the identity. */
typedef struct sal__mass {
    int count;
    int *rows, *columns;
    double *values;
} sal__mass;

sal__shape sal__dense_shape(int n);
sal__shape sal__band_shape(int n, int lower, int upper, const int *place);

/* Whether a band is so narrow that it is less work than a dense matrix. */
bool sal__band_pays(int n, int lower, int upper);

/* Doubles of a matrix, and of a factored one; a complex matrix needs twice as many. */
size_t sal__matrix_elements(const sal__shape *s);
size_t sal__factors_room(const sal__shape *s);

/* Returns the index of element (i, j). */
static inline size_t sal__matrix_at(const sal__shape *s, int i, int j) {
    if (s->position) {
        i = s->position[i];
        j = s->position[j];
    }
    const int first = s->is_banded && i > s->lower ? i - s->lower : 0;
    return (size_t)i * (size_t)s->width + (size_t)(j - first);
}

/* From an n x n matrix by rows; NULL is the identity. The lists hold `count` elements. */
int sal__mass_count(int n, const double *matrix);
void sal__mass_read(sal__mass *mass, int n, const double *matrix);
/* Whether equation i has a derivative: row i of M is not zero. */
bool sal__mass_has_row(const sal__mass *mass, int i);
/* M x, computed into `room`; returns x itself if M is the identity. */
const double *sal__mass_times(const sal__mass *mass, int n, const double *x, double *room);

/* factors = factored shift M - h J; returns false if singular. pivots holds n + 1. */
bool sal__matrix_factor(const sal__shape *s, const sal__mass *mass, double shift, double h, const double *jacobian,
                        double *factors, int *pivots);
/* Replaces b by the solution; scratch holds 2 n. */
void sal__matrix_solve(const sal__shape *s, const double *factors, const int *pivots, double *b, double *scratch);

/* The same for (shift_re + i shift_im) M - h J. */
bool sal__matrix_complex_factor(const sal__shape *s, const sal__mass *mass, double shift_re, double shift_im, double h,
                                const double *jacobian, double *factors, int *pivots);
void sal__matrix_complex_solve(const sal__shape *s, const double *factors, const int *pivots, double *b_re,
                               double *b_im, double *scratch);

#endif
