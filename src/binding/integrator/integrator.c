/* The integrator's getters and setters, with Drake's names; lua/saltus/simulation/integrator_api.lua is the public
 * interface. */
#include <string.h>

#include "binding/binding.h"

sal_integrator *l_check_integrator(lua_State *L) {
    const l_standalone *alone = luaL_testudata(L, 1, L_STANDALONE);
    return alone ? alone->integrator : sal_simulator_integrator(l_check_simulator(L, 1)->sim);
}

sal_integrator *l_check_idle_integrator(lua_State *L) {
    const l_standalone *alone = luaL_testudata(L, 1, L_STANDALONE);
    if (!alone)
        return sal_simulator_integrator(l_check_idle(L)->sim);
    luaL_argcheck(L, !alone->L, 1, "its settings can be changed between steps only, not by its function");
    return alone->integrator;
}

static double time_of(lua_State *L) {
    const l_standalone *alone = luaL_testudata(L, 1, L_STANDALONE);
    return alone ? alone->t : sal_context_time(sal_simulator_context(l_check_simulator(L, 1)->sim));
}

/* Counts of implicit methods, with Drake's names. */
static const char *const count_names[] = {"derivative_evaluations", "jacobian_evaluations",
                                          "derivative_evaluations_for_jacobian", "iteration_matrix_factorizations",
                                          "newton_raphson_iterations"};
enum { COUNTS = sizeof count_names / sizeof *count_names };

static void read_counts(const sal_implicit_counts *c, int64_t *to) {
    const int64_t counts[COUNTS] = {c->derivative_evaluations, c->jacobians, c->derivative_evaluations_for_jacobians,
                                    c->factorizations, c->newton_iterations};
    memcpy(to, counts, sizeof counts);
}

static void put_count(lua_State *L, const char *whose, int i, int64_t count) {
    lua_pushfstring(L, "num_%s%s", whose, count_names[i]);
    lua_pushinteger(L, (lua_Integer)count);
    lua_rawset(L, -3);
}

static void put_implicit(lua_State *L, const sal_integrator *in) {
    const sal_implicit_stats s = sal_integrator_implicit_statistics(in);
    int64_t total[COUNTS], estimator[COUNTS];
    read_counts(&s.total, total);
    read_counts(&s.estimator, estimator);
    for (int i = 0; i < COUNTS; i++) {
        put_count(L, "", i, total[i]);
        put_count(L, "integrator_", i, total[i] - estimator[i]);
        put_count(L, "error_estimator_", i, estimator[i]);
    }
}

/* { name = value, ... }: everything that a getter of the integrator returns */
static int l_integrator(lua_State *L) {
    const sal_integrator *in = l_check_integrator(L);
    const sal_integrator_config *c = sal_integrator_config_of(in);
    const sal_integrator_stats *s = sal_integrator_statistics(in);
    lua_newtable(L);
    l_set_string(L, "name", sal_method_name(c->method));
    l_set_string(L, "method_in_use", sal_method_name(sal_integrator_method_in_use(in)));
    l_set_integer(L, "num_steps_taken", s->steps);
    put_implicit(L, in);
    l_set_integer(L, "num_step_shrinkages_from_error_control", s->rejected_steps);
    l_set_integer(L, "num_step_shrinkages_from_substep_failures", s->substep_shrinkages);
    l_set_integer(L, "num_substep_failures", s->substep_failures);
    l_set_number(L, "previous_integration_step_size", s->previous_step);
    l_set_number(L, "actual_initial_step_size_taken", s->actual_initial_step);
    l_set_number(L, "smallest_adapted_step_size_taken", s->smallest_adapted_step);
    l_set_number(L, "largest_step_size_taken", s->largest_step);
    l_set_number(L, "ideal_next_step_size", sal_integrator_ideal_step(in));
    l_set_number(L, "accuracy_in_use", sal_integrator_accuracy_in_use(in));
    l_set_number(L, "target_accuracy", c->accuracy);
    l_set_number(L, "maximum_step_size", c->max_step);
    l_set_number(L, "requested_minimum_step_size", c->min_step);
    l_set_number(L, "working_minimum_step_size", sal_integrator_working_minimum(in, time_of(L)));
    l_set_number(L, "initial_step_size_target", sal_integrator_initial_step_target(in));
    l_set_flag(L, "fixed_step_mode", c->fixed_step);
    l_set_flag(L, "throw_on_minimum_step_size_violation", c->throw_on_min_step);
    l_set_integer(L, "error_estimate_order", sal_method_error_order(c->method));
    l_set_flag(L, "supports_error_estimation", sal_method_error_order(c->method) > 0);
    l_set_number(L, "stretch_factor", sal_integrator_stretch_factor());
    l_set_flag(L, "is_initialized", sal_integrator_is_initialized(in));
    return 1;
}

/* ok = self:set_option(option, value) */
static int l_set_option(lua_State *L) {
    enum { FIXED_STEP, THROW_ON_MIN_STEP, NUMBERS };
    static const char *const options[] = {"fixed_step",   "throw_on_min_step", "max_step", "min_step",
                                          "initial_step", "accuracy",          NULL};
    static sal_status (*const set[])(sal_integrator *,
                                     double) = {sal_integrator_set_max_step, sal_integrator_set_min_step,
                                                sal_integrator_set_initial_step, sal_integrator_set_accuracy};
    sal_integrator *in = l_check_idle_integrator(L);
    const int option = luaL_checkoption(L, 2, NULL, options);
    sal_status status = SAL_OK;
    if (option == FIXED_STEP)
        status = sal_integrator_set_fixed_step(in, lua_toboolean(L, 3));
    else if (option == THROW_ON_MIN_STEP)
        sal_integrator_set_throw_on_min_step(in, lua_toboolean(L, 3));
    else
        status = set[option - NUMBERS](in, luaL_checknumber(L, 3));
    lua_pushboolean(L, status == SAL_OK);
    return 1;
}

/* By element of x: the estimated error of the last step, nil if there is none; the weights at x = 0, and whether
 * each is relative */
static int l_error_estimate(lua_State *L) {
    const sal_integrator *in = l_check_integrator(L);
    const double *err = sal_integrator_error_estimate(in);
    return err ? l_push_list(L, sal_integrator_size(in), err) : 0;
}

static int l_weights(lua_State *L) {
    const sal_integrator *in = l_check_integrator(L);
    const int n = sal_integrator_size(in);
    double *weight = l_push_room(L, n);
    for (int i = 0; i < n; i++)
        weight[i] = sal_integrator_weight(in, i, 0);
    return l_push_list(L, n, weight);
}

/* ok = self:set_weight(element, weight): remains relative or absolute */
static int l_set_weight(lua_State *L) {
    sal_integrator *in = l_check_idle_integrator(L);
    const int i = l_check_place(L, 2);
    luaL_argcheck(L, i >= 0 && i < sal_integrator_size(in), 2, "no such element");
    const bool relative = sal_integrator_is_relative(in, i);
    lua_pushboolean(L, sal_integrator_set_weight(in, i, luaL_checknumber(L, 3), relative) == SAL_OK);
    return 1;
}

static int l_reset_integrator_statistics(lua_State *L) {
    sal_integrator_reset_statistics(l_check_idle_integrator(L));
    return 0;
}

/* Sets another method and other step sizes; the next advance initializes. */
static int l_set_integrator(lua_State *L) {
    l_simulator *self = l_check_idle(L);
    sal_integrator_config config = sal_integrator_config_default();
    l_read_integrator(L, 2, &config);
    const sal_status status = sal_simulator_set_integrator(self->sim, &config);
    if (status != SAL_OK)
        return luaL_error(L, "%s", sal_status_text(status));
    return 0;
}

/* Counts, by element of the whole x, how often a variable limited the step. */
static int l_limited(lua_State *L) {
    const sal_integrator *in = l_check_integrator(L);
    const int n = sal_integrator_size(in);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lua_pushinteger(L, (lua_Integer)sal_integrator_limited_by(in, i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* If stability limits the steps and "auto" will not switch: time, element, the method's name; else nothing. */
static int l_stiffness(lua_State *L) {
    const sal_integrator *in = l_check_integrator(L);
    const sal_stiffness s = sal_integrator_stiffness(in);
    if (!s.found || s.will_switch)
        return 0;
    lua_pushnumber(L, s.time);
    lua_pushinteger(L, s.variable + 1);
    lua_pushstring(L, sal_method_name(sal_integrator_method_in_use(in)));
    return 3;
}

/* { { method, time, why, steps }, ... }: which method made the steps from which time on; the last 32. */
static int l_methods_used(lua_State *L) {
    const sal_integrator *in = l_check_integrator(L);
    lua_newtable(L);
    for (int64_t k = 0; k < sal_integrator_switch_count(in); k++) {
        sal_switch s;
        if (!sal_integrator_switch_at(in, k, &s))
            continue;
        lua_newtable(L);
        l_set_string(L, "method", sal_method_name(s.method));
        l_set_number(L, "time", s.time);
        l_set_string(L, "why", sal_switch_reason_text(s.why));
        l_set_integer(L, "steps", s.steps);
        lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
    return 1;
}

/* time, step, element (1-based, or nil), value, whether it was not finite, whether it was off its constraints */
static int l_failed_step(lua_State *L) {
    const sal_integrator_failure *f = sal_integrator_last_failure(l_check_integrator(L));
    lua_pushnumber(L, f->time);
    lua_pushnumber(L, f->step);
    l_push_place(L, f->variable);
    lua_pushnumber(L, f->value);
    lua_pushboolean(L, f->not_finite);
    lua_pushboolean(L, f->off_constraints);
    lua_pushboolean(L, f->unmet_equation);
    return 7;
}

const luaL_Reg l_integrator_methods[] = {
    {"integrator", l_integrator},
    {"set_option", l_set_option},
    {"set_integrator", l_set_integrator},
    {"error_estimate", l_error_estimate},
    {"weights", l_weights},
    {"set_weight", l_set_weight},
    {"reset_integrator_statistics", l_reset_integrator_statistics},
    {"limited", l_limited},
    {"failed_step", l_failed_step},
    {"stiffness", l_stiffness},
    {"methods_used", l_methods_used},
    {NULL, NULL},
};
