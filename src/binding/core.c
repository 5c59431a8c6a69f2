/* luaopen_saltus_core: what lua/saltus/ is built on. Not a face for users. */
#include <string.h>

#include "binding.h"

int luaopen_saltus_core(lua_State *L);
int l_new_simulator(lua_State *L);
void l_open_simulator(lua_State *L);
int l_new_delay_buffer(lua_State *L); /* delay_buffer.c */
void l_open_delay_buffer(lua_State *L);

/* { { name =, order =, ... }, ... } in order of the registry */
static int l_methods(lua_State *L) {
    lua_newtable(L);
    for (int i = 0; sal_method_at(i); i++) {
        const sal_method *m = sal_method_at(i);
        lua_createtable(L, 0, 7);
        lua_pushstring(L, sal_method_name(m));
        lua_setfield(L, -2, "name");
        lua_pushinteger(L, sal_method_order(m));
        lua_setfield(L, -2, "order");
        lua_pushboolean(L, sal_method_error_order(m) > 0);
        lua_setfield(L, -2, "error_control");
        lua_pushboolean(L, sal_method_takes_mass(m));
        lua_setfield(L, -2, "mass");
        lua_pushboolean(L, sal_method_is_implicit(m));
        lua_setfield(L, -2, "implicit");
        lua_pushboolean(L, sal_method_takes_past(m));
        lua_setfield(L, -2, "past");
        lua_pushnumber(L, sal_method_default_accuracy(m));
        lua_setfield(L, -2, "accuracy");
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int l_status_text(lua_State *L) {
    lua_pushstring(L, sal_status_text((sal_status)luaL_checkinteger(L, 1)));
    return 1;
}

/* "file:line" = core.where(own): in the innermost function that is neither C's nor of a source that begins with `own`,
 * which the library's own do; nil when there is none. */
static int l_where(lua_State *L) {
    size_t length = 0;
    const char *own = luaL_checklstring(L, 1, &length);
    lua_Debug at;
    for (int level = 1; lua_getstack(L, level, &at); level++) {
        lua_getinfo(L, "S", &at);
        if (*at.what == 'C' || strncmp(at.source, own, length) == 0)
            continue;
        lua_getinfo(L, "l", &at);
        lua_pushfstring(L, "%s:%d", at.short_src, at.currentline);
        return 1;
    }
    lua_pushnil(L);
    return 1;
}

static const luaL_Reg functions[] = {{"simulator", l_new_simulator},
                                     {"delay_buffer", l_new_delay_buffer},
                                     {"integrator", l_new_standalone},
                                     {"methods", l_methods},
                                     {"status_text", l_status_text},
                                     {"where", l_where},
                                     {"neutral", l_neutral_number},
                                     {"runs", l_push_runs},
                                     {"program_operations", l_compiled_operations},
                                     {NULL, NULL}};

SAL_API int luaopen_saltus_core(lua_State *L) {
    luaL_checkversion(L);
    l_open_simulator(L);
    l_open_recorder(L);
    l_open_standalone(L);
    l_open_delay_buffer(L);
    l_open_delay_access(L);
    luaL_newlib(L, functions);
    l_open_blocks(L);
    lua_pushstring(L, SAL_VERSION);
    lua_setfield(L, -2, "version");
    l_push_constants(L);
    lua_setfield(L, -2, "constants");
    return 1;
}
