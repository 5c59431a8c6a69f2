/* Recorders: signals of a run, sampled without touching it.
 *
 * With an interval a row stands at every multiple of it, read from the steps'
 * dense output: the state before the updates of that time. Without, a row
 * stands at the end of each step and, marked, after each update; what states and
 * outputs were in between is kept too. Or rows stand only where
 * sal_recorder_sample asks for one.
 *
 * A channel's function cannot have rows added to, thinned out or copied in the record that asks it: ESTATE. */
#ifndef SALTUS_RECORDER_H
#define SALTUS_RECORDER_H

#include "simulator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sal_recorder sal_recorder;

/* One signal of `size` numbers: elements of a partition, all of an output, or a function of the context. Mind that
 * `output` has to be set to -1 for what is none: 0 is the first. */
typedef struct sal_channel {
    int part, size;
    sal_partition partition; /* with `at`, unless it is an output or a function */
    int at;
    int output; /* port; -1: not an output */
    sal_status (*function)(void *user, const sal_context *ctx, double *value);
    void *user;
} sal_channel;

/* `interval` in s; NaN: every step; INFINITY: only when asked. Listens until it is freed, before the simulator is.
 * EINVAL for an interval that is not positive, or a channel whose numbers are not there; ESTATE from inside of the
 * run, or while it has no context. Neither made nor freed from inside of the run. */
SAL_API sal_status sal_recorder_new(sal_simulator *sim, const sal_channel *channels, int count, double interval,
                                    sal_recorder **out);
SAL_API void sal_recorder_free(sal_recorder *rec);

/* While stopped nothing is recorded, events neither; the first row after that is marked. */
SAL_API void sal_recorder_stop(sal_recorder *rec);
SAL_API void sal_recorder_start(sal_recorder *rec);
SAL_API bool sal_recorder_is_stopped(const sal_recorder *rec);
/* A row of the context as it is now. ESTATE in the middle of a step, where a trial state stands there, and without a
 * context. */
SAL_API sal_status sal_recorder_sample(sal_recorder *rec);

/* Bounds the memory: when `most` rows are there, every second one goes, and from then
 * on only every second step, or multiple of the interval, is recorded; so again and again.
 * Of the events the last `most` are kept. 0: no bound. EINVAL for fewer than 16. */
SAL_API sal_status sal_recorder_set_max_rows(sal_recorder *rec, int64_t most);

/* Makes `to` hold what `from` recorded, to go on from there with a clone of its run.
 * EINVAL when their rows or intervals differ. */
SAL_API sal_status sal_recorder_copy(sal_recorder *to, const sal_recorder *from);

SAL_API int64_t sal_recorder_rows(const sal_recorder *rec);
SAL_API int sal_recorder_width(const sal_recorder *rec);
/* A row: time, mark, then the signals. Lent until the run goes on.
 * Marks: 1 just after an update, 2 the first row after a stop. */
SAL_API const double *sal_recorder_row(const sal_recorder *rec, int64_t row);

/* `share` of the way from a row to the next, 0 to 1: a column's value there. Where rows stand at steps, a state
 * follows the step's dense output and an output what it was inside the step: right to the accuracy. What is
 * discrete stays at the row's value; all else, and with an interval everything, is on a straight line. Rows that were
 * thinned out leave lines too. NaN for a row or column that is not there. */
SAL_API double sal_recorder_interpolate(const sal_recorder *rec, int64_t row, double share, int column);
/* Whether it is known what was between a row and the next. */
SAL_API bool sal_recorder_is_curve(const sal_recorder *rec, int64_t row);

typedef struct sal_recorded_event {
    double time;
    int part, event;
} sal_recorded_event;

SAL_API int64_t sal_recorder_events(const sal_recorder *rec);
SAL_API const sal_recorded_event *sal_recorder_event(const sal_recorder *rec, int64_t index);

#ifdef __cplusplus
}
#endif
#endif
