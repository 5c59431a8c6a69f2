/* A delayed feedback loop, x' = 1.8 x (1 - x(t - 1)) to t = 40, in C: microseconds a run, with
 * the loosest accuracy whose error at t = 1, 2, ... 40 is below the target. The reference
 * values come on stdin. Usage: delayed TARGET. Prints `key value` lines. */
#include "clock.h"

#include <math.h>
#include <stdio.h>

#include "saltus/saltus.h"

enum { TIMES = 40 };

static sal_status derivatives(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    double delayed = 0;
    const sal_status status = sal_context_past(ctx, 0, 1, &delayed);
    *dot->z = 1.8 * *sal_context_get(ctx, SAL_Z) * (1 - delayed);
    return status;
}

static const sal_system_class logistic = {.name = "logistic", .derivatives = derivatives};

static void must(sal_status status) {
    if (status != SAL_OK) {
        printf("failed: %s\n", sal_status_text(status));
        exit(1);
    }
}

static double run(sal_simulator *sim, const double *reference) {
    double worst = 0;
    sal_context *ctx = sal_simulator_context(sim);
    sal_context_set_time(ctx, 0);
    *sal_context_edit(ctx, SAL_Z) = 0.1;
    must(sal_simulator_initialize(sim, false, NULL));
    for (int t = 1; t <= TIMES; t++) {
        must(sal_simulator_advance_to(sim, t, NULL));
        worst = fmax(worst, fabs(*sal_context_get(ctx, SAL_Z) - reference[t - 1]));
    }
    return worst;
}

static sal_simulator *make(sal_system *system, double accuracy) {
    sal_simulator *sim = NULL;
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.accuracy = accuracy;
    must(sal_simulator_new(NULL, system, NULL, &config, &sim));
    return sim;
}

int main(int count, char **argument) {
    const double target = count > 1 ? atof(argument[1]) : 1e-6;
    double reference[TIMES];
    for (int i = 0; i < TIMES; i++)
        if (scanf("%lf", &reference[i]) != 1)
            return 2;
    sal_system *system = NULL;
    must(sal_system_new(NULL, &logistic, "logistic", NULL, &system));
    must(sal_system_add_values(system, SAL_Z, "x", 1, NULL));
    must(sal_system_add_past(system, "x", 1, NULL));
    double accuracy = 1e-3;
    sal_simulator *sim = make(system, accuracy);
    double worst = run(sim, reference);
    while (worst > target && accuracy > 1e-13) {
        sal_simulator_free(sim);
        accuracy /= 2;
        sim = make(system, accuracy);
        worst = run(sim, reference);
    }
    double best = INFINITY;
    for (int lap = 0; lap < 5 * patience(); lap++) {
        const double start = now();
        for (int i = 0; i < 20; i++)
            run(sim, reference);
        best = fmin(best, (now() - start) / 20);
    }
    printf("us %g\nerror %g\naccuracy %g\nevaluations %lld\n", best * 1e6, worst, accuracy,
           (long long)sal_simulator_statistics(sim).derivative_evaluations);
    sal_simulator_free(sim);
    sal_system_free(system);
    return 0;
}
