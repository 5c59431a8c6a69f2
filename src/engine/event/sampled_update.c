/* The update of a difference equation, x[n+1] = f(n, x, u), as a function: asked, not done. */
#include <string.h>

#include "engine/simulator.h"

static void call_all(sal_simulator *sim) {
    const sal__events *sampled = &sim->events_by[SAL_ON_PERIOD][SAL_DISCRETE];
    sal__dispatch_clear(sim);
    for (int i = 0; i < sampled->count; i++) {
        const sal__timer *timer = &sim->queue[SAL__UPDATES].timer[sim->timer_of[sampled->event[i]]];
        sal__dispatch_add(sim, sampled->event[i], timer->k, -1);
    }
}

/* The run's numbers, with what was staged instead of it. */
static void show(sal_simulator *sim) {
    sal__context_data *view = sim->lookup;
    memcpy(view->block, sim->context->block, (size_t)sim->context->block_size * sizeof(double));
    for (int i = 0; i < sim->staged_count; i++) {
        const int part = sim->staged_part[i];
        const sal__range held = sim->plan->part[part].discrete;
        if (sim->stage_state[part] == SAL__WRITTEN)
            memcpy(view->block + held.at, sim->next->block + held.at, (size_t)held.size * sizeof(double));
    }
    view->origin = sim->context;
    sal__context_data_touch(view);
    sal__context_data_look(view, sim->context->time, NULL);
}

sal_status sal_simulator_sampled(sal_simulator *sim, const sal_context **next, sal_report *report) {
    sal_sampling sampling;
    sal_report mine;
    report = report ? report : &mine;
    *report = (sal_report){.time = sim->context->time, .boundary_time = sim->context->time, .part = -1, .event = -1};
    sal_status status = sal__check_usable(sim);
    if (status == SAL_OK)
        status = sal_system_sampling(sim->system, &sampling);
    if (status == SAL_OK)
        status = sal__begin_call(sim);
    if (status != SAL_OK)
        return status;
    call_all(sim);
    const sal_outcome outcome = sal__dispatch_stage(sim, SAL_DISCRETE, report, &status);
    show(sim);
    sim->executed_count = 0;
    sal__transaction_end(sim, false);
    if (outcome == SAL_FAILED)
        return sal__end_call(sim, status != SAL_OK ? status : SAL_EHANDLER);
    *next = sim->lookup->part_context;
    return sal__end_call(sim, SAL_OK);
}
