/* What a Lua right-hand side costs through the whole public face, over the bare
 * lua_call of the same arithmetic by values. Prints `key value` lines, ns.
 *
 * Ours: time of a run with the Lua system, less that of the same run with the C
 * system (the engine's own work), by the evaluations, which are equally many;
 * plus the bare C function, which the second run had in it. */
#include "clock.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "lorenz.h"

enum { EVALUATIONS = 20000 };
static const double step = 1e-3;

static double least(double a, double b) {
    return b < a ? b : a;
}

static double bare_call(lua_State *L, int function) {
    double x[3] = {1, 1, 1}, sink = 0;
    const double begin = now();
    for (int i = 0; i < EVALUATIONS; i++) {
        lua_pushvalue(L, function);
        lua_pushnumber(L, 0.1);
        for (int k = 0; k < 3; k++)
            lua_pushnumber(L, x[k]);
        lua_call(L, 4, 3);
        for (int k = 0; k < 3; k++)
            sink += lua_tonumber(L, k - 3);
        lua_pop(L, 3);
        x[0] = 1 + 1e-9 * (i & 1023);
    }
    const double each = (now() - begin) / EVALUATIONS;
    return sink == 42 ? 0 : each;
}

static double bare_c(void) {
    void (*volatile rhs)(const double *, double *) = lorenz;
    double x[3] = {1, 1, 1}, dx[3];
    const double begin = now();
    for (int i = 0; i < EVALUATIONS; i++) {
        rhs(x, dx);
        x[0] = 1 + 1e-9 * dx[1];
    }
    return (now() - begin) / EVALUATIONS;
}

/* From where the last run ended, so that neither run initializes. */
static double c_run(sal_simulator *sim) {
    sal_report report = {0};
    sal_context *ctx = sal_simulator_context(sim);
    const double t = sal_context_time(ctx);
    const int64_t before = sal_simulator_statistics(sim).derivative_evaluations;
    const double begin = now();
    if (sal_simulator_advance_to(sim, t + step * EVALUATIONS / 6, &report) != SAL_OK)
        exit(1);
    const double spent = now() - begin;
    return spent / (double)(sal_simulator_statistics(sim).derivative_evaluations - before);
}

/* The script's function `name` advances by `duration` and answers how many evaluations that took. */
static double lua_run(lua_State *L, const char *name) {
    lua_getglobal(L, name);
    lua_pushnumber(L, step * EVALUATIONS / 6);
    const double begin = now();
    lua_call(L, 1, 1);
    const double spent = now() - begin;
    const double evaluations = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return spent / evaluations;
}

static const char script[] = "local saltus = require 'saltus'\n"
                             "local function runner(derivatives)\n"
                             "  local sim = saltus.simulator(saltus.system { name = 'lorenz',\n"
                             "    z = { { 'x', 1 }, { 'y', 1 }, { 'z', 1 } },\n"
                             "    params = { sigma = 10, rho = 28, beta = 8 / 3 }, derivatives = derivatives },\n"
                             "    { integrator = 'tsitouras5', fixed_step = true, max_step = 1e-3 })\n"
                             "  sim:initialize()\n"
                             "  return function(duration)\n"
                             "    local before = sim.stats.derivative_evaluations\n"
                             "    sim:advance_to(sim.context.time + duration)\n"
                             "    return sim.stats.derivative_evaluations - before\n"
                             "  end\n"
                             "end\n"
                             "named = runner(function(ctx, dot)\n"
                             "  dot.x = ctx.sigma * (ctx.y - ctx.x)\n"
                             "  dot.y = ctx.x * (ctx.rho - ctx.z) - ctx.y\n"
                             "  dot.z = ctx.x * ctx.y - ctx.beta * ctx.z\n"
                             "end)\n"
                             "locals = runner(function(ctx, dot)\n"
                             "  local x, y, z = ctx.x, ctx.y, ctx.z\n"
                             "  dot.x = ctx.sigma * (y - x)\n"
                             "  dot.y = x * (ctx.rho - z) - y\n"
                             "  dot.z = x * y - ctx.beta * z\n"
                             "end)\n"
                             "return function(t, x, y, z)\n"
                             "  return 10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z\n"
                             "end\n";

int main(void) {
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    if (luaL_dostring(L, script) != LUA_OK) {
        fprintf(stderr, "%s\n", lua_tostring(L, -1));
        return 1;
    }
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find("tsitouras5");
    config.integrator.fixed_step = true;
    config.integrator.max_step = step;
    sal_simulator *sim = new_lorenz(&config);
    sal_report report = {0};
    sal_simulator_initialize(sim, false, &report);

    double bare = 1, arithmetic = 1, engine = 1, named = 1, locals = 1;
    for (int i = 0; i < 100 * patience(); i++) {
        bare = least(bare, bare_call(L, 1));
        arithmetic = least(arithmetic, bare_c());
        engine = least(engine, c_run(sim));
        named = least(named, lua_run(L, "named"));
        locals = least(locals, lua_run(L, "locals"));
    }
    printf("bare %.3f\nengine %.3f\nnamed %.3f\nlocals %.3f\n", bare * 1e9, engine * 1e9,
           (named - engine + arithmetic) * 1e9, (locals - engine + arithmetic) * 1e9);
    lua_close(L);
    return 0;
}
