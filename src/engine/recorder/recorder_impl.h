/* What the files of the recorder share. */
#ifndef SAL_RECORDER_IMPL_H
#define SAL_RECORDER_IMPL_H

#include "engine/simulator.h"
#include "saltus/recorder.h"

enum { TIME, MARK, SIGNALS };     /* columns of a row */
enum { PLAIN, UPDATED, RESUMED }; /* marks */

/* An event with the point of the run (sal__run_point) at which it was recorded. */
typedef struct sal__dated_event {
    sal_recorded_event seen;
    int64_t point;
} sal__dated_event;

/* What a row of a step records about the way from the previous row, after its own columns: the start time of that
 * way, NaN if unknown, and the curved signals at all nodes but the last, node by node. */
enum { SAL__MAX_NODES = 9 }; /* both ends included */

typedef struct sal__dense_rows {
    int node_count, curve_count; /* 0: rows only */
    int *curve_of_channel;       /* of each channel, the index among the curved signals; -1: not curved */
    double node[SAL__MAX_NODES], weight[SAL__MAX_NODES];
    double segment_start;     /* of the next row */
    double *inner_nodes;      /* (nodes - 1) * curved */
    uint64_t context_version; /* sal__recorder_context_version at the last row; 0: unknown */
} sal__dense_rows;

typedef struct sal__jump_rows {
    double *block; /* of each jump two sides, each of width + 1 numbers */
    int64_t count, capacity;
    double *before;  /* the side before the update that is due; NULL if the recorder has no interval */
    bool has_before; /* is it known? */
} sal__jump_rows;

typedef struct sal__arrival_rows {
    double *sides; /* the signals at the start of a step and just before its end; NULL: nothing reads a past */
} sal__arrival_rows;

struct sal_recorder {
    sal_allocator mem;
    sal_simulator *sim;
    int handle;
    sal_channel *channel;
    int channel_count, width; /* of a row, as it is seen */
    int row_size;             /* of a row with its nodes, and the point of the run in its last column */
    sal__dense_rows dense_rows;
    sal__jump_rows jump_rows;
    sal__arrival_rows arrival;
    double interval;     /* NaN: every step; infinite: on request */
    int64_t next_sample; /* the next sample is at next * interval */
    double *block;
    int64_t row_count, capacity;
    sal__dated_event *event;
    int64_t event_count, event_capacity;
    bool is_stopped, has_resumed; /* resumed: the next row is the first after a stop */
    bool is_evaluating;           /* a channel's function is being called: rows must not move */
    int64_t max_rows;             /* rows; 0: no bound */
    int64_t stride;               /* one row is kept for so many steps or multiples of the interval */
    int64_t offered_rows;         /* rows of steps so far, including those that were not kept */
    bool last_was_skipped;        /* the last row was not kept, so neither are those of updates at its time */
};

static inline bool sal__recorder_is_periodic(const sal_recorder *rec) {
    return rec->interval < INFINITY; /* false for NaN */
}

/* Changes with every write to the context from outside; never 0. */
static inline uint64_t sal__recorder_context_version(const sal_recorder *rec) {
    return rec->sim->contexts.current->versions.external_writes + 1;
}

/* recorder.c: the next sample is at now, if there is no row yet, or at the first multiple after. */
void sal__recorder_resume_samples(sal_recorder *rec, double now);

/* channels.c */
sal_status sal__check_channels(sal_simulator *sim, const sal_channel *channels, int count);
sal_status sal__recorder_read(sal_recorder *rec, int channel, const sal_context *whole, double *to);
sal_status sal__recorder_read_all(sal_recorder *rec, const sal_context *whole, double *to);

/* jump_rows.c: both sides of updates, of a recorder with an interval. */
sal_status sal__jump_rows_new(sal_recorder *rec);
void sal__jump_rows_free(sal_recorder *rec);
/* At the end of a step: reads the side before an update, if one is due, or a story may write. */
sal_status sal__jump_rows_before(sal_recorder *rec, const sal_context *ctx);
/* After a load: reads the side before what the host writes, and before updates that are still due. */
void sal__jump_rows_loaded(sal_recorder *rec, const sal_context *ctx);
/* After an update: records both sides, if any signal changed. */
sal_status sal__jump_rows_after(sal_recorder *rec, const sal_context *ctx);
/* At the end of a step: records both sides of a delayed jump that arrives there. */
sal_status sal__jump_rows_arrival(sal_recorder *rec, const sal_context *ctx);
/* The next update is not recorded: the recorder is stopped, or the run went elsewhere. */
void sal__jump_rows_interrupt(sal_recorder *rec);
/* Removes the jumps after a point of the run. */
void sal__jump_rows_forget(sal_recorder *rec, double now, int64_t point);
/* Copies the jumps of `from` for `to`, and frees those of `to`. ENOMEM: nothing is freed. */
sal_status sal__jump_rows_copy(sal_recorder *to, const sal_recorder *from, sal__jump_rows *copy);

/* arrival_rows.c: both sides of a delayed jump at the end of a step. */
sal_status sal__arrival_rows_new(sal_recorder *rec);
void sal__arrival_rows_free(sal_recorder *rec);
/* The step ended at `now` with the signals `after`. *before: those before a jump that arrives there, NULL if none
 * does. */
sal_status sal__arrival_rows_read(sal_recorder *rec, double now, const double *after, const double **before);
/* Puts a row with the signals before such a jump in front of the last one, that of `now`. */
sal_status sal__arrival_rows_add(sal_recorder *rec, double now);

/* dense_rows.c: records the signals between rows. */
sal_status sal__dense_rows_new(sal_recorder *rec);
void sal__dense_rows_free(sal_recorder *rec);
/* More nodes, if the present integrator has polynomials of a higher degree. */
sal_status sal__dense_rows_fit(sal_recorder *rec);
/* Reads the accepted step for the next row. */
sal_status sal__sample_step(sal_recorder *rec, double now);
void sal__write_nodes(sal_recorder *rec, double *row);
/* The value of a channel's element, in a column, between a row and the next, if sal_recorder_is_curve; and whether
 * the channel has a corner there, so that it is piecewise linear. */
double sal__dense_value(const sal_recorder *rec, int64_t row, double share, int channel, int element, int column);
bool sal__dense_has_corner(const sal_recorder *rec, int64_t row, int channel, int column);

/* thinning.c: makes room in a block for one item more. */
sal_status sal__recorder_grow(const sal_allocator *mem, void **block, int64_t count, int64_t *capacity, size_t item);
/* Is this row kept? Counts the rows that are offered. */
bool sal__recorder_should_keep(sal_recorder *rec, double mark);
/* Removes every second row and doubles the stride. */
void sal__recorder_halve(sal_recorder *rec);
/* Makes room for an event by removing the older half. */
void sal__recorder_drop_old_events(sal_recorder *rec);
/* After rows were removed: sets the counts back. */
void sal__recorder_recount(sal_recorder *rec);

#endif
