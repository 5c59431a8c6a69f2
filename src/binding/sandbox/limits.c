/* The budget of a Lua state, the hook that charges it, and the switch for files. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "binding/binding.h"

/* By name, because a program may have two copies of this file: its library, and the module saltus.core. */
#define LIMITS "saltus.core.limits"

void l_start_limits(l_limits *limits, size_t longest) {
    *limits = (l_limits){.left = INT64_MAX, .longest = longest};
}

void l_set_limits(lua_State *L, l_limits *limits) {
    lua_pushlightuserdata(L, limits);
    lua_setfield(L, LUA_REGISTRYINDEX, LIMITS);
}

l_limits *l_limits_of(lua_State *L) {
    if (lua_getfield(L, LUA_REGISTRYINDEX, LIMITS) == LUA_TNIL) {
        lua_pop(L, 1);
        l_start_limits(lua_newuserdatauv(L, sizeof(l_limits), 0), 0);
        lua_pushvalue(L, -1);
        lua_setfield(L, LUA_REGISTRYINDEX, LIMITS);
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
    enum { LOOK = 100000 }; /* units between two looks at the clock */
    limits->until_look = LOOK;
    if (limits->left >= 0 && limits->seconds > 0 && now() > limits->until)
        limits->left = -1;
    return limits->left < 0;
}

/* Is the function a script's? Where the host has the files of saltus is none of a script's business. */
static bool is_of_script(lua_State *L, lua_Debug *at, const char *own) {
    lua_getinfo(L, "S", at);
    return *at->what != 'C' && strncmp(at->source, own, strlen(own)) != 0;
}

/* Notes the place of the innermost function of a script, from a level of the stack on. Each level takes longer to reach
 * than the one before it, so one that is far away is not looked for. */
static void note_place(lua_State *L, l_limits *limits, int level) {
    enum { FAR_AWAY = 500 };
    lua_Debug at;
    const int end = level + FAR_AWAY;
    while (limits->own && level < end && lua_getstack(L, level, &at) && !is_of_script(L, &at, limits->own))
        level++;
    if (level == end)
        return;
    luaL_where(L, level);
    snprintf(limits->place, sizeof limits->place, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
}

/* Raises the error with the place of the function at a level of the stack; every time that of the first time, because
 * those who catch the error meet it again. */
static int raise_at(lua_State *L, int level) {
    l_limits *limits = l_limits_of(L);
    if (limits->place[0] == '\0')
        note_place(L, limits, level);
    lua_pushstring(L, limits->place);
    if (limits->seconds > 0 && now() > limits->until)
        lua_pushfstring(L, "the script has spent its %f s of processor time", limits->seconds);
    else
        lua_pushfstring(L, "the script has spent its budget of %I instructions", (LUAI_UACINT)limits->budget);
    lua_concat(L, 2);
    return lua_error(L);
}

int l_raise_spent(lua_State *L) {
    return raise_at(L, 1);
}

/* An instruction may read a long text, so in states with longer ones the clock is looked at more often. */
static int interval(const l_limits *limits) {
    enum { LONG = 4 << 20, LEAST = 16 }; /* bytes; instructions */
    if (limits->longest <= LONG)
        return L_BUDGET_INTERVAL;
    const size_t fewer = (size_t)L_BUDGET_INTERVAL * LONG / limits->longest;
    return fewer > LEAST ? (int)fewer : LEAST;
}

/* After the budget is spent, it counts single instructions: a script that catches the error meets it again. A thread
 * keeps its count until it runs under a new budget. */
static void on_count(lua_State *L, lua_Debug *at) {
    (void)at;
    l_limits *limits = l_limits_of(L);
    const int count = lua_gethookcount(L);
    l_spend(limits, count);
    const bool spent = l_is_spent(limits);
    const int wanted = spent ? 1 : interval(limits);
    if (count != wanted)
        lua_sethook(L, on_count, LUA_MASKCOUNT, wanted);
    if (spent)
        raise_at(L, 0);
    if (limits->collect)
        limits->collect(L);
}

/* A function of C does not look at the clock while it works, so it must not begin what would last too long. */
void l_charge(lua_State *L, int64_t units) {
    const double per_second = 1e8;
    l_limits *limits = l_limits_of(L);
    if (limits->seconds > 0 && (double)units > limits->seconds * per_second)
        limits->until = 0;
    if (!l_spend(limits, units))
        l_raise_spent(L);
}

/* Starts the clock for the present budget. */
static void start_clock(l_limits *limits) {
    limits->run++;
    limits->place[0] = '\0';
    limits->until = limits->seconds > 0 ? now() + limits->seconds : 0;
}

/* Without limits, no hook slows Lua down, but coroutines of a sandbox may run under limits that are set later. Another
 * hook, such as a debugger's, stays where it is. */
static void attend(lua_State *L, l_limits *limits) {
    const lua_Hook hook = lua_gethook(L);
    if (l_are_limited(limits)) {
        if (!hook || hook == limits->hook) {
            limits->hook = on_count;
            lua_sethook(L, on_count, LUA_MASKCOUNT, interval(limits));
        }
        if (limits->collect)
            lua_gc(L, LUA_GCSTOP);
    } else if (hook && hook == limits->hook) {
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
