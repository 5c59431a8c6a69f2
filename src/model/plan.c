/* What a model must have in common with another one for a saved run of one to be a run of the other: its parts, their
 * numbers, modes, slots and events, by name, size and order. Hashed once, when the plan is made. */
#include "base/xxh64.h"
#include "model.h"

static uint64_t add_text(uint64_t hash, const char *text) {
    return sal__xxh64(text, strlen(text) + 1, hash);
}

static uint64_t add_event(uint64_t hash, const sal__planned_event *e) {
    const sal_event_config *c = e->config;
    const int32_t kinds[] = {e->part, e->trigger, e->kind, e->time_variable, e->has_guard, (int32_t)c->direction};
    const double clock[] = {c->period, c->offset};
    hash = add_text(hash, c->name);
    hash = sal__xxh64(kinds, sizeof kinds, hash);
    return e->trigger == SAL_ON_PERIOD ? sal__xxh64(clock, sizeof clock, hash) : hash;
}

static uint64_t add_part(uint64_t hash, const sal__part *part) {
    const sal_system *sys = part->system;
    hash = add_text(hash, part->name);
    hash = sal__xxh64(sys->size, sizeof sys->size, hash);
    for (int k = 0; k < sys->values.count; k++) {
        const sal__value *value = &sys->values.item[k];
        hash = add_text(hash, value->name);
        hash = value->mode_count > 0 ? sal__xxh64(&value->mode_hash, sizeof value->mode_hash, hash) : hash;
    }
    for (int k = 0; k < sys->slots.count; k++)
        hash = add_text(hash, sys->slots.item[k].name);
    return hash;
}

uint64_t sal__layout_hash(const sal__plan *plan) {
    const int32_t counts[] = {plan->part_count, plan->slot_count, plan->event_count};
    uint64_t hash = sal__xxh64(plan->size, sizeof plan->size, 0);
    hash = sal__xxh64(counts, sizeof counts, hash);
    for (int i = 0; i < plan->part_count; i++)
        hash = add_part(hash, &plan->part[i]);
    for (int i = 0; i < plan->event_count; i++)
        hash = add_event(hash, &plan->event[i]);
    return hash;
}
