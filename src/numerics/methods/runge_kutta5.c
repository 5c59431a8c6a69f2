/* Dormand and Prince's 5(4) pair (Journal of Computational and Applied Mathematics 6, 1980), with the fourth-order
 * continuous extension of Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, section II.6. Seven
 * evaluations, of which the last is the first of the next step. Two methods use it: runge_kutta5 chooses its steps
 * by Drake's rule, dormand_prince5 by a rule with memory. */
#include "methods.h"

static const double c[4] = {1. / 5, 3. / 10, 4. / 5, 8. / 9};
static const double a2[1] = {1. / 5};
static const double a3[2] = {3. / 40, 9. / 40};
static const double a4[3] = {44. / 45, -56. / 15, 32. / 9};
static const double a5[4] = {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729};
static const double a6[5] = {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656};
static const double b[6] = {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84};
/* Fifth-order weights minus fourth-order ones. */
static const double e[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};
/* Of the continuous extension. */
static const double d[7] = {-12715105075. / 11282082432,  0,
                            87487479700. / 32700410799,   -10690763975. / 1880347072,
                            701980252875. / 199316789632, -1453857185. / 822651844,
                            69997945. / 29380423};

SAL__STEP_BODY step(const sal_rhs *rhs, sal_attempt *at, int n) {
    const double t = at->t, h = at->h;
    double *const work = at->work;
    const double *restrict x0 = at->x0, *restrict k1 = at->f0;
    double *restrict k2 = work, *restrict k3 = work + n, *restrict k4 = work + 2 * n;
    double *restrict k5 = work + 3 * n, *restrict k6 = work + 4 * n, *restrict k7 = at->f1;
    double *restrict x = at->x1, *restrict err = at->err;

    SAL__STAGE(t + c[0] * h, x0[i] + h * a2[0] * k1[i], k2);
    SAL__STAGE(t + c[1] * h, x0[i] + h * (a3[0] * k1[i] + a3[1] * k2[i]), k3);
    SAL__STAGE(t + c[2] * h, x0[i] + h * (a4[0] * k1[i] + a4[1] * k2[i] + a4[2] * k3[i]), k4);
    SAL__STAGE(t + c[3] * h, x0[i] + h * (a5[0] * k1[i] + a5[1] * k2[i] + a5[2] * k3[i] + a5[3] * k4[i]), k5);
    SAL__STAGE(at->t1, x0[i] + h * (a6[0] * k1[i] + a6[1] * k2[i] + a6[2] * k3[i] + a6[3] * k4[i] + a6[4] * k5[i]), k6);
    /* In this order the rounded weights sum to exactly 1, so that x' = 1 is a clock. */
    SAL__STAGE(at->t1, x0[i] + h * (b[0] * k1[i] + b[2] * k3[i] + b[4] * k5[i] + b[3] * k4[i] + b[5] * k6[i]), k7);
    for (int i = 0; i < n; i++)
        err[i] = h * (e[0] * k1[i] + e[2] * k3[i] + e[3] * k4[i] + e[4] * k5[i] + e[5] * k6[i] + e[6] * k7[i]);
    return SAL_OK;
}

SAL__ATTEMPT_WITH(attempt, step)

/* The extension is x0 + theta (r2 + (1 - theta) (r3 + theta (r4 + (1 - theta) r5))), expanded here into powers of
 * theta. */
static void dense(int n, const sal_attempt *at, double *coefficients) {
    const double h = at->h;
    const double *restrict x0 = at->x0, *restrict x1 = at->x1;
    const double *restrict k1 = at->f0, *restrict k7 = at->f1;
    const double *work = at->work;
    const double *restrict k3 = work + n, *restrict k4 = work + 2 * n;
    const double *restrict k5 = work + 3 * n, *restrict k6 = work + 4 * n;
    double *c1 = coefficients, *c2 = c1 + n, *c3 = c2 + n, *c4 = c3 + n;
    for (int i = 0; i < n; i++) {
        const double r2 = x1[i] - x0[i];
        const double r3 = h * k1[i] - r2;
        const double r4 = r2 - h * k7[i] - r3;
        const double r5 = h * (d[0] * k1[i] + d[2] * k3[i] + d[3] * k4[i] + d[4] * k5[i] + d[5] * k6[i] + d[6] * k7[i]);
        c1[i] = h * k1[i];
        c2[i] = r4 + r5 - r3;
        c3[i] = -(r4 + 2 * r5);
        c4[i] = r5;
    }
}

static double gap(int n, const sal_attempt *at, int i) {
    const double *k = at->work + i;
    return (b[0] - a6[0]) * at->f0[i] + (b[1] - a6[1]) * k[0] + (b[2] - a6[2]) * k[n] + (b[3] - a6[3]) * k[2 * n] +
           (b[4] - a6[4]) * k[3 * n] + b[5] * k[4 * n];
}

const sal_method sal__runge_kutta5 = {.name = "runge_kutta5",
                                      SAL__FIFTH_ORDER_PAIR(gap, attempt, dense),
                                      .default_accuracy = 1e-5,
                                      .loosest_accuracy = 1e-3,
                                      .stability_limit = 3.3};

const sal_method sal__dormand_prince5 = {.name = "dormand_prince5",
                                         SAL__FIFTH_ORDER_PAIR(gap, attempt, dense),
                                         SAL__FIFTH_ORDER_STEPS,
                                         .jump_factor = 43,
                                         .stability_limit = 3.3};
