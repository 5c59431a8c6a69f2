/* What the files of the recorder share. */
#ifndef SAL_RECORDER_IMPL_H
#define SAL_RECORDER_IMPL_H

#include "engine/simulator.h"
#include "saltus/recorder.h"

enum { TIME, MARK, SIGNALS };     /* columns of a row */
enum { PLAIN, UPDATED, RESUMED }; /* marks */

/* What a row of a step knows of the way to it from the row before, after its own columns: when that way began, NaN
 * where it is not known, and at all nodes but the last the curved signals, all of a node together. */
enum { SAL__MAX_NODES = 9 }; /* both ends included */

typedef struct sal__dense_rows {
    int node_count, curve_count; /* 0: rows only */
    int *curve_of_channel;       /* of each channel, among the curved signals; -1: not one */
    double node[SAL__MAX_NODES], weight[SAL__MAX_NODES];
    double segment_start;     /* of the next row */
    double *inner_nodes;      /* likewise: (nodes - 1) * curved */
    uint64_t context_version; /* sal__recorder_context_version at the last row; 0: not known */
} sal__dense_rows;

struct sal_recorder {
    sal_allocator mem;
    sal_simulator *sim;
    int handle;
    sal_channel *channel;
    int channel_count, width; /* of a row, as it is seen */
    int row_size;             /* of a row, with the way to it */
    sal__dense_rows dense_rows;
    double interval;     /* NaN: every step; infinite: when asked */
    int64_t next_sample; /* the next sample is at next * interval */
    double *block;
    int64_t row_count, capacity;
    sal_recorded_event *event;
    int64_t event_count, event_capacity;
    bool is_stopped, has_resumed; /* resumed: the next row is the first after a stop */
    bool is_evaluating;           /* a channel's function runs: rows stay where they are */
    int64_t max_rows;             /* rows; 0: no bound */
    int64_t stride;               /* every how many steps or multiples of the interval there is a row */
    int64_t offered_rows;         /* rows of steps so far, those included that were not kept */
    bool last_was_skipped;        /* the last one was not kept: nor is what an update makes of it */
};

static inline bool sal__recorder_is_periodic(const sal_recorder *rec) {
    return rec->interval < INFINITY; /* false for NaN */
}

/* Changes with everything that is written to the context from outside; never 0. */
static inline uint64_t sal__recorder_context_version(const sal_recorder *rec) {
    return rec->sim->contexts.current->versions.external_writes + 1;
}

/* recorder.c */
sal_status sal__recorder_read(sal_recorder *rec, int channel, const sal_context *whole, double *to);

/* dense_rows.c: what has to be known to record the ways between rows. */
sal_status sal__dense_rows_new(sal_recorder *rec);
void sal__dense_rows_free(sal_recorder *rec);
/* More nodes, where the integrator of today has polynomials of a higher degree. */
sal_status sal__dense_rows_fit(sal_recorder *rec);
/* Reads the step that was taken; the next row gets it. */
sal_status sal__sample_step(sal_recorder *rec, double now);
void sal__write_nodes(sal_recorder *rec, double *row);
/* Of a channel's element, in a column, between a row and the next, where sal_recorder_is_curve: its value, and whether
 * the channel has a corner there, so that lines lead from node to node. */
double sal__dense_value(const sal_recorder *rec, int64_t row, double share, int channel, int element, int column);
bool sal__dense_has_corner(const sal_recorder *rec, int64_t row, int channel, int column);

/* thinning.c: is this row kept? Counts what is offered. */
bool sal__recorder_should_keep(sal_recorder *rec, double mark);
/* Every second row goes, and the stride doubles. */
void sal__recorder_halve(sal_recorder *rec);
/* Makes room for an event: the older half goes. */
void sal__recorder_drop_old_events(sal_recorder *rec);
/* Rows were forgotten: counts go back with them. */
void sal__recorder_recount(sal_recorder *rec);

#endif
