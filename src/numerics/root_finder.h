/* Finding where a scalar function of a step's fraction crosses zero. */
#ifndef SAL_ROOT_FINDER_H
#define SAL_ROOT_FINDER_H

#include "saltus/status.h"

/* w at theta in [0, 1] of a step. SAL_ENAN and callback failures are passed through. */
typedef struct sal__probe {
    sal_status (*eval)(void *user, double theta, double *w);
    void *user;
} sal__probe;

/* An interval of theta with values and slopes (dw/dtheta) at its ends; a slope may be NaN: unknown. */
typedef struct sal__root_interval {
    double a, wa, sa;
    double b, wb, sb;
} sal__root_interval;

/* Shrinks a piece over which w changes sign (wa and wb of opposite sign, or wb zero, or wa zero after the start was
 * left: see the source) until b - a <= max(2^-52, tolerance), and returns its right end: *theta, where w has the
 * sign of wb or is zero. *wb is w there. */
sal_status sal__find_root(const sal__probe *probe, const sal__root_interval *piece, double tolerance, double *theta,
                          double *w);

/* Searches for an interior extremum of w towards zero. w has one sign at both ends (or is zero at the start), and
 * the cubic of the end slopes must have such an extremum. Returns *found = true and the point (*theta, *w), where w
 * is zero or of the other sign; false if there is none. */
sal_status sal__search_interior_extremum(const sal__probe *probe, const sal__root_interval *piece, bool *found,
                                         double *theta, double *w);

#endif
