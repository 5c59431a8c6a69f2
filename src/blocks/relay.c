/* On or off, with hysteresis. Which one is a discrete state: it changes where the
 * signal flows across a border, at once when the signal jumps across (`settle`),
 * and never inside a step. */
#include "block.h"

enum { UPPER, LOWER, ON, OFF };

/* 1 on, 0 off. The border that would change it: */
static double border(const sal_system *self, const sal_context *ctx, int i, bool on) {
    return sal__at(sal__param_each(self, ctx, on ? LOWER : UPPER), i);
}

static bool disagrees(const sal_system *self, const sal_context *ctx, int i, double u) {
    const bool on = sal__get(ctx, SAL_XD)[i] != 0;
    return on ? u < border(self, ctx, i, on) : u > border(self, ctx, i, on);
}

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *on = sal__get(ctx, SAL_XD);
    const sal__numbers high = sal__param_each(self, ctx, ON), low = sal__param_each(self, ctx, OFF);
    for (int i = 0; i < self->outputs.item[port].size; i++)
        y[i] = on[i] != 0 ? sal__at(high, i) : sal__at(low, i);
    return SAL_OK;
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

static sal_status settle(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    bool settled = true;
    for (int i = 0; settled && i < self->size[SAL_XD]; i++)
        settled = !disagrees(self, ctx, i, u[i]);
    *t = sal__settle_time(ctx, settled);
    return SAL_OK;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const double *u = sal__sample_input(ctx, 0, note), *on = sal__get(ctx, SAL_XD);
    if (!u)
        return SAL_FAILED;
    double *to = sal_context_edit(next, SAL_XD);
    for (int i = 0; i < self->size[SAL_XD]; i++)
        if (event->index == SAL__FIRST_OWN_EVENT + i || disagrees(self, ctx, i, u[i]))
            to[i] = on[i] == 0;
    return SAL_SUCCEEDED;
}

static void declare_relay(sal__block_builder *b) {
    const int size = sal__size(b);
    sal__add_input(b, "input", size);
    sal__add_output(b, "output", size, false);
    sal__add_state(b, SAL_XD, "is_on", size, sal__value_of(b, "initial"));
    sal__add_settle_events(b, SAL_DISCRETE);
    sal__add_witness(b, "switches", SAL_DISCRETE, SAL_CROSSING, size);
}

static const sal_block_option relay_options[] = {
    {.name = "upper", .type = SAL_OPTION_SIGNAL, .required = true, .doc = "level above which it switches on"},
    {.name = "lower",
     .type = SAL_OPTION_SIGNAL,
     .required = true,
     .not_above = "upper",
     .doc = "level below which it switches off"},
    {.name = "on", .type = SAL_OPTION_SIGNAL, .default_value = 1, .doc = "output while on"},
    {.name = "off", .type = SAL_OPTION_SIGNAL, .default_value = 0, .doc = "output while off"},
    {.name = "initial", .type = SAL_OPTION_FLAG, .fixed = true, .doc = "true: on at the start between lower and upper"},
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class relay_class = {
    .name = "relay", .output = output, .witness = witness, .next_time = settle, .update = update};

const sal__block sal__block_relay = {{.name = "relay",
                                      .doc = "On or off, with hysteresis.",
                                      .law = "output = on once input rose above upper, off once it fell below lower",
                                      .time_invariant = true,
                                      .example = "saltus.blocks.relay { lower = 19, upper = 21, on = 0, off = 30 }",
                                      .options = relay_options},
                                     &relay_class,
                                     declare_relay};
