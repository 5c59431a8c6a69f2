/* The explicit trapezoid (Heun): Euler to the end, then the mean of both slopes.
 * Exact for quadratics in t. No error estimate. */
#include "methods.h"

static sal_status attempt(const sal_rhs *rhs, sal_attempt *at) {
    const int n = rhs->n;
    const double h = at->h;
    const double *restrict x0 = at->x0, *restrict k0 = at->f0;
    double *restrict k1 = at->work, *restrict x = at->x1;

    SAL__STAGE(at->t1, x0[i] + h * k0[i], k1);
    for (int i = 0; i < n; i++)
        x[i] = x0[i] + h / 2 * (k0[i] + k1[i]);
    return SAL_OK;
}

const sal_method sal__runge_kutta2 = {.name = "runge_kutta2",
                                      .order = 2,
                                      .dense_order = 2,
                                      SAL__NO_ESTIMATE,
                                      .work = 1,
                                      .attempt = attempt,
                                      SAL__HERMITE_OUTPUT};
