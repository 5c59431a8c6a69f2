/* Dense output as a separate object: a piecewise polynomial that may outlive its run. */
#include "binding/binding.h"

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

static int push_value_at(lua_State *L, sal_status (*read)(const sal_polynomial *, double, double *)) {
    const sal_polynomial *p = check_polynomial(L);
    const double t = luaL_checknumber(L, 2);
    const int n = sal_polynomial_size(p);
    double *x = l_push_room(L, n);
    if (read(p, t, x) != SAL_OK)
        return luaL_error(
            L, "the dense output covers t = %s to %s, not %s", l_number_text(sal_polynomial_break(p, 0)).text,
            l_number_text(sal_polynomial_break(p, sal_polynomial_segments(p))).text, l_number_text(t).text);
    return l_push_list(L, n, x);
}

/* { x1, x2, ... } = dense:value(t), dense:derivative(t) */
static int l_polynomial_value(lua_State *L) {
    return push_value_at(L, sal_polynomial_value);
}

static int l_polynomial_derivative(lua_State *L) {
    return push_value_at(L, sal_polynomial_rate);
}

/* dense:breaks(): times where segments begin, and the end of the last. */
static int l_polynomial_breaks(lua_State *L) {
    const sal_polynomial *p = check_polynomial(L);
    const int segments = sal_polynomial_segments(p), count = segments > 0 ? segments + 1 : 0;
    double *breaks = l_push_room(L, count);
    for (int i = 0; i < count; i++)
        breaks[i] = sal_polynomial_break(p, i);
    return l_push_list(L, count, breaks);
}

static int l_polynomial_segments(lua_State *L) {
    lua_pushinteger(L, sal_polynomial_segments(check_polynomial(L)));
    return 1;
}

/* Text with one line per segment: where it begins and ends, and the value at its start. */
static int l_polynomial_text(lua_State *L) {
    const sal_polynomial *p = check_polynomial(L);
    const int count = sal_polynomial_segments(p), n = sal_polynomial_size(p);
    double *x = l_push_room(L, n);
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

static const luaL_Reg polynomial_meta[] = {
    {"__gc", l_polynomial_gc}, {"__len", l_polynomial_segments}, {"__tostring", l_polynomial_text}, {NULL, NULL}};

const l_class l_polynomial_class = {polynomial_name, polynomial_meta, {polynomial_methods}};

/* The userdata is made first, so that nothing leaks if it fails. It references the simulator, the first argument,
 * whose allocator it uses. */
static sal_polynomial **new_polynomial(lua_State *L) {
    sal_polynomial **dense = l_new_object(L, &l_polynomial_class, sizeof *dense, 1);
    l_hold(L, 1, 1);
    return dense;
}

/* Returns a copy of the dense output so far; nil if none was started. */
static int l_dense_output(lua_State *L) {
    const sal_polynomial *so_far = sal_integrator_dense_output(l_check_integrator(L));
    if (!so_far)
        return 0;
    l_check_status(L, sal_polynomial_clone(so_far, new_polynomial(L)), "dense output");
    return 1;
}

/* nil, why: it cannot be started; the Lua layer raises the error. */
static int l_start_dense_output(lua_State *L) {
    const sal_status status = sal_integrator_start_dense_output(l_check_idle_integrator(L));
    lua_pushnil(L);
    if (status != SAL_OK)
        lua_pushstring(L, status == SAL_ESTATE ? "dense output was started already" : sal_status_text(status));
    return status == SAL_OK ? 1 : 2;
}

/* dense, or nil and why */
static int l_stop_dense_output(lua_State *L) {
    sal_integrator *in = l_check_idle_integrator(L);
    if (sal_integrator_stop_dense_output(in, new_polynomial(L)) == SAL_OK)
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
