/* Piecewise polynomials of time: the dense output of a whole run.
 *
 * Segments follow each other without gaps; the value may jump where they meet. An
 * integrator appends one for each accepted step; it outlives integrator and run.
 *
 *   sal_integrator_start_dense_output(in);
 *   ... steps ...
 *   sal_polynomial *run = NULL;
 *   sal_integrator_stop_dense_output(in, &run);
 *   sal_polynomial_value(run, 0.5, x);
 *   sal_polynomial_free(run);
 *
 * It grows with the run: this memory is outside of what a simulator takes at set-up. */
#ifndef SALTUS_POLYNOMIAL_H
#define SALTUS_POLYNOMIAL_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sal_polynomial sal_polynomial;

/* Of n values, each of the given degree (at least 1) in every segment. */
SAL_API sal_status sal_polynomial_new(const sal_allocator *allocator, int n, int degree, sal_polynomial **out);
SAL_API sal_status sal_polynomial_clone(const sal_polynomial *p, sal_polynomial **out);
SAL_API void sal_polynomial_free(sal_polynomial *p);

/* One segment, from t0 to t1: with theta = (t - t0) / (t1 - t0), value i is
 * x0[i] + theta (c[i] + theta (c[n + i] + ...)). One that begins before the end
 * replaces what is there from then on; SAL_ETIME: it begins after the end, or is
 * empty, or not finite. */
SAL_API sal_status sal_polynomial_append(sal_polynomial *p, double t0, double t1, const double *x0, const double *c);
/* Makes room for one more, so that appending cannot fail for want of memory. */
SAL_API sal_status sal_polynomial_reserve(sal_polynomial *p);
/* Nothing remains after t. */
SAL_API void sal_polynomial_truncate(sal_polynomial *p, double t);
SAL_API void sal_polynomial_clear(sal_polynomial *p);

SAL_API int sal_polynomial_size(const sal_polynomial *p); /* n */
SAL_API int sal_polynomial_degree(const sal_polynomial *p);
SAL_API int sal_polynomial_segments(const sal_polynomial *p);
/* Where segment i begins; of i = segments, the end. NaN where there is none. */
SAL_API double sal_polynomial_break(const sal_polynomial *p, int i);

/* n values, or their time derivatives, at t; where two segments meet, the later one's.
 * SAL_ETIME outside: a polynomial knows nothing of what it has not seen. */
SAL_API sal_status sal_polynomial_value(const sal_polynomial *p, double t, double *x);
SAL_API sal_status sal_polynomial_rate(const sal_polynomial *p, double t, double *dx);

#ifdef __cplusplus
}
#endif
#endif
