/* Lorenz' system in C: bare, and as a system of the engine. */
#ifndef SAL_BENCH_LORENZ_H
#define SAL_BENCH_LORENZ_H

#include <stdio.h>

#include "saltus/saltus.h"

static inline void lorenz(const double *x, double *dx) {
    dx[0] = 10 * (x[1] - x[0]);
    dx[1] = x[0] * (28 - x[2]) - x[1];
    dx[2] = x[0] * x[1] - 8.0 / 3 * x[2];
}

static inline sal_status lorenz_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    lorenz(sal_context_get(ctx, SAL_Z), dot->z);
    return SAL_OK;
}

static const sal_system_class lorenz_class = {.name = "lorenz", .derivatives = lorenz_rates};

/* A simulator at t = 0 and (1, 1, 1); exits when it cannot be made. */
static inline sal_simulator *new_lorenz(const sal_simulator_config *config) {
    const double one[3] = {1, 1, 1};
    sal_system *sys = NULL;
    sal_simulator *sim = NULL;
    if (sal_system_new(NULL, &lorenz_class, "lorenz", NULL, &sys) != SAL_OK ||
        sal_system_add_values(sys, SAL_Z, "x", 3, one) != SAL_OK ||
        sal_simulator_new(NULL, sys, NULL, config, &sim) != SAL_OK) {
        fprintf(stderr, "lorenz cannot be made\n");
        exit(1);
    }
    return sim;
}

#endif
