/* Models in two languages: a program in C passes systems to scripts in Lua, and borrows the simulators that they make.
 * These functions are in the library saltus-lua (pkg-config saltus-lua), which contains all of saltus: do not link
 * -lsaltus too. A Lua module in C that is linked to it works in any program that has loaded the module saltus.core of
 * the same version.
 *
 *   lua_State *L = luaL_newstate();
 *   luaL_openlibs(L);
 *   sal_script_open(L, NULL);
 *   sal_script_push_system(L, plant);
 *   lua_setglobal(L, "plant");
 *   sal_script_load(L, "controller.lua", 0);              what the file returns: a simulator of plant and controller
 *   sal_simulator *sim = sal_script_simulator(L, -1);
 *   sal_simulator_advance_to(sim, 1, &report);
 *
 * None of these functions raises a Lua error. After a failure, sal_script_trouble returns a sentence about it.
 * Callbacks may call them. They store values in the state's registry, and need a few free slots on its stack. A state
 * and its simulators belong to one thread at a time. */
#ifndef SALTUS_SCRIPT_H
#define SALTUS_SCRIPT_H

#include "simulator.h"

struct lua_State;

SAL_BEGIN_DECLARATIONS

/* Loads saltus into a state that has the standard libraries of Lua: from then on `require "saltus"` works, with the
 * engine of this library. `folder` contains the Lua files (PREFIX/share/lua/5.4) and becomes the first in package.path;
 * NULL: the present package.path leads to them. If the state has saltus already, nothing changes. EINVAL if the files
 * are not found, or are of another version; ENOMEM. */
SAL_API sal_status sal_script_open(struct lua_State *L, const char *folder);

/* Lends the simulator of the value at `index`: a saltus.simulator, or a table with one as `sim`, as scenario:run and
 * scenario:prepare return. It exists until sal_script_release or lua_close, even if nothing in Lua refers to it; it may
 * be lent several times. All functions of simulator.h may be called, except sal_simulator_free, _reset_context and
 * _release_context. If a closure fails, the note of the report has its name, file and line. From a closure of its run,
 * advances return SAL_ESTATE, and Lua refuses to change it while C advances it. NULL for another value, and for a
 * simulator with stories, which only Lua runs. The stack does not change. */
SAL_API sal_simulator *sal_script_simulator(struct lua_State *L, int index);
/* Ends one loan. After the last one the pointer is invalid, because Lua may collect the simulator. EINVAL for a
 * simulator that this state has not lent; ESTATE while it runs. */
SAL_API sal_status sal_script_release(struct lua_State *L, sal_simulator *sim);

/* Pushes a system or a diagram of C as a value that Lua uses as its own: in saltus.diagram, saltus.simulator and
 * saltus.scenario, system:with, logs and plots. Each simulator in Lua has a copy: the functions of the class get the
 * copy as `self`, with the same sal_system_data.
 *
 * On success the state owns the system, and all parts of a diagram. It calls sal_system_free (and so `destroy`) when
 * no value and no simulator needs it any more, at the latest in lua_close. Class, slot types, borrowed data and a
 * diagram's allocator must exist until then. The system cannot change any more. The program may still make contexts,
 * simulators and diagrams of it; it must free these first, and keep the value in the registry until then. A system
 * that is pushed again is the same value. On failure nothing is pushed, and the program still owns the system. EINVAL
 * for a name that is not a Lua identifier, a class without a function that is needed, a system that another state
 * owns, and an algebraic loop; ENOMEM. */
SAL_API sal_status sal_script_push_system(struct lua_State *L, sal_system *sys);

/* Runs a file of Lua source and pushes the value that it returns (nil for none), such as a scenario or a simulator. The
 * `arguments` values on top of the stack are popped and passed as `...`. The file has its own environment: it can read
 * the globals of the state, and those that it sets are visible only to itself and to the modules that it requires from
 * its own folder. If it makes a scenario, the scenario does not run. In a sandbox (saltus/sandbox.h) the file is a
 * script like the others, with their environment and limits. If files are forbidden there, it still reads this file,
 * because the program names it, but no other. EINVAL for a file that cannot be read or compiled; ECALLBACK for one that
 * fails or is stopped; ENOMEM. After a failure nothing is pushed. EINVAL also for more arguments than the stack has,
 * which then remains as it was. */
SAL_API sal_status sal_script_load(struct lua_State *L, const char *path, int arguments);

/* Returns the sentence of the last failure of one of these functions in this state: what was refused and why; "" if
 * none failed. The text is valid until the next failure. */
SAL_API const char *sal_script_trouble(struct lua_State *L);

SAL_END_DECLARATIONS
#endif
