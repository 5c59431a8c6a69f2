/* Conditions: events that fire where a function turns from false to true (SAL_ON_CHANGE).
 *
 * Each condition remembers its value when it was last evaluated. It is evaluated where that may have changed: when
 * the run is initialized, after updates that wrote its part or a part upstream (event_iteration.c), after an edit of
 * the context, and along the flow. A condition that turned true is due until its handler runs, and counts as true
 * from then on. Turning false fires nothing. Each condition has a witness among those that fire, so it is handled,
 * saved and checked for accumulation as a crossing is. */
#include <math.h>

#include "crossing.h"

/* The finders: as many as the event declares, or the class's witness. */
static int count_finders(const sal__planned_event *e) {
    const sal_system_class *class = e->system->behaviour;
    return e->config->finders > 0 ? e->config->finders : e->config->finders == 0 && !class->finder && class->witness;
}

static void make_finders(sal_simulator *sim, sal__condition *c, int event) {
    const sal__planned_event *e = c->event;
    const int count = count_finders(e);
    c->can_flow = e->config->finders >= 0;
    c->lacks_finders = c->can_flow && count == 0;
    c->finder = sal__pool_alloc(&sim->pool, count, sizeof *c->finder);
    for (; c->finder && c->finder_count < count; c->finder_count++)
        sal__witness_init_finder(sim, event, c->finder_count, &c->finder[c->finder_count]);
}

static void init_condition(sal_simulator *sim, int event) {
    const sal__planned_event *e = &sim->plan->event[event];
    sal__condition *c = &sim->conditions.item[sim->conditions.count];
    *c = (sal__condition){.event = e,
                          .ctx = &sim->contexts.current->part_context[e->part],
                          .witness = sal__witness_init_condition(sim, event, sim->conditions.count++)};
    make_finders(sim, c, event);
}

/* First counts, then sums: the events are in the order of the parts. */
static void list_by_part(sal_simulator *sim) {
    int *at = sim->conditions.of_part;
    for (int i = 0; i < sim->conditions.count; i++)
        at[sim->conditions.item[i].event->part + 1]++;
    for (int i = 0; i < sim->plan->part_count; i++)
        at[i + 1] += at[i];
}

sal_status sal__conditions_new(sal_simulator *sim) {
    sal__conditions *all = &sim->conditions;
    const int count = sim->witnesses.capacity - sim->witnesses.count;
    if (count == 0)
        return SAL_OK;
    all->item = sal__pool_alloc(&sim->pool, count, sizeof *all->item);
    all->of_part = sal__pool_alloc(&sim->pool, sim->plan->part_count + 1, sizeof *all->of_part);
    all->due = sal__pool_alloc(&sim->pool, count, sizeof *all->due);
    all->changed = sal__pool_alloc(&sim->pool, count, sizeof *all->changed);
    for (int i = 0; i < sim->plan->event_count && !sim->pool.failed; i++)
        if (sim->plan->event[i].config->trigger == SAL_ON_CHANGE)
            init_condition(sim, i);
    if (sim->pool.failed)
        return SAL_ENOMEM;
    list_by_part(sim);
    return SAL_OK;
}

void sal__conditions_attach(sal_simulator *sim) {
    for (int i = 0; i < sim->conditions.count; i++) {
        sal__condition *c = &sim->conditions.item[i];
        c->ctx = &sim->contexts.current->part_context[c->event->part];
        for (int k = 0; k < c->finder_count; k++)
            sal__witness_set_context(&c->finder[k], c->ctx);
    }
}

void sal__conditions_shift(sal_simulator *sim, int by) {
    for (int i = 0; i < sim->conditions.count; i++)
        sim->conditions.item[i].witness += by;
}

/* ---- evaluation ---- */

sal_status sal__condition_eval(sal_simulator *sim, const sal__condition *c, bool *there, bool *holds) {
    const sal__planned_event *e = c->event;
    const int event = sim->witnesses.item[c->witness].info.event;
    *holds = false;
    SAL__COUNT_ONE(sim, witness_evaluations);
    sal_status status = sal__event_guard(sim, event, there);
    if (status == SAL_OK && *there)
        status = e->system->behaviour->holds(e->system, c->ctx, e->index, holds);
    return sal__report_callback(sim, status, event, "holds");
}

/* It waits for its handler with the other events that fired. */
static void fire(sal_simulator *sim, const sal__condition *c) {
    sal__witness_add_fired(sim, c->witness);
    sal__witness_fire_by_update(&sim->witnesses.item[c->witness]);
}

static void warn_without_finders(sal_simulator *sim, const sal__condition *c) {
    sal__warn_of_event(
        sim, sim->witnesses.item[c->witness].info.event, "finders",
        "is evaluated at the ends of steps only, so a change and its reverse within one step are missed; give the "
        "event a `witness`: one or more functions that cross zero where the condition may change");
}

sal_status sal__conditions_start(sal_simulator *sim, bool suppress) {
    sim->conditions.changed_count = 0;
    sim->conditions.rounding_until = -INFINITY;
    for (int i = 0; i < sim->conditions.count; i++) {
        sal__condition *c = &sim->conditions.item[i];
        if (c->lacks_finders)
            warn_without_finders(sim, c);
        for (int k = 0; k < c->finder_count; k++)
            sal__witness_forget_time(&c->finder[k]);
        c->has_changed = false;
        c->is_true = suppress || !c->event->config->at_start;
        c->changed_at = -INFINITY;
    }
    return sal__conditions_note_edit(sim);
}

sal_status sal__conditions_note_edit(sal_simulator *sim) {
    for (int i = 0; i < sim->conditions.count; i++) {
        sal__condition *c = &sim->conditions.item[i];
        bool holds = false;
        const sal_status status = sal__condition_eval(sim, c, &c->guard_held, &holds);
        if (status != SAL_OK)
            return status;
        if (holds && !c->is_true && !sim->witnesses.item[c->witness].has_fired)
            fire(sim, c);
        c->is_true = c->is_true && holds;
    }
    return SAL_OK;
}

void sal__conditions_mark_published(sal_simulator *sim) {
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        const sal__witness *w = &sim->witnesses.item[sim->witnesses.fired[k]];
        if (w->info.condition >= 0 && sim->conditions.item[w->info.condition].event->kind <= SAL_PUBLISH &&
            !w->firings.is_zeno)
            sim->conditions.item[w->info.condition].is_true = true;
    }
}

/* ---- within an instant ---- */

void sal__condition_save(sal_simulator *sim, sal__condition *c) {
    if (c->has_changed)
        return;
    c->has_changed = true;
    c->was_true = c->is_true;
    c->guard_held_before = c->guard_held;
    c->firings_before = sim->witnesses.item[c->witness].firings.count;
    sim->conditions.changed[sim->conditions.changed_count++] = (int)(c - sim->conditions.item);
}

void sal__condition_mark_handled(sal_simulator *sim, sal__condition *c) {
    sal__condition_save(sim, c);
    c->is_true = true;
}

void sal__conditions_end_instant(sal_simulator *sim, bool is_kept) {
    for (int k = 0; k < sim->conditions.changed_count; k++) {
        sal__condition *c = &sim->conditions.item[sim->conditions.changed[k]];
        c->has_changed = false;
        if (is_kept)
            continue;
        c->is_true = c->was_true;
        c->guard_held = c->guard_held_before;
        sal__zeno_set_count(&sim->witnesses.item[c->witness], c->firings_before);
    }
    sim->conditions.changed_count = 0;
}

void sal__conditions_archive(sal__archive *a, sal_simulator *sim) {
    if (sim->conditions.count > 0)
        sal__real(a, &sim->conditions.rounding_until);
    for (int i = 0; i < sim->conditions.count && !a->is_bad; i++) {
        sal__condition *c = &sim->conditions.item[i];
        sal__flag(a, &c->is_true);
        sal__flag(a, &c->guard_held);
        sal__real(a, &c->changed_at);
        for (int k = 0; k < c->finder_count; k++)
            sal__witness_archive_time(a, &c->finder[k]);
    }
}

void sal__conditions_copy(sal_simulator *to, const sal_simulator *from) {
    to->conditions.rounding_until = from->conditions.rounding_until;
    for (int i = 0; i < from->conditions.count; i++) {
        const sal__condition *had = &from->conditions.item[i];
        sal__condition *c = &to->conditions.item[i];
        c->is_true = had->is_true;
        c->guard_held = had->guard_held;
        c->changed_at = had->changed_at;
        for (int k = 0; k < had->finder_count; k++)
            sal__witness_copy_time(&c->finder[k], &had->finder[k]);
    }
}
