/* Dormand and Prince's method of order 8 as Hairer's DOP853: the error estimate combines embedded results of orders
 * 5 and 3, the dense output has order 7 (Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.10).
 * Twelve evaluations, of which the first is passed in; the dense output needs the derivative at the end, which the
 * next step can use, and three more. */
#include "dormand_prince8.h"

#include <math.h>

#define SUM_OVER_STAGES(w) \
    (w[0] * k1[i] + w[1] * k6[i] + w[2] * k7[i] + w[3] * k8[i] + w[4] * k9[i] + w[5] * k10[i] + w[6] * k11[i] + \
     w[7] * k12[i])

/* A stage with the newest derivative added last: everything else is computed before it is available. */
#define STAGE(time, sum, weight, newest, k) SAL__STAGE(time, (x0[i] + h * (sum)) + h * weight * newest[i], k)

/* Each variable's error from the differences of embedded results, fifth = O(h^6) and third = O(h^4): fifth^2 /
 * sqrt(fifth^2 + third^2 / 100) = O(h^8). Hairer uses norms here; per variable, the weights can be applied later.
 *
 * On x' = lambda x the fifth is zero at h lambda = -5.66, where the error is a fifth of x: a fast mode would be
 * accepted there. So the error is at least a seventh of the distance of the result from the last stage's state,
 * apart = O(h^5), or of apart^2 / wide if that is less. `wide` consists of the third difference and a fraction of
 * the error of the trapezoidal rule, which are never both zero by chance. Below the stability limit the fifth is
 * larger. */
static inline double combined_error(double fifth, double third, double apart, double trapezoid) {
    const double most = 1e300;
    const double far = fabs(apart), wide = fabs(third) + 0.1 * fabs(trapezoid);
    const double least = far / 7 * (far < wide ? far : wide);
    const double error = least > fabs(fifth) * wide ? least / wide : fabs(fifth);
    const double size = sqrt(error * error + 0.01 * (third * third));
    if (!(size <= most)) /* an overflow must not count as a small error */
        return size;
    return size == 0 ? 0 : copysign(error * (error / size), fifth);
}

SAL__STEP_BODY step(const sal_rhs *rhs, sal_attempt *at, int n) {
    const double t = at->t, h = at->h;
    double *const work = at->work;
    const double *restrict x0 = at->x0, *restrict k1 = at->f0;
    double *restrict k2 = work, *restrict k3 = work + n, *restrict k4 = work + 2 * n, *restrict k5 = work + 3 * n;
    double *restrict k6 = work + 4 * n, *restrict k7 = work + 5 * n, *restrict k8 = work + 6 * n;
    double *restrict k9 = work + 7 * n, *restrict k10 = work + 8 * n, *restrict k11 = work + 9 * n;
    double *restrict k12 = work + 10 * n, *restrict x = at->x1, *restrict err = at->err;

    STAGE(t + c[0] * h, 0, a2[0], k1, k2);
    STAGE(t + c[1] * h, a3[0] * k1[i], a3[1], k2, k3);
    STAGE(t + c[2] * h, a4[0] * k1[i], a4[1], k3, k4);
    STAGE(t + c[3] * h, a5[0] * k1[i] + a5[1] * k3[i], a5[2], k4, k5);
    STAGE(t + c[4] * h, a6[0] * k1[i] + a6[1] * k4[i], a6[2], k5, k6);
    STAGE(t + c[5] * h, a7[0] * k1[i] + a7[1] * k4[i] + a7[2] * k5[i], a7[3], k6, k7);
    STAGE(t + c[6] * h, a8[0] * k1[i] + a8[1] * k4[i] + a8[2] * k5[i] + a8[3] * k6[i], a8[4], k7, k8);
    STAGE(t + c[7] * h, a9[0] * k1[i] + a9[1] * k4[i] + a9[2] * k5[i] + a9[3] * k6[i] + a9[4] * k7[i], a9[5], k8, k9);
    STAGE(t + c[8] * h,
          a10[0] * k1[i] + a10[1] * k4[i] + a10[2] * k5[i] + a10[3] * k6[i] + a10[4] * k7[i] + a10[5] * k8[i], a10[6],
          k9, k10);
    STAGE(t + c[9] * h,
          a11[0] * k1[i] + a11[1] * k4[i] + a11[2] * k5[i] + a11[3] * k6[i] + a11[4] * k7[i] + a11[5] * k8[i] +
              a11[6] * k9[i],
          a11[7], k10, k11);
    STAGE(at->t1,
          a12[0] * k1[i] + a12[1] * k4[i] + a12[2] * k5[i] + a12[3] * k6[i] + a12[4] * k7[i] + a12[5] * k8[i] +
              a12[6] * k9[i] + a12[7] * k10[i],
          a12[8], k11, k12);
    for (int i = 0; i < n; i++) {
        const double last = x[i];
        x[i] = x0[i] + h * SUM_OVER_STAGES(b);
        err[i] = combined_error(h * SUM_OVER_STAGES(e5), h * SUM_OVER_STAGES(e3), x[i] - last,
                                x[i] - x0[i] - h / 2 * (k1[i] + k12[i]));
    }
    return SAL_OK;
}

SAL__ATTEMPT_WITH(attempt, step)

/* Stages 14 to 16 overwrite stages 2 to 4, and their states that of stage 5, which are not needed any more. */
static sal_status dense_stages(const sal_rhs *rhs, sal_attempt *at) {
    const int n = rhs->n;
    const double t = at->t, h = at->h;
    double *const work = at->work;
    const double *x0 = at->x0, *k1 = at->f0, *k13 = at->f1;
    const double *k6 = work + 4 * n, *k7 = work + 5 * n, *k8 = work + 6 * n, *k9 = work + 7 * n;
    const double *k10 = work + 8 * n, *k11 = work + 9 * n, *k12 = work + 10 * n;
    double *k14 = work, *k15 = work + n, *k16 = work + 2 * n, *x = work + 3 * n;

    STAGE(t + c_dense[0] * h,
          a14[0] * k1[i] + a14[1] * k7[i] + a14[2] * k8[i] + a14[3] * k9[i] + a14[4] * k10[i] + a14[5] * k11[i] +
              a14[6] * k12[i],
          a14[7], k13, k14);
    STAGE(t + c_dense[1] * h,
          a15[0] * k1[i] + a15[1] * k6[i] + a15[2] * k7[i] + a15[3] * k8[i] + a15[4] * k11[i] + a15[5] * k12[i] +
              a15[6] * k13[i],
          a15[7], k14, k15);
    STAGE(t + c_dense[2] * h,
          a16[0] * k1[i] + a16[1] * k6[i] + a16[2] * k7[i] + a16[3] * k8[i] + a16[4] * k9[i] + a16[5] * k13[i] +
              a16[6] * k14[i],
          a16[7], k15, k16);
    return SAL_OK;
}

enum { DENSE_TERMS = 7 };

/* Replaces p(theta) by r + theta p, or r + (1 - theta) p, in powers of theta. */
static void nest(double *p, int terms, double r, bool from_end) {
    for (int j = terms; j > 0; j--)
        p[j] = from_end ? (j < terms ? p[j] : 0) - p[j - 1] : p[j - 1];
    p[0] = from_end ? p[0] + r : r;
}

/* x0 + theta (r1 + (1 - theta) (r2 + theta (r3 + (1 - theta) (r4 + ...)))), expanded. */
static void dense(int n, const sal_attempt *at, double *coefficients) {
    const double h = at->h;
    const double *work = at->work, *k1 = at->f0, *k13 = at->f1;
    for (int i = 0; i < n; i++) {
        const double stage[12] = {k1[i],           work[4 * n + i], work[5 * n + i], work[6 * n + i],
                                  work[7 * n + i], work[8 * n + i], work[9 * n + i], work[10 * n + i],
                                  k13[i],          work[i],         work[1 * n + i], work[2 * n + i]};
        double r[DENSE_TERMS] = {at->x1[i] - at->x0[i]}, p[DENSE_TERMS];
        r[1] = h * k1[i] - r[0];
        r[2] = r[0] - h * k13[i] - r[1];
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 12; k++)
                r[3 + j] += h * d[j][k] * stage[k];
        p[0] = r[DENSE_TERMS - 1];
        for (int j = DENSE_TERMS - 2; j >= 0; j--)
            nest(p, DENSE_TERMS - 1 - j, r[j], j % 2 == 0);
        for (int j = 0; j < DENSE_TERMS; j++)
            coefficients[j * n + i] = p[j];
    }
}

static double gap(int n, const sal_attempt *at, int i) {
    const double *k = at->work + i; /* k4 is k[2 n], k12 is k[10 n] */
    return (b[0] - a12[0]) * at->f0[i] - a12[1] * k[2 * n] - a12[2] * k[3 * n] + (b[1] - a12[3]) * k[4 * n] +
           (b[2] - a12[4]) * k[5 * n] + (b[3] - a12[5]) * k[6 * n] + (b[4] - a12[6]) * k[7 * n] +
           (b[5] - a12[7]) * k[8 * n] + (b[6] - a12[8]) * k[9 * n] + b[7] * k[10 * n];
}

const sal_method sal__dormand_prince8 = {.name = "dormand_prince8",
                                         .order = 8,
                                         .error_order = 8,
                                         .dense_order = 7,
                                         .dense_degree = DENSE_TERMS,
                                         .default_accuracy = 1e-9,
                                         .loosest_accuracy = 1e-4,
                                         .margin = 0.8,
                                         .log2_margin = -0.3219280948873623,
                                         .memory = 0.16,
                                         .dense_needs_end = true,
                                         .work = 11,
                                         .stability_limit = 6.1,
                                         .imaginary_stability_limit = 5.9,
                                         .last_stage = 10,
                                         .stiffness_gap = gap,
                                         .attempt = attempt,
                                         .dense_stages = dense_stages,
                                         .dense = dense};
