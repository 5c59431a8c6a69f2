/* What running extremes are made of: which of two values is one, and what the last step brought, read from the
 * engine's past of the input, a polynomial for each step. */
#ifndef SAL_EXTREMUM_SEARCH_H
#define SAL_EXTREMUM_SEARCH_H

#include "block.h"

typedef struct sal__extremum {
    double value, t; /* t -INFINITY: none yet */
} sal__extremum;

/* Larger is better, for all four blocks. */
typedef double (*sal__extremum_order)(double value);
sal__extremum_order sal__extremum_order_of(const sal_system *self);
static inline bool sal__is_nearest(sal__extremum_order merit) {
    return merit(1) == -1 && merit(-1) == -1;
}

/* The sign of the rate with which an input of this value gains merit; 0: of any, or of none. */
double sal__improving_sign(sal__extremum_order merit, double value);

/* Is the value an extreme beside what stood so far? */
static inline bool sal__beats(sal__extremum_order merit, double value, const sal__extremum *best) {
    return best->t == -HUGE_VAL || merit(value) > merit(best->value);
}

/* All points since the beginning of the newest interval, but the present one, for element i; `inside` of it too, as
 * far as the time lies. Returns the size of the values there, which the past knows up to rounding. */
double sal__update_from_history(const sal_system *self, const sal_context *ctx, sal__extremum_order merit, int i,
                                double since, bool inside, sal__extremum *best);

#endif
