/* Steps of an equation that reads its own past: what a right-hand side may read of the trial step.
 *
 * Times before the step are known. For times inside the step the attempt's own interpolant is used: the step is
 * attempted with a first guess, then repeated with the interpolant of the previous attempt, until that no longer
 * changes (as in Bellen and Zennaro, Numerical Methods for Delay Differential Equations, 2003, section 4.2; waveform
 * relaxation on one step). After acceptance the interpolant represents the step until it is stored. */
#ifndef SAL_STEP_ITERATION_H
#define SAL_STEP_ITERATION_H

#include "saltus/integrator.h"

typedef struct sal__provisional_step {
    double t0, t1, h;      /* the step; t1 = t0 during the evaluation at its start */
    const double *x0, *f0; /* at t0 */
    const double *c;       /* degree * n coefficients of powers of (t - t0) / h */
    int degree;
    bool has_interpolant; /* c approximates the step; else only x0 and f0 are known */
    bool was_read;        /* set by a read inside the step */
    double longest;       /* number of the attempt in this step */
} sal__provisional_step;

/* Attaches a step iteration, valid as long as the integrator. Returns NULL if out of memory. */
sal__provisional_step *sal__integrator_provisional_step(sal_integrator *in);

/* x_i at t, or its derivative, from what is known of the step. */
double sal__provisional_value(const sal__provisional_step *p, int n, int i, double t);
double sal__provisional_rate(const sal__provisional_step *p, int n, int i, double t);

/* For step_loop.c only: an attempt, repeated as long as it reads its own step; the step is begun at (t, x0, f0), was
 * accepted, or has failed. */
typedef struct sal__step_iteration sal__step_iteration;
size_t sal__step_iteration_bytes(const sal_integrator *in);
void sal__step_iteration_begin(sal_integrator *in);
sal_status sal__step_iteration_attempt(sal_integrator *in, const sal_rhs *rhs);
void sal__step_iteration_accept(sal_integrator *in);
void sal__step_iteration_fail(sal_integrator *in);
void sal__step_iteration_reload(sal_integrator *in); /* another run was loaded: restore its last step, if it has one */

#endif
