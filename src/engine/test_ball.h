/* A ball with every kind of event, for the tests of the simulator: a script says what fails, and counts. */
#ifndef SAL_TEST_BALL_H
#define SAL_TEST_BALL_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/simulator.h"

typedef struct script {
    int touches, ticks, shows, fail_update, fail_show, fail_rates, times_asked;
    bool did_nothing;
} script;

enum { TOUCH, TICK, SHOW, ALARM, CHOSEN, STEP, SHOUT, EVENTS };

static inline sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const script *s = sal_system_data(self);
    if (s->fail_rates && sal_context_time(ctx) > s->fail_rates)
        return SAL_ECALLBACK;
    *dot->q = *sal_context_get(ctx, SAL_V);
    *dot->v = sal_context_get(ctx, SAL_XD)[0] > 0 ? 0 : -9.81;
    return SAL_OK;
}

static inline sal_status output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self;
    (void)port;
    *value = *sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static inline sal_status height(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    (void)event;
    const double *q = NULL;
    const sal_status status = sal_context_output(ctx, 0, &q);
    if (status == SAL_OK)
        *value = *q;
    return status;
}

static inline sal_status when(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self;
    (void)event;
    *active = sal_context_get(ctx, SAL_XD)[0] == 0;
    return SAL_OK;
}

static inline sal_status next_time(const sal_system *self, const sal_context *ctx, int event, double *t) {
    script *s = sal_system_data(self);
    (void)event;
    s->times_asked++;
    *t = floor(sal_context_time(ctx) / 0.3 + 1.5) * 0.3;
    return SAL_OK;
}

static inline sal_outcome publish(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                  sal_note *note) {
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

static inline sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                 sal_context *next, sal_note *note) {
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

static inline sal_status make(const sal_system *self, int slot, void **out) {
    (void)self;
    (void)slot;
    return (*out = calloc(1, sizeof(int))) ? SAL_OK : SAL_ENOMEM;
}

static inline sal_status assign(void *to, const void *from) {
    memcpy(to, from, sizeof(int));
    return SAL_OK;
}

static inline sal_status clone(const void *from, void **out) {
    const sal_status status = make(NULL, 0, out);
    return status == SAL_OK ? assign(*out, from) : status;
}

static const sal_slot_type integer = {.make = make, .clone = clone, .assign = assign, .drop = free};

static inline sal_status add_event(sal_system *sys, const char *name, sal_trigger trigger, sal_kind kind,
                                   double period) {
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

static inline sal_status new_ball_of(const sal_system_class *behaviour, const sal_allocator *mem, script *s,
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

static inline sal_status new_ball(const sal_allocator *mem, script *s, sal_system **out) {
    return new_ball_of(&class, mem, s, out);
}

static inline sal_simulator *new_sim(script *s, const sal_allocator *mem, const char *method, bool fixed,
                                     sal_system **out) {
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

static inline int count(sal_simulator *sim) {
    return *(const int *)sal_context_slot(sal_simulator_context(sim), 0);
}

static inline double ticks(sal_simulator *sim) {
    return sal_context_get(sal_simulator_context(sim), SAL_XD)[1];
}

static inline bool noted(const sal_report *report, const char *words) {
    return report->reason == SAL_AT_FAILURE && strstr(report->note.text, words);
}

#endif
