/* Which of its methods "auto" uses.
 *
 * The accuracy decides the order of the explicit method and the kind of the stiff one. When stiffness.c is sure of
 * stiffness, "auto" switches to the stiff method at once. Before that, h |lambda| may show that the steps are as
 * long as the fastest mode; then either stability or accuracy may limit them, and for eigenvalues on the imaginary
 * axis only a trial can tell. The stiff method is tried for a few steps, the first one longer, if their cost is
 * small compared with the work ahead or behind. It stays in use if it takes fewer evaluations per simulated second;
 * else the explicit method continues where the trial ended, and each refusal makes the next trial wait longer. */
#include <math.h>

#include "numerics/implicit/implicit.h"

static const double fine_accuracy = 2e-8;  /* below this accuracy order 8 is cheaper */
static const double rough_accuracy = 2e-4; /* above this accuracy, with few variables: a method without iteration */
static const double suspicious = 0.35;     /* h |lambda| relative to the method's stability limit */
static const double little = 1. / 32;      /* fraction of all evaluations allowed for a trial */
static const double cheap = 500;           /* evaluations */
static const double longer = 8;            /* a trial's first step, relative to the explicit method's */
static const double too_small = 0.3;       /* relative step size at which a trial ends immediately */
static const double gain = 1; /* evaluations per time that a trial must stay below, relative to the explicit method */

/* ---- the choice ---- */

static bool is_fine(double accuracy) {
    return accuracy <= fine_accuracy;
}

/* With few variables, a Jacobian at every step is cheap. */
static bool is_rough(const sal_integrator *in) {
    enum { FEW = 8 };
    return in->accuracy > rough_accuracy && (in->n <= FEW || in->config.jacobian);
}

const sal_method *sal__method_of_kind(const sal_integrator *in, bool stiff) {
    const sal_method *m = in->config.method, *const *parts = m->methods_by_kind;
    if (!parts)
        return m;
    if (stiff)
        return parts[is_rough(in) ? SAL__ONE_MATRIX : SAL__ITERATED];
    const bool fits = in->steps.hermite || in->steps.dense_degree >= parts[SAL__ORDER_8]->dense_degree;
    return parts[is_fine(in->accuracy) && fits ? SAL__ORDER_8 : SAL__ORDER_5];
}

/* The highest degree of the dense output at that accuracy. */
int sal__max_dense_degree(const sal_integrator_config *c, double accuracy) {
    const sal_method *m = c->method;
    return m->methods_by_kind && is_fine(accuracy) ? m->methods_by_kind[SAL__ORDER_8]->dense_degree : m->dense_degree;
}

static bool has_mass(const sal_integrator *in) {
    return in->implicit && in->implicit->mass.count > 0;
}

/* Sets the method that the controller state selects. Returns whether it changed. */
static bool use_method(sal_integrator *in) {
    const sal_method *wanted = sal__method_of_kind(in, in->controller.last_was_stiff || has_mass(in));
    if (in->method == wanted)
        return false;
    in->method = wanted;
    sal__prepare_control(in);
    return true;
}

static sal_switch_reason reason(const sal_integrator *in) {
    const sal_controller_state *p = &in->controller;
    if (!p->next_is_stiff && in->implicit->matrices.too_large)
        return SAL_SWITCH_TOO_LARGE;
    if (p->next_is_stiff)
        return p->trial_stage > 0 ? SAL_SWITCH_TRIAL : SAL_SWITCH_STABILITY;
    return p->nonstiff_step > 0 ? SAL_SWITCH_COSTLIER : SAL_SWITCH_CALM;
}

/* Called before a step: chooses its method. Errors of the previous method do not apply to a new one. */
void sal__choose_method(sal_integrator *in) {
    sal_controller_state *p = &in->controller;
    p->last_was_stiff = p->next_is_stiff;
    if (!use_method(in))
        return;
    if (in->method->implicit_stages > 0)
        sal__implicit_reset_start(in->implicit);
    sal__record_switch(in, in->steps.accepted->t1, reason(in));
    p->last_log2_error = p->last_size = 0;
    if (p->trial_stage > 0) {
        p->ideal_step *= longer;
    } else if (p->nonstiff_step > 0) {
        p->ideal_step = p->nonstiff_step;
        p->nonstiff_step = 0;
    }
}

void sal__restore_method(sal_integrator *in) {
    sal_controller_state *p = &in->controller;
    const bool could = in->config.method->methods_by_kind && in->implicit;
    p->next_is_stiff = p->next_is_stiff && could;
    p->last_was_stiff = p->last_was_stiff && could;
    p->trial_stage = could ? p->trial_stage : 0;
    if (in->config.method->methods_by_kind && use_method(in))
        sal__record_switch(in, NAN, SAL_SWITCH_RESTORED);
}

/* Another method of "auto" may suit the new accuracy better. */
void sal__apply_accuracy(sal_integrator *in) {
    if (!in->config.method->methods_by_kind || !use_method(in))
        return;
    if (in->implicit)
        sal__implicit_reset_start(in->implicit);
    sal__record_switch(in, in->steps.has_step ? in->steps.accepted->t1 : NAN, SAL_SWITCH_START);
    in->controller.last_log2_error = in->controller.last_size = 0;
}

/* ---- trials ---- */

static double evaluations_of_step(const sal_method *m) {
    return m->work + 1;
}

static bool can_go_stiff(const sal_integrator *in) {
    return in->config.method->methods_by_kind && in->implicit && !in->implicit->matrices.too_large;
}

/* A Jacobian, detection of its pattern, and some iterations. */
static double cost_of_trial(const sal_integrator *in) {
    const sal__implicit *im = in->implicit;
    const double iterations = 60;
    if (in->config.jacobian)
        return iterations;
    if (sal__has_pattern(im))
        return im->differences.pattern.group_count + iterations;
    return (im->differences.sparsity == SAL__WANTED_PATTERN ? 2. : 1.) * im->n + iterations;
}

static double size_of_steps(const sal_integrator *in) {
    return sal__max(in->steps.accepted->h, in->controller.ideal_step);
}

/* A trial is always worth it at first if a step is beyond the stability limit. */
static bool is_worth_a_trial(const sal_integrator *in, double h_lambda) {
    const sal_controller_state *p = &in->controller;
    double cost = cost_of_trial(in);
    if (p->refusal_count == 0 && p->return_count == 0 && cost < cheap && h_lambda > in->method->stability_limit)
        return true;
    if ((p->refusal_count > 0 || p->return_count > 0) && p->evaluations_since_switch < 2 * cost)
        return false;
    for (int k = 0; k < p->refusal_count; k++)
        cost *= 4;
    const double left = in->control.boundary - in->steps.accepted->t1;
    const double ahead = left <= 1e300 ? left / size_of_steps(in) * evaluations_of_step(in->method) : 0;
    return cost < little * sal__max(p->evaluations_since_switch, ahead);
}

void sal__consider_trial(sal_integrator *in, double h_lambda, int variable) {
    sal_controller_state *p = &in->controller;
    if (!can_go_stiff(in) || in->config.fixed_step || !(h_lambda > suspicious * in->method->stability_limit) ||
        !is_worth_a_trial(in, h_lambda))
        return;
    p->next_is_stiff = true;
    p->trial_stage = 1;
    p->stiff_count = p->nonstiff_count = 0;
    p->nonstiff_step = size_of_steps(in);
    if (!in->checks.stiffness.found)
        in->checks.stiffness = (sal_stiffness){false, true, in->steps.accepted->t1, h_lambda, variable};
}

static void refuse(sal_controller_state *p) {
    p->next_is_stiff = false;
    p->trial_stage = 0;
    p->evaluations_since_switch = 0;
    if (p->refusal_count < SAL__MAX_REFUSALS)
        p->refusal_count++;
}

/* A step on trial failed, or its matrices turned out too large. Returns whether the explicit method can take the
 * step instead. */
bool sal__end_trial(sal_integrator *in) {
    const bool too_large = in->controller.last_was_stiff && in->implicit->matrices.too_large;
    if (in->controller.trial_stage == 0 && !too_large)
        return false;
    refuse(&in->controller);
    if (too_large)
        in->checks.stiffness.will_switch = false;
    return true;
}

/* Called after each step on trial. The first one is not counted, since it includes the Jacobian. */
void sal__evaluate_trial(sal_integrator *in) {
    sal_controller_state *p = &in->controller;
    if (p->trial_stage++ == 1) {
        p->trial_evaluations = p->trial_time = 0;
        if (p->ideal_step < too_small * p->nonstiff_step)
            refuse(p);
        return;
    }
    p->trial_evaluations += (double)in->control.step_evaluations;
    p->trial_time += p->ideal_step;
    if (p->trial_stage <= SAL__TRIAL_STEPS)
        return;
    const double nonstiff_cost = evaluations_of_step(sal__method_of_kind(in, false)) / p->nonstiff_step;
    if (p->trial_evaluations >= gain * nonstiff_cost * p->trial_time) {
        refuse(p);
        return;
    }
    p->trial_stage = 0;
    p->nonstiff_step = 0;
    in->checks.stiffness.found = in->checks.stiffness.will_switch = true;
}

void sal__switch_to_stiff(sal_integrator *in, double h_lambda, int variable) {
    sal_controller_state *p = &in->controller;
    const bool will_switch = can_go_stiff(in);
    if (!in->checks.stiffness.found)
        in->checks.stiffness = (sal_stiffness){true, will_switch, in->steps.accepted->t1, h_lambda, variable};
    p->stiff_count = p->nonstiff_count = 0;
    p->nonstiff_step = 0;
    p->next_is_stiff = will_switch;
}

/* ---- reports ---- */

void sal__record_switch(sal_integrator *in, double t, sal_switch_reason why) {
    in->history.switches[in->history.switch_count++ % SAL__SWITCHES] =
        (sal_switch){t, in->method, why, in->stats.steps};
}

int64_t sal_integrator_switch_count(const sal_integrator *in) {
    return in->history.switch_count;
}

bool sal_integrator_switch_at(const sal_integrator *in, int64_t index, sal_switch *out) {
    if (index < 0 || index >= in->history.switch_count || index < in->history.switch_count - SAL__SWITCHES)
        return false;
    const int64_t next = index + 1;
    *out = in->history.switches[index % SAL__SWITCHES];
    out->steps =
        (next < in->history.switch_count ? in->history.switches[next % SAL__SWITCHES].steps : in->stats.steps) -
        out->steps;
    return true;
}

const char *sal_switch_reason_text(sal_switch_reason why) {
    static const char *const texts[] = {
        [SAL_SWITCH_START] = "at the start",
        [SAL_SWITCH_STABILITY] = "stability limited the steps",
        [SAL_SWITCH_TRIAL] = "on trial: longer steps may be cheaper",
        [SAL_SWITCH_COSTLIER] = "the trial was not cheaper",
        [SAL_SWITCH_CALM] = "no longer stiff",
        [SAL_SWITCH_TOO_LARGE] = "its matrices would be too large",
        [SAL_SWITCH_RESTORED] = "as it was saved",
    };
    return (size_t)why < sizeof texts / sizeof *texts ? texts[why] : "unknown";
}
