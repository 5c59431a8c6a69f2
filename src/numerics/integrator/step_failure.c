/* Causes of a failed step: the description for sal_integrator_last_failure. */
#include <math.h>

#include "numerics/implicit/implicit.h"

/* Records the first of n values, or of several arrays of n, that is not finite. */
static void record_not_finite(sal_integrator_failure *f, int n, int count, const double *values) {
    const int i = f->not_finite ? -1 : sal__first_not_finite(count, values);
    if (i < 0)
        return;
    f->variable = i % n;
    f->value = values[i];
    f->not_finite = true;
}

/* Fills the failure record. `completed`: the attempt computed a result; its stages, checked first to last, or that
 * result may contain values that are not finite; else the cause is `variable`, if any. */
sal_status sal__step_give_up(sal_integrator *in, double h, int variable, bool completed) {
    const sal_attempt *a = in->steps.trial;
    const int n = in->n;
    sal_integrator_failure *f = &in->failure;
    *f = (sal_integrator_failure){.time = a->t, .step = h, .variable = variable, .value = NAN};
    if (variable >= 0)
        f->value = a->x1[variable];
    record_not_finite(f, n, n, a->x0);
    f->before_step = f->not_finite;
    record_not_finite(f, n, n, a->f0);
    if (completed) {
        record_not_finite(f, n, n * in->method->work, a->work);
        record_not_finite(f, n, n, a->x1);
        if (in->method->first_same_as_last)
            record_not_finite(f, n, n, a->f1);
    }
    if (in->control.unmet_equation >= 0 && !f->not_finite) {
        f->unmet_equation = true;
        f->variable = in->control.unmet_equation;
        f->value = a->f0[f->variable];
    }
    return SAL_ESTEP;
}

/* A wrapper around the right-hand side: records the first derivative that is not finite, and whether the model refuses
 * to compute one. */
typedef struct eval_probe {
    const sal_rhs *rhs;
    sal_status (*jacobian)(void *user, double t, const double *x, double *j);
    int variable;
    double value;
    bool refused;
} eval_probe;

/* The model's Jacobian function still gets the model's own user pointer. */
static sal_status watched_jacobian(void *user, double t, const double *x, double *j) {
    const eval_probe *s = user;
    return s->jacobian(s->rhs->user, t, x, j);
}

static sal_status watched_eval(void *user, double t, const double *x, double *dx) {
    eval_probe *s = user;
    const sal_status status = s->rhs->eval(s->rhs->user, t, x, dx);
    s->refused |= status != SAL_OK;
    const int i = status == SAL_OK && s->variable < 0 ? sal__first_not_finite(s->rhs->n, dx) : -1;
    if (i >= 0) {
        s->variable = i;
        s->value = dx[i];
    }
    return status;
}

/* The variable that changes fastest at the start of the step, in units of the accuracy; -1: none changes. */
static int steepest(const sal_integrator *in) {
    int found = -1;
    double most = 0;
    for (int i = 0; i < in->n; i++) {
        const double rate = in->scale.at_start[i] * fabs(in->steps.trial->f0[i]);
        if (rate > most) {
            most = rate;
            found = i;
        }
    }
    return found;
}

/* A method may spread a value that is not finite over all variables before it is detected, so the attempt that
 * failed last is repeated with a check of every evaluation. Where the model computes all of them, an implicit method's
 * iteration failed: at a singularity, the variable that changes fastest is the one that runs into it. */
void sal__step_find_cause(sal_integrator *in, const sal_rhs *rhs) {
    sal_attempt *a = in->steps.trial;
    eval_probe s = {rhs, in->config.jacobian, -1, 0, false};
    const sal_rhs watched = {rhs->n, watched_eval, &s};
    if (in->method->solver || !(a->h > 0) || in->failure.before_step ||
        (in->failure.variable >= 0 && !in->failure.not_finite))
        return;
    sal_implicit_stats counted = {{0}, {0}};
    if (in->implicit) {
        counted = in->implicit->stats;
        sal__implicit_discard_matrices(in->implicit); /* its stored matrices may contain the bad values */
    }
    if (s.jacobian)
        in->config.jacobian = watched_jacobian;
    in->method->attempt(&watched, a);
    in->config.jacobian = s.jacobian;
    if (in->implicit)
        in->implicit->stats = counted;
    const bool has_mass = in->implicit && in->implicit->mass.count > 0;
    if (s.variable < 0 && in->failure.variable < 0 && !s.refused && !has_mass)
        in->failure.variable = steepest(in);
    if (s.variable < 0)
        return;
    in->failure.variable = s.variable;
    in->failure.value = s.value;
    in->failure.not_finite = true;
}
