/* Where updates write, and the way back.
 *
 * An update writes into the staged context; a handler that did nothing or failed has
 * its part put back as it found it. When all are through, what was staged is taken
 * over together. The numbers that this replaces are kept until the instant is over: a
 * discrete update that fails undoes the unrestricted ones before it too. Only the
 * parts that are concerned are copied. */
#include "engine.h"

static void copy_range(double *to, const double *from, sal__range range) {
    for (int i = range.at; i < range.at + range.size; i++)
        to[i] = from[i];
}

/* All that updates of a part may write, between two blocks of one layout. */
static void copy_part(const sal_simulator *sim, int part, double *to, const double *from) {
    const sal__part *p = &sim->plan->part[part];
    for (int k = 0; k < p->ranges; k++)
        copy_range(to, from, p->range[k]);
}

void sal__stage(sal_simulator *sim, int part) {
    if (sim->staging[part])
        return;
    sim->staging[part] = true;
    sim->staged_part[sim->staged_parts++] = part;
    copy_part(sim, part, sim->staged->block, sim->run->block);
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

/* What a handler finds, so that it can be put back. */
sal_status sal__stage_keep(sal_simulator *sim, int part) {
    copy_part(sim, part, sim->saved, sim->staged->block);
    return keep_slots(sim, part);
}

void sal__stage_put_back(sal_simulator *sim, int part) {
    copy_part(sim, part, sim->staged->block, sim->saved);
    put_slots_back(sim, part);
}

static void keep_for_undo(sal_simulator *sim, int part) {
    if (sim->touched[part])
        return;
    sim->touched[part] = true;
    sim->touched_part[sim->touched_parts++] = part;
    copy_part(sim, part, sim->undo, sim->run->block);
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
    keep_for_undo(sim, part);
    if (discrete)
        copy_range(sim->run->block, sim->staged->block, sim->plan->part[part].held);
    else
        copy_part(sim, part, sim->run->block, sim->staged->block);
    swap_slots(sim, part);
}

void sal__stage_end(sal_simulator *sim, bool stands, bool discrete) {
    for (int i = 0; i < sim->staged_parts; i++) {
        const int part = sim->staged_part[i];
        sim->staging[part] = false;
        if (stands)
            take_over(sim, part, discrete);
        const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
        for (int k = first; k < first + n; k++)
            sim->staged->edited[k] = false;
    }
    sim->staged_parts = 0;
    if (stands)
        sal__store_touch(sim->run);
}

void sal__undo_forget(sal_simulator *sim) {
    for (int i = 0; i < sim->touched_parts; i++) {
        const int part = sim->touched_part[i];
        sim->touched[part] = false;
        const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
        for (int k = first; k < first + n; k++)
            sim->swapped[k] = false;
    }
    sim->touched_parts = 0;
}

void sal__undo_instant(sal_simulator *sim) {
    for (int i = 0; i < sim->touched_parts; i++) {
        const int part = sim->touched_part[i];
        copy_part(sim, part, sim->run->block, sim->undo);
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
