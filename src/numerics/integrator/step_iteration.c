#include "step_iteration.h"

#include <math.h>
#include <string.h>

#include "integrator_impl.h"
#include "numerics/powers.h"

/* Three interpolants: of the accepted step, of the previous attempt, of the present attempt. The first is the
 * integrator's dense output. */
struct sal__step_iteration {
    sal__provisional_step provisional;
    double *before, *now, *change, *rate; /* degree * n, degree * n; n, n */
    bool end_known;                       /* the attempt's f1 has been evaluated */
    double room[];
};

enum { ATTEMPTS = 12 };
static const double share_of_defect = 0.5, again = 16;

size_t sal__step_iteration_bytes(const sal_integrator *in) {
    return sizeof(sal__step_iteration) + (size_t)in->n * (2 * (size_t)in->steps.dense_degree + 2) * sizeof(double);
}

sal__provisional_step *sal__integrator_provisional_step(sal_integrator *in) {
    if (in->step_iteration)
        return &in->step_iteration->provisional;
    sal__step_iteration *m = sal__alloc(&in->allocator, sal__step_iteration_bytes(in));
    if (!m)
        return NULL;
    const size_t terms = (size_t)in->n * (size_t)in->steps.dense_degree;
    m->before = m->room;
    m->now = m->before + terms;
    m->change = m->now + terms;
    m->rate = m->change + in->n;
    m->provisional.degree = in->steps.dense_degree;
    m->provisional.t0 = m->provisional.t1 = NAN;
    in->step_iteration = m;
    return &m->provisional;
}

/* ---- reading ---- */

double sal__provisional_value(const sal__provisional_step *p, int n, int i, double t) {
    if (!p->has_interpolant)
        return p->x0[i] + (t - p->t0) * p->f0[i];
    return p->x0[i] + sal__powers_value(p->c + i, n, p->degree, (t - p->t0) / p->h);
}

double sal__provisional_rate(const sal__provisional_step *p, int n, int i, double t) {
    if (!p->has_interpolant)
        return p->f0[i];
    return sal__powers_slope(p->c + i, n, p->degree, (t - p->t0) / p->h) / p->h;
}

/* ---- stepping ---- */

void sal__step_iteration_begin(sal_integrator *in) {
    sal__provisional_step *p = &in->step_iteration->provisional;
    p->t0 = p->t1 = in->steps.trial->t;
    p->h = 0;
    p->x0 = in->steps.trial->x0;
    p->f0 = in->steps.trial->f0;
    p->has_interpolant = p->was_read = false;
    p->longest = 0;
}

/* Computes the interpolant of the attempt, with the evaluations that it needs. The end is evaluated in any case: what
 * the right-hand side reads there tells whether the step passed a discontinuity of the past. */
static sal_status shape(sal_integrator *in, const sal_rhs *rhs) {
    sal__step_iteration *m = in->step_iteration;
    sal_attempt *a = in->steps.trial;
    m->end_known = a->method->first_same_as_last || a->has_f1;
    if (!m->end_known) {
        const sal_status status = sal__derivative(in, rhs, a, a->t1, a->x1, a->f1);
        if (status != SAL_OK)
            return status;
        m->end_known = true;
    }
    return sal__make_interpolant(in, rhs, a, m->now);
}

/* Makes this attempt's interpolant the one to read; the previous one's memory becomes free. */
static void publish(sal_integrator *in) {
    sal__step_iteration *m = in->step_iteration;
    double *old = m->before;
    m->before = m->now;
    m->now = old;
    m->provisional.c = m->before;
    m->provisional.has_interpolant = true;
}

/* The largest weighted change since the previous attempt, at the middle and the end. */
static double change(sal_integrator *in) {
    sal__step_iteration *m = in->step_iteration;
    const int n = in->n;
    for (int i = 0; i < n; i++) {
        double middle = 0, end = 0;
        for (int j = in->steps.dense_degree - 1; j >= 0; j--) {
            const double d = m->now[j * n + i] - m->before[j * n + i];
            middle = (middle + d) / 2;
            end += d;
        }
        m->change[i] = sal__max(fabs(middle), fabs(end));
    }
    return sal__weighted_norm(in, m->change);
}

/* An interpolant of a lower order than the step has an error that the step's estimate does not include, but later
 * reads depend on it. Its defect in the middle, p'(1/2) - f(p(1/2)), measures it: if p meets both ends with their
 * derivatives, its error is K theta^2 (1 - theta)^2 (theta - a) to leading order, which has the derivative K/16
 * there for any a, and is at most K/16. */
static sal_status weigh_interpolant(sal_integrator *in, const sal_rhs *rhs) {
    sal__step_iteration *m = in->step_iteration;
    sal_attempt *a = in->steps.trial;
    const int order = in->steps.hermite ? 3 : in->method->dense_order, n = in->n;
    if (order >= in->method->order || in->method->error_order == 0 || in->config.fixed_step)
        return SAL_OK;
    const double middle = a->t + a->h / 2;
    for (int i = 0; i < n; i++)
        m->change[i] = sal__provisional_value(&m->provisional, n, i, middle);
    const sal_status status = sal__derivative(in, rhs, a, middle, m->change, m->rate);
    for (int i = 0; status == SAL_OK && i < n; i++) {
        const double defect = a->h * fabs(sal__provisional_rate(&m->provisional, n, i, middle) - m->rate[i]);
        a->err[i] = again * sal__max(fabs(a->err[i]), defect * share_of_defect);
    }
    return status;
}

/* Repeats the attempt until its interpolant equals the one that was read. */
static sal_status attempt_until_settled(sal_integrator *in, const sal_rhs *rhs) {
    sal__step_iteration *m = in->step_iteration;
    const double enough = 0.01 * (isnan(in->accuracy) ? 1e-6 : in->accuracy);
    double last = INFINITY;
    for (int i = 0; i < ATTEMPTS; i++) {
        const bool known = m->provisional.has_interpolant;
        m->provisional.was_read = in->steps.trial->has_f1 = false;
        in->steps.trial->evaluations = 0;
        sal_status status = in->method->attempt(rhs, in->steps.trial);
        sal__add_evaluations(in, in->steps.trial->evaluations);
        if (status == SAL_OK)
            status = shape(in, rhs);
        if (status != SAL_OK)
            return status;
        const double moved = m->provisional.was_read && known ? change(in) : INFINITY;
        const bool settled = !m->provisional.was_read || moved <= enough;
        publish(in);
        if (settled)
            return SAL_OK;
        if (known && !(moved < last))
            return SAL_RETRY;
        last = moved;
    }
    return SAL_RETRY;
}

sal_status sal__step_iteration_attempt(sal_integrator *in, const sal_rhs *rhs) {
    sal__step_iteration *m = in->step_iteration;
    m->provisional.t0 = in->steps.trial->t;
    m->provisional.t1 = in->steps.trial->t1;
    m->provisional.h = in->steps.trial->h;
    m->provisional.has_interpolant = false;
    m->provisional.longest = sal__max(in->steps.trial->h, m->provisional.longest);
    const sal_status status = attempt_until_settled(in, rhs);
    return status == SAL_OK ? weigh_interpolant(in, rhs) : status;
}

/* Swaps its interpolant with the integrator's dense output; the old one's memory becomes free. */
void sal__step_iteration_accept(sal_integrator *in) {
    sal__step_iteration *m = in->step_iteration;
    if (!(in->steps.accepted->h > 0)) {
        m->provisional.has_interpolant = false;
        return;
    }
    double *old = in->steps.coefficients;
    in->steps.coefficients = m->before;
    m->before = old;
    in->steps.dense_ready = true;
    in->steps.end_rate_known = m->end_known && !in->steps.end_was_corrected;
}

void sal__step_iteration_reload(sal_integrator *in) {
    const sal_attempt *a = in->steps.accepted;
    sal__provisional_step *p = &in->step_iteration->provisional;
    p->has_interpolant = in->steps.has_step && in->steps.dense_ready && a->h > 0;
    p->t0 = p->has_interpolant ? a->t : NAN;
    p->t1 = p->has_interpolant ? a->t1 : NAN;
    p->h = a->h;
    p->x0 = a->x0;
    p->f0 = a->f0;
    p->c = in->steps.coefficients;
}

void sal__step_iteration_fail(sal_integrator *in) {
    in->step_iteration->provisional.has_interpolant = false;
}
