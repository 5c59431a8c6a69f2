/* Sums of sines as states: each of their tops and bottoms is found, once, where the derivative is zero. */
#include <math.h>

#include "base/threefry.h"
#include "engine/test_run.h"

enum { TERMS = 3, MOST = 400, RUNS = 20, SPAN = 40 };

typedef struct sines {
    bool shut; /* the guard never holds */
    double size[TERMS], rate[TERMS], phase[TERMS];
    double at[MOST]; /* where it turned */
    int turns;
} sines;

static double slope_of(const sines *s, double t) {
    double sum = 0;
    for (int i = 0; i < TERMS; i++)
        sum += s->size[i] * s->rate[i] * cos(s->rate[i] * t + s->phase[i]);
    return sum;
}

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    *dot->z = slope_of(sal_system_data(self), sal_context_time(ctx));
    return SAL_OK;
}

enum { TOP, BOTTOM };

static sal_status value(const sal_system *self, const sal_context *ctx, int event, double *w) {
    (void)self;
    *w = (event == TOP ? 1 : -1) * *sal_context_get(ctx, SAL_Z);
    return SAL_OK;
}

static sal_status when(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    const sines *s = sal_system_data(self);
    *active = !s->shut && (event == TOP) == (*sal_context_get(ctx, SAL_XD) != 0);
    return SAL_OK;
}

static sal_outcome turn(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)note;
    sines *s = sal_system_data(self);
    if (s->turns < MOST)
        s->at[s->turns++] = sal_context_time(ctx);
    *sal_context_edit(next, SAL_XD) = event->index == BOTTOM;
    return SAL_SUCCEEDED;
}

static const sal_system_class moving = {
    .name = "sines", .derivatives = rates, .witness = value, .when = when, .update = turn};

static sal_system *new_sines(sines *s) {
    const double rises = slope_of(s, 0) > 0;
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &moving, "sines", s, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "x", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "rises", 1, &rises) == SAL_OK);
    for (int i = TOP; i <= BOTTOM; i++) {
        sal_event_config event = sal_event_config_default();
        event.name = i == TOP ? "top" : "bottom";
        event.trigger = SAL_ON_WITNESS;
        event.kind = SAL_DISCRETE;
        event.direction = SAL_TURNING;
        event.guarded = true;
        event.when_flows = s->shut;
        CHECK(sal_system_add_event(sys, &event, NULL) == SAL_OK);
    }
    return sys;
}

static void run(sines *s, const char *method, double accuracy) {
    sal_system *sys = new_sines(s);
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find(method);
    config.integrator.accuracy = accuracy;
    config.integrator.max_step = INFINITY;
    config.max_steps_per_call = 100000;
    run_to_the_end(simulator_of(sys, &config), SPAN, sys);
}

/* A zero of the slope, by halves. */
static double zero_between(const sines *s, double a, double b) {
    const bool positive = slope_of(s, a) > 0;
    for (int i = 0; i < 60; i++) {
        const double middle = a + (b - a) / 2;
        if ((slope_of(s, middle) > 0) == positive)
            a = middle;
        else
            b = middle;
    }
    return b;
}

static sines random_sines(uint64_t seed) {
    sines s = {.turns = 0};
    for (uint64_t i = 0; i < TERMS; i++) {
        const uint64_t key[2] = {seed, 0};
        uint64_t first[2], second[2];
        sal__threefry2x64(key, (const uint64_t[2]){i, 0}, first);
        sal__threefry2x64(key, (const uint64_t[2]){i, 1}, second);
        s.size[i] = 0.3 + sal__to_unit(first[0]);
        s.rate[i] = 0.5 + 3 * sal__to_unit(first[1]);
        s.phase[i] = 6.28 * sal__to_unit(second[0]);
    }
    return s;
}

static void turns_where_the_slope_is_zero(const char *method) {
    enum { PARTS = 20000 };
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        sines s = random_sines(seed);
        run(&s, method, 1e-8);
        int turns = 0;
        for (int i = 0; i < PARTS; i++) {
            const double a = (double)i * SPAN / PARTS, b = (double)(i + 1) * SPAN / PARTS;
            if ((slope_of(&s, a) > 0) == (slope_of(&s, b) > 0))
                continue;
            CHECK_NEAR(s.at[turns < MOST ? turns : 0], zero_between(&s, a, b), 1e-5);
            turns++;
        }
        CHECK(s.turns == turns);
    }
}

/* The value falls where steps begin, and the guard is false: the run goes on. */
static void goes_on_where_the_guard_never_holds(void) {
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        sines s = random_sines(seed);
        s.shut = true;
        sal_system *sys = new_sines(&s);
        sal_report report;
        sal_simulator_config config = sal_simulator_config_default();
        config.max_steps_per_call = 20000;
        sal_simulator *sim = simulator_of(sys, &config);
        CHECK(sal_simulator_advance_to(sim, SPAN, &report) == SAL_OK);
        CHECK(report.reason == SAL_AT_BOUNDARY && report.time == SPAN && s.turns == 0);
        sal_simulator_free(sim);
        sal_system_free(sys);
    }
}

int main(void) {
    turns_where_the_slope_is_zero("tsitouras5");
    turns_where_the_slope_is_zero("dormand_prince8");
    turns_where_the_slope_is_zero("runge_kutta5");
    goes_on_where_the_guard_never_holds();
    return check_summary();
}
