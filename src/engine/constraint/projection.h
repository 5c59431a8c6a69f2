/* A part whose state must stay where it belongs, and how it is brought back there: what projection.c
 * (all parts), constraint.c (one) and velocity_map.c (its q' = N(q) v) share. */
#ifndef SAL_PROJECTION_H
#define SAL_PROJECTION_H

#include "numerics/linear/least_squares_projection.h"
#include "engine/simulator.h"

typedef struct sal__constrained_part {
    sal_simulator *sim;
    const sal_system *system;
    const sal_context *ctx;
    int part, unknown_count;
    int *index;                               /* which elements of x the constraints move */
    sal__manifold position, velocity;         /* m 0: none */
    sal__manifold map;                        /* N' as its Jacobian; n 0: N is not asked for */
    double *u;                                /* the unknowns, or v */
    double *rows, *drift, *qdot;              /* N by rows; q' at v = 0; q' */
    double *residual_samples[4];              /* residuals around the present state */
    double difference_error, difference_span; /* how far two differences were apart; over what time */
    bool has_rates;                           /* velocity level: constraint_rates */
    bool is_identity;                         /* at the start N was the identity */
} sal__constrained_part;

struct sal__projection {
    sal__constrained_part *constrained;
    int constrained_count;
    double t;
    double *x;         /* the whole state that is looked at */
    double *original;  /* as it came */
    double *displaced; /* beside it */
    double *dot;
    double distance;   /* the furthest that an element went, in its units; */
    int furthest_part; /* and of what part it is */
    int far_steps;     /* steps in a row that ended far from the constraints */
};

static inline const sal__part *sal__layout_of_part(const sal__constrained_part *b) {
    return &b->sim->plan->part[b->part];
}

/* velocity_map.c: N and what of q' does not come from v, into `rows` and `drift`; sal__apply_velocity_map: q' of v by
 * these. */
sal_status sal__build_velocity_map(sal__constrained_part *b);
/* The same; where N was the identity at the start, and q' is v now, it is that. */
sal_status sal__refresh_velocity_map(sal__constrained_part *b);
bool sal__is_identity(const sal__constrained_part *b);
void sal__apply_velocity_map(const sal__constrained_part *b, const double *v, double *qdot);
/* Errors of q as the weights see them: N W N+ e. */
sal_status sal__weight_velocity_map(sal__constrained_part *b, double *err);

/* constraint.c; x is the projection's, err (NULL: none) loses what led off. SAL_RETRY: found no place. */
sal_status sal__project_part(sal__constrained_part *b, double *err, bool *moved);
/* What the run needs to know of the model, evaluated once at its start. */
sal_status sal__check_constraints(sal__constrained_part *b, sal_note *why);
sal_status sal__constrained_part_new(sal_simulator *sim, int part, sal__constrained_part *to);
bool sal__is_constrained(const sal_system *sys);
/* What counts as 1 for the error weights, of element i at x. */
double sal__error_unit(const sal_simulator *sim, int i, double x);

#endif
