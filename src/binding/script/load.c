/* Files of Lua source, each in an environment of its own. */
#include "script.h"

/* chunk = compile(path) */
static int compile(lua_State *L) {
    const char *path = lua_touserdata(L, 1);
    if (luaL_loadfilex(L, path, "t") != LUA_OK)
        return lua_error(L);
    l_script_push_function(L, "saltus.script.environment", "new");
    lua_pushstring(L, path);
    lua_call(L, 1, 1);
    if (!lua_setupvalue(L, -2, 1))
        lua_pop(L, 1);
    return 1;
}

/* value = run(chunk, ...). On a thread: saltus.scenario runs a scenario only for an interpreter's main program. */
static int run(lua_State *L) {
    const int arguments = lua_gettop(L) - 1;
    lua_State *thread = lua_newthread(L);
    lua_insert(L, 1);
    luaL_checkstack(thread, arguments + LUA_MINSTACK, "arguments");
    lua_xmove(L, thread, arguments + 1);
    const bool failed = lua_pcall(thread, arguments, 1, 0) != LUA_OK;
    lua_xmove(thread, L, 1);
    return failed ? lua_error(L) : 1;
}

sal_status l_script_load(lua_State *L, const char *path, int arguments) {
    lua_pushcfunction(L, compile);
    lua_pushlightuserdata(L, (void *)(uintptr_t)path);
    const sal_status status = l_script_call(L, 1, 1, SAL_EINVAL);
    if (status != SAL_OK) {
        lua_pop(L, arguments);
        return status;
    }
    lua_insert(L, -arguments - 1);
    lua_pushcfunction(L, run);
    lua_insert(L, -arguments - 2);
    return l_script_call(L, arguments + 1, 1, SAL_ECALLBACK);
}
