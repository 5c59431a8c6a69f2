#include "loop.h"

#include <stddef.h>
#include <stdio.h>

#include "arena.h"
#include "arm.h"

enum { ARENA = 48 * 1024 };

static const double target = 1.2; /* rad */

static sal_simulator_config paced_by(const loop_clock *clock, double tolerance) {
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find("runge_kutta4");
    config.integrator.fixed_step = true;
    config.integrator.max_step = 0.001;
    config.context_accuracy = 1e-6; /* fixed steps end at a bounce only if this is set */
    config.target_realtime_rate = 1;
    config.lag_tolerance = tolerance;
    config.clock = clock->now;
    config.sleep = clock->sleep;
    config.clock_user = clock->user;
    return config;
}

static sal_status rounds_of(sal_simulator *sim, const loop_clock *clock, int rounds, sal_report *report) {
    sal_context *ctx = sal_simulator_context(sim);
    sal_status status = SAL_OK;
    for (int round = 1; status == SAL_OK && round <= rounds; round++) {
        const double angle = *sal_context_get(ctx, SAL_Q), rate = *sal_context_get(ctx, SAL_V);
        *sal_context_edit(ctx, SAL_INPUT) = arm_control(target, angle, rate);
        status = sal_simulator_advance_to(sim, round / 1000.0, report);
        clock->work(clock->user, round);
    }
    return status;
}

static void tell(sal_simulator *sim, loop_result *result) {
    const sal_context *ctx = sal_simulator_context(sim);
    result->pacing = sal_simulator_pacing(sim);
    result->bounces = arm_bounces(ctx);
    result->angle = *sal_context_get(ctx, SAL_Q);
    result->hash = sal_simulator_hash(sim);
}

static void explain(const sal_simulator *sim, sal_status status, const sal_report *report, loop_result *result) {
    if (sim)
        sal_report_text(sim, report, result->trouble, sizeof result->trouble);
    else
        snprintf(result->trouble, sizeof result->trouble, "the arm cannot be made: %s", sal_status_text(status));
}

sal_status loop_run(const loop_clock *clock, int rounds, double tolerance, loop_result *result) {
    static _Alignas(max_align_t) unsigned char bytes[ARENA];
    arena memory = {.bytes = bytes, .size = sizeof bytes};
    const sal_allocator allocator = arena_allocator(&memory);
    const sal_simulator_config config = paced_by(clock, tolerance);
    sal_system *arm = NULL;
    sal_simulator *sim = NULL;
    sal_report report = {0};
    *result = (loop_result){0};

    sal_status status = arm_new(&allocator, &arm);
    if (status == SAL_OK)
        status = sal_simulator_new(&allocator, arm, NULL, &config, &sim);
    if (status == SAL_OK)
        status = sal_simulator_initialize(sim, false, &report);
    const int64_t calls = memory.calls;
    if (status == SAL_OK)
        status = rounds_of(sim, clock, rounds, &report);
    result->memory = memory.used;
    result->late_calls = memory.calls - calls;
    if (status == SAL_OK)
        tell(sim, result);
    else
        explain(sim, status, &report, result);
    sal_simulator_free(sim);
    sal_system_free(arm);
    return status;
}
