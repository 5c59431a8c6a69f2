/* Sampled blocks. Other blocks see x-[n] at sample n, and x+[n] from there to the next sample. */
#include "block.h"

static void declare_sampled(sal__block_builder *b) {
    sal__add_signal(b, false);
    sal__add_samples(b);
}

/* ---- zero-order hold, unit delay: one law, read before or after the sample ---- */

static void take(const sal_system *self, const sal_context *ctx, const sal_event *event, const double *u, double *to) {
    (void)ctx, (void)event;
    memcpy(to, u, sizeof *to * (size_t)self->size[SAL_XD]);
}

static void declare_hold(sal__block_builder *b) {
    sal__add_state(b, SAL_XD, "held", sal__size(b), sal__value_of(b, "initial"));
    declare_sampled(b);
}

#define INITIAL_OPTION SAL_OPTION(SIGNAL, "initial", "output before the first sample", .fixed = true)

static const sal_block_option hold_options[] = {SAL_PERIOD_OPTIONS, INITIAL_OPTION, SAL_SIZE_OPTION, {0}};

SAL_BLOCK(zero_order_hold, hold_options, declare_hold, SAL_FUNCTIONS(SAL_SAMPLED_BY(take)), .doc = "Sample and hold.",
          .law = "output = input at the last sample, offset + k period", .drake = "ZeroOrderHold",
          .alias_partition = 1 + SAL_XD, .example = "saltus.blocks.zero_order_hold { period = 0.1 }");

SAL_BLOCK(unit_delay, hold_options, declare_hold, SAL_FUNCTIONS(SAL_SAMPLED_BY(take)),
          .doc = "The previous sample: a block that samples at the same instants receives it one sample late.",
          .law = "output[n + 1] = input[n], output[0] = initial", .drake = "DiscreteTimeDelay",
          .alias_partition = 1 + SAL_XD, .example = "saltus.blocks.unit_delay { period = 0.1 }");

/* ---- delay line. Discrete state: a ring of delay_steps + 1 samples, the index of the oldest ---- */

static void store_in_ring(double *ring, double *oldest, int length, const double *u, int size) {
    const int at = sal__index(*oldest, length);
    memcpy(ring + at * size, u, sizeof *u * (size_t)size);
    *oldest = at + 1 < length ? at + 1 : 0;
}

static int ring_length(const sal_system *self) {
    return (self->size[SAL_XD] - 1) / self->size[SAL_INPUT];
}

static void shift(const sal_system *self, const sal_context *ctx, const sal_event *event, const double *u,
                  double *ring) {
    (void)ctx, (void)event;
    const int size = self->size[SAL_INPUT], length = ring_length(self);
    store_in_ring(ring, ring + length * size, length, u, size);
}

static sal_status oldest_sample(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *ring = sal__get(ctx, SAL_XD);
    const int size = self->outputs.item[port].size, length = ring_length(self);
    const int at = sal__index(ring[length * size], length);
    memcpy(y, ring + at * size, sizeof *y * (size_t)size);
    return SAL_OK;
}

static void declare_line(sal__block_builder *b) {
    sal__add_numbers(b, SAL_XD, "samples", sal__size(b) * ((int)sal__number(b, "delay_steps") + 1), 0);
    sal__add_numbers(b, SAL_XD, "oldest", 1, 0);
    declare_sampled(b);
}

SAL_BLOCK(
    discrete_time_delay,
    SAL_OPTIONS(SAL_OPTION(COUNT, "delay_steps", "delay in samples; 0: a hold", .required = true, .fixed = true,
                           .rules = SAL_IS_NOT_NEGATIVE),
                SAL_PERIOD_OPTIONS, SAL_SIZE_OPTION),
    declare_line, SAL_FUNCTIONS(.output = oldest_sample, SAL_SAMPLED_BY(shift)),
    .doc = "A delay line: the last delay_steps + 1 samples are kept, the oldest is the output; zeros until it is full.",
    .law = "output = input[n - delay_steps] after sample n", .drake = "DiscreteTimeDelay", .time_invariant = true,
    .example = "saltus.blocks.discrete_time_delay { period = 0.1, delay_steps = 3 }");

/* ---- integrator, derivative ---- */

static void add_up(const sal_system *self, const sal_context *ctx, const sal_event *event, const double *u,
                   double *to) {
    const double *from = sal__get(ctx, SAL_XD);
    for (int i = 0; i < self->size[SAL_XD]; i++)
        to[i] = from[i] + sal_system_event(self, event->index)->period * u[i];
}

static void declare_integrator(sal__block_builder *b) {
    sal__add_state(b, SAL_XD, "sum", sal__size(b), sal__value_of(b, "initial"));
    declare_sampled(b);
}

SAL_BLOCK(discrete_time_integrator, hold_options, declare_integrator, SAL_FUNCTIONS(SAL_SAMPLED_BY(add_up)),
          .doc = "Adds up its samples, by Euler's rule.",
          .law = "output[n + 1] = output[n] + period input[n], output[0] = initial", .drake = "DiscreteTimeIntegrator",
          .alias_partition = 1 + SAL_XD, .example = "saltus.blocks.discrete_time_integrator { period = 0.1 }");

/* Discrete state: the difference quotient, the last sample, and a flag: 1 after the first sample. */
static void differ(const sal_system *self, const sal_context *ctx, const sal_event *event, const double *u,
                   double *to) {
    const double *from = sal__get(ctx, SAL_XD);
    const int size = self->size[SAL_INPUT];
    for (int i = 0; i < size; i++) {
        const double rise = u[i] - from[size + i];
        to[i] = from[2 * size] > 0 ? rise / sal_system_event(self, event->index)->period : 0;
        to[size + i] = u[i];
    }
    to[2 * size] = 1;
}

static void declare_derivative(sal__block_builder *b) {
    sal__add_numbers(b, SAL_XD, "slope", sal__size(b), 0);
    sal__add_numbers(b, SAL_XD, "last", sal__size(b), 0);
    sal__add_numbers(b, SAL_XD, "begun", 1, 0);
    declare_sampled(b);
}

SAL_BLOCK(discrete_derivative, SAL_OPTIONS(SAL_PERIOD_OPTIONS, SAL_SIZE_OPTION), declare_derivative,
          SAL_FUNCTIONS(SAL_SAMPLED_BY(differ)), .doc = "The difference quotient of the last two samples; 0 after one.",
          .law = "output = (input[n] - input[n - 1]) / period after sample n",
          .drake = "DiscreteDerivative, StateInterpolatorWithDiscreteDerivative", .alias_partition = 1 + SAL_XD,
          .example = "saltus.blocks.discrete_derivative { period = 0.01 }");

/* ---- moving average. Discrete state: the mean, a ring of samples, the index of the oldest, their number ---- */

static void average(const sal_system *self, const sal_context *ctx, const sal_event *event, const double *u,
                    double *mean) {
    (void)ctx, (void)event;
    const int size = self->size[SAL_INPUT], length = (self->size[SAL_XD] - 2) / size - 1;
    double *ring = mean + size, *count = ring + length * size;
    const int seen = sal__index(count[1], length) + 1;
    store_in_ring(ring, &count[0], length, u, size);
    for (int i = 0; i < size; i++) {
        double sum = 0;
        for (int k = 0; k < seen; k++)
            sum += ring[k * size + i];
        mean[i] = sum / seen;
    }
    count[1] = seen;
}

static void declare_average(sal__block_builder *b) {
    sal__add_numbers(b, SAL_XD, "mean", sal__size(b), 0);
    sal__add_numbers(b, SAL_XD, "samples_kept", sal__size(b) * (int)sal__number(b, "samples"), 0);
    sal__add_numbers(b, SAL_XD, "oldest", 1, 0);
    sal__add_numbers(b, SAL_XD, "seen", 1, 0);
    declare_sampled(b);
}

SAL_BLOCK(moving_average,
          SAL_OPTIONS(SAL_OPTION(COUNT, "samples", "number of samples", .required = true, .fixed = true),
                      SAL_PERIOD_OPTIONS, SAL_SIZE_OPTION),
          declare_average, SAL_FUNCTIONS(SAL_SAMPLED_BY(average)),
          .doc = "The mean of the last samples, or of all samples while there are fewer.",
          .law = "output = (input[n] + ... + input[n - samples + 1]) / samples", .alias_partition = 1 + SAL_XD,
          .example = "saltus.blocks.moving_average { period = 0.1, samples = 5 }");
