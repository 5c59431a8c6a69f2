/* The calendar against a list, with what is added, cancelled and taken at random; and seen through a simulator. */
#include "event_calendar.h"

#include <stdlib.h>

#include "base/test_check.h"
#include "saltus/simulator.h"

enum { MOST = 4000 };

static uint32_t state = 1;

static uint32_t draw(uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
}

typedef struct twin {
    double time;
    int heap; /* -1: gone */
} twin;

static twin twins[MOST + 1]; /* by number */

static double earliest(int heap, int64_t given) {
    double first = INFINITY;
    for (int64_t n = 1; n <= given; n++)
        if (twins[n].heap == heap && twins[n].time < first)
            first = twins[n].time;
    return first;
}

static void add(const sal_allocator *mem, sal__event_calendar *a) {
    CHECK(sal__calendar_reserve(mem, a, sal__calendar_count(a) + 1) == SAL_OK);
    twin *t = &twins[a->last_number + 1];
    *t = (twin){draw(200) / 10., (int)draw(2)};
    CHECK(sal__calendar_add(a, t->heap, (int)a->last_number + 1, t->time) == t - twins);
}

static void cancel(sal__event_calendar *a) {
    const int64_t number = 1 + draw((uint32_t)a->last_number + 1);
    sal__scheduled_event *entry = sal__calendar_find(a, number);
    CHECK((entry != NULL) == (number <= a->last_number && twins[number].heap >= 0));
    if (!entry)
        return;
    CHECK(entry->time == twins[number].time && entry->event == number);
    sal__calendar_remove(a, entry);
    twins[number].heap = -1;
}

static void take(sal__event_calendar *a, int heap) {
    if (a->heap[heap].size == 0)
        return;
    sal__scheduled_event *first = &a->item[a->heap[heap].entry[0].item];
    twins[first->number].heap = -1;
    sal__calendar_remove(a, first);
}

static void is_a_list(void) {
    const sal_allocator mem = sal__allocator(NULL);
    sal__event_calendar a = {0};
    while (a.last_number < MOST) {
        const uint32_t what = draw(a.last_number < MOST / 2 ? 6 : 9);
        if (what < 4 || a.last_number == 0)
            add(&mem, &a);
        else if (what < 6)
            cancel(&a);
        else
            take(&a, what % 2);
        for (int heap = 0; heap < 2; heap++)
            CHECK(sal__calendar_next_time(&a, heap) == earliest(heap, a.last_number));
    }
    sal__event_calendar copy;
    CHECK(sal__calendar_clone(&mem, &a, &copy) == SAL_OK);
    for (int heap = 0; heap < 2; heap++)
        for (double last = -1; a.heap[heap].size > 0; take(&a, heap)) {
            CHECK(sal__calendar_next_time(&copy, heap) == sal__calendar_next_time(&a, heap) &&
                  sal__calendar_next_time(&a, heap) >= last);
            last = sal__calendar_next_time(&a, heap);
            sal__calendar_remove(&copy, &copy.item[copy.heap[heap].entry[0].item]);
        }
    CHECK(sal__calendar_count(&a) == 0 && sal__calendar_count(&copy) == 0 && a.capacity < 2 * MOST);
    sal__calendar_free(&mem, &a);
    sal__calendar_free(&mem, &copy);
}

/* ---- through a simulator ---- */

static sal_outcome count(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                         sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    sal_context_edit(next, SAL_XD)[0] += 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class class = {.name = "counter", .update = count};

static sal_simulator *make(sal_system **sys) {
    sal_event_config e = sal_event_config_default();
    sal_simulator *sim = NULL;
    CHECK(sal_system_new(NULL, &class, "counter", NULL, sys) == SAL_OK);
    CHECK(sal_system_add_values(*sys, SAL_XD, "n", 1, NULL) == SAL_OK);
    e.name = "count", e.trigger = SAL_ON_DEMAND, e.kind = SAL_DISCRETE;
    CHECK(sal_system_add_event(*sys, &e, NULL) == SAL_OK);
    CHECK(sal_simulator_new(NULL, *sys, NULL, NULL, &sim) == SAL_OK);
    return sim;
}

static double counted(sal_simulator *sim) {
    return sal_context_get(sal_simulator_context(sim), SAL_XD)[0];
}

static void handles_cancel(void) {
    sal_system *sys = NULL;
    sal_simulator *sim = make(&sys);
    int64_t handle[4] = {0};
    for (int i = 0; i < 4; i++)
        CHECK(sal_simulator_schedule(sim, 0, 0, 1 + i, &handle[i]) == SAL_OK && handle[i] == i + 1);
    CHECK(sal_simulator_cancel(sim, handle[1]) == SAL_OK);
    CHECK(sal_simulator_cancel(sim, handle[1]) == SAL_ETIME);
    CHECK(sal_simulator_cancel(sim, 0) == SAL_EINVAL && sal_simulator_cancel(sim, 5) == SAL_EINVAL);
    CHECK(sal_simulator_advance_to(sim, 2.5, NULL) == SAL_OK && counted(sim) == 1);
    CHECK(sal_simulator_cancel(sim, handle[0]) == SAL_ETIME);

    const size_t size = sal_simulator_save_size(sim);
    void *bytes = malloc(size);
    CHECK(sal_simulator_save(sim, bytes, size) == SAL_OK);
    CHECK(sal_simulator_cancel(sim, handle[2]) == SAL_OK && sal_simulator_cancel(sim, handle[3]) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 5, NULL) == SAL_OK && counted(sim) == 1);
    CHECK(sal_simulator_load(sim, bytes, size) == SAL_OK);
    CHECK(sal_simulator_cancel(sim, handle[3]) == SAL_OK);
    CHECK(sal_simulator_schedule(sim, 0, 0, 4.5, &handle[0]) == SAL_OK && handle[0] == 5);
    CHECK(sal_simulator_advance_to(sim, 5, NULL) == SAL_OK && counted(sim) == 3); /* at 1, 3 and 4.5 */
    free(bytes);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

int main(void) {
    is_a_list();
    handles_cancel();
    return check_summary();
}
