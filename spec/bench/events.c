/* Events in C systems through the simulator; prints `key value` lines.
 *   ball1000  x'' = -9.81, dropped from 10 m, restitution 0.999, 1000 bounces
 *   wit100    x'' = -x, 100 witnesses x - c_i over 100 periods: 20,000 crossings
 * Usage: events ball1000 | wit100 ACCURACY [plain]; `plain` switches the search for double crossings off. */
#include "clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "saltus/saltus.h"

enum { BOUNCES = 1000, LINES = 100 };
static const double gravity = 9.81, restitution = 0.999, height = 10;

typedef struct tally {
    int64_t events;
    double worst;
} tally;

/* ---- the ball ---- */

static double bounce_time(int64_t k) {
    const double first = sqrt(2 * height / gravity), v = sqrt(2 * gravity * height);
    return first + 2 * v / gravity * restitution * (1 - pow(restitution, (double)k)) / (1 - restitution);
}

static sal_status fall(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->q[0] = sal_context_get(ctx, SAL_V)[0];
    dot->v[0] = -gravity;
    return SAL_OK;
}

static sal_status floor_distance(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = sal_context_get(ctx, SAL_Q)[0];
    return SAL_OK;
}

static sal_outcome bounce(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    tally *seen = sal_system_data(self);
    (void)event, (void)note;
    seen->worst = fmax(seen->worst, fabs(sal_context_time(ctx) - bounce_time(seen->events)));
    sal_context_edit(next, SAL_Q)[0] = 0;
    sal_context_edit(next, SAL_V)[0] = -restitution * sal_context_get(ctx, SAL_V)[0];
    return ++seen->events < BOUNCES ? SAL_SUCCEEDED : SAL_TERMINATE;
}

static const sal_system_class ball = {.name = "ball", .derivatives = fall, .witness = floor_distance, .update = bounce};

static void declare_ball(sal_system *sys) {
    sal_system_add_values(sys, SAL_Q, "height", 1, &height);
    sal_system_add_values(sys, SAL_V, "speed", 1, NULL);
    sal_event_config config = sal_event_config_default();
    config.name = "bounce";
    config.trigger = SAL_ON_WITNESS;
    config.kind = SAL_UNRESTRICTED;
    config.direction = SAL_FALLING;
    sal_system_add_event(sys, &config, NULL);
}

/* ---- a hundred witnesses ---- */

static double line(int i) {
    return (i - 49.5) / 50;
}

static sal_status swing(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *x = sal_context_get(ctx, SAL_Z);
    dot->z[0] = x[1];
    dot->z[1] = -x[0];
    return SAL_OK;
}

static sal_status distance_to_line(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    *value = sal_context_get(ctx, SAL_Z)[0] - line(event);
    return SAL_OK;
}

static double nearest_crossing(double t, int i) {
    const double a = acos(line(i)), period = 2 * acos(-1), k = floor(t / period);
    double best = INFINITY;
    for (int j = -1; j <= 1; j++) {
        best = fmin(best, fabs(t - ((k + j) * period + a)));
        best = fmin(best, fabs(t - ((k + j) * period - a)));
    }
    return best;
}

static sal_outcome cross(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note) {
    tally *seen = sal_system_data(self);
    (void)note;
    seen->worst = fmax(seen->worst, nearest_crossing(sal_context_time(ctx), event->index));
    seen->events++;
    return SAL_SUCCEEDED;
}

static const sal_system_class lines = {
    .name = "lines", .derivatives = swing, .witness = distance_to_line, .publish = cross};

static void declare_lines(sal_system *sys) {
    const double start[2] = {1, 0};
    sal_system_add_values(sys, SAL_Z, "x", 2, start);
    for (int i = 0; i < LINES; i++) {
        char name[16];
        snprintf(name, sizeof name, "line%d", i);
        sal_event_config config = sal_event_config_default();
        config.name = name;
        config.trigger = SAL_ON_WITNESS;
        config.kind = SAL_PUBLISH;
        sal_system_add_event(sys, &config, NULL);
    }
}

/* ---- one run ---- */

static double run(bool is_ball, const sal_simulator_config *config, tally *seen, sal_simulator_stats *stats) {
    sal_system *sys = NULL;
    sal_simulator *sim = NULL;
    *seen = (tally){0, 0};
    if (sal_system_new(NULL, is_ball ? &ball : &lines, "s", seen, &sys) != SAL_OK)
        exit(1);
    (is_ball ? declare_ball : declare_lines)(sys);
    if (sal_simulator_new(NULL, sys, NULL, config, &sim) != SAL_OK)
        exit(1);
    sal_report report = {0};
    sal_simulator_initialize(sim, false, &report);
    const double begin = now();
    const sal_status status = sal_simulator_advance_to(sim, is_ball ? 1e9 : 200 * acos(-1), &report);
    const double spent = now() - begin;
    if (status != SAL_OK) {
        fprintf(stderr, "events: %s %s\n", sal_status_text(status), report.note.text);
        exit(1);
    }
    *stats = sal_simulator_statistics(sim);
    sal_simulator_free(sim);
    sal_system_free(sys);
    return spent;
}

int main(int count, char **argument) {
    if (count < 3)
        return 2;
    const bool is_ball = strcmp(argument[1], "ball1000") == 0;
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find(getenv("METHOD") ? getenv("METHOD") : "tsitouras5");
    config.integrator.accuracy = strtod(argument[2], NULL);
    config.interior_search = !(count > 3 && strcmp(argument[3], "plain") == 0);
    if (!is_ball)
        config.integrator.max_step = 0.5;
    tally seen;
    sal_simulator_stats stats;
    double best = INFINITY;
    for (int i = 0; i < (is_ball ? 500 : 25) * patience(); i++) /* a quarter of a second, as the peers take */
        best = fmin(best, run(is_ball, &config, &seen, &stats));
    printf("events %lld\nworst %.6g\nns %.6g\n", (long long)seen.events, seen.worst, best * 1e9 / (double)seen.events);
    printf("evaluations %.6g\nderivatives %.6g\nwitnesses %.6g\nsteps %lld\nsearches %lld\n",
           (double)(stats.derivative_evaluations + stats.witness_evaluations) / (double)seen.events,
           (double)stats.derivative_evaluations / (double)seen.events,
           (double)stats.witness_evaluations / (double)seen.events, (long long)stats.steps, (long long)stats.searches);
    return 0;
}
