/* The state of updates: timed events, the handlers to call, and what they write. Part of engine/simulator.h. */
#ifndef SAL_UPDATE_STATE_H
#define SAL_UPDATE_STATE_H

#include "engine/event/event_calendar.h"
#include "engine/event/timer_queue.h"
#include "model/model.h"
#include "saltus/simulator.h"

/* A handler to call, and the cause. */
typedef struct sal__event_call {
    int event, rank;
    int64_t count;
    int witness;     /* -1: not one */
    bool guard_held; /* its guard held */
} sal__event_call;

/* Planned events of one trigger and kind, by rank. */
typedef struct sal__events {
    int *event;
    int count;
} sal__events;

/* transaction.c: what is staged, and the old numbers of the parts that an instant wrote, to undo it. */
typedef struct sal__transaction {
    double *undo, *saved;
    unsigned char *undo_location; /* of each part, where its old numbers are: SAL__UNTOUCHED ... */
    bool discrete_only;           /* only discrete state is staged */
    bool *slot_swapped, *slot_dirty;
    unsigned char
        *stage_state; /* of each part in the next context: SAL__UNSTAGED ...; a mirrored part is not staged, but */
    uint64_t mirror_version; /* has the discrete state of the run as long as versions.discrete is this */
    int *touched_part, touched_count, *staged_part, staged_count;
    int unrestricted_count;           /* the first touched parts: those of unrestricted updates */
    int *moved_part;                  /* room for those whose continuous state changed */
    sal__write_guard of_next, of_run; /* during a call: what updates may write; of the run, nobody may write anything */
} sal__transaction;

/* schedule.c: when timed events are due. */
typedef struct sal__schedule {
    sal__timer_queue queue[2]; /* of publishes, of updates */
    int *timer_of;             /* the timer of each SAL_ON_TIME event */
    int *due[2], due_count[2];
    double instant_start;     /* the pending time that opened this instant */
    bool has_negative_offset; /* the offset of some timer is negative */
    double period_safe_until; /* up to this size of the time, no period is below 16 ulp */
    sal__events events_by[SAL_ON_DEMAND + 1][SAL_UNRESTRICTED + 1];
    sal__events timed_events;            /* all SAL_ON_TIME events */
    bool has_kind[SAL_UNRESTRICTED + 1]; /* there are events of this kind */
    bool has_step_updates;               /* some of them run after each step */
    sal__event_calendar calendar;
    int next_time_count;   /* events with a next_time */
    bool next_times_stale; /* next_time failed: it is called again before the run continues */
    bool *is_affected;     /* of each part: an update wrote it or a part upstream; and the list of these parts: */
    int *affected_part, affected_count;
} sal__schedule;

/* follow.c: lists of affected parts by level: part + 1, 0: no more; and which levels there are. */
typedef struct sal__followers {
    int *first, *next;
    int lowest, highest;
} sal__followers;

/* dispatch.c: the handlers to call in this instant. */
typedef struct sal__dispatch {
    sal__event_call *call, *merged_call;
    int call_count, call_capacity, merged_capacity;
    bool calls_unordered;
    int *executed, executed_count,
        executed_capacity; /* updates that ran, of which observers are told at the end of the instant */
    bool in_instant;       /* updates and their rounds run; publishes are reported with them */
    bool time_cleared;     /* this dispatch set a time variable to infinity */
} sal__dispatch;

#endif
