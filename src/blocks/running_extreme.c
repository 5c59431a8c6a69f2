/* The extreme of a signal over time, also between steps.
 *
 * The discrete state has the past extreme (`extreme`, `found_at`). `along` is not 0 while the input itself is the
 * extreme; it is then the sign of the rate that makes the input better. It does not change inside a step, so the
 * integrator sees one smooth law: the input, or the stored extreme. Events end a step where the input overtakes the
 * stored extreme, and where it stops improving; `settle` handles jumps. Between steps the extreme is the best of the
 * stored one, the last step and the present.
 *
 * Without these events, or if they are handled at the ends of steps, extremes between steps are found in the
 * engine's history of the input, a polynomial for each step. */
#include "block_builder.h"
#include "extremum_search.h"

enum { START, STEP, RESET, SETTLE, EMERGES }; /* events; from SETTLE on only with `watch` */

static bool is_watched(const sal_system *self) {
    return self->events.count > SETTLE;
}

static int size_of(const sal_system *self) {
    return self->history.columns.item[0].size;
}

/* The number of witnesses "emerges". Each detects an input that rises or one that falls; max_abs and min_abs have
 * both. */
static int emerging(const sal_system *self) {
    return sal__improving_sign(sal__extremum_order_of(self), 0) != 0 ? size_of(self) : 2 * size_of(self);
}

static bool is_turn(const sal_system *self, int event) {
    return event >= EMERGES + emerging(self);
}

static int element_of(const sal_system *self, int event) {
    return (event - EMERGES) % size_of(self);
}

/* ---- discrete state: `extreme`, `found_at`, `along`, `grain`, then `since` ---- */

static double since(const sal_system *self, const sal_context *ctx) {
    return sal__get(ctx, SAL_XD)[4 * size_of(self)];
}

static sal__extremum stored(const sal_system *self, const sal_context *ctx, int i) {
    const double *held = sal__get(ctx, SAL_XD);
    return (sal__extremum){held[i], held[size_of(self) + i]};
}

static double along(const sal_system *self, const sal_context *ctx, int i) {
    return sal__get(ctx, SAL_XD)[2 * size_of(self) + i];
}

/* Inside a step, the input must exceed the stored extreme by this margin: a maximum is flat, and its last digits are
 * noise. */
static double grain(const sal_system *self, const sal_context *ctx, int i) {
    return sal__get(ctx, SAL_XD)[3 * size_of(self) + i];
}

static void hold(const sal_system *self, sal_context *next, int i, sal__extremum best, double coarse) {
    double *held = sal_context_edit(next, SAL_XD);
    const int size = size_of(self);
    held[i] = best.value;
    held[size + i] = best.t;
    held[2 * size + i] = 0;
    held[3 * size + i] = coarse;
}

/* If events end the steps, there is no extreme inside one. */
static bool looks_inside(const sal_system *self, const sal_context *ctx) {
    const sal__context_data *data = ctx->data;
    const sal__delay_state *m = data->delay_state ? data->delay_state : data->origin ? data->origin->delay_state : NULL;
    return !is_watched(self) || (m && m->is_unisolated);
}

typedef struct view {
    sal__extremum best;
    bool leads;  /* the best is the present */
    double size; /* the largest |value| in the last step */
} view;

/* Compares the stored extreme, the last step and the present u. Rounding errors of the history must not cause an
 * event. */
static view look_up(const sal_system *self, const sal_context *ctx, int i, double u) {
    const sal__extremum_order merit = sal__extremum_order_of(self);
    const sal__extremum held = stored(self, ctx, i);
    view v = {held, false, 0};
    v.size = sal__update_from_history(self, ctx, merit, i, since(self, ctx), looks_inside(self, ctx), &v.best);
    const double doubt = is_watched(self) ? 1e-12 * v.size : 0;
    v.leads = sal__beats(merit, u, &held) && (v.best.t == -HUGE_VAL || merit(u) > merit(v.best.value) - doubt);
    if (v.leads)
        v.best = (sal__extremum){u, sal_context_time(ctx)};
    else if (held.t != -HUGE_VAL && !(merit(v.best.value) > merit(held.value) + doubt))
        v.best = held;
    return v;
}

/* ---- outputs ---- */

enum { OUTPUT, WHEN, RATE };
static int wanted(const sal_system *self, int port) {
    const char *name = self->outputs.item[port].name;
    return name[0] == 'o' ? OUTPUT : name[0] == 'w' ? WHEN : RATE;
}

/* Whether this is a point of a step, its start included. */
static bool is_on_the_way(const sal_context *ctx) {
    return sal__is_inside_a_step(ctx) || (ctx->data->delay_state && ctx->data->delay_state->is_tracking);
}

/* Returns whether the input itself is the extreme. */
static bool find(const sal_system *self, const sal_context *ctx, int i, double u, sal__extremum *best) {
    const double now = sal_context_time(ctx);
    const bool leads = along(self, ctx, i) != 0;
    if (is_watched(self) && is_on_the_way(ctx)) {
        *best = leads ? (sal__extremum){u, now} : stored(self, ctx, i);
        return leads;
    }
    const view v = look_up(self, ctx, i, u);
    *best = v.best;
    return v.leads || (best->value == u && best->t == now);
}

/* While the input is the extreme, the rate of the output is the rate of the input. A signal has no rate of its own,
 * so the rate is another input. */
static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL, *rate = NULL;
    const int what = wanted(self, port);
    sal_status status = sal__input(ctx, 0, &u);
    if (status == SAL_OK && what == RATE)
        status = sal__input(ctx, 1, &rate);
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++) {
        sal__extremum best = {0, 0};
        const bool leads = find(self, ctx, i, u[i], &best);
        y[i] = what == OUTPUT ? best.value : what == WHEN ? best.t : leads ? rate[i] : 0;
    }
    return status;
}

/* ---- events that end a step ---- */

/* Rises through zero where a rising or falling input overtakes the stored extreme; each witness is smooth. While the
 * input is the extreme, only min_abs needs a witness: at zero. */
static double emergence(const sal_system *self, const sal_context *ctx, int event, double u) {
    const sal__extremum_order merit = sal__extremum_order_of(self);
    const int i = element_of(self, event);
    const double gains = sal__improving_sign(merit, 0), a = along(self, ctx, i), held = stored(self, ctx, i).value;
    const double way = gains != 0 ? gains : event - EMERGES < size_of(self) ? 1 : -1;
    if (a != 0)
        return sal__is_nearest(merit) && a == way ? sal__resolve_zero(way * u, false) : -1;
    if (sal__is_nearest(merit) && held == 0)
        return -1;
    const double border = (gains != 0 ? gains * held : merit(1) * fabs(held)) + grain(self, ctx, i);
    return sal__resolve_zero(way * u - border, false);
}

static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    const int i = element_of(self, event);
    *value = is_turn(self, event) ? along(self, ctx, i) * u[i] : emergence(self, ctx, event, u[i]);
    return SAL_OK;
}

static sal_status when(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    *active = along(self, ctx, element_of(self, event)) != 0;
    return SAL_OK;
}

/* Whether the state agrees with the extreme that is looked up. */
static bool is_settled(const sal_system *self, const sal_context *ctx, int i, double u) {
    const sal__extremum_order merit = sal__extremum_order_of(self);
    const view v = look_up(self, ctx, i, u);
    const sal__extremum held = stored(self, ctx, i);
    const double a = along(self, ctx, i);
    if (isnan(u)) /* the integrator or the witness reports NaN */
        return true;
    if (!v.leads)
        return a == 0 && v.best.t == held.t;
    return a != 0 ? a == sal__improving_sign(merit, u)
                  : held.t != -HUGE_VAL && merit(u) - merit(held.value) <= grain(self, ctx, i);
}

/* ---- updates ---- */

/* Restarts with u, or with no extreme: at the start other blocks may not be initialized yet, and the history has the
 * input later. */
static void begin(const sal_system *self, const sal_context *ctx, const double *u, sal_context *next) {
    const double now = sal_context_time(ctx);
    for (int i = 0; i < size_of(self); i++)
        hold(self, next, i, u ? (sal__extremum){u[i], now} : (sal__extremum){0, -HUGE_VAL}, 0);
    sal_context_edit(next, SAL_XD)[4 * size_of(self)] = u ? now : nextafter(now, -HUGE_VAL);
}

/* Handles an input that overtook the stored extreme, or reached zero, where min_abs cannot improve. `again`: it does
 * so repeatedly, because the signal is flat and its last digits are noise. */
static void emerge(const sal_system *self, const sal_context *ctx, int i, double u, bool again, sal_context *next) {
    const double now = sal_context_time(ctx);
    if (along(self, ctx, i) != 0)
        hold(self, next, i, (sal__extremum){0, now}, 0);
    else if (again)
        hold(self, next, i, (sal__extremum){u, now}, sal__max(10 * grain(self, ctx, i), 1e-12 * fabs(u)));
    else
        sal_context_edit(next, SAL_XD)[2 * size_of(self) + i] = sal__improving_sign(sal__extremum_order_of(self), u);
}

/* Stores the extreme of the last step. While the input is the extreme nothing is stored, unless the input jumped or
 * turned: `stays`. */
static bool keep(const sal_system *self, const sal_context *ctx, int i, double u, bool stays, sal_context *next) {
    const view v = look_up(self, ctx, i, u);
    const sal__extremum held = stored(self, ctx, i);
    if (v.leads ? !stays : along(self, ctx, i) == 0 && v.best.t == held.t)
        return false;
    const sal__extremum_order merit = sal__extremum_order_of(self);
    const double fine = 1e-13 * sal__max(v.size, fabs(u)), coarse = grain(self, ctx, i);
    const bool hardly = held.t != -HUGE_VAL && merit(v.best.value) - merit(held.value) < 16 * coarse;
    hold(self, next, i, v.best, hardly ? sal__max(coarse, fine) : fine);
    return true;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const double *u = NULL;
    const int at = event->index;
    const sal_status status = sal__input(ctx, 0, &u);
    if (status != SAL_OK)
        return sal__input_failed(status, note);
    if (at == START || at == RESET) {
        begin(self, ctx, at == RESET ? u : NULL, next);
        return SAL_SUCCEEDED;
    }
    bool any = at >= EMERGES;
    if (any && !is_turn(self, at))
        emerge(self, ctx, element_of(self, at), u[element_of(self, at)], event->zeno, next);
    else if (any)
        keep(self, ctx, element_of(self, at), u[element_of(self, at)], true, next);
    for (int i = 0; at < EMERGES && i < size_of(self); i++)
        if (at == STEP || !is_settled(self, ctx, i, u[i]))
            any = keep(self, ctx, i, u[i], at == SETTLE, next) || any;
    return any ? SAL_SUCCEEDED : SAL_DID_NOTHING;
}

static void declare_watch(sal__block_builder *b) {
    const int size = sal__size(b);
    sal__add_settle(b, SAL_DISCRETE);
    const sal_event_config emerges = {.kind = SAL_DISCRETE, .direction = SAL_RISING, .on_zeno = true};
    sal__add_witnesses(b, "emerges", emerges, size);
    if (sal__improving_sign(sal__extremum_order_of(b->sys), 0) == 0)
        sal__add_witnesses(b, "emerges_below", emerges, size);
    const sal_event_config turns = {.kind = SAL_DISCRETE, .direction = SAL_TURNING, .guarded = true};
    sal__add_witnesses(b, "turns", turns, size);
}

static void declare(sal__block_builder *b) {
    const int size = sal__size(b);
    const bool rate = sal__number(b, "rate") != 0;
    sal__add_input(b, "input", size);
    if (rate)
        sal__add_input(b, "input_rate", size);
    sal__resolve_input(b);
    sal__add_numbers(b, SAL_XD, "extreme", size, 0);
    sal__add_numbers(b, SAL_XD, "found_at", size, -HUGE_VAL);
    sal__add_numbers(b, SAL_XD, "along", size, 0);
    sal__add_numbers(b, SAL_XD, "grain", size, 0);
    sal__add_numbers(b, SAL_XD, "since", 1, -HUGE_VAL);
    sal__add_input_history(b, "input", 0, NULL, NULL);
    sal__add_output_of(b, "output", size, 0);
    if (sal__number(b, "when") != 0)
        sal__add_output_of(b, "when", size, 0);
    if (rate)
        sal__add_output(b, "rate", size, true);
    sal__add_start(b, SAL_DISCRETE);
    sal__add_event(b, "step", SAL_ON_STEP, SAL_DISCRETE);
    sal__add_event(b, "reset", SAL_ON_DEMAND, SAL_DISCRETE);
    if (sal__number(b, "watch") != 0)
        declare_watch(b);
}

static const sal_block_option options[] = {
    SAL_OPTION(FLAG, "when", "a second output, when: the time of the extreme", .fixed = true),
    SAL_OPTION(
        FLAG, "rate",
        "adds an output rate: the value of an added input input_rate while the input is the extreme, otherwise 0",
        .fixed = true),
    SAL_WATCH_OPTION,
    SAL_RESOLVE_OPTION,
    SAL_SIZE_OPTION,
    {0},
};

static double highest(double value) {
    return value;
}

static double lowest(double value) {
    return -value;
}

static double farthest(double value) {
    return fabs(value);
}

static double nearest(double value) {
    return -fabs(value);
}

#define EXTREME(order) \
    SAL_FUNCTIONS(.derivatives = sal__integrate_input, .output = output, .witness = witness, .when = when, \
                  .next_time = sal__settle, .update = update, \
                  .data = &(const sal__extremum_kind){{is_settled}, order})

SAL_BLOCK(maximum, options, declare, EXTREME(highest),
          .doc = "The greatest value so far, also between steps; the event reset restarts it.",
          .law = "output(t) = max of input(s), s <= t", .units = "when=s", .simbody = "Maximum",
          .example = "saltus.blocks.maximum { when = true }");

SAL_BLOCK(minimum, options, declare, EXTREME(lowest),
          .doc = "The least value so far, also between steps; the event reset restarts it.",
          .law = "output(t) = min of input(s), s <= t", .units = "when=s", .simbody = "Minimum",
          .example = "saltus.blocks.minimum { when = true }");

SAL_BLOCK(max_abs, options, declare, EXTREME(farthest),
          .doc = "The value farthest from 0 so far, with its sign, also between steps; the event reset restarts it.",
          .law = "output(t) = input(s), s <= t with the greatest |input(s)|", .units = "when=s", .simbody = "MaxAbs",
          .example = "saltus.blocks.max_abs { when = true }");

SAL_BLOCK(min_abs, options, declare, EXTREME(nearest),
          .doc = "The value nearest to 0 so far, with its sign, also between steps; the event reset restarts it.",
          .law = "output(t) = input(s), s <= t with the least |input(s)|", .units = "when=s", .simbody = "MinAbs",
          .example = "saltus.blocks.min_abs { when = true }");
