/* Reads the history of a part: before the start, from the buffer, and inside the trial step. */
#include "model/model.h"

/* Computes the derivative at s by fourth-order differences of values before s, because the function may be undefined
 * after the start. */
static sal_status differentiate_history(const sal__history_read *r, int past) {
    static const double weight[5] = {25. / 12, -4, 3, -4. / 3, 1. / 4};
    const sal_system *sys = r->buffer->system;
    const sal__delay_state *m = r->ctx->data->delay_state;
    const double h = 1e-3 * sal__max(m ? m->time_scale : 1, fabs(r->s));
    double *value = r->buffer->row;
    for (int i = 0; i < r->history->size; i++)
        r->out[i] = 0;
    for (int j = 0; j < 5; j++) {
        const sal_status status = sys->behaviour->history(sys, past, r->s - j * h, value, NULL);
        if (status != SAL_OK)
            return status;
        for (int i = 0; i < r->history->size; i++)
            r->out[i] += weight[j] * value[i] / h;
    }
    return SAL_OK;
}

/* Computes the initial history that the system defines; SAL_RETRY: it defines none. */
static sal_status eval_history(const sal__history_read *r) {
    const sal_system *sys = r->buffer->system;
    const int past = (int)(r->history - sys->history.columns.item);
    sal_status status = SAL_RETRY;
    if (sys->behaviour->history) {
        for (int i = 0; i < r->history->size; i++)
            r->out[i] = NAN;
        status = sys->behaviour->history(sys, past, r->s, r->rate ? NULL : r->out, r->rate ? r->out : NULL);
        if (status == SAL_OK && r->rate && isnan(r->out[0]))
            status = differentiate_history(r, past);
    }
    if (status <= 0 || !r->history->initial_history)
        return status;
    sal__read_constant(r, r->history->initial_history);
    return SAL_OK;
}

/* Reads before the first point: the initial history, or else the value at the start. */
static sal_status read_before_start(const sal__history_read *r) {
    const sal_status status = eval_history(r);
    if (status <= 0)
        return status;
    sal__read_constant(r, sal_delay_buffer_value(r->buffer->ring, 0) + r->history->column);
    return SAL_OK;
}

sal_status sal__initial_history_value(const sal_system *sys, sal__history_buffer *buffer, int past, double t,
                                      double *value) {
    const sal__history *history = &sys->history.columns.item[past];
    return read_before_start(&(sal__history_read){.history = history, .buffer = buffer, .s = t, .out = value});
}

/* Reads before the run is initialized. Signals may depend on this history, so their present value is not read. */
static sal_status read_uninitialized(const sal__history_read *r) {
    const sal_status status = eval_history(r);
    if (status <= 0)
        return status;
    for (int i = 0; i < r->history->size; i++)
        r->out[i] = 0;
    const bool is_zero = r->rate || r->history->kind >= SAL__HISTORY_OUTPUT;
    return is_zero ? SAL_OK : sal__present_value(r->ctx, r->history, r->out);
}

/* Reads after the newest point, inside the step. Signals are not known there: the step must be shorter. */
static sal_status read_within_step(const sal__history_read *r) {
    const sal__history *history = r->history;
    const sal__delay_state *m = r->ctx->data->delay_state;
    if (history->kind == SAL__HISTORY_STATE && m && !isnan(m->step->t0) && r->s > m->step->t0) {
        const int nx = r->ctx->data->plan->nx, at = r->ctx->layout->at[history->partition] + history->at;
        m->step->was_read = true;
        for (int i = 0; i < history->size; i++)
            r->out[i] = (r->rate ? sal__provisional_rate : sal__provisional_value)(m->step, nx, at + i, r->s);
        return SAL_OK;
    }
    const bool is_constant = sal__history_kind_in(r->ctx, history) == SAL__HISTORY_DISCRETE;
    if (m && m->is_tracking && !is_constant && !history->can_use_current)
        return SAL_RETRY;
    const sal_status status = sal__present_value(r->ctx, history, r->out);
    if (status != SAL_OK)
        return status;
    if (is_constant)
        sal__read_constant(r, r->out);
    else if (history->can_use_current)
        sal__read_history_to_present(r);
    else
        sal__read_line_to_present(r);
    return SAL_OK;
}

static sal_status refuse_read(const sal__history_read *r) {
    const int past = (int)(r->history - r->ctx->layout->system->history.columns.item);
    return sal__note_failed_read(r->ctx, SAL_ETIME, SAL__READ_PAST, past, r->s);
}

/* A read in the future, or beyond the depth of the history. A stage may read there although no accepted step would:
 * SAL_RETRY while the step is not tiny. With a state that is not finite, s is NaN, and so is the value. */
static sal_status refuse_time(const sal__history_read *r) {
    const sal__delay_state *m = r->ctx->data->delay_state;
    const double t = r->ctx->data->time;
    if (!m || !m->is_tracking || (!m->is_probing && t == m->step->t0))
        return refuse_read(r);
    if (!isnan(r->s))
        return m->is_probing || m->step->h > 1e-9 * sal__max(m->time_scale, fabs(t)) ? SAL_RETRY : refuse_read(r);
    for (int i = 0; i < r->history->size; i++)
        r->out[i] = NAN;
    return SAL_OK;
}

/* Reads the buffer's curve, on the site's side of the discontinuities. */
static sal_status read_recorded(sal__history_read *r, sal__delay_site *site) {
    const sal_delay_buffer *ring = r->buffer->ring;
    const sal__history *history = r->history;
    sal__delay_state *m = r->ctx->data->delay_state;
    const double t = r->ctx->data->time, s = r->s, first = sal_delay_buffer_time(ring, 0);
    if (r->rate && t == first) { /* the lag is 0 at the start: only the initial history has a derivative */
        r->s = first;
        return read_before_start(r);
    }
    double from = -INFINITY, to = INFINITY;
    if (site && fabs(s - sal__max(site->smooth_from, sal__min(site->smooth_to, s))) <=
                    2 * m->step->h + sal__discontinuity_tolerance(t))
        from = site->smooth_from, to = site->smooth_to;
    const double inside = s < from ? from : s > to ? to : s;
    if (m && !history->can_use_current && s > m->step->t0 &&
        sal__history_kind_in(r->ctx, history) >= SAL__HISTORY_OUTPUT)
        m->bounds.shortest_wait = sal__min(t - s, m->bounds.shortest_wait); /* steps should be shorter */
    if (inside > sal_delay_buffer_time(ring, sal_delay_buffer_points(ring) - 1))
        return read_within_step(r);
    if (inside < first || (inside == first && inside >= to)) {
        r->s = sal__min(s, first);
        return ring->has_dropped_points ? refuse_read(r) : read_before_start(r);
    }
    sal__delay_read_branch(ring, site ? &site->reader : &r->buffer->reader, s, from, to, history->column, history->size,
                           r->rate ? NULL : r->out, r->rate ? r->out : NULL);
    return SAL_OK;
}

/* The longest lag at which the present value is read. A step is shorter than the lag of a signal, so where that lag
 * falls to zero, steps would become too short before the lag does. */
static double present_from(const sal__history *history, double rounding) {
    return history->kind >= SAL__HISTORY_OUTPUT ? 256 * rounding : rounding;
}

static sal_status read_history(const sal_context *ctx, int past, double s, bool rate, double *out) {
    const sal_system *sys = ctx->layout->system;
    sal__delay_state *m = ctx->data->delay_state;
    if (past < 0 || past >= sys->history.columns.count)
        return sal__note_failed_read(ctx, SAL_EINVAL, SAL__READ_PAST, past, s);
    const sal__history *history = &sys->history.columns.item[past];
    sal__history_read r = {.ctx = ctx, .history = history, .s = s, .rate = rate, .out = out};
    const double t = ctx->data->time, near = 4 * 2.220446049250313e-16 * sal__max(fabs(t), fabs(s));
    if (!(s - t <= near) || t - s > history->depth + near)
        return refuse_time(&r);
    r.buffer = (sal__history_buffer *)(uintptr_t)sal_context_slot(ctx, sys->history.slot);
    sal__delay_site *site =
        m && m->is_tracking && !history->linear_only ? sal__site_visit(ctx, history, s, rate) : NULL;
    if (m && m->readers.listing)
        sal__list_past_read(m, ctx, history, s, rate);
    if (t - s <= present_from(history, near) && !rate)
        return sal__present_value(ctx, history, out);
    if (sal_delay_buffer_points(r.buffer->ring) == 0)
        return read_uninitialized(&r);
    if (history->linear_only && s >= sal_delay_buffer_time(r.buffer->ring, 0))
        return sal__read_history_linear(&r);
    return read_recorded(&r, site);
}

sal_status sal_context_past(const sal_context *ctx, int past, double lag, double *value) {
    return read_history(ctx, past, ctx->data->time - lag, false, value);
}

sal_status sal_context_past_at(const sal_context *ctx, int past, double t, double *value) {
    return read_history(ctx, past, t, false, value);
}

sal_status sal_context_past_rate(const sal_context *ctx, int past, double lag, double *rate) {
    return read_history(ctx, past, ctx->data->time - lag, true, rate);
}

sal_status sal_context_past_rate_at(const sal_context *ctx, int past, double t, double *rate) {
    return read_history(ctx, past, t, true, rate);
}
