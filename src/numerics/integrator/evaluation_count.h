/* Evaluations of the derivatives since the integrator was made; unlike the statistics, they are never reset. */
#ifndef SAL_EVALUATION_COUNT_H
#define SAL_EVALUATION_COUNT_H

#include "saltus/integrator.h"

int64_t sal__integrator_evaluations(const sal_integrator *in);

#endif
