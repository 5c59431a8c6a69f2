/* Calls scheduled from outside: ns each, with their handlers. Usage: scheduled COUNT
 * Prints `key value` lines. */
#include "clock.h"

#include <math.h>
#include <stdio.h>

#include "saltus/saltus.h"

static int64_t calls;

static sal_outcome ring(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)next, (void)note;
    calls++;
    return SAL_SUCCEEDED;
}

static const sal_system_class bell_class = {.name = "bell", .update = ring};

static sal_simulator *new_bell(void) {
    sal_system *bell = NULL;
    sal_simulator *sim = NULL;
    sal_event_config config = sal_event_config_default();
    config.name = "ring";
    config.trigger = SAL_ON_DEMAND;
    config.kind = SAL_DISCRETE;
    if (sal_system_new(NULL, &bell_class, "bell", NULL, &bell) != SAL_OK ||
        sal_system_add_event(bell, &config, NULL) != SAL_OK ||
        sal_simulator_new(NULL, bell, NULL, NULL, &sim) != SAL_OK ||
        sal_simulator_initialize(sim, false, NULL) != SAL_OK)
        exit(1);
    return sim;
}

/* All are scheduled, in no order of time, and then all run. */
static void round_of(sal_simulator *sim, int n, double start) {
    int64_t handle;
    for (int64_t i = 0; i < n; i++)
        if (sal_simulator_schedule(sim, 0, 0, start + (double)(i * 7919 % 1000003) * 1e-6, &handle) != SAL_OK)
            exit(1);
    if (sal_simulator_advance_to(sim, start + 1.5, NULL) != SAL_OK)
        exit(1);
}

int main(int count, char **argument) {
    if (count < 2)
        return 2;
    const int n = (int)strtol(argument[1], NULL, 10), rounds = n < 40000 ? 40000 / n : 1;
    sal_simulator *sim = new_bell();
    double best = INFINITY, t = 0;
    for (int i = 0; i < 5 * patience(); i++) {
        const int64_t before = calls;
        const double begin = now();
        for (int k = 0; k < rounds; k++, t += 2)
            round_of(sim, n, t);
        best = fmin(best, (now() - begin) / (double)(calls - before));
    }
    printf("ns %.5g\n", best * 1e9);
    return 0;
}
