/* Quantizer and wrapping. Each stair is a piece; leaving it, continuously or by a jump, is an event. Without events
 * (watch = false) each read of the output finds the stair. */
#include "piecewise.h"

enum { INTERVAL };
enum { LOW, HIGH };

/* Stair k is between origin + k width and origin + (k + 1) width. */
typedef struct stairs {
    double origin, width;
} stairs;

static bool wraps(const sal_system *self) {
    return self->behaviour->name[0] == 'w';
}

static stairs stairs_of_interval(double interval) {
    return (stairs){-0.5 * interval, interval};
}

static stairs stairs_of(const sal_system *self, const sal_context *ctx, int i) {
    if (!wraps(self))
        return stairs_of_interval(sal__at(sal__param_each(self, ctx, INTERVAL), i));
    const double low = sal__at(sal__param_each(self, ctx, LOW), i);
    return (stairs){low, sal__at(sal__param_each(self, ctx, HIGH), i) - low};
}

static double border(const sal_system *self, const sal_context *ctx, int i, double k) {
    const stairs s = stairs_of(self, ctx, i);
    return s.origin + k * s.width;
}

static double stair_of(stairs s, double u) {
    return floor((u - s.origin) / s.width);
}

static double guess(const sal_system *self, const sal_context *ctx, int i, double u) {
    return stair_of(stairs_of(self, ctx, i), u);
}

static const sal__pieces steps = {sal__element_of_input, border, guess};

/* Returns the stairs in the discrete state; NULL: the block has no events. */
static const double *watched(const sal_system *self, const sal_context *ctx) {
    return self->size[SAL_XD] > 0 ? sal__get(ctx, SAL_XD) : NULL;
}

static sal_status quantized(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)port;
    const double *u = NULL, *stair = watched(self, ctx);
    const sal_status status = stair ? SAL_OK : sal__input(ctx, 0, &u);
    const sal__numbers interval = sal__only_param(ctx);
    const int size = status == SAL_OK ? ctx->input_slot->size : 0;
    for (int i = 0; i < size; i++) {
        const stairs s = stairs_of_interval(sal__at(interval, i));
        y[i] = (stair ? stair[i] : stair_of(s, u[i])) * s.width;
    }
    return status;
}

/* The stair of an input to be shifted. Where it crosses a border, it stays on its stair until the event, so that x- is
 * the end of the range. Where it has jumped farther, between steps, its stair is looked up. */
static double stair_to_leave(const sal_system *self, const sal_context *ctx, int i, double u) {
    const double *stair = watched(self, ctx);
    const stairs s = stairs_of(self, ctx, i);
    if (!stair)
        return stair_of(s, u);
    const double at = (u - s.origin) / s.width - stair[i]; /* from 0 to 1 on its stair */
    return at < -1e-3 || at > 1 + 1e-3 ? sal__piece(self, ctx, i, u) : stair[i];
}

static sal_status wrapped(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++)
        y[i] = u[i] - stair_to_leave(self, ctx, i, u[i]) * stairs_of(self, ctx, i).width;
    return status;
}

static void declare(sal__block_builder *b) {
    const int size = sal__size(b);
    const bool watch = sal__number(b, "watch") != 0;
    const bool wrapping = sal__has_option(b, "high");
    sal__add_signal(b, wrapping || !watch);
    if (watch)
        sal__add_pieces(b, size, SAL_DISCRETE);
}

#define WATCH_OPTION \
    SAL_OPTION(FLAG, "watch", "jumps are events; false: for outputs that are read at samples only", .fixed = true, \
               .default_value = 1)

SAL_BLOCK(quantizer,
          SAL_OPTIONS(SAL_OPTION(SIGNAL, "interval", "width of the steps", .required = true, .rules = SAL_IS_POSITIVE),
                      WATCH_OPTION, SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.output = quantized, SAL_PIECES_MEMBERS(steps)),
          .doc = "The nearest multiple of an interval, as of an encoder.",
          .law = "output = interval round(input / interval)", .time_invariant = true,
          .example = "saltus.blocks.quantizer { interval = 0.01 }");

SAL_BLOCK(wrap_to,
          SAL_OPTIONS(SAL_OPTION(SIGNAL, "low", "lower end of the range", .rules = SAL_IS_LESS, .not_above = "high",
                                 .default_value = -3.14159265358979323846),
                      SAL_OPTION(SIGNAL, "high", "where it ends", .default_value = 3.14159265358979323846),
                      WATCH_OPTION, SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.output = wrapped, SAL_PIECES_MEMBERS(steps)),
          .doc = "Shifts a signal into a range by whole ranges, such as an angle.",
          .law = "output = input - k (high - low), between low and high", .drake = "WrapToSystem",
          .time_invariant = true, .example = "saltus.blocks.wrap_to {}");
