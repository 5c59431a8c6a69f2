/* A delayed signal. The engine records the history (sal_system_add_past): it is part of the context, and only
 * accepted steps extend it. A step ends where a jump arrives. So when the input jumps, the output jumps exactly one
 * delay later. */
#include "block.h"

enum { DELAY }; /* the parameter of `delay`; `variable_delay` has an input */
enum { OUTPUT, RATE };

static sal_status read_past(const sal_context *ctx, int port, double delay, double *y) {
    const sal_status status =
        port == RATE ? sal_context_past_rate(ctx, 0, delay, y) : sal_context_past(ctx, 0, delay, y);
    return status == SAL_ETIME ? SAL_EPAST : status;
}

static sal_status by_parameter(const sal_system *self, const sal_context *ctx, int port, double *y) {
    return read_past(ctx, port, *sal__param(self, ctx, DELAY), y);
}

static sal_status by_input(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self;
    const double *delay = NULL;
    const sal_status status = sal__input(ctx, 1, &delay);
    return status == SAL_OK ? read_past(ctx, port, *delay, y) : status;
}

/* `depth`: length of the recorded history, s. */
static void add_past(sal__block_builder *b, double depth) {
    sal_past_config config = sal_past_config_default();
    config.linear_only = sal__number(b, "linear_only") != 0;
    config.can_use_current = sal__number(b, "can_use_current") != 0;
    sal__add_input_history(b, "input", depth, &config, sal__given(b, "history"));
}

/* direct: the present input may be the output, at once. */
static void declare_outputs(sal__block_builder *b, bool direct, int delay_input) {
    if (!direct)
        sal__declare_whole_delay(b, 0);
    const char *const names[] = {"output", "rate"};
    for (int port = OUTPUT; port <= (sal__number(b, "rate") != 0 ? RATE : OUTPUT); port++)
        if (direct || delay_input < 0)
            sal__add_output(b, names[port], sal__size(b), direct);
        else
            sal__add_output_of(b, names[port], sal__size(b), delay_input);
}

static void declare(sal__block_builder *b) {
    const double delay = sal__number(b, "delay"), most = sal__number(b, "max_delay");
    if (sal__given(b, "max_delay") && most < delay)
        sal__refuse(b, "option max_delay must not be less than delay");
    sal__add_input(b, "input", sal__size(b));
    sal__resolve_input(b);
    add_past(b, most > delay ? most : delay);
    declare_outputs(b, delay == 0 || sal__number(b, "can_use_current") != 0, -1);
}

static void declare_variable(sal__block_builder *b) {
    sal__add_input(b, "input", sal__size(b));
    sal__add_input(b, "delay", 1);
    sal__resolve_input(b);
    add_past(b, sal__number(b, "max_delay"));
    declare_outputs(b, sal__number(b, "can_use_current") != 0, 1);
}

#define PAST_OPTIONS \
    SAL_OPTION(SIGNAL, "history", \
               "the input before the start, in Lua also a function of time; default: the input at the start", \
               .fixed = true, .rules = SAL_MAY_BE_FUNCTION), \
        SAL_OPTION(FLAG, "linear_only", "use lines between accepted points and beyond them, without derivatives", \
                   .fixed = true), \
        SAL_OPTION(FLAG, "can_use_current", \
                   "the input does not depend on the output: steps may be longer than the delay", .fixed = true), \
        SAL_OPTION(FLAG, "rate", "a second output, rate: the derivative of the first", .fixed = true), \
        SAL_RESOLVE_OPTION, SAL_SIZE_OPTION

SAL_BLOCK(delay,
          SAL_OPTIONS(SAL_OPTION(NUMBER, "delay", "seconds; may change during a run; 0: the output is the input",
                                 .unit = "s", .required = true, .rules = SAL_IS_NOT_NEGATIVE),
                      SAL_OPTION(NUMBER, "max_delay",
                                 "how much of the past is recorded, for a delay that becomes longer; default: delay",
                                 .unit = "s", .fixed = true, .rules = SAL_IS_NOT_NEGATIVE),
                      PAST_OPTIONS),
          declare, SAL_FUNCTIONS(.derivatives = sal__integrate_input, .output = by_parameter),
          .doc = "Delays a signal by a constant time; a jump remains a jump.",
          .law = "output(t) = input(t - delay), before the start history or input(start)", .simbody = "Delay",
          .example = "saltus.blocks.delay { delay = 0.2 }");

SAL_BLOCK(variable_delay,
          SAL_OPTIONS(SAL_OPTION(NUMBER, "max_delay", "how much of the past is recorded; a longer delay is an error",
                                 .unit = "s", .required = true, .fixed = true, .rules = SAL_IS_NOT_NEGATIVE),
                      PAST_OPTIONS),
          declare_variable, SAL_FUNCTIONS(.derivatives = sal__integrate_input, .output = by_input),
          .doc = "Delays a signal by a time that is a signal too.",
          .law = "output(t) = input(t - delay(t)), before the start history or input(start)", .units = "delay=s",
          .example = "saltus.blocks.variable_delay { max_delay = 2 }");
