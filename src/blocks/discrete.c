/* What happens at samples alone: x-[n] is what others see at sample n, x+[n] what
 * they see from there to the next one. */
#include <string.h>

#include "block.h"

static void declare_sampled(sal__block_builder *b) {
    sal__add_input(b, "input", sal__size(b));
    sal__add_output(b, "output", sal__size(b), false);
    sal__add_period(b, "sample", SAL_DISCRETE, sal__number(b, "period"), sal__number(b, "offset"));
}

/* ---- zero-order hold, unit delay: one law, read at another side of the sample ---- */

static sal_outcome take(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)event;
    const double *u = sal__sample_input(ctx, 0, note);
    if (!u)
        return SAL_FAILED;
    memcpy(sal_context_edit(next, SAL_XD), u, sizeof *u * (size_t)self->size[SAL_XD]);
    return SAL_SUCCEEDED;
}

static void declare_hold(sal__block_builder *b) {
    sal__add_state(b, SAL_XD, "held", sal__size(b), sal__value_of(b, "initial"));
    declare_sampled(b);
}

#define INITIAL_OPTION \
    { .name = "initial", .type = SAL_OPTION_SIGNAL, .fixed = true, .doc = "output before the first sample" }

static const sal_block_option hold_options[] = {SAL_PERIOD_OPTIONS, INITIAL_OPTION, SAL_SIZE_OPTION, {0}};

static const sal_system_class hold_class = {.name = "zero_order_hold", .update = take};
static const sal_system_class unit_delay_class = {.name = "unit_delay", .update = take};

const sal__block sal__block_zero_order_hold = {{.name = "zero_order_hold",
                                                .doc = "Sample and hold.",
                                                .law = "output = input at the last sample, offset + k period",
                                                .drake = "ZeroOrderHold",
                                                .alias_partition = 1 + SAL_XD,
                                                .example = "saltus.blocks.zero_order_hold { period = 0.1 }",
                                                .options = hold_options},
                                               &hold_class,
                                               declare_hold};

const sal__block sal__block_unit_delay = {
    {.name = "unit_delay",
     .doc = "The previous sample: a block that samples at the same instants receives it one sample late.",
     .law = "output[n + 1] = input[n], output[0] = initial",
     .drake = "DiscreteTimeDelay",
     .alias_partition = 1 + SAL_XD,
     .example = "saltus.blocks.unit_delay { period = 0.1 }",
     .options = hold_options},
    &unit_delay_class,
    declare_hold};

/* ---- delay line: a ring of delay_steps + 1 samples, then the place of the oldest ---- */

static int ring_length(const sal_system *self) {
    return (self->size[SAL_XD] - 1) / self->size[SAL_INPUT];
}

static sal_outcome shift(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                         sal_note *note) {
    (void)event;
    const double *u = sal__sample_input(ctx, 0, note);
    if (!u)
        return SAL_FAILED;
    const int size = self->size[SAL_INPUT], length = ring_length(self);
    double *ring = sal_context_edit(next, SAL_XD), *oldest = ring + length * size;
    const int at = sal__index(*oldest, length);
    memcpy(ring + at * size, u, sizeof *u * (size_t)size);
    *oldest = at + 1 < length ? at + 1 : 0;
    return SAL_SUCCEEDED;
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

static const sal_block_option line_options[] = {{.name = "delay_steps",
                                                 .type = SAL_OPTION_COUNT,
                                                 .rules = SAL_IS_NOT_NEGATIVE,
                                                 .fixed = true,
                                                 .required = true,
                                                 .doc = "delay in samples; 0: a hold"},
                                                SAL_PERIOD_OPTIONS,
                                                SAL_SIZE_OPTION,
                                                {0}};

static const sal_system_class line_class = {.name = "discrete_time_delay", .output = oldest_sample, .update = shift};

const sal__block sal__block_discrete_time_delay = {
    {.name = "discrete_time_delay",
     .doc =
         "A delay line: the last delay_steps + 1 samples are kept, the oldest is the output; zeros until it is full.",
     .law = "output = input[n - delay_steps] after sample n",
     .drake = "DiscreteTimeDelay",
     .time_invariant = true,
     .example = "saltus.blocks.discrete_time_delay { period = 0.1, delay_steps = 3 }",
     .options = line_options},
    &line_class,
    declare_line};

/* ---- integrator, derivative ---- */

static double period_of(const sal_system *self) {
    return sal_system_event(self, 0)->period;
}

static sal_outcome add_up(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)event;
    const double *u = sal__sample_input(ctx, 0, note), *from = sal__get(ctx, SAL_XD);
    if (!u)
        return SAL_FAILED;
    double *to = sal_context_edit(next, SAL_XD);
    for (int i = 0; i < self->size[SAL_XD]; i++)
        to[i] = from[i] + period_of(self) * u[i];
    return SAL_SUCCEEDED;
}

static void declare_integrator(sal__block_builder *b) {
    sal__add_state(b, SAL_XD, "sum", sal__size(b), sal__value_of(b, "initial"));
    declare_sampled(b);
}

static const sal_system_class integrator_class = {.name = "discrete_time_integrator", .update = add_up};

const sal__block sal__block_discrete_time_integrator = {
    {.name = "discrete_time_integrator",
     .doc = "Adds up its samples, by Euler's rule.",
     .law = "output[n + 1] = output[n] + period input[n], output[0] = initial",
     .drake = "DiscreteTimeIntegrator",
     .alias_partition = 1 + SAL_XD,
     .example = "saltus.blocks.discrete_time_integrator { period = 0.1 }",
     .options = hold_options},
    &integrator_class,
    declare_integrator};

/* Discrete state: the difference quotient, the last sample, how many were seen. */
static sal_outcome differ(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)event;
    const double *u = sal__sample_input(ctx, 0, note), *from = sal__get(ctx, SAL_XD);
    if (!u)
        return SAL_FAILED;
    const int size = self->size[SAL_INPUT];
    double *to = sal_context_edit(next, SAL_XD);
    for (int i = 0; i < size; i++) {
        to[i] = from[2 * size] > 0 ? (u[i] - from[size + i]) / period_of(self) : 0;
        to[size + i] = u[i];
    }
    to[2 * size] = 1;
    return SAL_SUCCEEDED;
}

static void declare_derivative(sal__block_builder *b) {
    sal__add_numbers(b, SAL_XD, "slope", sal__size(b), 0);
    sal__add_numbers(b, SAL_XD, "last", sal__size(b), 0);
    sal__add_numbers(b, SAL_XD, "begun", 1, 0);
    declare_sampled(b);
}

static const sal_block_option derivative_options[] = {SAL_PERIOD_OPTIONS, SAL_SIZE_OPTION, {0}};

static const sal_system_class derivative_class = {.name = "discrete_derivative", .update = differ};

const sal__block sal__block_discrete_derivative = {
    {.name = "discrete_derivative",
     .doc = "The difference quotient of the last two samples; 0 after one.",
     .law = "output = (input[n] - input[n - 1]) / period after sample n",
     .drake = "DiscreteDerivative, StateInterpolatorWithDiscreteDerivative",
     .alias_partition = 1 + SAL_XD,
     .example = "saltus.blocks.discrete_derivative { period = 0.01 }",
     .options = derivative_options},
    &derivative_class,
    declare_derivative};

/* ---- moving average: the mean, a ring of samples, the place of the oldest, how many were seen ---- */

static sal_outcome average(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                           sal_note *note) {
    (void)event;
    const double *u = sal__sample_input(ctx, 0, note);
    if (!u)
        return SAL_FAILED;
    const int size = self->size[SAL_INPUT], length = (self->size[SAL_XD] - 2) / size - 1;
    double *mean = sal_context_edit(next, SAL_XD), *ring = mean + size, *count = ring + length * size;
    const int at = sal__index(count[0], length), seen = sal__index(count[1], length) + 1;
    memcpy(ring + at * size, u, sizeof *u * (size_t)size);
    for (int i = 0; i < size; i++) {
        double sum = 0;
        for (int k = 0; k < seen; k++)
            sum += ring[k * size + i];
        mean[i] = sum / seen;
    }
    count[0] = at + 1 < length ? at + 1 : 0;
    count[1] = seen;
    return SAL_SUCCEEDED;
}

static void declare_average(sal__block_builder *b) {
    sal__add_numbers(b, SAL_XD, "mean", sal__size(b), 0);
    sal__add_numbers(b, SAL_XD, "samples_kept", sal__size(b) * (int)sal__number(b, "samples"), 0);
    sal__add_numbers(b, SAL_XD, "oldest", 1, 0);
    sal__add_numbers(b, SAL_XD, "seen", 1, 0);
    declare_sampled(b);
}

static const sal_block_option average_options[] = {
    {.name = "samples", .type = SAL_OPTION_COUNT, .fixed = true, .required = true, .doc = "number of samples"},
    SAL_PERIOD_OPTIONS,
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class average_class = {.name = "moving_average", .update = average};

const sal__block sal__block_moving_average = {
    {.name = "moving_average",
     .doc = "The mean of the last samples, or of all samples while there are fewer.",
     .law = "output = (input[n] + ... + input[n - samples + 1]) / samples",
     .alias_partition = 1 + SAL_XD,
     .example = "saltus.blocks.moving_average { period = 0.1, samples = 5 }",
     .options = average_options},
    &average_class,
    declare_average};
