/* A group as bytes, and back: its slots, shared inputs, links and messages, then the saves of its members.
 *
 *   head   magic, layout of the system, size of the whole
 *   body   numbers of the group, and for each member, in the order of the slots, the size of its save and the save
 *   tail   checksum of all before
 * As in engine/snapshot.c, every field has a rule, and nothing changes before all of them hold. */
#include "group_impl.h"

#include <limits.h>
#include <string.h>

#define MAGIC UINT64_C(0x0153554C54475250) /* begins with a version */

typedef struct head {
    uint64_t magic, layout, size;
} head;

/* ---- slots ---- */

enum { LIVES = 0, NEXT = sizeof(int64_t), USED = NEXT + sizeof(int32_t), SLOT = USED + 1 }; /* in the bytes */

static void archive_slot(sal__archive *a, sal__group_slot *slot) {
    const int64_t most = INT64_MAX >> SAL__SLOT_BITS;
    const int64_t lives = sal__int64(a, &slot->lives, 0, most);
    sal__int(a, &slot->next_free, -1, SAL_MAX_MEMBERS - 1);
    const bool is_used = sal__flag(a, &slot->is_used);
    sal__rule(a, lives > 0 || !is_used);
}

static bool is_used_in(const unsigned char *slots, int i) {
    return slots[(size_t)i * SLOT + USED] != 0;
}

static int next_in(const unsigned char *slots, int i) {
    int32_t next;
    memcpy(&next, slots + (size_t)i * SLOT + NEXT, sizeof next);
    return next;
}

/* The free slots are one chain that ends. */
static bool is_chain(const unsigned char *slots, int count, int used, int first) {
    int length = 0;
    for (int i = first; i != -1; i = next_in(slots, i), length++)
        if (i < 0 || i >= count || length >= count || is_used_in(slots, i))
            return false;
    return length == count - used;
}

static int count_used(const unsigned char *slots, int count) {
    int used = 0;
    for (int i = 0; i < count; i++)
        used += is_used_in(slots, i);
    return used;
}

/* Returns how many slots there are. There are at least as many in memory when they are read. */
static int archive_slots(sal__archive *a, sal_group *group) {
    sal__group_slot checked = {0};
    int first = group->first_free, count = group->slots.count;
    first = sal__int(a, &first, -1, SAL_MAX_MEMBERS - 1);
    count = sal__count(a, &count, SAL_MAX_MEMBERS, SLOT);
    if (a->is_bad)
        return 0;
    const unsigned char *slots = sal__is_loading(a) ? a->from + a->at : NULL;
    for (int i = 0; i < count && !a->is_bad; i++)
        archive_slot(a, a->mode == SAL__CHECK ? &checked : &group->slots.item[i]);
    if (a->mode == SAL__CHECK && !a->is_bad)
        sal__rule(a, is_chain(slots, count, count_used(slots, count), first));
    if (a->mode == SAL__READ)
        sal__group_finish_slots(group, count, first);
    return count;
}

/* ---- signals and messages ---- */

static void archive_input(sal__archive *a, sal__shared_input *shared, int size) {
    sal__flag(a, &shared->is_set);
    const double t0 = sal__real_finite(a, &shared->t0), t1 = sal__real_finite(a, &shared->t1);
    sal__rule(a, t0 <= t1);
    double *const ends[] = {shared->from, shared->to};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < size; i++)
            sal__real_finite(a, &ends[k][i]);
}

static void archive_inputs(sal__archive *a, sal_group *group) {
    const sal__plan *plan = group->system->plan;
    for (int i = 0; i < plan->input_count && !a->is_bad; i++)
        archive_input(a, &group->inputs[i], plan->input_slot[i].source < 0 ? plan->input_slot[i].size : 0);
}

static void archive_link(sal__archive *a, sal_group *group, sal__group_link *link) {
    sal__group_link had = *link;
    had.from = sal__int64(a, &had.from, 1, INT64_MAX);
    had.to = sal__int64(a, &had.to, 1, INT64_MAX);
    int *const numbers[] = {&had.from_part, &had.output, &had.to_part, &had.input, &had.size};
    for (int i = 0; i < 5; i++)
        *numbers[i] = sal__int(a, numbers[i], 0, INT_MAX - 1);
    sal__rule(a, sal__group_suits(group, &had));
    if (a->mode == SAL__READ)
        *link = had;
}

static void archive_links(sal__archive *a, sal_group *group) {
    enum { EACH = 2 * sizeof(int64_t) + 5 * sizeof(int32_t) };
    sal__group_link checked = {0};
    int count = group->links.list.count;
    count = sal__count(a, &count, SAL_MAX_MEMBERS, EACH);
    sal__may_take(a, (size_t)(group->links.list.cap - count) * EACH);
    for (int i = 0; i < count && !a->is_bad; i++)
        archive_link(a, group, a->mode == SAL__CHECK ? &checked : &group->links.list.item[i]);
    if (a->mode == SAL__READ)
        sal__group_finish_links(group, count);
}

static void archive_message(sal__archive *a, const sal_group *group, sal_message *m) {
    sal__int64(a, &m->from, 1, INT64_MAX);
    sal__int64(a, &m->to, INT64_MIN, INT64_MAX);
    sal__real_not_nan(a, &m->time);
    const int part = sal__int(a, &m->part, 0, INT_MAX - 1), event = sal__int(a, &m->event, 0, INT_MAX - 1);
    sal__rule(a, sal__group_can_demand(group, part, event));
    sal__reals(a, m->value, SAL_MESSAGE_VALUES);
}

static void archive_messages(sal__archive *a, sal_group *group) {
    enum { EACH = 2 * sizeof(int64_t) + sizeof(double) + 2 * sizeof(int32_t) + SAL_MESSAGE_VALUES * sizeof(double) };
    sal_message checked = {0};
    int count = group->sent.count;
    count = sal__count(a, &count, INT_MAX / EACH, EACH);
    sal__may_take(a, (size_t)(group->sent.cap - count) * EACH);
    for (int i = 0; i < count && !a->is_bad; i++)
        archive_message(a, group, a->mode == SAL__CHECK ? &checked : &group->sent.item[i]);
    if (a->mode == SAL__READ)
        sal__group_set_sent(group, count);
}

/* ---- the whole ---- */

/* What the first reading finds, before anything is reserved. */
typedef struct found {
    int slots, links, messages;
    size_t members; /* where they begin */
} found;

static void archive(sal__archive *a, sal_group *group, found *f) {
    sal__real_finite(a, &group->time);
    f->slots = archive_slots(a, group);
    archive_inputs(a, group);
    archive_links(a, group);
    archive_messages(a, group);
    f->members = a->at;
}

static sal_group *unchanged(const sal_group *group) {
    return (sal_group *)(uintptr_t)group;
}

static size_t count_bytes(const sal_group *group, bool at_most) {
    found f = {0};
    sal__archive a = {.mode = SAL__COUNT, .at_most = at_most};
    archive(&a, unchanged(group), &f);
    for (int i = 0; i < group->slots.count; i++) {
        const sal__group_slot *slot = &group->slots.item[i];
        if (at_most)
            a.at += sizeof(uint64_t) + sal_simulator_save_bound(slot->sim);
        else if (slot->is_used)
            a.at += sizeof(uint64_t) + sal_simulator_save_size(slot->sim);
    }
    return sizeof(head) + a.at + sizeof(uint64_t);
}

size_t sal_group_save_size(const sal_group *group) {
    return count_bytes(group, false);
}

size_t sal_group_save_bound(const sal_group *group) {
    return count_bytes(group, true);
}

static void write_member(sal__archive *a, sal_simulator *sim) {
    uint64_t bytes = 0;
    size_t size = 0;
    sal__bits(a, &bytes);
    if (a->is_bad || sal_simulator_save_within(sim, a->to + a->at, a->size - a->at, &size) != SAL_OK) {
        sal__archive_spoil(a);
        return;
    }
    bytes = size;
    memcpy(a->to + a->at - sizeof bytes, &bytes, sizeof bytes);
    a->at += size;
}

static sal_status refuse_room(sal_group *group) {
    return SAL__REFUSE_GROUP(group, SAL_EINVAL, "a save of this group needs ",
                             sal__whole_number((int64_t)sal_group_save_size(group)).text,
                             " bytes; ask sal_group_save_size before each save, or reserve sal_group_save_bound");
}

sal_status sal_group_save(sal_group *group, void *bytes, size_t room, size_t *size) {
    const size_t around = sizeof(head) + sizeof(uint64_t);
    if (sal__group_check_idle(group) != SAL_OK)
        return SAL_ESTATE;
    if (room < around)
        return refuse_room(group);
    unsigned char *const body = (unsigned char *)bytes + sizeof(head);
    found f = {0};
    sal__archive a = sal__archive_to(body, room - around);
    archive(&a, group, &f);
    for (int i = 0; i < group->slots.count && !a.is_bad; i++)
        if (group->slots.item[i].is_used)
            write_member(&a, group->slots.item[i].sim);
    if (a.is_bad)
        return refuse_room(group);
    const head first = {MAGIC, group->system->plan->layout_hash, around + a.at};
    memcpy(bytes, &first, sizeof first);
    const uint64_t checksum = sal_hash(bytes, sizeof first + a.at, 0);
    memcpy(body + a.at, &checksum, sizeof checksum);
    *size = around + a.at;
    return SAL_OK;
}

/* ---- loading ---- */

static bool is_mine(const sal_group *group, const unsigned char *bytes, size_t size) {
    head first;
    uint64_t checksum;
    if (size < sizeof first + sizeof checksum)
        return false;
    memcpy(&first, bytes, sizeof first);
    memcpy(&checksum, bytes + size - sizeof checksum, sizeof checksum);
    return first.magic == MAGIC && first.layout == group->system->plan->layout_hash && first.size == size &&
           checksum == sal_hash(bytes, size - sizeof checksum, 0);
}

/* Calls `each` with the simulator and the bytes of each member, as `slots` says. EINVAL if the bytes do not end with
 * the last one. */
static sal_status for_members(sal_group *group, const unsigned char *slots, int count, const unsigned char *at,
                              const unsigned char *end,
                              sal_status (*each)(sal_simulator *sim, const void *bytes, size_t size)) {
    for (int i = 0; i < count; i++) {
        uint64_t size;
        if (!is_used_in(slots, i))
            continue;
        if ((size_t)(end - at) < sizeof size)
            return SAL_EINVAL;
        memcpy(&size, at, sizeof size);
        at += sizeof size;
        if (size > (uint64_t)(end - at))
            return SAL_EINVAL;
        const sal_status status = each(group->slots.item[i].sim, at, (size_t)size);
        if (status != SAL_OK)
            return status;
        at += size;
    }
    return at == end ? SAL_OK : SAL_EINVAL;
}

/* Where the slots begin in a body: after the time, the first free one and their number. */
enum { SLOTS_AT = sizeof(double) + 2 * sizeof(int32_t) };

static sal_status make_room(sal_group *group, const found *f) {
    sal_status status = SAL_OK;
    if (f->slots > group->slots.count)
        status = sal__group_make_slots(group, f->slots);
    if (status == SAL_OK)
        status = sal__group_reserve_links(group, f->links);
    return status == SAL_OK ? sal__group_reserve_messages(group, f->messages) : status;
}

/* How many links and messages the bytes can hold at most. */
static void find_counts(found *f, size_t bytes) {
    enum { LEAST = 36 };
    f->links = f->messages = (int)(bytes / LEAST < INT_MAX ? bytes / LEAST : INT_MAX - 1);
}

static sal_status refuse_bytes(sal_group *group) {
    return SAL__REFUSE_GROUP(group, SAL_EINVAL,
                             "the bytes are not a save of a group of this system by this program: they are of another "
                             "one, cut or damaged; load what sal_group_save wrote");
}

sal_status sal_group_load(sal_group *group, const void *bytes, size_t size) {
    if (sal__group_check_idle(group) != SAL_OK)
        return SAL_ESTATE;
    if (!is_mine(group, bytes, size))
        return refuse_bytes(group);
    const unsigned char *const body = (const unsigned char *)bytes + sizeof(head);
    const unsigned char *const end = (const unsigned char *)bytes + size - sizeof(uint64_t);
    found f = {0};
    sal__archive a = sal__archive_from(body, (size_t)(end - body));
    archive(&a, group, &f);
    if (a.is_bad)
        return refuse_bytes(group);
    find_counts(&f, f.members - SLOTS_AT - (size_t)f.slots * SLOT);
    sal_status status = make_room(group, &f);
    if (status == SAL_OK)
        status = for_members(group, body + SLOTS_AT, f.slots, body + f.members, end, sal__snapshot_prepare);
    if (status != SAL_OK)
        return status == SAL_EINVAL ? refuse_bytes(group) : status;
    sal__archive_read(&a);
    archive(&a, group, &f);
    return for_members(group, body + SLOTS_AT, f.slots, body + f.members, end, sal__snapshot_take);
}

/* ---- the hash ---- */

static uint64_t hash_messages(const sal_group *group, uint64_t hash) {
    for (int i = 0; i < group->sent.count; i++) {
        const sal_message *m = &group->sent.item[i];
        const int64_t ends[] = {m->from, m->to, m->part, m->event};
        hash = sal_hash(ends, sizeof ends, hash);
        hash = sal_hash(&m->time, sizeof m->time, hash);
        hash = sal_hash(m->value, sizeof m->value, hash);
    }
    return hash;
}

/* Time, members with their numbers, and the messages that wait. */
uint64_t sal_group_hash(const sal_group *group) {
    uint64_t hash = sal_hash(&group->time, sizeof group->time, group->config.simulator.seed);
    for (int i = 0; i < group->slots.count; i++) {
        if (!group->slots.item[i].is_used)
            continue;
        const uint64_t member[] = {(uint64_t)sal__member_at(group, i), sal_simulator_hash(group->slots.item[i].sim)};
        hash = sal_hash(member, sizeof member, hash);
    }
    return hash_messages(group, hash);
}
