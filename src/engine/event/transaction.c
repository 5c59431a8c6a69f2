/* Where updates write, and how they are undone.
 *
 * An update writes into the staged context. If its handler fails or returns did_nothing, its part is restored as it
 * was before the call. After all handlers of a kind were called, the staged numbers replace those of the run. The
 * replaced numbers are kept until the instant is over, because a discrete update that fails also undoes the
 * unrestricted updates before it. Only the parts that have an update are copied, and only what this kind of update
 * may write. While discrete updates are staged, everything else is read from the run. */
#include <string.h>

#include "engine/simulator.h"

static void new_guards(sal_simulator *sim) {
    int most = 0;
    for (int i = 0; i < sim->plan->part_count; i++)
        for (int p = 0; p < SAL_PARTITIONS; p++)
            most = sim->plan->part[i].size[p] > most ? sim->plan->part[i].size[p] : most;
    double *refuge = sal__pool_alloc(&sim->pool, most, sizeof *refuge);
    sim->transaction.of_next = sim->transaction.of_run = (sal__write_guard){.part = -1, .refuge = refuge};
    sim->contexts.next->write_guard = &sim->transaction.of_next;
}

sal_status sal__transaction_new(sal_simulator *sim) {
    sal__transaction *t = &sim->transaction;
    const int numbers = sim->contexts.current->block_size, parts = sim->plan->part_count, slots = sim->plan->slot_count;
    t->undo = sal__pool_alloc(&sim->pool, numbers, sizeof *t->undo);
    t->saved = sal__pool_alloc(&sim->pool, numbers, sizeof *t->saved);
    t->undo_location = sal__pool_alloc(&sim->pool, parts, sizeof *t->undo_location);
    t->stage_state = sal__pool_alloc(&sim->pool, parts, sizeof *t->stage_state);
    t->slot_swapped = sal__pool_alloc(&sim->pool, slots, sizeof *t->slot_swapped);
    t->slot_dirty = sal__pool_alloc(&sim->pool, slots, sizeof *t->slot_dirty);
    t->touched_part = sal__pool_alloc(&sim->pool, 2 * parts, sizeof *t->touched_part); /* by either kind of update */
    t->staged_part = sal__pool_alloc(&sim->pool, parts, sizeof *t->staged_part);
    t->moved_part = sal__pool_alloc(&sim->pool, parts, sizeof *t->moved_part);
    new_guards(sim);
    return sal__pool_status(&sim->pool);
}

static void swap_range(double *a, double *b, sal__range range) {
    for (int i = range.at; i < range.at + range.size; i++) {
        const double was = a[i];
        a[i] = b[i];
        b[i] = was;
    }
}

static inline void copy_range(double *to, const double *from, sal__range range) {
    sal__copy(to + range.at, from + range.at, range.size);
}

/* Copies all that updates of a part may write between two blocks of one layout. */
void sal__copy_part(const sal_simulator *sim, int part, double *to, const double *from) {
    const sal__part *p = &sim->plan->part[part];
    for (int k = 0; k < p->range_count; k++)
        copy_range(to, from, p->range[k]);
}

static inline void copy_staged(const sal_simulator *sim, int part, double *to, const double *from) {
    if (sim->transaction.discrete_only)
        copy_range(to, from, sim->plan->part[part].discrete);
    else
        sal__copy_part(sim, part, to, from);
}

void sal__transaction_drop_mirrors(sal_simulator *sim) {
    memset(sim->transaction.stage_state, SAL__UNSTAGED, (size_t)sim->plan->part_count);
    sim->transaction.mirror_version = sim->contexts.current->versions.discrete;
}

/* After a commit the staged block holds the old numbers. Updates of a second kind need that block, so the old
 * numbers move to `undo`. */
void sal__transaction_copy_part(sal_simulator *sim, int part) {
    if (sim->transaction.undo_location[part] == SAL__OLD_IN_NEXT) {
        sal__copy_part(sim, part, sim->transaction.undo, sim->contexts.next->block);
        sim->transaction.undo_location[part] = SAL__OLD_IN_UNDO;
    }
    copy_staged(sim, part, sim->contexts.next->block, sim->contexts.current->block);
}

/* Saves abstract state that earlier handlers of this dispatch wrote, into the slots of pre_step, which nobody reads. */
static sal_status save_slots(sal_simulator *sim, int part) {
    const sal_system *sys = sim->plan->part[part].system;
    const int first = sim->plan->part[part].slot_at;
    for (int i = 0; i < sys->slots.count; i++) {
        sim->transaction.slot_dirty[first + i] = sim->contexts.next->slot_written[first + i];
        if (!sim->transaction.slot_dirty[first + i])
            continue;
        const sal_status status = sys->slots.item[i].type->assign(sim->contexts.pre_step->slot[first + i],
                                                                  sim->contexts.next->slot[first + i]);
        if (status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

static void restore_slots(sal_simulator *sim, int part) {
    const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
    for (int i = first; i < first + n; i++) {
        if (sim->transaction.slot_dirty[i])
            sal__swap_slots(sim->contexts.next, sim->contexts.pre_step, i);
        sim->contexts.next->slot_written[i] = sim->transaction.slot_dirty[i];
    }
}

/* Saves what the next handler finds, for restoring. The first handler of a part finds x-. */
sal_status sal__transaction_save(sal_simulator *sim, int part) {
    copy_staged(sim, part, sim->transaction.saved, sim->contexts.next->block);
    return save_slots(sim, part);
}

void sal__transaction_restore(sal_simulator *sim, int part) {
    copy_staged(sim, part, sim->contexts.next->block, sim->transaction.saved);
    restore_slots(sim, part);
}

void sal__transaction_restore_first(sal_simulator *sim, int part) {
    copy_staged(sim, part, sim->contexts.next->block, sim->contexts.current->block);
    const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
    for (int i = first; i < first + n; i++)
        sim->contexts.next->slot_written[i] = false;
}

static void commit_slots(sal_simulator *sim, int part) {
    const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
    for (int i = first; i < first + n; i++)
        if (sim->contexts.next->slot_written[i]) {
            sal__swap_slots(sim->contexts.current, sim->contexts.next, i);
            sim->contexts.next->slot_written[i] = false;
            sim->transaction.slot_swapped[i] = true;
            if (sim->journal)
                sal__journal_save_slot(sim, i);
        }
}

/* Swaps the numbers, so the old ones are in the staged block. */
static void commit_unrestricted(sal_simulator *sim, bool is_kept) {
    for (int i = 0; i < sim->transaction.staged_count; i++) {
        const int part = sim->transaction.staged_part[i];
        const sal__part *p = &sim->plan->part[part];
        const bool written = is_kept && sim->transaction.stage_state[part] == SAL__WRITTEN;
        sim->transaction.stage_state[part] = SAL__UNSTAGED;
        if (SAL__RARELY(!written))
            continue;
        for (int k = 0; k < p->range_count; k++)
            swap_range(sim->contexts.current->block, sim->contexts.next->block, p->range[k]);
        sim->contexts.current->versions.of_part[part]++;
        if (sim->transaction.undo_location[part])
            continue;
        sim->transaction.undo_location[part] = SAL__OLD_IN_NEXT;
        sim->transaction.touched_part[sim->transaction.touched_count++] = part;
    }
    sim->transaction.unrestricted_count = sim->transaction.touched_count;
}

/* Discrete updates are the last of an instant: once they are committed, nothing is undone. Afterwards the staged
 * block holds the same numbers as the run. */
static void commit_discrete(sal_simulator *sim) {
    const sal__part *place = sim->plan->part;
    double *run = sim->contexts.current->block;
    const double *staged = sim->contexts.next->block;
    unsigned char *state = sim->transaction.stage_state;
    uint64_t *version_of = sim->contexts.current->versions.of_part;
    int *touched = sim->transaction.touched_part + sim->transaction.touched_count;
    for (const int *at = sim->transaction.staged_part, *end = at + sim->transaction.staged_count; at < end; at++) {
        const int part = *at;
        const bool written = state[part] == SAL__WRITTEN;
        state[part] = written ? SAL__MIRRORED : SAL__UNSTAGED;
        if (SAL__RARELY(!written))
            continue;
        copy_range(run, staged, place[part].discrete);
        version_of[part]++;
        *touched++ = part;
    }
    sim->transaction.touched_count = (int)(touched - sim->transaction.touched_part);
}

static void clear_slots(const sal_simulator *sim, int part, bool *marked) {
    const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
    for (int k = first; k < first + n; k++)
        marked[k] = false;
}

static void end_slots(sal_simulator *sim, bool is_kept) {
    for (int i = 0; i < sim->transaction.staged_count; i++) {
        const int part = sim->transaction.staged_part[i];
        if (is_kept && sim->transaction.stage_state[part] == SAL__WRITTEN)
            commit_slots(sim, part);
        clear_slots(sim, part, sim->contexts.next->slot_written);
    }
}

static void save_written(sal_simulator *sim) {
    for (int i = 0; i < sim->transaction.staged_count; i++)
        if (sim->transaction.stage_state[sim->transaction.staged_part[i]] == SAL__WRITTEN)
            sal__journal_save(sim, sim->transaction.staged_part[i]);
}

void sal__transaction_end(sal_simulator *sim, bool is_kept) {
    if (SAL__RARELY(sim->journal) && is_kept)
        save_written(sim);
    if (sim->plan->slot_count > 0)
        end_slots(sim, is_kept);
    if (sim->transaction.discrete_only && is_kept)
        commit_discrete(sim);
    else
        commit_unrestricted(sim, is_kept);
    sim->transaction.staged_count = 0;
    sim->contexts.current->versions.stamp[false] += is_kept;
    sim->contexts.current->versions.stamp[true] += is_kept;
}

void sal__undo_discard_old(sal_simulator *sim) {
    for (int i = 0; i < sim->transaction.unrestricted_count; i++)
        sim->transaction.undo_location[sim->transaction.touched_part[i]] = SAL__UNTOUCHED;
    if (sim->plan->slot_count > 0)
        for (int i = 0; i < sim->transaction.touched_count; i++)
            clear_slots(sim, sim->transaction.touched_part[i], sim->transaction.slot_swapped);
}

static const double *old_numbers(const sal_simulator *sim, int part) {
    return sim->transaction.undo_location[part] == SAL__OLD_IN_NEXT ? sim->contexts.next->block : sim->transaction.undo;
}

/* Without a branch on the values, which could not be predicted. */
static bool part_moved_state(const sal_simulator *sim, int part, const double *was) {
    const sal__part *p = &sim->plan->part[part];
    const double *is = sim->contexts.current->block;
    bool moved = false;
    for (int in = SAL_Q; in <= SAL_Z; in++)
        for (int i = p->at[in], end = i + p->size[in]; i < end; i++)
            moved |= is[i] != was[i];
    return moved;
}

bool sal__moved_only(const sal_simulator *sim, int part) {
    return !sim->journal && sim->transaction.touched_count == 1 && sim->transaction.unrestricted_count == 1 &&
           sim->transaction.touched_part[0] == part && part_moved_state(sim, part, old_numbers(sim, part));
}

int sal__moved_parts(const sal_simulator *sim, int *moved) {
    const int *part = sim->transaction.touched_part;
    const int written = sim->journal ? sal__journal_parts(sim, &part) : sim->transaction.unrestricted_count;
    int count = 0;
    for (int i = 0; i < written; i++)
        if (part_moved_state(sim, part[i], sim->journal ? sal__journal_numbers(sim) : old_numbers(sim, part[i])))
            moved[count++] = part[i];
    return count;
}

static void undo_part(sal_simulator *sim, int part) {
    const int first = sim->plan->part[part].slot_at, n = sim->plan->part[part].system->slots.count;
    sal__copy_part(sim, part, sim->contexts.current->block, old_numbers(sim, part));
    for (int k = first; k < first + n; k++)
        if (sim->transaction.slot_swapped[k])
            sal__swap_slots(sim->contexts.current, sim->contexts.next, k);
}

void sal__undo_instant(sal_simulator *sim) {
    if (sim->journal)
        sal__journal_undo(sim);
    for (int i = 0; !sim->journal && i < sim->transaction.unrestricted_count; i++)
        undo_part(sim, sim->transaction.touched_part[i]);
    sal__undo_discard(sim);
    sal__context_data_touch(sim->contexts.current);
}
