/* luaopen_saltus_core: the C functions that lua/saltus/ uses. Not a public interface. */
#include <string.h>

#include "base/threefry.h"
#include "binding.h"
#include "closure/compiled.h"
#include "sandbox/library.h"
#include "sandbox/sandbox.h"
#include "script/script.h"
#include "story/story.h"

int luaopen_saltus_core(lua_State *L);

/* ---- core.constants: the numbers that Lua and C share, by name ---- */

typedef struct constant {
    const char *group, *name;
    int value;
} constant;

/* clang-format off */
static const constant constants[] = {
    {"context", "run", L_OF_RUN}, {"context", "next", L_OF_NEXT},
    {"context", "before", L_OF_BEFORE}, {"context", "view", L_OF_VIEW},
    {"partition", "q", SAL_Q}, {"partition", "v", SAL_V}, {"partition", "z", SAL_Z},
    {"partition", "xd", SAL_XD}, {"partition", "param", SAL_PARAM}, {"partition", "input", SAL_INPUT},
    /* adapter arguments and results that are not partitions; instead of a table, the source of the numbers */
    {"argument", "time", L_TIME}, {"argument", "count", L_EVENT_COUNT}, {"argument", "t0", L_EVENT_T0},
    {"argument", "t1", L_EVENT_T1}, {"argument", "limit", L_EVENT_LIMIT},
    {"argument", "input", L_INPUT}, {"argument", "output", L_OUTPUT},
    {"source", "next", L_NEXT},
    /* values that a program fetches from Lua */
    {"want", "number", WANT_NUMBER}, {"want", "boolean", WANT_BOOLEAN}, {"want", "nil", WANT_NIL},
    {"want", "table", WANT_TABLE}, {"want", "same", WANT_SAME}, {"want", "equal", WANT_EQUAL},
    {"limit", "numbers", SAL_MAX_NUMBERS}, {"limit", "watches", SAL_MAX_WATCHES}, {"limit", "nesting", L_MAX_NESTING},
    {"limit", "tables", L_MAX_TABLES}, {"limit", "trials", L_TRIALS}, {"limit", "phases", SAL_MAX_PHASES},
    {"direction", "crossing", SAL_CROSSING}, {"direction", "falling", SAL_FALLING},
    {"direction", "rising", SAL_RISING}, {"direction", "none", SAL_NEVER}, {"direction", "turning", SAL_TURNING},
    {"outcome", "did_nothing", SAL_DID_NOTHING}, {"outcome", "succeeded", SAL_SUCCEEDED},
    {"outcome", "terminate", SAL_TERMINATE}, {"outcome", "fail", SAL_FAILED},
    {"status", "ENOMEM", SAL_ENOMEM}, {"status", "EINVAL", SAL_EINVAL}, {"status", "ECALLBACK", SAL_ECALLBACK},
    {"status", "ESTEP", SAL_ESTEP}, {"status", "ENAN", SAL_ENAN}, {"status", "EZENO", SAL_EZENO},
    {"status", "EHANDLER", SAL_EHANDLER}, {"status", "ELOOP", SAL_ELOOP}, {"status", "ETIME", SAL_ETIME},
    {"status", "ESTATE", SAL_ESTATE}, {"status", "EINPUT", SAL_EINPUT}, {"status", "EOFF", SAL_EOFF},
    {"status", "EPAST", SAL_EPAST}, {"status", "EWATCH", SAL_EWATCH}, {"status", "ESTORY", SAL_ESTORY},
    /* requests to build an adapter */
    {"request", "adapter", L_FIT_ADAPTER}, {"request", "writes", L_FIT_WRITES}, {"request", "compile", L_FIT_COMPILED},
    {"request", "phases", L_FIT_PHASES}, {"request", "agreed", L_FIT_AGREED}, {"request", "differed", L_FIT_DIFFERED},
    {"layout", "per_event", PER_EVENT}, /* closures of an event */
    /* callers that are not closures of a part */
    {"story", "deadline", L_DEADLINE}, /* the index with which a deadline wakes */
    {"caller", "monitor", L_IN_MONITOR}, {"caller", "jacobian", L_IN_JACOBIAN}, {"caller", "watch", L_IN_WATCH},
    {"caller", "history", L_IN_HISTORY},
};
/* clang-format on */

static void push_constants(lua_State *L) {
    lua_newtable(L);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        luaL_getsubtable(L, -1, constants[i].group);
        l_set_integer(L, constants[i].name, constants[i].value);
        lua_pop(L, 1);
    }
}

/* ---- functions ---- */

/* core.methods(): { { name =, order =, ... }, ... } in the order of the list */
static int l_methods(lua_State *L) {
    lua_newtable(L);
    for (int i = 0; sal_method_at(i); i++) {
        const sal_method *m = sal_method_at(i);
        lua_createtable(L, 0, 7);
        l_set_string(L, "name", sal_method_name(m));
        l_set_integer(L, "order", sal_method_order(m));
        l_set_flag(L, "error_control", sal_method_error_order(m) > 0);
        l_set_flag(L, "mass", sal_method_takes_mass(m));
        l_set_flag(L, "implicit", sal_method_is_implicit(m));
        l_set_flag(L, "past", sal_method_takes_past(m));
        l_set_number(L, "accuracy", sal_method_default_accuracy(m));
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int l_status_text(lua_State *L) {
    lua_pushstring(L, sal_status_text((sal_status)luaL_checkinteger(L, 1)));
    return 1;
}

/* "file:line" = core.where(own): the position in the innermost function that is neither C nor from a source that
 * begins with `own`, the library's prefix; nil if there is none. */
static int l_where(lua_State *L) {
    size_t length = 0;
    const char *own = luaL_checklstring(L, 1, &length);
    lua_Debug at;
    for (int level = 1; lua_getstack(L, level, &at); level++) {
        lua_getinfo(L, "S", &at);
        if (*at.what == 'C' || strncmp(at.source, own, length) == 0)
            continue;
        lua_getinfo(L, "l", &at);
        lua_pushfstring(L, "%s:%d", at.short_src, at.currentline);
        return 1;
    }
    lua_pushnil(L);
    return 1;
}

/* bits = core.threefry(seed, use, run, stream): 64 random bits as a whole number */
static int l_threefry(lua_State *L) {
    const uint64_t key[2] = {(uint64_t)luaL_checkinteger(L, 1), (uint64_t)luaL_checkinteger(L, 2)};
    const uint64_t counter[2] = {(uint64_t)luaL_checkinteger(L, 3), (uint64_t)luaL_checkinteger(L, 4)};
    uint64_t out[2];
    sal__threefry2x64(key, counter, out);
    lua_pushinteger(L, (lua_Integer)out[0]);
    return 1;
}

/* core.normal(mean, sd, u, v), core.exponential(mean, u), core.whole(low, high, u): from numbers in (0, 1) */
static int l_normal(lua_State *L) {
    lua_pushnumber(L, sal__normal_from(luaL_checknumber(L, 1), luaL_checknumber(L, 2), luaL_checknumber(L, 3),
                                       luaL_checknumber(L, 4)));
    return 1;
}

static int l_exponential(lua_State *L) {
    lua_pushnumber(L, sal__exponential_from(luaL_checknumber(L, 1), luaL_checknumber(L, 2)));
    return 1;
}

static int l_whole(lua_State *L) {
    lua_pushinteger(L, sal__integer_from(luaL_checkinteger(L, 1), luaL_checkinteger(L, 2), luaL_checknumber(L, 3)));
    return 1;
}

/* sixteen hex digits = core.hash(text) */
static int l_text_hash(lua_State *L) {
    size_t size = 0;
    const char *text = luaL_checklstring(L, 1, &size);
    return l_push_hash(L, sal_hash(text, size, 0));
}

static const luaL_Reg functions[] = {{"simulator", l_new_simulator},
                                     {"delay_buffer", l_new_delay_buffer},
                                     {"integrator", l_new_standalone},
                                     {"methods", l_methods},
                                     {"status_text", l_status_text},
                                     {"where", l_where},
                                     {"neutral", l_neutral_number},
                                     {"runs", l_push_runs},
                                     {"getinfo", l_getinfo},
                                     {"getupvalue", l_getupvalue},
                                     {"getmetatable", l_getmetatable},
                                     {"dump", l_dump},
                                     {"files_allowed", l_are_files_allowed},
                                     {"sandbox_library", l_sandbox_library},
                                     {"sandbox_print", l_sandbox_print},
                                     {"sandbox", l_new_sandbox},
                                     {"interrupted", l_are_interrupted},
                                     {"threefry", l_threefry},
                                     {"normal", l_normal},
                                     {"exponential", l_exponential},
                                     {"whole", l_whole},
                                     {"hash", l_text_hash},
                                     {"csv_line", l_csv_line},
                                     {"csv_write", l_csv_write},
                                     {"put_numbers", l_put_numbers},
                                     {"program_operations", l_compiled_operations},
                                     {"stories", l_new_kernel},
                                     {"is_story", l_is_story},
                                     {NULL, NULL}};

static const l_class *const classes[] = {
    &l_simulator_class,  &l_recorder_class, &l_column_class,       &l_standalone_class, &l_past_class,
    &l_block_class,      &l_keeper_class,   &l_delay_buffer_class, &l_polynomial_class, &l_program_class,
    &l_event_halt_class, &l_kernel_class,   &l_story_class,        &l_sandbox_class};

SAL_API int luaopen_saltus_core(lua_State *L) {
    luaL_checkversion(L);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        l_open_class(L, classes[i]);
    luaL_newlib(L, functions);
    l_open_blocks(L);
    l_open_process(L);
    l_open_math(L);
    l_open_story(L);
    l_set_string(L, "version", SAL_VERSION);
    push_constants(L);
    lua_setfield(L, -2, "constants");
    l_script_register(L);
    return 1;
}
