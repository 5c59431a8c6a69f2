/* Two values by the size of a signal: relay, comparator, switch. Which one is a
 * discrete state: it changes where the signal flows across the border, at once
 * when the signal jumps across (`settle`), and never inside a step. */
#include "block.h"

enum { UPPER, LOWER, ON, OFF };

/* Relay and comparator: 1 on, 0 off. The border that would change it: */
static double border(const sal_system *self, const sal_context *ctx, int i, bool on) {
    return sal__at(sal__param_each(self, ctx, on ? LOWER : UPPER), i);
}

static bool disagrees(const sal_system *self, const sal_context *ctx, int i, double u) {
    const bool on = sal_context_get(ctx, SAL_XD)[i] != 0;
    return on ? u < border(self, ctx, i, on) : u > border(self, ctx, i, on);
}

static sal_status relay_output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *on = sal_context_get(ctx, SAL_XD);
    const sal__numbers high = sal__param_each(self, ctx, ON), low = sal__param_each(self, ctx, OFF);
    for (int i = 0; i < self->outputs.item[port].size; i++)
        y[i] = on[i] != 0 ? sal__at(high, i) : sal__at(low, i);
    return SAL_OK;
}

static sal_status relay_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    const int i = event - SAL__SETTLED;
    const bool on = sal_context_get(ctx, SAL_XD)[i] != 0;
    if (status == SAL_OK)
        *value = sal__own_side(u[i] - border(self, ctx, i, on), on);
    return status;
}

static sal_status relay_settle(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    bool settled = true;
    for (int i = 0; settled && i < self->size[SAL_XD]; i++)
        settled = !disagrees(self, ctx, i, u[i]);
    *t = sal__when_settled(ctx, settled);
    return SAL_OK;
}

static sal_outcome relay_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                sal_context *next, sal_note *note) {
    const double *u = NULL, *on = sal_context_get(ctx, SAL_XD);
    if (sal_context_input(ctx, 0, &u) != SAL_OK) {
        sal_note_set(note, "its input failed");
        return SAL_FAILED;
    }
    double *to = sal_context_edit(next, SAL_XD);
    for (int i = 0; i < self->size[SAL_XD]; i++)
        if (event->index == SAL__SETTLED + i || disagrees(self, ctx, i, u[i]))
            to[i] = on[i] == 0;
    return SAL_SUCCEEDED;
}

static void declare_switching(sal__building *b, int size, const sal_block_value *initial) {
    sal__add_state(b, SAL_XD, "on", size, initial);
    sal__add_settling(b, SAL_DISCRETE);
    sal__add_witness(b, "switches", SAL_DISCRETE, SAL_CROSSING, size);
}

static void declare_relay(sal__building *b) {
    const int size = sal__size(b);
    const sal_block_value *lower = sal__value_of(b, "lower"), *upper = sal__value_of(b, "upper");
    for (int i = 0; i < size; i++)
        if (lower->numbers[lower->count > 1 ? i : 0] > upper->numbers[upper->count > 1 ? i : 0])
            sal__refuse(b, "option lower must not be greater than upper");
    sal__add_input(b, "input", size);
    sal__add_output(b, "output", size, false);
    declare_switching(b, size, sal__value_of(b, "initial"));
}

static const sal_block_option relay_options[] = {
    {.name = "upper", .type = SAL_A_SIGNAL, .required = true, .doc = "above it switches on"},
    {.name = "lower", .type = SAL_A_SIGNAL, .required = true, .doc = "below it switches off"},
    {.name = "on", .type = SAL_A_SIGNAL, .otherwise = 1, .doc = "output while on"},
    {.name = "off", .type = SAL_A_SIGNAL, .otherwise = 0, .doc = "output while off"},
    {.name = "initial", .type = SAL_A_FLAG, .fixed = true, .doc = "is it on at the start, between lower and upper?"},
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class relay_class = {.name = "relay",
                                             .output = relay_output,
                                             .witness = relay_witness,
                                             .next_time = relay_settle,
                                             .update = relay_update};

const sal__block sal__block_relay = {{.name = "relay",
                                      .doc = "On or off, with hysteresis.",
                                      .law = "output = on once input rose above upper, off once it fell below lower",
                                      .example = "saltus.blocks.relay { lower = 19, upper = 21, on = 0, off = 30 }",
                                      .options = relay_options},
                                     &relay_class,
                                     declare_relay};

/* ---- comparator: one border, to both sides of which it belongs ---- */

enum { THRESHOLD, ABOVE, BELOW };

static sal_status comparator_output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *above = sal_context_get(ctx, SAL_XD);
    const sal__numbers high = sal__param_each(self, ctx, ABOVE), low = sal__param_each(self, ctx, BELOW);
    for (int i = 0; i < self->outputs.item[port].size; i++)
        y[i] = above[i] != 0 ? sal__at(high, i) : sal__at(low, i);
    return SAL_OK;
}

/* How far the deciding input is above the threshold: input 0 of a comparator, the last one of a switch. */
static sal_status excess(const sal_system *self, const sal_context *ctx, int i, double *value) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, self->size[SAL_XD] < self->size[SAL_INPUT] ? 2 : 0, &u);
    if (status == SAL_OK)
        *value = u[i] - sal__at(sal__param_each(self, ctx, THRESHOLD), i);
    return status;
}

static sal_status comparator_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const int i = event - SAL__SETTLED;
    double by = 0;
    const sal_status status = excess(self, ctx, i, &by);
    *value = sal__own_side(by, sal_context_get(ctx, SAL_XD)[i] != 0);
    return status;
}

static bool is_wrong(double above, double by) {
    return above != 0 ? by < 0 : by > 0;
}

static sal_status comparator_settle(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    bool settled = true;
    for (int i = 0; settled && i < self->size[SAL_XD]; i++) {
        double by = 0;
        const sal_status status = excess(self, ctx, i, &by);
        if (status != SAL_OK)
            return status;
        settled = !is_wrong(sal_context_get(ctx, SAL_XD)[i], by);
    }
    *t = sal__when_settled(ctx, settled);
    return SAL_OK;
}

static sal_outcome comparator_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                     sal_context *next, sal_note *note) {
    const double *above = sal_context_get(ctx, SAL_XD);
    double *to = sal_context_edit(next, SAL_XD);
    for (int i = 0; i < self->size[SAL_XD]; i++) {
        double by = 0;
        if (excess(self, ctx, i, &by) != SAL_OK) {
            sal_note_set(note, "its input failed");
            return SAL_FAILED;
        }
        if (event->index == SAL__START)
            to[i] = by >= 0;
        else if (event->index == SAL__SETTLED + i || is_wrong(above[i], by))
            to[i] = above[i] == 0;
    }
    return SAL_SUCCEEDED;
}

static void declare_comparator(sal__building *b) {
    sal__add_input(b, "input", sal__size(b));
    sal__add_output(b, "output", sal__size(b), false);
    declare_switching(b, sal__size(b), NULL);
}

static const sal_block_option comparator_options[] = {
    {.name = "threshold", .type = SAL_A_SIGNAL, .doc = "what the input is compared with"},
    {.name = "above", .type = SAL_A_SIGNAL, .otherwise = 1, .doc = "output while the input is above"},
    {.name = "below", .type = SAL_A_SIGNAL, .otherwise = 0, .doc = "output while the input is below"},
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class comparator_class = {.name = "comparator",
                                                  .output = comparator_output,
                                                  .witness = comparator_witness,
                                                  .next_time = comparator_settle,
                                                  .update = comparator_update};

const sal__block sal__block_comparator = {
    {.name = "comparator",
     .doc = "Is the signal above a threshold? With above = 1, below = -1 it is the sign.",
     .law = "output = above where input > threshold, else below",
     .example = "saltus.blocks.comparator { threshold = 0.5 }",
     .options = comparator_options},
    &comparator_class,
    declare_comparator};

/* ---- switch ---- */

static sal_status switch_output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, *sal_context_get(ctx, SAL_XD) != 0 ? 0 : 1, &u);
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++)
        y[i] = u[i];
    return status;
}

static void declare_switch(sal__building *b) {
    sal__add_inputs(b, 2, sal__size(b));
    sal__add_input(b, "control", 1);
    sal__add_output(b, "output", sal__size(b), true);
    declare_switching(b, 1, NULL);
}

static const sal_block_option switch_options[] = {
    {.name = "threshold", .type = SAL_A_NUMBER, .otherwise = 0.5, .doc = "what control is compared with"},
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class switch_class = {.name = "switch",
                                              .output = switch_output,
                                              .witness = comparator_witness,
                                              .next_time = comparator_settle,
                                              .update = comparator_update};

const sal__block sal__block_switch = {{.name = "switch",
                                       .doc = "One of two signals, chosen by a third.",
                                       .law = "output = input1 while control is above threshold, else input2",
                                       .drake = "PortSwitch",
                                       .example = "saltus.blocks.switch { threshold = 0 }",
                                       .options = switch_options},
                                      &switch_class,
                                      declare_switch};
