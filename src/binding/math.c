/* core.math: the functions of saltus/math.h for Lua. */
#include "saltus/math.h"

#include "binding.h"

#define OF_ONE(name) \
    static int l_##name(lua_State *L) { \
        lua_pushnumber(L, sal_##name(luaL_checknumber(L, 1))); \
        return 1; \
    }
#define OF_TWO(name) \
    static int l_##name(lua_State *L) { \
        lua_pushnumber(L, sal_##name(luaL_checknumber(L, 1), luaL_checknumber(L, 2))); \
        return 1; \
    }

OF_ONE(sin)
OF_ONE(cos)
OF_ONE(tan)
OF_ONE(exp)
OF_ONE(log)
OF_TWO(pow)
OF_TWO(atan2)
OF_TWO(hypot)

void l_open_math(lua_State *L) {
    static const luaL_Reg functions[] = {{"sin", l_sin},     {"cos", l_cos},     {"tan", l_tan},
                                         {"exp", l_exp},     {"log", l_log},     {"pow", l_pow},
                                         {"atan2", l_atan2}, {"hypot", l_hypot}, {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_setfield(L, -2, "math");
}
