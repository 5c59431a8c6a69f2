/* The command saltus as a function of a web page: Lua, the engine and the binding in one WebAssembly module. The page
 * writes the Lua files of saltus to /lua in the file system of the module, and the user's files beside them. */
#include <stdio.h>
#include <string.h>

#include <emscripten.h>
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

int luaopen_saltus_core(lua_State *L);

/* Pushes a table of the lines of a text. */
static void push_lines(lua_State *L, const char *text) {
    lua_newtable(L);
    for (lua_Integer i = 1; *text; i++) {
        const size_t length = strcspn(text, "\n");
        lua_pushlstring(L, text, length);
        lua_rawseti(L, -2, i);
        text += length + (text[length] == '\n');
    }
}

/* run(arguments): returns the exit status */
static int run(lua_State *L) {
    const char *arguments = lua_touserdata(L, 1);
    luaL_openlibs(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_saltus_core);
    lua_setfield(L, -2, "saltus.core");
    lua_getglobal(L, "package");
    lua_pushliteral(L, "/lua/?.lua;/lua/?/init.lua;./?.lua");
    lua_setfield(L, -2, "path");
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "cpath");
    lua_getglobal(L, "require");
    lua_pushliteral(L, "saltus.cli.main");
    lua_call(L, 1, 1);
    lua_getfield(L, -1, "main");
    push_lines(L, arguments);
    lua_call(L, 1, 1);
    return 1;
}

/* Runs the command in a Lua state of its own, with an argument for each line of the text. Returns its exit status; 1
 * for an error that is no report of the command, which it prints. */
EMSCRIPTEN_KEEPALIVE int saltus_run(const char *arguments) {
    lua_State *L = luaL_newstate();
    if (!L) {
        fputs("saltus: not enough memory\n", stderr);
        return 1;
    }
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, (void *)arguments);
    int status = 1;
    if (lua_pcall(L, 1, 1, 0) == LUA_OK)
        status = (int)lua_tointeger(L, -1);
    else
        fprintf(stderr, "saltus: %s\n", luaL_tolstring(L, -1, NULL));
    lua_close(L);
    fflush(NULL);
    return status;
}
