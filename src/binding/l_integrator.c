/* The integrator's getters and setters, by Drake's names; lua/saltus/integrator.lua gives them their face. */
#include <math.h>
#include <string.h>

#include "binding.h"

sal_integrator *l_integrator_of(lua_State *L, bool idle, double *t) {
    const l_stepper *alone = luaL_testudata(L, 1, L_STEPPER);
    if (alone) {
        luaL_argcheck(L, !idle || !alone->L, 1, "its settings can be changed between steps only, not by its function");
        *t = alone->t;
        return alone->in;
    }
    const l_simulator *self = idle ? l_check_idle(L) : l_check_simulator(L, 1);
    *t = sal_context_time(sal_simulator_context(self->sim));
    return sal_simulator_integrator(self->sim);
}

static void put_number(lua_State *L, const char *name, double value) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

static void put_integer(lua_State *L, const char *name, int64_t value) {
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, name);
}

static void put_flag(lua_State *L, const char *name, bool value) {
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

/* By Drake's names; `whose` is "", "integrator_" or "error_estimator_". */
static void put_counts(lua_State *L, const char *whose, const sal_implicit_counts *c) {
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {
        {"derivative_evaluations", c->derivative_evaluations},
        {"jacobian_evaluations", c->jacobians},
        {"derivative_evaluations_for_jacobian", c->derivative_evaluations_for_jacobians},
        {"iteration_matrix_factorizations", c->factorizations},
        {"newton_raphson_iterations", c->newton_iterations},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        lua_pushfstring(L, "num_%s%s", whose, counts[i].name);
        lua_pushinteger(L, (lua_Integer)counts[i].value);
        lua_rawset(L, -3);
    }
}

static void put_implicit(lua_State *L, const sal_integrator *in) {
    const sal_implicit_stats s = sal_integrator_implicit_statistics(in);
    const sal_implicit_counts *t = &s.total, *e = &s.estimator;
    const sal_implicit_counts own = {
        .derivative_evaluations = t->derivative_evaluations - e->derivative_evaluations,
        .jacobians = t->jacobians - e->jacobians,
        .derivative_evaluations_for_jacobians =
            t->derivative_evaluations_for_jacobians - e->derivative_evaluations_for_jacobians,
        .factorizations = t->factorizations - e->factorizations,
        .newton_iterations = t->newton_iterations - e->newton_iterations,
    };
    put_counts(L, "", t);
    put_counts(L, "integrator_", &own);
    put_counts(L, "error_estimator_", e);
}

/* { name = value, ... }: everything that a getter of the integrator answers */
static int l_integrator(lua_State *L) {
    double t;
    const sal_integrator *in = l_integrator_of(L, false, &t);
    const sal_integrator_config *c = sal_integrator_config_of(in);
    const sal_integrator_stats *s = sal_integrator_statistics(in);
    lua_newtable(L);
    lua_pushstring(L, sal_method_name(c->method));
    lua_setfield(L, -2, "name");
    lua_pushstring(L, sal_method_name(sal_integrator_method_in_use(in)));
    lua_setfield(L, -2, "method_in_use");
    put_integer(L, "num_steps_taken", s->steps);
    put_implicit(L, in);
    put_integer(L, "num_step_shrinkages_from_error_control", s->rejected_steps);
    put_integer(L, "num_step_shrinkages_from_substep_failures", s->substep_shrinkages);
    put_integer(L, "num_substep_failures", s->substep_failures);
    put_number(L, "previous_integration_step_size", s->previous_step);
    put_number(L, "actual_initial_step_size_taken", s->actual_initial_step);
    put_number(L, "smallest_adapted_step_size_taken", s->smallest_adapted_step);
    put_number(L, "largest_step_size_taken", s->largest_step);
    put_number(L, "ideal_next_step_size", sal_integrator_ideal_step(in));
    put_number(L, "accuracy_in_use", sal_integrator_accuracy_in_use(in));
    put_number(L, "target_accuracy", c->accuracy);
    put_number(L, "maximum_step_size", c->max_step);
    put_number(L, "requested_minimum_step_size", c->min_step);
    put_number(L, "working_minimum_step_size", sal_integrator_working_minimum(in, t));
    put_number(L, "initial_step_size_target", sal_integrator_initial_step_target(in));
    put_flag(L, "fixed_step_mode", c->fixed_step);
    put_flag(L, "throw_on_minimum_step_size_violation", c->throw_on_min_step);
    put_integer(L, "error_estimate_order", sal_method_error_order(c->method));
    put_flag(L, "supports_error_estimation", sal_method_error_order(c->method) > 0);
    put_number(L, "stretch_factor", sal_integrator_stretch_factor());
    put_flag(L, "is_initialized", sal_integrator_initialized(in));
    return 1;
}

/* whether it could = self:set_...(value) */
static int set_number(lua_State *L, sal_status (*set)(sal_integrator *, double)) {
    double t;
    sal_integrator *in = l_integrator_of(L, true, &t);
    lua_pushboolean(L, set(in, luaL_checknumber(L, 2)) == SAL_OK);
    return 1;
}

static int l_set_maximum_step(lua_State *L) {
    return set_number(L, sal_integrator_set_max_step);
}

static int l_set_minimum_step(lua_State *L) {
    return set_number(L, sal_integrator_set_min_step);
}

static int l_set_initial_step(lua_State *L) {
    return set_number(L, sal_integrator_set_initial_step);
}

static int l_set_accuracy(lua_State *L) {
    return set_number(L, sal_integrator_set_accuracy);
}

static int l_set_fixed_step(lua_State *L) {
    double t;
    sal_integrator *in = l_integrator_of(L, true, &t);
    lua_pushboolean(L, sal_integrator_set_fixed_step(in, lua_toboolean(L, 2)) == SAL_OK);
    return 1;
}

static int l_set_throw_on_minimum(lua_State *L) {
    double t;
    sal_integrator_set_throw_on_min_step(l_integrator_of(L, true, &t), lua_toboolean(L, 2));
    lua_pushboolean(L, true);
    return 1;
}

static int push_list(lua_State *L, int n, const double *from) {
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lua_pushnumber(L, from[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* By element of x: the estimated error of the last step, nil without one; weights where x is 0, and whether relative */
static int l_error_estimate(lua_State *L) {
    double t;
    const sal_integrator *in = l_integrator_of(L, false, &t);
    const double *err = sal_integrator_error_estimate(in);
    if (!err) {
        lua_pushnil(L);
        return 1;
    }
    return push_list(L, sal_integrator_size(in), err);
}

static int l_weights(lua_State *L) {
    double t;
    const sal_integrator *in = l_integrator_of(L, false, &t);
    const int n = sal_integrator_size(in);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lua_pushnumber(L, sal_integrator_weight(in, i, 0));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* whether it could = self:set_weight(element, weight): relative or absolute as it was */
static int l_set_weight(lua_State *L) {
    double t;
    sal_integrator *in = l_integrator_of(L, true, &t);
    const int i = (int)luaL_checkinteger(L, 2) - 1;
    luaL_argcheck(L, i >= 0 && i < sal_integrator_size(in), 2, "no such element");
    const bool relative = sal_integrator_is_relative(in, i);
    lua_pushboolean(L, sal_integrator_set_weight(in, i, luaL_checknumber(L, 3), relative) == SAL_OK);
    return 1;
}

static int l_reset_integrator_statistics(lua_State *L) {
    double t;
    sal_integrator_reset_statistics(l_integrator_of(L, true, &t));
    return 0;
}

/* Another method and other sizes; the next advance initializes. */
static int l_set_integrator(lua_State *L) {
    l_simulator *self = l_check_idle(L);
    sal_integrator_config config = sal_integrator_config_default();
    l_read_integrator(L, 2, &config);
    const sal_status status = sal_simulator_set_integrator(self->sim, &config);
    if (status != SAL_OK)
        return luaL_error(L, "%s", sal_status_text(status));
    return 0;
}

/* Which variable limited the steps: counts by element of the whole x. */
static int l_limited(lua_State *L) {
    double t;
    const sal_integrator *in = l_integrator_of(L, false, &t);
    const int n = sal_integrator_size(in);
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lua_pushinteger(L, (lua_Integer)sal_integrator_limited_by(in, i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* Where steps are limited by stability and nothing is done about it: time, element, the
 * method's name; else nothing. */
static int l_stiffness(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const sal_integrator *in = sal_simulator_integrator(self->sim);
    const sal_stiffness s = sal_integrator_stiffness(in);
    if (!s.found || s.minded)
        return 0;
    lua_pushnumber(L, s.time);
    lua_pushinteger(L, s.variable + 1);
    lua_pushstring(L, sal_method_name(sal_integrator_method_in_use(in)));
    return 3;
}

/* time, step, element (1-based, or nil), value, whether it was not finite, whether it was off its constraints */
static int l_failed_step(lua_State *L) {
    double t;
    const sal_integrator_failure *f = sal_integrator_failed(l_integrator_of(L, false, &t));
    lua_pushnumber(L, f->time);
    lua_pushnumber(L, f->step);
    if (f->variable >= 0)
        lua_pushinteger(L, f->variable + 1);
    else
        lua_pushnil(L);
    lua_pushnumber(L, f->value);
    lua_pushboolean(L, f->not_finite);
    lua_pushboolean(L, f->off);
    return 6;
}

/* ---- dense output ---- */

static const char polynomial_name[] = "saltus.polynomial";

static sal_polynomial *check_polynomial(lua_State *L) {
    sal_polynomial **self = luaL_checkudata(L, 1, polynomial_name);
    luaL_argcheck(L, *self, 1, "the dense output is closed");
    return *self;
}

static int l_polynomial_gc(lua_State *L) {
    sal_polynomial **self = luaL_checkudata(L, 1, polynomial_name);
    sal_polynomial_free(*self);
    *self = NULL;
    return 0;
}

static int answer_at(lua_State *L, sal_status (*read)(const sal_polynomial *, double, double *)) {
    const sal_polynomial *p = check_polynomial(L);
    const double t = luaL_checknumber(L, 2);
    const int n = sal_polynomial_size(p);
    double *x = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *x, 0);
    if (read(p, t, x) != SAL_OK)
        return luaL_error(L, "the dense output covers t = %f to %f, not %f", sal_polynomial_break(p, 0),
                          sal_polynomial_break(p, sal_polynomial_segments(p)), t);
    return push_list(L, n, x);
}

/* { x1, x2, ... } = dense:value(t), dense:derivative(t) */
static int l_polynomial_value(lua_State *L) {
    return answer_at(L, sal_polynomial_value);
}

static int l_polynomial_derivative(lua_State *L) {
    return answer_at(L, sal_polynomial_rate);
}

/* Times where segments begin, and the end of the last. */
static int l_polynomial_breaks(lua_State *L) {
    const sal_polynomial *p = check_polynomial(L);
    const int count = sal_polynomial_segments(p);
    lua_createtable(L, count + 1, 0);
    for (int i = 0; count > 0 && i <= count; i++) {
        lua_pushnumber(L, sal_polynomial_break(p, i));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int l_polynomial_segments(lua_State *L) {
    lua_pushinteger(L, sal_polynomial_segments(check_polynomial(L)));
    return 1;
}

/* A line a segment: where it begins and ends, and the value at its start. */
static int l_polynomial_text(lua_State *L) {
    const sal_polynomial *p = check_polynomial(L);
    const int count = sal_polynomial_segments(p), n = sal_polynomial_size(p);
    double *x = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *x, 0);
    luaL_Buffer text;
    luaL_buffinit(L, &text);
    lua_pushfstring(L, "%d segments of degree %d", count, sal_polynomial_degree(p));
    luaL_addvalue(&text);
    for (int i = 0; i < count; i++) {
        const double start = sal_polynomial_break(p, i);
        lua_pushfstring(L, "\n%f to %f:", start, sal_polynomial_break(p, i + 1));
        luaL_addvalue(&text);
        for (int k = 0; sal_polynomial_value(p, start, x) == SAL_OK && k < n; k++) {
            lua_pushfstring(L, " %f", x[k]);
            luaL_addvalue(&text);
        }
    }
    luaL_pushresult(&text);
    return 1;
}

static const luaL_Reg polynomial_methods[] = {
    {"value", l_polynomial_value},
    {"derivative", l_polynomial_derivative},
    {"breaks", l_polynomial_breaks},
    {"segments", l_polynomial_segments},
    {NULL, NULL},
};

static void set_polynomial_metatable(lua_State *L) {
    if (luaL_newmetatable(L, polynomial_name)) {
        luaL_newlib(L, polynomial_methods);
        lua_setfield(L, -2, "__index");
        lua_pushcfunction(L, l_polynomial_gc);
        lua_setfield(L, -2, "__gc");
        lua_pushcfunction(L, l_polynomial_segments);
        lua_setfield(L, -2, "__len");
        lua_pushcfunction(L, l_polynomial_text);
        lua_setfield(L, -2, "__tostring");
    }
    lua_setmetatable(L, -2);
}

/* The dense output so far, as a copy of its own; nil: none was started. */
static int l_dense_output(lua_State *L) {
    double t;
    const sal_polynomial *so_far = sal_integrator_dense_output(l_integrator_of(L, false, &t));
    if (!so_far) {
        lua_pushnil(L);
        return 1;
    }
    sal_polynomial **dense = lua_newuserdatauv(L, sizeof *dense, 1);
    *dense = NULL;
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    set_polynomial_metatable(L);
    if (sal_polynomial_clone(so_far, dense) != SAL_OK)
        return luaL_error(L, "not enough memory");
    return 1;
}

/* nil, why: when it cannot be started; the Lua face raises it. */
static int l_start_dense_output(lua_State *L) {
    double t;
    const sal_status status = sal_integrator_start_dense_output(l_integrator_of(L, true, &t));
    lua_pushnil(L);
    if (status != SAL_OK)
        lua_pushstring(L, status == SAL_ESTATE ? "dense output was started already" : sal_status_text(status));
    return status == SAL_OK ? 1 : 2;
}

/* The userdata comes first: nothing is lost when it cannot be made. It holds on to the
 * simulator, whose allocator it needs to the end. */
static int l_stop_dense_output(lua_State *L) {
    double t;
    sal_integrator *in = l_integrator_of(L, true, &t);
    sal_polynomial **dense = lua_newuserdatauv(L, sizeof *dense, 1);
    *dense = NULL;
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    set_polynomial_metatable(L);
    if (sal_integrator_stop_dense_output(in, dense) == SAL_OK)
        return 1;
    lua_pushnil(L);
    lua_pushliteral(L, "dense output was not started");
    return 2;
}

const luaL_Reg l_integrator_methods[] = {
    {"integrator", l_integrator},
    {"set_maximum_step", l_set_maximum_step},
    {"set_minimum_step", l_set_minimum_step},
    {"set_initial_step", l_set_initial_step},
    {"set_accuracy", l_set_accuracy},
    {"set_fixed_step", l_set_fixed_step},
    {"set_throw_on_minimum", l_set_throw_on_minimum},
    {"set_integrator", l_set_integrator},
    {"error_estimate", l_error_estimate},
    {"weights", l_weights},
    {"set_weight", l_set_weight},
    {"reset_integrator_statistics", l_reset_integrator_statistics},
    {"dense_output", l_dense_output},
    {"limited", l_limited},
    {"failed_step", l_failed_step},
    {"stiffness", l_stiffness},
    {"start_dense_output", l_start_dense_output},
    {"stop_dense_output", l_stop_dense_output},
    {NULL, NULL},
};
