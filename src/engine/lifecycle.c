/* The life of a simulator: what it consists of, how it is made and freed. */
#include <math.h>
#include <string.h>

#include "simulator.h"

sal_status sal__clone_context_data(const sal_simulator *sim, sal__context_data **out) {
    sal_context *ctx = NULL;
    const sal_status status = sal_context_clone(sim->contexts.current->part_context, &ctx);
    if (status == SAL_OK)
        *out = ctx->data;
    return status;
}

static sal_status make_contexts(sal_simulator *sim) {
    sal__context_data **const made[] = {&sim->contexts.next, &sim->contexts.lookup, &sim->contexts.pre_step};
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < 3; i++)
        status = sal__clone_context_data(sim, made[i]);
    if (status == SAL_OK)
        sim->contexts.next->origin = sim->contexts.pre_step->origin = sim->contexts.current;
    return status;
}

static sal_status refuse_config(sal_system *system, const sal_note *why) {
    return sal__refuse_use(system, SAL_EINVAL, SAL__PIECES("its simulator cannot be made: ", why->text));
}

static sal_status furnish(sal_simulator *sim) {
    static sal_status (*const make[])(sal_simulator * sim) = {
        make_contexts,        sal__transaction_new, sal__dispatch_reserve, sal__schedule_new,
        sal__witnesses_new,   sal__candidates_new,  sal__crossings_new,    sal__conditions_new,
        sal__derivatives_new, sal__flow_new,        sal__projection_new,   sal__delays_new,
        sal__feeds_new,       sal__watches_new,     sal__journal_new,      sal__followers_new,
    };
    sal_status status = sal__check_complete(sim->system);
    for (size_t i = 0; status == SAL_OK && i < sizeof make / sizeof *make; i++)
        status = make[i](sim);
    sal_note why = {.text = ""};
    if (status == SAL_OK)
        status = sal__make_integrator(sim, &sim->config.integrator, &why);
    return why.text[0] ? refuse_config(sim->system, &why) : status;
}

static const char owned[] = "the context belongs to a simulator already; give each its own, as sal_context_clone makes";

static sal_status check_arguments(sal_system *system, const sal_context *context, const sal_simulator_config *config) {
    sal_note why;
    if (!system)
        return SAL_EINVAL;
    if (context && context->data->plan != system->plan)
        return sal__refuse_use(system, SAL_EINVAL,
                               SAL__PIECES("the context is of another system; make it by sal_context_new of this one"));
    if (context && context->data->is_owned)
        return sal__refuse_use(system, SAL_EINVAL, SAL__PIECES(owned));
    if (sal_simulator_config_check(config, &why) != SAL_OK)
        return refuse_config(system, &why);
    return SAL_OK;
}

sal_status sal_simulator_new(const sal_allocator *allocator, sal_system *system, sal_context *context,
                             const sal_simulator_config *config, sal_simulator **out) {
    const sal_simulator_config standard = sal_simulator_config_default();
    config = config ? config : &standard;
    if (!out || check_arguments(system, context, config) != SAL_OK)
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
    *sim = (sal_simulator){.pool = {.mem = mem},
                           .system = system,
                           .plan = system->plan,
                           .config = *config,
                           .contexts = {.current = own->data}};
    sim->contexts.current->seed = config->seed;
    sal__pacing_new(sim);
    sal__warnings_new(sim);
    status = furnish(sim);
    if (status != SAL_OK) {
        if (context)
            sim->contexts.current = NULL; /* stays the caller's */
        sal_simulator_free(sim);
        return status;
    }
    sim->contexts.current->is_owned = true;
    *out = sim;
    return SAL_OK;
}

void sal_simulator_free(sal_simulator *sim) {
    if (!sim)
        return;
    const sal_allocator mem = sim->pool.mem;
    sal_integrator_free(sim->integrator);
    sal__dispatch_free(sim);
    sal__schedule_free(sim);
    sal__delays_free(sim);
    sal__journal_free(sim);
    sal__watches_free(sim);
    sal__witnesses_free(sim);
    sal__pool_free(&sim->pool);
    sal__context_data *roots[] = {sim->contexts.current, sim->contexts.next, sim->contexts.lookup,
                                  sim->contexts.pre_step};
    for (int i = 0; i < 4; i++)
        if (roots[i])
            sal_context_free(roots[i]->part_context);
    sal__free(&mem, sim, sizeof *sim);
}

/* ---- another context ---- */

/* Everything that reads the context's parts reads those of the new one. */
static void attach(sal_simulator *sim, sal__context_data *context, bool is_hidden) {
    sim->contexts.current = context;
    sim->contexts.current->is_owned = true;
    sim->contexts.is_hidden = is_hidden;
    sim->contexts.next->origin = sim->contexts.pre_step->origin = context;
    sal__run_invalidate(sim);
    sal__flow_attach(sim);
    sal__witness_attach(sim);
    sal__conditions_attach(sim);
    sal__feeds_clear(sim);
    sal__transaction_drop_mirrors(sim);
    sal__projection_attach(sim);
}

sal_status sal_simulator_reset_context(sal_simulator *sim, sal_context *context) {
    if (!sal__at_rest(sim))
        return sal__refuse_state(sim);
    if (context && context->data->plan != sim->plan)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL,
                                "the context is of another system; make it by sal_context_new of this one");
    if (context && context->data->is_owned && context->data != sim->contexts.current)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, owned);
    if (!context) {
        sim->contexts.is_hidden = true; /* the old context stays in its place, so there is always one */
        sal__run_invalidate(sim);
        return SAL_OK;
    }
    const sal_status status = sal__delays_attach(sim, sim->integrator, context->data);
    if (status != SAL_OK)
        return status;
    if (context->data != sim->contexts.current)
        sal_context_free(sim->contexts.current->part_context);
    attach(sim, context->data, false);
    return SAL_OK;
}

/* Puts another context in its place. */
sal_context *sal_simulator_release_context(sal_simulator *sim) {
    sal__context_data *replacement = NULL;
    if (sal__check_usable(sim) != SAL_OK || sal__begin_reading(sim) != SAL_OK) {
        sal__refuse_state(sim);
        return NULL;
    }
    if (sal__end_reading(sim, sal__clone_context_data(sim, &replacement)) != SAL_OK)
        return NULL;
    sal_context *released = sim->contexts.current->part_context;
    sim->contexts.current->delay_state = NULL;
    sim->contexts.current->is_owned = false;
    attach(sim, replacement, true);
    return released;
}
