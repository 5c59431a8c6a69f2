/* Defines a method: one attempt at a step of a given size, as a const table.
 *
 * To add one: copy runge_kutta3.c, write its step, and add one line to the list in methods.c. */
#ifndef SAL_METHODS_H
#define SAL_METHODS_H

#include <math.h>

#include "base/base.h"
#include "saltus/integrator.h"

/* One attempted step. The integrator owns every array; all have n elements except `work`. */
typedef struct sal_attempt {
    const sal_method *method; /* who made it */
    double t, h;
    double t1;                      /* the end: exactly t + h, or the limit that it reaches */
    double *x0, *f0;                /* in: state and derivative at t */
    double *x1;                     /* out: state at t1; may hold stages before */
    double *f1;                     /* out, of first-same-as-last methods: derivative at (t1, x1) */
    bool has_f1;                    /* likewise, from other methods that computed it in this attempt */
    double *err;                    /* out, if the method has an estimate: signed error of x1 */
    double *work;                   /* method->work arrays of n; the interpolant may read them later */
    int nq, nv;                     /* x = (q, v, z); 0, 0 if not declared */
    int64_t evaluations;            /* counted by sal__eval */
    struct sal__implicit *implicit; /* for methods that solve for their stages: matrices and counts; else NULL */
} sal_attempt;

/* A method of an external library, which chooses its own steps. `open` allocates all memory, at creation; `step`
 * goes from a->t, a->x0 to a->t1, a->x1, at most to `limit`, and fills the rest of the attempt as usual; `forget`:
 * the state no longer continues from the last end. */
typedef struct sal__solver {
    sal_status (*open)(sal_integrator *in, void **out);
    void (*close)(void *self);
    void (*forget)(void *self);
    sal_status (*step)(void *self, const sal_rhs *rhs, sal_attempt *a, double limit);
} sal__solver;

struct sal_method {
    const char *name;
    int order;
    int error_order;                           /* the estimate decreases as h^error_order; 0: no estimate */
    int dense_order;                           /* order of the interpolant, for smooth problems */
    int dense_degree;                          /* of its polynomial in theta */
    double default_accuracy, loosest_accuracy; /* NaN without an estimate */
    bool first_same_as_last;                   /* attempt computes the end's derivative in f1 */
    bool predicts;                             /* Drake's controller, with a step no longer than the last two predict */
    double margin, log2_margin, memory;        /* for step sizes with memory, see step_size.c; 0: Drake's rule */
    double jump_factor;                        /* error / estimate in a step where f jumps; 0: not used */
    bool dense_needs_end;                      /* dense reads f1, which must be evaluated before */
    int work;
    bool factors_apart;               /* the stages' matrix has blocks of n x n, one number for each stage */
    bool scaled_increments;           /* for difference Jacobians: see jacobian.c */
    bool takes_bands;                 /* its matrices have n unknowns, and may be bands */
    bool has_trapezoid_estimate;      /* its estimate has a separate matrix */
    bool takes_mass;                  /* solves M x' = f(t, x) */
    double stability_limit;           /* limit of h |lambda| for real lambda < 0; 0: not measured, or no limit */
    double imaginary_stability_limit; /* the same for lambda on the imaginary axis, or where it grows by 1e-5 a step */
    int last_stage;                   /* index of the work array with the derivative of a stage at, or near, the end */
    /* for variable i, (x1 - that stage's state) / h: see stiffness.c */
    double (*stiffness_gap)(int n, const sal_attempt *a, int i);
    const sal_method *const *methods_by_kind; /* "auto": SAL__METHOD_KINDS methods to choose from; it has no attempt */
    int implicit_stages;                      /* stages that are solved for at once; 0: an explicit method */
    sal_status (*attempt)(const sal_rhs *rhs, sal_attempt *a);
    /* Of implicit methods; `explicit_step` replaces a step that would be shorter than the working minimum and solves
     * no equations. */
    sal_status (*implicit_step)(const sal_rhs *rhs, sal_attempt *a);
    sal_status (*explicit_step)(const sal_rhs *rhs, sal_attempt *a);
    const sal__solver *solver; /* instead of attempt, for external libraries; else NULL */
    /* May be NULL: evaluations for `dense` only, after f1, once for each accepted step. */
    sal_status (*dense_stages)(const sal_rhs *rhs, sal_attempt *a);
    /* Coefficients c[j * n + i] of theta^(j + 1), j < dense_degree:
     * x_i(theta) = x0_i + theta (c0_i + theta (c1_i + ...)). */
    void (*dense)(int n, const sal_attempt *a, double *c);
};

static inline sal_status sal__eval(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, double *dx) {
    a->evaluations++;
    return rhs->eval(rhs->user, t, x, dx);
}

/* A stage of an explicit method, in a function of rhs, at, n and x: computes its state, an expression in i, into x
 * and evaluates its derivative k. */
#define SAL__STAGE(time, state, k) \
    do { \
        for (int i = 0; i < n; i++) \
            x[i] = (state); \
        const sal_status status = sal__eval(rhs, at, time, x, k); \
        if (status != SAL_OK) \
            return status; \
    } while (0)

/* What "auto" is made of. */
enum { SAL__ORDER_5, SAL__ORDER_8, SAL__ONE_MATRIX, SAL__ITERATED, SAL__METHOD_KINDS };

/* Small systems spend more time on the loop over their variables than on the sums: a step function for any n is also
 * compiled for n of 1 to 4, with unrolled loops. */
#define SAL__STEP_BODY SAL__ALWAYS_INLINE sal_status
/* Vectorization is slower there: values that a scalar right-hand side has just stored cannot be loaded as one
 * vector. */
#if defined(__GNUC__) && !defined(__clang__)
#define SAL__SCALAR __attribute__((optimize("no-tree-vectorize")))
#else
#define SAL__SCALAR
#endif
#define SAL__ATTEMPT_FOR(attempt, body, size) \
    SAL__SCALAR static sal_status attempt##_##size(const sal_rhs *rhs, sal_attempt *at) { \
        return body(rhs, at, size); \
    }
#ifdef SAL_MINIMAL
#define SAL__ATTEMPT_WITH(attempt, body) \
    static sal_status attempt(const sal_rhs *rhs, sal_attempt *at) { \
        return body(rhs, at, rhs->n); \
    }
#else
#define SAL__ATTEMPT_WITH(attempt, body) \
    SAL__ATTEMPT_FOR(attempt, body, 1) \
    SAL__ATTEMPT_FOR(attempt, body, 2) \
    SAL__ATTEMPT_FOR(attempt, body, 3) \
    SAL__ATTEMPT_FOR(attempt, body, 4) \
    static sal_status attempt##_any(const sal_rhs *rhs, sal_attempt *at) { \
        return body(rhs, at, rhs->n); \
    } \
    static sal_status attempt(const sal_rhs *rhs, sal_attempt *at) { \
        static sal_status (*const of_size[])(const sal_rhs *rhs, sal_attempt *at) = { \
            attempt##_any, attempt##_1, attempt##_2, attempt##_3, attempt##_4}; \
        return of_size[rhs->n <= 4 ? rhs->n : 0](rhs, at); \
    }
#endif

#ifdef SAL_MINIMAL
/* A table with a name only; NULL if there is no such method in the whole library either. minimal.c */
const sal_method *sal__left_out_method(const char *name);
#endif

/* Cubic through the values and derivatives at both ends, for any method. */
enum { SAL__HERMITE_DEGREE = 3 };
void sal__hermite(int n, const sal_attempt *a, double *c);

/* A straight line from end to end. */
void sal__linear_output(int n, const sal_attempt *a, double *c);

/* Members of a method's table: dense output by that cubic, or by that line; common members of pairs of orders 3 and 2,
 * and of 5 and 4; the step size rule of those with a memory; no error estimate. */
#define SAL__HERMITE_OUTPUT .dense_degree = SAL__HERMITE_DEGREE, .dense_needs_end = true, .dense = sal__hermite
#define SAL__LINEAR_OUTPUT .dense_degree = 1, .dense = sal__linear_output
#define SAL__FIFTH_ORDER_PAIR(gap_of, attempt_of, dense_of) \
    .order = 5, .error_order = 5, /* of the difference of the two results */ \
        .dense_order = 4, .dense_degree = 4, .first_same_as_last = true, .work = 5, .last_stage = 4, \
    .stiffness_gap = gap_of, .attempt = attempt_of, .dense = dense_of
#define SAL__FIFTH_ORDER_STEPS \
    .default_accuracy = 1e-6, .loosest_accuracy = 1e-2, .margin = 0.85, .log2_margin = -0.23446525363702297, \
    .memory = 0.125
#define SAL__NO_ESTIMATE .default_accuracy = NAN, .loosest_accuracy = NAN

/* Methods that other files use by name; methods.c lists all of them. */
extern const sal_method sal__bogacki_shampine3, sal__runge_kutta5, sal__tsitouras5, sal__dormand_prince5,
    sal__dormand_prince8, sal__radau5, sal__rodas4, sal__velocity_verlet, sal__symplectic4, sal__auto;

#endif
