/* Bogacki and Shampine's 3(2) pair (Applied Mathematics Letters 2, 1989). Four evaluations, of which the last is the
 * first of the next step. */
#include "methods.h"

static const double b[3] = {2. / 9, 1. / 3, 4. / 9};
/* Third-order weights minus the embedded 7/24, 1/4, 1/3, 1/8. */
static const double e[4] = {-5. / 72, 1. / 12, 1. / 9, -1. / 8};

static sal_status attempt(const sal_rhs *rhs, sal_attempt *at) {
    const int n = rhs->n;
    const double h = at->h;
    double *const work = at->work;
    const double *restrict x0 = at->x0, *restrict k1 = at->f0;
    double *restrict k2 = work, *restrict k3 = work + n, *restrict k4 = at->f1;
    double *restrict x = at->x1, *restrict err = at->err;

    SAL__STAGE(at->t + h / 2, x0[i] + h / 2 * k1[i], k2);
    SAL__STAGE(at->t + 0.75 * h, x0[i] + 0.75 * h * k2[i], k3);
    SAL__STAGE(at->t1, x0[i] + h * (b[0] * k1[i] + b[1] * k2[i] + b[2] * k3[i]), k4);
    for (int i = 0; i < n; i++)
        err[i] = h * (e[0] * k1[i] + e[1] * k2[i] + e[2] * k3[i] + e[3] * k4[i]);
    return SAL_OK;
}

static double gap(int n, const sal_attempt *at, int i) {
    return b[0] * at->f0[i] + (b[1] - 0.75) * at->work[i] + b[2] * at->work[n + i];
}

const sal_method sal__bogacki_shampine3 = {.name = "bogacki_shampine3",
                                           .first_same_as_last = true,
                                           .order = 3,
                                           .error_order = 3,
                                           .dense_order = 3,
                                           .default_accuracy = 1e-3,
                                           .loosest_accuracy = 1e-1,
                                           .work = 2,
                                           .stability_limit = 2.5,
                                           .last_stage = 1,
                                           .stiffness_gap = gap,
                                           .attempt = attempt,
                                           SAL__HERMITE_OUTPUT};
