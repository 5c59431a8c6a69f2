/* The state before an instant of several rounds, to undo the instant: the numbers and the abstract state of each
 * part that it writes. An instant whose last updates are discrete ones needs no journal, see transaction.c. */
#include <string.h>

#include "engine/simulator.h"

struct sal__journal {
    sal__context_data *old; /* the numbers of saved parts, and the values of slots that are marked as edited */
    bool *is_saved;
    int *part, part_count; /* that are kept */
};

sal_status sal__journal_new(sal_simulator *sim) {
    if (sim->conditions.count == 0 && sim->plan->order.deepest_level < 1)
        return SAL_OK;
    struct sal__journal *j = sim->journal = sal__pool_alloc(&sim->pool, 1, sizeof *j);
    if (!j)
        return SAL_ENOMEM;
    j->is_saved = sal__pool_alloc(&sim->pool, sim->plan->part_count, sizeof *j->is_saved);
    j->part = sal__pool_alloc(&sim->pool, sim->plan->part_count, sizeof *j->part);
    return sim->pool.failed ? SAL_ENOMEM : sal__clone_context_data(sim, &j->old);
}

void sal__journal_free(sal_simulator *sim) {
    if (sim->journal && sim->journal->old)
        sal_context_free(sim->journal->old->part_context);
}

void sal__journal_save(sal_simulator *sim, int part) {
    struct sal__journal *j = sim->journal;
    if (j->is_saved[part])
        return;
    j->is_saved[part] = true;
    j->part[j->part_count++] = part;
    sal__copy_part(sim, part, j->old->block, sim->contexts.current->block);
}

/* The staged slot receives a value that nobody reads: a slot is assigned before it is edited. */
void sal__journal_save_slot(sal_simulator *sim, int slot) {
    sal__context_data *old = sim->journal->old;
    if (old->slot_written[slot])
        return;
    old->slot_written[slot] = true;
    sal__swap_slots(old, sim->contexts.next, slot);
}

void sal__journal_undo(sal_simulator *sim) {
    struct sal__journal *j = sim->journal;
    for (int i = 0; i < j->part_count; i++) {
        const sal__part *p = &sim->plan->part[j->part[i]];
        sal__copy_part(sim, j->part[i], sim->contexts.current->block, j->old->block);
        for (int k = p->slot_at; k < p->slot_at + p->system->slots.count; k++)
            if (j->old->slot_written[k])
                sal__swap_slots(j->old, sim->contexts.current, k);
    }
    sal__journal_clear(sim);
}

void sal__journal_clear(sal_simulator *sim) {
    struct sal__journal *j = sim->journal;
    for (int i = 0; i < j->part_count; i++) {
        const sal__part *p = &sim->plan->part[j->part[i]];
        j->is_saved[j->part[i]] = false;
        for (int k = p->slot_at; k < p->slot_at + p->system->slots.count; k++)
            j->old->slot_written[k] = false;
    }
    j->part_count = 0;
}

const double *sal__journal_numbers(const sal_simulator *sim) {
    return sim->journal->old->block;
}

int sal__journal_parts(const sal_simulator *sim, const int **part) {
    *part = sim->journal->part;
    return sim->journal->part_count;
}
