/* Methods of saltus.core trust their callers: they write to memory by the numbers that they get. In a sandbox only the
 * Lua files of saltus may look them up, even if a script gets hold of such a userdata. */
#include <string.h>

#include "sandbox.h"

enum { INDEX = 1, OWN }; /* upvalues: the __index of the class, and how sources of saltus begin */

static bool is_trusted(lua_State *L) {
    size_t size = 0;
    const char *own = lua_tolstring(L, lua_upvalueindex(OWN), &size);
    lua_Debug at;
    if (!lua_getstack(L, 1, &at))
        return true; /* the host */
    lua_getinfo(L, "S", &at);
    return strncmp(at.source, own, size) == 0;
}

static int index_for_saltus(lua_State *L) {
    if (!is_trusted(L))
        return luaL_error(L, "this is not for scripts");
    if (lua_istable(L, lua_upvalueindex(INDEX))) {
        lua_settop(L, 2);
        lua_gettable(L, lua_upvalueindex(INDEX));
        return 1;
    }
    lua_pushvalue(L, lua_upvalueindex(INDEX));
    lua_insert(L, 1);
    lua_call(L, 2, 1);
    return 1;
}

/* The metatable is on top. */
static void guard_class(lua_State *L, const char *own) {
    if (lua_getfield(L, -1, "__index") == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    lua_pushstring(L, own);
    lua_pushcclosure(L, index_for_saltus, 2);
    lua_setfield(L, -2, "__index");
}

/* The classes are the tables of the registry whose keys begin so (luaL_newmetatable). */
void l_guard_classes(lua_State *L, const char *own) {
    static const char prefix[] = "saltus.";
    lua_pushnil(L);
    while (lua_next(L, LUA_REGISTRYINDEX)) {
        if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1) &&
            strncmp(lua_tostring(L, -2), prefix, sizeof prefix - 1) == 0)
            guard_class(L, own);
        lua_pop(L, 1);
    }
}
