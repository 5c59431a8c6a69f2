/* Calls, configurations, classes and channels that a simulator or a recorder refuses. */
#include "test_ball.h"
#include "saltus/recorder.h"

/* Whatever is wrong with a frame: which of its numbers, and what it has to be. */
static void frames_are_checked(sal_simulator *sim) {
    const double steps[] = {0, -1, -INFINITY, INFINITY, NAN}, times[] = {-1e-9, -INFINITY, NAN};
    sal_report report;
    double alpha = -7;
    for (int i = 0; i < 5; i++) {
        CHECK(sal_simulator_advance_frame(sim, 1, steps[i], 4, &alpha, &report) == SAL_EINVAL);
        CHECK(noted(&report, "step must be positive and finite") && noted(&report, "seconds that each of its steps"));
    }
    for (int i = 0; i < 3; i++) {
        CHECK(sal_simulator_advance_frame(sim, times[i], 1, 4, &alpha, &report) == SAL_EINVAL);
        CHECK(noted(&report, "dt must not be negative or NaN"));
    }
    CHECK(sal_simulator_advance_frame(sim, 1, 1, 0, &alpha, &report) == SAL_EINVAL && noted(&report, "max_steps"));
    CHECK(alpha == -7);
}

/* A call that cannot be taken says why, and changes nothing. */
static void calls_are_refused(void) {
    script s = {0};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball);
    sal_report report;
    CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
    const uint64_t hash = sal_simulator_hash(sim);
    CHECK(sal_simulator_advance_to(sim, 0.5, &report) == SAL_ETIME &&
          noted(&report, "the time to advance to is 0.5, and the present is "));
    CHECK(report.time == 1 && report.boundary_time == 0.5);
    CHECK(sal_simulator_advance_to(sim, NAN, &report) == SAL_ETIME && noted(&report, "NaN"));
    frames_are_checked(sim);
    CHECK(sal_simulator_hash(sim) == hash);
    CHECK(sal_simulator_advance_frame(sim, 0.25, 0.125, 4, NULL, NULL) == SAL_OK);
    sal_context_set_time(sal_simulator_context(sim), 0);
    CHECK(sal_simulator_advance_to(sim, 3, &report) == SAL_ETIME && noted(&report, "sal_simulator_initialize()"));
    sal_context_set_time(sal_simulator_context(sim), INFINITY);
    CHECK(sal_simulator_initialize(sim, false, &report) == SAL_ETIME && noted(&report, "not finite"));
    sal_context *taken = sal_simulator_release_context(sim);
    CHECK(sal_simulator_advance_to(sim, 3, &report) == SAL_ESTATE && noted(&report, "no context"));
    CHECK(sal_simulator_advance_frame(sim, 1, 1, 1, NULL, &report) == SAL_ESTATE && noted(&report, "no context"));
    sal_context_free(taken);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

/* A context has one owner, until it is released. */
static void contexts_are_not_shared(void) {
    script s = {0};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball), *other = NULL;
    sal_context *mine = sal_simulator_context(sim), *copy = NULL;
    CHECK(sal_simulator_new(NULL, ball, mine, NULL, &other) == SAL_EINVAL && !other);
    CHECK(strstr(sal_system_trouble(ball), "ball: the context belongs to a simulator already; give each its own"));
    CHECK(sal_context_clone(mine, &copy) == SAL_OK);
    CHECK(sal_simulator_new(NULL, ball, copy, NULL, &other) == SAL_OK);
    CHECK(sal_simulator_reset_context(sim, copy) == SAL_EINVAL && sal_simulator_context(sim) == mine);
    CHECK(strstr(sal_simulator_trouble(sim), "belongs to a simulator already"));
    CHECK(sal_simulator_reset_context(sim, mine) == SAL_OK);
    CHECK(sal_simulator_release_context(other) == copy && sal_simulator_reset_context(sim, copy) == SAL_OK);
    sal_simulator_free(other);
    CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

static sal_status stand(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self, (void)ctx;
    dot->z[0] = 0;
    return SAL_OK;
}

static sal_outcome count_up(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                            sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    sal_context_edit(next, SAL_XD)[0] += 1;
    return SAL_SUCCEEDED;
}

/* Nobody would see the end of it: refused before anything runs, by name. A run without end is another thing. */
static void endless_ones_are_refused(void) {
    static const sal_system_class clock = {.name = "clock", .update = count_up, .derivatives = stand};
    for (int which = 0; which < 2; which++) {
        sal_system *sys = NULL;
        sal_simulator *sim = NULL;
        sal_event_config e = sal_event_config_default();
        sal_simulator_config c = sal_simulator_config_default();
        sal_report report;
        e.name = "tick", e.trigger = SAL_ON_PERIOD, e.kind = SAL_DISCRETE, e.period = which ? 1 : 1e-300;
        c.integrator.max_step = which ? 1e-300 : INFINITY;
        c.max_steps_per_call = 20;
        CHECK(sal_system_new(NULL, &clock, "clock", NULL, &sys) == SAL_OK);
        CHECK(sal_system_add_values(sys, SAL_Z, "z", 1, NULL) == SAL_OK);
        CHECK(sal_system_add_values(sys, SAL_XD, "n", 1, NULL) == SAL_OK);
        CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
        CHECK(sal_simulator_new(NULL, sys, NULL, &c, &sim) == SAL_OK);
        CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_ETIME && !sal_simulator_is_initialized(sim));
        CHECK(which ? noted(&report, "max_step") : noted(&report, "period") && report.part == 0 && report.event == 0);
        CHECK(sal_simulator_advance_to(sim, INFINITY, &report) == SAL_OK && report.reason == SAL_AT_STEP_LIMIT);
        CHECK(sal_simulator_advance_to(sim, 3e-299, &report) == SAL_OK);
        sal_simulator_free(sim);
        sal_system_free(sys);
    }
}

/* Each setting spoilt on its own, and the word that the note has for it. */
static void configs_are_checked(void) {
    enum { CASES = 11 };
    const double one = 1;
    sal_simulator_config c[CASES];
    for (int i = 0; i < CASES; i++)
        c[i] = sal_simulator_config_default();
    CHECK(sal_simulator_config_check(&c[0], NULL) == SAL_OK);
    c[0].size = 3, c[1].characteristic_time = NAN, c[2].isolation_window = 0, c[3].context_accuracy = -1;
    c[4].max_events_per_instant = 0, c[5].max_steps_per_call = -1, c[6].target_realtime_rate = NAN;
    c[7].integrator.accuracy = 0, c[8].integrator.method = NULL, c[9].integrator.size = 0;
    c[10].integrator.mass = &one;
    const char *const word[CASES] = {"config_default",    "characteristic",     "isolation_window",
                                     "context_accuracy",  "events_per_instant", "max_steps_per_call",
                                     "realtime_rate",     "accuracy",           "method",
                                     "integrator_config", "sal_system_set_mass"};
    script s = {0};
    sal_system *ball = NULL;
    CHECK(new_ball(NULL, &s, &ball) == SAL_OK);
    for (int i = 0; i < CASES; i++) {
        sal_note why = {0};
        sal_simulator *sim = NULL;
        CHECK(sal_simulator_config_check(&c[i], &why) == SAL_EINVAL && strstr(why.text, word[i]));
        CHECK(sal_simulator_new(NULL, ball, NULL, &c[i], &sim) == SAL_EINVAL && !sim);
    }
    sal_system_free(ball);
}

/* The ball's class with one function less each time. */
static void classes_are_complete(void) {
    enum { CASES = 7 };
    sal_system_class less[CASES];
    for (int i = 0; i < CASES; i++)
        less[i] = class;
    less[0].derivatives = NULL, less[1].output = NULL, less[2].witness = NULL, less[3].when = NULL;
    less[4].next_time = NULL, less[5].publish = NULL, less[6].update = NULL;
    for (int i = 0; i < CASES; i++) {
        script s = {0};
        sal_system *ball = NULL;
        sal_simulator *sim = NULL;
        CHECK(new_ball_of(&less[i], NULL, &s, &ball) == SAL_OK);
        CHECK(sal_simulator_new(NULL, ball, NULL, NULL, &sim) == SAL_EINVAL && !sim);
        sal_system_free(ball);
    }
}

/* Of a ball with q, v, three xd, an input and an output of one number each. */
static void channels_are_checked(void) {
    const sal_channel bad[] = {
        {.part = 1, .size = 1, .output = -1},
        {.part = -1, .size = 1, .output = -1},
        {.size = 0, .output = -1},
        {.size = 2, .output = -1},
        {.size = 1, .at = -1, .output = -1},
        {.size = 2, .at = 2, .partition = SAL_XD, .output = -1},
        {.size = 1, .at = 0x7fffffff, .output = -1},
        {.size = 1, .partition = SAL_PARTITIONS, .output = -1},
        {.size = 1, .output = 1},
        {.size = 2, .output = 0},
    };
    const sal_channel good[] = {{.size = 2, .at = 1, .partition = SAL_XD, .output = -1}, {.size = 1, .output = 0}};
    script s = {0};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball);
    sal_recorder *rec = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(sal_recorder_new(sim, &bad[i], 1, 0.1, &rec) == SAL_EINVAL && !rec);
    CHECK(sal_recorder_new(sim, NULL, 1, 0.1, &rec) == SAL_EINVAL && !rec);
    CHECK(sal_recorder_new(sim, good, 2, 0.1, &rec) == SAL_OK && sal_recorder_width(rec) == 5);
    sal_recorder_free(rec);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

int main(void) {
    calls_are_refused();
    contexts_are_not_shared();
    endless_ones_are_refused();
    configs_are_checked();
    classes_are_complete();
    channels_are_checked();
    return check_summary();
}
