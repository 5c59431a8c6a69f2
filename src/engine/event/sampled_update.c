/* The update of a difference equation, x[n+1] = f(n, x, u), as a function: the result is returned and not applied. */
#include <string.h>

#include "engine/simulator.h"

static void call_all(sal_simulator *sim) {
    const sal__events *sampled = &sim->schedule.events_by[SAL_ON_PERIOD][SAL_DISCRETE];
    sal__dispatch_clear(sim);
    for (int i = 0; i < sampled->count; i++) {
        const sal__timer *timer = &sim->schedule.queue[SAL__UPDATES].timer[sim->schedule.timer_of[sampled->event[i]]];
        sal__dispatch_add(sim, sampled->event[i], timer->k, -1);
    }
}

/* The run's numbers, overwritten with those that were staged. */
static void show(sal_simulator *sim) {
    sal__context_data *view = sim->contexts.lookup;
    memcpy(view->block, sim->contexts.current->block, (size_t)sim->contexts.current->block_size * sizeof(double));
    for (int i = 0; i < sim->transaction.staged_count; i++) {
        const int part = sim->transaction.staged_part[i];
        const sal__range held = sim->plan->part[part].discrete;
        if (sim->transaction.stage_state[part] == SAL__WRITTEN)
            memcpy(view->block + held.at, sim->contexts.next->block + held.at, (size_t)held.size * sizeof(double));
    }
    view->origin = sim->contexts.current;
    sal__context_data_touch(view);
    sal__context_data_look(view, sim->contexts.current->time, NULL);
}

sal_status sal_simulator_preview_sampled(sal_simulator *sim, const sal_context **next, sal_report *report) {
    sal_sampling sampling;
    sal_report mine;
    if (!next)
        return sal__refuse_no_result(sim);
    report = report ? report : &mine;
    sal__report_clear(report, sim->contexts.current->time, sim->contexts.current->time);
    sal_status status = sal__check_usable(sim);
    if (status == SAL_OK)
        status = sal_system_sampling(sim->system, &sampling);
    if (status == SAL_OK)
        status = sal__begin_call(sim);
    if (status != SAL_OK)
        return sal__report_refusal(
            sim, report, status,
            status == SAL_EINVAL ? "its periodic discrete updates do not share one period and offset, or there "
                                   "are none; sal_system_sampling says which differ"
                                 : "called from inside of the run, or without a context; call it between advances");
    sal__result_begin(sim, report);
    call_all(sim);
    sal__dispatch_stage(sim, SAL_DISCRETE);
    show(sim);
    sal__forget_executed(sim);
    sal__transaction_end(sim, false);
    if (!sal__has_failed(sim))
        *next = sim->contexts.lookup->part_context;
    if (sal__has_failed(sim))
        report->reason = SAL_AT_FAILURE;
    report->status = sim->result.status;
    return sal__end_call(sim, sim->result.status);
}
