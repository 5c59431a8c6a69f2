/* Sources without state: a constant, and time. */
#include "block.h"

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    return sal__spread(sal__param_each(self, ctx, 0), self->outputs.item[port].size, y);
}

SAL_BLOCK(constant, SAL_OPTIONS(SAL_OPTION(SIGNAL, "value", "the output", .required = true), SAL_SIZE_OPTION),
          sal__declare_source, SAL_FUNCTIONS(.output = output), .doc = "A source that never changes.",
          .law = "output = value", .drake = "ConstantVectorSource", .simbody = "Constant, Zero, One, Variable",
          .time_invariant = true, .alias_partition = 1 + SAL_PARAM,
          .example = "saltus.blocks.constant { value = { 1, 2 } }");

sal_status sal_block_constant(const sal_allocator *allocator, const char *name, int size, const double *value,
                              sal_system **out) {
    const double elements = size;
    const sal_block_value values[] = {{.option = "value", .numbers = value, .count = size},
                                      {.option = "size", .numbers = &elements, .count = 1}};
    return sal_block_new(allocator, "constant", name, values, 2, NULL, out);
}

/* ---- time ---- */

static sal_status now(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    *y = sal_context_time(ctx);
    return SAL_OK;
}

SAL_BLOCK(clock, SAL_OPTIONS({0}), sal__declare_source, SAL_FUNCTIONS(.output = now), .doc = "Time.",
          .law = "output = t", .units = "output=s", .simbody = "Time", .example = "saltus.blocks.clock {}");
