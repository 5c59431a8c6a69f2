/* Shared by the files of Radau IIA. */
#ifndef SAL_RADAU5_H
#define SAL_RADAU5_H

#include "numerics/implicit/implicit.h"

enum { STAGES = 3 };

/* radau5.c: whether the step continues where the last one, also of this method, ended. */
bool sal__radau5_goes_on(const sal_integrator *in, const sal_attempt *a);

/* radau5_error.c: computes a->err, and its norm. */
sal_status sal__radau5_estimate(const sal_rhs *rhs, sal_attempt *a, double *norm);
sal_status sal__radau5_confirm(const sal_rhs *rhs, sal_attempt *a);

#endif
