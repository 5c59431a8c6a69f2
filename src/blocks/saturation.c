/* Blocks with two corners: saturation and dead zone. */
#include "piecewise.h"

enum { LOWER, UPPER };

static double border(const sal_system *self, const sal_context *ctx, int i, double k) {
    const sal__numbers lower = sal__param_each(self, ctx, LOWER), upper = sal__param_each(self, ctx, UPPER);
    return sal__border_of_three(sal__at(lower, i), sal__at(upper, i), k);
}

static double guess(const sal_system *self, const sal_context *ctx, int i, double u) {
    const sal__numbers lower = sal__param_each(self, ctx, LOWER), upper = sal__param_each(self, ctx, UPPER);
    return sal__piece_of_three(sal__at(lower, i), sal__at(upper, i), u);
}

static const sal__pieces corners = {sal__element_of_input, border, guess};

/* Returns the limit of an element's piece; between the limits, the element itself. */
static sal_status limits(const sal_system *self, const sal_context *ctx, int size, const double **u, double *limit) {
    const sal_status status = sal__input(ctx, 0, u);
    for (int i = 0; status == SAL_OK && i < size; i++) {
        const double k = sal__piece(self, ctx, i, (*u)[i]);
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
    sal__add_signal(b, true);
    if (sal__number(b, "watch") != 0)
        sal__add_pieces(b, size, SAL_DISCRETE);
}

SAL_BLOCK(saturation,
          SAL_OPTIONS(SAL_OPTION(SIGNAL, "lower", "least output", .rules = SAL_MAY_BE_INFINITE, .not_above = "upper",
                                 .default_value = SAL_NO_LOWER_LIMIT),
                      SAL_OPTION(SIGNAL, "upper", "greatest output", .rules = SAL_MAY_BE_INFINITE,
                                 .default_value = HUGE_VAL),
                      SAL_WATCH_OPTION, SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.output = saturate, SAL_PIECES_MEMBERS(corners)),
          .doc = "The signal between two limits.", .law = "output = min(max(input, lower), upper)",
          .drake = "Saturation", .time_invariant = true,
          .example = "saltus.blocks.saturation { lower = -1, upper = 1 }");

SAL_BLOCK(dead_zone,
          SAL_OPTIONS(SAL_OPTION(SIGNAL, "lower", "where it begins", .required = true, .rules = SAL_MAY_BE_INFINITE,
                                 .not_above = "upper"),
                      SAL_OPTION(SIGNAL, "upper", "where it ends", .required = true, .rules = SAL_MAY_BE_INFINITE),
                      SAL_WATCH_OPTION, SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.output = leave_dead, SAL_PIECES_MEMBERS(corners)),
          .doc = "0 between two limits, and the distance to the nearer limit outside of them.",
          .law = "output = input - upper above upper, input - lower below lower, else 0", .time_invariant = true,
          .example = "saltus.blocks.dead_zone { lower = -0.1, upper = 0.1 }");
