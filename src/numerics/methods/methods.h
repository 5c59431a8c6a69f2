/* What a method is: one attempt at a step of a given size, as a const table.
 *
 * To add one: copy runge_kutta3.c, write its attempt, list it in methods.c. */
#ifndef SAL_METHODS_H
#define SAL_METHODS_H

#include "saltus/integrator.h"

/* One attempted step. The integrator owns every array; all are n long but `work`. */
typedef struct sal_attempt {
    double t, h;
    double t1;           /* the end: t + h, or the limit it reaches, exactly */
    double *x0, *f0;     /* in: state and derivative at t */
    double *x1;          /* out: state at t1; free to hold stages before */
    double *f1;          /* out, of first-same-as-last methods: derivative at (t1, x1) */
    double *err;         /* out, of methods with an estimate: signed error of x1 */
    double *work;        /* method->work arrays of n; the interpolant may read them later */
    int64_t evaluations; /* counted by sal__eval */
} sal_attempt;

struct sal_method {
    const char *name;
    int order;
    int error_order;                           /* the estimate falls as h^error_order; 0: there is none */
    int dense_order;                           /* the interpolant's, on smooth problems */
    int dense_degree;                          /* of its polynomial in theta */
    double default_accuracy, loosest_accuracy; /* NaN without an estimate */
    bool first_same_as_last;                   /* attempt leaves the end's derivative in f1 */
    bool dense_needs_end;                      /* dense reads f1, which others must evaluate first */
    int work;
    sal_status (*attempt)(const sal_rhs *rhs, sal_attempt *a);
    /* Coefficients c[j * n + i] of theta^(j + 1), j < dense_degree:
     * x_i(theta) = x0_i + theta (c0_i + theta (c1_i + ...)). */
    void (*dense)(int n, const sal_attempt *a, double *c);
};

static inline sal_status sal__eval(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, double *dx) {
    a->evaluations++;
    return rhs->eval(rhs->user, t, x, dx);
}

/* Small systems spend more on the loop over their variables than on the sums: a
 * step body written for any n is compiled for n of 1 to 4 too, loops unrolled. */
#if defined(__GNUC__)
#define SAL__STEP_BODY static inline __attribute__((always_inline)) sal_status
#else
#define SAL__STEP_BODY static inline sal_status
#endif
#define SAL__ATTEMPT_WITH(body) \
    static sal_status attempt(const sal_rhs *rhs, sal_attempt *at) { \
        switch (rhs->n) { \
        case 1: \
            return body(rhs, at, 1); \
        case 2: \
            return body(rhs, at, 2); \
        case 3: \
            return body(rhs, at, 3); \
        case 4: \
            return body(rhs, at, 4); \
        default: \
            return body(rhs, at, rhs->n); \
        } \
    }

/* Cubic through the values and derivatives at both ends: what fits any method. */
enum { SAL__HERMITE_DEGREE = 3 };
void sal__hermite(int n, const sal_attempt *a, double *c);

extern const sal_method sal__explicit_euler, sal__runge_kutta2, sal__runge_kutta3, sal__bogacki_shampine3,
    sal__runge_kutta5, sal__tsitouras5;

#endif
