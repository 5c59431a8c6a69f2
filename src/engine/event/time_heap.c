#include "time_heap.h"

static void put(sal__time_heap *heap, int place, sal__heap_entry entry) {
    heap->entry[place] = entry;
    heap->place[entry.item] = place;
}

static void sift_up(sal__time_heap *heap, int place, sal__heap_entry entry) {
    while (place > 0) {
        const int parent = (place - 1) / 4;
        if (heap->entry[parent].time <= entry.time)
            break;
        put(heap, place, heap->entry[parent]);
        place = parent;
    }
    put(heap, place, entry);
}

static int least_child(const sal__time_heap *heap, int place) {
    const int first = 4 * place + 1;
    const sal__heap_entry *child = &heap->entry[first];
    if (first + 3 < heap->size) { /* without branches that depend on the times */
        const int a = child[1].time < child[0].time, b = 2 + (child[3].time < child[2].time);
        return first + (child[b].time < child[a].time ? b : a);
    }
    int best = first;
    for (int i = first + 1; i < first + 4 && i < heap->size; i++)
        if (heap->entry[i].time < heap->entry[best].time)
            best = i;
    return best;
}

void sal__heap_sift_down(sal__time_heap *heap, int place, sal__heap_entry entry) {
    while (4 * place + 1 < heap->size) {
        const int child = least_child(heap, place);
        if (entry.time <= heap->entry[child].time)
            break;
        put(heap, place, heap->entry[child]);
        place = child;
    }
    put(heap, place, entry);
}

static void move(sal__time_heap *heap, int place, sal__heap_entry entry) {
    if (place > 0 && entry.time < heap->entry[(place - 1) / 4].time)
        sift_up(heap, place, entry);
    else
        sal__heap_sift_down(heap, place, entry);
}

void sal__heap_push(sal__time_heap *heap, int item, double time) {
    sift_up(heap, heap->size++, (sal__heap_entry){time, item});
}

void sal__heap_remove(sal__time_heap *heap, int item) {
    const int place = heap->place[item];
    const sal__heap_entry last = heap->entry[--heap->size];
    if (place < heap->size)
        move(heap, place, last);
}

void sal__heap_set_time(sal__time_heap *heap, int item, double time) {
    move(heap, heap->place[item], (sal__heap_entry){time, item});
}
