/* Implicit Euler, extrapolation's way: two steps of h/2 carry the state on, one of h
 * beside them, with twice the error, estimates it: x_h - x = O(h^2). Backward Euler proper is radau1. */
#include "numerics/implicit.h"

static sal_status solve(const sal__newton *p, double *x) {
    const sal_status status = sal__newton_solve(p);
    for (int i = 0; status == SAL_OK && i < p->rhs->n; i++)
        x[i] = p->a->implicit->x[i];
    return status;
}

/* The whole step's result guesses the halves' ones. */
static sal_status two_halves(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    const double half = a->h / 2, middle = a->t + half;
    sal__newton first = sal__single_stage(rhs, a, a->t, middle, half, a->x0);
    first.f0 = a->f0;
    first.guess = im->guess;
    for (int i = 0; i < rhs->n; i++)
        im->guess[i] = 0.5 * (a->x0[i] + im->full[i]);
    const sal_status status = solve(&first, im->half);
    if (status != SAL_OK)
        return status;
    sal__newton second = sal__single_stage(rhs, a, middle, a->t1, half, im->half);
    second.guess = im->full;
    return solve(&second, a->x1);
}

static sal_status step(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    sal__newton whole = sal__single_stage(rhs, a, a->t, a->t1, a->h, a->x0);
    whole.f0 = a->f0;
    sal__set_estimating(a, true);
    sal_status status = solve(&whole, im->full);
    sal__set_estimating(a, false);
    if (status == SAL_OK)
        status = two_halves(rhs, a);
    for (int i = 0; status == SAL_OK && i < rhs->n; i++)
        a->err[i] = im->full[i] - a->x1[i]; /* as large as what is left in x1 */
    return status;
}

static sal_status attempt(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit_begin(a);
    return sal__implicit_conclude(a, sal__too_short_to_solve(a) ? sal__explicit_halves(rhs, a) : step(rhs, a));
}

const sal_method sal__implicit_euler = {.name = "implicit_euler",
                                        .order = 1,
                                        .error_order = 2,
                                        .dense_order = 1,
                                        .dense_degree = SAL__HERMITE_DEGREE,
                                        .dense_needs_end = true,
                                        .default_accuracy = 1e-1,
                                        .loosest_accuracy = 5e-1,
                                        .implicit_stages = 1,
                                        .bands = true,
                                        .attempt = attempt,
                                        .dense = sal__hermite};
