/* A Lua interpreter for the specs: `lua [-e CODE ...] [FILE [arg ...]]`. Built with
 * sanitizers it lets them see a whole process. */
#include <stdio.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

static int traceback(lua_State *L) {
    const char *message = luaL_tolstring(L, 1, NULL);
    luaL_traceback(L, L, message, 1);
    return 1;
}

/* Calls the chunk on the top with the arguments from argv[first] on. */
static int call(lua_State *L, int status, char **argv, int first, int argc) {
    int given = 0;
    for (int i = first; status == LUA_OK && i < argc; i++, given++)
        lua_pushstring(L, argv[i]);
    if (status == LUA_OK)
        status = lua_pcall(L, given, 0, 1);
    if (status != LUA_OK)
        fprintf(stderr, "lua: %s\n", lua_tostring(L, -1));
    return status;
}

int main(int argc, char **argv) {
    int script = 1;
    while (script + 1 < argc && strcmp(argv[script], "-e") == 0)
        script += 2;
    if (argc < 2) {
        fprintf(stderr, "usage: lua [-e CODE ...] [FILE [arg ...]]\n");
        return 2;
    }
    lua_State *L = luaL_newstate();
    if (!L)
        return 1;
    luaL_openlibs(L);

    luaL_checkstack(L, argc + LUA_MINSTACK, "too many arguments");
    lua_createtable(L, argc, 1);
    for (int i = 0; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i - script);
    }
    lua_setglobal(L, "arg");

    lua_pushcfunction(L, traceback);
    int status = LUA_OK;
    for (int i = 2; i < script && status == LUA_OK; i += 2)
        status = call(L, luaL_loadstring(L, argv[i]), argv, argc, argc);
    if (status == LUA_OK && script < argc)
        status = call(L, luaL_loadfile(L, argv[script]), argv, script + 1, argc);
    lua_close(L);
    return status != LUA_OK;
}
