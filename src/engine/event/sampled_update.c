/* The update of a difference equation, x[n+1] = f(n, x, u), as a function: asked, not done. */
#include <string.h>

#include "engine/simulator.h"

static void call_all(sal_simulator *sim) {
    const sal__events *sampled = &sim->by[SAL_ON_PERIOD][SAL_DISCRETE];
    sal__dispatch_clear(sim);
    for (int i = 0; i < sampled->count; i++) {
        const sal__timer *timer = &sim->queue[SAL__UPDATES].timer[sim->timer_of[sampled->event[i]]];
        sal__dispatch_add(sim, sampled->event[i], timer->k, -1);
    }
}

/* The run's numbers, with what was staged instead of it. */
static void show(sal_simulator *sim) {
    sal__store *view = sim->view;
    memcpy(view->block, sim->run->block, (size_t)sim->run->words * sizeof(double));
    for (int i = 0; i < sim->staged_parts; i++) {
        const int part = sim->staged_part[i];
        const sal__range held = sim->plan->part[part].held;
        if (sim->staging[part] == SAL__WRITTEN)
            memcpy(view->block + held.at, sim->staged->block + held.at, (size_t)held.size * sizeof(double));
    }
    view->origin = sim->run;
    sal__store_touch(view);
    sal__store_look(view, sim->run->time, NULL);
}

sal_status sal_simulator_sampled(sal_simulator *sim, const sal_context **next, sal_report *report) {
    sal_sampling sampling;
    sal_report mine;
    report = report ? report : &mine;
    *report = (sal_report){.time = sim->run->time, .boundary_time = sim->run->time, .part = -1, .event = -1};
    sal_status status = sal__usable(sim);
    if (status == SAL_OK)
        status = sal_system_sampling(sim->system, &sampling);
    if (status == SAL_OK)
        status = sal__begin(sim);
    if (status != SAL_OK)
        return status;
    call_all(sim);
    const sal_outcome outcome = sal__dispatch_call(sim, SAL_DISCRETE, report, &status);
    show(sim);
    sim->rans = 0;
    sal__stage_end(sim, false);
    if (outcome == SAL_FAILED)
        return sal__end(sim, status != SAL_OK ? status : SAL_EHANDLER);
    *next = sim->view->window;
    return sal__end(sim, SAL_OK);
}
