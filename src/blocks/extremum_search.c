#include "extremum_search.h"

#include "bracket.h"

double sal__improving_sign(sal__extremum_order merit, double value) {
    if (merit(1) != merit(-1))
        return merit(1);
    return merit(1) * sal__sign(value);
}

static void consider(sal__extremum_order merit, sal__extremum *best, double value, double t) {
    if (sal__beats(merit, value, best))
        *best = (sal__extremum){value, t};
}

/* ---- the last step ---- */

/* One interval of the ring, of one element. */
typedef struct stretch {
    const sal__history_buffer *past;
    double from, to;
    int element;
} stretch;

static double value_in(const stretch *s, double t, double *rate) {
    double value = 0;
    sal_delay_reader reader = {0, false};
    sal__delay_read_branch(s->past->ring, &reader, t, s->from, s->to, s->element, 1, &value, rate);
    return value;
}

/* A function that is zero where an extreme may be: the rate, or for min_abs also the value. */
static double searched(const stretch *s, double t, bool of_value) {
    double rate = 0;
    const double value = value_in(s, t, &rate);
    return of_value ? value : rate;
}

/* Returns a zero between a and b, where the signs differ. */
static double zero_between(const stretch *s, double a, double b, bool of_value) {
    sal__bracket z = {a, b, searched(s, a, of_value), searched(s, b, of_value)};
    for (int i = 0; i < 60 && z.b - z.a > 1e-14 * (s->to - s->from); i++) {
        const double t = sal__bracket_point(&z, i);
        sal__bracket_narrow(&z, t, searched(s, t, of_value));
    }
    return z.b;
}

static void consider_inside(sal__extremum_order merit, sal__extremum *best, const stretch *s, bool of_value) {
    enum { PARTS = 8 };
    double a = s->from, fa = searched(s, a, of_value);
    for (int i = 1; i <= PARTS; i++) {
        const double b = i == PARTS ? s->to : s->from + i * (s->to - s->from) / PARTS, fb = searched(s, b, of_value);
        if ((fa > 0) != (fb > 0) && fa != 0 && fb != 0) {
            const double t = zero_between(s, a, b, of_value);
            consider(merit, best, of_value ? 0 : value_in(s, t, NULL), t);
        }
        a = b, fa = fb;
    }
}

double sal__update_from_history(const sal_system *self, const sal_context *ctx, sal__extremum_order merit, int i,
                                double since, bool inside, sal__extremum *best) {
    const sal__history_buffer *history = sal_context_slot(ctx, self->history.slot);
    const int points = sal_delay_buffer_points(history->ring);
    const double now = sal_context_time(ctx), newest = sal_delay_buffer_time(history->ring, points - 1);
    int k = points > 0 ? points - 1 : 0; /* before the start there are no points */
    while (k > 0 && sal_delay_buffer_time(history->ring, k) == newest)
        k--;
    const stretch last = {history, sal_delay_buffer_time(history->ring, k), now < newest ? now : newest, i};
    while (k > 0 && sal_delay_buffer_time(history->ring, k - 1) == last.from)
        k--;
    double size = 0;
    for (; k < points; k++) {
        const double t = sal_delay_buffer_time(history->ring, k), value = sal_delay_buffer_value(history->ring, k)[i];
        const bool present = k == points - 1 && now == newest;
        size = sal__max(fabs(value), size);
        if (t > since && t <= now && !present)
            consider(merit, best, value, t);
    }
    if (!inside || points == 0 || now > newest || last.from < since || !(last.to > last.from))
        return size;
    consider_inside(merit, best, &last, false);
    if (sal__is_nearest(merit))
        consider_inside(merit, best, &last, true);
    return size;
}
