/* What scripts in a sandbox get instead of some functions of Lua's libraries. */
#ifndef SAL_SANDBOX_LIBRARY_H
#define SAL_SANDBOX_LIBRARY_H

#include "binding/binding.h"

/* setmetatable, getmetatable, rawget, rawset, next: scripts may do this with tables of their own only. */
extern const luaL_Reg l_metatable_functions[];

int l_sandbox_library(lua_State *L);
int l_is_own(lua_State *L); /* whether a table is a script's own */

/* Tables with weak keys and strong values take the collector the square of their keys, in one step. Before it runs,
 * l_forbid_weak_keys makes their keys strong. It allocates nothing. */
lua_State *l_new_weak_thread(lua_State *L);
void l_forbid_weak_keys(lua_State *thread);

#endif
