/* What a simulator is told and asked between calls: its context, its settings, events
 * from outside, who watches. */
#include <math.h>
#include <string.h>

#include "simulator.h"

sal_context *sal_simulator_context(sal_simulator *sim) {
    return sim->away ? NULL : sim->run->window;
}

/* Whatever looks at the context's parts looks at the new one's. */
static void attach(sal_simulator *sim, sal__store *run) {
    sim->run = run;
    sim->staged->origin = sim->before->origin = run;
    for (int i = 0; i < sim->flows; i++)
        sim->flowing[i].ctx = &run->window[sim->flowing[i].part];
    for (int i = 0; i < sim->witness_cap; i++)
        sim->witness[i].ctx = &run->window[sim->plan->event[sim->witness[i].event].part];
    for (int i = 0; i < sim->conditions; i++)
        sal__condition_attach(&sim->condition[i], run);
    sim->initialized = sim->step_dense = sim->rest.there = false;
    sal__feeds_forget(sim);
    sal__stage_anew(sim);
    sal__projection_attach(sim);
}

sal_status sal_simulator_reset_context(sal_simulator *sim, sal_context *context) {
    if (!sal__at_rest(sim))
        return SAL_ESTATE;
    if (context && context->root->plan != sim->plan)
        return SAL_EINVAL;
    if (!context) {
        sim->away = true; /* the old one stays, unseen, so that nothing needs to ask */
        sim->initialized = false;
        return SAL_OK;
    }
    const sal_status status = sal__delays_attach(sim, sim->in, context->root);
    if (status != SAL_OK)
        return status;
    if (context->root != sim->run)
        sal_context_free(sim->run->window);
    attach(sim, context->root);
    sim->away = false;
    return SAL_OK;
}

/* A stand-in takes its place, unseen. */
sal_context *sal_simulator_release_context(sal_simulator *sim) {
    sal__store *stand_in = NULL;
    if (sal__usable(sim) != SAL_OK || sal__clone_store(sim, &stand_in) != SAL_OK)
        return NULL;
    sal_context *released = sim->run->window;
    sim->run->moment = NULL;
    attach(sim, stand_in);
    sim->away = true;
    return released;
}

sal_integrator *sal_simulator_integrator(sal_simulator *sim) {
    return sim->in;
}

const sal_simulator_config *sal_simulator_config_of(const sal_simulator *sim) {
    return &sim->config;
}

bool sal_simulator_initialized(const sal_simulator *sim) {
    return sim->initialized;
}

double sal_simulator_isolation_window(const sal_simulator *sim) {
    return sal__window(sim);
}

double sal_simulator_step_start(const sal_simulator *sim) {
    return sim->step_start;
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
    sim->monitor = monitor;
    sim->monitor_user = user;
}

/* The right-hand side's `user` is the simulator (flow.c). */
static sal_status jacobian_at(void *user, double t, const double *x, double *j) {
    sal_simulator *sim = user;
    sal__store_look(sim->run, t, x);
    return sim->jacobian(sim->jacobian_user, sim->run->window, j);
}

void sal__give_jacobian(sal_simulator *sim) {
    sal_integrator_config *own = &sim->config.integrator;
    if (own->jacobian == jacobian_at) /* a copy of what an integrator tells of itself */
        own->jacobian = NULL;
    sal_integrator_set_jacobian(sim->in, sim->jacobian ? jacobian_at : own->jacobian, own->central_differences);
}

sal_status sal_simulator_set_jacobian(sal_simulator *sim, sal_model_jacobian jacobian, void *user) {
    if (!sal__at_rest(sim))
        return SAL_ESTATE;
    sim->jacobian = jacobian;
    sim->jacobian_user = user;
    sal__give_jacobian(sim);
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
    if (!sim->config.clock || isnan(sim->real_origin))
        return NAN;
    return (sim->run->time - sim->time_origin) / (sim->config.clock(sim->config.clock_user) - sim->real_origin);
}

sal_simulator_stats sal_simulator_statistics(const sal_simulator *sim) {
    sal_simulator_stats stats = sim->stats;
    stats.derivative_evaluations = sal_integrator_statistics(sim->in)->derivative_evaluations;
    return stats;
}

void sal_simulator_reset_statistics(sal_simulator *sim) {
    memset(&sim->stats, 0, sizeof sim->stats);
    sal_integrator_reset_statistics(sim->in);
    sim->time_origin = sim->run->time;
    sim->real_origin = sim->config.clock ? sim->config.clock(sim->config.clock_user) : NAN;
}

/* ---- events from outside ---- */

sal_status sal__grow_calls(sal_simulator *sim) {
    const int wanted = 2 * sim->plan->events + 1 + sim->agenda.cap;
    if (wanted <= sim->call_cap)
        return SAL_OK;
    sal__call *call = sal__alloc(&sim->mem, (size_t)wanted * sizeof *call);
    sal__call *merged = sal__alloc(&sim->mem, (size_t)wanted * sizeof *merged);
    int *ran = sal__alloc(&sim->mem, (size_t)wanted * sizeof *ran);
    if (!call || !merged || !ran) {
        sal__free(&sim->mem, call, (size_t)wanted * sizeof *call);
        sal__free(&sim->mem, merged, (size_t)wanted * sizeof *merged);
        sal__free(&sim->mem, ran, (size_t)wanted * sizeof *ran);
        return SAL_ENOMEM;
    }
    sal__free(&sim->mem, sim->call, (size_t)sim->call_cap * sizeof *call);
    sal__free(&sim->mem, sim->merged, (size_t)sim->call_cap * sizeof *merged);
    sal__free(&sim->mem, sim->ran, (size_t)sim->ran_cap * sizeof *ran);
    sim->call = call;
    sim->merged = merged;
    sim->ran = ran;
    sim->call_cap = sim->ran_cap = wanted;
    return SAL_OK;
}

static bool is_known(const sal_simulator *sim, int part, int event) {
    return part >= 0 && part < sim->plan->parts && event >= 0 && event < sim->plan->part[part].system->events.count;
}

sal_status sal_simulator_schedule(sal_simulator *sim, int part, int event, double t, int64_t *handle) {
    if (sal__usable(sim) != SAL_OK)
        return SAL_ESTATE;
    if (!is_known(sim, part, event) || !(t >= sim->run->time))
        return SAL_EINVAL;
    const int planned = sim->plan->part[part].event_at + event;
    if (sim->plan->event[planned].config->trigger != SAL_ON_DEMAND)
        return SAL_EINVAL;
    sal__agenda *agenda = &sim->agenda;
    if (sal__agenda_reserve(&sim->mem, agenda, sal__agenda_count(agenda) + 1) != SAL_OK ||
        sal__grow_calls(sim) != SAL_OK)
        return SAL_ENOMEM;
    sal__agenda_add(agenda, sal__timing_queue_of(sim->plan->event[planned].kind), planned, t, ++agenda->given);
    if (handle)
        *handle = agenda->given;
    return SAL_OK;
}

sal_status sal_simulator_cancel(sal_simulator *sim, int64_t handle) {
    if (sal__usable(sim) != SAL_OK)
        return SAL_ESTATE;
    if (handle < 1 || handle > sim->agenda.given)
        return SAL_EINVAL;
    sal__scheduled *entry = sal__agenda_find(&sim->agenda, handle);
    if (!entry)
        return SAL_ETIME;
    sal__agenda_remove(&sim->agenda, entry);
    return SAL_OK;
}

sal_status sal_simulator_demand(sal_simulator *sim, int part, int event) {
    return sal_simulator_schedule(sim, part, event, sim->run->time, NULL);
}

/* ---- watching ---- */

sal_status sal_simulator_observe(sal_simulator *sim, sal_observer observer, void *user, int *handle) {
    if (!observer || !handle)
        return SAL_EINVAL;
    for (int i = 0; i < SAL__OBSERVERS; i++)
        if (!sim->observed[i].observer) {
            sim->observed[i] = (sal__observed){observer, user};
            sim->observers = i + 1 > sim->observers ? i + 1 : sim->observers;
            *handle = i;
            return SAL_OK;
        }
    return SAL_ENOMEM;
}

void sal_simulator_unobserve(sal_simulator *sim, int handle) {
    if (handle >= 0 && handle < SAL__OBSERVERS)
        sim->observed[handle].observer = NULL;
}

/* What flows, within the last step, into the view. */
static sal_status look_between(sal_simulator *sim, double t) {
    const double now = sim->run->time;
    const sal_rhs rhs = sal__rhs_of(sim);
    sal_status status = sal_integrator_prepare_dense(sim->in, &rhs);
    if (status == SAL_OK) {
        const double t0 = sal_integrator_start_time(sim->in), t1 = sal_integrator_end_time(sim->in);
        sal_integrator_interpolate(sim->in, (t - t0) / (t1 - t0), sim->view->block);
        status = sal__project(sim, t, sim->view->block);
    }
    sal__store_look(sim->run, now, NULL);
    return status;
}

sal_status sal_simulator_state_at(sal_simulator *sim, double t, const sal_context **ctx) {
    const double start = sim->step_start, now = sim->run->time;
    if (sal__begin_reading(sim) != SAL_OK)
        return SAL_ESTATE;
    if (t == now)
        *ctx = sim->run->window;
    if (t == now || !(t >= start && t < now) || (sim->plan->nx > 0 && !sim->step_dense))
        return sal__end_reading(sim, t == now ? SAL_OK : SAL_EINVAL);
    memcpy(sim->view->block, sim->run->block, (size_t)sim->run->words * sizeof(double));
    sal__store_touch(sim->view);
    sim->view->origin = sim->run; /* abstract state does not flow */
    const bool fed = sim->feeds.count > 0;
    if (fed)
        sal__feeds_look_back(sim);
    const sal_status status = sal__end_reading(sim, sim->plan->nx > 0 ? look_between(sim, t) : SAL_OK);
    if (fed)
        sal__feeds_look_ahead(sim, sim->view, t);
    if (status != SAL_OK)
        return status > 0 ? SAL_EOFF : status;
    sal__store_look(sim->view, t, NULL);
    *ctx = sim->view->window;
    return SAL_OK;
}

sal_status sal_simulator_witness_value(sal_simulator *sim, int part, int event, double *value) {
    const bool known = is_known(sim, part, event);
    const sal_system *sys = known ? sim->plan->part[part].system : NULL;
    if (sal__begin_reading(sim) != SAL_OK)
        return SAL_ESTATE;
    if (!known || sys->behaviour->witness == NULL || sal_system_event(sys, event)->trigger != SAL_ON_WITNESS)
        return sal__end_reading(sim, SAL_EINVAL);
    return sal__end_reading(sim, sys->behaviour->witness(sys, &sim->run->window[part], event, value));
}

sal_status sal_simulator_derivatives(sal_simulator *sim, double *dx) {
    const double t = sim->run->time;
    if (sal__begin_reading(sim) != SAL_OK)
        return SAL_ESTATE;
    const sal_status status = sal__rhs(sim, t, sim->run->block, dx);
    sal__store_look(sim->run, t, NULL);
    return sal__end_reading(sim, status);
}

const sal_allocator *sal_simulator_allocator(const sal_simulator *sim) {
    return &sim->mem;
}
