/* Finds extremes: compares two values, and searches the last step in the engine's history of the input, which is a
 * polynomial for each step. */
#ifndef SAL_EXTREMUM_SEARCH_H
#define SAL_EXTREMUM_SEARCH_H

#include "block.h"

typedef struct sal__extremum {
    double value, t; /* t -INFINITY: none yet */
} sal__extremum;

/* Larger is better, for all four blocks. The data of their classes has this function. */
typedef double (*sal__extremum_order)(double value);
typedef struct sal__extremum_kind {
    sal__follower follower;
    sal__extremum_order merit;
} sal__extremum_kind;
static inline sal__extremum_order sal__extremum_order_of(const sal_system *self) {
    return ((const sal__extremum_kind *)self->behaviour->data)->merit;
}
static inline bool sal__is_nearest(sal__extremum_order merit) {
    return merit(1) == -1 && merit(-1) == -1;
}

/* Returns the sign of a rate that makes an input with this value better; 0: both signs do, or neither. */
double sal__improving_sign(sal__extremum_order merit, double value);

/* Whether the value is better than the best so far. */
static inline bool sal__beats(sal__extremum_order merit, double value, const sal__extremum *best) {
    return best->t == -HUGE_VAL || merit(value) > merit(best->value);
}

/* Updates `best` of element i from the points of the newest interval, without the present point; with `inside`, also
 * from values between them, up to the present time. Returns the largest |value| there, which scales the rounding
 * error of the history. */
double sal__update_from_history(const sal_system *self, const sal_context *ctx, sal__extremum_order merit, int i,
                                double since, bool inside, sal__extremum *best);

#endif
