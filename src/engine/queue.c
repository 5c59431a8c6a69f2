#include "queue.h"

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
    if (!queue->timer || !queue->heap || !queue->place || !queue->member)
        return SAL_ENOMEM;
    queue->heap[0].time = INFINITY;
    return SAL_OK;
}

void sal__queue_free(const sal_allocator *mem, sal__queue *queue, int events) {
    const size_t n = (size_t)events;
    sal__free(mem, queue->timer, n * sizeof *queue->timer);
    sal__free(mem, queue->heap, (n + 1) * sizeof *queue->heap);
    sal__free(mem, queue->place, n * sizeof *queue->place);
    sal__free(mem, queue->member, n * sizeof *queue->member);
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

/* Members of one timer must be neighbours: a joiner moves what stands behind. */
static void join(sal__queue *q, int timer, int event) {
    const int at = q->timer[timer].first + q->timer[timer].count;
    memmove(q->member + at + 1, q->member + at, (size_t)(q->members - at) * sizeof *q->member);
    q->member[at] = event;
    q->members++;
    q->timer[timer].count++;
    for (int i = timer + 1; i < q->timers; i++)
        q->timer[i].first++;
}

int sal__queue_add(sal__queue *q, int event, int kind, double period, double offset) {
    for (int i = q->timers - 1; period > 0 && i >= 0; i--)
        if (q->timer[i].period == period && q->timer[i].offset == offset && q->timer[i].kind == kind) {
            join(q, i, event);
            return i;
        }
    if (period > 0 && period < q->shortest)
        q->shortest = period;
    if (period > 0 && offset < q->earliest)
        q->earliest = offset;
    q->timer[q->timers] = (sal__timer){INFINITY, period, offset, 0, q->members, 1, kind, false};
    q->member[q->members++] = event;
    return q->timers++;
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
