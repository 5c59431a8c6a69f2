/* Sources without memory: what never changes, and time. */
#include <string.h>

#include "block.h"

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const sal__numbers value = sal__param_each(self, ctx, 0);
    for (int i = 0; i < self->outputs.item[port].size; i++)
        y[i] = sal__at(value, i);
    return SAL_OK;
}

static void declare(sal__block_builder *b) {
    sal__add_output(b, "output", sal__size(b), false);
}

static const sal_block_option options[] = {
    {.name = "value", .type = SAL_OPTION_SIGNAL, .required = true, .doc = "the output"}, SAL_SIZE_OPTION, {0}};

static const sal_system_class class = {.name = "constant", .output = output};

const sal__block sal__block_constant = {{.name = "constant",
                                         .doc = "A source that never changes.",
                                         .law = "output = value",
                                         .drake = "ConstantVectorSource",
                                         .time_invariant = true,
                                         .alias_partition = 1 + SAL_PARAM,
                                         .simbody = "Constant, Zero, One, Variable",
                                         .example = "saltus.blocks.constant { value = { 1, 2 } }",
                                         .options = options},
                                        &class,
                                        declare};

sal_status sal_block_constant(const sal_allocator *allocator, const char *name, int size, const double *value,
                              sal_system **out) {
    const double elements = size;
    const sal_block_value told[] = {{.option = "value", .numbers = value, .count = size},
                                    {.option = "size", .numbers = &elements, .count = 1}};
    return sal_block_new(allocator, "constant", name, told, 2, NULL, out);
}

/* ---- time ---- */

static sal_status now(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    *y = sal_context_time(ctx);
    return SAL_OK;
}

static void declare_clock(sal__block_builder *b) {
    sal__add_output(b, "output", 1, false);
}

static const sal_block_option clock_options[] = {{0}};

static const sal_system_class clock_class = {.name = "clock", .output = now};

const sal__block sal__block_clock = {{.name = "clock",
                                      .doc = "Time.",
                                      .law = "output = t",
                                      .units = "output=s",
                                      .simbody = "Time",
                                      .example = "saltus.blocks.clock {}",
                                      .options = clock_options},
                                     &clock_class,
                                     declare_clock};
