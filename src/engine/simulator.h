/* Inside the engine: what its files do, and the functions that they share. simulator_state.h has the memory.
 *
 *   lifecycle.c       makes and frees a simulator; settings.c: its configuration and integrator
 *   simulator_api.c   queries and observers
 *   simulator.c       the loop
 *   initialize.c      initialization at the start of a run
 *   flow.c            integrates from x+ to the next x-; derivatives.c: the right-hand side
 *   idle.c            time that passes while nothing happens
 *   feed.c            inputs that the host feeds
 *   snapshot.c        saves, loads and hashes the run
 *   report.c          what came of a call: each failure goes through here; warnings.c: what is probably not meant
 *   event/
 *     schedule.c      timed events; timer_queue.c: periodic ones; event_calendar.c: those scheduled from outside;
 *                     time_heap.c: orders either by time
 *     dispatch.c      calls the handlers of one instant; sampled_update.c: previews the periodic discrete updates
 *     transaction.c   what updates write, and its rollback; journal.c: the same for an instant of several rounds
 *     instant.c       the stored time of an event, and the events that belong to it
 *     event_iteration.c rounds of conditions that updates turn true
 *   witness/
 *     witness.c       arming and firing of witnesses; witness_value.c: their values; witness_info.c: their constants;
 *                     witness_array.c: room for watches, which come and go; witness_snapshot.c: saves them
 *     guard.c         guards (`when`) of witnesses; zeno.c: accumulating firings
 *     step_ends.c     values and slopes of witnesses at the ends of a step
 *     locate.c        which witnesses cross in a step, and which come first; crossing_list.c: those that cross
 *     crossing_search.c where one crosses; step_subdivision.c: one that may cross often in a step;
 *                     turning_point.c: where one stops rising; undersampling.c: finds those that repeat too fast;
 *                     missed_crossing.c: finds those that the search missed
 *     condition.c     events where a condition turns true; condition_search.c: finds them along the flow
 *   watch/
 *     watch.c         functions of the host that end a call; watch_snapshot.c: saves which are armed
 *   constraint/
 *     projection.c    projects the state onto its constraints; constraint.c: one part; velocity_map.c: q' = N(q) v
 *   delay/
 *     delay.c         histories of delayed signals; history.c: appends to them; delay_step.c: steps that read them
 *     discontinuity.c discontinuities that delays propagate; site_exit.c and kink.c: where a step has to end for one
 *     past_readers.c  what else reads the past: events, and the signals that histories record
 *     delay_snapshot.c saves them
 *   frame/            what hosts do in each frame
 *     frame.c         whole steps within a budget; pacing.c: the run and the host's clock; copy.c: takes the run of
 *                     another simulator
 *   group/            simulators of one system that share a clock
 *   recorder/         records signals and events */
#ifndef SAL_SIMULATOR_H
#define SAL_SIMULATOR_H

#include <math.h>

#include "numerics/root_finder.h"
#include "engine/simulator_state.h"

#define SAL__SMALL_CORRECTION 1e-3 /* the largest correction of a start, in units of the error weights */
/* Increments one of the statistics, which simulator_api.c owns. */
#define SAL__COUNT_ONE(sim, counter) ((sim)->host.stats.counter++)

/* ---- simulator_api.c ---- */

/* Notes in words why a call is refused, and tells the log. Returns `status`. */
sal_status sal__refuse_call(sal_simulator *sim, sal_status status, const char *const *pieces);
#define SAL__REFUSE_CALL(sim, status, ...) sal__refuse_call((sim), (status), SAL__PIECES(__VA_ARGS__))
/* SAL_ESTATE: there is no context, or the call comes from inside of the run. */
sal_status sal__refuse_state(sal_simulator *sim);
/* SAL_EINVAL: the caller gave no place for the result. */
sal_status sal__refuse_no_result(sal_simulator *sim);
void sal__log(const sal_simulator *sim, const char *sentence);

#include "engine/report.h"
#include "engine/delay/run_delays.h"
#include "engine/event/update.h"
#include "engine/frame/frame.h"
#include "engine/watch/watch.h"
#include "engine/witness/witness.h"

/* ---- lifecycle.c ---- */

sal_status sal__clone_context_data(const sal_simulator *sim, sal__context_data **out);

/* ---- settings.c ---- */

/* EINVAL: `why` says why the method cannot do what the system needs. */
sal_status sal__make_integrator(sal_simulator *sim, const sal_integrator_config *config, sal_note *why);

/* ---- simulator.c ---- */

/* These functions alone decide which calls are allowed. Calls that advance, change or save a run need it at rest:
 * they may not come from a function of the model, the monitor or an observer. That includes outputs that the host
 * computes by reading the run's context between two calls. Most of them also need the run's context. */
static inline bool sal__at_rest(const sal_simulator *sim) {
    return !sim->run_state.running && !sim->run_state.reading && sim->contexts.current->depth == 0;
}
/* The point that the run has reached: grows with each step, and with the updates at its end. */
static inline int64_t sal__run_point(const sal_simulator *sim) {
    return 2 * sim->run_state.total_steps + (sim->run_state.updated || sim->run_state.tells_edit);
}
/* Steps since the run was initialized. Decisions that depend on them are the same in a simulator used before. */
static inline int64_t sal__steps_of_run(const sal_simulator *sim) {
    return sim->run_state.total_steps - sim->run_state.steps_before;
}
/* Steps 0, 1, 2, 4, 8, ... of a run: what costs time is looked at in these. */
static inline bool sal__is_rare_step(const sal_simulator *sim) {
    const int64_t steps = sal__steps_of_run(sim);
    return (steps & (steps - 1)) == 0;
}
static inline bool sal__has_delays(const sal_simulator *sim) {
#ifdef SAL_MINIMAL
    (void)sim;
    return false;
#else
    return sim->delay_state != NULL;
#endif
}
/* Does the past that is still read have jumps or corners? */
static inline bool sal__past_has_breaks(const sal_simulator *sim) {
    return sal__has_delays(sim) && sim->delay_state->discontinuities.count > 0;
}
static inline sal_status sal__check_usable(const sal_simulator *sim) {
    return sal__at_rest(sim) && !sim->contexts.is_hidden ? SAL_OK : SAL_ESTATE;
}
/* Calls that run functions of the model, or change what these read, begin with this. */
static inline sal_status sal__begin_call(sal_simulator *sim) {
    if (sal__check_usable(sim) != SAL_OK ||
        (sim->host.language.begin && !sim->host.language.begin(sim->host.language.user)))
        return SAL_ESTATE;
    sim->run_state.running = true;
    sal__transaction_close_run(sim, true);
    return SAL_OK;
}
static inline sal_status sal__end_call(sal_simulator *sim, sal_status status) {
    sim->run_state.running = false;
    sal__transaction_close_run(sim, false);
    if (sim->host.language.end)
        sim->host.language.end(sim->host.language.user);
    return status;
}
/* Calls that run functions of the model only to read may also come from handlers, the monitor and observers. They
 * may not come while a trial state or an output is computed, nor from functions that they call. */
static inline bool sal__can_read(const sal_simulator *sim) {
    const sal__context_data *now = sim->contexts.current;
    return !sim->run_state.reading && now->source[SAL__CONTINUOUS] == now->block && now->depth == 0;
}
static inline sal_status sal__begin_reading(sal_simulator *sim) {
    if (sim->contexts.is_hidden || !sal__can_read(sim))
        return SAL_ESTATE;
    sim->run_state.reading = true;
    return SAL_OK;
}
static inline sal_status sal__end_reading(sal_simulator *sim, sal_status status) {
    sim->run_state.reading = false;
    return status;
}
/* Do updates run next, at the present time? */
bool sal__update_is_due(const sal_simulator *sim);
static inline void sal__run_set_watched(sal_simulator *sim, bool has_watches) {
    sim->run_state.has_watches = has_watches;
}
/* As sal_simulator_halt, but where the call ends before the next x+, no later call ends for it. */
void sal__run_halt_call(sal_simulator *sim);
/* The run has to be initialized again before it continues. */
void sal__run_invalidate(sal_simulator *sim);
/* Returns whether the run is initialized. */
bool sal__run_archive(sal__archive *a, sal_simulator *sim, double time);
void sal__run_copy(sal_simulator *to, const sal_simulator *from);
static inline bool sal__run_has_unobserved_writes(const sal_simulator *sim) {
    const uint64_t writes = sim->contexts.current->versions.external_writes;
    return sim->run_state.initialized && sim->host.observer_count > 0 &&
           writes != sim->run_state.seen_external_writes && writes != sim->run_state.observed_writes;
}
/* Observers see an edit. What they record belongs to the updates of the instant: a load of a save from before the call
 * removes it. */
sal_status sal__run_tell_edit(sal_simulator *sim);
/* Observers see what was written since the last call, as they see an update. */
sal_status sal__run_observe_writes(sal_simulator *sim);
/* Observers see an event of the host, by its number there: as one of no part. */
sal_status sal__run_observe_event(sal_simulator *sim, int event);
/* Takes the context as it is. `edited` and `moved`: except for what the host wrote before the save. */
void sal__run_see_context(sal_simulator *sim, bool edited, bool moved);
static inline void sal__run_end_step(sal_simulator *sim) {
    sim->run_state.updated = false;
    sim->run_state.total_steps++;
    SAL__COUNT_ONE(sim, steps);
}
static inline void sal__run_see_time(sal_simulator *sim) {
    sim->run_state.seen_time = sim->contexts.current->time;
}

/* There is no context, or the call comes from inside: says so. */
sal_status sal__report_unusable(const sal_simulator *sim, sal_report *report);
/* Advances to t, and says in the report if the limit of steps ends the call before. */
sal_status sal__advance_to(sal_simulator *sim, double t, bool interruptible, sal_report *report);

/* ---- simulator_api.c ---- */

/* As sal_simulator_observe, for an observer that hears of events only: time may pass without it. */
sal_status sal__observe_events(sal_simulator *sim, sal_observer observer, void *user, int *handle);
void sal__set_language(sal_simulator *sim, const sal__language *language);
/* Writes the text of a function's own error to an empty note. */
static inline void sal__explain(const sal_simulator *sim, sal_note *note) {
    if (!note->text[0] && sim->host.language.explain)
        sim->host.language.explain(sim->host.language.user, note);
}
bool sal__has_event(const sal_simulator *sim, int part, int event);
void sal__host_set_stories(sal_simulator *sim, bool has_stories);
void sal__host_clear(sal_simulator *sim); /* monitor, observers and watches go */
/* A request ends one call: the one that reports it. */
static inline bool sal__take_interrupt(sal_simulator *sim) {
    return sal__lower(&sim->host.interrupt);
}

/* ---- idle.c ---- */

/* Advances to t, a later time, as sal_simulator_advance_to does; `report` may be NULL. False, and nothing has changed:
 * something flows, may happen on the way or has to be told, so an advance is necessary. */
bool sal__pass_time(sal_simulator *sim, double t, sal_report *report);

/* ---- feed.c ---- */

sal_status sal__feeds_new(sal_simulator *sim);
void sal__feeds_clear(sal_simulator *sim);
/* Attach: time moves from here on. Detach: it has moved, from t0. Called only while an input is fed. */
void sal__feeds_attach(sal_simulator *sim);
void sal__feeds_detach(sal_simulator *sim, double t0);
/* The latest end of a step that may go to `next`: the end of a line; INFINITY if no line ends before. */
double sal__feeds_next_end(const sal_simulator *sim, double next);
/* Begins and ends reading the run inside its last step. The end writes the inputs at t into `view`. */
void sal__feeds_begin_lookup(sal_simulator *sim);
void sal__feeds_end_lookup(sal_simulator *sim, sal__context_data *view, double t);
uint64_t sal__feeds_hash(const sal_simulator *sim, uint64_t hash);
/* Archives the lines that continue in a snapshot of the run at t. */
void sal__feeds_archive(sal__archive *a, sal_simulator *sim, double t);
void sal__feeds_copy(sal_simulator *to, const sal_simulator *from); /* as from a snapshot */

/* ---- warnings.c ---- */

void sal__warnings_new(sal_simulator *sim);
/* `text` follows the name of the event, or of the variable, or of the part. `key`: one static word. */
void sal__warn(sal_simulator *sim, int part, int event, int variable, const char *key, const char *text);
void sal__warn_about_steps(sal_simulator *sim); /* what the integrator doubts */

/* ---- derivatives.c ---- */

sal_status sal__derivatives_new(sal_simulator *sim);
void sal__derivatives_attach(sal_simulator *sim); /* to a context */
void sal__derivatives_start(sal_simulator *sim);  /* of a run */
sal_status sal__eval_rhs(void *sim, double t, const double *x, double *dx);
/* Chooses the function that the integrator calls; again when feeding begins or ends. */
void sal__choose_rhs(sal_simulator *sim);
static inline const sal_rhs *sal__current_rhs(const sal_simulator *sim) {
    return &sim->derivatives.rhs;
}
/* In these steps of a run each evaluation is checked. */
static inline const sal_rhs *sal__rhs_of_step(const sal_simulator *sim) {
    return sal__is_rare_step(sim) ? &sim->derivatives.checked_rhs : &sim->derivatives.rhs;
}
static inline void sal__blame_part(sal_simulator *sim, int part) {
    sim->derivatives.failed_part = part;
}
/* Nothing has failed yet. If there is a single part, it is the one that would fail. */
static inline void sal__derivatives_begin_step(sal_simulator *sim) {
    sim->derivatives.failed_part = sim->derivatives.part_count == 1 ? sim->derivatives.part->part : -1;
}
static inline void sal__derivatives_end_report(sal_simulator *sim) {
    sim->derivatives.unset_variable = -1;
    sim->stray_numbers.found.kind = SAL__NO_STRAY;
}

/* ---- stray_numbers.c ---- */

/* A derivative that was not set: a number that no computation returns. */
#define SAL__UNSET UINT64_C(0x7ff85a1755a17501)
sal_status sal__stray_numbers_new(sal_simulator *sim);
/* As sal__eval_rhs; EINVAL for a number that a part does not have, which `found` then describes. */
sal_status sal__eval_rhs_with_margins(void *sim, double t, const double *x, double *dx);

/* ---- flow.c ---- */

sal_status sal__flow_new(sal_simulator *sim);
void sal__flow_attach(sal_simulator *sim);                        /* to a context and an integrator */
void sal__flow_start(sal_simulator *sim);                         /* of a run */
void sal__flow_set_boundary(sal_simulator *sim, double boundary); /* of a call */
void sal__flow_archive(sal__archive *a, sal_simulator *sim, double time, bool edited, sal__interrupted_step *rest);
void sal__flow_copy(sal_simulator *to, const sal_simulator *from, bool edited); /* as from a snapshot */
sal_status sal__flow(sal_simulator *sim, double boundary);
static inline void sal__flow_begin_call(sal_simulator *sim) {
    sim->flow.instant_steps = 0;
}
static inline void sal__flow_forget_step(sal_simulator *sim) {
    sim->flow.has_dense_step = false;
}
static inline void sal__set_flow_state(sal_simulator *sim, double t, const double *x) {
    sal__copy(sim->contexts.current->block, x, sim->plan->nx);
    sim->flow.step_start = sim->contexts.current->time;
    sal__context_data_look(sim->contexts.current, t, NULL);
}
/* end_step: the step ends at the run's time. interrupt: the flow continues along the step as it was integrated. */
static inline void sal__flow_end_step(sal_simulator *sim) {
    sim->flow.interrupted_step.is_pending = false;
}
static inline void sal__flow_interrupt(sal_simulator *sim, double t0, double t1, double theta, double max_next_step) {
    sim->flow.interrupted_step = (sal__interrupted_step){true, t0, t1, theta, max_next_step};
}
/* The theta from which the flow goes on in its step: that of the event that interrupted it, or 0. */
static inline double sal__flow_from(const sal_simulator *sim) {
    return sim->flow.interrupted_step.is_pending ? sim->flow.interrupted_step.theta : 0;
}
/* A step failed, for the reason that the integrator or the right-hand side knows. */
sal_status sal__report_step(sal_simulator *sim, sal_status status);
/* Discards the rest of an interrupted step; or the step and everything known of it. */
void sal__discard_rest(sal_simulator *sim);
void sal__discard_step(sal_simulator *sim);
/* Discards the future only: the last step stays valid, and so does its dense output. */
void sal__discard_future(sal_simulator *sim);

/* ---- snapshot.c ---- */

/* The numbers of a context, with their rules. */
void sal__block_archive(sal__archive *a, sal_simulator *sim, sal__context_data *data);
/* As sal_simulator_load, for bytes that this simulator has loaded before and that have not changed since: their rules
 * hold, and there is room for them. A sweep to 0.3 s takes 5 % less time. */
sal_status sal__simulator_reload(sal_simulator *sim, const void *bytes, size_t size);

/* A load in two halves, for several simulators at once. prepare: everything that can fail, and the run does not change;
 * take: the rest, of the same bytes, with nothing in between. */
sal_status sal__snapshot_prepare(sal_simulator *sim, const void *bytes, size_t size);
sal_status sal__snapshot_take(sal_simulator *sim, const void *bytes, size_t size);

/* Calls `list` with each field of a snapshot taken now, and with its position; for tests. */
void sal__snapshot_fields(const sal_simulator *sim, void (*list)(void *user, sal__field field, size_t at, size_t bytes),
                          void *user);

/* ---- constraint/projection.c ---- */

sal_status sal__projection_new(sal_simulator *sim);
/* After a change of the integrator or the context. */
void sal__projection_attach(sal_simulator *sim);
void sal__projection_check_step(sal_simulator *sim); /* warns of derivatives that leave the constraints */
/* Reports which constraint is not met, after the text `before`. Returns `status`. */
sal_status sal__report_unmet_constraint(sal_simulator *sim, sal_status status, int part, const char *before);
/* At the start of a run: checks what the model declares of its constraints. */
sal_status sal__projection_start(sal_simulator *sim);
/* Projects x, the state at t. SAL_RETRY: no state nearby meets the constraints. */
sal_status sal__project(sal_simulator *sim, double t, double *x);
/* Projects the context, if the state moves by at most `most` units of the error weights. */
sal_status sal__project_context(sal_simulator *sim, double most);
/* After updates. Parts that move are staged, so the instant can be undone. */
sal_status sal__projection_update(sal_simulator *sim);
static inline sal_status sal__project_updated(sal_simulator *sim) {
    return sim->projection ? sal__projection_update(sim) : SAL_OK;
}

/* ---- initialize.c ---- */

void sal__initialize(sal_simulator *sim, bool suppress, bool consistent);
void sal__forget_progress(sal_simulator *sim); /* what a run has from its initialization on */
static inline bool sal__nothing_to_publish(const sal_simulator *sim) {
    return sim->schedule.events_by[SAL_ON_STEP][SAL_PUBLISH].count == 0 && !sal__has_fired_publish(sim) &&
           !sim->config.publish_every_step && !sal__schedule_is_due(sim, SAL__PUBLISHES);
}
/* Publishes that are due, after those of `more` (or NULL); `forced`: those on demand too. */
void sal__publish(sal_simulator *sim, const sal__events *more, bool forced);
void sal__call_monitor(sal_simulator *sim);
/* Publishes, then calls the monitor. All of them run, even after one fails. */
static inline void sal__publish_and_monitor(sal_simulator *sim) {
    if (!sal__nothing_to_publish(sim))
        sal__publish(sim, NULL, sim->config.publish_every_step);
    if (SAL__RARELY(sim->host.monitor))
        sal__call_monitor(sim);
}

#endif
