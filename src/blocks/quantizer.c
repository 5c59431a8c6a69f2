/* Stairs: quantizer and wrapping. The stair that the signal stands on is a
 * discrete state; leaving it, by flow or by jump, is an event. Without events
 * (watch = false) the stair is found when the output is read. */
#include "block.h"

enum { INTERVAL };
enum { LOW, HIGH };

/* Stair k stands between floor_of(k) and floor_of(k + 1). */
typedef struct stairs {
    double origin, width;
} stairs;

static bool wraps(const sal_system *self) {
    return self->behaviour->name[0] == 'w';
}

static stairs stairs_of(const sal_system *self, const sal_context *ctx, int i) {
    if (wraps(self)) {
        const double low = sal__at(sal__param_each(self, ctx, LOW), i);
        return (stairs){low, sal__at(sal__param_each(self, ctx, HIGH), i) - low};
    }
    const double interval = sal__at(sal__param_each(self, ctx, INTERVAL), i);
    return (stairs){-0.5 * interval, interval};
}

static double floor_of(stairs s, double k) {
    return s.origin + k * s.width;
}

static double stair_at(stairs s, double u) {
    return floor((u - s.origin) / s.width);
}

static bool watches(const sal_system *self) {
    return self->size[SAL_XD] > 0;
}

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL, *stair = sal_context_get(ctx, SAL_XD);
    const bool reads = wraps(self) || !watches(self);
    const sal_status status = reads ? sal_context_input(ctx, 0, &u) : SAL_OK;
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++) {
        const stairs s = stairs_of(self, ctx, i);
        const double k = watches(self) ? stair[i] : stair_at(s, u[i]);
        y[i] = wraps(self) ? u[i] - k * s.width : k * s.width;
    }
    return status;
}

static bool stands(stairs s, double k, double u) {
    return u >= floor_of(s, k) && u <= floor_of(s, k + 1);
}

static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    const int size = self->size[SAL_XD], at = event - SAL__SETTLED, i = at % size;
    const stairs s = stairs_of(self, ctx, i);
    const double k = sal_context_get(ctx, SAL_XD)[i];
    *value = sal__own_side(at < size ? floor_of(s, k + 1) - u[i] : u[i] - floor_of(s, k), true);
    return SAL_OK;
}

static sal_status settle(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    const double *u = NULL, *stair = sal_context_get(ctx, SAL_XD);
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    bool settled = true;
    for (int i = 0; settled && i < self->size[SAL_XD]; i++)
        settled = stands(stairs_of(self, ctx, i), stair[i], u[i]);
    *t = sal__when_settled(ctx, settled);
    return SAL_OK;
}

/* Rounding may put stair_at one off what the borders say. */
static double found(stairs s, double u) {
    const double k = stair_at(s, u);
    return u < floor_of(s, k) ? k - 1 : u > floor_of(s, k + 1) ? k + 1 : k;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const double *u = NULL, *stair = sal_context_get(ctx, SAL_XD);
    if (sal_context_input(ctx, 0, &u) != SAL_OK) {
        sal_note_set(note, "its input failed");
        return SAL_FAILED;
    }
    const int size = self->size[SAL_XD], at = event->index - SAL__SETTLED;
    double *to = sal_context_edit(next, SAL_XD);
    for (int i = 0; i < size; i++) {
        const stairs s = stairs_of(self, ctx, i);
        if (at == i || at == size + i)
            to[i] = stair[i] + (at < size ? 1 : -1);
        else if (event->index == SAL__START || !stands(s, stair[i], u[i]))
            to[i] = found(s, u[i]);
    }
    return SAL_SUCCEEDED;
}

static void declare(sal__building *b) {
    const int size = sal__size(b);
    const bool watch = sal__number(b, "watch") != 0;
    const bool wrapping = sal__has_option(b, "high");
    for (int i = 0; wrapping && i < size; i++) {
        const sal_block_value *low = sal__value_of(b, "low"), *high = sal__value_of(b, "high");
        if (!(low->numbers[low->count > 1 ? i : 0] < high->numbers[high->count > 1 ? i : 0]))
            sal__refuse(b, "option low must be less than high");
    }
    sal__add_input(b, "input", size);
    sal__add_output(b, "output", size, wrapping || !watch);
    if (!watch)
        return;
    sal__add_numbers(b, SAL_XD, "stair", size, 0);
    sal__add_settling(b, SAL_DISCRETE);
    sal__add_witness(b, "up", SAL_DISCRETE, SAL_FALLING, size);
    sal__add_witness(b, "down", SAL_DISCRETE, SAL_FALLING, size);
}

#define WATCH_OPTION \
    { \
        .name = "watch", .type = SAL_A_FLAG, .fixed = true, .otherwise = 1, \
        .doc = "jumps are events; false: for what is read at samples only" \
    }

static const sal_block_option quantizer_options[] = {
    {.name = "interval", .type = SAL_A_SIGNAL, .required = true, .rules = SAL_IS_POSITIVE, .doc = "of the stairs"},
    WATCH_OPTION,
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class quantizer_class = {
    .name = "quantizer", .output = output, .witness = witness, .next_time = settle, .update = update};

const sal__block sal__block_quantizer = {{.name = "quantizer",
                                          .doc = "The nearest multiple of an interval, as an encoder tells it.",
                                          .law = "output = interval round(input / interval)",
                                          .example = "saltus.blocks.quantizer { interval = 0.01 }",
                                          .options = quantizer_options},
                                         &quantizer_class,
                                         declare};

static const sal_block_option wrap_options[] = {
    {.name = "low", .type = SAL_A_SIGNAL, .otherwise = -3.14159265358979323846, .doc = "where the range begins"},
    {.name = "high", .type = SAL_A_SIGNAL, .otherwise = 3.14159265358979323846, .doc = "where it ends"},
    WATCH_OPTION,
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class wrap_class = {
    .name = "wrap_to", .output = output, .witness = witness, .next_time = settle, .update = update};

const sal__block sal__block_wrap_to = {{.name = "wrap_to",
                                        .doc = "Brings a signal into a range by whole ranges, such as an angle.",
                                        .law = "output = input - k (high - low), between low and high",
                                        .drake = "WrapToSystem",
                                        .example = "saltus.blocks.wrap_to {}",
                                        .options = wrap_options},
                                       &wrap_class,
                                       declare};
