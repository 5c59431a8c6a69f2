/* Dense systems of linear equations: LU with partial pivoting, in place. */
#ifndef SAL_LU_H
#define SAL_LU_H

#include <stdbool.h>

/* Factors the n x n matrix a, stored by rows; pivots holds n. False when it is
 * singular to working precision or not finite: then a is of no use any more. */
bool sal__lu_factor(int n, double *a, int *pivots);

/* b becomes the solution of a x = b. */
void sal__lu_solve(int n, const double *a, const int *pivots, double *b);

#endif
