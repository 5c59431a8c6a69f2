/* Inside a group: its memory, and who does what with it.
 *
 *   group.c          members: made, added, removed
 *   frame.c          a frame: all members to one time
 *   signals.c        shared inputs and links
 *   message.c        messages between members
 *   group_snapshot.c saves, loads and hashes the whole */
#ifndef SAL_GROUP_IMPL_H
#define SAL_GROUP_IMPL_H

#include "base/sentence.h"
#include "engine/simulator.h"
#include "saltus/group.h"

/* The room for a member. Its number is the count of its lives, followed by its index in SAL__SLOT_BITS bits. */
enum { SAL__SLOT_BITS = 20 };
typedef struct sal__group_slot {
    sal_simulator *sim;
    int64_t lives;
    bool is_used;
    bool is_behind; /* did not reach the end of the frame, or failed there */
    int next_free;  /* -1: the last free one */
} sal__group_slot;

/* An input that all members share. */
typedef struct sal__shared_input {
    bool is_set;
    double t0, t1; /* of its line; t1 = t0: a value */
    double *from, *to;
} sal__shared_input;

typedef struct sal__group_link {
    sal_member from, to;
    int from_part, output, to_part, input; /* ports */
    int size;
} sal__group_link;

typedef struct sal__links {
    SAL_LIST(sal__group_link) list;
    SAL_LIST(double) value; /* of all links, while they are carried */
    int width;              /* numbers of all links */
} sal__links;

typedef SAL_LIST(sal_message) sal__messages;

/* Where the messages begin that a member sent in the call that runs, and in the updates of its last instant; `step` is
 * that instant. */
typedef struct sal__sent_now {
    int call, updates;
    int64_t step;
} sal__sent_now;

struct sal_group {
    sal_allocator mem;
    sal_system *system;
    sal_group_config config;
    sal_simulator *blank; /* what a member begins as; never advanced */
    double time;
    SAL_LIST(sal__group_slot) slots;
    int used_count, first_free;
    sal__shared_input *inputs; /* by input of the plan; one allocation with the numbers */
    sal__links links;
    sal__messages sent, delivered;
    sal__sent_now sent_now;
    const sal_message *current; /* that is being delivered */
    sal_member self;            /* that runs */
};

/* ---- group.c ---- */

static inline sal_member sal__member_at(const sal_group *group, int slot) {
    return group->slots.item[slot].lives << SAL__SLOT_BITS | slot;
}
/* NULL: there is no such member. */
sal__group_slot *sal__group_find(const sal_group *group, sal_member member);
/* Notes why a call is refused, for sal_group_trouble. */
#define SAL__REFUSE_GROUP(group, status, ...) SAL__REFUSE_CALL((group)->blank, (status), __VA_ARGS__)
sal_status sal__group_check_idle(sal_group *group);
sal_status sal__group_refuse_member(sal_group *group, sal_member member); /* there is none */
/* The first `count` slots were read from bytes, in which `first` is the first free one; the others are free. */
void sal__group_finish_slots(sal_group *group, int count, int first);
sal_status sal__group_make_slots(sal_group *group, int count);

/* ---- signals.c ---- */

sal_status sal__group_inputs_new(sal_group *group);
void sal__group_inputs_free(sal_group *group);
/* The inputs of a new member. */
sal_status sal__group_inputs_apply(sal_group *group, sal_simulator *sim);
/* At the end of a frame. After a failure no input has changed, and *failed is the link whose output failed. */
sal_status sal__group_carry_links(sal_group *group, const sal__group_link **failed);
sal_status sal__group_reserve_links(sal_group *group, int links);
/* Do the ports of a link exist, with its size? */
bool sal__group_suits(const sal_group *group, const sal__group_link *link);
void sal__group_finish_links(sal_group *group, int count); /* so many were read from bytes */

/* ---- message.c ---- */

sal_status sal__group_reserve_messages(sal_group *group, int messages);
bool sal__group_can_demand(const sal_group *group, int part, int event);
void sal__group_set_sent(sal_group *group, int count); /* so many were read from bytes */
/* From now on this member runs; its call failed: drops what it sent in updates that were undone. */
void sal__group_let_run(sal_group *group, sal_member member);
void sal__group_withdraw(sal_group *group);
/* At the end of a frame. Calls `deliver` for each message in order; those for which it returns false wait. */
void sal__group_deliver(sal_group *group, bool (*deliver)(void *user, sal_group *group, const sal_message *m),
                        void *user);

#endif
