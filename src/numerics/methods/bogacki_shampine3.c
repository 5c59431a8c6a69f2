/* Bogacki and Shampine's 3(2) pair (Applied Mathematics Letters 2, 1989).
 * Four evaluations, of which the last is the next step's first. */
#include "methods.h"

static const double b[3] = {2. / 9, 1. / 3, 4. / 9};
/* Third-order weights minus the embedded 7/24, 1/4, 1/3, 1/8. */
static const double e[4] = {-5. / 72, 1. / 12, 1. / 9, -1. / 8};

static sal_status attempt(const sal_rhs *rhs, sal_attempt *a) {
    const int n = rhs->n;
    const double h = a->h;
    double *const work = a->work;
    const double *restrict x0 = a->x0, *restrict k1 = a->f0;
    double *restrict k2 = work, *restrict k3 = work + n, *restrict k4 = a->f1;
    double *restrict x = a->x1, *restrict err = a->err;

    for (int i = 0; i < n; i++)
        x[i] = x0[i] + h / 2 * k1[i];
    sal_status status = sal__eval(rhs, a, a->t + h / 2, x, k2);
    if (status != SAL_OK)
        return status;

    for (int i = 0; i < n; i++)
        x[i] = x0[i] + 0.75 * h * k2[i];
    status = sal__eval(rhs, a, a->t + 0.75 * h, x, k3);
    if (status != SAL_OK)
        return status;

    for (int i = 0; i < n; i++)
        x[i] = x0[i] + h * (b[0] * k1[i] + b[1] * k2[i] + b[2] * k3[i]);
    status = sal__eval(rhs, a, a->t1, x, k4);
    if (status != SAL_OK)
        return status;

    for (int i = 0; i < n; i++)
        err[i] = h * (e[0] * k1[i] + e[1] * k2[i] + e[2] * k3[i] + e[3] * k4[i]);
    return SAL_OK;
}

static double gap(int n, const sal_attempt *a, int i) {
    return b[0] * a->f0[i] + (b[1] - 0.75) * a->work[i] + b[2] * a->work[n + i];
}

const sal_method sal__bogacki_shampine3 = {.name = "bogacki_shampine3",
                                           .order = 3,
                                           .error_order = 3,
                                           .dense_order = 3,
                                           .dense_degree = SAL__HERMITE_DEGREE,
                                           .default_accuracy = 1e-3,
                                           .loosest_accuracy = 1e-1,
                                           .first_same_as_last = true,
                                           .dense_needs_end = true,
                                           .work = 2,
                                           .stability_limit = 2.5,
                                           .last_stage = 1,
                                           .stiffness_gap = gap,
                                           .attempt = attempt,
                                           .dense = sal__hermite};
