/* Sources with a corner in time: step, ramp, pulse. A jump is a discrete state that an event changes, so no
 * integrator step sees both sides. A bend is computed. */
#include "block.h"

/* ---- step ---- */

enum { TIME, BEFORE, AFTER };

static sal_status step(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const bool passed = *sal__get(ctx, SAL_XD) != 0;
    return sal__spread(sal__param_each(self, ctx, passed ? AFTER : BEFORE), self->outputs.item[port].size, y);
}

static sal_status step_time(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)self, (void)event;
    const double at = *sal__get(ctx, SAL_PARAM), now = sal_context_time(ctx);
    *t = *sal__get(ctx, SAL_XD) != 0 ? HUGE_VAL : at > now ? at : now;
    return SAL_OK;
}

static sal_outcome pass(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)self, (void)note;
    const double at = *sal__get(ctx, SAL_PARAM);
    *sal_context_edit(next, SAL_XD) = event->index != SAL__START || sal_context_time(ctx) > at;
    return SAL_SUCCEEDED;
}

static void declare_step(sal__block_builder *b) {
    sal__add_numbers(b, SAL_XD, "passed", 1, 0);
    sal__add_output(b, "output", sal__size(b), false);
    sal__add_start(b, SAL_DISCRETE);
    sal__add_timed(b, "step", SAL_DISCRETE, -1);
}

SAL_BLOCK(step,
          SAL_OPTIONS(SAL_OPTION(NUMBER, "time", "time of the jump", .unit = "s", .default_value = 1),
                      SAL_OPTION(SIGNAL, "before", "output before that time", .default_value = 0),
                      SAL_OPTION(SIGNAL, "after", "output after that time", .default_value = 1), SAL_SIZE_OPTION),
          declare_step, SAL_FUNCTIONS(.output = step, .next_time = step_time, .update = pass),
          .doc = "A jump at one time. At that time, x- has `before` and x+ has `after`.",
          .law = "output = before up to time, after from then on", .drake = "TrajectorySource", .time_invariant = true,
          .example = "saltus.blocks.step { time = 1, before = 0, after = 2 }");

/* ---- ramp ---- */

enum { SLOPE, BEGIN, INITIAL };

static sal_status ramp(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double late = sal_context_time(ctx) - *sal__param(self, ctx, BEGIN);
    const sal__numbers slope = sal__param_each(self, ctx, SLOPE), initial = sal__param_each(self, ctx, INITIAL);
    for (int i = 0; i < self->outputs.item[port].size; i++)
        y[i] = sal__at(initial, i) + (late > 0 ? sal__at(slope, i) * late : 0);
    return SAL_OK;
}

static sal_status ramp_time(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    const double at = *sal__param(self, ctx, BEGIN);
    *t = at > sal_context_time(ctx) ? at : HUGE_VAL;
    return SAL_OK;
}

static void declare_ramp(sal__block_builder *b) {
    sal__add_output(b, "output", sal__size(b), false);
    sal__add_timed(b, "corner", SAL_NO_HANDLER, -1);
}

SAL_BLOCK(ramp,
          SAL_OPTIONS(SAL_OPTION(SIGNAL, "slope", "slope per second", .default_value = 1),
                      SAL_OPTION(NUMBER, "time", "start of the slope", .unit = "s"),
                      SAL_OPTION(SIGNAL, "initial", "output before that time"), SAL_SIZE_OPTION),
          declare_ramp, SAL_FUNCTIONS(.output = ramp, .next_time = ramp_time),
          .doc = "Constant up to a time, then a constant slope.", .law = "output = initial + slope max(0, t - time)",
          .drake = "TrajectorySource", .example = "saltus.blocks.ramp { slope = 2, time = 1 }");

/* ---- pulse ---- */

enum { LOW, HIGH };
enum { PULSE_START, PULSE_RISE, PULSE_FALL };

static sal_status pulse(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const bool on = *sal__get(ctx, SAL_XD) != 0;
    return sal__spread(sal__param_each(self, ctx, on ? HIGH : LOW), self->outputs.item[port].size, y);
}

/* Whether time t is inside a pulse; the first one begins at the offset. An edge at exactly that time is a separate
 * event. */
static bool is_on(const sal_system *self, double t) {
    const sal_event_config *rise = sal_system_event(self, PULSE_RISE), *fall = sal_system_event(self, PULSE_FALL);
    const double since = t - rise->offset, phase = since - rise->period * floor(since / rise->period);
    return since > 0 && phase > 0 && phase <= fall->offset - rise->offset;
}

static sal_outcome turn(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)note;
    const bool on = event->index == PULSE_START ? is_on(self, sal_context_time(ctx)) : event->index == PULSE_RISE;
    *sal_context_edit(next, SAL_XD) = on;
    return SAL_SUCCEEDED;
}

static void declare_pulse(sal__block_builder *b) {
    const double period = sal__number(b, "period"), width = sal__number(b, "width");
    const double offset = sal__number(b, "offset");
    if (!(width < period))
        sal__refuse(b, "option width must be smaller than period");
    sal__add_numbers(b, SAL_XD, "on", 1, 0);
    sal__add_output(b, "output", sal__size(b), false);
    sal__add_start(b, SAL_DISCRETE);
    sal__add_period(b, "rise", SAL_DISCRETE, period, offset);
    sal__add_period(b, "fall", SAL_DISCRETE, period, offset + width);
}

SAL_BLOCK(pulse,
          SAL_OPTIONS(SAL_OPTION(SIGNAL, "low", "output between pulses", .default_value = 0),
                      SAL_OPTION(SIGNAL, "high", "output in a pulse", .default_value = 1),
                      SAL_OPTION(NUMBER, "width", "length of a pulse, less than the period", .unit = "s",
                                 .required = true, .fixed = true, .rules = SAL_IS_POSITIVE),
                      SAL_OPTION(NUMBER, "period", "time between the starts of two pulses", .unit = "s",
                                 .required = true, .fixed = true, .rules = SAL_IS_POSITIVE),
                      SAL_OPTION(NUMBER, "offset", "start of the first pulse", .unit = "s", .fixed = true),
                      SAL_SIZE_OPTION),
          declare_pulse, SAL_FUNCTIONS(.output = pulse, .update = turn), .doc = "A square wave.",
          .law = "output = high for width seconds from offset + k period on, k = 0, 1, 2 ..., else low",
          .time_invariant = true, .example = "saltus.blocks.pulse { period = 2, width = 0.5, high = 3 }");
