/* What this copy of the library offers to programs in C. */
#include "engine/simulator.h"
#include "script.h"

const l_script_face l_script_own_face = {
    .version = SAL_VERSION,
    .system_size = sizeof(sal_system),
    .simulator_size = sizeof(sal_simulator),
    .part_size = sizeof(l_part) + sizeof(l_simulator),
    .simulator = l_script_simulator,
    .release = l_script_release,
    .push_system = l_script_push_system,
    .load = l_script_load,
    .trouble = l_script_trouble,
};

void l_script_register(lua_State *L) {
    lua_pushlightuserdata(L, (void *)(uintptr_t)&l_script_own_face);
    lua_setfield(L, LUA_REGISTRYINDEX, L_SCRIPT_FACE);
    lua_pushliteral(L, "");
    lua_setfield(L, LUA_REGISTRYINDEX, L_SCRIPT_TROUBLE); /* from now on, reading it needs no memory */
}
