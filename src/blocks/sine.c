/* A sine of time, and a sine whose frequency changes. */
#include "block.h"
#include "saltus/math.h"

enum { AMPLITUDE, FREQUENCY, PHASE, BIAS };

static sal_status sine(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double t = sal_context_time(ctx);
    const sal__numbers a = sal__param_each(self, ctx, AMPLITUDE), w = sal__param_each(self, ctx, FREQUENCY);
    const sal__numbers phase = sal__param_each(self, ctx, PHASE), bias = sal__param_each(self, ctx, BIAS);
    for (int i = 0; i < self->outputs.item[port].size; i++)
        y[i] = sal__at(bias, i) + sal__at(a, i) * sal_sin(sal__at(w, i) * t + sal__at(phase, i));
    return SAL_OK;
}

SAL_BLOCK(sine,
          SAL_OPTIONS(SAL_OPTION(SIGNAL, "amplitude", "height", .default_value = 1),
                      SAL_OPTION(SIGNAL, "frequency", "angular frequency", .unit = "rad/s", .default_value = 1),
                      SAL_OPTION(SIGNAL, "phase", "angle at 0 s", .unit = "rad"),
                      SAL_OPTION(SIGNAL, "bias", "added constant"), SAL_SIZE_OPTION),
          sal__declare_source, SAL_FUNCTIONS(.output = sine), .doc = "A sine of time.",
          .law = "output = bias + amplitude sin(frequency t + phase)", .drake = "Sine", .simbody = "Sinusoid",
          .example = "saltus.blocks.sine { amplitude = 2, frequency = 3, phase = 0.5 }");

sal_status sal_block_sine(const sal_allocator *allocator, const char *name, double amplitude, double frequency,
                          double phase, sal_system **out) {
    const sal_block_value values[] = {{.option = "amplitude", .numbers = &amplitude, .count = 1},
                                      {.option = "frequency", .numbers = &frequency, .count = 1},
                                      {.option = "phase", .numbers = &phase, .count = 1}};
    return sal_block_new(allocator, "sine", name, values, 3, NULL, out);
}

/* ---- chirp ---- */

enum { HEIGHT, FIRST, LAST, DURATION };

static sal_status chirp(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    const double *p = sal__get(ctx, SAL_PARAM);
    const double t = sal_context_time(ctx), swept = sal__clamp(t, 0, p[DURATION]);
    const double angle = p[FIRST] * swept + (p[LAST] - p[FIRST]) * swept * swept / (2 * p[DURATION]);
    *y = p[HEIGHT] * sal_sin(angle + (t < 0 ? p[FIRST] * t : p[LAST] * (t - swept)));
    return SAL_OK;
}

/* The times at which the frequency begins and ends to change. */
static sal_status corner(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)self, (void)event;
    const double now = sal_context_time(ctx), end = sal__get(ctx, SAL_PARAM)[DURATION];
    *t = now < 0 ? 0 : now < end ? end : HUGE_VAL;
    return SAL_OK;
}

static void declare_chirp(sal__block_builder *b) {
    sal__add_output(b, "output", 1, false);
    sal__add_timed(b, "corner", SAL_NO_HANDLER, -1);
}

SAL_BLOCK(chirp,
          SAL_OPTIONS(SAL_OPTION(NUMBER, "amplitude", "height", .default_value = 1),
                      SAL_OPTION(NUMBER, "first", "angular frequency at 0 s", .unit = "rad/s", .required = true),
                      SAL_OPTION(NUMBER, "last", "angular frequency from duration on", .unit = "rad/s",
                                 .required = true),
                      SAL_OPTION(NUMBER, "duration", "time in which the frequency changes linearly", .unit = "s",
                                 .required = true, .rules = SAL_IS_POSITIVE)),
          declare_chirp, SAL_FUNCTIONS(.output = chirp, .next_time = corner),
          .doc = "A sine whose frequency changes linearly, then is constant.",
          .law = "output = amplitude sin(first t + (last - first) t^2 / (2 duration))",
          .example = "saltus.blocks.chirp { first = 1, last = 20, duration = 10 }");
