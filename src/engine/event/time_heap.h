/* A 4-ary heap: items, which are numbers, in the order of their times. */
#ifndef SAL_TIME_HEAP_H
#define SAL_TIME_HEAP_H

typedef struct sal__heap_entry {
    double time;
    int item;
} sal__heap_entry;

typedef struct sal__time_heap {
    sal__heap_entry *entry; /* the first one is the earliest */
    int *place;             /* of each item, among the entries */
    int size;
} sal__time_heap;

/* ---- time_heap.c ---- */

/* The owner has reserved room for the entry and for the item's place. */
void sal__heap_push(sal__time_heap *heap, int item, double time);
void sal__heap_remove(sal__time_heap *heap, int item);
void sal__heap_set_time(sal__time_heap *heap, int item, double time);
void sal__heap_sift_down(sal__time_heap *heap, int place, sal__heap_entry entry);
/* Sets a later time. One item alone stays where it is. */
static inline void sal__heap_delay(sal__time_heap *heap, int item, double time) {
    const int place = heap->place[item];
    if (4 * place + 1 < heap->size)
        sal__heap_sift_down(heap, place, (sal__heap_entry){time, item});
    else
        heap->entry[place].time = time;
}

#endif
