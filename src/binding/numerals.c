/* Numbers as text, the same in every locale: a host or os.setlocale may set a decimal comma, and Lua formats and
 * reads numbers by LC_NUMERIC. */
#define _POSIX_C_SOURCE 200809L
#include <locale.h>
#include <stdio.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include "binding.h"

/* Formats a number as Lua's "%f" does, but always with a decimal point. */
l_number_text_buffer l_number_text(double x) {
    l_number_text_buffer out;
    const int length = snprintf(out.text, sizeof out.text, LUA_NUMBER_FMT, x);
    const char *mark = localeconv()->decimal_point;
    char *at = strstr(out.text, mark);
    if (at) {
        *at = '.';
        memmove(at + 1, at + strlen(mark), strlen(at + strlen(mark)) + 1);
    } else if (out.text[strspn(out.text, "-0123456789")] == '\0') {
        memcpy(out.text + length, ".0", sizeof ".0");
    }
    return out;
}

/* ... = core.neutral(f, ...): calls f with a decimal point. It changes the thread's locale, not the process's. */
int l_neutral_number(lua_State *L) {
    const int args = lua_gettop(L) - 1;
    luaL_argcheck(L, args >= 0, 1, "a function is missing");
    if (strcmp(localeconv()->decimal_point, ".") == 0) {
        lua_call(L, args, LUA_MULTRET);
        return lua_gettop(L);
    }
    const locale_t neutral = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!neutral)
        return luaL_error(L, "not enough memory");
    const locale_t before = uselocale(neutral);
    const int status = lua_pcall(L, args, LUA_MULTRET, 0);
    uselocale(before);
    freelocale(neutral);
    return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}
