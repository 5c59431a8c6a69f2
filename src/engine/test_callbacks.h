/* Models, and those who look at them, whose every function says from where it is called: poke(). */
#ifndef SAL_TEST_CALLBACKS_H
#define SAL_TEST_CALLBACKS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/recorder.h"
#include "saltus/simulator.h"

/* From where. */
#define KINDS(X) \
    X(DERIVATIVES), X(OUTPUT), X(WITNESS), X(WHEN), X(NEXT_TIME), X(HOLDS), X(FINDER), X(CONSTRAINTS), X(RATES), \
        X(PROJECT), X(MAP), X(HISTORY), X(PHASES), X(JACOBIAN), X(CLOCK), X(SLEEP), X(SLOT), X(CHANNEL), X(PUBLISH), \
        X(DISCRETE), X(UNRESTRICTED), X(ZENO), X(MONITOR), X(OBSERVER)
#define NAMED(kind) kind
#define TEXT(kind) #kind
typedef enum { KINDS(NAMED), COUNT_OF_KINDS } kind;
static const char *const kind_name[] = {KINDS(TEXT)};

static void poke(kind from); /* the test's own */

static const double one[] = {1, 1};

/* ---- a ball that comes to rest; what it keeps, who looks at it ---- */

enum { CALLED, TOUCH, TICK };

static sal_status ball_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *speed = sal_context_get(ctx, SAL_V), *input = NULL, *output = NULL;
    double past = 0;
    poke(DERIVATIVES);
    sal_status status = sal_context_input(ctx, 0, &input);
    if (status == SAL_OK)
        status = sal_context_output(ctx, 0, &output);
    if (status == SAL_OK && sal_system_pasts(self) > 0)
        status = sal_context_past(ctx, 0, 0.1, &past);
    dot->q[0] = speed[0];
    dot->v[0] = sal_context_get(ctx, SAL_XD)[1] > 0 ? 0 : -9.81;
    dot->z[0] = *output + past + input[0] - sal_context_get(ctx, SAL_Z)[0];
    return status;
}

static sal_status ball_output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)port;
    poke(OUTPUT);
    *value = 2 * sal_context_get(ctx, SAL_Q)[0];
    return SAL_OK;
}

static sal_status ball_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    poke(WITNESS);
    *value = sal_context_get(ctx, SAL_Q)[0];
    return SAL_OK;
}

static sal_status ball_when(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    poke(WHEN);
    *active = sal_context_get(ctx, SAL_XD)[1] == 0;
    return SAL_OK;
}

static sal_status ball_next_time(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)self, (void)event;
    poke(NEXT_TIME);
    *t = floor(sal_context_time(ctx) * 3 + 1) / 3;
    return SAL_OK;
}

static sal_status ball_holds(const sal_system *self, const sal_context *ctx, int event, bool *holds) {
    (void)self, (void)event;
    poke(HOLDS);
    *holds = sal_context_get(ctx, SAL_Z)[0] >= 0.25;
    return SAL_OK;
}

static sal_status ball_finder(const sal_system *self, const sal_context *ctx, int event, int finder, double *value) {
    (void)self, (void)event, (void)finder;
    poke(FINDER);
    *value = sal_context_get(ctx, SAL_Z)[0] - 0.25;
    return SAL_OK;
}

static sal_status ball_phases(const sal_system *self, const sal_context *ctx, int event, double *phase, int *count) {
    (void)self, (void)event;
    poke(PHASES);
    *phase = sal_context_time(ctx);
    *count = 1;
    return SAL_OK;
}

static sal_status ball_history(const sal_system *self, int past, double t, double *value, double *slope) {
    (void)self, (void)past;
    poke(HISTORY);
    if (value)
        *value = t;
    if (slope)
        *slope = 1;
    return SAL_OK;
}

static sal_outcome ball_publish(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    poke(PUBLISH);
    return SAL_SUCCEEDED;
}

static sal_outcome ball_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                               sal_context *next, sal_note *note) {
    void *slot = NULL;
    (void)self, (void)note;
    poke(event->zeno ? ZENO : event->index == TICK ? DISCRETE : UNRESTRICTED);
    if (event->index == TICK) {
        sal_context_edit(next, SAL_XD)[0] += 1;
        return SAL_SUCCEEDED;
    }
    if (event->index == TOUCH) {
        sal_context_edit(next, SAL_Q)[0] = 0;
        sal_context_edit(next, SAL_V)[0] = event->zeno ? 0 : -0.5 * sal_context_get(ctx, SAL_V)[0];
        sal_context_edit(next, SAL_XD)[1] = event->zeno;
    }
    return sal_context_edit_slot(next, 0, &slot) == SAL_OK ? ++*(double *)slot, SAL_SUCCEEDED : SAL_FAILED;
}

static const sal_system_class ball_class = {.name = "ball",
                                            .derivatives = ball_rates,
                                            .output = ball_output,
                                            .witness = ball_witness,
                                            .when = ball_when,
                                            .next_time = ball_next_time,
                                            .holds = ball_holds,
                                            .finder = ball_finder,
                                            .phases = ball_phases,
                                            .history = ball_history,
                                            .publish = ball_publish,
                                            .update = ball_update};

static sal_status slot_make(const sal_system *self, int slot, void **out) {
    (void)self, (void)slot;
    *out = calloc(1, sizeof(double));
    return *out ? SAL_OK : SAL_ENOMEM;
}

static sal_status slot_assign(void *to, const void *from) {
    poke(SLOT);
    memcpy(to, from, sizeof(double));
    return SAL_OK;
}

static sal_status slot_clone(const void *from, void **out) {
    const sal_status status = slot_make(NULL, 0, out);
    return status == SAL_OK ? slot_assign(*out, from) : status;
}

static size_t slot_size(const void *value) {
    (void)value;
    return sizeof(double);
}

static void slot_save(const void *value, void *to) {
    memcpy(to, value, sizeof(double));
}

static sal_status slot_load(void *value, const void *from, size_t size) {
    return size == sizeof(double) ? slot_assign(value, from) : SAL_EINVAL;
}

static uint64_t slot_hash(const void *value, uint64_t seed) {
    return sal_hash(value, sizeof(double), seed);
}

static const sal_slot_type slot_type = {slot_make, slot_clone, slot_assign, free, slot_size,
                                        slot_save, slot_load,  slot_hash,   NULL};

static void add_event(sal_system *sys, const char *name, sal_trigger trigger, sal_kind what, bool at_touch) {
    sal_event_config e = sal_event_config_default();
    e.name = name, e.trigger = trigger, e.kind = what;
    e.guarded = e.on_zeno = at_touch, e.direction = SAL_FALLING;
    e.time_variable = -1, e.finders = trigger == SAL_ON_CHANGE, e.period = trigger == SAL_ON_PERIOD ? 0.25 : 0;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
}

static sal_system *make_ball(bool keeps_past) {
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &ball_class, "ball", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Q, "height", 1, one) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_V, "speed", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "lag", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "count", 2, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, "hand", 1, one) == SAL_OK);
    CHECK(sal_system_add_output(sys, "twice", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_slot(sys, "kept", &slot_type, NULL) == SAL_OK);
    CHECK(!keeps_past || sal_system_add_past(sys, "lag", 0.2, NULL) == SAL_OK);
    add_event(sys, "call", SAL_ON_DEMAND, SAL_DISCRETE, false);
    add_event(sys, "touch", SAL_ON_WITNESS, SAL_UNRESTRICTED, true);
    add_event(sys, "tick", SAL_ON_PERIOD, SAL_DISCRETE, false);
    add_event(sys, "show", SAL_ON_STEP, SAL_PUBLISH, false);
    add_event(sys, "set", SAL_ON_INITIALIZATION, SAL_UNRESTRICTED, false);
    add_event(sys, "alarm", SAL_ON_TIME, SAL_UNRESTRICTED, false);
    add_event(sys, "turn", SAL_ON_CHANGE, SAL_UNRESTRICTED, false);
    return sys;
}

/* ---- a pendulum that is held on its circle ---- */

static sal_status swing_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *r = sal_context_get(ctx, SAL_Q), *u = sal_context_get(ctx, SAL_V);
    const double pull = (u[0] * u[0] + u[1] * u[1] - 9.81 * r[1]) / (r[0] * r[0] + r[1] * r[1]);
    (void)self;
    poke(DERIVATIVES);
    for (int i = 0; i < 2; i++) {
        dot->q[i] = u[i];
        dot->v[i] = -pull * r[i] - (i == 1 ? 9.81 : 0);
    }
    return SAL_OK;
}

static sal_status swing_rod(const sal_system *self, const sal_context *ctx, double *residual) {
    const double *r = sal_context_get(ctx, SAL_Q);
    (void)self;
    poke(CONSTRAINTS);
    residual[0] = (r[0] * r[0] + r[1] * r[1] - 1) / 2;
    return SAL_OK;
}

static sal_status swing_rod_rate(const sal_system *self, const sal_context *ctx, double *slope) {
    const double *r = sal_context_get(ctx, SAL_Q), *u = sal_context_get(ctx, SAL_V);
    (void)self;
    poke(RATES);
    slope[0] = r[0] * u[0] + r[1] * u[1];
    return SAL_OK;
}

static sal_status swing_project(const sal_system *self, const sal_context *ctx, const sal_rates *next) {
    (void)self, (void)ctx, (void)next;
    poke(PROJECT);
    return SAL_OK;
}

static sal_status swing_map(const sal_system *self, const sal_context *ctx, const double *v, double *qdot) {
    (void)self, (void)ctx;
    poke(MAP);
    qdot[0] = v[0], qdot[1] = v[1];
    return SAL_OK;
}

static const sal_system_class swing_class = {.name = "pendulum",
                                             .derivatives = swing_rates,
                                             .constraints = swing_rod,
                                             .constraint_rates = swing_rod_rate,
                                             .project = swing_project,
                                             .velocity_map = swing_map};

static sal_system *make_pendulum(void) {
    const double level[] = {1, 0};
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &swing_class, "pendulum", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Q, "r", 2, level) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_V, "u", 2, NULL) == SAL_OK);
    CHECK(sal_system_set_constraints(sys, 1, 1) == SAL_OK);
    return sys;
}

/* ---- who looks ---- */

static sal_outcome watch(void *user, const sal_context *ctx, sal_note *note) {
    (void)user, (void)ctx, (void)note;
    poke(MONITOR);
    return SAL_SUCCEEDED;
}

static sal_status see(void *user, sal_simulator *seen, sal_observation observation, int part, int event) {
    (void)user, (void)seen, (void)observation, (void)part, (void)event;
    poke(OBSERVER);
    return SAL_OK;
}

static sal_status read_channel(void *user, const sal_context *ctx, double *value) {
    (void)user;
    poke(CHANNEL);
    *value = sal_context_time(ctx);
    return SAL_OK;
}

static sal_status slopes(void *user, const sal_context *ctx, double *j) {
    (void)user, (void)ctx;
    poke(JACOBIAN);
    const double given[] = {0, 1, 0, 0, 0, 0, 2, 0, -1};
    memcpy(j, given, sizeof given);
    return SAL_OK;
}

static double clock_now(void *user) {
    (void)user;
    poke(CLOCK);
    return 1;
}

static void clock_sleep(void *user, double seconds) {
    (void)user, (void)seconds;
    poke(SLEEP);
}

#endif
