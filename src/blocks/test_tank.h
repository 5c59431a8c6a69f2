/* A tank with an inflow, a plant with one, and a simulator of either, for tests of mistakes. */
#ifndef SAL_TEST_TANK_H
#define SAL_TEST_TANK_H

#include "test_mistakes.h"

static inline sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = -sal_context_get(ctx, SAL_Z)[0];
    return SAL_OK;
}

static inline sal_status flow(const sal_system *self, const sal_context *ctx, int port, double *value) {
    const double *u = NULL;
    (void)self, (void)port;
    const sal_status status = sal_context_input(ctx, 0, &u);
    *value = status == SAL_OK ? 2 * *u : 0;
    return status;
}

static const sal_system_class tank_class = {.name = "tank", .derivatives = rates, .output = flow};

static inline sal_system *system_of(const sal_system_class *class) {
    sal_system *sys = NULL;
    sal_system_new(NULL, class, "tank", NULL, &sys);
    return keep(sys);
}

static inline sal_system *tank(void) {
    sal_system *sys = system_of(&tank_class);
    sal_system_add_values(sys, SAL_Z, "level", 1, (double[]){1});
    sal_system_add_values(sys, SAL_INPUT, "inflow", 1, NULL);
    sal_system_add_output(sys, "flow", 1, NULL);
    return sys;
}

static inline sal_system *plant(void) {
    sal_system *d = NULL, *gain = NULL;
    sal_diagram_new(NULL, "plant", &d);
    sal_block_gain(NULL, "gain", 2, 3, &gain);
    keep(d);
    sal_diagram_add(d, tank(), "tank", NULL);
    sal_diagram_add(d, keep(gain), "gain", NULL);
    return d;
}

static inline const char *said(const sal_system *sys) {
    return sal_system_trouble(sys);
}

static inline sal_simulator *running(sal_system *sys) {
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &sim) == SAL_OK);
    return sim;
}

#endif
