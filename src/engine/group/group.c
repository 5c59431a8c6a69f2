/* The members of a group: each has a slot with a simulator, which is made once and serves one member after another. */
#include "group_impl.h"

#include <math.h>
#include <string.h>

sal_group_config sal_group_config_default(void) {
    return (sal_group_config){.size = sizeof(sal_group_config),
                              .simulator = sal_simulator_config_default(),
                              .member_capacity = 64,
                              .link_capacity = 64,
                              .message_capacity = 256};
}

static bool is_capacity(int count) {
    return count >= 0 && count <= SAL_MAX_MEMBERS;
}

static bool is_sound(const sal_group_config *c) {
    return c->size == sizeof *c && isfinite(c->start_time) && is_capacity(c->member_capacity) &&
           is_capacity(c->link_capacity) && is_capacity(c->message_capacity);
}

/* ---- slots ---- */

sal__group_slot *sal__group_find(const sal_group *group, sal_member member) {
    const int64_t slot = member & ((INT64_C(1) << SAL__SLOT_BITS) - 1);
    if (member <= 0 || slot >= group->slots.count)
        return NULL;
    sal__group_slot *found = &group->slots.item[slot];
    return found->is_used && found->lives == member >> SAL__SLOT_BITS ? found : NULL;
}

/* Adds a free slot behind all others. Messages are events from outside: there is room for them. */
static sal_status make_slot(sal_group *group) {
    sal_simulator *sim = NULL;
    sal_status status = SAL_RESERVE(&group->mem, group->slots);
    if (status == SAL_OK)
        status = sal_simulator_new(&group->mem, group->system, NULL, &group->config.simulator, &sim);
    if (status == SAL_OK)
        status = sal__schedule_reserve(sim, 1);
    if (status == SAL_OK)
        group->slots.item[group->slots.count++] = (sal__group_slot){.sim = sim};
    else
        sal_simulator_free(sim);
    return status;
}

/* Slots from `first` on are free after those that were: in this order they are used. */
static void append_free(sal_group *group, int first) {
    const int count = group->slots.count;
    int *last = &group->first_free;
    while (*last >= 0)
        last = &group->slots.item[*last].next_free;
    for (int i = first; i < count; i++) {
        *last = i;
        last = &group->slots.item[i].next_free;
        *last = -1;
    }
}

void sal__group_finish_slots(sal_group *group, int count, int first) {
    group->first_free = first;
    group->used_count = 0;
    for (int i = 0; i < count; i++)
        group->used_count += group->slots.item[i].is_used;
    for (int i = count; i < group->slots.count; i++) {
        group->slots.item[i].is_used = false;
        group->slots.item[i].lives = 0;
    }
    append_free(group, count);
}

sal_status sal__group_make_slots(sal_group *group, int count) {
    const int first = group->slots.count;
    sal_status status = count > SAL_MAX_MEMBERS ? SAL_ENOMEM : SAL_OK;
    while (status == SAL_OK && group->slots.count < count)
        status = make_slot(group);
    append_free(group, first);
    return status;
}

sal_status sal_group_reserve(sal_group *group, int members) {
    if (sal__group_check_idle(group) != SAL_OK)
        return SAL_ESTATE;
    if (!is_capacity(members))
        return SAL__REFUSE_GROUP(group, SAL_EINVAL, sal__whole_number(members).text,
                                 " members cannot be reserved; reserve 0 to SAL_MAX_MEMBERS");
    return sal__group_make_slots(group, members);
}

/* ---- refusals ---- */

sal_status sal__group_check_idle(sal_group *group) {
    return group->self == 0 ? SAL_OK
                            : SAL__REFUSE_GROUP(group, SAL_ESTATE,
                                                "called by a function of a member; call it after the frame has ended");
}

sal_status sal__group_refuse_member(sal_group *group, sal_member member) {
    return SAL__REFUSE_GROUP(group, SAL_EINVAL, "there is no member ", sal__whole_number(member).text,
                             "; use a number that sal_group_add wrote, of one that was not removed");
}

const char *sal_group_trouble(const sal_group *group) {
    return group ? sal_simulator_trouble(group->blank)
                 : "there is no group: the pointer is NULL; sal_system_trouble says why sal_group_new refused it";
}

/* ---- the group ---- */

static sal_status furnish(sal_group *group) {
    sal_status status = sal_simulator_new(&group->mem, group->system, NULL, &group->config.simulator, &group->blank);
    if (status == SAL_OK)
        status = sal__group_inputs_new(group);
    if (status == SAL_OK)
        status = sal__group_reserve_links(group, group->config.link_capacity);
    if (status == SAL_OK)
        status = sal__group_reserve_messages(group, group->config.message_capacity);
    return status == SAL_OK ? sal__group_make_slots(group, group->config.member_capacity) : status;
}

sal_status sal_group_new(const sal_allocator *allocator, sal_system *system, const sal_group_config *config,
                         sal_group **out) {
    const sal_group_config standard = sal_group_config_default();
    config = config ? config : &standard;
    if (!system || !out)
        return SAL_EINVAL;
    if (!is_sound(config))
        return sal__refuse_use(system, SAL_EINVAL,
                               SAL__PIECES("its group cannot be made: the config begins with sal_group_config_default, "
                                           "the start_time is finite, and capacities are 0 to SAL_MAX_MEMBERS"));
    const sal_allocator mem = sal__allocator(allocator);
    sal_group *group = sal__alloc(&mem, sizeof *group);
    if (!group)
        return SAL_ENOMEM;
    *group = (sal_group){.mem = mem, .system = system, .config = *config, .time = config->start_time, .first_free = -1};
    const sal_status status = furnish(group);
    if (status != SAL_OK) {
        sal_group_free(group);
        return status;
    }
    *out = group;
    return SAL_OK;
}

void sal_group_free(sal_group *group) {
    if (!group)
        return;
    const sal_allocator mem = group->mem;
    for (int i = 0; i < group->slots.count; i++)
        sal_simulator_free(group->slots.item[i].sim);
    sal__group_inputs_free(group);
    sal_simulator_free(group->blank);
    SAL_FREE_LIST(&mem, group->slots);
    SAL_FREE_LIST(&mem, group->links.list);
    SAL_FREE_LIST(&mem, group->links.value);
    SAL_FREE_LIST(&mem, group->sent);
    SAL_FREE_LIST(&mem, group->delivered);
    sal__free(&mem, group, sizeof *group);
}

/* ---- members ---- */

/* Streams that differ from member to member, and for another seed of the group. */
static uint64_t seed_of(const sal_group *group, sal_member member) {
    return sal_hash(&member, sizeof member, group->config.simulator.seed);
}

static sal_status begin_life(sal_group *group, sal_simulator *sim, sal_member member) {
    sal__host_clear(sim);
    sal_status status = sal_simulator_copy(sim, group->blank);
    if (status != SAL_OK)
        return status;
    sal_context *ctx = sal_simulator_context(sim);
    sal_context_set_time(ctx, group->time);
    sal_context_seed(ctx, seed_of(group, member));
    return sal__group_inputs_apply(group, sim);
}

sal_status sal_group_add(sal_group *group, sal_member *out) {
    sal_status status = sal__group_check_idle(group);
    if (status == SAL_OK && group->first_free < 0)
        status = sal__group_make_slots(group, group->slots.count < 8 ? 8 : 2 * group->slots.count);
    if (group->first_free < 0 || status == SAL_ESTATE)
        return status;
    const int i = group->first_free;
    sal__group_slot *slot = &group->slots.item[i];
    slot->lives++;
    status = begin_life(group, slot->sim, sal__member_at(group, i));
    if (status != SAL_OK) {
        slot->lives--;
        return status;
    }
    group->first_free = slot->next_free;
    slot->is_used = true;
    group->used_count++;
    *out = sal__member_at(group, i);
    return SAL_OK;
}

sal_status sal_group_remove(sal_group *group, sal_member member) {
    sal__group_slot *slot = sal__group_find(group, member);
    if (sal__group_check_idle(group) != SAL_OK)
        return SAL_ESTATE;
    if (!slot)
        return sal__group_refuse_member(group, member);
    slot->is_used = false;
    slot->next_free = group->first_free;
    group->first_free = (int)(slot - group->slots.item);
    group->used_count--;
    return SAL_OK;
}

int sal_group_count(const sal_group *group) {
    return group->used_count;
}

double sal_group_time(const sal_group *group) {
    return group->time;
}

sal_member sal_group_self(const sal_group *group) {
    return group->self;
}

sal_member sal_group_next(const sal_group *group, sal_member member) {
    int i = member > 0 ? (int)(member & ((INT64_C(1) << SAL__SLOT_BITS) - 1)) + 1 : 0;
    while (i < group->slots.count && !group->slots.item[i].is_used)
        i++;
    return i < group->slots.count && group->self == 0 ? sal__member_at(group, i) : 0;
}

sal_simulator *sal_group_simulator(sal_group *group, sal_member member) {
    const sal__group_slot *slot = sal__group_find(group, member);
    return slot && group->self == 0 ? slot->sim : NULL;
}
