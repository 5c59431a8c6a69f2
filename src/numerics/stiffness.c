/* Is it stability, not accuracy, that limits the steps?
 *
 * Hairer's test (E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd
 * edition, 1996, IV.2): the result and the last stage's state differ by d, their
 * derivatives by about J d, and h |J d| / |d| comes near h |lambda| of the eigenvalue that
 * is largest in absolute value. Fifteen steps at the edge of the method's stability, with
 * never six calm ones in a row between, are stiffness. One step in ten is looked at while
 * there is no sign.
 *
 * "auto" then goes over to its stiff method, and comes back when by the Jacobian's size
 * the other one would be stable with twice the step; each return makes it more patient. */
#include <math.h>

#include "implicit.h"

enum { SIGNS = 15, CALM = 6, MOST_RETURNS = 7 };

static double unit(const sal_integrator *in, int i, double x) {
    const double w = in->weight[i];
    return in->relative[i] ? w / sal__max(1, w * fabs(x)) : w;
}

static double gap_norm(const sal_integrator *in, const sal_attempt *a) {
    double sum = 0;
    for (int i = 0; i < in->n; i++) {
        const double d = unit(in, i, a->x1[i]) * a->method->gap(in->n, a, i);
        sum += d * d;
    }
    return sqrt(sum);
}

/* h |lambda|, and the variable that has the largest part in it. */
static double product(const sal_integrator *in, const double *end_rate, int *variable) {
    const sal_attempt *a = in->accepted;
    const double *stage_rate = a->work + a->method->last_stage * in->n;
    double sum = 0, largest = -1;
    for (int i = 0; i < in->n; i++) {
        const double d = unit(in, i, a->x1[i]) * (end_rate[i] - stage_rate[i]), square = d * d;
        sum += square;
        if (square > largest) {
            largest = square;
            *variable = i;
        }
    }
    return sum > 0 ? sqrt(sum) / in->gap : 0;
}

static void find(sal_integrator *in, double h_lambda, int variable) {
    sal_pace *p = &in->pace;
    const bool minded = in->config.method->stiff && in->implicit;
    if (!in->stiffness.found)
        in->stiffness = (sal_stiffness){true, minded, in->accepted->t1, h_lambda, variable};
    p->signs = p->calm = 0;
    p->stiff = minded;
}

/* The derivative at the last step's end has come. */
void sal__judge_stiffness(sal_integrator *in, const double *end_rate) {
    const double edge = 0.9;
    sal_pace *p = &in->pace;
    in->gap_waits = false;
    int variable = -1;
    const double h_lambda = product(in, end_rate, &variable);
    if (h_lambda > edge * in->accepted->method->stable) {
        p->calm = 0;
        if (++p->signs >= SIGNS * (1 + p->returns))
            find(in, h_lambda, variable);
    } else if (p->signs > 0 && ++p->calm == CALM) {
        p->signs = p->calm = 0;
    }
}

/* An upper bound of the spectral radius, near that of |J|: the fourth root of |J|^4's norm. */
static double reach(const sal__implicit *im) {
    double *v = im->probe, *w = im->rate, largest = 0;
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

static void watch_for_calm(sal_integrator *in) {
    const double room = 0.5;
    sal_pace *p = &in->pace;
    const bool calm = in->accepted->h * reach(in->implicit) < room * in->config.method->mild->stable;
    p->calm = calm ? p->calm + 1 : 0;
    if (p->calm < CALM)
        return;
    p->calm = 0;
    p->stiff = false;
    if (p->returns < MOST_RETURNS)
        p->returns++;
}

/* After an accepted step under error control. The gap is measured at once: what holds the
 * stages may be needed for the dense output. */
void sal__look_for_stiffness(sal_integrator *in) {
    const sal_method *m = in->method;
    if (m == in->config.method->stiff) {
        watch_for_calm(in);
        return;
    }
    const bool told = in->stiffness.found && !in->stiffness.minded;
    if (!(m->stable > 0) || told)
        return;
    in->gap = gap_norm(in, in->accepted);
    in->gap_waits = in->gap > 0;
    if (in->gap_waits && m->first_same_as_last)
        sal__judge_stiffness(in, in->accepted->f1);
}

bool sal__use_method(sal_integrator *in) {
    const sal_method *both = in->config.method, *wanted = in->pace.stiff ? both->stiff : both->mild;
    if (!both->mild || in->method == wanted)
        return false;
    in->method = wanted;
    sal__prepare_control(in);
    return true;
}

/* Before a step: the method that is to take it. What another's errors were says nothing to it. */
void sal__choose_method(sal_integrator *in) {
    if (sal__use_method(in))
        in->pace.last_demand = in->pace.last_size = 0;
}

sal_stiffness sal_integrator_stiffness(const sal_integrator *in) {
    return in->stiffness;
}
