/* The array of witnesses and the lists of some of them: those of the plan, then watches, then room for more watches,
 * then those of conditions. Watches come and go between calls. All arrays are in one allocation once there are watches,
 * so making room can fail once, and then changes nothing. */
#include <string.h>

#include "engine/simulator.h"

/* ---- room ---- */

/* The arrays in a block: the next one begins where the last one ended. */
typedef struct layout {
    unsigned char *at; /* NULL: only counts bytes */
    size_t bytes;
} layout;

static void *next_array(layout *l, int count, size_t size) {
    void *array = l->at ? l->at + l->bytes : NULL;
    l->bytes += (size_t)count * size;
    return array;
}

static int *copy_list(layout *l, const int *list, int count, int capacity) {
    int *to = next_array(l, capacity, sizeof *to);
    if (to && count > 0)
        memcpy(to, list, (size_t)count * sizeof *to);
    return to;
}

/* Places that no witness uses. */
static void clear_between(sal__witness *item, int from, int end) {
    for (int i = from; i < end; i++)
        item[i] = (sal__witness){.info.event = -1};
}

static sal__witness *copy_items(layout *l, const sal_simulator *sim, int capacity) {
    const sal__witnesses *old = &sim->witnesses;
    const int conditions = sim->conditions.count;
    sal__witness *to = next_array(l, capacity, sizeof *to);
    if (!to)
        return NULL;
    if (old->count > 0)
        memcpy(to, old->item, (size_t)old->count * sizeof *to);
    if (conditions > 0)
        memcpy(to + capacity - conditions, old->item + old->capacity - conditions, (size_t)conditions * sizeof *to);
    clear_between(to, old->count, capacity - conditions);
    return to;
}

typedef struct lists {
    sal__witness *item;
    int *active, *fired, *handled, *crossing, *candidate;
    unsigned char *membership;
} lists;

/* The one with the largest alignment comes first. */
static lists lay_out(layout *l, const sal_simulator *sim, int capacity) {
    const sal__witnesses *w = &sim->witnesses;
    lists to;
    to.item = copy_items(l, sim, capacity);
    to.active = copy_list(l, w->active, w->active_count, capacity);
    to.fired = copy_list(l, w->fired, w->fired_count, capacity);
    to.handled = copy_list(l, w->handled, w->handled_count, capacity);
    to.crossing = copy_list(l, sim->crossings.item, sim->crossings.count, capacity);
    to.candidate = next_array(l, capacity, sizeof *to.candidate);
    to.membership = next_array(l, capacity, sizeof *to.membership);
    return to;
}

static void use(sal_simulator *sim, const lists *to) {
    sal__witnesses *w = &sim->witnesses;
    w->item = to->item, w->list_membership = to->membership;
    w->active = to->active, w->fired = to->fired, w->handled = to->handled;
    sim->crossings.item = to->crossing;
    sim->candidates.item = to->candidate;
}

/* Conditions moved by that many places. */
static void shift_conditions(sal_simulator *sim, int first, int by) {
    for (int k = 0; k < sim->witnesses.fired_count; k++)
        sim->witnesses.fired[k] += sim->witnesses.fired[k] >= first ? by : 0;
    sal__conditions_shift(sim, by);
}

sal_status sal__witnesses_make_room(sal_simulator *sim, int more) {
    sal__witnesses *w = &sim->witnesses;
    const int old = w->capacity, capacity = old + more;
    layout size = {NULL, 0};
    lay_out(&size, sim, capacity);
    layout block = {sal__alloc(&sim->pool.mem, size.bytes), 0};
    if (!block.at)
        return SAL_ENOMEM;
    const lists to = lay_out(&block, sim, capacity);
    use(sim, &to);
    sal__witnesses_free(sim);
    w->capacity = capacity;
    sim->host.watches.witness_block = block.at;
    sim->host.watches.witness_bytes = size.bytes;
    shift_conditions(sim, old - sim->conditions.count, more);
    return SAL_OK;
}

void sal__witnesses_free(sal_simulator *sim) {
    sal__free(&sim->pool.mem, sim->host.watches.witness_block, sim->host.watches.witness_bytes);
}

/* ---- watches ---- */

sal__witness *sal__witness_append(sal_simulator *sim) {
    return &sim->witnesses.item[sim->witnesses.count++];
}

/* In the rest of a step that an event interrupted, only new ones are armed. */
static bool arms_new_ones_only(const sal_simulator *sim) {
    return sim->flow.interrupted_step.is_pending && sim->witnesses.guarded_count == 0;
}

void sal__witness_join_step(sal_simulator *sim, double value) {
    sal__witnesses *w = &sim->witnesses;
    const int last = w->count - 1;
    const bool few = arms_new_ones_only(sim);
    const bool others_are_armed = w->armed_count > 0 && (few ? w->handled_count == 0 : w->armed_count == last);
    if (others_are_armed) { /* a step failed, and is tried again */
        sal__witness_activate(sim, last, value);
        w->armed_count += !few;
    } else if (few) {
        w->handled[w->handled_count++] = last;
    }
}

/* Conditions, from `end` on, keep their places. */
static void remove_from(int *list, int *count, int witness, int end) {
    int kept = 0;
    for (int k = 0; k < *count; k++)
        if (list[k] != witness)
            list[kept++] = list[k] - (list[k] > witness && list[k] < end);
    *count = kept;
}

void sal__witness_remove(sal_simulator *sim, int witness) {
    sal__witnesses *w = &sim->witnesses;
    const int end = w->count--;
    memmove(&w->item[witness], &w->item[witness + 1], (size_t)(end - witness - 1) * sizeof *w->item);
    clear_between(w->item, end - 1, end);
    remove_from(w->active, &w->active_count, witness, end);
    remove_from(w->fired, &w->fired_count, witness, end);
    remove_from(w->handled, &w->handled_count, witness, end);
    remove_from(sim->crossings.item, &sim->crossings.count, witness, end);
    if (!arms_new_ones_only(sim) && w->armed_count > witness)
        w->armed_count--;
}

void sal__witness_truncate(sal_simulator *sim, int count) {
    sim->witnesses.count = count;
}
