/* A pilot moves a stick, which is sampled every 80 ms, while frames take 1/60 s. Each sample is fed: the stick moves on
 * a straight line from sample to sample, so the deck's switch closes at the exact time at which it passes 0.5, and not
 * at a frame. A watchdog, which may be another thread or a signal handler, interrupts the run; it stands at the end of
 * a step, and the next frame continues it.
 *
 *   cc pilot_loop.c $(pkg-config --cflags --libs saltus) -lm && ./a.out */
#include <stdio.h>

#include "saltus/saltus.h"

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *stick = NULL;
    const sal_status status = sal_context_input(ctx, 0, &stick);
    (void)self;
    if (status == SAL_OK)
        *dot->z = *stick;
    return status;
}

static sal_status switch_level(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *stick = NULL;
    const sal_status status = sal_context_input(ctx, 0, &stick);
    (void)self, (void)event;
    if (status == SAL_OK)
        *value = *stick - 0.5;
    return status;
}

static sal_outcome close_switch(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                sal_context *next, sal_note *note) {
    (void)self, (void)event, (void)note;
    *sal_context_edit(next, SAL_XD) = sal_context_time(ctx);
    return SAL_SUCCEEDED;
}

static const sal_system_class plane_class = {
    .name = "plane", .derivatives = rates, .witness = switch_level, .update = close_switch};

static sal_status make_plane(sal_system **out) {
    const double none = 0;
    const sal_status status = sal_system_new(NULL, &plane_class, "plane", NULL, out);
    if (status != SAL_OK)
        return status;
    sal_system_add_values(*out, SAL_Z, "roll", 1, NULL);
    sal_system_add_values(*out, SAL_XD, "switched_at", 1, NULL);
    sal_system_add_values(*out, SAL_INPUT, "stick", 1, &none);
    sal_event_config event = sal_event_config_default();
    event.name = "switch", event.trigger = SAL_ON_WITNESS, event.direction = SAL_RISING;
    event.kind = SAL_UNRESTRICTED;
    return sal_system_add_event(*out, &event, NULL);
}

/* The next sample has arrived: the stick goes there until the sample's time. */
static sal_status feed_sample(sal_simulator *sim, int sample) {
    static const double stick[] = {0, 0.2, 0.9, 1, 0.4, 0.1};
    return sal_simulator_feed(sim, 0, 0, 0.08 * (sample + 1), &stick[sample + 1]);
}

/* A run that takes too long is interrupted; here it is in frame 7. */
static sal_outcome watchdog(void *user, const sal_context *ctx, sal_note *note) {
    const double t = sal_context_time(ctx);
    (void)note;
    if (t > 0.105 && t < 0.11)
        sal_simulator_interrupt(user);
    return SAL_SUCCEEDED;
}

static sal_status fly(sal_simulator *sim) {
    sal_frame_config config = sal_frame_config_default();
    sal_report report = {0};
    sal_status status = SAL_OK;
    config.step = 1 / 240.;
    int sample = 0;
    for (int frame = 1; frame <= 24 && status == SAL_OK; frame++) {
        sal_frame done;
        if (sample < 5 && sal_context_time(sal_simulator_context(sim)) >= 0.08 * sample - 1e-9)
            status = feed_sample(sim, sample++);
        if (status == SAL_OK)
            status = sal_simulator_run_frame(sim, 1 / 60., &config, &done, &report);
        if (status == SAL_OK && report.reason == SAL_AT_INTERRUPT)
            printf("frame %d was interrupted; %.1f ms wait for the next one\n", frame, 1000 * done.left);
    }
    return status;
}

int main(void) {
    sal_system *plane = NULL;
    sal_simulator *sim = NULL;
    sal_status status = make_plane(&plane);
    if (status == SAL_OK)
        status = sal_simulator_new(NULL, plane, NULL, NULL, &sim);
    if (status == SAL_OK) {
        sal_simulator_set_monitor(sim, watchdog, sim);
        status = fly(sim);
    }
    if (status == SAL_OK) {
        const sal_context *ctx = sal_simulator_context(sim);
        printf("the switch closed at %.9f s; roll %.6f at %.4f s\n", *sal_context_get(ctx, SAL_XD),
               *sal_context_get(ctx, SAL_Z), sal_context_time(ctx));
    } else {
        fprintf(stderr, "%s\n", sal_status_text(status));
    }
    sal_simulator_free(sim);
    sal_system_free(plane);
    return status != SAL_OK;
}
