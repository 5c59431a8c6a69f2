/* The integral of a signal, with limits, and with a reset by an edge. At a limit the state is constant (mode +1 or -1)
 * until the input reverses. Reaching a limit and leaving it are events, so no step crosses them. */
#include "block.h"

enum { INITIAL, LOWER, UPPER, RESET };
enum { NONE = 1, RISING, FALLING, EITHER };

/* ---- plain ---- */

SAL_BLOCK(integral, SAL_OPTIONS(SAL_OPTION(SIGNAL, "initial", "state at the start", .fixed = true), SAL_SIZE_OPTION),
          sal__declare_state, SAL_FUNCTIONS(.derivatives = sal__integrate_input), .doc = "The integral of a signal.",
          .law = "output' = input, output(0) = initial", .drake = "Integrator", .simbody = "Integrate",
          .alias_partition = 1 + SAL_Z, .example = "saltus.blocks.integral { initial = 1 }");

/* ---- limits. Discrete state: a mode for each element, the side of 0 that the reset signal is on ---- */

static double bound(const sal_system *self, const sal_context *ctx, int i, double mode) {
    return sal__at(sal__param_each(self, ctx, mode > 0 ? UPPER : LOWER), i);
}

static bool has_reset(const sal_system *self) {
    return self->size[SAL_XD] > self->size[SAL_Z];
}

static sal_status bounded_flow(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *u = NULL, *mode = sal__get(ctx, SAL_XD);
    const sal_status status = sal__input(ctx, 0, &u);
    for (int i = 0; status == SAL_OK && i < self->size[SAL_Z]; i++)
        dot->z[i] = mode[i] == 0 ? u[i] : 0;
    return status;
}

/* Falls through 0 where a free state reaches a limit, and where the input of a state at a limit reverses. */
static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const int size = self->size[SAL_Z], i = (event - SAL__FIRST_OWN_EVENT) % size;
    const double side = event - SAL__FIRST_OWN_EVENT < size ? 1 : -1;
    const double *u = NULL, *mode = sal__get(ctx, SAL_XD);
    const bool resets = event - SAL__FIRST_OWN_EVENT >= 2 * size;
    const sal_status status = sal__input(ctx, resets ? 1 : 0, &u);
    const double limit = bound(self, ctx, i, side);
    if (status != SAL_OK)
        return status;
    if (resets)
        *value = sal__resolve_zero(*u, mode[size] != 0);
    else if (mode[i] == side)
        *value = sal__resolve_zero(side * u[i], true);
    else if (limit > -HUGE_VAL && limit < HUGE_VAL)
        *value = sal__resolve_zero(side * (limit - sal__get(ctx, SAL_Z)[i]), true);
    else
        *value = 1;
    return SAL_OK;
}

/* Returns the mode of a state z with input u. */
static double mode_for(const sal_system *self, const sal_context *ctx, int i, double z, double u) {
    if (u > 0 && z >= bound(self, ctx, i, 1))
        return 1;
    return u < 0 && z <= bound(self, ctx, i, -1) ? -1 : 0;
}

static bool is_settled(const sal_system *self, const sal_context *ctx, const double *u, const double *reset) {
    const double *mode = sal__get(ctx, SAL_XD), *z = sal__get(ctx, SAL_Z);
    const int size = self->size[SAL_Z];
    for (int i = 0; i < size; i++)
        if (mode[i] != 0 ? mode[i] * u[i] < 0 : mode_for(self, ctx, i, z[i], u[i]) != 0)
            return false;
    return !reset || (mode[size] != 0 ? !(*reset < 0) : !(*reset > 0)); /* NaN changes nothing */
}

static sal_status inputs(const sal_system *self, const sal_context *ctx, const double **u, const double **reset) {
    const sal_status status = sal__input(ctx, 0, u);
    return status == SAL_OK && has_reset(self) ? sal__input(ctx, 1, reset) : status;
}

static sal_status settle(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    const double *u = NULL, *reset = NULL;
    const sal_status status = inputs(self, ctx, &u, &reset);
    if (status == SAL_OK)
        *t = sal__settle_time(ctx, is_settled(self, ctx, u, reset));
    return status;
}

/* Stores the side of the reset signal. Returns whether it is an edge of the chosen direction. */
static bool resets_now(const sal_system *self, const sal_context *ctx, int event, double reset, double *side) {
    const bool was = *side != 0, flowed = event == SAL__FIRST_OWN_EVENT + 2 * self->size[SAL_Z];
    const bool is = event == SAL__START ? reset > 0 : flowed || (was ? reset < 0 : reset > 0) ? !was : was;
    const double wanted = *sal__param(self, ctx, RESET);
    *side = is;
    return event != SAL__START && is != was && (wanted == EITHER || wanted == (is ? RISING : FALLING));
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const double *u = NULL, *reset = NULL;
    const sal_status status = inputs(self, ctx, &u, &reset);
    if (status != SAL_OK)
        return sal__input_failed(status, note);
    const int size = self->size[SAL_Z], hit = event->index - SAL__FIRST_OWN_EVENT;
    double *mode = sal_context_edit(next, SAL_XD), *z = sal_context_edit(next, SAL_Z);
    const bool back = reset && resets_now(self, ctx, event->index, *reset, &mode[size]);
    for (int i = 0; i < size; i++) {
        const double side = hit == i ? 1 : hit == size + i ? -1 : 0;
        if (back)
            z[i] = sal__at(sal__param_each(self, ctx, INITIAL), i);
        if (back || event->index == SAL__START)
            z[i] = sal__clamp(z[i], bound(self, ctx, i, -1), bound(self, ctx, i, 1));
        if (side == 0)
            mode[i] = mode_for(self, ctx, i, z[i], u[i]);
        else if (mode[i] != side) /* else the state was at the limit, and the input reversed */
            z[i] = bound(self, ctx, i, side);
        if (side != 0)
            mode[i] = mode[i] == side ? 0 : side;
    }
    return SAL_SUCCEEDED;
}

static void declare_bounded(sal__block_builder *b) {
    const int size = sal__size(b);
    sal__declare_state(b);
    sal__add_numbers(b, SAL_XD, "mode", size, 0);

    sal__add_settle_events(b, SAL_UNRESTRICTED);
    sal__add_witness(b, "at_upper", SAL_UNRESTRICTED, SAL_FALLING, size);
    sal__add_witness(b, "at_lower", SAL_UNRESTRICTED, SAL_FALLING, size);
    if (sal__number(b, "reset") == NONE)
        return;
    sal__add_input(b, "reset_by", 1);
    sal__add_numbers(b, SAL_XD, "reset_side", 1, 0);
    sal__add_witness(b, "resets", SAL_UNRESTRICTED, SAL_CROSSING, 1);
}

SAL_BLOCK(
    bounded_integral,
    SAL_OPTIONS(SAL_OPTION(SIGNAL, "initial", "state at the start and after a reset"),
                SAL_OPTION(SIGNAL, "lower", "least value of the state", .rules = SAL_MAY_BE_INFINITE,
                           .not_above = "upper", .default_value = SAL_NO_LOWER_LIMIT),
                SAL_OPTION(SIGNAL, "upper", "greatest value of the state", .rules = SAL_MAY_BE_INFINITE,
                           .default_value = HUGE_VAL),
                SAL_OPTION(CHOICE, "reset", "direction in which the input reset_by crosses 0 for a reset",
                           .words = "none rising falling either", .default_value = NONE),
                SAL_SIZE_OPTION),
    declare_bounded,
    SAL_FUNCTIONS(.derivatives = bounded_flow, .witness = witness, .next_time = settle, .update = update),
    .doc = "The integral of a signal between limits, where it is constant until the input reverses; a reset restores "
           "the initial value.",
    .law = "output' = input, or 0 at a limit while the input points outwards", .drake = "Integrator",
    .alias_partition = 1 + SAL_Z, .instead_of = "integral", .when_given = "lower upper reset",
    .example = "saltus.blocks.integral { lower = -1, upper = 1, reset = \"rising\" }");
