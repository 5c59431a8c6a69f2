/* Timed events in the order of their times.
 *
 * A periodic timer is due at offset + k * period; k advances only after its events ran. Events of the same period,
 * offset and kind share a timer, so a thousand equal clocks are one entry. A timer without a period is due once, at
 * the time that it was given. The dispatch orders events of one time. */
#ifndef SAL_TIMER_QUEUE_H
#define SAL_TIMER_QUEUE_H

#include <math.h>

#include "base/archive.h"
#include "time_heap.h"

typedef struct sal__timer {
    double time;           /* due; INFINITY: never */
    double period, offset; /* 0: it is due once */
    int64_t k;
    int first_member, member_count; /* its events are queue->member[first ...], in the order in which they were added */
    int kind;                       /* of all of them */
    bool is_spent;                  /* its time has passed, and it has no new one yet */
} sal__timer;

typedef struct sal__timer_queue {
    sal__timer *timer;
    sal__time_heap heap; /* of the timers; with an entry that is never due, if there are none */
    int *member;
    int timer_count, member_count;
    int *timer_of_event, *table, table_capacity; /* while events are added: the timer of each; a hash table of timers */
    double shortest_period;                      /* period */
    double earliest_offset;                      /* the offset if it is negative; else 0 */
} sal__timer_queue;

bool sal__within_four_ulp(double a, double b, double largest);

/* Two times are one instant if they differ by at most 4 ulp of the largest of both and `scale` (|offset|, k * period
 * of a timer). */
static inline bool sal__same_instant(double a, double b, double scale) {
    const double largest = sal__max(sal__max(fabs(a), fabs(b)), scale);
    if (a == b || fabs(a - b) > 8 * 0x1p-52 * largest) /* the usual cases; an ulp is at most that much */
        return a == b;
    return sal__within_four_ulp(a, b, largest);
}

sal_status sal__timer_queue_new(sal__pool *pool, sal__timer_queue *queue, int events);
/* Adds an event. Periodic events join a timer of the same kind, period and offset. Returns the timer. */
int sal__timer_queue_add(sal__timer_queue *queue, int event, int kind, double period, double offset);
/* After all events were added: moves the events of each timer together. */
void sal__timer_queue_finish(sal__timer_queue *queue);
/* Computes every k: the first sample not before t. SAL_EINVAL if a period is below 16 ulp of the time. */
sal_status sal__timer_queue_start(sal__timer_queue *queue, double t, int *bad);

static inline double sal__timer_queue_next_time(const sal__timer_queue *queue) {
    return queue->heap.entry[0].time;
}
/* 0 if it is not more than the time itself. */
static inline double sal__timer_scale(const sal__timer *timer) {
    return timer->offset < 0 ? sal__max(-timer->offset, (double)timer->k * timer->period) : 0;
}
/* No instant extends beyond this time, whatever its scale. */
static inline bool sal__timer_queue_is_near(const sal__timer_queue *queue, double time, double now,
                                            double instant_start) {
    return time < HUGE_VAL &&
           (time <= now ||
            time - instant_start <= 8 * 0x1p-52 * (fabs(time) + fabs(instant_start) - 2 * queue->earliest_offset));
}
/* Appends the timers that are due, from an entry of the heap downwards, after the `found` ones. */
int sal__timer_queue_list_due(const sal__timer_queue *queue, int at, double now, double instant_start, int *due,
                              int found);
/* Lists the timers that are due at `now` or in the instant opened by `instant_start`. Returns their number. */
static inline int sal__timer_queue_due(const sal__timer_queue *queue, double now, double instant_start, int *due) {
    const bool near = sal__timer_queue_is_near(queue, queue->heap.entry[0].time, now, instant_start);
    return near ? sal__timer_queue_list_due(queue, 0, now, instant_start, due, 0) : 0;
}
/* Advances these timers, whose events ran. */
void sal__timer_queue_advance(sal__timer_queue *queue, const int *timer, int count);
/* Sets the time of a timer without a period. */
void sal__timer_queue_set_time(sal__timer_queue *queue, int timer, double time);
/* Of a queue with the same events. */
void sal__timer_queue_copy(sal__timer_queue *to, const sal__timer_queue *from);
void sal__timer_queue_archive(sal__archive *a, sal__timer_queue *queue);

#endif
