/* A run as bytes, and back: the context, timers, armed witnesses, what is scheduled,
 * the step size, the random streams. Everything that the next step depends on.
 *
 *   head   magic, layout of the system, size of the whole
 *   body   numbers of the run, the context's block, timers, witnesses, schedule, slots
 *   tail   checksum: the hash of the head, with that of the body as its seed
 * Numbers are written as they stand in memory: a snapshot is for the same program on
 * the same kind of machine. The checksum finds damage, not malice: every field of the body has a rule, and nothing of
 * the run changes before all of them hold (base/archive.h). What is added to a run has its line in a function here
 * that is called archive_..., or in one of the files named ..._snapshot.c, and nowhere else. */
#include <string.h>

#include "numerics/integrator/integrator_snapshot.h"
#include "simulator.h"

#define MAGIC UINT64_C(0x3553554C4C5453B2) /* ends in a version */

typedef struct head {
    uint64_t magic, layout, size;
} head;

/* The sizes that the first reading finds, before room is reserved. */
typedef struct found {
    double time;
    bool initialized; /* false: there is no progress to save */
    bool edited;      /* nothing is known of the last step */
    bool moved;       /* what flows was edited too */
    sal__interrupted_step rest;
    int scheduled, discontinuities;
    size_t slots;      /* where they begin */
    sal_status status; /* ENOMEM: a history finds no room */
} found;

/* ---- the run ---- */

static void archive_run(sal__archive *a, sal_simulator *sim, found *f) {
    f->edited = sim->contexts.current->versions.external_writes != sim->run_state.seen_external_writes;
    f->edited = sal__flag(a, &f->edited);
    f->moved = sim->contexts.current->versions.external_moves != sim->run_state.seen_external_moves;
    f->moved = sal__flag(a, &f->moved);
    f->time = sal__real(a, &sim->contexts.current->time);
    sal__bits(a, &sim->contexts.current->seed);
    f->initialized = sal__run_archive(a, sim, f->time);
}

/* Their number is known once they are written; they are hashed later, with it. */
static void write_integrator(sal__archive *a, sal_simulator *sim) {
    int64_t bytes = 0;
    sal__int64(a, &bytes, 0, INT64_MAX);
    sal__hasher *const hasher = a->hasher;
    const size_t begin = a->at;
    a->hasher = NULL;
    sal__integrator_archive(a, sim->integrator);
    a->hasher = hasher;
    bytes = (int64_t)(a->at - begin);
    if (a->mode == SAL__WRITE && !a->is_bad)
        memcpy(a->to + begin - sizeof bytes, &bytes, sizeof bytes);
}

/* Bytes of another integrator are skipped by their size. */
static void archive_integrator(sal__archive *a, sal_simulator *sim) {
    if (!sal__is_loading(a)) {
        write_integrator(a, sim);
        return;
    }
    int64_t bytes = 0;
    bytes = sal__int64(a, &bytes, 0, INT64_MAX);
    sal__rule(a, (uint64_t)bytes <= a->size - a->at);
    if (a->is_bad)
        return;
    sal__archive part = sal__archive_part(a, (size_t)bytes);
    sal__integrator_archive(&part, sim->integrator);
    sal__rule(a, sal__archive_ended(&part));
}

/* ---- the context ---- */

/* The position in a part's random stream is one of its discrete numbers. */
static bool are_draws(const sal__plan *plan, const unsigned char *block) {
    for (int i = 0; i < plan->part_count; i++) {
        const sal__range held = plan->part[i].discrete;
        const double draws = sal__real_at(block, (size_t)(held.at + held.size - 1));
        if (!(draws >= 0 && draws < 0x1p53))
            return false;
    }
    return true;
}

static bool are_modes(const sal__plan *plan, const unsigned char *block) {
    for (int i = 0; i < plan->mode_count; i++) {
        const sal__mode *mode = &plan->mode[i];
        const double value = sal__real_at(block, (size_t)mode->at);
        const bool is_nothing = mode->may_be_unset && isnan(value);
        if (!is_nothing && !(value >= 1 && value <= mode->count && value == floor(value)))
            return false;
    }
    return true;
}

void sal__block_archive(sal__archive *a, sal_simulator *sim, sal__context_data *data) {
    const unsigned char *block = sal__reals(a, data->block, (size_t)sim->contexts.current->block_size);
    if (a->mode == SAL__CHECK && block)
        sal__rule(a, are_draws(sim->plan, block) && are_modes(sim->plan, block));
}

/* The bytes of a value depend on its type; load_slots reads them. */
static void archive_slot(sal__archive *a, sal_simulator *sim, int slot, sal_status *status) {
    const sal_slot_type *type = sal__slot_of(sim->plan, slot)->type;
    size_t (*const size)(const void *value) = a->at_most && type->bound ? type->bound : type->size;
    uint64_t bytes = !sal__is_loading(a) && size ? size(sim->contexts.current->slot[slot]) : 0;
    bytes = sal__bits(a, &bytes);
    sal__rule(a, bytes == 0 || (type->load && bytes <= a->size - a->at));
    if (sal__history_archive(a, sim, slot, (size_t)bytes, status))
        return;
    if (sal__archive_step(a, SAL__FIELD_BYTES, (size_t)bytes) && a->mode == SAL__WRITE && bytes > 0)
        type->save(sim->contexts.current->slot[slot], a->to + a->at - bytes);
}

static void archive_slots(sal__archive *a, sal_simulator *sim, found *f) {
    f->slots = a->at;
    for (int i = 0; i < sim->plan->slot_count && !a->is_bad; i++)
        archive_slot(a, sim, i, &f->status);
}

/* ---- the whole ---- */

/* What begins with the initialization. */
static void archive_progress(sal__archive *a, sal_simulator *sim, int watches, found *f) {
    archive_integrator(a, sim);
    sal__flow_archive(a, sim, f->time, f->edited, &f->rest);
    sal__last_event_archive(a, sim);
    sal__witnesses_archive(a, sim, watches, &f->rest);
}

static void archive(sal__archive *a, sal_simulator *sim, found *f) {
    archive_run(a, sim, f);
    sal__block_archive(a, sim, sim->contexts.current);
    const int watches = sal__watches_archive(a, sim);
    if (f->initialized || a->at_most)
        archive_progress(a, sim, watches, f);
    else if (a->mode == SAL__READ)
        sal__forget_progress(sim);
    sal__schedule_archive(a, sim, f->edited, &f->scheduled);
    sal__delays_archive(a, sim, &f->discontinuities);
    sal__feeds_archive(a, sim, f->time);
    archive_slots(a, sim, f);
}

/* Counting and writing change nothing. */
static sal_simulator *unchanged(const sal_simulator *sim) {
    return (sal_simulator *)(uintptr_t)sim;
}

void sal__snapshot_fields(const sal_simulator *sim, void (*list)(void *user, sal__field field, size_t at, size_t bytes),
                          void *user) {
    found f = {0};
    sal__archive a = {.mode = SAL__COUNT, .at = sizeof(head), .list = list, .user = user};
    archive(&a, unchanged(sim), &f);
}

static size_t count_bytes(const sal_simulator *sim, bool at_most) {
    found f = {0};
    sal__archive a = {.mode = SAL__COUNT, .at_most = at_most};
    archive(&a, unchanged(sim), &f);
    return sizeof(head) + a.at + sizeof(uint64_t);
}

size_t sal_simulator_save_size(const sal_simulator *sim) {
    return count_bytes(sim, false);
}

size_t sal_simulator_save_bound(const sal_simulator *sim) {
    return count_bytes(sim, true);
}

static sal_status refuse_size(sal_simulator *sim, size_t size) {
    return SAL__REFUSE_CALL(sim, SAL_EINVAL, "a save of this run needs ",
                            sal__whole_number((int64_t)sal_simulator_save_size(sim)).text, " bytes, not ",
                            sal__whole_number((int64_t)size).text, "; call sal_simulator_save_size before each save");
}

static sal_status save(sal_simulator *sim, void *bytes, size_t room, size_t *size) {
    const size_t around = sizeof(head) + sizeof(uint64_t);
    if (room < around)
        return refuse_size(sim, room);
    unsigned char *const body = (unsigned char *)bytes + sizeof(head);
    found f = {0};
    sal__hasher hasher;
    sal__hasher_begin(&hasher, 0);
    sal__archive a = sal__archive_to(body, room - around);
    a.hasher = &hasher;
    archive(&a, sim, &f);
    if (a.is_bad)
        return refuse_size(sim, room);
    const head first = {MAGIC, sim->plan->layout_hash, around + a.at};
    memcpy(bytes, &first, sizeof first);
    const uint64_t checksum = sal_hash(&first, sizeof first, sal__archive_hash(&a, a.at));
    memcpy(body + a.at, &checksum, sizeof checksum);
    *size = around + a.at;
    return SAL_OK;
}

sal_status sal_simulator_save_within(sal_simulator *sim, void *bytes, size_t room, size_t *size) {
    const sal_status status = sal__begin_call(sim);
    return status == SAL_OK ? sal__end_call(sim, save(sim, bytes, room, size)) : sal__refuse_state(sim);
}

sal_status sal_simulator_save(sal_simulator *sim, void *bytes, size_t size) {
    size_t taken = 0;
    const sal_status status = sal_simulator_save_within(sim, bytes, size, &taken);
    return status == SAL_OK && taken != size ? refuse_size(sim, size) : status;
}

static bool is_mine(const sal_simulator *sim, const unsigned char *bytes, size_t size) {
    head first;
    if (size < sizeof first + sizeof(uint64_t))
        return false;
    memcpy(&first, bytes, sizeof first);
    return first.magic == MAGIC && first.layout == sim->plan->layout_hash && first.size == size;
}

/* Is the checksum right? The archive has checked the body, and hashed what it copied. */
static bool is_whole(const sal__archive *a, const unsigned char *bytes, size_t size) {
    uint64_t checksum;
    memcpy(&checksum, bytes + size - sizeof checksum, sizeof checksum);
    return checksum == sal_hash(bytes, sizeof(head), sal__archive_hash(a, a->size));
}

/* Reads into the lookup context, which is unused between calls. */
static sal_status load_slots(sal_simulator *sim, const unsigned char *at) {
    for (int i = 0; i < sim->plan->slot_count; i++) {
        uint64_t size;
        memcpy(&size, at, sizeof size);
        at += sizeof size;
        const sal_slot_type *type = sal__slot_of(sim->plan, i)->type;
        const sal_status status = type->load && !sal__is_history(sim, i)
                                      ? type->load(sim->contexts.lookup->slot[i], at, (size_t)size)
                                      : SAL_OK;
        if (status != SAL_OK)
            return status;
        at += size;
    }
    return SAL_OK;
}

/* Reserves room first, so nothing can fail after the first number was overwritten. */
static sal_status make_room(sal_simulator *sim, const found *f) {
    const sal_status status = sal__schedule_reserve(sim, f->scheduled);
    return status == SAL_OK ? sal__delays_reserve(sim, f->discontinuities) : status;
}

/* Everything that is not in the bytes starts anew. Writes before the save are noticed, as they would have been. */
static void settle(sal_simulator *sim, const found *f) {
    if (f->edited)
        sal_integrator_invalidate(sim->integrator);
    sal__context_data_touch(sim->contexts.current);
    sal__context_data_look(sim->contexts.current, f->time, NULL);
    sal__run_see_context(sim, f->edited, f->moved);
}

/* Reads the bytes, which were checked. */
static void take(sal__archive *a, sal_simulator *sim, found *f) {
    if (!sim->run_state.initialized)
        sal_integrator_initialize(sim->integrator);
    sal__archive_read(a);
    archive(a, sim, f);
    settle(sim, f);
}

static sal__archive body_of(const void *bytes, size_t size) {
    return sal__archive_from((const unsigned char *)bytes + sizeof(head), size - sizeof(head) - sizeof(uint64_t));
}

static sal_status refuse_bytes(sal_simulator *sim) {
    return SAL__REFUSE_CALL(sim, SAL_EINVAL,
                            "the bytes are not a save of this system by this program: they are of "
                            "another one, cut or damaged; load what sal_simulator_save wrote");
}

sal_status sal__snapshot_prepare(sal_simulator *sim, const void *bytes, size_t size) {
    if (!is_mine(sim, bytes, size))
        return refuse_bytes(sim);
    found f = {0};
    sal__hasher hasher;
    sal__hasher_begin(&hasher, 0);
    sal__archive a = body_of(bytes, size);
    a.hasher = &hasher;
    archive(&a, sim, &f);
    if (!is_whole(&a, bytes, size))
        return refuse_bytes(sim);
    if (f.status == SAL_ENOMEM)
        return SAL_ENOMEM;
    if (!sal__archive_ended(&a))
        return SAL__REFUSE_CALL(sim, sim->host.watches.is_absent ? SAL_EWATCH : SAL_EINVAL,
                                sim->host.watches.is_absent
                                    ? "the save has a watch that is not known here; add it by sal_simulator_know_watch"
                                    : "the bytes are damaged; load what sal_simulator_save wrote");
    const sal_status status = make_room(sim, &f);
    return status == SAL_OK ? load_slots(sim, a.from + f.slots) : status;
}

sal_status sal__snapshot_take(sal_simulator *sim, const void *bytes, size_t size) {
    found f = {0};
    sal__archive a = body_of(bytes, size);
    for (int i = 0; i < sim->plan->slot_count; i++)
        sal__swap_slots(sim->contexts.current, sim->contexts.lookup, i);
    take(&a, sim, &f);
    return sal__notify_observers(sim, SAL_OBSERVE_LOADED, -1, -1);
}

static sal_status load(sal_simulator *sim, const void *bytes, size_t size) {
    const sal_status status = sal__snapshot_prepare(sim, bytes, size);
    return status == SAL_OK ? sal__snapshot_take(sim, bytes, size) : status;
}

static sal_status reload(sal_simulator *sim, const void *bytes, size_t size) {
    if (sim->plan->slot_count > 0)
        return load(sim, bytes, size); /* abstract state may need memory */
    found f = {0};
    sal__archive a = body_of(bytes, size);
    take(&a, sim, &f);
    return sal__archive_ended(&a) ? sal__notify_observers(sim, SAL_OBSERVE_LOADED, -1, -1) : load(sim, bytes, size);
}

sal_status sal__simulator_reload(sal_simulator *sim, const void *bytes, size_t size) {
    const sal_status status = sal__begin_call(sim);
    return status == SAL_OK ? sal__end_call(sim, reload(sim, bytes, size)) : status;
}

sal_status sal_simulator_load(sal_simulator *sim, const void *bytes, size_t size) {
    const sal_status status = sal__begin_call(sim);
    return status == SAL_OK ? sal__end_call(sim, load(sim, bytes, size)) : sal__refuse_state(sim);
}

/* The hash of what the model can read: time, numbers, abstract state. Two runs with the same hash continue alike. */
uint64_t sal_simulator_hash(const sal_simulator *sim) {
    uint64_t hash = sal_hash(&sim->contexts.current->time, sizeof(double), sim->contexts.current->seed);
    hash = sal_hash(sim->contexts.current->block, (size_t)sim->contexts.current->block_size * sizeof(double), hash);
    for (int i = 0; i < sim->plan->slot_count; i++) {
        const sal_slot_type *type = sal__slot_of(sim->plan, i)->type;
        if (type->hash)
            hash = type->hash(sim->contexts.current->slot[i], hash);
    }
    return sal__feeds_hash(sim, hash);
}
