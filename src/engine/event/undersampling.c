/* Sines, remainders and tables in a witness that go through a period while a step lasts: its crossings are not seen at
 * the step's ends, and nobody would know. The engine asks how far they have gone at both ends of a few steps, and
 * warns. */
#include <math.h>

#include "engine/simulator.h"

/* The first steps, then ever fewer. */
static bool is_due(int64_t steps) {
    return steps < 16 || (steps & (steps - 1)) == 0;
}

/* Not at the very start of a run, which may be over soon; but where there are crossings, others may be missed. */
static bool is_watched(const sal_simulator *sim, const sal__witness *w) {
    return sal__has_phases(w) && (sim->run_state.total_steps >= 4 || w->firings.count > 0);
}

static int phases_at(sal_simulator *sim, const sal__witness *w, double t, const double *x, double *phase) {
    int count = 0;
    sal__context_data_look(sim->contexts.current, t, x);
    const sal_status status =
        w->info.system->behaviour->phases(w->info.system, w->info.ctx, w->info.index, phase, &count);
    return status == SAL_OK ? count : 0;
}

static bool is_fast(sal_simulator *sim, const sal__witness *w, double t1) {
    double before[SAL_MAX_PHASES], after[SAL_MAX_PHASES];
    const double now = sim->contexts.current->time,
                 *end = sim->plan->nx > 0 ? sal_integrator_end(sim->integrator) : NULL;
    const int count = phases_at(sim, w, now, NULL, before);
    const int same = count > 0 ? phases_at(sim, w, t1, end, after) : 0;
    bool fast = false;
    sal__context_data_look(sim->contexts.current, now, NULL);
    for (int i = 0; i < count && i < same; i++)
        fast = fast || fabs(after[i] - before[i]) > 1;
    return fast;
}

void sal__warn_about_undersampling(sal_simulator *sim, double t1) {
    if (!is_due(sim->run_state.total_steps))
        return;
    for (int k = 0; k < sim->witnesses.active_count; k++) {
        const sal__witness *w = &sim->witnesses.item[sim->witnesses.active[k]];
        const sal__planned_event *e = &sim->plan->event[w->info.event];
        if (is_watched(sim, w) && is_fast(sim, w, t1))
            sal__warn(sim, e->part, e->index, -1, "fast",
                      "may miss crossings: a sine, a remainder or a table in its witness repeats while a step lasts; "
                      "max_interval (s) or samples (per step) has it looked at more closely");
    }
}
