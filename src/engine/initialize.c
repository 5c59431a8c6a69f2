/* Initialization at the start of a run, and what ends every step: publishes and the monitor. */
#include <math.h>
#include <string.h>

#include "numerics/implicit/consistency.h"
#include "simulator.h"

/* Forced publishes: the publishes on demand, called by Drake's options publish_at_initialization and
 * publish_every_time_step. */
static sal_outcome force(sal_simulator *sim, sal_report *report, sal_outcome outcome, sal_status *status) {
    const sal__events *forced = &sim->schedule.events_by[SAL_ON_DEMAND][SAL_PUBLISH];
    if (forced->count == 0)
        return outcome;
    sal_report second = *report;
    sal_status found = SAL_OK;
    sal__dispatch_clear(sim);
    sal__dispatch_add_all(sim, forced);
    const sal_outcome answer = sal__dispatch_publishes(sim, &second, &found);
    if (answer <= outcome)
        return outcome;
    *report = second;
    *status = found;
    return answer;
}

/* Clears the times that publishes used. An earlier failure is reported first. */
static sal_outcome ask_again(sal_simulator *sim, sal_report *report, sal_outcome outcome, sal_status *status) {
    sal_report second = *report;
    const sal_status found = sal__schedule_query(sim, false, &second);
    if (found == SAL_OK || outcome == SAL_FAILED)
        return outcome;
    *report = second;
    *status = found;
    return SAL_FAILED;
}

sal_outcome sal__call_monitor(sal_simulator *sim, sal_outcome outcome, sal_report *report) {
    sal_note note = {{0}, {0}};
    const sal_outcome answer = sim->host.monitor(sim->host.monitor_user, sim->contexts.current->part_context, &note);
    return sal__merge_outcome(report, outcome, answer, -1, -1, &note);
}

sal_outcome sal__publish(sal_simulator *sim, const sal__events *more, bool forced, sal_report *report,
                         sal_status *status) {
    sal__dispatch_clear(sim);
    if (more)
        sal__dispatch_add_all(sim, more);
    sal__dispatch_add_all(sim, &sim->schedule.events_by[SAL_ON_STEP][SAL_PUBLISH]);
    sal__schedule_take_due(sim, SAL__PUBLISHES);
    sal__schedule_collect(sim, SAL__PUBLISHES, SAL_PUBLISH);
    sal__witness_collect(sim, SAL_PUBLISH);
    if (sim->conditions.count > 0)
        sal__conditions_mark_published(sim);
    sal_outcome outcome = sal__dispatch_publishes(sim, report, status);
    const bool asked = sim->schedule.due_count[SAL__PUBLISHES] > 0 && sim->schedule.timed_events.count > 0;
    sal__schedule_complete(sim, SAL__PUBLISHES, true);
    sal__witness_rearm(sim, true);
    if (asked)
        outcome = ask_again(sim, report, outcome, status);
    return forced ? force(sim, report, outcome, status) : outcome;
}

/* Appends as much of the name as there is room for. */
static void tell_weight(const sal_system *sys, int partition, int element, sal_note *note) {
    static const char before[] = "the error weight of ", after[] = " is negative; 0 leaves a variable out of the norm";
    char text[sizeof note->text] = {0};
    const char *name = "a variable";
    for (int i = 0; i < sys->values.count; i++) {
        const sal__value *v = &sys->values.item[i];
        if ((int)v->partition == partition && element >= v->at && element < v->at + v->size)
            name = v->name;
    }
    const size_t room = sizeof text - sizeof before - sizeof after, letters = strlen(name);
    const size_t used = letters < room ? letters : room;
    memcpy(text, before, sizeof before - 1);
    memcpy(text + sizeof before - 1, name, used);
    memcpy(text + sizeof before - 1 + used, after, sizeof after);
    sal_note_set(note, text);
}

static sal_status check_weights(const sal_simulator *sim, sal_report *report) {
    for (int i = 0; i < sim->plan->part_count; i++) {
        const sal_system *sys = sim->plan->part[i].system;
        for (int p = SAL_Q; p <= SAL_Z; p++)
            for (int k = 0; k < sys->size[p]; k++)
                if (!(sys->weight[p].item[k] >= 0)) {
                    report->part = i;
                    tell_weight(sys, p, k, &report->note);
                    return SAL_EINVAL;
                }
    }
    return SAL_OK;
}

static sal_outcome update_at_start(sal_simulator *sim, sal_report *report, sal_status *status) {
    sal_outcome outcome = SAL_DID_NOTHING;
    for (int kind = SAL_UNRESTRICTED; kind >= SAL_DISCRETE && outcome < SAL_FAILED; kind--) {
        sal_report second = *report;
        sal__dispatch_clear(sim);
        sal__dispatch_add_all(sim, &sim->schedule.events_by[SAL_ON_INITIALIZATION][kind]);
        const sal_outcome answer = sal__dispatch_updates(sim, (sal_kind)kind, &second, status);
        if (answer > outcome) {
            outcome = answer;
            if (answer >= SAL_TERMINATE)
                *report = second;
        }
        if (kind == SAL_UNRESTRICTED && outcome > SAL_DID_NOTHING && outcome < SAL_FAILED && *status == SAL_OK)
            *status = sal__project_updated(sim, report);
        if (*status != SAL_OK)
            outcome = SAL_FAILED;
    }
    sal__undo_discard(sim);
    if (sim->journal)
        sal__journal_clear(sim);
    return outcome;
}

/* An accuracy of 10, meant as 10 % or as digits, is no error, but no digit is right. */
static void warn_of_accuracy(sal_simulator *sim) {
    const sal_integrator_config *in = sal_integrator_config_of(sim->integrator);
    if (sim->plan->nx > 0 && !in->fixed_step && in->accuracy > 0.1)
        sal__warn(sim, -1, -1, -1, "accuracy",
                  "asks for an accuracy above 0.1, which leaves no digit right; 1e-3 is coarse, 1e-6 the default");
}

static sal_status prepare(sal_simulator *sim, sal_report *report) {
    sal_status status = check_weights(sim, report);
    if (status == SAL_OK)
        status = sal_integrator_initialize(sim->integrator);
    if (status != SAL_OK)
        return status;
    sal__flow_start(sim);
    sal__forget_executed(sim);
    sal__schedule_set_instant(sim, sim->contexts.current->time);
    sal__last_event_reset(sim);
    sal__witness_start(sim);
    sal_integrator_invalidate(sim->integrator);
    warn_of_accuracy(sim);
    return SAL_OK;
}

static sal_outcome run_start(sal_simulator *sim, bool suppress, sal_report *report, sal_status *status) {
    sal_outcome outcome = SAL_DID_NOTHING;
    *status = sal__delays_start(sim);
    if (!suppress && *status == SAL_OK)
        outcome = update_at_start(sim, report, status);
    if (outcome > SAL_DID_NOTHING && outcome < SAL_FAILED && *status == SAL_OK)
        *status = sal__delays_record_jump(sim);
    if (outcome < SAL_FAILED && *status == SAL_OK)
        *status = sal__schedule_start(sim, report);
    if (outcome == SAL_FAILED || *status != SAL_OK)
        return SAL_FAILED;
    *status = sim->conditions.count > 0 ? sal__conditions_start(sim, suppress, report) : SAL_OK;
    if (*status != SAL_OK)
        return SAL_FAILED;
    *status = sal__notify_observers(sim, SAL_OBSERVE_START, -1, -1);
    const sal_status notified = sal__notify_updates(sim); /* after the start: a log forgets earlier rows */
    if (*status == SAL_OK)
        *status = notified;
    if (*status != SAL_OK)
        return SAL_FAILED;
    if (outcome == SAL_TERMINATE)
        return outcome;
    outcome = sal__publish(sim, suppress ? NULL : &sim->schedule.events_by[SAL_ON_INITIALIZATION][SAL_PUBLISH],
                           sim->config.publish_at_initialization, report, status);
    return sim->host.monitor ? sal__call_monitor(sim, outcome, report) : outcome;
}

/* Events that were scheduled before a start that failed are scheduled again. */
static sal_status put_back(sal_simulator *sim, sal__event_calendar *kept) {
    sal__schedule_swap_calendar(sim, kept);
    return sal__context_data_assign(sim->contexts.current, sim->contexts.lookup);
}

/* Solves the equations without a derivative. Without this request, the first step solves them if it fails otherwise. */
static sal_status meet_equations(sal_simulator *sim, sal_report *report) {
    const sal_rhs rhs = sal__current_rhs(sim);
    const double t = sim->contexts.current->time;
    const size_t bytes = (size_t)sim->plan->nx * sizeof *sim->flow.scratch;
    memcpy(sim->flow.scratch, sim->contexts.current->block, bytes);
    const sal_status status = sal__integrator_meet_equations(sim->integrator, &rhs, t, sim->flow.scratch);
    sal__context_data_look(sim->contexts.current, t, NULL);
    if (status == SAL_OK)
        memcpy(sim->contexts.current->block, sim->flow.scratch, bytes);
    if (status != SAL_ESTEP)
        return status;
    sal__report_step_failure(sim, report);
    return SAL_EOFF;
}

/* A state that was typed with a few digits is meant to be consistent and is projected. Larger corrections are made
 * on request only. */
static sal_status begin_consistent(sal_simulator *sim, bool consistent, sal_report *report) {
    sal_status status = sal__projection_start(sim, report);
    if (status == SAL_OK)
        status = sal__project_context(sim, consistent ? INFINITY : SAL__SMALL_CORRECTION, report);
    return status == SAL_OK && consistent && sim->derivatives.has_mass ? meet_equations(sim, report) : status;
}

sal_status sal__initialize(sal_simulator *sim, bool suppress, bool consistent, sal_report *report) {
    sal__event_calendar kept = {0};
    sal_status status = sal__context_data_assign(sim->contexts.lookup, sim->contexts.current);
    if (status == SAL_OK)
        status = prepare(sim, report);
    if (status == SAL_OK)
        status = sal__calendar_clone(&sim->mem, &sim->schedule.calendar, &kept);
    if (status == SAL_OK)
        status = begin_consistent(sim, consistent, report);
    if (status != SAL_OK) {
        sal__calendar_free(&sim->mem, &kept);
        return status;
    }
    const sal_outcome outcome = run_start(sim, suppress, report, &status);
    const bool failed = outcome == SAL_FAILED || status != SAL_OK;
    const sal_status restored = failed ? put_back(sim, &kept) : SAL_OK; /* as before the call */
    sal__calendar_free(&sim->mem, &kept);
    if (failed)
        return status != SAL_OK ? status : restored != SAL_OK ? restored : SAL_EHANDLER;
    report->reason = outcome == SAL_TERMINATE ? SAL_AT_TERMINATION : SAL_AT_BOUNDARY;
    return SAL_OK;
}
