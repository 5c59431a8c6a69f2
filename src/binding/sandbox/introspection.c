/* What Lua's debug library says about functions, for saltus in states without that library. */
#include <string.h>

#include "binding/binding.h"

static lua_State *thread_at(lua_State *L, int *arg) {
    const bool is = lua_isthread(L, 1);
    *arg = is ? 2 : 1;
    return is ? lua_tothread(L, 1) : L;
}

static void push_source(lua_State *L, const lua_Debug *at) {
    l_set_string(L, "source", at->source);
    l_set_string(L, "short_src", at->short_src);
    l_set_string(L, "what", at->what);
    l_set_integer(L, "linedefined", at->linedefined);
}

/* info = core.getinfo([thread,] function or level, what): as debug.getinfo, with `what` among "S", "l", "t", "f" */
int l_getinfo(lua_State *L) {
    int arg = 0;
    lua_State *of = thread_at(L, &arg);
    lua_Debug at;
    char what[8] = ">";
    const char *fields = luaL_checkstring(L, arg + 1);
    luaL_argcheck(L, strspn(fields, "Sltf") == strlen(fields) && strlen(fields) < sizeof what - 1, arg + 1, "unknown");
    strcat(what, fields);
    const bool is_function = lua_isfunction(L, arg);
    if (is_function) {
        lua_pushvalue(L, arg);
        lua_xmove(L, of, 1);
    } else if (!lua_getstack(of, (int)luaL_checkinteger(L, arg), &at)) {
        return 0;
    }
    luaL_checkstack(of, 2, "a function");
    lua_getinfo(of, is_function ? what : fields, &at);
    const bool has_function = strchr(fields, 'f') != NULL;
    if (has_function)
        lua_xmove(of, L, 1);
    lua_newtable(L);
    if (has_function) {
        lua_rotate(L, -2, 1);
        lua_setfield(L, -2, "func");
    }
    if (strchr(fields, 'S'))
        push_source(L, &at);
    if (strchr(fields, 'l'))
        l_set_integer(L, "currentline", at.currentline);
    if (strchr(fields, 't'))
        l_set_flag(L, "istailcall", at.istailcall);
    return 1;
}

/* name, value = core.getupvalue(function, i) */
int l_getupvalue(lua_State *L) {
    luaL_checktype(L, 1, LUA_TFUNCTION);
    const char *name = lua_getupvalue(L, 1, (int)luaL_checkinteger(L, 2));
    if (!name)
        return 0;
    lua_pushstring(L, name);
    lua_insert(L, -2);
    return 2;
}

/* metatable = core.getmetatable(value), without regard to __metatable */
int l_getmetatable(lua_State *L) {
    luaL_checkany(L, 1);
    return lua_getmetatable(L, 1);
}

typedef struct l_chunk {
    bool begun;
    luaL_Buffer bytes;
} l_chunk;

/* The buffer begins here, because it may put values above the function, which is on top at first. */
static int add_piece(lua_State *L, const void *piece, size_t size, void *to) {
    l_chunk *chunk = to;
    if (!chunk->begun)
        luaL_buffinit(L, &chunk->bytes);
    chunk->begun = true;
    luaL_addlstring(&chunk->bytes, piece, size);
    return 0;
}

/* chunk = core.dump(function, lines): its bytecode, with names and lines if `lines` is true; nil for a function of C */
int l_dump(lua_State *L) {
    l_chunk chunk = {.begun = false};
    const bool lines = lua_toboolean(L, 2);
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 1);
    if (lua_iscfunction(L, 1) || lua_dump(L, add_piece, &chunk, !lines) != 0)
        return 0;
    luaL_pushresult(&chunk.bytes);
    return 1;
}
