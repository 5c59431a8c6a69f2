/* Radau IIA with one stage, which is backward Euler. The implicit trapezoid estimates the error. */
#include "numerics/implicit/implicit.h"

static sal_status step(const sal_rhs *rhs, sal_attempt *a) {
    sal__newton stage = sal__single_stage(rhs, a, a->t, a->t1, a->h, a->x0);
    stage.f0 = a->f0;
    const sal_status status = sal__newton_solve_into(&stage, a->x1);
    return status == SAL_OK ? sal__estimate_by_trapezoid(rhs, a) : status;
}

/* The explicit step: Euler's, and the difference from Heun's as its estimate. */
static sal_status explicit_step(const sal_rhs *rhs, sal_attempt *a) {
    double *rate = a->implicit->work.rate;
    for (int i = 0; i < rhs->n; i++)
        a->x1[i] = a->x0[i] + a->h * a->f0[i];
    const sal_status status = sal__eval(rhs, a, a->t1, a->x1, rate);
    for (int i = 0; status == SAL_OK && i < rhs->n; i++)
        a->err[i] = a->h / 2 * (a->f0[i] - rate[i]);
    return status;
}

const sal_method sal__radau1 = {.name = "radau1",
                                .has_trapezoid_estimate = true,
                                .takes_bands = true,
                                SAL__IMPLICIT_ATTEMPT(step, explicit_step),
                                SAL__IMPLICIT_EULER};
