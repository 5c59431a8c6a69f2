/* The flow through a pipe, at its outlet. The state `moved` is the integral of the speed. The content that leaves now
 * entered when `moved` was less by the length of the pipe. That time is searched in the history of `moved`, back from
 * now. The input is then read at that time like through any delay, so a jump remains a jump. With flow in both
 * directions, the content may also have entered at the end where it leaves. (Modelica's spatialDistribution solves the
 * same problem with a list of points that move.)
 *
 * After the flow has reversed, neighbours in the pipe entered at different times, and the entry time jumps where
 * they leave. No step ends there, so only error control finds a sharp front that has reversed, and the output is off
 * by about 1e-3 of the front. */
#include "block.h"
#include "bracket.h"

enum { LENGTH };                   /* parameter */
enum { INPUT, SPEED, INPUT_BACK }; /* ports */
enum { OUTPUT, OUTPUT_BACK };      /* at the far end, at the near end */
enum { MOVED_PAST, INPUT_PAST, BACK_PAST };

/* One end of the pipe. gone_since() is the distance that the content has moved towards it. */
typedef struct end {
    const sal_delay_buffer *ring;
    double t, moved, length, sign;
    bool both, enters; /* enters: the flow goes in at this end now */
} end;

static double gone_since(const end *e, double moved) {
    return e->sign * (e->moved - moved);
}

/* Where rounding decides whether what entered at a point of the past has left, it has. So a jump that has arrived at
 * the end of a step is not before it where the next step begins. */
static double entry_near(const end *e, const sal__bracket *z, double t) {
    const double rounding = 2.220446049250313e-16 * (fabs(e->t) + fabs(e->moved * (z->b - z->a) / (z->fa - z->fb)));
    return z->b - t <= 4 * rounding ? z->b : t;
}

/* Returns the root in `z`, a stored step. */
static double search(const end *e, sal__bracket z, double by) {
    const double from = z.a, to = z.b;
    if (z.fb == 0)
        return to;
    for (int i = 0; i < 60 && z.b - z.a > 1e-15 * fabs(z.b) && z.fa != z.fb; i++) {
        const double t = sal__bracket_point(&z, i);
        double moved = 0;
        sal_delay_reader reader = {0, false};
        sal__delay_read_branch(e->ring, &reader, t, from, to, 0, 1, &moved, NULL);
        const double ft = gone_since(e, moved) - by;
        if (ft == 0)
            return t;
        sal__bracket_narrow(&z, t, ft);
    }
    return z.b;
}

/* Returns the root in `z`, a part of the present step: its content moves at the present speed. */
static double search_present(const sal__bracket *z) {
    return z->fa == z->fb ? z->b : z->a - z->fa * (z->b - z->a) / (z->fb - z->fa);
}

/* Returns the time at which gone_since() was `by`, between point k and the next point or the present. */
static double find_entry(const end *e, int k, double by) {
    const bool newest = k + 1 == sal_delay_buffer_points(e->ring);
    const double from = sal_delay_buffer_time(e->ring, k);
    const double to = newest ? e->t : fmin(sal_delay_buffer_time(e->ring, k + 1), e->t);
    const double gone = to == e->t ? 0 : gone_since(e, sal_delay_buffer_value(e->ring, k + 1)[0]);
    const sal__bracket z = {from, to, gone_since(e, sal_delay_buffer_value(e->ring, k)[0]) - by, gone - by};
    return entry_near(e, &z, newest ? search_present(&z) : search(e, z, by));
}

/* Computes an entry time before the start, with the speed at the start. */
static double before_start(const end *e) {
    const double t = sal_delay_buffer_time(e->ring, 0);
    const double gone = gone_since(e, sal_delay_buffer_value(e->ring, 0)[0]);
    const double place = e->sign > 0 ? e->length - gone : gone;
    double speed = 0;
    sal_delay_reader reader = {0, false};
    sal__delay_read_branch(e->ring, &reader, t, -HUGE_VAL, HUGE_VAL, 0, 1, NULL, &speed);
    const double lag = place / speed;
    return t - (lag > 0 && lag < HUGE_VAL ? lag : 1e-9 * (1 + fabs(t)));
}

/* Returns the entry time of the content that is now at this end; *here: it entered at this end, else at the other. */
static double time_of_entry(const end *e, bool *here) {
    *here = e->enters;
    if (e->enters)
        return e->t;
    for (int k = sal_delay_buffer_points(e->ring) - 1; k >= 0; k--) {
        const double t = sal_delay_buffer_time(e->ring, k);
        const double gone = gone_since(e, sal_delay_buffer_value(e->ring, k)[0]);
        *here = e->both && gone < 0 && t < e->t; /* not for a method that varies `moved` alone */
        if (t <= e->t && (*here || gone >= e->length))
            return find_entry(e, k, *here ? 0 : e->length);
    }
    *here = false;
    return before_start(e);
}

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const sal__history_buffer *history = sal_context_slot(ctx, self->history.slot);
    end e = {history->ring,
             sal_context_time(ctx),
             sal_context_get(ctx, SAL_Z)[0],
             *sal__param(self, ctx, LENGTH),
             port == OUTPUT ? 1 : -1,
             self->inputs.count > INPUT_BACK,
             false};
    double speed = 0;
    const sal_status fed = e.both ? sal__copy_input(ctx, SPEED, &speed, 1) : SAL_OK;
    if (fed != SAL_OK)
        return fed;
    e.enters = e.sign * speed < 0;
    if (sal_delay_buffer_points(history->ring) == 0) /* not initialized */
        return sal_context_past(ctx, INPUT_PAST, fmin(1, self->history.columns.item[INPUT_PAST].depth), y);
    bool here = false;
    const double s = time_of_entry(&e, &here);
    const bool started = s >= sal_delay_buffer_time(history->ring, 0);
    const int from = started && (port == OUTPUT) == here ? BACK_PAST : INPUT_PAST;
    const sal_status status = sal_context_past_at(ctx, from, s, y);
    return status == SAL_ETIME ? SAL_EPAST : status;
}

static sal_status flow(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const sal_status status = sal__copy_input(ctx, SPEED, dot->z, 1);
    const int resolved = self->size[SAL_Z] - 1;
    return status == SAL_OK && resolved > 0 ? sal__copy_input(ctx, INPUT, dot->z + 1, resolved) : status;
}

/* Ends steps where the flow reverses. */
static sal_status turning(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    return sal__copy_input(ctx, SPEED, value, 1);
}

static void declare(sal__block_builder *b) {
    const int size = sal__size(b);
    const bool both = sal__number(b, "both_ways") != 0;
    const double depth = sal__number(b, "max_delay");
    const sal_block_value *history = sal__given(b, "history");
    sal__add_input(b, "input", size);
    sal__add_input(b, "speed", 1);
    if (both)
        sal__add_input(b, "input_back", size);
    sal__add_numbers(b, SAL_Z, "moved", 1, 0);
    sal__resolve_input(b);
    sal__add_input_history(b, "moved", depth, NULL, NULL);
    sal__add_input_history(b, "input", depth, NULL, history);
    if (both)
        sal__add_input_history(b, "input_back", depth, NULL, NULL);
    else
        sal__declare_whole_delay(b, INPUT_PAST);
    sal__add_output(b, "output", size, both);
    if (both)
        sal__add_output(b, "output_back", size, true);
    if (sal__number(b, "watch") != 0)
        sal__add_witness(b, "turns", SAL_NO_HANDLER, SAL_CROSSING, 1);
}

SAL_BLOCK(
    transport_delay,
    SAL_OPTIONS(SAL_OPTION(NUMBER, "length",
                           "length of the pipe, in the unit of speed times seconds; with speed 1 / delay, 1",
                           .required = true, .rules = SAL_IS_POSITIVE),
                SAL_OPTION(FLAG, "both_ways",
                           "the flow may reverse: input_back enters at the far end, output_back leaves at the near end",
                           .fixed = true),
                SAL_OPTION(NUMBER, "max_delay",
                           "longest time in the pipe, which limits the memory; a longer one is an error", .unit = "s",
                           .fixed = true, .rules = SAL_IS_POSITIVE | SAL_MAY_BE_INFINITE, .default_value = HUGE_VAL),
                SAL_OPTION(SIGNAL, "history",
                           "the input before the start, which fills the pipe; default: the input at the start",
                           .fixed = true, .rules = SAL_MAY_BE_FUNCTION),
                SAL_WATCH_OPTION, SAL_RESOLVE_OPTION, SAL_SIZE_OPTION),
    declare, SAL_FUNCTIONS(.derivatives = flow, .output = output, .witness = turning),
    .doc = "The outlet of a pipe: a delay by a distance, for any speed.",
    .law = "output(t) = input(s), the integral of speed from s to t being length",
    .example = "saltus.blocks.transport_delay { length = 2, max_delay = 60 }");
