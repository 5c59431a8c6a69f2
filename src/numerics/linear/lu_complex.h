/* Dense systems of complex linear equations, real and imaginary parts apart. */
#ifndef SAL_LU_COMPLEX_H
#define SAL_LU_COMPLEX_H

#include <stdbool.h>

/* As sal__lu_factor, of the matrix re + i im, both n x n by rows. */
bool sal__lu_complex_factor(int n, double *re, double *im, int *pivots);

/* re + i im becomes its reciprocal. */
void sal__complex_invert(double *re, double *im);

/* b_re + i b_im becomes the solution. */
void sal__lu_complex_solve(int n, const double *re, const double *im, const int *pivots, double *b_re, double *b_im);

#endif
