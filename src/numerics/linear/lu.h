/* Systems of linear equations: LU with partial pivoting, in place; dense or banded, real or complex. */
#ifndef SAL_LU_H
#define SAL_LU_H

#include "base/base.h"

/* Factors the n x n matrix a, stored by rows; pivots holds n. Returns false if it is singular to working precision
 * or not finite; a is then undefined. */
bool sal__lu_factor(int n, double *a, int *pivots);
/* Replaces b by the solution of a x = b. */
void sal__lu_solve(int n, const double *a, const int *pivots, double *b);

/* The same for the complex matrix re + i im, stored as real and imaginary parts. */
bool sal__lu_complex_factor(int n, double *re, double *im, int *pivots);
void sal__lu_complex_solve(int n, const double *re, const double *im, const int *pivots, double *b_re, double *b_im);
/* Replaces re + i im by its reciprocal. */
void sal__complex_invert(double *re, double *im);

/* The same for a band. The matrix has `lower` diagonals below its own, width - lower - 1 above, and is stored by
 * rows of `width`, row i from column max(0, i - lower) on; elements right of the last column are zero. `l` holds n *
 * lower, pivots n + 1. */
bool sal__lu_band_factor(int n, int lower, int width, double *a, double *l, int *pivots);
void sal__lu_band_solve(int n, int lower, int width, const double *a, const double *l, const int *pivots, double *b);
bool sal__lu_band_complex_factor(int n, int lower, int width, double *re, double *im, double *l_re, double *l_im,
                                 int *pivots);
void sal__lu_band_complex_solve(int n, int lower, int width, const double *re, const double *im, const double *l_re,
                                const double *l_im, const int *pivots, double *b_re, double *b_im);

/* ---- what these share ---- */

static inline void sal__swap(double *a, double *b) {
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* Two rows that do not overlap. */
static inline void sal__swap_rows(int width, double *restrict a, double *restrict b) {
    for (int j = 0; j < width; j++)
        sal__swap(&a[j], &b[j]);
}

static inline int sal__smaller(int a, int b) {
    return a < b ? a : b;
}

/* Functions for bands are also compiled for the narrowest bands, with unrolled inner loops: factoring, forming and
 * solving together take 7 % fewer instructions with the Brusselator, 8 % with the heat equation. */
#define SAL__BAND_BODY SAL__ALWAYS_INLINE

#endif
