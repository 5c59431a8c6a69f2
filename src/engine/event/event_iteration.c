/* Event iteration: conditions that the updates of an instant turn true are handled in the same instant, in rounds.
 *
 * After the updates that were due, the conditions that may have changed are evaluated: those of the parts that were
 * written and of all parts downstream. The conditions that turned true make a round: publishes, then unrestricted
 * updates, then discrete ones. All of them see the state after the previous round. Rounds follow until no condition
 * turns true. A round is not a step. A failure in any round undoes the whole instant. */
#include <math.h>
#include <string.h>

#include "engine/simulator.h"

/* ---- who is due ---- */

static sal_status evaluate_condition(sal_simulator *sim, int i) {
    sal__condition *c = &sim->conditions.item[i];
    bool there = false, holds = false;
    const sal_status status = sal__condition_eval(sim, c, &there, &holds);
    if (status != SAL_OK || (there == c->guard_held && holds == c->is_true))
        return status;
    sal__condition_save(sim, c);
    if (holds && !c->is_true)
        sal__conditions_add_due(sim, i);
    sal__condition_set(c, c->is_true && holds, there);
    return SAL_OK;
}

/* Evaluates the conditions that the last round may have changed, after what follows its inputs has done so. */
static sal_status evaluate_affected(sal_simulator *sim) {
    sal__conditions_clear_due(sim);
    sal__mark_affected(sim, sim->transaction.touched_part, sim->transaction.touched_count);
    sal__undo_discard(sim);
    sal_status status = sim->plan->order.deepest_level >= 0 ? sal__follow_inputs(sim) : SAL_OK;
    if (status != SAL_OK || sal__has_failed(sim) || sim->conditions.count == 0)
        return status;
    for (int k = 0; status == SAL_OK && k < sim->schedule.affected_count; k++) {
        const int part = sim->schedule.affected_part[k];
        for (int i = sim->conditions.of_part[part]; status == SAL_OK && i < sim->conditions.of_part[part + 1]; i++)
            status = evaluate_condition(sim, i);
    }
    return status;
}

/* ---- a round ---- */

static sal_kind kind_of(const sal__condition *c) {
    return c->event->kind == SAL_NO_HANDLER ? SAL_PUBLISH : (sal_kind)c->event->kind;
}

static void collect_due(sal_simulator *sim, sal_kind kind) {
    sal__dispatch_clear(sim);
    for (int k = 0; k < sim->conditions.due_count; k++) {
        const sal__condition *c = &sim->conditions.item[sim->conditions.due[k]];
        const sal__witness *w = &sim->witnesses.item[c->witness];
        if (kind_of(c) == kind)
            sal__dispatch_add(sim, w->info.event, w->firings.count, c->witness);
    }
}

/* Prepares the events of conditions that an update turned true, which belong to no step. */
static void begin_round(sal_simulator *sim) {
    for (int k = 0; k < sim->conditions.due_count; k++) {
        sal__condition *c = &sim->conditions.item[sim->conditions.due[k]];
        sal__condition_mark_handled(sim, c);
        sal__witness_fire_by_update(&sim->witnesses.item[c->witness]);
    }
}

/* Updates of both kinds are staged over the same state and committed together. */
static void run_updates(sal_simulator *sim) {
    sal_outcome outcome = SAL_DID_NOTHING;
    bool begun = false;
    for (int kind = SAL_UNRESTRICTED; kind >= SAL_DISCRETE && outcome < SAL_FAILED; kind--) {
        collect_due(sim, (sal_kind)kind);
        if (sim->dispatch.call_count == 0)
            continue;
        if (!begun)
            sal__transaction_begin(sim, (sal_kind)kind);
        begun = true;
        const sal_outcome of_kind = sal__dispatch_stage_more(sim);
        outcome = of_kind > outcome ? of_kind : outcome;
        if (of_kind == SAL_SUCCEEDED || of_kind == SAL_TERMINATE)
            kind == SAL_DISCRETE ? SAL__COUNT_ONE(sim, discrete_updates) : SAL__COUNT_ONE(sim, unrestricted_updates);
    }
    if (begun)
        sal__dispatch_end(sim, outcome);
}

static void run_round(sal_simulator *sim) {
    begin_round(sim);
    collect_due(sim, SAL_PUBLISH);
    if (sim->dispatch.call_count > 0)
        sal__dispatch_publishes(sim);
    if (!sal__has_failed(sim))
        run_updates(sim);
    if (!sal__has_failed(sim) && sim->transaction.touched_count > 0)
        sal__project_updated(sim);
}

/* ---- rounds without end ---- */

/* Appends "part.event" if there is room. */
static void add_name(const sal_simulator *sim, const sal__condition *c, char *text, size_t room) {
    const char *part = sim->plan->part[c->event->part].name, *name = c->event->config->name;
    if (strlen(text) + strlen(part) + strlen(name) + 4 > room)
        return;
    strcat(text, *text ? ", " : "");
    strcat(text, part);
    strcat(text, *part ? "." : "");
    strcat(text, name);
}

/* Names the conditions that fired more than once in this instant. */
static void report_endless_iteration(sal_simulator *sim) {
    static const char why[] = " turn true again and again at one instant, in as many rounds as max_events_per_instant "
                              "allows; let one of them leave the others as they are";
    sal_note note = {{0}, {0}};
    for (int k = 0; k < sim->conditions.changed_count; k++) {
        const sal__condition *c = &sim->conditions.item[sim->conditions.changed[k]];
        if (sim->witnesses.item[c->witness].firings.count > c->firings_before + 1)
            add_name(sim, c, note.text, sizeof note.text - sizeof why);
    }
    strcat(note.text, why);
    const sal__condition *first = &sim->conditions.item[sim->conditions.due[0]];
    sal__report_at(sim, SAL_EZENO, sim->witnesses.item[first->witness].info.event, note.text);
}

/* Events that fired before this instant's updates have been handled now. */
static void mark_fired_handled(sal_simulator *sim) {
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        const sal__witness *w = &sim->witnesses.item[sim->witnesses.fired[k]];
        if (w->info.condition >= 0)
            sal__condition_mark_handled(sim, &sim->conditions.item[w->info.condition]);
    }
}

void sal__iterate_events(sal_simulator *sim) {
    mark_fired_handled(sim);
    for (int rounds = 0; evaluate_affected(sim) == SAL_OK && sim->conditions.due_count > 0 && !sal__has_failed(sim);
         rounds++) {
        if (rounds < sim->config.max_events_per_instant)
            run_round(sim);
        else
            report_endless_iteration(sim);
        if (sal__has_failed(sim))
            return;
    }
}

void sal__publish_after_edit(sal_simulator *sim) {
    sal__dispatch_clear(sim);
    sal__witness_collect(sim, SAL_PUBLISH);
    if (sim->dispatch.call_count > 0)
        sal__dispatch_publishes(sim);
}
