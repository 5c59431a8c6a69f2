/* A robot's control loop: every millisecond the host reads the angle of an arm, computes a torque, and writes it to the
 * input of the model, as it would to a motor.
 *
 *   cc robot_loop.c $(pkg-config --cflags --libs saltus) -lm && ./a.out */
#include <math.h>
#include <stdio.h>

#include "saltus/saltus.h"

enum { LENGTH, MASS, GRAVITY, FRICTION }; /* parameters */

static sal_status derivatives(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *p = sal_context_get(ctx, SAL_PARAM);
    const double angle = *sal_context_get(ctx, SAL_Q), rate = *sal_context_get(ctx, SAL_V);
    const double *torque = NULL;
    const sal_status status = sal_context_input(ctx, 0, &torque);
    if (status != SAL_OK)
        return status;
    *dot->q = rate;
    *dot->v = (*torque - p[FRICTION] * rate) / (p[MASS] * p[LENGTH] * p[LENGTH]) - p[GRAVITY] / p[LENGTH] * sin(angle);
    return SAL_OK;
}

static const sal_system_class arm_class = {.name = "arm", .derivatives = derivatives};

static sal_status make_arm(sal_system **out) {
    const double length = 0.5, mass = 1, gravity = 9.81, friction = 0.1;
    const sal_status status = sal_system_new(NULL, &arm_class, "arm", NULL, out);
    if (status != SAL_OK)
        return status;
    sal_system_add_values(*out, SAL_Q, "angle", 1, NULL);
    sal_system_add_values(*out, SAL_V, "rate", 1, NULL);
    sal_system_add_values(*out, SAL_PARAM, "length", 1, &length);
    sal_system_add_values(*out, SAL_PARAM, "mass", 1, &mass);
    sal_system_add_values(*out, SAL_PARAM, "gravity", 1, &gravity);
    sal_system_add_values(*out, SAL_PARAM, "friction", 1, &friction);
    return sal_system_add_values(*out, SAL_INPUT, "torque", 1, NULL);
}

/* Proportional and derivative action about the target, plus the torque that balances the weight there. */
static double controller(double target, double angle, double rate) {
    return 20 * (target - angle) - 3 * rate + 9.81 * 0.5 * sin(target);
}

/* Why there is no run, or why it failed, in a sentence. */
static void explain(const sal_system *sys, const sal_simulator *sim, const sal_report *report) {
    char text[512];
    if (sim)
        sal_report_text(sim, report, text, sizeof text);
    fprintf(stderr, "%s\n", sim ? text : sal_system_trouble(sys));
}

int main(void) {
    sal_system *arm = NULL;
    sal_simulator *sim = NULL;
    sal_report report = {0};
    const sal_simulator_config config = sal_simulator_config_default();
    sal_status status = make_arm(&arm);
    if (status == SAL_OK)
        status = sal_simulator_new(NULL, arm, NULL, &config, &sim);

    for (int ms = 0; status == SAL_OK && ms < 2000; ms++) {
        sal_context *ctx = sal_simulator_context(sim);
        const double angle = *sal_context_get(ctx, SAL_Q), rate = *sal_context_get(ctx, SAL_V);
        *sal_context_edit(ctx, SAL_INPUT) = controller(1.2, angle, rate);
        if (ms % 400 == 0)
            printf("%.1f s  angle %.4f\n", ms / 1000.0, angle);
        status = sal_simulator_advance_to(sim, (ms + 1) / 1000.0, &report);
    }
    if (status == SAL_OK)
        printf("%.1f s  angle %.4f\n", report.time, *sal_context_get(sal_simulator_context(sim), SAL_Q));
    else
        explain(arm, sim, &report);

    sal_simulator_free(sim);
    sal_system_free(arm);
    return status != SAL_OK;
}
