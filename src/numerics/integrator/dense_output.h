/* The dense output of an integrator, for those who store it. */
#ifndef SAL_DENSE_OUTPUT_H
#define SAL_DENSE_OUTPUT_H

#include "saltus/integrator.h"

/* dense_output.c: the degree of the polynomial in a step, of whichever method the integrator may choose. */
int sal__dense_degree(const sal_integrator *in);

#endif
