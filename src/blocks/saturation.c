/* What bends a signal at two corners: saturation and dead zone. */
#include "piecewise.h"

enum { LOWER, UPPER };

static sal_status variable(const sal_system *self, const sal_context *ctx, int i, double *u) {
    (void)self;
    const double *input = NULL;
    const sal_status status = sal__input(ctx, 0, &input);
    if (status == SAL_OK)
        *u = input[i];
    return status;
}

static double border(const sal_system *self, const sal_context *ctx, int i, double k) {
    const sal__numbers lower = sal__param_each(self, ctx, LOWER), upper = sal__param_each(self, ctx, UPPER);
    return sal__border_of_three(sal__at(lower, i), sal__at(upper, i), k);
}

static double guess(const sal_system *self, const sal_context *ctx, int i, double u) {
    const sal__numbers lower = sal__param_each(self, ctx, LOWER), upper = sal__param_each(self, ctx, UPPER);
    return sal__piece_of_three(sal__at(lower, i), sal__at(upper, i), u);
}

static const sal__pieces corners = {variable, border, guess};

SAL_PIECES_CLASS(corners)

/* The limit of the piece that u is in, by element; u itself between the limits. */
static sal_status limits(const sal_system *self, const sal_context *ctx, int size, const double **u, double *limit) {
    const sal_status status = sal__input(ctx, 0, u);
    for (int i = 0; status == SAL_OK && i < size; i++) {
        const double k = sal__piece(&corners, self, ctx, i, (*u)[i]);
        limit[i] = k == 0 ? (*u)[i] : sal__at(sal__param_each(self, ctx, k < 0 ? LOWER : UPPER), i);
    }
    return status;
}

static sal_status saturate(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL;
    return limits(self, ctx, self->outputs.item[port].size, &u, y);
}

static sal_status leave_dead(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL;
    const int size = self->outputs.item[port].size;
    const sal_status status = limits(self, ctx, size, &u, y);
    for (int i = 0; status == SAL_OK && i < size; i++)
        y[i] = u[i] - y[i];
    return status;
}

static void declare(sal__block_builder *b) {
    const int size = sal__size(b);
    sal__add_input(b, "input", size);
    sal__add_output(b, "output", size, true);
    if (sal__number(b, "watch") != 0)
        sal__add_pieces(b, size, SAL_DISCRETE);
}

static const sal_block_option saturation_options[] = {{.name = "lower",
                                                       .type = SAL_OPTION_SIGNAL,
                                                       .rules = SAL_MAY_BE_INFINITE,
                                                       .default_value = -HUGE_VAL,
                                                       .not_above = "upper",
                                                       .doc = "least output"},
                                                      {.name = "upper",
                                                       .type = SAL_OPTION_SIGNAL,
                                                       .rules = SAL_MAY_BE_INFINITE,
                                                       .default_value = HUGE_VAL,
                                                       .doc = "greatest output"},
                                                      SAL_WATCH_OPTION,
                                                      SAL_SIZE_OPTION,
                                                      {0}};

static const sal_system_class saturation_class = {
    .name = "saturation", .output = saturate, SAL_PIECES_MEMBERS(corners)};

const sal__block sal__block_saturation = {{.name = "saturation",
                                           .doc = "The signal between two limits.",
                                           .law = "output = min(max(input, lower), upper)",
                                           .drake = "Saturation",
                                           .time_invariant = true,
                                           .example = "saltus.blocks.saturation { lower = -1, upper = 1 }",
                                           .options = saturation_options},
                                          &saturation_class,
                                          declare};

static const sal_block_option dead_zone_options[] = {{.name = "lower",
                                                      .type = SAL_OPTION_SIGNAL,
                                                      .rules = SAL_MAY_BE_INFINITE,
                                                      .required = true,
                                                      .not_above = "upper",
                                                      .doc = "where it begins"},
                                                     {.name = "upper",
                                                      .type = SAL_OPTION_SIGNAL,
                                                      .rules = SAL_MAY_BE_INFINITE,
                                                      .required = true,
                                                      .doc = "where it ends"},
                                                     SAL_WATCH_OPTION,
                                                     SAL_SIZE_OPTION,
                                                     {0}};

static const sal_system_class dead_zone_class = {
    .name = "dead_zone", .output = leave_dead, SAL_PIECES_MEMBERS(corners)};

const sal__block sal__block_dead_zone = {
    {.name = "dead_zone",
     .doc = "0 between two limits, and the distance to the nearer limit outside of them.",
     .law = "output = input - upper above upper, input - lower below lower, else 0",
     .time_invariant = true,
     .example = "saltus.blocks.dead_zone { lower = -0.1, upper = 0.1 }",
     .options = dead_zone_options},
    &dead_zone_class,
    declare};
