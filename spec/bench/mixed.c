/* A diagram of a plant and a controller, one in C and one in Lua, against each of them alone: ns an evaluation of the
 * derivatives, with as many steps of one size. The controller reads its output, so that it is computed alone too.
 * Usage: mixed [EVALUATIONS] */
#include "clock.h"

#include <math.h>
#include <stdio.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "saltus/saltus.h"
#include "saltus/script.h"

/* ---- a cart-pole and a controller with a filter; mixed.lua has the same ---- */

static sal_status cart_pole(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *force = NULL;
    const sal_status status = sal_context_input(ctx, 0, &force);
    if (status != SAL_OK)
        return status;
    const double *q = sal_context_get(ctx, SAL_Q), *v = sal_context_get(ctx, SAL_V);
    const double cart = 1, m = 0.1, l = 0.5, g = 9.81, s = sin(q[1]), c = cos(q[1]), rate = v[1];
    const double a = (*force + m * s * (l * rate * rate - g * c)) / (cart + m * s * s);
    dot->q[0] = v[0];
    dot->q[1] = rate;
    dot->v[0] = a;
    dot->v[1] = (g * s - a * c) / l;
    return SAL_OK;
}

static const sal_system_class plant_class = {.name = "plant", .derivatives = cart_pole};

static sal_status filter(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *angle = NULL, *force = NULL;
    sal_status status = sal_context_input(ctx, 0, &angle);
    if (status == SAL_OK)
        status = sal_context_output(ctx, 0, &force);
    if (status == SAL_OK)
        *dot->z = 50 * (*angle - *sal_context_get(ctx, SAL_Z)) + 0.001 * *force;
    return status;
}

static sal_status push(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)port;
    const double *angle = NULL;
    const sal_status status = sal_context_input(ctx, 0, &angle);
    if (status == SAL_OK)
        *value = 60 * *angle + 600 * (*angle - *sal_context_get(ctx, SAL_Z));
    return status;
}

static const sal_system_class controller_class = {.name = "controller", .derivatives = filter, .output = push};

static void must(bool good, const char *why) {
    if (good)
        return;
    fprintf(stderr, "mixed: %s\n", why);
    exit(1);
}

static sal_system *plant(void) {
    const double tilted = 0.1;
    sal_system *sys = NULL;
    must(sal_system_new(NULL, &plant_class, "plant", NULL, &sys) == SAL_OK &&
             sal_system_add_values(sys, SAL_Q, "position", 1, NULL) == SAL_OK &&
             sal_system_add_values(sys, SAL_Q, "angle", 1, &tilted) == SAL_OK &&
             sal_system_add_values(sys, SAL_V, "speed", 1, NULL) == SAL_OK &&
             sal_system_add_values(sys, SAL_V, "rate", 1, NULL) == SAL_OK &&
             sal_system_add_values(sys, SAL_INPUT, "force", 1, NULL) == SAL_OK,
         "no plant");
    return sys;
}

static sal_system *controller(void) {
    const int angle = 0;
    const double tilted = 0.1;
    sal_system *sys = NULL;
    must(sal_system_new(NULL, &controller_class, "controller", NULL, &sys) == SAL_OK &&
             sal_system_add_values(sys, SAL_Z, "lagged", 1, NULL) == SAL_OK &&
             sal_system_add_values(sys, SAL_INPUT, "angle", 1, &tilted) == SAL_OK &&
             sal_system_add_output(sys, "force", 1, NULL) == SAL_OK &&
             sal_system_set_dependencies(sys, 0, &angle, 1, NULL, 0) == SAL_OK,
         "no controller");
    return sys;
}

/* ---- simulators ---- */

enum { PLANT, CONTROLLER, PARTS };
enum { MIXED, IN_C, IN_LUA, RUNS };

/* What mixed.lua makes of a part in C (nil: of its own part alone), on top of the stack. */
static sal_simulator *in_lua(lua_State *L, const char *function, sal_system *part) {
    lua_getfield(L, 1, function);
    const bool pushed = !part || sal_script_push_system(L, part) == SAL_OK;
    must(pushed, sal_script_trouble(L));
    const bool made = lua_pcall(L, part != NULL, 1, 0) == LUA_OK;
    must(made, lua_tostring(L, -1));
    sal_simulator *sim = sal_script_simulator(L, -1);
    must(sim, sal_script_trouble(L));
    return sim;
}

static sal_simulator *in_c(sal_system *part) {
    sal_simulator_config config = sal_simulator_config_default();
    sal_simulator *sim = NULL;
    config.integrator.method = sal_method_find("runge_kutta4");
    config.integrator.fixed_step = true;
    config.integrator.max_step = 0.01;
    must(sal_simulator_new(NULL, part, NULL, &config, &sim) == SAL_OK, "no simulator");
    return sim;
}

static double ns_of(sal_simulator *sim, int steps) {
    sal_report report;
    const int64_t before = sal_simulator_statistics(sim).derivative_evaluations;
    const double from = sal_context_time(sal_simulator_context(sim)), began = now();
    const bool good = sal_simulator_advance_to(sim, from + 0.01 * steps, &report) == SAL_OK;
    must(good, report.note.text);
    const double spent = now() - began;
    return 1e9 * spent / (double)(sal_simulator_statistics(sim).derivative_evaluations - before);
}

int main(int argc, char **argv) {
    const int steps = (argc > 1 ? atoi(argv[1]) : 40000) / 4;
    static const char *const names[PARTS] = {"c_plant", "lua_plant"};
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    const bool loaded = sal_script_open(L, NULL) == SAL_OK && sal_script_load(L, "spec/bench/mixed.lua", 0) == SAL_OK;
    must(loaded, sal_script_trouble(L));
    for (int of_c = PLANT; of_c < PARTS; of_c++) {
        sal_system *(*const make)(void) = of_c == PLANT ? plant : controller;
        sal_simulator *const run[RUNS] = {in_lua(L, of_c == PLANT ? "with_plant" : "with_controller", make()),
                                          in_c(make()), in_lua(L, of_c == PLANT ? "controller" : "plant", NULL)};
        double best[RUNS] = {INFINITY, INFINITY, INFINITY};
        for (int i = 0; i < RUNS; i++)
            ns_of(run[i], 1000); /* closures are compiled */
        for (int round = 0; round < 9 * RUNS; round++)
            best[round % RUNS] = fmin(best[round % RUNS], ns_of(run[round % RUNS], steps));
        printf("%s_mixed %.5g\n%s_alone %.5g\n", names[of_c], best[MIXED], names[of_c], best[IN_C] + best[IN_LUA]);
    }
    lua_close(L);
    return 0;
}
