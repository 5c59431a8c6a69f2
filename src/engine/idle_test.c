/* Time that passes while nothing happens: the same run, to the bit, as one with an observer, whose steps are all taken.
 * The times to advance to lie between timers, at them, and an ulp beside them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/test_run.h"

static sal_outcome count_up(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                            sal_note *note) {
    (void)self, (void)note;
    *sal_context_edit(next, SAL_XD) = 3 * *sal_context_get(ctx, SAL_XD) + event->index;
    return SAL_SUCCEEDED;
}

static const sal_system_class class = {.name = "counter", .update = count_up};

static void add_event(sal_system *sys, sal_event_config e) {
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
}

enum { ON_DEMAND, AT_PERIODS, AT_STEPS, BEFORE_ZERO, KINDS };

/* Each has the events of those before, the last one with a negative offset; the first has only one that the host asks
 * for. */
static sal_system *new_system(int kind) {
    sal_event_config e = sal_event_config_default();
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &class, "counter", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "n", 1, NULL) == SAL_OK);
    e.name = "ask", e.trigger = SAL_ON_DEMAND, e.kind = SAL_DISCRETE;
    add_event(sys, e);
    e.name = "tick", e.trigger = SAL_ON_PERIOD, e.period = 0.3, e.kind = SAL_DISCRETE;
    if (kind >= AT_PERIODS)
        add_event(sys, e);
    e.name = "early", e.period = 0.7, e.offset = kind == BEFORE_ZERO ? -0.2 : 0.05;
    if (kind >= AT_PERIODS)
        add_event(sys, e);
    e.name = "step", e.trigger = SAL_ON_STEP, e.period = e.offset = 0;
    if (kind >= AT_STEPS)
        add_event(sys, e);
    return sys;
}

static sal_status see(void *user, sal_simulator *sim, sal_observation observation, int part, int event) {
    (void)sim, (void)part, (void)event;
    *(int *)user += observation == SAL_OBSERVE_STEP;
    return SAL_OK;
}

static uint32_t draw(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* What the host does between two calls. */
static void act(sal_simulator *sim, uint32_t what, double now) {
    if (what == 0)
        CHECK(sal_simulator_demand(sim, 0, 0) == SAL_OK);
    if (what == 1)
        CHECK(sal_simulator_schedule(sim, 0, 0, now + 0.05, NULL) == SAL_OK);
    if (what == 2)
        sal_simulator_interrupt(sim);
    if (what == 3)
        *sal_context_edit(sal_simulator_context(sim), SAL_XD) += 1;
    if (what == 4)
        sal_simulator_halt(sim);
}

static double target(uint32_t what, double now) {
    if (what < 8)
        return now + what * 0.013;
    const double multiple = 0.1 * floor(now / 0.1 + 1.5);
    return fmax(now, what < 10 ? multiple : nextafter(multiple, what < 13 ? INFINITY : -INFINITY));
}

static void compare(sal_simulator *a, sal_simulator *b) {
    const size_t size = sal_simulator_save_size(a);
    char *bytes = malloc(2 * size);
    CHECK(sal_simulator_save_size(b) == size && bytes);
    CHECK(sal_simulator_save(a, bytes, size) == SAL_OK && sal_simulator_save(b, bytes + size, size) == SAL_OK);
    CHECK(memcmp(bytes, bytes + size, size) == 0);
    CHECK(sal_simulator_statistics(a).steps == sal_simulator_statistics(b).steps);
    free(bytes);
}

static void test_same_run(int kind, uint32_t seed) {
    sal_system *sys = new_system(kind);
    sal_simulator *idle = simulator_of(sys, NULL), *observed = simulator_of(sys, NULL);
    int handle = 0, seen = 0;
    CHECK(sal_simulator_observe(observed, see, &seen, &handle) == SAL_OK);
    for (int i = 0; i < 300; i++) {
        const double now = sal_context_time(sal_simulator_context(idle));
        const uint32_t what = draw(&seed) % 12;
        const double t = target(draw(&seed) % 16, now);
        sal_report a, b;
        act(idle, what, now);
        act(observed, what, now);
        CHECK(sal_simulator_advance_to(idle, t, &a) == sal_simulator_advance_to(observed, t, &b));
        CHECK(a.reason == b.reason && a.time == b.time && a.boundary_time == b.boundary_time && a.part == b.part &&
              a.event == b.event);
        compare(idle, observed);
    }
    CHECK(seen == sal_simulator_statistics(observed).steps);
    sal_simulator_unobserve(observed, handle);
    sal_simulator_unobserve(observed, handle); /* again: nothing is there */
    CHECK(sal_simulator_advance_to(observed, 1000, NULL) == SAL_OK && seen < sal_simulator_statistics(observed).steps);
    sal_simulator_free(idle);
    sal_simulator_free(observed);
    sal_system_free(sys);
}

int main(void) {
    for (int kind = 0; kind < KINDS; kind++)
        for (uint32_t seed = 1; seed <= 20; seed++)
            test_same_run(kind, seed);
    return check_summary();
}
