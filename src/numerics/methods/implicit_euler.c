/* Implicit Euler with extrapolation: two steps of h/2 give the result; a separate step of h, with twice the error,
 * gives the estimate: x_h - x = O(h^2). Plain backward Euler is radau1. */
#include "numerics/implicit/implicit.h"

static sal_status step(const sal_rhs *rhs, sal_attempt *a) {
    return sal__step_by_halves(rhs, a, sal__single_stage);
}

const sal_method sal__implicit_euler = {.name = "implicit_euler",
                                        .takes_bands = true,
                                        SAL__IMPLICIT_ATTEMPT(step, sal__explicit_halves),
                                        SAL__IMPLICIT_EULER};
