/* The frame in which callbacks run, calls of Lua in it, and the errors of closures there. */
#include "binding.h"
#include "engine/simulator.h"

l_simulator *l_check_simulator(lua_State *L, int index) {
    l_simulator *self = lua_touserdata(L, index);
    if (!self || lua_rawlen(L, index) != sizeof *self || self->class != &l_simulator_class)
        self = luaL_checkudata(L, index, L_SIMULATOR); /* raises; its look-up takes as long as reading a value */
    luaL_argcheck(L, self->sim, index, "the simulator was not created completely");
    return self;
}

bool l_is_busy(const l_simulator *self) {
    return self->sim && self->frame.L &&
           (self->frame.L != self->home || !sal__at_rest(self->sim) || self->lua_depth > 1);
}

l_simulator *l_check_between_calls(lua_State *L, const char *otherwise) {
    l_simulator *self = l_check_simulator(L, 1);
    if (l_is_busy(self))
        luaL_error(L, "%s", otherwise);
    return self;
}

l_simulator *l_check_ready(lua_State *L) {
    return l_check_between_calls(L, "the simulator is already advancing; a closure cannot advance it");
}

l_simulator *l_check_idle(lua_State *L) {
    return l_check_between_calls(L, "settings can be changed between calls only, not by a closure of the run");
}

l_simulator *l_check_writable(lua_State *L) {
    return l_check_between_calls(L, "the context can be written between calls only; in an update, write to `next`");
}

l_closure *l_check_closure(lua_State *L, l_simulator *self) {
    const lua_Integer k = luaL_checkinteger(L, 2);
    luaL_argcheck(L, k >= 1 && k <= self->closures.count, 2, "no such closure");
    return &self->closures.item[k - 1];
}

l_frame l_enter(lua_State *L, l_simulator *self, int self_index) {
    const l_frame outer = self->frame;
    luaL_checkstack(L, 450, "callbacks");
    lua_getiuservalue(L, self_index, UV_CLOSURES);
    lua_getiuservalue(L, self_index, UV_HANDLER);
    l_charge_steps(self);
    self->frame = (l_frame){L, self_index, lua_gettop(L) - 1, lua_gettop(L), l_begin_run(self->runs, self->sim)};
    self->lua_call_count++; /* counts Lua code that ran before, which may have changed fetched values */
    l_look_for_hook(self);
    return outer;
}

void l_leave(l_simulator *self, l_frame outer) {
    l_end_run(self->runs, self->frame.outer);
    self->frame = outer;
}

/* ---- calls ---- */

/* All Lua calls go through this function, which counts them: programs then fetch Lua values again. */
int l_pcall(l_simulator *self, int args, int results) {
    l_begin_lua(self);
    const int failed = lua_pcall(self->frame.L, args, results, self->frame.handler);
    self->lua_depth--;
    self->lua_call_count++;
    l_look_for_hook(self);
    return failed;
}

sal_status l_call(l_simulator *self, int args, int results, int closure) {
    if (l_pcall(self, args, results) == LUA_OK)
        return SAL_OK;
    l_store_error(self, closure);
    return SAL_ECALLBACK;
}

sal_status l_call_at(l_simulator *self, const sal_context *ctx, int results, int closure) {
    const sal_context *outer = self->access.current;
    self->access.current = ctx;
    const sal_status status = l_call(self, 0, results, closure);
    self->access.current = outer;
    return status;
}

sal_status l_call_helper(l_simulator *self, int helper, int closure, int detail) {
    lua_State *L = self->frame.L;
    lua_getiuservalue(L, self->frame.self, helper);
    lua_pushinteger(L, closure);
    lua_pushinteger(L, detail);
    return l_call(self, 2, 0, closure);
}

/* ---- errors ---- */

/* Of simultaneous failures the first one is stored. */
void l_store_error(l_simulator *self, int closure) {
    if (self->has_stored_error) {
        lua_pop(self->frame.L, 1);
        return;
    }
    lua_setiuservalue(self->frame.L, self->frame.self, UV_ERROR);
    self->failed_closure = closure;
    self->has_stored_error = true;
}

/* Drops a stored error: the closure that reads the port evaluates it itself and gets the error there. */
void l_clear_failure(l_simulator *self) {
    lua_State *L = self->frame.L;
    lua_pushnil(L);
    lua_setiuservalue(L, self->frame.self, UV_ERROR);
    self->has_stored_error = false;
}

int l_raise(lua_State *L, l_simulator *self) {
    if (l_is_busy(self)) {
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, 1, UV_PASSING_ERROR);
    }
    return lua_error(L);
}

void l_raise_stored(lua_State *L, l_simulator *self) {
    const bool stored = self->has_stored_error;
    self->has_stored_error = false;
    l_take(L, 1, UV_ERROR);
    if (stored)
        l_raise(L, self);
    lua_pop(L, 1);
}

/* object, closure, traceback = self:stored_error() */
int l_stored_error(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    self->has_stored_error = false;
    l_take(L, 1, UV_ERROR);
    lua_pushinteger(L, self->failed_closure);
    lua_getiuservalue(L, 1, UV_TRACEBACK);
    return 3;
}

/* Returns whether the error at index 1 passes through from an inner closure. True once. */
static bool is_passing(lua_State *L, int self) {
    const bool is = l_take(L, self, UV_PASSING_ERROR) != LUA_TNIL && lua_rawequal(L, 1, -1);
    lua_pop(L, 1);
    return is;
}

/* Stores the traceback of the first failure (in a nested call, of the inner closure); returns the error object
 * unchanged. */
int l_traceback(lua_State *L) {
    const l_simulator *self = lua_touserdata(L, lua_upvalueindex(1));
    if (self->has_stored_error || is_passing(L, lua_upvalueindex(1)))
        return 1;
    luaL_traceback(L, L, NULL, 1);
    lua_setiuservalue(L, lua_upvalueindex(1), UV_TRACEBACK);
    lua_settop(L, 1);
    return 1;
}
