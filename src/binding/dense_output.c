/* Dense output as an object of its own: a piecewise polynomial that outlives its run. */
#include <math.h>

#include "binding.h"

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
        return luaL_error(
            L, "the dense output covers t = %s to %s, not %s", l_number_text(sal_polynomial_break(p, 0)).text,
            l_number_text(sal_polynomial_break(p, sal_polynomial_segments(p))).text, l_number_text(t).text);
    return l_push_list(L, n, x);
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
        lua_pushfstring(L, "\n%s to %s:", l_number_text(start).text,
                        l_number_text(sal_polynomial_break(p, i + 1)).text);
        luaL_addvalue(&text);
        for (int k = 0; sal_polynomial_value(p, start, x) == SAL_OK && k < n; k++) {
            lua_pushfstring(L, " %s", l_number_text(x[k]).text);
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

const luaL_Reg l_dense_methods[] = {
    {"dense_output", l_dense_output},
    {"start_dense_output", l_start_dense_output},
    {"stop_dense_output", l_stop_dense_output},
    {NULL, NULL},
};
