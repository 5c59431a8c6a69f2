/* Writes of a handler to numbers beside those of its part, by an index that is too large or negative.
 *
 * The numbers of all parts are one block, so such a write would change another part, or where the part stands in its
 * random stream. The first handlers that a simulator calls are watched: mistakes with indices are mostly there from the
 * start, and to watch all would take longer than many handlers. */
#include <string.h>

#include "base/sentence.h"
#include "engine/simulator.h"

enum { BESIDE = 8 };

typedef struct neighbours {
    double before[SAL__MAX_RANGES][2 * BESIDE]; /* of each range that the handler may write */
    double draws;                               /* its position in its random stream */
    int64_t draws_made;
} neighbours;

static const sal__range *ranges_of(const sal_simulator *sim, const sal__part *part, int *count) {
    *count = sim->transaction.discrete_only ? 1 : part->range_count;
    return sim->transaction.discrete_only ? &part->discrete : part->range;
}

/* Index in the block of neighbour k of a range. */
static int neighbour_at(sal__range range, int k) {
    return k < BESIDE ? range.at - BESIDE + k : range.at + range.size + k - BESIDE;
}

static bool is_beside(const sal_simulator *sim, const sal__range *range, int count, int at) {
    bool beside = at >= 0 && at < sim->contexts.next->block_size;
    for (int r = 0; r < count; r++)
        beside = beside && (at < range[r].at || at >= range[r].at + range[r].size);
    return beside;
}

static const double *draws_of(const sal_simulator *sim, const sal__part *part) {
    return &sim->contexts.next->block[part->discrete.at + part->discrete.size - 1];
}

static void note_neighbours(const sal_simulator *sim, const sal__part *part, neighbours *n) {
    int count = 0;
    const sal__range *range = ranges_of(sim, part, &count);
    for (int r = 0; r < count; r++)
        for (int k = 0; k < 2 * BESIDE; k++) {
            const int at = neighbour_at(range[r], k);
            n->before[r][k] = is_beside(sim, range, count, at) ? sim->contexts.next->block[at] : 0;
        }
    n->draws = *draws_of(sim, part);
    n->draws_made = sim->contexts.next->draws_made;
}

/* Restores the neighbours that were written. Returns the index of the first in the block, or -1. */
static int restore_neighbours(sal_simulator *sim, const sal__part *part, const neighbours *n) {
    int count = 0, found = -1;
    const sal__range *range = ranges_of(sim, part, &count);
    for (int r = 0; r < count; r++)
        for (int k = 0; k < 2 * BESIDE; k++) {
            const int at = neighbour_at(range[r], k);
            if (!is_beside(sim, range, count, at) ||
                memcmp(&sim->contexts.next->block[at], &n->before[r][k], sizeof(double)) == 0)
                continue;
            sim->contexts.next->block[at] = n->before[r][k];
            found = found < 0 ? at : found;
        }
    return found;
}

static bool has_true_draws(const sal_simulator *sim, const sal__part *part, const neighbours *n) {
    return *draws_of(sim, part) == n->draws + (double)(sim->contexts.next->draws_made - n->draws_made);
}

/* ---- the sentence ---- */

static const sal__value *value_at(const sal_simulator *sim, const sal__part *part, int at) {
    const sal__context_data *next = sim->contexts.next;
    for (int k = 0; k < part->system->values.count; k++) {
        const sal__value *v = &part->system->values.item[k];
        const int first = (int)(next->storage[v->partition] - next->block) + part->at[v->partition] + v->at;
        if (at >= first && at < first + v->size)
            return v;
    }
    return NULL;
}

static const char *name_of(const sal__part *part) {
    return part->name[0] ? part->name : part->system->name;
}

static void describe(const sal_simulator *sim, int at, sal_note *note) {
    const sal__value *v = NULL;
    const sal__part *part = sim->plan->part;
    while (!(v = value_at(sim, part, at)) && part < sim->plan->part + sim->plan->part_count - 1)
        part++;
    sal__write_pieces(note->text, sizeof note->text,
                      SAL__PIECES("the handler writes ", v ? "\"" : "", v ? v->name : "what is not its own",
                                  v ? "\" of \"" : "", v ? name_of(part) : "", v ? "\"" : "",
                                  ", by an index into its own numbers that is too large or negative"));
}

static void describe_draws(const sal__part *part, sal_note *note) {
    sal__write_pieces(note->text, sizeof note->text,
                      SAL__PIECES("the handler writes behind the discrete values of \"", name_of(part),
                                  "\", by an index that is too large"));
}

sal_outcome sal__call_watched_update(sal_simulator *sim, const sal__planned_event *e, const sal_event *event,
                                     sal_note *note) {
    const sal__part *part = &sim->plan->part[e->part];
    neighbours n;
    note_neighbours(sim, part, &n);
    const sal_outcome outcome = sal__call_update(sim, e, event, note);
    const int written = restore_neighbours(sim, part, &n);
    if (written < 0 && has_true_draws(sim, part, &n)) {
        sim->stray_numbers.updates_left--;
        return outcome;
    }
    if (written >= 0)
        describe(sim, written, note);
    else
        describe_draws(part, note);
    return SAL_FAILED;
}
