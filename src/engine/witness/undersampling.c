/* Witnesses and conditions with sines, remainders or tables that go through a good part of a period within a step.
 * Their crossings do not show at the ends of the step, so from the first such step on they are searched for in pieces
 * of steps (step_subdivision.c). Where the run searches no pieces, it warns of them in some of the steps. */
#include <math.h>

#include "crossing.h"

#define FAST 0.5 /* half periods in a step that is searched in pieces */
#define LOST 1   /* more half periods hide a crossing */

enum { FIRST_STEPS = 16, EVERY = 4 };

/* In the first steps, in longer ones, and in each fourth: what becomes fast more slowly is found before it is lost. */
static bool is_due(const sal_simulator *sim, double h) {
    const int64_t steps = sal__steps_of_run(sim);
    return steps < FIRST_STEPS || steps % EVERY == 0 || sal__looks_for_missed(sim, h);
}

static int phases_at(sal_simulator *sim, const sal__witness *w, double t, const double *x, double *phase) {
    int count = 0;
    sal__context_data_look(sim->contexts.current, t, x);
    const sal_status status =
        w->info.system->behaviour->phases(w->info.system, w->info.ctx, w->info.index, phase, &count);
    return status == SAL_OK ? count : 0;
}

/* The half periods from now to t1, at most. */
static double half_periods(sal_simulator *sim, const sal__witness *w, double t1) {
    double before[SAL_MAX_PHASES], after[SAL_MAX_PHASES], most = 0;
    const double now = sim->contexts.current->time;
    const int count = phases_at(sim, w, now, NULL, before);
    const int same = count > 0 ? phases_at(sim, w, t1, sal__end_state(sim), after) : 0;
    sal__context_data_look(sim->contexts.current, now, NULL);
    for (int i = 0; i < count && i < same; i++)
        most = fmax(most, fabs(after[i] - before[i]));
    return most;
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

/* In the first steps, then in fewer and fewer; not at the start of a run, which may be over soon, unless the witness
 * crosses: then other crossings may be missed. */
static bool is_warned_of(const sal_simulator *sim, const sal__witness *w) {
    const int64_t steps = sal__steps_of_run(sim);
    return (steps < FIRST_STEPS || sal__is_rare_step(sim)) && (steps >= 4 || w->firings.count > 0);
}

static void warn(sal_simulator *sim, const sal__witness *w, double t1) {
    if (is_warned_of(sim, w) && half_periods(sim, w, t1) > LOST)
        sal__warn_about_missed_crossings(sim, w);
}

static bool may_be_searched(const sal_simulator *sim) {
    return sim->config.interior_search && sal__is_isolating(sim);
}

void sal__find_undersampled(sal_simulator *sim, double t1) {
    if (!is_due(sim, t1 - sim->contexts.current->time))
        return;
    for (int k = 0; k < sim->witnesses.active_count; k++) {
        sal__witness *w = &sim->witnesses.item[sim->witnesses.active[k]];
        if (!sal__has_phases(w) || sal__is_walked(sim, w))
            continue;
        if (!may_be_searched(sim))
            warn(sim, w, t1);
        else if (half_periods(sim, w, t1) > FAST)
            sal__witness_note_fast(w);
    }
}

/* Those that do not repeat are searched in pieces too: which is known of the whole condition only. */
static void search_in_pieces(sal__condition *c) {
    for (int k = 0; k < c->finder_count; k++)
        sal__witness_note_fast(&c->finder[k]);
}

static bool are_all_walked(const sal_simulator *sim, const sal__condition *c) {
    int count = 0;
    for (int k = 0; k < c->finder_count; k++)
        count += sal__is_walked(sim, &c->finder[k]);
    return count == c->finder_count;
}

/* A condition without finders has another warning. */
void sal__find_undersampled_conditions(sal_simulator *sim, double t1) {
    if (!is_due(sim, t1 - sim->contexts.current->time))
        return;
    for (int i = 0; i < sim->conditions.count; i++) {
        sal__condition *c = &sim->conditions.item[i];
        const sal__witness *w = &sim->witnesses.item[c->witness];
        const bool there = !c->event->has_guard || c->guard_held;
        if (!c->can_flow || !there || !sal__has_phases(w) || are_all_walked(sim, c))
            continue;
        if (!may_be_searched(sim))
            warn(sim, w, t1);
        else if (half_periods(sim, w, t1) > FAST)
            search_in_pieces(c);
    }
}
