/* Recorders: signals of a run, sampled without a change to it.
 *
 * With an interval, there is a row at every multiple of it. It is computed from the dense output of the steps and shows
 * the state before the updates of that time. Without an interval, there is a row at the end of each step and, marked,
 * after each update and after what the host wrote; the first step after the recorder was made or started has one at its
 * start too. States and outputs inside the steps can be interpolated. With an infinite interval, there are rows only
 * where sal_recorder_sample is called.
 *
 * The function of a channel must not add rows to its own recorder, bound its rows or copy it: these calls return
 * ESTATE. */
#ifndef SALTUS_RECORDER_H
#define SALTUS_RECORDER_H

#include "delay_buffer.h"
#include "simulator.h"

SAL_BEGIN_DECLARATIONS

typedef struct sal_recorder sal_recorder;

/* One signal of `size` numbers: elements of a partition, a whole output, or a function of the context. Set `output` to
 * -1 if the signal is not an output: 0 is the first output. */
typedef struct sal_channel {
    int part, size;
    sal_partition partition; /* with `at`, unless it is an output or a function */
    int at;
    int output; /* port; -1: not an output */
    sal_status (*function)(void *user, const sal_context *ctx, double *value);
    void *user;
} sal_channel;

/* Makes a recorder that observes the simulator until it is freed, which must be before the simulator is. The caller
 * owns *out. `interval` in s; NaN: every step; INFINITY: only on sal_recorder_sample. EINVAL for an interval that is
 * not positive, or a channel whose numbers do not exist; ESTATE from a callback of the run, or without a context;
 * ENOMEM. Callbacks must not make or free recorders. */
SAL_API sal_status sal_recorder_new(sal_simulator *sim, const sal_channel *channels, int count, double interval,
                                    sal_recorder **out);
SAL_API void sal_recorder_free(sal_recorder *rec);

/* While a recorder is stopped it records nothing, no events either. The first row after that is marked. */
SAL_API void sal_recorder_stop(sal_recorder *rec);
SAL_API void sal_recorder_start(sal_recorder *rec);
SAL_API bool sal_recorder_is_stopped(const sal_recorder *rec);
/* Adds a row of the present context. ESTATE in the middle of a step, while the context shows a trial state, and without
 * a context; ENOMEM; what a channel's function or output returns. */
SAL_API sal_status sal_recorder_sample(sal_recorder *rec);

/* Bounds the memory. When there are `most` rows, every second one is removed, and from then on only every second step,
 * or multiple of the interval, is recorded; and so on. The last `most` events remain. 0: no bound. EINVAL below 16. */
SAL_API sal_status sal_recorder_set_max_rows(sal_recorder *rec, int64_t most);

/* Copies the rows and events of `from`, so that `to` can continue with a clone of its run. EINVAL if their rows or
 * intervals differ; ENOMEM. */
SAL_API sal_status sal_recorder_copy(sal_recorder *to, const sal_recorder *from);

/* The rows and events as bytes, for a run that another process continues from sal_simulator_save. Load the run first,
 * then its recorders. EINVAL: another size, or the bytes are damaged or of other channels; ENOMEM; ESTATE to load from
 * the function of a channel. */
SAL_API size_t sal_recorder_save_size(const sal_recorder *rec);
SAL_API sal_status sal_recorder_save(const sal_recorder *rec, void *bytes, size_t size);
SAL_API sal_status sal_recorder_load(sal_recorder *rec, const void *bytes, size_t size);

/* Return the number of rows, and the width of a row. Callbacks may call these. */
SAL_API int64_t sal_recorder_rows(const sal_recorder *rec);
SAL_API int sal_recorder_width(const sal_recorder *rec); /* numbers in a row, with its time and mark */
/* Returns a row: time, mark, then the signals; NULL if there is none. It is valid until the run continues.
 * Marks: 1 just after an update or a write of the host, 2 the first row after a stop, else 0. */
SAL_API const double *sal_recorder_row(const sal_recorder *rec, int64_t row);

/* A recorder with an interval also keeps both sides of the updates that change its signals, for pictures: a jump is
 * vertical there. They are no rows. sal_recorder_jump returns the numbers of one side, as sal_recorder_row does; NULL
 * if there is no such jump. In runs with far more updates than rows, some are left out. */
SAL_API int64_t sal_recorder_jumps(const sal_recorder *rec);
SAL_API const double *sal_recorder_jump(const sal_recorder *rec, int64_t jump, bool after);

/* Returns the value of a column between a row and the next one; `share` is the fraction of the way, 0 to 1. Between
 * rows at steps, a state follows the dense output, and an output its values inside the step: both to the accuracy of
 * the run. Discrete signals have the value of the row. Everything else, and every signal of a recorder with an
 * interval, is interpolated linearly, as are gaps of removed rows. NaN for a row or column that does not exist. */
SAL_API double sal_recorder_interpolate(const sal_recorder *rec, int64_t row, double share, int column);
/* Returns whether the values between a row and the next are known, not only interpolated linearly. */
SAL_API bool sal_recorder_is_curve(const sal_recorder *rec, int64_t row);

/* Makes a delay buffer with the whole record of a channel, for use as the history of another run; `channel` is its
 * index among those of sal_recorder_new. Between rows the buffer has the values of sal_recorder_interpolate; where
 * these are interpolated linearly, it has its own curve (delay_buffer.h). The buffer does not change with the
 * recorder, and the caller owns it. EINVAL if the channel does not exist; ENOMEM. */
SAL_API sal_status sal_recorder_history(const sal_recorder *rec, int channel, const sal_allocator *allocator,
                                        sal_delay_buffer **out);

typedef struct sal_recorded_event {
    double time;
    int part, event; /* part -1: an event of the host, such as one that a story emits */
} sal_recorded_event;

/* The recorded events, oldest first. An event is valid until the run continues; NULL if there is none. */
SAL_API int64_t sal_recorder_events(const sal_recorder *rec);
SAL_API const sal_recorded_event *sal_recorder_event(const sal_recorder *rec, int64_t index);

SAL_END_DECLARATIONS
#endif
