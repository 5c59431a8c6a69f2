/* Parts that follow their inputs, such as blocks: an update that made an input jump leaves them behind it until their
 * own update, which is due now by its next_time. In an instant of several rounds they run right after each round, those
 * upstream first. So no condition, no counter of edges and no observer reads an output that a chain of them never has.
 *
 * In a loop of such parts some may still be due afterwards. They run in the next instant, at the same time.
 *
 * An edit from outside leaves them behind, too. They follow before anything else reads them. */
#include "engine/simulator.h"

static bool follows(const sal__planned_event *e) {
    return e->config->upstream_first && e->trigger == SAL_ON_TIME;
}

sal_status sal__followers_new(sal_simulator *sim) {
    sim->followers.first = sal__pool_alloc(&sim->pool, sim->plan->order.deepest_level + 1, sizeof(int));
    sim->followers.next = sal__pool_alloc(&sim->pool, sim->plan->part_count, sizeof(int));
    return sal__pool_status(&sim->pool);
}

/* Lists the affected parts of each level. */
static void list_by_level(sal_simulator *sim) {
    sal__followers *f = &sim->followers;
    f->lowest = sim->plan->order.deepest_level + 1;
    f->highest = -1;
    for (int k = 0; k < sim->schedule.affected_count; k++) {
        const int part = sim->schedule.affected_part[k], level = sim->plan->order.level[part];
        if (level < 0)
            continue;
        f->next[part] = f->first[level];
        f->first[level] = part + 1;
        f->lowest = level < f->lowest ? level : f->lowest;
        f->highest = level > f->highest ? level : f->highest;
    }
}

static sal_status add_if_due(sal_simulator *sim, int event, sal_kind kind) {
    const sal__planned_event *e = &sim->plan->event[event];
    double time = HUGE_VAL;
    if (!follows(e) || e->kind != kind)
        return SAL_OK;
    const sal_status status =
        e->system->behaviour->next_time(e->system, &sim->contexts.current->part_context[e->part], e->index, &time);
    if (status == SAL_OK && time <= sim->contexts.current->time)
        sal__dispatch_add(sim, event, 0, -1);
    return sal__report_callback(sim, status, event, "next_time");
}

static sal_status collect_level(sal_simulator *sim, int level, sal_kind kind) {
    sal_status status = SAL_OK;
    sal__dispatch_clear(sim);
    for (int at = sim->followers.first[level]; at > 0; at = sim->followers.next[at - 1]) {
        const sal__part *part = &sim->plan->part[at - 1];
        for (int n = 0; status == SAL_OK && n < part->system->events.count; n++)
            status = add_if_due(sim, part->event_at + n, kind);
    }
    return status;
}

static sal_status run_level(sal_simulator *sim, int level) {
    for (int kind = SAL_UNRESTRICTED; kind >= SAL_DISCRETE; kind--) {
        const sal_status status = collect_level(sim, level, (sal_kind)kind);
        if (status != SAL_OK)
            return status;
        if (sim->dispatch.call_count == 0)
            continue;
        sal__dispatch_updates(sim, (sal_kind)kind);
        if (sal__has_failed(sim))
            return SAL_OK;
        sal__undo_discard(sim);
    }
    return SAL_OK;
}

sal_status sal__follow_inputs(sal_simulator *sim) {
    sal_status status = SAL_OK;
    list_by_level(sim);
    for (int level = sim->followers.lowest; level <= sim->followers.highest; level++) {
        if (status == SAL_OK && !sal__has_failed(sim))
            status = run_level(sim, level);
        sim->followers.first[level] = 0;
    }
    return status;
}

static sal_status end_edit(sal_simulator *sim, sal_status status) {
    const int *part = NULL;
    if (status != SAL_OK || sal__has_failed(sim)) {
        sal__undo_instant(sim);
        sal__forget_executed(sim);
        return status;
    }
    const bool changed = sal__journal_parts(sim, &part) > 0;
    if (changed && sim->witnesses.handled_count == 0)
        sal__witness_note_update(sim);
    sal__undo_discard(sim);
    sal__journal_clear(sim);
    return changed && sim->host.observer_count > 0 ? sal__run_tell_edit(sim) : SAL_OK;
}

/* Of a part whose event has fired, the handler comes first: an edge is counted once. */
sal_status sal__follow_edit(sal_simulator *sim) {
    if (!sim->journal || sim->plan->order.deepest_level < 0)
        return SAL_OK;
    sal__mark_unfired_affected(sim);
    return end_edit(sim, sal__follow_inputs(sim));
}
