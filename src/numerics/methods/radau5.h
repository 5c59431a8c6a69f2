/* What the files of Radau IIA share. */
#ifndef SAL_RADAU5_H
#define SAL_RADAU5_H

#include "numerics/implicit/implicit.h"

enum { STAGES = 3 };

/* radau5.c: does the step go on where the last one, of this method too, ended? */
bool sal__radau5_goes_on(const sal_integrator *in, const sal_attempt *a);

/* radau5_error.c: into a->err, and its norm. */
sal_status sal__radau5_estimate(const sal_rhs *rhs, sal_attempt *a, double *norm);
sal_status sal__radau5_confirm(const sal_rhs *rhs, sal_attempt *a);

#endif
