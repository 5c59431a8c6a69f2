/* The pace of a run: with a target rate it waits for the host's clock, and counts the steps that came too late. */
#include <math.h>

#include "engine/simulator.h"

static double read_clock(const sal_simulator *sim) {
    return sim->config.clock(sim->config.clock_user);
}

void sal__pacing_new(sal_simulator *sim) {
    sim->host.pacing.real_origin = NAN;
}

void sal__pacing_start(sal_simulator *sim) {
    sim->host.pacing = (sal__pacing){.real_origin = sim->config.clock ? read_clock(sim) : NAN,
                                     .time_origin = sim->contexts.current->time};
}

double sal_simulator_actual_realtime_rate(const sal_simulator *sim) {
    const sal__pacing *p = &sim->host.pacing;
    if (!sim->config.clock || isnan(p->real_origin))
        return NAN;
    return (sim->contexts.current->time - p->time_origin) / (read_clock(sim) - p->real_origin);
}

sal_pacing sal_simulator_pacing(const sal_simulator *sim) {
    return sim->host.pacing.reported;
}

/* How long until the clock shows the run's time, in real s; negative: it is late. */
static double time_ahead(const sal_simulator *sim) {
    const sal__pacing *p = &sim->host.pacing;
    return (sim->contexts.current->time - p->time_origin) / sim->config.target_realtime_rate -
           (read_clock(sim) - p->real_origin);
}

void sal__pacing_wait(sal_simulator *sim) {
    if (!sim->config.clock || !sim->config.sleep)
        return;
    const double ahead = time_ahead(sim);
    if (ahead > 0)
        sim->config.sleep(sim->config.clock_user, ahead);
}

void sal__pacing_note_step(sal_simulator *sim) {
    sal_pacing *reported = &sim->host.pacing.reported;
    if (!sim->config.clock)
        return;
    const double lag = -time_ahead(sim);
    reported->steps++;
    reported->lag = lag;
    if (!(lag > sim->config.lag_tolerance))
        return;
    reported->overruns++;
    reported->worst_lag = sal__max(reported->worst_lag, lag);
}
