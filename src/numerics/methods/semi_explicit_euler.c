/* Euler's method for x = (q, v, z), symplectic if q' = v: v and z advance with the derivatives at the start, then q
 * with the rate for the new v. Two evaluations a step, of which the first is passed in; without q it is Euler's
 * method. */
#include "methods.h"

static sal_status attempt(const sal_rhs *rhs, sal_attempt *a) {
    const int n = rhs->n, nq = a->nq;
    const double h = a->h;
    const double *x0 = a->x0, *f0 = a->f0;
    double *rate = a->work, *x = a->x1;

    for (int i = 0; i < nq; i++)
        x[i] = x0[i];
    for (int i = nq; i < n; i++)
        x[i] = x0[i] + h * f0[i];
    if (nq == 0)
        return SAL_OK;

    const sal_status status = sal__eval(rhs, a, a->t, x, rate);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < nq; i++)
        x[i] = x0[i] + h * rate[i];
    return SAL_OK;
}

const sal_method sal__semi_explicit_euler = {.name = "semi_explicit_euler",
                                             .order = 1,
                                             .dense_order = 1,
                                             SAL__NO_ESTIMATE,
                                             .work = 1,
                                             .attempt = attempt,
                                             SAL__LINEAR_OUTPUT};
