/* Watches: Lua functions whose margins end an advance. They are in a table, the user value UV_WATCHES: by its address,
 * the userdata of each watch, whose user value is the function; by its handle, this address; and at 0 the context that
 * functions read. */
#include "binding.h"

/* The `user` of a watch: a userdata that lives as long as it is in the table. */
typedef struct l_watch {
    l_simulator *owner;
} l_watch;

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

static sal_status margin(void *user, const sal_context *ctx, double *value) {
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

/* Pushes the table, and puts a new userdata into it for the function at index 2, whose context is at index 3. */
static l_watch *push_new(lua_State *L, l_simulator *self) {
    luaL_checktype(L, 2, LUA_TFUNCTION);
    push_watches(L);
    l_watch *watch = lua_newuserdatauv(L, sizeof *watch, 1);
    watch->owner = self;
    lua_pushvalue(L, 2);
    lua_setiuservalue(L, -2, 1);
    lua_rawsetp(L, -2, watch);
    lua_pushvalue(L, 3);
    lua_rawseti(L, -2, 0);
    return watch;
}

/* With the table at index 5; handle 0: the watch was not added. */
static void keep(lua_State *L, l_watch *watch, int64_t handle) {
    if (handle > 0) {
        lua_pushlightuserdata(L, watch);
        lua_rawseti(L, 5, handle);
        return;
    }
    lua_pushnil(L);
    lua_rawsetp(L, 5, watch);
}

/* status, handle = self:watch(function, context, max_interval or nil): handle 0 if it is true already;
 * raises the error of the function */
static int l_add(lua_State *L) {
    l_simulator *self = l_check_between_calls(L, "a closure cannot add a watch; add it between calls");
    const double max_interval = luaL_optnumber(L, 4, 0);
    lua_settop(L, 4);
    l_watch *user = push_new(L, self);
    const sal_watch watch = {margin, user, max_interval};
    int64_t handle = 0;
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = sal_simulator_watch(self->sim, &watch, &handle);
    l_leave(self, outer);
    lua_settop(L, 5);
    keep(L, user, handle);
    if (status == SAL_ECALLBACK)
        l_raise_stored(L, self);
    lua_pushinteger(L, status);
    lua_pushinteger(L, handle);
    return 2;
}

/* status = self:know_watch(function, context, max_interval or nil, handle) */
static int l_know(lua_State *L) {
    l_simulator *self = l_check_between_calls(L, "a closure cannot add a watch; add it between calls");
    const double max_interval = luaL_optnumber(L, 4, 0);
    const lua_Integer handle = luaL_checkinteger(L, 5);
    lua_settop(L, 4);
    l_watch *user = push_new(L, self);
    const sal_watch watch = {margin, user, max_interval};
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

/* list = self:fired_watches(): the handles of those that ended the last call */
static int l_fired(lua_State *L) {
    const int64_t *handle = NULL;
    const int count = sal_simulator_fired_watches(l_check_simulator(L, 1)->sim, &handle);
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushinteger(L, handle[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int l_next_time(lua_State *L) {
    lua_pushnumber(L, sal_simulator_next_time(l_check_simulator(L, 1)->sim));
    return 1;
}

static int l_halt(lua_State *L) {
    sal_simulator_halt(l_check_simulator(L, 1)->sim);
    return 0;
}

/* ---- halts at events ---- */

/* Ends an advance at x+ of an instant at which one of these events fired. */
typedef struct l_event_halt {
    l_simulator *owner;
    int observer, count;
    struct {
        int part, event;
        bool fired;
    } item[];
} l_event_halt;

static sal_status see_event(void *user, sal_simulator *sim, sal_observation observation, int part, int event) {
    l_event_halt *halt = user;
    for (int i = 0; observation == SAL_OBSERVE_EVENT && i < halt->count; i++) {
        if (halt->item[i].part != part || halt->item[i].event != event)
            continue;
        halt->item[i].fired = true;
        sal_simulator_halt(sim);
    }
    return SAL_OK;
}

/* halt = self:halt_at({ { part, event }, ... }): until it is closed or collected */
static int l_halt_at(lua_State *L) {
    l_simulator *self = l_check_between_calls(L, "a closure cannot wait for an event");
    luaL_checktype(L, 2, LUA_TTABLE);
    const int count = (int)luaL_len(L, 2);
    l_event_halt *halt = l_new_object(L, &l_event_halt_class, sizeof *halt + (size_t)count * sizeof halt->item[0], 1);
    halt->count = count;
    l_hold(L, 1, 1); /* it must go before its simulator */
    for (int i = 0; i < count; i++) {
        int place[2];
        lua_rawgeti(L, 2, i + 1);
        l_read_integers(L, -1, 1, place, 2);
        halt->item[i].part = place[0] - 1;
        halt->item[i].event = place[1] - 1;
        lua_pop(L, 1);
    }
    if (sal_simulator_observe(self->sim, see_event, halt, &halt->observer) != SAL_OK)
        return luaL_error(L, "there are too many observers of this simulator; finish some formulas first");
    halt->owner = self; /* from now on it has an observer to remove */
    return 1;
}

/* list = halt:fired(): which of its events, by number, fired since the last call */
static int l_halt_fired(lua_State *L) {
    l_event_halt *halt = luaL_checkudata(L, 1, l_event_halt_class.name);
    lua_newtable(L);
    for (int i = 0, n = 0; i < halt->count; i++) {
        if (!halt->item[i].fired)
            continue;
        halt->item[i].fired = false;
        lua_pushinteger(L, i + 1);
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

/* halt:close(), and for the collector */
static int l_halt_close(lua_State *L) {
    l_event_halt *halt = luaL_checkudata(L, 1, l_event_halt_class.name);
    if (halt->owner && halt->owner->sim)
        sal_simulator_unobserve(halt->owner->sim, halt->observer);
    halt->owner = NULL;
    return 0;
}

static const luaL_Reg halt_methods[] = {{"fired", l_halt_fired}, {"close", l_halt_close}, {NULL, NULL}};
static const luaL_Reg halt_meta[] = {{"__gc", l_halt_close}, {NULL, NULL}};

const l_class l_event_halt_class = {"saltus.core.event_halt", halt_meta, {halt_methods}};

const luaL_Reg l_watch_methods[] = {
    {"watch", l_add},           {"know_watch", l_know}, {"unwatch", l_remove},  {"fired_watches", l_fired},
    {"next_time", l_next_time}, {"halt", l_halt},       {"halt_at", l_halt_at}, {NULL, NULL},
};
