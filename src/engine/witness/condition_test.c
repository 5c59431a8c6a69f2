/* Conditions (SAL_ON_CHANGE) from C: rounds within an instant, and undoing them; flow that turns them true. */
#include "saltus/diagram.h"
#include "saltus/simulator.h"

#include <math.h>
#include <string.h>

#include "base/test_check.h"

/* ---- a chain: a timer sets the first number, the k-th condition holds when number k is set, and sets the next ---- */

enum { LINKS = 10 };

typedef struct chain {
    int order[4 * LINKS], fired, failing; /* failing: the link whose handler fails */
    double seen[4 * LINKS];
} chain;

static sal_status link_holds(const sal_system *self, const sal_context *ctx, int event, bool *holds) {
    (void)self;
    *holds = sal_context_get(ctx, SAL_XD)[event] > 0.5;
    return SAL_OK;
}

static sal_outcome link_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                               sal_context *next, sal_note *note) {
    chain *c = sal_system_data(self);
    if (event->index == LINKS) { /* the timer */
        sal_context_edit(next, SAL_XD)[0] = 1;
        return SAL_SUCCEEDED;
    }
    c->seen[c->fired] = sal_context_time(ctx);
    c->order[c->fired++] = event->index;
    if (event->index == c->failing) {
        sal_note_set(note, "this link breaks");
        return SAL_FAILED;
    }
    sal_context_edit(next, SAL_XD)[event->index + 1] = 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class chain_class = {.name = "chain", .holds = link_holds, .update = link_update};

static sal_simulator *new_chain(chain *c, sal_system **sys) {
    sal_system_new(NULL, &chain_class, "chain", c, sys);
    sal_system_add_values(*sys, SAL_XD, "n", LINKS + 1, NULL);
    static const char *const names[LINKS] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"};
    for (int i = 0; i < LINKS; i++) {
        sal_event_config e = sal_event_config_default();
        e.name = names[i];
        e.trigger = SAL_ON_CHANGE;
        e.kind = i % 2 ? SAL_DISCRETE : SAL_UNRESTRICTED;
        e.finders = -1;
        CHECK(sal_system_add_event(*sys, &e, NULL) == SAL_OK);
    }
    sal_event_config e = sal_event_config_default();
    e.name = "begin";
    e.trigger = SAL_ON_PERIOD;
    e.kind = SAL_DISCRETE;
    e.period = 100;
    e.offset = 1;
    CHECK(sal_system_add_event(*sys, &e, NULL) == SAL_OK);
    sal_simulator *sim = NULL;
    CHECK(sal_simulator_new(NULL, *sys, NULL, NULL, &sim) == SAL_OK);
    return sim;
}

static void test_a_chain_runs_in_one_instant(void) {
    chain c = {.failing = -1};
    sal_system *sys = NULL;
    sal_simulator *sim = new_chain(&c, &sys);
    CHECK(sal_simulator_advance_to(sim, 2, NULL) == SAL_OK);
    CHECK(c.fired == LINKS);
    for (int i = 0; i < LINKS; i++)
        CHECK(c.order[i] == i && c.seen[i] == 1);
    CHECK(sal_simulator_statistics(sim).steps == 2); /* to 1, and to 2 */
    sal_simulator_free(sim);
    sal_system_free(sys);
}

static void test_a_failure_in_a_round_undoes_the_instant(void) {
    chain c = {.failing = 5};
    sal_system *sys = NULL;
    sal_simulator *sim = new_chain(&c, &sys);
    sal_report report;
    CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
    const uint64_t before = sal_simulator_hash(sim);
    CHECK(sal_simulator_advance_to(sim, 2, &report) == SAL_EHANDLER);
    CHECK(report.event == 5 && strcmp(report.note.text, "this link breaks") == 0);
    CHECK(report.time == 1 && sal_simulator_hash(sim) == before);
    for (int i = 0; i <= LINKS; i++)
        CHECK(sal_context_get(sal_simulator_context(sim), SAL_XD)[i] == 0);
    c.failing = -1;
    c.fired = 0;
    CHECK(sal_simulator_advance_to(sim, 2, NULL) == SAL_OK);
    CHECK(c.fired == LINKS); /* all of it was due, each once */
    sal_simulator_free(sim);
    sal_system_free(sys);
}

static void test_an_edit_turns_conditions_true(void) {
    chain c = {.failing = -1};
    sal_system *sys = NULL;
    sal_simulator *sim = new_chain(&c, &sys);
    CHECK(sal_simulator_advance_to(sim, 0.5, NULL) == SAL_OK);
    sal_context_edit(sal_simulator_context(sim), SAL_XD)[7] = 1;
    CHECK(c.fired == 0);
    CHECK(sal_simulator_advance_to(sim, 0.75, NULL) == SAL_OK);
    CHECK(c.fired == 3 && c.order[0] == 7 && c.order[2] == 9 && c.seen[2] == 0.5);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

static void test_a_save_goes_on_alike(void) {
    chain c = {.failing = -1};
    sal_system *sys = NULL;
    sal_simulator *whole = new_chain(&c, &sys), *other = NULL;
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &other) == SAL_OK);
    unsigned char bytes[20000];
    CHECK(sal_simulator_advance_to(whole, 1, NULL) == SAL_OK); /* the timer is due, and waits */
    CHECK(sal_simulator_save_size(whole) <= sizeof bytes);
    const size_t size = sal_simulator_save_size(whole);
    CHECK(sal_simulator_save(whole, bytes, size) == SAL_OK);
    CHECK(sal_simulator_load(other, bytes, size) == SAL_OK);
    CHECK(sal_simulator_advance_to(whole, 3, NULL) == SAL_OK);
    CHECK(sal_simulator_advance_to(other, 3, NULL) == SAL_OK);
    CHECK(c.fired == 2 * LINKS);
    CHECK(sal_simulator_hash(other) == sal_simulator_hash(whole));
    sal_simulator_free(whole);
    sal_simulator_free(other);
    sal_system_free(sys);
}

/* ---- flow: x is the time; it holds within `width` behind each whole number ---- */

typedef struct pulses {
    double width, last;
    int fired;
} pulses;

static sal_status rate_of_one(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    (void)ctx;
    *dot->z = 1;
    return SAL_OK;
}

static double behind(const sal_context *ctx) {
    const double x = *sal_context_get(ctx, SAL_Z);
    return x - floor(x + 0.5);
}

static sal_status in_pulse(const sal_system *self, const sal_context *ctx, int event, bool *holds) {
    const pulses *p = sal_system_data(self);
    (void)event;
    *holds = behind(ctx) >= 0 && behind(ctx)<p->width && * sal_context_get(ctx, SAL_Z)> 0.5;
    return SAL_OK;
}

static sal_status beat(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    (void)event;
    *value = sin(acos(-1) * *sal_context_get(ctx, SAL_Z));
    return SAL_OK;
}

static sal_outcome note_pulse(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note) {
    pulses *p = sal_system_data(self);
    (void)note;
    CHECK(event->t0 < event->t1 && event->before != NULL);
    CHECK(behind(ctx) >= 0 && behind(ctx) < p->width);
    CHECK(sal_context_time(ctx) > p->last + 0.5);
    p->last = sal_context_time(ctx);
    p->fired++;
    return SAL_SUCCEEDED;
}

static const sal_system_class found_class = {
    .name = "found", .derivatives = rate_of_one, .holds = in_pulse, .witness = beat, .publish = note_pulse};
static const sal_system_class opaque_class = {
    .name = "opaque", .derivatives = rate_of_one, .holds = in_pulse, .publish = note_pulse};

static int count_pulses(const sal_system_class *class, double width, double max_step, int *warnings) {
    pulses p = {.width = width};
    sal_system *sys = NULL;
    sal_simulator *sim = NULL;
    sal_system_new(NULL, class, "pulses", &p, &sys);
    sal_system_add_values(sys, SAL_Z, "x", 1, NULL);
    sal_event_config e = sal_event_config_default();
    e.name = "pulse";
    e.trigger = SAL_ON_CHANGE;
    e.kind = SAL_PUBLISH;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.max_step = max_step;
    CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 200.25, NULL) == SAL_OK);
    const sal_warning *first = NULL;
    *warnings = sal_simulator_warnings(sim, &first);
    sal_simulator_free(sim);
    sal_system_free(sys);
    return p.fired;
}

static void test_finders_find_every_pulse(void) {
    int warnings = 0;
    CHECK(count_pulses(&found_class, 1e-2, 0.9, &warnings) == 200);
    CHECK(warnings == 0);
    CHECK(count_pulses(&found_class, 1e-6, 0.9, &warnings) == 200);
    CHECK(count_pulses(&opaque_class, 0.3, 0.1, &warnings) == 200);
    CHECK(count_pulses(&opaque_class, 1e-6, 0.9, &warnings) < 200);
    CHECK(warnings == 1);
}

int main(void) {
    test_finders_find_every_pulse();
    test_a_chain_runs_in_one_instant();
    test_a_failure_in_a_round_undoes_the_instant();
    test_an_edit_turns_conditions_true();
    test_a_save_goes_on_alike();
    return check_summary();
}
