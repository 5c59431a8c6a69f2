/* What a simulator is told and asked between calls, from C: the model's Jacobian, forced publishes, witnesses. */
#include <math.h>

#include "base/test_check.h"
#include "saltus/simulator.h"

/* x' = -1000 (x - y), y' = -y: stiff, and linear. */
typedef struct script {
    int shows, asked;
    bool fails;
} script;

enum { SHOW, CROSS };

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *z = sal_context_get(ctx, SAL_Z);
    (void)self;
    dot->z[0] = -1000 * (z[0] - z[1]);
    dot->z[1] = -z[1];
    return SAL_OK;
}

static sal_status below_half(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    (void)event;
    *value = sal_context_get(ctx, SAL_Z)[1] - 0.5;
    return SAL_OK;
}

static sal_outcome show(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note) {
    (void)ctx;
    (void)note;
    ((script *)sal_system_data(self))->shows += event->index == SHOW;
    return SAL_SUCCEEDED;
}

static const sal_system_class class = {.name = "stiff", .derivatives = rates, .witness = below_half, .publish = show};

static sal_status slopes(void *user, const sal_context *ctx, double *j) {
    script *s = user;
    s->asked++;
    CHECK(isfinite(sal_context_get(ctx, SAL_Z)[0]));
    j[0] = -1000, j[1] = 1000, j[2] = 0, j[3] = -1;
    return s->fails ? SAL_ECALLBACK : SAL_OK;
}

static sal_simulator *new_sim(script *s, const char *method, double max_step, sal_system **out) {
    const double start[] = {0, 1};
    sal_event_config e = sal_event_config_default();
    sal_simulator_config config = sal_simulator_config_default();
    sal_simulator *sim = NULL;
    CHECK(sal_system_new(NULL, &class, "stiff", s, out) == SAL_OK);
    CHECK(sal_system_add_values(*out, SAL_Z, "z", 2, start) == SAL_OK);
    e.name = "show", e.trigger = SAL_ON_DEMAND, e.kind = SAL_PUBLISH;
    CHECK(sal_system_add_event(*out, &e, NULL) == SAL_OK);
    e.name = "cross", e.trigger = SAL_ON_WITNESS, e.direction = SAL_RISING;
    CHECK(sal_system_add_event(*out, &e, NULL) == SAL_OK);
    config.integrator.method = sal_method_find(method);
    config.integrator.max_step = max_step;
    config.integrator.accuracy = 1e-5;
    CHECK(sal_simulator_new(NULL, *out, NULL, &config, &sim) == SAL_OK);
    return sim;
}

static void the_models_jacobian(void) {
    static const char *const methods[] = {"implicit_euler", "radau1", "radau3", "radau5", "rodas4"};
    for (int i = 0; i < 5; i++) {
        script s = {0};
        sal_system *sys = NULL;
        sal_simulator *sim = new_sim(&s, methods[i], INFINITY, &sys);
        CHECK(sal_simulator_set_jacobian(sim, slopes, &s) == SAL_OK);
        CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
        const double *z = sal_context_get(sal_simulator_context(sim), SAL_Z);
        CHECK_NEAR(z[0], 1000.0 / 999 * exp(-1), 1e-3);
        sal_implicit_stats stats = sal_integrator_implicit_statistics(sal_simulator_integrator(sim));
        CHECK(s.asked > 0 && stats.total.jacobians == s.asked);
        CHECK(stats.total.derivative_evaluations_for_jacobians == 0);
        /* another integrator keeps it; without one differences serve */
        const sal_integrator_config config = *sal_integrator_config_of(sal_simulator_integrator(sim));
        CHECK(sal_simulator_set_integrator(sim, &config) == SAL_OK);
        const int before = s.asked;
        CHECK(sal_simulator_advance_to(sim, 2, NULL) == SAL_OK && s.asked > before);
        s.fails = true;
        CHECK(sal_simulator_set_integrator(sim, &config) == SAL_OK);
        CHECK(sal_simulator_advance_to(sim, 3, NULL) == SAL_ECALLBACK);
        CHECK(sal_context_time(sal_simulator_context(sim)) == 2);
        CHECK(sal_simulator_set_jacobian(sim, NULL, NULL) == SAL_OK);
        CHECK(sal_simulator_advance_to(sim, 3, NULL) == SAL_OK);
        stats = sal_integrator_implicit_statistics(sal_simulator_integrator(sim));
        CHECK(stats.total.derivative_evaluations_for_jacobians > 0);
        sal_simulator_free(sim);
        sal_system_free(sys);
    }
}

static void forced_publishes(void) {
    script s = {0};
    sal_system *sys = NULL;
    sal_simulator *sim = new_sim(&s, "rodas4", 0.1, &sys);
    sal_simulator_set_publish_at_initialization(sim, true);
    CHECK(sal_simulator_initialize(sim, false, NULL) == SAL_OK && s.shows == 1);
    CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK && s.shows == 1);
    sal_simulator_set_publish_every_step(sim, true);
    const int64_t before = sal_simulator_statistics(sim).steps;
    CHECK(sal_simulator_advance_to(sim, 2, NULL) == SAL_OK);
    CHECK(s.shows == 1 + sal_simulator_statistics(sim).steps - before);
    sal_simulator_set_publish_every_step(sim, false);
    const int shows = s.shows;
    CHECK(sal_simulator_advance_to(sim, 3, NULL) == SAL_OK && s.shows == shows);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

/* Drake's should_trigger: half open, from 0 nothing crosses. */
static void a_witness_tells(void) {
    static const double from[] = {1, 1, 1, -1, -1, -1, 0, 0, 0}, to[] = {1, 0, -1, 1, 0, -1, 1, 0, -1};
    for (int i = 0; i < 9; i++) {
        const bool falls = from[i] > 0 && to[i] <= 0, rises = from[i] < 0 && to[i] >= 0;
        CHECK(sal_witness_should_trigger(SAL_FALLING, from[i], to[i]) == falls);
        CHECK(sal_witness_should_trigger(SAL_RISING, from[i], to[i]) == rises);
        CHECK(sal_witness_should_trigger(SAL_CROSSING, from[i], to[i]) == (falls || rises));
        CHECK(!sal_witness_should_trigger(SAL_NEVER, from[i], to[i]));
    }
    script s = {0};
    sal_system *sys = NULL;
    sal_simulator *sim = new_sim(&s, "rodas4", INFINITY, &sys);
    double value = NAN;
    CHECK(sal_simulator_witness_value(sim, 0, CROSS, &value) == SAL_OK && value == 0.5);
    CHECK(sal_simulator_witness_value(sim, 0, SHOW, &value) == SAL_EINVAL);
    CHECK(sal_simulator_witness_value(sim, 1, CROSS, &value) == SAL_EINVAL);
    CHECK(sal_simulator_witness_value(sim, 0, 2, &value) == SAL_EINVAL && value == 0.5);
    CHECK(sal_simulator_statistics(sim).witness_evaluations == 0);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

/* has_context, reset_context and release_context of Drake. */
static void the_context_comes_and_goes(void) {
    script s = {0};
    sal_system *sys = NULL, *other = NULL;
    sal_simulator *sim = new_sim(&s, "rodas4", INFINITY, &sys), *another = new_sim(&s, "rodas4", INFINITY, &other);
    CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
    CHECK(sal_simulator_reset_context(sim, sal_simulator_context(another)) == SAL_EINVAL); /* of another system */
    sal_context *taken = sal_simulator_release_context(sim);
    CHECK(taken && !sal_simulator_context(sim) && !sal_simulator_release_context(sim));
    CHECK(sal_simulator_advance_to(sim, 2, NULL) == SAL_ESTATE && !sal_simulator_is_initialized(sim));
    CHECK(sal_simulator_reset_context(sim, taken) == SAL_OK && sal_simulator_context(sim) == taken);
    CHECK(sal_simulator_advance_to(sim, 2, NULL) == SAL_OK && sal_context_time(taken) == 2);
    CHECK(sal_simulator_reset_context(sim, NULL) == SAL_OK && !sal_simulator_context(sim));
    CHECK(sal_simulator_initialize(sim, false, NULL) == SAL_ESTATE);
    double numbers[8];
    const sal_context *seen;
    CHECK(sal_simulator_schedule(sim, 0, 0, 9, NULL) == SAL_ESTATE && sal_simulator_demand(sim, 0, 0) == SAL_ESTATE);
    CHECK(sal_simulator_cancel(sim, 1) == SAL_ESTATE && sal_simulator_derivatives(sim, numbers) == SAL_ESTATE);
    CHECK(sal_simulator_witness_value(sim, 0, CROSS, numbers) == SAL_ESTATE);
    CHECK(sal_simulator_state_at(sim, 2, &seen) == SAL_ESTATE);
    sal_simulator *third = NULL;
    taken = sal_simulator_release_context(another);
    CHECK(sal_simulator_new(NULL, sys, taken, NULL, &third) == SAL_EINVAL && !third); /* of another system */
    sal_context_free(taken);
    sal_simulator_free(sim);
    sal_simulator_free(another);
    sal_system_free(sys);
    sal_system_free(other);
}

/* A clock that stands still but when it is slept by: the run is paced by it alone. */
typedef struct wall {
    double now, slept;
} wall;

static double look(void *user) {
    return ((wall *)user)->now;
}

static void nap(void *user, double seconds) {
    wall *w = user;
    CHECK(seconds > 0);
    w->now += seconds;
    w->slept += seconds;
}

static void keeps_the_pace(void) {
    script s = {0};
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &class, "stiff", &s, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "z", 2, NULL) == SAL_OK);
    wall w = {100, 0};
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find("rodas4");
    config.integrator.max_step = 0.25;
    config.target_realtime_rate = 2;
    config.clock = look, config.sleep = nap, config.clock_user = &w;
    sal_simulator *sim = NULL;
    CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK);
    CHECK(isnan(sal_simulator_actual_realtime_rate(sim)));
    CHECK(sal_simulator_advance_to(sim, 10, NULL) == SAL_OK);
    CHECK_NEAR(w.slept, 5, 0.126); /* it pauses before each step, of at most 0.25 s */
    CHECK_NEAR(sal_simulator_actual_realtime_rate(sim), 10 / w.slept, 1e-12);
    w.now += 60; /* late: nothing is waited for, nothing made up for */
    const double slept = w.slept;
    CHECK(sal_simulator_advance_to(sim, 20, NULL) == SAL_OK && w.slept == slept);
    sal_simulator_set_target_realtime_rate(sim, 0);
    CHECK(sal_simulator_advance_to(sim, 1000, NULL) == SAL_OK && w.slept == slept);
    sal_simulator_reset_statistics(sim); /* times count anew */
    w.now += 4;
    CHECK(sal_simulator_advance_to(sim, 1010, NULL) == SAL_OK && sal_simulator_actual_realtime_rate(sim) == 2.5);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

int main(void) {
    the_models_jacobian();
    forced_publishes();
    a_witness_tells();
    the_context_comes_and_goes();
    keeps_the_pace();
    return check_summary();
}
