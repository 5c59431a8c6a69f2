/* The explicit trapezoid (Heun): Euler to the end, then the mean of both slopes.
 * Exact for quadratics in t. No error estimate. */
#include <math.h>

#include "methods.h"

static sal_status attempt(const sal_rhs *rhs, sal_attempt *a) {
    const int n = rhs->n;
    const double h = a->h;
    const double *restrict x0 = a->x0, *restrict k0 = a->f0;
    double *restrict k1 = a->work, *restrict x = a->x1;

    for (int i = 0; i < n; i++)
        x[i] = x0[i] + h * k0[i];
    const sal_status status = sal__eval(rhs, a, a->t1, x, k1);
    if (status != SAL_OK)
        return status;

    for (int i = 0; i < n; i++)
        x[i] = x0[i] + h / 2 * (k0[i] + k1[i]);
    return SAL_OK;
}

const sal_method sal__runge_kutta2 = {.name = "runge_kutta2",
                                      .order = 2,
                                      .dense_order = 2,
                                      .dense_degree = SAL__HERMITE_DEGREE,
                                      .default_accuracy = NAN,
                                      .loosest_accuracy = NAN,
                                      .dense_needs_end = true,
                                      .work = 1,
                                      .attempt = attempt,
                                      .dense = sal__hermite};
