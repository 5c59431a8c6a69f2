/* The flow from x+ to the next x-, up to the first time at which anything else may happen. */
#include <limits.h>
#include <math.h>

#include "simulator.h"

/* ---- what is made, and saved ---- */

sal_status sal__flow_new(sal_simulator *sim) {
    sal__flow_state *flow = &sim->flow;
    const int numbers = sim->contexts.current->block_size;
    flow->scratch = sal__pool_alloc(&sim->pool, numbers, sizeof(double));
    flow->rate = sal__pool_alloc(&sim->pool, numbers, sizeof(double));
    flow->time_scale = 1;
    return sal__pool_status(&sim->pool);
}

static void forget_step(sal_simulator *sim) {
    sim->flow.has_dense_step = sim->flow.interrupted_step.is_pending = false;
}

void sal__flow_attach(sal_simulator *sim) {
    forget_step(sim);
    sal__derivatives_attach(sim);
}

void sal__flow_start(sal_simulator *sim) {
    forget_step(sim);
    sim->flow.instant_time = NAN;
    sim->flow.step_start = sim->contexts.current->time;
    sal__derivatives_start(sim);
}

void sal__flow_set_boundary(sal_simulator *sim, double boundary) {
    sim->flow.time_scale = sal__run_scale(sim->contexts.current->time, boundary);
    if (SAL__RARELY(sim->delay_state))
        sal__delays_set_time_scale(sim, sim->flow.time_scale);
}

/* The rest of a step that an observed event interrupted, ended at the run's time. */
static void archive_rest(sal__archive *a, sal_simulator *sim, double time, sal__interrupted_step *rest) {
    const bool there = sal__flag(a, &rest->is_pending);
    sal__may_take(a, 4 * sizeof(double));
    if (there) {
        rest->t0 = sal__real_finite(a, &rest->t0), rest->t1 = sal__real_finite(a, &rest->t1);
        rest->theta = sal__real_not_nan(a, &rest->theta), rest->max_next_step = sal__real(a, &rest->max_next_step);
        sal__rule(a, rest->t0 < rest->t1 && rest->t0 <= time && time <= rest->t1);
        sal__rule(a, rest->theta >= 0 && rest->theta <= 1);
    }
    rest->is_pending = there;
    if (a->mode != SAL__READ)
        return;
    forget_step(sim);
    if (there && sal_integrator_start_time(sim->integrator) == rest->t0 &&
        sal_integrator_end_time(sim->integrator) == rest->t1)
        sim->flow.interrupted_step = *rest;
}

void sal__flow_archive(sal__archive *a, sal_simulator *sim, double time, bool edited, sal__interrupted_step *rest) {
    *rest = edited && !sal__is_loading(a) ? (sal__interrupted_step){0} : sim->flow.interrupted_step;
    sal__real(a, &sim->flow.instant_time);
    sal__int(a, &sim->flow.instant_steps, 0, INT_MAX - 1);
    sal__real(a, &sim->flow.step_start);
    archive_rest(a, sim, time, rest);
}

void sal__flow_copy(sal_simulator *to, const sal_simulator *from, bool edited) {
    forget_step(to);
    to->flow.instant_time = from->flow.instant_time;
    to->flow.instant_steps = from->flow.instant_steps;
    to->flow.step_start = from->flow.step_start;
    if (!edited)
        to->flow.interrupted_step = from->flow.interrupted_step;
}

/* ---- a step ---- */

/* The earliest pending time opens the instant. If the current time or the boundary is within 4 ulp of it, that time
 * is used. */
typedef struct target {
    sal_limits at;
    double instant_start;
    bool now;
} target;

/* Makes times that are one instant equal. */
static void join_instants(target *to, double now, double scale) {
    sal_limits *at = &to->at;
    to->now = to->now || sal__same_instant(to->instant_start, now, scale);
    const double instant = sal__same_instant(to->instant_start, at->boundary, scale) ? at->boundary : to->instant_start;
    if (at->publish < INFINITY && sal__same_instant(at->publish, to->instant_start, scale))
        at->publish = instant;
    if (at->update < INFINITY && sal__same_instant(at->update, to->instant_start, scale))
        at->update = instant;
}

static target aim(const sal_simulator *sim, double boundary) {
    const double now = sim->contexts.current->time;
    const double publish = sal__schedule_next_time(sim, SAL__PUBLISHES),
                 update = sal__schedule_next_time(sim, SAL__UPDATES);
    const double instant_start = sal__min(publish, update), scale = sal__schedule_scale(sim, instant_start);
    target to = {{publish, update, boundary}, instant_start, instant_start <= now || boundary <= now};
    if (instant_start == INFINITY)
        return to;
    const double far =
        0x1p-48 * (fabs(instant_start) + scale); /* more than 4 ulp of either, if that lies between the two */
    if (!(instant_start - now > far && fabs(boundary - instant_start) > far &&
          (publish == update || fabs(publish - update) > far)))
        join_instants(&to, now, scale);
    return to;
}

static double earliest(const target *to) {
    return sal__min(sal__min(to->at.publish, to->at.update), to->at.boundary);
}

/* A corner of an input ends a step, without being an instant. */
static const sal_limits *limits_of(const sal_simulator *sim, const target *to, double most, sal_limits *nearer) {
    if (!sim->contexts.current->feeds && !(most < INFINITY))
        return &to->at;
    *nearer = to->at;
    nearer->boundary = sal__min(most, nearer->boundary);
    if (SAL__RARELY(sim->contexts.current->feeds))
        nearer->boundary = sal__min(sal__feeds_next_end(sim, earliest(to)), nearer->boundary);
    return nearer;
}

sal_status sal__report_step(sal_simulator *sim, sal_status status) {
    if (sim->delay_state && sim->delay_state->readers.failed >= 0)
        return sal__report_at(sim, status, sim->delay_state->readers.failed, NULL);
    const bool explained = status == SAL_ECALLBACK || status == SAL_ELOOP;
    const int failed = sim->contexts.current->failures.part,
              part = failed >= 0 && !explained ? failed : sim->derivatives.failed_part;
    if (status == SAL_ESTEP && sal_integrator_last_failure(sim->integrator)->off_constraints)
        sal__report_unmet_constraint(sim, status, part, "");
    else if (status == SAL_ESTEP)
        sal__report_step_failure(sim, status, part);
    else if (sim->derivatives.unset_variable >= 0)
        sal__report_unset_derivative(sim, status);
    else if (sim->stray_numbers.found.kind != SAL__NO_STRAY)
        sal__report_stray_number(sim, status);
    sal__derivatives_end_report(sim);
    return sal__report_failure(sim, status, part, -1, NULL);
}

static inline void begin_step(sal_simulator *sim) {
    sal__derivatives_begin_step(sim);
    sal__forget_failures(sim->contexts.current);
}

/* The integrator took a step to *t1, or failed; the run stays at t0. */
static inline sal_status end_step(sal_simulator *sim, sal_status status, double t0, double *t1) {
    sal__context_data_look(sim->contexts.current, t0, NULL);
    if (status != SAL_OK)
        return sal__report_step(sim, status);
    *t1 = sal_integrator_end_time(sim->integrator);
    if (SAL__RARELY(sim->projection))
        sal__projection_check_step(sim);
    return SAL_OK;
}

void sal__discard_rest(sal_simulator *sim) {
    if (sim->flow.interrupted_step.is_pending && sim->plan->nx > 0)
        sal_integrator_cut(sim->integrator, sim->contexts.current->time, sim->flow.interrupted_step.max_next_step);
    sim->flow.interrupted_step.is_pending = false;
}

void sal__discard_future(sal_simulator *sim) {
    sal__discard_rest(sim);
    sal_integrator_invalidate(sim->integrator);
    sal__witness_forget_ends(sim);
}

void sal__discard_step(sal_simulator *sim) {
    sal__discard_future(sim);
    sim->flow.has_dense_step = false;
}

/* Counts instants at one time, and fails for a model whose next_time returns the current time without end. */
static sal_status count_instant(sal_simulator *sim) {
    if (sim->contexts.current->time != sim->flow.instant_time) {
        sim->flow.instant_time = sim->contexts.current->time;
        sim->flow.instant_steps = 0;
    }
    if (++sim->flow.instant_steps <= sim->config.max_events_per_instant)
        return SAL_OK;
    sim->flow.instant_steps = 0;
    const int event = sal__schedule_first_event(sim);
    const char *why = "time does not advance: next_time never returns a time after the present; let it return a later "
                      "one";
    if (event < 0)
        return sal__report_failure(sim, SAL_EZENO, -1, -1, why);
    sal_note note;
    sal__describe_event(sim, event, why, &note);
    return sal__report_at(sim, SAL_EZENO, event, note.text);
}

/* A step while it is tried: its latest end, its start, its end, its first event (2: there is none), and the witness
 * that has no value in it (-1: none). */
typedef struct trial {
    double most, start, end, theta;
    int blank;
} trial;

static sal_status end_without_state(sal_simulator *sim, const sal_limits *limits, double *t1) {
    const double t0 = sim->contexts.current->time;
    *t1 = sal__min(sal__min(limits->publish, limits->update), limits->boundary);
    if (!sim->delay_state)
        return SAL_OK;
    sal__forget_failures(sim->contexts.current);
    const sal_status status = sal__delays_end_without_state(sim, t0, t1);
    sal__context_data_look(sim->contexts.current, t0, NULL);
    return status == SAL_OK ? status : sal__report_step(sim, status);
}

static sal_status integrate_watched(sal_simulator *sim, const target *to, trial *it) {
    sal_limits nearer;
    const sal_limits *limits = limits_of(sim, to, it->most, &nearer);
    const double t0 = sim->contexts.current->time;
    if (sim->plan->nx == 0)
        return end_without_state(sim, limits, &it->end);
    begin_step(sim);
    if (SAL__RARELY(sim->delay_state))
        sal__delays_truncate(sim, t0);
    const sal_status status =
        sim->delay_state ? sal__delays_step(sim, sal__rhs_of_step(sim), t0, sim->contexts.current->block, limits)
                         : sal_integrator_step(sim->integrator, sal__rhs_of_step(sim), t0, sim->contexts.current->block,
                                               limits, NULL);
    return end_step(sim, status, t0, &it->end);
}

static sal_status resume_step(sal_simulator *sim, trial *it) {
    it->start = sim->flow.interrupted_step.t0, it->end = sim->flow.interrupted_step.t1;
    if (!sim->delay_state)
        return SAL_OK;
    const double now = sim->contexts.current->time;
    const sal_status status = sal__delays_resume_step(sim, now, it->end);
    sal__context_data_look(sim->contexts.current, now, NULL);
    return status == SAL_OK ? status : sal__report_step(sim, status);
}

static sal_status try_step(sal_simulator *sim, const target *to, trial *it) {
    const double now = sim->contexts.current->time;
    if (sim->flow.interrupted_step.is_pending && sal__min(earliest(to), it->most) < sim->flow.interrupted_step.t1)
        sal__discard_step(sim);
    it->start = it->end = now;
    it->theta = 2;
    it->blank = -1;
    sal_status status = sim->witnesses.count > 0 ? sal__witness_arm(sim) : SAL_OK;
    if (status == SAL_OK && sim->flow.interrupted_step.is_pending)
        status = resume_step(sim, it);
    else if (status == SAL_OK)
        status = integrate_watched(sim, to, it);
    if (status == SAL_OK && sim->delay_state)
        status = sal__delays_preview(sim, it->end);
    if (status == SAL_OK && sim->witnesses.may_have_phases)
        sal__find_undersampled(sim, now, it->end);
    if (status != SAL_OK || sim->witnesses.active_count + sim->crossings.count + sim->witnesses.guarded_count == 0)
        return status;
    status = sal__witness_locate(sim, it->start, it->end, &it->theta);
    sal__context_data_look(sim->contexts.current, now, NULL);
    it->blank = status == SAL_ENAN ? sim->witnesses.failed : -1;
    return status;
}

/* A witness has no value somewhere in the step. As after a stage that failed, half of the step is tried; it may end
 * earlier, at an event. In the shortest step, only the value at the end is required. */
static sal_status shorten(sal_simulator *sim, trial *it) {
    const double now = sim->contexts.current->time, h = it->end - now, far = sal__max(fabs(now), fabs(it->end));
    const double least = sal__max(16 * sal__ulp(far), sal_integrator_working_minimum(sim->integrator, now));
    if (SAL__RARELY(sim->delay_state))
        sal__checkpoint_restore(sim->delay_state);
    sal__result_clear(sim);
    if (!(h > least))
        return sal__guard_exclude(sim, it->blank, it->end);
    it->most = now + h / 2;
    if (sim->plan->nx > 0 && !sim->flow.interrupted_step.is_pending)
        sal_integrator_cut(sim->integrator, now, INFINITY);
    return SAL_OK;
}

static sal_status make_step(sal_simulator *sim, const target *to, trial *it) {
    sal_status status = SAL_OK;
    do
        status = try_step(sim, to, it);
    while (it->blank >= 0 && (status = shorten(sim, it)) == SAL_OK);
    if (status == SAL_OK && it->most < INFINITY && sim->plan->nx > 0 && !sim->integrator_config->fixed_step)
        sal_integrator_set_ideal_step(sim->integrator, it->end - sim->contexts.current->time);
    return status;
}

/* Accepts the step up to its end. */
static inline void arrive(sal_simulator *sim, double t1) {
    sal__set_flow_state(sim, t1, sim->plan->nx ? sal_integrator_end(sim->integrator) : NULL);
}

/* A step that witnesses, conditions or feeds may end, or that the past records. */
static sal_status watched_step(sal_simulator *sim, const target *to) {
    trial it = {.most = INFINITY};
    sal__witness_begin_step(sim);
    sal_status status = make_step(sim, to, &it);
    if (status == SAL_OK && sim->conditions.count > 0)
        status = sal__conditions_locate(sim, it.start, it.end, &it.theta);
    if (status == SAL_OK && it.theta <= 1)
        return sal__end_at_event(sim, it.start, it.end, it.theta, it.end == earliest(to));
    if (status == SAL_OK)
        status = sal__delays_commit(sim, it.end);
    if (status != SAL_OK)
        return status;
    arrive(sim, it.end);
    sim->flow.interrupted_step.is_pending = false;
    if (sim->conditions.count > 0)
        sal__conditions_accept_step(sim);
    return SAL_OK;
}

static sal_status integrate_free(sal_simulator *sim, const target *to, double *t1) {
    const double t0 = sim->contexts.current->time;
    if (sim->plan->nx == 0) {
        *t1 = earliest(to);
        return SAL_OK;
    }
    begin_step(sim);
    const sal_status status =
        sal_integrator_step(sim->integrator, sal__rhs_of_step(sim), t0, sim->contexts.current->block, &to->at, NULL);
    return end_step(sim, status, t0, t1);
}

static sal_status free_step(sal_simulator *sim, const target *to) {
    double t1 = 0;
    const sal_status status = integrate_free(sim, to, &t1);
    if (status == SAL_OK)
        arrive(sim, t1);
    return status;
}

/* Something happens now: time does not move. */
static sal_status stay(sal_simulator *sim, const target *to) {
    const double now = sim->contexts.current->time;
    sal__schedule_set_instant(sim, sal__same_instant(to->instant_start, now, 0) ? to->instant_start : now);
    sim->flow.step_start = now;
    return count_instant(sim);
}

static sal_status go(sal_simulator *sim, const target *to) {
    const bool watched =
        sim->witnesses.count + sim->conditions.count > 0 || sim->delay_state || sim->contexts.current->feeds;
    const sal_status status = watched ? watched_step(sim, to) : free_step(sim, to);
    const double t1 = sim->contexts.current->time;
    if (status == SAL_OK)
        sal__schedule_set_instant(sim, t1 >= to->at.publish || t1 >= to->at.update ? to->instant_start : t1);
    return status;
}

/* A failed step has no effect: the ideal step is restored. */
static sal_status try_to_go(sal_simulator *sim, const target *to) {
    const double t0 = sim->contexts.current->time;
    const sal_controller_state before = sal_integrator_controller_state(sim->integrator);
    if (SAL__RARELY(sim->delay_state)) {
        sim->delay_state->is_unisolated = !sal__is_isolating(sim);
        sal__checkpoint_save(sim->delay_state, t0);
    }
    const sal_status status = go(sim, to);
    if (status == SAL_OK)
        return SAL_OK;
    sal_integrator_set_controller_state(sim->integrator, &before);
    if (SAL__RARELY(sim->delay_state)) {
        sal__delays_truncate(sim, t0);
        sal__checkpoint_restore(sim->delay_state);
    }
    return status;
}

static sal_status flow(sal_simulator *sim, double boundary) {
    const target to = aim(sim, boundary);
    const sal_status status = to.instant_start < INFINITY ? sal__schedule_check_periods(sim) : SAL_OK;
    if (status != SAL_OK)
        return status;
    return SAL__RARELY(to.now) ? stay(sim, &to) : try_to_go(sim, &to);
}

sal_status sal__flow(sal_simulator *sim, double boundary) {
    const double t0 = sim->contexts.current->time;
    if (SAL__RARELY(sim->feeds.count > 0))
        sal__feeds_attach(sim);
    const sal_status status = flow(sim, boundary);
    if (SAL__RARELY(sim->contexts.current->feeds))
        sal__feeds_detach(sim, t0);
    if (status != SAL_OK)
        return status;
    sal__witness_end_step(sim);
    sim->flow.has_dense_step = sim->plan->nx > 0 && sim->flow.step_start < sim->contexts.current->time;
    return SAL_OK;
}
