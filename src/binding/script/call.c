/* Calls of Lua on behalf of a program in C: no error of Lua gets out of them. */
#include "script.h"

/* An error object of a script in a sandbox may have a __tostring, which is not called. */
static int keep_trouble(lua_State *L) {
    if (l_limits_of(L)->untrusted && lua_type(L, 1) != LUA_TSTRING)
        lua_pushfstring(L, "an error that is not a text (a %s)", luaL_typename(L, 1));
    else
        luaL_tolstring(L, 1, NULL);
    lua_setfield(L, LUA_REGISTRYINDEX, L_SCRIPT_TROUBLE);
    return 0;
}

/* Pops the text. If there is no memory for it, the old one stays. */
static void take_trouble(lua_State *L) {
    lua_pushcfunction(L, keep_trouble);
    lua_insert(L, -2);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK)
        lua_pop(L, 1);
}

sal_status l_script_call(lua_State *L, int arguments, int results, sal_status otherwise) {
    const int failed = lua_pcall(L, arguments, results, 0);
    if (failed == LUA_OK)
        return SAL_OK;
    take_trouble(L);
    return failed == LUA_ERRMEM ? SAL_ENOMEM : otherwise;
}

static int refuse(lua_State *L) {
    lua_pushstring(L, lua_touserdata(L, 1));
    return lua_error(L);
}

sal_status l_script_refuse(lua_State *L, sal_status status, const char *text) {
    lua_pushcfunction(L, refuse);
    lua_pushlightuserdata(L, (void *)(uintptr_t)text);
    return l_script_call(L, 1, 0, status);
}

const char *l_script_trouble(lua_State *L) {
    lua_getfield(L, LUA_REGISTRYINDEX, L_SCRIPT_TROUBLE);
    const char *text = lua_tostring(L, -1); /* the registry references it */
    lua_pop(L, 1);
    return text ? text : "";
}

void l_script_push_function(lua_State *L, const char *module, const char *name) {
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    lua_call(L, 1, 1);
    lua_getfield(L, -1, name);
    lua_remove(L, -2);
}
