/* Initialization at the start of a run, and what ends every step: publishes and the monitor. */
#include <math.h>
#include <string.h>

#include "numerics/implicit/consistency.h"
#include "simulator.h"

/* Forced publishes: the publishes on demand, called by Drake's options publish_at_initialization and
 * publish_every_time_step. */
static void force(sal_simulator *sim) {
    sal__dispatch_clear(sim);
    sal__dispatch_add_all(sim, &sim->schedule.events_by[SAL_ON_DEMAND][SAL_PUBLISH]);
    if (sim->dispatch.call_count > 0)
        sal__dispatch_publishes(sim);
}

void sal__call_monitor(sal_simulator *sim) {
    sal_note note = {{0}, {0}};
    const sal_outcome outcome = sal__checked_outcome(
        sim->host.monitor(sim->host.monitor_user, sim->contexts.current->part_context, &note), &note);
    sal__report_outcome(sim, outcome, -1, -1, &note);
}

void sal__publish(sal_simulator *sim, const sal__events *more, bool forced) {
    sal__dispatch_clear(sim);
    if (more)
        sal__dispatch_add_all(sim, more);
    sal__dispatch_add_all(sim, &sim->schedule.events_by[SAL_ON_STEP][SAL_PUBLISH]);
    sal__schedule_take_due(sim, SAL__PUBLISHES);
    sal__schedule_collect(sim, SAL__PUBLISHES, SAL_PUBLISH);
    sal__witness_collect(sim, SAL_PUBLISH);
    if (sim->conditions.count > 0)
        sal__conditions_mark_published(sim);
    sal__dispatch_publishes(sim);
    const bool asks = sim->schedule.due_count[SAL__PUBLISHES] > 0 && sim->schedule.timed_events.count > 0;
    sal__schedule_complete(sim, SAL__PUBLISHES, true);
    sal__witness_rearm(sim, true);
    if (asks)
        sal__schedule_query(sim, false); /* publishes used their times */
    if (forced)
        force(sim);
}

/* Calls what was added to the dispatch. */
static void run_start_updates(sal_simulator *sim, sal_kind kind) {
    sal__dispatch_updates(sim, kind);
    if (kind == SAL_UNRESTRICTED && sim->result.outcome > SAL_DID_NOTHING && !sal__has_failed(sim))
        sal__project_updated(sim);
}

static void end_start_updates(sal_simulator *sim) {
    sal__undo_discard(sim);
    if (sim->journal)
        sal__journal_clear(sim);
}

static bool are_of_one_level(const sal__plan *plan, int a, int b) {
    const int part = plan->event[plan->order.start[a]].part, other = plan->event[plan->order.start[b]].part;
    return plan->order.level[part] == plan->order.level[other] &&
           plan->order.start_level[part] == plan->order.start_level[other];
}

/* The starts from `from` on that have one level. Returns the next one. */
static int start_level(sal_simulator *sim, int from) {
    const sal__plan *plan = sim->plan;
    int end = from;
    while (end < plan->order.start_count && are_of_one_level(plan, from, end))
        end++;
    for (int kind = SAL_UNRESTRICTED; kind >= SAL_DISCRETE && !sal__has_failed(sim); kind--) {
        sal__dispatch_clear(sim);
        for (int i = from; i < end; i++)
            if (plan->event[plan->order.start[i]].kind == kind)
                sal__dispatch_add(sim, plan->order.start[i], 0, -1);
        if (sim->dispatch.call_count > 0)
            run_start_updates(sim, (sal_kind)kind);
    }
    end_start_updates(sim);
    return end;
}

/* Does a history lie between what has started and the level of a part? Moves on to the histories of that level. */
static bool is_behind_history(const sal__plan *plan, int part, int *history) {
    const int before = *history;
    while (*history < plan->order.history_count &&
           plan->order.start_level[plan->order.history_part[*history]] < plan->order.start_level[part])
        (*history)++;
    return *history > before;
}

/* Each start reads what those upstream have written. The initial past is of what they have written, too. */
static sal_status start_from_upstream(sal_simulator *sim) {
    const sal__plan *plan = sim->plan;
    sal_status status = SAL_OK;
    int history = 0;
    for (int i = 0; i < plan->order.start_count && status == SAL_OK && !sal__has_failed(sim);) {
        if (sal__has_delays(sim) && is_behind_history(plan, plan->event[plan->order.start[i]].part, &history))
            status = sal__delays_start(sim);
        if (status == SAL_OK)
            i = start_level(sim, i);
    }
    if (!sal__has_delays(sim) || status != SAL_OK || plan->order.start_count == 0 || sal__has_failed(sim))
        return status;
    return sal__delays_start(sim);
}

static void update_at_start(sal_simulator *sim) {
    for (int kind = SAL_UNRESTRICTED; kind >= SAL_DISCRETE && !sal__has_failed(sim); kind--) {
        sal__dispatch_clear(sim);
        sal__dispatch_add_all(sim, &sim->schedule.events_by[SAL_ON_INITIALIZATION][kind]);
        run_start_updates(sim, (sal_kind)kind);
    }
    end_start_updates(sim);
}

/* An accuracy of 10, meant as 10 % or as digits, is no error, but no digit is right. */
static void warn_of_accuracy(sal_simulator *sim) {
    const sal_integrator_config *in = sim->integrator_config;
    if (sim->plan->nx > 0 && !in->fixed_step && in->accuracy > 0.1)
        sal__warn(sim, -1, -1, -1, "accuracy",
                  "has an accuracy above 0.1, with which no digit is right; 1e-3 is coarse, 1e-6 the default");
}

void sal__forget_progress(sal_simulator *sim) {
    sal_integrator_initialize(sim->integrator);
    sal__flow_start(sim);
    sal__last_event_reset(sim);
    sal__witness_start(sim);
}

static void prepare(sal_simulator *sim) {
    sal__forget_progress(sim);
    sal__forget_executed(sim);
    sal__schedule_set_instant(sim, sim->contexts.current->time);
    warn_of_accuracy(sim);
}

/* Returns what fails between the handlers. */
static sal_status prepare_run(sal_simulator *sim, bool suppress) {
    sal_status status = sal__delays_start(sim);
    if (!suppress && status == SAL_OK)
        status = start_from_upstream(sim);
    if (!suppress && status == SAL_OK && !sal__has_failed(sim))
        update_at_start(sim);
    if (status != SAL_OK || sal__has_failed(sim))
        return status;
    if (sim->result.outcome > SAL_DID_NOTHING)
        status = sal__delays_record_jump(sim);
    if (status == SAL_OK)
        status = sal__schedule_start(sim);
    return status == SAL_OK ? sal__conditions_start(sim, suppress) : status;
}

static void run_start(sal_simulator *sim, bool suppress) {
    sal__report_failure(sim, prepare_run(sim, suppress), -1, -1, NULL);
    if (sal__has_failed(sim))
        return;
    sal__report_failure(sim, sal__notify_observers(sim, SAL_OBSERVE_START, -1, -1), -1, -1, NULL);
    sal__report_failure(sim, sal__notify_updates(sim), -1, -1, NULL); /* after the start: a log forgets earlier rows */
    if (sim->result.outcome >= SAL_TERMINATE)
        return;
    sal__publish(sim, suppress ? NULL : &sim->schedule.events_by[SAL_ON_INITIALIZATION][SAL_PUBLISH],
                 sim->config.publish_at_initialization);
    if (sim->host.monitor)
        sal__call_monitor(sim);
}

/* Events that were scheduled before a start that failed are scheduled again. */
static sal_status restore_start(sal_simulator *sim, sal__event_calendar *kept) {
    if (kept->capacity > 0)
        sal__schedule_swap_calendar(sim, kept);
    return sal__context_data_assign(sim->contexts.current, sim->contexts.lookup);
}

/* Solves the equations without a derivative. Without this request, the first step solves them if it fails otherwise. */
static sal_status meet_equations(sal_simulator *sim) {
    const sal_rhs *rhs = sal__current_rhs(sim);
    const double t = sim->contexts.current->time;
    const size_t bytes = (size_t)sim->plan->nx * sizeof *sim->flow.scratch;
    memcpy(sim->flow.scratch, sim->contexts.current->block, bytes);
    const sal_status status = sal__integrator_meet_equations(sim->integrator, rhs, t, sim->flow.scratch);
    sal__context_data_look(sim->contexts.current, t, NULL);
    if (status == SAL_OK)
        memcpy(sim->contexts.current->block, sim->flow.scratch, bytes);
    if (status != SAL_ESTEP)
        return status;
    sal__report_step_failure(sim, SAL_EOFF, -1);
    return SAL_EOFF;
}

/* A state that was typed with a few digits is meant to be consistent and is projected. Larger corrections are made
 * on request only. */
static sal_status begin_consistent(sal_simulator *sim, bool consistent) {
    sal_status status = sal__projection_start(sim);
    if (status == SAL_OK)
        status = sal__project_context(sim, consistent ? INFINITY : SAL__SMALL_CORRECTION);
    return status == SAL_OK && consistent && sim->derivatives.has_mass ? meet_equations(sim) : status;
}

void sal__initialize(sal_simulator *sim, bool suppress, bool consistent) {
    sal__event_calendar kept = {0};
    sal_status status = sal__context_data_assign(sim->contexts.lookup, sim->contexts.current);
    if (status == SAL_OK)
        prepare(sim);
    if (status == SAL_OK && sal__calendar_count(&sim->schedule.calendar) > 0)
        status = sal__calendar_clone(&sim->pool.mem, &sim->schedule.calendar, &kept);
    if (status == SAL_OK)
        status = begin_consistent(sim, consistent);
    if (sal__report_failure(sim, status, -1, -1, NULL) == SAL_OK) {
        run_start(sim, suppress);
        if (sal__has_failed(sim))
            sal__report_failure(sim, restore_start(sim, &kept), -1, -1, NULL); /* as before the call */
    }
    sal__calendar_free(&sim->pool.mem, &kept);
}
