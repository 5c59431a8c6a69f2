/* One factor for every element of the signal. */
#include "saltus/blocks.h"

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    const double gain = *sal_context_get(ctx, SAL_PARAM);
    const int size = sal_context_size(ctx, SAL_INPUT);
    for (int i = 0; i < size; i++)
        y[i] = gain * u[i];
    return SAL_OK;
}

static const sal_system_class class = {.name = "gain", .output = output};

sal_status sal_block_gain(const sal_allocator *allocator, const char *name, int size, double gain, sal_system **out) {
    sal_system *sys = NULL;
    sal_status status = sal_system_new(allocator, &class, name, NULL, &sys);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_PARAM, "gain", 1, &gain);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_INPUT, "input", size, NULL);
    if (status == SAL_OK)
        status = sal_system_add_output(sys, "output", size, NULL);
    if (status == SAL_OK)
        *out = sys;
    else
        sal_system_free(sys);
    return status;
}
