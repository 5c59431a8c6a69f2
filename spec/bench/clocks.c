/* Periodic updates in C systems: ns each. Usage: clocks COUNT distinct | same
 *   distinct  every clock has its own period, from 1 to 2 ms
 *   same      ten periods share all clocks
 * Prints `key value` lines. */
#include "clock.h"

#include <math.h>
#include <stdio.h>

#include "saltus/saltus.h"

static int64_t ticks;

static sal_outcome tick(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)self, (void)event, (void)note;
    sal_context_edit(next, SAL_XD)[0] = sal_context_get(ctx, SAL_XD)[0] + 1;
    ticks++;
    return SAL_SUCCEEDED;
}

static const sal_system_class clock_class = {.name = "clock", .update = tick};

static sal_system *new_clock(double period) {
    sal_system *sys = NULL;
    sal_event_config config = sal_event_config_default();
    config.name = "tick";
    config.trigger = SAL_ON_PERIOD;
    config.kind = SAL_DISCRETE;
    config.period = period;
    if (sal_system_new(NULL, &clock_class, "clock", NULL, &sys) != SAL_OK ||
        sal_system_add_values(sys, SAL_XD, "n", 1, NULL) != SAL_OK ||
        sal_system_add_event(sys, &config, NULL) != SAL_OK)
        exit(1);
    return sys;
}

int main(int count, char **argument) {
    if (count < 3)
        return 2;
    const int n = (int)strtol(argument[1], NULL, 10);
    const bool same = strcmp(argument[2], "same") == 0;
    sal_system *whole = NULL, *system[10];
    sal_simulator *sim = NULL;
    if (sal_diagram_new(NULL, "clocks", &whole) != SAL_OK)
        return 1;
    for (int i = 0; i < 10; i++)
        system[i] = new_clock(0.001 * (1 + i / 10.0));
    for (int i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "clock%d", i);
        sal_system *part = same ? system[i % 10] : new_clock(0.001 * (1 + (double)i / n));
        if (sal_diagram_add(whole, part, name, NULL) != SAL_OK)
            return 1;
    }
    if (sal_simulator_new(NULL, whole, NULL, NULL, &sim) != SAL_OK ||
        sal_simulator_initialize(sim, false, NULL) != SAL_OK)
        return 1;
    double best = INFINITY, t = 0;
    const double span = 0.0015 * fmax(1, 200000.0 / n); /* some 200,000 ticks at least */
    for (int i = 0; i < 5 * patience(); i++) {
        const int64_t before = ticks;
        const double begin = now();
        if (sal_simulator_advance_to(sim, t += span, NULL) != SAL_OK)
            return 1;
        best = fmin(best, (now() - begin) / (double)(ticks - before));
    }
    printf("ns %.5g\n", best * 1e9);
    return 0;
}
