/* Implicit Euler, extrapolation's way: two steps of h/2 carry the state on, one of h
 * beside them, with twice the error, estimates it: x_h - x = O(h^2). Backward Euler proper is radau1. */
#include "numerics/implicit/implicit.h"

static sal_status step(const sal_rhs *rhs, sal_attempt *a) {
    return sal__step_by_halves(rhs, a, sal__single_stage);
}

static sal_status attempt(const sal_rhs *rhs, sal_attempt *a) {
    return sal__implicit_attempt(rhs, a, step, sal__explicit_halves);
}

const sal_method sal__implicit_euler = {.name = "implicit_euler",
                                        .order = 1,
                                        .error_order = 2,
                                        .dense_order = 1,
                                        .default_accuracy = 1e-1,
                                        .loosest_accuracy = 5e-1,
                                        .implicit_stages = 1,
                                        .takes_bands = true,
                                        .attempt = attempt,
                                        SAL__HERMITE_OUTPUT};
