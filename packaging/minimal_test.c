/* The minimal profile, SAL_MINIMAL: explicit methods, and the names of the others refused in words. */
#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/simulator.h"

static sal_status decay(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = -sal_context_get(ctx, SAL_Z)[0];
    return SAL_OK;
}

static const sal_system_class decay_class = {.name = "decay", .derivatives = decay};

static void the_default_is_tsitouras5(void) {
    const sal_simulator_config config = sal_simulator_config_default();
    CHECK(config.integrator.method == sal_method_find("tsitouras5"));
    CHECK(sal_simulator_config_check(&config, NULL) == SAL_OK);
}

static void left_out_methods_are_refused_in_words(void) {
    static const char *const names[] = {"auto",   "implicit_euler", "velocity_implicit_euler", "radau1", "radau3",
                                        "radau5", "rodas4"};
    const double one = 1;
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &decay_class, "decay", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "x", 1, &one) == SAL_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sal_simulator_config config = sal_simulator_config_default();
        sal_note why = {.text = ""};
        sal_simulator *sim = NULL;
        config.integrator.method = sal_method_find(names[i]);
        CHECK(config.integrator.method && strcmp(sal_method_name(config.integrator.method), names[i]) == 0);
        CHECK(sal_simulator_config_check(&config, &why) == SAL_EINVAL && strstr(why.text, "minimal profile") &&
              strstr(why.text, "tsitouras5"));
        CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_EINVAL && !sim);
    }
    CHECK(!sal_method_find("radau7"));
    sal_system_free(sys);
}

static void turning_points_are_refused_in_words(void) {
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &decay_class, "decay", NULL, &sys) == SAL_OK);
    sal_event_config event = sal_event_config_default();
    event.name = "top";
    event.trigger = SAL_ON_WITNESS;
    event.kind = SAL_PUBLISH;
    event.direction = SAL_TURNING;
    CHECK(sal_system_add_event(sys, &event, NULL) == SAL_EINVAL);
    CHECK(strstr(sal_system_trouble(sys), "SAL_TURNING is left out of the minimal profile"));
    sal_system_free(sys);
}

static void every_method_in_the_list_runs(void) {
    const double one = 1;
    sal_system *sys = NULL;
    int count = 0;
    CHECK(sal_system_new(NULL, &decay_class, "decay", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "x", 1, &one) == SAL_OK);
    for (const sal_method *m; (m = sal_method_at(count)); count++) {
        sal_simulator_config config = sal_simulator_config_default();
        sal_simulator *sim = NULL;
        config.integrator.method = m;
        config.integrator.fixed_step = true;
        config.integrator.max_step = 1.0 / 1024;
        CHECK(!sal_method_is_implicit(m));
        CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK);
        CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
        CHECK_NEAR(sal_context_get(sal_simulator_context(sim), SAL_Z)[0], exp(-1), 1e-3);
        sal_simulator_free(sim);
    }
    CHECK(count == 12);
    sal_system_free(sys);
}

int main(void) {
    the_default_is_tsitouras5();
    left_out_methods_are_refused_in_words();
    turning_points_are_refused_in_words();
    every_method_in_the_list_runs();
    return check_summary();
}
