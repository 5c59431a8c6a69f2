#include "values.h"

#include <string.h>

void l_check_status(lua_State *L, sal_status status, const char *what) {
    if (status == SAL_ENOMEM)
        luaL_error(L, "not enough memory");
    if (status != SAL_OK)
        luaL_error(L, "%s: %s", what, sal_status_text(status));
}

/* ---- fields ---- */

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

bool l_field_flag(lua_State *L, int table, const char *name, bool otherwise) {
    const bool value = lua_getfield(L, table, name) == LUA_TNIL ? otherwise : lua_toboolean(L, -1);
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

int l_field_length(lua_State *L, int table, const char *name) {
    const int count = lua_getfield(L, table, name) == LUA_TTABLE ? (int)luaL_len(L, -1) : 0;
    lua_pop(L, 1);
    return count;
}

void l_set_number(lua_State *L, const char *name, double value) {
    lua_pushnumber(L, value);
    lua_setfield(L, -2, name);
}

void l_set_integer(lua_State *L, const char *name, int64_t value) {
    lua_pushinteger(L, (lua_Integer)value);
    lua_setfield(L, -2, name);
}

void l_set_flag(lua_State *L, const char *name, bool value) {
    lua_pushboolean(L, value);
    lua_setfield(L, -2, name);
}

void l_set_string(lua_State *L, const char *name, const char *value) {
    lua_pushstring(L, value);
    lua_setfield(L, -2, name);
}

void l_set_true(lua_State *L, const char *name, bool value) {
    if (value)
        l_set_flag(L, name, true);
}

/* ---- numbers ---- */

double *l_push_room(lua_State *L, int count) {
    return lua_newuserdatauv(L, ((size_t)count + 1) * sizeof(double), 0);
}

int l_push_list(lua_State *L, int count, const double *from) {
    lua_createtable(L, count, 0);
    for (int i = 0; i < count; i++) {
        lua_pushnumber(L, from[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

int l_push_numbers(lua_State *L, int count, const double *from) {
    if (count != 1)
        return l_push_list(L, count, from);
    lua_pushnumber(L, *from);
    return 1;
}

int l_push_place(lua_State *L, int i) {
    if (i < 0)
        lua_pushnil(L);
    else
        lua_pushinteger(L, i + 1);
    return 1;
}

int l_push_hash(lua_State *L, uint64_t hash) {
    char digits[16];
    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    lua_pushlstring(L, digits, sizeof digits);
    return 1;
}

bool l_read_numbers(lua_State *L, int list, int from, double *to, int count) {
    bool all = lua_istable(L, list);
    list = lua_absindex(L, list);
    for (int i = 0; i < count && lua_istable(L, list); i++) {
        all = lua_rawgeti(L, list, from + i) == LUA_TNUMBER && all;
        to[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return all;
}

void l_read_integers(lua_State *L, int list, int from, int *to, int count) {
    list = lua_absindex(L, list);
    for (int i = 0; i < count; i++) {
        const int type = lua_rawgeti(L, list, from + i);
        to[i] = type == LUA_TBOOLEAN ? lua_toboolean(L, -1) : (int)lua_tointeger(L, -1);
        lua_pop(L, 1);
    }
}

bool l_push_item(lua_State *L, int i) {
    const bool is_list = lua_istable(L, -1);
    if (is_list && lua_rawgeti(L, -1, i) == LUA_TTABLE)
        return true;
    lua_pop(L, is_list ? 2 : 1);
    return false;
}

int l_check_place(lua_State *L, int arg) {
    return (int)luaL_checkinteger(L, arg) - 1;
}

/* ---- classes ---- */

void l_open_class(lua_State *L, const l_class *class) {
    luaL_newmetatable(L, class->name);
    luaL_setfuncs(L, class->meta, 0);
    if (class->methods[0]) {
        lua_newtable(L);
        for (int i = 0; class->methods[i]; i++)
            luaL_setfuncs(L, class->methods[i], 0);
        lua_setfield(L, -2, "__index");
    }
    lua_pop(L, 1);
}

void *l_new_object(lua_State *L, const l_class *class, size_t size, int user_values) {
    void *self = memset(lua_newuserdatauv(L, size, user_values), 0, size);
    luaL_setmetatable(L, class->name);
    return self;
}

int l_take(lua_State *L, int userdata, int n) {
    const int type = lua_getiuservalue(L, userdata, n);
    lua_pushnil(L);
    lua_setiuservalue(L, userdata, n);
    return type;
}

void l_hold(lua_State *L, int value, int n) {
    lua_pushvalue(L, value);
    lua_setiuservalue(L, -2, n);
}
