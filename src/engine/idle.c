/* Time that passes while nothing happens: a step of a run without flow, which nobody watches and at whose end nothing
 * is due. It leaves what sal_simulator_advance_to leaves, in a tenth of the time; stories that wait pass most of their
 * time so. */
#include <math.h>

#include "simulator.h"

/* Nothing in the model or the host moves with time, or looks at each step. */
static bool is_unwatched(const sal_simulator *sim) {
    return sim->plan->nx == 0 && !sim->delay_state && sim->feeds.count == 0 &&
           sim->witnesses.count + sim->conditions.count == 0 && sim->host.step_observer_count == 0 &&
           !sim->host.monitor && !sim->config.publish_every_step && !(sim->config.target_realtime_rate > 0);
}

/* The run goes on where the last call left it, and no request ends it. */
static bool is_continued(const sal_simulator *sim) {
    const sal__context_data *now = sim->contexts.current;
    return sim->run_state.initialized && sal__check_usable(sim) == SAL_OK && !sim->run_state.is_halted &&
           now->time == sim->run_state.seen_time &&
           now->versions.external_writes == sim->run_state.seen_external_writes &&
           !sal__is_raised(&sim->host.interrupt);
}

/* Timers of one instant differ by less than that, as in flow.c. */
static bool is_before_timers(const sal_simulator *sim, double t) {
    const double next =
        sal__min(sal__schedule_next_time(sim, SAL__PUBLISHES), sal__schedule_next_time(sim, SAL__UPDATES));
    return next == INFINITY || (next - t > 0x1p-48 * fabs(next) && !sim->schedule.has_negative_offset &&
                                fabs(sim->contexts.current->time) < sim->schedule.period_safe_until);
}

/* No event of the model needs this step or its end. */
static bool is_without_events(const sal_simulator *sim, double t) {
    return sim->plan->event_count == 0 ||
           (!sal__update_is_due(sim) && sim->schedule.events_by[SAL_ON_STEP][SAL_PUBLISH].count == 0 &&
            !sim->schedule.next_times_stale && is_before_timers(sim, t));
}

bool sal__pass_time(sal_simulator *sim, double t, sal_report *report) {
    if (!is_unwatched(sim) || !is_continued(sim) || !(t > sim->contexts.current->time && t < INFINITY) ||
        !is_without_events(sim, t))
        return false;
    sal__flow_begin_call(sim);
    sal__watches_begin_call(sim);
    sal__set_flow_state(sim, t, NULL);
    sal__flow_forget_step(sim);
    sal__schedule_set_instant(sim, t);
    sal__run_end_step(sim);
    sal__run_see_time(sim);
    if (report)
        sal__report_clear(report, t, t);
    return true;
}
