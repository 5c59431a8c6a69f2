/* Two ways to read the past that Measure::Delay of Simbody has: on lines alone, and up to the
 * present value of a signal that does not hang on its own past. */
#include <math.h>

#include "model/model.h"
#include "delay_state.h"

/* The present, or a point of the ring: its values of what is kept. */
typedef struct mark {
    double t;
    const double *value;
} mark;

static mark mark_at(const sal__history_buffer *p, const sal__history *history, int i) {
    return (mark){sal_delay_buffer_time(p->ring, i), sal_delay_buffer_value(p->ring, i) + history->column};
}

static void line(const mark *a, const mark *z, int size, double s, bool rate, double *out) {
    const double length = z->t - a->t, share = (s - a->t) / length;
    for (int i = 0; i < size; i++) {
        const double rise = z->value[i] - a->value[i];
        out[i] = rate ? rise / length : a->value[i] + share * rise;
    }
}

/* The last point that is not after s; the second of two at one time. */
static int last_until(const sal__history_buffer *p, double s) {
    int low = 0, high = sal_delay_buffer_points(p->ring);
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (sal_delay_buffer_time(p->ring, middle) <= s)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void hold(const mark *at, int size, bool rate, double *out) {
    for (int i = 0; i < size; i++)
        out[i] = rate ? 0 : at->value[i];
}

sal_status sal__read_history_linear(const sal_context *ctx, const sal__history_buffer *p, const sal__history *history,
                                    double s, bool rate, double *out) {
    const int k = last_until(p, s), newest = sal_delay_buffer_points(p->ring) - 1;
    mark a = mark_at(p, history, k), z = {sal_context_time(ctx), NULL};
    if (k < newest) {
        z = mark_at(p, history, k + 1);
        line(&a, &z, history->size, s, rate, out);
        return SAL_OK;
    }
    if (history->can_use_current && s > a.t) {
        z.value = out;
        const sal_status status = sal__present_value(ctx, history, out);
        if (status == SAL_OK)
            line(&a, &z, history->size, s, rate, out);
        return status;
    }
    z = a;
    if (newest > 0)
        a = mark_at(p, history, newest - 1);
    if (a.t < z.t && (rate || s > z.t))
        line(&a, &z, history->size, s, rate, out);
    else
        hold(&z, history->size, rate, out);
    return SAL_OK;
}

/* Did anything jump or bend at the newest point, for all that is known? */
static bool breaks_at(const sal_context *ctx, const sal__history_buffer *p, const sal__history *history, int newest,
                      double t) {
    const sal__delay_state *m = ctx->data->delay_state;
    if (newest == 0 || sal_delay_buffer_time(p->ring, newest - 1) == t)
        return true;
    const sal__discontinuity *last =
        m && m->discontinuity_count > 0 ? &m->discontinuity[m->discontinuity_count - 1] : NULL;
    return last && last->t >= t - sal__discontinuity_tolerance(t) &&
           last->handed_on_by != sal__history_number(ctx, history);
}

static double slope_at(const sal__history_buffer *p, int column, double t, double from, double to) {
    double slope = 0;
    sal__delay_read_branch(p->ring, &(sal_delay_reader){0, false}, t, from, to, column, 1, NULL, &slope);
    return slope;
}

/* Newton's form with the nodes t0 twice, t1, and the point before t0 twice, once or not at all where that is so near
 * that what is wrong there would tell: v0 + u (slope + u (bend + (u - h) (twist + (u - back) curl))), u = s - t0. */
void sal__read_history_to_present(const sal_context *ctx, const sal__history_buffer *p, const sal__history *history,
                                  double s, bool rate, double *out) {
    const int newest = sal_delay_buffer_points(p->ring) - 1;
    const mark zero = mark_at(p, history, newest), one = {sal_context_time(ctx), out};
    if (breaks_at(ctx, p, history, newest, zero.t)) {
        line(&zero, &one, history->size, s, rate, out);
        return;
    }
    const mark last = mark_at(p, history, newest - 1);
    const double h = one.t - zero.t, back = last.t - zero.t, u = s - zero.t;
    const bool third = -back > 0.05 * h, fourth = -back > 0.15 * h;
    for (int i = 0; i < history->size; i++) {
        const double slope = slope_at(p, history->column + i, zero.t, -INFINITY, zero.t);
        const double first = slope_at(p, history->column + i, last.t, last.t, INFINITY);
        const double bend = ((out[i] - zero.value[i]) / h - slope) / h, mean = (last.value[i] - zero.value[i]) / back;
        const double other = (mean - slope) / back;
        const double twist = third ? (other - bend) / (back - h) : 0;
        const double curl = fourth ? (((first - mean) / back - other) / back - twist) / (back - h) : 0;
        const double v = u - h, w = u - back;
        out[i] = rate ? slope + u * (2 * bend + twist * (2 * v + u) + curl * (2 * v * w + u * (v + w)))
                      : zero.value[i] + u * (slope + u * (bend + v * (twist + w * curl)));
    }
}
