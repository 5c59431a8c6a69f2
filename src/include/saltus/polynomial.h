/* Piecewise polynomials of time: the dense output of a whole run.
 *
 * Segments follow each other without gaps; the value may jump where they meet. An integrator appends one segment for
 * each accepted step. The polynomial may outlive the integrator and the run.
 *
 *   sal_integrator_start_dense_output(in);
 *   ... steps ...
 *   sal_polynomial *run = NULL;
 *   sal_integrator_stop_dense_output(in, &run);
 *   sal_polynomial_value(run, 0.5, x);
 *   sal_polynomial_free(run);
 *
 * It grows with the run: its memory is not part of what a simulator allocates in advance. One thread at a time may use
 * a polynomial. */
#ifndef SALTUS_POLYNOMIAL_H
#define SALTUS_POLYNOMIAL_H

#include "status.h"

SAL_BEGIN_DECLARATIONS

typedef struct sal_polynomial sal_polynomial;

/* Makes a polynomial of n values. In each segment, each value is a polynomial of `degree`, at least 1. The caller
 * owns *out. EINVAL; ENOMEM. */
SAL_API sal_status sal_polynomial_new(const sal_allocator *allocator, int n, int degree, sal_polynomial **out);
/* Makes a copy, which the caller owns. ENOMEM. */
SAL_API sal_status sal_polynomial_clone(const sal_polynomial *p, sal_polynomial **out);
/* Frees a polynomial; NULL is fine. */
SAL_API void sal_polynomial_free(sal_polynomial *p);

/* Appends a segment from t0 to t1. With theta = (t - t0) / (t1 - t0), value i is
 * x0[i] + theta (c[i] + theta (c[n + i] + ...)). A segment that starts before the present end overwrites everything
 * after its start. ETIME if it begins after the end, is empty, or is not finite; ENOMEM. */
SAL_API sal_status sal_polynomial_append(sal_polynomial *p, double t0, double t1, const double *x0, const double *c);
/* Allocates room for one more segment, so that the next append cannot fail with ENOMEM. */
SAL_API sal_status sal_polynomial_reserve(sal_polynomial *p);
/* Removes everything after t; `clear` removes all segments. */
SAL_API void sal_polynomial_truncate(sal_polynomial *p, double t);
SAL_API void sal_polynomial_clear(sal_polynomial *p);

/* Return n, the degree in each segment, and the number of segments. */
SAL_API int sal_polynomial_size(const sal_polynomial *p);
SAL_API int sal_polynomial_degree(const sal_polynomial *p);
SAL_API int sal_polynomial_segments(const sal_polynomial *p);
/* Returns the time at which segment i begins; for i = segments, the end; NaN for other i. */
SAL_API double sal_polynomial_break(const sal_polynomial *p, int i);

/* Write n values, or their time derivatives, at t. Where two segments meet, the later one counts. ETIME outside of the
 * segments. */
SAL_API sal_status sal_polynomial_value(const sal_polynomial *p, double t, double *x);
SAL_API sal_status sal_polynomial_rate(const sal_polynomial *p, double t, double *dx);

SAL_END_DECLARATIONS
#endif
