/* Fields of the normalised tables: they are of the right type, or not there. */
#include <string.h>

#include "values.h"

void l_check_status(lua_State *L, sal_status status, const char *what) {
    if (status != SAL_OK)
        luaL_error(L, status == SAL_ENOMEM ? "not enough memory" : "%s: %s", what, sal_status_text(status));
}

int l_field_integer(lua_State *L, int table, const char *name) {
    lua_getfield(L, table, name);
    const int value = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return value;
}

double l_field_number(lua_State *L, int table, const char *name, double otherwise) {
    const double value = lua_getfield(L, table, name) == LUA_TNUMBER ? lua_tonumber(L, -1) : otherwise;
    lua_pop(L, 1);
    return value;
}

int l_field_option(lua_State *L, int table, const char *name, const char *const options[]) {
    lua_getfield(L, table, name);
    const char *text = lua_tostring(L, -1);
    int found = -1;
    for (int i = 0; text && options[i]; i++)
        if (strcmp(text, options[i]) == 0)
            found = i;
    lua_pop(L, 1);
    return found;
}

bool l_field_is(lua_State *L, int table, const char *name, int type) {
    const bool is = lua_getfield(L, table, name) == type;
    lua_pop(L, 1);
    return is;
}

bool l_field_true(lua_State *L, int table, const char *name) {
    lua_getfield(L, table, name);
    const bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

/* How many the list of that name has; none: 0. */
int l_field_length(lua_State *L, int table, const char *name) {
    const int count = lua_getfield(L, table, name) == LUA_TTABLE ? (int)luaL_len(L, -1) : 0;
    lua_pop(L, 1);
    return count;
}

/* A list's items from `from` on, one by one: it may be long. */
void l_field_numbers(lua_State *L, int list, int from, double *to, int count) {
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, list, from + i);
        to[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
}
