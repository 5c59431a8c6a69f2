/* saltus/script.h in a program: what lives how long, states that are closed or have no saltus, and a state that runs
 * out of memory. The Lua files are those of lua/. */
#include <math.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "base/test_allocator.h"
#include "base/test_check.h"
#include "saltus/saltus.h"
#include "saltus/script.h"

/* A system that counts when it is destroyed. */
static void count(void *counter) {
    ++*(int *)counter;
}

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    (void)self;
    *dot->z = status == SAL_OK ? *u - *sal_context_get(ctx, SAL_Z) : 0;
    return status;
}

static sal_outcome tick(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)self;
    (void)ctx;
    (void)event;
    (void)note;
    *sal_context_edit(next, SAL_XD) += 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class lag_class = {.name = "lag", .derivatives = rates, .update = tick, .destroy = count};

static sal_system *new_lag(const sal_allocator *mem, int *destroyed) {
    const char *const words[] = {"off", "on"};
    const double one = 1;
    sal_event_config every = sal_event_config_default();
    sal_system *lag = NULL;
    if (sal_system_new(mem, &lag_class, "lag", destroyed, &lag) != SAL_OK)
        return NULL;
    every.name = "tick", every.trigger = SAL_ON_PERIOD, every.kind = SAL_DISCRETE, every.period = 0.25;
    sal_system_add_values(lag, SAL_PARAM, "mode", 1, NULL);
    sal_system_set_modes(lag, "mode", words, 2);
    sal_system_add_values(lag, SAL_Z, "x", 1, NULL);
    sal_system_add_values(lag, SAL_XD, "ticks", 1, NULL);
    sal_system_add_values(lag, SAL_INPUT, "u", 1, &one);
    sal_system_describe(lag, "x", "m", "its place");
    sal_system_add_event(lag, &every, NULL);
    return lag;
}

static lua_State *new_state(void) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    CHECK(sal_script_open(L, "lua") == SAL_OK);
    return L;
}

static bool says(lua_State *L, const char *words) {
    const bool found = strstr(sal_script_trouble(L), words) != NULL;
    if (!found)
        printf("trouble: %s\n", sal_script_trouble(L));
    return found;
}

/* Calls a function of Lua, which text makes, with the value on top; leaves its result. */
static void apply(lua_State *L, const char *text) {
    CHECK(luaL_loadstring(L, text) == LUA_OK);
    lua_insert(L, -2);
    const int failed = lua_pcall(L, 1, 1, 0);
    if (failed)
        printf("%s\n", lua_tostring(L, -1));
    CHECK(failed == LUA_OK);
}

static const char simulate[] = "return require 'saltus'.simulator((...))";

static double x_of(sal_simulator *sim) {
    return *sal_context_get(sal_simulator_context(sim), SAL_Z);
}

static void collect(lua_State *L) {
    lua_gc(L, LUA_GCCOLLECT);
    lua_gc(L, LUA_GCCOLLECT);
}

/* ---- states ---- */

static void a_state_without_saltus_is_told(void) {
    lua_State *L = luaL_newstate();
    int destroyed = 0;
    sal_system *lag = new_lag(NULL, &destroyed);
    CHECK(strcmp(sal_script_trouble(L), "") == 0);
    lua_pushinteger(L, 7);
    CHECK(sal_script_simulator(L, -1) == NULL && says(L, "saltus is not loaded"));
    CHECK(sal_script_push_system(L, lag) == SAL_EINVAL && sal_script_load(L, "x.lua", 1) == SAL_EINVAL);
    CHECK(sal_script_release(L, NULL) == SAL_EINVAL);
    CHECK(lua_gettop(L) == 0);
    CHECK(sal_script_open(L, NULL) == SAL_EINVAL && says(L, "luaL_openlibs"));
    luaL_openlibs(L);
    CHECK(luaL_dostring(L, "package.path, package.cpath = '', ''") == LUA_OK);
    CHECK(sal_script_open(L, "no/such/folder") == SAL_EINVAL && says(L, "module 'saltus' not found"));
    CHECK(sal_script_open(L, "lua") == SAL_OK && sal_script_open(L, "no/such/folder") == SAL_OK);
    CHECK(lua_gettop(L) == 0);
    CHECK(sal_script_push_system(L, lag) == SAL_OK);
    CHECK(destroyed == 0);
    lua_close(L);
    CHECK(destroyed == 1);
}

static void another_version_is_refused(void) {
    lua_State *L = new_state();
    static const struct {
        const char *version;
        size_t sizes[3];
    } other = {"0.0.9", {0, 0, 0}};
    lua_pushlightuserdata(L, (void *)(uintptr_t)&other);
    lua_setfield(L, LUA_REGISTRYINDEX, "saltus.script");
    CHECK(sal_script_open(L, "lua") == SAL_EINVAL);
    CHECK(sal_script_simulator(L, 1) == NULL && lua_gettop(L) == 0);
    lua_close(L);
}

/* ---- what lives how long ---- */

static void a_closed_state_frees_what_is_lent(void) {
    lua_State *L = new_state();
    int destroyed = 0;
    CHECK(sal_script_push_system(L, new_lag(NULL, &destroyed)) == SAL_OK);
    apply(L, simulate);
    sal_simulator *sim = sal_script_simulator(L, -1);
    CHECK(sim && sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
    CHECK_NEAR(x_of(sim), 1 - exp(-1), 1e-6);
    lua_settop(L, 0);
    collect(L);
    CHECK(destroyed == 0 && sal_simulator_advance_to(sim, 2, NULL) == SAL_OK);
    CHECK_NEAR(x_of(sim), 1 - exp(-2), 1e-6);
    lua_close(L); /* with a loan that was not ended */
    CHECK(destroyed == 1);
}

/* A finalizer that runs while the state is closed, after that of the simulator. */
static int look_back(lua_State *L) {
    const char **said = lua_touserdata(L, lua_upvalueindex(1));
    lua_getiuservalue(L, 1, 1);
    *said = sal_script_simulator(L, -1) ? "lent" : sal_script_trouble(L);
    static char copy[200];
    strncat(copy, *said, sizeof copy - 1);
    *said = copy;
    return 0;
}

static void a_simulator_of_a_closing_state_is_not_lent(void) {
    lua_State *L = new_state();
    const char *said = NULL;
    lua_newuserdatauv(L, 1, 1);
    lua_newtable(L);
    lua_pushlightuserdata(L, &said);
    lua_pushcclosure(L, look_back, 1);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    sal_script_push_system(L, new_lag(NULL, &(int){0}));
    apply(L, simulate);
    lua_setiuservalue(L, 1, 1);
    lua_close(L);
    CHECK(said && strstr(said, "was not created completely"));
}

static void a_system_is_one_value_of_one_state(void) {
    lua_State *L = new_state(), *other = new_state();
    int destroyed = 0;
    sal_system *lag = new_lag(NULL, &destroyed);
    CHECK(sal_script_push_system(L, lag) == SAL_OK && sal_script_push_system(L, lag) == SAL_OK);
    CHECK(lua_rawequal(L, 1, 2));
    CHECK(sal_script_push_system(other, lag) == SAL_EINVAL && says(other, "was pushed before, to another Lua state"));
    CHECK(sal_system_add_values(lag, SAL_Z, "late", 1, NULL) == SAL_EINVAL); /* Lua has read what it declares */
    CHECK(lua_gettop(other) == 0);
    lua_close(other);
    CHECK(destroyed == 0);

    sal_simulator *own = NULL; /* the program may simulate it too, and keeps the value for that time */
    CHECK(sal_simulator_new(NULL, lag, NULL, NULL, &own) == SAL_OK && sal_simulator_advance_to(own, 1, NULL) == SAL_OK);
    apply(L, simulate);
    sal_simulator *sim = sal_script_simulator(L, -1);
    CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK && sal_simulator_hash(sim) == sal_simulator_hash(own));
    sal_simulator_free(own);
    lua_settop(L, 0);
    collect(L);
    CHECK(destroyed == 0);
    CHECK(sal_script_release(L, sim) == SAL_OK && sal_script_release(L, sim) == SAL_EINVAL);
    collect(L);
    CHECK(destroyed == 1);
    lua_close(L);
}

static void a_diagram_takes_its_parts_or_nothing(void) {
    lua_State *L = new_state();
    int destroyed = 0;
    sal_system *parts[3] = {new_lag(NULL, &destroyed), new_lag(NULL, &destroyed), NULL}, *diagram = NULL;
    sal_system_new(NULL, &lag_class, "bad name", &destroyed, &parts[2]);
    sal_diagram_new(NULL, "pair", &diagram);
    for (int i = 0; i < 3; i++)
        sal_diagram_add(diagram, parts[i], (const char *[]){"first", "second", "third"}[i], NULL);
    CHECK(sal_script_push_system(L, diagram) == SAL_EINVAL && says(L, "must be a Lua identifier, got \"bad name\""));
    CHECK(lua_gettop(L) == 0);
    collect(L);
    CHECK(destroyed == 0);
    sal_system_free(diagram);
    sal_system_free(parts[2]);
    CHECK(destroyed == 1);

    sal_diagram_new(NULL, "pair", &diagram); /* the first two are still the program's */
    CHECK(sal_script_push_system(L, diagram) == SAL_EINVAL && says(L, "has no parts"));
    for (int i = 0; i < 2; i++)
        sal_diagram_add(diagram, parts[i], i ? "second" : "first", NULL);
    CHECK(sal_script_push_system(L, diagram) == SAL_OK && sal_script_push_system(L, parts[1]) == SAL_OK);
    lua_pop(L, 1);
    apply(L, simulate);
    sal_simulator *sim = sal_script_simulator(L, -1);
    CHECK(sim && sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
    lua_close(L);
    CHECK(destroyed == 3);
}

/* ---- out of memory ---- */

/* From the n-th request on all are refused, since Lua tries again after a collection. */
static void *limited(void *user, void *block, size_t old, size_t bytes) {
    test_allocator *p = user;
    const size_t size = block ? old : 0; /* for a new block, `old` is its kind */
    if (bytes > size && p->requests_left == 0)
        return NULL;
    const long left = p->requests_left;
    p->requests_left = -1;
    void *moved = test_allocate(p, block, size, bytes);
    p->requests_left = bytes > size && left > 0 ? left - 1 : left;
    return moved;
}

/* All that a program does, with a state of Lua that gets no memory from its n-th request on; whether it got
 * all. */
static bool survives(long n) {
    test_allocator p = {.requests_left = -1};
    int destroyed = 0;
    lua_State *L = lua_newstate(limited, &p);
    luaL_openlibs(L);
    CHECK(sal_script_open(L, "lua") == SAL_OK);
    sal_system *lag = new_lag(NULL, &destroyed);
    CHECK(luaL_loadstring(L, simulate) == LUA_OK);
    p.requests_left = n;
    const sal_status pushed = sal_script_push_system(L, lag);
    CHECK(pushed == SAL_OK || pushed == SAL_ENOMEM);
    CHECK(lua_gettop(L) == 1 + (pushed == SAL_OK));
    const bool made = pushed == SAL_OK && lua_pcall(L, 1, 1, 0) == LUA_OK;
    sal_simulator *sim = made ? sal_script_simulator(L, -1) : NULL;
    const bool good = sim && sal_simulator_advance_to(sim, 1, NULL) == SAL_OK && p.requests_left > 0;
    p.requests_left = -1;
    if (sim)
        CHECK(sal_script_release(L, sim) == SAL_OK);
    if (pushed != SAL_OK) {
        collect(L);
        CHECK(destroyed == 0);
        sal_system_free(lag);
    }
    lua_close(L);
    CHECK(destroyed == 1);
    CHECK(p.bytes_lent == 0);
    return good;
}

static void lack_of_memory_leaves_nothing(void) {
    long n = 0;
    while (n < 1000000 && !survives(n))
        n += n < check_share(200) ? 1 : 1 + n / check_share(16);
    CHECK(n > 50 && n < 1000000);
}

int main(void) {
    a_state_without_saltus_is_told();
    another_version_is_refused();
    a_closed_state_frees_what_is_lent();
    a_simulator_of_a_closing_state_is_not_lent();
    a_system_is_one_value_of_one_state();
    a_diagram_takes_its_parts_or_nothing();
    lack_of_memory_leaves_nothing();
    return check_summary();
}
