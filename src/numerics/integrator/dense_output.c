/* Reads the last accepted step: its ends, its derivatives, values at any point inside. */
#include <math.h>

#include "dense_output.h"
#include "numerics/implicit/implicit.h"

int sal__dense_degree(const sal_integrator *in) {
    return in->steps.dense_degree;
}

double sal_integrator_start_time(const sal_integrator *in) {
    return in->steps.has_step ? in->steps.accepted->t : NAN;
}

double sal_integrator_end_time(const sal_integrator *in) {
    return in->steps.has_step ? in->steps.accepted->t1 : NAN;
}

const double *sal_integrator_start(const sal_integrator *in) {
    return in->steps.accepted->x0;
}

const double *sal_integrator_end(const sal_integrator *in) {
    return in->steps.accepted->x1;
}

const double *sal_integrator_error_estimate(const sal_integrator *in) {
    return in->steps.has_step && in->method->error_order > 0 ? in->steps.accepted->err : NULL;
}

const double *sal_integrator_start_rate(const sal_integrator *in) {
    return in->steps.accepted->f0;
}

/* f1 remains the model's derivative at the step's end as long as the interpolant may need it; `end_rate_known` only
 * says whether the next step may start with it. */
sal_status sal_integrator_end_rate(sal_integrator *in, const sal_rhs *rhs, const double **out) {
    sal_attempt *a = in->steps.accepted;
    if (!in->steps.has_step)
        return SAL_ESTATE;
    if (rhs->n != in->n)
        return SAL_EINVAL;
    if (!in->steps.end_rate_known && !a->method->first_same_as_last) {
        const sal_status status = sal__derivative(in, rhs, a, a->t1, a->x1, a->f1);
        if (status != SAL_OK)
            return status;
        in->steps.end_rate_known = true;
    }
    if (out)
        *out = a->f1;
    return SAL_OK;
}

sal_status sal_integrator_prepare_dense(sal_integrator *in, const sal_rhs *rhs) {
    sal_attempt *a = in->steps.accepted;
    if (!in->steps.has_step)
        return SAL_ESTATE;
    if (in->steps.dense_ready)
        return SAL_OK;
    sal_status status = sal__dense_needs_end(in, a->method) ? sal_integrator_end_rate(in, rhs, NULL) : SAL_OK;
    if (status == SAL_OK)
        status = sal__make_interpolant(in, rhs, a, in->steps.coefficients);
    in->steps.dense_ready = status == SAL_OK;
    return status;
}

/* Fast path for degree four, the most common, without a loop. */
static void quartics(int n, const double *restrict x0, const double *restrict c, double theta, double *restrict x) {
    const double *restrict c2 = c + n, *restrict c3 = c2 + n, *restrict c4 = c3 + n;
    for (int i = 0; i < n; i++)
        x[i] = x0[i] + theta * (c[i] + theta * (c2[i] + theta * (c3[i] + theta * c4[i])));
}

/* Horner's scheme, variable by variable, from c_degree down. */
static void polynomials(const sal_integrator *in, double theta, double *restrict x) {
    const int n = in->n, degree = in->steps.dense_degree;
    const double *restrict c = in->steps.coefficients, *restrict x0 = in->steps.accepted->x0;
    const double *last = c + (degree - 1) * n;
    for (int i = 0; i < n; i++) {
        double sum = last[i];
        for (const double *cj = last + i - n; cj >= c; cj -= n)
            sum = *cj + theta * sum;
        x[i] = x0[i] + theta * sum;
    }
}

static void lines(int n, const double *restrict x0, const double *restrict x1, double theta, double *restrict x) {
    for (int i = 0; i < n; i++)
        x[i] = x0[i] + theta * (x1[i] - x0[i]);
}

static double polynomial_slope(const sal_integrator *in, int i, double theta) {
    const double *c = in->steps.coefficients + i;
    const int n = in->n;
    if (in->steps.dense_degree == 4)
        return c[0] + theta * (2 * c[n] + theta * (3 * c[2 * n] + theta * (4 * c[3 * n])));
    double sum = in->steps.dense_degree * c[(in->steps.dense_degree - 1) * n];
    for (int j = in->steps.dense_degree - 2; j >= 0; j--)
        sum = (j + 1) * c[j * n] + theta * sum;
    return sum;
}

/* Before preparation, inner points lie on the straight line between the ends. */
void sal_integrator_interpolate(const sal_integrator *in, double theta, double *x) {
    const sal_attempt *a = in->steps.accepted;
    const bool inside = theta > 0 && theta < 1;
    if (!inside)
        sal__copy(x, theta > 0 ? a->x1 : a->x0, in->n);
    else if (!in->steps.dense_ready)
        lines(in->n, a->x0, a->x1, theta, x);
    else if (in->steps.dense_degree == 4)
        quartics(in->n, a->x0, in->steps.coefficients, theta, x);
    else
        polynomials(in, theta, x);
}

/* The polynomial's slope is relative to the step; a rate is per second. */
void sal_integrator_interpolate_rate(const sal_integrator *in, double theta, double *dx) {
    const sal_attempt *a = in->steps.accepted;
    for (int i = 0; i < in->n; i++) {
        if (a->h == 0)
            dx[i] = a->f0[i];
        else if (in->steps.dense_ready)
            dx[i] = polynomial_slope(in, i, theta) / a->h;
        else
            dx[i] = (a->x1[i] - a->x0[i]) / a->h;
    }
}

/* Called before a step, so that an accepted step can be recorded. */
sal_status sal__reserve_dense_output(sal_integrator *in, double t) {
    const sal_polynomial *p = in->dense_output;
    if (!p)
        return SAL_OK;
    if (t > sal_polynomial_break(p, sal_polynomial_segments(p)))
        return SAL_ETIME;
    return sal_polynomial_reserve(in->dense_output);
}

/* A straight line is used if the end has no derivative and the interpolant needs one. */
sal_status sal__append_dense_output(sal_integrator *in, const sal_rhs *rhs) {
    sal_attempt *a = in->steps.accepted;
    if (!in->dense_output || a->t1 <= a->t)
        return SAL_OK;
    const sal_status status = sal_integrator_prepare_dense(in, rhs);
    if (status < 0)
        return status;
    for (int i = 0; status > 0 && i < in->n * in->steps.dense_degree; i++)
        in->steps.coefficients[i] = i < in->n ? a->x1[i] - a->x0[i] : 0;
    return sal_polynomial_append(in->dense_output, a->t, a->t1, a->x0, in->steps.coefficients);
}

sal_status sal_integrator_start_dense_output(sal_integrator *in) {
    return in->dense_output ? SAL_ESTATE
                            : sal_polynomial_new(&in->allocator, in->n, in->steps.dense_degree, &in->dense_output);
}

sal_status sal_integrator_stop_dense_output(sal_integrator *in, sal_polynomial **out) {
    if (!in->dense_output)
        return SAL_ESTATE;
    *out = in->dense_output;
    in->dense_output = NULL;
    return SAL_OK;
}

const sal_polynomial *sal_integrator_dense_output(const sal_integrator *in) {
    return in->dense_output;
}

/* The step can still be read over its whole length; only its size in the statistics and the next step's ideal size
 * change. */
void sal_integrator_cut(sal_integrator *in, double t, double cap) {
    in->steps.end_rate_known = in->checks.gap_is_pending = false;
    if (in->dense_output)
        sal_polynomial_truncate(in->dense_output, t);
    if (in->steps.has_step && in->steps.accepted->h > 0)
        in->stats.previous_step = t - in->steps.accepted->t;
    if (in->controller.ideal_step > cap)
        in->controller.ideal_step = sal__max(cap, sal__working_minimum(in, t));
}

void sal_integrator_invalidate(sal_integrator *in) {
    in->steps.start_rate_known = in->steps.end_rate_known = in->checks.gap_is_pending = false;
    if (in->implicit)
        sal__implicit_model_changed(in->implicit);
    if (in->external_solver)
        in->config.method->solver->forget(in->external_solver);
}
