/* Two ways to read a history as Measure::Delay of Simbody does: linearly, and up to the present value of a signal
 * that does not depend on its own history. */
#include "model/model.h"

/* A point of the buffer, or the present point: time and values of the history. */
typedef struct point {
    double t;
    const double *value;
} point;

static point point_at(const sal__history_read *r, int i) {
    const sal_delay_buffer *ring = r->buffer->ring;
    return (point){sal_delay_buffer_time(ring, i), sal_delay_buffer_value(ring, i) + r->history->column};
}

static void read_line(const sal__history_read *r, point a, point b) {
    const double length = b.t - a.t, share = (r->s - a.t) / length;
    for (int i = 0; i < r->history->size; i++) {
        const double rise = b.value[i] - a.value[i];
        r->out[i] = r->rate ? rise / length : a.value[i] + share * rise;
    }
}

/* Returns the last point at or before s; at a jump, the second of its two points. */
static int last_until(const sal_delay_buffer *ring, double s) {
    int low = 0, high = sal_delay_buffer_points(ring);
    SAL__BISECT(int, low, high, sal_delay_buffer_time(ring, middle) <= s)
    return low;
}

sal_status sal__read_history_linear(const sal__history_read *r) {
    const int newest = sal_delay_buffer_points(r->buffer->ring) - 1, k = last_until(r->buffer->ring, r->s);
    const point here = point_at(r, k);
    if (k < newest) {
        read_line(r, here, point_at(r, k + 1));
        return SAL_OK;
    }
    if (r->history->can_use_current && r->s > here.t) {
        const sal_status status = sal__present_value(r->ctx, r->history, r->out);
        if (status == SAL_OK)
            read_line(r, here, (point){sal_context_time(r->ctx), r->out});
        return status;
    }
    const point last = newest > 0 ? point_at(r, newest - 1) : here;
    if (last.t < here.t && (r->rate || r->s > here.t))
        read_line(r, last, here);
    else
        sal__read_constant(r, here.value);
    return SAL_OK;
}

/* Whether the signal may have jumped or bent at the newest point. */
static bool may_break_at(const sal__history_read *r, int newest, double t) {
    const sal__delay_state *m = r->ctx->data->delay_state;
    if (newest == 0 || sal_delay_buffer_time(r->buffer->ring, newest - 1) == t)
        return true;
    const int64_t history = sal__history_number(r->ctx, r->history);
    const int kind = (int)sal__history_kind_in(r->ctx, r->history);
    for (int i = m ? m->discontinuities.count - 1 : -1; i >= 0; i--) {
        const sal__discontinuity *b = &m->discontinuities.item[i];
        if (!(b->t >= t - sal__discontinuity_tolerance(t)))
            return false;
        if (b->handed_on_by != history && sal__order_in(m, b, history, kind) < SAL__SMOOTH)
            return true;
    }
    return false;
}

static double slope_at(const sal__history_read *r, int i, double t, double from, double to) {
    double slope = 0;
    sal__delay_read_branch(r->buffer->ring, &(sal_delay_reader){0, false}, t, from, to, r->history->column + i, 1, NULL,
                           &slope);
    return slope;
}

void sal__read_line_to_present(const sal__history_read *r) {
    const int newest = sal_delay_buffer_points(r->buffer->ring) - 1;
    read_line(r, point_at(r, newest), (point){sal_context_time(r->ctx), r->out});
}

/* Newton's form with the nodes t0 twice, t1, and the point before t0 twice, once, or not at all if it is so near
 * that errors there would be amplified: v0 + u (slope + u (bend + (u - h) (twist + (u - back) curl))), u = s - t0. */
void sal__read_history_to_present(const sal__history_read *r) {
    const int newest = sal_delay_buffer_points(r->buffer->ring) - 1;
    const point zero = point_at(r, newest);
    if (may_break_at(r, newest, zero.t)) {
        sal__read_line_to_present(r);
        return;
    }
    const point last = point_at(r, newest - 1);
    const double h = sal_context_time(r->ctx) - zero.t, back = last.t - zero.t, u = r->s - zero.t;
    const bool third = -back > 0.05 * h, fourth = -back > 0.15 * h;
    for (int i = 0; i < r->history->size; i++) {
        const double slope = slope_at(r, i, zero.t, -INFINITY, zero.t);
        const double first = slope_at(r, i, last.t, last.t, INFINITY);
        const double bend = ((r->out[i] - zero.value[i]) / h - slope) / h,
                     mean = (last.value[i] - zero.value[i]) / back;
        const double other = (mean - slope) / back;
        const double twist = third ? (other - bend) / (back - h) : 0;
        const double curl = fourth ? (((first - mean) / back - other) / back - twist) / (back - h) : 0;
        const double v = u - h, w = u - back;
        r->out[i] = r->rate ? slope + u * (2 * bend + twist * (2 * v + u) + curl * (2 * v * w + u * (v + w)))
                            : zero.value[i] + u * (slope + u * (bend + v * (twist + w * curl)));
    }
}
