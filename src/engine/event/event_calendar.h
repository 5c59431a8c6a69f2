/* Events that were scheduled from outside, by time.
 *
 * Each entry has a number, counted from 1 in each run, by which it can be cancelled. Entries are kept in the order
 * of their numbers. An entry that ran or was cancelled leaves a gap until its room is needed. Two heaps, one of
 * publishes and one of updates, order the entries by time. */
#ifndef SAL_EVENT_CALENDAR_H
#define SAL_EVENT_CALENDAR_H

#include <math.h>

#include "base/archive.h"
#include "model/model.h"
#include "time_heap.h"

typedef struct sal__scheduled_event {
    double time;
    int64_t number;
    int event;
    signed char heap; /* -1: a gap */
} sal__scheduled_event;

typedef struct sal__event_calendar {
    sal__scheduled_event *item;
    sal__time_heap heap[2];   /* of items; `place` is the same list */
    int item_count, capacity; /* with the gaps */
    int64_t last_number;      /* the last number */
} sal__event_calendar;

static inline int sal__calendar_count(const sal__event_calendar *calendar) {
    return calendar->heap[0].size + calendar->heap[1].size;
}
static inline double sal__calendar_next_time(const sal__event_calendar *calendar, int heap) {
    return calendar->heap[heap].size > 0 ? calendar->heap[heap].entry[0].time : INFINITY;
}

/* Reserves room for so many entries in all. The functions below allocate nothing. */
sal_status sal__calendar_reserve(const sal_allocator *mem, sal__event_calendar *calendar, int count);
sal_status sal__calendar_clone(const sal_allocator *mem, const sal__event_calendar *from, sal__event_calendar *out);
/* Copies all entries, for which there is room. */
void sal__calendar_copy(sal__event_calendar *to, const sal__event_calendar *from);
void sal__calendar_free(const sal_allocator *mem, sal__event_calendar *calendar);

/* Returns its number. */
int64_t sal__calendar_add(sal__event_calendar *calendar, int heap, int event, double time);
/* The entry of that number; NULL if it ran, was cancelled, or never existed. */
sal__scheduled_event *sal__calendar_find(const sal__event_calendar *calendar, int64_t number);
void sal__calendar_remove(sal__event_calendar *calendar, sal__scheduled_event *entry);
void sal__calendar_remove_first(sal__event_calendar *calendar, int heap);
/* Reading needs room for `count` entries. */
void sal__calendar_archive(sal__archive *a, sal__event_calendar *calendar, const sal__plan *plan, int *count);

#endif
