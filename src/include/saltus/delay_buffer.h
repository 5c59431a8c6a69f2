/* The past of a signal: what it was, a while ago.
 *
 * A ring of points (t, value, derivative) in the order of time, trimmed at its old
 * end to what a delay can still ask for. Two points at one time are a jump, and a
 * jump comes out as a jump. Useful alone: for the inputs that a game replays, for
 * the latency of a sensor.
 *
 *   sal_delay_config config = sal_delay_config_default();
 *   config.width = 2;
 *   config.delay = 0.25;
 *   sal_delay_buffer *past = NULL;
 *   sal_delay_buffer_new(NULL, &config, &past);
 *   sal_delay_buffer_append(past, t, position, velocity);
 *   sal_delay_buffer_read(past, NULL, t - 0.1, NULL, where);
 *
 * Between two points the value is the cubic of both values and derivatives (Hermite);
 * where derivatives are missing the cubic through two points on either side, and where
 * there are too few of these, or the signal has jumped, the line. Before the first point
 * ever given the value is that point's. Beyond the newest, the last interval is extended,
 * unless the caller has a current point to close the interval with. (Measure::Delay of
 * Simbody, Sherman et al., states these rules.) Appending allocates when the ring is
 * full; `reserve` does so ahead. Nothing else allocates. */
#ifndef SALTUS_DELAY_BUFFER_H
#define SALTUS_DELAY_BUFFER_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sal_delay_buffer sal_delay_buffer;

typedef struct sal_delay_config {
    size_t size;          /* of this struct, set by the default call */
    int width;            /* values of a point, at least 1 */
    double delay;         /* s: how far back from the newest point one asks at most; INFINITY: all is kept */
    bool linear_only;     /* lines between points and beyond them, whatever else is known */
    bool can_use_current; /* a current point is used too where only a line can lead to it */
    int degree;           /* of the pieces that sal_delay_buffer_append_piece takes; 0: none */
    int points;           /* room to begin with */
} sal_delay_config;

SAL_API sal_delay_config sal_delay_config_default(void);

/* EINVAL: a width below 1, a delay that is negative or NaN, a degree below 0 or above 10. */
SAL_API sal_status sal_delay_buffer_new(const sal_allocator *allocator, const sal_delay_config *config,
                                        sal_delay_buffer **out);
SAL_API void sal_delay_buffer_free(sal_delay_buffer *b);
SAL_API sal_status sal_delay_buffer_clone(const sal_delay_buffer *b, sal_delay_buffer **out);
/* The same points as `from`, which has the same width and takes the same, points or pieces; then of its degree at
 * least. */
SAL_API sal_status sal_delay_buffer_assign(sal_delay_buffer *b, const sal_delay_buffer *from);
SAL_API const sal_delay_config *sal_delay_buffer_config(const sal_delay_buffer *b);
/* What is still there stays: a longer delay sees the past flat where it was dropped already. */
SAL_API sal_status sal_delay_buffer_set_delay(sal_delay_buffer *b, double delay);

/* A point after all that are there; `rate` NULL: not known. One earlier than the newest drops
 * what lay after it (time was rewound). A second point at one time is a jump: the first is the
 * value before it, the last the value from then on. ETIME: t is not finite. */
SAL_API sal_status sal_delay_buffer_append(sal_delay_buffer *b, double t, const double *value, const double *rate);

/* An integrator's own step from the newest point to `t`: with theta = (s - origin) / length,
 * value i at s is x0[i] + theta (c[i] + theta (c[width + i] + ...)). It need not begin at its
 * origin nor end with it: a step that an event cut in two is two pieces. */
typedef struct sal_delay_piece {
    double origin, length;
    const double *x0, *c;
} sal_delay_piece;
SAL_API sal_status sal_delay_buffer_append_piece(sal_delay_buffer *b, double t, const sal_delay_piece *piece);

/* Room for so many more points, so that appending them cannot fail. */
SAL_API sal_status sal_delay_buffer_reserve(sal_delay_buffer *b, int points);
/* Nothing remains after t; points at t stay. */
SAL_API void sal_delay_buffer_truncate(sal_delay_buffer *b, double t);
SAL_API void sal_delay_buffer_clear(sal_delay_buffer *b);

SAL_API int sal_delay_buffer_points(const sal_delay_buffer *b);
/* Of point i, oldest first; NaN where there is none. */
SAL_API double sal_delay_buffer_time(const sal_delay_buffer *b, int i);
/* Its value, lent until the buffer changes; NULL where there is none. */
SAL_API const double *sal_delay_buffer_value(const sal_delay_buffer *b, int i);

/* A reader's place, so that reading onwards finds its interval at once; it changes no answer.
 * Begin with {0}. `before`: at a jump, the value that came before it. */
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
    SAL_PAST_FORGOTTEN     /* before the oldest point, and there were older ones: the oldest's value */
} sal_past_source;

/* The value at time s, and its derivative; either may be NULL. `reader` and `current` too.
 * ESTATE: nothing was appended yet. */
SAL_API sal_status sal_delay_buffer_read(const sal_delay_buffer *b, sal_delay_reader *reader, double s,
                                         const sal_delay_current *current, double *value, double *rate,
                                         sal_past_source *source);

/* All points as bytes, for the same program on the same kind of machine; equal pasts have
 * equal bytes wherever the ring begins. EINVAL, and nothing changed, for bytes of a buffer
 * of another width, of points where pieces are taken or the other way round, or of another size. */
SAL_API size_t sal_delay_buffer_save_size(const sal_delay_buffer *b);
SAL_API void sal_delay_buffer_save(const sal_delay_buffer *b, void *bytes);
SAL_API sal_status sal_delay_buffer_load(sal_delay_buffer *b, const void *bytes, size_t size);
SAL_API uint64_t sal_delay_buffer_hash(const sal_delay_buffer *b, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
