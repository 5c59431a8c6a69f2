/* A group: simulators of one system that share a clock, for entities that come and go.
 *
 * Each member makes its own steps, so an event of one of them does not shorten the steps of the others. A frame,
 * sal_group_advance_to, advances all members to one time. Within a frame they do not see each other:
 *   shared inputs  have one value, or one straight line over time, for all members; each reads it at its own times;
 *   links          set an input of one member to an output of another at the end of each frame;
 *   messages       are sent by handlers and demand an event (SAL_ON_DEMAND) of a member. They are delivered at the end
 *                  of the frame, one by one, ordered by the time at which they were sent, then by sender, then by the
 *                  order of the calls.
 * So the result does not depend on the order in which members are advanced.
 *
 * Members are added and removed between frames, in a time that does not depend on their number. The group makes their
 * simulators in advance: within its reserve, neither this nor a frame allocates more than the simulators do. One
 * thread at a time may use a group. Only sal_group_send, _self, _message, _time, _count and _trouble may be called from
 * callbacks; the others return SAL_ESTATE, or 0, and change nothing. */
#ifndef SALTUS_GROUP_H
#define SALTUS_GROUP_H

#include "simulator.h"

SAL_BEGIN_DECLARATIONS

typedef struct sal_group sal_group;

/* The number of a member, which no other member of the group ever has; 0: none. It orders the members. */
typedef int64_t sal_member;

enum { SAL_MAX_MEMBERS = 1 << 20, SAL_MESSAGE_VALUES = 4 };

typedef struct sal_group_config {
    size_t size;                                          /* of this struct, set by the default call */
    sal_simulator_config simulator;                       /* of each member; its seed is that of the group */
    double start_time;                                    /* s; 0 */
    int member_capacity, link_capacity, message_capacity; /* what is reserved at once: 64, 64, 256 */
} sal_group_config;

/* Returns the defaults that the comments above name. */
SAL_API sal_group_config sal_group_config_default(void);

/* Makes a group without members, which the caller owns. `config` NULL: the defaults. The system must live as long as
 * the group. Statuses as sal_simulator_new; EINVAL for a start time that is not finite, or a capacity below 0 or above
 * SAL_MAX_MEMBERS. */
SAL_API sal_status sal_group_new(const sal_allocator *allocator, sal_system *system, const sal_group_config *config,
                                 sal_group **out);
/* Frees a group with the simulators of its members; NULL is fine. */
SAL_API void sal_group_free(sal_group *group);
/* Returns a sentence about the last call that the group refused; "" if it refused none. The sentence names the system,
 * the thing and the remedy, and is valid until the next call. For a frame, read the report instead. After a failed
 * sal_group_new, `group` may be NULL; then sal_system_trouble returns the reason. Callbacks may call it. */
SAL_API const char *sal_group_trouble(const sal_group *group);

/* Adds a member with the defaults of the system, the present shared inputs, and random streams of its own. The next
 * frame initializes it at the group's time; until then, write what it begins with to its context. ENOMEM; ESTATE. */
SAL_API sal_status sal_group_add(sal_group *group, sal_member *out);
/* Removes a member, with its observers, monitor and watches. Its links end, and messages to it are dropped. EINVAL if
 * there is no such member; ESTATE. */
SAL_API sal_status sal_group_remove(sal_group *group, sal_member member);
/* Reserves simulators for `members` members in all. EINVAL for more than SAL_MAX_MEMBERS; ENOMEM; ESTATE. */
SAL_API sal_status sal_group_reserve(sal_group *group, int members);

/* Return the number of members, and the time of the group in s. Callbacks may call these. */
SAL_API int sal_group_count(const sal_group *group);
SAL_API double sal_group_time(const sal_group *group);
/* Returns the member after `member`, or the first one for 0; 0: there are no more. The order has no meaning. */
SAL_API sal_member sal_group_next(const sal_group *group, sal_member member);
/* Returns the simulator of a member, which the group owns: for its context, statistics, watches, feeds, and events from
 * outside. Do not advance, load or free it. NULL if there is no such member, or from a callback. */
SAL_API sal_simulator *sal_group_simulator(sal_group *group, sal_member member);

/* Set an input of all members, also of those that are added later: to a value from now on, or on a straight line from
 * the present value to `value` at t1. Statuses as sal_simulator_feed. */
SAL_API sal_status sal_group_set_input(sal_group *group, int part, int input, const double *value);
SAL_API sal_status sal_group_feed(sal_group *group, int part, int input, double t1, const double *value);

/* Links an output of a member to an input of another one, or of itself, until one of the two is removed: the input has
 * the value of the output at the end of each frame, and keeps it in the next one. A link to the same input is
 * replaced; `from` 0: removed. EINVAL for members or ports that do not exist, an input that is connected, or another
 * size; ENOMEM; ESTATE. */
SAL_API sal_status sal_group_link(sal_group *group, sal_member from, int from_part, int output, sal_member to,
                                  int to_part, int input);

typedef struct sal_message {
    sal_member from, to;
    double time; /* when it was sent, s */
    int part, event;
    double value[SAL_MESSAGE_VALUES];
} sal_message;

/* For handlers: sends a message to a member; it has `count` numbers, at most SAL_MESSAGE_VALUES, for its handler. A
 * message to a member that is gone when it is delivered is dropped. If updates of a member fail, the messages that they
 * sent are dropped, because the updates will be repeated. If they fail while a message is delivered, it is delivered
 * again at the end of the next frame. EINVAL for an event that cannot be demanded; ENOMEM; ESTATE if no handler of a
 * member is running. */
SAL_API sal_status sal_group_send(sal_group *group, sal_member to, int part, int event, const double *value, int count);
/* For callbacks: the member that runs now, 0: none; the message that is being delivered, NULL: none. */
SAL_API sal_member sal_group_self(const sal_group *group);
SAL_API const sal_message *sal_group_message(const sal_group *group);

/* The result of a frame: `first` is the first member, in their order, that did not reach the end of the frame; 0: all
 * did. `run` is the report of its simulator. If none failed but an output of a link did, `first` is the member with
 * this output, `run` names it, and the inputs of all links keep their values. */
typedef struct sal_group_report {
    int behind; /* number of members that did not reach the end */
    sal_member first;
    sal_report run;
} sal_group_report;

/* Advances all members to t, in s. A member that fails, terminates, is interrupted or meets a watch stops there. The
 * others continue, and the next frame continues that member too. Returns the status of the first one that failed. ETIME
 * for a t in the past or not finite; ESTATE. `report` may be NULL. */
SAL_API sal_status sal_group_advance_to(sal_group *group, double t, sal_group_report *report);

/* As the functions of these names for a simulator, but for the whole group: members, shared inputs, links and messages.
 * `save` writes *size bytes, at most `room`. Statuses as sal_simulator_save_within and sal_simulator_load. `hash` is of
 * the numbers: not of links, nor of the rest of a feed. */
SAL_API size_t sal_group_save_size(const sal_group *group);
SAL_API size_t sal_group_save_bound(const sal_group *group); /* for as many members as are reserved */
SAL_API sal_status sal_group_save(sal_group *group, void *bytes, size_t room, size_t *size);
SAL_API sal_status sal_group_load(sal_group *group, const void *bytes, size_t size);
SAL_API uint64_t sal_group_hash(const sal_group *group);

SAL_END_DECLARATIONS
#endif
