/* Blocks that respond to edges of a signal: they count, start a pulse, or sample another signal. The state `above`
 * is the side of the threshold, so continuous crossings and jumps are both detected as edges. */
#include "block.h"

enum { EDGE, THRESHOLD, WIDTH };
enum { RISING = 1, FALLING, EITHER };
enum { ABOVE, COUNT, ON = COUNT, UNTIL }; /* sizes of the discrete state: counter, detector */
enum { SEEN = SAL__FIRST_OWN_EVENT, END };

/* How far the last input is over the threshold. */
static sal_status excess(const sal_system *self, const sal_context *ctx, double *value) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, self->inputs.count - 1, &u);
    if (status == SAL_OK)
        *value = *u - *sal__param(self, ctx, THRESHOLD);
    return status;
}

static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)event;
    double by = 0;
    const sal_status status = excess(self, ctx, &by);
    *value = sal__resolve_zero(by, sal__get(ctx, SAL_XD)[ABOVE] != 0);
    return status;
}

static bool is_settled(const sal_context *ctx, double by) {
    return sal__get(ctx, SAL_XD)[ABOVE] != 0 ? !(by < 0) : !(by > 0); /* NaN changes nothing */
}

static sal_status settle(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    double by = 0;
    const sal_status status = excess(self, ctx, &by);
    *t = sal__settle_time(ctx, is_settled(ctx, by));
    return status;
}

/* Whether this event is an edge of the chosen direction. Stores the side of the signal. If both events are due at an
 * instant, the first one is the edge. */
static sal_status find_edge(const sal_system *self, const sal_context *ctx, const sal_event *event, double *to,
                            bool *edge) {
    double by = 0;
    const sal_status status = excess(self, ctx, &by);
    if (status != SAL_OK)
        return status;
    const bool was = sal__get(ctx, SAL_XD)[ABOVE] != 0;
    const double wanted = *sal__param(self, ctx, EDGE);
    *edge = false;
    if (event->index == SAL__START) {
        to[ABOVE] = by > 0;
    } else if ((event->index == SEEN || !is_settled(ctx, by)) && (to[ABOVE] != 0) == was) {
        to[ABOVE] = !was;
        *edge = wanted == EITHER || wanted == (was ? FALLING : RISING);
    }
    return SAL_OK;
}

/* Discrete number 1: the count of a counter, or whether a detector is on. */
static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    *y = sal__get(ctx, SAL_XD)[COUNT];
    return SAL_OK;
}

static sal_outcome count(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                         sal_note *note) {
    double *to = sal_context_edit(next, SAL_XD);
    bool edge = false;
    const sal_status status = find_edge(self, ctx, event, to, &edge);
    if (status != SAL_OK)
        return sal__input_failed(status, note);
    to[COUNT] += edge;
    return SAL_SUCCEEDED;
}

static void declare_counter(sal__block_builder *b) {
    sal__add_input(b, "input", 1);
    sal__add_numbers(b, SAL_XD, "above", 1, 0);
    sal__add_state(b, SAL_XD, "count", 1, sal__value_of(b, "initial"));
    sal__add_output(b, "output", 1, false);
    sal__add_settle_events(b, SAL_DISCRETE);
    sal__add_witness(b, "edge", SAL_DISCRETE, SAL_CROSSING, 1);
}

#define EDGE_OPTIONS \
    SAL_OPTION(CHOICE, "edge", "direction across the threshold", .words = "rising falling either", \
               .default_value = RISING), \
        SAL_OPTION(NUMBER, "threshold", "of an edge", .default_value = 0.5)

SAL_BLOCK(counter, SAL_OPTIONS(EDGE_OPTIONS, SAL_OPTION(NUMBER, "initial", "count at the start", .fixed = true)),
          declare_counter, SAL_FUNCTIONS(.output = output, .witness = witness, .next_time = settle, .update = count),
          .doc = "Counts the edges of a signal, whether it flows or jumps.", .law = "output = initial + edges so far",
          .time_invariant = true, .example = "saltus.blocks.counter { edge = \"rising\", threshold = 0.5 }");

/* ---- detector ---- */

static sal_outcome detect(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    double *to = sal_context_edit(next, SAL_XD);
    if (event->index == END) {
        to[ON] = 0;
        return SAL_SUCCEEDED;
    }
    bool edge = false;
    const sal_status status = find_edge(self, ctx, event, to, &edge);
    if (status != SAL_OK)
        return sal__input_failed(status, note);
    if (edge) {
        to[ON] = 1;
        to[UNTIL] = sal_context_time(ctx) + *sal__param(self, ctx, WIDTH);
    }
    return SAL_SUCCEEDED;
}

static void declare_detector(sal__block_builder *b) {
    sal__add_input(b, "input", 1);
    sal__add_numbers(b, SAL_XD, "above", 1, 0);
    sal__add_numbers(b, SAL_XD, "on", 1, 0);
    sal__add_numbers(b, SAL_XD, "until", 1, HUGE_VAL);
    sal__add_output(b, "output", 1, false);
    sal__add_settle_events(b, SAL_DISCRETE);
    sal__add_witness(b, "edge", SAL_DISCRETE, SAL_CROSSING, 1);
    sal__add_timed(b, "over", SAL_DISCRETE, UNTIL);
}

SAL_BLOCK(edge_detector,
          SAL_OPTIONS(EDGE_OPTIONS,
                      SAL_OPTION(NUMBER, "width", "length of the pulse; an edge during a pulse extends it", .unit = "s",
                                 .required = true, .rules = SAL_IS_POSITIVE)),
          declare_detector, SAL_FUNCTIONS(.output = output, .witness = witness, .next_time = settle, .update = detect),
          .doc = "A pulse after each edge of a signal, whether it flows or jumps.",
          .law = "output = 1 for width seconds after an edge, else 0", .time_invariant = true,
          .example = "saltus.blocks.edge_detector { edge = \"falling\", width = 0.1 }");

/* ---- sample and hold. Discrete state: the side, the time of the sample, the sample ---- */

enum { SAMPLED_AT = 1, HELD, DEMANDED = END };

static sal_outcome sample(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    double *to = sal_context_edit(next, SAL_XD);
    const double *u = NULL;
    bool edge = false;
    sal_status status = sal__input(ctx, 0, &u);
    if (status == SAL_OK && event->index != DEMANDED)
        status = find_edge(self, ctx, event, to, &edge);
    if (status != SAL_OK)
        return sal__input_failed(status, note);
    const bool first = event->index == SAL__START && to[SAMPLED_AT] == HUGE_VAL;
    if (!edge && !first && event->index != DEMANDED)
        return SAL_SUCCEEDED;
    to[SAMPLED_AT] = sal_context_time(ctx);
    for (int i = 0; i < self->outputs.item[0].size; i++)
        to[HELD + i] = u[i];
    return SAL_SUCCEEDED;
}

static sal_status held(const sal_system *self, const sal_context *ctx, int port, double *y) {
    return sal__spread((sal__numbers){sal__get(ctx, SAL_XD) + HELD, 1}, self->outputs.item[port].size, y);
}

static void declare_sample(sal__block_builder *b) {
    sal__add_input(b, "input", sal__size(b));
    sal__add_input(b, "trigger", 1);
    sal__add_numbers(b, SAL_XD, "above", 1, 0);
    sal__add_numbers(b, SAL_XD, "sampled_at", 1, sal__given(b, "initial") ? -HUGE_VAL : HUGE_VAL);
    sal__add_state(b, SAL_XD, "held", sal__size(b), sal__value_of(b, "initial"));
    sal__add_output(b, "output", sal__size(b), false);
    sal__add_settle_events(b, SAL_DISCRETE);
    sal__add_witness(b, "edge", SAL_DISCRETE, SAL_CROSSING, 1);
    sal__add_event(b, "sample", SAL_ON_DEMAND, SAL_DISCRETE);
}

SAL_BLOCK(
    sample_and_hold,
    SAL_OPTIONS(EDGE_OPTIONS,
                SAL_OPTION(SIGNAL, "initial", "output before the first edge; default: the input at the start",
                           .fixed = true),
                SAL_SIZE_OPTION),
    declare_sample, SAL_FUNCTIONS(.output = held, .witness = witness, .next_time = settle, .update = sample),
    .doc = "Holds the input at the last edge of the trigger, or at the last event sample; sampled_at is its time.",
    .law = "output = input at the last edge", .simbody = "SampleAndHold",
    .example = "saltus.blocks.sample_and_hold { edge = \"rising\", threshold = 0.5 }");
