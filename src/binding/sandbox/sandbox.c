/* Opens and closes sandboxes, counts their memory, and runs scripts in them. */
#include "sandbox.h"

#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "library.h"

int luaopen_saltus_core(lua_State *L);

enum {
    STRINGS = 16,            /* the longest string has the memory divided by this */
    WHILE_OPENING = 64 << 20 /* bytes */
};

static const char environment_key; /* of the registry: saltus.sandbox.environment */
static const char own_key;         /* of the registry: how sources of saltus begin */

/* ---- opening ---- */

static void open_libraries(lua_State *L) {
    static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base},          {LUA_LOADLIBNAME, luaopen_package},
                                         {LUA_COLIBNAME, luaopen_coroutine}, {LUA_TABLIBNAME, luaopen_table},
                                         {LUA_STRLIBNAME, luaopen_string},   {LUA_MATHLIBNAME, luaopen_math},
                                         {LUA_UTF8LIBNAME, luaopen_utf8},    {NULL, NULL}};
    for (const luaL_Reg *library = libraries; library->func; library++) {
        luaL_requiref(L, library->name, library->func, 1);
        lua_pop(L, 1);
    }
}

static void set_paths(lua_State *L, const char *path) {
    lua_getglobal(L, LUA_LOADLIBNAME);
    if (path) {
        lua_pushstring(L, path);
        lua_setfield(L, -2, "path");
    }
    lua_pushliteral(L, "");
    lua_setfield(L, -2, "cpath");
    lua_getfield(L, -1, "preload");
    lua_pushcfunction(L, luaopen_saltus_core);
    lua_setfield(L, -2, "saltus.core");
    lua_pop(L, 2);
}

static void require(lua_State *L, const char *module) {
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    lua_call(L, 1, 1);
}

/* How the sources of saltus begin. */
static const char *push_own(lua_State *L) {
    require(L, "saltus.util.names");
    lua_getfield(L, -1, "own_chunk");
    lua_pushliteral(L, "");
    lua_call(L, 1, 1);
    return lua_tostring(L, -1);
}

/* In protected mode. */
static int open_state(lua_State *L) {
    const l_sandbox *s = l_sandbox_of(L);
    open_libraries(L);
    set_paths(L, s->config.path);
    l_close_files(L, true);
    require(L, "saltus.sandbox.environment");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &environment_key);
    l_limits_of(L)->own = push_own(L);
    l_guard_classes(L, l_limits_of(L)->own);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &own_key);
    l_start_collector(L);
    return 0;
}

static lua_State *new_state(l_sandbox *s) {
#if LUA_VERSION_NUM >= 505
    lua_State *L = lua_newstate(l_allocate, s, 0);
#else
    lua_State *L = lua_newstate(l_allocate, s);
#endif
    if (L)
        l_set_limits(L, &s->limits);
    return L;
}

sal_script_sandbox_config l_sandbox_config(void) {
    return (sal_script_sandbox_config){
        .size = sizeof(sal_script_sandbox_config), .memory = 64 << 20, .budget = 100000000, .seconds = 10};
}

static void tell(sal_note *why, const char *text) {
    if (why)
        sal_note_set(why, text ? text : "an error that is not a text");
}

/* The message is on top. */
static sal_status refuse(lua_State *L, l_sandbox *s, sal_status status, sal_note *why) {
    tell(why, lua_tostring(L, -1));
    lua_close(L);
    free(s);
    return status;
}

sal_status l_open_sandbox(const sal_script_sandbox_config *config, lua_State **out, sal_note *why) {
    const sal_script_sandbox_config standard = l_sandbox_config();
    if (config && config->size != sizeof *config) {
        tell(why, "the config does not begin from sal_script_sandbox_config_default()");
        return SAL_EINVAL;
    }
    l_sandbox *s = malloc(sizeof *s);
    if (!s)
        return SAL_ENOMEM;
    *s = (l_sandbox){.memory = WHILE_OPENING, .config = config ? *config : standard};
    l_start_limits(&s->limits, WHILE_OPENING);
    s->limits.untrusted = true;
    lua_State *L = new_state(s);
    if (!L) {
        free(s);
        return SAL_ENOMEM;
    }
    lua_pushcfunction(L, open_state);
    if (lua_pcall(L, 0, 0, 0) != LUA_OK)
        return refuse(L, s, SAL_EINVAL, why);
    lua_gc(L, LUA_GCCOLLECT);
    if (s->used >= s->config.memory) {
        lua_pushfstring(L, "saltus alone needs %I bytes of memory", (LUAI_UACINT)s->used);
        return refuse(L, s, SAL_ENOMEM, why);
    }
    l_set_memory(L, s->config.memory);
    l_set_seconds(L, s->config.seconds);
    l_set_budget(L, s->config.budget);
    *out = L;
    return SAL_OK;
}

/* No script runs from here on. */
void l_close_sandbox(lua_State *L) {
    l_sandbox *s = L ? l_sandbox_of(L) : NULL;
    if (!s)
        return;
    s->limits.left = -1;
    lua_close(L);
    free(s);
}

/* ---- running ---- */

/* In protected mode: the results of environment.run(text, name) */
static int run(lua_State *L) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &environment_key);
    lua_getfield(L, -1, "run");
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1);
    return 1;
}

/* An error object of a script may have a __tostring, which is not called. */
static void make_text(lua_State *L) {
    if (lua_type(L, -1) == LUA_TSTRING)
        return;
    lua_pushfstring(L, "an error that is not a text (a %s)", luaL_typename(L, -1));
    lua_remove(L, -2);
}

/* In protected mode, because the texts need memory. */
static int prepare_run(lua_State *L) {
    const char *text = lua_touserdata(L, 1), *name = lua_touserdata(L, 3);
    const size_t *size = lua_touserdata(L, 2);
    lua_pushcfunction(L, run);
    lua_pushlstring(L, text, *size);
    lua_pushstring(L, name);
    lua_call(L, 2, 1);
    return 1;
}

sal_status l_run_script(lua_State *L, const char *text, size_t size, const char *name) {
    if (!l_sandbox_of(L) || !text || !lua_checkstack(L, 8))
        return SAL_EINVAL;
    l_collect(L);
    lua_pushcfunction(L, prepare_run);
    lua_pushlightuserdata(L, (void *)(uintptr_t)text);
    lua_pushlightuserdata(L, &size);
    lua_pushlightuserdata(L, (void *)(uintptr_t)(name ? name : "script"));
    int failed = lua_pcall(L, 3, 1, 0);
    l_forbid_weak_keys(l_sandbox_of(L)->weak);            /* the host may collect */
    if (failed == LUA_OK && l_is_spent(l_limits_of(L))) { /* it has caught the error, and ended */
        lua_pop(L, 1);
        lua_pushcfunction(L, l_raise_spent);
        failed = lua_pcall(L, 0, 0, 0);
    }
    if (failed == LUA_OK)
        return SAL_OK;
    make_text(L);
    return failed == LUA_ERRMEM ? SAL_ENOMEM : SAL_ECALLBACK;
}

int l_sandbox_print(lua_State *L) {
    size_t size = 0;
    const char *text = luaL_checklstring(L, 1, &size);
    const l_sandbox *s = l_sandbox_of(L);
    if (s && s->config.print)
        s->config.print(s->config.print_user, text, size);
    return 0;
}

bool l_set_memory(lua_State *L, size_t bytes) {
    l_sandbox *s = l_sandbox_of(L);
    if (!s)
        return false;
    s->memory = bytes;
    s->limits.longest = bytes / STRINGS;
    return true;
}
