/* Errors of stories with the line of the user: Lua finds it. */
#include "story.h"

int l_fail_at_user(lua_State *L, int kernel, const char *why) {
    lua_getiuservalue(L, kernel, UV_KERNEL_HOST);
    lua_getfield(L, -1, "fail");
    lua_pushstring(L, why);
    lua_call(L, 1, 0);
    return 0;
}
