/* Stories: coroutines that wait for times and conditions of a run. A kernel belongs to one simulator. It has the timers
 * of its stories, resumes those that are ready, and advances the simulator once for each instant:
 *
 *   kernel.c   the userdata, and the loop that alternates between stories and the simulator
 *   frame.c    the same loop for a frame of a host
 *   kernel_access.c   what lua/saltus/story/ calls besides
 *   timer.c    the timers, ordered by (time, sequence)
 *   wake.c     the queue of stories that are ready, and lists of stories that wait for the same thing
 *   resume.c   starts, resumes, ends and cancels one story
 *   journal.c  writes what happened; retell.c tells the stories again from it
 *   wait_digest.c   what each story waits for, as a number
 *   verb.c     what stories call
 *
 * A story is a userdata whose user value anchors its coroutine. Its metatable, one for each kernel, anchors the kernel.
 * The kernel anchors each story until it has ended and no timer and no place in the queue refers to it. */
#ifndef SAL_STORY_H
#define SAL_STORY_H

#include <math.h>

#include "binding/binding.h"

#define L_STORY "saltus.story"
#define L_KERNEL "saltus.core.stories"

/* User values. */
enum { UV_STORY_THREAD = 1, UV_STORY_COUNT = UV_STORY_THREAD };
enum {
    UV_KERNEL_SIMULATOR = 1,
    UV_KERNEL_STORIES, /* by id */
    UV_KERNEL_WAITING, /* lists of those that wait, by what they wait for: { story, token, index, ... } */
    UV_KERNEL_HOST,    /* the table of lua/saltus/story/ */
    UV_KERNEL_META,    /* the metatable of its stories */
    UV_KERNEL_MET,     /* by id, which conditions of a wait for all have been met */
    UV_KERNEL_COUNT = UV_KERNEL_MET
};

typedef struct l_kernel l_kernel;

typedef struct l_story {
    const l_class *class;
    l_kernel *kernel;
    lua_State *thread;       /* NULL: it has ended */
    uint32_t id;             /* from 1, in the order of spawning */
    uint32_t token;          /* of its present wait; what refers to another one is stale */
    int32_t index;           /* of the condition that woke it; of several at one instant, the lowest; 0: none */
    int32_t missing;         /* conditions that a wait for all of them still lacks; 0: one is enough */
    int32_t timer_count;     /* for the present wait */
    int32_t reference_count; /* from timers and from the queue */
    uint32_t instant;        /* the last instant in which it ran, */
    int32_t resume_count;    /* and how often then */
    uint32_t waker;          /* id of the story that woke it; 0: time or the model did */
    uint32_t draw_count;     /* of random numbers */
    uint32_t waits_for;      /* wait_digest.c: a number, while it is computed */
    bool is_queued, is_parked, has_seats, is_awaited;
} l_story;

#define L_LATE (UINT64_C(1) << 63)
enum { L_DEADLINE = INT32_MAX }; /* the index of a deadline: every other condition comes before it */

typedef struct l_timer {
    double time;
    uint64_t sequence; /* L_LATE is added for deadlines: they come after the updates of their instant */
    l_story *story;
    uint32_t token;
    int32_t index;
} l_timer;

typedef struct l_timer_heap {
    l_timer *item;
    int count, capacity;
} l_timer_heap;

/* Those that come first, in their order: a ring, whose capacity is a power of 2. */
typedef struct l_timer_run {
    l_timer *item;
    int first, count, capacity;
} l_timer_run;

typedef struct l_timers {
    l_timer_run run;
    l_timer_heap heap; /* others, none of which is before the first of the run */
    int stale;         /* so many of them will wake nobody */
    uint64_t sequence;
} l_timers;

/* Stories that are ready, first in, first out: a ring, whose capacity is a power of 2. */
typedef struct l_ready_queue {
    l_story **item;
    int first, count, capacity;
} l_ready_queue;

/* Events of the model that stories wait for, and those that were heard in the running advance. */
typedef struct l_event_key {
    int part, event, waiting;
} l_event_key;

typedef struct l_event_list {
    l_event_key *item;
    int count, capacity;
} l_event_list;

/* What happened to the stories, in bytes; see journal.h. */
typedef struct l_journal {
    unsigned char *bytes;
    size_t size, capacity;
    size_t at; /* read up to here, while stories are told again */
    bool is_kept, is_retelling;
    bool is_reading; /* a function of s:read runs: the journal has its result, and nothing that it reads */
} l_journal;

typedef struct l_draws {
    uint64_t seed; /* of the random numbers of stories */
    int64_t count;
} l_draws;

struct l_kernel {
    const l_class *class;
    l_simulator *core;
    l_journal journal;
    l_timers timers;
    l_ready_queue ready;
    l_event_list awaited, heard;
    l_story *current;   /* the one that runs; NULL: none */
    double now, stop;   /* stop: where the run that goes on ends */
    uint32_t instant;   /* counts instants */
    int living_count;   /* stories that have not ended */
    uint32_t last_id;   /* of a story */
    int64_t wake_count; /* how often stories were resumed */
    l_draws draws;
    int observer;           /* of the simulator */
    int64_t expected_halts; /* of the simulator: those before this call, and in it those for stories */
    bool is_one_step;       /* the run that goes on makes one step only, */
    bool is_frame;          /* or those of a frame */
    bool is_observing, is_running, is_traced;
    bool is_late;            /* the updates of this instant have run, and a deadline is now */
    bool has_more_events;    /* after these updates, others are due at this instant */
    bool is_stopping;        /* a story asked for the end of the run */
    volatile bool is_hooked; /* a signal handler set a hook, which stories that go on get too */
};

extern const l_class l_story_class, l_kernel_class;

static inline l_kernel *l_check_kernel(lua_State *L, int index) {
    l_kernel *k = lua_touserdata(L, index);
    if (!k || lua_rawlen(L, index) != sizeof *k || k->class != &l_kernel_class)
        luaL_typeerror(L, index, L_KERNEL);
    return k;
}

/* kernel.c */
enum { L_AT_KERNEL = 1 }; /* on the stack of a run */
int l_new_kernel(lua_State *L);
/* Calls body(kernel, ...) protected, with two arguments of the caller and what a run needs on its stack; its results,
 * or its error, are all that is on the stack then. Returns whether it failed. */
int l_call_with_stories(lua_State *L, l_kernel *k, lua_CFunction body);
/* As lua_pcall with all results, for a function that resumes stories. */
int l_call_stories(lua_State *L, l_kernel *k, int args);
/* Within such a body: runs to `stop`. Returns 0, or how many results it pushed because the stories ended the run. */
int l_run_stories_to(lua_State *L, l_kernel *k, double stop, sal_status *status, sal_report *report);
bool l_pass_wait(lua_State *L, l_kernel *k, double t, int index);
int l_push_story_report(lua_State *L, sal_status status, const sal_report *report);

/* frame.c */
int l_run_story_frame(lua_State *L);

/* verb.c */
int l_is_story(lua_State *L);
void l_open_story(lua_State *L); /* adds core.story_verbs to the table on top */
l_story *l_check_story(lua_State *L, int index);
void l_push_kernel(lua_State *L, int story); /* pushes the userdata of its kernel */
/* The story that runs and calls this with one of the same kernel as its argument; raises if it cannot wait here. */
l_story *l_check_waiting(lua_State *L);

/* journal.c: raises within a function of s:read. `kernel`: its index. */
void l_check_acting(lua_State *L, const l_kernel *k, int kernel);

int l_wait_digests(lua_State *L); /* wait_digest.c */

/* failure.c: raises an error with the line of the user. */
int l_fail_at_user(lua_State *L, int kernel, const char *why);

/* timer.c; l_timer_add raises if out of memory. */
void l_timer_add(lua_State *L, l_kernel *k, l_story *story, double time, int index);
void l_timer_drop_stale(lua_State *L, l_kernel *k, int kernel); /* until the first one is not */
static inline double l_timer_first(const l_kernel *k) {         /* of all, stale or not; infinity: none */
    const l_timer_run *run = &k->timers.run;
    return run->count > 0 ? run->item[run->first].time : INFINITY;
}
static inline double l_timer_next(lua_State *L, l_kernel *k, int kernel) { /* infinity: none */
    if (k->timers.stale > 0)
        l_timer_drop_stale(L, k, kernel);
    return l_timer_first(k);
}
static inline int l_timer_count(const l_kernel *k) {
    return k->timers.run.count + k->timers.heap.count;
}
/* Whether the story that runs went on at t, as if a timer with this index had woken it; else it has to yield. If it is
 * the next one too, time passes within its wait: that takes a third of the time of a switch between coroutines. */
static inline bool l_go_on_at(lua_State *L, l_kernel *k, double t, int index) {
    return t < l_timer_first(k) && k->ready.count == 0 && l_pass_wait(L, k, t, index);
}
/* Wakes those that are due; deadlines only `late`, after the updates. */
bool l_timer_wake_due(lua_State *L, l_kernel *k, int kernel, bool late); /* whether there was one */
static inline bool l_deadline_is_due(const l_kernel *k) {
    const l_timer_run *run = &k->timers.run;
    return run->count > 0 && run->item[run->first].time <= k->now && run->item[run->first].sequence >= L_LATE;
}
void l_timers_free(l_kernel *k);

/* resume.c: one that has ended and that nothing refers to. */
void l_release(lua_State *L, int kernel, const l_story *story);

/* wake.c. `kernel` and others are indices of the userdata on the Lua stack. */
void l_ready_add(lua_State *L, l_kernel *k, l_story *story);
static inline l_story *l_ready_take(l_kernel *k) {
    l_ready_queue *q = &k->ready;
    l_story *story = q->item[q->first];
    q->first = (q->first + 1) & (q->capacity - 1);
    q->count--;
    return story;
}
static inline void l_drop_reference(lua_State *L, int kernel, l_story *story) {
    if (--story->reference_count == 0 && !story->thread)
        l_release(L, kernel, story);
}
/* NULL: none */
static inline l_story *l_ready_first(lua_State *L, l_kernel *k, int kernel) {
    while (k->ready.count > 0) {
        l_story *story = k->ready.item[k->ready.first];
        if (story->thread)
            return story;
        l_drop_reference(L, kernel, l_ready_take(k)); /* it was cancelled */
    }
    return NULL;
}
/* True unless the story no longer waits for this. */
bool l_wake(lua_State *L, l_kernel *k, int kernel, l_story *story, uint32_t token, int index);
/* Adds the story that runs to the list of the value at `key`; wakes all stories of that list, in the order in which
 * they began to wait, and returns how many were waiting. */
void l_wait_in_list(lua_State *L, l_kernel *k, int kernel, int key, int index);
int l_wake_list(lua_State *L, l_kernel *k, int kernel, int key);
void l_wake_event(lua_State *L, l_kernel *k, int kernel, int part, int event);
int l_wake_watch(lua_State *L, l_kernel *k, int kernel, int64_t handle); /* how many stories */
void l_wake_heard(lua_State *L, l_kernel *k, int kernel);
void l_push_event_key(lua_State *L, int part, int event);
void l_await_event(lua_State *L, l_kernel *k, int part, int event);
void l_halt(l_kernel *k);
sal_status l_hear(void *user, sal_simulator *sim, sal_observation observation, int part, int event);
void l_ready_free(l_kernel *k);

/* resume.c */
/* Within a signal handler: the story that runs, and those that go on after it, get this hook. */
void l_hook_story(l_kernel *k, lua_Hook hook, int mask, int count);
l_story *l_push_story(lua_State *L, l_kernel *k, int kernel, int args); /* takes a function and its arguments */
void l_push_anchored(lua_State *L, int kernel, const l_story *story);
void l_begin_turn(lua_State *L, l_kernel *k, l_story *story); /* it runs from now on */
/* False: it raised an error, whose object and traceback are on the stack. */
bool l_resume_story(lua_State *L, l_kernel *k, int kernel, l_story *story);
void l_close_story(lua_State *L, l_kernel *k, int kernel, l_story *story); /* raises what closing raised */

extern const luaL_Reg l_retell_methods[], l_kernel_access_methods[]; /* of a kernel */

/* Room for one more of `count` items; raises if out of memory. */
void *l_story_grow(lua_State *L, l_kernel *k, void *items, int *capacity, size_t size);
static inline void *l_story_room(lua_State *L, l_kernel *k, void *items, int count, int *capacity, size_t size) {
    return count < *capacity ? items : l_story_grow(L, k, items, capacity, size);
}
/* The same for a ring, with room for `spare` more. */
void *l_story_grow_ring(lua_State *L, l_kernel *k, void *items, int first, int count, int *capacity, size_t size);
static inline void *l_story_ring_room(lua_State *L, l_kernel *k, void *items, int first, int count, int spare,
                                      int *capacity, size_t size) {
    return count + spare < *capacity ? items : l_story_grow_ring(L, k, items, first, count, capacity, size);
}

#endif
