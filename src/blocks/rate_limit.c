/* A signal that may rise and fall only so fast: sampled, exactly; continuous, by
 * a first-order lag whose rate is cut. */
#include <string.h>

#include "piecewise.h"

enum { RISING, FALLING, TIME_CONSTANT };

static double rate_limit(const sal_system *self, const sal_context *ctx, int i, bool up) {
    return up ? sal__at(sal__param_each(self, ctx, RISING), i) : -sal__at(sal__param_each(self, ctx, FALLING), i);
}

static double wanted(const sal_system *self, const sal_context *ctx, int i, double u) {
    return (u - sal__get(ctx, SAL_Z)[i]) / *sal__param(self, ctx, TIME_CONSTANT);
}

static sal_status variable(const sal_system *self, const sal_context *ctx, int i, double *u) {
    const double *input = NULL;
    const sal_status status = sal__input(ctx, 0, &input);
    if (status == SAL_OK)
        *u = wanted(self, ctx, i, input[i]);
    return status;
}

static double border(const sal_system *self, const sal_context *ctx, int i, double k) {
    return sal__border_of_three(rate_limit(self, ctx, i, false), rate_limit(self, ctx, i, true), k);
}

static double guess(const sal_system *self, const sal_context *ctx, int i, double u) {
    return sal__piece_of_three(rate_limit(self, ctx, i, false), rate_limit(self, ctx, i, true), u);
}

static const sal__pieces rates = {variable, border, guess};

SAL_PIECES_CLASS(rates)

static sal_status flow(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    for (int i = 0; i < self->size[SAL_Z]; i++) {
        const sal_status status = variable(self, ctx, i, &dot->z[i]);
        if (status != SAL_OK)
            return status;
        const double k = sal__piece(&rates, self, ctx, i, dot->z[i]);
        if (k != 0)
            dot->z[i] = rate_limit(self, ctx, i, k > 0);
    }
    return SAL_OK;
}

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    memcpy(y, sal__get(ctx, SAL_Z), sizeof *y * (size_t)self->outputs.item[port].size);
    return SAL_OK;
}

static void declare(sal__block_builder *b) {
    const int size = sal__size(b);
    sal__add_input(b, "input", size);
    sal__add_state(b, SAL_Z, "state", size, sal__value_of(b, "initial"));
    sal__add_output(b, "output", size, false);
    sal__add_pieces(b, size, SAL_DISCRETE);
}

#define RATE_OPTIONS \
    {.name = "rising", \
     .type = SAL_OPTION_SIGNAL, \
     .required = true, \
     .rules = SAL_IS_POSITIVE, \
     .doc = "largest rate per second"}, \
    { \
        .name = "falling", .type = SAL_OPTION_SIGNAL, .required = true, .rules = SAL_IS_POSITIVE, \
        .doc = "largest rate per second" \
    }
#define INITIAL_OPTION \
    { .name = "initial", .type = SAL_OPTION_SIGNAL, .fixed = true, .doc = "output at the start" }

static const sal_block_option options[] = {RATE_OPTIONS,
                                           {.name = "time_constant",
                                            .type = SAL_OPTION_NUMBER,
                                            .default_value = 0.01,
                                            .rules = SAL_IS_POSITIVE,
                                            .unit = "s",
                                            .doc = "time constant of the lag for a slow signal"},
                                           INITIAL_OPTION,
                                           SAL_SIZE_OPTION,
                                           {0}};

static const sal_system_class class = {
    .name = "rate_limit", .derivatives = flow, .output = output, SAL_PIECES_MEMBERS(rates)};

const sal__block sal__block_rate_limit = {
    {.name = "rate_limit",
     .doc = "Follows a signal with limited rates.",
     .law = "output' = (input - output) / time_constant, between -falling and rising",
     .example = "saltus.blocks.rate_limit { rising = 1, falling = 2 }",
     .options = options},
    &class,
    declare};

/* ---- sampled ---- */

static sal_outcome sample(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const double *u = sal__sample_input(ctx, 0, note), *from = sal__get(ctx, SAL_XD);
    if (!u)
        return SAL_FAILED;
    const double h = sal_system_event(self, event->index)->period;
    double *to = sal_context_edit(next, SAL_XD);
    for (int i = 0; i < self->size[SAL_XD]; i++)
        to[i] = from[i] +
                sal__clamp(u[i] - from[i], h * rate_limit(self, ctx, i, false), h * rate_limit(self, ctx, i, true));
    return SAL_SUCCEEDED;
}

static void declare_sampled(sal__block_builder *b) {
    sal__add_input(b, "input", sal__size(b));
    sal__add_state(b, SAL_XD, "held", sal__size(b), sal__value_of(b, "initial"));
    sal__add_output(b, "output", sal__size(b), false);
    sal__add_period(b, "sample", SAL_DISCRETE, sal__number(b, "period"), sal__number(b, "offset"));
}

static const sal_block_option sampled_options[] = {
    RATE_OPTIONS, SAL_PERIOD_OPTIONS, INITIAL_OPTION, SAL_SIZE_OPTION, {0}};

static const sal_system_class sampled_class = {.name = "sampled_rate_limit", .update = sample};

const sal__block sal__block_sampled_rate_limit = {
    {.name = "sampled_rate_limit",
     .doc = "Samples a signal, with limited rates between samples.",
     .law = "output[n + 1] = output[n] + (input - output[n] between -falling period and rising period)",
     .alias_partition = 1 + SAL_XD,
     .example = "saltus.blocks.rate_limit { rising = 1, falling = 2, period = 0.01 }",
     .instead_of = "rate_limit",
     .when_given = "period",
     .options = sampled_options},
    &sampled_class,
    declare_sampled};
