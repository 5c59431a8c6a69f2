/* Euler's method. One evaluation a step, which is passed in. */
#include "methods.h"

static sal_status attempt(const sal_rhs *rhs, sal_attempt *a) {
    const int n = rhs->n;
    const double h = a->h;
    const double *restrict x0 = a->x0, *restrict k0 = a->f0;
    double *restrict x = a->x1;

    for (int i = 0; i < n; i++)
        x[i] = x0[i] + h * k0[i];
    return SAL_OK;
}

const sal_method sal__explicit_euler = {
    .name = "explicit_euler", .order = 1, .dense_order = 1, SAL__NO_ESTIMATE, .attempt = attempt, SAL__LINEAR_OUTPUT};
