/* Equations without a derivative in M x' = f(t, x): solving them without a step. */
#ifndef SAL_CONSISTENCY_H
#define SAL_CONSISTENCY_H

#include "saltus/integrator.h"

/* step_loop.c: changes x to a solution at t. SAL_ESTEP: none was found (sal_integrator_last_failure names the
 * equation), and x is unchanged. */
sal_status sal__integrator_meet_equations(sal_integrator *in, const sal_rhs *rhs, double t, double *x);

#endif
