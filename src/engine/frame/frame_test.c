/* Frames of a host: budgets, the clock, and thousands of rollbacks. */
#include "engine/simulator.h"
#include "base/test_allocator.h"
#include "base/test_check.h"
#include "../spec/support/models.h"

/* ---- a clock that only the test moves ---- */

typedef struct fake_clock {
    double now, per_reading, slept;
} fake_clock;

static double read_clock(void *user) {
    fake_clock *clock = user;
    return clock->now += clock->per_reading;
}

static void sleep_on(void *user, double seconds) {
    fake_clock *clock = user;
    clock->slept += seconds;
    clock->now += seconds;
}

static sal_simulator *new_run(sal_system *sys, fake_clock *clock, double rate) {
    sal_simulator *sim = NULL;
    sal_simulator_config config = sal_simulator_config_default();
    config.clock = clock ? read_clock : NULL;
    config.sleep = clock ? sleep_on : NULL;
    config.clock_user = clock;
    config.target_realtime_rate = rate;
    CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK);
    return sim;
}

static sal_frame_config frames_of(double step, int max_steps) {
    sal_frame_config config = sal_frame_config_default();
    config.step = step;
    config.max_steps = max_steps;
    return config;
}

/* ---- budgets ---- */

/* Each frame stops at a step's end; nothing is lost, and the run is the same as one that is advanced to these times. */
static void a_budget_of_evaluations_cuts_a_frame(void) {
    sal_system *ball = make_ball();
    sal_simulator *sim = new_run(ball, NULL, 0), *again = new_run(ball, NULL, 0);
    sal_frame_config config = frames_of(1. / 60, 100);
    sal_frame frame, other;
    sal_report report;
    int cuts = 0;
    double due = 0;
    config.max_evaluations = 3;
    for (int i = 0; i < 60; i++) {
        CHECK(sal_simulator_run_frame(sim, 1. / 60, &config, &frame, &report) == SAL_OK);
        CHECK(sal_simulator_run_frame(again, 1. / 60, &config, &other, NULL) == SAL_OK);
        due += 1. / 60;
        CHECK_NEAR(report.time + frame.left, due, 1e-12);
        CHECK(frame.is_whole == (report.reason == SAL_AT_BOUNDARY) && frame.dropped == 0);
        CHECK(frame.left == other.left && sal_simulator_hash(sim) == sal_simulator_hash(again));
        cuts += report.reason == SAL_AT_BUDGET;
    }
    CHECK(cuts > 3);
    config.max_evaluations = 0; /* the rest */
    CHECK(sal_simulator_run_frame(sim, 0, &config, &frame, &report) == SAL_OK && frame.is_whole);
    CHECK_NEAR(report.time + frame.alpha * config.step, due, 1e-12);
    sal_simulator_free(sim);
    sal_simulator_free(again);
    sal_system_free(ball);
}

static void a_budget_of_seconds_cuts_a_frame(void) {
    sal_system *ball = make_ball();
    fake_clock clock = {.per_reading = 0.001};
    sal_simulator *sim = new_run(ball, &clock, 0), *timeless = new_run(ball, NULL, 0);
    sal_frame_config config = frames_of(0.01, 100);
    sal_frame frame = {.steps = 77};
    sal_report report;
    config.max_seconds = 0.0075;
    CHECK(sal_simulator_initialize(sim, false, NULL) == SAL_OK);
    const double began = clock.now;
    CHECK(sal_simulator_run_frame(sim, 1, &config, &frame, &report) == SAL_OK);
    CHECK(report.reason == SAL_AT_BUDGET && frame.steps < 8 && !frame.is_whole && isnan(frame.alpha));
    CHECK(clock.now - began < 0.0105);
    CHECK_NEAR(frame.left, 1 - report.time, 1e-12);
    CHECK(sal_simulator_run_frame(timeless, 1, &config, &frame, &report) == SAL_EINVAL);
    CHECK(strstr(report.note.text, "a budget in seconds needs config.clock") != NULL);
    config.max_seconds = -1;
    CHECK(sal_simulator_run_frame(sim, 1, &config, NULL, NULL) == SAL_EINVAL);
    sal_simulator_free(sim);
    sal_simulator_free(timeless);
    sal_system_free(ball);
}

static void what_is_dropped_is_told(void) {
    sal_system *ball = make_ball();
    sal_simulator *sim = new_run(ball, NULL, 0);
    const sal_frame_config config = frames_of(0.125, 4);
    sal_frame frame;
    CHECK(sal_simulator_run_frame(sim, 2, &config, &frame, NULL) == SAL_OK);
    CHECK(frame.steps == 4 && frame.is_whole && frame.dropped == 1.5 && frame.left == 0 && frame.alpha == 0);
    CHECK(sal_simulator_run_frame(sim, 0.3125, &config, &frame, NULL) == SAL_OK);
    CHECK(frame.steps == 2 && frame.dropped == 0 && frame.left == 0.0625 && frame.alpha == 0.5);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

/* ---- the clock ---- */

static sal_status decay_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = -*sal_context_get(ctx, SAL_Z);
    return SAL_OK;
}

static const sal_system_class decay_class = {.name = "decay", .derivatives = decay_rates};

static const sal_system_class strict_class = {.name = "decay", .derivatives = decay_rates, .lockstep = true};

/* Seconds differ from machine to machine. */
static void lockstep_refuses_seconds(void) {
    sal_system *decay = new_system(&strict_class, "decay");
    fake_clock clock = {0};
    add_number(decay, SAL_Z, "x", 1);
    CHECK(sal_system_demand_lockstep(decay) == SAL_OK);
    sal_simulator *sim = new_run(decay, &clock, 0);
    sal_frame_config config = frames_of(0.01, 100);
    sal_report report;
    config.max_seconds = 1;
    CHECK(sal_simulator_run_frame(sim, 1, &config, NULL, &report) == SAL_EINVAL);
    CHECK(strstr(report.note.text, "lockstep; use max_evaluations") != NULL);
    config.max_seconds = 0, config.max_evaluations = 100;
    CHECK(sal_simulator_run_frame(sim, 0.1, &config, NULL, &report) == SAL_OK);
    sal_simulator_free(sim);
    sal_system_free(decay);
}

/* A loop at 100 Hz whose work takes 4 ms, and 25 ms in every tenth round: then the next step, which ends 10 ms after
 * the one that was late, is 5 ms late. The last round is followed by none. */
static void missed_deadlines_are_counted(void) {
    sal_system *decay = new_system(&decay_class, "decay");
    fake_clock clock = {0};
    add_number(decay, SAL_Z, "x", 1);
    sal_simulator *sim = new_run(decay, &clock, 1);
    CHECK(sal_simulator_initialize(sim, false, NULL) == SAL_OK);
    sal_integrator_set_ideal_step(sal_simulator_integrator(sim), 1); /* one step a round */
    for (int i = 1; i <= 100; i++) {
        CHECK(sal_simulator_advance_to(sim, i / 100., NULL) == SAL_OK);
        clock.now += i % 10 == 0 ? 0.025 : 0.004;
    }
    const sal_pacing pacing = sal_simulator_pacing(sim);
    CHECK(pacing.steps == 100 && pacing.overruns == 9);
    CHECK_NEAR(pacing.worst_lag, 0.005, 1e-12);
    CHECK_NEAR(pacing.lag, -0.01, 1e-12);
    sal_simulator_reset_statistics(sim);
    CHECK(sal_simulator_pacing(sim).overruns == 0);
    sal_simulator_free(sim);
    sal_system_free(decay);
}

static void a_run_that_keeps_up_misses_none(void) {
    sal_system *ball = make_ball();
    fake_clock clock = {0};
    sal_simulator *sim = new_run(ball, &clock, 2);
    CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
    const sal_pacing pacing = sal_simulator_pacing(sim);
    CHECK(pacing.steps > 0 && pacing.overruns == 0 && pacing.worst_lag == 0 && pacing.lag <= 0);
    CHECK(clock.slept <= 0.5);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

/* ---- rollbacks ---- */

static filling_allocator lent = {{.requests_left = -1}, 1};
static const sal_allocator filled = {test_allocate_filled, &lent};

enum { ROLLBACKS = 10000, BACK = 8, RING = BACK + 1 };

static double wind(int frame, int guess) {
    return ((frame * 7 + guess) % 5) - 2;
}

/* What each frame begins with: inputs, edits and events from outside. */
static void play(sal_simulator *sim, int frame, int guess) {
    sal_context *ctx = sal_simulator_context(sim);
    if (sal_context_size(ctx, SAL_INPUT) > 0)
        *sal_context_edit(ctx, SAL_INPUT) = wind(frame, guess);
    else if ((frame + guess) % 3 == 0)
        sal_simulator_demand(sim, 0, 4);
    if ((frame + guess) % 50 == 0)
        *sal_context_edit(ctx, SAL_V) += 0.5;
    CHECK(sal_simulator_advance_to(sim, (frame + 1) / 60., NULL) == SAL_OK);
}

static uint64_t straight_run(const model *m, sal_system *sys, int frames) {
    sal_simulator *sim = NULL;
    CHECK(make_simulator(&filled, m, sys, &sim) == SAL_OK && sal_simulator_initialize(sim, false, NULL) == SAL_OK);
    for (int f = 0; f < frames; f++)
        play(sim, f, 0);
    const uint64_t hash = sal_simulator_hash(sim);
    sal_simulator_free(sim);
    return hash;
}

/* Guesses the inputs, goes back 8 frames, and plays what was right: with a ring of copies. */
static uint64_t rolled_back_run(const model *m, sal_system *sys, int frames) {
    sal_simulator *sim = NULL, *ring[RING];
    CHECK(make_simulator(&filled, m, sys, &sim) == SAL_OK && sal_simulator_initialize(sim, false, NULL) == SAL_OK);
    for (int i = 0; i < RING; i++)
        CHECK(make_simulator(&filled, m, sys, &ring[i]) == SAL_OK);
    for (int f = 0; f < frames; f++) {
        CHECK(sal_simulator_copy(ring[f % RING], sim) == SAL_OK);
        play(sim, f, 1 + f % 4);
        if (f + 1 < BACK)
            continue;
        CHECK(sal_simulator_copy(sim, ring[(f + 1 - BACK) % RING]) == SAL_OK);
        for (int g = f + 1 - BACK; g <= f; g++) {
            CHECK(sal_simulator_copy(ring[g % RING], sim) == SAL_OK);
            play(sim, g, 0);
        }
    }
    const uint64_t hash = sal_simulator_hash(sim);
    sal_simulator_free(sim);
    for (int i = 0; i < RING; i++)
        sal_simulator_free(ring[i]);
    return hash;
}

/* The same with a ring of saves. */
static uint64_t reloaded_run(const model *m, sal_system *sys, int frames) {
    sal_simulator *sim = NULL;
    unsigned char *ring[RING];
    size_t size[RING];
    CHECK(make_simulator(&filled, m, sys, &sim) == SAL_OK && sal_simulator_initialize(sim, false, NULL) == SAL_OK);
    const size_t room = sal_simulator_save_bound(sim);
    for (int i = 0; i < RING; i++)
        ring[i] = malloc(room);
    for (int f = 0; f < frames; f++) {
        CHECK(sal_simulator_save_within(sim, ring[f % RING], room, &size[f % RING]) == SAL_OK);
        play(sim, f, 1 + f % 4);
        if (f + 1 < BACK)
            continue;
        const int from = (f + 1 - BACK) % RING;
        CHECK(sal_simulator_load(sim, ring[from], size[from]) == SAL_OK);
        for (int g = f + 1 - BACK; g <= f; g++) {
            CHECK(sal_simulator_save_within(sim, ring[g % RING], room, &size[g % RING]) == SAL_OK);
            play(sim, g, 0);
        }
    }
    const uint64_t hash = sal_simulator_hash(sim);
    sal_simulator_free(sim);
    for (int i = 0; i < RING; i++)
        free(ring[i]);
    return hash;
}

static void rollbacks_end_where_the_straight_run_does(void) {
    static const char *const which[] = {"ball", "rod auto", "fed", "delayed"};
    for (int i = 0; i < MODELS; i++) {
        bool chosen = false;
        for (size_t k = 0; k < sizeof which / sizeof *which; k++)
            chosen = chosen || strcmp(models[i].name, which[k]) == 0;
        if (!chosen)
            continue;
        const int rollbacks = check_share(strcmp(models[i].name, "ball") == 0 ? ROLLBACKS : ROLLBACKS / 20);
        sal_system *sys = models[i].make();
        const uint64_t straight = straight_run(&models[i], sys, rollbacks + BACK - 1);
        CHECK(rolled_back_run(&models[i], sys, rollbacks + BACK - 1) == straight);
        CHECK(reloaded_run(&models[i], sys, rollbacks + BACK - 1) == straight);
        sal_system_free(sys);
    }
}

int main(void) {
    a_budget_of_evaluations_cuts_a_frame();
    a_budget_of_seconds_cuts_a_frame();
    lockstep_refuses_seconds();
    what_is_dropped_is_told();
    missed_deadlines_are_counted();
    a_run_that_keeps_up_misses_none();
    rollbacks_end_where_the_straight_run_does();
    return check_summary();
}
