/* Watches: Lua functions whose margins end an advance. They are in a table, the user value UV_WATCHES: by its address,
 * the userdata of each watch, whose user value is the function; by its handle, this address; and at 0 the context that
 * functions read. */
#include "watch.h"

/* Raises no error, but stores one: "ball.lua:3: a watch must return a number, its margin, not nil". */
static sal_status refuse_margin(l_simulator *self) {
    lua_State *L = self->frame.L;
    lua_Debug at;
    const char *type = luaL_typename(L, -1);
    lua_pushvalue(L, -2);
    lua_getinfo(L, ">S", &at);
    lua_pushfstring(L,
                    "%s:%d: a watch must return a number, its margin, which is negative until what it waits for is "
                    "true; it returned %s",
                    at.short_src, at.linedefined, type);
    l_store_error(self, L_IN_WATCH);
    return SAL_ECALLBACK;
}

void l_push_margin_function(l_simulator *self, const l_closure *closure) {
    lua_State *L = self->frame.L;
    const int base = lua_gettop(L);
    lua_getiuservalue(L, self->frame.self, UV_WATCHES);
    lua_rawgetp(L, base + 1, closure);
    lua_getiuservalue(L, base + 2, 1);
    lua_replace(L, base + 1);
    lua_settop(L, base + 1);
}

sal_status l_watch_margin(void *user, const sal_context *ctx, double *value) {
    l_simulator *self = ((const l_watch *)user)->owner;
    lua_State *L = self->frame.L;
    if (!lua_checkstack(L, 20))
        return SAL_ENOMEM;
    const int base = lua_gettop(L);
    lua_getiuservalue(L, self->frame.self, UV_WATCHES);
    lua_rawgetp(L, base + 1, user);
    lua_getiuservalue(L, base + 2, 1);
    lua_pushvalue(L, -1);
    lua_rawgeti(L, base + 1, 0);
    const sal_context *outer = self->access.current;
    self->access.current = ctx;
    sal_status status = l_call(self, 1, 1, L_IN_WATCH);
    self->access.current = outer;
    if (status == SAL_OK && lua_type(L, -1) != LUA_TNUMBER)
        status = refuse_margin(self);
    else if (status == SAL_OK)
        *value = lua_tonumber(L, -1);
    lua_settop(L, base);
    return status;
}

/* Pushes the table of watches. */
static void push_watches(lua_State *L) {
    if (lua_getiuservalue(L, 1, UV_WATCHES) == LUA_TTABLE)
        return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, 1, UV_WATCHES);
}

/* The arguments of l_add and l_know after the function and its context, and the table of watches. */
enum { MAX_INTERVAL = 4, HANDLE, PROGRAM, TABLE };

static sal_watch description(const l_watch *watch, double max_interval) {
    return (sal_watch){watch->code               ? l_program_margin
                       : watch->closure.compiled ? l_compiled_margin
                                                 : l_watch_margin,
                       (void *)watch, max_interval};
}

/* Pushes the table, and puts a new userdata into it for the function at index 2, whose context is at index 3. */
static l_watch *push_new(lua_State *L, l_simulator *self) {
    luaL_checktype(L, 2, LUA_TFUNCTION);
    push_watches(L);
    l_watch *watch = l_push_watch(L, self, PROGRAM);
    lua_pushvalue(L, 2);
    lua_setiuservalue(L, -2, 1);
    lua_rawsetp(L, -2, watch);
    lua_pushvalue(L, 3);
    lua_rawseti(L, -2, 0);
    return watch;
}

/* Handle 0: the watch was not added. */
static void keep(lua_State *L, l_watch *watch, int64_t handle) {
    if (handle > 0) {
        lua_pushlightuserdata(L, watch);
        lua_rawseti(L, TABLE, handle);
        return;
    }
    lua_pushnil(L);
    lua_rawsetp(L, TABLE, watch);
}

/* status, handle = self:watch(function, context, max_interval or nil, nil, program or nil): handle 0 if it is true
 * already; raises the error of the function */
static int l_add(lua_State *L) {
    l_simulator *self = l_check_between_calls(L, "a closure cannot add a watch; add it between calls");
    const double max_interval = luaL_optnumber(L, MAX_INTERVAL, 0);
    lua_settop(L, PROGRAM);
    l_watch *user = push_new(L, self);
    const sal_watch watch = description(user, max_interval);
    int64_t handle = 0;
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = sal_simulator_watch(self->sim, &watch, &handle);
    l_leave(self, outer);
    lua_settop(L, TABLE);
    keep(L, user, handle);
    if (status == SAL_ECALLBACK)
        l_raise_stored(L, self);
    lua_pushinteger(L, status);
    lua_pushinteger(L, handle);
    return 2;
}

/* status = self:know_watch(function, context, max_interval or nil, handle, program or nil) */
static int l_know(lua_State *L) {
    l_simulator *self = l_check_between_calls(L, "a closure cannot add a watch; add it between calls");
    const double max_interval = luaL_optnumber(L, MAX_INTERVAL, 0);
    const lua_Integer handle = luaL_checkinteger(L, HANDLE);
    lua_settop(L, PROGRAM);
    l_watch *user = push_new(L, self);
    const sal_watch watch = description(user, max_interval);
    const sal_status status = sal_simulator_know_watch(self->sim, &watch, handle);
    keep(L, user, status == SAL_OK ? handle : 0);
    lua_pushinteger(L, status);
    return 1;
}

/* self:unwatch(handle): whether the watch was armed; nil: no such watch is known. */
static int l_remove(lua_State *L) {
    l_simulator *self = l_check_between_calls(L, "a closure cannot remove a watch");
    const lua_Integer handle = luaL_checkinteger(L, 2);
    const sal_status status = sal_simulator_unwatch(self->sim, handle);
    if (status == SAL_EINVAL)
        return 0;
    push_watches(L);
    lua_rawgeti(L, -1, handle);
    void *user = lua_touserdata(L, -1);
    lua_pushnil(L);
    lua_rawsetp(L, -3, user);
    lua_pushnil(L);
    lua_rawseti(L, -3, handle);
    lua_pushboolean(L, status == SAL_OK);
    return 1;
}

int l_push_fired_watches(lua_State *L, const l_simulator *self) {
    const int64_t *handle = NULL;
    const int count = sal_simulator_fired_watches(self->sim, &handle);
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushinteger(L, handle[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* list = self:fired_watches(): the handles of those that ended the last call */
static int l_fired(lua_State *L) {
    return l_push_fired_watches(L, l_check_simulator(L, 1));
}

static int l_next_time(lua_State *L) {
    lua_pushnumber(L, sal_simulator_next_time(l_check_simulator(L, 1)->sim));
    return 1;
}

static int l_halt(lua_State *L) {
    sal_simulator_halt(l_check_simulator(L, 1)->sim);
    return 0;
}

const luaL_Reg l_watch_methods[] = {
    {"watch", l_add},           {"know_watch", l_know}, {"unwatch", l_remove},  {"fired_watches", l_fired},
    {"next_time", l_next_time}, {"halt", l_halt},       {"halt_at", l_halt_at}, {NULL, NULL},
};
