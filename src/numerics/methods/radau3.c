/* Radau IIA with two stages, of order 3 (Hairer, Wanner, Solving Ordinary Differential Equations II, table IV.5.5).
 * The unknowns are z_i = x_i - x0, as in section IV.8 there; the second stage is the result. The implicit trapezoid
 * estimates the error. */
#include "numerics/implicit/implicit.h"

enum { STAGES = 2 };
static const double c1 = 1. / 3;
static const double weight[STAGES][STAGES] = {{5. / 12, -1. / 12}, {3. / 4, 1. / 4}};

static sal_status begin(const sal__newton *p) {
    sal__implicit *im = p->a->implicit;
    for (int i = 0; i < im->n; i++) {
        im->newton.unknowns[i] = im->newton.unknowns[im->n + i] = 0;
        im->newton.x[i] = p->x0[i];
    }
    return SAL_OK;
}

/* h A f(x0 + z) - z */
static sal_status defect(const sal__newton *p, double *d) {
    const sal__implicit *im = p->a->implicit;
    const int n = im->n;
    const double *z1 = im->newton.unknowns, *z2 = z1 + n;
    double *f1 = im->work.rate, *f2 = im->work.rate0;
    for (int i = 0; i < n; i++)
        im->work.probe[i] = p->x0[i] + z1[i];
    sal_status status = sal__eval(p->rhs, p->a, p->t0 + c1 * p->h, im->work.probe, f1);
    if (status != SAL_OK)
        return status;
    status = sal__eval(p->rhs, p->a, p->t1, im->newton.x, f2);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < n; i++) {
        d[i] = p->h * (weight[0][0] * f1[i] + weight[0][1] * f2[i]) - z1[i];
        d[n + i] = p->h * (weight[1][0] * f1[i] + weight[1][1] * f2[i]) - z2[i];
    }
    return SAL_OK;
}

static sal_status advance(const sal__newton *p, const double *update) {
    sal__implicit *im = p->a->implicit;
    for (int i = 0; i < STAGES * im->n; i++)
        im->newton.unknowns[i] += update[i];
    for (int i = 0; i < im->n; i++) {
        im->newton.dx[i] = update[im->n + i];
        im->newton.x[i] = p->x0[i] + im->newton.unknowns[im->n + i];
    }
    return SAL_OK;
}

/* I - h A (x) J, by blocks. */
static void form(const sal__newton *p, double *matrix) {
    const size_t n = (size_t)p->a->implicit->n;
    const double *jacobian = p->a->implicit->matrices.jacobian;
    for (size_t k = 0; k < STAGES * n; k++)
        for (size_t l = 0; l < STAGES * n; l++) {
            const double part = weight[k / n][l / n] * jacobian[k % n * n + l % n];
            matrix[k * STAGES * n + l] = (k == l ? 1 : 0) - p->h * part;
        }
}

static sal_status step(const sal_rhs *rhs, sal_attempt *a) {
    sal__newton stages = sal__single_stage(rhs, a, a->t, a->t1, a->h, a->x0);
    stages.f0 = a->f0;
    stages.size = STAGES * rhs->n;
    stages.begin = begin;
    stages.defect = defect;
    stages.advance = advance;
    stages.form = form;
    const sal_status status = sal__newton_solve_into(&stages, a->x1);
    return status == SAL_OK ? sal__estimate_by_trapezoid(rhs, a) : status;
}

const sal_method sal__radau3 = {.name = "radau3",
                                .order = 3,
                                .error_order = 3,
                                .dense_order = 3,
                                .default_accuracy = 1e-3,
                                .loosest_accuracy = 1e-2,
                                .has_trapezoid_estimate = true,
                                .implicit_stages = STAGES,
                                SAL__IMPLICIT_ATTEMPT(step, sal__explicit_third_order),
                                SAL__HERMITE_OUTPUT};
