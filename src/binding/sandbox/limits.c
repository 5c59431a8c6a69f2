/* The budget of a Lua state, the hook that charges it, and the switch for files. */
#define _POSIX_C_SOURCE 200809L
#include "binding/binding.h"

#include <lauxlib.h>
#include <time.h>

static const char key;

void l_start_limits(l_limits *limits, size_t longest) {
    *limits = (l_limits){.left = INT64_MAX, .longest = longest};
}

void l_set_limits(lua_State *L, l_limits *limits) {
    lua_pushlightuserdata(L, limits);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}

l_limits *l_limits_of(lua_State *L) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TNIL) {
        lua_pop(L, 1);
        l_start_limits(lua_newuserdatauv(L, sizeof(l_limits), 0), 0);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
    }
    l_limits *limits = lua_touserdata(L, -1);
    lua_pop(L, 1);
    return limits;
}

/* ---- the budget ---- */

/* Processor time: other programs on the machine do not count. */
static double now(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool l_is_spent(l_limits *limits) {
    if (limits->left >= 0 && limits->seconds > 0 && now() > limits->until)
        limits->left = -1;
    return limits->left < 0;
}

int l_raise_spent(lua_State *L) {
    const l_limits *limits = l_limits_of(L);
    if (limits->seconds > 0 && now() > limits->until)
        return luaL_error(L, "the script has spent its %f s of processor time", limits->seconds);
    return luaL_error(L, "the script has spent its budget of %I instructions", (LUAI_UACINT)limits->budget);
}

/* After the budget is spent, it counts single instructions: a script that catches the error meets it again. A thread
 * keeps its count until it runs under a new budget. */
static void on_count(lua_State *L, lua_Debug *at) {
    (void)at;
    l_limits *limits = l_limits_of(L);
    const int count = lua_gethookcount(L);
    l_spend(limits, count);
    const bool spent = l_is_spent(limits);
    const int wanted = spent ? 1 : L_BUDGET_INTERVAL;
    if (count != wanted)
        lua_sethook(L, on_count, LUA_MASKCOUNT, wanted);
    if (spent)
        l_raise_spent(L);
}

bool l_is_budget_hook(lua_Hook hook) {
    return hook == on_count;
}

void l_charge(lua_State *L, int64_t units) {
    l_limits *limits = l_limits_of(L);
    if (!l_spend(limits, units))
        l_raise_spent(L);
}

/* Starts the clock for the present budget. */
static void start_clock(l_limits *limits) {
    limits->until = limits->seconds > 0 ? now() + limits->seconds : 0;
}

/* Without limits, no hook slows Lua down. Another hook, such as a debugger's, stays where it is. */
static void attend(lua_State *L, const l_limits *limits) {
    const lua_Hook hook = lua_gethook(L);
    if (limits->budget > 0 || limits->seconds > 0) {
        if (!hook || hook == on_count)
            lua_sethook(L, on_count, LUA_MASKCOUNT, L_BUDGET_INTERVAL);
    } else if (hook == on_count) {
        lua_sethook(L, NULL, 0, 0);
    }
}

void l_set_budget(lua_State *L, int64_t units) {
    l_limits *limits = l_limits_of(L);
    limits->budget = units > 0 ? units : 0;
    limits->left = units > 0 ? units : INT64_MAX;
    start_clock(limits);
    attend(L, limits);
}

void l_set_seconds(lua_State *L, double seconds) {
    l_limits *limits = l_limits_of(L);
    limits->seconds = seconds > 0 ? seconds : 0;
    start_clock(limits);
    attend(L, limits);
}

void l_check_length(lua_State *L, double bytes) {
    const l_limits *limits = l_limits_of(L);
    if (limits->longest > 0 && bytes > (double)limits->longest)
        luaL_error(L, "the string would have %f bytes, and the host of this script allows %f", bytes,
                   (double)limits->longest);
}

/* ---- files ---- */

void l_close_files(lua_State *L, bool closed) {
    l_limits_of(L)->files_closed = closed;
}

/* yes = core.files_allowed() */
int l_are_files_allowed(lua_State *L) {
    lua_pushboolean(L, !l_limits_of(L)->files_closed);
    return 1;
}

void l_check_files(lua_State *L, const char *what) {
    if (l_limits_of(L)->files_closed)
        luaL_error(L, "%s: the host of this script allows no files", what);
}
