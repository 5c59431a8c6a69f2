/* A ball with modes, in C: the scene of the stress programs. */
#ifndef SAL_SUPPORT_BALL_H
#define SAL_SUPPORT_BALL_H

#include "saltus/saltus.h"

enum { BALL_FALLING, BALL_RESTING };

static inline sal_status ball_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    *dot->q = *sal_context_get(ctx, SAL_V);
    *dot->v = *sal_context_get(ctx, SAL_XD) == BALL_FALLING ? -9.81 : 0;
    return SAL_OK;
}

static inline sal_status ball_height(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = *sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static inline sal_status ball_output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)port;
    *value = *sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static inline sal_status ball_falling(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    *active = *sal_context_get(ctx, SAL_XD) == BALL_FALLING;
    return SAL_OK;
}

static inline sal_outcome ball_touch(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                     sal_context *next, sal_note *note) {
    (void)self, (void)note;
    *sal_context_edit(next, SAL_Q) = 0;
    *sal_context_edit(next, SAL_V) = event->zeno ? 0 : -0.8 * *sal_context_get(ctx, SAL_V);
    if (event->zeno)
        *sal_context_edit(next, SAL_XD) = BALL_RESTING;
    return SAL_SUCCEEDED;
}

static const sal_system_class ball_class = {.name = "ball",
                                            .derivatives = ball_rates,
                                            .output = ball_output,
                                            .witness = ball_height,
                                            .when = ball_falling,
                                            .update = ball_touch};

static inline sal_status new_ball(const sal_allocator *allocator, sal_system **out) {
    const double one = 1;
    sal_system *sys = NULL;
    sal_status status = sal_system_new(allocator, &ball_class, "ball", NULL, &sys);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_Q, "height", 1, &one);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_V, "speed", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_XD, "mode", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_output(sys, "height_out", 1, NULL);
    sal_event_config event = sal_event_config_default();
    event.name = "touch";
    event.trigger = SAL_ON_WITNESS;
    event.kind = SAL_UNRESTRICTED;
    event.direction = SAL_FALLING;
    event.guarded = event.on_zeno = true;
    if (status == SAL_OK)
        status = sal_system_add_event(sys, &event, NULL);
    if (status == SAL_OK)
        *out = sys;
    else
        sal_system_free(sys);
    return status;
}

#endif
