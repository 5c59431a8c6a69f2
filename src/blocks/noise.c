/* White noise: a random number at every sample, held between samples, so it is band-limited to half the sampling rate.
 * Each part has its own stream (see context.h). */
#include "block.h"
#include "saltus/math.h"

enum { VARIANCE, MEAN, DISTRIBUTION };
enum { NORMAL = 1, UNIFORM, EXPONENTIAL };

/* A random number of mean 0 and variance 1. */
static double draw(sal_context *next, double distribution) {
    const double u = sal_context_random(next);
    if (distribution == UNIFORM)
        return sqrt(12) * (u - 0.5);
    if (distribution == EXPONENTIAL)
        return -sal_log(u) - 1;
    const double angle = 2 * 3.14159265358979323846 * sal_context_random(next);
    return sqrt(-2 * sal_log(u)) * sal_cos(angle); /* Box and Muller, Ann. Math. Stat. 29 (1958) */
}

static sal_outcome sample(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)event, (void)note;
    const sal__numbers variance = sal__param_each(self, ctx, VARIANCE), mean = sal__param_each(self, ctx, MEAN);
    const double distribution = *sal__param(self, ctx, DISTRIBUTION);
    double *held = sal_context_edit(next, SAL_XD);
    for (int i = 0; i < self->size[SAL_XD]; i++)
        held[i] = sal__at(mean, i) + sqrt(sal__at(variance, i)) * draw(next, distribution);
    return SAL_SUCCEEDED;
}

static void declare(sal__block_builder *b) {
    sal__add_numbers(b, SAL_XD, "held", sal__size(b), 0);
    sal__add_output(b, "output", sal__size(b), false);
    sal__add_samples(b);
}

SAL_BLOCK(noise,
          SAL_OPTIONS(SAL_OPTION(SIGNAL, "variance",
                                 "variance of a sample; for white noise of two-sided density S: S / period",
                                 .rules = SAL_IS_NOT_NEGATIVE, .default_value = 1),
                      SAL_OPTION(SIGNAL, "mean", "of a sample"),
                      SAL_OPTION(CHOICE, "distribution", "distribution; all have this mean and variance",
                                 .words = "normal uniform exponential", .default_value = NORMAL),
                      SAL_PERIOD_OPTIONS, SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.update = sample),
          .doc =
              "Band-limited white noise: a new random number at every sample, constant between. The block has its own "
              "stream, which is part of the context.",
          .law = "output = mean + sqrt(variance) draw, at offset + k period", .drake = "RandomSource",
          .alias_partition = 1 + SAL_XD, .example = "saltus.blocks.noise { variance = 0.01, period = 0.001 }");
