/* The extreme of a signal over time, with the extremes between steps found.
 *
 * Discrete state holds the extreme of what lies behind the last step: `extreme`, and
 * `found_at`. What the last step brought is read from the engine's past of the input, a
 * polynomial for each step, and the present from the input; so nothing is written while the
 * signal is itself the extreme, and a step that only goes on costs no event. */
#include <math.h>
#include <string.h>

#include "block.h"

enum { START, STEP, RESET, EMERGES }; /* events */

typedef struct extremum {
    double value, t; /* t -INFINITY: none yet */
} extremum;

/* Larger is better, for all four. */
typedef double (*judge)(double value);

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

static judge judge_of(const sal_system *self) {
    const char *name = self->behaviour->name;
    if (strcmp(name, "maximum") == 0)
        return highest;
    if (strcmp(name, "minimum") == 0)
        return lowest;
    return strcmp(name, "max_abs") == 0 ? farthest : nearest;
}

static void consider(judge merit, extremum *best, double value, double t) {
    if (best->t == -HUGE_VAL || merit(value) > merit(best->value))
        *best = (extremum){value, t};
}

/* ---- the last step ---- */

/* One interval of the ring, of one element. */
typedef struct stretch {
    const sal__past *past;
    double from, to;
    int element;
} stretch;

static double value_in(const stretch *s, double t, double *rate) {
    double value = 0;
    sal_delay_reader reader = {0, false};
    sal__delay_read_branch(s->past->ring, &reader, t, s->from, s->to, s->element, 1, &value, rate);
    return value;
}

/* The function that is zero where an extreme may be: the rate, or for the nearest to zero the value too. */
static double asked(const stretch *s, double t, bool of_value) {
    double rate = 0;
    const double value = value_in(s, t, &rate);
    return of_value ? value : rate;
}

/* A zero between a and b, where it has different signs: the rule of Illinois, with halves in between. */
static double zero_between(const stretch *s, double a, double b, bool of_value) {
    double fa = asked(s, a, of_value), fb = asked(s, b, of_value);
    for (int i = 0; i < 60 && b - a > 1e-14 * (s->to - s->from); i++) {
        const double chord = a - fa * (b - a) / (fb - fa);
        const double t = i % 4 == 3 || !(chord > a && chord < b) ? a + (b - a) / 2 : chord;
        const double ft = asked(s, t, of_value);
        if ((ft > 0) == (fb > 0)) {
            b = t, fb = ft;
            fa /= 2;
        } else {
            a = t, fa = ft;
            fb /= 2;
        }
    }
    return b;
}

static void consider_inside(judge merit, extremum *best, const stretch *s, bool of_value) {
    enum { PARTS = 8 };
    double a = s->from, fa = asked(s, a, of_value);
    for (int i = 1; i <= PARTS; i++) {
        const double b = i == PARTS ? s->to : s->from + i * (s->to - s->from) / PARTS, fb = asked(s, b, of_value);
        if ((fa > 0) != (fb > 0) && fa != 0 && fb != 0) {
            const double t = zero_between(s, a, b, of_value);
            consider(merit, best, of_value ? 0 : value_in(s, t, NULL), t);
        }
        a = b, fa = fb;
    }
}

/* All points since the beginning of the newest interval, but the present one; inside of it, when the time is not
 * beyond it. */
static void consider_past(const sal_system *self, const sal_context *ctx, judge merit, int i, double since,
                          extremum *best) {
    const sal__past *past = sal_context_slot(ctx, self->past_slot);
    const int points = sal_delay_buffer_points(past->ring);
    const double now = sal_context_time(ctx), newest = sal_delay_buffer_time(past->ring, points - 1);
    int k = points - 1;
    while (k > 0 && sal_delay_buffer_time(past->ring, k) == newest)
        k--;
    const stretch last = {past, sal_delay_buffer_time(past->ring, k), now < newest ? now : newest, i};
    while (k > 0 && sal_delay_buffer_time(past->ring, k - 1) == last.from)
        k--;
    for (; k < points; k++) {
        const double t = sal_delay_buffer_time(past->ring, k);
        const bool present = k == points - 1 && now == newest;
        if (t > since && t <= now && !present)
            consider(merit, best, sal_delay_buffer_value(past->ring, k)[i], t);
    }
    if (points == 0 || now > newest || last.from < since || !(last.to > last.from))
        return;
    consider_inside(merit, best, &last, false);
    if (merit == nearest)
        consider_inside(merit, best, &last, true);
}

/* ---- the block: discrete state is `extreme`, `found_at`, `since` ---- */

static double since(const sal_system *self, const sal_context *ctx) {
    return sal_context_get(ctx, SAL_XD)[2 * self->kept.item[0].size];
}

static extremum stored(const sal_system *self, const sal_context *ctx, int i) {
    const double *held = sal_context_get(ctx, SAL_XD);
    return (extremum){held[i], held[self->kept.item[0].size + i]};
}

static extremum behind(const sal_system *self, const sal_context *ctx, judge merit, int i) {
    extremum best = stored(self, ctx, i);
    consider_past(self, ctx, merit, i, since(self, ctx), &best);
    return best;
}

enum { OUTPUT, WHEN, RATE };
static int wanted(const sal_system *self, int port) {
    const char *name = self->outputs.item[port].name;
    return name[0] == 'o' ? OUTPUT : name[0] == 'w' ? WHEN : RATE;
}

/* The derivative of the output is that of the input while that is the extreme; how it changes is not in the
 * input itself, so it is an input of its own. */
static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL, *rate = NULL;
    const int what = wanted(self, port);
    sal_status status = sal__input(ctx, 0, &u);
    if (status == SAL_OK && what == RATE)
        status = sal__input(ctx, 1, &rate);
    const judge merit = judge_of(self);
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++) {
        extremum best = behind(self, ctx, merit, i);
        const bool leads = best.t == -HUGE_VAL || merit(u[i]) > merit(best.value);
        consider(merit, &best, u[i], sal_context_time(ctx));
        y[i] = what == OUTPUT ? best.value : what == WHEN ? best.t : leads ? rate[i] : 0;
    }
    return status;
}

/* Rises through zero where the input overtakes what is held. */
static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *u = NULL;
    const int i = event - EMERGES;
    const sal_status status = sal__input(ctx, 0, &u);
    const judge merit = judge_of(self);
    const extremum held = stored(self, ctx, i);
    if (status == SAL_OK)
        *value = held.t == -HUGE_VAL ? 1 : merit(u[i]) - merit(held.value);
    return status;
}

/* Nothing is held yet: the ring holds what stands at the start, once all that begins there has. */
static sal_outcome start(const sal_system *self, const sal_context *ctx, sal_context *next) {
    double *held = sal_context_edit(next, SAL_XD);
    const int size = self->kept.item[0].size;
    for (int i = 0; i < size; i++) {
        held[i] = 0;
        held[size + i] = -HUGE_VAL;
    }
    held[2 * size] = nextafter(sal_context_time(ctx), -HUGE_VAL);
    return SAL_SUCCEEDED;
}

static sal_outcome start_anew(const sal_system *self, const sal_context *ctx, const double *u, sal_context *next) {
    double *held = sal_context_edit(next, SAL_XD);
    const int size = self->kept.item[0].size;
    for (int i = 0; i < size; i++) {
        held[i] = u[i];
        held[size + i] = sal_context_time(ctx);
    }
    held[2 * size] = sal_context_time(ctx);
    return SAL_SUCCEEDED;
}

/* Keeps what the last step leaves behind: when the input is the extreme now, there is nothing to keep. */
static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const double *u = NULL;
    if (sal__input(ctx, 0, &u) != SAL_OK) {
        sal_note_set(note, "its input failed");
        return SAL_FAILED;
    }
    if (event->index == START)
        return start(self, ctx, next);
    if (event->index == RESET)
        return start_anew(self, ctx, u, next);
    const judge merit = judge_of(self);
    const int size = self->kept.item[0].size;
    bool any = false;
    for (int i = 0; i < size; i++) {
        const extremum was = stored(self, ctx, i), best = behind(self, ctx, merit, i);
        if (best.t == -HUGE_VAL || best.t == was.t || merit(u[i]) > merit(best.value))
            continue;
        double *held = sal_context_edit(next, SAL_XD);
        held[i] = best.value;
        held[size + i] = best.t;
        any = true;
    }
    return any ? SAL_SUCCEEDED : SAL_DID_NOTHING;
}

static void declare(sal__building *b) {
    const int size = sal__size(b);
    const bool rate = sal__number(b, "rate") != 0;
    sal__add_input(b, "input", size);
    if (rate)
        sal__add_input(b, "input_rate", size);
    sal__resolve_input(b);
    sal__add_numbers(b, SAL_XD, "extreme", size, 0);
    sal__add_numbers(b, SAL_XD, "found_at", size, -HUGE_VAL);
    sal__add_numbers(b, SAL_XD, "since", 1, -HUGE_VAL);
    const sal_past_config config = sal_past_config_default();
    sal__keep_past(b, "input", 0, &config, NULL);
    sal__add_output_of(b, "output", size, 0);
    if (sal__number(b, "when") != 0)
        sal__add_output_of(b, "when", size, 0);
    if (rate)
        sal__add_output(b, "rate", size, true);
    sal__add_start(b, SAL_DISCRETE);
    sal__add_event(b, "step", SAL_ON_STEP, SAL_DISCRETE);
    sal__add_event(b, "reset", SAL_ON_DEMAND, SAL_DISCRETE);
    if (sal__number(b, "watch") != 0)
        sal__add_witness(b, "emerges", SAL_NO_HANDLER, SAL_RISING, size);
}

static const sal_block_option options[] = {
    {.name = "when", .type = SAL_A_FLAG, .fixed = true, .doc = "a second output, when: the time of the extreme"},
    {.name = "rate",
     .type = SAL_A_FLAG,
     .fixed = true,
     .doc = "an output more, rate: input_rate, an input more, while the input is the extreme; else 0"},
    SAL_WATCH_OPTION,
    SAL_RESOLVE_OPTION,
    SAL_SIZE_OPTION,
    {0}};

#define EXTREME(kind, text, equation, measure) \
    static const sal_system_class kind##_class = { \
        .name = #kind, .derivatives = sal__integrate_input, .output = output, .witness = witness, .update = update}; \
    const sal__block sal__block_##kind = {{.name = #kind, \
                                           .doc = text, \
                                           .law = equation, \
                                           .simbody = measure, \
                                           .units = "when=s", \
                                           .example = "saltus.blocks." #kind " { when = true }", \
                                           .options = options}, \
                                          &kind##_class, \
                                          declare};

EXTREME(maximum, "The greatest value so far, also between steps; the event reset begins anew.",
        "output(t) = max of input(s), s <= t", "Maximum")
EXTREME(minimum, "The least value so far, also between steps; the event reset begins anew.",
        "output(t) = min of input(s), s <= t", "Minimum")
EXTREME(max_abs, "The value farthest from 0 so far, with its sign, also between steps; the event reset begins anew.",
        "output(t) = input(s), s <= t with the greatest |input(s)|", "MaxAbs")
EXTREME(min_abs, "The value nearest to 0 so far, with its sign, also between steps; the event reset begins anew.",
        "output(t) = input(s), s <= t with the least |input(s)|", "MinAbs")
