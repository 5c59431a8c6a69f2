/* After the stages of a Radau IIA step: estimates of its error, and if Newton's iteration took one update or an old
 * Jacobian, a check that it solved the equations. Numbers in parentheses are those of Hairer and Wanner, as in
 * radau5.c. */
#include "radau5.h"

#include <math.h>
#include <string.h>

static const double gamma_real = 3.6378342527444957;
/* Weights of z in the estimate (8.19 there, times gamma). */
static const double e[STAGES] = {-10.048809399827414, 1.3821427331607485, -1. / 3};
/* Weights of z in the slope of the collocation polynomial at the end. */
static const double at_end[STAGES] = {5.531972647421808, -7.531972647421808, 5};

/* (gamma M - h J)^-1 (h f + M e z): bounded for any stiffness (8.19). Returns the norm without J. */
static double filtered_error(sal_attempt *a, const double *f) {
    const sal__implicit *im = a->implicit;
    const sal__factors *factors = &im->matrices.factors[SAL__STAGES];
    const int n = im->n;
    const double *z = a->work;
    for (int i = 0; i < n; i++)
        im->newton.update[i] = e[0] * z[i] + e[1] * z[n + i] + e[2] * z[2 * n + i];
    const double *inertia = sal__mass_times(&im->mass, n, im->newton.update, im->work.half);
    for (int i = 0; i < n; i++)
        a->err[i] = a->h * f[i] + inertia[i];
    const double plain = sal__weighted_norm(im->integrator, a->err) / gamma_real;
    sal__matrix_solve(&im->matrices.shape, factors->lu, factors->pivots, a->err, im->work.scratch);
    return plain;
}

/* A point between two stages, where the interpolant is farthest from the solution, with the weights of z there in the
 * interpolant and in its slope. */
static const double inside = 0.4;
static const double value_inside[STAGES] = {0.9159591794226533, 0.5240408205773455, -0.08};
static const double slope_inside[STAGES] = {-2.976088375154268, 2.576088375154268, -0.2};

/* The error of the interpolant, (gamma M - h J)^-1 (h f - M h p'). A variable that follows others at once has no error
 * at the end of a step, and none at the stages, however long the step is. Replaces an estimate that is smaller. */
static sal_status inner_error(const sal_rhs *rhs, sal_attempt *a, double *norm) {
    sal__implicit *im = a->implicit;
    const sal__factors *factors = &im->matrices.factors[SAL__STAGES];
    const int n = im->n;
    const double *z = a->work;
    double *slope = im->newton.update, *error = im->work.full;
    for (int i = 0; i < n; i++) {
        const double z1 = z[i], z2 = z[n + i], z3 = z[2 * n + i];
        im->work.probe[i] = a->x0[i] + value_inside[0] * z1 + value_inside[1] * z2 + value_inside[2] * z3;
        slope[i] = slope_inside[0] * z1 + slope_inside[1] * z2 + slope_inside[2] * z3;
    }
    sal__set_estimating(a, true);
    const sal_status status = sal__eval(rhs, a, a->t + inside * a->h, im->work.probe, im->work.rate);
    sal__set_estimating(a, false);
    if (status != SAL_OK)
        return status;
    const double *inertia = sal__mass_times(&im->mass, n, slope, im->work.half);
    for (int i = 0; i < n; i++)
        error[i] = a->h * im->work.rate[i] - inertia[i];
    sal__matrix_solve(&im->matrices.shape, factors->lu, factors->pivots, error, im->work.scratch);
    const double inner = sal__weighted_norm(im->integrator, error);
    if (!(inner <= *norm) && !sal__is_jump_inside(a, inner)) {
        *norm = inner;
        memcpy(a->err, error, (size_t)n * sizeof *error);
    }
    return SAL_OK;
}

/* The error of the end; `plain` is that without J. At a start, and after a rejection, an estimate that would reject is
 * computed a second time, at x0 + err: in the first step of a stiff transient the first one is too large (8.20).
 * Elsewhere it is not repeated: the second estimate ignores the error of variables so stiff that they follow others,
 * and steps would grow beyond any accuracy. */
static sal_status end_error(const sal_rhs *rhs, sal_attempt *a, double *norm, double *plain) {
    sal__implicit *im = a->implicit;
    *plain = filtered_error(a, a->f0);
    *norm = sal__weighted_norm(im->integrator, a->err);
    if (!(*norm > im->integrator->accuracy) ||
        (!im->integrator->control.was_rejected && sal__radau5_goes_on(im->integrator, a)))
        return SAL_OK;
    for (int i = 0; i < im->n; i++)
        im->work.probe[i] = a->x0[i] + a->err[i];
    sal__set_estimating(a, true);
    const sal_status status = sal__eval(rhs, a, a->t, im->work.probe, im->work.rate);
    sal__set_estimating(a, false);
    if (status == SAL_OK)
        filtered_error(a, im->work.rate);
    *norm = sal__weighted_norm(im->integrator, a->err);
    return status < 0 ? status : SAL_OK;
}

/* The plain estimate of the end is larger than the inner error, but not that of equations without a derivative. */
sal_status sal__radau5_estimate(const sal_rhs *rhs, sal_attempt *a, double *norm) {
    const sal__implicit *im = a->implicit;
    const double accuracy = im->integrator->accuracy;
    double plain = 0;
    const sal_status status = end_error(rhs, a, norm, &plain);
    const bool is_small = plain <= accuracy && im->mass.count == 0;
    if (status != SAL_OK || *norm > accuracy || is_small || im->integrator->config.fixed_step)
        return status;
    return inner_error(rhs, a, norm);
}

/* ---- one iteration, or an old Jacobian ---- */

/* The defect of the last stage's equation, h f(t1, x1) - h M p'(t1), where p is the collocation polynomial. Returns
 * whether it is small as an error. Variables count as if they were small too, which avoids a division. */
static bool leaves_little(const sal_attempt *a, double *left) {
    const sal__implicit *im = a->implicit;
    const int n = im->n;
    const double *z = a->work, *weight = im->integrator->scale.weight;
    double *slope = im->work.guess;
    for (int i = 0; i < n; i++)
        slope[i] = at_end[0] * z[i] + at_end[1] * z[n + i] + at_end[2] * z[2 * n + i];
    const double *inertia = sal__mass_times(&im->mass, n, slope, im->work.half);
    int large = 0;
    for (int i = 0; i < n; i++) {
        left[i] = a->h * a->f1[i] - inertia[i];
        large += !(weight[i] * fabs(left[i]) <= im->newton.tolerance);
    }
    return large == 0;
}

/* The rounding of f, whose terms are as large as |J| |x|. */
static void rounding_of_defect(const sal_attempt *a, double *rounding) {
    const sal__implicit *im = a->implicit;
    for (int i = 0; i < im->n; i++)
        im->work.guess[i] = fabs(a->x1[i]);
    sal__jacobian_size_times(im, im->work.guess, rounding);
    for (int i = 0; i < im->n; i++)
        rounding[i] = 64 * 0x1p-52 * (a->h * rounding[i] + fabs(a->work[2 * im->n + i]));
}

/* Whether each variable's defect is small or rounding, or its next update, `after`, is smaller than its last one. */
static bool each_contracts(const sal__implicit *im, const double *left, const double *after, const double *rounding) {
    const double *weight = im->integrator->scale.weight;
    for (int i = 0; i < im->n; i++)
        if (!(weight[i] * fabs(left[i]) <= im->newton.tolerance || fabs(left[i]) <= rounding[i] ||
              fabs(after[i]) < 0.5 * fabs(im->newton.dx[i])))
            return false;
    return true;
}

static bool each_is_rounding(int n, const double *left, const double *rounding) {
    for (int i = 0; i < n; i++)
        if (!(fabs(left[i]) <= rounding[i]))
            return false;
    return true;
}

/* A single update shows no contraction: with a Jacobian that is far too large, for example from differences over a
 * jump of f, every update is small, and so is the error estimate. So f at the end, which the next step needs anyway,
 * must leave a smaller defect, weighted by the matrix, than the update. No check is made if the defect is small by
 * itself, or is rounding. An old Jacobian may be too large for one variable where the contraction is that of
 * another, so each variable is checked. */
static bool is_confirmed(const sal_attempt *a) {
    sal__implicit *im = a->implicit;
    const sal__factors *f = &im->matrices.factors[SAL__STAGES];
    if (leaves_little(a, im->work.full))
        return true;
    double *left = im->work.base, *after = im->work.full, *rounding = im->work.half;
    memcpy(left, after, (size_t)im->n * sizeof *left);
    sal__matrix_solve(&im->matrices.shape, f->lu, f->pivots, after, im->work.scratch);
    rounding_of_defect(a, rounding);
    const double norm = sal__weighted_norm(im->integrator, after);
    return (norm < 0.5 * im->newton.update_norm && norm <= im->integrator->accuracy &&
            (im->matrices.jacobian_is_fresh || each_contracts(im, left, after, rounding))) ||
           each_is_rounding(im->n, left, rounding);
}

/* SAL_RETRY: the Jacobian is not good enough. */
sal_status sal__radau5_confirm(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    const sal_status status = sal__eval(rhs, a, a->t1, a->x1, a->f1);
    if (status != SAL_OK)
        return status;
    a->has_f1 = true;
    if (is_confirmed(a))
        return SAL_OK;
    im->newton.remaining_error = 1; /* the next iteration shows its contraction */
    return SAL_RETRY;
}
