/* Blocks with one pole: the first-order lag, and the filtered derivative. */
#include "block.h"

enum { TIME_CONSTANT };

/* state' = (input - state) / time_constant */
static sal_status follow(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *u = NULL, *x = sal__get(ctx, SAL_Z);
    const sal_status status = sal__input(ctx, 0, &u);
    const sal__numbers tau = sal__only_param(ctx);
    const int size = sal_context_size(ctx, SAL_Z);
    for (int i = 0; status == SAL_OK && i < size; i++)
        dot->z[i] = (u[i] - x[i]) / sal__at(tau, i);
    return status;
}

#define TIME_CONSTANT_OPTION \
    SAL_OPTION(SIGNAL, "time_constant", "time constant of the pole", .unit = "s", .required = true, \
               .rules = SAL_IS_POSITIVE)

SAL_BLOCK(lag,
          SAL_OPTIONS(TIME_CONSTANT_OPTION, SAL_OPTION(SIGNAL, "initial", "output at the start", .fixed = true),
                      SAL_SIZE_OPTION),
          sal__declare_state, SAL_FUNCTIONS(.derivatives = follow),
          .doc = "First-order lag: the output follows the input.",
          .law = "time_constant output' = input - output, output(0) = initial", .drake = "FirstOrderLowPassFilter",
          .alias_partition = 1 + SAL_Z, .example = "saltus.blocks.lag { time_constant = 0.5, initial = 2 }");

/* ---- derivative ---- */

static sal_status slope(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL, *x = sal__get(ctx, SAL_Z);
    const sal_status status = sal__input(ctx, 0, &u);
    const sal__numbers tau = sal__param_each(self, ctx, TIME_CONSTANT);
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++)
        y[i] = (u[i] - x[i]) / sal__at(tau, i);
    return status;
}

/* The filter starts at the input, so that the first output is 0. */
static sal_outcome begin(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                         sal_note *note) {
    (void)self, (void)event;
    return sal__keep_input(ctx, next, SAL_Z, note);
}

static void declare_derivative(sal__block_builder *b) {
    sal__add_signal(b, true);
    sal__add_numbers(b, SAL_Z, "state", sal__size(b), 0);

    sal__add_start(b, SAL_UNRESTRICTED);
}

SAL_BLOCK(derivative, SAL_OPTIONS(TIME_CONSTANT_OPTION, SAL_SIZE_OPTION), declare_derivative,
          SAL_FUNCTIONS(.derivatives = follow, .output = slope, .update = begin),
          .doc = "The derivative of a signal, filtered by one pole.",
          .law = "output = (input - state) / time_constant, state' = output, state(0) = input(0)",
          .example = "saltus.blocks.derivative { time_constant = 0.01 }");
