/* Reading the past of a part: the buffer, the history before it, the step after it. */
#include "delay_state.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

/* ---- declaring ---- */

static bool find_kept(const sal_system *sys, const char *name, sal__kept *kept) {
    const int i = sal__names_find(&sys->value_names, name);
    if (i >= 0 && i < sys->values.count) {
        const sal__value *v = &sys->values.item[i];
        *kept = (sal__kept){.partition = v->partition, .at = v->at, .size = v->size, .kind = SAL__PAST_HELD_VALUE};
        if (v->partition <= SAL_Z)
            kept->kind = SAL__PAST_STATE;
        for (int port = 0; v->partition == SAL_INPUT && port < sys->inputs.count; port++)
            if (sys->inputs.item[port] == i)
                *kept = (sal__kept){.at = port, .size = v->size, .kind = SAL__PAST_INPUT};
        return v->partition != SAL_PARAM;
    }
    const int port = sal_system_find_output(sys, name);
    if (port >= 0)
        *kept = (sal__kept){.at = port, .size = sys->outputs.item[port].size, .kind = SAL__PAST_OUTPUT};
    return port >= 0;
}

sal_status sal_system_add_past(sal_system *sys, const char *name, double depth, int *past) {
    sal__kept kept;
    if (!sys || !sys->behaviour || sys->closed || !name || !(depth >= 0) || !find_kept(sys, name, &kept))
        return SAL_EINVAL;
    for (int i = 0; i < sys->kept.count; i++)
        if (strcmp(sys->kept.item[i].name, name) == 0)
            return SAL_EINVAL;
    if (sys->kept.count == 0) {
        const sal_status status = sal_system_add_slot(sys, "past", &sal__past_type, &sys->past_slot);
        if (status != SAL_OK)
            return status;
    }
    if (SAL_PUSH(&sys->mem, sys->kept) != SAL_OK || !(kept.name = sal__copy_text(&sys->mem, name)))
        return SAL_ENOMEM;
    kept.depth = depth;
    kept.column = sys->kept_width;
    sys->kept_width += kept.size;
    if (past)
        *past = sys->kept.count;
    sys->kept.item[sys->kept.count++] = kept;
    return SAL_OK;
}

sal_past_config sal_past_config_default(void) {
    return (sal_past_config){.size = sizeof(sal_past_config)};
}

sal_status sal_system_set_past(sal_system *sys, int past, const sal_past_config *config) {
    if (!sys || sys->closed || past < 0 || past >= sys->kept.count || config->size != sizeof *config)
        return SAL_EINVAL;
    sal__kept *kept = &sys->kept.item[past];
    const size_t bytes = (size_t)kept->size * sizeof(double);
    if (config->history && !kept->before && !(kept->before = sal__alloc(&sys->mem, bytes)))
        return SAL_ENOMEM;
    if (config->history)
        memcpy(kept->before, config->history, bytes);
    kept->lines = config->linear_only;
    kept->current = config->can_use_current;
    return SAL_OK;
}

int sal_system_pasts(const sal_system *sys) {
    return sys->kept.count;
}

/* ---- the slot ---- */

static double depth_of(const sal_system *sys) {
    double depth = 0;
    for (int i = 0; i < sys->kept.count; i++)
        depth = sal__max(sys->kept.item[i].depth, depth);
    return depth;
}

static size_t past_bytes(const sal_system *sys) {
    return sizeof(sal__past) + (size_t)sys->kept_width * sizeof(double);
}

static sal_status past_new(const sal_system *sys, sal_delay_buffer *ring, void **out) {
    sal__past *past = ring ? sal__alloc(&sys->mem, past_bytes(sys)) : NULL;
    if (!past) {
        sal_delay_buffer_free(ring);
        return SAL_ENOMEM;
    }
    past->system = sys;
    past->ring = ring;
    *out = past;
    return SAL_OK;
}

static sal_status make(const sal_system *sys, int slot, void **out) {
    (void)slot;
    sal_delay_config config = sal_delay_config_default();
    config.width = sys->kept_width;
    config.delay = depth_of(sys) * (1 + 1e-12);
    config.degree = 4;
    config.points = isinf(config.delay) ? 256 : 32;
    sal_delay_buffer *ring = NULL;
    const sal_status status = sal_delay_buffer_new(&sys->mem, &config, &ring);
    return status == SAL_OK ? past_new(sys, ring, out) : status;
}

static sal_status clone(const void *from, void **out) {
    const sal__past *past = from;
    sal_delay_buffer *ring = NULL;
    const sal_status status = sal_delay_buffer_clone(past->ring, &ring);
    return status == SAL_OK ? past_new(past->system, ring, out) : status;
}

static sal_status assign(void *to, const void *from) {
    return sal_delay_buffer_assign(((sal__past *)to)->ring, ((const sal__past *)from)->ring);
}

static void drop(void *value) {
    sal__past *past = value;
    const sal_allocator mem = past->system->mem;
    sal_delay_buffer_free(past->ring);
    sal__free(&mem, past, past_bytes(past->system));
}

static size_t size_of(const void *value) {
    return sal_delay_buffer_save_size(((const sal__past *)value)->ring);
}

static void save(const void *value, void *bytes) {
    sal_delay_buffer_save(((const sal__past *)value)->ring, bytes);
}

/* How far back it reaches is declared, and not the bytes' to say. */
static sal_status load(void *value, const void *bytes, size_t size) {
    sal_delay_buffer *ring = ((sal__past *)value)->ring;
    const double delay = ring->config.delay;
    const sal_status status = sal_delay_buffer_load(ring, bytes, size);
    const bool is_other = ring->config.delay != delay;
    ring->config.delay = delay;
    return status == SAL_OK && is_other ? SAL_EINVAL : status;
}

static uint64_t hash(const void *value, uint64_t seed) {
    return sal_delay_buffer_hash(((const sal__past *)value)->ring, seed);
}

const sal_slot_type sal__past_type = {make, clone, assign, drop, size_of, save, load, hash};

/* ---- reading ---- */

sal_status sal__kept_now(const sal_context *ctx, const sal__kept *kept, double *value) {
    const double *from = NULL;
    sal_status status = SAL_OK;
    if (kept->kind == SAL__PAST_OUTPUT)
        status = sal_context_output(ctx, kept->at, &from);
    else if (kept->kind == SAL__PAST_INPUT)
        status = sal_context_input(ctx, kept->at, &from);
    else
        from = sal_context_get(ctx, kept->partition) + kept->at;
    for (int i = 0; status == SAL_OK && i < kept->size; i++)
        value[i] = from[i];
    return status;
}

/* Fourth-order differences from the points before s: a history need not exist beyond the start. */
static sal_status history_by_differences(const sal_system *sys, sal__past *p, int past, double s, double *rate) {
    static const double weight[5] = {25. / 12, -4, 3, -4. / 3, 1. / 4};
    const double h = 1e-3 * sal__max(1, fabs(s));
    const int size = sys->kept.item[past].size;
    double *value = p->room;
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
static sal_status history(const sal_system *sys, sal__past *p, int past, double s, bool rate, double *out) {
    const sal__kept *kept = &sys->kept.item[past];
    sal_status status = SAL_RETRY;
    if (sys->behaviour->history) {
        for (int i = 0; i < kept->size; i++)
            out[i] = NAN;
        status = sys->behaviour->history(sys, past, s, rate ? NULL : out, rate ? out : NULL);
        if (status == SAL_OK && rate && isnan(out[0]))
            status = history_by_differences(sys, p, past, s, out);
    }
    for (int i = 0; status > 0 && kept->before && i < kept->size; i++)
        out[i] = rate ? 0 : kept->before[i];
    return status > 0 && kept->before ? SAL_OK : status;
}

/* Before the first point: the system's history, else what stood at the start. */
static sal_status before_start(const sal_system *sys, sal__past *p, int past, double s, bool rate, double *out) {
    const sal__kept *kept = &sys->kept.item[past];
    const sal_status status = history(sys, p, past, s, rate, out);
    if (status <= 0)
        return status;
    for (int i = 0; i < kept->size; i++)
        out[i] = rate ? 0 : (sal_delay_buffer_value(p->ring, 0) + kept->column)[i];
    return SAL_OK;
}

/* After the newest point, inside the step. Signals cannot be told there: the step must be shorter. */
static sal_status within_step(const sal_context *ctx, sal__moment *m, const sal__past *p, const sal__kept *kept,
                              double s, bool rate, double *out) {
    const sal__store *root = ctx->root;
    const sal__provisional *step = m ? m->step : NULL;
    if (kept->kind == SAL__PAST_STATE && step && !isnan(step->t0) && s > step->t0) {
        const int at = ctx->place->at[kept->partition] + kept->at;
        m->step->read = true;
        for (int i = 0; i < kept->size; i++)
            out[i] = (rate ? sal__provisional_rate : sal__provisional_value)(step, root->plan->nx, at + i, s);
        return SAL_OK;
    }
    const bool held = kept->kind == SAL__PAST_HELD_VALUE;
    if (m && m->tracking && !held && !kept->current)
        return SAL_RETRY;
    const sal_status status = sal__kept_now(ctx, kept, out);
    if (status == SAL_OK && kept->current && !held) {
        sal__past_to_present(ctx, p, kept, s, rate, out);
        return SAL_OK;
    }
    const int newest = sal_delay_buffer_points(p->ring) - 1;
    const double t = sal_delay_buffer_time(p->ring, newest),
                 *last = sal_delay_buffer_value(p->ring, newest) + kept->column;
    const double share = (s - t) / (root->time - t);
    for (int i = 0; status == SAL_OK && !held && i < kept->size; i++)
        out[i] = rate ? (out[i] - last[i]) / (root->time - t) : last[i] + share * (out[i] - last[i]);
    for (int i = 0; held && rate && i < kept->size; i++)
        out[i] = 0;
    return status;
}

sal_status sal__kept_before(const sal_system *sys, sal__past *p, int past, double t, double *value) {
    return before_start(sys, p, past, t, false, value);
}

/* A stage may be led astray where no accepted step would go: the step must be shorter. Not for
 * ever, for the sake of the message. */
static sal_status out_of_reach(const sal__moment *m, const sal__kept *kept, double t, double s, double *out) {
    const bool stage = m && m->tracking && (m->probing || t != m->step->t0);
    for (int i = 0; stage && isnan(s) && i < kept->size; i++)
        out[i] = NAN; /* the state is not finite, and is judged as such */
    if (stage && isnan(s))
        return SAL_OK;
    return stage && (m->probing || m->step->h > 1e-9 * sal__max(1, fabs(t))) ? SAL_RETRY : SAL_ETIME;
}

static sal_status ask(const sal_context *ctx, int past, double s, bool rate, double *out) {
    const sal_system *sys = ctx->place->system;
    const sal__store *root = ctx->root;
    if (past < 0 || past >= sys->kept.count)
        return SAL_EINVAL;
    const sal__kept *kept = &sys->kept.item[past];
    const double t = root->time, near = 4 * 2.220446049250313e-16 * sal__max(fabs(t), fabs(s));
    sal__moment *m = root->moment;
    if (!(s - t <= near) || t - s > kept->depth + near)
        return out_of_reach(m, kept, t, s, out);
    sal__past *p = (sal__past *)(uintptr_t)sal_context_slot(ctx, sys->past_slot);
    sal__site *site = m && m->tracking && !kept->lines ? sal__site_visit(ctx, kept, s, rate) : NULL;
    if (t - s <= near && !rate)
        return sal__kept_now(ctx, kept, out);
    const int points = sal_delay_buffer_points(p->ring);
    if (points == 0) { /* not initialized yet: history, else the present, but signals may hang on this */
        const sal_status status = history(sys, p, past, s, rate, out);
        if (status <= 0)
            return status;
        for (int i = 0; i < kept->size; i++)
            out[i] = 0;
        return rate || kept->kind >= SAL__PAST_OUTPUT ? SAL_OK : sal__kept_now(ctx, kept, out);
    }
    if (kept->lines && s >= sal_delay_buffer_time(p->ring, 0))
        return sal__past_on_lines(ctx, p, kept, s, rate, out);
    double after = -INFINITY, until = INFINITY;
    if (site && fabs(s - sal__max(site->after, sal__min(site->until, s))) <= 2 * m->step->h + sal__moment_near(t))
        after = site->after, until = site->until;
    const double inside = s < after ? after : s > until ? until : s;
    const double first = sal_delay_buffer_time(p->ring, 0), newest = sal_delay_buffer_time(p->ring, points - 1);
    if (rate && t == first) /* a lag that vanishes at the start: only the history tells a derivative */
        return before_start(sys, p, past, first, true, out);
    if (m && kept->kind >= SAL__PAST_OUTPUT && !kept->current && s > m->step->t0) /* steps should be shorter */
        m->waits = sal__min(t - s, m->waits);
    if (inside > newest)
        return within_step(ctx, m, p, kept, s, rate, out);
    if (inside < first || (inside == first && inside >= until))
        return p->ring->forgetful ? SAL_ETIME : before_start(sys, p, past, sal__min(s, first), rate, out);
    sal__delay_read_branch(p->ring, site ? &site->reader : &p->reader, s, after, until, kept->column, kept->size,
                           rate ? NULL : out, rate ? out : NULL);
    return SAL_OK;
}

sal_status sal_context_past(const sal_context *ctx, int past, double lag, double *value) {
    return ask(ctx, past, ctx->root->time - lag, false, value);
}

sal_status sal_context_past_at(const sal_context *ctx, int past, double t, double *value) {
    return ask(ctx, past, t, false, value);
}

sal_status sal_context_past_rate(const sal_context *ctx, int past, double lag, double *rate) {
    return ask(ctx, past, ctx->root->time - lag, true, rate);
}

sal_status sal_context_past_rate_at(const sal_context *ctx, int past, double t, double *rate) {
    return ask(ctx, past, t, true, rate);
}
