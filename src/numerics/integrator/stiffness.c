/* Detects stiffness: whether stability, not accuracy, limits the steps.
 *
 * Hairer's test (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd edition, 1996, IV.2): the result
 * and the last stage's state differ by d, their derivatives by about J d, and h |J d| / |d| approximates h |lambda| of
 * the eigenvalue with the largest absolute value. Fifteen steps at the stability limit, never with six calm steps in a
 * row between them, mean stiffness. While there is no sign, one step in ten is checked.
 *
 * "auto" then switches to a stiff method, and back when, by the size of the Jacobian, the explicit method would be
 * stable with twice the step; each return makes the test slower to switch again. For eigenvalues near the imaginary
 * axis this test cannot distinguish stability from accuracy; there "auto" makes a trial: method_switching.c. */
#include <math.h>

#include "numerics/implicit/implicit.h"

enum { STIFF_STEPS = 15, NONSTIFF_STEPS = 6, MOST_RETURNS = 7 };
/* The first steps that "auto" always checks, because the amplitude of a fast mode that they excite remains. */
enum { INITIAL_CHECKS = 8 };

/* The norm of d; 0 if no variable's part exceeds the rounding of the variable itself, which shows no eigenvalue. */
static double gap_norm(const sal_integrator *in, const sal_attempt *a) {
    const double rounding = 0x1p-48; /* 16 ulp */
    double sum = 0;
    bool is_visible = false;
    for (int i = 0; i < in->n; i++) {
        const double gap = a->method->stiffness_gap(in->n, a, i), d = sal__weight_at(in, i, a->x1[i]) * gap;
        sum += d * d;
        is_visible |= a->h * fabs(gap) > rounding * fabs(a->x1[i]);
    }
    return is_visible ? sqrt(sum) : 0;
}

/* h |lambda|, and the variable with the largest part in it. */
static double product(const sal_integrator *in, const double *end_rate, int *variable) {
    const sal_attempt *a = in->steps.accepted;
    const double *stage_rate = a->work + a->method->last_stage * in->n;
    double sum = 0, largest = -1;
    for (int i = 0; i < in->n; i++) {
        const double d = sal__weight_at(in, i, a->x1[i]) * (end_rate[i] - stage_rate[i]), square = d * d;
        sum += square;
        if (square > largest) {
            largest = square;
            *variable = i;
        }
    }
    return sum > 0 ? sqrt(sum) / in->checks.stiffness_gap : 0;
}

/* Called when the derivative at the last step's end is known. */
void sal__measure_stiffness_at_end(sal_integrator *in, const double *end_rate) {
    const double edge = 0.9;
    sal_controller_state *p = &in->controller;
    in->checks.gap_is_pending = false;
    int variable = -1;
    const double h_lambda = product(in, end_rate, &variable);
    if (h_lambda > edge * in->steps.accepted->method->stability_limit) {
        p->nonstiff_count = 0;
        if (++p->stiff_count >= STIFF_STEPS * (1 + p->return_count))
            sal__switch_to_stiff(in, h_lambda, variable);
    } else if (p->stiff_count > 0 && ++p->nonstiff_count == NONSTIFF_STEPS) {
        p->stiff_count = p->nonstiff_count = 0;
    }
    if (in->config.method->methods_by_kind && !p->next_is_stiff)
        sal__consider_trial(in, h_lambda, variable);
}

/* An upper bound of the spectral radius, close to that of |J|: the fourth root of |J|^4's norm. */
static double reach(const sal__implicit *im) {
    double *v = im->work.probe, *w = im->work.rate, largest = 0;
    for (int i = 0; i < im->n; i++)
        v[i] = 1;
    for (int k = 0; k < 4; k++) {
        double *const was = v;
        sal__jacobian_size_times(im, v, w);
        v = w;
        w = was;
    }
    for (int i = 0; i < im->n; i++)
        largest = sal__max(v[i], largest);
    return sqrt(sqrt(largest));
}

/* Three vectors of a power iteration: v0, v1 = J v0 and v2 = J v1. */
static void iterate_power(const sal__implicit *im, double *v[3]) {
    enum { ITERATIONS = 12 };
    const int n = im->n;
    for (int i = 0; i < n; i++)
        v[0][i] = 1 + i % 7;
    for (int k = 0; k < ITERATIONS; k++) {
        double largest = 0;
        sal__jacobian_times(im, v[0], v[1]);
        for (int i = 0; i < n; i++)
            largest = sal__max(largest, fabs(v[1][i]));
        for (int i = 0; i < n && largest > 0; i++)
            v[0][i] = v[1][i] / largest;
    }
    sal__jacobian_times(im, v[0], v[1]);
    sal__jacobian_times(im, v[1], v[2]);
}

/* Position of the largest eigenvalues, from 1 (real axis) to 0 (imaginary axis): the cosine of the roots of the
 * quadratic that best fits v2 = p v1 - q v0. */
static double realness(const sal__implicit *im) {
    double *v[3] = {im->work.probe, im->work.rate, im->differences.probe_point};
    iterate_power(im, v);
    const int n = im->n;
    const double v00 = sal__dot(n, v[0], v[0]), v01 = sal__dot(n, v[0], v[1]), v11 = sal__dot(n, v[1], v[1]);
    const double v02 = sal__dot(n, v[0], v[2]), v12 = sal__dot(n, v[1], v[2]), both = v00 * v11;
    const double apart = both - v01 * v01;
    if (!(apart > 1e-10 * both))
        return 1;
    const double p = (v12 * v00 - v02 * v01) / apart, q = (v12 * v01 - v02 * v11) / apart;
    return q > 0 && p * p < 4 * q ? fabs(p) / (2 * sqrt(q)) : 1;
}

/* The explicit method's limit of h |lambda| for the Jacobian's largest eigenvalues. */
static double stable_size(const sal_integrator *in) {
    const sal_method *m = sal__method_of_kind(in, false);
    return m->imaginary_stability_limit + (m->stability_limit - m->imaginary_stability_limit) * realness(in->implicit);
}

static void watch_for_calm(sal_integrator *in) {
    const double room = 0.5;
    sal_controller_state *p = &in->controller;
    const double h_lambda = in->steps.accepted->h * reach(in->implicit);
    p->nonstiff_count = h_lambda < room * sal__method_of_kind(in, false)->stability_limit ? p->nonstiff_count + 1 : 0;
    if (p->nonstiff_count < NONSTIFF_STEPS)
        return;
    p->nonstiff_count = 0;
    if (!(h_lambda < room * stable_size(in)))
        return;
    p->next_is_stiff = false;
    p->evaluations_since_switch = 0;
    if (p->return_count < MOST_RETURNS)
        p->return_count++;
}

/* Called after an accepted step under error control. The gap is measured immediately, because the dense output may
 * overwrite the stages. */
void sal__measure_stiffness(sal_integrator *in) {
    const sal_method *m = in->method;
    if (in->config.method->methods_by_kind && m->implicit_stages > 0) {
        if (in->controller.trial_stage > 0)
            sal__evaluate_trial(in);
        else
            watch_for_calm(in);
        return;
    }
    const bool reported = in->checks.stiffness.found && !in->checks.stiffness.will_switch;
    if (!(m->stability_limit > 0) || reported)
        return;
    in->checks.stiffness_gap = gap_norm(in, in->steps.accepted);
    in->checks.gap_is_pending = in->checks.stiffness_gap > 0;
    if (in->checks.gap_is_pending && m->first_same_as_last)
        sal__measure_stiffness_at_end(in, in->steps.accepted->f1);
    sal_controller_state *p = &in->controller;
    if (in->config.method->methods_by_kind && p->initial_check_count < INITIAL_CHECKS) {
        p->initial_check_count++;
        p->unchecked_count = SAL__STIFFNESS_INTERVAL - 1; /* check the next step, too */
    }
}

sal_stiffness sal_integrator_stiffness(const sal_integrator *in) {
    return in->checks.stiffness;
}
