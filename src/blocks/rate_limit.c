/* Limits the rate of a signal: exactly if sampled; else by a first-order lag with a limited rate. */
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

static sal_status flow(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    for (int i = 0; i < self->size[SAL_Z]; i++) {
        const sal_status status = variable(self, ctx, i, &dot->z[i]);
        if (status != SAL_OK)
            return status;
        const double k = sal__piece(self, ctx, i, dot->z[i]);
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
    sal__declare_state(b);
    sal__add_pieces(b, sal__size(b), SAL_DISCRETE);
}

#define RATE_OPTIONS \
    SAL_OPTION(SIGNAL, "rising", "largest rate per second", .required = true, .rules = SAL_IS_POSITIVE), \
        SAL_OPTION(SIGNAL, "falling", "largest rate per second", .required = true, .rules = SAL_IS_POSITIVE)
#define INITIAL_OPTION SAL_OPTION(SIGNAL, "initial", "output at the start", .fixed = true)

SAL_BLOCK(rate_limit,
          SAL_OPTIONS(RATE_OPTIONS,
                      SAL_OPTION(NUMBER, "time_constant", "time constant of the lag for a slow signal", .unit = "s",
                                 .rules = SAL_IS_POSITIVE, .default_value = 0.01),
                      INITIAL_OPTION, SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.derivatives = flow, .output = output, SAL_PIECES_MEMBERS(rates)),
          .doc = "Follows a signal with limited rates.",
          .law = "output' = (input - output) / time_constant, between -falling and rising",
          .example = "saltus.blocks.rate_limit { rising = 1, falling = 2 }");

/* ---- sampled ---- */

static void sample(const sal_system *self, const sal_context *ctx, const sal_event *event, const double *u,
                   double *to) {
    const double h = sal_system_event(self, event->index)->period, *from = sal__get(ctx, SAL_XD);
    for (int i = 0; i < self->size[SAL_XD]; i++)
        to[i] = from[i] +
                sal__clamp(u[i] - from[i], h * rate_limit(self, ctx, i, false), h * rate_limit(self, ctx, i, true));
}

static void declare_sampled(sal__block_builder *b) {
    sal__add_signal(b, false);
    sal__add_state(b, SAL_XD, "held", sal__size(b), sal__value_of(b, "initial"));

    sal__add_samples(b);
}

SAL_BLOCK(sampled_rate_limit, SAL_OPTIONS(RATE_OPTIONS, SAL_PERIOD_OPTIONS, INITIAL_OPTION, SAL_SIZE_OPTION),
          declare_sampled, SAL_FUNCTIONS(SAL_SAMPLED_BY(sample)),
          .doc = "Samples a signal, with limited rates between samples.",
          .law = "output[n + 1] = output[n] + (input - output[n] between -falling period and rising period)",
          .alias_partition = 1 + SAL_XD, .instead_of = "rate_limit", .when_given = "period",
          .example = "saltus.blocks.rate_limit { rising = 1, falling = 2, period = 0.01 }");
