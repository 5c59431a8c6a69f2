#include "timer_queue.h"

#include <math.h>
#include <string.h>

bool sal__within_four_ulp(double a, double b, double largest) {
    return largest < INFINITY && fabs(a - b) <= 4 * sal__ulp(largest);
}

sal_status sal__timer_queue_new(sal__pool *pool, sal__timer_queue *queue, int events) {
    *queue = (sal__timer_queue){.shortest_period = INFINITY, .table_capacity = 8};
    while (queue->table_capacity < 2 * events)
        queue->table_capacity *= 2;
    queue->timer = sal__pool_alloc(pool, events, sizeof *queue->timer);
    queue->heap.entry = sal__pool_alloc(pool, events + 1, sizeof *queue->heap.entry);
    queue->heap.place = sal__pool_alloc(pool, events, sizeof *queue->heap.place);
    queue->member = sal__pool_alloc(pool, events, sizeof *queue->member);
    queue->timer_of_event = sal__pool_alloc(pool, events, sizeof *queue->timer_of_event);
    queue->table = sal__pool_alloc(pool, queue->table_capacity, sizeof *queue->table);
    if (!pool->failed)
        queue->heap.entry[0].time = INFINITY;
    return sal__pool_status(pool);
}

/* ---- timers ---- */

static bool is_clock(const sal__timer *timer, int kind, double period, double offset) {
    return timer->period == period && timer->offset == offset && timer->kind == kind;
}

/* The index in the hash table of a periodic timer, where 1 + its number is stored; or the free index for it. */
static int *clock_of(const sal__timer_queue *q, int kind, double period, double offset) {
    const double what[] = {period, offset + 0.0, kind}; /* one zero, not two */
    uint64_t i = sal_hash(what, sizeof what, 0);
    for (;; i++) {
        int *at = &q->table[i & (uint64_t)(q->table_capacity - 1)];
        if (*at == 0 || is_clock(&q->timer[*at - 1], kind, period, offset))
            return at;
    }
}

static int new_timer(sal__timer_queue *q, int kind, double period, double offset) {
    if (period > 0 && period < q->shortest_period)
        q->shortest_period = period;
    if (period > 0 && offset < q->earliest_offset)
        q->earliest_offset = offset;
    q->timer[q->timer_count] = (sal__timer){INFINITY, period, offset, 0, 0, 0, kind, false};
    return q->timer_count++;
}

int sal__timer_queue_add(sal__timer_queue *q, int event, int kind, double period, double offset) {
    int *clock = period > 0 ? clock_of(q, kind, period, offset) : NULL;
    const int timer = clock && *clock ? *clock - 1 : new_timer(q, kind, period, offset);
    if (clock)
        *clock = timer + 1;
    q->timer[timer].member_count++;
    q->timer_of_event[q->member_count] = timer;
    q->member[q->member_count++] = event;
    return timer;
}

/* The heap is still empty, so its memory is used as workspace. */
void sal__timer_queue_finish(sal__timer_queue *q) {
    int *const added = q->heap.place;
    int first = 0;
    if (q->member_count > 0)
        memcpy(added, q->member, (size_t)q->member_count * sizeof *added);
    for (int i = 0; i < q->timer_count; i++) {
        q->timer[i].first_member = first;
        first += q->timer[i].member_count;
        q->timer[i].member_count = 0;
    }
    for (int k = 0; k < q->member_count; k++) {
        sal__timer *timer = &q->timer[q->timer_of_event[k]];
        q->member[timer->first_member + timer->member_count++] = added[k];
    }
}

/* One product and one sum, so the time of a sample does not depend on the way to it. */
static double due(const sal__timer *timer) {
    return timer->offset + (double)timer->k * timer->period;
}

static void advance(sal__timer *timer) {
    if (timer->period > 0) {
        timer->k++;
        timer->time = due(timer);
    } else {
        timer->time = INFINITY;
        timer->is_spent = true;
    }
}

/* The first k whose sample is not before t. An instant is 4 ulp wide. */
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

sal_status sal__timer_queue_start(sal__timer_queue *q, double t, int *bad) {
    q->heap.size = 0;
    for (int i = 0; i < q->timer_count; i++) {
        sal__timer *timer = &q->timer[i];
        if (timer->period > 0 && first_sample(timer, t) != SAL_OK) {
            *bad = q->member[timer->first_member];
            return SAL_EINVAL;
        }
        sal__heap_push(&q->heap, i, timer->time);
    }
    return SAL_OK;
}

static int list_children(const sal__timer_queue *q, int at, double now, double instant_start, int *due, int found) {
    const int first = 4 * at + 1, end = first + 4 < q->heap.size ? first + 4 : q->heap.size;
    for (int child = first; child < end; child++)
        if (sal__timer_queue_is_near(q, q->heap.entry[child].time, now, instant_start))
            found = sal__timer_queue_list_due(q, child, now, instant_start, due, found);
    return found;
}

int sal__timer_queue_list_due(const sal__timer_queue *q, int at, double now, double instant_start, int *due,
                              int found) {
    const sal__heap_entry *entry = &q->heap.entry[at];
    if (entry->time <= now || sal__same_instant(entry->time, instant_start, sal__timer_scale(&q->timer[entry->item])))
        due[found++] = entry->item;
    return 4 * at + 1 < q->heap.size ? list_children(q, at, now, instant_start, due, found) : found;
}

void sal__timer_queue_advance(sal__timer_queue *q, const int *timer, int count) {
    for (const int *end = timer + count; timer < end; timer++) {
        advance(&q->timer[*timer]);
        sal__heap_delay(&q->heap, *timer, q->timer[*timer].time);
    }
}

void sal__timer_queue_set_time(sal__timer_queue *q, int timer, double time) {
    q->timer[timer].is_spent = false;
    if (time == q->timer[timer].time)
        return;
    q->timer[timer].time = time;
    sal__heap_set_time(&q->heap, timer, time);
}

/* ---- in a snapshot ---- */

/* The count of a periodic timer; the time of any other. */
static void archive_timer(sal__archive *a, sal__timer *timer) {
    const int64_t most = INT64_C(1) << 53; /* whole numbers that are doubles */
    if (timer->period > 0)
        sal__int64(a, &timer->k, 0, most);
    else
        sal__real_not_nan(a, &timer->time);
}

/* A periodic timer's time follows from its k; any other timer stores its time. */
static void rebuild(sal__timer_queue *q) {
    q->heap.size = 0;
    for (int i = 0; i < q->timer_count; i++) {
        sal__timer *timer = &q->timer[i];
        timer->is_spent = false;
        if (timer->period > 0)
            timer->time = due(timer);
        sal__heap_push(&q->heap, i, timer->time);
    }
}

void sal__timer_queue_archive(sal__archive *a, sal__timer_queue *queue) {
    for (int i = 0; i < queue->timer_count; i++)
        archive_timer(a, &queue->timer[i]);
    if (a->mode == SAL__READ)
        rebuild(queue);
}

void sal__timer_queue_copy(sal__timer_queue *to, const sal__timer_queue *from) {
    if (from->timer_count == 0)
        return;
    memcpy(to->timer, from->timer, (size_t)from->timer_count * sizeof *to->timer);
    memcpy(to->heap.entry, from->heap.entry, (size_t)from->heap.size * sizeof *to->heap.entry);
    memcpy(to->heap.place, from->heap.place, (size_t)from->timer_count * sizeof *to->heap.place);
    to->heap.size = from->heap.size;
}
