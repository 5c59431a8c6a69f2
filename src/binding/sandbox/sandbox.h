/* A Lua state of its own for scripts that are not trusted. */
#ifndef SAL_SANDBOX_H
#define SAL_SANDBOX_H

#include "binding/binding.h"
#include "saltus/sandbox.h"

typedef struct l_sandbox {
    l_limits limits;
    size_t used, memory; /* bytes of the state, and the most that it may have */
    size_t collect_at;   /* bytes in use when the collector runs next */
    int emergencies;     /* how often there was no memory since the hook looked */
    lua_State *weak;     /* for l_forbid_weak_keys */
    sal_script_sandbox_config config;
} l_sandbox;

l_sandbox *l_sandbox_of(lua_State *L); /* memory.c; NULL: the state is no sandbox */

/* What saltus/sandbox.h promises; front.c has the functions with these names. */
sal_script_sandbox_config l_sandbox_config(void);
sal_status l_open_sandbox(const sal_script_sandbox_config *config, lua_State **out, sal_note *why);
void l_close_sandbox(lua_State *L);
sal_status l_run_script(lua_State *L, const char *text, size_t size, const char *name);
bool l_set_memory(lua_State *L, size_t bytes);

int l_sandbox_print(lua_State *L);
int l_new_sandbox(lua_State *L); /* sandbox_object.c */
extern const l_class l_sandbox_class;

/* memory.c */
void *l_allocate(void *user, void *block, size_t had, size_t size);
void l_start_collector(lua_State *L);
void l_collect(lua_State *L); /* if it is time */

/* guard.c: from now on only sources that begin with `own` can look up methods of saltus.core's userdata. */
void l_guard_classes(lua_State *L, const char *own);

#endif
