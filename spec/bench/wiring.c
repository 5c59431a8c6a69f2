/* What wiring costs: blocks in C, as a diagram. Usage: wiring chain | ring COUNT
 *   chain  COUNT gains, one after the other, between an integral's output and its input
 *   ring   COUNT first-order lags, each fed by the one before it
 * Prints `key value` lines: ns per block and evaluation of the derivatives; us per block to build. */
#include "clock.h"

#include <math.h>
#include <stdio.h>

#include "saltus/saltus.h"

static sal_status amplify(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status == SAL_OK)
        *y = *sal_context_get(ctx, SAL_PARAM) * *u;
    return status;
}

static sal_status state(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    *y = *sal_context_get(ctx, SAL_Z);
    return SAL_OK;
}

static sal_status relax(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status == SAL_OK)
        *dot->z = (*u - *sal_context_get(ctx, SAL_Z)) / *sal_context_get(ctx, SAL_PARAM);
    return status;
}

static const sal_system_class gain_class = {.name = "gain", .output = amplify};
static const sal_system_class lag_class = {.name = "lag", .output = state, .derivatives = relax};

static sal_system *new_part(const sal_system_class *behaviour) {
    sal_system *sys = NULL;
    const double one = 1;
    if (sal_system_new(NULL, behaviour, "part", NULL, &sys) != SAL_OK ||
        sal_system_add_values(sys, SAL_PARAM, "k", 1, &one) != SAL_OK ||
        sal_system_add_values(sys, SAL_INPUT, "u", 1, NULL) != SAL_OK ||
        sal_system_add_output(sys, "y", 1, NULL) != SAL_OK ||
        (behaviour->derivatives && sal_system_add_values(sys, SAL_Z, "x", 1, &one) != SAL_OK))
        exit(1);
    return sys;
}

/* Every block is a system of its own, as when each has been given its options. */
static sal_simulator *build(bool chain, int n) {
    sal_system *whole = NULL;
    sal_simulator *sim = NULL;
    bool fine = sal_diagram_new(NULL, "wiring", &whole) == SAL_OK;
    for (int i = 0; i < n && fine; i++) {
        char name[16];
        snprintf(name, sizeof name, "part%d", i);
        sal_system *part = new_part(chain && i > 0 ? &gain_class : &lag_class);
        fine = sal_diagram_add(whole, part, name, NULL) == SAL_OK;
    }
    for (int i = 0; i < n && fine; i++)
        fine = sal_diagram_connect(whole, i, 0, (i + 1) % n, 0) == SAL_OK;
    if (!fine || sal_simulator_new(NULL, whole, NULL, NULL, &sim) != SAL_OK ||
        sal_simulator_initialize(sim, false, NULL) != SAL_OK)
        exit(1);
    return sim;
}

int main(int count, char **argument) {
    if (count < 3)
        return 2;
    const bool chain = strcmp(argument[1], "chain") == 0;
    const int n = (int)strtol(argument[2], NULL, 10);
    double built = INFINITY;
    sal_simulator *sim = NULL;
    for (int i = 0; i < 5; i++) { /* all are kept, so that none finds what another left */
        const double began = now();
        sim = build(chain, n);
        built = fmin(built, now() - began);
    }
    double *dx = calloc((size_t)n, sizeof *dx), best = INFINITY;
    const int rounds = 1 + 1000000 / n;
    for (int i = 0; i < 5 * patience() && dx; i++) {
        const double begin = now();
        for (int k = 0; k < rounds; k++)
            if (sal_simulator_derivatives(sim, dx) != SAL_OK)
                return 1;
        best = fmin(best, (now() - begin) / rounds / n);
    }
    printf("ns %.5g\nbuild_us %.5g\n", best * 1e9, built / n * 1e6);
    return 0;
}
