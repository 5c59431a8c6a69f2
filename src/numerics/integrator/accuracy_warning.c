/* What error control does not see: a right-hand side that jumps step after step, and growth below the accuracy. */
#include <math.h>

#include "integrator_impl.h"

/* Smooth problems, stiff ones too, have a jump in one step of thousands, where rounding or another order of the error
 * looks like one; a jump that is passed is left behind in longer and longer steps. Nine with few and short steps
 * between are neither. An implicit method's error falls otherwise. */
void sal__count_jumps(sal_integrator *in, int variable) {
    enum { JUMP = 10, MANY = 90, LEFT_BEHIND = 100 };
    sal_controller_state *p = &in->controller;
    const double h = in->steps.trial->h;
    if (variable < 0 || in->method->implicit_stages > 0) {
        p->crowding = p->crowding > 0 && h < LEFT_BEHIND * p->jump_size ? p->crowding - 1 : 0;
        return;
    }
    p->crowding = p->crowding < SAL__MAX_CROWDING - JUMP ? p->crowding + JUMP : SAL__MAX_CROWDING;
    p->jump_size = h;
    if (p->crowding >= MANY && !in->checks.jumps.found)
        in->checks.jumps = (sal_accuracy_warning){true, in->steps.trial->t, variable};
}

static const double growing = 0.1; /* h lambda, from which on a method of low order may not follow it */

/* One that the accuracy cannot see. */
static bool is_faint(const sal_integrator *in, int i) {
    const double size = fabs(in->steps.accepted->x0[i]);
    return in->scale.weight[i] * size < 0.1 * in->accuracy && size > 0;
}

static bool begins_faint(const sal_integrator *in) {
    for (int i = 0; i < in->n; i++)
        if (is_faint(in, i))
            return true;
    return false;
}

/* Such a one that moved away from 0 in a step which was too long to follow it: its share of error stays with it as it
 * grows. */
static bool is_lost(const sal_integrator *in, int i) {
    const sal_attempt *a = in->steps.accepted;
    const double size = fabs(a->x0[i]);
    return is_faint(in, i) && in->scale.weight[i] > 0 && a->f0[i] / a->x0[i] * a->h > growing &&
           fabs(a->err[i]) > sal__min(0.01, 20 * in->accuracy) * sal__max(size, fabs(a->x1[i]));
}

/* Does its derivative double with it, and would it grow by a tenth in the step? Growth that comes from elsewhere, as
 * that of a state at rest which is pushed, is seen as soon as it matters. */
static sal_status grows_by_itself(sal_integrator *in, const sal_rhs *rhs, int i, bool *grows) {
    const sal_attempt *a = in->steps.accepted;
    double *x = in->steps.trial->x0, *rate = in->steps.trial->f0; /* free until the next step begins */
    sal__copy(x, a->x0, in->n);
    x[i] *= 2;
    const sal_status status = sal__derivative(in, rhs, in->steps.trial, a->t, x, rate);
    const double more = status == SAL_OK ? rate[i] - a->f0[i] : 0;
    *grows = a->h * more / a->x0[i] > growing && fabs(more - a->f0[i]) < 0.5 * fabs(more);
    return status < 0 ? status : SAL_OK;
}

/* Each look is an evaluation: a few, and one of a hundred. The variables take turns. */
static bool may_look(const sal_integrator *in) {
    enum { FEW = 4, SHARE = 100 };
    return in->checks.growth_checks < FEW + in->total_evaluations / SHARE;
}

sal_status sal__detect_growth(sal_integrator *in, const sal_rhs *rhs) {
    if (!begins_faint(in))
        return SAL_OK;
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
