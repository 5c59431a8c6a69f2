#include "timer_queue.h"

#include <math.h>
#include <string.h>

bool sal__within_four_ulp(double a, double b, double largest) {
    return largest < INFINITY && fabs(a - b) <= 4 * sal__ulp(largest);
}

sal_status sal__queue_new(const sal_allocator *mem, sal__queue *queue, int events) {
    const size_t n = (size_t)events;
    memset(queue, 0, sizeof *queue);
    queue->shortest = INFINITY;
    queue->timer = sal__alloc(mem, n * sizeof *queue->timer);
    queue->heap = sal__alloc(mem, (n + 1) * sizeof *queue->heap);
    queue->place = sal__alloc(mem, n * sizeof *queue->place);
    queue->member = sal__alloc(mem, n * sizeof *queue->member);
    queue->joined = sal__alloc(mem, n * sizeof *queue->joined);
    for (queue->cap = 8; queue->cap < 2 * events; queue->cap *= 2)
        ;
    queue->table = sal__alloc(mem, (size_t)queue->cap * sizeof *queue->table);
    if (!queue->timer || !queue->heap || !queue->place || !queue->member || !queue->joined || !queue->table)
        return SAL_ENOMEM;
    queue->heap[0].time = INFINITY;
    return SAL_OK;
}

static void forget_table(const sal_allocator *mem, sal__queue *queue, int events) {
    sal__free(mem, queue->joined, (size_t)events * sizeof *queue->joined);
    sal__free(mem, queue->table, (size_t)queue->cap * sizeof *queue->table);
    queue->joined = queue->table = NULL;
}

void sal__queue_free(const sal_allocator *mem, sal__queue *queue, int events) {
    const size_t n = (size_t)events;
    sal__free(mem, queue->timer, n * sizeof *queue->timer);
    sal__free(mem, queue->heap, (n + 1) * sizeof *queue->heap);
    sal__free(mem, queue->place, n * sizeof *queue->place);
    sal__free(mem, queue->member, n * sizeof *queue->member);
    forget_table(mem, queue, events);
    memset(queue, 0, sizeof *queue);
}

/* ---- the heap ---- */

static void place(sal__queue *q, int at, sal__entry entry) {
    q->heap[at] = entry;
    q->place[entry.timer] = at;
}

static void sift_up(sal__queue *q, int at, sal__entry entry) {
    while (at > 0) {
        const int parent = (at - 1) / 4;
        if (q->heap[parent].time <= entry.time)
            break;
        place(q, at, q->heap[parent]);
        at = parent;
    }
    place(q, at, entry);
}

static int least_child(const sal__queue *q, int at) {
    const int first = 4 * at + 1;
    const sal__entry *child = &q->heap[first];
    if (first + 3 < q->size) { /* without branches that depend on the times */
        const int a = child[1].time < child[0].time, b = 2 + (child[3].time < child[2].time);
        return first + (child[b].time < child[a].time ? b : a);
    }
    int best = first;
    for (int i = first + 1; i < first + 4 && i < q->size; i++)
        if (q->heap[i].time < q->heap[best].time)
            best = i;
    return best;
}

static void sift_down(sal__queue *q, int at, sal__entry entry) {
    while (4 * at + 1 < q->size) {
        const int child = least_child(q, at);
        if (entry.time <= q->heap[child].time)
            break;
        place(q, at, q->heap[child]);
        at = child;
    }
    place(q, at, entry);
}

static void move(sal__queue *q, int at, sal__entry entry) {
    if (at > 0 && entry.time < q->heap[(at - 1) / 4].time)
        sift_up(q, at, entry);
    else
        sift_down(q, at, entry);
}

/* ---- timers ---- */

static bool is_clock(const sal__timer *timer, int kind, double period, double offset) {
    return timer->period == period && timer->offset == offset && timer->kind == kind;
}

/* Where in the table a clock stands, 1 + its timer; 0: where it would. */
static int *clock_of(const sal__queue *q, int kind, double period, double offset) {
    const double what[] = {period, offset + 0.0, kind}; /* one zero, not two */
    uint64_t i = sal_hash(what, sizeof what, 0);
    for (;; i++) {
        int *at = &q->table[i & (uint64_t)(q->cap - 1)];
        if (*at == 0 || is_clock(&q->timer[*at - 1], kind, period, offset))
            return at;
    }
}

static int new_timer(sal__queue *q, int kind, double period, double offset) {
    if (period > 0 && period < q->shortest)
        q->shortest = period;
    if (period > 0 && offset < q->earliest)
        q->earliest = offset;
    q->timer[q->timers] = (sal__timer){INFINITY, period, offset, 0, 0, 0, kind, false};
    return q->timers++;
}

int sal__queue_add(sal__queue *q, int event, int kind, double period, double offset) {
    int *clock = period > 0 ? clock_of(q, kind, period, offset) : NULL;
    const int timer = clock && *clock ? *clock - 1 : new_timer(q, kind, period, offset);
    if (clock)
        *clock = timer + 1;
    q->timer[timer].count++;
    q->joined[q->members] = timer;
    q->member[q->members++] = event;
    return timer;
}

/* The heap's places serve as room: it is empty yet. */
void sal__queue_close(const sal_allocator *mem, sal__queue *q, int events) {
    int *const added = q->place;
    int first = 0;
    if (q->members > 0)
        memcpy(added, q->member, (size_t)q->members * sizeof *added);
    for (int i = 0; i < q->timers; i++) {
        q->timer[i].first = first;
        first += q->timer[i].count;
        q->timer[i].count = 0;
    }
    for (int k = 0; k < q->members; k++) {
        sal__timer *timer = &q->timer[q->joined[k]];
        q->member[timer->first + timer->count++] = added[k];
    }
    forget_table(mem, q, events);
}

/* One product and one sum: the sample's time is the same however it is reached. */
static double due(const sal__timer *timer) {
    return timer->offset + (double)timer->k * timer->period;
}

static void advance(sal__timer *timer) {
    if (timer->period > 0) {
        timer->k++;
        timer->time = due(timer);
    } else {
        timer->time = INFINITY;
        timer->used = true;
    }
}

/* The first k whose sample is not before t, an instant being 4 ulp wide. */
static sal_status first_sample(sal__timer *timer, double t) {
    if (!(timer->period > 16 * sal__ulp(fmax(fabs(t), fabs(timer->offset)))))
        return SAL_EINVAL;
    const double k = ceil((t - timer->offset) / timer->period);
    if (!(fabs(k) < 0x1p53))
        return SAL_EINVAL;
    timer->k = k > 1 ? (int64_t)k - 1 : 0; /* the quotient may be one off */
    timer->time = due(timer);
    while (timer->time < t && !sal__same_instant(timer->time, t, sal__timer_scale(timer)))
        advance(timer);
    return SAL_OK;
}

sal_status sal__queue_start(sal__queue *q, double t, int *bad) {
    q->size = 0;
    for (int i = 0; i < q->timers; i++) {
        sal__timer *timer = &q->timer[i];
        if (timer->period > 0 && first_sample(timer, t) != SAL_OK) {
            *bad = q->member[timer->first];
            return SAL_EINVAL;
        }
        sal__queue_put(q, i);
    }
    return SAL_OK;
}

static int list_children(const sal__queue *q, int at, double now, double opener, int *due, int found) {
    const int first = 4 * at + 1, end = first + 4 < q->size ? first + 4 : q->size;
    for (int child = first; child < end; child++)
        if (sal__queue_is_near(q, q->heap[child].time, now, opener))
            found = sal__queue_list_due(q, child, now, opener, due, found);
    return found;
}

int sal__queue_list_due(const sal__queue *q, int at, double now, double opener, int *due, int found) {
    const sal__entry *entry = &q->heap[at];
    if (entry->time <= now || sal__same_instant(entry->time, opener, sal__timer_scale(&q->timer[entry->timer])))
        due[found++] = entry->timer;
    return 4 * at + 1 < q->size ? list_children(q, at, now, opener, due, found) : found;
}

void sal__queue_put(sal__queue *q, int timer) {
    sift_up(q, q->size++, (sal__entry){q->timer[timer].time, timer});
}

void sal__queue_enter_all(sal__queue *q) {
    q->size = 0;
    for (int i = 0; i < q->timers; i++) {
        sal__timer *timer = &q->timer[i];
        timer->used = false;
        if (timer->period > 0)
            timer->time = due(timer);
        sal__queue_put(q, i);
    }
}

void sal__queue_advance(sal__queue *q, const int *timer, int count) {
    for (const int *end = timer + count; timer < end; timer++) {
        const int at = q->place[*timer];
        advance(&q->timer[*timer]);
        if (4 * at + 1 < q->size)
            sift_down(q, at, (sal__entry){q->timer[*timer].time, *timer});
        else /* as one alone does */
            q->heap[at].time = q->timer[*timer].time;
    }
}

void sal__queue_set(sal__queue *q, int timer, double time) {
    q->timer[timer].time = time;
    move(q, q->place[timer], (sal__entry){time, timer});
}
