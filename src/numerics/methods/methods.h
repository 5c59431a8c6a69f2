/* What a method is: one attempt at a step of a given size, as a const table.
 *
 * To add one: copy runge_kutta3.c, write its step, and add one line to the list in methods.c. */
#ifndef SAL_METHODS_H
#define SAL_METHODS_H

#include <math.h>

#include "saltus/integrator.h"

/* One attempted step. The integrator owns every array; all are n long but `work`. */
typedef struct sal_attempt {
    const sal_method *method; /* who made it */
    double t, h;
    double t1;                      /* the end: t + h, or the limit it reaches, exactly */
    double *x0, *f0;                /* in: state and derivative at t */
    double *x1;                     /* out: state at t1; free to hold stages before */
    double *f1;                     /* out, of first-same-as-last methods: derivative at (t1, x1) */
    bool has_f1;                    /* likewise, of one that computed it in this attempt all the same */
    double *err;                    /* out, of methods with an estimate: signed error of x1 */
    double *work;                   /* method->work arrays of n; the interpolant may read them later */
    int nq, nv;                     /* x = (q, v, z); 0, 0 if not declared */
    int64_t evaluations;            /* counted by sal__eval */
    struct sal__implicit *implicit; /* of methods that solve for their stages: matrices and counts; else NULL */
} sal_attempt;

/* Of a method that chooses its own steps, from a library. `open` takes all memory, at set-up; `step`
 * goes from a->t, a->x0 to a->t1, a->x1 at most `limit`, the rest of the attempt as usual;
 * `forget`: what led to the last end no longer holds. */
typedef struct sal__solver {
    sal_status (*open)(sal_integrator *in, void **out);
    void (*close)(void *self);
    void (*forget)(void *self);
    sal_status (*step)(void *self, const sal_rhs *rhs, sal_attempt *a, double limit);
} sal__solver;

struct sal_method {
    const char *name;
    int order;
    int error_order;                           /* the estimate falls as h^error_order; 0: there is none */
    int dense_order;                           /* the interpolant's, on smooth problems */
    int dense_degree;                          /* of its polynomial in theta */
    double default_accuracy, loosest_accuracy; /* NaN without an estimate */
    bool first_same_as_last;                   /* attempt leaves the end's derivative in f1 */
    bool predicts;                             /* Drake's, and a step is not longer than the last two foretell */
    double margin, log2_margin, memory;        /* of sizes with memory, see step_size.c; 0: by Drake's rule */
    double jump_factor;                        /* of a step in which f jumps: error by estimate; 0: not heeded */
    bool dense_needs_end;                      /* dense reads f1, which others must evaluate first */
    int work;
    bool factors_apart;          /* the stages' matrix falls into blocks of n x n, one number each a stage */
    bool scaled_increments;      /* of difference Jacobians: see jacobian.c */
    bool takes_bands;            /* its matrices are of n unknowns, and may be bands */
    bool has_trapezoid_estimate; /* its estimate has a matrix of its own */
    bool takes_mass;             /* solves M x' = f(t, x) */
    double stability_limit;      /* the h |lambda| for real lambda < 0; 0: stiffness is no matter or not measured */
    double imaginary_stability_limit; /* the same of lambda on the imaginary axis, or where it grows by 1e-5 a step */
    int last_stage;                   /* of these: the work array with the derivative of a stage at, or near, the end */
    /* and for variable i, (x1 - that stage's state) / h: see stiffness.c */
    double (*stiffness_gap)(int n, const sal_attempt *a, int i);
    const sal_method *const
        *methods_by_kind; /* of "auto", SAL__METHOD_KINDS methods to choose from; it has no attempt */
    int implicit_stages;  /* solved for at once; 0: an explicit method */
    sal_status (*attempt)(const sal_rhs *rhs, sal_attempt *a);
    /* Of implicit methods; in place of a step that would be shorter than the working minimum, one without equations. */
    sal_status (*implicit_step)(const sal_rhs *rhs, sal_attempt *a);
    sal_status (*explicit_step)(const sal_rhs *rhs, sal_attempt *a);
    const sal__solver *solver; /* in place of attempt; NULL for all but those of libraries */
    /* May be NULL: evaluations that only `dense` needs, after f1, once an accepted step. */
    sal_status (*dense_stages)(const sal_rhs *rhs, sal_attempt *a);
    /* Coefficients c[j * n + i] of theta^(j + 1), j < dense_degree:
     * x_i(theta) = x0_i + theta (c0_i + theta (c1_i + ...)). */
    void (*dense)(int n, const sal_attempt *a, double *c);
};

static inline sal_status sal__eval(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, double *dx) {
    a->evaluations++;
    return rhs->eval(rhs->user, t, x, dx);
}

/* A stage of an explicit method, in a function of rhs, at, n and x: puts its state, an expression in i, into x and
 * evaluates its derivative k. */
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

/* Small systems spend more on the loop over their variables than on the sums: a
 * step body written for any n is compiled for n of 1 to 4 too, loops unrolled. */
#if defined(__GNUC__)
#define SAL__STEP_BODY static inline __attribute__((always_inline)) sal_status
#else
#define SAL__STEP_BODY static inline sal_status
#endif
/* There vectors lose: what a scalar right-hand side has just stored cannot be loaded as one. */
#if defined(__GNUC__) && !defined(__clang__)
#define SAL__SCALAR __attribute__((optimize("no-tree-vectorize")))
#else
#define SAL__SCALAR
#endif
#define SAL__ATTEMPT_FOR(body, size) \
    SAL__SCALAR static sal_status attempt_##size(const sal_rhs *rhs, sal_attempt *at) { \
        return body(rhs, at, size); \
    }
#define SAL__ATTEMPT_WITH(body) \
    SAL__ATTEMPT_FOR(body, 1) \
    SAL__ATTEMPT_FOR(body, 2) \
    SAL__ATTEMPT_FOR(body, 3) \
    SAL__ATTEMPT_FOR(body, 4) \
    static sal_status attempt_any(const sal_rhs *rhs, sal_attempt *at) { \
        return body(rhs, at, rhs->n); \
    } \
    static sal_status attempt(const sal_rhs *rhs, sal_attempt *at) { \
        static sal_status (*const of_size[])(const sal_rhs *rhs, sal_attempt *at) = {attempt_any, attempt_1, \
                                                                                     attempt_2, attempt_3, attempt_4}; \
        return of_size[rhs->n <= 4 ? rhs->n : 0](rhs, at); \
    }

/* Cubic through the values and derivatives at both ends: what fits any method. */
enum { SAL__HERMITE_DEGREE = 3 };
void sal__hermite(int n, const sal_attempt *a, double *c);

/* A straight line from end to end. */
void sal__line(int n, const sal_attempt *a, double *c);

/* Of a method's table: dense output by that cubic, or by that line; what pairs of orders 5 and 4 have in common, and how
 * those with a memory choose their steps; no error estimate. */
#define SAL__HERMITE_OUTPUT .dense_degree = SAL__HERMITE_DEGREE, .dense_needs_end = true, .dense = sal__hermite
#define SAL__LINEAR_OUTPUT .dense_degree = 1, .dense = sal__line
#define SAL__FIFTH_ORDER_PAIR \
    .order = 5, .error_order = 5, /* that of the difference of the two results */ \
        .dense_order = 4, .dense_degree = 4, .first_same_as_last = true, .work = 5, .last_stage = 4, \
    .stiffness_gap = gap, .attempt = attempt, .dense = dense
#define SAL__FIFTH_ORDER_STEPS \
    .default_accuracy = 1e-6, .loosest_accuracy = 1e-2, .margin = 0.85, .log2_margin = -0.23446525363702297, \
    .memory = 0.125
#define SAL__NO_ESTIMATE .default_accuracy = NAN, .loosest_accuracy = NAN

/* Methods that other files use by name; methods.c lists all of them. */
extern const sal_method sal__bogacki_shampine3, sal__runge_kutta5, sal__tsitouras5, sal__dormand_prince5,
    sal__dormand_prince8, sal__radau5, sal__rodas4, sal__velocity_verlet, sal__symplectic4, sal__auto;

#endif
