/* One accepted step: the loop of trials, rejections and halvings. */
#include <float.h>
#include <math.h>

#include "numerics/implicit/consistency.h"
#include "numerics/implicit/implicit.h"

/* Copies the start to the trial and computes the error weights there; returns whether it equals `was`. The same loop
 * finds whether accuracy_warning.c should check it. */
SAL__ALWAYS_INLINE bool put_start(sal_integrator *in, const double *restrict x, const double *restrict was) {
    double *restrict x0 = in->steps.trial->x0, *restrict at_start = in->scale.at_start;
    const double *restrict weight = in->scale.weight;
    const bool *restrict is_relative = in->scale.is_relative;
    double smallest = INFINITY, apart = 0;
    for (int i = 0; i < in->n; i++) {
        const double value = x[i], size = weight[i] * fabs(value);
        x0[i] = value;
        at_start[i] = is_relative[i] ? weight[i] / sal__max(1, size) : weight[i];
        apart += fabs(value - was[i]);
        smallest = size > 0 ? sal__min(size, smallest) : smallest;
    }
    in->control.may_be_faint = smallest < 0.1 * in->accuracy;
    return apart == 0;
}

static sal_status evaluate_start(sal_integrator *in, const sal_rhs *rhs) {
    sal_attempt *a = in->steps.trial;
    const sal_status status = sal__derivative(in, rhs, a, a->t, a->x0, a->f0);
    if (status == SAL_OK && sal__all_finite((size_t)in->n, a->f0))
        return SAL_OK;
    if (status < 0)
        return status;
    for (int i = 0; status > 0 && i < in->n; i++)
        a->f0[i] = 0;                           /* not written yet: prevents a report as not finite */
    return sal__step_give_up(in, 0, -1, false); /* a smaller step cannot help: the start itself fails */
}

/* Copies the start and its derivative to the trial. The derivative is known if the last step ended here, or is
 * repeated from the same start. */
SAL__ALWAYS_INLINE sal_status begin(sal_integrator *in, const sal_rhs *rhs, double t, const double *x) {
    sal_attempt *a = in->steps.trial;
    const sal_attempt *last = in->steps.accepted;
    const bool at_end = t == last->t1, end_known = in->steps.end_rate_known && at_end;
    a->method = in->method;
    a->t = a->t1 = t;
    a->h = 0;
    const bool there = put_start(in, x, at_end ? last->x1 : last->x0);
    in->control.start_was_examined = false;
    in->control.unmet_equation = -1;
    if (SAL__RARELY(in->step_iteration))
        sal__step_iteration_begin(in);
    sal_status status = SAL_OK;
    if (there && (end_known || (t == last->t && in->steps.start_rate_known)))
        sal__copy(a->f0, end_known ? last->f1 : last->f0, in->n);
    else if (in->n > 0)
        status = evaluate_start(in, rhs);
    if (status == SAL_OK &&
        SAL__RARELY(in->checks.gap_is_pending)) { /* the derivative at the last step's end was not evaluated */
        in->checks.gap_is_pending = there && at_end;
        if (in->checks.gap_is_pending)
            sal__measure_stiffness_at_end(in, a->f0);
    }
    return status;
}

/* The smallest step that halving may give. */
static double halving_floor(const sal_integrator *in) {
    return in->config.throw_on_min_step ? in->control.working_minimum : sal__least_step(in, in->steps.trial->t);
}

/* Corrects the end of the attempt; values that are not finite are handled by step control. */
static sal_status correct(sal_integrator *in) {
    sal_attempt *a = in->steps.trial;
    double *err = in->method->error_order > 0 ? a->err : NULL;
    if (sal__first_not_finite(in->n, a->x1) >= 0 || (err && sal__first_not_finite(in->n, err) >= 0))
        return SAL_OK;
    return in->correction.correct(in->correction.user, a->t1, a->x1, err, &in->steps.end_was_corrected);
}

static bool came_out_finite(const sal_integrator *in) {
    const sal_attempt *a = in->steps.trial;
    return sal__first_not_finite(in->n, a->x1) < 0 &&
           !(in->method->first_same_as_last && sal__first_not_finite(in->n, a->f1) >= 0);
}

static sal_status try_once(sal_integrator *in, const sal_rhs *rhs, sal_attempt *a) {
    if (SAL__RARELY(in->step_iteration))
        return sal__step_iteration_attempt(in, rhs);
    a->has_f1 = false;
    a->evaluations = 0;
    const sal_status status = in->method->attempt(rhs, a);
    sal__add_evaluations(in, a->evaluations);
    return status;
}

/* Called once when a step fails. If the start does not satisfy the equations without a derivative, shorter steps do not
 * help: the start is moved to a solution, and *moved is true. */
static sal_status settle_start(sal_integrator *in, const sal_rhs *rhs, bool *moved) {
    *moved = false;
    if (in->control.start_was_examined)
        return SAL_OK;
    in->control.start_was_examined = true;
    const sal_status status = sal__meet_equations(in, rhs, moved);
    if (*moved) {
        sal__copy(in->steps.trial->x1, in->steps.trial->x0, in->n);
        put_start(in, in->steps.trial->x1, in->steps.accepted->x1); /* with the weights there */
    }
    return status < 0 ? status : SAL_OK;
}

sal_status sal__integrator_meet_equations(sal_integrator *in, const sal_rhs *rhs, double t, double *x) {
    bool moved = false;
    in->controller.scale = sal__run_scale(t, t);
    sal_status status = begin(in, rhs, t, x);
    if (status == SAL_OK && in->implicit) {
        sal__implicit_discard_matrices(in->implicit);
        status = sal__meet_equations(in, rhs, &moved);
    }
    if (moved)
        sal__copy(x, in->steps.trial->x0, in->n);
    return status > 0 ? sal__step_give_up(in, 0, -1, false) : status;
}

/* A step whose end is finite: half the way to the largest number. Half of an infinite step would be infinite too. */
static double finite_step(double t) {
    return 0.5 * DBL_MAX - 0.5 * t;
}

/* Attempts a step of *h, halved while the method or the model requests a smaller one; with fixed steps, which have
 * no error control, also while the result is not finite. */
static sal_status attempt_or_halve(sal_integrator *in, const sal_rhs *rhs, const sal__target *to, double *h) {
    sal_attempt *a = in->steps.trial;
    const double span = to->time - a->t;
    for (;;) {
        a->t1 = *h == span ? to->time : a->t + *h;
        a->h = a->t1 - a->t; /* equal to the rounded increase of time; otherwise the state lags behind time */
        if (SAL__RARELY(
                !(a->h > 0 && (a->h <= DBL_MAX || in->steps.no_halving)))) { /* one branch: 3 % of a step of Lorenz */
            if (!(a->h > 0))
                return sal__step_give_up(in, *h > 0 ? *h : in->config.max_step, -1, false);
            *h = finite_step(a->t);
            continue;
        }

        sal_status status = try_once(in, rhs, a);
        in->steps.end_was_corrected = false;
        const bool came = status == SAL_OK;
        if (came && SAL__RARELY(in->correction.correct))
            status = correct(in);
        if (status < 0)
            return status;
        const bool asked = status > 0;
        if (!asked && (!in->config.fixed_step || came_out_finite(in)))
            return SAL_OK;
        bool moved = false;
        status = settle_start(in, rhs, &moved);
        if (status != SAL_OK)
            return status;
        if (moved)
            continue;

        if (in->steps.no_halving || *h / 2 < halving_floor(in)) {
            const sal_status failed = sal__step_give_up(in, *h, -1, !asked);
            in->failure.off_constraints = came && asked;
            return failed;
        }
        *h /= 2;
        in->stats.substep_failures++;
        in->stats.substep_shrinkages++;
    }
}

/* Returns the size to try within the span: at least the working minimum if the span allows it, so that time
 * increases. A step much shorter than wanted is `limited`: it does not affect the ideal step. A size nearly as long
 * as the span, or a sliver longer, becomes the span. So does one that would end a few ulp of the time before its end,
 * which is the same instant: a sliver of 1e-6 t is at least 4.5 ulp. */
static double fit_to_span(const sal_integrator *in, double wanted, double span, bool *limited) {
    const double near_below = 0.95, near_above = 1.001;
    wanted = sal__max(wanted, in->control.working_minimum);
    *limited = false;
    if (wanted <= in->config.max_step && span > 2 * wanted)
        return wanted; /* the usual case first, without waiting for the computations below */
    *limited = span < near_below * wanted;
    double h = span < near_above * wanted ? span : wanted;
    h = sal__min(h, in->config.max_step);
    return sal__leaves_sliver(span - h, h + 1e-6 * fabs(in->steps.trial->t)) ? span : h;
}

static void note_adapted(sal_integrator *in, double h, double span) {
    sal_integrator_stats *s = &in->stats;
    if (h >= s->smallest_adapted_step)
        return;
    if (isnan(s->actual_initial_step))
        s->actual_initial_step = h;
    if (isnan(s->smallest_adapted_step) || (h < s->smallest_adapted_step && h < span))
        s->smallest_adapted_step = h;
}

/* If the right-hand side jumps inside a step, the mean error is `jump_factor` times the estimate, which assumes a
 * smooth function: until a step has passed that place, the estimate is multiplied by that factor. */
static double judged_error(const sal_integrator *in) {
    const double err = sal__error_norm(in, in->steps.trial);
    const bool is_smooth = !(in->steps.trial->t < in->controller.nonsmooth_until);
    return is_smooth || !(in->method->jump_factor > 0) ? err : in->method->jump_factor * err;
}

/* Handles an attempt with too large an error. */
typedef struct rejection {
    double h, err;
} rejection;

/* The error of a smooth problem decreases as h^k. If it decreases more slowly than by half that order, from one
 * rejected attempt to the next, both steps crossed a jump. */
static bool runs_over_jump(sal_integrator *in, rejection this, rejection last) {
    double expected = last.err;
    for (int k = 0; k < in->method->error_order; k += 2)
        expected *= this.h / last.h;
    if (in->method->jump_factor > 0 && this.err > expected)
        in->controller.nonsmooth_until = in->steps.trial->t1;
    return this.err > expected;
}

/* `last` is the previous attempt; sets *jumping to the variable whose derivative jumps in this step. */
static void reject(sal_integrator *in, rejection this, rejection *last, int worst, int *jumping) {
    in->control.was_rejected = true;
    in->stats.rejected_steps++;
    if (worst >= 0)
        in->scale.limited_count[worst]++;
    if (runs_over_jump(in, this, *last))
        *jumping = worst;
    *last = this;
}

/* With fixed steps the step is the span. A step shortened by a limit is only checked for acceptance. */
static sal_status own_step(sal_integrator *in, const sal_rhs *rhs, const sal__target *to) {
    const double span = to->time - in->steps.trial->t;
    const bool fixed = in->config.fixed_step;
    if (!fixed && isnan(in->controller.ideal_step)) {
        const sal_status status = sal__choose_initial_step(in, rhs, span, &in->controller.ideal_step);
        if (status != SAL_OK)
            return status;
    }
    double next = in->controller.ideal_step;
    rejection last = {1, INFINITY};
    int jumping = -1;
    bool limited = false;
    in->control.was_rejected = in->control.at_minimum = false;
    for (;;) {
        const double asked = fixed ? span : fit_to_span(in, next, span, &limited);
        double h = asked;
        const sal_status status = attempt_or_halve(in, rhs, to, &h);
        if (fixed || status != SAL_OK)
            return status;
        limited = limited && h == asked; /* it was halved, so the span did not limit it */
        const double err = judged_error(in);
        const bool accepted = limited ? err <= in->accuracy : sal__accepts_at_once(in, err, h, &next);
        const sal__verdict verdict = SAL__RARELY(!accepted) ? sal__control_step(in, err, h, &next) : SAL__ACCEPT;
        if (verdict == SAL__ACCEPT) {
            if (!limited) {
                in->controller.ideal_step = next;
                in->controller.last_log2_error = in->control.log2_error;
                in->controller.last_size = h;
            }
            note_adapted(in, h, span);
            if (SAL__RARELY(jumping >= 0 || in->controller.jump_score > 0))
                sal__count_jumps(in, jumping);
            return SAL_OK;
        }
        bool moved = false;
        const sal_status settled = settle_start(in, rhs, &moved);
        if (settled != SAL_OK)
            return settled;
        if (moved) {
            next = h;
            continue;
        }
        const int worst = sal__worst_error(in, in->steps.trial);
        if (verdict == SAL__GIVE_UP)
            return sal__step_give_up(in, h, worst, true);
        reject(in, (rejection){h, err}, &last, worst, &jumping);
    }
}

/* The limit is reached already: a step of length zero. */
static void stay(sal_integrator *in) {
    sal_attempt *a = in->steps.trial;
    for (int i = 0; i < in->n; i++) {
        a->x1[i] = a->x0[i];
        a->f1[i] = a->f0[i];
    }
}

/* An external solver's step; only the correction of its end is done here. */
static sal_status foreign_step(sal_integrator *in, const sal_rhs *rhs, const sal__target *to) {
    sal_attempt *a = in->steps.trial;
    stay(in);
    a->evaluations = 0;
    sal_status status = in->method->solver->step(in->external_solver, rhs, a, to->time);
    sal__add_evaluations(in, a->evaluations);
    in->steps.end_was_corrected = false;
    if (status == SAL_OK && in->correction.correct)
        status = correct(in);
    if (status > 0)
        return sal__step_give_up(in, a->h, -1, true);
    if (status == SAL_OK)
        note_adapted(in, a->h, to->time - a->t);
    return status;
}

/* The trial becomes the last step; the old one's memory becomes the trial. */
static void accept(sal_integrator *in) {
    sal_attempt *taken = in->steps.trial;
    in->steps.trial = in->steps.accepted;
    in->steps.accepted = taken;
    in->steps.has_step = in->steps.start_rate_known = true;
    in->steps.end_rate_known =
        taken->h == 0 || ((in->method->first_same_as_last || taken->has_f1) && !in->steps.end_was_corrected);
    in->steps.dense_ready = false;
    in->stats.steps++;
    in->stats.previous_step = taken->h;
    if (!(in->stats.largest_step >= taken->h)) /* or NaN: the first */
        in->stats.largest_step = taken->h;
    if (SAL__RARELY(in->step_iteration))
        sal__step_iteration_accept(in);
}

static bool goes_back(double t, double limit) {
    return !(limit >= t); /* NaN too */
}

/* Checks the accepted step for problems that error control does not detect. */
static sal_status watch(sal_integrator *in, const sal_rhs *rhs) {
    sal__check_stiffness(in);
    const bool looks = in->control.may_be_faint && !in->checks.growth.found && !in->step_iteration;
    return looks && sal__begins_faint(in) ? sal__detect_growth(in, rhs) : SAL_OK;
}

static void fail(sal_integrator *in, const sal_rhs *rhs, sal_status status) {
    if (status == SAL_ESTEP)
        sal__step_find_cause(in, rhs);
    if (SAL__RARELY(in->step_iteration))
        sal__step_iteration_fail(in);
}

sal_status sal_integrator_step(sal_integrator *in, const sal_rhs *rhs, double t, const double *x,
                               const sal_limits *limits, sal_step_result *result) {
    if (!in->initialized)
        return SAL_ESTATE;
    if (rhs->n != in->n)
        return SAL_EINVAL;
    if (!(fabs(t) <= 1.7976931348623157e308) || goes_back(t, limits->publish) || goes_back(t, limits->update) ||
        goes_back(t, limits->boundary))
        return SAL_ETIME;

    sal_status status = SAL__RARELY(in->dense_output) ? sal__reserve_dense_output(in, t) : SAL_OK;
    if (status != SAL_OK)
        return status;

    in->control.boundary = limits->boundary;
    if (SAL__RARELY(in->controller.next_is_stiff != in->controller.last_was_stiff) && !in->config.fixed_step)
        sal__choose_method(in);
    const sal__target to = sal__choose_target(t, in->config.max_step, limits);
    in->controller.scale = limits->boundary >= 1 ? 1 : sal__run_scale(t, limits->boundary);
    in->control.working_minimum = sal__working_minimum(in, t);
    const double ideal = in->controller.ideal_step;
    status = begin(in, rhs, t, x);
    const int64_t evaluations = in->total_evaluations; /* except for the one at the start, which may be known */
    if (status == SAL_OK && to.time == t && to.result != SAL_TIME_ADVANCED)
        stay(in);
    else if (status == SAL_OK)
        status = SAL__RARELY(in->method->solver) ? foreign_step(in, rhs, &to) : own_step(in, rhs, &to);
    if (status != SAL_OK) {
        in->controller.ideal_step = ideal;
        if (status == SAL_ESTEP && sal__end_trial(in))
            return sal_integrator_step(in, rhs, t, x, limits, result);
        fail(in, rhs, status);
        return status;
    }
    accept(in);
    if (SAL__RARELY(in->config.method->methods_by_kind))
        sal__set_step_evaluations(in, in->total_evaluations - evaluations);
    if (!in->config.fixed_step && in->steps.accepted->h > 0)
        status = watch(in, rhs);
    if (status == SAL_OK && SAL__RARELY(in->dense_output))
        status = sal__append_dense_output(in, rhs);
    if (status == SAL_OK && result)
        *result = in->steps.accepted->t1 == to.time ? to.result : SAL_TIME_ADVANCED;
    return status;
}
