/* Tsitouras' 5(4) pair with its fourth-order interpolant (Ch. Tsitouras, Runge-Kutta pairs of order 5(4) satisfying
 * only the first column simplifying assumption, Computers and Mathematics with Applications 62, 2011). Seven
 * evaluations, of which the last is the first of the next step. */
#include "methods.h"

static const double c[4] = {0.161, 0.327, 0.9, 0.9800255409045097};
static const double a2[1] = {0.161};
static const double a3[2] = {-0.008480655492356989, 0.335480655492357};
static const double a4[3] = {2.8971530571054935, -6.359448489975075, 4.3622954328695815};
static const double a5[4] = {5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525};
static const double a6[5] = {5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401,
                             -0.028269050394068383};
static const double b[6] = {0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081,
                            2.324710524099774};
/* Fifth-order weights minus fourth-order ones. */
static const double e[7] = {-0.00178001105222577714,
                            -0.0008164344596567469,
                            0.007880878010261995,
                            -0.1447110071732629,
                            0.5823571654525552,
                            -0.45808210592918697,
                            1. / 66};
/* Weights of theta^4 in the interpolant, for k2 to k7. */
static const double d4[6] = {0.1017, 2.490627285651253, -16.548102889244902, 47.37952196281928, -34.87065786149661,
                             2.5};

/* In each sum the newest stage is added last: everything else is computed before it is available. */
SAL__STEP_BODY step(const sal_rhs *rhs, sal_attempt *at, int n) {
    const double t = at->t, h = at->h;
    double *const work = at->work;
    const double *restrict x0 = at->x0, *restrict k1 = at->f0;
    double *restrict k2 = work, *restrict k3 = work + n, *restrict k4 = work + 2 * n;
    double *restrict k5 = work + 3 * n, *restrict k6 = work + 4 * n, *restrict k7 = at->f1;
    double *restrict x = at->x1, *restrict err = at->err;

    SAL__STAGE(t + c[0] * h, x0[i] + h * a2[0] * k1[i], k2);
    SAL__STAGE(t + c[1] * h, (x0[i] + h * (a3[0] * k1[i])) + h * a3[1] * k2[i], k3);
    SAL__STAGE(t + c[2] * h, (x0[i] + h * (a4[0] * k1[i] + a4[1] * k2[i])) + h * a4[2] * k3[i], k4);
    SAL__STAGE(t + c[3] * h, (x0[i] + h * (a5[0] * k1[i] + a5[1] * k2[i] + a5[2] * k3[i])) + h * a5[3] * k4[i], k5);
    SAL__STAGE(at->t1,
               (x0[i] + h * (a6[0] * k1[i] + a6[1] * k2[i] + a6[2] * k3[i] + a6[3] * k4[i])) + h * a6[4] * k5[i], k6);
    SAL__STAGE(at->t1,
               (x0[i] + h * (b[0] * k1[i] + b[1] * k2[i] + b[2] * k3[i] + b[3] * k4[i] + b[4] * k5[i])) +
                   h * b[5] * k6[i],
               k7);
    for (int i = 0; i < n; i++)
        err[i] = h * (e[0] * k1[i] + e[1] * k2[i] + e[2] * k3[i] + e[3] * k4[i] + e[4] * k5[i] + e[5] * k6[i] +
                      e[6] * k7[i]);
    return SAL_OK;
}

SAL__ATTEMPT_WITH(attempt, step)

/* The interpolant has the values and derivatives of both ends, so it is the cubic through them plus a multiple of
 * theta^2 (1 - theta)^2. This form avoids the loss of digits of stage weights as large as 90. The weights of the
 * multiple sum to zero: with differences from k1 a constant derivative cancels exactly. */
static void dense(int n, const sal_attempt *at, double *coefficients) {
    const double h = at->h;
    const double *work = at->work;
    double *c1 = coefficients, *c2 = c1 + n, *c3 = c2 + n, *c4 = c3 + n;
    for (int i = 0; i < n; i++) {
        const double k1 = at->f0[i], rise = at->x1[i] - at->x0[i];
        const double from = h * k1, to = h * at->f1[i];
        const double hump =
            h * (d4[0] * (work[i] - k1) + d4[1] * (work[n + i] - k1) + d4[2] * (work[2 * n + i] - k1) +
                 d4[3] * (work[3 * n + i] - k1) + d4[4] * (work[4 * n + i] - k1) + d4[5] * (at->f1[i] - k1));
        c1[i] = from;
        c2[i] = 3 * rise - 2 * from - to + hump;
        c3[i] = from + to - 2 * rise - 2 * hump;
        c4[i] = hump;
    }
}

static double gap(int n, const sal_attempt *at, int i) {
    const double *k = at->work + i;
    return (b[0] - a6[0]) * at->f0[i] + (b[1] - a6[1]) * k[0] + (b[2] - a6[2]) * k[n] + (b[3] - a6[3]) * k[2 * n] +
           (b[4] - a6[4]) * k[3 * n] + b[5] * k[4 * n];
}

const sal_method sal__tsitouras5 = {.name = "tsitouras5",
                                    SAL__FIFTH_ORDER_PAIR(gap, attempt, dense),
                                    SAL__FIFTH_ORDER_STEPS,
                                    .jump_factor = 29,
                                    .stability_limit = 3.5,
                                    .imaginary_stability_limit = 0.7};
