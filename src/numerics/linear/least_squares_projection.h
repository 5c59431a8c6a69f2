/* The nearest point of a manifold r(x) = 0, in units of `scale`: Gauss-Newton with
 * one Jacobian, renewed only when it serves badly. What a state must satisfy besides
 * its differential equation (Eich, SIAM J. Numer. Anal. 30, 1993: coordinate
 * projection keeps a scheme's order; Hairer, Wanner, Solving ODEs II, VII.2).
 *
 * With D = diag(scale), the rows of (dr/dx) D are made orthonormal, L Q; a correction
 * is then -D Q' (Q Q')^-1 L^-1 r = -D Q' L^-1 r, the shortest one, and Q takes from an
 * error what leads off the manifold. Rows that hang on others, or that cancel but for
 * rounding, are left out, and must hold with the others. */
#ifndef SAL_LEAST_SQUARES_PROJECTION_H
#define SAL_LEAST_SQUARES_PROJECTION_H

#include "base/base.h"

typedef struct sal__manifold {
    int n, m, rank; /* variables, constraints, those that count */
    sal_status (*residual)(void *user, const double *x, double *r);
    void *user;
    double *scale;    /* n: what is a unit of each variable; set by the caller */
    double *jacobian; /* m rows of n, unscaled */
    double *q;        /* m rows of n: the first `rank`, in the order of `order`, are orthonormal */
    double *l;        /* m rows of m, lower triangle */
    double *terms;    /* m: how long the scaled rows would be if nothing cancelled in their sums; 0: they are no sums */
    double *length;   /* m: of each scaled row, or `terms`, the longer */
    double *r;        /* m: the last residual */
    double *y, *point, *displaced;
    int *order;
    int worst; /* the constraint that is furthest from holding; of the last failure */
} sal__manifold;

sal_status sal__manifold_init(sal__manifold *to, sal__pool *pool, int n, int m);

/* Jacobian at x by forward differences, with r the residual there; n evaluations. */
sal_status sal__manifold_differentiate(sal__manifold *manifold, const double *x);
/* From the Jacobian: L, Q, rank. */
void sal__manifold_factor(sal__manifold *manifold);

/* Moves x onto the manifold, to `tolerance` units; *moved: it was not there. `renew` returns a
 * fresh Jacobian at x. SAL_RETRY: not found; x is anywhere then. Differentiates and factors first. */
typedef sal_status (*sal__jacobian_updater)(sal__manifold *manifold, const double *x);
sal_status sal__manifold_project(sal__manifold *manifold, sal__jacobian_updater renew, double tolerance, double *x,
                                 bool *moved);

/* Takes from a small difference of x the part that leads off the manifold, as last factored. */
void sal__manifold_remove_normal(sal__manifold *manifold, double *difference);

/* For J the Jacobian, factored with scales of 1: the y, m values, that brings J' y nearest to e. */
void sal__manifold_solve_transposed(sal__manifold *manifold, const double *e, double *y);

#endif
