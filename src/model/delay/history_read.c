/* Reading the past of a part: the buffer, the history before it, the step after it. */
#include "delay_state.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

/* ---- declaring ---- */

static bool find_kept(const sal_system *sys, const char *name, sal__history *history) {
    const int i = sal__name_table_find(&sys->names.values, name);
    if (i >= 0 && i < sys->values.count) {
        const sal__value *v = &sys->values.item[i];
        *history =
            (sal__history){.partition = v->partition, .at = v->at, .size = v->size, .kind = SAL__HISTORY_DISCRETE};
        if (v->partition <= SAL_Z)
            history->kind = SAL__HISTORY_STATE;
        for (int port = 0; v->partition == SAL_INPUT && port < sys->inputs.count; port++)
            if (sys->inputs.item[port] == i)
                *history = (sal__history){.at = port, .size = v->size, .kind = SAL__HISTORY_INPUT};
        return v->partition != SAL_PARAM;
    }
    const int port = sal_system_find_output(sys, name);
    if (port >= 0)
        *history = (sal__history){.at = port, .size = sys->outputs.item[port].size, .kind = SAL__HISTORY_OUTPUT};
    return port >= 0;
}

sal_status sal_system_add_past(sal_system *sys, const char *name, double depth, int *past) {
    sal__history history;
    if (!sys || !sys->behaviour || sys->is_frozen || !name || !(depth >= 0) || !find_kept(sys, name, &history))
        return SAL_EINVAL;
    for (int i = 0; i < sys->history.columns.count; i++)
        if (strcmp(sys->history.columns.item[i].name, name) == 0)
            return SAL_EINVAL;
    if (sys->history.columns.count == 0) {
        const sal_status status = sal_system_add_slot(sys, "past", &sal__history_slot_type, &sys->history.slot);
        if (status != SAL_OK)
            return status;
    }
    if (SAL_PUSH(&sys->mem, sys->history.columns) != SAL_OK || !(history.name = sal__copy_text(&sys->mem, name)))
        return SAL_ENOMEM;
    history.depth = depth;
    history.column = sys->history.width;
    sys->history.width += history.size;
    if (past)
        *past = sys->history.columns.count;
    sys->history.columns.item[sys->history.columns.count++] = history;
    return SAL_OK;
}

sal_past_config sal_past_config_default(void) {
    return (sal_past_config){.size = sizeof(sal_past_config)};
}

sal_status sal_system_set_past(sal_system *sys, int past, const sal_past_config *config) {
    if (!sys || sys->is_frozen || past < 0 || past >= sys->history.columns.count || config->size != sizeof *config)
        return SAL_EINVAL;
    sal__history *history = &sys->history.columns.item[past];
    const size_t bytes = (size_t)history->size * sizeof(double);
    if (config->history && !history->initial_history && !(history->initial_history = sal__alloc(&sys->mem, bytes)))
        return SAL_ENOMEM;
    if (config->history)
        memcpy(history->initial_history, config->history, bytes);
    history->linear_only = config->linear_only;
    history->can_use_current = config->can_use_current;
    return SAL_OK;
}

int sal_system_pasts(const sal_system *sys) {
    return sys->history.columns.count;
}

/* ---- the slot ---- */

static double depth_of(const sal_system *sys) {
    double depth = 0;
    for (int i = 0; i < sys->history.columns.count; i++)
        depth = sal__max(sys->history.columns.item[i].depth, depth);
    return depth;
}

static size_t past_bytes(const sal_system *sys) {
    return sizeof(sal__history_buffer) + (size_t)sys->history.width * sizeof(double);
}

static sal_status past_new(const sal_system *sys, sal_delay_buffer *ring, void **out) {
    sal__history_buffer *history = ring ? sal__alloc(&sys->mem, past_bytes(sys)) : NULL;
    if (!history) {
        sal_delay_buffer_free(ring);
        return SAL_ENOMEM;
    }
    history->system = sys;
    history->ring = ring;
    *out = history;
    return SAL_OK;
}

static sal_status make(const sal_system *sys, int slot, void **out) {
    (void)slot;
    sal_delay_config config = sal_delay_config_default();
    config.width = sys->history.width;
    config.delay = depth_of(sys) * (1 + 1e-12);
    config.degree = 4;
    config.points = isinf(config.delay) ? 256 : 32;
    sal_delay_buffer *ring = NULL;
    const sal_status status = sal_delay_buffer_new(&sys->mem, &config, &ring);
    return status == SAL_OK ? past_new(sys, ring, out) : status;
}

static sal_status clone(const void *from, void **out) {
    const sal__history_buffer *history = from;
    sal_delay_buffer *ring = NULL;
    const sal_status status = sal_delay_buffer_clone(history->ring, &ring);
    return status == SAL_OK ? past_new(history->system, ring, out) : status;
}

static sal_status assign(void *to, const void *from) {
    return sal_delay_buffer_assign(((sal__history_buffer *)to)->ring, ((const sal__history_buffer *)from)->ring);
}

static void drop(void *value) {
    sal__history_buffer *history = value;
    const sal_allocator mem = history->system->mem;
    sal_delay_buffer_free(history->ring);
    sal__free(&mem, history, past_bytes(history->system));
}

static size_t size_of(const void *value) {
    return sal_delay_buffer_save_size(((const sal__history_buffer *)value)->ring);
}

static void save(const void *value, void *bytes) {
    sal_delay_buffer_save(((const sal__history_buffer *)value)->ring, bytes);
}

/* How far back it reaches is declared, and not the bytes' to say. */
static sal_status load(void *value, const void *bytes, size_t size) {
    sal_delay_buffer *ring = ((sal__history_buffer *)value)->ring;
    const double delay = ring->config.delay;
    const sal_status status = sal_delay_buffer_load(ring, bytes, size);
    const bool is_other = ring->config.delay != delay;
    ring->config.delay = delay;
    return status == SAL_OK && is_other ? SAL_EINVAL : status;
}

static uint64_t hash(const void *value, uint64_t seed) {
    return sal_delay_buffer_hash(((const sal__history_buffer *)value)->ring, seed);
}

const sal_slot_type sal__history_slot_type = {make, clone, assign, drop, size_of, save, load, hash};

/* ---- reading ---- */

sal_status sal__present_value(const sal_context *ctx, const sal__history *history, double *value) {
    const double *from = NULL;
    sal_status status = SAL_OK;
    if (history->kind == SAL__HISTORY_OUTPUT)
        status = sal_context_output(ctx, history->at, &from);
    else if (history->kind == SAL__HISTORY_INPUT)
        status = sal_context_input(ctx, history->at, &from);
    else
        from = sal_context_get(ctx, history->partition) + history->at;
    for (int i = 0; status == SAL_OK && i < history->size; i++)
        value[i] = from[i];
    return status;
}

/* Fourth-order differences from the points before s: a history need not exist beyond the start. */
static sal_status history_by_differences(const sal_system *sys, sal__history_buffer *p, int past, double s,
                                         double *rate) {
    static const double weight[5] = {25. / 12, -4, 3, -4. / 3, 1. / 4};
    const double h = 1e-3 * sal__max(1, fabs(s));
    const int size = sys->history.columns.item[past].size;
    double *value = p->row;
    for (int i = 0; i < size; i++)
        rate[i] = 0;
    for (int j = 0; j < 5; j++) {
        const sal_status status = sys->behaviour->history(sys, past, s - j * h, value, NULL);
        if (status != SAL_OK)
            return status;
        for (int i = 0; i < size; i++)
            rate[i] += weight[j] * value[i] / h;
    }
    return SAL_OK;
}

/* SAL_RETRY: there is none. */
static sal_status eval_history(const sal_system *sys, sal__history_buffer *p, int past, double s, bool rate,
                               double *out) {
    const sal__history *history = &sys->history.columns.item[past];
    sal_status status = SAL_RETRY;
    if (sys->behaviour->history) {
        for (int i = 0; i < history->size; i++)
            out[i] = NAN;
        status = sys->behaviour->history(sys, past, s, rate ? NULL : out, rate ? out : NULL);
        if (status == SAL_OK && rate && isnan(out[0]))
            status = history_by_differences(sys, p, past, s, out);
    }
    for (int i = 0; status > 0 && history->initial_history && i < history->size; i++)
        out[i] = rate ? 0 : history->initial_history[i];
    return status > 0 && history->initial_history ? SAL_OK : status;
}

/* Before the first point: the system's history, else what stood at the start. */
static sal_status before_start(const sal_system *sys, sal__history_buffer *p, int past, double s, bool rate,
                               double *out) {
    const sal__history *history = &sys->history.columns.item[past];
    const sal_status status = eval_history(sys, p, past, s, rate, out);
    if (status <= 0)
        return status;
    for (int i = 0; i < history->size; i++)
        out[i] = rate ? 0 : (sal_delay_buffer_value(p->ring, 0) + history->column)[i];
    return SAL_OK;
}

/* After the newest point, inside the step. Signals are not known there: the step must be shorter. */
static sal_status within_step(const sal_context *ctx, sal__delay_state *m, const sal__history_buffer *p,
                              const sal__history *history, double s, bool rate, double *out) {
    const sal__context_data *data = ctx->data;
    const sal__provisional_step *step = m ? m->step : NULL;
    if (history->kind == SAL__HISTORY_STATE && step && !isnan(step->t0) && s > step->t0) {
        const int at = ctx->layout->at[history->partition] + history->at;
        m->step->was_read = true;
        for (int i = 0; i < history->size; i++)
            out[i] = (rate ? sal__provisional_rate : sal__provisional_value)(step, data->plan->nx, at + i, s);
        return SAL_OK;
    }
    const bool held = history->kind == SAL__HISTORY_DISCRETE;
    if (m && m->is_tracking && !held && !history->can_use_current)
        return SAL_RETRY;
    const sal_status status = sal__present_value(ctx, history, out);
    if (status == SAL_OK && history->can_use_current && !held) {
        sal__read_history_to_present(ctx, p, history, s, rate, out);
        return SAL_OK;
    }
    const int newest = sal_delay_buffer_points(p->ring) - 1;
    const double t = sal_delay_buffer_time(p->ring, newest),
                 *last = sal_delay_buffer_value(p->ring, newest) + history->column;
    const double share = (s - t) / (data->time - t);
    for (int i = 0; status == SAL_OK && !held && i < history->size; i++)
        out[i] = rate ? (out[i] - last[i]) / (data->time - t) : last[i] + share * (out[i] - last[i]);
    for (int i = 0; held && rate && i < history->size; i++)
        out[i] = 0;
    return status;
}

sal_status sal__initial_history_value(const sal_system *sys, sal__history_buffer *p, int past, double t,
                                      double *value) {
    return before_start(sys, p, past, t, false, value);
}

/* A stage may be led astray where no accepted step would go: the step must be shorter. Not for
 * ever, for the sake of the message. */
static sal_status refuse_time(const sal__delay_state *m, const sal__history *history, double t, double s, double *out) {
    const bool stage = m && m->is_tracking && (m->is_probing || t != m->step->t0);
    for (int i = 0; stage && isnan(s) && i < history->size; i++)
        out[i] = NAN; /* the state is not finite, and is judged as such */
    if (stage && isnan(s))
        return SAL_OK;
    return stage && (m->is_probing || m->step->h > 1e-9 * sal__max(1, fabs(t))) ? SAL_RETRY : SAL_ETIME;
}

static sal_status read_history(const sal_context *ctx, int past, double s, bool rate, double *out) {
    const sal_system *sys = ctx->layout->system;
    const sal__context_data *data = ctx->data;
    if (past < 0 || past >= sys->history.columns.count)
        return SAL_EINVAL;
    const sal__history *history = &sys->history.columns.item[past];
    const double t = data->time, near = 4 * 2.220446049250313e-16 * sal__max(fabs(t), fabs(s));
    sal__delay_state *m = data->delay_state;
    if (!(s - t <= near) || t - s > history->depth + near)
        return refuse_time(m, history, t, s, out);
    sal__history_buffer *p = (sal__history_buffer *)(uintptr_t)sal_context_slot(ctx, sys->history.slot);
    sal__delay_site *site =
        m && m->is_tracking && !history->linear_only ? sal__site_visit(ctx, history, s, rate) : NULL;
    if (t - s <= near && !rate)
        return sal__present_value(ctx, history, out);
    const int points = sal_delay_buffer_points(p->ring);
    if (points == 0) { /* not initialized yet: history, else the present, but signals may hang on this */
        const sal_status status = eval_history(sys, p, past, s, rate, out);
        if (status <= 0)
            return status;
        for (int i = 0; i < history->size; i++)
            out[i] = 0;
        return rate || history->kind >= SAL__HISTORY_OUTPUT ? SAL_OK : sal__present_value(ctx, history, out);
    }
    if (history->linear_only && s >= sal_delay_buffer_time(p->ring, 0))
        return sal__read_history_linear(ctx, p, history, s, rate, out);
    double after = -INFINITY, until = INFINITY;
    if (site && fabs(s - sal__max(site->smooth_from, sal__min(site->smooth_to, s))) <=
                    2 * m->step->h + sal__discontinuity_tolerance(t))
        after = site->smooth_from, until = site->smooth_to;
    const double inside = s < after ? after : s > until ? until : s;
    const double first = sal_delay_buffer_time(p->ring, 0), newest = sal_delay_buffer_time(p->ring, points - 1);
    if (rate && t == first) /* a lag that vanishes at the start: only the history tells a derivative */
        return before_start(sys, p, past, first, true, out);
    if (m && history->kind >= SAL__HISTORY_OUTPUT && !history->can_use_current &&
        s > m->step->t0) /* steps should be shorter */
        m->shortest_wait = sal__min(t - s, m->shortest_wait);
    if (inside > newest)
        return within_step(ctx, m, p, history, s, rate, out);
    if (inside < first || (inside == first && inside >= until))
        return p->ring->has_dropped_points ? SAL_ETIME : before_start(sys, p, past, sal__min(s, first), rate, out);
    sal__delay_read_branch(p->ring, site ? &site->reader : &p->reader, s, after, until, history->column, history->size,
                           rate ? NULL : out, rate ? out : NULL);
    return SAL_OK;
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
