/* Shared by the files of the integrator.
 *
 * It has two attempts: the last accepted step, unchanged until another one is accepted (so it can be read after a
 * failure), and the trial. Accepting swaps them. */
#ifndef SAL_INTEGRATOR_IMPL_H
#define SAL_INTEGRATOR_IMPL_H

#include <math.h>

#include "base/base.h"
#include "numerics/methods/methods.h"
#include "step_iteration.h"
#include "saltus/integrator.h"

enum { SAL__SWITCHES = 32 };

/* step_size.c: the size of the next step. */
typedef struct sal__step_control {
    double per_accuracy, per_order;   /* 1 / accuracy, 1 / error_order */
    double longer_from, longest_from; /* see sal__prepare_control */
    double log2_error;                /* log2(error / accuracy) of the last step: 0 at exactly the accuracy */
    bool start_was_examined;          /* by consistency.c, in this step */
    int unmet_equation;               /* the equation without a derivative that has no solution; -1: none */
    bool was_rejected;                /* this step was rejected already: it may not grow */
    bool at_minimum;                  /* the trial has the smallest allowed size */
    double initial_step;              /* the starting rule's choice; NaN before it was called */
    double boundary, working_minimum; /* of the present step; the minimum at its start */
    bool may_be_faint;                /* it may begin with a nonzero state below the accuracy */
    int64_t step_evaluations;         /* of the last step */
} sal__step_control;

/* step_loop.c: the last step, the trial, and the dense output of the last step. */
typedef struct sal__steps {
    sal_attempt *accepted, *trial; /* they point to the two attempts */
    sal_attempt attempts[2];
    bool has_step;         /* accepted holds a step */
    bool start_rate_known; /* accepted->f0 is the derivative of the present model */
    bool end_rate_known;   /* likewise accepted->f1 */
    bool no_halving;
    bool end_was_corrected; /* the correction moved the trial's end, so f1 is not its derivative */
    bool dense_ready, hermite;
    int dense_degree;
    double *coefficients; /* dense_degree * n */
} sal__steps;

/* stiffness.c, accuracy_warning.c: problems that error control does not detect. */
typedef struct sal__checks {
    sal_stiffness stiffness;
    sal_accuracy_warning jumps, growth;
    int growth_variable;   /* the variable to check for growth next */
    int64_t growth_checks; /* number of these checks */
    double stiffness_gap;  /* of the last step for which it was measured */
    bool gap_is_pending;   /* measurement waits for the derivative at the end */
} sal__checks;

/* error_norm.c: arrays with an item for each variable. */
typedef struct sal__error_scale {
    double *weight, *at_start; /* as set; as in effect at the start of the present step */
    bool *is_relative;
    int64_t *limited_count; /* rejections caused by the variable */
} sal__error_scale;

/* method_switching.c: the last changes of method of "auto"; `steps` is the count at each change. */
typedef struct sal__switches {
    sal_switch switches[SAL__SWITCHES];
    int64_t switch_count;
} sal__switches;

struct sal_integrator {
    sal_allocator allocator;
    sal_integrator_config config;
    const sal_method *method; /* for "auto" the one in use; else config.method */
    int n;
    size_t bytes; /* size of the one block that holds this struct and all its arrays */
    bool initialized;
    double accuracy; /* in use */
    sal_controller_state controller;
    sal__step_control control;
    sal__steps steps;
    sal__checks checks;
    sal__error_scale scale;
    sal__switches history;
    sal_correction correction;           /* applied to each attempt's end; correct NULL: none */
    sal__step_iteration *step_iteration; /* for equations that read their own past; else NULL */
    sal_polynomial *dense_output;        /* the run's dense output; NULL: not recorded */
    struct sal__implicit *implicit;      /* for implicit methods; else NULL */
    void *external_solver;               /* the state of an external library's method: see sal__solver */
    sal_integrator_stats stats;
    int64_t total_evaluations; /* never reset, unlike the statistics */
    sal_integrator_failure failure;
};

/* The target of a step: `time`, and the result when it is reached. The target is a limit, or the end of a step of
 * max_step. */
typedef struct sal__target {
    double time;
    sal_step_result result;
} sal__target;

/* The smallest step for any min_step: relative to time, or near 0 to the run's time scale. */
static inline double sal__least_step(const sal_integrator *in, double t) {
    return 1e-14 * sal__max(in->controller.scale, fabs(t));
}

static inline double sal__working_minimum(const sal_integrator *in, double t) {
    return sal__max(in->config.min_step, sal__least_step(in, t));
}

/* Whether a remainder is too short for a step of its own. */
static inline bool sal__leaves_sliver(double remainder, double step) {
    return remainder < 1e-9 * step;
}

#define SAL__STRETCH 1.01 /* of max_step, to reach an event */

/* The earliest limit; of equal ones the update, then the publish. When max_step ends the step earlier, 1 % more is
 * allowed to reach an event, and a sliver to reach any limit. */
static inline sal__target sal__choose_target(double t, double max_step, const sal_limits *limits) {
    sal__target to = {limits->boundary, SAL_REACHED_BOUNDARY};
    if (limits->publish <= to.time)
        to = (sal__target){limits->publish, SAL_REACHED_PUBLISH};
    if (limits->update <= to.time)
        to = (sal__target){limits->update, SAL_REACHED_UPDATE};

    const double reach = t + max_step;
    const double stretched = to.result == SAL_REACHED_BOUNDARY ? reach : t + SAL__STRETCH * max_step;
    if (stretched < to.time && !sal__leaves_sliver(to.time - reach, max_step))
        to = (sal__target){reach, SAL_TIME_ADVANCED};
    return to;
}

/* integrator.c: the arrays of work of a method; "auto" has memory for any of its methods. */
int sal__integrator_work(const sal_method *m);

/* step_size.c: sizes of trial steps. */
void sal__prepare_control(sal_integrator *in); /* constants that follow from method and accuracy */
sal_status sal__choose_initial_step(sal_integrator *in, const sal_rhs *rhs, double span, double *step);

typedef enum { SAL__ACCEPT, SAL__REJECT, SAL__GIVE_UP } sal__verdict;

#define SAL__LOG2_5 2.321928094887362
/* The next size by the controller with memory after a good step of h: at most 2^log2_grow times h. */
static inline double sal__size_with_memory(sal_integrator *in, double err, double h, double log2_grow) {
    const sal_method *m = in->method;
    const double last = sal__max(in->controller.last_log2_error, -13);
    const double known = m->log2_margin + m->memory * in->control.per_order * last;
    in->control.log2_error = sal__approx_log2(err * in->control.per_accuracy);
    const double log2_growth = known - (1 - m->memory) * in->control.per_order * in->control.log2_error;
    return sal__times_exp2(h, sal__min(log2_growth, log2_grow));
}

/* Judges a step of size h by its error; *next is the size of the next step, or of the retry. */
sal__verdict sal__control_step(sal_integrator *in, double err, double h, double *next);
/* The same where most steps end: accepted, with a next size that no limit changes; without memory, the same size.
 * False elsewhere. Inline, since the next step waits for the size: 6 % of a step of Lorenz. */
static inline bool sal__accepts_at_once(sal_integrator *in, double err, double h, double *next) {
    const sal__step_control *c = &in->control;
    const sal_method *m = in->method;
    if (!(err <= in->accuracy) || c->was_rejected || c->at_minimum)
        return false;
    if (m->margin > 0)
        *next = sal__size_with_memory(in, err, h, SAL__LOG2_5);
    else if (!m->predicts && in->accuracy / err < c->longer_from)
        *next = h;
    else
        return false;
    return *next <= in->config.max_step && *next > c->working_minimum;
}

/* The weight of an error of variable i at the value x: the absolute weight, or min(weight, 1 / |x|); at x = 0 that
 * is the weight. The division does not depend on the error, so it can start early. */
static inline double sal__weight_at(const sal_integrator *in, int i, double x) {
    const double w = in->scale.weight[i];
    return in->scale.is_relative[i] ? w / sal__max(1, w * fabs(x)) : w;
}

/* error_norm.c: the largest weighted error, NaN if one is not finite; and the variable with the largest error.
 * Weights are those at the start of the step. */
double sal__weighted_norm(const sal_integrator *in, const double *value);
double sal__error_norm(const sal_integrator *in, const sal_attempt *a);
int sal__worst_error(const sal_integrator *in, const sal_attempt *a);
int sal__first_not_finite(int n, const double *x); /* -1: none */
static inline bool sal__all_finite(size_t n, const double *x) {
    double watch = 0;
    for (size_t i = 0; i < n; i++)
        watch += x[i] - x[i]; /* 0, or NaN */
    return watch == 0;
}

static inline void sal__add_evaluations(sal_integrator *in, int64_t evaluations) {
    in->stats.derivative_evaluations += evaluations;
    in->total_evaluations += evaluations;
}
/* Whether the interpolant of an attempt needs the derivative at its end. */
static inline bool sal__dense_needs_end(const sal_integrator *in, const sal_method *m) {
    return in->steps.hermite || m->dense_needs_end;
}
/* Computes its coefficients, with the extra evaluations that they need. "auto" has room for any of its methods:
 * coefficients above the degree of the present one are zero. */
static inline sal_status sal__make_interpolant(sal_integrator *in, const sal_rhs *rhs, sal_attempt *a,
                                               double *coefficients) {
    const sal_method *m = a->method;
    int degree = SAL__HERMITE_DEGREE;
    if (in->steps.hermite) {
        sal__hermite(in->n, a, coefficients);
    } else {
        a->evaluations = 0;
        const sal_status status = m->dense_stages ? m->dense_stages(rhs, a) : SAL_OK;
        sal__add_evaluations(in, a->evaluations);
        if (status != SAL_OK)
            return status;
        m->dense(in->n, a, coefficients);
        degree = m->dense_degree;
    }
    for (; degree < in->steps.dense_degree; degree++)
        memset(coefficients + degree * in->n, 0, sizeof(double) * (size_t)in->n);
    return SAL_OK;
}
/* dense_output.c. Appends the accepted step to the run's dense output, if one is recorded. */
sal_status sal__reserve_dense_output(sal_integrator *in, double t);
sal_status sal__append_dense_output(sal_integrator *in, const sal_rhs *rhs);

/* method_switching.c: "auto" */
enum { SAL__TRIAL_STEPS = 8, SAL__MAX_REFUSALS = 12 };
const sal_method *sal__method_of_kind(const sal_integrator *in, bool stiff); /* without "auto": config.method */
int sal__max_dense_degree(const sal_integrator_config *c, double accuracy);
void sal__choose_method(sal_integrator *in);
void sal__restore_method(sal_integrator *in); /* the one of the controller state */
void sal__apply_accuracy(sal_integrator *in); /* called after it changed */
void sal__consider_trial(sal_integrator *in, double h_lambda, int variable);
void sal__evaluate_trial(sal_integrator *in);
bool sal__end_trial(sal_integrator *in);
void sal__switch_to_stiff(sal_integrator *in, double h_lambda, int variable);
/* f(t, x) into dx, for the integrator's own use. */
static inline sal_status sal__derivative(sal_integrator *in, const sal_rhs *rhs, sal_attempt *a, double t,
                                         const double *x, double *dx) {
    a->evaluations = 0;
    const sal_status status = sal__eval(rhs, a, t, x, dx);
    sal__add_evaluations(in, a->evaluations);
    return status;
}
static inline void sal__set_step_evaluations(sal_integrator *in, int64_t count) {
    in->control.step_evaluations = count;
    in->controller.evaluations_since_switch += (double)count;
}
void sal__record_switch(sal_integrator *in, double t, sal_switch_reason why);

/* stiffness.c */
enum { SAL__STIFFNESS_INTERVAL = 10 }; /* steps between checks while there is no sign */
void sal__measure_stiffness(sal_integrator *in);
static inline void sal__check_stiffness(sal_integrator *in) {
    sal_controller_state *p = &in->controller;
    if (++p->unchecked_count >= SAL__STIFFNESS_INTERVAL || p->stiff_count > 0 || p->next_is_stiff ||
        in->control.was_rejected) {
        p->unchecked_count = 0;
        sal__measure_stiffness(in);
    }
}
void sal__measure_stiffness_at_end(sal_integrator *in, const double *end_rate);

/* accuracy_warning.c */
enum { SAL__MAX_JUMP_SCORE = 1000 };
void sal__count_jumps(sal_integrator *in, int variable); /* of the accepted step; -1: none */
/* Whether the accepted step began with a state below the accuracy; then its growth is checked. */
bool sal__begins_faint(const sal_integrator *in);
sal_status sal__detect_growth(sal_integrator *in, const sal_rhs *rhs);

/* step_failure.c. Returns SAL_ESTEP and records the failure. `completed`: the attempt computed a result, and its
 * stages or result may contain values that are not finite; else the cause is `variable`, if any. */
sal_status sal__step_give_up(sal_integrator *in, double h, int variable, bool completed);
/* Repeats the attempt that failed last, to find the first derivative that is not finite. */
void sal__step_find_cause(sal_integrator *in, const sal_rhs *rhs);

#endif
