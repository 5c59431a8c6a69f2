/* The simulator from C: points to go on from when something fails, abstract state of updates that are undone, a ball
 * that comes to rest. */
#include "test_ball.h"

static void an_update_fails(void) {
    script s = {.fail_update = 3};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball);
    sal_report report;
    CHECK(sal_simulator_advance_to(sim, 2, &report) == SAL_EHANDLER);
    CHECK(report.reason == SAL_AT_FAILURE && report.time == 0.5 && report.event == TICK);
    CHECK(strcmp(report.note.text, "tick") == 0);
    CHECK(count(sim) == 2 && ticks(sim) == 2);
    s.fail_update = 4;
    CHECK(sal_simulator_advance_to(sim, 2, &report) == SAL_EHANDLER && count(sim) == 2); /* still pending */
    CHECK(sal_simulator_advance_to(sim, 2, &report) == SAL_OK && count(sim) == 8 && ticks(sim) == 8);
    CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_ETIME &&
          sal_simulator_advance_to(sim, NAN, NULL) == SAL_ETIME);
    CHECK(sal_simulator_schedule(sim, 0, TICK, 3, NULL) == SAL_EINVAL &&
          sal_simulator_schedule(sim, 1, SHOUT, 3, NULL) == SAL_EINVAL);
    CHECK(sal_simulator_schedule(sim, 0, SHOUT, 1, NULL) == SAL_EINVAL &&
          sal_simulator_schedule(sim, 0, SHOUT, NAN, NULL) == SAL_EINVAL);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

/* A frame that fails halfway: the rest of it is the next one's, whole steps and part of one. */
static void a_frame_that_fails_is_not_lost(void) {
    script s = {.fail_update = 3};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball);
    sal_report report;
    double alpha = 0;
    CHECK(sal_simulator_advance_frame(sim, 2.1, 0.25, 99, &alpha, &report) == SAL_EHANDLER);
    const double failed = report.time;
    CHECK(failed > 0 && failed < 2);
    s.fail_update = 0;
    CHECK(sal_simulator_advance_frame(sim, 0, 0.25, 99, &alpha, &report) == SAL_OK);
    CHECK_NEAR(report.time + alpha * 0.25, 2.1, 1e-12);
    CHECK(sal_simulator_advance_frame(sim, INFINITY, 0.25, 4, &alpha, &report) == SAL_OK && alpha == 0); /* dropped */
    sal_simulator_free(sim);
    sal_system_free(ball);
}

static void a_publish_fails(void) {
    script s = {.fail_show = 4};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball);
    sal_report report;
    CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_EHANDLER && report.event == SHOW);
    CHECK_NEAR(report.time, 0.3, 1e-12);
    CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_OK && s.shows == 11);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

static void integration_fails(void) {
    script s = {.fail_rates = 1};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball);
    sal_report report;
    CHECK(sal_simulator_advance_to(sim, 3, &report) == SAL_ECALLBACK && report.part == 0 && report.event == -1);
    CHECK(report.time == 1 && count(sim) == 5 && *sal_context_get(sal_simulator_context(sim), SAL_Q) >= 0);
    CHECK(sal_simulator_advance_to(sim, 3, &report) == SAL_ECALLBACK && report.time == 1 && count(sim) == 5);
    s.fail_rates = 0;
    CHECK(sal_simulator_advance_to(sim, 3, &report) == SAL_OK && count(sim) == 12);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

/* q' = v, v' = 1, from t = 1 on what `data` says: a NaN, or not a number of the kind at all. */
static sal_status break_at_one(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *after = sal_system_data(self);
    *dot->q = *sal_context_get(ctx, SAL_V);
    *dot->v = after && sal_context_time(ctx) > 1 ? *after : 1;
    return !after && sal_context_time(ctx) > 1 ? SAL_RETRY : SAL_OK;
}

/* The report names the variable and the part, a diagram's second one. */
static void steps_fail_in_words(void) {
    const sal_system_class broken = {.name = "broken", .derivatives = break_at_one};
    double one = 1, nan = NAN;
    double *const after[] = {&nan, NULL};
    const char *const words[] = {"\"speed\" is not finite", "refuses every step"};
    for (int i = 0; i < 2; i++) {
        sal_system *part[2] = {NULL, NULL}, *pair = NULL;
        sal_simulator *sim = NULL;
        sal_report report;
        CHECK(sal_diagram_new(NULL, "pair", &pair) == SAL_OK);
        for (int k = 0; k < 2; k++) {
            CHECK(sal_system_new(NULL, &broken, "broken", k == 1 ? after[i] : &one, &part[k]) == SAL_OK);
            CHECK(sal_system_add_values(part[k], SAL_Q, "place", 1, NULL) == SAL_OK);
            CHECK(sal_system_add_values(part[k], SAL_V, "speed", 1, NULL) == SAL_OK);
            CHECK(sal_diagram_add(pair, part[k], k ? "second" : "first", NULL) == SAL_OK);
        }
        CHECK(sal_simulator_new(NULL, pair, NULL, NULL, &sim) == SAL_OK);
        CHECK(sal_simulator_advance_to(sim, 2, &report) == SAL_ESTEP && noted(&report, words[i]));
        CHECK(i == 1 || report.part == 1);
        sal_simulator_free(sim);
        sal_system_free(pair);
        sal_system_free(part[0]);
        sal_system_free(part[1]);
    }
}

static sal_status refuse(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self, (void)ctx, (void)dot;
    return SAL_RETRY;
}

/* No step is small enough where the first derivatives of a step are refused. */
static void refused_starts_fail_in_words(void) {
    const sal_system_class shy = {.name = "shy", .derivatives = refuse};
    sal_system *sys = NULL;
    sal_simulator *sim = NULL;
    sal_report report;
    CHECK(sal_system_new(NULL, &shy, "shy", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "x", 1, NULL) == SAL_OK);
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &sim) == SAL_OK);
    char text[512];
    CHECK(sal_simulator_advance_to(sim, 2, &report) == SAL_ESTEP);
    sal_report_text(sim, &report, text, sizeof text);
    CHECK(strstr(text, "requests a smaller step (SAL_RETRY) where the step begins") != NULL);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

/* q' = v; from the time in `data` on nobody says what v' is. */
static sal_status forget(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *from = sal_system_data(self);
    *dot->q = *sal_context_get(ctx, SAL_V);
    if (sal_context_time(ctx) < *from)
        *dot->v = 1;
    return SAL_OK;
}

static sal_status run_forgetful(double from, bool flaws, sal_report *report) {
    const sal_system_class forgetful = {.name = "forgetful", .derivatives = forget};
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.fixed_step = true;
    config.integrator.max_step = 0.01;
    sal_system *sys = NULL;
    sal_simulator *sim = NULL;
    CHECK(sal_system_new(NULL, &forgetful, "forgetful", &from, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Q, "place", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_V, "speed", 1, NULL) == SAL_OK);
    CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK);
    const sal_status status = sal_simulator_advance_to(sim, 2, report);
    CHECK(!flaws || noted(report, "derivatives leave that of \"speed\" unset"));
    sal_simulator_free(sim);
    sal_system_free(sys);
    return status;
}

/* Step 2^k is the next one that is looked at. */
static void derivatives_left_unset_are_found(void) {
    sal_report report;
    CHECK(run_forgetful(INFINITY, false, &report) == SAL_OK);
    CHECK(run_forgetful(0, true, &report) == SAL_ENAN && report.time == 0 && report.part == 0);
    CHECK(run_forgetful(0.995, true, &report) == SAL_ENAN);
    CHECK_NEAR(report.time, 1.28, 1e-9);
}

/* What a handler that did nothing wrote is dropped, abstract state too. */
static void a_handler_does_nothing(void) {
    script s = {.did_nothing = true};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball);
    CHECK(sal_simulator_advance_to(sim, 1.1, NULL) == SAL_OK && s.ticks == 5);
    CHECK(count(sim) == 0 && ticks(sim) == 0);
    s.did_nothing = false;
    CHECK(sal_simulator_advance_to(sim, 1.3, NULL) == SAL_OK && count(sim) == 1 && ticks(sim) == 1);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

static void the_ball(void) {
    script s = {0};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "runge_kutta3", false, &ball);
    CHECK(sal_simulator_advance_to(sim, 6, NULL) == SAL_OK);
    const sal_context *ctx = sal_simulator_context(sim);
    CHECK(*sal_context_get(ctx, SAL_Q) == 0 && sal_context_get(ctx, SAL_XD)[0] == 1 && s.touches > 20);
    CHECK(isinf(sal_context_get(ctx, SAL_XD)[2])); /* the alarm rang */
    sal_simulator_free(sim);
    sal_system_free(ball);
}

int main(void) {
    an_update_fails();
    a_frame_that_fails_is_not_lost();
    a_publish_fails();
    integration_fails();
    steps_fail_in_words();
    refused_starts_fail_in_words();
    derivatives_left_unset_are_found();
    a_handler_does_nothing();
    the_ball();
    return check_summary();
}
