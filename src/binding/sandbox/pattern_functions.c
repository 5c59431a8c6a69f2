/* string.find, match, gmatch and gsub with charged patterns. */
#include <string.h>

#include "pattern.h"

static size_t start_of(lua_Integer init, size_t size) {
    if (init > 0)
        return (size_t)init - 1;
    if (init == 0 || init < -(lua_Integer)size)
        return 0;
    return size - (size_t)-init;
}

static bool has_specials(const char *pattern, size_t size) {
    for (size_t i = 0; i < size; i++)
        if (strchr("^$*+?.([%-", pattern[i]) && pattern[i] != '\0')
            return true;
    return false;
}

/* The first match from `at` on; *at becomes its start. */
static const char *search(l_match *m, const char *pattern, const char **at) {
    const bool anchored = pattern < m->pattern_end && *pattern == '^';
    const char *const p = anchored ? pattern + 1 : pattern;
    do {
        const char *to = l_match_here(m, *at, p);
        if (to)
            return to;
    } while ((*at)++ < m->text_end && !anchored);
    return NULL;
}

static int find_or_match(lua_State *L, bool find) {
    size_t size, pattern_size;
    const char *text = luaL_checklstring(L, 1, &size), *pattern = luaL_checklstring(L, 2, &pattern_size);
    const size_t init = start_of(luaL_optinteger(L, 3, 1), size);
    if (init > size) {
        lua_pushnil(L);
        return 1;
    }
    l_match m;
    l_match_begin(&m, L, text, size, pattern, pattern_size);
    const bool plain = find && (lua_toboolean(L, 4) || !has_specials(pattern, pattern_size));
    const char *from = text + init, *to = NULL;
    if (plain) {
        m.capture_count = 0;
        from = l_find_plain(&m, from, pattern, pattern_size);
        to = from ? from + pattern_size : NULL;
    } else {
        to = search(&m, pattern, &from);
    }
    if (!to) {
        lua_pushnil(L);
        return 1;
    }
    if (!find)
        return l_push_captures(&m, from, to);
    lua_pushinteger(L, from - text + 1);
    lua_pushinteger(L, to - text);
    return 2 + l_push_captures(&m, NULL, NULL);
}

static int l_find(lua_State *L) {
    return find_or_match(L, true);
}

static int l_match_function(lua_State *L) {
    return find_or_match(L, false);
}

/* ---- gmatch: the text, the pattern, where to continue, and where the last match ended ---- */

enum { TEXT = 1, PATTERN, NEXT, LAST };

static int next_match(lua_State *L) {
    size_t size, pattern_size;
    const char *text = lua_tolstring(L, lua_upvalueindex(TEXT), &size);
    const char *pattern = lua_tolstring(L, lua_upvalueindex(PATTERN), &pattern_size);
    const lua_Integer next = lua_tointeger(L, lua_upvalueindex(NEXT)), last = lua_tointeger(L, lua_upvalueindex(LAST));
    l_match m;
    l_match_begin(&m, L, text, size, pattern, pattern_size);
    for (lua_Integer at = next; at <= (lua_Integer)size; at++) {
        const char *to = l_match_here(&m, text + at, pattern);
        if (to && to - text != last) {
            lua_pushinteger(L, to - text);
            lua_pushvalue(L, -1);
            lua_replace(L, lua_upvalueindex(NEXT));
            lua_replace(L, lua_upvalueindex(LAST));
            return l_push_captures(&m, text + at, to);
        }
    }
    lua_pushinteger(L, (lua_Integer)size + 1);
    lua_replace(L, lua_upvalueindex(NEXT));
    return 0;
}

static int l_gmatch(lua_State *L) {
    size_t size;
    luaL_checklstring(L, 1, &size);
    luaL_checkstring(L, 2);
    const size_t init = start_of(luaL_optinteger(L, 3, 1), size);
    lua_settop(L, 2);
    lua_pushinteger(L, (lua_Integer)(init > size ? size + 1 : init));
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, next_match, 4);
    return 1;
}

/* ---- gsub ---- */

/* Adds a replacement string, with its %0 to %9. */
static void add_text(l_match *m, luaL_Buffer *out, const char *from, const char *to) {
    size_t size;
    const char *with = lua_tolstring(m->L, 3, &size);
    for (const char *end = with + size; with < end; with++) {
        if (*with != '%') {
            luaL_addchar(out, *with);
        } else if (++with < end && *with == '%') {
            luaL_addchar(out, '%');
        } else if (with < end && *with == '0') {
            luaL_addlstring(out, from, (size_t)(to - from));
        } else if (with < end && *with >= '1' && *with <= '9') {
            l_push_capture(m, *with - '1', from, to);
            luaL_tolstring(m->L, -1, NULL);
            lua_remove(m->L, -2);
            luaL_addvalue(out);
        } else {
            luaL_error(m->L, "invalid use of '%%' in replacement string");
        }
        l_charge(m->L, 1);
    }
}

/* Adds the replacement of a match; false: it stays as it is. */
static bool add_value(l_match *m, luaL_Buffer *out, const char *from, const char *to, int type) {
    lua_State *L = m->L;
    if (type == LUA_TFUNCTION) {
        lua_pushvalue(L, 3);
        lua_call(L, l_push_captures(m, from, to), 1);
    } else if (type == LUA_TTABLE) {
        l_push_capture(m, 0, from, to);
        lua_gettable(L, 3);
    } else {
        add_text(m, out, from, to);
        return true;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(out, from, (size_t)(to - from));
        return false;
    }
    if (!lua_isstring(L, -1))
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    luaL_addvalue(out);
    return true;
}

static int l_gsub(lua_State *L) {
    size_t size, pattern_size;
    const char *text = luaL_checklstring(L, 1, &size), *pattern = luaL_checklstring(L, 2, &pattern_size);
    const int type = lua_type(L, 3);
    luaL_argexpected(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE, 3,
                     "string/function/table");
    const lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)size + 1);
    const bool anchored = pattern_size > 0 && *pattern == '^';
    lua_settop(L, 4);
    l_match m;
    l_match_begin(&m, L, text, size, pattern, pattern_size);
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    const char *at = text, *last = NULL;
    lua_Integer count = 0;
    while (count < most) {
        const char *to = l_match_here(&m, at, pattern + (anchored ? 1 : 0));
        if (to && to != last) {
            count++;
            add_value(&m, &out, at, to, type);
            at = last = to;
        } else if (at < m.text_end) {
            luaL_addchar(&out, *at++);
        } else {
            break;
        }
        if (anchored)
            break;
    }
    luaL_addlstring(&out, at, (size_t)(m.text_end - at));
    luaL_pushresult(&out);
    lua_pushinteger(L, count);
    return 2;
}

const luaL_Reg l_pattern_functions[] = {
    {"find", l_find}, {"match", l_match_function}, {"gmatch", l_gmatch}, {"gsub", l_gsub}, {NULL, NULL}};
