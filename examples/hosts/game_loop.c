/* A game loop: sixty frames a second, with one advance per frame and then a drawing. The ball touches the floor at the
 * exact time between two frames, and finally rests.
 *
 *   cc game_loop.c $(pkg-config --cflags --libs saltus) -lm && ./a.out */
#include <stdio.h>

#include "saltus/saltus.h"

enum { FALLING, RESTING }; /* values of the first discrete variable, the mode */
enum { MODE, TOUCHES };

static double mode_of(const sal_context *ctx) {
    return sal_context_get(ctx, SAL_XD)[MODE];
}

static sal_status derivatives(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    *dot->q = *sal_context_get(ctx, SAL_V);
    *dot->v = mode_of(ctx) == FALLING ? -9.81 : 0;
    return SAL_OK;
}

static sal_status height(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = *sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static sal_status falling(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    *active = mode_of(ctx) == FALLING;
    return SAL_OK;
}

static sal_outcome touch(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                         sal_note *note) {
    (void)self, (void)note;
    *sal_context_edit(next, SAL_Q) = 0;
    *sal_context_edit(next, SAL_V) = event->zeno ? 0 : -0.8 * *sal_context_get(ctx, SAL_V);
    if (event->zeno)
        sal_context_edit(next, SAL_XD)[MODE] = RESTING;
    else
        sal_context_edit(next, SAL_XD)[TOUCHES] += 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class ball_class = {
    .name = "ball", .derivatives = derivatives, .witness = height, .when = falling, .update = touch};

static sal_status make_ball(sal_system **out) {
    const double one = 1;
    const sal_status status = sal_system_new(NULL, &ball_class, "ball", NULL, out);
    if (status != SAL_OK)
        return status;
    sal_system_add_values(*out, SAL_Q, "height", 1, &one);
    sal_system_add_values(*out, SAL_V, "speed", 1, NULL);
    sal_system_add_values(*out, SAL_XD, "mode", 1, NULL);
    sal_system_add_values(*out, SAL_XD, "touches", 1, NULL);
    sal_event_config event = sal_event_config_default();
    event.name = "touch";
    event.trigger = SAL_ON_WITNESS;
    event.kind = SAL_UNRESTRICTED;
    event.direction = SAL_FALLING;
    event.guarded = event.on_zeno = true;
    return sal_system_add_event(*out, &event, NULL);
}

static void draw(int frame, const sal_context *ctx) {
    const double h = *sal_context_get(ctx, SAL_Q);
    printf("%3d |%*s\n", frame, (int)(60 * h) + 1, "o");
}

/* Why there is no run, or why it failed, in a sentence. */
static void explain(const sal_system *sys, const sal_simulator *sim, const sal_report *report) {
    char text[512];
    if (sim)
        sal_report_text(sim, report, text, sizeof text);
    fprintf(stderr, "%s\n", sim ? text : sal_system_trouble(sys));
}

int main(void) {
    sal_system *ball = NULL;
    sal_simulator *sim = NULL;
    sal_report report = {0};
    const sal_simulator_config config = sal_simulator_config_default();
    sal_status status = make_ball(&ball);
    if (status == SAL_OK)
        status = sal_simulator_new(NULL, ball, NULL, &config, &sim);

    for (int frame = 0; status == SAL_OK && frame <= 300; frame++) {
        status = sal_simulator_advance_to(sim, frame / 60.0, &report);
        if (status == SAL_OK && frame % 6 == 0)
            draw(frame, sal_simulator_context(sim));
    }
    if (status == SAL_OK) {
        const double *xd = sal_context_get(sal_simulator_context(sim), SAL_XD);
        printf("%s after %.0f touches\n", xd[MODE] == RESTING ? "at rest" : "still bouncing", xd[TOUCHES]);
    } else {
        explain(ball, sim, &report);
    }

    sal_simulator_free(sim);
    sal_system_free(ball);
    return status != SAL_OK;
}
