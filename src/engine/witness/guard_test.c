/* Guards in C that look at what flows: a ball that is watched only while it falls, and a circle whose guard opens and
 * shuts again within a step. */
#include <math.h>

#include "engine/test_run.h"

enum { MOST = 64 };
static const double gravity = 10, pi = 3.141592653589793;

typedef struct notes {
    double at[MOST];
    int count;
    int read_shut; /* how often the witness was read while its guard did not hold */
} notes;

static void note(notes *n, double t) {
    if (n->count < MOST)
        n->at[n->count] = t;
    n->count++;
}

/* ---- the ball ---- */

static sal_status falls(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    *dot->q = *sal_context_get(ctx, SAL_V);
    *dot->v = -gravity;
    return SAL_OK;
}

static sal_status height(const sal_system *self, const sal_context *ctx, int event, double *w) {
    (void)self, (void)event;
    *w = *sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static sal_status is_falling(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    *active = *sal_context_get(ctx, SAL_V) < 0;
    return SAL_OK;
}

static sal_outcome bounce(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *text) {
    (void)event, (void)text;
    note(sal_system_data(self), sal_context_time(ctx));
    *sal_context_edit(next, SAL_V) = -*sal_context_get(ctx, SAL_V);
    return SAL_SUCCEEDED;
}

static const sal_system_class ball = {
    .name = "ball", .derivatives = falls, .witness = height, .when = is_falling, .update = bounce};

/* ---- the circle ---- */

static sal_status turns(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *z = sal_context_get(ctx, SAL_Z);
    dot->z[0] = z[1];
    dot->z[1] = -z[0];
    return SAL_OK;
}

static bool is_open(const sal_context *ctx) {
    return fabs(sal_context_get(ctx, SAL_Z)[1] - 0.8) < 0.02; /* where x is near 0.6 */
}

static sal_status ahead(const sal_system *self, const sal_context *ctx, int event, double *w) {
    (void)event;
    notes *n = sal_system_data(self);
    n->read_shut += !is_open(ctx);
    *w = sal_context_get(ctx, SAL_Z)[0] - 0.6;
    return SAL_OK;
}

static sal_status is_near(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    *active = is_open(ctx);
    return SAL_OK;
}

static sal_outcome see(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *text) {
    (void)event, (void)text;
    CHECK(is_open(ctx));
    note(sal_system_data(self), sal_context_time(ctx));
    return SAL_SUCCEEDED;
}

static const sal_system_class circle = {
    .name = "circle", .derivatives = turns, .witness = ahead, .when = is_near, .publish = see};

/* ---- runs ---- */

static void run(sal_system *sys, sal_kind kind, bool flows, double span, double max_step) {
    sal_event_config event = sal_event_config_default();
    event.name = "w", event.trigger = SAL_ON_WITNESS, event.kind = kind;
    event.guarded = true, event.when_flows = flows;
    CHECK(sal_system_add_event(sys, &event, NULL) == SAL_OK);
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.accuracy = 1e-6;
    config.integrator.max_step = max_step;
    run_to_the_end(simulator_of(sys, &config), span, sys);
}

static void a_ball_bounces_that_is_watched_only_while_it_falls(bool flows) {
    notes n = {0};
    const double start = 5; /* falls for a second */
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &ball, "ball", &n, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Q, "height", 1, &start) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_V, "speed", 1, NULL) == SAL_OK);
    run(sys, SAL_UNRESTRICTED, flows, 20.5, INFINITY);
    CHECK(n.count == 10);
    for (int k = 0; k < 10 && k < n.count; k++)
        CHECK_NEAR(n.at[k], 1 + 2 * k, 1e-5);
}

/* Five turns; x is 0.6 twice in each, and the guard open in the first. */
static void a_guard_opens_and_shuts_within_a_step(bool flows) {
    notes n = {0};
    const double start[] = {0, 1};
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &circle, "circle", &n, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "z", 2, start) == SAL_OK);
    run(sys, SAL_PUBLISH, flows, 10 * pi, flows ? INFINITY : 0.01);
    CHECK(n.count == 5);
    for (int k = 0; k < 5 && k < n.count; k++)
        CHECK_NEAR(n.at[k], asin(0.6) + 2 * pi * k, 1e-4);
    CHECK((n.read_shut > 100) == flows); /* else next to where it opens and shuts alone */
}

int main(void) {
    for (int flows = 0; flows <= 1; flows++) {
        a_ball_bounces_that_is_watched_only_while_it_falls(flows);
        a_guard_opens_and_shuts_within_a_step(flows);
    }
    return check_summary();
}
