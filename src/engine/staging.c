/* Where updates write, and the way back.
 *
 * An update writes into the staged context; a handler that did nothing or failed has
 * its part put back as it found it. When all are through, what was staged is taken
 * over together. The numbers that this replaces are kept until the instant is over: a
 * discrete update that fails undoes the unrestricted ones before it too. Only the
 * parts that are concerned are copied. */
#include "engine.h"

static void swap_range(double *a, double *b, sal__range range) {
    for (int i = range.at; i < range.at + range.size; i++) {
        const double was = a[i];
        a[i] = b[i];
        b[i] = was;
    }
}

/* All that updates of a part may write, between two blocks of one layout. */
static void copy_part(const sal_simulator *sim, int part, double *to, const double *from) {
    const sal__part *p = &sim->plan->part[part];
    for (int k = 0; k < p->ranges; k++)
        for (int i = p->range[k].at; i < p->range[k].at + p->range[k].size; i++)
            to[i] = from[i];
}

/* What was taken over left the old numbers in the staged block; a second kind of update
 * needs that room, so they move. */
bool sal__stage(sal_simulator *sim, int part) {
    if (sim->staging[part])
        return false;
    sim->staging[part] = SAL__STAGED;
    sim->staged_part[sim->staged_parts++] = part;
    if (sim->touched[part] == SAL__OLD_STAGED) {
        copy_part(sim, part, sim->undo, sim->staged->block);
        sim->touched[part] = SAL__OLD_KEPT;
    }
    copy_part(sim, part, sim->staged->block, sim->run->block);
    return true;
}

/* Abstract state that earlier handlers of this dispatch wrote; `before` has slots that nobody reads. */
static sal_status keep_slots(sal_simulator *sim, int part) {
    const sal_system *sys = sim->plan->part[part].system;
    const int first = sim->plan->part[part].slot_at;
    for (int i = 0; i < sys->slots.count; i++) {
        sim->was_edited[first + i] = sim->staged->edited[first + i];
        if (!sim->was_edited[first + i])
            continue;
        const sal_status status =
            sys->slots.item[i].type->assign(sim->before->slot[first + i], sim->staged->slot[first + i]);
        if (status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

static void put_slots_back(sal_simulator *sim, int part) {
    const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
    for (int i = first; i < first + n; i++) {
        if (sim->was_edited[i]) {
            void *newer = sim->staged->slot[i];
            sim->staged->slot[i] = sim->before->slot[i];
            sim->before->slot[i] = newer;
        }
        sim->staged->edited[i] = sim->was_edited[i];
    }
}

/* What a handler finds, so that it can be put back; the first one of a part finds x-. */
sal_status sal__stage_keep(sal_simulator *sim, int part) {
    copy_part(sim, part, sim->saved, sim->staged->block);
    return keep_slots(sim, part);
}

void sal__stage_put_back(sal_simulator *sim, int part) {
    copy_part(sim, part, sim->staged->block, sim->saved);
    put_slots_back(sim, part);
}

void sal__stage_put_back_first(sal_simulator *sim, int part) {
    copy_part(sim, part, sim->staged->block, sim->run->block);
    const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
    for (int i = first; i < first + n; i++)
        sim->staged->edited[i] = false;
}

static void swap_slots(sal_simulator *sim, int part) {
    const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
    for (int i = first; i < first + n; i++)
        if (sim->staged->edited[i]) {
            void *old = sim->run->slot[i];
            sim->run->slot[i] = sim->staged->slot[i];
            sim->staged->slot[i] = old;
            sim->staged->edited[i] = false;
            sim->swapped[i] = true;
        }
}

static void take_over(sal_simulator *sim, int part, bool discrete) {
    const sal__part *p = &sim->plan->part[part];
    if (discrete)
        swap_range(sim->run->block, sim->staged->block, p->held);
    else
        for (int k = 0; k < p->ranges; k++)
            swap_range(sim->run->block, sim->staged->block, p->range[k]);
    if (sim->plan->slots > 0)
        swap_slots(sim, part);
    sim->run->held_of[part]++;
    sim->run->updates++;
    if (sim->touched[part])
        return;
    sim->touched[part] = SAL__OLD_STAGED;
    sim->touched_part[sim->touched_parts++] = part;
}

void sal__stage_end(sal_simulator *sim, bool stands, bool discrete) {
    for (int i = 0; i < sim->staged_parts; i++) {
        const int part = sim->staged_part[i];
        const bool written = sim->staging[part] == SAL__WRITTEN;
        sim->staging[part] = 0;
        if (stands && written)
            take_over(sim, part, discrete);
        if (sim->plan->slots == 0)
            continue;
        const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
        for (int k = first; k < first + n; k++)
            sim->staged->edited[k] = false;
    }
    sim->staged_parts = 0;
    sim->run->now += stands;
}

void sal__undo_forget(sal_simulator *sim) {
    for (int i = 0; i < sim->touched_parts; i++) {
        const int part = sim->touched_part[i];
        sim->touched[part] = SAL__UNTOUCHED;
        if (sim->plan->slots == 0)
            continue;
        const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
        for (int k = first; k < first + n; k++)
            sim->swapped[k] = false;
    }
    sim->touched_parts = 0;
}

void sal__undo_instant(sal_simulator *sim) {
    for (int i = 0; i < sim->touched_parts; i++) {
        const int part = sim->touched_part[i];
        const double *old = sim->touched[part] == SAL__OLD_STAGED ? sim->staged->block : sim->undo;
        copy_part(sim, part, sim->run->block, old);
        const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
        for (int k = first; k < first + n; k++)
            if (sim->swapped[k]) {
                void *newer = sim->run->slot[k];
                sim->run->slot[k] = sim->staged->slot[k];
                sim->staged->slot[k] = newer;
            }
    }
    sal__undo_forget(sim);
    sal__store_touch(sim->run);
}
