/* Integrators on a plain x' = f(t, x).
 *
 * A *method* attempts one step of a given size and estimates its error; it is a
 * const table. An *integrator* owns a method's work space and chooses sizes: it
 * rejects, shrinks, grows, counts, and keeps the last accepted step so that it
 * can be read anywhere inside (dense output). It never changes the caller's x:
 * after a step, read sal_integrator_end() or interpolate, then go on from there.
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

#ifdef __cplusplus
extern "C" {
#endif

/* The right-hand side. `eval` writes n derivatives; SAL_RETRY asks for a
 * smaller step, a negative status ends the step with that status. */
typedef struct sal_rhs {
    int n;
    sal_status (*eval)(void *user, double t, const double *x, double *dx);
    void *user;
} sal_rhs;

typedef struct sal_method sal_method;
typedef struct sal_integrator sal_integrator;

/* Methods by name ("runge_kutta3"); NULL when there is none. By index from 0,
 * NULL past the last. */
SAL_API const sal_method *sal_method_find(const char *name);
SAL_API const sal_method *sal_method_at(int index);
SAL_API const char *sal_method_name(const sal_method *method);
SAL_API int sal_method_order(const sal_method *method);
SAL_API int sal_method_error_order(const sal_method *method); /* 0: no error estimate, fixed steps only */
SAL_API int sal_method_dense_order(const sal_method *method);
SAL_API double sal_method_default_accuracy(const sal_method *method);
SAL_API double sal_method_loosest_accuracy(const sal_method *method);
SAL_API bool sal_method_takes_past(const sal_method *method);  /* its steps may read their own past */
SAL_API bool sal_method_takes_mass(const sal_method *method);  /* solves M x' = f(t, x) */
SAL_API bool sal_method_is_implicit(const sal_method *method); /* solves for its stages: for stiff systems */

typedef struct sal_integrator_config {
    size_t size;              /* of this struct, set by the default call */
    const sal_method *method; /* default: tsitouras5 */
    double accuracy;          /* target; NaN: the method's default. In use: not looser than the method's loosest */
    double max_step;          /* s; INFINITY: none */
    double min_step;          /* s; requested minimum, 0 */
    double initial_step;      /* s; NaN: chosen, by 0.1 of a finite max_step (implicit: all of it) or Hairer's rule */
    bool fixed_step;          /* every step is max_step; no error control */
    bool throw_on_min_step;   /* default true; false: steps of the minimum are accepted whatever their error */
    bool hermite;             /* dense output by cubic Hermite whatever the method offers */
    /* Of implicit methods: */
    sal_status (*jacobian)(void *user, double t, const double *x, double *j); /* NULL: by differences */
    bool central_differences;                                                 /* rather than forward ones */
    bool no_matrix_reuse;                                                     /* at every step, kept for none */
    bool full_newton;                                                         /* renewed at every iteration */
    /* What can differ from zero in the Jacobian: half-bandwidths, diagonals below and above the
     * main one; -1 and -1: not known, then methods find out by probing when n > 16, unless
     * they are told to take it for dense. Whatever is known, all of M is added to it. */
    int lower, upper;
    bool dense_jacobian;
    /* M of M x' = f(t, x), n x n by rows; it may be singular (of index 1, and the start must then
     * fulfil the equations without derivative). NULL: the identity. radau5, rodas4 and "auto", which then is radau5,
     * take one. The right-hand side, and what is called a derivative here, is then M x'. Read by
     * sal_integrator_new alone. */
    const double *mass;
} sal_integrator_config;

SAL_API sal_integrator_config sal_integrator_config_default(void);

/* For n variables, 0 and more; all memory is taken here. `config` NULL: the defaults. EINVAL for what
 * sal_integrator_config_check refuses, and for half-bandwidths that are not below n. */
SAL_API sal_status sal_integrator_new(const sal_allocator *allocator, const sal_integrator_config *config, int n,
                                      sal_integrator **out);
/* EINVAL for sizes that contradict each other (max < min, initial > max, initial < min), for a method
 * without error estimate unless fixed_step with a finite max_step. `why` (may be NULL) tells. */
SAL_API sal_status sal_integrator_config_check(const sal_integrator_config *config, sal_note *why);
SAL_API void sal_integrator_free(sal_integrator *in);
SAL_API const sal_integrator_config *sal_integrator_config_of(const sal_integrator *in);
SAL_API int sal_integrator_size(const sal_integrator *in); /* n */

/* Error weight of variable i: 0 leaves it out of the norm. A relative one is
 * weighted min(weight, 1/|x_i|), an absolute one by its weight alone.
 * EINVAL for a negative or NaN weight. Default: 1, absolute. */
SAL_API sal_status sal_integrator_set_weight(sal_integrator *in, int i, double weight, bool relative);

/* x = (q, v, z): the first nq variables are configuration, the next nv velocities.
 * Some methods treat them apart; the default, 0 and 0, makes everything z.
 * velocity_verlet and symplectic4 keep what they promise, bounded energy and a way back,
 * where q' = v (q' = N(q) v: the way back) and v' depends on q and t alone; else they are
 * two methods of order 2. */
SAL_API sal_status sal_integrator_set_split(sal_integrator *in, int nq, int nv);

/* What a state has to satisfy besides x' = f(t, x): constraints, invariants, unit quaternions.
 * `correct` is called after each attempt, before its error is judged. It may move the end of the
 * step (n values, at t) to where it belongs, and tells so in *moved; of the estimated error it
 * leaves in err what counts (NULL: the method has no estimate). SAL_RETRY asks for a smaller step.
 * The dense output inside the step stays what it was. */
typedef struct sal_correction {
    sal_status (*correct)(void *user, double t, double *x, double *err, bool *moved);
    void *user;
} sal_correction;

SAL_API void sal_integrator_set_correction(sal_integrator *in, const sal_correction *correction); /* NULL: none */
/* The weight in use for an error of variable i where its value is x: see set_weight. */
SAL_API double sal_integrator_weight(const sal_integrator *in, int i, double x);
SAL_API bool sal_integrator_is_relative(const sal_integrator *in, int i);

/* Where implicit methods take the Jacobian from: n x n derivatives by rows, df_i/dx_j at
 * j[i * n + j]; with half-bandwidths, rows of lower + upper + 1, df_i/dx_j at
 * j[i * (lower + upper + 1) + lower + j - i]. `user` is that of the right-hand side. NULL:
 * differences. Kept matrices are dropped. */
SAL_API void sal_integrator_set_jacobian(sal_integrator *in,
                                         sal_status (*jacobian)(void *user, double t, const double *x, double *j),
                                         bool central_differences);

/* Forgets the step size, the last step and the statistics. */
SAL_API sal_status sal_integrator_initialize(sal_integrator *in);
SAL_API void sal_integrator_reset_statistics(sal_integrator *in);
/* Counts evaluations of x' = f(t, x) that were made beside it. */
SAL_API void sal_integrator_add_derivative_evaluations(sal_integrator *in, int64_t count);

/* How far a step may go, absolute times; INFINITY where there is none. */
typedef struct sal_limits {
    double publish, update; /* timed events: a step may be stretched by 1 % to reach one */
    double boundary;        /* never stretched to */
} sal_limits;

typedef enum {
    SAL_REACHED_PUBLISH,
    SAL_REACHED_UPDATE,
    SAL_REACHED_BOUNDARY,
    SAL_TIME_ADVANCED,
    SAL_REACHED_CROSSING, /* these two of sal_integrator_advance alone */
    SAL_REACHED_STEP_LIMIT
} sal_step_result;

/* One accepted step from (t, x), after as many rejections as it takes. Ends at a
 * limit exactly when it reaches it. SAL_ESTEP: below the minimum step; see
 * sal_integrator_last_failure. Nothing is accepted when the status is not SAL_OK. */
SAL_API sal_status sal_integrator_step(sal_integrator *in, const sal_rhs *rhs, double t, const double *x,
                                       const sal_limits *limits, sal_step_result *result);

/* Steps that move t and x themselves, for those who integrate without a simulator. */
typedef struct sal_surface {
    sal_status (*eval)(void *user, double t, const double *x, double *w);
    void *user;
} sal_surface;

/* Up to `max_steps` steps (0: as many as it takes), until a limit is reached. Where the surface's
 * w comes to zero, or goes through it, the last step is cut to the first point at or beyond the
 * crossing, found on the dense output (NULL: no surface). A step that fails leaves t and x where the one before
 * ended. */
SAL_API sal_status sal_integrator_advance(sal_integrator *in, const sal_rhs *rhs, const sal_limits *limits,
                                          int64_t max_steps, const sal_surface *surface, double *t, double *x,
                                          sal_step_result *result);
/* One step, whole, to `target`; *taken false: the method or the model would need a shorter one, nothing is changed.
 * SAL_ESTATE under error control. */
SAL_API sal_status sal_integrator_single_fixed_step(sal_integrator *in, const sal_rhs *rhs, double target, double *t,
                                                    double *x, bool *taken);

/* The last accepted step. */
SAL_API double sal_integrator_start_time(const sal_integrator *in);
SAL_API double sal_integrator_end_time(const sal_integrator *in);
SAL_API const double *sal_integrator_start(const sal_integrator *in);
SAL_API const double *sal_integrator_end(const sal_integrator *in);
/* Its estimated error, n values, until another step is tried; NULL: the method estimates none. Where a
 * correction is set, what that left of it. */
SAL_API const double *sal_integrator_error_estimate(const sal_integrator *in);
/* Derivative at the start, n values; always at hand after a step. */
SAL_API const double *sal_integrator_start_rate(const sal_integrator *in);
/* Derivative at the end: at hand for first-same-as-last methods, else evaluated once and kept for the next step. */
SAL_API sal_status sal_integrator_end_rate(sal_integrator *in, const sal_rhs *rhs, const double **out);

/* Dense output: the last accepted step at theta in [0, 1]; 0 and 1 answer its
 * ends exactly. `prepare` does what work the interpolant needs (the end's
 * derivative; dormand_prince8's three more), once a step. */
SAL_API sal_status sal_integrator_prepare_dense(sal_integrator *in, const sal_rhs *rhs);
SAL_API void sal_integrator_interpolate(const sal_integrator *in, double theta, double *x);
SAL_API void sal_integrator_interpolate_rate(const sal_integrator *in, double theta, double *dx);

/* The dense output of a run as an object (polynomial.h): from start to stop, every
 * accepted step appends a segment; one that begins before the end, as a step that is
 * taken anew, or a cut, drops what was beyond. Costs what prepare_dense costs at every
 * step, and memory that grows. Initializing begins it anew. ESTATE: started already, or
 * not started. What `stop` answers is the caller's to free. */
SAL_API sal_status sal_integrator_start_dense_output(sal_integrator *in);
SAL_API sal_status sal_integrator_stop_dense_output(sal_integrator *in, sal_polynomial **out);
SAL_API const sal_polynomial *sal_integrator_dense_output(const sal_integrator *in); /* so far; NULL: not started */

/* The step was cut at theta (an event): time t there; the next step starts anew.
 * The ideal next step is kept, but at most `cap` s long. */
SAL_API void sal_integrator_cut(sal_integrator *in, double t, double cap);
/* The next step starts from another x, or the model changed: the kept derivative no longer holds. */
SAL_API void sal_integrator_invalidate(sal_integrator *in);

/* Sizes. NaN where not yet known. */
SAL_API double sal_integrator_accuracy_in_use(const sal_integrator *in);
SAL_API double sal_integrator_working_minimum(const sal_integrator *in,
                                              double t); /* max(min_step, 1e-14 max(scale, |t|)) */
SAL_API double sal_integrator_ideal_step(const sal_integrator *in);
SAL_API void sal_integrator_set_ideal_step(sal_integrator *in, double step);

/* All that the next step depends on beside its start: to restore a saved run. */
typedef struct sal_controller_state {
    double ideal_step;      /* NaN where not yet known */
    double last_log2_error; /* log2 of the last step's error by the accuracy; 0 before */
    double last_size;       /* of that step; 0 before */
    double scale;    /* of the run, where it is headed, at most 1 s: the least step is relative to it, or to time */
    double rough_to; /* somewhere before this time the right-hand side jumps or bends; NaN */
    /* What stiffness is judged by; `stiff`: "auto" is at a stiff method. No padding. */
    int32_t signs, calm, unwatched, returns;
    int64_t stiff, used; /* used: it took the last step; they differ where the next one changes it */
    /* Of "auto": how far a trial of its stiff method is, 0: none; trials that were refused; first looks. */
    int32_t trial, refusals, looks, unused;
    double spent;         /* evaluations since it came to its explicit method */
    double nonstiff_step; /* the size that this was at before the trial */
    double trial_evaluations, trial_time;
    /* Grows with each step over a jump of the right-hand side, falls with the others; the last such step. */
    int64_t crowding;
    double jump_size;
} sal_controller_state;

SAL_API sal_controller_state sal_integrator_controller_state(const sal_integrator *in);
SAL_API void sal_integrator_set_controller_state(sal_integrator *in, const sal_controller_state *pace);
/* All that the next step hangs on, as bytes for an integrator of the same configuration: it goes
 * on to the bit. One of another configuration takes the step size alone. EINVAL for other bytes. */
SAL_API size_t sal_integrator_save_size(const sal_integrator *in);
SAL_API void sal_integrator_save(const sal_integrator *in, void *bytes);
SAL_API sal_status sal_integrator_load(sal_integrator *in, const void *bytes, size_t size);
SAL_API double sal_integrator_initial_step_target(const sal_integrator *in);
/* Other settings between steps, checked against the rest as when it was made: EINVAL, and nothing changed. */
SAL_API sal_status sal_integrator_set_max_step(sal_integrator *in, double step);
SAL_API sal_status sal_integrator_set_accuracy(sal_integrator *in, double accuracy);
SAL_API sal_status sal_integrator_set_min_step(sal_integrator *in, double step);
SAL_API sal_status sal_integrator_set_initial_step(sal_integrator *in, double step); /* of the next start */
SAL_API sal_status sal_integrator_set_fixed_step(sal_integrator *in, bool fixed);
SAL_API void sal_integrator_set_throw_on_min_step(sal_integrator *in, bool throws);
SAL_API bool sal_integrator_is_initialized(const sal_integrator *in);
SAL_API double sal_integrator_stretch_factor(void); /* of max_step, to reach an event: 1.01 */

typedef struct sal_integrator_stats {
    int64_t steps, derivative_evaluations, rejected_steps; /* rejected: shrinkages from error control */
    int64_t substep_failures, substep_shrinkages;
    double previous_step;       /* size of the last accepted step */
    double actual_initial_step; /* first step taken; under error control, as all below */
    double smallest_adapted_step, largest_step;
} sal_integrator_stats;

SAL_API const sal_integrator_stats *sal_integrator_statistics(const sal_integrator *in);
/* What implicit methods did, besides: in all, and of that for the error estimate alone.
 * Zeros for explicit methods, but for their derivative evaluations. */
typedef struct sal_implicit_counts {
    int64_t derivative_evaluations, jacobians, derivative_evaluations_for_jacobians;
    int64_t factorizations, newton_iterations;
} sal_implicit_counts;

typedef struct sal_implicit_stats {
    sal_implicit_counts total, estimator;
} sal_implicit_stats;

SAL_API sal_implicit_stats sal_integrator_implicit_statistics(const sal_integrator *in);
/* How often variable i limited a step: its weighted error was the norm in a rejected step. */
SAL_API int64_t sal_integrator_limited_by(const sal_integrator *in, int i);

/* Of "auto": which method took the steps from when on, and why. */
typedef enum {
    SAL_SWITCH_START,     /* the accuracy, or a mass matrix, says so */
    SAL_SWITCH_STABILITY, /* to a stiff method: stability limited the steps */
    SAL_SWITCH_TRIAL,     /* to a stiff method, on trial: its steps may be cheaper */
    SAL_SWITCH_COSTLIER,  /* back from it: they were not, or failed */
    SAL_SWITCH_CALM,      /* back from it: the explicit method is stable with twice the step */
    SAL_SWITCH_TOO_LARGE, /* back from it: thousands of variables, and no band */
    SAL_SWITCH_RESTORED   /* a run that was loaded goes on with it */
} sal_switch_reason;

typedef struct sal_switch {
    double time;
    const sal_method *method;
    sal_switch_reason why;
    int64_t steps; /* that it took until the next one */
} sal_switch;

/* How many there were since the statistics were reset, and the index-th; false when it is out of range, or older
 * than the last 32. Of other methods: one. */
SAL_API int64_t sal_integrator_switch_count(const sal_integrator *in);
SAL_API bool sal_integrator_switch_at(const sal_integrator *in, int64_t index, sal_switch *out);
SAL_API const char *sal_switch_reason_text(sal_switch_reason why);

/* Stiffness, as an explicit method under error control notices it when its steps stay at
 * the edge of stability; "auto" chooses its method by that. The first time since
 * initialize, in which variable most, and the h |lambda| of there. */
typedef struct sal_stiffness {
    bool found;
    bool will_switch; /* "auto" goes over to its stiff method, where there is room for matrices */
    double time, h_lambda;
    int variable;
} sal_stiffness;

SAL_API sal_stiffness sal_integrator_stiffness(const sal_integrator *in);

/* What makes a result doubtful although each step met the accuracy; the first time since initialize, and of which
 * variable. Jumps: an explicit method meets a derivative that jumps step after step, as where the state slides along
 * a surface. Growth: the variable is smaller than the accuracy can see, and grows by itself, exponentially, in steps
 * too long to follow it: a larger weight makes it seen. */
typedef struct sal_accuracy_warning {
    bool found;
    double time;
    int variable;
} sal_accuracy_warning;

SAL_API sal_accuracy_warning sal_integrator_jumps(const sal_integrator *in);
SAL_API sal_accuracy_warning sal_integrator_growth(const sal_integrator *in);
/* Of "auto", the one that takes the steps; else the method itself. */
SAL_API const sal_method *sal_integrator_method_in_use(const sal_integrator *in);

typedef struct sal_integrator_failure {
    double time, step;    /* where the failed step began, and its size */
    int variable;         /* index with the largest weighted error, or the first that is not finite; -1 unknown */
    bool not_finite;      /* its value or derivative was NaN or infinite */
    bool off_constraints; /* the correction found no place for the end of the step */
    double value;         /* that value */
} sal_integrator_failure;

/* Of the last SAL_ESTEP since initialize; before one its numbers are NaN. A status that the right-hand side
 * answered is its own: it knows where it was called. */
SAL_API const sal_integrator_failure *sal_integrator_last_failure(const sal_integrator *in);

#ifdef __cplusplus
}
#endif
#endif
