/* Models in two languages: a program in C lends and borrows what scripts in Lua make. These functions are in the library
 * saltus-lua, which has everything else of saltus too (pkg-config saltus-lua; not with -lsaltus), and a Lua module in C
 * that is linked to it works in any program that has loaded the module saltus.core of the same version.
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
 * None of them raises an error of Lua; after a failure sal_script_trouble says in words what was refused and why. They
 * may be called from anywhere that has the state, also from callbacks. They use the values of the state's registry and
 * need room for a few on its stack. A state and its simulators belong to one thread at a time. */
#ifndef SALTUS_SCRIPT_H
#define SALTUS_SCRIPT_H

#include "simulator.h"

struct lua_State;

SAL_BEGIN_DECLARATIONS

/* Loads saltus into a state with its standard libraries: `require "saltus"` works from then on, with the engine of this
 * library. `folder` has the Lua files (PREFIX/share/lua/5.4) and comes first in package.path; NULL: they are found
 * there. A state that has saltus already stays as it is. EINVAL for files that are not found, or a saltus of another
 * version; ENOMEM. */
SAL_API sal_status sal_script_open(struct lua_State *L, const char *folder);

/* Lends the simulator of the value at `index`: a saltus.simulator, or a table with one as `sim`, as scenario:run and
 * scenario:prepare return. It and its Lua value live until sal_script_release or lua_close, even if nothing in Lua
 * refers to them; the same simulator may be lent several times. All functions of simulator.h may be called but
 * sal_simulator_free and _reset_context and _release_context; when a closure fails, the note of the report has its
 * name, file and line. From a closure of its run, advances return SAL_ESTATE; Lua refuses to change it during a call
 * of C. NULL for another value, and for a simulator with stories, which Lua runs. The stack stays as it is. */
SAL_API sal_simulator *sal_script_simulator(struct lua_State *L, int index);
/* Ends one loan. The pointer is not valid after the last one, since Lua may collect the simulator then. EINVAL for a
 * simulator that this state has not lent; ESTATE while it runs. */
SAL_API sal_status sal_script_release(struct lua_State *L, sal_simulator *sim);

/* Pushes a system or a diagram of C as a value that Lua uses as its own: in saltus.diagram, saltus.simulator and
 * saltus.scenario, system:with, logs and plots. Each simulator in Lua has a copy: the functions of the class get one as
 * `self`, with the same sal_system_data.
 *
 * On success the state owns the system, and of a diagram its parts too: it calls sal_system_free (and so `destroy`) when
 * neither a value nor a simulator needs it any more, at the latest in lua_close. Class, slot types, borrowed data and a
 * diagram's allocator must live as long. It cannot change from then on; the program may still make contexts,
 * simulators and diagrams of it, which it must free first, and keeps the value in the registry for that time. Pushed
 * again, it is the same value. On failure nothing is pushed, and the program owns it as before: EINVAL for names that
 * Lua cannot have (they must be identifiers), a class without a function that is needed, or a system that another state
 * owns, or an algebraic loop; ENOMEM. */
SAL_API sal_status sal_script_push_system(struct lua_State *L, sal_system *sys);

/* Runs a file of Lua source and pushes the value that it returns (nil for none), such as a scenario or a simulator. The
 * `arguments` values on top of the stack are popped and passed as `...`. The file has an environment of its own: it
 * reads the globals of the state, and those that it sets are seen by itself and by the modules that it requires from
 * its own folder, not by others. A scenario that it makes does not run. In a sandbox (saltus/sandbox.h) the file is a
 * script as any other there: with its environment, budget, seconds and memory. Where files are closed, this file is read,
 * because the program names it, and no other. EINVAL for a file that cannot be read or compiled; ECALLBACK for one that
 * fails or is stopped; ENOMEM. Then nothing is pushed. */
SAL_API sal_status sal_script_load(struct lua_State *L, const char *path, int arguments);

/* Returns what the last of these functions that failed in this state has refused and why; "" if none has. The text is
 * valid until the next one fails. */
SAL_API const char *sal_script_trouble(struct lua_State *L);

SAL_END_DECLARATIONS
#endif
