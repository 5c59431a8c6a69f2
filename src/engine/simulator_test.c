/* The simulator from C: memory, points to go on from, abstract state of updates that are undone. */
#include "saltus/recorder.h"
#include "saltus/simulator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/purse.h"

/* A ball with every kind of event, in C. */
typedef struct script {
    int touches, ticks, shows, fail_update, fail_show, fail_rates, times_asked;
    bool did_nothing;
} script;

enum { TOUCH, TICK, SHOW, ALARM, CHOSEN, STEP, SHOUT, EVENTS };

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const script *s = sal_system_data(self);
    if (s->fail_rates && sal_context_time(ctx) > s->fail_rates)
        return SAL_ECALLBACK;
    *dot->q = *sal_context_get(ctx, SAL_V);
    *dot->v = sal_context_get(ctx, SAL_XD)[0] > 0 ? 0 : -9.81;
    return SAL_OK;
}

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self;
    (void)port;
    *value = *sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static sal_status height(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    (void)event;
    const double *q = NULL;
    const sal_status status = sal_context_output(ctx, 0, &q);
    if (status == SAL_OK)
        *value = *q;
    return status;
}

static sal_status when(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self;
    (void)event;
    *active = sal_context_get(ctx, SAL_XD)[0] == 0;
    return SAL_OK;
}

static sal_status next_time(const sal_system *self, const sal_context *ctx, int event, double *t) {
    script *s = sal_system_data(self);
    (void)event;
    s->times_asked++;
    *t = floor(sal_context_time(ctx) / 0.3 + 1.5) * 0.3;
    return SAL_OK;
}

static sal_outcome publish(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note) {
    script *s = sal_system_data(self);
    (void)ctx;
    if (event->index != SHOW)
        return SAL_SUCCEEDED;
    s->shows++;
    if (s->fail_show != s->shows)
        return SAL_SUCCEEDED;
    sal_note_set(note, "show");
    return SAL_FAILED;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    script *s = sal_system_data(self);
    if (event->index == TOUCH) {
        s->touches++;
        *sal_context_edit(next, SAL_Q) = 0;
        *sal_context_edit(next, SAL_V) = event->zeno ? 0 : -0.8 * *sal_context_get(ctx, SAL_V);
        sal_context_edit(next, SAL_XD)[0] = event->zeno ? 1 : 0;
        return SAL_SUCCEEDED;
    }
    if (event->index != TICK)
        return SAL_SUCCEEDED;
    s->ticks++;
    void *slot = NULL;
    if (sal_context_edit_slot(next, 0, &slot) != SAL_OK)
        return SAL_FAILED;
    *(int *)slot += 1;
    sal_context_edit(next, SAL_XD)[1] += 1;
    if (s->did_nothing)
        return SAL_DID_NOTHING;
    if (s->fail_update == s->ticks) {
        sal_note_set(note, "tick");
        return SAL_FAILED;
    }
    return SAL_SUCCEEDED;
}

static const sal_system_class class = {.name = "ball",
                                       .derivatives = rates,
                                       .output = output,
                                       .witness = height,
                                       .when = when,
                                       .next_time = next_time,
                                       .publish = publish,
                                       .update = update};

static sal_status make(const sal_system *self, int slot, void **out) {
    (void)self;
    (void)slot;
    return (*out = calloc(1, sizeof(int))) ? SAL_OK : SAL_ENOMEM;
}

static sal_status assign(void *to, const void *from) {
    memcpy(to, from, sizeof(int));
    return SAL_OK;
}

static sal_status clone(const void *from, void **out) {
    const sal_status status = make(NULL, 0, out);
    return status == SAL_OK ? assign(*out, from) : status;
}

static const sal_slot_type integer = {.make = make, .clone = clone, .assign = assign, .drop = free};

static sal_status add_event(sal_system *sys, const char *name, sal_trigger trigger, sal_kind kind, double period) {
    sal_event_config e = sal_event_config_default();
    e.name = name;
    e.trigger = trigger;
    e.kind = kind;
    e.period = period;
    e.direction = SAL_FALLING;
    e.guarded = e.on_zeno = trigger == SAL_ON_WITNESS;
    if (strcmp(name, "alarm") == 0)
        e.time_variable = 2;
    return sal_system_add_event(sys, &e, NULL);
}

static sal_status new_ball_of(const sal_system_class *behaviour, const sal_allocator *mem, script *s,
                              sal_system **out) {
    const double one = 1, discrete[] = {0, 0, 0.4};
    sal_system *sys = NULL;
    sal_status status = sal_system_new(mem, behaviour, "ball", s, &sys);
    if (status != SAL_OK)
        return status;
    *out = sys;
    if ((status = sal_system_add_values(sys, SAL_Q, "height", 1, &one)) != SAL_OK ||
        (status = sal_system_add_values(sys, SAL_V, "speed", 1, NULL)) != SAL_OK ||
        (status = sal_system_add_values(sys, SAL_XD, "d", 3, discrete)) != SAL_OK ||
        (status = sal_system_add_values(sys, SAL_INPUT, "u", 1, NULL)) != SAL_OK ||
        (status = sal_system_add_output(sys, "y", 1, NULL)) != SAL_OK ||
        (status = sal_system_add_slot(sys, "count", &integer, NULL)) != SAL_OK ||
        (status = add_event(sys, "touch", SAL_ON_WITNESS, SAL_UNRESTRICTED, 0)) != SAL_OK ||
        (status = add_event(sys, "tick", SAL_ON_PERIOD, SAL_UNRESTRICTED, 0.25)) != SAL_OK ||
        (status = add_event(sys, "show", SAL_ON_PERIOD, SAL_PUBLISH, 0.1)) != SAL_OK ||
        (status = add_event(sys, "alarm", SAL_ON_TIME, SAL_DISCRETE, 0)) != SAL_OK ||
        (status = add_event(sys, "chosen", SAL_ON_TIME, SAL_PUBLISH, 0)) != SAL_OK ||
        (status = add_event(sys, "step", SAL_ON_STEP, SAL_DISCRETE, 0)) != SAL_OK)
        return status;
    return add_event(sys, "shout", SAL_ON_DEMAND, SAL_PUBLISH, 0);
}

static sal_status new_ball(const sal_allocator *mem, script *s, sal_system **out) {
    return new_ball_of(&class, mem, s, out);
}

/* ---- memory ---- */

static sal_status live(const sal_allocator *mem, script *s) {
    sal_system *ball = NULL, *pair = NULL;
    sal_simulator *sim = NULL;
    sal_status status = new_ball(mem, s, &ball);
    if (status == SAL_OK)
        status = sal_diagram_new(mem, "pair", &pair);
    if (status == SAL_OK)
        status = sal_diagram_add(pair, ball, "a", NULL);
    if (status == SAL_OK)
        status = sal_diagram_add(pair, ball, "b", NULL);
    if (status == SAL_OK)
        status = sal_diagram_connect(pair, 0, 0, 1, 0);
    if (status == SAL_OK)
        status = sal_simulator_new(mem, pair, NULL, NULL, &sim);
    if (status == SAL_OK)
        status = sal_simulator_initialize(sim, false, NULL);
    if (status == SAL_OK)
        status = sal_simulator_advance_to(sim, 0.3, NULL);
    for (int i = 0; status == SAL_OK && i < 5; i++)
        status = sal_simulator_schedule(sim, i % 2, SHOUT, 0.5 + 0.1 * i, NULL);
    if (status == SAL_OK)
        status = sal_simulator_advance_to(sim, 1, NULL);
    sal_simulator_free(sim);
    sal_system_free(pair);
    sal_system_free(ball);
    return status;
}

static void every_allocation_fails_once(void) {
    for (long k = 0;; k++) {
        script s = {0};
        purse p = {.left = k};
        const sal_allocator mem = {lend, &p};
        const sal_status status = live(&mem, &s);
        CHECK(p.lent == 0);
        if (p.left >= 0) {
            CHECK(status == SAL_OK && k > 60);
            return;
        }
        CHECK(status == SAL_ENOMEM);
    }
}

static sal_simulator *new_sim(script *s, const sal_allocator *mem, const char *method, bool fixed, sal_system **out) {
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find(method);
    config.integrator.fixed_step = fixed;
    if (fixed) {
        config.integrator.max_step = 0.01;
        config.context_accuracy = 1e-6;
    }
    sal_simulator *sim = NULL;
    CHECK(new_ball(mem, s, out) == SAL_OK);
    CHECK(sal_simulator_new(mem, *out, NULL, &config, &sim) == SAL_OK);
    return sim;
}

static void nothing_is_allocated_after_initialize(void) {
    static const char *const methods[] = {"explicit_euler",    "runge_kutta2", "runge_kutta3",
                                          "bogacki_shampine3", "runge_kutta5", "tsitouras5"};
    for (int i = 0; i < 6; i++) {
        script s = {0};
        purse p = {.left = -1};
        const sal_allocator mem = {lend, &p};
        sal_system *ball = NULL;
        sal_simulator *sim = new_sim(&s, &mem, methods[i], i < 2, &ball);
        CHECK(sal_simulator_initialize(sim, false, NULL) == SAL_OK);
        CHECK(sal_simulator_schedule(sim, 0, SHOUT, 1, NULL) == SAL_OK);
        const long before = p.asked;
        sal_report report;
        CHECK(sal_simulator_advance_to(sim, 5, &report) == SAL_OK && report.time == 5);
        CHECK(s.touches > 5 && s.ticks == 20 && s.shows == 51 && s.times_asked > 10);
        const sal_context *then = NULL;
        CHECK(sal_simulator_state_at(sim, sal_simulator_step_start(sim), &then) == SAL_OK);
        CHECK(p.asked == before);
        sal_simulator_free(sim);
        sal_system_free(ball);
        CHECK(p.lent == 0);
    }
}

/* ---- points ---- */

static int count(sal_simulator *sim) {
    return *(const int *)sal_context_slot(sal_simulator_context(sim), 0);
}

static double ticks(sal_simulator *sim) {
    return sal_context_get(sal_simulator_context(sim), SAL_XD)[1];
}

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

static bool noted(const sal_report *report, const char *words) {
    return report->reason == SAL_AT_FAILURE && strstr(report->note.text, words);
}

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
    CHECK(sal_simulator_advance_to(sim, 0.5, &report) == SAL_ETIME && noted(&report, "is past"));
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
        CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_ETIME && !sal_simulator_initialized(sim));
        CHECK(which ? noted(&report, "max_step") : noted(&report, "period") && report.part == 0 && report.event == 0);
        CHECK(sal_simulator_advance_to(sim, INFINITY, &report) == SAL_OK && report.reason == SAL_AT_STEP_LIMIT);
        CHECK(sal_simulator_advance_to(sim, 3e-299, &report) == SAL_OK);
        sal_simulator_free(sim);
        sal_system_free(sys);
    }
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
    every_allocation_fails_once();
    nothing_is_allocated_after_initialize();
    an_update_fails();
    calls_are_refused();
    a_frame_that_fails_is_not_lost();
    endless_ones_are_refused();
    configs_are_checked();
    classes_are_complete();
    channels_are_checked();
    a_publish_fails();
    integration_fails();
    steps_fail_in_words();
    derivatives_left_unset_are_found();
    a_handler_does_nothing();
    the_ball();
    return check_summary();
}
