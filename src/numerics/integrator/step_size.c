/* Sizes of trial steps: how far the limits allow, how the error of a step determines the next size, and the first size.
 * Only + - * / and comparisons, so every machine chooses the same sizes.
 *
 * The rules and their constants are those of Simbody and Drake; see also Hairer, Norsett, Wanner, Solving Ordinary
 * Differential Equations I, II.4. */
#include <math.h>

#include "integrator_impl.h"

double sal_integrator_stretch_factor(void) {
    return SAL__STRETCH;
}

double sal_integrator_working_minimum(const sal_integrator *in, double t) {
    return sal__working_minimum(in, t);
}

static const double safety = 0.9, grow = 5, shrink = 0.1;
static const double low = 0.9, high = 1.2; /* step size unchanged between these factors */
static const double rising = 0.97;         /* the same for methods with the predictive controller */

/* longer_from: minimal ratio of accuracy to error for a longer step; longest_from: above this ratio the step
 * grows by the maximal factor, with a margin for rounding. */
void sal__prepare_control(sal_integrator *in) {
    const int order = in->method->error_order;
    in->control.per_accuracy = 1 / in->accuracy;
    in->control.per_order = order > 0 ? 1. / order : 0;
    in->control.longer_from = 1;
    in->control.longest_from = 1.01;
    for (int i = 0; i < order; i++) {
        in->control.longer_from *= high / safety;
        in->control.longest_from *= grow / safety;
    }
}

/* Drake's controller: 0.9 of the step that would have met the accuracy, at most five times this step and at least a
 * tenth. The root is skipped for a good step that is neither too long nor worth growing, and for one whose successor
 * grows by the maximum. */
static double size_by_drake(const sal_integrator *in, double err, double h, bool good) {
    const double extreme = 1e20, ratio = in->accuracy / err;
    if (good && ratio < in->control.longer_from)
        return h;
    if (isnan(err))
        return shrink * h;
    if (err == 0 || (ratio >= in->control.longest_from && in->control.longest_from < extreme))
        return grow * h;
    const double bounded = sal__min(sal__max(ratio, 1 / extreme), extreme);
    const double wanted = safety * h * sal__power_root(bounded, in->method->error_order);
    return sal__min(sal__max(wanted, shrink * h), grow * h);
}

/* Ignores small changes, which would only make the sizes fluctuate. */
static double steadied(double h, double wanted, bool good) {
    if (wanted >= h)
        return wanted < high * h ? h : wanted;
    return good ? h : sal__min(wanted, low * h);
}

/* The controller of methods with a margin has a memory (K. Gustafsson, ACM Transactions on Mathematical Software 17,
 * 1991; Hairer, Wanner, Solving Ordinary Differential Equations II, IV.2 (2.43)):
 *
 * h <- margin h (accuracy / error)^((1 - memory)/k) (last error / accuracy)^(memory/k)
 *
 * After a rejection: the plain rule without memory, and no growth in the same step. If stability limits the step,
 * the size converges there, and few steps are rejected. The logarithms are rough, but equal on every machine. */
static double size_with_memory(sal_integrator *in, double err, double h, bool good) {
    const double most = 1e20;
    const sal_method *m = in->method;
    if (good)
        return sal__size_with_memory(in, err, h, in->control.was_rejected ? 0 : SAL__LOG2_5);
    if (isnan(err))
        return shrink * h;
    const double demand = sal__approx_log2(sal__min(err / in->accuracy, most));
    return h * sal__max(m->margin * sal__approx_exp2(-demand / m->error_order), shrink);
}

/* Gustafsson's predictive controller for implicit methods (Hairer, Wanner, IV.8 (8.25)): extrapolates the error's
 * change over the last two steps. */
static double size_by_prediction(sal_integrator *in, double err, double h) {
    in->control.log2_error = sal__approx_log2(sal__max(err * in->control.per_accuracy, 0.01));
    if (in->controller.last_size == 0)
        return grow * h;
    const double rise =
        sal__approx_exp2((in->controller.last_log2_error - 2 * in->control.log2_error) * in->control.per_order);
    return sal__max(safety * h * (h / in->controller.last_size) * rise, 0.2 * h);
}

sal__verdict sal__control_step(sal_integrator *in, double err, double h, double *next) {
    const double minimum = in->control.working_minimum;
    const bool good = err <= in->accuracy, has_memory = in->method->margin > 0;
    double wanted = has_memory ? size_with_memory(in, err, h, good) : size_by_drake(in, err, h, good);
    if (wanted > h)
        in->control.at_minimum = false;
    if (wanted < h &&
        in->control.at_minimum) { /* no smaller size is allowed: accept the step if its error is a number */
        *next = h;
        return isnan(err) ? SAL__GIVE_UP : SAL__ACCEPT;
    }
    if (!has_memory)
        wanted = steadied(h, wanted, good);
    if (good && in->method->predicts) {
        const double limit = size_by_prediction(in, err, h);
        if (limit < wanted)
            wanted = limit < rising * h || limit > high * h ? limit : h;
    }
    if (!good && wanted < minimum && in->config.throw_on_min_step)
        return SAL__GIVE_UP;

    *next = sal__max(sal__min(wanted, in->config.max_step), minimum);
    if (*next == minimum)
        in->control.at_minimum = true;
    if (good)
        return SAL__ACCEPT;
    if (*next < h)
        return SAL__REJECT;
    /* A limit forced a step below the minimum: no smaller step is possible. */
    return isnan(err) ? SAL__GIVE_UP : SAL__ACCEPT;
}

/* Hairer's starting step: the size of a first Euler step from |x| and |x'|, then, from the second derivative, the
 * size with a leading error of 1 %. Norms are in units of the accuracy, times in units of the run's scale. Never
 * longer than the present span. */
static double size_of_probe(double d0, double d1, double span, double scale) {
    const double h = d0 < 1e-5 || d1 * scale < 1e-5 ? 1e-6 * scale : 0.01 * (d0 / d1);
    return fmin(h, span);
}

static double size_from_curvature(const sal_integrator *in, double h0, double d1, double d2) {
    const double scale = in->controller.scale, steepest = fmax(d1 * scale, d2 * scale * scale);
    if (steepest <= 1e-15)
        return fmax(1e-6 * scale, 1e-3 * h0);
    return scale * sal__power_root(fmax(0.01 / steepest, 1e-300), in->method->error_order);
}

static sal_status starting_rule(sal_integrator *in, const sal_rhs *rhs, double span, double *step) {
    sal_attempt *a = in->steps.trial;
    const double d0 = sal__weighted_norm(in, a->x0) / in->accuracy;
    const double d1 = sal__weighted_norm(in, a->f0) / in->accuracy;
    const double h0 = size_of_probe(d0, d1, span, in->controller.scale);
    *step = h0; /* used even if the probe fails: the first step will then report the failure */

    for (int i = 0; i < in->n; i++)
        a->x1[i] = a->x0[i] + h0 * a->f0[i];
    const sal_status status = sal__derivative(in, rhs, a, a->t + h0, a->x1, a->f1);
    if (status != SAL_OK)
        return status > 0 ? SAL_OK : status;

    for (int i = 0; i < in->n; i++)
        a->err[i] = a->f1[i] - a->f0[i];
    const double d2 = sal__weighted_norm(in, a->err) / in->accuracy / h0;
    if (d2 <= 1e300) /* not NaN, not infinite */
        *step = fmin(100 * h0, size_from_curvature(in, h0, d1, d2));
    return SAL_OK;
}

double sal_integrator_initial_step_target(const sal_integrator *in) {
    if (!isnan(in->config.initial_step))
        return in->config.initial_step;
    const double part = in->method->implicit_stages > 0 ? 1 : 0.1;
    return isinf(in->config.max_step) ? in->control.initial_step : part * in->config.max_step;
}

/* The rule is evaluated each time, because its result depends on the start. */
sal_status sal__choose_initial_step(sal_integrator *in, const sal_rhs *rhs, double span, double *step) {
    if (!isnan(in->config.initial_step) || !isinf(in->config.max_step)) {
        *step = sal_integrator_initial_step_target(in);
        return SAL_OK;
    }
    const sal_status status = starting_rule(in, rhs, span, step);
    if (status != SAL_OK)
        return status;
    *step = fmax(*step, in->control.working_minimum);
    in->control.initial_step = *step;
    return SAL_OK;
}
