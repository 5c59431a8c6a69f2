/* An integrator without a simulator: x' = f(t, x) of a Lua function. It uses sal_integrator_advance, and shares
 * methods with a simulator's integrator. */
#include "binding/binding.h"

enum { FUNCTION = 1, WITNESS, FAILURE, JACOBIAN, VALUES = JACOBIAN };
enum { WITNESS_UNSET = -1 }; /* value of `unset` if the witness returned no number */
enum { AT_SELF = 1, AT_FUNCTION = 5, AT_WITNESS, AT_X, AT_DX, AT_TOP = AT_DX }; /* the stack of a running method */

/* Stores the error object on top and pops it; the first one is kept. */
static sal_status store_error(l_standalone *self) {
    if (self->has_stored_error)
        lua_pop(self->L, 1);
    else
        lua_setiuservalue(self->L, AT_SELF, FAILURE);
    self->has_stored_error = true;
    return SAL_ECALLBACK;
}

/* Calls the function on top with t, x and dx. Outside of the protected call only API functions that cannot raise are
 * used: both tables have all their elements. */
static sal_status call(l_standalone *self, double t, const double *x, int args, int results) {
    lua_State *L = self->L;
    for (int i = 0; i < self->rhs.n; i++) {
        lua_pushnumber(L, x[i]);
        lua_rawseti(L, AT_X, i + 1);
    }
    lua_pushnumber(L, t);
    lua_pushvalue(L, AT_X);
    if (args == 3)
        lua_pushvalue(L, AT_DX);
    return lua_pcall(L, args, results, 0) == LUA_OK ? SAL_OK : store_error(self);
}

static sal_status rate(void *user, double t, const double *x, double *dx) {
    l_standalone *self = user;
    lua_State *L = self->L;
    for (int i = 0; i < self->rhs.n; i++) {
        lua_pushboolean(L, false);
        lua_rawseti(L, AT_DX, i + 1);
    }
    l_spend(self->limits, l_price_of_operations(&self->charges, self->integrator)); /* f meets it if that is too much */
    lua_pushvalue(L, AT_FUNCTION);
    sal_status status = call(self, t, x, 3, 0);
    for (int i = 0; status == SAL_OK && i < self->rhs.n; i++) {
        if (lua_rawgeti(L, AT_DX, i + 1) != LUA_TNUMBER) {
            self->unset = i + 1;
            status = SAL_ECALLBACK;
        }
        dx[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return status;
}

static sal_status witness(void *user, double t, const double *x, double *w) {
    l_standalone *self = user;
    lua_State *L = self->L;
    lua_pushvalue(L, AT_WITNESS);
    sal_status status = call(self, t, x, 2, 1);
    if (status != SAL_OK)
        return status;
    if (lua_type(L, -1) != LUA_TNUMBER) {
        self->unset = WITNESS_UNSET;
        status = SAL_ECALLBACK;
    }
    *w = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return status;
}

/* Calls the user's df_i/dx_k, which lua/saltus/simulation/jacobian.lua converts to a list. */
static sal_status jacobian(void *user, double t, const double *x, double *j) {
    l_standalone *self = user;
    lua_State *L = self->L;
    lua_getiuservalue(L, AT_SELF, JACOBIAN);
    const sal_status status = call(self, t, x, 2, 1);
    if (status != SAL_OK)
        return status;
    const bool all = l_read_numbers(L, -1, 1, j, l_jacobian_size(self->integrator));
    lua_pop(L, 1);
    return all ? SAL_OK : SAL_EINVAL;
}

static l_standalone *check(lua_State *L) {
    l_standalone *self = luaL_checkudata(L, AT_SELF, L_STANDALONE);
    luaL_argcheck(L, self->integrator, AT_SELF, "the integrator was not created completely");
    if (self->L)
        luaL_error(L, "the integrator is already stepping; its function cannot step it");
    return self;
}

static double list_number(lua_State *L, int list, int i, double otherwise) {
    double value = otherwise;
    if (lua_type(L, list) == LUA_TTABLE) {
        if (lua_geti(L, list, i) == LUA_TNUMBER)
            value = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return value;
}

/* core.integrator(f, witness or nil, options, t, { x ... }, { weight ... } or nil, relative, q, v, jacobian or nil,
 * { mass ... } by rows or nil) */
int l_new_standalone(lua_State *L) {
    sal_integrator_config config = sal_integrator_config_default();
    luaL_checktype(L, 5, LUA_TTABLE);
    l_read_integrator(L, 3, &config);
    const int n = (int)luaL_len(L, 5);
    l_standalone *self = l_new_object(L, &l_standalone_class, sizeof *self + (size_t)n * sizeof(double), VALUES);
    self->x = (double *)(void *)(self + 1);
    self->rhs = (sal_rhs){n, rate, self};
    self->t = luaL_checknumber(L, 4);
    self->limits = l_limits_of(L);
    if (!lua_isnoneornil(L, 10))
        config.jacobian = jacobian;
    if (lua_type(L, 11) == LUA_TTABLE) {
        double *mass = l_push_room(L, n * n);
        l_read_numbers(L, 11, 1, mass, n * n);
        config.mass = mass;
        lua_insert(L, -2); /* below the integrator on the stack */
    }
    const sal_allocator mem = l_allocator(L);
    l_check_status(L, sal_integrator_new(&mem, &config, n, &self->integrator), "integrator");
    for (int i = 0; i < n; i++) {
        self->x[i] = list_number(L, 5, i + 1, 0);
        if (sal_integrator_set_weight(self->integrator, i, list_number(L, 6, i + 1, 1), lua_toboolean(L, 7)) != SAL_OK)
            return luaL_error(L, "an error weight is negative; 0 leaves a variable out of the norm");
    }
    if (sal_integrator_set_split(self->integrator, (int)luaL_optinteger(L, 8, 0), (int)luaL_optinteger(L, 9, 0)) !=
        SAL_OK)
        return luaL_error(L, "q and v are more than x has elements");
    l_hold(L, 1, FUNCTION);
    l_hold(L, 2, WITNESS);
    l_hold(L, 10, JACOBIAN);
    return 1;
}

static int l_gc(lua_State *L) {
    l_standalone *self = luaL_checkudata(L, 1, L_STANDALONE);
    sal_integrator_free(self->integrator);
    self->integrator = NULL;
    return 0;
}

/* Enters the frame in which the functions are called. */
static l_standalone *enter(lua_State *L) {
    l_standalone *self = check(L);
    luaL_checkstack(L, 20, "callbacks");
    lua_settop(L, AT_FUNCTION - 1);
    lua_getiuservalue(L, AT_SELF, FUNCTION);
    lua_getiuservalue(L, AT_SELF, WITNESS);
    l_push_list(L, self->rhs.n, self->x);
    l_push_list(L, self->rhs.n, self->x);
    self->L = L;
    self->has_stored_error = false;
    self->unset = 0;
    return self;
}

/* Raises `what` for the user's function at that index, with the position where it was defined. */
static void blame(lua_State *L, int function, const char *what) {
    lua_Debug place;
    lua_pushvalue(L, function);
    lua_getinfo(L, ">S", &place);
    lua_pushfstring(L, "%s:%d: %s", place.short_src, place.linedefined, what);
    lua_error(L);
}

/* Raises the user's own error unchanged. */
static void leave(lua_State *L, l_standalone *self, sal_status status) {
    self->L = NULL;
    lua_settop(L, AT_TOP);
    if (self->unset > 0)
        blame(L, AT_FUNCTION, lua_pushfstring(L, "f(t, x, dx) leaves dx[%d] unset; it must be a number", self->unset));
    if (self->unset == WITNESS_UNSET)
        blame(L, AT_WITNESS, "the witness returns no number");
    if (self->has_stored_error) {
        l_take(L, AT_SELF, FAILURE);
        lua_error(L);
    }
    lua_pushinteger(L, status);
}

/* status, result or nil = self:advance(publish, update, boundary, max_steps) */
static int l_advance(lua_State *L) {
    const sal_limits to = {luaL_checknumber(L, 2), luaL_checknumber(L, 3), luaL_checknumber(L, 4)};
    const int64_t steps = luaL_checkinteger(L, 5);
    l_standalone *self = enter(L);
    const sal_surface surface = {witness, self};
    sal_step_result result = SAL_TIME_ADVANCED;
    const bool watches = !lua_isnil(L, AT_WITNESS);
    const sal_status status = sal_integrator_advance(self->integrator, &self->rhs, &to, steps,
                                                     watches ? &surface : NULL, &self->t, self->x, &result);
    leave(L, self, status);
    static const char *const names[] = {"reached_publish_time", "reached_update_time",   "reached_boundary_time",
                                        "time_has_advanced",    "reached_zero_crossing", "reached_step_limit"};
    lua_pushstring(L, names[result]);
    return 2;
}

/* status, taken = self:single(target) */
static int l_single(lua_State *L) {
    const double target = luaL_checknumber(L, 2);
    l_standalone *self = enter(L);
    bool taken = false;
    const sal_status status =
        sal_integrator_single_fixed_step(self->integrator, &self->rhs, target, &self->t, self->x, &taken);
    leave(L, self, status);
    lua_pushboolean(L, taken);
    return 2;
}

static int l_initialize(lua_State *L) {
    sal_integrator_initialize(check(L)->integrator);
    return 0;
}

/* t, { x ... } = self:state() */
static int l_state(lua_State *L) {
    const l_standalone *self = luaL_checkudata(L, AT_SELF, L_STANDALONE);
    lua_pushnumber(L, self->t);
    return 1 + l_push_list(L, self->rhs.n, self->x);
}

/* self:set_state(t, { x ... }): the next step begins there */
static int l_set_state(lua_State *L) {
    l_standalone *self = check(L);
    self->t = luaL_checknumber(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    for (int i = 0; i < self->rhs.n; i++)
        self->x[i] = list_number(L, 3, i + 1, self->x[i]);
    sal_integrator_invalidate(self->integrator);
    return 0;
}

static const luaL_Reg methods[] = {
    {"advance", l_advance}, {"single", l_single},       {"initialize", l_initialize},
    {"state", l_state},     {"set_state", l_set_state}, {NULL, NULL},
};

static const luaL_Reg meta[] = {{"__gc", l_gc}, {NULL, NULL}};

const l_class l_standalone_class = {L_STANDALONE, meta, {l_integrator_methods, l_dense_methods, methods}};
