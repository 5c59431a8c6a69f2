/* Timed events waiting for their instant.
 *
 * A timer is due at offset + k * period until its k has run; k counts up only by
 * running. Events of one period, offset and kind share a timer, so a thousand
 * equal clocks are one entry. A timer without period is due once, at the time it
 * was given. The heap is 4-ary on time; ties are settled by the dispatch. */
#ifndef SAL_QUEUE_H
#define SAL_QUEUE_H

#include "../base/base.h"

typedef struct sal__timer {
    double time;           /* due; INFINITY: never */
    double period, offset; /* period 0: given, not counted */
    int64_t k;
    int first, count; /* events: queue->member[first ...] */
    bool used;        /* its time went by: it has none until one is given */
} sal__timer;

typedef struct sal__entry {
    double time;
    int timer;
} sal__entry;

typedef struct sal__queue {
    sal__timer *timer;
    sal__entry *heap;
    int *place; /* of each timer in the heap; -1: taken out */
    int *member;
    int timers, size, members;
} sal__queue;

/* Two times are one instant when they differ by at most 4 ulp of the largest
 * of both and `scale` (|offset|, k * period of a timer). */
bool sal__same_instant(double a, double b, double scale);

sal_status sal__queue_new(const sal_allocator *mem, sal__queue *queue, int events);
void sal__queue_free(const sal_allocator *mem, sal__queue *queue, int events);
/* Adds an event; periodic ones join a timer of the same period and offset. Answers the timer. */
int sal__queue_add(sal__queue *queue, int event, double period, double offset);
/* Finds every k anew: the first sample not before t. EINVAL when a period is below 16 ulp of the time. */
sal_status sal__queue_start(sal__queue *queue, double t, int *bad);

double sal__queue_next(const sal__queue *queue);
double sal__timer_scale(const sal__timer *timer);
/* Takes out one timer that is due at `now` or in the instant opened by `opener`; -1: none. */
int sal__queue_take(sal__queue *queue, double now, double opener);
/* Puts a taken timer back: as it was, or with its k counted up. */
void sal__queue_put(sal__queue *queue, int timer);
void sal__timer_advance(sal__timer *timer);
/* A new due time for a timer without period, in the heap or out. */
void sal__queue_set(sal__queue *queue, int timer, double time);

#endif
