/* Shared by implicit methods: a Jacobian, factored matrices made of it, Newton's iteration, and the rules for renewing
 * each.
 *
 * An integrator of an implicit method owns one sal__implicit, with all its memory allocated at creation; the method
 * finds it in its sal_attempt. */
#ifndef SAL_IMPLICIT_H
#define SAL_IMPLICIT_H

#include "numerics/integrator/integrator_impl.h"
#include "numerics/linear/matrix.h"
#include "sparsity_pattern.h"

/* The matrix that solves for the stages of a step, and the matrix of an error estimate. */
typedef enum { SAL__STAGES, SAL__ESTIMATE, SAL__MATRICES } sal__matrix;

typedef struct sal__factors {
    bool is_factored;
    double *lu;
    int *pivots;
} sal__factors;

/* What is known about nonzero elements of the Jacobian. */
typedef enum {
    SAL__NO_PATTERN,     /* all can */
    SAL__WANTED_PATTERN, /* to be found by probing before the first Jacobian */
    SAL__FOUND_PATTERN,  /* found: each Jacobian is checked with one more evaluation */
    SAL__GIVEN_PATTERN,
} sal__sparsity;

/* jacobian.c, pattern_detection.c: difference derivatives, and the pattern of the Jacobian. */
typedef struct sal__differences {
    sal__sparsity sparsity;
    sal__pattern pattern; /* undefined if all elements can differ from zero */
    /* Since the integrator was initialized: probes, and probes that found new elements; alarms since the last such
     * probe. */
    int probe_count, growth_count, alarm_count;
    bool pattern_is_doubted; /* probe again before the next Jacobian */
    double failed_time; /* start time of the step where Newton's iteration last failed with a fresh Jacobian; NaN */
    double *width, *probe_point, *probe_rate; /* by column: difference width; probed state and its derivative */
} sal__differences;

/* The Jacobian and the factored matrices. */
typedef struct sal__matrices {
    sal__shape shape;                     /* of the Jacobian and of all n x n matrices */
    size_t factor_size;                   /* doubles of a factored matrix of n unknowns */
    bool too_large;                       /* the matrices do not fit in memory: no step is possible */
    bool has_jacobian, jacobian_is_fresh; /* fresh: evaluated at the start of the present step */
    double *jacobian;                     /* of this shape */
    double *model_band;                   /* output of the model's Jacobian function for a band */
    double jacobian_time;                 /* time of evaluation; NaN: the model has changed since, so check it */
    sal__factors factors[SAL__MATRICES];
    double factored_h; /* for methods that must refactor for another step size */
} sal__matrices;

/* newton.c: the last iteration. */
typedef struct sal__newton_state {
    int iteration_count;
    double contraction, remaining_error; /* radau5: contraction of the last step; factor of the remaining error */
    double update_norm, tolerance;       /* norm of the last update, and its tolerance */
    double *unknowns, *update;           /* stages * n */
    double *x, *dx;                      /* n: the state and its last change */
} sal__newton_state;

/* Arrays of n. */
typedef struct sal__workspace {
    double *probe, *rate, *rate0;
    double *base, *guess, *full, *half; /* the methods' own */
    double *scratch;                    /* 2 n */
} sal__workspace;

typedef struct sal__implicit {
    const sal_integrator *integrator;
    const sal_method *method; /* the method of these matrices */
    int n;
    size_t bytes; /* size of the one block that holds this struct and all its arrays */
    sal__mass mass;
    void *list_memory; /* for the lists of the sparsity pattern */
    size_t lists_bytes;
    bool is_estimating;          /* work is for the error estimate: count it in both statistics */
    int64_t evaluations_counted; /* evaluations of the attempt already added to stats */
    sal_implicit_stats stats;
    sal__differences differences;
    sal__matrices matrices;
    sal__newton_state newton;
    sal__workspace work;
} sal__implicit;

/* Returns whether the elements of the Jacobian that can differ from zero are known. */
static inline bool sal__has_pattern(const sal__implicit *im) {
    return im->differences.sparsity == SAL__FOUND_PATTERN || im->differences.sparsity == SAL__GIVEN_PATTERN;
}

sal_status sal__implicit_new(const sal_allocator *allocator, const sal_integrator *in, sal__implicit **out);
void sal__implicit_free(const sal_allocator *allocator, sal__implicit *im);
/* The Jacobian is not that of any start, and will be checked before it is used again. */
void sal__implicit_model_changed(sal__implicit *im);
/* Forget: the pattern found and everything about the present state; only the latter; only the Jacobian and all
 * factors. */
void sal__implicit_reset(sal__implicit *im);
void sal__implicit_reset_start(sal__implicit *im);
void sal__implicit_discard_matrices(sal__implicit *im);
/* Doubles that the factors of a matrix use at present. */
size_t sal__factor_size(const sal__implicit *im, sal__matrix which);
/* Number of systems in a factored matrix: one (radau5's stages: a real and a complex one), and the unknowns of each;
 * each has that many pivots plus one more number. */
int sal__factor_systems(const sal__implicit *im, sal__matrix which);
int sal__factor_unknowns(const sal__implicit *im, sal__matrix which);

/* Equations that Newton's iteration solves; the new state is written to im->x. */
typedef struct sal__newton sal__newton;
struct sal__newton {
    const sal_rhs *rhs;
    sal_attempt *a;
    double t0, t1, h; /* of this part of the step */
    const double *x0; /* state at t0 */
    const double *f0; /* derivative there, or NULL */
    const double *base, *guess;
    int size; /* of the unknowns */
    sal__matrix matrix;
    sal_status (*begin)(const sal__newton *p);                         /* copies the guess to the unknowns and im->x */
    sal_status (*defect)(const sal__newton *p, double *d);             /* matrix * next update = d */
    sal_status (*advance)(const sal__newton *p, const double *update); /* updates the unknowns, im->x and im->dx */
    void (*form)(const sal__newton *p, double *matrix); /* forms a dense matrix from im->jacobian; NULL: I - h J */
};

/* A single stage, x = base + h f(t1, x); base, guess and x0 are x0 unless set otherwise. */
sal__newton sal__single_stage(const sal_rhs *rhs, sal_attempt *a, double t0, double t1, double h, const double *x0);

/* newton.c. SAL_RETRY: no convergence, take a smaller step. */
sal_status sal__newton_solve(const sal__newton *p);

typedef enum { SAL__GOING_ON, SAL__CONVERGED, SAL__DIVERGED } sal__progress;
bool sal__update_is_zero(int n, const double *x, const double *dx, double tolerance);
sal__progress sal__newton_progress(int iteration, bool zero, double norm, double last_norm, double accuracy);

/* jacobian.c: writes to im->jacobian, at (t, x); f is the derivative there, or NULL. */
sal_status sal__update_jacobian(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, const double *f);
/* Discards a Jacobian that does not predict how f changes from the start in one direction. If it is far too large, each
 * update of Newton's iteration is small, and the iteration seems to converge where it began. */
sal_status sal__check_jacobian(const sal_rhs *rhs, sal_attempt *a);
double sal__difference_increment(double x, double floor, bool central);
double sal__difference_floor(const sal_attempt *a, int j);
/* An evaluation counted for the Jacobian. */
sal_status sal__eval_for_jacobian(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, double *dx);

/* consistency.c: solves the equations without a derivative at the trial's start. *moved: whether the start changed.
 * SAL_RETRY: no solution was found, and the start is unchanged. */
sal_status sal__meet_equations(sal_integrator *in, const sal_rhs *rhs, bool *moved);

/* pattern_detection.c. The shape of all matrices follows from the pattern, as far as it is known. */
sal_status sal__pattern_detection_init(const sal_allocator *allocator, sal__implicit *im);
void sal__pattern_detection_reset(sal__implicit *im); /* a pattern found by probing */
void sal__choose_shape(sal__implicit *im);            /* from the known pattern */
void sal__find_pattern(const sal_rhs *rhs, sal_attempt *a, double t, const double *x);
void sal__question_pattern(sal__implicit *im); /* Newton's iteration failed with this pattern: it may be probed again */
/* Whether the Jacobian, computed by groups, predicts how f changes in another direction. If not, sets *missed, and
 * the pattern must be found again. */
sal_status sal__check_pattern(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, const double *f,
                              bool *missed);

/* J v and |J| v, with J = im->jacobian. */
void sal__jacobian_times(const sal__implicit *im, const double *v, double *out);
void sal__jacobian_size_times(const sal__implicit *im, const double *v, double *out);

/* implicit.c. Writes Newton's solution to x. */
sal_status sal__newton_solve_into(const sal__newton *p, double *x);
/* Whether an error inside of a step is that of a change too fast for the shortest steps, which a shorter step did not
 * lessen: a jump, for which only the error of the end counts. */
static inline bool sal__is_jump_inside(const sal_attempt *a, double error) {
    const sal_integrator *in = a->implicit->integrator;
    return in->control.was_rejected && error <= 1000 * in->control.working_minimum * sal__weighted_norm(in, a->f0);
}
/* x1 minus the result of the implicit trapezoid: the error estimate of both Radau methods. */
sal_status sal__estimate_by_trapezoid(const sal_rhs *rhs, sal_attempt *a);
/* Makes two steps of h/2 to x1, and a separate one of h; the difference is as large as the error of x1. `stage`
 * makes the equations of one step. */
typedef sal__newton (*sal__stage_maker)(const sal_rhs *rhs, sal_attempt *a, double t0, double t1, double h,
                                        const double *x0);
sal_status sal__step_by_halves(const sal_rhs *rhs, sal_attempt *a, sal__stage_maker stage);

/* The attempt of all implicit methods, and their members in a method's table. */
sal_status sal__implicit_attempt(const sal_rhs *rhs, sal_attempt *a);
#define SAL__IMPLICIT_ATTEMPT(step, other_step) \
    .attempt = sal__implicit_attempt, .implicit_step = step, .explicit_step = other_step
/* Common members of methods of order 1 with one stage. */
#define SAL__IMPLICIT_EULER \
    .order = 1, .error_order = 2, .dense_order = 1, .default_accuracy = 1e-1, .loosest_accuracy = 5e-1, \
    .implicit_stages = 1, SAL__LINEAR_OUTPUT
sal_status sal__explicit_halves(const sal_rhs *rhs, sal_attempt *a);
/* Bogacki and Shampine's step, with its stages in im->unknowns. */
sal_status sal__explicit_third_order(const sal_rhs *rhs, sal_attempt *a);
/* Starts or ends work for the error estimate. */
void sal__set_estimating(sal_attempt *a, bool estimating);

#endif
