/* Any bytes as a system: sizes, periods, offsets, triggers, directions and
 * settings from the input, right or wrong. It is refused, it fails with a status,
 * or it runs; a call that is accepted makes no NaN of numbers, and time never goes back. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "saltus/saltus.h"

typedef struct reader {
    const uint8_t *data;
    size_t left;
    double rate; /* of the system: x' = rate x */
} reader;

static int byte(reader *r) {
    if (r->left == 0)
        return 0;
    r->left--;
    return *r->data++;
}

/* One in four is any double at all; the others are small and plain. */
static double number(reader *r) {
    const int kind = byte(r);
    double value = 0;
    if (kind % 4 || r->left < sizeof value)
        return (byte(r) - 100) / (double)(1 + kind);
    memcpy(&value, r->data, sizeof value);
    r->data += sizeof value;
    r->left -= sizeof value;
    return value;
}

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const reader *r = sal_system_data(self);
    for (int i = 0; i < sal_context_size(ctx, SAL_Q); i++)
        dot->q[i] = i < sal_context_size(ctx, SAL_V) ? sal_context_get(ctx, SAL_V)[i] : 1;
    for (int i = 0; i < sal_context_size(ctx, SAL_V); i++)
        dot->v[i] = -1;
    for (int i = 0; i < sal_context_size(ctx, SAL_Z); i++)
        dot->z[i] = r->rate * sal_context_get(ctx, SAL_Z)[i];
    return SAL_OK;
}

static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    *value = event % 3 == 0                         ? sal_context_time(ctx) - 0.3
             : sal_context_continuous_size(ctx) > 0 ? sal_context_continuous(ctx)[0]
                                                    : cos(20 * sal_context_time(ctx));
    return SAL_OK;
}

static sal_status when(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self;
    *active = sal_context_size(ctx, SAL_XD) == 0 || fmod(sal_context_get(ctx, SAL_XD)[0] + event, 2) < 1;
    return SAL_OK;
}

static sal_status next_time(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)self;
    *t = sal_context_time(ctx) + 0.01 * (event + 1);
    return SAL_OK;
}

static sal_outcome publish(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note) {
    (void)self, (void)ctx;
    sal_note_set(note, "seen");
    return event->index == 5 ? SAL_TERMINATE : SAL_SUCCEEDED;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)self, (void)note;
    if (sal_context_size(ctx, SAL_XD) > 0)
        sal_context_edit(next, SAL_XD)[0] += 1;
    if (event->zeno)
        return SAL_TERMINATE;
    if (sal_context_size(ctx, SAL_V) > 0 && event->before)
        sal_context_edit(next, SAL_V)[0] *= -0.5;
    return event->index == 6 ? SAL_FAILED : SAL_SUCCEEDED;
}

static const sal_system_class any_class = {.name = "any",
                                           .derivatives = rates,
                                           .witness = witness,
                                           .when = when,
                                           .next_time = next_time,
                                           .publish = publish,
                                           .update = update};

static void declare(sal_system *sys, reader *r) {
    static const char *const names[] = {"a", "b", "c", "d", "a", "", "e", "f"};
    for (int i = byte(r) % 6; i > 0; i--) {
        const double values[3] = {number(r), number(r), number(r)};
        sal_system_add_values(sys, (sal_partition)(byte(r) % SAL_PARTITIONS), names[byte(r) % 8], byte(r) % 5 - 1,
                              byte(r) & 1 ? values : NULL);
    }
    for (int i = byte(r) % 8; i > 0; i--) {
        sal_event_config event = sal_event_config_default();
        event.trigger = (sal_trigger)(SAL_ON_INITIALIZATION + byte(r) % 6);
        event.kind = (sal_kind)(SAL_NO_HANDLER + byte(r) % 4);
        event.period = number(r);
        event.offset = number(r);
        event.direction = (sal_direction)(byte(r) % 4);
        event.time_variable = byte(r) % 3 - 1;
        event.guarded = byte(r) & 1;
        event.on_zeno = byte(r) & 1;
        sal_system_add_event(sys, &event, NULL);
    }
}

static sal_simulator_config settings(reader *r) {
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_at(byte(r) % 16);
    if (!config.integrator.method)
        config.integrator.method = sal_method_at(0);
    const int chosen = byte(r);
    if (chosen & 1)
        config.integrator.max_step = number(r);
    if (chosen & 2)
        config.integrator.accuracy = number(r);
    if (chosen & 4)
        config.integrator.min_step = number(r);
    if (chosen & 8)
        config.integrator.initial_step = number(r);
    config.integrator.fixed_step = chosen & 16;
    config.isolation = !(chosen & 32);
    config.reintegrate_to_event = chosen & 64;
    config.publish_every_step = chosen & 128;
    config.max_steps_per_call = 100;
    config.max_events_per_instant = 20;
    return config;
}

static bool has_nan(const sal_context *ctx) {
    for (int k = 0; k < sal_context_continuous_size(ctx); k++)
        if (isnan(sal_context_continuous(ctx)[k]))
            return true;
    return false;
}

/* One call: an accepted one never goes back in time, nor makes a NaN of numbers. */
static void advance(sal_simulator *sim, reader *r) {
    const sal_context *ctx = sal_simulator_context(sim);
    const double before = sal_context_time(ctx);
    const bool sound = !has_nan(ctx) && !isnan(r->rate);
    if (sal_simulator_advance_to(sim, before + fabs(number(r)), NULL) != SAL_OK)
        return;
    if (sal_context_time(ctx) < before || (sound && has_nan(ctx)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    reader r = {data, size, 0};
    r.rate = number(&r);
    sal_system *sys = NULL;
    sal_simulator *sim = NULL;
    if (sal_system_new(NULL, &any_class, "any", &r, &sys) != SAL_OK)
        return 0;
    declare(sys, &r);
    const sal_simulator_config config = settings(&r);
    if (sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK)
        for (int i = 0; i < 4; i++)
            advance(sim, &r);
    sal_simulator_free(sim);
    sal_system_free(sys);
    return 0;
}
