/* saltus: the command. A Lua state with the engine linked in; everything with an
 * opinion (arguments, files, reports) is lua/saltus/cli.lua.
 *
 * The Lua files are found from where the executable is: ../../lua in a build
 * tree, ../share/lua/5.4 where it was installed. LUA_PATH adds to both. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

int luaopen_saltus_core(lua_State *L);

/* saltus.host: what standard Lua cannot tell. */
static int l_isatty(lua_State *L) {
    lua_pushboolean(L, isatty((int)luaL_checkinteger(L, 1)));
    return 1;
}

static int l_clock(lua_State *L) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    lua_pushnumber(L, (lua_Number)now.tv_sec + 1e-9 * (lua_Number)now.tv_nsec);
    return 1;
}

static int open_host(lua_State *L) {
    static const luaL_Reg functions[] = {{"isatty", l_isatty}, {"clock", l_clock}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}

/* The executable's folder without the slash; false where nobody can tell. */
static bool own_folder(char *out, size_t size) {
    const ssize_t n = readlink("/proc/self/exe", out, size - 1);
    if (n <= 0)
        return false;
    out[n] = '\0';
    char *slash = strrchr(out, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

/* The folder of lua/saltus/cli.lua, NULL when only the default path is left. */
static const char *push_lua_folder(lua_State *L) {
    static const char *const places[] = {"../../lua", "../share/lua/5.4", "../lua"};
    char folder[PATH_MAX];
    if (!own_folder(folder, sizeof folder))
        return NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *place = lua_pushfstring(L, "%s/%s", folder, places[i]);
        const char *file = lua_pushfstring(L, "%s/saltus/cli.lua", place);
        const bool there = access(file, R_OK) == 0;
        lua_pop(L, 1);
        if (there)
            return place;
        lua_pop(L, 1);
    }
    return NULL;
}

static void set_path(lua_State *L) {
    const char *folder = push_lua_folder(L);
    if (!folder)
        return;
    lua_getglobal(L, "package");
    lua_getfield(L, -1, "path");
    lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s", folder, folder, lua_tostring(L, -1));
    lua_setfield(L, -3, "path");
}

static void push_arguments(lua_State *L, int argc, char **argv) {
    lua_createtable(L, argc, 1);
    for (int i = 0; i < argc; i++) {
        lua_pushstring(L, argv[i]);
        lua_rawseti(L, -2, i);
    }
}

/* In protected mode: status = require("saltus.cli").main(arguments) */
static int run(lua_State *L) {
    const int argc = (int)lua_tointeger(L, 1);
    char **argv = lua_touserdata(L, 2);
    luaL_openlibs(L);
    set_path(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_saltus_core);
    lua_setfield(L, -2, "saltus.core");
    lua_pushcfunction(L, open_host);
    lua_setfield(L, -2, "saltus.host");
    lua_getglobal(L, "require");
    lua_pushliteral(L, "saltus.cli");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "main");
    push_arguments(L, argc, argv);
    lua_call(L, 1, 1);
    return 1;
}

int main(int argc, char **argv) {
    lua_State *L = luaL_newstate();
    if (!L) {
        fputs("saltus: not enough memory\n", stderr);
        return EXIT_FAILURE;
    }
    lua_pushcfunction(L, run);
    lua_pushinteger(L, argc);
    lua_pushlightuserdata(L, argv);
    int code = EXIT_FAILURE;
    if (lua_pcall(L, 2, 1, 0) == LUA_OK)
        code = (int)lua_tointeger(L, -1);
    else
        fprintf(stderr, "saltus: %s\n", lua_isstring(L, -1) ? lua_tostring(L, -1) : "an error that is no text");
    lua_close(L);
    return code;
}
