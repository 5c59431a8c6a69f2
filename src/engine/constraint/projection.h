/* What projection.c (all parts), constraint.c (one part) and velocity_map.c (its q' = N(q) v) share: a part whose
 * state is projected onto its constraints. */
#ifndef SAL_PROJECTION_H
#define SAL_PROJECTION_H

#include "numerics/linear/least_squares_projection.h"
#include "engine/simulator.h"

typedef struct sal__constrained_part {
    sal_simulator *sim;
    const sal_system *system;
    const sal_context *ctx;
    int part, unknown_count;
    int *index;                               /* the elements of x that the constraints may move */
    sal__manifold position, velocity;         /* m 0: none */
    sal__manifold map;                        /* N' as its Jacobian; n is 0 if N is not used */
    double *u;                                /* the unknowns, or v */
    double *rows, *drift, *qdot;              /* N by rows; q' at v = 0; q' */
    double *residual_samples[4];              /* residuals at four times around the present state */
    double difference_error, difference_span; /* the largest difference between two estimates; the span of time */
    bool has_rates;                           /* velocity level: the values of constraint_rates */
    bool is_identity;                         /* N was the identity at the start */
} sal__constrained_part;

struct sal__projection {
    sal__constrained_part *constrained;
    int constrained_count;
    double t;
    double *x;         /* the whole state that is projected */
    double *original;  /* as it came */
    double *displaced; /* beside it */
    double *dot;
    double distance;   /* the largest correction of an element, in its units; */
    int furthest_part; /* and of what part it is */
    int far_steps;     /* consecutive steps that ended far from the constraints */
};

static inline const sal__part *sal__layout_of_part(const sal__constrained_part *b) {
    return &b->sim->plan->part[b->part];
}

/* velocity_map.c. Computes N into `rows`, and the part of q' that does not depend on v into `drift`.
 * sal__apply_velocity_map computes q' from v with these. */
sal_status sal__build_velocity_map(sal__constrained_part *b);
/* The same, but cheap if N was the identity at the start and q' is v now. */
sal_status sal__refresh_velocity_map(sal__constrained_part *b);
bool sal__is_identity(const sal__constrained_part *b);
void sal__apply_velocity_map(const sal__constrained_part *b, const double *v, double *qdot);
/* Maps errors of q to what the error weights measure: N W N+ e. */
sal_status sal__weight_velocity_map(sal__constrained_part *b, double *err);

/* constraint.c. x is the state that the projection works on; err (or NULL) loses its component off the manifold.
 * SAL_RETRY: no state nearby meets the constraints. */
sal_status sal__project_part(sal__constrained_part *b, double *err, bool *moved);
/* Properties of the model that are evaluated once at the start of the run. */
sal_status sal__check_constraints(sal__constrained_part *b, sal_note *why);
sal_status sal__constrained_part_new(sal_simulator *sim, int part, sal__constrained_part *to);
bool sal__is_constrained(const sal_system *sys);
/* The unit of element i at x for the error weights. */
double sal__error_unit(const sal_simulator *sim, int i, double x);

#endif
