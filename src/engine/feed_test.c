/* Inputs that a host in C feeds: a hand at (x, y) whose x is summed up, and crossed where it falls below 0.25. */
#include <math.h>
#include <stdlib.h>

#include "base/test_check.h"
#include "base/test_allocator.h"
#include "saltus/simulator.h"

typedef struct script {
    sal_simulator *sim;
    int falls;
    test_allocator memory;
    double fell_at;
    sal_status from_handler;
} script;

enum { PLACE, NAMELESS };

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *place = NULL;
    const sal_status status = sal_context_input(ctx, PLACE, &place);
    if (status == SAL_OK)
        dot->z[0] = place[0];
    return status;
}

static sal_status above_quarter(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    (void)event;
    const double *place = NULL;
    const sal_status status = sal_context_input(ctx, PLACE, &place);
    *value = status == SAL_OK ? place[0] - 0.25 : 0;
    return status;
}

static sal_outcome fall(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note) {
    script *s = sal_system_data(self);
    const double away[] = {9, 9};
    (void)event;
    (void)note;
    s->falls++;
    s->fell_at = sal_context_time(ctx);
    s->from_handler = sal_simulator_feed(s->sim, 0, PLACE, 100, away);
    return SAL_SUCCEEDED;
}

static const sal_system_class class = {.name = "hand", .derivatives = rates, .witness = above_quarter, .publish = fall};

static sal_simulator *new_sim(script *s, sal_system **out) {
    const double none = sal_no_value(), origin[] = {0, 0};
    const sal_allocator mem = {test_allocate, &s->memory};
    sal_event_config e = sal_event_config_default();
    CHECK(sal_system_new(&mem, &class, "hand", s, out) == SAL_OK);
    CHECK(sal_system_add_values(*out, SAL_Z, "sum", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(*out, SAL_INPUT, "place", 2, origin) == SAL_OK);
    CHECK(sal_system_add_values(*out, SAL_INPUT, "nameless", 1, &none) == SAL_OK);
    e.name = "fall", e.trigger = SAL_ON_WITNESS, e.kind = SAL_PUBLISH, e.direction = SAL_FALLING;
    CHECK(sal_system_add_event(*out, &e, NULL) == SAL_OK);
    CHECK(sal_simulator_new(&mem, *out, NULL, NULL, &s->sim) == SAL_OK);
    CHECK(sal_simulator_initialize(s->sim, false, NULL) == SAL_OK);
    return s->sim;
}

static double place(sal_simulator *sim, int element) {
    const double *value = NULL;
    CHECK(sal_context_input(sal_simulator_context(sim), PLACE, &value) == SAL_OK);
    return value[element];
}

static double sum(sal_simulator *sim) {
    return sal_context_get(sal_simulator_context(sim), SAL_Z)[0];
}

static void samples_are_crossed(void) {
    static const double samples[][3] = {{0.1, 1, 2}, {0.2, 0.4, 1}, {0.3, 0.1, 0}};
    script s = {.memory.requests_left = -1};
    sal_system *sys = NULL;
    sal_simulator *sim = new_sim(&s, &sys);
    s.memory.request_count = 0;
    for (int i = 0; i < 3; i++) {
        CHECK(sal_simulator_feed(sim, 0, PLACE, samples[i][0], samples[i] + 1) == SAL_OK);
        CHECK(sal_simulator_advance_to(sim, samples[i][0] - 0.05, NULL) == SAL_OK);
        CHECK_NEAR(place(sim, 1), (samples[i][2] + (i ? samples[i - 1][2] : 0)) / 2, 1e-14);
        CHECK(sal_simulator_advance_to(sim, samples[i][0], NULL) == SAL_OK);
        CHECK(place(sim, 0) == samples[i][1] && place(sim, 1) == samples[i][2]);
    }
    CHECK(s.memory.request_count == 0);
    CHECK(s.falls == 1);
    CHECK_NEAR(s.fell_at, 0.25, sal_simulator_isolation_window(sim));
    CHECK(s.from_handler == SAL_ESTATE);
    CHECK_NEAR(sum(sim), 0.05 + 0.07 + 0.025, 1e-12);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

static void what_is_written_ends_it(void) {
    const double away[] = {1, -1};
    script s = {.memory.requests_left = -1};
    sal_system *sys = NULL;
    sal_simulator *sim = new_sim(&s, &sys);
    CHECK(sal_simulator_feed(sim, 0, PLACE, 1, away) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 0.5, NULL) == SAL_OK);
    sal_context_edit(sal_simulator_context(sim), SAL_INPUT)[0] = 3;
    CHECK(place(sim, 0) == 3);
    CHECK(sal_simulator_advance_to(sim, 2, NULL) == SAL_OK);
    CHECK(place(sim, 0) == 3 && place(sim, 1) == -0.5);
    CHECK_NEAR(sum(sim), 0.125 + 4.5, 1e-12);

    CHECK(sal_simulator_feed(sim, 0, PLACE, 3, away) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 2.5, NULL) == SAL_OK);
    CHECK(sal_simulator_end_feed(sim, 0, PLACE) == SAL_OK);
    const sal_context *before = NULL;
    const double *then = NULL;
    CHECK(sal_simulator_state_at(sim, 2.25, &before) == SAL_OK && sal_context_input(before, PLACE, &then) == SAL_OK);
    CHECK_NEAR(then[0], 2.5, 1e-14);
    CHECK(sal_simulator_advance_to(sim, 4, NULL) == SAL_OK);
    CHECK(place(sim, 0) == 2);
    CHECK(sal_simulator_end_feed(sim, 0, PLACE) == SAL_OK && sal_simulator_end_feed(sim, 0, 2) == SAL_EINVAL);

    CHECK(sal_simulator_feed(sim, 0, PLACE, 6, away) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 5, NULL) == SAL_OK && sal_simulator_initialize(sim, false, NULL) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 6, NULL) == SAL_OK && place(sim, 0) == 1.5);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

static void bad_feeds_change_nothing(void) {
    const double fine[] = {1, 1}, odd[] = {1, NAN}, endless[] = {1, INFINITY};
    script s = {.memory.requests_left = -1};
    sal_system *sys = NULL;
    sal_simulator *sim = new_sim(&s, &sys);
    CHECK(sal_simulator_feed(sim, 0, PLACE, 2, fine) == SAL_OK && sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
    const uint64_t hash = sal_simulator_hash(sim);
    const double never[] = {1, 0.5, NAN, INFINITY, nextafter(1, 2)};
    for (int i = 0; i < 5; i++)
        CHECK(sal_simulator_feed(sim, 0, PLACE, never[i], fine) == SAL_ETIME);
    CHECK(sal_simulator_feed(sim, 0, PLACE, 3, odd) == SAL_EINVAL);
    CHECK(sal_simulator_feed(sim, 0, PLACE, 3, endless) == SAL_EINVAL);
    CHECK(sal_simulator_feed(sim, 0, PLACE, 3, NULL) == SAL_EINVAL);
    CHECK(sal_simulator_feed(sim, 1, PLACE, 3, fine) == SAL_EINVAL);
    CHECK(sal_simulator_feed(sim, 0, 2, 3, fine) == SAL_EINVAL &&
          sal_simulator_feed(sim, 0, -1, 3, fine) == SAL_EINVAL);
    CHECK(sal_simulator_feed(sim, 0, NAMELESS, 3, fine) == SAL_EINPUT);
    CHECK(sal_simulator_hash(sim) == hash);
    CHECK(sal_simulator_advance_to(sim, 2, NULL) == SAL_OK && place(sim, 0) == 1);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

static void a_save_goes_on(void) {
    const double away[] = {1, -1};
    script s = {.memory.requests_left = -1}, t = {.memory.requests_left = -1};
    sal_system *sys = NULL, *other_sys = NULL;
    sal_simulator *sim = new_sim(&s, &sys), *other = new_sim(&t, &other_sys);
    CHECK(sal_simulator_feed(sim, 0, PLACE, 1, away) == SAL_OK && sal_simulator_advance_to(sim, 0.5, NULL) == SAL_OK);
    const size_t size = sal_simulator_save_size(sim);
    void *bytes = malloc(size);
    CHECK(sal_simulator_save(sim, bytes, size) == SAL_OK && sal_simulator_load(other, bytes, size) == SAL_OK);
    free(bytes);
    CHECK(sal_simulator_hash(sim) == sal_simulator_hash(other));
    CHECK(sal_simulator_advance_to(sim, 2, NULL) == SAL_OK && sal_simulator_advance_to(other, 2, NULL) == SAL_OK);
    CHECK(place(other, 0) == 1 && sal_simulator_hash(sim) == sal_simulator_hash(other));
    sal_simulator_free(sim);
    sal_simulator_free(other);
    sal_system_free(sys);
    sal_system_free(other_sys);
}

int main(void) {
    samples_are_crossed();
    what_is_written_ends_it();
    bad_feeds_change_nothing();
    a_save_goes_on();
    return check_summary();
}
