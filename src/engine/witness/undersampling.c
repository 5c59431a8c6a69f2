/* Warns of witnesses and conditions with sines, remainders or tables that go through a whole period within a step.
 * Their crossings do not show at the ends of the step. In some of the steps, the engine reads how far the phases
 * moved. */
#include <math.h>

#include "crossing.h"

/* The first steps, then fewer and fewer. */
static bool is_due(const sal_simulator *sim) {
    return sal__steps_of_run(sim) < 16 || sal__is_rare_step(sim);
}

/* Not at the start of a run, which may be over soon, unless the witness crosses: then other crossings may be missed. */
static bool is_watched(const sal_simulator *sim, const sal__witness *w) {
    return sal__has_phases(w) && !sal__is_walked(sim, w) && (sal__steps_of_run(sim) >= 4 || w->firings.count > 0);
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
    const double now = sim->contexts.current->time;
    const int count = phases_at(sim, w, now, NULL, before);
    const int same = count > 0 ? phases_at(sim, w, t1, sal__end_state(sim), after) : 0;
    bool fast = false;
    sal__context_data_look(sim->contexts.current, now, NULL);
    for (int i = 0; i < count && i < same; i++)
        fast = fast || fabs(after[i] - before[i]) > 1;
    return fast;
}

void sal__warn_about_missed_crossings(sal_simulator *sim, const sal__witness *w) {
    sal__warn_of_event(
        sim, w->info.event, "fast",
        w->info.condition < 0
            ? "may have missed crossings: its witness crosses several times within a step, as a sine or a table may; "
              "set its max_interval (s) or samples (per step)"
            : "may miss that it turns true: its condition has a sine, a remainder or a table that repeats within a "
              "step; set a shorter max_step");
}

void sal__warn_about_undersampling(sal_simulator *sim, double t1) {
    if (!is_due(sim))
        return;
    for (int k = 0; k < sim->witnesses.active_count; k++) {
        const sal__witness *w = &sim->witnesses.item[sim->witnesses.active[k]];
        if (is_watched(sim, w) && is_fast(sim, w, t1))
            sal__warn_about_missed_crossings(sim, w);
    }
}

/* A condition whose finders are all searched in pieces needs no warning; one without finders has another. */
static bool is_searched(const sal_simulator *sim, const sal__condition *c) {
    int count = 0;
    for (int k = 0; k < c->finder_count; k++)
        count += sal__is_walked(sim, &c->finder[k]);
    return count == c->finder_count;
}

void sal__warn_about_undersampled_conditions(sal_simulator *sim, double t1) {
    if (!is_due(sim))
        return;
    for (int i = 0; i < sim->conditions.count; i++) {
        const sal__condition *c = &sim->conditions.item[i];
        const sal__witness *w = &sim->witnesses.item[c->witness];
        const bool there = !c->event->has_guard || c->guard_held;
        if (c->can_flow && there && is_watched(sim, w) && !is_searched(sim, c) && is_fast(sim, w, t1))
            sal__warn_about_missed_crossings(sim, w);
    }
}
