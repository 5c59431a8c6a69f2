/* The instant of an event: the time and the state at which it is stored in its step, and which events belong to it.
 *
 * One rule holds for every witness that fires: at the stored time and state its value is zero or beyond, on the
 * side to which it crosses, compared with the level that it crossed. So a handler never sees the old side, and a
 * witness that is armed there never mistakes rounding for a new crossing. A witness that crosses in the same step
 * and is beyond at that very point belongs to the instant: armed there, it would never be seen to cross. */
#include <math.h>

#include "engine/witness/crossing.h"

#define NEARBY 0x1p-13 /* share of the step: a root may lie this far behind an event whose witness is already beyond */
#define TOLD_APART 1e-10 /* of the time scale: closer events say nothing of the next one */

double sal__isolation_window(const sal_simulator *sim) {
    if (!sal__is_isolating(sim))
        return NAN;
    const sal_integrator_config *in = sim->integrator_config;
    const double least = sal_integrator_working_minimum(sim->integrator, sim->contexts.current->time);
    if (!isnan(sim->config.isolation_window))
        return sal__max(sim->config.isolation_window, least);
    const double accuracy = isnan(sim->config.context_accuracy) ? sal_integrator_accuracy_in_use(sim->integrator)
                                                                : sim->config.context_accuracy;
    return sal__max(0.01 * accuracy * (in->fixed_step ? in->max_step : sal__characteristic_time(sim)), least);
}

typedef struct instant {
    double t0, t1;      /* the step */
    double now;         /* where the flow continues in it */
    double theta, time; /* where the event is stored in it */
    double window;
    bool reintegrated; /* the state was integrated once more, up to the event */
} instant;

static inline void place(instant *at, double theta) {
    at->time = theta < 1 ? sal__stored_time(at->t0, at->t1, theta) : at->t1;
    at->theta = at->time < at->t1 ? theta : 1;
}

static bool is_beyond(const sal__witness *w, double value) {
    return sal__finds_turning(w) || (value - w->crossing_level) * w->crossing_side <= 0;
}

/* ---- its state ---- */

/* Is the state at the event integrated once more? Not within the window, to which the event is known. Nor if the last
 * step ended just before the event, or hardly closer to it than its own start, as a step does that was reintegrated and
 * had not crossed yet: so short a step may leave the state on its old side, and time would creep on without end. There
 * the interpolant is as good. */
static bool reintegrates(const sal_simulator *sim, const instant *at) {
    const double now = sim->contexts.current->time, ahead = at->time - now, last = now - sim->flow.step_start;
    if (!sim->config.reintegrate_to_event || sim->plan->nx == 0 || !(ahead > at->window))
        return false;
    return ahead > 1e-3 * last && !(now == sim->last_event.uncrossed_until && ahead > last / 2);
}

static sal_status integrate_to(sal_simulator *sim, double t_event) {
    const sal_rhs *rhs = sal__current_rhs(sim);
    const sal_limits limits = {INFINITY, INFINITY, t_event};
    double t = sim->contexts.current->time;
    sal__delays_truncate(sim, t);
    sal__copy(sim->flow.scratch, sim->contexts.current->block, sim->plan->nx);
    while (t < t_event) {
        const sal_status status = sal_integrator_step(sim->integrator, rhs, t, sim->flow.scratch, &limits, NULL);
        if (status != SAL_OK)
            return sal__report_step(sim, status);
        t = sal_integrator_end_time(sim->integrator);
        const sal_status kept = sal__delays_commit(sim, t);
        if (kept != SAL_OK)
            return kept;
        sal__copy(sim->flow.scratch, sal_integrator_end(sim->integrator), sim->plan->nx);
    }
    return SAL_OK;
}

static sal_status read_fired(sal_simulator *sim, int i, double *value) {
    const sal_status status = sal__witness_value(sim, &sim->witnesses.item[i], value);
    return status == SAL_OK ? status : sal__witness_report(sim, i, status);
}

static sal_status has_crossed(sal_simulator *sim, const void *user, const sal__witness *w, bool *has) {
    (void)user;
    double value = 0;
    const sal_status status = sal__witness_value(sim, w, &value);
    sal__crossing_set_value(sim, (int)(w - sim->witnesses.item), value);
    *has = is_beyond(w, value);
    return status;
}

static sal_status interpolate(sal_simulator *sim, const instant *at) {
    return sal__interpolate_state(sim, at->theta, at->time);
}

/* ---- where it is stored ---- */

/* A witness that fired but still reads, at t, the side from which it came. */
typedef struct laggard {
    int witness; /* -1: none */
    double t, value;
} laggard;

static sal_status find_laggard(sal_simulator *sim, double t, laggard *found) {
    sal__context_data_look(sim->contexts.current, t, sim->flow.scratch);
    found->t = t;
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        found->witness = sim->witnesses.fired[k];
        const sal__witness *w = &sim->witnesses.item[found->witness];
        const sal_status status = read_fired(sim, found->witness, &found->value);
        if (status != SAL_OK)
            return status;
        sal__crossing_set_value(sim, found->witness, found->value);
        found->value -= w->crossing_level;
        if (!is_beyond(w, found->value + w->crossing_level))
            return SAL_OK;
    }
    found->witness = -1;
    return SAL_OK;
}

/* How far ahead the last two readings point to zero, and a little farther; NaN if they do not. */
static double ahead(const laggard *was, const laggard *is) {
    const double slope = (is->value - was->value) / (is->t - was->t);
    return is->witness == was->witness && slope * is->value < 0 ? -1.1 * is->value / slope : NAN;
}

static void take_passed(sal_simulator *sim, double theta) {
    while (sim->crossings.count > 0 && sal__next_crossing(sim) <= theta)
        sal__crossing_fire(sim, sim->crossings.count - 1);
}

/* A crossing that is found alone is stored where it was found. Of several, one may read its old side at the root of
 * another, and so may any whose state was projected onto its constraints. Then the event moves right: first by a few
 * ulp or, with constraints, by the window; after that to where the last two readings point; and after three moves,
 * each time twice as far. Crossings that it passes fire too; with constraints the event stops at each of them. */
static sal_status settle(sal_simulator *sim, instant *at) {
    const double width = at->t1 - at->t0;
    const double least = sim->projection ? at->window : 0x1p-52 * sal__max(fabs(at->time), width);
    double dt = least;
    laggard was = {-1, NAN, NAN}, is = {-1, NAN, NAN};
    for (int moves = 0;; moves++) {
        was = is;
        sal_status status = find_laggard(sim, at->time, &is);
        if (status != SAL_OK || is.witness < 0)
            return status;
        dt = moves < 3 ? fmax(least, ahead(&was, &is)) : 2 * dt;
        place(at, sal__min(at->theta + dt / width, sim->projection ? sal__next_crossing(sim) : 1));
        take_passed(sim, at->theta);
        status = at->theta < 1 ? interpolate(sim, at) : SAL_OK;
        if (status != SAL_OK || at->theta >= 1)
            return status;
    }
}

/* An event within the window of a limit of the step is stored at the limit, if nothing else crosses before it and those
 * that fired are still beyond there. So cutting a run into pieces does not change what happens. */
static bool belongs_to_end(const sal_simulator *sim, const instant *at) {
    if (!(at->t1 - at->time <= at->window) || sim->crossings.count > 0 || sim->witnesses.fired_count == 0)
        return false;
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        const sal__witness *w = &sim->witnesses.item[sim->witnesses.fired[k]];
        if (!is_beyond(w, w->w1))
            return false;
    }
    return true;
}

/* A condition alone turned true at the end, give or take rounding: what is due there waits for the end's updates. */
static bool turns_at_end(const sal_simulator *sim, const instant *at) {
    return sim->witnesses.fired_count == 0 && sim->crossings.count == 0 && sal__same_instant(at->time, at->t1, 0);
}

/* ---- which events belong to it ---- */

/* Before the step is integrated once more: notes which of the witnesses that cross later have not crossed by the
 * interpolant. Others read the far side there, and come back before they cross; or they began on the far side, and may
 * read it still. */
static sal_status note_ahead(sal_simulator *sim, const instant *at) {
    sal_status status = interpolate(sim, at);
    sal__context_data_look(sim->contexts.current, at->time, sim->flow.scratch);
    for (int k = 0; status == SAL_OK && k < sim->crossings.count; k++) {
        sal__witness *w = &sim->witnesses.item[sim->crossings.item[k]];
        double value = 0;
        status = read_fired(sim, sim->crossings.item[k], &value);
        const double began = w->w0 != w->crossing_level ? w->w0 - w->crossing_level : w->s0;
        sal__witness_set_ahead(w, !(began * w->crossing_side < 0) && !is_beyond(w, value));
    }
    sal__context_data_look(sim->contexts.current, at->now, NULL);
    return status;
}

/* Of the witnesses that cross a little later by their roots, adds those that are beyond at this point. In a step that
 * was reintegrated, all are considered that had not crossed by the interpolant. */
static sal_status join(sal_simulator *sim, const instant *at) {
    const double reach = at->theta + at->window / (at->t1 - at->t0) + NEARBY;
    sal__context_data_look(sim->contexts.current, at->time, sim->flow.scratch);
    for (int k = sim->crossings.count - 1; k >= 0; k--) {
        const int i = sim->crossings.item[k];
        const sal__witness *w = &sim->witnesses.item[i];
        if (w->theta > reach && !at->reintegrated)
            break;
        if (sal__finds_turning(w) || (w->theta > reach && !w->is_ahead))
            continue;
        double value = 0;
        const sal_status status = read_fired(sim, i, &value);
        if (status != SAL_OK)
            return status;
        if (!is_beyond(w, value))
            continue;
        sal__crossing_set_value(sim, i, value);
        sal__crossing_fire(sim, k);
    }
    return SAL_OK;
}

/* Rounding may place an event at the end of its step. Then all that cross behind it are there, too. */
static void join_at_end(sal_simulator *sim) {
    for (int k = sim->crossings.count - 1; k >= 0; k--) {
        const sal__witness *w = &sim->witnesses.item[sim->crossings.item[k]];
        if (is_beyond(w, w->w1))
            sal__crossing_fire(sim, k);
    }
}

static void note_values_at_end(sal_simulator *sim) {
    for (int k = 0; k < sim->witnesses.fired_count; k++)
        sal__crossing_set_value(sim, sim->witnesses.fired[k], sim->witnesses.item[sim->witnesses.fired[k]].w1);
}

/* Reads the state inside the step, and finds which witnesses fire there. */
static sal_status gather(sal_simulator *sim, instant *at) {
    at->reintegrated = reintegrates(sim, at);
    sal_status status = at->reintegrated && sim->crossings.count > 0 ? note_ahead(sim, at) : SAL_OK;
    if (status == SAL_OK)
        status = at->reintegrated ? integrate_to(sim, at->time) : interpolate(sim, at);
    if (status == SAL_OK && at->reintegrated) { /* some witnesses may not have crossed in the more accurate state */
        sal__context_data_look(sim->contexts.current, at->time, sim->flow.scratch);
        status = sal__witness_filter_fired(sim, has_crossed, NULL, false);
    }
    if (status == SAL_OK && !at->reintegrated && (sim->witnesses.fired_count > 1 || sim->projection))
        status = settle(sim, at);
    if (status == SAL_OK && at->reintegrated)
        status = sal__witness_fire_unforeseen(sim, at->time, sim->flow.scratch);
    if (status == SAL_OK && sim->crossings.count > 0 && at->theta < 1)
        status = join(sim, at);
    return status;
}

/* ---- the end of the step ---- */

static const double *state_at(const sal_simulator *sim, const instant *at) {
    return sim->plan->nx > 0 && at->theta < 1 ? sim->flow.scratch : sal__end_state(sim);
}

static sal_status fire_at_end(sal_simulator *sim, const instant *at, const double *x) {
    const double integrated_to = at->reintegrated ? 1 : at->theta;
    return sim->conditions.count > 0 ? sal__conditions_fire_at_end(sim, at->now, at->time, x, at->theta, integrated_to)
                                     : SAL_OK;
}

/* ---- guards ---- */

/* Did the guard hold just before the event, by the window within which crossings are known? Without isolation, at the
 * start of the step? */
static sal_status held_before(sal_simulator *sim, const instant *at, int event, bool *held) {
    const double t = fmax(at->now, at->time - at->window), theta = (t - at->t0) / (at->t1 - at->t0);
    const bool inside = t > at->now && sim->plan->nx > 0;
    const sal_status status = inside ? sal__prepare_dense(sim) : SAL_OK;
    if (status != SAL_OK)
        return status;
    if (inside)
        sal_integrator_interpolate(sim->integrator, theta, sim->flow.scratch);
    sal__context_data_look(sim->contexts.current, t, inside ? sim->flow.scratch : NULL);
    return sal__event_guard(sim, event, held);
}

/* Does the guard of the witness hold at the event or just before it? If not, the witness does not fire, and is armed
 * again by what it reads there. */
static sal_status is_open(sal_simulator *sim, const void *user, const sal__witness *w, bool *open) {
    const instant *at = user;
    *open = true;
    if (!w->info.has_guard)
        return SAL_OK;
    sal__context_data_look(sim->contexts.current, at->time, state_at(sim, at));
    sal_status status = sal__event_guard(sim, w->info.event, open);
    if (status != SAL_OK || *open || at->reintegrated)
        return status;
    status = held_before(sim, at, w->info.event, open);
    return status == SAL_OK && at->theta < 1 ? interpolate(sim, at) : status;
}

/* ---- leaving the step ---- */

static sal_status cancel_event(sal_simulator *sim, sal_status status) {
    sal__delays_truncate(sim, sim->contexts.current->time);
    sal__witness_cancel(sim);
    if (status <= 0)
        return status;
    sal__result_clear(sim);
    return sal__report_unmet_constraint(sim, SAL_EOFF, -1, "at the event no state nearby meets ");
}

/* The longest step from here. Where events come ever closer, it is hardly longer than the last interval. But where an
 * update turned the flow back to its surface, the interval is rounding, and in a step so short witnesses would show
 * nothing else: so it need not be shorter than what the run has shown can be told apart, nor where nothing but rounding
 * moves the state in that interval. */
static double longest_next_step(const sal_simulator *sim, const instant *at) {
    if (sim->witnesses.fired_count == 0 || isnan(sim->last_event.time))
        return INFINITY;
    const double interval = at->time - sim->last_event.time;
    if (interval < 0x1p-42 * fabs(at->time) && !sal__moves_clearly(sim, interval))
        return INFINITY;
    const double seen = sim->witnesses.item[sim->witnesses.fired[0]].firings.longest_overall;
    const double least = TOLD_APART * sal__max(seen, sal__characteristic_time(sim));
    return sal__max(1.25 * interval, least);
}

static void leave(sal_simulator *sim, const instant *at) {
    const double cap = longest_next_step(sim, at);
    if (sim->witnesses.fired_count > 0 && !isnan(at->window))
        sim->last_event.time = at->time;
    sim->last_event.spacing = at->time - sim->contexts.current->time;
    sal__set_flow_state(sim, at->time, state_at(sim, at));
    const bool cuts = sim->config.reintegrate_to_event || sim->plan->nx == 0 || sim->integrator_config->fixed_step;
    if (at->theta < 1 && !cuts) {
        sal__flow_interrupt(sim, at->t0, at->t1, at->theta, cap);
        return;
    }
    sal__flow_end_step(sim);
    if (at->theta < 1)
        sal_integrator_cut(sim->integrator, at->time, cap);
}

sal_status sal__end_at_event(sal_simulator *sim, double t0, double t1, double theta, bool at_limit) {
    const double now = sim->contexts.current->time;
    instant at = {t0, t1, now, 0, 0, sal__isolation_window(sim), false};
    place(&at, theta);
    if (at_limit && (belongs_to_end(sim, &at) || turns_at_end(sim, &at)))
        place(&at, 1);
    if (at.theta >= 1)
        join_at_end(sim);
    sal_status status = at.theta < 1 ? gather(sim, &at) : SAL_OK;
    if (at.theta >= 1)
        note_values_at_end(sim);
    if (status == SAL_OK)
        status = fire_at_end(sim, &at, state_at(sim, &at));
    if (status == SAL_OK && sim->witnesses.guarded_count > 0)
        status = sal__witness_filter_fired(sim, is_open, &at, true);
    sal__context_data_look(sim->contexts.current, now, NULL);
    if (status == SAL_OK && sim->witnesses.fired_count == 0 &&
        at.reintegrated) { /* nothing has crossed yet: an ordinary step */
        sal__set_flow_state(sim, at.time, sim->flow.scratch);
        sal_integrator_cut(sim->integrator, at.time, INFINITY);
        sim->last_event.uncrossed_until = at.time;
        sal__conditions_accept_step(sim);
        return SAL_OK;
    }
    if (status == SAL_OK)
        status = sal__delays_commit(sim, at.time);
    if (status == SAL_OK)
        status = sal__witness_fire(sim, now, t1, at.time, at.window);
    if (status != SAL_OK)
        return cancel_event(sim, status);
    leave(sim, &at);
    if (sim->conditions.count > 0)
        sal__conditions_accept_step(sim);
    return SAL_OK;
}

/* ---- the last event ---- */

void sal__last_event_reset(sal_simulator *sim) {
    sim->last_event = (sal__last_event){NAN, INFINITY, NAN};
}

void sal__last_event_archive(sal__archive *a, sal_simulator *sim) {
    sal__real(a, &sim->last_event.time);
    sal__real(a, &sim->last_event.uncrossed_until);
    if (a->mode == SAL__READ)
        sim->last_event.spacing = INFINITY; /* this only saves work: the next event sets it */
}

void sal__last_event_copy(sal_simulator *to, const sal_simulator *from) {
    to->last_event = from->last_event;
}
