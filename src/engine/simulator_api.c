/* Settings and queries between calls: the context, its settings, events
 * from outside, who watches. */
#include <math.h>
#include <string.h>

#include "simulator.h"

sal_context *sal_simulator_context(sal_simulator *sim) {
    return sim->run_state.no_context ? NULL : sim->contexts.current->part_context;
}

/* Whatever looks at the context's parts looks at the new one's. */
static void attach(sal_simulator *sim, sal__context_data *context) {
    sim->contexts.current = context;
    sim->contexts.next->origin = sim->contexts.pre_step->origin = context;
    for (int i = 0; i < sim->flow.derivative_part_count; i++)
        sim->flow.derivative_part[i].ctx = &context->part_context[sim->flow.derivative_part[i].part];
    for (int i = 0; i < sim->witnesses.capacity; i++)
        sim->witnesses.item[i].info.ctx =
            &context->part_context[sim->plan->event[sim->witnesses.item[i].info.event].part];
    for (int i = 0; i < sim->conditions.count; i++)
        sal__condition_attach(&sim->conditions.item[i], context);
    sim->run_state.initialized = sim->flow.has_dense_step = sim->flow.interrupted_step.is_pending = false;
    sal__feeds_clear(sim);
    sal__transaction_drop_mirrors(sim);
    sal__projection_attach(sim);
}

sal_status sal_simulator_reset_context(sal_simulator *sim, sal_context *context) {
    if (!sal__at_rest(sim))
        return SAL_ESTATE;
    if (context && context->data->plan != sim->plan)
        return SAL_EINVAL;
    if (!context) {
        sim->run_state.no_context = true; /* the old one stays, unseen, so that nothing needs to ask */
        sim->run_state.initialized = false;
        return SAL_OK;
    }
    const sal_status status = sal__delays_attach(sim, sim->integrator, context->data);
    if (status != SAL_OK)
        return status;
    if (context->data != sim->contexts.current)
        sal_context_free(sim->contexts.current->part_context);
    attach(sim, context->data);
    sim->run_state.no_context = false;
    return SAL_OK;
}

/* A stand-in takes its place, unseen. */
sal_context *sal_simulator_release_context(sal_simulator *sim) {
    sal__context_data *stand_in = NULL;
    if (sal__check_usable(sim) != SAL_OK || sal__clone_context_data(sim, &stand_in) != SAL_OK)
        return NULL;
    sal_context *released = sim->contexts.current->part_context;
    sim->contexts.current->delay_state = NULL;
    attach(sim, stand_in);
    sim->run_state.no_context = true;
    return released;
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
    return sim->run_state.step_start;
}

sal_status sal_simulator_set_integrator(sal_simulator *sim, const sal_integrator_config *config) {
    if (!sal__at_rest(sim))
        return SAL_ESTATE;
    if (!config || sal_integrator_config_check(config, NULL) != SAL_OK)
        return SAL_EINVAL;
    return sal__make_integrator(sim, config);
}

sal_status sal_simulator_set_context_accuracy(sal_simulator *sim, double accuracy) {
    if (!sal__at_rest(sim))
        return SAL_ESTATE;
    if (accuracy <= 0)
        return SAL_EINVAL;
    sim->config.context_accuracy = accuracy;
    return SAL_OK;
}

void sal_simulator_set_monitor(sal_simulator *sim, sal_monitor monitor, void *user) {
    sim->host.monitor = monitor;
    sim->host.monitor_user = user;
}

/* The right-hand side's `user` is the simulator (flow.c). */
static sal_status jacobian_at(void *user, double t, const double *x, double *j) {
    sal_simulator *sim = user;
    sal__context_data_look(sim->contexts.current, t, x);
    return sim->host.jacobian(sim->host.jacobian_user, sim->contexts.current->part_context, j);
}

void sal__attach_jacobian(sal_simulator *sim) {
    sal_integrator_config *own = &sim->config.integrator;
    if (own->jacobian == jacobian_at) /* a copy of what an integrator tells of itself */
        own->jacobian = NULL;
    sal_integrator_set_jacobian(sim->integrator, sim->host.jacobian ? jacobian_at : own->jacobian,
                                own->central_differences);
}

sal_status sal_simulator_set_jacobian(sal_simulator *sim, sal_model_jacobian jacobian, void *user) {
    if (!sal__at_rest(sim))
        return SAL_ESTATE;
    sim->host.jacobian = jacobian;
    sim->host.jacobian_user = user;
    sal__attach_jacobian(sim);
    return SAL_OK;
}

void sal_simulator_set_publish_every_step(sal_simulator *sim, bool publish) {
    sim->config.publish_every_step = publish;
}

void sal_simulator_set_publish_at_initialization(sal_simulator *sim, bool publish) {
    sim->config.publish_at_initialization = publish;
}

void sal_simulator_set_target_realtime_rate(sal_simulator *sim, double rate) {
    sim->config.target_realtime_rate = rate;
}

double sal_simulator_actual_realtime_rate(const sal_simulator *sim) {
    if (!sim->config.clock || isnan(sim->host.real_origin))
        return NAN;
    return (sim->contexts.current->time - sim->host.time_origin) /
           (sim->config.clock(sim->config.clock_user) - sim->host.real_origin);
}

sal_simulator_stats sal_simulator_statistics(const sal_simulator *sim) {
    sal_simulator_stats stats = sim->host.stats;
    stats.derivative_evaluations = sal_integrator_statistics(sim->integrator)->derivative_evaluations;
    return stats;
}

void sal_simulator_reset_statistics(sal_simulator *sim) {
    memset(&sim->host.stats, 0, sizeof sim->host.stats);
    sal_integrator_reset_statistics(sim->integrator);
    sim->host.time_origin = sim->contexts.current->time;
    sim->host.real_origin = sim->config.clock ? sim->config.clock(sim->config.clock_user) : NAN;
}

/* ---- events from outside ---- */

static bool is_known(const sal_simulator *sim, int part, int event) {
    return part >= 0 && part < sim->plan->part_count && event >= 0 &&
           event < sim->plan->part[part].system->events.count;
}

sal_status sal_simulator_schedule(sal_simulator *sim, int part, int event, double t, int64_t *handle) {
    if (sal__check_usable(sim) != SAL_OK)
        return SAL_ESTATE;
    if (!is_known(sim, part, event) || !(t >= sim->contexts.current->time))
        return SAL_EINVAL;
    const int planned = sim->plan->part[part].event_at + event;
    if (sim->plan->event[planned].config->trigger != SAL_ON_DEMAND)
        return SAL_EINVAL;
    sal__event_calendar *calendar = &sim->schedule.calendar;
    if (sal__calendar_reserve(&sim->mem, calendar, sal__calendar_count(calendar) + 1) != SAL_OK ||
        sal__dispatch_reserve(sim) != SAL_OK)
        return SAL_ENOMEM;
    sal__calendar_add(calendar, sal__schedule_queue_of(sim->plan->event[planned].kind), planned, t,
                      ++calendar->last_number);
    if (handle)
        *handle = calendar->last_number;
    return SAL_OK;
}

sal_status sal_simulator_cancel(sal_simulator *sim, int64_t handle) {
    if (sal__check_usable(sim) != SAL_OK)
        return SAL_ESTATE;
    if (handle < 1 || handle > sim->schedule.calendar.last_number)
        return SAL_EINVAL;
    sal__scheduled_event *entry = sal__calendar_find(&sim->schedule.calendar, handle);
    if (!entry)
        return SAL_ETIME;
    sal__calendar_remove(&sim->schedule.calendar, entry);
    return SAL_OK;
}

sal_status sal_simulator_demand(sal_simulator *sim, int part, int event) {
    return sal_simulator_schedule(sim, part, event, sim->contexts.current->time, NULL);
}

/* ---- watching ---- */

sal_status sal_simulator_observe(sal_simulator *sim, sal_observer observer, void *user, int *handle) {
    if (!observer || !handle)
        return SAL_EINVAL;
    for (int i = 0; i < SAL__MAX_OBSERVERS; i++)
        if (!sim->host.observer[i].function) {
            sim->host.observer[i] = (sal__observer){observer, user};
            sim->host.observer_count = i + 1 > sim->host.observer_count ? i + 1 : sim->host.observer_count;
            *handle = i;
            return SAL_OK;
        }
    return SAL_ENOMEM;
}

void sal_simulator_unobserve(sal_simulator *sim, int handle) {
    if (handle >= 0 && handle < SAL__MAX_OBSERVERS)
        sim->host.observer[handle].function = NULL;
}

/* What flows, within the last step, into the view. */
static sal_status look_between(sal_simulator *sim, double t) {
    const double now = sim->contexts.current->time;
    const sal_rhs rhs = sal__current_rhs(sim);
    sal_status status = sal_integrator_prepare_dense(sim->integrator, &rhs);
    if (status == SAL_OK) {
        const double t0 = sal_integrator_start_time(sim->integrator), t1 = sal_integrator_end_time(sim->integrator);
        sal_integrator_interpolate(sim->integrator, (t - t0) / (t1 - t0), sim->contexts.lookup->block);
        status = sal__project(sim, t, sim->contexts.lookup->block);
    }
    sal__context_data_look(sim->contexts.current, now, NULL);
    return status;
}

sal_status sal_simulator_state_at(sal_simulator *sim, double t, const sal_context **ctx) {
    const double start = sim->run_state.step_start, now = sim->contexts.current->time;
    if (sal__begin_reading(sim) != SAL_OK)
        return SAL_ESTATE;
    if (t == now)
        *ctx = sim->contexts.current->part_context;
    if (t == now || !(t >= start && t < now) || (sim->plan->nx > 0 && !sim->flow.has_dense_step))
        return sal__end_reading(sim, t == now ? SAL_OK : SAL_EINVAL);
    memcpy(sim->contexts.lookup->block, sim->contexts.current->block,
           (size_t)sim->contexts.current->block_size * sizeof(double));
    sal__context_data_touch(sim->contexts.lookup);
    sim->contexts.lookup->origin = sim->contexts.current; /* abstract state does not flow */
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
    const bool known = is_known(sim, part, event);
    const sal_system *sys = known ? sim->plan->part[part].system : NULL;
    if (sal__begin_reading(sim) != SAL_OK)
        return SAL_ESTATE;
    if (!known || sys->behaviour->witness == NULL || sal_system_event(sys, event)->trigger != SAL_ON_WITNESS)
        return sal__end_reading(sim, SAL_EINVAL);
    return sal__end_reading(sim,
                            sys->behaviour->witness(sys, &sim->contexts.current->part_context[part], event, value));
}

sal_status sal_simulator_derivatives(sal_simulator *sim, double *dx) {
    const double t = sim->contexts.current->time;
    if (sal__begin_reading(sim) != SAL_OK)
        return SAL_ESTATE;
    const sal_status status = sal__eval_rhs(sim, t, sim->contexts.current->block, dx);
    sal__context_data_look(sim->contexts.current, t, NULL);
    return sal__end_reading(sim, status);
}

const sal_allocator *sal_simulator_allocator(const sal_simulator *sim) {
    return &sim->mem;
}
