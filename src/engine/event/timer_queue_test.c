/* The queue against a sorted list, on random schedules. */
#include "timer_queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"

enum { EVENTS = 40 };

static uint32_t state = 1;

static uint32_t draw(uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

/* The naive twin: every event for itself, due at offset + k period. */
typedef struct twin {
    double period, offset, given;
    int64_t k;
} twin;

static double due(const twin *t) {
    return t->period > 0 ? t->offset + (double)t->k * t->period : t->given;
}

static double earliest(const twin *twins, int n) {
    double first = INFINITY;
    for (int i = 0; i < n; i++)
        first = due(&twins[i]) < first ? due(&twins[i]) : first;
    return first;
}

static sal__pool pool; /* of the present queue */

static sal__timer_queue fresh(int events) {
    sal__timer_queue q;
    pool.mem = sal__allocator(NULL);
    CHECK(sal__timer_queue_new(&pool, &q, events) == SAL_OK);
    return q;
}

static void drop(void) {
    sal__pool_free(&pool);
}

/* Takes everything due in the first instant from both, and lets it advance. */
static int run_instant(sal__timer_queue *q, twin *twins, int n) {
    const double first_time = sal__timer_queue_next_time(q);
    bool fired[EVENTS] = {false};
    int taken[EVENTS], takes, members = 0;
    CHECK(first_time == earliest(twins, n));
    takes = sal__timer_queue_due(q, first_time, first_time, taken);
    for (int i = 0; i < takes; i++) {
        const sal__timer *t = &q->timer[taken[i]];
        for (int k = t->first_member; k < t->first_member + t->member_count; k++) {
            CHECK(!fired[q->member[k]]);
            fired[q->member[k]] = true;
            members++;
        }
    }
    int wanted = 0;
    for (int i = 0; i < n; i++) {
        const double scale = fmax(fabs(twins[i].offset), (double)twins[i].k * twins[i].period);
        const bool is_due = due(&twins[i]) < INFINITY && sal__same_instant(due(&twins[i]), first_time, scale);
        wanted += is_due;
        CHECK(is_due == fired[i]);
        if (is_due && twins[i].period > 0)
            twins[i].k++;
        else if (is_due)
            twins[i].given = INFINITY;
    }
    CHECK(wanted == members);
    sal__timer_queue_advance(q, taken, takes);
    return members;
}

/* Offsets long before the start make times less exact: their instants are wider. */
static twin draw_twin(void) {
    static const double periods[] = {0.1, 0.25, 0.3, 1, 0.015, 1.0 / 3}, early[] = {-0.1, -7, -4096.3, -1e5};
    if (draw(4) == 0)
        return (twin){0, 0, INFINITY, 0};
    twin t = {periods[draw(6)], draw(4) ? 0.05 * draw(4) : early[draw(4)], INFINITY, 0};
    while (due(&t) < 0 && !sal__same_instant(due(&t), 0, fmax(fabs(t.offset), (double)t.k * t.period)))
        t.k++;
    return t;
}

static void random_schedules(void) {
    for (int round = 0; round < check_share(20); round++) {
        sal__timer_queue q = fresh(EVENTS);
        twin twins[EVENTS];
        int timer[EVENTS], bad = 0;
        for (int i = 0; i < EVENTS; i++) {
            twins[i] = draw_twin();
            timer[i] = sal__timer_queue_add(&q, i, 0, twins[i].period, twins[i].offset);
        }
        sal__timer_queue_finish(&q);
        CHECK(sal__timer_queue_start(&q, 0, &bad) == SAL_OK);
        for (int instant = 0; instant < 100; instant++) {
            const int i = (int)draw(EVENTS);
            if (twins[i].period <= 0) {
                twins[i].given = draw(5) ? sal__timer_queue_next_time(&q) + 0.01 * draw(100) : INFINITY;
                sal__timer_queue_set_time(&q, timer[i], twins[i].given);
            }
            if (sal__timer_queue_next_time(&q) < INFINITY)
                run_instant(&q, twins, EVENTS);
        }
        drop();
    }
}

/* Until its instant has been a timer is due, with the same k, also when the instant is undone. */
static void undone(void) {
    sal__timer_queue q = fresh(3);
    int bad = 0;
    sal__timer_queue_add(&q, 0, 0, 0.5, 0);
    sal__timer_queue_add(&q, 1, 0, 0.5, 0);
    sal__timer_queue_add(&q, 2, 0, 0.7, 0);
    sal__timer_queue_finish(&q);
    CHECK(q.timer_count == 2); /* equal clocks are one entry */
    CHECK(sal__timer_queue_start(&q, 0.5, &bad) == SAL_OK);
    int timer[2] = {-1, -1};
    for (int again = 0; again < 2; again++) {
        CHECK(sal__timer_queue_due(&q, 0.5, 0.5, timer) == 1 && timer[0] == 0);
        CHECK(sal__timer_queue_next_time(&q) == 0.5 && q.timer[0].k == 1 && q.timer[0].member_count == 2);
    }
    sal__timer_queue_advance(&q, timer, 1);
    CHECK(sal__timer_queue_due(&q, 0.5, 0.5, timer) == 0 && sal__timer_queue_next_time(&q) == 0.7 && q.timer[0].k == 2);
    drop();
}

/* The first sample is the one not before the start, an instant being 4 ulp wide. */
static void starts(void) {
    static const double periods[] = {0.1, 0.015, 1.0 / 3, 7, 1e-3};
    for (int i = 0; i < 5; i++)
        for (int64_t k = 1; k < 100000000; k = 3 * k + 1) {
            sal__timer_queue q = fresh(1);
            int bad = 0;
            sal__timer_queue_add(&q, 0, 0, periods[i], 0);
            sal__timer_queue_finish(&q);
            const double sample = (double)k * periods[i];
            CHECK(sal__timer_queue_start(&q, sample, &bad) == SAL_OK && q.timer[0].k == k);
            CHECK(sal__timer_queue_start(&q, nextafter(sample, INFINITY), &bad) == SAL_OK && q.timer[0].k == k);
            CHECK(sal__timer_queue_start(&q, sample + periods[i] / 2, &bad) == SAL_OK && q.timer[0].k == k + 1);
            CHECK(sal__timer_queue_start(&q, sample - periods[i] / 2, &bad) == SAL_OK && q.timer[0].k == k);
            CHECK(sal__timer_queue_start(&q, -1, &bad) == SAL_OK && q.timer[0].k == 0);
            drop();
        }
    sal__timer_queue q = fresh(1);
    int bad = -1;
    sal__timer_queue_add(&q, 0, 0, 1e-9, 0);
    sal__timer_queue_finish(&q);
    CHECK(sal__timer_queue_start(&q, 1e9, &bad) == SAL_EINVAL && bad == 0);
    drop();
}

static void instants(void) {
    CHECK(sal__same_instant(0.3, 0.1 * 3, 0));
    CHECK(sal__same_instant(INFINITY, INFINITY, 0));
    CHECK(!sal__same_instant(1, INFINITY, 0));
    CHECK(!sal__same_instant(0, 1e-16, 0));
    CHECK(sal__same_instant(0, 1e-16, 1));
    CHECK(!sal__same_instant(1, 1 + 5 * 0x1p-52, 0));
    CHECK(sal__same_instant(1, 1 + 4 * 0x1p-52, 0));
}

int main(void) {
    random_schedules();
    undone();
    starts();
    instants();
    return check_summary();
}
