/* The loop of cart_pole.lua with its plant in C: microseconds of processor time a sample. Usage: pid_loop SECONDS */
#include "clock.h"

#include <math.h>
#include <stdio.h>

#include "saltus/saltus.h"

static sal_status derivatives(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *force = NULL;
    const sal_status status = sal_context_input(ctx, 0, &force);
    if (status != SAL_OK)
        return status;
    const double *q = sal_context_get(ctx, SAL_Q), *v = sal_context_get(ctx, SAL_V);
    const double cart = 1, m = 0.1, l = 0.5, g = 9.81, s = sin(q[1]), c = cos(q[1]), rate = v[1];
    const double a = (*force + m * s * (l * rate * rate - g * c)) / (cart + m * s * s);
    dot->q[0] = v[0];
    dot->q[1] = rate;
    dot->v[0] = a;
    dot->v[1] = (g * s - a * c) / l;
    return SAL_OK;
}

static const sal_system_class plant_class = {.name = "plant", .derivatives = derivatives};

static void must(sal_status status) {
    if (status == SAL_OK)
        return;
    fprintf(stderr, "pid_loop: %s\n", sal_status_text(status));
    exit(1);
}

static sal_system *plant(void) {
    sal_system *sys = NULL;
    const double start[2] = {0, 0.1};
    must(sal_system_new(NULL, &plant_class, "plant", NULL, &sys));
    must(sal_system_add_values(sys, SAL_Q, "q", 2, start));
    must(sal_system_add_values(sys, SAL_V, "v", 2, NULL));
    must(sal_system_add_values(sys, SAL_INPUT, "force", 1, NULL));
    must(sal_system_add_output(sys, "position", 1, NULL));
    must(sal_system_add_output(sys, "angle", 1, NULL));
    for (int port = 0; port < 2; port++)
        must(sal_system_alias_output(sys, port, SAL_Q, port));
    return sys;
}

static sal_system *pid(double kp, double ki, double kd) {
    const double period = 0.001;
    const sal_block_value told[] = {{.option = "kp", .numbers = &kp, .count = 1},
                                    {.option = "ki", .numbers = &ki, .count = 1},
                                    {.option = "kd", .numbers = &kd, .count = 1},
                                    {.option = "period", .numbers = &period, .count = 1}};
    sal_system *sys = NULL;
    must(sal_block_new(NULL, "sampled_pid", "pid", told, 4, NULL, &sys));
    return sys;
}

static sal_system *encoder(double interval) {
    const double never = 0;
    const sal_block_value told[] = {{.option = "interval", .numbers = &interval, .count = 1},
                                    {.option = "watch", .numbers = &never, .count = 1}};
    sal_system *sys = NULL;
    must(sal_block_new(NULL, "quantizer", "encoder", told, 2, NULL, &sys));
    return sys;
}

static sal_system *loop(void) {
    sal_system *d = NULL, *upright = NULL, *force = NULL;
    const double zero = 0;
    must(sal_diagram_new(NULL, "loop", &d));
    must(sal_block_constant(NULL, "upright", 1, &zero, &upright));
    must(sal_block_sum(NULL, "force", 1, "++", &force));
    must(sal_diagram_add(d, plant(), "plant", NULL));
    must(sal_diagram_add(d, upright, "upright", NULL));
    must(sal_diagram_add(d, pid(-60, -20, -12), "balance", NULL));
    must(sal_diagram_add(d, pid(-2, 0, -4), "centre", NULL));
    must(sal_diagram_add(d, force, "force", NULL));
    must(sal_diagram_add(d, encoder(0.001), "angle", NULL));
    must(sal_diagram_add(d, encoder(0.0001), "position", NULL));
    for (int i = 0; i < 2; i++) {
        must(sal_diagram_connect(d, 1, 0, 2 + i, 0));
        must(sal_diagram_connect(d, 0, 1 - i, 5 + i, 0));
        must(sal_diagram_connect(d, 5 + i, 0, 2 + i, 1));
        must(sal_diagram_connect(d, 2 + i, 0, 4, i));
    }
    must(sal_diagram_connect(d, 4, 0, 0, 0));
    return d;
}

int main(int count, char **argument) {
    const double seconds = count > 1 ? strtod(argument[1], NULL) : 10;
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        sal_simulator_config config = sal_simulator_config_default();
        config.integrator.method = sal_method_find("runge_kutta3");
        config.integrator.accuracy = 1e-4;
        config.integrator.max_step = 0.1;
        config.integrator.initial_step = 1e-4;
        sal_simulator *sim = NULL;
        must(sal_simulator_new(NULL, loop(), NULL, &config, &sim));
        must(sal_simulator_initialize(sim, false, NULL));
        const clock_t begin = clock();
        must(sal_simulator_advance_to(sim, seconds, NULL));
        best = fmin(best, (double)(clock() - begin) / CLOCKS_PER_SEC / (seconds * 1000));
        sal_simulator_free(sim);
    }
    printf("us %.5g\n", best * 1e6);
    return 0;
}
