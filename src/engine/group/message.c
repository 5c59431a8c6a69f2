/* Messages between members: sent by handlers while a frame runs, delivered in order at its end. */
#include "group_impl.h"

#include <string.h>

static sal_status reserve(sal_group *group, sal__messages *list, int count) {
    while (list->cap < count)
        if (sal__grow(&group->mem, (void **)&list->item, list->cap, &list->cap, sizeof *list->item) != SAL_OK)
            return SAL_ENOMEM;
    return SAL_OK;
}

sal_status sal__group_reserve_messages(sal_group *group, int messages) {
    const sal_status status = reserve(group, &group->sent, messages);
    return status == SAL_OK ? reserve(group, &group->delivered, messages) : status;
}

bool sal__group_can_demand(const sal_group *group, int part, int event) {
    const sal__plan *plan = group->system->plan;
    return part >= 0 && part < plan->part_count && event >= 0 && event < plan->part[part].system->events.count &&
           plan->part[part].system->events.item[event].trigger == SAL_ON_DEMAND;
}

void sal__group_let_run(sal_group *group, sal_member member) {
    group->self = member;
    group->sent_now = (sal__sent_now){.call = group->sent.count, .updates = -1};
}

static void note_updates(sal_group *group, const sal_simulator *sim) {
    sal__sent_now *now = &group->sent_now;
    const bool is_noted = now->updates >= 0 && now->step == sim->run_state.total_steps;
    if (!sal__is_updating(sim) || is_noted)
        return;
    now->updates = group->sent.count;
    now->step = sim->run_state.total_steps;
}

/* Updates that were undone run again, as all does that ran in a start that failed. Publishes do not. */
void sal__group_withdraw(sal_group *group) {
    const sal_simulator *sim = sal__group_find(group, group->self)->sim;
    const sal__sent_now *now = &group->sent_now;
    if (!sim->run_state.initialized)
        group->sent.count = now->call;
    else if (!sim->run_state.updated && now->updates >= 0 && now->step == sim->run_state.total_steps)
        group->sent.count = now->updates;
}

sal_status sal_group_send(sal_group *group, sal_member to, int part, int event, const double *value, int count) {
    const sal__group_slot *self = sal__group_find(group, group->self);
    if (!self)
        return SAL__REFUSE_GROUP(group, SAL_ESTATE, "only a handler of a member sends messages; call it from there");
    if (!sal__group_can_demand(group, part, event))
        return SAL__REFUSE_GROUP(group, SAL_EINVAL, "part ", sal__whole_number(part).text, " has no event ",
                                 sal__whole_number(event).text,
                                 " on demand; use one with SAL_ON_DEMAND, which sal_system_find_event finds");
    if (count < 0 || count > SAL_MESSAGE_VALUES || (count > 0 && !value))
        return SAL__REFUSE_GROUP(group, SAL_EINVAL, "a message has ", sal__whole_number(count).text,
                                 " numbers, or they are NULL; send 0 to SAL_MESSAGE_VALUES");
    if (sal__group_reserve_messages(group, group->sent.count + group->delivered.count + 1) != SAL_OK)
        return SAL_ENOMEM;
    note_updates(group, self->sim);
    sal_message *m = &group->sent.item[group->sent.count++];
    *m = (sal_message){
        .from = group->self, .to = to, .time = self->sim->contexts.current->time, .part = part, .event = event};
    for (int i = 0; i < count; i++)
        m->value[i] = value[i];
    return SAL_OK;
}

const sal_message *sal_group_message(const sal_group *group) {
    return group->current;
}

void sal__group_set_sent(sal_group *group, int count) {
    group->sent.count = count;
}

/* ---- their order ---- */

static bool is_before(const sal_message *a, const sal_message *b) {
    return a->time < b->time || (a->time == b->time && a->from < b->from);
}

/* Merges two ordered runs of `from`, which begin at `low` and `mid`. Of equal messages, the first is that of the first
 * run. */
static void merge(const sal_message *from, sal_message *to, int low, int mid, int high) {
    int a = low, b = mid;
    for (int k = low; k < high; k++)
        to[k] = a < mid && (b >= high || !is_before(&from[b], &from[a])) ? from[a++] : from[b++];
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Sorts what was sent, with as much room behind; without allocation, and stable. Returns where they are. */
static sal_message *sort(sal_message *item, sal_message *room, int count) {
    for (int width = 1; width < count; width *= 2) {
        for (int low = 0; low < count; low += 2 * width)
            merge(item, room, low, least(low + width, count), least(low + 2 * width, count));
        sal_message *was = item;
        item = room, room = was;
    }
    return item;
}

/* What is sent from here on is for the next frame. */
static void take_sent(sal_group *group) {
    const sal__messages sent = group->sent;
    const bool is_moved = sort(sent.item, group->delivered.item, sent.count) != sent.item;
    sal__messages *in_order = is_moved ? &group->delivered : &group->sent,
                  *other = is_moved ? &group->sent : &group->delivered;
    const sal__messages taken = {in_order->item, sent.count, in_order->cap}, empty = {other->item, 0, other->cap};
    group->delivered = taken;
    group->sent = empty;
}

void sal__group_deliver(sal_group *group, bool (*deliver)(void *user, sal_group *group, const sal_message *m),
                        void *user) {
    if (group->sent.count == 0)
        return;
    take_sent(group);
    for (int i = 0; i < group->delivered.count; i++) {
        const sal_message m = group->delivered.item[i];
        group->current = &m;
        const bool is_done = deliver(user, group, &m);
        group->current = NULL;
        if (!is_done) /* whoever sends reserves room for those that are being delivered */
            group->sent.item[group->sent.count++] = m;
    }
    group->delivered.count = 0;
}
