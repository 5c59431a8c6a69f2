/* Metatables and raw access of scripts in a sandbox. A table is a script's own if it has no metatable, or one that a
 * script has set; the objects of saltus are not. Finalizers run in a thread of their own, because Lua disables hooks
 * while it runs one: __gc would never end. */
#include <string.h>

#include "library.h"

static const char made, guards; /* keys of the registry: the metatables of scripts; the guards of tables with __gc */

/* Pushes a table of the registry with weak keys. */
static void push_weak(lua_State *L, const void *key) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, key) == LUA_TTABLE)
        return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "k");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

/* Pushes the metatable of a value if a script has set it; returns whether the value is a script's own. */
static bool push_own_metatable(lua_State *L, int value) {
    if (!lua_getmetatable(L, value)) {
        lua_pushnil(L);
        return true;
    }
    push_weak(L, &made);
    lua_pushvalue(L, -2);
    const bool own = lua_rawget(L, -2) != LUA_TNIL;
    lua_pop(L, 2);
    return own;
}

static void check_own(lua_State *L, int arg) {
    luaL_checktype(L, arg, LUA_TTABLE);
    if (!push_own_metatable(L, arg))
        luaL_argerror(L, arg, "a script may do this with its own tables only");
    lua_pop(L, 1);
}

/* ---- finalizers ---- */

/* Calls the finalizer of the table that the guard holds, as far as the budget goes under which it was set. A later
 * budget would pay for another script, and without a budget it might never end. */
static int run_finalizer(lua_State *L) {
    l_limits *limits = l_limits_of(L);
    const int64_t *run = lua_touserdata(L, 1);
    if (*run != limits->run || l_is_spent(limits) || lua_getiuservalue(L, 1, 1) != LUA_TTABLE ||
        luaL_getmetafield(L, -1, "__gc") != LUA_TFUNCTION)
        return 0;
    l_spend(limits, L_BUDGET_INTERVAL);
    lua_State *thread = lua_newthread(L);
    int results = 0;
    lua_insert(L, -3);
    lua_insert(L, -2);
    lua_xmove(L, thread, 2); /* the finalizer, then the table */
    lua_resume(thread, L, 1, &results);
    return 0;
}

/* Pushes a new guard of a table. */
static int64_t *push_guard(lua_State *L, int table) {
    int64_t *run = lua_newuserdatauv(L, sizeof *run, 1);
    lua_pushvalue(L, table);
    lua_setiuservalue(L, -2, 1);
    lua_newtable(L);
    lua_pushcfunction(L, run_finalizer);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    return run;
}

/* The guard dies with its table, so its finalizer runs where the table's would. */
static void guard(lua_State *L, int table) {
    push_weak(L, &guards);
    lua_pushvalue(L, table);
    int64_t *run = lua_rawget(L, -2) == LUA_TNIL ? NULL : lua_touserdata(L, -1);
    lua_pop(L, 1);
    if (!run) {
        lua_pushvalue(L, table);
        run = push_guard(L, table);
        lua_rawset(L, -3);
    }
    *run = l_limits_of(L)->run;
    lua_pop(L, 1);
}

/* Sets the metatable at 2 without its __gc, which Lua would note now. */
static void set_without_finalizer(lua_State *L) {
    lua_pushliteral(L, "__gc");
    lua_pushliteral(L, "__gc");
    const bool has = lua_rawget(L, 2) != LUA_TNIL;
    if (has) {
        lua_pushliteral(L, "__gc");
        lua_pushnil(L);
        lua_rawset(L, 2);
    }
    lua_pushvalue(L, 2);
    lua_setmetatable(L, 1);
    if (has) {
        lua_rawset(L, 2);
        guard(L, 1);
    }
}

/* ---- weak keys ---- */

/* On the stack of a thread that does nothing else, so that the allocator may use it: it allocates nothing. */
enum { MODE = 1, MADE };

lua_State *l_new_weak_thread(lua_State *L) {
    lua_State *thread = lua_newthread(L);
    lua_pushliteral(thread, "__mode");
    push_weak(thread, &made);
    lua_rawsetp(L, LUA_REGISTRYINDEX, thread);
    return thread;
}

static bool has_weak_keys_only(lua_State *thread, int metatable) {
    lua_pushvalue(thread, MODE);
    const char *mode = lua_rawget(thread, metatable) == LUA_TSTRING ? lua_tostring(thread, -1) : "";
    const bool has = strchr(mode, 'k') && !strchr(mode, 'v');
    lua_pop(thread, 1);
    return has;
}

void l_forbid_weak_keys(lua_State *thread) {
    lua_pushnil(thread);
    while (lua_next(thread, MADE)) {
        if (has_weak_keys_only(thread, MADE + 1)) {
            lua_pushvalue(thread, MODE);
            lua_pushnil(thread);
            lua_rawset(thread, MADE + 1);
        }
        lua_pop(thread, 1);
    }
}

/* yes = is_own(table) */
int l_is_own(lua_State *L) {
    lua_pushboolean(L, lua_istable(L, 1) && push_own_metatable(L, 1));
    return 1;
}

/* ---- functions ---- */

static int l_setmetatable(lua_State *L) {
    luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
    check_own(L, 1);
    lua_settop(L, 2);
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL)
        return luaL_error(L, "cannot change a protected metatable");
    if (lua_isnil(L, 2)) {
        lua_setmetatable(L, 1);
        return 1;
    }
    push_weak(L, &made);
    lua_pushvalue(L, 2);
    lua_pushboolean(L, 1);
    lua_rawset(L, -3);
    lua_settop(L, 2);
    set_without_finalizer(L);
    lua_settop(L, 1);
    return 1;
}

/* nil for what belongs to saltus or to Lua, such as strings */
static int l_getmetatable_of_own(lua_State *L) {
    luaL_checkany(L, 1);
    if (!lua_istable(L, 1) || !push_own_metatable(L, 1)) {
        lua_pushnil(L);
        return 1;
    }
    if (!lua_isnil(L, -1))
        luaL_getmetafield(L, 1, "__metatable"); /* pushes nothing if there is none */
    return 1;
}

static int l_rawget(lua_State *L) {
    check_own(L, 1);
    luaL_checkany(L, 2);
    lua_settop(L, 2);
    lua_rawget(L, 1);
    return 1;
}

static int l_rawset(lua_State *L) {
    check_own(L, 1);
    luaL_checkany(L, 3);
    lua_settop(L, 3);
    luaL_argcheck(L, !lua_isnil(L, 2), 2, "index is nil");
    lua_rawset(L, 1);
    return 1;
}

static int l_next(lua_State *L) {
    check_own(L, 1);
    lua_settop(L, 2);
    if (lua_next(L, 1))
        return 2;
    lua_pushnil(L);
    return 1;
}

const luaL_Reg l_metatable_functions[] = {{"setmetatable", l_setmetatable},
                                          {"getmetatable", l_getmetatable_of_own},
                                          {"rawget", l_rawget},
                                          {"rawset", l_rawset},
                                          {"next", l_next},
                                          {NULL, NULL}};
