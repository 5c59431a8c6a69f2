/* Implicit Euler, extrapolation's way: two steps of h/2 carry the state on, one of h
 * beside them, with twice the error, estimates it: x_h - x = O(h^2). Backward Euler proper is radau1. */
#include "numerics/implicit/implicit.h"

static sal_status step(const sal_rhs *rhs, sal_attempt *a) {
    return sal__step_by_halves(rhs, a, sal__single_stage);
}

const sal_method sal__implicit_euler = {.name = "implicit_euler",
                                        .takes_bands = true,
                                        SAL__IMPLICIT_ATTEMPT(step, sal__explicit_halves),
                                        SAL__IMPLICIT_EULER};
