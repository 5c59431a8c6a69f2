/* Recorders: signals of a run, sampled without touching it.
 *
 * With an interval a row stands at every multiple of it, read from the steps'
 * dense output: the state before the updates of that time. Without, a row
 * stands at the end of each step and, marked, after each update. */
#ifndef SALTUS_RECORDER_H
#define SALTUS_RECORDER_H

#include "simulator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sal_recorder sal_recorder;

/* One signal of `size` numbers: elements of a partition, an output, or a function of the context. */
typedef struct sal_channel {
    int part, size;
    sal_partition partition; /* with `at`, unless it is an output or a function */
    int at;
    int output; /* port; -1: not an output */
    sal_status (*function)(void *user, const sal_context *ctx, double *value);
    void *user;
} sal_channel;

/* `interval` in s, NaN for every step. Listens until it is freed, before the simulator is. */
SAL_API sal_status sal_recorder_new(sal_simulator *sim, const sal_channel *channels, int count, double interval,
                                    sal_recorder **out);
SAL_API void sal_recorder_free(sal_recorder *rec);

SAL_API int64_t sal_recorder_rows(const sal_recorder *rec);
SAL_API int sal_recorder_width(const sal_recorder *rec);
/* A row: time, mark (1: just after an update), then the signals. Lent until the run goes on. */
SAL_API const double *sal_recorder_row(const sal_recorder *rec, int64_t row);

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
