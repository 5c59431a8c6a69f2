/* Which pasts a delayed value influences, through the wires and the states between them. A discontinuity that a delay
 * hands on breaks those pasts only. Else each delay of a chain would meet the breaks of all others, and its own again:
 * three delays in a chain took 40,000 steps for a signal with one jump.
 *
 * A delay does not hand on at once what comes to its input: it does when its own past reads that, a lag later.
 *
 * A part whose outputs are all integrals makes what passes it smoother by one order. When in doubt, an influence is
 * taken to exist, and not to be smooth: a break that is missed costs accuracy silently, one too many a step. */
#include <string.h>

#include "delay.h"
#include "engine/constraint/projection.h"

enum { MOST_PASTS = 2048, HIGHEST = 16 }; /* for more pasts the table is too large; no method has a higher order */

typedef struct walk {
    const sal__plan *plan;
    unsigned char *smooths,
        *before;                 /* by part: 1 if its outputs are integrals; the integrals on the way to its inputs */
    int *waiting, waiting_count; /* parts from which the way goes on */
    bool *waits;
} walk;

static unsigned char smooths(const sal_system *sys) {
    bool all = !sys->mass && !sal__is_constrained(sys);
    for (int i = 0; i < sys->outputs.count; i++)
        all = all && sys->outputs.item[i].is_alias && sys->outputs.item[i].partition <= SAL_Z;
    return all;
}

static void reach(walk *w, int part, int integrals) {
    if (integrals >= w->before[part] || integrals > HIGHEST)
        return;
    w->before[part] = (unsigned char)integrals;
    if (!w->waits[part])
        w->waiting[w->waiting_count++] = part;
    w->waits[part] = true;
}

static bool is_only_late(const sal_system *sys, int input) {
    bool any = false;
    for (int k = 0; k < sys->history.columns.count; k++) {
        const sal__history *history = &sys->history.columns.item[k];
        any = any || (history->is_only_way && history->at == input);
    }
    return any;
}

/* Does what a part shows come to the outputs of its reader at once? */
static bool passes(const sal__plan *plan, int from, int to) {
    const sal__part *part = &plan->part[to];
    bool any = part->system->history.columns.count == 0;
    for (int i = 0; !any && i < part->input_count; i++) {
        const int source = plan->input_slot[part->input_at + i].source;
        any = source >= 0 && plan->output_slot[source].part == from && !is_only_late(part->system, i);
    }
    return any;
}

static void walk_from(walk *w, int part) {
    const sal__plan *plan = w->plan;
    memset(w->before, SAL__NO_INFLUENCE, (size_t)plan->part_count);
    reach(w, part, 0);
    while (w->waiting_count > 0) {
        const int at = w->waiting[--w->waiting_count];
        w->waits[at] = false;
        for (int k = plan->reader_at[at]; k < plan->reader_at[at + 1]; k++)
            if (passes(plan, at, plan->reader[k]))
                reach(w, plan->reader[k], w->before[at] + w->smooths[at]);
    }
}

/* The integrals on the way to what a history records. */
static unsigned char way_to(const walk *w, int part, const sal__history *history) {
    const sal__plan *plan = w->plan;
    int at = part;
    if (history->kind == SAL__HISTORY_INPUT) {
        const int source = plan->input_slot[plan->part[part].input_at + history->at].source;
        if (source < 0)
            return SAL__NO_INFLUENCE;
        at = plan->output_slot[source].part;
    }
    const int behind = history->kind >= SAL__HISTORY_OUTPUT ? w->smooths[at] : 0;
    return w->before[at] == SAL__NO_INFLUENCE ? SAL__NO_INFLUENCE : (unsigned char)(w->before[at] + behind);
}

static void fill_rows(walk *w, sal__influence *table, int from) {
    const sal__plan *plan = w->plan;
    unsigned char *row = table->integrals + (size_t)table->first[from] * (size_t)table->past_count;
    if (table->first[from] == table->first[from + 1])
        return;
    walk_from(w, from);
    for (int i = 0; i < plan->part_count; i++)
        for (int k = table->first[i]; k < table->first[i + 1]; k++)
            row[k] = way_to(w, i, &plan->part[i].system->history.columns.item[k - table->first[i]]);
    for (int i = table->first[from] + 1; i < table->first[from + 1]; i++)
        memcpy(table->integrals + (size_t)i * (size_t)table->past_count, row, (size_t)table->past_count);
}

/* Without a table, everything influences everything. */
sal_status sal__influence_new(sal_simulator *sim) {
    const sal__plan *plan = sim->plan;
    sal__influence *table = &sim->delay_state->influence;
    const int parts = plan->part_count;
    table->part_count = parts;
    table->first = sal__pool_alloc(&sim->pool, parts + 1, sizeof *table->first);
    for (int i = 0; table->first && i < parts; i++)
        table->first[i + 1] = table->past_count += plan->part[i].system->history.columns.count;
    if (!table->first || table->past_count > MOST_PASTS)
        return table->first ? SAL_OK : SAL_ENOMEM;
    table->integrals = sal__pool_alloc(&sim->pool, table->past_count, (size_t)table->past_count);
    walk w = {.plan = plan};
    w.smooths = sal__pool_alloc(&sim->pool, parts, sizeof *w.smooths);
    w.before = sal__pool_alloc(&sim->pool, parts, sizeof *w.before);
    w.waiting = sal__pool_alloc(&sim->pool, parts, sizeof *w.waiting);
    w.waits = sal__pool_alloc(&sim->pool, parts, sizeof *w.waits);
    if (sim->pool.failed)
        return SAL_ENOMEM;
    for (int i = 0; i < parts; i++)
        w.smooths[i] = smooths(plan->part[i].system);
    for (int i = 0; i < parts; i++)
        fill_rows(&w, table, i);
    return SAL_OK;
}
