/* Blocks that join, split, select and pass on signals. */
#include "block.h"

static sal_status join(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)port;
    for (int k = 0; k < self->inputs.count; k++) {
        const int size = self->values.item[self->inputs.item[k]].size;
        const sal_status status = sal__copy_input(ctx, k, y, size);
        if (status != SAL_OK)
            return status;
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

/* Returns the sum of the sizes, which are whole numbers of at least 1. */
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

/* The sizes are a parameter that cannot change. */
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
    SAL_OPTION(LIST, "sizes", "size of each signal", .required = true, .fixed = true),
    {0},
};

SAL_BLOCK(mux, sizes_options, declare_mux, SAL_FUNCTIONS(.output = join), .doc = "Joins signals into one vector.",
          .law = "output = { input1, input2, ... }", .drake = "Multiplexer", .time_invariant = true,
          .example = "saltus.blocks.mux { sizes = { 1, 2 } }");

SAL_BLOCK(demux, sizes_options, declare_demux, SAL_FUNCTIONS(.output = part),
          .doc = "Splits a vector into several signals.", .law = "{ output1, output2, ... } = input",
          .drake = "Demultiplexer", .time_invariant = true, .example = "saltus.blocks.demux { sizes = { 1, 2 } }");

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

SAL_BLOCK(selector, SAL_OPTIONS(SAL_OPTION(LIST, "elements", "indices, from 1", .required = true), SAL_SIZE_OPTION),
          declare_selector, SAL_FUNCTIONS(.output = choose), .doc = "Elements of a signal, in any order, once or more.",
          .law = "output[i] = input[elements[i]]", .drake = "Selector", .time_invariant = true,
          .example = "saltus.blocks.selector { elements = { 3, 1 }, size = 3 }");

/* ---- pass through ---- */

static sal_status pass(const sal_system *self, const sal_context *ctx, int port, double *y) {
    return sal__copy_input(ctx, 0, y, self->outputs.item[port].size);
}

SAL_BLOCK(pass_through, SAL_OPTIONS(SAL_SIZE_OPTION), sal__declare_direct, SAL_FUNCTIONS(.output = pass),
          .doc = "Passes a signal on: one port for several connections.", .law = "output = input",
          .drake = "PassThrough", .simbody = "Result", .time_invariant = true,
          .example = "saltus.blocks.pass_through { size = 2 }");
