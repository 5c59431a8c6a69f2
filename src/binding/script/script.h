/* What a Lua state offers to programs in C: the functions behind saltus/script.h. The module that is loaded registers
 * them, since a program may contain another copy of this library. */
#ifndef SAL_BINDING_SCRIPT_H
#define SAL_BINDING_SCRIPT_H

#include "binding/binding.h"

/* As the functions of script.h; the sizes show that both copies have the same structs. */
typedef struct l_script_face {
    const char *version;
    size_t system_size, simulator_size, part_size;
    sal_simulator *(*simulator)(lua_State *L, int index);
    sal_status (*release)(lua_State *L, sal_simulator *sim);
    sal_status (*push_system)(lua_State *L, sal_system *sys);
    sal_status (*load)(lua_State *L, const char *path, int arguments);
    const char *(*trouble)(lua_State *L);
} l_script_face;

extern const l_script_face l_script_own_face;
#define L_SCRIPT_FACE "saltus.script" /* in the registry: the face of the module that is loaded */

#define L_SCRIPT_TROUBLE "saltus.script.trouble" /* in the registry: a text */

/* face.c */
void l_script_register(lua_State *L); /* when the module is opened */

/* call.c: calls a function of Lua in protected mode with the `arguments` values on top. The text of its failure
 * becomes the trouble of the state. `otherwise`: the status of a failure that is no lack of memory. */
sal_status l_script_call(lua_State *L, int arguments, int results, sal_status otherwise);
sal_status l_script_refuse(lua_State *L, sal_status status, const char *text); /* returns `status` */
const char *l_script_trouble(lua_State *L);

/* require(module)[name]: pushes it */
void l_script_push_function(lua_State *L, const char *module, const char *name);

/* lend.c, c_system.c, load.c: the members of the face */
sal_simulator *l_script_simulator(lua_State *L, int index);
sal_status l_script_release(lua_State *L, sal_simulator *sim);
sal_status l_script_push_system(lua_State *L, sal_system *sys);
sal_status l_script_load(lua_State *L, const char *path, int arguments);

/* lend.c: whether a simulator is lent */
int l_is_lent(lua_State *L);

#endif
