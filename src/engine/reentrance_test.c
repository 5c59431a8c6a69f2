/* Whatever function of a model is called, and by whichever call: from inside of it the run is not to be moved, changed or
 * saved. */
#include <math.h>

#include "base/check.h"
#include "saltus/simulator.h"

enum { TICK, KICK, ASKED, CROSS };

static sal_simulator *sim;
static int calls, wrong;
static unsigned char bytes[4096];

static void poke(void) {
    const sal_context *next = NULL;
    sal_report report;
    const sal_integrator_config config = sal_integrator_config_default();
    calls++;
    if (!sim)
        return;
    for (int i = 0; i < 40; i++) /* many would not fit where the first are listed */
        wrong += sal_simulator_demand(sim, 0, KICK) != SAL_ESTATE;
    wrong += sal_simulator_advance_to(sim, 1e3, &report) != SAL_ESTATE;
    wrong += sal_simulator_initialize(sim, false, NULL) != SAL_ESTATE;
    wrong += sal_simulator_sampled(sim, &next, &report) != SAL_ESTATE;
    wrong += sal_simulator_set_integrator(sim, &config) != SAL_ESTATE;
    wrong += sal_simulator_reset_context(sim, NULL) != SAL_ESTATE;
    wrong += sal_simulator_release_context(sim) != NULL;
    wrong += sal_simulator_save(sim, bytes, sizeof bytes) != SAL_ESTATE;
    wrong += sal_simulator_load(sim, bytes, sizeof bytes) != SAL_ESTATE;
}

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self, (void)ctx;
    poke();
    dot->z[0] = 1;
    return SAL_OK;
}

static sal_status value(const sal_system *self, const sal_context *ctx, int event, double *w) {
    (void)self, (void)event;
    poke();
    *w = sal_context_get(ctx, SAL_Z)[0] - 0.25;
    return SAL_OK;
}

static sal_status next_time(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)self, (void)event;
    poke();
    *t = floor(sal_context_time(ctx) + 1);
    return SAL_OK;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    poke();
    sal_context_edit(next, SAL_XD)[0] += 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class class = {
    .name = "poker", .derivatives = rates, .witness = value, .next_time = next_time, .update = update};

static sal_status see(void *user, sal_simulator *seen, sal_sight sight, int part, int event) {
    (void)user, (void)seen, (void)sight, (void)part, (void)event;
    poke();
    return SAL_OK;
}

static sal_system *make(bool flows) {
    sal_system *sys = NULL;
    sal_event_config e = sal_event_config_default();
    CHECK(sal_system_new(NULL, &class, "poker", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "n", 1, NULL) == SAL_OK);
    if (flows)
        CHECK(sal_system_add_values(sys, SAL_Z, "z", 1, NULL) == SAL_OK);
    e.name = "tick", e.trigger = SAL_ON_PERIOD, e.kind = SAL_DISCRETE, e.period = 0.1;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    e.name = "kick", e.trigger = SAL_ON_DEMAND;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    if (!flows)
        return sys;
    e.name = "asked", e.trigger = SAL_ON_TIME, e.time_variable = -1;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    e.name = "cross", e.trigger = SAL_ON_WITNESS, e.direction = SAL_RISING;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    return sys;
}

/* Some function was called, and refused each time. */
static void told(void) {
    CHECK(calls > 0 && wrong == 0);
    calls = wrong = 0;
}

static void while_it_advances_and_is_asked(void) {
    sal_system *sys = make(true);
    const sal_context *ctx = NULL;
    double w = 0;
    int handle = 0;
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &sim) == SAL_OK);
    calls = 0;
    CHECK(sal_simulator_initialize(sim, false, NULL) == SAL_OK);
    told();
    CHECK(sal_simulator_advance_to(sim, 1.5, NULL) == SAL_OK);
    told();
    sal_context_edit(sal_simulator_context(sim), SAL_XD)[0] = 7; /* who asks for times anew is inside already */
    CHECK(sal_simulator_advance_to(sim, 1.5, NULL) == SAL_OK);
    told();
    CHECK(sal_simulator_derivatives(sim, &w) == SAL_OK);
    told();
    CHECK(sal_simulator_witness_value(sim, 0, CROSS, &w) == SAL_OK);
    told();
    CHECK(sal_simulator_state_at(sim, sal_simulator_step_start(sim), &ctx) == SAL_OK);
    CHECK(sal_simulator_observe(sim, see, NULL, &handle) == SAL_OK);
    CHECK(sal_simulator_save_size(sim) <= sizeof bytes);
    const size_t size = sal_simulator_save_size(sim);
    static unsigned char saved[sizeof bytes];
    CHECK(sal_simulator_save(sim, saved, size) == SAL_OK);
    calls = wrong = 0;
    CHECK(sal_simulator_load(sim, saved, size) == SAL_OK);
    told();
    CHECK(sal_simulator_demand(sim, 0, KICK) == SAL_OK); /* and outside all is as before */
    CHECK(sal_simulator_advance_to(sim, 2, NULL) == SAL_OK);
    sal_simulator_free(sim);
    sal_system_free(sys);
    sim = NULL;
}

static void while_its_samples_are_asked(void) {
    sal_system *sys = make(false);
    const sal_context *next = NULL;
    sal_report report;
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &sim) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 0.05, NULL) == SAL_OK);
    calls = wrong = 0;
    CHECK(sal_simulator_sampled(sim, &next, &report) == SAL_OK);
    told();
    CHECK(sal_context_get(next, SAL_XD)[0] == 2);
    CHECK(sal_simulator_demand(sim, 0, KICK) == SAL_OK);
    sal_simulator_free(sim);
    sal_system_free(sys);
    sim = NULL;
}

int main(void) {
    while_it_advances_and_is_asked();
    while_its_samples_are_asked();
    return check_summary();
}
