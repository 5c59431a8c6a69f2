/* Witnesses and conditions with sines, remainders or tables that go through a good part of a period within a step.
 * Their crossings do not show at the ends of the step, so from the first such step on they are searched for in pieces
 * of steps (step_subdivision.c). Where the run searches no pieces, it warns of them in some of the steps. */
#include <math.h>

#include "crossing.h"

#define FAST 0.5 /* half periods in a step that is searched in pieces, as are those that jump where they repeat */
#define LOST 1   /* more half periods hide a crossing */

enum { FIRST_STEPS = 16, SOON = 4, LATER = 16, MUCH_LATER = 64 };

/* In the first steps, in longer ones, and as soon as what becomes fast may have become so. */
static bool is_due(const sal_simulator *sim, double h) {
    const int64_t steps = sal__steps_of_run(sim);
    return steps < FIRST_STEPS || steps >= sim->witnesses.next_phase_check || sal__looks_for_missed(sim, h);
}

/* Steps until the next check, if none advanced by more in this step. */
static int steps_until_next(double most) {
    return most > FAST / 5 ? SOON : most > FAST / 25 ? LATER : MUCH_LATER;
}

/* A check of the step from `now` to t1, and what advanced most in it. */
typedef struct check {
    sal_simulator *sim;
    double now, t1, most;
} check;

/* What has phases: event or output `index` of a system. */
typedef struct source {
    sal_status (*phases)(const sal_system *self, const sal_context *ctx, int index, double *phase, int *count);
    const sal_system *system;
    const sal_context *ctx;
    int index;
} source;

static int read_phases(const source *s, double *phase) {
    int count = 0;
    const bool ok = s->phases(s->system, s->ctx, s->index, phase, &count) == SAL_OK;
    return ok && count <= SAL_MAX_PHASES ? count : 0;
}

static double difference(const double *before, const double *after, int count) {
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(after[i] - before[i])); /* without those that are infinite: their difference is NaN */
    return most;
}

static bool any_infinite(const double *phase, int count) {
    bool any = false;
    for (int i = 0; i < count; i++)
        any = any || isinf(phase[i]);
    return any;
}

/* Does it go through more than that many half periods in the step? The context is at its start. */
static bool advances(check *c, const source *s, double half_periods) {
    double before[SAL_MAX_PHASES], after[SAL_MAX_PHASES];
    const int count = read_phases(s, before);
    if (count == 0 || (half_periods == FAST && any_infinite(before, count)))
        return count > 0;
    sal__context_data_look(c->sim->contexts.current, c->t1, sal__end_state(c->sim));
    const double advance = read_phases(s, after) == count ? difference(before, after, count) : 0;
    sal__context_data_look(c->sim->contexts.current, c->now, NULL);
    c->most = fmax(c->most, advance);
    return advance > half_periods;
}

static bool witness_advances(check *c, const sal__witness *w, double half_periods) {
    const source s = {w->info.system->behaviour->phases, w->info.system, w->info.ctx, w->info.index};
    return advances(c, &s, half_periods);
}

void sal__warn_about_missed_crossings(sal_simulator *sim, const sal__witness *w) {
    sal__warn_of_event(
        sim, w->info.event, "fast",
        w->info.condition < 0
            ? "may have missed crossings: its witness crosses several times within a step, as a sine or a table may; "
              "set its max_interval (s) or samples (per step), or a shorter max_step"
            : "may miss that it turns true: its condition has a sine, a remainder or a table that repeats within a "
              "step; set a shorter max_step");
}

/* In the first steps, then in fewer and fewer; not at the start of a run, which may be over soon, unless the witness
 * crosses: then other crossings may be missed. */
static bool is_warned_of(const sal_simulator *sim, const sal__witness *w) {
    const int64_t steps = sal__steps_of_run(sim);
    return (steps < FIRST_STEPS || sal__is_rare_step(sim)) && (steps >= 4 || w->firings.count > 0);
}

static void warn(check *c, const sal__witness *w) {
    if (is_warned_of(c->sim, w) && witness_advances(c, w, LOST))
        sal__warn_about_missed_crossings(c->sim, w);
}

static bool may_be_searched(const sal_simulator *sim) {
    return sim->config.interior_search && sal__is_isolating(sim);
}

static void find_witnesses(check *c) {
    sal_simulator *sim = c->sim;
    for (int i = 0; i < sal__first_watch(sim); i++) {
        sal__witness *w = &sim->witnesses.item[i];
        if (!sal__has_phases(w) || sal__is_walked(sim, w))
            continue;
        if (!may_be_searched(sim))
            warn(c, w);
        else if (witness_advances(c, w, FAST))
            sal__witness_note_fast(w);
    }
}

/* All its finders, for phases are those of the whole condition. */
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
static void find_conditions(check *c) {
    sal_simulator *sim = c->sim;
    for (int i = 0; i < sim->conditions.count; i++) {
        sal__condition *condition = &sim->conditions.item[i];
        const sal__witness *w = &sim->witnesses.item[condition->witness];
        const bool there = !condition->event->has_guard || condition->guard_held;
        if (!condition->can_flow || !there || !sal__has_phases(w) || are_all_walked(sim, condition))
            continue;
        if (!may_be_searched(sim))
            warn(c, w);
        else if (witness_advances(c, w, FAST))
            search_in_pieces(condition);
    }
}

/* ---- outputs ---- */

static bool has_fast_output(check *c, int part) {
    const sal_system *sys = c->sim->plan->part[part].system;
    source s = {sys->behaviour->output_phases, sys, &c->sim->contexts.current->part_context[part], 0};
    bool is_fast = false;
    for (; s.phases && s.index < sys->outputs.count && !is_fast; s.index++)
        is_fast = advances(c, &s, FAST);
    return is_fast;
}

/* A watch may read any output. */
static bool reads_affected(const sal_simulator *sim, const sal__witness *w) {
    return w->info.event < 0 || sim->schedule.is_affected[sim->plan->event[w->info.event].part];
}

static void search_readers_in_pieces(sal_simulator *sim, int part) {
    sal__mark_affected(sim, &part, 1);
    for (int i = 0; i < sim->witnesses.count; i++)
        if (reads_affected(sim, &sim->witnesses.item[i]))
            sal__witness_note_fast(&sim->witnesses.item[i]);
    for (int i = 0; i < sim->conditions.count; i++)
        if (sim->schedule.is_affected[sim->conditions.item[i].event->part])
            search_in_pieces(&sim->conditions.item[i]);
    sal__watches_note_fast(sim);
}

void sal__find_undersampled(sal_simulator *sim, double now, double t1) {
    check c = {sim, now, t1, 0};
    if (!is_due(sim, t1 - now))
        return;
    sal__context_data_look(sim->contexts.current, now, NULL);
    find_witnesses(&c);
    find_conditions(&c);
    for (int i = 0; i < sim->plan->part_count && may_be_searched(sim); i++)
        if (has_fast_output(&c, i))
            search_readers_in_pieces(sim, i);
    sal__witness_set_next_phase_check(sim, sal__steps_of_run(sim) + steps_until_next(c.most));
}
