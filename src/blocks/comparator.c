/* Comparator and switch: one of two outputs, depending on the side of a threshold that a signal is on. */
#include "piecewise.h"

enum { THRESHOLD, ABOVE, BELOW };

/* The last input decides: the only input of a comparator, `control` of a switch. */
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

static sal_status comparator_output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const sal__numbers high = sal__param_each(self, ctx, ABOVE), low = sal__param_each(self, ctx, BELOW);
    return sal__spread_either(sal__get(ctx, SAL_XD), high, low, self->outputs.item[port].size, y);
}

static void declare_comparator(sal__block_builder *b) {
    sal__add_signal(b, false);
    sal__add_pieces(b, sal__size(b), SAL_DISCRETE);
}

SAL_BLOCK(comparator,
          SAL_OPTIONS(SAL_OPTION(SIGNAL, "threshold", "threshold of the input"),
                      SAL_OPTION(SIGNAL, "above", "output while the input is above", .default_value = 1),
                      SAL_OPTION(SIGNAL, "below", "output while the input is below", .default_value = 0),
                      SAL_SIZE_OPTION),
          declare_comparator, SAL_FUNCTIONS(.output = comparator_output, SAL_PIECES_MEMBERS(sides)),
          .doc = "Compares the signal with a threshold. With above = 1 and below = -1 the output is the sign.",
          .law = "output = above where input > threshold, else below", .time_invariant = true,
          .example = "saltus.blocks.comparator { threshold = 0.5 }");

/* ---- switch ---- */

static sal_status switch_output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    return sal__copy_input(ctx, *sal__get(ctx, SAL_XD) != 0 ? 0 : 1, y, self->outputs.item[port].size);
}

static void declare_switch(sal__block_builder *b) {
    sal__add_inputs(b, 2, sal__size(b));
    sal__add_input(b, "control", 1);
    sal__add_output(b, "output", sal__size(b), true);
    sal__add_pieces(b, 1, SAL_DISCRETE);
}

SAL_BLOCK(switch,
          SAL_OPTIONS(SAL_OPTION(NUMBER, "threshold", "threshold of control", .default_value = 0.5), SAL_SIZE_OPTION),
          declare_switch, SAL_FUNCTIONS(.output = switch_output, SAL_PIECES_MEMBERS(sides)),
          .doc = "One of two signals, chosen by a third.",
          .law = "output = input1 while control is above threshold, else input2", .drake = "PortSwitch",
          .time_invariant = true, .example = "saltus.blocks.switch { threshold = 0 }");
