/* Every allocation fails once, each in its own run. No crash, no leak, the
 * failure speaks of memory, and afterwards all goes as before.
 *
 * First the C face with an allocator that fails. Then a Lua scenario, where the
 * interpreter's allocator and the engine's malloc (wrapped by the linker) count
 * together; each run is a child process, so that a crash is seen as one. Lua
 * collects and tries again when it is refused once, therefore each point is also
 * run with all that follows refused as well, until the error has come out. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "../support/ball.h"

int luaopen_saltus_core(lua_State *L);

static long asked;              /* allocations so far */
static long refuse_at = -1;     /* the one that fails; -1: none */
static bool refuse_all;         /* and all after it */
static long blocks, bytes_lent; /* of malloc; of the interpreter */

static bool refused(void) {
    asked++;
    return refuse_at >= 0 && (asked == refuse_at || (refuse_all && asked > refuse_at));
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void __real_free(void *block);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);
void __wrap_free(void *block);

void *__wrap_malloc(size_t bytes) {
    void *block = refused() ? NULL : __real_malloc(bytes);
    blocks += block != NULL;
    return block;
}

void *__wrap_calloc(size_t count, size_t bytes) {
    void *block = refused() ? NULL : __real_calloc(count, bytes);
    blocks += block != NULL;
    return block;
}

void *__wrap_realloc(void *block, size_t bytes) {
    void *moved = refused() ? NULL : __real_realloc(block, bytes);
    blocks += moved != NULL && block == NULL;
    return moved;
}

void __wrap_free(void *block) {
    blocks -= block != NULL;
    __real_free(block);
}

/* ---- the C face ---- */

typedef struct purse {
    long requests_left, taken;
    size_t bytes_lent;
} purse;

static void *lend(void *user, void *block, size_t old, size_t bytes) {
    purse *p = user;
    if (bytes == 0) {
        p->bytes_lent -= block ? old : 0;
        __real_free(block);
        return NULL;
    }
    p->taken++;
    if (p->requests_left-- == 0)
        return NULL;
    void *moved = __real_realloc(block, bytes);
    p->bytes_lent += moved ? bytes - (block ? old : 0) : 0;
    return moved;
}

static sal_status build_loop(const sal_allocator *allocator, sal_system *ball, sal_system *gain, sal_system **out) {
    sal_system *loop = NULL;
    sal_status status = sal_diagram_new(allocator, "loop", &loop);
    int from = 0, to = 0;
    if (status == SAL_OK)
        status = sal_diagram_add(loop, ball, "ball", &from);
    if (status == SAL_OK)
        status = sal_diagram_add(loop, gain, "gain", &to);
    if (status == SAL_OK)
        status = sal_diagram_connect(loop, from, 0, to, 0);
    if (status == SAL_OK)
        *out = loop;
    else
        sal_system_free(loop);
    return status;
}

static sal_status live_once(const sal_allocator *allocator) {
    sal_system *ball = NULL, *gain = NULL, *loop = NULL;
    sal_simulator *sim = NULL;
    sal_context *copy = NULL;
    sal_report report = {0};
    sal_simulator_config config = sal_simulator_config_default();
    sal_status status = new_ball(allocator, &ball);
    if (status == SAL_OK)
        status = sal_system_add_past(ball, "height", INFINITY, NULL);
    if (status == SAL_OK)
        status = sal_block_gain(allocator, "gain", 1, 2, &gain);
    if (status == SAL_OK)
        status = build_loop(allocator, ball, gain, &loop);
    if (status == SAL_OK)
        status = sal_simulator_new(allocator, loop, NULL, &config, &sim);
    if (status == SAL_OK)
        status = sal_simulator_advance_to(sim, 2, &report);
    if (status == SAL_OK)
        status = sal_context_clone(sal_simulator_context(sim), &copy);
    sal_context_free(copy);
    sal_simulator_free(sim);
    sal_system_free(loop);
    sal_system_free(gain);
    sal_system_free(ball);
    return status;
}

static int passed, failed;

static void judge(bool good, const char *what, long at) {
    if (good) {
        passed++;
    } else {
        failed++;
        printf("allocation %ld: %s\n", at, what);
    }
}

static void c_face(void) {
    for (long at = 0;; at++) {
        purse p = {at, 0, 0};
        const sal_allocator allocator = {lend, &p};
        const sal_status status = live_once(&allocator);
        judge(p.bytes_lent == 0, "the C face leaks", at);
        if (p.taken <= at) {
            judge(status == SAL_OK, "the C face fails with enough memory", at);
            return;
        }
        judge(status == SAL_ENOMEM, "the C face does not answer SAL_ENOMEM", at);
    }
}

/* ---- the Lua face ---- */

static void *lua_memory(void *user, void *block, size_t old, size_t bytes) {
    (void)user;
    if (bytes == 0) {
        bytes_lent -= block ? (long)old : 0;
        __real_free(block);
        return NULL;
    }
    if ((!block || bytes > old) && refused()) /* shrinking never fails */
        return NULL;
    void *moved = __real_realloc(block, bytes);
    if (moved)
        bytes_lent += (long)bytes - (block ? (long)old : 0);
    return moved;
}

static const char script[] =
    "local saltus = require 'saltus'\n"
    "local made, gain = 0, 2\n"
    "return function()\n"
    "  local ball = saltus.system { name = 'ball', q = { { 'height', 1 } }, v = { { 'speed', 0 } },\n"
    "    discrete = { { 'mode', 'falling', values = { 'falling', 'resting' } }, { 'draw', 0 } },\n"
    "    abstract = { list = { 1, { 2 } } }, params = { gravity = 9.81 }, past = { height = math.huge, energy = 1 },\n"
    "    history = function(t) return { height = 0.5 - 9.81 * t * t / 2 } end,\n"
    "    outputs = { energy = function(ctx) return ctx.gravity * ctx.height + ctx.speed ^ 2 / 2 end },\n"
    "    derivatives = function(ctx, dot) dot.height, dot.speed = ctx.speed, -ctx.gravity end,\n"
    "    events = {\n"
    "      { name = 'touch', witness = function(ctx) return ctx.height end, direction = 'falling',\n"
    "        unrestricted_update = function(ctx, next) next.height, next.speed = 0, -0.8 * ctx.speed end },\n"
    "      { name = 'tick', every = 0.25, discrete_update = function(ctx, next) next.draw = next.random() * "
    "ctx.past.height(0.3) end },\n"
    "    } }\n"
    "  local sim = saltus.simulator(ball:with { height = 0.5 }, { seed = 1 })\n"
    "  local log = saltus.log(sim, { 'height', 'energy', every = 0.125 })\n"
    "  sim:advance_to(1)\n"
    "  made = made + 1\n" /* code that no program was written for before */
    "  local fall = load(('local gain = ... return function(ctx, dot)\\n'\n"
    "    .. 'for i = 1, #ctx.x do dot.x[i] = math.max(-%d0000, -gain * ctx.x[i]) end end'):format(made))(gain)\n"
    "  local lag = saltus.simulator(saltus.system { name = 'lag', z = { { 'x', { 1, 2 } } }, derivatives = fall },\n"
    "    { integrator = 'runge_kutta3', fixed_step = true, max_step = 0.03 })\n"
    "  lag:advance_to(1)\n"
    "  assert(lag:programs()[1].state == 'program')\n"
    "  return sim.context.height + #log.time + lag.context.x[2]\n"
    "end\n";

static lua_State *new_state(void) {
    lua_State *L = lua_newstate(lua_memory, NULL);
    if (!L)
        return NULL;
    luaL_openlibs(L);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
    lua_pushcfunction(L, luaopen_saltus_core);
    lua_setfield(L, -2, "saltus.core");
    lua_pop(L, 1);
    return L;
}

/* The scenario's function on the stack's top, or the end of the program. */
static void load_scenario(lua_State *L) {
    if (luaL_loadstring(L, script) != LUA_OK || lua_pcall(L, 0, 1, 0) != LUA_OK) {
        fprintf(stderr, "oom: %s\n", lua_tostring(L, -1));
        exit(1);
    }
}

static int call_scenario(lua_State *L, double *answer) {
    lua_pushvalue(L, 1);
    const int status = lua_pcall(L, 0, 1, 0);
    *answer = lua_tonumber(L, -1);
    return status;
}

enum { GOOD, LEAK, OTHER_ERROR, NOT_AS_BEFORE };
static const char *const verdicts[] = {"good", "a leak", "an error that does not speak of memory",
                                       "afterwards the scenario does not run as before"};

/* Lua's words, or the engine's. */
static bool says_memory(const char *message) {
    return strstr(message, "not enough memory") || strstr(message, "out of memory");
}

/* In the child: one run with the refusal, one without, and the end. */
static int suffer(lua_State *L, long at, bool all, double wanted) {
    double answer = 0;
    refuse_at = asked + at;
    refuse_all = all;
    const int status = call_scenario(L, &answer);
    refuse_at = -1;
    if (status != LUA_OK && !says_memory(luaL_tolstring(L, -1, NULL))) {
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
        return OTHER_ERROR;
    }
    lua_settop(L, 1);
    if (call_scenario(L, &answer) != LUA_OK || answer != wanted)
        return NOT_AS_BEFORE;
    lua_close(L);
    return blocks == 0 && bytes_lent == 0 ? GOOD : LEAK;
}

static void lua_face(void) {
    lua_State *L = new_state();
    load_scenario(L);
    double wanted = 0;
    if (call_scenario(L, &wanted) != LUA_OK) {
        fprintf(stderr, "oom: %s\n", lua_tostring(L, -1));
        exit(1);
    }
    lua_settop(L, 1);
    lua_gc(L, LUA_GCCOLLECT);
    const long before = asked;
    call_scenario(L, &wanted);
    lua_settop(L, 1);
    lua_gc(L, LUA_GCCOLLECT);
    const long count = asked - before;

    const char *wish = getenv("OOM_STRIDE");
    const long stride = wish ? atol(wish) : 1;
    for (long at = 1; at <= count; at += stride) {
        for (int all = 0; all < 2; all++) {
            fflush(stdout);
            const pid_t child = fork();
            if (child == 0)
                _exit(suffer(L, at, all, wanted));
            int status = 0;
            waitpid(child, &status, 0);
            const int verdict = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            judge(verdict == GOOD, verdict > 0 && verdict <= NOT_AS_BEFORE ? verdicts[verdict] : "a crash", at);
        }
    }
    lua_close(L);
    judge(blocks == 0 && bytes_lent == 0, "the undisturbed run leaks", 0);
}

int main(void) {
    c_face();
    lua_face();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
