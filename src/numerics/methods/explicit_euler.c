/* Euler's method. One evaluation a step: the one handed in. */
#include <math.h>

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

/* The method's own straight line, from end to end. */
static void dense(int n, const sal_attempt *a, double *c) {
    for (int i = 0; i < n; i++)
        c[i] = a->x1[i] - a->x0[i];
}

const sal_method sal__explicit_euler = {.name = "explicit_euler",
                                        .order = 1,
                                        .dense_order = 1,
                                        .dense_degree = 1,
                                        .default_accuracy = NAN,
                                        .loosest_accuracy = NAN,
                                        .attempt = attempt,
                                        .dense = dense};
