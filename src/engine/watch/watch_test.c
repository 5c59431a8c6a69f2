/* Watches in C: an oscillator x = sin t that counts at each whole second, watched for levels and for its count. */
#include <math.h>
#include <stdlib.h>

#include "engine/test_run.h"

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->q[0] = *sal_context_get(ctx, SAL_V);
    dot->v[0] = -*sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static sal_outcome count_up(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                            sal_note *note) {
    (void)self, (void)event, (void)note;
    *sal_context_edit(next, SAL_XD) = *sal_context_get(ctx, SAL_XD) + 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class class = {.name = "oscillator", .derivatives = rates, .update = count_up};

static sal_system *new_system(void) {
    const double one = 1;
    sal_event_config e = sal_event_config_default();
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &class, "oscillator", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Q, "x", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_V, "v", 1, &one) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "n", 1, NULL) == SAL_OK);
    e.name = "count", e.trigger = SAL_ON_PERIOD, e.period = 1, e.offset = 1, e.kind = SAL_DISCRETE;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    return sys;
}

/* The margins: x - *level, and n - *level. */
static sal_status above(void *user, const sal_context *ctx, double *value) {
    *value = *sal_context_get(ctx, SAL_Q) - *(const double *)user;
    return SAL_OK;
}

static sal_status counted(void *user, const sal_context *ctx, double *value) {
    *value = *sal_context_get(ctx, SAL_XD) - *(const double *)user;
    return SAL_OK;
}

static sal_status broken(void *user, const sal_context *ctx, double *value) {
    *value = sal_context_time(ctx) < *(const double *)user ? -1 : NAN;
    return SAL_OK;
}

static int64_t watch(sal_simulator *sim, sal_status (*margin)(void *, const sal_context *, double *), double *level) {
    int64_t handle = -1;
    CHECK(sal_simulator_watch(sim, &(sal_watch){margin, level, 0}, &handle) == SAL_OK);
    return handle;
}

static bool fired(const sal_simulator *sim, int count, int64_t first) {
    const int64_t *handle = NULL;
    return sal_simulator_fired_watches(sim, &handle) == count && (count == 0 || handle[0] == first);
}

static double level_of(const sal_simulator *sim) {
    return *sal_context_get(sal_simulator_context((sal_simulator *)(uintptr_t)sim), SAL_Q);
}

static void test_flow_and_update(sal_system *sys) {
    double half = 0.5, two = 2;
    sal_report report;
    sal_simulator *sim = simulator_of(sys, NULL);
    const int64_t by_flow = watch(sim, above, &half), by_update = watch(sim, counted, &two);
    CHECK(by_flow == 1 && by_update == 2);
    CHECK(sal_simulator_next_time(sim) == 0);
    CHECK(sal_simulator_advance_to(sim, 5, &report) == SAL_OK && report.reason == SAL_AT_WATCH);
    CHECK(fabs(report.time - asin(0.5)) < 1e-6 && level_of(sim) >= 0.5 && fired(sim, 1, by_flow));
    CHECK(sal_simulator_next_time(sim) == 1);
    CHECK(sal_simulator_advance_to(sim, 5, &report) == SAL_OK && report.reason == SAL_AT_WATCH && report.time == 2);
    CHECK(fired(sim, 1, by_update) && *sal_context_get(sal_simulator_context(sim), SAL_XD) == 2);
    CHECK(sal_simulator_advance_to(sim, 5, &report) == SAL_OK && report.reason == SAL_AT_BOUNDARY && fired(sim, 0, 0));
    CHECK(watch(sim, counted, &two) == 0);
    sal_simulator_free(sim);
}

static void test_refusals(sal_system *sys) {
    double half = 0.5;
    int64_t handle = 7;
    sal_report report;
    sal_simulator *sim = simulator_of(sys, NULL);
    CHECK(sal_simulator_watch(sim, NULL, &handle) == SAL_EINVAL);
    CHECK(sal_simulator_watch(sim, &(sal_watch){NULL, &half, 0}, &handle) == SAL_EINVAL);
    CHECK(sal_simulator_watch(sim, &(sal_watch){above, &half, -1}, &handle) == SAL_EINVAL);
    CHECK(sal_simulator_watch(sim, &(sal_watch){above, &half, NAN}, &handle) == SAL_EINVAL);
    CHECK(sal_simulator_watch(sim, &(sal_watch){above, &half, 0}, NULL) == SAL_EINVAL && handle == 7);
    CHECK(sal_simulator_unwatch(sim, 1) == SAL_EINVAL && sal_simulator_unwatch(sim, 0) == SAL_EINVAL);
    handle = watch(sim, broken, &half);
    CHECK(sal_simulator_advance_to(sim, 2, &report) == SAL_ENAN && report.time < 0.5);
    CHECK(sal_simulator_unwatch(sim, handle) == SAL_OK && sal_simulator_unwatch(sim, handle) == SAL_EINVAL);
    CHECK(sal_simulator_know_watch(sim, &(sal_watch){above, &half, 0}, 0) == SAL_EINVAL);
    CHECK(sal_simulator_know_watch(sim, &(sal_watch){above, &half, 0}, handle) == SAL_OK);
    CHECK(sal_simulator_know_watch(sim, &(sal_watch){above, &half, 0}, handle) == SAL_EINVAL);
    CHECK(sal_simulator_advance_to(sim, 2, &report) == SAL_OK && report.time == 2);
    sal_simulator_free(sim);
    sal_simulator_config config = sal_simulator_config_default();
    config.watch_capacity = -1;
    CHECK(sal_simulator_config_check(&config, NULL) == SAL_EINVAL);
    config.watch_capacity = SAL_MAX_WATCHES + 1;
    CHECK(sal_simulator_config_check(&config, NULL) == SAL_EINVAL);
}

enum { MANY = 40 };

/* Levels in random order, some removed again, with and without reserved room: each fires once, in its order. */
static void test_many(sal_system *sys, int capacity) {
    double level[MANY];
    int64_t handle[MANY];
    sal_report report;
    sal_simulator_config config = sal_simulator_config_default();
    config.watch_capacity = capacity;
    sal_simulator *sim = simulator_of(sys, &config);
    for (int i = 0; i < MANY; i++) {
        level[i] = 0.02 + 0.9 * ((i * 17) % MANY) / MANY;
        handle[i] = watch(sim, above, &level[i]);
        CHECK(handle[i] == i + 1);
    }
    for (int i = 0; i < MANY; i += 4)
        CHECK(sal_simulator_unwatch(sim, handle[i]) == SAL_OK);
    double last = 0;
    for (int k = 0; k < MANY - MANY / 4; k++) {
        const int64_t *which = NULL;
        CHECK(sal_simulator_advance_to(sim, 2, &report) == SAL_OK && report.reason == SAL_AT_WATCH);
        CHECK(sal_simulator_fired_watches(sim, &which) == 1 && (*which - 1) % 4 != 0);
        const double reached = level[*which - 1];
        CHECK(reached > last && fabs(report.time - asin(reached)) < 1e-5 && level_of(sim) >= reached);
        last = reached;
        CHECK(sal_simulator_unwatch(sim, *which) == SAL_ETIME);
    }
    CHECK(sal_simulator_advance_to(sim, 2, &report) == SAL_OK && report.reason == SAL_AT_BOUNDARY);
    sal_simulator_free(sim);
}

static void *save(sal_simulator *sim, size_t *size) {
    *size = sal_simulator_save_size(sim);
    void *bytes = malloc(*size);
    CHECK(bytes && sal_simulator_save(sim, bytes, *size) == SAL_OK);
    return bytes;
}

/* Another simulator, which knows the same watches, continues to the same bits. */
static void test_save(sal_system *sys) {
    double half = 0.5, three = 3, most = 0.9;
    sal_report a, b;
    size_t size = 0;
    sal_simulator *sim = simulator_of(sys, NULL), *other = simulator_of(sys, NULL);
    watch(sim, above, &half);
    watch(sim, counted, &three);
    watch(sim, above, &most);
    CHECK(sal_simulator_advance_to(sim, 5, &a) == SAL_OK);
    void *bytes = save(sim, &size);
    CHECK(sal_simulator_load(other, bytes, size) == SAL_EWATCH);
    CHECK(sal_simulator_know_watch(other, &(sal_watch){counted, &three, 0}, 2) == SAL_OK);
    CHECK(sal_simulator_load(other, bytes, size) == SAL_EWATCH);
    CHECK(sal_simulator_know_watch(other, &(sal_watch){above, &most, 0}, 3) == SAL_OK);
    CHECK(sal_simulator_load(other, bytes, size) == SAL_OK);
    for (int k = 0; k < 3; k++) {
        CHECK(sal_simulator_advance_to(sim, 5, &a) == SAL_OK && sal_simulator_advance_to(other, 5, &b) == SAL_OK);
        CHECK(a.reason == b.reason && a.time == b.time && sal_simulator_hash(sim) == sal_simulator_hash(other));
        CHECK((k < 2) == (a.reason == SAL_AT_WATCH));
    }
    CHECK(sal_simulator_load(sim, bytes, size) == SAL_OK); /* those that fired since are armed again */
    CHECK(sal_simulator_advance_to(sim, 5, &a) == SAL_OK && fired(sim, 1, 3) && fabs(a.time - asin(0.9)) < 1e-6);
    free(bytes);
    sal_simulator_free(sim);
    sal_simulator_free(other);
}

/* Halts where an observer sees the event. */
static sal_status halt_at_event(void *user, sal_simulator *sim, sal_observation observation, int part, int event) {
    (void)user, (void)part, (void)event;
    if (observation == SAL_OBSERVE_EVENT)
        sal_simulator_halt(sim);
    return SAL_OK;
}

static void test_halt(sal_system *sys) {
    sal_report report;
    int handle = 0;
    sal_simulator *plain = simulator_of(sys, NULL), *sim = simulator_of(sys, NULL);
    CHECK(sal_simulator_observe(sim, halt_at_event, NULL, &handle) == SAL_OK);
    for (int k = 1; k <= 4; k++) {
        CHECK(sal_simulator_advance_to(sim, 4.5, &report) == SAL_OK && report.reason == SAL_AT_HALT);
        CHECK(report.time == k && *sal_context_get(sal_simulator_context(sim), SAL_XD) == k);
    }
    CHECK(sal_simulator_advance_to(sim, 4.5, &report) == SAL_OK && report.reason == SAL_AT_BOUNDARY);
    CHECK(sal_simulator_advance_to(plain, 4.5, &report) == SAL_OK);
    CHECK(sal_simulator_hash(sim) == sal_simulator_hash(plain));
    sal_simulator_free(sim);
    sal_simulator_free(plain);
}

/* A frame ends at a watch, and what is left of it belongs to the next one. */
static void test_frames(sal_system *sys) {
    double half = 0.5;
    sal_report report;
    sal_simulator *sim = simulator_of(sys, NULL);
    watch(sim, above, &half);
    CHECK(sal_simulator_advance_frame(sim, 1, 0.1, 20, NULL, &report) == SAL_OK && report.reason == SAL_AT_WATCH);
    CHECK(fabs(report.time - asin(0.5)) < 1e-6);
    CHECK(sal_simulator_advance_frame(sim, 1, 0.1, 20, NULL, &report) == SAL_OK && report.reason == SAL_AT_BOUNDARY);
    CHECK(fabs(report.time - 2) < 0.1 + 1e-9);
    sal_simulator_free(sim);
}

int main(void) {
    sal_system *sys = new_system();
    test_flow_and_update(sys);
    test_refusals(sys);
    for (int capacity = 0; capacity <= MANY; capacity += MANY / 2)
        test_many(sys, capacity);
    test_save(sys);
    test_halt(sys);
    test_frames(sys);
    sal_system_free(sys);
    return check_summary();
}
