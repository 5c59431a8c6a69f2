/* Kutta's third-order method with an embedded second-order midpoint result (W. Kutta, Zeitschrift fuer Mathematik
 * und Physik 46, 1901). Three evaluations a step; the first, f0, is passed in by the integrator. */
#include "methods.h"

SAL__STEP_BODY step(const sal_rhs *rhs, sal_attempt *at, int n) {
    const double h = at->h;
    const double *restrict x0 = at->x0, *restrict k0 = at->f0;
    double *const work = at->work;
    double *restrict k1 = work, *restrict k2 = work + n;
    double *restrict x = at->x1, *restrict err = at->err;

    SAL__STAGE(at->t + h / 2, x0[i] + h / 2 * k0[i], k1);
    SAL__STAGE(at->t1, x0[i] + h * (2 * k1[i] - k0[i]), k2);
    for (int i = 0; i < n; i++) {
        x[i] = x0[i] + h / 6 * (k0[i] + 4 * k1[i] + k2[i]);
        err[i] = h / 6 * (k0[i] - 2 * k1[i] + k2[i]); /* x minus the midpoint result x0 + h k1 */
    }
    return SAL_OK;
}

SAL__ATTEMPT_WITH(attempt, step)

static double gap(int n, const sal_attempt *at, int i) {
    const double k0 = at->f0[i], k1 = at->work[i], k2 = at->work[n + i];
    return (k0 + 4 * k1 + k2) / 6 - (2 * k1 - k0);
}

const sal_method sal__runge_kutta3 = {.name = "runge_kutta3",
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
