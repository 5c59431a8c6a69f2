/* luaopen_saltus_core: the C functions that lua/saltus/ uses. Not a public interface. */
#include <string.h>

#include "binding.h"
#include "closure/compiled.h"

int luaopen_saltus_core(lua_State *L);

/* ---- core.constants: the numbers that Lua and C share, by name ---- */

typedef struct constant {
    const char *name;
    int value;
} constant;

static const constant context[] = {
    {"run", L_OF_RUN}, {"next", L_OF_NEXT}, {"before", L_OF_BEFORE}, {"view", L_OF_VIEW}, {NULL, 0}};

static const constant partition[] = {{"q", SAL_Q},         {"v", SAL_V},         {"z", SAL_Z}, {"xd", SAL_XD},
                                     {"param", SAL_PARAM}, {"input", SAL_INPUT}, {NULL, 0}};

/* Kinds of adapter arguments and results that are not partitions. */
static const constant argument[] = {
    {"time", L_TIME},         {"count", L_EVENT_COUNT}, {"t0", L_EVENT_T0},   {"t1", L_EVENT_T1},
    {"limit", L_EVENT_LIMIT}, {"input", L_INPUT},       {"output", L_OUTPUT}, {NULL, 0}};

/* Values used instead of a table: the source of the numbers. */
static const constant source[] = {{"next", L_NEXT}, {NULL, 0}};

/* Kinds of values that a program fetches from Lua. */
static const constant want[] = {
    {"number", WANT_NUMBER}, {"boolean", WANT_BOOLEAN}, {"nil", WANT_NIL}, {"table", WANT_TABLE},
    {"same", WANT_SAME},     {"equal", WANT_EQUAL},     {NULL, 0}};

static const constant limit[] = {{"numbers", SAL_MAX_NUMBERS},
                                 {"nesting", L_MAX_NESTING},
                                 {"tables", L_MAX_TABLES},
                                 {"trials", L_TRIALS},
                                 {NULL, 0}};

static const constant direction[] = {{"crossing", SAL_CROSSING}, {"falling", SAL_FALLING}, {"rising", SAL_RISING},
                                     {"none", SAL_NEVER},        {"turning", SAL_TURNING}, {NULL, 0}};

static const constant outcome[] = {{"did_nothing", SAL_DID_NOTHING},
                                   {"succeeded", SAL_SUCCEEDED},
                                   {"terminate", SAL_TERMINATE},
                                   {"fail", SAL_FAILED},
                                   {NULL, 0}};

static const constant status[] = {{"ENOMEM", SAL_ENOMEM},       {"EINVAL", SAL_EINVAL},
                                  {"ECALLBACK", SAL_ECALLBACK}, {"ESTEP", SAL_ESTEP},
                                  {"ENAN", SAL_ENAN},           {"EZENO", SAL_EZENO},
                                  {"EHANDLER", SAL_EHANDLER},   {"ELOOP", SAL_ELOOP},
                                  {"ETIME", SAL_ETIME},         {"ESTATE", SAL_ESTATE},
                                  {"EINPUT", SAL_EINPUT},       {"EOFF", SAL_EOFF},
                                  {"EPAST", SAL_EPAST},         {NULL, 0}};

/* Details of requests to build an adapter. */
static const constant request[] = {{"adapter", L_FIT_ADAPTER},   {"writes", L_FIT_WRITES},
                                   {"compile", L_FIT_COMPILED},  {"agreed", L_FIT_AGREED},
                                   {"differed", L_FIT_DIFFERED}, {NULL, 0}};

/* How many closures an event has. */
static const constant layout[] = {{"per_event", PER_EVENT}, {NULL, 0}};

/* Callers that are not closures of a part. */
static const constant caller[] = {
    {"monitor", L_IN_MONITOR}, {"jacobian", L_IN_JACOBIAN}, {"history", L_IN_HISTORY}, {NULL, 0}};

static const struct {
    const char *name;
    const constant *list;
} constants[] = {{"context", context}, {"partition", partition}, {"argument", argument}, {"source", source},
                 {"want", want},       {"direction", direction}, {"outcome", outcome},   {"status", status},
                 {"request", request}, {"layout", layout},       {"caller", caller},     {"limit", limit}};

static void push_constants(lua_State *L) {
    lua_newtable(L);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        lua_newtable(L);
        for (const constant *c = constants[i].list; c->name; c++)
            l_set_integer(L, c->name, c->value);
        lua_setfield(L, -2, constants[i].name);
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

static const luaL_Reg functions[] = {{"simulator", l_new_simulator},
                                     {"delay_buffer", l_new_delay_buffer},
                                     {"integrator", l_new_standalone},
                                     {"methods", l_methods},
                                     {"status_text", l_status_text},
                                     {"where", l_where},
                                     {"neutral", l_neutral_number},
                                     {"runs", l_push_runs},
                                     {"program_operations", l_compiled_operations},
                                     {NULL, NULL}};

static const l_class *const classes[] = {&l_simulator_class,    &l_recorder_class,   &l_column_class,
                                         &l_standalone_class,   &l_past_class,       &l_block_class,
                                         &l_delay_buffer_class, &l_polynomial_class, &l_program_class};

SAL_API int luaopen_saltus_core(lua_State *L) {
    luaL_checkversion(L);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        l_open_class(L, classes[i]);
    luaL_newlib(L, functions);
    l_open_blocks(L);
    l_open_process(L);
    l_set_string(L, "version", SAL_VERSION);
    push_constants(L);
    lua_setfield(L, -2, "constants");
    return 1;
}
