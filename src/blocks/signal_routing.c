/* Signals put together, taken apart, chosen from, passed on. */
#include <string.h>

#include "block.h"

static sal_status join(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)port;
    for (int k = 0; k < self->inputs.count; k++) {
        const int size = self->values.item[self->inputs.item[k]].size;
        const double *u = NULL;
        const sal_status status = sal__input(ctx, k, &u);
        if (status != SAL_OK)
            return status;
        memcpy(y, u, sizeof *y * (size_t)size);
        y += size;
    }
    return SAL_OK;
}

static sal_status part(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    for (int k = 0; status == SAL_OK && k < port; k++)
        u += self->outputs.item[k].size;
    if (status == SAL_OK)
        memcpy(y, u, sizeof *y * (size_t)self->outputs.item[port].size);
    return status;
}

/* The sum of the sizes, which are whole numbers of at least 1. */
static int total(sal__block_builder *b, const sal_block_value *sizes) {
    double sum = 0;
    for (int k = 0; k < sizes->count; k++) {
        if (!(sizes->numbers[k] >= 1 && sizes->numbers[k] <= 1e6 && sizes->numbers[k] == floor(sizes->numbers[k])))
            sal__refuse(b, "option sizes must be whole numbers of at least 1");
        else
            sum += sizes->numbers[k];
    }
    return sum < 1e6 ? (int)sum : 0;
}

/* The sizes are a parameter that the context must not change: fixed, but kept. */
static void keep_list(sal__block_builder *b, const char *option) {
    sal__add_state(b, SAL_PARAM, option, sal__value_of(b, option)->count, sal__value_of(b, option));
}

static void declare_mux(sal__block_builder *b) {
    const sal_block_value *sizes = sal__value_of(b, "sizes");
    const int size = total(b, sizes);
    keep_list(b, "sizes");
    for (int k = 0; k < sizes->count; k++)
        sal__add_numbered_input(b, k + 1, (int)sizes->numbers[k]);
    sal__add_output(b, "output", size, true);
}

static void declare_demux(sal__block_builder *b) {
    const sal_block_value *sizes = sal__value_of(b, "sizes");
    sal__add_input(b, "input", total(b, sizes));
    for (int k = 0; k < sizes->count; k++)
        sal__add_numbered_output(b, k + 1, (int)sizes->numbers[k]);
}

static const sal_block_option sizes_options[] = {
    {.name = "sizes", .type = SAL_OPTION_LIST, .fixed = true, .required = true, .doc = "size of each signal"}, {0}};

static const sal_system_class mux_class = {.name = "mux", .output = join};
static const sal_system_class demux_class = {.name = "demux", .output = part};

const sal__block sal__block_mux = {{.name = "mux",
                                    .doc = "Joins signals into one vector.",
                                    .law = "output = { input1, input2, ... }",
                                    .drake = "Multiplexer",
                                    .time_invariant = true,
                                    .example = "saltus.blocks.mux { sizes = { 1, 2 } }",
                                    .options = sizes_options},
                                   &mux_class,
                                   declare_mux};

const sal__block sal__block_demux = {{.name = "demux",
                                      .doc = "Splits a vector into several signals.",
                                      .law = "{ output1, output2, ... } = input",
                                      .drake = "Demultiplexer",
                                      .time_invariant = true,
                                      .example = "saltus.blocks.demux { sizes = { 1, 2 } }",
                                      .options = sizes_options},
                                     &demux_class,
                                     declare_demux};

/* ---- selector ---- */

static sal_status choose(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL, *element = sal__param(self, ctx, 0);
    const sal_status status = sal__input(ctx, 0, &u);
    const int size = self->size[SAL_INPUT];
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++)
        y[i] = u[sal__index(element[i] - 1, size)];
    return status;
}

static void declare_selector(sal__block_builder *b) {
    const sal_block_value *elements = sal__value_of(b, "elements");
    for (int i = 0; i < elements->count; i++)
        if (!(elements->numbers[i] >= 1 && elements->numbers[i] <= sal__size(b)) ||
            elements->numbers[i] != floor(elements->numbers[i]))
            sal__refuse(b, "option elements must be whole numbers from 1 to size");
    sal__add_input(b, "input", sal__size(b));
    sal__add_output(b, "output", elements->count, true);
}

static const sal_block_option selector_options[] = {
    {.name = "elements", .type = SAL_OPTION_LIST, .required = true, .doc = "indices, from 1"}, SAL_SIZE_OPTION, {0}};

static const sal_system_class selector_class = {.name = "selector", .output = choose};

const sal__block sal__block_selector = {{.name = "selector",
                                         .doc = "Elements of a signal, in any order, once or more.",
                                         .law = "output[i] = input[elements[i]]",
                                         .drake = "Selector",
                                         .time_invariant = true,
                                         .example = "saltus.blocks.selector { elements = { 3, 1 }, size = 3 }",
                                         .options = selector_options},
                                        &selector_class,
                                        declare_selector};

/* ---- pass through ---- */

static sal_status pass(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    if (status == SAL_OK)
        memcpy(y, u, sizeof *y * (size_t)self->outputs.item[port].size);
    return status;
}

static void declare_pass(sal__block_builder *b) {
    sal__add_input(b, "input", sal__size(b));
    sal__add_output(b, "output", sal__size(b), true);
}

static const sal_block_option pass_options[] = {SAL_SIZE_OPTION, {0}};

static const sal_system_class pass_class = {.name = "pass_through", .output = pass};

const sal__block sal__block_pass_through = {{.name = "pass_through",
                                             .doc = "Passes a signal on: one port for several connections.",
                                             .law = "output = input",
                                             .drake = "PassThrough",
                                             .time_invariant = true,
                                             .simbody = "Result",
                                             .example = "saltus.blocks.pass_through { size = 2 }",
                                             .options = pass_options},
                                            &pass_class,
                                            declare_pass};
