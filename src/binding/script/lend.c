/* Simulators of Lua that a program in C advances. Their closures then run on a thread of their own, `home`. */
#include "engine/simulator.h"
#include "failure_text.h"
#include "script.h"

enum { AT_SELF = 1, AT_CLOSURES, AT_HANDLER, ROOM = 450 }; /* on home's stack, as l_enter */

/* ---- around calls of the program ---- */

/* The hooks of the state's main thread, such as that of a budget, hold here too. */
static void take_hooks(lua_State *L) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    lua_State *main = lua_tothread(L, -1);
    lua_pop(L, 1);
    if (lua_gethook(main) != lua_gethook(L))
        lua_sethook(L, lua_gethook(main), lua_gethookmask(main), lua_gethookcount(main));
}

/* Refuses calls from a closure that somebody evaluates between calls, as an output in the context. */
static bool begin_call(void *user) {
    l_simulator *self = user;
    if (self->lua_depth > 1)
        return false;
    self->lua_depth--;
    if (self->frame.L == self->home) {
        take_hooks(self->home);
        l_charge_steps(self);
        self->lua_call_count++; /* as in l_enter */
        l_look_for_hook(self);
        self->has_stored_error = false;
    }
    return true;
}

static void end_call(void *user) {
    l_simulator *self = user;
    l_begin_lua(self);
}

static void explain(void *user, sal_note *note) {
    l_simulator *self = user;
    if (self->frame.L == self->home && self->has_stored_error)
        l_describe_failure(self, note);
    else if (l_is_spent(self->limits)) /* a sandbox then gives no large blocks */
        sal_note_set(note, "the script has spent its budget or its time, so it gets no more memory");
}

/* (core): makes the thread. The core is at index 1. */
static void settle(lua_State *L, l_simulator *self) {
    lua_State *home = lua_newthread(L);
    luaL_checkstack(home, ROOM, "callbacks");
    lua_pushvalue(L, 1);
    lua_getiuservalue(L, 1, UV_CLOSURES);
    lua_getiuservalue(L, 1, UV_HANDLER);
    lua_xmove(L, home, AT_HANDLER);
    lua_setiuservalue(L, 1, UV_HOME);
    self->home = home;
    self->frame = (l_frame){home, AT_SELF, AT_CLOSURES, AT_HANDLER, NULL};
    l_begin_lua(self);
    sal__set_language(self->sim, &(sal__language){begin_call, end_call, explain, self});
}

/* ---- loans: a table in the registry, by the engine's simulator { core, Lua value } ---- */

#define LOANS "saltus.script.loans"

static void push_loans(lua_State *L) {
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LOANS);
}

/* sim = lend(value) */
static int lend(lua_State *L) {
    l_script_push_function(L, "saltus.script.loan", "core_of");
    lua_pushvalue(L, 1);
    lua_call(L, 1, 1);
    lua_insert(L, 1); /* core, value */
    l_simulator *self = l_check_simulator(L, 1);
    if (!self->home) {
        luaL_argcheck(L, !l_is_busy(self), 1, "a simulator is lent for the first time between its calls only");
        settle(L, self);
    }
    if (self->lent_count == 0) {
        push_loans(L);
        lua_createtable(L, 2, 0);
        lua_pushvalue(L, 1);
        lua_rawseti(L, -2, 1);
        lua_pushvalue(L, 2);
        lua_rawseti(L, -2, 2);
        lua_rawsetp(L, -2, self->sim);
    }
    self->lent_count++;
    lua_pushlightuserdata(L, self->sim);
    return 1;
}

sal_simulator *l_script_simulator(lua_State *L, int index) {
    index = lua_absindex(L, index);
    lua_pushcfunction(L, lend);
    lua_pushvalue(L, index);
    if (l_script_call(L, 1, 1, SAL_EINVAL) != SAL_OK)
        return NULL;
    sal_simulator *sim = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return sim;
}

/* is running = release(sim) */
static int release(lua_State *L) {
    push_loans(L);
    if (lua_rawgetp(L, -1, lua_touserdata(L, 1)) != LUA_TTABLE)
        return luaL_error(L, "sal_script_release: this Lua state has not lent that simulator");
    lua_rawgeti(L, -1, 1);
    l_simulator *self = l_check_simulator(L, -1);
    lua_pushboolean(L, l_is_busy(self));
    if (l_is_busy(self))
        return 1;
    if (--self->lent_count == 0) {
        lua_pushnil(L);
        lua_rawsetp(L, 2, self->sim);
    }
    return 1;
}

sal_status l_script_release(lua_State *L, sal_simulator *sim) {
    lua_pushcfunction(L, release);
    lua_pushlightuserdata(L, sim);
    const sal_status status = l_script_call(L, 1, 1, SAL_EINVAL);
    if (status != SAL_OK)
        return status;
    const bool runs = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return runs ? l_script_refuse(L, SAL_ESTATE, "sal_script_release: the simulator is running") : SAL_OK;
}

/* self:is_lent() */
int l_is_lent(lua_State *L) {
    lua_pushboolean(L, l_check_simulator(L, 1)->lent_count > 0);
    return 1;
}
