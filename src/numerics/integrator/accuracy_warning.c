/* Problems that error control does not detect: a right-hand side that jumps in step after step, and growth below the
 * accuracy. */
#include <math.h>

#include "integrator_impl.h"

/* Whether variable i turns back at the start of the trial, by more than noise, because its derivative jumps. The mean
 * rates of the two steps say what the derivative between them is if it is smooth: for a sine it differs by less than
 * half of these rates in steps of up to a quarter of a period; where the derivative jumps, by all of them. */
static bool jumps_back(const sal_integrator *in, int i) {
    const sal_attempt *a = in->steps.trial, *last = in->steps.accepted;
    const double move = a->x1[i] - a->x0[i], before = last->x1[i] - last->x0[i];
    if (move * before >= 0 || !(in->scale.at_start[i] * sal__min(fabs(move), fabs(before)) > 1e-3 * in->accuracy))
        return false;
    const double share = a->h / (a->h + last->h), after = 1 - share;
    const double smooth = share * before / last->h + after * move / a->h;
    const double size = share * fabs(before) / last->h + after * fabs(move) / a->h;
    return fabs(a->f0[i] - smooth) > 0.7 * size;
}

/* After a step over a jump, the next steps may be short enough to be accepted although they jump too: where the state
 * slides along a surface, it turns back in most of them. Returns a variable that does; -1: none does, or the step is
 * longer than at a jump, or may turn back because it is stiff, or because an event before it changed the model. */
static int turns_back(const sal_integrator *in) {
    const sal_attempt *a = in->steps.trial;
    if (a->h > 2 * in->controller.jump_size || in->steps.accepted->t1 != a->t || !in->steps.start_rate_known ||
        in->controller.stiff_count > 0)
        return -1;
    for (int i = 0; i < in->n; i++)
        if (jumps_back(in, i))
            return i;
    return -1;
}

/* In a smooth problem, stiff or not, one step in thousands seems to jump, because of rounding or another order of
 * the error; after a real jump, longer and longer steps follow. Nine jumps with few and short steps between them are
 * neither. Implicit methods are not counted: their error decreases differently. */
void sal__count_jumps(sal_integrator *in, int variable) {
    enum { JUMP = 10, MANY = 90, LEFT_BEHIND = 100 };
    sal_controller_state *p = &in->controller;
    const double h = in->steps.trial->h;
    if (variable < 0)
        variable = turns_back(in);
    if (variable < 0 || in->method->implicit_stages > 0) {
        p->jump_score = p->jump_score > 0 && h < LEFT_BEHIND * p->jump_size ? p->jump_score - 1 : 0;
        return;
    }
    p->jump_score = p->jump_score < SAL__MAX_JUMP_SCORE - JUMP ? p->jump_score + JUMP : SAL__MAX_JUMP_SCORE;
    p->jump_size = h;
    if (p->jump_score >= MANY && !in->checks.jumps.found)
        in->checks.jumps = (sal_accuracy_warning){true, in->steps.trial->t, variable};
}

static const double growing = 0.1; /* h lambda above which a method of low order may not follow the growth */

/* Whether variable i is below the accuracy, but not zero. */
static bool is_faint(const sal_integrator *in, int i) {
    const double size = fabs(in->steps.accepted->x0[i]);
    return in->scale.weight[i] * size < 0.1 * in->accuracy && size > 0;
}

bool sal__begins_faint(const sal_integrator *in) {
    for (int i = 0; i < in->n; i++)
        if (is_faint(in, i))
            return true;
    return false;
}

/* Whether a faint variable moved away from 0 in a step that was too long to follow it: its relative error remains as
 * it grows. */
static bool is_lost(const sal_integrator *in, int i) {
    const sal_attempt *a = in->steps.accepted;
    const double size = fabs(a->x0[i]);
    return is_faint(in, i) && in->scale.weight[i] > 0 && a->f0[i] / a->x0[i] * a->h > growing &&
           fabs(a->err[i]) > sal__min(0.01, 20 * in->accuracy) * sal__max(size, fabs(a->x1[i]));
}

/* Whether the derivative doubles with the variable, and the variable would grow by a tenth in the step. Growth from
 * another cause, such as a push on a state at rest, is detected as soon as it matters. */
static sal_status grows_by_itself(sal_integrator *in, const sal_rhs *rhs, int i, bool *grows) {
    const sal_attempt *a = in->steps.accepted;
    double *x = in->steps.trial->x0, *rate = in->steps.trial->f0; /* unused until the next step begins */
    sal__copy(x, a->x0, in->n);
    x[i] *= 2;
    const sal_status status = sal__derivative(in, rhs, in->steps.trial, a->t, x, rate);
    const double more = status == SAL_OK ? rate[i] - a->f0[i] : 0;
    *grows = a->h * more / a->x0[i] > growing && fabs(more - a->f0[i]) < 0.5 * fabs(more);
    return status < 0 ? status : SAL_OK;
}

/* Each check costs an evaluation: allow a few, then 1 % of all. The variables take turns. */
static bool may_look(const sal_integrator *in) {
    enum { FEW = 4, SHARE = 100 };
    return in->checks.growth_checks < FEW + in->total_evaluations / SHARE;
}

sal_status sal__detect_growth(sal_integrator *in, const sal_rhs *rhs) {
    for (int k = 0; k < in->n && may_look(in); k++) {
        const int i = in->checks.growth_variable < in->n ? in->checks.growth_variable : 0;
        in->checks.growth_variable = i + 1;
        if (!is_lost(in, i))
            continue;
        bool grows = false;
        in->checks.growth_checks++;
        const sal_status status = grows_by_itself(in, rhs, i, &grows);
        if (grows)
            in->checks.growth = (sal_accuracy_warning){true, in->steps.accepted->t, i};
        if (grows || status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

sal_accuracy_warning sal_integrator_jumps(const sal_integrator *in) {
    return in->checks.jumps;
}

sal_accuracy_warning sal_integrator_growth(const sal_integrator *in) {
    return in->checks.growth;
}
