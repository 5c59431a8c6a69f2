/* Finds the nearest point of a manifold r(x) = 0, in units of `scale`: Gauss-Newton with one Jacobian, renewed only if
 * it converges badly. The manifold is the set of states that meet the constraints (Eich, SIAM J. Numer. Anal. 30, 1993:
 * coordinate projection keeps a scheme's order; Hairer, Wanner, Solving ODEs II, VII.2).
 *
 * With D = diag(scale), the rows of (dr/dx) D are orthonormalized, L Q; a correction is then -D Q' (Q Q')^-1 L^-1 r
 * = -D Q' L^-1 r, the shortest one, and Q removes from an error the part normal to the manifold. Rows that depend on
 * others, or that cancel except for rounding, are left out; their constraints must be met together with the others. */
#ifndef SAL_LEAST_SQUARES_PROJECTION_H
#define SAL_LEAST_SQUARES_PROJECTION_H

#include "base/base.h"

typedef struct sal__manifold {
    int n, m, rank; /* numbers of variables, constraints, independent constraints */
    sal_status (*residual)(void *user, const double *x, double *r);
    void *user;
    double *scale;    /* n: the unit of each variable; set by the caller */
    double *jacobian; /* m rows of n, unscaled */
    double *q;        /* m rows of n: the first `rank`, in the order of `order`, are orthonormal */
    double *l;        /* m rows of m, lower triangle */
    double *terms;    /* m: length of the scaled rows if nothing cancelled in their sums; 0: they are not sums */
    double *length;   /* m: the length of each scaled row, or `terms` if longer */
    double *r;        /* m: the last residual */
    double *y, *point, *displaced;
    int *order;
    int worst; /* the constraint with the largest residual in the last failure */
} sal__manifold;

sal_status sal__manifold_init(sal__manifold *to, sal__pool *pool, int n, int m);

/* Jacobian at x by forward differences, with r the residual there; n evaluations. */
sal_status sal__manifold_differentiate(sal__manifold *manifold, const double *x);
/* Computes L, Q and rank from the Jacobian. */
void sal__manifold_factor(sal__manifold *manifold);

/* Moves x onto the manifold, to `tolerance` units; *moved: x was not on it. `renew` returns a fresh Jacobian at x.
 * SAL_RETRY: no point was found; x is then undefined. Computes a Jacobian and factors first. */
typedef sal_status (*sal__jacobian_updater)(sal__manifold *manifold, const double *x);
sal_status sal__manifold_project(sal__manifold *manifold, sal__jacobian_updater renew, double tolerance, double *x,
                                 bool *moved);

/* Removes from a small difference of x the part normal to the manifold, with the last factors. */
void sal__manifold_remove_normal(sal__manifold *manifold, double *difference);

/* For the Jacobian J, factored with scales of 1: computes y, m values, with J' y nearest to e. */
void sal__manifold_solve_transposed(sal__manifold *manifold, const double *e, double *y);

#endif
