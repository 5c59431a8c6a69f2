/* Queries and settings between calls: the context, its settings, events from outside, observers. */
#include <math.h>
#include <string.h>

#include "simulator.h"

void sal__host_clear(sal_simulator *sim) {
    sim->host.monitor = NULL;
    for (int i = 0; i < sim->host.observer_count; i++)
        sim->host.observer[i].function = NULL;
    sim->host.observer_count = sim->host.step_observer_count = 0;
    sal__watches_clear(sim);
}

void sal__host_set_stories(sal_simulator *sim, bool has_stories) {
    sim->host.has_stories = has_stories;
}

void sal__set_language(sal_simulator *sim, const sal__language *language) {
    sim->host.language = *language;
}

/* ---- refusals ---- */

void sal__log(const sal_simulator *sim, const char *sentence) {
    if (sim->config.log)
        sim->config.log(sim->config.log_user, sentence);
}

sal_status sal__refuse_call(sal_simulator *sim, sal_status status, const char *const *pieces) {
    sal_note *note = &sim->host.trouble;
    const bool named = sim->system->name[0] != '\0';
    size_t at = sal__write_pieces(note->text, sizeof note->text, SAL__PIECES(sim->system->name, named ? ": " : ""));
    at = at < sizeof note->text ? at : sizeof note->text - 1;
    sal__write_pieces(note->text + at, sizeof note->text - at, pieces);
    sal__log(sim, note->text);
    return status;
}

sal_status sal__refuse_no_result(sal_simulator *sim) {
    return SAL__REFUSE_CALL(sim, SAL_EINVAL, "the place for the result is NULL; give the address of a variable");
}

sal_status sal__refuse_state(sal_simulator *sim) {
    return SAL__REFUSE_CALL(sim, SAL_ESTATE,
                            sal__at_rest(sim)
                                ? "there is no context; give it one by sal_simulator_reset_context"
                                : "called from inside of the run, by a function of the model or an observer; call it "
                                  "after that has ended");
}

const char *sal_simulator_trouble(const sal_simulator *sim) {
    return sim ? sim->host.trouble.text
               : "there is no simulator: the pointer is NULL; sal_system_trouble says why sal_simulator_new refused it";
}

/* ---- queries ---- */

sal_context *sal_simulator_context(sal_simulator *sim) {
    return sim->contexts.is_hidden ? NULL : sim->contexts.current->part_context;
}

sal_integrator *sal_simulator_integrator(sal_simulator *sim) {
    return sim->integrator;
}

const sal_simulator_config *sal_simulator_config_of(const sal_simulator *sim) {
    return &sim->config;
}

bool sal_simulator_is_initialized(const sal_simulator *sim) {
    return sim->run_state.initialized;
}

double sal_simulator_isolation_window(const sal_simulator *sim) {
    return sal__isolation_window(sim);
}

double sal_simulator_step_start(const sal_simulator *sim) {
    return sim->flow.step_start;
}

void sal_simulator_set_monitor(sal_simulator *sim, sal_monitor monitor, void *user) {
    sim->host.monitor = monitor;
    sim->host.monitor_user = user;
}

void sal_simulator_interrupt(sal_simulator *sim) {
    sal__raise(&sim->host.interrupt);
}

double sal_simulator_next_time(const sal_simulator *sim) {
    const double now = sim->contexts.current->time;
    if (!sim->run_state.initialized)
        return now;
    return sal__max(now,
                    sal__min(sal__schedule_next_time(sim, SAL__PUBLISHES), sal__schedule_next_time(sim, SAL__UPDATES)));
}

sal_simulator_stats sal_simulator_statistics(const sal_simulator *sim) {
    sal_simulator_stats stats = sim->host.stats;
    stats.derivative_evaluations = sal_integrator_statistics(sim->integrator)->derivative_evaluations;
    return stats;
}

void sal_simulator_reset_statistics(sal_simulator *sim) {
    memset(&sim->host.stats, 0, sizeof sim->host.stats);
    sal_integrator_reset_statistics(sim->integrator);
    sal__pacing_start(sim);
}

bool sal__has_event(const sal_simulator *sim, int part, int event) {
    return part >= 0 && part < sim->plan->part_count && event >= 0 &&
           event < sim->plan->part[part].system->events.count;
}

static sal_status observe(sal_simulator *sim, sal__observer observer, int *handle) {
    if (!observer.function || !handle)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "an observer, or the place for its handle, is NULL; give both");
    for (int i = 0; i < SAL__MAX_OBSERVERS; i++)
        if (!sim->host.observer[i].function) {
            sim->host.observer[i] = observer;
            sim->host.observer_count = i + 1 > sim->host.observer_count ? i + 1 : sim->host.observer_count;
            sim->host.step_observer_count += !observer.hears_events_only;
            *handle = i;
            return SAL_OK;
        }
    return SAL__REFUSE_CALL(sim, SAL_ENOMEM, "there are too many observers; remove one by sal_simulator_unobserve");
}

sal_status sal_simulator_observe(sal_simulator *sim, sal_observer observer, void *user, int *handle) {
    return observe(sim, (sal__observer){observer, user, false}, handle);
}

sal_status sal__observe_events(sal_simulator *sim, sal_observer observer, void *user, int *handle) {
    return observe(sim, (sal__observer){observer, user, true}, handle);
}

void sal_simulator_unobserve(sal_simulator *sim, int handle) {
    if (handle < 0 || handle >= SAL__MAX_OBSERVERS || !sim->host.observer[handle].function)
        return;
    sim->host.observer[handle].function = NULL;
    sim->host.step_observer_count -= !sim->host.observer[handle].hears_events_only;
}

/* Writes the continuous state within the last step into the view. */
static sal_status look_between(sal_simulator *sim, double t) {
    const double now = sim->contexts.current->time;
    const sal_rhs *rhs = sal__current_rhs(sim);
    sal_status status = sal_integrator_prepare_dense(sim->integrator, rhs);
    if (status == SAL_OK) {
        const double t0 = sal_integrator_start_time(sim->integrator), t1 = sal_integrator_end_time(sim->integrator);
        sal_integrator_interpolate(sim->integrator, (t - t0) / (t1 - t0), sim->contexts.lookup->block);
        status = sal__project(sim, t, sim->contexts.lookup->block);
    }
    sal__context_data_look(sim->contexts.current, now, NULL);
    return status;
}

sal_status sal_simulator_state_at(sal_simulator *sim, double t, const sal_context **ctx) {
    const double start = sim->flow.step_start, now = sim->contexts.current->time;
    if (sal__begin_reading(sim) != SAL_OK)
        return sal__refuse_state(sim);
    if (t == now)
        *ctx = sim->contexts.current->part_context;
    if (t == now)
        return sal__end_reading(sim, SAL_OK);
    if (!(t >= start && t < now) || (sim->plan->nx > 0 && !sim->flow.has_dense_step))
        return SAL__REFUSE_CALL(sim, sal__end_reading(sim, SAL_EINVAL), "the time ", sal__time_text(t).text,
                                " is not inside the last step, from ", sal__time_text(start).text, " to ",
                                sal__time_text(now).text, "; sal_simulator_step_start returns its start");
    memcpy(sim->contexts.lookup->block, sim->contexts.current->block,
           (size_t)sim->contexts.current->block_size * sizeof(double));
    sal__context_data_touch(sim->contexts.lookup);
    sim->contexts.lookup->origin = sim->contexts.current; /* abstract state does not change within a step */
    const bool fed = sim->feeds.count > 0;
    if (fed)
        sal__feeds_begin_lookup(sim);
    const sal_status status = sal__end_reading(sim, sim->plan->nx > 0 ? look_between(sim, t) : SAL_OK);
    if (fed)
        sal__feeds_end_lookup(sim, sim->contexts.lookup, t);
    if (status != SAL_OK)
        return status > 0 ? SAL_EOFF : status;
    sal__context_data_look(sim->contexts.lookup, t, NULL);
    *ctx = sim->contexts.lookup->part_context;
    return SAL_OK;
}

sal_status sal_simulator_witness_value(sal_simulator *sim, int part, int event, double *value) {
    const bool known = sal__has_event(sim, part, event);
    const sal_system *sys = known ? sim->plan->part[part].system : NULL;
    if (!value)
        return sal__refuse_no_result(sim);
    if (sal__begin_reading(sim) != SAL_OK)
        return sal__refuse_state(sim);
    if (!known || sys->behaviour->witness == NULL || sal_system_event(sys, event)->trigger != SAL_ON_WITNESS)
        return SAL__REFUSE_CALL(sim, sal__end_reading(sim, SAL_EINVAL), "event ", sal__whole_number(event).text,
                                " of part ", sal__whole_number(part).text,
                                " has no witness; use one with SAL_ON_WITNESS");
    return sal__end_reading(sim,
                            sys->behaviour->witness(sys, &sim->contexts.current->part_context[part], event, value));
}

sal_status sal_simulator_derivatives(sal_simulator *sim, double *dx) {
    const double t = sim->contexts.current->time;
    if (!dx)
        return sal__refuse_no_result(sim);
    if (sal__begin_reading(sim) != SAL_OK)
        return sal__refuse_state(sim);
    const sal_status status = sal__eval_rhs(sim, t, sim->contexts.current->block, dx);
    sal__context_data_look(sim->contexts.current, t, NULL);
    return sal__end_reading(sim, status);
}

const sal_allocator *sal_simulator_allocator(const sal_simulator *sim) {
    return &sim->pool.mem;
}
