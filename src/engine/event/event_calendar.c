#include "event_calendar.h"

#include <string.h>

/* ---- room ---- */

static sal_status allocate(const sal_allocator *mem, int cap, sal__agenda *out) {
    const size_t n = (size_t)cap;
    *out = (sal__agenda){.cap = cap};
    out->item = sal__alloc(mem, n * sizeof *out->item);
    out->heap[0] = sal__alloc(mem, n * sizeof(int));
    out->heap[1] = sal__alloc(mem, n * sizeof(int));
    if (out->item && out->heap[0] && out->heap[1])
        return SAL_OK;
    sal__agenda_free(mem, out);
    return SAL_ENOMEM;
}

void sal__agenda_free(const sal_allocator *mem, sal__agenda *a) {
    const size_t n = (size_t)a->cap;
    sal__free(mem, a->item, n * sizeof *a->item);
    sal__free(mem, a->heap[0], n * sizeof(int));
    sal__free(mem, a->heap[1], n * sizeof(int));
    *a = (sal__agenda){0};
}

static void copy(sal__agenda *to, const sal__agenda *from) {
    if (from->items > 0)
        memcpy(to->item, from->item, (size_t)from->items * sizeof *to->item);
    for (int h = 0; h < 2; h++)
        if (from->size[h] > 0)
            memcpy(to->heap[h], from->heap[h], (size_t)from->size[h] * sizeof(int));
    to->items = from->items;
    to->size[0] = from->size[0], to->size[1] = from->size[1];
    to->given = from->given;
}

sal_status sal__agenda_clone(const sal_allocator *mem, const sal__agenda *from, sal__agenda *out) {
    const sal_status status = allocate(mem, from->cap, out);
    if (status == SAL_OK)
        copy(out, from);
    return status;
}

static void close_gaps(sal__agenda *a) {
    int kept = 0;
    for (int i = 0; i < a->items; i++) {
        const sal__scheduled entry = a->item[i];
        if (entry.heap < 0)
            continue;
        a->heap[entry.heap][entry.place] = kept;
        a->item[kept++] = entry;
    }
    a->items = kept;
}

/* Gaps are closed where they are half of it, so that each entry is moved a few times at most. */
sal_status sal__agenda_reserve(const sal_allocator *mem, sal__agenda *a, int count) {
    enum { LEAST = 8 };
    if (a->items - sal__agenda_count(a) > a->cap / 2)
        close_gaps(a);
    if (count + a->items - sal__agenda_count(a) <= a->cap)
        return SAL_OK;
    int cap = a->cap < LEAST ? LEAST : a->cap;
    while (cap < count + a->items - sal__agenda_count(a)) {
        if (cap > INT32_MAX / 4)
            return SAL_ENOMEM;
        cap *= 2;
    }
    sal__agenda wider;
    if (allocate(mem, cap, &wider) != SAL_OK)
        return SAL_ENOMEM;
    copy(&wider, a);
    sal__agenda_free(mem, a);
    *a = wider;
    return SAL_OK;
}

void sal__agenda_clear(sal__agenda *a) {
    a->items = a->size[0] = a->size[1] = 0;
}

/* ---- the heaps, 4-ary on time ---- */

static double time_at(const sal__agenda *a, int h, int place) {
    return a->item[a->heap[h][place]].time;
}

static void put(sal__agenda *a, int h, int place, int i) {
    a->heap[h][place] = i;
    a->item[i].place = place;
}

static void sift_up(sal__agenda *a, int h, int place, int i) {
    for (; place > 0 && a->item[i].time < time_at(a, h, (place - 1) / 4); place = (place - 1) / 4)
        put(a, h, place, a->heap[h][(place - 1) / 4]);
    put(a, h, place, i);
}

static int least_child(const sal__agenda *a, int h, int place) {
    const int first = 4 * place + 1, end = first + 4 < a->size[h] ? first + 4 : a->size[h];
    int best = first;
    for (int child = first + 1; child < end; child++)
        best = time_at(a, h, child) < time_at(a, h, best) ? child : best;
    return best;
}

static void sift_down(sal__agenda *a, int h, int place, int i) {
    while (4 * place + 1 < a->size[h]) {
        const int child = least_child(a, h, place);
        if (!(time_at(a, h, child) < a->item[i].time))
            break;
        put(a, h, place, a->heap[h][child]);
        place = child;
    }
    put(a, h, place, i);
}

void sal__agenda_add(sal__agenda *a, int heap, int event, double time, int64_t number) {
    const int i = a->items++;
    a->item[i] = (sal__scheduled){time, number, event, 0, (signed char)heap};
    sift_up(a, heap, a->size[heap]++, i);
}

void sal__agenda_remove(sal__agenda *a, sal__scheduled *entry) {
    const int h = entry->heap, place = entry->place, last = a->heap[h][--a->size[h]];
    entry->heap = -1;
    if (place == a->size[h])
        return;
    if (place > 0 && a->item[last].time < time_at(a, h, (place - 1) / 4))
        sift_up(a, h, place, last);
    else
        sift_down(a, h, place, last);
}

sal__scheduled *sal__agenda_find(const sal__agenda *a, int64_t number) {
    int low = 0, high = a->items;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (a->item[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < a->items && a->item[low].number == number && a->item[low].heap >= 0;
    return found ? &a->item[low] : NULL;
}
