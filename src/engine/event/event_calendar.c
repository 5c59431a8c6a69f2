#include "event_calendar.h"

#include <limits.h>
#include <string.h>

/* ---- room ---- */

static sal_status allocate(const sal_allocator *mem, int cap, sal__event_calendar *out) {
    const size_t n = (size_t)cap;
    *out = (sal__event_calendar){.capacity = cap};
    out->item = sal__alloc(mem, n * sizeof *out->item);
    for (int h = 0; h < 2; h++)
        out->heap[h].entry = sal__alloc(mem, n * sizeof *out->heap[h].entry);
    out->heap[0].place = out->heap[1].place = sal__alloc(mem, n * sizeof(int));
    if (out->item && out->heap[0].entry && out->heap[1].entry && out->heap[0].place)
        return SAL_OK;
    sal__calendar_free(mem, out);
    return SAL_ENOMEM;
}

void sal__calendar_free(const sal_allocator *mem, sal__event_calendar *a) {
    const size_t n = (size_t)a->capacity;
    sal__free(mem, a->item, n * sizeof *a->item);
    for (int h = 0; h < 2; h++)
        sal__free(mem, a->heap[h].entry, n * sizeof *a->heap[h].entry);
    sal__free(mem, a->heap[0].place, n * sizeof(int));
    *a = (sal__event_calendar){0};
}

void sal__calendar_copy(sal__event_calendar *to, const sal__event_calendar *from) {
    to->item_count = from->item_count;
    to->last_number = from->last_number;
    to->heap[0].size = from->heap[0].size, to->heap[1].size = from->heap[1].size;
    if (from->item_count == 0)
        return;
    memcpy(to->item, from->item, (size_t)from->item_count * sizeof *to->item);
    memcpy(to->heap[0].place, from->heap[0].place, (size_t)from->item_count * sizeof(int));
    for (int h = 0; h < 2; h++)
        memcpy(to->heap[h].entry, from->heap[h].entry, (size_t)from->heap[h].size * sizeof *to->heap[h].entry);
}

sal_status sal__calendar_clone(const sal_allocator *mem, const sal__event_calendar *from, sal__event_calendar *out) {
    const sal_status status = allocate(mem, from->capacity, out);
    if (status == SAL_OK)
        sal__calendar_copy(out, from);
    return status;
}

static void close_gaps(sal__event_calendar *a) {
    int kept = 0;
    for (int i = 0; i < a->item_count; i++) {
        const sal__scheduled_event entry = a->item[i];
        if (entry.heap < 0)
            continue;
        sal__time_heap *heap = &a->heap[entry.heap];
        heap->entry[heap->place[i]].item = kept;
        heap->place[kept] = heap->place[i];
        a->item[kept++] = entry;
    }
    a->item_count = kept;
}

/* Closes the gaps once they are half of the items, so each entry is moved a few times at most. */
sal_status sal__calendar_reserve(const sal_allocator *mem, sal__event_calendar *a, int count) {
    enum { LEAST = 8 };
    if (a->item_count - sal__calendar_count(a) > a->capacity / 2)
        close_gaps(a);
    if (count + a->item_count - sal__calendar_count(a) <= a->capacity)
        return SAL_OK;
    int cap = a->capacity < LEAST ? LEAST : a->capacity;
    while (cap < count + a->item_count - sal__calendar_count(a)) {
        if (cap > INT32_MAX / 4)
            return SAL_ENOMEM;
        cap *= 2;
    }
    sal__event_calendar wider;
    if (allocate(mem, cap, &wider) != SAL_OK)
        return SAL_ENOMEM;
    sal__calendar_copy(&wider, a);
    sal__calendar_free(mem, a);
    *a = wider;
    return SAL_OK;
}

/* The numbers go on. */
static void clear(sal__event_calendar *a) {
    a->item_count = a->heap[0].size = a->heap[1].size = 0;
}

/* ---- entries ---- */

static void add(sal__event_calendar *a, int heap, int event, double time, int64_t number) {
    a->item[a->item_count] = (sal__scheduled_event){time, number, event, (signed char)heap};
    sal__heap_push(&a->heap[heap], a->item_count++, time);
}

int64_t sal__calendar_add(sal__event_calendar *a, int heap, int event, double time) {
    add(a, heap, event, time, ++a->last_number);
    return a->last_number;
}

void sal__calendar_remove(sal__event_calendar *a, sal__scheduled_event *entry) {
    sal__heap_remove(&a->heap[entry->heap], (int)(entry - a->item));
    entry->heap = -1;
}

void sal__calendar_remove_first(sal__event_calendar *a, int heap) {
    sal__calendar_remove(a, &a->item[a->heap[heap].entry[0].item]);
}

sal__scheduled_event *sal__calendar_find(const sal__event_calendar *a, int64_t number) {
    int low = -1, high = a->item_count;
    SAL__BISECT(int, low, high, a->item[middle].number < number)
    const bool found = high < a->item_count && a->item[high].number == number && a->item[high].heap >= 0;
    return found ? &a->item[high] : NULL;
}

/* ---- in a snapshot ---- */

/* Numbers increase; `last` is the number of the previous entry. */
static void archive_scheduled(sal__archive *a, const sal__plan *plan, sal__scheduled_event *s, int64_t last,
                              int64_t given) {
    s->time = sal__real_not_nan(a, &s->time);
    s->number = sal__int64(a, &s->number, last + 1, given);
    s->event = sal__int(a, &s->event, 0, plan->event_count - 1);
    sal__rule(a, plan->event_count > 0 && plan->event[s->event].trigger == SAL_ON_DEMAND);
}

/* The next entry after item i that is not a gap. */
static int next_scheduled(const sal__event_calendar *calendar, int i) {
    while (++i < calendar->item_count && calendar->item[i].heap < 0)
        ;
    return i;
}

void sal__calendar_archive(sal__archive *a, sal__event_calendar *calendar, const sal__plan *plan, int *count) {
    enum { EACH = sizeof(double) + sizeof(int64_t) + sizeof(int32_t) };
    int64_t last = 0;
    const int64_t given = sal__int64(a, &calendar->last_number, 0, SAL__MAX_COUNT);
    *count = sal__calendar_count(calendar);
    *count = sal__count(a, count, INT_MAX / 4, EACH);
    if (a->mode == SAL__READ)
        clear(calendar);
    sal__may_take(a, (size_t)(calendar->capacity - *count) * EACH);
    for (int k = 0, i = -1; k < *count && !a->is_bad; k++) {
        sal__scheduled_event s = {0};
        if (!sal__is_loading(a))
            s = calendar->item[i = next_scheduled(calendar, i)];
        archive_scheduled(a, plan, &s, last, given);
        last = s.number;
        if (a->mode == SAL__READ)
            add(calendar, plan->event[s.event].kind >= SAL_DISCRETE, s.event, s.time, s.number);
    }
}
