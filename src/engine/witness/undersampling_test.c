/* Witnesses of a class in C that are faster than the steps: found by their phases, or with max_interval or samples; and
 * warned of where steps are not searched inside. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "engine/test_run.h"

enum { HERTZ = 50 };

typedef struct script {
    int fired;
    int phase_count; /* what it says, if not 1 */
    double phase;    /* added to each */
    bool phases_fail;
} script;

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    (void)ctx;
    dot->z[0] = 1;
    return SAL_OK;
}

static double angle(const sal_context *ctx) {
    return 2 * 3.14159265358979323846 * HERTZ * sal_context_get(ctx, SAL_Z)[0];
}

static sal_status sine(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    (void)event;
    *value = sin(angle(ctx));
    return SAL_OK;
}

static sal_status half_periods(const sal_system *self, const sal_context *ctx, int event, double *phase, int *count) {
    const script *s = sal_system_data(self);
    (void)event;
    phase[0] = angle(ctx) / 3.14159265358979323846 + s->phase;
    *count = s->phase_count ? s->phase_count : 1;
    return s->phases_fail ? SAL_ECALLBACK : SAL_OK;
}

static sal_outcome count(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note) {
    (void)ctx;
    (void)event;
    (void)note;
    ((script *)sal_system_data(self))->fired++;
    return SAL_SUCCEEDED;
}

static const sal_system_class class = {
    .name = "siren", .derivatives = rates, .witness = sine, .publish = count, .phases = half_periods};

static sal_event_config event_of(double max_interval, int samples) {
    sal_event_config e = sal_event_config_default();
    e.name = "zero", e.trigger = SAL_ON_WITNESS, e.kind = SAL_PUBLISH;
    e.max_interval = max_interval, e.samples = samples;
    return e;
}

/* Returns how many warnings there are, and how often it fired. */
static int run(const sal_simulator_config *config, double until, double max_interval, int samples, int *fired,
               char *key, size_t room) {
    script s = {0};
    sal_system *sys = NULL;
    const sal_event_config e = event_of(max_interval, samples);
    const sal_warning *warning = NULL;
    CHECK(sal_system_new(NULL, &class, "siren", &s, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "x", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    sal_simulator *sim = simulator_of(sys, config);
    CHECK(sal_simulator_advance_to(sim, until, NULL) == SAL_OK);
    const int warnings = sal_simulator_warnings(sim, &warning);
    if (warnings > 0)
        strncpy(key, warning->key, room - 1);
    *fired = s.fired;
    sal_simulator_free(sim);
    sal_system_free(sys);
    return warnings;
}

static void fast_ones_are_found_or_warned_of(void) {
    enum { ALL = 4 * HERTZ - 1 };
    int fired = 0;
    char key[16] = {0};
    CHECK(run(NULL, 1.999, 1.0 / (4 * HERTZ), 0, &fired, key, sizeof key) == 0 && fired == ALL);
    CHECK(run(NULL, 1.999, 0, 4 * HERTZ, &fired, key, sizeof key) == 0 && fired == ALL);
    CHECK(run(NULL, 1.999, 1, 4 * HERTZ, &fired, key, sizeof key) == 0 && fired == ALL);
    CHECK(run(NULL, 1.999, 0, 0, &fired, key, sizeof key) == 0 && fired == ALL);
    sal_simulator_config ends_only = sal_simulator_config_default();
    ends_only.interior_search = false;
    CHECK(run(&ends_only, 1.999, 0, 0, &fired, key, sizeof key) == 1 && fired < ALL && strcmp(key, "fast") == 0);
}

/* Phases that say nothing change nothing: they are no part of the run. */
static void odd_phases_are_ignored(void) {
    const script odd[] = {{.phase_count = INT_MAX},
                          {.phase_count = SAL_MAX_PHASES + 1},
                          {.phase_count = -1},
                          {.phase = NAN},
                          {.phases_fail = true}};
    const sal_event_config e = event_of(0, 0);
    int fired[sizeof odd / sizeof *odd];
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        script s = odd[i];
        sal_system *sys = NULL;
        CHECK(sal_system_new(NULL, &class, "siren", &s, &sys) == SAL_OK);
        CHECK(sal_system_add_values(sys, SAL_Z, "x", 1, NULL) == SAL_OK);
        CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
        sal_simulator *sim = simulator_of(sys, NULL);
        CHECK(sal_simulator_advance_to(sim, 1.999, NULL) == SAL_OK);
        sal_simulator_free(sim);
        sal_system_free(sys);
        fired[i] = s.fired;
        CHECK(fired[i] == fired[0]);
    }
}

/* Closer than anybody would wait for: 200,000 times a step, and this is told. */
static void closest_ends(void) {
    int fired = 0;
    char key[16] = {0};
    CHECK(run(NULL, 0.019, 1e-300, INT_MAX, &fired, key, sizeof key) == 1 && strcmp(key, "interval") == 0 &&
          fired == 1);
}

static void nonsense_is_refused(void) {
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &class, "siren", NULL, &sys) == SAL_OK);
    const sal_event_config bad[] = {event_of(-1, 0), event_of(NAN, 0), event_of(0, -1)};
    for (int i = 0; i < 3; i++)
        CHECK(sal_system_add_event(sys, &bad[i], NULL) == SAL_EINVAL);
    sal_system_free(sys);
}

int main(void) {
    fast_ones_are_found_or_warned_of();
    odd_phases_are_ignored();
    if (check_share(2) == 2)
        closest_ends();
    nonsense_is_refused();
    return check_summary();
}
