/* Elementary functions with the same bits on every machine, compiler and C library: they use + - * /, sqrt and integers
 * only. Each result is within 1 ulp of the exact one. Special values are those of C11, Annex F; a NaN that they return
 * always has the same bits, and floating-point flags have no meaning. They need no memory and may be called from
 * callbacks and from any thread, in the rounding mode to nearest. Angles are in radians. */
#ifndef SALTUS_MATH_H
#define SALTUS_MATH_H

#include "status.h"

SAL_BEGIN_DECLARATIONS

/* Trigonometric functions, the exponential function and the natural logarithm of x. */
SAL_API double sal_sin(double x);
SAL_API double sal_cos(double x);
SAL_API double sal_tan(double x);
SAL_API double sal_exp(double x);
SAL_API double sal_log(double x); /* -infinity for 0, NaN below */
/* Functions of two numbers. */
SAL_API double sal_pow(double x, double y);   /* x^y; NaN for x < 0 and a y that is not whole */
SAL_API double sal_atan2(double y, double x); /* the angle of the point (x, y), from -pi to pi */
SAL_API double sal_hypot(double x, double y); /* sqrt(x^2 + y^2) without overflow between */

SAL_END_DECLARATIONS
#endif
