/* The functions of saltus/sandbox.h. The module in Lua does not have this file. */
#include "sandbox.h"

sal_script_sandbox_config sal_script_sandbox_config_default(void) {
    return l_sandbox_config();
}

sal_status sal_script_open_sandbox(const sal_script_sandbox_config *config, lua_State **out, sal_note *why) {
    return l_open_sandbox(config, out, why);
}

void sal_script_close_sandbox(lua_State *L) {
    l_close_sandbox(L);
}

sal_status sal_script_run(lua_State *L, const char *text, size_t size, const char *name) {
    return l_run_script(L, text, size, name);
}

void sal_script_set_budget(lua_State *L, int64_t instructions) {
    l_set_budget(L, instructions);
}

int64_t sal_script_budget_left(lua_State *L) {
    return l_limits_of(L)->left;
}

void sal_script_set_seconds(lua_State *L, double seconds) {
    l_set_seconds(L, seconds);
}

void sal_script_set_files(lua_State *L, bool allowed) {
    l_close_files(L, !allowed);
}

sal_status sal_script_set_memory(lua_State *L, size_t bytes) {
    return l_set_memory(L, bytes) ? SAL_OK : SAL_EINVAL;
}

size_t sal_script_memory_used(lua_State *L) {
    const l_sandbox *s = l_sandbox_of(L);
    return s ? s->used : 0;
}
