/* The dense output of an integrator, for code that stores it. */
#ifndef SAL_DENSE_OUTPUT_H
#define SAL_DENSE_OUTPUT_H

#include "saltus/integrator.h"

/* dense_output.c: the highest degree of the polynomial in a step, over the methods that the integrator may choose. */
int sal__dense_degree(const sal_integrator *in);

#endif
