/* A host that runs scripts which it does not trust, one after another in one sandbox, and goes on: after each of them a
 * scenario of its own must give the same numbers as before the first.
 *
 *   sandbox_host LUA_PATH [-b budget] [-m megabytes] [-s seconds] FILE...
 *
 * For each file it prints a line: name, what became of it, its seconds of processor time, its answer or error; then
 * "went on" or what is wrong. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>
#include <lua.h>

#include "saltus/sandbox.h"

static const char good[] =
    "local saltus = require 'saltus'\n"
    "local s = saltus.system { name = 's', z = { { 'x', 1 }, { 'y', 0 } }, discrete = { { 'mode', 'on', values = { "
    "'on', 'off' } } },\n"
    "  derivatives = function(ctx, dot) dot.x = -ctx.x + math.sin(ctx.time) dot.y = ctx.mode == 'on' and 1 or -1 end,\n"
    "  events = { { name = 'up', direction = 'rising', witness = function(ctx) return ctx.y - 0.7 end,\n"
    "    unrestricted_update = function(ctx, next) next.mode = 'off' end },\n"
    "  { name = 'tick', every = 0.25, publish = function(ctx) if ctx.x ~= ctx.x then return saltus.fail 'bad' end end "
    "} } }\n"
    "local d = saltus.diagram 'd'\n"
    "d:add(s, 's') d:add(saltus.blocks.gain { gain = 2 }, 'twice')\n"
    "local sim = saltus.simulator(s, { accuracy = 1e-6 })\n"
    "local log = saltus.log(sim, { 'x', every = 0.1 })\n"
    "sim:advance_to(3)\n"
    "local sum = 0 for i = 1, #log.x do sum = sum + log.x[i] end\n"
    "local words = ('a b c'):gsub('%w', string.upper)\n"
    "table.sort({ 3, 1, 2 })\n"
    "return sim:hash() .. (' %.12g '):format(sum) .. words .. tostring(sim.context.y) .. type(saltus.formula)\n";

typedef struct options {
    long long budget;
    size_t megabytes;
    double seconds;
} options;

/* Of the processor. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = malloc(1 << 20);
    *size = text ? fread(text, 1, 1 << 20, file) : 0;
    fclose(file);
    return text;
}

static void refill(lua_State *L, const options *o) {
    sal_script_set_seconds(L, o->seconds);
    sal_script_set_budget(L, o->budget);
}

/* The answer of the host's own scenario, into `out`. */
static bool run_good(lua_State *L, char *out, size_t size) {
    sal_script_set_seconds(L, 0);
    sal_script_set_budget(L, 0);
    const sal_status status = sal_script_run(L, good, sizeof good - 1, "good");
    snprintf(out, size, "%s", lua_isstring(L, -1) ? lua_tostring(L, -1) : "no text");
    lua_settop(L, 0);
    return status == SAL_OK;
}

static void print_line(const char *name, const char *what, const char *text, double seconds) {
    const char *base = strrchr(name, '/');
    char line[160];
    snprintf(line, sizeof line, "%s", text);
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    printf("%s\t%s\t%.3f\t%s\n", base ? base + 1 : name, what, seconds, line);
}

static bool try_file(lua_State *L, const char *path, const options *o, const char *expected) {
    size_t size = 0;
    char *text = read_file(path, &size), again[512];
    if (!text)
        return false;
    refill(L, o);
    const double began = now();
    const sal_status status = sal_script_run(L, text, size, path);
    const double took = now() - began;
    const bool succeeded = status == SAL_OK && lua_toboolean(L, -1);
    print_line(path,
               status != SAL_OK ? "stopped"
               : succeeded      ? "SUCCEEDED"
                                : "failed",
               lua_isstring(L, -1) ? lua_tostring(L, -1) : "", took);
    lua_settop(L, 0);
    free(text);
    sal_script_set_budget(L, 0);
    lua_gc(L, LUA_GCCOLLECT);
    const bool same = run_good(L, again, sizeof again) && strcmp(again, expected) == 0;
    printf("%s\n", same ? "went on" : again);
    fflush(stdout);
    return !succeeded && same;
}

int main(int argc, char **argv) {
    options o = {10000000, 48, 2};
    sal_script_sandbox_config config = sal_script_sandbox_config_default();
    lua_State *L;
    sal_note why = {.text = ""};
    char expected[512];
    int i = 2;
    for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
        switch (argv[i][1]) {
        case 'b':
            o.budget = atoll(argv[i + 1]);
            break;
        case 'm':
            o.megabytes = (size_t)atoi(argv[i + 1]);
            break;
        default:
            o.seconds = atof(argv[i + 1]);
        }
    config.path = argc > 1 ? argv[1] : NULL;
    config.memory = o.megabytes << 20;
    const double began = now();
    if (sal_script_open_sandbox(&config, &L, &why) != SAL_OK) {
        printf("no sandbox: %s\n", why.text);
        return 1;
    }
    const double opened = now() - began;
    if (!run_good(L, expected, sizeof expected)) {
        printf("the scenario of the host: %s\n", expected);
        return 1;
    }
    printf("%s\nopened in %.3f s with %zu bytes\n", expected, opened, sal_script_memory_used(L));
    bool all = true;
    for (; i < argc; i++)
        all = try_file(L, argv[i], &o, expected) && all;
    sal_script_close_sandbox(L);
    puts(all ? "none succeeded" : "SOME SUCCEEDED");
    return all ? 0 : 1;
}
