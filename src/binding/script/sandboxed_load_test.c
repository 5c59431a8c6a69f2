/* sal_script_load in a sandbox, and in a state whose files are closed: what it loads has the limits, the environment
 * and the files of the scripts there. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "base/test_check.h"
#include "saltus/saltus.h"
#include "saltus/sandbox.h"
#include "saltus/script.h"

static lua_State *new_sandbox(void) {
    sal_script_sandbox_config config = sal_script_sandbox_config_default();
    lua_State *L = NULL;
    sal_note why = {.text = ""};
    config.path = "lua/?.lua;lua/?/init.lua";
    config.memory = 32 << 20;
    CHECK(sal_script_open_sandbox(&config, &L, &why) == SAL_OK);
    return L;
}

/* Loads a file with this text. */
static sal_status load(lua_State *L, const char *text, int arguments) {
    char path[] = "/tmp/saltus_load_XXXXXX";
    const int descriptor = mkstemp(path);
    const size_t size = strlen(text);
    CHECK(descriptor >= 0 && write(descriptor, text, size) == (ssize_t)size);
    close(descriptor);
    const sal_status status = sal_script_load(L, path, arguments);
    unlink(path);
    return status;
}

/* Loads a file that returns a text. */
static bool returns(lua_State *L, const char *text, const char *expected) {
    if (load(L, text, 0) != SAL_OK) {
        printf("trouble: %s\n", sal_script_trouble(L));
        return false;
    }
    const bool same = lua_isstring(L, -1) && strcmp(lua_tostring(L, -1), expected) == 0;
    if (!same)
        printf("returned: %s\n", luaL_tolstring(L, -1, NULL));
    lua_settop(L, 0);
    return same;
}

static bool fails(lua_State *L, const char *text, sal_status status, const char *words) {
    const sal_status got = load(L, text, 0);
    const bool same = got == status && lua_gettop(L) == 0 && strstr(sal_script_trouble(L), words);
    if (!same)
        printf("status %d: %s\n", (int)got, sal_script_trouble(L));
    lua_settop(L, 0);
    return same;
}

#define SYSTEM \
    "local saltus = require 'saltus'\n" \
    "local s = saltus.system { name = 's', z = { { 'x', 1 } }, derivatives = function(ctx, dot) dot.x = -ctx.x end " \
    "}\n"

static void a_file_has_the_environment_of_a_sandbox(void) {
    lua_State *L = new_sandbox();
    CHECK(returns(L, "#!/usr/bin/lua\nreturn type(io) .. type(os) .. type(debug) .. type(package)", "nilnilnilnil"));
    CHECK(returns(L, "\xEF\xBB\xBFx = 1 string.upper = nil return tostring(getmetatable(''))", "nil"));
    CHECK(returns(L, "return type(x) .. type(string.upper) .. tostring(_G == _ENV)", "nilfunctiontrue"));
    CHECK(fails(L, "return require 'other'", SAL_ECALLBACK, "a script of this host has \"saltus\" only"));
    CHECK(fails(L, "return require 'saltus.core'", SAL_ECALLBACK, "has \"saltus\" only"));
    CHECK(fails(L, "return 1 +", SAL_EINVAL, "unexpected symbol near <eof>"));
    CHECK(fails(L, "\x1bLua", SAL_EINVAL, "attempt to load a binary chunk"));
    CHECK(fails(L, "error(setmetatable({}, { __tostring = function() while true do end end }))", SAL_ECALLBACK,
                "an error that is not a text (a table)"));
    CHECK(sal_script_load(L, "no/such.lua", 0) == SAL_EINVAL);
    CHECK(strstr(sal_script_trouble(L), "cannot open no/such.lua"));
    sal_script_close_sandbox(L);
}

static void a_file_reaches_no_files(void) {
    lua_State *L = new_sandbox();
    CHECK(fails(L, "return require 'saltus'.blocks.time_table { csv = 'README.md', column = 'x' }", SAL_ECALLBACK,
                "the host of this script allows no files"));
    CHECK(fails(L, SYSTEM "return saltus.log(saltus.simulator(s), { 'x' }):csv '/tmp/never.csv'", SAL_ECALLBACK,
                "the host of this script allows no files"));
    sal_script_close_sandbox(L);
}

static void a_file_obeys_the_budget_and_the_memory(void) {
    lua_State *L = new_sandbox();
    sal_script_set_budget(L, 100000);
    CHECK(fails(L, "while true do end", SAL_ECALLBACK, "has spent its budget of 100000 instructions"));
    CHECK(fails(L, "return 1", SAL_ECALLBACK, "has spent its budget"));
    sal_script_set_budget(L, 100000);
    CHECK(fails(L, "pcall(function() while true do end end) return 1", SAL_ECALLBACK, "has spent its budget"));
    sal_script_set_budget(L, 100000000);
    CHECK(fails(L, "local t = {} for i = 1, math.huge do t[i] = { i } end", SAL_ENOMEM, "not enough memory"));
    CHECK(sal_script_memory_used(L) <= 32 << 20);
    CHECK(returns(L, "return 'on'", "on"));
    sal_script_close_sandbox(L);
}

static sal_status fall(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    (void)ctx;
    *dot->z = -2;
    return SAL_OK;
}

static const sal_system_class fall_class = {.name = "fall", .derivatives = fall};

/* The simulator of a file, which needs no Lua while it runs. */
static sal_simulator *load_fall(lua_State *L, const char *options) {
    char text[256];
    sal_system *sys = NULL;
    const double start = 10;
    sal_system_new(NULL, &fall_class, "fall", NULL, &sys);
    sal_system_add_values(sys, SAL_Z, "x", 1, &start);
    CHECK(sal_script_push_system(L, sys) == SAL_OK);
    snprintf(text, sizeof text, "return require 'saltus'.simulator((...), %s)", options);
    CHECK(load(L, text, 1) == SAL_OK);
    sal_simulator *sim = sal_script_simulator(L, -1);
    CHECK(sim != NULL);
    return sim;
}

static void a_simulator_of_a_file_runs_in_c_under_the_budget(void) {
    lua_State *L = new_sandbox();
    sal_report report;
    sal_simulator *sim = load_fall(L, "{}");
    CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_OK);
    CHECK(fabs(*sal_context_get(sal_simulator_context(sim), SAL_Z) - 8) < 1e-12);
    sim = load_fall(L, "{ integrator = 'runge_kutta4', max_step = 1e-9, fixed_step = true }");
    sal_script_set_budget(L, 1000000);
    CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_ECALLBACK);
    CHECK(strstr(report.note.text, "has spent its budget of 1000000 instructions"));
    CHECK(sal_context_time(sal_simulator_context(sim)) < 1e-3);
    CHECK(sal_script_budget_left(L) < 0);
    sal_script_set_budget(L, 0);
    sal_script_set_seconds(L, 0.05);
    CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_ECALLBACK);
    CHECK(strstr(report.note.text, "has spent its 0.05 s of processor time"));
    sal_script_close_sandbox(L);
}

/* A sandbox whose budget is spent gives no large blocks. */
static void a_history_without_budget_is_told_as_such(void) {
    lua_State *L = new_sandbox();
    sal_report report;
    CHECK(load(L,
               "local saltus = require 'saltus'\n"
               "return saltus.simulator(saltus.system { name = 's', z = { { 'x', 1 } }, past = { x = 1 },\n"
               "  derivatives = function(ctx, dot) dot.x = -ctx.past.x(0.2) end })",
               0) == SAL_OK);
    sal_simulator *sim = sal_script_simulator(L, -1);
    CHECK(sim != NULL);
    sal_script_set_budget(L, 1000);
    CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_ENOMEM);
    CHECK(strstr(report.note.text, "has spent its budget or its time, so it gets no more memory"));
    sal_script_set_budget(L, 0);
    CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_OK);
    sal_script_close_sandbox(L);
}

static void arguments_that_are_not_there_are_refused(void) {
    lua_State *L = new_sandbox();
    CHECK(sal_script_load(L, "no.lua", 1) == SAL_EINVAL && strstr(sal_script_trouble(L), "not so many arguments"));
    lua_pushinteger(L, 5);
    CHECK(sal_script_load(L, "no.lua", -1) == SAL_EINVAL && sal_script_load(L, "no.lua", 2) == SAL_EINVAL);
    CHECK(lua_gettop(L) == 1 && lua_tointeger(L, 1) == 5);
    sal_script_close_sandbox(L);
}

/* A coroutine that is made while there are no limits. */
static void a_file_of_before_has_later_limits(void) {
    lua_State *L = new_sandbox();
    sal_script_set_seconds(L, 0);
    sal_script_set_budget(L, 0);
    CHECK(load(L, "local run = coroutine.wrap(function() coroutine.yield() while true do end end) run() return run",
               0) == SAL_OK);
    sal_script_set_budget(L, 100000);
    CHECK(lua_pcall(L, 0, 0, 0) != LUA_OK && strstr(lua_tostring(L, -1), "has spent its budget of 100000"));
    sal_script_close_sandbox(L);
}

static void a_state_with_closed_files_loads_only_what_the_host_names(void) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    CHECK(sal_script_open(L, "lua") == SAL_OK);
    sal_script_set_files(L, false);
    CHECK(returns(L, "return 'read'", "read"));
    CHECK(fails(L, "dofile 'examples/02-bouncing-ball.lua'", SAL_ECALLBACK, "allows no files"));
    CHECK(fails(L, SYSTEM "return saltus.log(saltus.simulator(s), { 'x' }):csv '/tmp/never.csv'", SAL_ECALLBACK,
                "the host of this script allows no files"));
    lua_close(L);
}

int main(void) {
    a_file_has_the_environment_of_a_sandbox();
    a_file_reaches_no_files();
    a_file_obeys_the_budget_and_the_memory();
    a_simulator_of_a_file_runs_in_c_under_the_budget();
    a_history_without_budget_is_told_as_such();
    arguments_that_are_not_there_are_refused();
    a_file_of_before_has_later_limits();
    a_state_with_closed_files_loads_only_what_the_host_names();
    return check_summary();
}
