/* Allocation of a plan, and the hash of its layout; build.c fills the plan. */
#include "model.h"

/* The arrays of a plan and their sizes. */
#define ARRAYS(X) \
    X(part, part_count) \
    X(output_slot, output_count) \
    X(input_slot, input_count) \
    X(event, event_count) \
    X(rank, event_count) \
    X(order.start, event_count) \
    X(order.level, part_count) \
    X(order.start_level, part_count) \
    X(order.history_part, part_count) \
    X(slot_part, slot_count) \
    X(reader, input_count) \
    X(reader_at, part_count + 1) \
    X(mode, mode_count)
#define ALLOCATE(array, count) \
    plan->array = sal__alloc(mem, (size_t)(plan->count) * sizeof *plan->array); \
    complete = complete && plan->array;
#define FREE(array, count) sal__free(mem, plan->array, (size_t)(plan->count) * sizeof *plan->array);

sal__plan *sal__plan_new(const sal_allocator *mem, const sal__plan *counts) {
    sal__plan *plan = sal__alloc(mem, sizeof *plan);
    if (!plan)
        return NULL;
    *plan = *counts;
    bool complete = true;
    ARRAYS(ALLOCATE)
    if (complete)
        return plan;
    sal__plan_free(mem, plan);
    return NULL;
}

void sal__plan_free(const sal_allocator *mem, sal__plan *plan) {
    if (!plan)
        return;
    ARRAYS(FREE)
    SAL_FREE_LIST(mem, plan->need);
    sal__free(mem, plan, sizeof *plan);
}

/* ---- the layout ---- */

static uint64_t add_text(uint64_t hash, const char *text) {
    return sal_hash(text, strlen(text) + 1, hash);
}

static uint64_t add_event(uint64_t hash, const sal__planned_event *e) {
    const sal_event_config *c = e->config;
    const int32_t kinds[] = {e->part, e->trigger, e->kind, e->time_variable, e->has_guard, (int32_t)c->direction};
    const double clock[] = {c->period, c->offset};
    hash = add_text(hash, c->name);
    hash = sal_hash(kinds, sizeof kinds, hash);
    return e->trigger == SAL_ON_PERIOD ? sal_hash(clock, sizeof clock, hash) : hash;
}

static uint64_t add_part(uint64_t hash, const sal__part *part) {
    const sal_system *sys = part->system;
    hash = add_text(hash, part->name);
    hash = sal_hash(sys->size, sizeof sys->size, hash);
    for (int k = 0; k < sys->values.count; k++) {
        const sal__value *value = &sys->values.item[k];
        hash = add_text(hash, value->name);
        hash = value->mode_count > 0 ? sal_hash(&value->mode_hash, sizeof value->mode_hash, hash) : hash;
    }
    for (int k = 0; k < sys->slots.count; k++)
        hash = add_text(hash, sys->slots.item[k].name);
    return hash;
}

/* Hashes what two models must share so that one can load a saved run of the other: parts, numbers, modes, slots and
 * events, by name, size and order. */
uint64_t sal__layout_hash(const sal__plan *plan) {
    const int32_t counts[] = {plan->part_count, plan->slot_count, plan->event_count};
    uint64_t hash = sal_hash(plan->size, sizeof plan->size, 0);
    hash = sal_hash(counts, sizeof counts, hash);
    for (int i = 0; i < plan->part_count; i++)
        hash = add_part(hash, &plan->part[i]);
    for (int i = 0; i < plan->event_count; i++)
        hash = add_event(hash, &plan->event[i]);
    return hash;
}
