/* A source that never changes. */
#include <string.h>

#include "saltus/blocks.h"

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    memcpy(y, sal_context_get(ctx, SAL_PARAM), sizeof *y * (size_t)sal_context_size(ctx, SAL_PARAM));
    return SAL_OK;
}

static const sal_system_class class = {.name = "constant", .output = output};

sal_status sal_block_constant(const sal_allocator *allocator, const char *name, int size, const double *value,
                              sal_system **out) {
    sal_system *sys = NULL;
    sal_status status = sal_system_new(allocator, &class, name, NULL, &sys);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_PARAM, "value", size, value);
    if (status == SAL_OK)
        status = sal_system_add_output(sys, "output", size, NULL);
    if (status == SAL_OK)
        *out = sys;
    else
        sal_system_free(sys);
    return status;
}
