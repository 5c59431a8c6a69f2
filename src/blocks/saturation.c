/* What bends a signal at two corners: saturation and dead zone. The output is
 * computed from the input alone; a witness at each corner ends the step there. */
#include "block.h"

enum { LOWER, UPPER };

static double saturated(double u, double lower, double upper) {
    return sal__clamp(u, lower, upper);
}

static double outside(double u, double lower, double upper) {
    return u < lower ? u - lower : u > upper ? u - upper : 0;
}

static sal_status bend(const sal_system *self, const sal_context *ctx, int size, double *y,
                       double (*law)(double u, double lower, double upper)) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    const sal__numbers lower = sal__param_each(self, ctx, LOWER), upper = sal__param_each(self, ctx, UPPER);
    for (int i = 0; i < size; i++)
        y[i] = law(u[i], sal__at(lower, i), sal__at(upper, i));
    return SAL_OK;
}

static sal_status saturate(const sal_system *self, const sal_context *ctx, int port, double *y) {
    return bend(self, ctx, self->outputs.item[port].size, y, saturated);
}

static sal_status leave_dead(const sal_system *self, const sal_context *ctx, int port, double *y) {
    return bend(self, ctx, self->outputs.item[port].size, y, outside);
}

/* Events: at the lower corner of every element, then at the upper one. */
static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    const int size = self->size[SAL_INPUT], i = event % size;
    const double corner = sal__at(sal__param_each(self, ctx, event < size ? LOWER : UPPER), i);
    *value = corner > -HUGE_VAL && corner < HUGE_VAL ? u[i] - corner : 1;
    return SAL_OK;
}

static void declare(sal__building *b) {
    const int size = sal__size(b);
    const sal_block_value *lower = sal__value_of(b, "lower"), *upper = sal__value_of(b, "upper");
    for (int i = 0; i < size; i++)
        if (lower->numbers[lower->count > 1 ? i : 0] > upper->numbers[upper->count > 1 ? i : 0])
            sal__refuse(b, "option lower must not be greater than upper");
    sal__add_input(b, "input", size);
    sal__add_output(b, "output", size, true);
    if (sal__number(b, "watch") != 0) {
        sal__add_witness(b, "at_lower", SAL_NO_HANDLER, SAL_CROSSING, size);
        sal__add_witness(b, "at_upper", SAL_NO_HANDLER, SAL_CROSSING, size);
    }
}

static const sal_block_option saturation_options[] = {{.name = "lower",
                                                       .type = SAL_A_SIGNAL,
                                                       .rules = SAL_MAY_BE_INFINITE,
                                                       .otherwise = -HUGE_VAL,
                                                       .doc = "the output is never less"},
                                                      {.name = "upper",
                                                       .type = SAL_A_SIGNAL,
                                                       .rules = SAL_MAY_BE_INFINITE,
                                                       .otherwise = HUGE_VAL,
                                                       .doc = "the output is never greater"},
                                                      SAL_WATCH_OPTION,
                                                      SAL_SIZE_OPTION,
                                                      {0}};

static const sal_system_class saturation_class = {.name = "saturation", .output = saturate, .witness = witness};

const sal__block sal__block_saturation = {{.name = "saturation",
                                           .doc = "The signal between two limits.",
                                           .law = "output = min(max(input, lower), upper)",
                                           .drake = "Saturation",
                                           .example = "saltus.blocks.saturation { lower = -1, upper = 1 }",
                                           .options = saturation_options},
                                          &saturation_class,
                                          declare};

static const sal_block_option dead_zone_options[] = {
    {.name = "lower", .type = SAL_A_SIGNAL, .rules = SAL_MAY_BE_INFINITE, .required = true, .doc = "where it begins"},
    {.name = "upper", .type = SAL_A_SIGNAL, .rules = SAL_MAY_BE_INFINITE, .required = true, .doc = "where it ends"},
    SAL_WATCH_OPTION,
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class dead_zone_class = {.name = "dead_zone", .output = leave_dead, .witness = witness};

const sal__block sal__block_dead_zone = {
    {.name = "dead_zone",
     .doc = "Nothing between two limits; outside of them, how far outside.",
     .law = "output = input - upper above upper, input - lower below lower, else 0",
     .example = "saltus.blocks.dead_zone { lower = -0.1, upper = 0.1 }",
     .options = dead_zone_options},
    &dead_zone_class,
    declare};
