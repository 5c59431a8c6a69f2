/* The timers, ordered by (time, sequence). Many stories wait in turn, each as long as the one before, so most timers
 * join the end of a sorted run. The others are in a 4-ary heap, from which the first few at a time go in front of the
 * run. */
#include "story.h"

enum { FEW = 16 };

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

static l_timer take_top(l_timer_heap *heap) {
    const l_timer top = heap->item[0], last = heap->item[--heap->count];
    if (heap->count > 0)
        sift_down(heap->item, heap->count, 0, last);
    return top;
}

/* ---- the run ---- */

static l_timer *at(const l_timer_run *run, int i) {
    return &run->item[(run->first + i) & (run->capacity - 1)];
}

static void add_last(l_timer_run *run, l_timer timer) {
    *at(run, run->count++) = timer;
}

static void add_first(l_timer_run *run, l_timer timer) {
    run->first = (run->first - 1) & (run->capacity - 1);
    run->count++;
    *at(run, 0) = timer;
}

enum { STORY_AHEAD = 8, THREAD_AHEAD = 4 };

/* If there are many stories, those that wait are no longer in the processor's cache. While one story runs, the next
 * ones are fetched: first the story, later its thread, to which the story points. */
static void fetch(const void *what, int lines) {
#ifdef __GNUC__
    for (int i = 0; i < lines; i++)
        __builtin_prefetch((const char *)what + 64 * i);
#else
    (void)what, (void)lines;
#endif
}

static void fetch_story(const l_story *story) {
    fetch((const char *)story - 64, 3); /* with its head, which Lua reads */
}

/* Moves the first few timers of the heap in front of the run, as many as there is room for. So the run has the timers
 * that are due next. */
static void take_few(l_timers *timers) {
    l_timer_run *run = &timers->run;
    l_timer few[FEW];
    int n = 0;
    while (timers->heap.count > 0 && n < FEW && run->count + n < run->capacity &&
           (run->count == 0 || is_before(&timers->heap.item[0], at(run, 0)))) {
        few[n] = take_top(&timers->heap);
        fetch_story(few[n++].story);
    }
    for (int i = n - 1; i >= 0; i--)
        add_first(run, few[i]);
}

static l_timer take_first(l_timers *timers) {
    l_timer_run *run = &timers->run;
    const l_timer first = *at(run, 0);
    run->first = (run->first + 1) & (run->capacity - 1);
    run->count--;
    if (timers->heap.count > 0)
        take_few(timers);
    if (run->count > STORY_AHEAD)
        fetch_story(at(run, STORY_AHEAD)->story);
    if (run->count > THREAD_AHEAD)
        fetch(at(run, THREAD_AHEAD)->story->thread, 4);
    return first;
}

/* ---- adding ---- */

static bool is_stale(const l_timer *timer) {
    return timer->token != timer->story->token || !timer->story->thread;
}

/* The run always has room for the timers that take_few moves to it, so take_first never allocates. */
static void add(lua_State *L, l_kernel *k, l_timer timer) {
    l_timer_run *run = &k->timers.run;
    l_timer_heap *heap = &k->timers.heap;
    run->item = l_story_ring_room(L, k, run->item, run->first, run->count, FEW, &run->capacity, sizeof *run->item);
    if (run->count == 0 || is_before(at(run, run->count - 1), &timer))
        add_last(run, timer);
    else if (is_before(&timer, at(run, 0)))
        add_first(run, timer);
    else {
        heap->item = l_story_room(L, k, heap->item, heap->count, &heap->capacity, sizeof *heap->item);
        sift_up(heap->item, heap->count++, timer);
    }
}

void l_timer_add(lua_State *L, l_kernel *k, l_story *story, double time, int index) {
    if (time == INFINITY)
        return; /* never */
    const uint64_t sequence = ++k->timers.sequence | (index == L_DEADLINE ? L_LATE : 0);
    add(L, k, (l_timer){time, sequence, story, story->token, index});
    story->timer_count++;
    story->reference_count++;
}

/* ---- removing ---- */

/* Waits that end early leave stale timers. They are removed before they are more than half of all, so memory stays
 * proportional to the stories that wait. */
static void compact(lua_State *L, l_kernel *k, int kernel) {
    l_timer_run *run = &k->timers.run;
    l_timer_heap *heap = &k->timers.heap;
    const int in_run = run->count, in_heap = heap->count;
    run->count = heap->count = 0;
    for (int i = 0; i < in_run; i++) {
        const l_timer timer = *at(run, i);
        if (is_stale(&timer))
            l_drop_reference(L, kernel, timer.story);
        else
            add_last(run, timer);
    }
    for (int i = 0; i < in_heap; i++) {
        const l_timer timer = heap->item[i];
        if (is_stale(&timer))
            l_drop_reference(L, kernel, timer.story);
        else
            sift_up(heap->item, heap->count++, timer);
    }
    take_few(&k->timers);
    k->timers.stale = 0;
}

void l_timer_drop_stale(lua_State *L, l_kernel *k, int kernel) {
    if (k->timers.stale > 64 && k->timers.stale > l_timer_count(k) / 2)
        compact(L, k, kernel);
    while (k->timers.run.count > 0 && is_stale(at(&k->timers.run, 0))) {
        const l_timer timer = take_first(&k->timers);
        k->timers.stale--;
        l_drop_reference(L, kernel, timer.story);
    }
}

bool l_timer_wake_due(lua_State *L, l_kernel *k, int kernel, bool late) {
    bool any = false;
    while (l_timer_next(L, k, kernel) <= k->now && (late || !l_deadline_is_due(k))) {
        const l_timer timer = take_first(&k->timers);
        timer.story->timer_count--;
        l_wake(L, k, kernel, timer.story, timer.token, timer.index);
        l_drop_reference(L, kernel, timer.story);
        any = true;
    }
    return any;
}

void l_timers_free(l_kernel *k) {
    l_free_array(k->core, k->timers.run.item, k->timers.run.capacity, sizeof *k->timers.run.item);
    l_free_array(k->core, k->timers.heap.item, k->timers.heap.capacity, sizeof *k->timers.heap.item);
}
