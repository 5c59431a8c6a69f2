/* A delay buffer: the history of a signal.
 *
 * It is a ring of points (t, value, derivative) in the order of time. Its old end is trimmed to what a delay can still
 * read. Two points at one time are a jump. It is also useful without a simulator: for inputs that a game replays, or
 * for the latency of a sensor.
 *
 *   sal_delay_config config = sal_delay_config_default();
 *   config.width = 2;
 *   config.delay = 0.25;
 *   sal_delay_buffer *past = NULL;
 *   sal_delay_buffer_new(NULL, &config, &past);
 *   sal_delay_buffer_append(past, t, position, velocity);
 *   sal_delay_buffer_read(past, NULL, t - 0.1, NULL, where);
 *
 * Between two points, the value is that of the cubic through both values with both derivatives (Hermite). If
 * derivatives are not known, it is the cubic through four points, two on either side. If there are fewer points, or the
 * signal has jumped, it is the line through the two. Before the first point, the value is that of the first point.
 * Beyond the newest point, the last interval is extrapolated, unless the caller gives a current point that closes the
 * interval. (Measure::Delay of Simbody, Sherman et al., has these rules.) Appending allocates when the ring is full;
 * `reserve` allocates in advance. Nothing else allocates. One thread at a time may use a buffer. */
#ifndef SALTUS_DELAY_BUFFER_H
#define SALTUS_DELAY_BUFFER_H

#include "status.h"

SAL_BEGIN_DECLARATIONS

typedef struct sal_delay_buffer sal_delay_buffer;

typedef struct sal_delay_config {
    size_t size;          /* of this struct, set by the default call */
    int width;            /* values of a point, at least 1 */
    double delay;         /* s: the largest lag from the newest point that is read; INFINITY: unlimited */
    bool linear_only;     /* interpolate and extrapolate linearly, even if derivatives are known */
    bool can_use_current; /* use a current point also where it allows only linear interpolation */
    int degree;           /* degree of the pieces for sal_delay_buffer_append_piece; 0: no pieces */
    int points;           /* room to begin with */
} sal_delay_config;

/* Returns the defaults: width 1, delay 0, no pieces, room for 8 points. */
SAL_API sal_delay_config sal_delay_config_default(void);

/* Makes a buffer, which the caller owns. EINVAL for a width below 1, a delay that is negative or NaN, a degree below 0
 * or above 10; ENOMEM. */
SAL_API sal_status sal_delay_buffer_new(const sal_allocator *allocator, const sal_delay_config *config,
                                        sal_delay_buffer **out);
/* Frees a buffer; NULL is fine. */
SAL_API void sal_delay_buffer_free(sal_delay_buffer *b);
/* Makes a copy, which the caller owns. ENOMEM. */
SAL_API sal_status sal_delay_buffer_clone(const sal_delay_buffer *b, sal_delay_buffer **out);
/* Copies the points of `from`, which must have the same width and the same form, points or pieces; the degree becomes
 * at least that of `from`. EINVAL; ENOMEM. */
SAL_API sal_status sal_delay_buffer_assign(sal_delay_buffer *b, const sal_delay_buffer *from);
/* Returns the present configuration, which the buffer owns. */
SAL_API const sal_delay_config *sal_delay_buffer_config(const sal_delay_buffer *b);
/* Changes the delay. Points that were dropped do not come back: a longer delay reads a constant there. EINVAL. */
SAL_API sal_status sal_delay_buffer_set_delay(sal_delay_buffer *b, double delay);

/* Appends a point; `rate` NULL: not known. A time earlier than the newest point removes all later points (time was
 * moved back). A second point at one time is a jump: the first is the value before it, the last the value from then
 * on. ETIME for a t that is not finite; ENOMEM. */
SAL_API sal_status sal_delay_buffer_append(sal_delay_buffer *b, double t, const double *value, const double *rate);

/* A step of an integrator, from the newest point to `t`. With theta = (s - origin) / length, value i at s is
 * x0[i] + theta (c[i] + theta (c[width + i] + ...)). The interval may be a part of the step: a step that an event cut
 * is two pieces. */
typedef struct sal_delay_piece {
    double origin, length;
    const double *x0, *c;
} sal_delay_piece;

/* Appends a piece; x0 and c are copied. EINVAL for a buffer without pieces, or a length that is not positive; ESTATE if
 * nothing was appended before; ETIME for a t that is not finite or not after the newest point; ENOMEM. */
SAL_API sal_status sal_delay_buffer_append_piece(sal_delay_buffer *b, double t, const sal_delay_piece *piece);

/* Allocates room for `points` more points, so that appending them cannot fail. ENOMEM. */
SAL_API sal_status sal_delay_buffer_reserve(sal_delay_buffer *b, int points);
/* Removes the points after t; points at t remain. `clear` removes all. */
SAL_API void sal_delay_buffer_truncate(sal_delay_buffer *b, double t);
SAL_API void sal_delay_buffer_clear(sal_delay_buffer *b);

/* Returns the number of points. */
SAL_API int sal_delay_buffer_points(const sal_delay_buffer *b);
/* Returns the time of point i, oldest first; NaN if there is none. */
SAL_API double sal_delay_buffer_time(const sal_delay_buffer *b, int i);
/* Returns the value of point i, valid until the buffer changes; NULL if there is none. */
SAL_API const double *sal_delay_buffer_value(const sal_delay_buffer *b, int i);

/* The position of a reader, for fast sequential reads; it does not change results. Start with {0}. `before`: at a
 * jump, read the value before it. */
typedef struct sal_delay_reader {
    int64_t at;
    bool before;
} sal_delay_reader;

/* The point that closes the interval after the newest one; rate NULL: not known. */
typedef struct sal_delay_current {
    double t;
    const double *value, *rate;
} sal_delay_current;

typedef enum {
    SAL_PAST_FIRST_VALUE,  /* at or before the first point: its value */
    SAL_PAST_INTERPOLATED, /* at a point or between two */
    SAL_PAST_CURRENT,      /* between the newest point and the current one */
    SAL_PAST_EXTENDED,     /* beyond the newest point */
    SAL_PAST_FORGOTTEN     /* before the oldest point, after older points were dropped: its value */
} sal_past_source;

/* Computes the value at time s, and its derivative; both may be NULL, and so may `reader`, `current` and `source`.
 * ESTATE if nothing was appended. */
SAL_API sal_status sal_delay_buffer_read(const sal_delay_buffer *b, sal_delay_reader *reader, double s,
                                         const sal_delay_current *current, double *value, double *rate,
                                         sal_past_source *source);

/* Save all points as bytes, for the same program on the same kind of machine; equal histories have equal bytes. load:
 * EINVAL, and nothing changes, if the bytes have another width or length, or hold points where this buffer holds pieces
 * (or the reverse); ENOMEM. */
SAL_API size_t sal_delay_buffer_save_size(const sal_delay_buffer *b);
SAL_API void sal_delay_buffer_save(const sal_delay_buffer *b, void *bytes);
SAL_API sal_status sal_delay_buffer_load(sal_delay_buffer *b, const void *bytes, size_t size);
SAL_API uint64_t sal_delay_buffer_hash(const sal_delay_buffer *b, uint64_t seed);

SAL_END_DECLARATIONS
#endif
