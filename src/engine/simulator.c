/* The loop: updates lead from x- to x+, flow leads from x+ to the next x-, then publishes and the monitor are
 * called. */
#include <math.h>
#include <string.h>

#include "simulator.h"

/* From x- to x+: the updates that are due. If one fails, all are undone and still due. Those of a discrete kind run
 * even if an unrestricted one ended the run. */
static inline void update_kind(sal_simulator *sim, sal_kind kind) {
    sal__dispatch_clear(sim);
    if (!sim->run_state.updated) {
        sal__dispatch_add_all(sim, &sim->schedule.events_by[SAL_ON_STEP][kind]);
        sal__schedule_collect(sim, SAL__UPDATES, kind);
    }
    if (sim->witnesses.fired_count > 0)
        sal__witness_collect(sim, kind);
    if (sim->dispatch.call_count > 0)
        sal__dispatch_updates(sim, kind);
}

/* At x+ only events that an edit turned true are left. */
static bool is_idle(const sal_simulator *sim) {
    return sim->witnesses.fired_count == 0 &&
           (sim->run_state.updated || (!sim->schedule.has_step_updates && !sal__schedule_is_due(sim, SAL__UPDATES)));
}

bool sal__update_is_due(const sal_simulator *sim) {
    return !is_idle(sim);
}

static void notify_observers(sal_simulator *sim, bool updated) {
    sal__report_failure(sim, sal__notify_updates(sim), -1, -1, NULL);
    if (updated)
        sal__report_failure(sim, sal__notify_observers(sim, SAL_OBSERVE_UPDATED, -1, -1), -1, -1, NULL);
}

static void run_updates(sal_simulator *sim) {
    if (sim->schedule.has_kind[SAL_UNRESTRICTED])
        update_kind(sim, SAL_UNRESTRICTED);
    if (!sal__has_failed(sim) && sim->transaction.touched_count > 0)
        sal__project_updated(sim);
    if (!sal__has_failed(sim) && sim->schedule.has_kind[SAL_DISCRETE])
        update_kind(sim, SAL_DISCRETE);
}

/* The same, followed by the parts that follow their inputs, and by the rounds of conditions that turned true. */
static void run_with_rounds(sal_simulator *sim) {
    sal__dispatch_set_in_instant(sim, true);
    if (sim->witnesses.fired_count > 0)
        sal__publish_after_edit(sim);
    if (!sal__has_failed(sim))
        run_updates(sim);
    if (!sal__has_failed(sim))
        sal__iterate_events(sim);
    sal__dispatch_set_in_instant(sim, false);
}

static bool was_written(const sal_simulator *sim) {
    const int *part = NULL;
    return sal__written_parts(sim, &part) > 0;
}

static void forget_undo(sal_simulator *sim) {
    sal__undo_discard(sim);
    if (SAL__RARELY(sim->journal)) {
        sal__journal_clear(sim);
        sal__conditions_end_instant(sim, true);
    }
}

static void undo(sal_simulator *sim) {
    sal__undo_instant(sim);
    if (SAL__RARELY(sim->journal))
        sal__conditions_end_instant(sim, false);
    sal__schedule_complete(sim, SAL__UPDATES, false);
    sal__forget_executed(sim);
}

/* What was due has run. */
static void count_up(sal_simulator *sim) {
    if (!sim->run_state.updated)
        sal__schedule_complete(sim, SAL__UPDATES, true);
    if (sim->witnesses.fired_count > 0)
        sal__witness_rearm(sim, false);
    if (sim->witnesses.fired_count > 0 && sim->conditions.count > 0)
        sal__witness_rearm(sim, true);
}

/* next_time is called after what ran, and where an update wrote. */
static sal_status continue_from(sal_simulator *sim, bool changed) {
    const bool asks = sim->schedule.timed_events.count > 0 && (sim->schedule.due_count[SAL__UPDATES] > 0 || changed);
    sal_status status = SAL_OK;
    count_up(sim);
    if (changed) {
        sal__witness_note_update(sim);
        sal__discard_step(sim);
        status = sal__delays_record_jump(sim);
    }
    sim->run_state.updated = true;
    return asks && status == SAL_OK ? sal__schedule_query(sim, false) : status;
}

static void update(sal_simulator *sim) {
    if (is_idle(sim)) {
        sim->run_state.updated = true;
        return;
    }
    if (!sim->run_state.updated)
        sal__schedule_take_due(sim, SAL__UPDATES);
    const bool reads_fired = sim->witnesses.fired_count > 0 && sim->witnesses.undirected_count > 0;
    if (!reads_fired || sal__witness_record_values(sim) == SAL_OK)
        (SAL__RARELY(sim->journal) ? run_with_rounds : run_updates)(sim);
    if (sal__has_failed(sim)) {
        undo(sim);
        return;
    }
    const bool any = sim->result.outcome > SAL_DID_NOTHING;
    sal__report_failure(sim, continue_from(sim, was_written(sim)), -1, -1, NULL);
    forget_undo(sim);
    if (SAL__RARELY(sim->host.observer_count > 0))
        notify_observers(sim, any);
}

void sal_simulator_halt(sal_simulator *sim) {
    sim->run_state.is_halted = true;
    sim->run_state.is_halt_of_call = false;
    sim->run_state.halt_count++;
}

void sal__run_halt_call(sal_simulator *sim) {
    const bool outlasts_call = sim->run_state.is_halted && !sim->run_state.is_halt_of_call;
    sal_simulator_halt(sim);
    sim->run_state.is_halt_of_call = !outlasts_call;
}

static void forget_halt_of_call(sal_simulator *sim) {
    if (sim->run_state.is_halt_of_call)
        sim->run_state.is_halted = sim->run_state.is_halt_of_call = false;
}

/* At x+: does the call end, because a callback asked for it, or since a watch is true? */
static bool ends_at_update(sal_simulator *sim) {
    if (sim->result.outcome < SAL_TERMINATE)
        sal__watches_end_update(sim);
    if (sim->result.outcome >= SAL_TERMINATE)
        return true;
    if (sim->run_state.is_halted && sim->result.report->reason == SAL_AT_BOUNDARY)
        sim->result.report->reason = SAL_AT_HALT;
    sim->run_state.is_halted = false;
    return sim->result.report->reason != SAL_AT_BOUNDARY;
}

static void step(sal_simulator *sim, double boundary) {
    if (SAL__RARELY(sim->config.target_realtime_rate > 0))
        sal__pacing_wait(sim);
    sal__result_begin_step(sim);
    if ((!sim->run_state.updated || sim->witnesses.fired_count > 0) && sim->plan->event_count > 0)
        update(sim);
    if ((sim->run_state.is_halted || sim->run_state.has_watches) && ends_at_update(sim))
        return;
    if (sim->result.outcome >= SAL_TERMINATE ||
        sal__report_failure(sim, sal__flow(sim, boundary), -1, -1, NULL) != SAL_OK)
        return;
    sal__run_end_step(sim);
    if (SAL__RARELY(sim->host.step_observer_count > 0))
        sal__report_failure(sim, sal__notify_observers(sim, SAL_OBSERVE_STEP, -1, -1), -1, -1, NULL);
    sal__publish_and_monitor(sim);
    if (SAL__RARELY(sim->run_state.has_watches))
        sal__watches_end_step(sim);
    if (SAL__RARELY(sim->config.target_realtime_rate > 0))
        sal__pacing_note_step(sim);
    sal__check_run_writes(sim);
}

sal_status sal__report_refusal(const sal_simulator *sim, sal_report *report, sal_status status, const char *why) {
    report->reason = SAL_AT_FAILURE;
    report->status = status;
    sal_note_set(&report->note, why);
    sal__log_failure(sim, report);
    return status;
}

sal_status sal__report_unusable(const sal_simulator *sim, sal_report *report) {
    return sal__report_refusal(sim, report, SAL_ESTATE,
                               sal__at_rest(sim) ? "there is no context; give it one"
                                                 : "called from inside of the run; call it after that has ended");
}

static sal_status refuse_time(sal_simulator *sim, const char *why) {
    return sal__report_failure(sim, SAL_ETIME, -1, -1, why);
}

static sal_status refuse_boundary(sal_simulator *sim, double boundary) {
    char why[256];
    sal__write_pieces(why, sizeof why,
                      SAL__PIECES("the time to advance to is ", sal__time_text(boundary).text, ", and the present is ",
                                  sal__time_text(sim->contexts.current->time).text,
                                  "; give a time that is not past, or load an earlier save"));
    return refuse_time(sim, why);
}

static void note_observed(sal_simulator *sim) {
    sim->run_state.observed_writes = sim->contexts.current->versions.external_writes;
}

sal_status sal__run_tell_edit(sal_simulator *sim) {
    note_observed(sim);
    sim->run_state.tells_edit = true;
    sal_status status = sal__notify_updates(sim);
    if (status == SAL_OK)
        status = sal__notify_observers(sim, SAL_OBSERVE_UPDATED, -1, -1);
    sim->run_state.tells_edit = false;
    return status;
}

/* Changes from outside since the last call. */
static sal_status notice_edits(sal_simulator *sim) {
    if (sim->contexts.current->time != sim->run_state.seen_time)
        return refuse_time(sim,
                           "the time was changed since the last call; call sal_simulator_initialize() before going on");
    if (sim->contexts.current->versions.external_writes == sim->run_state.seen_external_writes)
        return SAL_OK;
    sal__discard_step(sim);
    if (sim->contexts.current->versions.external_moves == sim->run_state.seen_external_moves)
        sal__witness_note_flow_change(sim, false);
    sal_status status = sal__project_context(sim, SAL__SMALL_CORRECTION);
    if (status == SAL_OK)
        status = sal__follow_edit(sim);
    if (sal__has_failed(sim))
        return status;
    if (status == SAL_OK)
        status = sal__delays_record_jump(sim);
    if (status == SAL_OK && sim->schedule.timed_events.count > 0)
        status = sal__schedule_query(sim, true);
    if (status == SAL_OK)
        status = sal__conditions_note_edit(sim);
    return status == SAL_OK && sal__run_has_unobserved_writes(sim) ? sal__run_tell_edit(sim) : status;
}

sal_status sal__run_observe_writes(sal_simulator *sim) {
    if (!sal__run_has_unobserved_writes(sim))
        return SAL_OK;
    note_observed(sim);
    const sal_status status = sal__begin_call(sim);
    return status == SAL_OK ? sal__end_call(sim, sal__notify_observers(sim, SAL_OBSERVE_UPDATED, -1, -1)) : status;
}

sal_status sal__run_observe_event(sal_simulator *sim, int event) {
    const sal_status status = sal__begin_call(sim);
    return status == SAL_OK ? sal__end_call(sim, sal__notify_observers(sim, SAL_OBSERVE_EVENT, -1, event)) : status;
}

void sal__run_see_context(sal_simulator *sim, bool edited, bool moved) {
    sal__run_see_time(sim);
    sim->run_state.seen_external_writes = sim->contexts.current->versions.external_writes - edited;
    sim->run_state.seen_external_moves = sim->contexts.current->versions.external_moves - moved;
    if (!sim->host.has_stories) /* what stories write is observed before a save */
        sim->run_state.observed_writes = sim->run_state.seen_external_writes;
}

void sal__run_invalidate(sal_simulator *sim) {
    sim->run_state.initialized = false;
}

bool sal__run_archive(sal__archive *a, sal_simulator *sim, double time) {
    const bool initialized = sal__flag(a, &sim->run_state.initialized);
    sal__rule(a, !initialized || isfinite(time));
    sal__flag(a, &sim->run_state.updated);
    sal__flag(a, &sim->run_state.is_halted);
    const int64_t steps = sal__int64(a, &sim->run_state.total_steps, 0, SAL__MAX_COUNT);
    sal__int64(a, &sim->run_state.steps_before, 0, steps);
    sal__frame_archive(a, sim);
    return initialized;
}

void sal__run_copy(sal_simulator *to, const sal_simulator *from) {
    sal__run_state *run = &to->run_state;
    const sal__run_state *had = &from->run_state;
    run->initialized = had->initialized;
    run->updated = had->updated;
    run->is_halted = had->is_halted;
    run->total_steps = had->total_steps;
    run->steps_before = had->steps_before;
    sal__frame_copy(to, from);
}

static void start(sal_simulator *sim, bool suppress_events, bool consistent) {
    if (!isfinite(sim->contexts.current->time)) {
        refuse_time(sim, "the context's time is not finite");
        return;
    }
    sal_simulator_reset_statistics(sim);
    sim->run_state.initialized = sim->run_state.updated = false;
    sim->run_state.steps_before = sim->run_state.total_steps;
    sal__initialize(sim, suppress_events, consistent);
    sim->run_state.initialized = !sal__has_failed(sim);
    sal__run_see_context(sim, false, false);
}

static sal_status begin(sal_simulator *sim, double boundary, sal_report *report) {
    sal__report_clear(report, sim->contexts.current->time, boundary);
    if (sal__begin_call(sim) != SAL_OK)
        return sal__report_unusable(sim, report);
    sal__result_begin(sim, report);
    sal__forget_reads(sim);
    return SAL_OK;
}

static sal_status end(sal_simulator *sim) {
    sal_report *report = sim->result.report;
    sal__check_run_writes(sim);
    report->time = sim->contexts.current->time;
    if (sim->result.outcome >= SAL_TERMINATE)
        report->reason = sal__has_failed(sim) ? SAL_AT_FAILURE : SAL_AT_TERMINATION;
    report->status = sim->result.status;
    forget_halt_of_call(sim);
    sal__end_call(sim, SAL_OK);
    if (report->reason == SAL_AT_FAILURE)
        sal__log_failure(sim, report);
    return report->status;
}

static sal_status initialize(sal_simulator *sim, bool suppress_events, bool consistent, sal_report *report) {
    sal_report mine;
    const sal_status status = begin(sim, sim->contexts.current->time, report ? report : &mine);
    if (status != SAL_OK)
        return status;
    start(sim, suppress_events, consistent);
    return end(sim);
}

/* If the host calls it, feeds end; if an advance_to initializes the run, feeds continue. */
static sal_status initialize_anew(sal_simulator *sim, bool suppress_events, bool consistent, sal_report *report) {
    const sal_status status = initialize(sim, suppress_events, consistent, report);
    if (status == SAL_OK)
        sal__feeds_clear(sim);
    return status;
}

sal_status sal_simulator_initialize(sal_simulator *sim, bool suppress_events, sal_report *report) {
    return initialize_anew(sim, suppress_events, false, report);
}

sal_status sal_simulator_initialize_consistent(sal_simulator *sim, bool suppress_events, sal_report *report) {
    return initialize_anew(sim, suppress_events, true, report);
}

/* Refuses NaN and times in the past; initializes once. */
static sal_status get_ready(sal_simulator *sim, double boundary) {
    if (isnan(boundary) || boundary < sim->contexts.current->time)
        return refuse_boundary(sim, boundary);
    sal_status status = sal__report_endless_call(sim, boundary);
    if (status != SAL_OK)
        return status;
    sal__flow_set_boundary(sim, boundary);
    if (!sim->run_state.initialized) {
        sim->result.report->boundary_time = sim->contexts.current->time;
        start(sim, false, false);
        if (sim->result.outcome < SAL_TERMINATE)
            sim->result.report->boundary_time = boundary;
        return SAL_OK;
    }
    status = notice_edits(sim);
    if (status == SAL_OK)
        status = sal__delays_flush(sim);
    return status == SAL_OK && sim->schedule.next_times_stale ? sal__schedule_query(sim, true) : status;
}

/* `most` steps; 0: no limit. */
static sal_status advance(sal_simulator *sim, double boundary, int64_t most, bool interruptible, sal_report *report) {
    sal_report mine;
    report = report ? report : &mine;
    const sal_status begun = begin(sim, boundary, report);
    if (begun != SAL_OK)
        return begun;
    sal__report_failure(sim, get_ready(sim, boundary), -1, -1, NULL);
    if (sim->result.outcome >= SAL_TERMINATE)
        return end(sim);
    sal__flow_begin_call(sim);
    sal__watches_begin_call(sim);
    bool going = true;
    while (going && !(interruptible && sal__take_interrupt(sim))) {
        step(sim, boundary);
        going = sim->result.outcome < SAL_TERMINATE && report->reason == SAL_AT_BOUNDARY &&
                sim->contexts.current->time < boundary && --most != 0;
        if (going && SAL__RARELY(sim->host.frame.is_limited) && sal__frame_is_spent(sim))
            break;
    }
    if (going)
        report->reason = sal__frame_was_spent(sim) ? SAL_AT_BUDGET : SAL_AT_INTERRUPT;
    sal__run_see_context(sim, false, false);
    sal__warn_about_steps(sim);
    return end(sim);
}

sal_status sal__advance_to(sal_simulator *sim, double t, bool interruptible, sal_report *report) {
    const sal_status status = advance(sim, t, sim->config.max_steps_per_call, interruptible, report);
    if (report && status == SAL_OK && report->reason == SAL_AT_BOUNDARY && sim->contexts.current->time < t)
        report->reason = SAL_AT_STEP_LIMIT;
    return status;
}

sal_status sal_simulator_advance_to(sal_simulator *sim, double t, sal_report *report) {
    return sal__pass_time(sim, t, report) ? SAL_OK : sal__advance_to(sim, t, true, report);
}

sal_status sal_simulator_advance_pending_events(sal_simulator *sim, sal_report *report) {
    return advance(sim, sim->contexts.current->time, 1, true, report);
}

sal_status sal_simulator_step(sal_simulator *sim, double t, sal_report *report) {
    return advance(sim, t, 1, true, report);
}
