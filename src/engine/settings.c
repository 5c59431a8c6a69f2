/* The configuration of a simulator, and the integrator that follows from it. */
#include <math.h>

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

/* NaN means "not set" for options that allow it; for others each of these comparisons fails. */
static const char *complaint(const sal_simulator_config *c) {
    if (c->size != sizeof *c)
        return "config does not come from sal_simulator_config_default; begin with it, then change fields";
    if (!(c->characteristic_time > 0))
        return "characteristic_time must be positive";
    if (c->isolation_window <= 0)
        return "isolation_window must be positive";
    if (c->context_accuracy <= 0)
        return "context_accuracy must be positive";
    if (c->max_events_per_instant < 1)
        return "max_events_per_instant must be at least 1";
    if (c->watch_capacity < 0 || c->watch_capacity > SAL_MAX_WATCHES)
        return "watch_capacity must not be negative, nor larger than SAL_MAX_WATCHES";
    if (c->max_steps_per_call < 0)
        return "max_steps_per_call must not be negative";
    if (!(c->target_realtime_rate >= 0))
        return "target_realtime_rate must not be negative";
    if (!(c->lag_tolerance >= 0))
        return "lag_tolerance must not be negative";
    if (c->integrator.mass)
        return "integrator.mass must be NULL: the mass belongs to the system, see sal_system_set_mass";
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

/* ---- the integrator ---- */

/* The right-hand side's `user` is the simulator (flow.c). */
static sal_status jacobian_at(void *user, double t, const double *x, double *j) {
    sal_simulator *sim = user;
    sal__context_data_look(sim->contexts.current, t, x);
    return sim->jacobian.function(sim->jacobian.user, sim->contexts.current->part_context, j);
}

static void attach_jacobian(sal_simulator *sim) {
    sal_integrator_config *own = &sim->config.integrator;
    if (own->jacobian == jacobian_at) /* a configuration that was copied from an integrator */
        own->jacobian = NULL;
    sal_integrator_set_jacobian(sim->integrator, sim->jacobian.function ? jacobian_at : own->jacobian,
                                own->central_differences);
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
                    weight = 1; /* N W N+ weighs it */
                sal_integrator_set_weight(in, part->at[p] + k, weight, relative);
            }
    }
    return SAL_OK;
}

/* The index in the whole state of a part's element k, counted over its q, v and z. */
static int place_of(const sal__part *part, int k) {
    int p = SAL_Q;
    while (k >= part->system->size[p])
        k -= part->system->size[p++];
    return part->at[p] + k;
}

static void enter(const sal__part *part, int nx, double *mass) {
    const int n = sal__continuous_size(part->system);
    const double *own = part->system->mass;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            mass[place_of(part, i) * nx + place_of(part, j)] = own ? own[i * n + j] : i == j;
}

static size_t mass_bytes(const sal_simulator *sim) {
    return (size_t)sim->plan->nx * (size_t)sim->plan->nx * sizeof(double);
}

/* nx x nx by rows; NULL if no part has one */
static sal_status make_mass(const sal_simulator *sim, double **out) {
    const int nx = sim->plan->nx;
    bool any = false;
    for (int i = 0; i < sim->plan->part_count; i++)
        any = any || sim->plan->part[i].system->mass;
    *out = any ? sal__alloc(&sim->pool.mem, mass_bytes(sim)) : NULL;
    for (int i = 0; *out && i < sim->plan->part_count; i++)
        enter(&sim->plan->part[i], nx, *out);
    return any && !*out ? SAL_ENOMEM : SAL_OK;
}

static sal_status refuse_method(sal_note *why, const char *const *pieces) {
    sal__write_pieces(why->text, sizeof why->text, pieces);
    return SAL_EINVAL;
}

/* The past needs derivatives, and steps that can be repeated. */
static sal_status check_method(const sal_simulator *sim, const sal_integrator_config *c, sal_note *why) {
    const int n = sim->plan->nx > 0 ? sim->plan->nx : 1;
    if (sal__has_delays(sim) && c->mass)
        return refuse_method(why,
                             SAL__PIECES("it has a mass matrix and records a past; a system can have one of the two"));
    if (sal__has_delays(sim) && !sal_method_takes_past(c->method))
        return refuse_method(
            why, SAL__PIECES("the method ", sal_method_name(c->method), " cannot read a past; use auto or tsitouras5"));
    if (c->lower >= n || c->upper >= n)
        return refuse_method(why, SAL__PIECES("the half-bandwidths of its Jacobian must be less than its ",
                                              sal__whole_number(n).text, " variables; set lower and upper"));
    return sal_integrator_config_check(c, why);
}

/* The search compares slopes of the state with a curved interpolant. */
static bool can_search(const sal_simulator *sim) {
    const sal_integrator_config *in = sim->integrator_config;
    return sim->config.interior_search && !sim->derivatives.has_mass &&
           (sim->plan->nx == 0 || in->hermite || sal_method_dense_order(in->method) >= 2);
}

sal_status sal__make_integrator(sal_simulator *sim, const sal_integrator_config *config, sal_note *why) {
    sal_integrator *in = NULL;
    sal_integrator_config full = *config;
    double *mass = NULL;
    sal_status status = make_mass(sim, &mass);
    full.mass = mass;
    if (status == SAL_OK)
        status = check_method(sim, &full, why);
    if (status == SAL_OK)
        status = sal_integrator_new(&sim->pool.mem, &full, sim->plan->nx, &in);
    sal__free(&sim->pool.mem, mass, mass_bytes(sim));
    if (status == SAL_OK)
        status = sal__delays_attach(sim, in, sim->contexts.current);
    if (status != SAL_OK) {
        sal_integrator_free(in);
        return status;
    }
    set_weights(sim, in);
    sal_integrator_set_split(in, sim->plan->size[SAL_Q], sim->plan->size[SAL_V]);
    sal_integrator_free(sim->integrator);
    sim->integrator = in;
    sim->integrator_config = sal_integrator_config_of(in);
    sim->has_interior_search = can_search(sim);
    sal__projection_attach(sim);
    sim->config.integrator = *config;
    attach_jacobian(sim);
    sal__flow_attach(sim);
    sal__run_invalidate(sim);
    return SAL_OK;
}

sal_status sal_simulator_set_integrator(sal_simulator *sim, const sal_integrator_config *config) {
    sal_note why = {.text = ""};
    if (!sal__at_rest(sim))
        return sal__refuse_state(sim);
    if (!config)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "the config is NULL; begin with sal_integrator_config_default()");
    sal_status status = sal_integrator_config_check(config, &why);
    if (status == SAL_OK)
        status = sal__make_integrator(sim, config, &why);
    return status == SAL_EINVAL ? SAL__REFUSE_CALL(sim, status, why.text) : status;
}

sal_status sal_simulator_set_context_accuracy(sal_simulator *sim, double accuracy) {
    if (!sal__at_rest(sim))
        return sal__refuse_state(sim);
    if (accuracy <= 0)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "the context accuracy is ", sal__real_number(accuracy, 6).text,
                                "; set a positive number, or NaN to use that of the integrator");
    sim->config.context_accuracy = accuracy;
    return SAL_OK;
}

sal_status sal_simulator_set_jacobian(sal_simulator *sim, sal_model_jacobian jacobian, void *user) {
    if (!sal__at_rest(sim))
        return sal__refuse_state(sim);
    sim->jacobian = (sal__host_jacobian){jacobian, user};
    attach_jacobian(sim);
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
