/* Scripts that are not trusted run in a Lua state of their own. There they cannot read or write files, or change what
 * other scripts use, and the host limits their time and memory. docs/sandbox.md says what they may do. These functions
 * are in the library saltus-lua.
 *
 *   sal_script_sandbox_config config = sal_script_sandbox_config_default();
 *   config.path = "/usr/local/share/lua/5.4/?.lua;/usr/local/share/lua/5.4/?/init.lua";
 *   lua_State *L;
 *   if (sal_script_open_sandbox(&config, &L, &why) == SAL_OK) {
 *       if (sal_script_run(L, text, size, "mod.lua") == SAL_OK) ...   its result is on top of the stack
 *       sal_script_close_sandbox(L);
 *   }
 *
 * None of these functions raises a Lua error, with one exception: those that set limits do so if memory runs out in a
 * state without saltus. A state belongs to one thread at a time. Callbacks of a run may call the functions that set and
 * read limits. */
#ifndef SALTUS_SANDBOX_H
#define SALTUS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "status.h"

struct lua_State;

SAL_BEGIN_DECLARATIONS

typedef struct sal_script_sandbox_config {
    size_t size;      /* of this struct, set by the default call */
    const char *path; /* templates of the Lua files of saltus, as package.path; NULL: where Lua looks by itself */
    size_t memory;    /* bytes that the state may have; default 64 MB */
    int64_t budget;   /* as sal_script_set_budget; default 10^8 */
    double seconds;   /* as sal_script_set_seconds; default 10 */
    void (*print)(void *user, const char *text, size_t size); /* a script prints one line; NULL: it is dropped */
    void *print_user;
} sal_script_sandbox_config;

/* Returns the defaults that the comments above name. */
SAL_API sal_script_sandbox_config sal_script_sandbox_config_default(void);
/* Opens a Lua state with saltus for scripts that are not trusted; the caller owns it. `config` NULL: the defaults.
 * EINVAL if the Lua files are not found, and for a config that does not begin from the default call; ENOMEM. `why`
 * (may be NULL) receives the reason. */
SAL_API sal_status sal_script_open_sandbox(const sal_script_sandbox_config *config, struct lua_State **out,
                                           sal_note *why);
/* Closes a state that sal_script_open_sandbox opened; NULL is fine. No finalizer of a script runs. */
SAL_API void sal_script_close_sandbox(struct lua_State *L);

/* Runs the text of a script, but not bytecode, in an environment of its own. Pushes one value: the first result (nil
 * for none), or after a failure a message. Messages call the script `name`. ECALLBACK if it fails or is stopped, also
 * if it caught the error that stopped it; ENOMEM; EINVAL, and nothing is pushed, for a state that is no sandbox. */
SAL_API sal_status sal_script_run(struct lua_State *L, const char *text, size_t size, const char *name);

/* Sets how many instructions scripts of the state may run from now on: instructions of Lua and of compiled closures,
 * steps of the engine and of patterns, and bytes that are copied, in the same unit. Once they are spent, each
 * instruction raises an error, until a new budget is set. 0: no limit. In a state that is no sandbox, call it before
 * scripts make coroutines; another debug hook is not replaced, and compiled closures then run in Lua. */
SAL_API void sal_script_set_budget(struct lua_State *L, int64_t instructions);
/* Returns what is left of the budget; negative if it is spent. */
SAL_API int64_t sal_script_budget_left(struct lua_State *L);
/* Sets the processor time in s that scripts may take; it starts now, and again at each sal_script_set_budget. It is
 * checked about every 1000 instructions. It stops operations that cost few instructions but much time, such as
 * comparisons of long strings. Runs that it stops are not reproducible. 0: no limit. */
SAL_API void sal_script_set_seconds(struct lua_State *L, double seconds);
/* Sets how many bytes a sandbox may use; a string may use a sixteenth of it. EINVAL for a state that is no sandbox. */
SAL_API sal_status sal_script_set_memory(struct lua_State *L, size_t bytes);
/* Returns how many bytes a sandbox uses; 0 for a state that is no sandbox. */
SAL_API size_t sal_script_memory_used(struct lua_State *L);
/* Sets whether saltus may read and write files, list folders and start programs in this state; a sandbox may not. It
 * does not limit Lua's own `io` and `os`. */
SAL_API void sal_script_set_files(struct lua_State *L, bool allowed);

SAL_END_DECLARATIONS

#endif
