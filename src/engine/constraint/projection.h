/* A part whose state must stay where it belongs, and how it is brought back there: what projection.c
 * (all parts), constraint.c (one) and velocity_map.c (its q' = N(q) v) share. */
#ifndef SAL_PROJECTION_H
#define SAL_PROJECTION_H

#include "numerics/linear/least_squares_projection.h"
#include "engine/simulator.h"

typedef struct sal__bound {
    sal_simulator *sim;
    const sal_system *system;
    const sal_context *ctx;
    int part, unknowns;
    int *index;                       /* which elements of x the constraints move */
    sal__manifold position, velocity; /* m 0: none */
    sal__manifold map;                /* N' as its Jacobian; n 0: N is not asked for */
    double *u;                        /* the unknowns, or v */
    double *rows, *drift, *qdot;      /* N by rows; q' at v = 0; q' */
    double *near[4];                  /* residuals around the present state */
    double doubt, span;               /* how far two differences were apart; over what time */
    bool given;                       /* velocity level: constraint_rates */
    bool plain;                       /* at the start N was the identity */
} sal__bound;

struct sal__projection {
    sal__bound *bound;
    int bounds;
    double t;
    double *x;    /* the whole state that is looked at */
    double *kept; /* as it came */
    double *far;  /* beside it */
    double *dot;
    double distance; /* the furthest that an element went, in its units; */
    int furthest;    /* and of what part it is */
};

static inline const sal__part *sal__place(const sal__bound *b) {
    return &b->sim->plan->part[b->part];
}

/* velocity_map.c: N and what of q' does not come from v, into `rows` and `drift`; sal__map: q' of v by these. */
sal_status sal__ask_columns(sal__bound *b);
/* The same; where N was the identity at the start, and q' is v now, it is that. */
sal_status sal__ask_map(sal__bound *b);
bool sal__is_identity(const sal__bound *b);
void sal__map(const sal__bound *b, const double *v, double *qdot);
/* Errors of q as the weights see them: N W N+ e. */
sal_status sal__weigh(sal__bound *b, double *err);

/* constraint.c; x is the projection's, err (NULL: none) loses what led off. SAL_RETRY: found no place. */
sal_status sal__bring_back(sal__bound *b, double *err, bool *moved);
/* What the run needs to know of the model, asked once, where it begins. */
sal_status sal__examine(sal__bound *b, sal_note *why);
sal_status sal__bound_new(sal_simulator *sim, int part, sal__bound *to);
void sal__bound_free(sal__bound *b);
bool sal__is_bound(const sal_system *sys);
/* What counts as 1 for the error weights, of element i at x. */
double sal__unit(const sal_simulator *sim, int i, double x);

#endif
