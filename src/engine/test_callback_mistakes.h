/* Mistakes in functions of a model. Each fails, and the report names the system by its path, the function, the thing
 * and the remedy. Only public headers are used. */
#ifndef SAL_TEST_CALLBACK_MISTAKES_H
#define SAL_TEST_CALLBACK_MISTAKES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/saltus.h"

/* ---- a tank whose functions do what the present mistake says ---- */

typedef struct mistake {
    sal_status (*read)(const sal_context *ctx); /* what the function `in` reads */
    sal_outcome (*handle)(const sal_context *ctx, sal_context *next, sal_note *note);
    const char *in;
    sal_kind kind; /* of the event "tick" */
    sal_status status;
    const char *words[4];
} mistake;

static const mistake *now;
static sal_simulator *sim;

static inline sal_status read_in(const char *function, const sal_context *ctx) {
    return now->read && strcmp(now->in, function) == 0 ? now->read(ctx) : SAL_OK;
}

static inline sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *u = NULL;
    dot->z[0] = -1;
    if (strcmp(now->in, "output") == 0 && !now->handle)
        return sal_context_output(ctx, 0, &u);
    return read_in("derivatives", ctx);
}

static inline sal_status flow(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)port;
    *value = 1;
    return read_in("output", ctx);
}

static inline sal_status full(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = 1;
    return read_in("witness", ctx);
}

static inline sal_status is_open(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    *active = true;
    return read_in("when", ctx);
}

static inline sal_status wakes(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)self, (void)event;
    *t = INFINITY;
    return read_in("next_time", ctx);
}

static inline sal_status is_low(const sal_system *self, const sal_context *ctx, int event, bool *holds) {
    (void)self, (void)event;
    *holds = false;
    return read_in("holds", ctx);
}

static inline sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                 sal_context *next, sal_note *note) {
    (void)self, (void)event;
    if (now->handle)
        return now->handle(ctx, next, note);
    return read_in("update", ctx) == SAL_OK ? SAL_SUCCEEDED : SAL_FAILED;
}

static inline sal_outcome publish(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                  sal_note *note) {
    return update(self, ctx, event, NULL, note);
}

static const sal_system_class tank_class = {.name = "tank",
                                            .derivatives = rates,
                                            .output = flow,
                                            .witness = full,
                                            .when = is_open,
                                            .next_time = wakes,
                                            .holds = is_low,
                                            .update = update,
                                            .publish = publish};

static inline sal_status make_heap(const sal_system *self, int slot, void **out) {
    static int heap;
    (void)self, (void)slot;
    *out = &heap;
    return SAL_OK;
}
static inline sal_status clone_heap(const void *from, void **out) {
    *out = (void *)(uintptr_t)from;
    return SAL_OK;
}
static inline sal_status assign_heap(void *to, const void *from) {
    (void)to, (void)from;
    return SAL_OK;
}
static inline void drop_heap(void *value) {
    (void)value;
}
static const sal_slot_type heap_type = {
    .make = make_heap, .clone = clone_heap, .assign = assign_heap, .drop = drop_heap};

static inline void add_event(sal_system *sys, const char *name, sal_trigger trigger, sal_kind kind) {
    sal_event_config e = sal_event_config_default();
    e.name = name, e.trigger = trigger, e.kind = kind;
    e.period = 0.25;
    e.offset = 0.25;
    e.guarded = trigger == SAL_ON_PERIOD;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
}

static inline sal_system *tank(void) {
    const int none = 0;
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &tank_class, "tank", NULL, &sys) == SAL_OK);
    sal_system_add_values(sys, SAL_Z, "level", 1, (double[]){10});
    sal_system_add_values(sys, SAL_XD, "open", 1, NULL);
    sal_system_add_values(sys, SAL_PARAM, "area", 3, NULL);
    sal_system_add_values(sys, SAL_INPUT, "inflow", 1, (double[]){sal_no_value()});
    sal_system_add_output(sys, "flow", 1, NULL);
    sal_system_set_dependencies(sys, 0, &none, 0, NULL, 0);
    sal_system_add_past(sys, "level", 2, NULL);
    sal_system_add_slot(sys, "heap", &heap_type, NULL);
    add_event(sys, "tick", SAL_ON_PERIOD, now->kind ? now->kind : SAL_DISCRETE);
    add_event(sys, "full", SAL_ON_WITNESS, SAL_NO_HANDLER);
    add_event(sys, "wake", SAL_ON_TIME, SAL_NO_HANDLER);
    add_event(sys, "low", SAL_ON_CHANGE, SAL_NO_HANDLER);
    return sys;
}

static inline sal_status read_input_3(const sal_context *ctx) {
    const double *u = NULL;
    return sal_context_input(ctx, 3, &u);
}

static inline sal_status invent(const sal_context *ctx) {
    (void)ctx;
    return SAL_EINVAL;
}

/* ---- what each report must say ---- */

static inline bool says_all(const char *sentence, const mistake *m) {
    for (int k = 0; k < 4; k++)
        if (m->words[k] && !strstr(sentence, m->words[k]))
            return false;
    return true;
}

static inline void make_plant(sal_system **plant, sal_system **part) {
    *part = tank();
    CHECK(sal_diagram_new(NULL, "plant", plant) == SAL_OK);
    CHECK(sal_diagram_add(*plant, *part, "left", NULL) == SAL_OK);
    CHECK(sal_diagram_add(*plant, *part, "right", NULL) == SAL_OK);
    sal_note note = {.text = ""};
    CHECK(sal_system_build(*plant, &note) == SAL_OK);
    CHECK(sal_simulator_new(NULL, *plant, NULL, NULL, &sim) == SAL_OK);
}

static inline void each_is_reported(int count, const mistake *mistakes) {
    for (int i = 0; i < count; i++) {
        sal_system *plant = NULL, *part = NULL;
        char text[512];
        sal_report report;
        now = &mistakes[i];
        make_plant(&plant, &part);
        CHECK(sal_simulator_advance_to(sim, 1, &report) == now->status && report.status == now->status);
        sal_report_text(sim, &report, text, sizeof text);
        CHECK(says_all(text, now) && strlen(text) < 300);
        if (!says_all(text, now) || getenv("SALTUS_SHOW"))
            printf("%d (%d): %s\n", i, report.status, text);
        const sal_context *left = sal_context_part_const(sal_simulator_context(sim), 0),
                          *right = sal_context_part_const(sal_simulator_context(sim), 1);
        CHECK(sal_context_get(left, SAL_XD)[0] == 0 && sal_context_get(right, SAL_XD)[0] == 0);
        CHECK(sal_context_random_count(left) == 0);
        CHECK(sal_context_get(left, SAL_PARAM)[2] == 0 && sal_context_get(left, SAL_Z)[0] > 9);
        sal_simulator_free(sim);
        sal_system_free(plant);
        sal_system_free(part);
    }
}

#endif
