/* The heap of timers: a 4-ary heap, ordered by (time, sequence). */
#include "story.h"

static bool is_before(const l_timer *a, const l_timer *b) {
    return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

static void sift_up(l_timer *heap, int at, l_timer timer) {
    while (at > 0) {
        const int parent = (at - 1) / 4;
        if (!is_before(&timer, &heap[parent]))
            break;
        heap[at] = heap[parent];
        at = parent;
    }
    heap[at] = timer;
}

static int first_child(const l_timer *heap, int count, int at) {
    int best = 4 * at + 1;
    const int end = best + 4 < count ? best + 4 : count;
    for (int i = best + 1; i < end; i++)
        if (is_before(&heap[i], &heap[best]))
            best = i;
    return best;
}

static void sift_down(l_timer *heap, int count, int at, l_timer timer) {
    while (4 * at + 1 < count) {
        const int child = first_child(heap, count, at);
        if (!is_before(&heap[child], &timer))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = timer;
}

static void remove_first(l_timer_heap *heap) {
    const l_timer last = heap->item[--heap->count];
    if (heap->count > 0)
        sift_down(heap->item, heap->count, 0, last);
}

static bool is_stale(const l_timer *timer) {
    return timer->token != timer->story->token || !timer->story->thread;
}

void l_timer_add(lua_State *L, l_kernel *k, l_story *story, double time, int index) {
    if (time == INFINITY)
        return; /* never */
    l_timer_heap *heap = &k->timers;
    heap->item = l_story_room(L, k, heap->item, heap->count, &heap->capacity, sizeof *heap->item);
    story->timers++;
    story->references++;
    const uint64_t sequence = ++heap->sequence | (index == L_DEADLINE ? L_LATE : 0);
    sift_up(heap->item, heap->count++, (l_timer){time, sequence, story, story->token, index});
}

/* Waits that end early leave stale timers. They are removed before they are more than half of the heap, so memory
 * stays proportional to the stories that wait. */
static void compact(lua_State *L, l_kernel *k, int kernel) {
    l_timer_heap *heap = &k->timers;
    int left = 0;
    for (int i = 0; i < heap->count; i++) {
        const l_timer timer = heap->item[i];
        if (is_stale(&timer))
            l_drop_reference(L, kernel, timer.story);
        else
            sift_up(heap->item, left++, timer);
    }
    heap->count = left;
    heap->stale = 0;
}

void l_timer_drop_stale(lua_State *L, l_kernel *k, int kernel) {
    l_timer_heap *heap = &k->timers;
    if (heap->stale > 64 && heap->stale > heap->count / 2)
        compact(L, k, kernel);
    while (heap->count > 0 && is_stale(&heap->item[0])) {
        l_story *story = heap->item[0].story;
        remove_first(heap);
        heap->stale--;
        l_drop_reference(L, kernel, story);
    }
}

bool l_timer_wake_due(lua_State *L, l_kernel *k, int kernel, bool late) {
    bool any = false;
    while (l_timer_next(L, k, kernel) <= k->now && (late || !l_deadline_is_due(k))) {
        const l_timer timer = k->timers.item[0];
        remove_first(&k->timers);
        timer.story->timers--;
        l_wake(L, k, kernel, timer.story, timer.token, timer.index);
        l_drop_reference(L, kernel, timer.story);
        any = true;
    }
    return any;
}

void l_timers_free(l_kernel *k) {
    l_free_array(k->core, k->timers.item, k->timers.capacity, sizeof *k->timers.item);
}
