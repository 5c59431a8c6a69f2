/* Adds or subtracts inputs, multiplies or divides them, element by element. */
#include "block_builder.h"

enum { MOST = 64 };

static sal_status add(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self;
    (void)port;
    const double *sign = sal__get(ctx, SAL_PARAM);
    const int inputs = ctx->layout->input_count, size = ctx->input_slot->size;
    for (int k = 0; k < inputs; k++) {
        const double *u = NULL, by = sign[k];
        const sal_status status = sal__input(ctx, k, &u);
        if (status != SAL_OK)
            return status;
        for (int i = 0; i < size; i++)
            y[i] = k == 0 ? by * u[i] : y[i] + by * u[i];
    }
    return SAL_OK;
}

static sal_status multiply(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *power = sal__param(self, ctx, 0);
    const int inputs = sal__param_size(self, 0), size = self->outputs.item[port].size;
    for (int k = 0; k < inputs; k++) {
        const double *u = NULL;
        const sal_status status = sal__input(ctx, k, &u);
        if (status != SAL_OK)
            return status;
        for (int i = 0; i < size; i++) {
            const double before = k == 0 ? 1 : y[i];
            y[i] = power[k] > 0 ? before * u[i] : before / u[i];
        }
    }
    return SAL_OK;
}

/* Declares an input for each character of the first option, and a parameter: +1 for the first of its words, else -1. */
static void declare(sal__block_builder *b) {
    const sal_block_option *option = b->block->kind.options;
    const char *characters = sal__value_of(b, option->name)->text;
    const int inputs = (int)strlen(characters);
    if (inputs > MOST) {
        sal__refuse(b, "there may be 64 inputs at most");
        return;
    }
    double numbers[MOST];
    for (int k = 0; k < inputs; k++)
        numbers[k] = characters[k] == option->words[0] ? 1 : -1;
    const sal_block_value value = {.option = option->name, .numbers = numbers, .count = inputs};
    sal__add_state(b, SAL_PARAM, option->name, inputs, &value);
    sal__add_inputs(b, inputs, sal__size(b));
    sal__add_output(b, "output", sal__size(b), true);
}

SAL_BLOCK(sum,
          SAL_OPTIONS(SAL_OPTION(TEXT, "signs", "+ or - for each input", .fixed = true, .words = "+-",
                                 .characters = "++"),
                      SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.output = add), .doc = "Inputs added or subtracted, as many as there are signs.",
          .law = "output = +- input1 +- input2 ...", .drake = "Adder", .simbody = "Plus, Minus", .time_invariant = true,
          .example = "saltus.blocks.sum { signs = \"+-\" }");

SAL_BLOCK(product,
          SAL_OPTIONS(SAL_OPTION(TEXT, "factors", "* or / for each input", .fixed = true, .words = "*/",
                                 .characters = "**"),
                      SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.output = multiply), .doc = "Inputs multiplied or divided, element by element.",
          .law = "output[i] = input1[i] input2[i] ...; an input whose factor is / divides", .time_invariant = true,
          .example = "saltus.blocks.product { factors = \"**/\" }");

sal_status sal_block_sum(const sal_allocator *allocator, const char *name, int size, const char *signs,
                         sal_system **out) {
    const double elements = size;
    const sal_block_value values[] = {{.option = "signs", .text = signs},
                                      {.option = "size", .numbers = &elements, .count = 1}};
    return sal_block_new(allocator, "sum", name, values, 2, NULL, out);
}
