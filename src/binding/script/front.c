/* saltus/script.h: finds the saltus of a Lua state, and calls it. The module in Lua does not have this file. */
#include <string.h>

#include <lualib.h>

#include "saltus/script.h"
#include "script.h"

int luaopen_saltus_core(lua_State *L);

enum { ROOM = 20 }; /* on the stack */

#define MISSING "saltus is not loaded in this Lua state: call sal_script_open, or require \"saltus\" in it, first"
#define OTHER_VERSION "the saltus of this Lua state is of another version than the library of this program"

/* ---- the face of a state ---- */

static int find_face(lua_State *L) {
    lua_getfield(L, LUA_REGISTRYINDEX, L_SCRIPT_FACE);
    return 1;
}

static const l_script_face *loaded_face(lua_State *L) {
    if (!lua_checkstack(L, ROOM))
        return NULL;
    lua_pushcfunction(L, find_face);
    const l_script_face *found = lua_pcall(L, 0, 1, 0) == LUA_OK ? lua_touserdata(L, -1) : NULL;
    lua_pop(L, 1);
    return found;
}

static bool is_like_this(const l_script_face *f) {
    return strcmp(f->version, l_script_own_face.version) == 0 && f->system_size == l_script_own_face.system_size &&
           f->simulator_size == l_script_own_face.simulator_size && f->part_size == l_script_own_face.part_size;
}

/* NULL: the trouble says why. */
static const l_script_face *face_of(lua_State *L) {
    const l_script_face *found = loaded_face(L);
    if (found && is_like_this(found))
        return found;
    if (lua_checkstack(L, ROOM))
        l_script_refuse(L, SAL_EINVAL, found ? OTHER_VERSION : MISSING);
    return NULL;
}

/* ---- saltus/script.h ---- */

/* (folder): with this library's saltus.core */
static int open_saltus(lua_State *L) {
    const char *folder = lua_touserdata(L, 1);
    if (lua_getglobal(L, "require") != LUA_TFUNCTION || lua_getglobal(L, "package") != LUA_TTABLE)
        return luaL_error(L, "the Lua state has no `require`; luaL_openlibs adds it");
    if (folder) {
        lua_getfield(L, -1, "path");
        lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s", folder, folder, luaL_optstring(L, -1, ""));
        lua_setfield(L, -3, "path");
        lua_pop(L, 1);
    }
    luaL_getsubtable(L, -1, "preload");
    lua_pushcfunction(L, luaopen_saltus_core);
    lua_setfield(L, -2, "saltus.core");
    lua_getglobal(L, "require");
    lua_pushliteral(L, "saltus");
    lua_call(L, 1, 0);
    return 0;
}

sal_status sal_script_open(lua_State *L, const char *folder) {
    if (loaded_face(L))
        return face_of(L) ? SAL_OK : SAL_EINVAL;
    if (!lua_checkstack(L, ROOM))
        return SAL_ENOMEM;
    lua_pushcfunction(L, open_saltus);
    lua_pushlightuserdata(L, (void *)(uintptr_t)folder);
    return l_script_call(L, 1, 0, SAL_EINVAL);
}

sal_simulator *sal_script_simulator(lua_State *L, int index) {
    const l_script_face *f = face_of(L);
    return f ? f->simulator(L, index) : NULL;
}

sal_status sal_script_release(lua_State *L, sal_simulator *sim) {
    const l_script_face *f = face_of(L);
    return f ? f->release(L, sim) : SAL_EINVAL;
}

sal_status sal_script_push_system(lua_State *L, sal_system *sys) {
    const l_script_face *f = face_of(L);
    return f ? f->push_system(L, sys) : SAL_EINVAL;
}

sal_status sal_script_load(lua_State *L, const char *path, int arguments) {
    const l_script_face *f = face_of(L);
    if (f)
        return f->load(L, path, arguments);
    lua_pop(L, arguments);
    return SAL_EINVAL;
}

const char *sal_script_trouble(lua_State *L) {
    const l_script_face *f = loaded_face(L);
    return f ? f->trouble(L) : l_script_trouble(L);
}
