/* Rows of the CSV of sweeps; lua/saltus/output/text_export.lua makes the CSV of logs. A sweep of short runs writes
 * hundreds of thousands of rows in a second, for which Lua's string.format is slow. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "binding.h"

/* Most numbers are formatted here with integer arithmetic, in a tenth of the time of snprintf: a sweep of short runs is
 * a sixth faster. A number that needs 17 digits has the same text as from snprintf. */

/* Writes n / 10^decimals without trailing zeros. */
static void add_decimal(luaL_Buffer *b, uint64_t n, int decimals) {
    char text[48], *at = text + sizeof text;
    *--at = '\0';
    for (; decimals > 0 && n % 10 == 0; decimals--)
        n /= 10;
    for (int i = 0; n > 0 || i <= decimals; i++, n /= 10) {
        if (i == decimals && i > 0)
            *--at = '.';
        *--at = (char)('0' + n % 10);
    }
    luaL_addstring(b, at);
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

/* The 17 significant digits of x in [1e-4, 1e15), rounded to even as snprintf does: x = n / 10^decimals. */
static uint64_t digits_of(double x, int *decimals) {
    static const uint64_t most = UINT64_C(100000000000000000); /* 10^17 */
    int exponent = 0;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(x, &exponent), 53);
    const int shift = 53 - exponent;
    uint64_t n = 0;
    *decimals = 16;
    for (double power = 10; x >= power; power *= 10) /* exact powers */
        --*decimals;
    for (double power = 1; x < power; power /= 10) /* the last one may be one too many */
        ++*decimals;
    do {
        wide product = mantissa;
        for (int i = 0; i < *decimals; i++)
            product *= 10;
        n = (uint64_t)(product >> shift);
        const wide rest = product - ((wide)n << shift), half = (wide)1 << (shift - 1);
        n += rest > half || (rest == half && n % 2 == 1);
    } while (n >= most && (--*decimals, true));
    return n;
}

static bool add_exactly(luaL_Buffer *b, double x) {
    if (!(x >= 1e-4 && x < 1e15))
        return false;
    int decimals = 0;
    const uint64_t n = digits_of(x, &decimals);
    add_decimal(b, n, decimals);
    return true;
}
#else
static bool add_exactly(luaL_Buffer *b, double x) {
    (void)b;
    (void)x;
    return false;
}
#endif

static void add_by_format(luaL_Buffer *b, double x) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", x);
    const char *mark = localeconv()->decimal_point;
    char *at = *mark == '.' ? NULL : strstr(text, mark);
    if (at) {
        *at = '.';
        memmove(at + 1, at + strlen(mark), strlen(at + strlen(mark)) + 1);
    }
    luaL_addstring(b, text);
}

/* Short where six decimals suffice: 0.7, not 0.69999999999999996. All texts read back as the same number. */
static void add_number(luaL_Buffer *b, double x) {
    if (!isfinite(x)) {
        luaL_addstring(b, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
        return;
    }
    if (signbit(x))
        luaL_addchar(b, '-');
    x = fabs(x);
    if (x < 1e9 && rint(x * 1e6) / 1e6 == x)
        add_decimal(b, (uint64_t)rint(x * 1e6), 6);
    else if (!add_exactly(b, x))
        add_by_format(b, x);
}

/* Whether a spreadsheet would read a text as a formula, or rows.lua as another value. */
static bool needs_mark(lua_State *L, const char *text) {
    if (*text == '.' || (*text >= '0' && *text <= '9')) {
        const bool is_number = lua_stringtonumber(L, text) != 0;
        lua_pop(L, is_number ? 1 : 0);
        return is_number;
    }
    switch (*text) {
    case '=':
    case '+':
    case '@':
    case '-':
    case '\'':
        return true;
    case 't':
        return strcmp(text, "true") == 0;
    case 'f':
        return strcmp(text, "false") == 0;
    case 'n':
        return strcmp(text, "nan") == 0;
    case 'i':
        return strcmp(text, "inf") == 0;
    default:
        return false;
    }
}

/* Line ends become " | ", so that each row is one line, and a zero byte becomes \0. A mark is an apostrophe. */
static void add_text(luaL_Buffer *b, const char *text, size_t size) {
    const bool quoted = strpbrk(text, "\",\r\n") != NULL || strlen(text) < size;
    if (quoted)
        luaL_addchar(b, '"');
    if (needs_mark(b->L, text))
        luaL_addchar(b, '\'');
    for (const char *end = text + size; text < end; text++) {
        if (*text == '\n')
            luaL_addstring(b, " | ");
        else if (*text == '"')
            luaL_addstring(b, "\"\"");
        else if (*text == '\0')
            luaL_addstring(b, "\\0");
        else if (*text != '\r')
            luaL_addchar(b, *text);
    }
    if (quoted)
        luaL_addchar(b, '"');
}

static void add_integer(luaL_Buffer *b, lua_Integer n) {
    if (n < 0)
        luaL_addchar(b, '-');
    add_decimal(b, n < 0 ? 0 - (uint64_t)n : (uint64_t)n, 0);
}

static void add_value(luaL_Buffer *b, int index) {
    lua_State *L = b->L;
    size_t size = 0;
    const char *text = NULL;
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        if (lua_isinteger(L, index)) {
            add_integer(b, lua_tointeger(L, index));
        } else {
            add_number(b, lua_tonumber(L, index));
        }
        break;
    case LUA_TSTRING:
        text = lua_tolstring(L, index, &size);
        add_text(b, text, size);
        break;
    case LUA_TBOOLEAN:
        luaL_addstring(b, lua_toboolean(L, index) ? "true" : "false");
        break;
    default: /* no value: an empty cell */
        break;
    }
}

/* Pushes the values of the list at index 1, and fills the buffer above them: the stack must not change meanwhile. */
static void fill_line(lua_State *L, luaL_Buffer *b) {
    luaL_checktype(L, 1, LUA_TTABLE);
    const int count = (int)luaL_checkinteger(L, 2), first = lua_gettop(L) + 1;
    luaL_checkstack(L, count + LUA_MINSTACK, "too many columns");
    for (int i = 1; i <= count; i++)
        lua_rawgeti(L, 1, i);
    luaL_buffinit(L, b);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            luaL_addchar(b, ',');
        add_value(b, first + i);
    }
    luaL_addchar(b, '\n');
}

/* line = core.csv_line(list, count): the first values of a list, with commas and a line end */
int l_csv_line(lua_State *L) {
    luaL_Buffer b;
    fill_line(L, &b);
    luaL_pushresult(&b);
    return 1;
}

/* true = core.csv_write(list, count, file), or nil and why: writes the line, without making a string of it */
int l_csv_write(lua_State *L) {
    const luaL_Stream *stream = luaL_checkudata(L, 3, LUA_FILEHANDLE);
    luaL_argcheck(L, stream->closef, 3, "the file is closed");
    luaL_Buffer b;
    fill_line(L, &b);
    const size_t size = luaL_bufflen(&b);
    return luaL_fileresult(L, fwrite(luaL_buffaddr(&b), 1, size, stream->f) == size, NULL);
}

/* count = core.put_numbers(fields, places, list): list[places[name]] = number for each name and number in a table; nil
 * if it is no table, a name has no place, or a value is no number */
int l_put_numbers(lua_State *L) {
    if (!lua_istable(L, 1))
        return 0;
    luaL_checktype(L, 2, LUA_TTABLE);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_Integer count = 0;
    for (lua_pushnil(L); lua_next(L, 1) != 0; count++) {
        lua_pushvalue(L, -2);
        if (lua_type(L, -2) != LUA_TNUMBER || lua_rawget(L, 2) != LUA_TNUMBER)
            return 0;
        const lua_Integer place = lua_tointeger(L, -1);
        lua_pop(L, 1);
        lua_rawseti(L, 3, place);
    }
    lua_pushinteger(L, count);
    return 1;
}
