/* Banded systems of linear equations: LU with partial pivoting, in place. */
#ifndef SAL_LU_BAND_H
#define SAL_LU_BAND_H

#include <stdbool.h>

/* The matrix has `lower` diagonals below its own, width - lower - 1 above, and is stored by
 * rows of `width`, row i from column max(0, i - lower) on; what would stand right of the last
 * column is zero. `l` holds n * lower, pivots n + 1. Returns as sal__lu_factor. */
bool sal__lu_band_factor(int n, int lower, int width, double *a, double *l, int *pivots);
void sal__lu_band_solve(int n, int lower, int width, const double *a, const double *l, const int *pivots, double *b);

/* The same of complex ones, real and imaginary parts apart. */
bool sal__lu_band_complex_factor(int n, int lower, int width, double *re, double *im, double *l_re, double *l_im,
                                 int *pivots);
void sal__lu_band_complex_solve(int n, int lower, int width, const double *re, const double *im, const double *l_re,
                                const double *l_im, const int *pivots, double *b_re, double *b_im);

/* Bodies are compiled for the narrowest bands too, their inner loops unrolled. */
#if defined(__GNUC__)
#define SAL__BAND_BODY static inline __attribute__((always_inline))
#else
#define SAL__BAND_BODY static inline
#endif

#endif
