/* A sine of time. */
#include <math.h>

#include "saltus/blocks.h"

enum { AMPLITUDE, FREQUENCY, PHASE };

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    const double *p = sal_context_get(ctx, SAL_PARAM);
    *y = p[AMPLITUDE] * sin(p[FREQUENCY] * sal_context_time(ctx) + p[PHASE]);
    return SAL_OK;
}

static const sal_system_class class = {.name = "sine", .output = output};

sal_status sal_block_sine(const sal_allocator *allocator, const char *name, double amplitude, double frequency,
                          double phase, sal_system **out) {
    sal_system *sys = NULL;
    sal_status status = sal_system_new(allocator, &class, name, NULL, &sys);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_PARAM, "amplitude", 1, &amplitude);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_PARAM, "frequency", 1, &frequency);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_PARAM, "phase", 1, &phase);
    if (status == SAL_OK)
        status = sal_system_add_output(sys, "output", 1, NULL);
    if (status == SAL_OK)
        *out = sys;
    else
        sal_system_free(sys);
    return status;
}
