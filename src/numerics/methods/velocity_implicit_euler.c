/* Implicit Euler for x = (q, v, z) that solves for y = (v, z) alone, as Drake's method of
 * this name: q follows as q0 + h q'(q, v). As q' = N(q) v is linear in v, the rate of the
 * last iterate and J_qy tell where q goes with a new y, and no evaluation is spent on it.
 * The matrix sees q through v:
 *
 *     I - h (J_yy + h J_yq J_qy)
 *
 * Steps of h/2 and h as in implicit_euler. Without q the two are the same. */
#include "numerics/implicit.h"

/* h J_qy dy for variable i of q: what a change of y does to it, as q' is linear in v. */
static double followed(const sal__newton *p, int i, const double *y, const double *y0) {
    const sal__implicit *im = p->a->implicit;
    const double *row = im->jacobian + (size_t)i * (size_t)im->n;
    double sum = 0;
    for (int j = p->a->nq; j < im->n; j++)
        sum += row[j] * (y[j] - y0[j]);
    return p->h * sum;
}

/* y is guessed, and q what belongs to it, from the rate where the whole step starts. */
static sal_status begin(const sal__newton *p) {
    sal__implicit *im = p->a->implicit;
    const sal_attempt *a = p->a;
    for (int i = 0; i < im->n; i++)
        im->x[i] = p->guess[i];
    for (int i = 0; i < a->nq; i++)
        im->x[i] = p->base[i] + p->h * a->f0[i] + followed(p, i, p->guess, a->x0);
    return SAL_OK;
}

static sal_status defect(const sal__newton *p, double *d) {
    sal__implicit *im = p->a->implicit;
    const int nq = p->a->nq;
    const sal_status status = sal__eval(p->rhs, p->a, p->t1, im->x, im->rate);
    if (status != SAL_OK)
        return status;
    for (int i = nq; i < im->n; i++)
        d[i - nq] = p->base[i] + p->h * im->rate[i] - im->x[i];
    return SAL_OK;
}

/* q from the rate of the last iterate, where y has moved on since. */
static sal_status advance(const sal__newton *p, const double *update) {
    sal__implicit *im = p->a->implicit;
    const int nq = p->a->nq;
    for (int i = 0; i < im->n; i++)
        im->probe[i] = im->x[i];
    for (int i = nq; i < im->n; i++)
        im->x[i] += update[i - nq];
    for (int i = 0; i < nq; i++)
        im->x[i] = p->base[i] + p->h * im->rate[i] + followed(p, i, im->x, im->probe);
    for (int i = 0; i < im->n; i++)
        im->dx[i] = im->x[i] - im->probe[i];
    return SAL_OK;
}

static void form(const sal__newton *p, double *matrix) {
    const size_t n = (size_t)p->a->implicit->n, nq = (size_t)p->a->nq, ny = n - nq;
    const double *j = p->a->implicit->jacobian;
    for (size_t r = 0; r < ny; r++)
        for (size_t s = 0; s < ny; s++) {
            const double *row = j + (nq + r) * n;
            double through_q = 0;
            for (size_t k = 0; k < nq; k++)
                through_q += row[k] * j[k * n + nq + s];
            matrix[r * ny + s] = (r == s ? 1 : 0) - p->h * (row[nq + s] + p->h * through_q);
        }
}

static sal_status solve(sal_attempt *a, const sal_rhs *rhs, double t0, double t1, double h, const double *x0,
                        const double *guess, double *x) {
    sal__newton p = sal__single_stage(rhs, a, t0, t1, h, x0);
    p.f0 = t0 == a->t ? a->f0 : NULL;
    p.guess = guess;
    p.size = rhs->n - a->nq;
    p.begin = begin;
    p.defect = defect;
    p.advance = advance;
    p.form = form;
    const sal_status status = sal__newton_solve(&p);
    for (int i = 0; status == SAL_OK && i < rhs->n; i++)
        x[i] = a->implicit->x[i];
    return status;
}

static sal_status step(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    const double half = a->h / 2, middle = a->t + half;
    sal__set_estimating(a, true);
    sal_status status = solve(a, rhs, a->t, a->t1, a->h, a->x0, a->x0, im->full);
    sal__set_estimating(a, false);
    for (int i = 0; status == SAL_OK && i < rhs->n; i++)
        im->guess[i] = 0.5 * (a->x0[i] + im->full[i]);
    if (status == SAL_OK)
        status = solve(a, rhs, a->t, middle, half, a->x0, im->guess, im->half);
    if (status == SAL_OK)
        status = solve(a, rhs, middle, a->t1, half, im->half, im->full, a->x1);
    for (int i = 0; status == SAL_OK && i < rhs->n; i++)
        a->err[i] = im->full[i] - a->x1[i]; /* as large as what is left in x1 */
    return status;
}

static sal_status attempt(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit_begin(a);
    return sal__implicit_conclude(a, sal__too_short_to_solve(a) ? sal__explicit_halves(rhs, a) : step(rhs, a));
}

const sal_method sal__velocity_implicit_euler = {.name = "velocity_implicit_euler",
                                                 .order = 1,
                                                 .error_order = 2,
                                                 .dense_order = 1,
                                                 .dense_degree = SAL__HERMITE_DEGREE,
                                                 .dense_needs_end = true,
                                                 .default_accuracy = 1e-1,
                                                 .loosest_accuracy = 5e-1,
                                                 .implicit_stages = 1,
                                                 .attempt = attempt,
                                                 .dense = sal__hermite};
