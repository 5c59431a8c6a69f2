/* A sine of time, and one whose frequency runs. */
#include <math.h>

#include "block.h"

enum { AMPLITUDE, FREQUENCY, PHASE, BIAS };

static sal_status sine(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double t = sal_context_time(ctx);
    const sal__numbers a = sal__param_each(self, ctx, AMPLITUDE), w = sal__param_each(self, ctx, FREQUENCY);
    const sal__numbers phase = sal__param_each(self, ctx, PHASE), bias = sal__param_each(self, ctx, BIAS);
    for (int i = 0; i < self->outputs.item[port].size; i++)
        y[i] = sal__at(bias, i) + sal__at(a, i) * sin(sal__at(w, i) * t + sal__at(phase, i));
    return SAL_OK;
}

static void declare(sal__block_builder *b) {
    sal__add_output(b, "output", sal__size(b), false);
}

static const sal_block_option options[] = {
    {.name = "amplitude", .type = SAL_OPTION_SIGNAL, .default_value = 1, .doc = "height"},
    {.name = "frequency", .type = SAL_OPTION_SIGNAL, .default_value = 1, .unit = "rad/s", .doc = "angular frequency"},
    {.name = "phase", .type = SAL_OPTION_SIGNAL, .unit = "rad", .doc = "angle at 0 s"},
    {.name = "bias", .type = SAL_OPTION_SIGNAL, .doc = "added constant"},
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class class = {.name = "sine", .output = sine};

const sal__block sal__block_sine = {{.name = "sine",
                                     .doc = "A sine of time.",
                                     .law = "output = bias + amplitude sin(frequency t + phase)",
                                     .drake = "Sine",
                                     .simbody = "Sinusoid",
                                     .example = "saltus.blocks.sine { amplitude = 2, frequency = 3, phase = 0.5 }",
                                     .options = options},
                                    &class,
                                    declare};

sal_status sal_block_sine(const sal_allocator *allocator, const char *name, double amplitude, double frequency,
                          double phase, sal_system **out) {
    const sal_block_value told[] = {{.option = "amplitude", .numbers = &amplitude, .count = 1},
                                    {.option = "frequency", .numbers = &frequency, .count = 1},
                                    {.option = "phase", .numbers = &phase, .count = 1}};
    return sal_block_new(allocator, "sine", name, told, 3, NULL, out);
}

/* ---- chirp ---- */

enum { HEIGHT, FIRST, LAST, DURATION };

static sal_status chirp(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    const double *p = sal__get(ctx, SAL_PARAM);
    const double t = sal_context_time(ctx), swept = sal__clamp(t, 0, p[DURATION]);
    const double angle = p[FIRST] * swept + (p[LAST] - p[FIRST]) * swept * swept / (2 * p[DURATION]);
    *y = p[HEIGHT] * sin(angle + (t < 0 ? p[FIRST] * t : p[LAST] * (t - swept)));
    return SAL_OK;
}

/* Where the frequency begins to run, and where it is there. */
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

static const sal_block_option chirp_options[] = {
    {.name = "amplitude", .type = SAL_OPTION_NUMBER, .default_value = 1, .doc = "height"},
    {.name = "first", .type = SAL_OPTION_NUMBER, .required = true, .unit = "rad/s", .doc = "angular frequency at 0 s"},
    {.name = "last",
     .type = SAL_OPTION_NUMBER,
     .required = true,
     .unit = "rad/s",
     .doc = "angular frequency from duration on"},
    {.name = "duration",
     .type = SAL_OPTION_NUMBER,
     .required = true,
     .rules = SAL_IS_POSITIVE,
     .unit = "s",
     .doc = "time in which the frequency changes linearly"},
    {0}};

static const sal_system_class chirp_class = {.name = "chirp", .output = chirp, .next_time = corner};

const sal__block sal__block_chirp = {{.name = "chirp",
                                      .doc = "A sine whose frequency changes linearly, then is constant.",
                                      .law = "output = amplitude sin(first t + (last - first) t^2 / (2 duration))",
                                      .example = "saltus.blocks.chirp { first = 1, last = 20, duration = 10 }",
                                      .options = chirp_options},
                                     &chirp_class,
                                     declare_chirp};
