/* Steps of an equation that reads its own past: what a right-hand side may see of the
 * step being tried.
 *
 * A past that lies before the step is known. One inside of it is what the attempt itself
 * comes to: the step is attempted with a first guess, then again with the interpolant that
 * came out, until that changes no more (as in Bellen and Zennaro, Numerical Methods for
 * Delay Differential Equations, 2003, section 4.2; waveform relaxation on one step). After
 * acceptance the interpolant represents the step until it is stored. */
#ifndef SAL_STEP_ITERATION_H
#define SAL_STEP_ITERATION_H

#include "saltus/integrator.h"

typedef struct sal__provisional_step {
    double t0, t1, h;      /* the step; t1 = t0 while its start is evaluated */
    const double *x0, *f0; /* at t0 */
    const double *c;       /* degree * n coefficients of powers of (t - t0) / h */
    int degree;
    bool has_interpolant; /* c approximates the step; else x0 and f0 are all there is */
    bool was_read;        /* set by who reads inside the step */
    double longest;       /* attempt since the step was begun */
} sal__provisional_step;

/* From now on steps keep one, valid as long as the integrator lives. NULL: no memory. */
sal__provisional_step *sal__integrator_provisional_step(sal_integrator *in);

/* x_i at t, or its derivative, by what is known of the step. */
double sal__provisional_value(const sal__provisional_step *p, int n, int i, double t);
double sal__provisional_rate(const sal__provisional_step *p, int n, int i, double t);

/* Of step_loop.c alone: an attempt, repeated as long as it reads itself; the step that is begun
 * at (t, x0, f0), was accepted, or has failed. */
typedef struct sal__step_iteration sal__step_iteration;
size_t sal__step_iteration_bytes(const sal_integrator *in);
void sal__step_iteration_begin(sal_integrator *in);
sal_status sal__step_iteration_attempt(sal_integrator *in, const sal_rhs *rhs);
void sal__step_iteration_accept(sal_integrator *in);
void sal__step_iteration_fail(sal_integrator *in);
void sal__step_iteration_reload(sal_integrator *in); /* another run was loaded: its last step, if there is one */

#endif
