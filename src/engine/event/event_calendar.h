/* What was scheduled from outside, by time.
 *
 * Each entry has a number, counted from 1 in the life of a run, by which it can be cancelled. Entries stand in the
 * order of their numbers; one that has run or was cancelled leaves a gap, until the room is wanted. Two heaps, of
 * publishes and of updates, hold where they stand, by time. */
#ifndef SAL_EVENT_CALENDAR_H
#define SAL_EVENT_CALENDAR_H

#include <math.h>

#include "base/base.h"

typedef struct sal__scheduled {
    double time;
    int64_t number;
    int event, place; /* place: in the heap */
    signed char heap; /* -1: a gap */
} sal__scheduled;

typedef struct sal__agenda {
    sal__scheduled *item;
    int *heap[2];
    int size[2];    /* of the heaps */
    int items, cap; /* with the gaps */
    int64_t given;  /* the last number */
} sal__agenda;

static inline int sal__agenda_count(const sal__agenda *agenda) {
    return agenda->size[0] + agenda->size[1];
}
static inline double sal__agenda_next(const sal__agenda *agenda, int heap) {
    return agenda->size[heap] > 0 ? agenda->item[agenda->heap[heap][0]].time : INFINITY;
}

/* Room for as many entries in all. Whatever follows takes no memory. */
sal_status sal__agenda_reserve(const sal_allocator *mem, sal__agenda *agenda, int count);
sal_status sal__agenda_clone(const sal_allocator *mem, const sal__agenda *from, sal__agenda *out);
void sal__agenda_free(const sal_allocator *mem, sal__agenda *agenda);
void sal__agenda_clear(sal__agenda *agenda); /* the numbers go on */

/* Numbers must increase. */
void sal__agenda_add(sal__agenda *agenda, int heap, int event, double time, int64_t number);
/* The entry of that number; NULL: it has run, was cancelled, or never was. */
sal__scheduled *sal__agenda_find(const sal__agenda *agenda, int64_t number);
void sal__agenda_remove(sal__agenda *agenda, sal__scheduled *entry);

#endif
