/* A simulator's life and settings. */
#include <math.h>
#include <string.h>

#include "engine.h"

sal_simulator_config sal_simulator_config_default(void) {
    return (sal_simulator_config){
        .size = sizeof(sal_simulator_config),
        .integrator = sal_integrator_config_default(),
        .context_accuracy = NAN,
        .isolation = true,
        .isolation_window = NAN,
        .characteristic_time = 1,
        .interior = true,
        .max_events_per_instant = 1000,
    };
}

static sal_status set_weights(const sal_simulator *sim, sal_integrator *in) {
    for (int i = 0; i < sim->plan->parts; i++) {
        const sal__part *part = &sim->plan->part[i];
        for (int p = SAL_Q; p <= SAL_Z; p++)
            for (int k = 0; k < part->system->size[p]; k++) {
                const bool relative = !part->system->absolute[p].item[k] && !sim->config.absolute_weights;
                double weight = part->system->weight[p].item[k];
                if (p == SAL_V)
                    weight *= sim->config.characteristic_time;
                if (p == SAL_Q && part->system->behaviour->velocity_map)
                    weight = 1;  /* N W N+ weighs it */
                if (weight >= 0) /* a negative one is refused at initialize */
                    sal_integrator_set_weight(in, part->at[p] + k, weight, relative);
            }
    }
    return SAL_OK;
}

static sal_status make_integrator(sal_simulator *sim, const sal_integrator_config *config) {
    sal_integrator *in = NULL;
    sal_integrator_config full = *config;
    double *mass = NULL;
    sal_status status = sal__mass_new(sim, &mass);
    full.mass = mass;
    if (sim->moment && (mass || !sal_method_takes_past(config->method)))
        status = SAL_EINVAL; /* the past is made of derivatives, and of steps tried again */
    if (status == SAL_OK)
        status = sal_integrator_new(&sim->mem, &full, sim->plan->nx, &in);
    sal__free(&sim->mem, mass, sal__mass_bytes(sim));
    if (status != SAL_OK)
        return status;
    sim->has_mass = mass != NULL;
    set_weights(sim, in);
    sal_integrator_set_split(in, sim->plan->size[SAL_Q], sim->plan->size[SAL_V]);
    sal_integrator_free(sim->in);
    sim->in = in;
    sal__projection_attach(sim);
    sim->config.integrator = *config;
    sim->initialized = false;
    sim->step_dense = false;
    sim->rest.there = false;
    return sal__delays_attach(sim);
}

static sal_status clone_store(const sal_simulator *sim, sal__store **out) {
    sal_context *ctx = NULL;
    const sal_status status = sal_context_clone(sim->run->window, &ctx);
    if (status == SAL_OK)
        *out = ctx->root;
    return status;
}

static sal_status make_roots(sal_simulator *sim) {
    sal_status status = clone_store(sim, &sim->staged);
    if (status == SAL_OK)
        status = clone_store(sim, &sim->view);
    if (status == SAL_OK)
        status = clone_store(sim, &sim->before);
    if (status != SAL_OK)
        return status;
    sim->staged->origin = sim->run;
    sim->before->origin = sim->run;
    return SAL_OK;
}

static sal_status make_scratch(sal_simulator *sim) {
    const size_t words = (size_t)sim->run->words * sizeof(double), parts = (size_t)sim->plan->parts;
    sim->undo = sal__alloc(&sim->mem, words);
    sim->saved = sal__alloc(&sim->mem, words);
    sim->scratch = sal__alloc(&sim->mem, words);
    sim->rate = sal__alloc(&sim->mem, words);
    sim->touched = sal__alloc(&sim->mem, parts);
    sim->staging = sal__alloc(&sim->mem, parts);
    sim->swapped = sal__alloc(&sim->mem, (size_t)sim->plan->slots * sizeof(bool));
    sim->touched_part = sal__alloc(&sim->mem, parts * sizeof(int));
    sim->staged_part = sal__alloc(&sim->mem, parts * sizeof(int));
    sim->call_cap = 2 * sim->plan->events + 1;
    sim->call = sal__alloc(&sim->mem, (size_t)sim->call_cap * sizeof *sim->call);
    sim->merged = sal__alloc(&sim->mem, (size_t)sim->call_cap * sizeof *sim->merged);
    sim->ran = sal__alloc(&sim->mem, (size_t)sim->call_cap * sizeof *sim->ran);
    sim->was_edited = sal__alloc(&sim->mem, (size_t)sim->plan->slots * sizeof(bool));
    const bool all = sim->undo && sim->saved && sim->scratch && sim->rate && sim->touched && sim->staging &&
                     sim->swapped && sim->was_edited && sim->touched_part && sim->staged_part && sim->call &&
                     sim->merged && sim->ran;
    return all ? SAL_OK : SAL_ENOMEM;
}

static sal_status list_flowing(sal_simulator *sim) {
    const sal__plan *plan = sim->plan;
    sim->flowing = sal__alloc(&sim->mem, (size_t)plan->parts * sizeof *sim->flowing);
    if (!sim->flowing)
        return SAL_ENOMEM;
    for (int i = 0; i < plan->parts; i++) {
        const sal__part *part = &plan->part[i];
        const int *n = part->system->size;
        if (n[SAL_Q] + n[SAL_V] + n[SAL_Z] > 0)
            sim->flowing[sim->flows++] = (sal__flowing){part->system,
                                                        part->system->behaviour->derivatives,
                                                        &sim->run->window[i],
                                                        part->at[SAL_Q],
                                                        part->at[SAL_V],
                                                        part->at[SAL_Z],
                                                        i};
    }
    return SAL_OK;
}

static sal_status make_witnesses(sal_simulator *sim) {
    int count = 0;
    for (int i = 0; i < sim->plan->events; i++)
        count += sim->plan->event[i].config->trigger == SAL_ON_WITNESS;
    sim->witness = sal__alloc(&sim->mem, (size_t)count * sizeof *sim->witness);
    if (!sim->witness)
        return SAL_ENOMEM;
    for (int i = 0; i < sim->plan->events; i++)
        if (sim->plan->event[i].config->trigger == SAL_ON_WITNESS)
            sal__witness_make(sim, i);
    const size_t bytes = (size_t)count * sizeof(int);
    sim->looking = sal__alloc(&sim->mem, bytes);
    sim->crossing = sal__alloc(&sim->mem, bytes);
    sim->fired = sal__alloc(&sim->mem, bytes);
    sim->left = sal__alloc(&sim->mem, bytes);
    if (!sim->looking || !sim->crossing || !sim->fired || !sim->left)
        return SAL_ENOMEM;
    return SAL_OK;
}

static sal_status furnish(sal_simulator *sim) {
    sal_status status = make_roots(sim);
    if (status == SAL_OK)
        status = make_scratch(sim);
    if (status == SAL_OK)
        status = sal__timing_new(sim);
    if (status == SAL_OK)
        status = make_witnesses(sim);
    if (status == SAL_OK)
        status = list_flowing(sim);
    if (status == SAL_OK)
        status = sal__projection_new(sim);
    if (status == SAL_OK)
        status = sal__delays_new(sim);
    if (status == SAL_OK)
        status = make_integrator(sim, &sim->config.integrator);
    return status;
}

static bool is_sound(const sal_simulator_config *c) {
    return c->size == sizeof *c && c->characteristic_time > 0 && c->max_events_per_instant > 0 &&
           !(c->isolation_window <= 0) && !(c->context_accuracy <= 0) && c->target_realtime_rate >= 0 &&
           c->max_steps_per_call >= 0;
}

sal_status sal_simulator_new(const sal_allocator *allocator, sal_system *system, sal_context *context,
                             const sal_simulator_config *config, sal_simulator **out) {
    const sal_simulator_config standard = sal_simulator_config_default();
    config = config ? config : &standard;
    if (!system || !out || !is_sound(config))
        return SAL_EINVAL;
    const sal_allocator mem = sal__allocator(allocator);
    sal_context *own = context;
    sal_status status = context ? SAL_OK : sal_context_new(&mem, system, &own);
    if (status != SAL_OK)
        return status;
    sal_simulator *sim = sal__alloc(&mem, sizeof *sim);
    if (!sim) {
        if (!context)
            sal_context_free(own);
        return SAL_ENOMEM;
    }
    sim->mem = mem;
    sim->system = system;
    sim->plan = system->plan;
    sim->config = *config;
    sim->run = own->root;
    sim->run->seed = config->seed;
    sim->real_origin = NAN;
    status = furnish(sim);
    if (status != SAL_OK) {
        if (context)
            sim->run = NULL; /* stays the caller's */
        sal_simulator_free(sim);
        return status;
    }
    *out = sim;
    return SAL_OK;
}

void sal_simulator_free(sal_simulator *sim) {
    if (!sim)
        return;
    const sal_allocator mem = sim->mem;
    const size_t parts = (size_t)sim->plan->parts;
    const size_t words = sim->staged ? (size_t)sim->staged->words * sizeof(double) : 0;
    sal_integrator_free(sim->in);
    sal__projection_free(sim);
    sal__timing_free(sim);
    sal__delays_free(sim);
    int *const lists[] = {sim->looking, sim->crossing, sim->fired, sim->left};
    for (int i = 0; i < 4; i++)
        sal__free(&mem, lists[i], (size_t)sim->witnesses * sizeof(int));
    sal__free(&mem, sim->witness, (size_t)sim->witnesses * sizeof *sim->witness);
    sal__free(&mem, sim->flowing, parts * sizeof *sim->flowing);
    sal__free(&mem, sim->undo, words);
    sal__free(&mem, sim->saved, words);
    sal__free(&mem, sim->scratch, words);
    sal__free(&mem, sim->rate, words);
    sal__free(&mem, sim->touched, parts);
    sal__free(&mem, sim->staging, parts);
    sal__free(&mem, sim->swapped, (size_t)sim->plan->slots * sizeof(bool));
    sal__free(&mem, sim->was_edited, (size_t)sim->plan->slots * sizeof(bool));
    sal__free(&mem, sim->touched_part, parts * sizeof(int));
    sal__free(&mem, sim->staged_part, parts * sizeof(int));
    sal__free(&mem, sim->call, (size_t)sim->call_cap * sizeof *sim->call);
    sal__free(&mem, sim->merged, (size_t)sim->call_cap * sizeof *sim->merged);
    sal__free(&mem, sim->ran, (size_t)sim->call_cap * sizeof *sim->ran);
    sal__store *roots[] = {sim->run, sim->staged, sim->view, sim->before};
    for (int i = 0; i < 4; i++)
        if (roots[i])
            sal_context_free(roots[i]->window);
    sal__free(&mem, sim, sizeof *sim);
}

/* ---- settings and questions ---- */

sal_context *sal_simulator_context(sal_simulator *sim) {
    return sim->away ? NULL : sim->run->window;
}

/* Whatever looks at the context's parts looks at the new one's. */
static void attach(sal_simulator *sim, sal__store *run) {
    sim->run = run;
    sim->staged->origin = sim->before->origin = run;
    for (int i = 0; i < sim->flows; i++)
        sim->flowing[i].ctx = &run->window[sim->flowing[i].part];
    for (int i = 0; i < sim->witnesses; i++)
        sim->witness[i].ctx = &run->window[sim->plan->event[sim->witness[i].event].part];
    sim->initialized = sim->step_dense = sim->rest.there = false;
    sal__projection_attach(sim);
}

sal_status sal_simulator_reset_context(sal_simulator *sim, sal_context *context) {
    if (sim->running)
        return SAL_ESTATE;
    if (context && context->root->plan != sim->plan)
        return SAL_EINVAL;
    if (!context) {
        sim->away = true; /* the old one stays, unseen, so that nothing needs to ask */
        sim->initialized = false;
        return SAL_OK;
    }
    if (context->root != sim->run)
        sal_context_free(sim->run->window);
    attach(sim, context->root);
    sim->away = false;
    return SAL_OK;
}

/* A stand-in takes its place, unseen. */
sal_context *sal_simulator_release_context(sal_simulator *sim) {
    sal__store *stand_in = NULL;
    if (sim->running || sim->away || clone_store(sim, &stand_in) != SAL_OK)
        return NULL;
    sal_context *released = sim->run->window;
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
    return sim->running ? SAL_ESTATE : make_integrator(sim, config);
}

sal_status sal_simulator_set_context_accuracy(sal_simulator *sim, double accuracy) {
    if (accuracy <= 0)
        return SAL_EINVAL;
    sim->config.context_accuracy = accuracy;
    return SAL_OK;
}

void sal_simulator_set_monitor(sal_simulator *sim, sal_monitor monitor, void *user) {
    sim->monitor = monitor;
    sim->monitor_user = user;
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
    const int wanted = 2 * sim->plan->events + 1 + sim->agenda_cap;
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
    sal__free(&sim->mem, sim->ran, (size_t)sim->call_cap * sizeof *ran);
    sim->call = call;
    sim->merged = merged;
    sim->ran = ran;
    sim->call_cap = wanted;
    return SAL_OK;
}

sal_status sal_simulator_schedule(sal_simulator *sim, int part, int event, double t) {
    const bool known =
        part >= 0 && part < sim->plan->parts && event >= 0 && event < sim->plan->part[part].system->events.count;
    if (!known || !(t >= sim->run->time))
        return SAL_EINVAL;
    if (sim->running)
        return SAL_ESTATE;
    const int planned = sim->plan->part[part].event_at + event;
    if (sim->plan->event[planned].config->trigger != SAL_ON_DEMAND)
        return SAL_EINVAL;
    if (sal__grow(&sim->mem, (void **)&sim->agenda, sim->scheduled, &sim->agenda_cap, sizeof *sim->agenda) != SAL_OK ||
        sal__grow_calls(sim) != SAL_OK)
        return SAL_ENOMEM;
    sim->agenda[sim->scheduled++] = (sal__scheduled){t, planned};
    return SAL_OK;
}

sal_status sal_simulator_demand(sal_simulator *sim, int part, int event) {
    return sal_simulator_schedule(sim, part, event, sim->run->time);
}

/* ---- watching ---- */

sal_status sal_simulator_observe(sal_simulator *sim, sal_observer observer, void *user, int *handle) {
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

sal_status sal_simulator_state_at(sal_simulator *sim, double t, const sal_context **ctx) {
    const double start = sim->step_start, now = sim->run->time;
    if (t == now) {
        *ctx = sim->run->window;
        return SAL_OK;
    }
    if (!(t >= start && t < now) || (sim->plan->nx > 0 && !sim->step_dense))
        return SAL_EINVAL;
    memcpy(sim->view->block, sim->run->block, (size_t)sim->run->words * sizeof(double));
    sal__store_touch(sim->view);
    sim->view->origin = sim->run; /* abstract state does not flow */
    if (sim->plan->nx > 0) {
        const sal_rhs rhs = sal__rhs_of(sim);
        sal_status status = sal_integrator_prepare_dense(sim->in, &rhs);
        if (status == SAL_OK) {
            const double t0 = sal_integrator_start_time(sim->in), t1 = sal_integrator_end_time(sim->in);
            sal_integrator_interpolate(sim->in, (t - t0) / (t1 - t0), sim->view->block);
            status = sal__project(sim, t, sim->view->block);
        }
        sal__store_look(sim->run, now, NULL);
        if (status != SAL_OK)
            return status > 0 ? SAL_EOFF : status;
    }
    sal__store_look(sim->view, t, NULL);
    *ctx = sim->view->window;
    return SAL_OK;
}

sal_status sal_simulator_derivatives(sal_simulator *sim, double *dx) {
    const double t = sim->run->time;
    const sal_status status = sal__rhs(sim, t, sim->run->block, dx);
    sal__store_look(sim->run, t, NULL);
    return status;
}

const sal_allocator *sal_simulator_allocator(const sal_simulator *sim) {
    return &sim->mem;
}
