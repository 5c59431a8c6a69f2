/* Conditions: events that fire where something turns true (SAL_ON_CHANGE).
 *
 * Each remembers whether it held when it was last asked. It is asked where that may have changed: when the run is
 * initialized, after updates that wrote its part or what feeds it (event_iteration.c), after an edit of the context,
 * and where flow leads. What turned true is due until its handler runs: from then on it has held. What turned false is
 * only remembered. A witness stands for each among those that fire, so that a condition is handled, saved and judged
 * (do its firings pile up?) as a crossing is. */
#include <math.h>

#include "engine/simulator.h"

/* What finds where it may change: as many as it says, or the class's witness. */
static int count_finders(const sal__planned_event *e) {
    const sal_system_class *class = e->system->behaviour;
    return e->config->finders > 0 ? e->config->finders : e->config->finders == 0 && !class->finder && class->witness;
}

static sal_status make_finders(sal_simulator *sim, sal__condition *c, int event) {
    const int count = count_finders(c->event);
    c->flows = c->event->config->finders >= 0;
    c->unaided = c->flows && count == 0;
    if (count == 0)
        return SAL_OK;
    c->finder = sal__alloc(&sim->mem, (size_t)count * sizeof *c->finder);
    if (!c->finder)
        return SAL_ENOMEM;
    for (; c->finders < count; c->finders++) {
        sal__witness *f = &c->finder[c->finders];
        sal__witness_describe(sim, event, f);
        f->direction = SAL_CROSSING;
        f->value = c->event->config->finders > 0 ? NULL : c->event->system->behaviour->witness;
        f->finder = c->finders;
    }
    return SAL_OK;
}

static sal_status make_one(sal_simulator *sim, int event) {
    const sal__planned_event *e = &sim->plan->event[event];
    sal__condition *c = &sim->condition[sim->conditions];
    *c = (sal__condition){.event = e, .ctx = &sim->run->window[e->part], .witness = sim->witnesses + sim->conditions};
    sal__witness *w = &sim->witness[c->witness];
    sal__witness_describe(sim, event, w);
    w->direction = SAL_NEVER;
    w->condition = sim->conditions++;
    return make_finders(sim, c, event);
}

/* Counted, summed up: the events stand in the order of the parts. */
static void list_by_part(sal_simulator *sim) {
    int *at = sim->condition_at;
    for (int i = 0; i < sim->conditions; i++)
        at[sim->condition[i].event->part + 1]++;
    for (int i = 0; i < sim->plan->parts; i++)
        at[i + 1] += at[i];
}

static size_t bytes_by_part(const sal_simulator *sim) {
    return ((size_t)sim->plan->parts + 1) * sizeof(int);
}

sal_status sal__conditions_new(sal_simulator *sim, int count) {
    const size_t n = (size_t)count;
    sim->condition_cap = count;
    sim->condition = sal__alloc(&sim->mem, n * sizeof *sim->condition);
    sim->condition_at = sal__alloc(&sim->mem, bytes_by_part(sim));
    sim->due = sal__alloc(&sim->mem, n * sizeof *sim->due);
    sim->noted = sal__alloc(&sim->mem, n * sizeof *sim->noted);
    if (!sim->condition || !sim->condition_at || !sim->due || !sim->noted)
        return SAL_ENOMEM;
    for (int i = 0; i < sim->plan->events; i++)
        if (sim->plan->event[i].config->trigger == SAL_ON_CHANGE && make_one(sim, i) != SAL_OK)
            return SAL_ENOMEM;
    list_by_part(sim);
    return sal__journal_new(sim);
}

void sal__conditions_free(sal_simulator *sim) {
    const size_t n = (size_t)sim->condition_cap;
    for (int i = 0; i < sim->conditions; i++)
        sal__free(&sim->mem, sim->condition[i].finder,
                  (size_t)sim->condition[i].finders * sizeof *sim->condition[i].finder);
    sal__free(&sim->mem, sim->condition, n * sizeof *sim->condition);
    sal__free(&sim->mem, sim->due, n * sizeof *sim->due);
    sal__free(&sim->mem, sim->noted, n * sizeof *sim->noted);
    sal__free(&sim->mem, sim->condition_at, sim->condition_at ? bytes_by_part(sim) : 0);
}

void sal__condition_attach(sal__condition *c, sal__store *run) {
    c->ctx = &run->window[c->event->part];
    for (int i = 0; i < c->finders; i++)
        c->finder[i].ctx = c->ctx;
}

/* ---- asking ---- */

sal_status sal__condition_ask(sal_simulator *sim, const sal__condition *c, bool *there, bool *holds,
                              sal_report *report) {
    const sal__planned_event *e = c->event;
    sal_status status = SAL_OK;
    *there = true;
    *holds = false;
    sim->stats.witness_evaluations++;
    if (e->guarded)
        status = e->system->behaviour->when(e->system, c->ctx, e->index, there);
    if (status == SAL_OK && *there)
        status = e->system->behaviour->holds(e->system, c->ctx, e->index, holds);
    return status == SAL_OK ? status : sal__blame(sim, report, status, sim->witness[c->witness].event, NULL);
}

/* It waits for its handler, with the other events that fired. */
static void fire(sal_simulator *sim, const sal__condition *c) {
    sal__witness *w = &sim->witness[c->witness];
    w->fired = true;
    w->t0 = w->t1 = NAN;
    w->firings++;
    sim->fired[sim->waiting++] = c->witness;
}

static void warn_of_unaided(sal_simulator *sim, const sal__condition *c) {
    sal__warn(sim, c->event->part, c->event->index, -1, "finders",
              "is asked at the ends of steps alone: what turns true and false again within one is missed; give it a "
              "witness, a function or some that cross zero where it may change");
}

sal_status sal__conditions_start(sal_simulator *sim, bool suppress, sal_report *report) {
    sim->dues = sim->noteds = 0;
    for (int i = 0; i < sim->conditions; i++) {
        sal__condition *c = &sim->condition[i];
        bool holds = false;
        const sal_status status = sal__condition_ask(sim, c, &c->there, &holds, report);
        if (status != SAL_OK)
            return status;
        if (c->unaided)
            warn_of_unaided(sim, c);
        const bool fires = holds && c->event->config->at_start && !suppress;
        c->noted = false;
        c->held = holds && !fires;
        if (fires)
            fire(sim, c);
    }
    return SAL_OK;
}

sal_status sal__conditions_edited(sal_simulator *sim, sal_report *report) {
    for (int i = 0; i < sim->conditions; i++) {
        sal__condition *c = &sim->condition[i];
        bool holds = false;
        const sal_status status = sal__condition_ask(sim, c, &c->there, &holds, report);
        if (status != SAL_OK)
            return status;
        if (holds && !c->held && !sim->witness[c->witness].fired)
            fire(sim, c);
        c->held = c->held && holds;
    }
    return SAL_OK;
}

void sal__conditions_published(sal_simulator *sim) {
    for (int k = 0; k < sim->waiting; k++) {
        const sal__witness *w = &sim->witness[sim->fired[k]];
        if (w->condition >= 0 && sim->condition[w->condition].event->kind <= SAL_PUBLISH && !w->zeno)
            sim->condition[w->condition].held = true;
    }
}

/* ---- within an instant ---- */

void sal__condition_note(sal_simulator *sim, sal__condition *c) {
    if (c->noted)
        return;
    c->noted = true;
    c->held_before = c->held;
    c->there_before = c->there;
    c->firings_before = sim->witness[c->witness].firings;
    sim->noted[sim->noteds++] = (int)(c - sim->condition);
}

void sal__condition_ran(sal_simulator *sim, sal__condition *c) {
    sal__condition_note(sim, c);
    c->held = true;
}

void sal__conditions_end(sal_simulator *sim, bool stands) {
    for (int k = 0; k < sim->noteds; k++) {
        sal__condition *c = &sim->condition[sim->noted[k]];
        c->noted = false;
        if (stands)
            continue;
        c->held = c->held_before;
        c->there = c->there_before;
        sim->witness[c->witness].firings = c->firings_before;
    }
    sim->noteds = sim->dues = 0;
}
