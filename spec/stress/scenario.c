/* Ten minutes of a swing in the wind: events, a delay, noise, and sines, powers and logarithms of saltus/math.h, in
 * lockstep. Prints a hash each minute and one at the end, the same on every platform: `make platforms` compares them.
 *
 * The swing is pushed by gusts (a block of white noise) and by a hand that sees its angle 0.25 s late. It strikes a
 * bell at 0.8 rad, and its rope is cut to a new length when it passes the lowest point; every second somebody waits for
 * an exponential time, and a sample of the angle is averaged. */
#include <stdio.h>
#include <stdlib.h>

#include "saltus/saltus.h"

enum { ANGLE, RATE, STATES };
enum { LENGTH, STRIKES, MEAN, UNTIL, NUMBERS };
enum { STRIKE, LOWEST, SAMPLE };

static const double minute = 60;

static sal_status swing(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *z = sal_context_get(ctx, SAL_Z), *xd = sal_context_get(ctx, SAL_XD), t = sal_context_time(ctx);
    const double *gust = NULL;
    double late = 0;
    sal_status status = sal_context_input(ctx, 0, &gust);
    if (status == SAL_OK)
        status = sal_context_past(ctx, 0, 0.25, &late);
    if (status != SAL_OK)
        return status;
    const double push = t < xd[UNTIL] ? 2 * sal_tan(0.3 * late) : sal_atan2(z[RATE], 1 + late * late);
    const double drag = 0.2 * z[RATE] * sal_pow(0.01 + z[RATE] * z[RATE], 0.25);
    dot->z[ANGLE] = z[RATE];
    dot->z[RATE] = -9.81 / xd[LENGTH] * sal_sin(z[ANGLE]) - drag + push + gust[0] * sal_exp(-z[ANGLE] * z[ANGLE]);
    return SAL_OK;
}

static sal_status distance(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    const double *z = sal_context_get(ctx, SAL_Z);
    *value = event == STRIKE ? 0.8 - sal_hypot(z[ANGLE], 0.05) : sal_sin(z[ANGLE]);
    return SAL_OK;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)self, (void)note;
    const double *z = sal_context_get(ctx, SAL_Z);
    double *xd = sal_context_edit(next, SAL_XD);
    if (event->index == STRIKE) {
        sal_context_edit(next, SAL_Z)[RATE] = -0.5 * z[RATE];
        xd[STRIKES]++;
    } else if (event->index == LOWEST) {
        xd[LENGTH] = 1 + 0.2 * sal_cos(3 * z[RATE]);
    } else {
        xd[MEAN] += 0.1 * (z[ANGLE] - xd[MEAN]);
        xd[UNTIL] = sal_context_time(ctx) - 0.5 * sal_log(sal_context_random(next));
    }
    return SAL_SUCCEEDED;
}

static const sal_system_class swing_class = {
    .name = "swing", .derivatives = swing, .witness = distance, .update = update, .lockstep = true};

static sal_status add_event(sal_system *sys, const char *name, sal_trigger trigger, sal_kind kind, double period) {
    sal_event_config event = sal_event_config_default();
    event.name = name;
    event.trigger = trigger;
    event.kind = kind;
    event.period = period;
    event.direction = trigger == SAL_ON_WITNESS && kind == SAL_UNRESTRICTED ? SAL_FALLING : SAL_CROSSING;
    return sal_system_add_event(sys, &event, NULL);
}

static sal_status new_swing(sal_system **out) {
    const double z[STATES] = {0.5, 0}, xd[NUMBERS] = {1, 0, 0, 0};
    sal_system *sys = NULL;
    sal_status status = sal_system_new(NULL, &swing_class, "swing", NULL, &sys);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_Z, "angle", 1, &z[ANGLE]);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_Z, "rate", 1, &z[RATE]);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_XD, "numbers", NUMBERS, xd);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_INPUT, "gust", 1, NULL);
    if (status == SAL_OK)
        status = sal_system_add_past(sys, "angle", 1, NULL);
    if (status == SAL_OK)
        status = add_event(sys, "strike", SAL_ON_WITNESS, SAL_UNRESTRICTED, 0);
    if (status == SAL_OK)
        status = add_event(sys, "lowest", SAL_ON_WITNESS, SAL_DISCRETE, 0);
    if (status == SAL_OK)
        status = add_event(sys, "sample", SAL_ON_PERIOD, SAL_DISCRETE, 1);
    if (status == SAL_OK)
        status = sal_system_demand_lockstep(sys);
    *out = sys;
    return status;
}

static sal_status new_gusts(sal_system **out) {
    const double variance = 20, period = 0.2;
    const sal_block_value values[] = {{.option = "variance", .numbers = &variance, .count = 1},
                                      {.option = "period", .numbers = &period, .count = 1}};
    return sal_block_new(NULL, "noise", "gusts", values, 2, NULL, out);
}

static void check(sal_status status, const char *what) {
    if (status != SAL_OK) {
        printf("%s: %s\n", what, sal_status_text(status));
        exit(1);
    }
}

int main(void) {
    sal_system *sys[3] = {NULL};
    int at[2] = {0};
    check(new_swing(&sys[0]), "swing");
    check(new_gusts(&sys[1]), "gusts");
    check(sal_diagram_new(NULL, "park", &sys[2]), "park");
    for (int i = 0; i < 2; i++)
        check(sal_diagram_add(sys[2], sys[i], i ? "gusts" : "swing", &at[i]), "part");
    check(sal_diagram_connect(sys[2], at[1], 0, at[0], 0), "connection");

    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.accuracy = 1e-8;
    sal_simulator *sim = NULL;
    sal_report report = {0};
    check(sal_simulator_new(NULL, sys[2], NULL, &config, &sim), "simulator");
    for (int i = 1; i <= 10; i++) {
        check(sal_simulator_advance_to(sim, i * minute, &report), report.note.text);
        printf("%2d min  %016llx\n", i, (unsigned long long)sal_simulator_hash(sim));
    }
    const double *xd = sal_context_get(sal_context_part(sal_simulator_context(sim), at[0]), SAL_XD);
    const sal_simulator_stats stats = sal_simulator_statistics(sim);
    printf("%lld steps, %lld cuts of the rope and samples, %.0f strikes\n", (long long)stats.steps,
           (long long)stats.discrete_updates, xd[STRIKES]);
    printf("%016llx\n", (unsigned long long)sal_simulator_hash(sim));
    sal_simulator_free(sim);
    sal_system_free(sys[2]);
    sal_system_free(sys[0]);
    sal_system_free(sys[1]);
    return 0;
}
