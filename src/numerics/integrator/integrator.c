/* Creation and settings of an integrator. The steps are in step_loop.c, their sizes in step_size.c, the dense output
 * in dense_output.c. */
#include <math.h>
#include <string.h>

#include "evaluation_count.h"
#include "numerics/implicit/implicit.h"

/* The minimal profile has no methods between which "auto" could choose. */
#ifdef SAL_MINIMAL
#define DEFAULT_METHOD (&sal__tsitouras5)
#else
#define DEFAULT_METHOD (&sal__auto)
#endif

sal_integrator_config sal_integrator_config_default(void) {
    return (sal_integrator_config){
        .size = sizeof(sal_integrator_config),
        .method = DEFAULT_METHOD,
        .accuracy = NAN,
        .max_step = INFINITY,
        .initial_step = NAN,
        .throw_on_min_step = true,
        .lower = -1,
        .upper = -1,
    };
}

static const char *complaint(const sal_integrator_config *c) {
    if (c->size != sizeof *c)
        return "config does not come from sal_integrator_config_default; begin with it, then change fields";
    if (!c->method)
        return "method is missing: sal_method_find returns NULL for a name that it does not know; \"auto\" is the "
               "default";
    if (!c->method->attempt && !c->method->methods_by_kind && !c->method->solver)
        return "the method is left out of the minimal profile (SAL_MINIMAL): use tsitouras5 or another explicit one";
    const bool has_estimate = c->method->error_order > 0;
    const struct {
        bool is_broken;
        const char *rule;
    } rules[] = {
        {!(c->max_step > 0), "max_step must be positive"},
        {!(c->min_step >= 0) || isinf(c->min_step), "min_step must be zero or positive"},
        {c->max_step < c->min_step, "max_step is less than min_step"},
        {c->fixed_step && isinf(c->max_step), "fixed_step needs a finite max_step"},
        {c->accuracy <= 0 || isinf(c->accuracy), "accuracy must be positive"},
        {c->initial_step <= 0 || isinf(c->initial_step), "initial_step must be positive"},
        {c->initial_step > c->max_step, "initial_step is greater than max_step"},
        {c->initial_step < c->min_step, "initial_step is less than min_step"},
        {c->lower < -1 || c->upper < -1 || (c->lower < 0) != (c->upper < 0),
         "half-bandwidths are two numbers of at least 0, or -1 and -1"},
        {c->fixed_step && c->method->solver, "the method chooses its own steps: it takes no fixed_step"},
        {c->mass && !c->method->takes_mass, "the method takes no mass matrix: radau5 and rodas4 do"},
        {c->mass && c->hermite, "cubic Hermite output needs derivatives, which a mass matrix hides"},
        {!has_estimate && !c->fixed_step, "the method has no error estimate: it needs fixed_step"},
        {!has_estimate && !isnan(c->accuracy), "the method has no error estimate: it takes no accuracy"},
        {!has_estimate && !isnan(c->initial_step), "the method has no error estimate: it takes no initial_step"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].is_broken)
            return rules[i].rule;
    return NULL;
}

sal_status sal_integrator_config_check(const sal_integrator_config *config, sal_note *why) {
    const char *text = complaint(config);
    if (!text)
        return SAL_OK;
    if (why) {
        sal_note_set(why, text);
        sal_note_blame(why, "");
    }
    return SAL_EINVAL;
}

/* Too loose a target is silently tightened. */
static double accuracy_in_use(const sal_method *m, double target) {
    return fmin(isnan(target) ? m->default_accuracy : target, m->loosest_accuracy);
}

static int greater(int a, int b) {
    return a > b ? a : b;
}

int sal__integrator_work(const sal_method *m) {
    int most = m->work;
    for (int k = 0; m->methods_by_kind && k < SAL__METHOD_KINDS; k++)
        most = greater(most, m->methods_by_kind[k]->work);
    return most;
}

static double *take(double **room, size_t count) {
    double *taken = *room;
    *room += count;
    return taken;
}

static void lay_out(sal_attempt *a, const sal_method *m, size_t n, double *err, double **room) {
    a->x0 = take(room, n);
    a->f0 = take(room, n);
    a->x1 = take(room, n);
    a->f1 = take(room, n);
    a->work = take(room, n * (size_t)sal__integrator_work(m));
    a->err = err; /* shared: only that of the trial is read */
}

/* The method that needs the most matrices, if any method does. Unused parts of them are never touched. */
static const sal_method *implicit_part(const sal_integrator_config *c, int n) {
    const sal_method *m = c->method;
    if (m->methods_by_kind)
        return n > 0 ? m->methods_by_kind[SAL__ITERATED] : NULL;
    return m->implicit_stages > 0 ? m : NULL;
}

sal_status sal_integrator_new(const sal_allocator *allocator, const sal_integrator_config *config, int n,
                              sal_integrator **out) {
    const sal_integrator_config standard = sal_integrator_config_default();
    config = config ? config : &standard;
    if (n < 0 || config->lower >= n + (n == 0) || config->upper >= n + (n == 0) ||
        sal_integrator_config_check(config, NULL) != SAL_OK)
        return SAL_EINVAL;
    const sal_method *m = config->method;
    const size_t count = (size_t)n;
    const int degree =
        config->hermite ? SAL__HERMITE_DEGREE : sal__max_dense_degree(config, accuracy_in_use(m, config->accuracy));
    const size_t doubles = count * (2 * (4 + (size_t)sal__integrator_work(m)) + 3 + (size_t)degree);
    const size_t bytes = sizeof(sal_integrator) + doubles * sizeof(double) + count * (sizeof(int64_t) + sizeof(bool));
    const sal_allocator from = sal__allocator(allocator);
    sal_integrator *in = sal__alloc(&from, bytes);
    if (!in)
        return SAL_ENOMEM;

    *in = (sal_integrator){.allocator = from, .config = *config, .method = m, .n = n, .bytes = bytes};
    in->steps.hermite = config->hermite;
    in->steps.dense_degree = degree;
    in->accuracy = accuracy_in_use(m, config->accuracy);
    in->steps.accepted = &in->steps.attempts[0];
    in->steps.trial = &in->steps.attempts[1];

    double *room = (double *)(void *)(in + 1);
    double *err = take(&room, count);
    lay_out(&in->steps.attempts[0], m, count, err, &room);
    lay_out(&in->steps.attempts[1], m, count, err, &room);
    in->scale.weight = take(&room, count);
    in->scale.at_start = take(&room, count);
    in->steps.coefficients = take(&room, count * (size_t)degree);
    in->scale.limited_count = (int64_t *)(void *)room;
    in->scale.is_relative = (bool *)(void *)(in->scale.limited_count + count);
    for (int i = 0; i < n; i++)
        in->scale.weight[i] = 1;

    in->method = implicit_part(config, n);
    if ((in->method && sal__implicit_new(&in->allocator, in, &in->implicit) != SAL_OK) ||
        (m->solver && m->solver->open(in, &in->external_solver) != SAL_OK)) {
        sal_integrator_free(in);
        return SAL_ENOMEM;
    }
    in->config.mass = NULL; /* it belongs to the caller and has been read */
    in->steps.attempts[0].implicit = in->steps.attempts[1].implicit = in->implicit;
    sal_integrator_initialize(in);
    in->initialized = false; /* the caller initializes */
    *out = in;
    return SAL_OK;
}

void sal_integrator_free(sal_integrator *in) {
    if (!in)
        return;
    const sal_allocator allocator = in->allocator;
    if (in->external_solver)
        in->config.method->solver->close(in->external_solver);
    sal__implicit_free(&allocator, in->implicit);
    sal__free(&allocator, in->step_iteration, sal__step_iteration_bytes(in));
    sal_polynomial_free(in->dense_output);
    sal__free(&allocator, in, in->bytes);
}

sal_status sal_integrator_initialize(sal_integrator *in) {
    const sal_method *m = in->config.method;
    in->method = sal__method_of_kind(in, in->implicit && in->implicit->mass.count > 0);
    sal__prepare_control(in);
    in->controller = (sal_controller_state){.ideal_step = NAN, .nonsmooth_until = NAN, .scale = 1};
    in->checks.stiffness = (sal_stiffness){.variable = -1, .time = NAN, .h_lambda = NAN};
    in->checks.jumps = in->checks.growth = (sal_accuracy_warning){.time = NAN, .variable = -1};
    in->checks.growth_variable = 0;
    in->checks.growth_checks = 0;
    in->checks.gap_is_pending = false;
    in->control.initial_step = NAN;
    in->control.log2_error = 0;
    in->steps.has_step = in->steps.start_rate_known = in->steps.end_rate_known = in->steps.dense_ready = false;
    in->failure = (sal_integrator_failure){.time = NAN, .step = NAN, .variable = -1, .value = NAN};
    if (in->dense_output)
        sal_polynomial_clear(in->dense_output);
    if (in->implicit)
        sal__implicit_reset(in->implicit);
    if (in->external_solver)
        m->solver->forget(in->external_solver);
    sal_integrator_reset_statistics(in);
    in->initialized = true;
    return SAL_OK;
}

void sal_integrator_reset_statistics(sal_integrator *in) {
    in->stats = (sal_integrator_stats){
        .previous_step = NAN, .actual_initial_step = NAN, .smallest_adapted_step = NAN, .largest_step = NAN};
    in->history.switch_count = 0;
    sal__record_switch(in, NAN, SAL_SWITCH_START);
    memset(in->scale.limited_count, 0, sizeof *in->scale.limited_count * (size_t)in->n);
    if (in->implicit)
        in->implicit->stats = (sal_implicit_stats){{0}, {0}};
}

void sal_integrator_add_derivative_evaluations(sal_integrator *in, int64_t count) {
    sal__add_evaluations(in, count);
}

sal_status sal_integrator_set_weight(sal_integrator *in, int i, double weight, bool relative) {
    if (i < 0 || i >= in->n || !(weight >= 0) || isinf(weight))
        return SAL_EINVAL;
    in->scale.weight[i] = weight;
    in->scale.is_relative[i] = relative;
    return SAL_OK;
}

sal_status sal_integrator_set_split(sal_integrator *in, int nq, int nv) {
    if (nq < 0 || nv < 0 || nq > in->n || nv > in->n - nq)
        return SAL_EINVAL;
    for (int i = 0; i < 2; i++) {
        in->steps.attempts[i].nq = nq;
        in->steps.attempts[i].nv = nv;
    }
    return SAL_OK;
}

void sal_integrator_set_correction(sal_integrator *in, const sal_correction *correction) {
    in->correction = correction ? *correction : (sal_correction){NULL, NULL};
    sal_integrator_invalidate(in);
}

void sal_integrator_set_jacobian(sal_integrator *in,
                                 sal_status (*jacobian)(void *user, double t, const double *x, double *j),
                                 bool central_differences) {
    in->config.jacobian = jacobian;
    in->config.central_differences = central_differences;
    if (in->implicit)
        sal__implicit_reset(in->implicit);
}

/* Sets a value if it is consistent with the other settings. */
static sal_status settle(sal_integrator *in, const sal_integrator_config *config) {
    const sal_status status = sal_integrator_config_check(config, NULL);
    if (status == SAL_OK)
        in->config = *config;
    return status;
}

sal_status sal_integrator_set_max_step(sal_integrator *in, double step) {
    sal_integrator_config config = in->config;
    config.max_step = step;
    if (config.initial_step > step) /* it was chosen for another start */
        config.initial_step = NAN;
    return settle(in, &config);
}

sal_status sal_integrator_set_min_step(sal_integrator *in, double step) {
    sal_integrator_config config = in->config;
    config.min_step = step;
    return settle(in, &config);
}

sal_status sal_integrator_set_initial_step(sal_integrator *in, double step) {
    sal_integrator_config config = in->config;
    config.initial_step = step;
    return settle(in, &config);
}

sal_status sal_integrator_set_fixed_step(sal_integrator *in, bool fixed) {
    sal_integrator_config config = in->config;
    config.fixed_step = fixed;
    return settle(in, &config);
}

void sal_integrator_set_throw_on_min_step(sal_integrator *in, bool throws) {
    in->config.throw_on_min_step = throws;
}

bool sal_integrator_is_initialized(const sal_integrator *in) {
    return in->initialized;
}

sal_status sal_integrator_set_accuracy(sal_integrator *in, double accuracy) {
    if (in->config.method->error_order == 0 || accuracy <= 0 || isinf(accuracy))
        return SAL_EINVAL;
    in->config.accuracy = accuracy;
    in->accuracy = accuracy_in_use(in->config.method, accuracy);
    sal__prepare_control(in);
    sal__apply_accuracy(in);
    return SAL_OK;
}

void sal_integrator_set_ideal_step(sal_integrator *in, double step) {
    in->controller.ideal_step = step > 0 ? step : NAN;
}

sal_controller_state sal_integrator_controller_state(const sal_integrator *in) {
    return in->controller;
}

void sal_integrator_set_controller_state(sal_integrator *in, const sal_controller_state *pace) {
    in->controller = *pace;
    sal__restore_method(in);
}

const sal_method *sal_integrator_method_in_use(const sal_integrator *in) {
    return in->method;
}

double sal_integrator_ideal_step(const sal_integrator *in) {
    return in->controller.ideal_step;
}

double sal_integrator_accuracy_in_use(const sal_integrator *in) {
    return in->accuracy;
}

int sal_integrator_size(const sal_integrator *in) {
    return in->n;
}

const sal_integrator_config *sal_integrator_config_of(const sal_integrator *in) {
    return &in->config;
}

const sal_integrator_stats *sal_integrator_statistics(const sal_integrator *in) {
    return &in->stats;
}

sal_implicit_stats sal_integrator_implicit_statistics(const sal_integrator *in) {
    sal_implicit_stats stats = {{0}, {0}};
    if (in->implicit)
        stats = in->implicit->stats;
    stats.total.derivative_evaluations = in->stats.derivative_evaluations;
    return stats;
}

int64_t sal_integrator_limited_by(const sal_integrator *in, int i) {
    return i >= 0 && i < in->n ? in->scale.limited_count[i] : 0;
}

int64_t sal__integrator_evaluations(const sal_integrator *in) {
    return in->total_evaluations;
}

const sal_integrator_failure *sal_integrator_last_failure(const sal_integrator *in) {
    return &in->failure;
}
