/* The past of a run: appends accepted steps to the histories, keeps track of discontinuities, and ends steps where a
 * delay reaches one.
 *
 * A discontinuity of order k (the k-th derivative is the first that jumps) that is read through a delay makes the
 * right-hand side jump in its k-th derivative. So the solution has a discontinuity of order k + 1 there; a delayed
 * derivative propagates it without smoothing. Discontinuities whose order is above that of the method are forgotten
 * (Bellen and Zennaro, Numerical Methods for Delay Differential Equations, 2003, chapter 2). If a lag was the same
 * at both ends of a step, the time at which it reaches its next discontinuity is known in advance. If the lag
 * varies, an attempted step extrapolates across the discontinuity, and the time is found on its dense output. */
#include <math.h>
#include <string.h>

#include "delay.h"

enum { DISCONTINUITIES_AT_FIRST = 64 };

/* ---- life ---- */

sal_status sal__delays_new(sal_simulator *sim) {
    const size_t width = sal__widest_history_row(sim);
    if (width == 0)
        return SAL_OK;
    sal__delay_state *m = sim->delay_state = sal__pool_alloc(&sim->pool, 1, sizeof *m);
    if (!m)
        return SAL_ENOMEM;
    m->row = sal__pool_alloc(&sim->pool, 2 * (SAL__DELAY_DEGREES + 1), width * sizeof(double));
    m->bounds.shortest_wait = m->bounds.kink = INFINITY;
    m->time_scale = 1;
    m->sites.item = sal__pool_alloc(&sim->pool, SAL__MAX_SITES, sizeof *m->sites.item);
    m->checkpoint.site = sal__pool_alloc(&sim->pool, SAL__MAX_SITES, sizeof *m->sites.item);
    m->sites.track = sal__pool_alloc(&sim->pool, SAL__MAX_TRACKS, sizeof *m->sites.track);
    sal__past_readers_new(sim);
    for (int i = 0; i < sim->plan->part_count; i++)
        for (int k = 0; k < sim->plan->part[i].system->history.columns.count; k++)
            m->max_depth = sal__max(sim->plan->part[i].system->history.columns.item[k].depth, m->max_depth);
    const sal_status status = sim->pool.failed ? SAL_ENOMEM : sal__influence_new(sim);
    return status == SAL_OK ? sal__delays_reserve(sim, DISCONTINUITIES_AT_FIRST) : status;
}

void sal__delays_set_time_scale(sal_simulator *sim, double scale) {
    sim->delay_state->time_scale = scale;
}

void sal__delays_free(sal_simulator *sim) {
    const sal__discontinuities *all = sim->delay_state ? &sim->delay_state->discontinuities : NULL;
    if (all)
        sal__free(&sim->pool.mem, all->item, (size_t)all->cap * sizeof *all->item);
}

static sal_status widen(const sal_simulator *sim, const sal__context_data *data, int degree) {
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->plan->part_count; i++)
        if (sal__has_history(sim, i))
            status = sal__delay_widen(sal__history_buffer_in(sim, data, i)->ring, degree);
    return status;
}

/* A snapshot is read into the lookup context, which then becomes the run's; its buffers need the same degree. */
sal_status sal__delays_attach(sal_simulator *sim, sal_integrator *in, sal__context_data *context) {
    sal__delay_state *m = sim->delay_state;
    if (!m)
        return SAL_OK;
    sal__provisional_step *step = sal__integrator_provisional_step(in);
    sal_status status = step ? widen(sim, context, step->degree) : SAL_ENOMEM;
    if (status == SAL_OK)
        status = widen(sim, sim->contexts.lookup, step->degree);
    if (status != SAL_OK)
        return status;
    m->step = step;
    sal__past_readers_forget(m);
    m->method_order = sal_method_order(sal_integrator_config_of(in)->method);
    sim->contexts.current->delay_state = NULL;
    context->delay_state = m;
    return SAL_OK;
}

/* ---- the past at one time ---- */

static bool differs(const sal__history *history, const double *a, const double *b) {
    for (int i = history->column; i < history->column + history->size; i++)
        if (a[i] != b[i])
            return true;
    return false;
}

/* After updates that changed something: appends a second point at the same time. If an earlier call failed in
 * between, the point exists already. */
static sal_status jump_of_part(sal_simulator *sim, int part, sal__discontinuity *found) {
    const sal_system *sys = sim->plan->part[part].system;
    sal_delay_buffer *ring = sal__history_buffer_of(sim, part)->ring;
    double *now = sim->delay_state->row;
    const sal_status status = sal__read_history_row(sim, part, now);
    const int newest = sal_delay_buffer_points(ring) - 1;
    if (status != SAL_OK || newest < 0)
        return status;
    const sal_context *ctx = &sim->contexts.current->part_context[part];
    const bool begun = sal_delay_buffer_time(ring, newest - 1) == sim->contexts.current->time;
    const double *was = sal_delay_buffer_value(ring, begun ? newest - 1 : newest);
    bool any = begun;
    for (int k = 0; k < sys->history.columns.count; k++) {
        if (!differs(&sys->history.columns.item[k], was, now))
            continue;
        any = true;
        found->order[sal__history_kind_in(ctx, &sys->history.columns.item[k])] = 0;
    }
    return any ? sal_delay_buffer_append(ring, sim->contexts.current->time, now, NULL) : SAL_OK;
}

sal_status sal__delays_add_jump(sal_simulator *sim) {
    sim->delay_state->has_pending_jump = true;
    sal__past_readers_forget(sim->delay_state);
    sal_status status = sal__reserve_discontinuity(sim);
    /* Any write may change the derivatives and all signals. */
    sal__discontinuity found = {sim->contexts.current->time, {1, SAL__SMOOTH, 0, 0}, 0, 0};
    for (int i = 0; status == SAL_OK && i < sim->plan->part_count; i++)
        if (sal__has_history(sim, i))
            status = jump_of_part(sim, i, &found);
    if (status != SAL_OK)
        return status;
    sal__add_discontinuity(sim->delay_state, &found);
    sim->delay_state->has_pending_jump = false;
    return SAL_OK;
}

sal_status sal__delays_flush(sal_simulator *sim) {
    return sim->delay_state && sim->delay_state->has_pending_jump ? sal__delays_record_jump(sim) : SAL_OK;
}

/* Where the initial history and the start differ, the value jumps. */
static sal_status compare_history(sal_simulator *sim, int part, double t, sal__discontinuity *start) {
    const sal_system *sys = sim->plan->part[part].system;
    const double *now = sal_delay_buffer_value(sal__history_buffer_of(sim, part)->ring, 0);
    double *was = sim->delay_state->row;
    for (int k = 0; k < sys->history.columns.count; k++) {
        const sal__history *history = &sys->history.columns.item[k];
        const sal_status status =
            sal__initial_history_value(sys, sal__history_buffer_of(sim, part), k, t, was + history->column);
        if (status != SAL_OK)
            return status;
        for (int i = history->column; i < history->column + history->size; i++)
            if (!(fabs(was[i] - now[i]) <= 1e-12 * fabs(now[i])))
                start->order[sal__history_kind_in(&sim->contexts.current->part_context[part], history)] = 0;
    }
    return SAL_OK;
}

static bool reaches_up_to(const sal_simulator *sim, double t) {
    for (int i = 0; i < sim->plan->part_count; i++) {
        const sal_delay_buffer *ring = sal__has_history(sim, i) ? sal__history_buffer_of(sim, i)->ring : NULL;
        if (ring && !(sal_delay_buffer_time(ring, 0) < t &&
                      sal_delay_buffer_time(ring, sal_delay_buffer_points(ring) - 1) == t))
            return false;
    }
    return true;
}

/* ---- room, so that a run takes none ---- */

/* Instants per second at which periodic events publish or update. */
static double clock_rate(const sal_simulator *sim) {
    double rate = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < sim->schedule.queue[k].timer_count; i++)
            rate += sim->schedule.queue[k].timer[i].period > 0 ? 1 / sim->schedule.queue[k].timer[i].period : 0;
    return rate;
}

/* The number of steps in a whole past if only error control limits them. A smooth past at ordinary accuracies has
 * some tens, and a fine one has many more. All pasts together may take a few megabytes for them. */
static double free_steps(const sal_simulator *sim, size_t row) {
    enum { SMOOTH = 96, FINE = 4096, CHEAP_BYTES = 1 << 22 };
    double pasts = 0;
    for (int i = 0; i < sim->plan->part_count; i++)
        pasts += sal__has_history(sim, i);
    return sal__max(SMOOTH, sal__min(FINE, CHEAP_BYTES / (pasts * (double)row)));
}

/* Error control may make steps shorter than max_step, and events may occur at times of their own: room for MORE. */
static sal_status reserve_past(const sal_simulator *sim, sal_delay_buffer *ring) {
    enum { MORE = 32, MOST_BYTES = 1 << 26 };
    const sal_delay_config *c = sal_delay_buffer_config(ring);
    const size_t row = sal__delay_row_size(c->width, c->degree) * sizeof(double);
    if (isinf(c->delay))
        return SAL_OK;
    const double longest = sim->integrator_config->max_step;
    const double steps = sal__max(c->delay / longest, sim->plan->nx > 0 && c->delay > 0 ? free_steps(sim, row) : 0);
    const double points = MORE + steps + 2 * c->delay * clock_rate(sim);
    return sal_delay_buffer_reserve(ring, (int)sal__min(points, MOST_BYTES / (double)row));
}

/* Room for one discontinuity per instant that a past still reaches, and as many propagated ones. */
static sal_status reserve_discontinuities(sal_simulator *sim) {
    enum { MOST = 1 << 16 };
    const double depth = sim->delay_state->max_depth, pasts = sim->delay_state->influence.past_count;
    const double wanted = DISCONTINUITIES_AT_FIRST + 2 * pasts + (isinf(depth) ? 0 : 2 * depth * clock_rate(sim));
    return sal__delays_reserve(sim, (int)ceil(sal__min(wanted, MOST)));
}

static sal_status reserve(sal_simulator *sim) {
    sal_status status = reserve_discontinuities(sim);
    for (int i = 0; status == SAL_OK && i < sim->plan->part_count; i++)
        if (sal__has_history(sim, i))
            status = reserve_past(sim, sal__history_buffer_of(sim, i)->ring);
    return status;
}

/* Starts a run, or continues it if the past reaches up to now. A past of what reads other pasts begins after those. */
sal_status sal__delays_start(sal_simulator *sim) {
    sal__delay_state *m = sim->delay_state;
    const sal_status reserved = m ? reserve(sim) : SAL_OK;
    if (!m || reserved != SAL_OK)
        return reserved;
    const double t = sim->contexts.current->time;
    m->sites.count = m->sites.next = 0;
    m->bounds.shortest_wait = m->bounds.kink = INFINITY;
    m->has_pending_jump = false;
    sal__past_readers_forget(m);
    if (reaches_up_to(sim, t)) {
        sal__drop_discontinuities_after(m, t); /* of another context */
        return sal__delays_record_jump(sim);
    }
    sal__drop_discontinuities_after(m, -INFINITY);
    sal__discontinuity start = {t, {1, SAL__SMOOTH, 1, 1}, 0, 0};
    sal_status status = SAL_OK;
    for (int k = 0; status == SAL_OK && k < sim->plan->order.history_count; k++) {
        const int i = sim->plan->order.history_part[k];
        sal_delay_buffer *ring = sal__history_buffer_of(sim, i)->ring;
        sal_delay_buffer_clear(ring);
        status = sal__read_history_row(sim, i, sim->delay_state->row);
        if (status == SAL_OK)
            status = sal_delay_buffer_append(ring, t, sim->delay_state->row, NULL);
        if (status == SAL_OK)
            status = compare_history(sim, i, t, &start);
    }
    sal__add_discontinuity(m, &start);
    sal__context_data_look(sim->contexts.current, t, NULL); /* what was read before the start is another past */
    return status;
}

/* Blocks without a lag read the accepted points themselves. */
static bool has_lags(const sal_system *sys) {
    bool any = false;
    for (int k = 0; k < sys->history.columns.count; k++)
        any = any || sys->history.columns.item[k].depth > 0;
    return any;
}

static sal_status append_all(sal_simulator *sim, double t, bool foreseen) {
    const double now = sim->contexts.current->time;
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->plan->part_count; i++) {
        if (!sal__has_history(sim, i) || (foreseen && !has_lags(sim->plan->part[i].system)))
            continue;
        status = sal__append_history(sim, i, t);
        if (status != SAL_OK)
            sal__blame_part(sim, i);
    }
    sal__context_data_look(sim->contexts.current, now, NULL);
    if (status != SAL_OK)
        sal__delays_truncate(sim, now);
    return status;
}

/* From here on, the past up to t1 is the attempted step, so an event is located on the same curve that its handler
 * reads. */
sal_status sal__delays_preview(sal_simulator *sim, double t1) {
    if (!sim->delay_state || sim->plan->nx == 0)
        return SAL_OK;
    sal__past_readers_note_arrival(sim->delay_state, t1);
    return append_all(sim, t1, true);
}

/* The run has reached t: the buffers are filled up to t. Nothing is appended twice. */
sal_status sal__delays_extend(sal_simulator *sim, double t) {
    sal__delay_state *m = sim->delay_state;
    sal_status status = sal__reserve_discontinuity(sim);
    if (status == SAL_OK)
        status = append_all(sim, t, false);
    if (status == SAL_OK)
        status = sal__past_readers_advance(sim, t);
    if (status != SAL_OK)
        return status;
    if (sim->plan->nx > 0 && t == m->step->t1 && m->step->has_interpolant)
        sal__advance_sites(sim, t);
    sal__drop_discontinuities(m, t);
    return SAL_OK;
}

/* Removes everything after t. */
void sal__delays_truncate(sal_simulator *sim, double t) {
    for (int i = 0; sim->delay_state && i < sim->plan->part_count; i++)
        if (sal__has_history(sim, i))
            sal_delay_buffer_truncate(sal__history_buffer_of(sim, i)->ring, t);
}
