/* A simulator's life: what it is made of, and how that goes. */
#include <math.h>
#include <string.h>

#include "simulator.h"

sal_simulator_config sal_simulator_config_default(void) {
    return (sal_simulator_config){
        .size = sizeof(sal_simulator_config),
        .integrator = sal_integrator_config_default(),
        .context_accuracy = NAN,
        .isolation = true,
        .isolation_window = NAN,
        .characteristic_time = 1,
        .interior_search = true,
        .max_events_per_instant = 1000,
    };
}

static sal_status set_weights(const sal_simulator *sim, sal_integrator *in) {
    for (int i = 0; i < sim->plan->part_count; i++) {
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

sal_status sal__make_integrator(sal_simulator *sim, const sal_integrator_config *config) {
    sal_integrator *in = NULL;
    sal_integrator_config full = *config;
    double *mass = NULL;
    sal_status status = sal__mass_new(sim, &mass);
    full.mass = mass;
    if (sim->delay_state && (mass || !sal_method_takes_past(config->method)))
        status = SAL_EINVAL; /* the past is made of derivatives, and of steps tried again */
    if (status == SAL_OK)
        status = sal_integrator_new(&sim->mem, &full, sim->plan->nx, &in);
    sal__free(&sim->mem, mass, sal__mass_bytes(sim));
    if (status == SAL_OK)
        status = sal__delays_attach(sim, in, sim->contexts.current);
    if (status != SAL_OK) {
        sal_integrator_free(in);
        return status;
    }
    sim->flow.has_mass = mass != NULL;
    set_weights(sim, in);
    sal_integrator_set_split(in, sim->plan->size[SAL_Q], sim->plan->size[SAL_V]);
    sal_integrator_free(sim->integrator);
    sim->integrator = in;
    sal__projection_attach(sim);
    sim->config.integrator = *config;
    sal__attach_jacobian(sim);
    sim->run_state.initialized = false;
    sim->flow.has_dense_step = false;
    sim->flow.interrupted_step.is_pending = false;
    return SAL_OK;
}

sal_status sal__clone_context_data(const sal_simulator *sim, sal__context_data **out) {
    sal_context *ctx = NULL;
    const sal_status status = sal_context_clone(sim->contexts.current->part_context, &ctx);
    if (status == SAL_OK)
        *out = ctx->data;
    return status;
}

static sal_status make_roots(sal_simulator *sim) {
    sal_status status = sal__clone_context_data(sim, &sim->contexts.next);
    if (status == SAL_OK)
        status = sal__clone_context_data(sim, &sim->contexts.lookup);
    if (status == SAL_OK)
        status = sal__clone_context_data(sim, &sim->contexts.pre_step);
    if (status != SAL_OK)
        return status;
    sim->contexts.next->origin = sim->contexts.current;
    sim->contexts.pre_step->origin = sim->contexts.current;
    return SAL_OK;
}

static sal_status make_scratch(sal_simulator *sim) {
    const int numbers = sim->contexts.current->block_size;
    sim->flow.scratch = sal__pool_alloc(&sim->pool, numbers, sizeof(double));
    sim->flow.rate = sal__pool_alloc(&sim->pool, numbers, sizeof(double));
    sim->host.warning = sal__pool_alloc(&sim->pool, SAL_WARNINGS, sizeof *sim->host.warning);
    return sal__pool_status(&sim->pool);
}

static sal_status list_flowing(sal_simulator *sim) {
    const sal__plan *plan = sim->plan;
    sim->flow.derivative_part = sal__pool_alloc(&sim->pool, plan->part_count, sizeof *sim->flow.derivative_part);
    if (!sim->flow.derivative_part)
        return SAL_ENOMEM;
    for (int i = 0; i < plan->part_count; i++) {
        const sal__part *part = &plan->part[i];
        const int *n = part->system->size;
        if (n[SAL_Q] + n[SAL_V] + n[SAL_Z] > 0)
            sim->flow.derivative_part[sim->flow.derivative_part_count++] =
                (sal__derivative_part){part->system,
                                       part->system->behaviour->derivatives,
                                       &sim->contexts.current->part_context[i],
                                       part->at[SAL_Q],
                                       part->at[SAL_V],
                                       part->at[SAL_Z],
                                       i};
    }
    return SAL_OK;
}

static sal_status check_parts(const sal_simulator *sim) {
    for (int i = 0; i < sim->plan->part_count; i++)
        if (!sal__system_is_complete(sim->plan->part[i].system))
            return SAL_EINVAL;
    return SAL_OK;
}

static sal_status furnish(sal_simulator *sim) {
    sal_status status = check_parts(sim);
    if (status == SAL_OK)
        status = make_roots(sim);
    if (status == SAL_OK)
        status = make_scratch(sim);
    if (status == SAL_OK)
        status = sal__transaction_new(sim);
    if (status == SAL_OK)
        status = sal__dispatch_reserve(sim);
    if (status == SAL_OK)
        status = sal__schedule_new(sim);
    if (status == SAL_OK)
        status = sal__witnesses_new(sim);
    if (status == SAL_OK)
        status = sal__conditions_new(sim);
    if (status == SAL_OK)
        status = list_flowing(sim);
    if (status == SAL_OK)
        status = sal__projection_new(sim);
    if (status == SAL_OK)
        status = sal__delays_new(sim);
    if (status == SAL_OK)
        status = sal__feeds_new(sim);
    sal__choose_rhs(sim);
    if (status == SAL_OK)
        status = sal__make_integrator(sim, &sim->config.integrator);
    return status;
}

/* NaN is none where that may be, and fails each of these where it may not. */
static const char *complaint(const sal_simulator_config *c) {
    if (c->size != sizeof *c)
        return "config does not come from sal_simulator_config_default";
    if (!(c->characteristic_time > 0))
        return "characteristic_time must be positive";
    if (c->isolation_window <= 0)
        return "isolation_window must be positive";
    if (c->context_accuracy <= 0)
        return "context_accuracy must be positive";
    if (c->max_events_per_instant < 1)
        return "max_events_per_instant must be at least 1";
    if (c->max_steps_per_call < 0)
        return "max_steps_per_call must not be negative";
    if (!(c->target_realtime_rate >= 0))
        return "target_realtime_rate must not be negative";
    if (c->integrator.mass)
        return "integrator.mass is the system's to say: sal_system_set_mass";
    return NULL;
}

sal_status sal_simulator_config_check(const sal_simulator_config *config, sal_note *why) {
    const char *text = complaint(config);
    if (!text)
        return sal_integrator_config_check(&config->integrator, why);
    if (why) {
        sal_note_set(why, text);
        sal_note_blame(why, "");
    }
    return SAL_EINVAL;
}

sal_status sal_simulator_new(const sal_allocator *allocator, sal_system *system, sal_context *context,
                             const sal_simulator_config *config, sal_simulator **out) {
    const sal_simulator_config standard = sal_simulator_config_default();
    config = config ? config : &standard;
    if (!system || !out || (context && context->data->plan != system->plan) ||
        sal_simulator_config_check(config, NULL) != SAL_OK)
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
    sim->mem = sim->pool.mem = mem;
    sim->system = system;
    sim->plan = system->plan;
    sim->config = *config;
    sim->contexts.current = own->data;
    sim->contexts.current->seed = config->seed;
    sim->host.real_origin = NAN;
    status = furnish(sim);
    if (status != SAL_OK) {
        if (context)
            sim->contexts.current = NULL; /* stays the caller's */
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
    sal_integrator_free(sim->integrator);
    sal__dispatch_free(sim);
    sal__calendar_free(&mem, &sim->schedule.calendar);
    sal__delays_free(sim);
    sal__feeds_free(sim);
    sal__journal_free(sim);
    sal__pool_free(&sim->pool);
    sal__context_data *roots[] = {sim->contexts.current, sim->contexts.next, sim->contexts.lookup,
                                  sim->contexts.pre_step};
    for (int i = 0; i < 4; i++)
        if (roots[i])
            sal_context_free(roots[i]->part_context);
    sal__free(&mem, sim, sizeof *sim);
}
