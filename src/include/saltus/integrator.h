/* Integrators of x' = f(t, x).
 *
 * A *method* attempts one step of a given size and estimates its error; it is a const table. An *integrator* owns the
 * memory of a method and chooses the sizes of steps: it rejects, shrinks, grows and counts them. It keeps the last
 * accepted step, which can be read anywhere inside (dense output). It never changes the caller's x: after a step, read
 * sal_integrator_end() or interpolate, and continue from there. One thread at a time may use an integrator; functions
 * that it calls (the right-hand side, Jacobians, corrections) must not call it.
 *
 * Usable alone: this header needs no system, context or simulator.
 *
 *   sal_integrator_config config = sal_integrator_config_default();
 *   config.method = sal_method_find("tsitouras5");
 *   sal_integrator *in = NULL;
 *   sal_integrator_new(NULL, &config, 2, &in);
 *   sal_integrator_initialize(in);
 *   while (t < 10) {
 *       sal_limits to = {INFINITY, INFINITY, 10};
 *       if (sal_integrator_step(in, &rhs, t, x, &to, NULL) != SAL_OK) break;
 *       t = sal_integrator_end_time(in);
 *       memcpy(x, sal_integrator_end(in), sizeof x);
 *   } */
#ifndef SALTUS_INTEGRATOR_H
#define SALTUS_INTEGRATOR_H

#include "polynomial.h"
#include "status.h"

SAL_BEGIN_DECLARATIONS

/* The right-hand side. `eval` writes n derivatives. SAL_RETRY: try a smaller step; a negative status ends the step with
 * that status. */
typedef struct sal_rhs {
    int n;
    sal_status (*eval)(void *user, double t, const double *x, double *dx);
    void *user;
} sal_rhs;

typedef struct sal_method sal_method;
typedef struct sal_integrator sal_integrator;

/* Return a method by name ("runge_kutta3"), or by index from 0; NULL if there is none. Methods are static. */
SAL_API const sal_method *sal_method_find(const char *name);
SAL_API const sal_method *sal_method_at(int index);
/* Return properties of a method: name, order, order of the error estimate and of the dense output, accuracies. */
SAL_API const char *sal_method_name(const sal_method *method);
SAL_API int sal_method_order(const sal_method *method);
SAL_API int sal_method_error_order(const sal_method *method); /* 0: no error estimate, fixed steps only */
SAL_API int sal_method_dense_order(const sal_method *method);
SAL_API double sal_method_default_accuracy(const sal_method *method);
SAL_API double sal_method_loosest_accuracy(const sal_method *method);
SAL_API bool sal_method_takes_past(const sal_method *method); /* its steps may read the history of their own solution */
SAL_API bool sal_method_takes_mass(const sal_method *method); /* solves M x' = f(t, x) */
SAL_API bool sal_method_is_implicit(const sal_method *method); /* solves for its stages: for stiff systems */

typedef struct sal_integrator_config {
    size_t size;              /* of this struct, set by the default call */
    const sal_method *method; /* default: auto */
    double accuracy;          /* target; NaN: the method's default; at most the method's loosest is used */
    double max_step;          /* s; INFINITY: none */
    double min_step;          /* s; requested minimum, 0 */
    double initial_step;      /* s; NaN: 0.1 of a finite max_step (implicit: all of it), else Hairer's rule */
    bool fixed_step;          /* every step is max_step; no error control */
    bool throw_on_min_step;   /* default true; false: steps of the minimum are accepted whatever their error */
    bool hermite;             /* cubic Hermite dense output, whatever the method offers */
    /* Of implicit methods: */
    sal_status (*jacobian)(void *user, double t, const double *x, double *j); /* NULL: by differences */
    bool central_differences;                                                 /* rather than forward ones */
    bool no_matrix_reuse; /* recompute the Jacobian and the factors in every step */
    bool full_newton;     /* recompute both at every iteration */
    /* Which elements of the Jacobian can differ from zero: half-bandwidths, the diagonals below and above the main one.
     * -1 and -1: not known; methods with n > 16 then detect the pattern by probing, unless dense_jacobian is set. The
     * pattern of M is always added. */
    int lower, upper;
    bool dense_jacobian;
    /* M of M x' = f(t, x), n x n by rows; NULL: the identity. It may be singular of index 1; the start must then
     * satisfy the equations without derivative. radau5, rodas4 and "auto", which then is radau5, accept one. The
     * right-hand side, and everything called a derivative here, is then M x'. Only sal_integrator_new reads it. */
    const double *mass;
} sal_integrator_config;

/* Returns the defaults that the comments above name. */
SAL_API sal_integrator_config sal_integrator_config_default(void);

/* Makes an integrator for n variables (0 or more), which the caller owns; all memory is allocated here. `config` NULL:
 * the defaults. EINVAL for what sal_integrator_config_check refuses, and for half-bandwidths that are not below n;
 * ENOMEM. */
SAL_API sal_status sal_integrator_new(const sal_allocator *allocator, const sal_integrator_config *config, int n,
                                      sal_integrator **out);
/* Checks a configuration. EINVAL for sizes that contradict each other (max < min, initial > max, initial < min), and
 * for a method without error estimate unless fixed_step is set with a finite max_step. `why` (may be NULL) receives
 * the reason. */
SAL_API sal_status sal_integrator_config_check(const sal_integrator_config *config, sal_note *why);
/* Frees an integrator; NULL is fine. */
SAL_API void sal_integrator_free(sal_integrator *in);
/* Return the present configuration, which the integrator owns, and the number of variables. */
SAL_API const sal_integrator_config *sal_integrator_config_of(const sal_integrator *in);
SAL_API int sal_integrator_size(const sal_integrator *in);

/* Sets the error weight of variable i; 0: its error does not count. A relative weight is min(weight, 1/|x_i|), an
 * absolute one is the weight alone. Default: 1, absolute. EINVAL for a negative or NaN weight. */
SAL_API sal_status sal_integrator_set_weight(sal_integrator *in, int i, double weight, bool relative);

/* Declares x = (q, v, z): the first nq variables are configuration, the next nv velocities. Some methods treat them
 * differently; by default (0 and 0) everything is z. If v' depends on q and t only, velocity_verlet and symplectic4 are
 * reversible; if also q' = v, not N(q) v, their energy errors are bounded. Otherwise they are methods of order 2.
 * EINVAL for numbers below 0, or more variables than there are. */
SAL_API sal_status sal_integrator_set_split(sal_integrator *in, int nq, int nv);

/* A correction of the end of each step: for constraints, invariants, unit quaternions. `correct` is called after each
 * attempt, before its error is judged. It may change the end of the step (n values, at t) and sets *moved if it did.
 * `err` is the estimated error, from which it removes what does not count (NULL: the method has no estimate).
 * SAL_RETRY: try a smaller step. The dense output inside the step does not change. */
typedef struct sal_correction {
    sal_status (*correct)(void *user, double t, double *x, double *err, bool *moved);
    void *user;
} sal_correction;

/* Sets the correction, which is copied; NULL: none. */
SAL_API void sal_integrator_set_correction(sal_integrator *in, const sal_correction *correction);
/* Return the weight in use for an error of variable i at the value x, and whether it is relative: see set_weight. */
SAL_API double sal_integrator_weight(const sal_integrator *in, int i, double x);
SAL_API bool sal_integrator_is_relative(const sal_integrator *in, int i);

/* Sets the Jacobian for implicit methods: n x n derivatives by rows, df_i/dx_j at j[i * n + j]; with half-bandwidths,
 * rows of lower + upper + 1 with df_i/dx_j at j[i * (lower + upper + 1) + lower + j - i]. `user` is that of the
 * right-hand side. NULL: differences. Factored matrices are dropped. */
SAL_API void sal_integrator_set_jacobian(sal_integrator *in,
                                         sal_status (*jacobian)(void *user, double t, const double *x, double *j),
                                         bool central_differences);

/* Forgets the step size, the last step and the statistics. Call it before the first step. Returns SAL_OK. */
SAL_API sal_status sal_integrator_initialize(sal_integrator *in);
/* Sets the counts of the statistics to 0. */
SAL_API void sal_integrator_reset_statistics(sal_integrator *in);
/* Adds evaluations of f that were made outside of the integrator to the statistics. */
SAL_API void sal_integrator_add_derivative_evaluations(sal_integrator *in, int64_t count);

/* The times that a step must not pass; INFINITY: none. */
typedef struct sal_limits {
    double publish, update; /* timed events: a step may be stretched by 1 % to reach one */
    double boundary;        /* a step is never stretched to reach it */
} sal_limits;

typedef enum {
    SAL_REACHED_PUBLISH,
    SAL_REACHED_UPDATE,
    SAL_REACHED_BOUNDARY,
    SAL_TIME_ADVANCED,
    SAL_REACHED_CROSSING, /* this and the next: only from sal_integrator_advance */
    SAL_REACHED_STEP_LIMIT
} sal_step_result;

/* Makes one accepted step from (t, x), and retries rejected ones. A step that reaches a limit ends exactly there;
 * *result (may be NULL) says at which. ESTEP below the minimum step, see sal_integrator_last_failure; a
 * negative status of the right-hand side. After a failure the last accepted step is unchanged. */
SAL_API sal_status sal_integrator_step(sal_integrator *in, const sal_rhs *rhs, double t, const double *x,
                                       const sal_limits *limits, sal_step_result *result);

/* For use without a simulator: functions that advance t and x themselves. `eval` computes w, whose zero is located. */
typedef struct sal_surface {
    sal_status (*eval)(void *user, double t, const double *x, double *w);
    void *user;
} sal_surface;

/* Makes up to `max_steps` steps (0: as many as needed) until a limit is reached. If w of the surface reaches zero or
 * crosses it, the last step is cut to the first point at or beyond the crossing, located on the dense output.
 * `surface` NULL: no surface. A step that fails leaves t and x at the end of the previous one. Statuses as
 * sal_integrator_step. */
SAL_API sal_status sal_integrator_advance(sal_integrator *in, const sal_rhs *rhs, const sal_limits *limits,
                                          int64_t max_steps, const sal_surface *surface, double *t, double *x,
                                          sal_step_result *result);
/* Makes one whole step to `target`. If *taken is false, a shorter step is needed, and nothing has changed.
 * ESTATE under error control. */
SAL_API sal_status sal_integrator_single_fixed_step(sal_integrator *in, const sal_rhs *rhs, double target, double *t,
                                                    double *x, bool *taken);

/* Return the times, in s, and the n values of x at both ends of the last accepted step. The pointers are valid until
 * the next step. */
SAL_API double sal_integrator_start_time(const sal_integrator *in);
SAL_API double sal_integrator_end_time(const sal_integrator *in);
SAL_API const double *sal_integrator_start(const sal_integrator *in);
SAL_API const double *sal_integrator_end(const sal_integrator *in);
/* Returns the estimated error of the last step, n values, valid until another step is tried; NULL: the method has no
 * estimate. With a correction: the error that remains after it. */
SAL_API const double *sal_integrator_error_estimate(const sal_integrator *in);
/* Returns the derivative at the start, n values, valid until the next step. */
SAL_API const double *sal_integrator_start_rate(const sal_integrator *in);
/* Writes a pointer to the derivative at the end, n values. Methods whose last stage is at the end have it; others
 * evaluate it once, and the next step uses it. Returns the status of the right-hand side. */
SAL_API sal_status sal_integrator_end_rate(sal_integrator *in, const sal_rhs *rhs, const double **out);

/* Dense output: x, or its derivative, n values, at theta in [0, 1] of the last accepted step; 0 and 1 give its ends
 * exactly. Call `prepare` first, once a step: it makes the evaluations that the interpolant needs (the derivative at
 * the end; three more for dormand_prince8), and returns the status of the right-hand side. */
SAL_API sal_status sal_integrator_prepare_dense(sal_integrator *in, const sal_rhs *rhs);
SAL_API void sal_integrator_interpolate(const sal_integrator *in, double theta, double *x);
SAL_API void sal_integrator_interpolate_rate(const sal_integrator *in, double theta, double *dx);

/* The dense output of a run as an object (polynomial.h). Between start and stop, every accepted step appends a
 * segment. A step that begins before the end, after a cut or when it is repeated, replaces everything after its
 * start. Each step costs as much as prepare_dense, and memory grows. Initializing starts the dense output again. The
 * caller owns the object that `stop` returns. ESTATE if it is started already, or not started; ENOMEM. */
SAL_API sal_status sal_integrator_start_dense_output(sal_integrator *in);
SAL_API sal_status sal_integrator_stop_dense_output(sal_integrator *in, sal_polynomial **out);
SAL_API const sal_polynomial *sal_integrator_dense_output(const sal_integrator *in); /* so far; NULL: not started */

/* Tells the integrator that the step was cut at time t (an event); the next step starts there. It keeps the ideal size
 * of the next step, but at most `cap` s. */
SAL_API void sal_integrator_cut(sal_integrator *in, double t, double cap);
/* Tells the integrator that x or the model changed: the known derivative is not valid any more. */
SAL_API void sal_integrator_invalidate(sal_integrator *in);

/* Return the accuracy in use (NaN without an error estimate), the shortest step at the time t, which is
 * max(min_step, 1e-14 max(scale, |t|)), and the size of the next step, NaN if not known yet; sizes in s. */
SAL_API double sal_integrator_accuracy_in_use(const sal_integrator *in);
SAL_API double sal_integrator_working_minimum(const sal_integrator *in, double t);
SAL_API double sal_integrator_ideal_step(const sal_integrator *in);
SAL_API void sal_integrator_set_ideal_step(sal_integrator *in, double step);

/* Everything that the next step depends on besides its start, to restore a saved run. */
typedef struct sal_controller_state {
    double ideal_step;      /* NaN where not yet known */
    double last_log2_error; /* log2(error / accuracy) of the last step; 0 before the first step */
    double last_size;       /* of that step; 0 before */
    double scale;           /* time scale of the run, at most 1 s: the least step is relative to it or to the time */
    double nonsmooth_until; /* the right-hand side jumps or bends somewhere before this time; NaN: no such place */
    /* The test for stiffness: steps at the stability limit, steps in a row that were not, steps since the last check,
     * and returns of "auto" to its explicit method. */
    int32_t stiff_count, nonstiff_count, unchecked_count, return_count;
    /* "auto": whether its next step uses a stiff method, and its last step did; the stage of a trial of the stiff
     * method (0: no trial), refused trials, and checks at the start. */
    int64_t next_is_stiff, last_was_stiff;
    int32_t trial_stage, refusal_count, initial_check_count;
    double evaluations_since_switch; /* to the explicit method */
    double nonstiff_step;            /* the step size of the explicit method before the trial */
    double trial_evaluations, trial_time;
    /* Increases with each step over a jump of the right-hand side and decreases with other steps; `jump_size` is the
     * size of the last one. */
    int64_t jump_score;
    double jump_size;
} sal_controller_state;

/* Return the state of the controller, and set it. */
SAL_API sal_controller_state sal_integrator_controller_state(const sal_integrator *in);
SAL_API void sal_integrator_set_controller_state(sal_integrator *in, const sal_controller_state *pace);
/* Save everything that the next step depends on as bytes. An integrator of the same configuration continues to the same
 * bits; one of another configuration takes over only the step size. EINVAL for other bytes. */
SAL_API size_t sal_integrator_save_size(const sal_integrator *in);
SAL_API void sal_integrator_save(const sal_integrator *in, void *bytes);
SAL_API sal_status sal_integrator_load(sal_integrator *in, const void *bytes, size_t size);
/* Returns the size of the first step to attempt, in s: initial_step, or its default, which is NaN before the first step
 * if it is computed from the derivatives. */
SAL_API double sal_integrator_initial_step_target(const sal_integrator *in);
/* Change settings between steps, with the same checks as sal_integrator_new: EINVAL, and nothing changed. */
SAL_API sal_status sal_integrator_set_max_step(sal_integrator *in, double step);
SAL_API sal_status sal_integrator_set_accuracy(sal_integrator *in, double accuracy);
SAL_API sal_status sal_integrator_set_min_step(sal_integrator *in, double step);
SAL_API sal_status sal_integrator_set_initial_step(sal_integrator *in, double step); /* of the next start */
SAL_API sal_status sal_integrator_set_fixed_step(sal_integrator *in, bool fixed);
SAL_API void sal_integrator_set_throw_on_min_step(sal_integrator *in, bool throws);
/* Returns whether sal_integrator_initialize was called. */
SAL_API bool sal_integrator_is_initialized(const sal_integrator *in);
/* Returns the factor, 1.01, by which a step may be longer than max_step to reach an event. */
SAL_API double sal_integrator_stretch_factor(void);

typedef struct sal_integrator_stats {
    int64_t steps, derivative_evaluations, rejected_steps; /* rejected: shrinkages from error control */
    int64_t substep_failures, substep_shrinkages;
    double previous_step;       /* size of the last accepted step */
    double actual_initial_step; /* first step taken; under error control, as all below */
    double smallest_adapted_step, largest_step;
} sal_integrator_stats;

/* Returns the counts and sizes since initialize or the last reset. The integrator owns them. */
SAL_API const sal_integrator_stats *sal_integrator_statistics(const sal_integrator *in);
/* Counts of implicit methods: of all their work, and of the part for the error estimate. For explicit methods all
 * counts except the derivative evaluations are zero. */
typedef struct sal_implicit_counts {
    int64_t derivative_evaluations, jacobians, derivative_evaluations_for_jacobians;
    int64_t factorizations, newton_iterations;
} sal_implicit_counts;

typedef struct sal_implicit_stats {
    sal_implicit_counts total, estimator;
} sal_implicit_stats;

/* Returns these counts since initialize or the last reset. */
SAL_API sal_implicit_stats sal_integrator_implicit_statistics(const sal_integrator *in);
/* Returns how often variable i limited a step: its weighted error was the norm of a rejected step. */
SAL_API int64_t sal_integrator_limited_by(const sal_integrator *in, int i);

/* The methods that "auto" used, from which time on, and why. */
typedef enum {
    SAL_SWITCH_START,     /* chosen by the accuracy, or because of a mass matrix */
    SAL_SWITCH_STABILITY, /* to a stiff method: stability limited the steps */
    SAL_SWITCH_TRIAL,     /* to a stiff method, on trial: its steps may be cheaper */
    SAL_SWITCH_COSTLIER,  /* back to the explicit method: the stiff steps were not cheaper, or failed */
    SAL_SWITCH_CALM,      /* back to the explicit method: it is stable with twice the step */
    SAL_SWITCH_TOO_LARGE, /* back to the explicit method: thousands of variables, and no band */
    SAL_SWITCH_RESTORED   /* the method of the saved run that was loaded */
} sal_switch_reason;

typedef struct sal_switch {
    double time;
    const sal_method *method;
    sal_switch_reason why;
    int64_t steps; /* steps made until the next switch */
} sal_switch;

/* Return the number of switches since the statistics were reset, and write switch `index`; false if it is out of range,
 * or older than the last 32. For methods other than "auto" the number is one. The text of a reason is static,
 * never NULL. */
SAL_API int64_t sal_integrator_switch_count(const sal_integrator *in);
SAL_API bool sal_integrator_switch_at(const sal_integrator *in, int64_t index, sal_switch *out);
SAL_API const char *sal_switch_reason_text(sal_switch_reason why);

/* Stiffness: an explicit method under error control detects that its steps stay at the limit of stability. "auto" then
 * switches. This describes the first occurrence since initialize: its time, the variable that contributes most, and h
 * |lambda|. */
typedef struct sal_stiffness {
    bool found;
    bool will_switch; /* "auto" will switch to its stiff method, if the matrices fit in memory */
    double time, h_lambda;
    int variable;
} sal_stiffness;

/* Returns what was detected; its `found` is false if nothing was. */
SAL_API sal_stiffness sal_integrator_stiffness(const sal_integrator *in);

/* Warnings that the result may be wrong although every step met the accuracy. Each describes its first occurrence since
 * initialize. `jumps`: the derivative jumped in many consecutive steps of an explicit method, for example because the
 * state slides along a surface. `growth`: a variable below the accuracy grows exponentially, and the steps are too long
 * to follow it; a larger weight makes it count. */
typedef struct sal_accuracy_warning {
    bool found;
    double time;
    int variable;
} sal_accuracy_warning;

/* Return these warnings; `found` is false if there is none. */
SAL_API sal_accuracy_warning sal_integrator_jumps(const sal_integrator *in);
SAL_API sal_accuracy_warning sal_integrator_growth(const sal_integrator *in);
/* Returns the method that makes the steps: for "auto" the present one, else the method itself. */
SAL_API const sal_method *sal_integrator_method_in_use(const sal_integrator *in);

typedef struct sal_integrator_failure {
    double time, step;    /* where the failed step began, and its size */
    int variable;         /* index with the largest weighted error, or the first that is not finite; -1 unknown */
    bool not_finite;      /* its value or derivative was NaN or infinite */
    bool before_step;     /* not_finite: its value was so before the step: the caller gave it */
    bool off_constraints; /* the correction could not project the end of the step */
    bool unmet_equation;  /* the equation of `variable` has no derivative and no solution; `value` is its residual */
    double value;         /* that value */
} sal_integrator_failure;

/* Describes the last SAL_ESTEP since initialize; its numbers are NaN if there was none. A status of the right-hand side
 * is not described here. */
SAL_API const sal_integrator_failure *sal_integrator_last_failure(const sal_integrator *in);

SAL_END_DECLARATIONS
#endif
