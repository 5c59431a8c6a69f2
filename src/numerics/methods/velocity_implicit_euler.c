/* Implicit Euler for x = (q, v, z) that solves for y = (v, z) only, like Drake's method of this name: q follows as q0 +
 * h q'(q, v). As q' = N(q) v is linear in v, the rate of the last iterate and J_qy determine q for a new y, without an
 * evaluation. The matrix includes q through v:
 *
 * I - h (J_yy + h J_yq J_qy)
 *
 * Steps of h/2 and h as in implicit_euler. Without q the two methods are the same. */
#include "numerics/implicit/implicit.h"

/* h J_qy dy for variable i of q: the effect of a change of y, as q' is linear in v. */
static double followed(const sal__newton *p, int i, const double *y, const double *y0) {
    const sal__implicit *im = p->a->implicit;
    const double *row = im->matrices.jacobian + (size_t)i * (size_t)im->n;
    double sum = 0;
    for (int j = p->a->nq; j < im->n; j++)
        sum += row[j] * (y[j] - y0[j]);
    return p->h * sum;
}

/* y is guessed, and q is computed from y with the rate at the start of the whole step. */
static sal_status begin(const sal__newton *p) {
    sal__implicit *im = p->a->implicit;
    const sal_attempt *a = p->a;
    for (int i = 0; i < im->n; i++)
        im->newton.x[i] = p->guess[i];
    for (int i = 0; i < a->nq; i++)
        im->newton.x[i] = p->base[i] + p->h * a->f0[i] + followed(p, i, p->guess, a->x0);
    return SAL_OK;
}

static sal_status defect(const sal__newton *p, double *d) {
    sal__implicit *im = p->a->implicit;
    const int nq = p->a->nq;
    const sal_status status = sal__eval(p->rhs, p->a, p->t1, im->newton.x, im->work.rate);
    if (status != SAL_OK)
        return status;
    for (int i = nq; i < im->n; i++)
        d[i - nq] = p->base[i] + p->h * im->work.rate[i] - im->newton.x[i];
    return SAL_OK;
}

/* q from the rate of the last iterate, corrected for the change of y since then. */
static sal_status advance(const sal__newton *p, const double *update) {
    sal__implicit *im = p->a->implicit;
    const int nq = p->a->nq;
    for (int i = 0; i < im->n; i++)
        im->work.probe[i] = im->newton.x[i];
    for (int i = nq; i < im->n; i++)
        im->newton.x[i] += update[i - nq];
    for (int i = 0; i < nq; i++)
        im->newton.x[i] = p->base[i] + p->h * im->work.rate[i] + followed(p, i, im->newton.x, im->work.probe);
    for (int i = 0; i < im->n; i++)
        im->newton.dx[i] = im->newton.x[i] - im->work.probe[i];
    return SAL_OK;
}

static void form(const sal__newton *p, double *matrix) {
    const size_t n = (size_t)p->a->implicit->n, nq = (size_t)p->a->nq, ny = n - nq;
    const double *j = p->a->implicit->matrices.jacobian;
    for (size_t r = 0; r < ny; r++)
        for (size_t s = 0; s < ny; s++) {
            const double *row = j + (nq + r) * n;
            double through_q = 0;
            for (size_t k = 0; k < nq; k++)
                through_q += row[k] * j[k * n + nq + s];
            matrix[r * ny + s] = (r == s ? 1 : 0) - p->h * (row[nq + s] + p->h * through_q);
        }
}

static sal__newton stage(const sal_rhs *rhs, sal_attempt *a, double t0, double t1, double h, const double *x0) {
    sal__newton p = sal__single_stage(rhs, a, t0, t1, h, x0);
    p.size = rhs->n - a->nq;
    p.begin = begin;
    p.defect = defect;
    p.advance = advance;
    p.form = form;
    return p;
}

static sal_status step(const sal_rhs *rhs, sal_attempt *a) {
    return sal__step_by_halves(rhs, a, stage);
}

const sal_method sal__velocity_implicit_euler = {
    .name = "velocity_implicit_euler", SAL__IMPLICIT_ATTEMPT(step, sal__explicit_halves), SAL__IMPLICIT_EULER};
