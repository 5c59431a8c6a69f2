/* Calls the handlers of one instant.
 *
 * Handlers are called in the order of their ranks, and their outcomes are merged. What updates write is copied to
 * the run after all handlers of their kind were called (transaction.c), so simultaneous handlers see the same x-. */
#include <math.h>
#include <string.h>

#include "engine/simulator.h"

static sal_status reserve(sal_simulator *sim, void **items, int *capacity, int wanted, size_t size) {
    if (wanted <= *capacity)
        return SAL_OK;
    void *wider = sal__resize(&sim->pool.mem, *items, (size_t)*capacity * size, (size_t)wanted * size);
    if (!wider)
        return SAL_ENOMEM;
    *items = wider;
    *capacity = wanted;
    return SAL_OK;
}

sal_status sal__dispatch_reserve(sal_simulator *sim) {
    sal__dispatch *d = &sim->dispatch;
    const int wanted = 2 * sim->plan->event_count + 1 + sim->schedule.calendar.capacity;
    sal_status status = reserve(sim, (void **)&d->call, &d->call_capacity, wanted, sizeof *d->call);
    if (status == SAL_OK)
        status = reserve(sim, (void **)&d->merged_call, &d->merged_capacity, wanted, sizeof *d->merged_call);
    if (status == SAL_OK)
        status = reserve(sim, (void **)&d->executed, &d->executed_capacity, wanted, sizeof *d->executed);
    return status;
}

void sal__dispatch_free(sal_simulator *sim) {
    sal__dispatch *d = &sim->dispatch;
    sal__free(&sim->pool.mem, d->call, (size_t)d->call_capacity * sizeof *d->call);
    sal__free(&sim->pool.mem, d->merged_call, (size_t)d->merged_capacity * sizeof *d->merged_call);
    sal__free(&sim->pool.mem, d->executed, (size_t)d->executed_capacity * sizeof *d->executed);
}

/* The end of the ordered run of calls that begins at `from`. */
static int end_of_run(const sal_simulator *sim, int from) {
    int i = from + 1;
    while (i < sim->dispatch.call_count && sim->dispatch.call[i - 1].rank <= sim->dispatch.call[i].rank)
        i++;
    return i < sim->dispatch.call_count ? i : sim->dispatch.call_count;
}

static void merge_runs(const sal__event_call *from, int a, int b, int end, sal__event_call *to) {
    for (int i = a, j = b, k = a; k < end; k++)
        to[k] = j >= end || (i < b && from[i].rank <= from[j].rank) ? from[i++] : from[j++];
}

/* One pass of a natural merge sort, which merges neighbouring runs in pairs. Returns true when one run is left. */
static bool merge_pass(sal_simulator *sim) {
    int a = 0, runs = 0;
    while (a < sim->dispatch.call_count) {
        const int b = end_of_run(sim, a);
        if (a == 0 && b == sim->dispatch.call_count)
            return true;
        const int end = b < sim->dispatch.call_count ? end_of_run(sim, b) : b;
        merge_runs(sim->dispatch.call, a, b, end, sim->dispatch.merged_call);
        a = end;
        runs++;
    }
    sal__event_call *was = sim->dispatch.call;
    sim->dispatch.call = sim->dispatch.merged_call;
    sim->dispatch.merged_call = was;
    return runs <= 1;
}

/* Sorts by rank. Calls of one timer or trigger are in order already, so there are few runs. */
static inline void sort_calls(sal_simulator *sim) {
    while (sim->dispatch.calls_unordered)
        sim->dispatch.calls_unordered = !merge_pass(sim);
}

/* Calls all observers, even after one fails. Returns the first failure. */
sal_status sal__notify_observers(sal_simulator *sim, sal_observation observation, int part, int event) {
    sal_status first = SAL_OK;
    for (int i = 0; i < sim->host.observer_count; i++) {
        const sal__observer *observer = &sim->host.observer[i];
        if (!observer->function || (observer->hears_events_only && observation != SAL_OBSERVE_EVENT))
            continue;
        const sal_status status = observer->function(observer->user, sim, observation, part, event);
        if (first == SAL_OK)
            first = status;
    }
    return first;
}

/* Observers are told of the updates of an instant only when it is committed: updates that are undone run again. */
sal_status sal__notify_updates(sal_simulator *sim) {
    sal_status first = SAL_OK;
    for (int i = 0; i < sim->dispatch.executed_count; i++) {
        const sal__planned_event *e = &sim->plan->event[sim->dispatch.executed[i]];
        const sal_status status = sal__notify_observers(sim, SAL_OBSERVE_EVENT, e->part, e->index);
        if (first == SAL_OK)
            first = status;
    }
    sim->dispatch.executed_count = 0;
    return first;
}

/* ---- calling ---- */

static const sal_event of_no_witness = {.t0 = NAN, .t1 = NAN, .limit = NAN};

static void fill_witness_event(const sal_simulator *sim, const sal__event_call *call, int part, sal_event *event) {
    if (call->witness < 0) {
        *event = of_no_witness;
        return;
    }
    const sal__witness *w = &sim->witnesses.item[call->witness];
    event->t0 = w->t0;
    event->t1 = w->t1;
    event->before = isnan(w->t0) ? NULL : &sim->contexts.pre_step->part_context[part];
    event->zeno = w->firings.is_zeno;
    event->limit = w->firings.zeno_time;
    event->firings = w->firings.count;
}

/* The witness fields of `event` change only if this call or the last one belongs to a witness. */
static void fill_event(const sal_simulator *sim, const sal__event_call *call, const sal__planned_event *e,
                       sal_event *event) {
    if (call->witness >= 0 || event->firings > 0)
        fill_witness_event(sim, call, e->part, event);
    event->index = e->index;
    event->count = call->count;
}

/* Whether the guard of an event holds. An event whose guard is false does not exist. */
SAL__ALWAYS_INLINE sal_status eval_guard(sal_simulator *sim, const sal__event_call *call, const sal__planned_event *e,
                                         bool *holds) {
    *holds = true;
    sal__forget_reads(sim);
    if (call->witness >= 0 || !SAL__RARELY(e->has_guard))
        return SAL_OK;
    return sal__report_callback(sim, sal__event_guard(sim, call->event, holds), call->event, "when");
}

static bool has_time_variable(const sal__planned_event *e) {
    return e->trigger == SAL_ON_TIME && e->time_variable >= 0;
}

static double *time_variable(const sal_simulator *sim, sal__context_data *data, const sal__planned_event *e) {
    return &data->storage[SAL_XD][sim->plan->part[e->part].at[SAL_XD] + e->time_variable];
}

static bool is_due(const sal_simulator *sim, int event) {
    const double time = sim->schedule.queue[SAL__UPDATES].timer[sim->schedule.timer_of[event]].time;
    return time <= sim->contexts.current->time || sal__same_instant(time, sim->schedule.instant_start, 0);
}

/* Is an update due at this time by the same time variable? Then the update clears the variable. */
static bool is_used_by_update(sal_simulator *sim, const sal__planned_event *e) {
    for (int i = 0; i < sim->schedule.timed_events.count; i++) {
        const int event = sim->schedule.timed_events.event[i];
        const sal__planned_event *other = &sim->plan->event[event];
        bool holds = false;
        if (other->kind < SAL_DISCRETE || other->part != e->part || other->time_variable != e->time_variable ||
            !is_due(sim, event))
            continue;
        if (sal__report_callback(sim, sal__event_guard(sim, event, &holds), event, "when") == SAL_OK && holds)
            return true;
    }
    return false;
}

/* Sets the time variables of the publishes that ran to infinity. */
static void clear_used_time_variables(sal_simulator *sim) {
    bool any = false;
    for (int i = 0; i < sim->dispatch.call_count; i++) {
        const sal__planned_event *e = &sim->plan->event[sim->dispatch.call[i].event];
        if (!has_time_variable(e) || !sim->dispatch.call[i].guard_held || is_used_by_update(sim, e))
            continue;
        *time_variable(sim, sim->contexts.current, e) = INFINITY;
        any = true;
    }
    if (!any)
        return;
    sal__context_data_touch(sim->contexts.current);
    sal__discard_future(sim);
}

/* Records an update for the observers until the instant is committed. The list grows if there are many rounds. */
static sal_status record_executed(sal_simulator *sim, int event) {
    const sal_status status = sal__grow(&sim->pool.mem, (void **)&sim->dispatch.executed, sim->dispatch.executed_count,
                                        &sim->dispatch.executed_capacity, sizeof *sim->dispatch.executed);
    if (status == SAL_OK)
        sim->dispatch.executed[sim->dispatch.executed_count++] = event;
    return status;
}

static sal_status notify_published(sal_simulator *sim, int event) {
    const sal__planned_event *e = &sim->plan->event[event];
    if (!sim->dispatch.in_instant)
        return sal__notify_observers(sim, SAL_OBSERVE_EVENT, e->part, e->index);
    return sim->host.observer_count > 0 ? record_executed(sim, event) : SAL_OK;
}

static sal_outcome fail(sal_simulator *sim, const sal__planned_event *e, sal_status status) {
    sal__report_failure(sim, status, e->part, e->index, NULL);
    return SAL_FAILED;
}

static sal_outcome publish(sal_simulator *sim, sal__event_call *call) {
    const sal__planned_event *e = &sim->plan->event[call->event];
    sal_note note; /* 384 bytes: only the first of each text is cleared */
    note.text[0] = note.blame[0] = 0;
    sal_outcome outcome = SAL_DID_NOTHING; /* an event without a handler only ends the step and is observed */
    sal_status status = eval_guard(sim, call, e, &call->guard_held);
    call->guard_held = call->guard_held && status == SAL_OK;
    if (call->guard_held && e->kind != SAL_NO_HANDLER) {
        sal_event event = of_no_witness;
        fill_event(sim, call, e, &event);
        outcome = sal__checked_outcome(
            e->system->behaviour->publish(e->system, &sim->contexts.current->part_context[e->part], &event, &note),
            &note);
        if (sim->transaction.of_run.is_broken)
            outcome = sal__report_forbidden_write(sim, e, &note);
    }
    if (call->guard_held)
        status = notify_published(sim, call->event);
    if (status != SAL_OK)
        return fail(sim, e, status);
    return sal__report_outcome(sim, outcome, e->part, e->index, &note);
}

static sal_outcome greater_outcome(sal_outcome a, sal_outcome b) {
    return a > b ? a : b;
}

void sal__dispatch_publishes(sal_simulator *sim) {
    sal_outcome outcome = SAL_DID_NOTHING;
    sort_calls(sim);
    for (int i = 0; i < sim->dispatch.call_count; i++)
        outcome = greater_outcome(outcome, publish(sim, &sim->dispatch.call[i]));
    if (sim->schedule.timed_events.count > 0)
        clear_used_time_variables(sim);
    if (outcome == SAL_SUCCEEDED || outcome == SAL_TERMINATE)
        SAL__COUNT_ONE(sim, publishes);
}

/* One firing more than allowed, without an on_zeno, fails as a handler does. */
static sal_outcome refuse_zeno(sal_simulator *sim, const sal__planned_event *e, const sal__witness *w) {
    sal_note *note = sal__failure_note(sim, SAL_EZENO, e->part, e->index);
    if (!note)
        return SAL_FAILED;
    sim->result.report->limit = w->firings.zeno_time;
    sim->result.report->firings = w->firings.count;
    sal__describe_event(sim, w->info.event,
                        isnan(w->firings.zeno_time)
                            ? "it chatters: it fires on its surface again and again; give it hysteresis (`relay` with "
                              "lower < upper), a mode that holds the state there, or an on_zeno"
                            : "its firings accumulate; give the event an on_zeno that says what holds after the limit",
                        note);
    sal__append_text("; if it is only fast, lower characteristic_time", note);
    return SAL_FAILED;
}

/* Sets the variable that holds a timed event's time to infinity, unless the handler writes it. */
static void clear_time_variable(sal_simulator *sim, const sal__planned_event *e) {
    if (!has_time_variable(e))
        return;
    sim->dispatch.time_cleared = true; /* even if all handlers return did_nothing */
    sal__transaction_mark_written(sim, e->part);
    *time_variable(sim, sim->contexts.next, e) = INFINITY;
}

static void warn_of_dropped_writes(sal_simulator *sim, const sal__planned_event *e) {
    sal__warn(sim, e->part, e->index, -1, "dropped",
              "writes to next, and returns SAL_DID_NOTHING, which is 0, so what it writes is dropped; return "
              "SAL_SUCCEEDED to keep it");
}

static inline sal_outcome call_update(sal_simulator *sim, const sal__event_call *call, const sal__planned_event *e,
                                      const sal_event *event, sal_note *note) {
    const int part = e->part;
    sal__transaction_add_part(sim, part);
    clear_time_variable(sim, e);
    if (SAL__RARELY(event->zeno) && !e->on_zeno)
        return refuse_zeno(sim, e, &sim->witnesses.item[call->witness]);
    const bool first = sim->transaction.stage_state[part] != SAL__WRITTEN;
    const sal_status status = first ? SAL_OK : sal__transaction_save(sim, part);
    if (status != SAL_OK)
        return fail(sim, e, status);
    sal__transaction_allow(sim, part);
    const uint64_t writes = sim->contexts.next->versions.external_writes;
    sal_outcome outcome = SAL__RARELY(sim->stray_numbers.updates_left > 0)
                              ? sal__call_watched_update(sim, e, event, note)
                              : sal__call_update(sim, e, event, note);
    if (SAL__RARELY(sim->transaction.of_next.is_broken || sim->transaction.of_run.is_broken))
        outcome = sal__report_forbidden_write(sim, e, note);
    if (SAL__RARELY(outcome == SAL_DID_NOTHING) && sim->contexts.next->versions.external_writes != writes)
        warn_of_dropped_writes(sim, e);
    if (SAL__RARELY(outcome == SAL_DID_NOTHING) || outcome == SAL_FAILED)
        (first ? sal__transaction_restore_first : sal__transaction_restore)(sim, part);
    else
        sal__transaction_mark_written(sim, part);
    return outcome;
}

/* `event`: as the last call left it. */
static inline sal_outcome update(sal_simulator *sim, const sal__event_call *call, sal_event *event) {
    const sal__planned_event *e = &sim->plan->event[call->event];
    sal_note note; /* 384 bytes: only the first of each text is cleared */
    note.text[0] = note.blame[0] = 0;
    bool holds = true;
    sal_status status = eval_guard(sim, call, e, &holds);
    if (status != SAL_OK)
        return fail(sim, e, status);
    if (!holds)
        return SAL_DID_NOTHING;
    fill_event(sim, call, e, event);
    const sal_outcome outcome = call_update(sim, call, e, event, &note);
    if (outcome < SAL_FAILED && SAL__RARELY(sim->host.observer_count > 0) &&
        (status = record_executed(sim, call->event)) != SAL_OK)
        return fail(sim, e, status);
    return sal__report_outcome(sim, outcome, e->part, e->index, &note);
}

sal_outcome sal__dispatch_stage_more(sal_simulator *sim) {
    sal_outcome outcome = SAL_DID_NOTHING;
    sal_event event = of_no_witness;
    sort_calls(sim);
    for (int i = 0; i < sim->dispatch.call_count && outcome < SAL_FAILED; i++)
        outcome = greater_outcome(outcome, update(sim, &sim->dispatch.call[i], &event));
    return outcome;
}

sal_outcome sal__dispatch_stage(sal_simulator *sim, sal_kind kind) {
    sal__transaction_begin(sim, kind);
    return sal__dispatch_stage_more(sim);
}

static bool is_committed(sal_outcome outcome) {
    return outcome == SAL_SUCCEEDED || outcome == SAL_TERMINATE;
}

void sal__dispatch_end(sal_simulator *sim, sal_outcome outcome) {
    sal__transaction_end(sim, is_committed(outcome) || (sim->dispatch.time_cleared && outcome < SAL_FAILED));
    sim->dispatch.time_cleared = false;
}

void sal__dispatch_updates(sal_simulator *sim, sal_kind kind) {
    const sal_outcome outcome = sal__dispatch_stage(sim, kind);
    sal__dispatch_end(sim, outcome);
    if (!is_committed(outcome))
        return;
    if (kind == SAL_DISCRETE)
        SAL__COUNT_ONE(sim, discrete_updates);
    else
        SAL__COUNT_ONE(sim, unrestricted_updates);
}
