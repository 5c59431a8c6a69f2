/* The state of watches. Part of engine/simulator.h. */
#ifndef SAL_WATCH_STATE_H
#define SAL_WATCH_STATE_H

#include "model/model.h"
#include "saltus/simulator.h"

/* A watch that the host added. While it is armed, one of the witnesses behind those of the plan belongs to it. */
typedef struct sal__watch {
    int64_t handle;
    sal_watch given;
    bool is_armed;
    sal_system system; /* of this one witness: its data is the watch */
} sal__watch;

/* watch.c: in the order of their handles, which is the order of their witnesses too. */
typedef struct sal__watches {
    sal__watch *item;
    int count, armed_count, room;
    int64_t last_handle; /* the greatest that was given */
    int64_t *fired;      /* handles of those that ended the last call */
    int fired_count;
    bool is_stale;       /* something else than flow may have moved them: they are read at the next x+ */
    bool may_be_fast;    /* crossings of one were missed, or an output is fast: new ones are searched for in pieces */
    bool are_private;    /* the functions belong to this simulator: a copy of the run must know its own */
    bool is_absent;      /* a snapshot that was checked has a watch that this simulator does not know */
    void *witness_block; /* witness_array.c: the arrays of all witnesses, once there is room for watches */
    size_t witness_bytes;
} sal__watches;

#endif
