/* The classical method of Runge and Kutta (W. Kutta, Zeitschrift fuer Mathematik und Physik 46, 1901). Four
 * evaluations a step, of which the first is passed in; no estimate. */
#include "methods.h"

SAL__STEP_BODY step(const sal_rhs *rhs, sal_attempt *at, int n) {
    const double t = at->t, h = at->h;
    double *const work = at->work;
    const double *restrict x0 = at->x0, *restrict k1 = at->f0;
    double *restrict k2 = work, *restrict k3 = work + n, *restrict k4 = work + 2 * n, *restrict x = at->x1;

    SAL__STAGE(t + h / 2, x0[i] + h / 2 * k1[i], k2);
    SAL__STAGE(t + h / 2, x0[i] + h / 2 * k2[i], k3);
    SAL__STAGE(at->t1, x0[i] + h * k3[i], k4);
    for (int i = 0; i < n; i++)
        x[i] = x0[i] + h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
    return SAL_OK;
}

SAL__ATTEMPT_WITH(attempt, step)

const sal_method sal__runge_kutta4 = {.name = "runge_kutta4",
                                      .order = 4,
                                      .dense_order = 3,
                                      SAL__NO_ESTIMATE,
                                      .work = 3,
                                      .attempt = attempt,
                                      SAL__HERMITE_OUTPUT};
