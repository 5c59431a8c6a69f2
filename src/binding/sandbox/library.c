/* The functions of Lua's libraries as scripts in a sandbox get them. Hooks do not see what happens inside of a function
 * of C, so each of these charges for the sizes of its arguments, and checks the sizes of its results first. */
#include <math.h>
#include <string.h>

#include "library.h"
#include "pattern.h"

enum { BYTES_PER_UNIT = 16, ITEMS_PER_UNIT = 4, MOST_RESULTS = 16384 };

/* Runs the function in the first upvalue in this call, so that errors have the name and the line of the script. A
 * single instruction passes all results on, as in f(table.unpack(t)), so they must be few. */
static int forward(lua_State *L) {
    const int results = lua_tocfunction(L, lua_upvalueindex(1))(L);
    if (results > MOST_RESULTS)
        return luaL_error(L, "the function would return %d values, and the host of this script allows %d", results,
                          MOST_RESULTS);
    return results;
}

/* The bytes of all strings among the arguments. */
static double bytes_of_arguments(lua_State *L) {
    double bytes = 0;
    for (int i = lua_gettop(L); i > 0; i--)
        if (lua_type(L, i) == LUA_TSTRING)
            bytes += (double)lua_rawlen(L, i);
    return bytes;
}

static void charge(lua_State *L, double units) {
    l_charge(L, units < 1e18 ? (int64_t)units + 1 : (int64_t)1e18);
}

static int by_bytes(lua_State *L) {
    charge(L, bytes_of_arguments(L) / BYTES_PER_UNIT + lua_gettop(L) / ITEMS_PER_UNIT);
    return forward(L);
}

/* The results have a number of bytes for each argument, such as the width of %99d. */
static int l_format(lua_State *L) {
    enum { WIDEST = 120 };
    l_check_length(L, bytes_of_arguments(L));
    charge(L, bytes_of_arguments(L) / BYTES_PER_UNIT + WIDEST / BYTES_PER_UNIT * lua_gettop(L));
    return forward(L);
}

static int l_rep(lua_State *L) {
    size_t size, between;
    luaL_checklstring(L, 1, &size);
    const double count = (double)luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &between);
    const double bytes = count <= 0 ? 0 : count * (double)size + (count - 1) * (double)between;
    l_check_length(L, bytes);
    charge(L, bytes / BYTES_PER_UNIT + fmax(count, 0) / ITEMS_PER_UNIT);
    return forward(L);
}

/* ---- tables: raw ones, whose length is that of their memory ---- */

static double check_plain(lua_State *L, int arg) {
    static const char *const hidden[] = {"__index", "__newindex", "__len"};
    luaL_checktype(L, arg, LUA_TTABLE);
    for (int i = 0; i < 3; i++)
        if (luaL_getmetafield(L, arg, hidden[i]) != LUA_TNIL)
            luaL_argerror(L, arg, "scripts of this host may do this with plain tables only");
    return (double)lua_rawlen(L, arg);
}

static int by_length(lua_State *L) {
    charge(L, check_plain(L, 1) / ITEMS_PER_UNIT);
    return forward(L);
}

/* The bytes of all texts in a list of n items. */
static double bytes_of_items(lua_State *L, double n) {
    double bytes = 0;
    for (lua_Integer i = 1; i <= (lua_Integer)n; i++) {
        if (lua_rawgeti(L, 1, i) == LUA_TSTRING)
            bytes += (double)lua_rawlen(L, -1);
        lua_pop(L, 1);
    }
    return bytes;
}

/* A comparison of two texts reads both. */
static int l_sort(lua_State *L) {
    const double n = check_plain(L, 1), depth = log2(n + 2);
    charge(L, n * depth);
    charge(L, bytes_of_items(L, n) * depth / BYTES_PER_UNIT);
    return forward(L);
}

/* The arguments `first` and `first` + 1 are the ends of a range. */
static double range(lua_State *L, int first, double length) {
    const double from = (double)luaL_optinteger(L, first, 1), to = luaL_optnumber(L, first + 1, length);
    return fmax(to - from + 1, 0);
}

static int l_move(lua_State *L) {
    check_plain(L, 1);
    if (!lua_isnoneornil(L, 5))
        check_plain(L, 5);
    charge(L, range(L, 2, 0));
    return forward(L);
}

static int l_unpack(lua_State *L) {
    charge(L, range(L, 2, check_plain(L, 1)) / ITEMS_PER_UNIT);
    return forward(L);
}

/* Numbers have at most so many bytes as text. */
static int l_concat(lua_State *L) {
    enum { LONGEST_NUMBER = 32 };
    size_t between;
    const double length = check_plain(L, 1);
    luaL_optlstring(L, 2, "", &between);
    const double items = range(L, 3, length);
    charge(L, items);
    const lua_Integer from = luaL_optinteger(L, 3, 1), to = luaL_optinteger(L, 4, (lua_Integer)length);
    double bytes = fmax(items - 1, 0) * (double)between;
    for (lua_Integer i = from; i <= to && i - from < (lua_Integer)items; i++) {
        const int type = lua_rawgeti(L, 1, i);
        bytes += type == LUA_TSTRING ? (double)lua_rawlen(L, -1) : LONGEST_NUMBER;
        lua_pop(L, 1);
        if (type != LUA_TSTRING && type != LUA_TNUMBER)
            break; /* the library's function raises its error */
    }
    l_check_length(L, bytes);
    charge(L, bytes / BYTES_PER_UNIT);
    return forward(L);
}

/* ---- coroutines: each new one may run for an interval before the hook sees it ---- */

static int l_new_coroutine(lua_State *L) {
    l_charge(L, L_BUDGET_INTERVAL);
    return forward(L);
}

/* ---- the table of all ---- */

typedef struct l_wrapped {
    const char *library, *name;
    lua_CFunction wrapper;
} l_wrapped;

static const l_wrapped wrapped[] = {{"_G", "select", by_bytes},
                                    {"_G", "tonumber", by_bytes},
                                    {"string", "byte", by_bytes},
                                    {"string", "char", by_bytes},
                                    {"string", "format", l_format},
                                    {"string", "len", by_bytes},
                                    {"string", "lower", by_bytes},
                                    {"string", "pack", by_bytes},
                                    {"string", "packsize", by_bytes},
                                    {"string", "rep", l_rep},
                                    {"string", "reverse", by_bytes},
                                    {"string", "sub", by_bytes},
                                    {"string", "unpack", by_bytes},
                                    {"string", "upper", by_bytes},
                                    {"table", "concat", l_concat},
                                    {"table", "insert", by_length},
                                    {"table", "move", l_move},
                                    {"table", "pack", by_bytes},
                                    {"table", "remove", by_length},
                                    {"table", "sort", l_sort},
                                    {"table", "unpack", l_unpack},
                                    {"utf8", "char", by_bytes},
                                    {"utf8", "codepoint", by_bytes},
                                    {"utf8", "len", by_bytes},
                                    {"utf8", "offset", by_bytes},
                                    {"utf8", "codes", by_bytes},
                                    {"coroutine", "create", l_new_coroutine},
                                    {"coroutine", "wrap", l_new_coroutine}};

/* Pushes the library's own function. */
static void push_original(lua_State *L, const l_wrapped *w) {
    if (strcmp(w->library, "_G") == 0) {
        lua_getglobal(L, w->name);
        return;
    }
    lua_getglobal(L, w->library);
    lua_getfield(L, -1, w->name);
    lua_remove(L, -2);
}

/* Charges for numerals, which may be long: the arithmetic of texts. */
static int l_charged(lua_State *L) {
    luaL_argcheck(L, lua_iscfunction(L, 1), 1, "function of C expected");
    lua_settop(L, 1);
    lua_pushcclosure(L, by_bytes, 1);
    return 1;
}

/* libraries = core.sandbox_library(): { _G =, string =, table =, utf8 =, coroutine = }, tables of functions; is_own;
 * charged(function of C) */
int l_sandbox_library(lua_State *L) {
    lua_newtable(L);
    for (size_t i = 0; i < sizeof wrapped / sizeof *wrapped; i++) {
        luaL_getsubtable(L, -1, wrapped[i].library);
        push_original(L, &wrapped[i]);
        lua_pushcclosure(L, wrapped[i].wrapper, 1);
        lua_setfield(L, -2, wrapped[i].name);
        lua_pop(L, 1);
    }
    lua_pushcfunction(L, l_is_own);
    lua_setfield(L, -2, "is_own");
    lua_pushcfunction(L, l_charged);
    lua_setfield(L, -2, "charged");
    lua_getfield(L, -1, "string");
    luaL_setfuncs(L, l_pattern_functions, 0);
    lua_pop(L, 1);
    lua_getfield(L, -1, "_G");
    luaL_setfuncs(L, l_metatable_functions, 0);
    lua_pop(L, 1);
    return 1;
}
