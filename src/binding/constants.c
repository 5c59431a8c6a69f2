/* core.constants: the numbers that Lua and C share, by name. */
#include "binding.h"

typedef struct constant {
    const char *name;
    int value;
} constant;

static const constant context[] = {
    {"run", L_OF_RUN}, {"next", L_OF_NEXT}, {"before", L_OF_BEFORE}, {"view", L_OF_VIEW}, {NULL, 0}};

static const constant partition[] = {{"q", SAL_Q},         {"v", SAL_V},         {"z", SAL_Z}, {"xd", SAL_XD},
                                     {"param", SAL_PARAM}, {"input", SAL_INPUT}, {NULL, 0}};

/* What an adapter's arguments and results are besides ranges of a partition. */
static const constant argument[] = {
    {"time", L_TIME},         {"count", L_EVENT_COUNT}, {"t0", L_EVENT_T0},   {"t1", L_EVENT_T1},
    {"limit", L_EVENT_LIMIT}, {"input", L_INPUT},       {"output", L_OUTPUT}, {NULL, 0}};

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

/* Callers of a closure that is none of a part's. */
static const constant caller[] = {
    {"monitor", L_IN_MONITOR}, {"jacobian", L_IN_JACOBIAN}, {"history", L_IN_HISTORY}, {NULL, 0}};

static void push_list(lua_State *L, const char *name, const constant *list) {
    lua_newtable(L);
    for (const constant *c = list; c->name; c++) {
        lua_pushinteger(L, c->value);
        lua_setfield(L, -2, c->name);
    }
    lua_setfield(L, -2, name);
}

void l_push_constants(lua_State *L) {
    lua_newtable(L);
    push_list(L, "context", context);
    push_list(L, "partition", partition);
    push_list(L, "argument", argument);
    push_list(L, "direction", direction);
    push_list(L, "outcome", outcome);
    push_list(L, "status", status);
    push_list(L, "caller", caller);
}
