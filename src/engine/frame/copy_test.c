/* A copied run has the same snapshot as the original, and continues as it does; all models, at many points. */
#include "engine/simulator.h"
#include "base/test_allocator.h"
#include "base/test_check.h"
#include "../spec/support/models.h"

/* Margins of watches: of the time, and of what flows. */
static sal_status since(void *user, const sal_context *ctx, double *value) {
    *value = sal_context_time(ctx) - *(const double *)user;
    return SAL_OK;
}

static sal_status height(void *user, const sal_context *ctx, double *value) {
    const bool flows = sal_context_size(ctx, SAL_Q) > 0;
    *value = flows ? *sal_context_get(ctx, SAL_Q) - *(const double *)user : -1;
    return SAL_OK;
}

/* A run that everything happens to: watches, events from outside, feeds, edits, interrupted steps. */
typedef struct run {
    sal_simulator *sim;
    double time, level[16];
} run;

static void act(sal_simulator *sim, int i, double *level, double time) {
    const double hand[] = {0.1 * i, i % 3};
    int64_t handle = 0;
    sal_watch watch = {i % 2 ? height : since, level, i % 4 == 3 ? 0.05 : 0};
    for (int k = 0; k < 3 && i % 3 == 2; k++)
        sal_simulator_schedule(sim, 0, 4 + k % 2, time + 0.2 * k, NULL);
    if (i % 2)
        sal_simulator_feed(sim, 0, 0, time + 0.1 * (i % 3), hand);
    sal_simulator_watch(sim, &watch, &handle);
    if (i % 5 == 4) {
        sal_context *ctx = sal_simulator_context(sim);
        if (sal_context_size(ctx, SAL_V) > 0)
            *sal_context_edit(ctx, SAL_V) *= 0.5;
    }
}

static void go(sal_simulator *sim, int i, double time) {
    if (i % 2)
        sal_simulator_step(sim, time, NULL);
    else
        sal_simulator_advance_to(sim, time, NULL);
}

static void advance(run *r, int i) {
    r->time += 0.11 + 0.05 * i;
    r->level[i] = i % 2 ? 0.3 * i : r->time + 0.3;
    act(r->sim, i, &r->level[i], r->time);
    go(r->sim, i, r->time);
}

typedef struct bytes {
    unsigned char *at;
    size_t size;
} bytes;

static bytes save(sal_simulator *sim) {
    bytes saved = {NULL, sal_simulator_save_size(sim)};
    saved.at = malloc(saved.size);
    CHECK(saved.size <= sal_simulator_save_bound(sim));
    CHECK(sal_simulator_save(sim, saved.at, saved.size) == SAL_OK);
    return saved;
}

static bool are_same(sal_simulator *a, sal_simulator *b) {
    const bytes x = save(a), y = save(b);
    const bool same = x.size == y.size && memcmp(x.at, y.at, x.size) == 0;
    free(x.at);
    free(y.at);
    return same && sal_simulator_hash(a) == sal_simulator_hash(b);
}

/* The copy and the original do the same from here on. Their bytes may differ in memory that nothing reads. */
static void check_future(run *r, sal_simulator *copy, int i) {
    const bytes now = save(r->sim);
    for (int k = 0; k < 3; k++) {
        go(r->sim, i + k, r->time + 0.1 * (k + 1));
        go(copy, i + k, r->time + 0.1 * (k + 1));
        CHECK(sal_simulator_hash(r->sim) == sal_simulator_hash(copy));
    }
    CHECK(sal_simulator_load(r->sim, now.at, now.size) == SAL_OK);
    free(now.at);
}

/* Diagrams refer to their parts, which live as long as the process. */
static sal_system *made[MODELS];

static void copies_of(int index) {
    enum { POINTS = 12 };
    filling_allocator lent = {{.requests_left = -1}, 1};
    const sal_allocator counted = {test_allocate_filled, &lent};
    const model *m = &models[index];
    sal_system *sys = made[index] = m->make();
    run r = {0};
    sal_simulator *other = NULL;
    CHECK(make_simulator(&counted, m, sys, &r.sim) == SAL_OK && make_simulator(&counted, m, sys, &other) == SAL_OK);
    for (int i = 0; i < POINTS; i++) {
        if (i > 0)
            advance(&r, i);
        CHECK(sal_simulator_copy(other, r.sim) == SAL_OK);
        const long before = lent.counted.request_count;
        CHECK(sal_simulator_copy(other, r.sim) == SAL_OK && lent.counted.request_count == before);
        if (!are_same(r.sim, other))
            printf("%s, point %d\n", m->name, i);
        CHECK(are_same(r.sim, other));
        check_future(&r, other, i);
    }
    sal_simulator_free(r.sim);
    sal_simulator_free(other);
}

static void every_model_is_copied(void) {
    for (int i = 0; i < MODELS; i++)
        copies_of(i);
    for (int i = 0; i < MODELS; i++)
        CHECK(sal_diagram_parts(made[i]) > 0);
}

static sal_simulator *new_run(sal_system *sys, const char *method) {
    sal_simulator *sim = NULL;
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find(method);
    CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK);
    return sim;
}

static void strangers_are_refused(void) {
    sal_system *ball = make_ball(), *rod = make_rod();
    sal_simulator *a = new_run(ball, "tsitouras5"), *b = new_run(ball, "radau5"), *c = new_run(rod, "tsitouras5");
    CHECK(sal_simulator_advance_to(a, 0.3, NULL) == SAL_OK);
    const uint64_t hash = sal_simulator_hash(a);
    CHECK(sal_simulator_copy(a, b) == SAL_EINVAL);
    CHECK(sal_simulator_copy(a, c) == SAL_EINVAL);
    CHECK(sal_simulator_copy(a, a) == SAL_OK);
    CHECK(sal_simulator_hash(a) == hash);
    sal_simulator *d = new_run(ball, "tsitouras5");
    sal__host_set_stories(a, true);
    CHECK(sal_simulator_copy(d, a) == SAL_ESTORY && sal_simulator_copy(a, d) == SAL_ESTORY);
    CHECK(strstr(sal_status_text(SAL_ESTORY), "stories") != NULL);
    sal_simulator *const all[] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        sal_simulator_free(all[i]);
    sal_system_free(ball);
    sal_system_free(rod);
}

static sal_outcome copy_from_inside(void *user, const sal_context *ctx, sal_note *note) {
    sal_simulator *const *both = user;
    (void)ctx, (void)note;
    CHECK(sal_simulator_copy(both[0], both[1]) == SAL_ESTATE);
    CHECK(sal_simulator_copy(both[1], both[0]) == SAL_ESTATE);
    return SAL_SUCCEEDED;
}

static void a_running_simulator_is_refused(void) {
    sal_system *ball = make_ball();
    sal_simulator *both[] = {new_run(ball, "tsitouras5"), new_run(ball, "tsitouras5")};
    sal_simulator_set_monitor(both[0], copy_from_inside, both);
    CHECK(sal_simulator_advance_to(both[0], 0.1, NULL) == SAL_OK);
    sal_simulator_free(both[0]);
    sal_simulator_free(both[1]);
    sal_system_free(ball);
}

/* One watch fires at the same time in both; those of Lua are refused unless they are known. */
static void watches_go_along(void) {
    sal_system *ball = make_ball();
    sal_simulator *a = new_run(ball, "tsitouras5"), *b = new_run(ball, "tsitouras5");
    double at = 0.25;
    const sal_watch watch = {since, &at, 0};
    int64_t handle = 0;
    sal_report ra, rb;
    CHECK(sal_simulator_watch(a, &watch, &handle) == SAL_OK && handle == 1);
    sal__watches_set_private(a);
    CHECK(sal_simulator_copy(b, a) == SAL_EWATCH);
    CHECK(sal_simulator_know_watch(b, &watch, handle) == SAL_OK && sal_simulator_copy(b, a) == SAL_OK);
    CHECK(sal_simulator_advance_to(a, 1, &ra) == SAL_OK && sal_simulator_advance_to(b, 1, &rb) == SAL_OK);
    CHECK(ra.reason == SAL_AT_WATCH && rb.reason == SAL_AT_WATCH && ra.time == rb.time);
    CHECK_NEAR(ra.time, 0.25, 1e-9);
    sal_simulator_free(a);
    sal_simulator_free(b);
    sal_system_free(ball);
}

static void a_ring_needs_no_more_than_the_bound(void) {
    sal_system *ball = make_ball();
    sal_simulator *sim = new_run(ball, "tsitouras5");
    const size_t bound = sal_simulator_save_bound(sim);
    unsigned char *slot = malloc(bound);
    size_t size = 0;
    for (int i = 1; i < 200; i++) {
        CHECK(sal_simulator_advance_to(sim, i / 60., NULL) == SAL_OK);
        CHECK(sal_simulator_save_within(sim, slot, bound, &size) == SAL_OK && size == sal_simulator_save_size(sim));
        CHECK(sal_simulator_load(sim, slot, size) == SAL_OK);
    }
    CHECK(sal_simulator_save_within(sim, slot, size - 1, &size) == SAL_EINVAL);
    free(slot);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

int main(void) {
    every_model_is_copied();
    strangers_are_refused();
    a_running_simulator_is_refused();
    watches_go_along();
    a_ring_needs_no_more_than_the_bound();
    return check_summary();
}
