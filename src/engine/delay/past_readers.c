/* What reads the past besides the derivatives: witnesses, conditions with their finders and guards, and the signals
 * that histories record.
 *
 * A step has to end where one of them meets a jump or a corner of what it reads. Then each of these is at the end of
 * a step, and an event there is found as any other one is. Nobody knows which functions read the past, or how far back.
 * So all of them are evaluated at the start and at the end of each step that is tried, and their reads are listed.
 * Where a read passes a discontinuity between the two lists, the step is tried again up to there. A recorded signal
 * that reads a discontinuity has one itself.
 *
 * Stages of the integrator see neither the jumps nor these functions: see delay_step.c for what the derivatives
 * read. */
#include <math.h>

#include "delay.h"
#include "engine/witness/crossing.h"
#include "numerics/root_finder.h"

/* ---- what is read at the ends of a step ---- */

void sal__past_readers_new(sal_simulator *sim) {
    sal__past_readers *readers = &sim->delay_state->readers;
    sal__past_reads *const lists[] = {&readers->at_start, &readers->inside, &readers->at_end};
    for (int i = 0; i < 3; i++)
        *lists[i] = (sal__past_reads){NAN, 0, sal__pool_alloc(&sim->pool, SAL__MAX_SITES, sizeof(sal__past_read))};
}

void sal__past_readers_forget(sal__delay_state *m) {
    m->readers.at_start.t = m->readers.at_end.t = NAN;
    m->readers.arrival = INFINITY;
}

void sal__past_readers_begin_step(sal__delay_state *m) {
    m->readers.failed = -1;
    m->readers.arrival = INFINITY;
}

/* ---- evaluating ---- */

/* Remembers the event whose function failed. A value that is missing or NaN is no failure here: whoever needs it
 * reports it. */
static sal_status check(sal_simulator *sim, int event, sal_status status) {
    if (status >= 0 || status == SAL_ENAN)
        return SAL_OK;
    sim->delay_state->readers.failed = event;
    return status;
}

static sal_status evaluate_witness(sal_simulator *sim, const sal__witness *w) {
    bool holds = w->info.direction != SAL_NEVER;
    double value = 0;
    sal_status status = holds && w->info.has_guard ? sal__event_guard(sim, w->info.event, &holds) : SAL_OK;
    if (status == SAL_OK && holds)
        status = sal__witness_value(sim, w, &value);
    return check(sim, w->info.event, status);
}

static sal_status evaluate_condition(sal_simulator *sim, const sal__condition *c) {
    const int event = sim->witnesses.item[c->witness].info.event;
    bool there = false, holds = false;
    sal_status status = check(sim, event, sal__event_guard(sim, event, &there));
    if (status == SAL_OK && there)
        status =
            check(sim, event, c->event->system->behaviour->holds(c->event->system, c->ctx, c->event->index, &holds));
    for (int k = 0; status == SAL_OK && k < c->finder_count && (there || c->event->config->when_flows); k++) {
        double value = 0;
        status = check(sim, event, sal__witness_value(sim, &c->finder[k], &value));
    }
    return status;
}

/* Evaluates one signal after the other, each without cached outputs: a read that several signals share is listed for
 * each of them. */
static sal_status evaluate_signals(sal_simulator *sim, int part, double t, const double *x) {
    sal__delay_state *m = sim->delay_state;
    const sal_context *ctx = &sim->contexts.current->part_context[part];
    const sal_system *sys = sim->plan->part[part].system;
    sal_status status = SAL_OK;
    for (int k = 0; status >= 0 && k < sys->history.columns.count; k++) {
        const sal__history *history = &sys->history.columns.item[k];
        if (history->kind < SAL__HISTORY_OUTPUT)
            continue;
        sal__context_data_look(sim->contexts.current, t, x);
        m->readers.recording = sal__history_number(ctx, history);
        m->readers.reader++;
        status = sal__present_value(ctx, history, m->row);
        m->readers.recording = 0;
    }
    if (status < 0)
        sal__blame_part(sim, part);
    return status < 0 ? status : SAL_OK;
}

/* Numbers the functions in their order. */
static sal_status evaluate_all(sal_simulator *sim, double t, const double *x) {
    int *reader = &sim->delay_state->readers.reader;
    sal_status status = SAL_OK;
    sal__context_data_look(sim->contexts.current, t, x);
    *reader = 0;
    for (int i = 0; status == SAL_OK && i < sim->witnesses.count; i++, ++*reader)
        status = evaluate_witness(sim, &sim->witnesses.item[i]);
    for (int i = 0; status == SAL_OK && i < sim->conditions.count; i++, ++*reader)
        if (sim->conditions.item[i].can_flow)
            status = evaluate_condition(sim, &sim->conditions.item[i]);
    for (int i = 0; status == SAL_OK && i < sim->plan->part_count; i++)
        status = evaluate_signals(sim, i, t, x);
    return status;
}

/* Lists what is read at (t, x); x NULL: at the state of the run. */
static sal_status list_reads(sal_simulator *sim, double t, const double *x, sal__past_reads *list) {
    sal__delay_state *m = sim->delay_state;
    list->t = t;
    list->count = 0;
    m->readers.failed = -1;
    m->readers.listing = list;
    const sal_status status = evaluate_all(sim, t, x);
    m->readers.listing = NULL;
    if (status != SAL_OK)
        list->t = NAN;
    return status;
}

sal_status sal__witness_value_by_reads(sal_simulator *sim, const sal__witness *w, double *value, bool *reads_past) {
    sal__delay_state *m = sim->delay_state;
    *reads_past = false;
    if (!m)
        return sal__witness_value(sim, w, value);
    m->readers.listing = &m->readers.inside;
    m->readers.inside.count = 0;
    const sal_status status = sal__witness_value(sim, w, value);
    m->readers.listing = NULL;
    *reads_past = m->readers.inside.count > 0;
    return status;
}

/* ---- discontinuities ---- */

enum { CORNER = 1 }; /* the highest order that counts */

static int order_of(const sal__delay_state *m, const sal__past_read *r, const sal__discontinuity *b) {
    const int order = sal__order_in(m, b, r->history, r->kind);
    if (r->is_linear || order >= SAL__SMOOTH || (r->ignores_self && b->handed_on_by == r->history))
        return SAL__SMOOTH;
    return order > r->is_rate ? order - r->is_rate : 0;
}

static bool has_corners(const sal__delay_state *m) {
    for (int i = 0; i < m->discontinuities.count; i++)
        for (int kind = 0; kind < 4; kind++)
            if (m->discontinuities.item[i].order[kind] <= CORNER + 1)
                return true;
    return false;
}

/* Reads at times that differ by this are the same: a lag is rounded as the present time is. */
static double tolerance(double t, double s) {
    return sal__discontinuity_tolerance(sal__max(fabs(t), fabs(s)));
}

/* The times that a read passes in a step. A discontinuity within `near` of its start or its end counts as reached; a
 * jump within `near_jump` of its start, too. */
typedef struct path {
    double from, to, near, near_jump;
} path;

static bool is_ahead(const sal__delay_state *m, const sal__past_read *r, const sal__discontinuity *b, const path *p) {
    const double way = p->to > p->from ? 1 : -1;
    const int order = order_of(m, r, b);
    return order <= CORNER && way * (b->t - p->from) > (order == 0 ? p->near_jump : p->near) &&
           way * (p->to - b->t) > p->near;
}

/* The first discontinuity on the way that is not reached at either end; NULL: none. */
static const sal__discontinuity *first_ahead(const sal__delay_state *m, const sal__past_read *r, const path *p) {
    const int low = sal__first_discontinuity_after(m, sal__min(p->from, p->to), false);
    int high = low;
    while (high < m->discontinuities.count && m->discontinuities.item[high].t < sal__max(p->from, p->to))
        high++;
    for (int n = low; n < high; n++) {
        const sal__discontinuity *b = &m->discontinuities.item[p->to > p->from ? n : high - 1 - (n - low)];
        if (is_ahead(m, r, b, p))
            return b;
    }
    return NULL;
}

/* ---- where a step has to end ---- */

typedef struct meeting {
    sal_simulator *sim;
    double t0, t1, from, to; /* the step, and where the read is at its ends */
    int read;
    double broken; /* the time of the discontinuity */
} meeting;

static bool is_same(const sal__past_read *a, const sal__past_read *b) {
    return a->reader == b->reader && a->nth == b->nth && a->history == b->history && a->is_rate == b->is_rate;
}

/* Read k of the end of the step in another list, which may lack others: a guard was false there, or `or` needed no
 * more. NULL: it is not made there. */
static const sal__past_read *find_same(const sal__delay_state *m, const sal__past_reads *list, int k) {
    const sal__past_read *r = &m->readers.at_end.item[k];
    if (k < list->count && is_same(&list->item[k], r))
        return &list->item[k];
    for (int i = 0; i < list->count; i++)
        if (is_same(&list->item[i], r))
            return &list->item[i];
    return NULL;
}

/* Computes the distance of the read from the discontinuity at time t. If the read is not made at t, the distance at the
 * nearer end of the step counts. */
static sal_status measure_at(const meeting *s, double t, double *by) {
    sal_simulator *sim = s->sim;
    sal__delay_state *m = sim->delay_state;
    sal__attempted_state(sim, t, sim->flow.scratch);
    const sal_status status = list_reads(sim, t, sim->plan->nx > 0 ? sim->flow.scratch : NULL, &m->readers.inside);
    const sal__past_read *there = find_same(m, &m->readers.inside, s->read);
    *by = (there ? there->s : t - s->t0 < s->t1 - t ? s->from : s->to) - s->broken;
    return status;
}

static sal_status measure(void *user, double theta, double *by) {
    const meeting *s = user;
    return measure_at(s, theta < 1 ? s->t0 + theta * (s->t1 - s->t0) : s->t1, by);
}

/* Moves *t by a few ulp, to the first time at which the read has reached the discontinuity or is beyond it. */
static sal_status move_across(const meeting *s, double *t) {
    double by = 0, ulp = sal__ulp(sal__max(fabs(s->t0), fabs(s->t1)));
    *t = sal__max(*t, s->t0 + ulp);
    for (int i = 0; i < 4 && *t < s->t1; i++, ulp *= 2) {
        const sal_status status = measure_at(s, *t, &by);
        if (status != SAL_OK || by == 0 || (by > 0) == (s->to > s->from))
            return status;
        *t += ulp;
    }
    return SAL_OK;
}

static sal_status find_meeting(meeting *s, double *t) {
    const double near = sal__discontinuity_tolerance(s->t1), lag = s->t1 - s->to;
    *t = s->broken + lag;
    if (!(fabs(lag - (s->t0 - s->from)) <= near)) {
        const sal__probe probe = {measure, s};
        sal__root_interval piece = {0, s->from - s->broken, NAN, 1, s->to - s->broken, NAN};
        double theta = 0, by = 0;
        const sal_status status = sal__find_root(&probe, &piece, near / 4 / (s->t1 - s->t0), &theta, &by);
        if (status != SAL_OK)
            return status;
        *t = s->t0 + theta * (s->t1 - s->t0);
    }
    return s->sim->delay_state->readers.at_end.item[s->read].recorded_by != 0 ? SAL_OK : move_across(s, t);
}

/* Rounding may put a read on either side of a jump, but an event must read the new side. So after a step that ends at a
 * jump, one step of a few ulp may follow, and no second one. */
static double near_jump(const sal_simulator *sim, const sal__past_read *r, double t0, double near) {
    const double last = t0 - sim->flow.step_start;
    return r->recorded_by == 0 && !(last > 0 && last <= near) ? 0 : near;
}

/* The time at which read k of the end meets a discontinuity first; INFINITY: in the step it meets none. */
static sal_status meet(sal_simulator *sim, double t0, double t1, int k, double *t) {
    const sal__delay_state *m = sim->delay_state;
    const sal__past_read *r = &m->readers.at_end.item[k];
    const sal__past_read *start = find_same(m, &m->readers.at_start, k);
    const double from = start ? start->s : t0 - (t1 - r->s);
    const double near = tolerance(t1, r->s);
    const sal__discontinuity *b = first_ahead(m, r, &(path){from, r->s, near, near_jump(sim, r, t0, near)});
    *t = INFINITY;
    return b ? find_meeting(&(meeting){sim, t0, t1, from, r->s, k, b->t}, t) : SAL_OK;
}

sal_status sal__past_readers_limit(sal_simulator *sim, double t0, double t1, const double *end, double *stop) {
    sal__delay_state *m = sim->delay_state;
    *stop = INFINITY;
    m->readers.at_end.t = NAN;
    if (m->max_depth == 0 || !has_corners(m)) /* histories without lags are not read by time */
        return SAL_OK;
    sal_status status = list_reads(sim, t1, end, &m->readers.at_end);
    if (status == SAL_OK && m->readers.at_end.count > 0 && m->readers.at_start.t != t0)
        status = list_reads(sim, t0, NULL, &m->readers.at_start);
    for (int k = 0; status == SAL_OK && k < m->readers.at_end.count; k++) {
        double t = INFINITY;
        status = meet(sim, t0, t1, k, &t);
        *stop = t > t0 ? sal__min(t, *stop) : *stop;
    }
    if (!(*stop < t1))
        *stop = INFINITY;
    return status;
}

/* ---- the end of a step ---- */

/* The lowest order of the discontinuities that are read at time t; SAL__SMOOTH: none. */
static int order_met(const sal__delay_state *m, const sal__past_read *r, double t) {
    const double near = tolerance(t, r->s);
    int lowest = SAL__SMOOTH;
    const sal__discontinuity *b = m->discontinuities.item + sal__first_discontinuity_after(m, r->s - near, true);
    for (; b < m->discontinuities.item + m->discontinuities.count && b->t <= r->s + near; b++)
        if (order_of(m, r, b) <= CORNER && order_of(m, r, b) < lowest)
            lowest = order_of(m, r, b);
    return lowest;
}

/* The order of the discontinuity that a recorded signal gets from what it reads at the end of the step. */
static int recorded_order(const sal__delay_state *m, int k) {
    const sal__past_read *r = &m->readers.at_end.item[k];
    return r->recorded_by != 0 ? order_met(m, r, m->readers.at_end.t) : SAL__SMOOTH;
}

bool sal__reads_jump(sal_simulator *sim, const sal__witness *w, double t) {
    double value = 0;
    bool reads_past = false, jumps = false;
    sal__delay_state *m = sim->delay_state;
    sal__witness_value_by_reads(sim, w, &value, &reads_past); /* fails if the end of the step did, which was reported */
    for (int k = 0; k < m->readers.inside.count; k++)
        jumps |= order_met(m, &m->readers.inside.item[k], t) == 0;
    return jumps;
}

static bool ends_at(const sal__delay_state *m, double t) {
    return fabs(m->readers.at_end.t - t) <= sal__discontinuity_tolerance(t);
}

/* Rounding decides at which of the last times of the step the read is behind the jump. */
void sal__past_readers_note_arrival(sal__delay_state *m, double t) {
    m->readers.arrival = INFINITY;
    for (int k = 0; ends_at(m, t) && k < m->readers.at_end.count; k++) {
        const sal__past_read *r = &m->readers.at_end.item[k];
        if (order_met(m, r, t) == 0)
            m->readers.arrival = sal__min(m->readers.arrival, t - 4 * tolerance(t, r->s));
    }
}

bool sal__past_readers_meet(const sal__delay_state *m, double t) {
    for (int k = 0; ends_at(m, t) && k < m->readers.at_end.count; k++)
        if (recorded_order(m, k) < SAL__SMOOTH)
            return true;
    return false;
}

sal_status sal__past_readers_advance(sal_simulator *sim, double t) {
    sal__delay_state *m = sim->delay_state;
    if (!ends_at(m, t))
        return SAL_OK;
    for (int k = 0; k < m->readers.at_end.count; k++) {
        const sal__past_read *r = &m->readers.at_end.item[k];
        const int order = recorded_order(m, k);
        if (order == SAL__SMOOTH)
            continue;
        const sal_status status = sal__reserve_discontinuity(sim);
        if (status != SAL_OK)
            return status;
        sal__add_discontinuity(
            m, &(sal__discontinuity){t, {SAL__SMOOTH, SAL__SMOOTH, order, order}, r->history, r->recorded_by});
    }
    const sal__past_reads old = m->readers.at_start;
    m->readers.at_start = m->readers.at_end;
    m->readers.at_end = old;
    m->readers.at_end.t = NAN;
    return SAL_OK;
}
