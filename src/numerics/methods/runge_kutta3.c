/* Kutta's third-order method with an embedded second-order midpoint result
 * (W. Kutta, Zeitschrift fuer Mathematik und Physik 46, 1901).
 * Three evaluations a step; the first, f0, is handed in by the integrator. */
#include "methods.h"

SAL__STEP_BODY step(const sal_rhs *rhs, sal_attempt *a, int n) {
    const double h = a->h;
    const double *restrict x0 = a->x0, *restrict k0 = a->f0;
    double *const work = a->work;
    double *restrict k1 = work, *restrict k2 = work + n;
    double *restrict x = a->x1, *restrict err = a->err;

    for (int i = 0; i < n; i++)
        x[i] = x0[i] + h / 2 * k0[i];
    sal_status status = sal__eval(rhs, a, a->t + h / 2, x, k1);
    if (status != SAL_OK)
        return status;

    for (int i = 0; i < n; i++)
        x[i] = x0[i] + h * (2 * k1[i] - k0[i]);
    status = sal__eval(rhs, a, a->t1, x, k2);
    if (status != SAL_OK)
        return status;

    for (int i = 0; i < n; i++) {
        x[i] = x0[i] + h / 6 * (k0[i] + 4 * k1[i] + k2[i]);
        err[i] = h / 6 * (k0[i] - 2 * k1[i] + k2[i]); /* x minus the midpoint result x0 + h k1 */
    }
    return SAL_OK;
}

SAL__ATTEMPT_WITH(step)

static double gap(int n, const sal_attempt *a, int i) {
    const double k0 = a->f0[i], k1 = a->work[i], k2 = a->work[n + i];
    return (k0 + 4 * k1 + k2) / 6 - (2 * k1 - k0);
}

const sal_method sal__runge_kutta3 = {.name = "runge_kutta3",
                                      .order = 3,
                                      .error_order = 3,
                                      .dense_order = 3,
                                      .dense_degree = SAL__HERMITE_DEGREE,
                                      .default_accuracy = 1e-3,
                                      .loosest_accuracy = 1e-1,
                                      .dense_needs_end = true,
                                      .work = 2,
                                      .stability_limit = 2.5,
                                      .last_stage = 1,
                                      .stiffness_gap = gap,
                                      .attempt = attempt,
                                      .dense = sal__hermite};
