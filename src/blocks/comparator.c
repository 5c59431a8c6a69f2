/* One of two by the side of a border that a signal is on: comparator, switch. */
#include "piecewise.h"

enum { THRESHOLD, ABOVE, BELOW };

/* Input 0 of a comparator, the last one of a switch. */
static sal_status variable(const sal_system *self, const sal_context *ctx, int i, double *u) {
    const double *input = NULL;
    const sal_status status = sal__input(ctx, self->inputs.count - 1, &input);
    if (status == SAL_OK)
        *u = input[i];
    return status;
}

static double border(const sal_system *self, const sal_context *ctx, int i, double k) {
    return k < 1 ? -HUGE_VAL : k > 1 ? HUGE_VAL : sal__at(sal__param_each(self, ctx, THRESHOLD), i);
}

static double guess(const sal_system *self, const sal_context *ctx, int i, double u) {
    return u >= border(self, ctx, i, 1);
}

static const sal__pieces sides = {variable, border, guess};

SAL_PIECES_CLASS(sides)

static sal_status comparator_output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *above = sal__get(ctx, SAL_XD);
    const sal__numbers high = sal__param_each(self, ctx, ABOVE), low = sal__param_each(self, ctx, BELOW);
    for (int i = 0; i < self->outputs.item[port].size; i++)
        y[i] = above[i] != 0 ? sal__at(high, i) : sal__at(low, i);
    return SAL_OK;
}

static void declare_comparator(sal__block_builder *b) {
    sal__add_input(b, "input", sal__size(b));
    sal__add_output(b, "output", sal__size(b), false);
    sal__add_pieces(b, sal__size(b), SAL_DISCRETE);
}

static const sal_block_option comparator_options[] = {
    {.name = "threshold", .type = SAL_OPTION_SIGNAL, .doc = "threshold of the input"},
    {.name = "above", .type = SAL_OPTION_SIGNAL, .default_value = 1, .doc = "output while the input is above"},
    {.name = "below", .type = SAL_OPTION_SIGNAL, .default_value = 0, .doc = "output while the input is below"},
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class comparator_class = {
    .name = "comparator", .output = comparator_output, SAL_PIECES_MEMBERS(sides)};

const sal__block sal__block_comparator = {
    {.name = "comparator",
     .doc = "Compares the signal with a threshold. With above = 1 and below = -1 the output is the sign.",
     .law = "output = above where input > threshold, else below",
     .time_invariant = true,
     .example = "saltus.blocks.comparator { threshold = 0.5 }",
     .options = comparator_options},
    &comparator_class,
    declare_comparator};

/* ---- switch ---- */

static sal_status switch_output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, *sal__get(ctx, SAL_XD) != 0 ? 0 : 1, &u);
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++)
        y[i] = u[i];
    return status;
}

static void declare_switch(sal__block_builder *b) {
    sal__add_inputs(b, 2, sal__size(b));
    sal__add_input(b, "control", 1);
    sal__add_output(b, "output", sal__size(b), true);
    sal__add_pieces(b, 1, SAL_DISCRETE);
}

static const sal_block_option switch_options[] = {
    {.name = "threshold", .type = SAL_OPTION_NUMBER, .default_value = 0.5, .doc = "threshold of control"},
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class switch_class = {.name = "switch", .output = switch_output, SAL_PIECES_MEMBERS(sides)};

const sal__block sal__block_switch = {{.name = "switch",
                                       .doc = "One of two signals, chosen by a third.",
                                       .law = "output = input1 while control is above threshold, else input2",
                                       .drake = "PortSwitch",
                                       .time_invariant = true,
                                       .example = "saltus.blocks.switch { threshold = 0 }",
                                       .options = switch_options},
                                      &switch_class,
                                      declare_switch};
