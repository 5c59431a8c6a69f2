/* On or off, with hysteresis. The discrete state changes where the signal crosses a border, or immediately when it
 * jumps across (`settle`), never inside a step. */
#include "block.h"

enum { UPPER, LOWER, ON, OFF };

/* The border at which a relay changes, which depends on whether it is on. */
static double border(const sal_system *self, const sal_context *ctx, int i, bool on) {
    return sal__at(sal__param_each(self, ctx, on ? LOWER : UPPER), i);
}

/* NaN changes nothing. */
static bool is_settled(const sal_system *self, const sal_context *ctx, int i, double u) {
    const bool on = sal__get(ctx, SAL_XD)[i] != 0;
    return on ? !(u < border(self, ctx, i, on)) : !(u > border(self, ctx, i, on));
}

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const sal__numbers high = sal__param_each(self, ctx, ON), low = sal__param_each(self, ctx, OFF);
    return sal__spread_either(sal__get(ctx, SAL_XD), high, low, self->outputs.item[port].size, y);
}

static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    const int i = event - SAL__FIRST_OWN_EVENT;
    const bool on = sal__get(ctx, SAL_XD)[i] != 0;
    if (status == SAL_OK)
        *value = sal__resolve_zero(u[i] - border(self, ctx, i, on), on);
    return status;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const double *u = sal__sample_input(ctx, 0, note), *on = sal__get(ctx, SAL_XD);
    if (!u)
        return SAL_FAILED;
    double *to = sal_context_edit(next, SAL_XD);
    for (int i = 0; i < self->size[SAL_XD]; i++)
        if (event->index == SAL__FIRST_OWN_EVENT + i || !is_settled(self, ctx, i, u[i]))
            to[i] = on[i] == 0;
    return SAL_SUCCEEDED;
}

static void declare_relay(sal__block_builder *b) {
    const int size = sal__size(b);
    sal__add_signal(b, false);
    sal__add_state(b, SAL_XD, "is_on", size, sal__value_of(b, "initial"));
    sal__add_settle_events(b, SAL_DISCRETE);
    sal__add_witness(b, "switches", SAL_DISCRETE, SAL_CROSSING, size);
}

SAL_BLOCK(relay,
          SAL_OPTIONS(SAL_OPTION(SIGNAL, "upper", "level above which it switches on", .required = true),
                      SAL_OPTION(SIGNAL, "lower", "level below which it switches off", .required = true,
                                 .not_above = "upper"),
                      SAL_OPTION(SIGNAL, "on", "output while on", .default_value = 1),
                      SAL_OPTION(SIGNAL, "off", "output while off", .default_value = 0),
                      SAL_OPTION(FLAG, "initial", "true: on at the start between lower and upper", .fixed = true),
                      SAL_SIZE_OPTION),
          declare_relay,
          SAL_FUNCTIONS(.output = output, .witness = witness, .update = update, SAL_SETTLED_IF(is_settled)),
          .doc = "On or off, with hysteresis.",
          .law = "output = on once input rose above upper, off once it fell below lower", .time_invariant = true,
          .example = "saltus.blocks.relay { lower = 19, upper = 21, on = 0, off = 30 }");
