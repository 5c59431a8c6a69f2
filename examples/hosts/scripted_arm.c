/* A robot's arm in C under a controller that a script in Lua defines. The program gives the arm to the script, borrows
 * the simulator that the script returns, and advances it. Another script needs no other program:
 *
 *   cc scripted_arm.c $(pkg-config --cflags --libs saltus-lua) -lm && ./a.out scripts/arm.lua */
#include <math.h>
#include <stdio.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "saltus/saltus.h"
#include "saltus/script.h"

enum { LENGTH, MASS, FRICTION }; /* parameters */

static sal_status derivatives(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *p = sal_context_get(ctx, SAL_PARAM);
    const double angle = *sal_context_get(ctx, SAL_Q), rate = *sal_context_get(ctx, SAL_V);
    const double *torque = NULL;
    const sal_status status = sal_context_input(ctx, 0, &torque);
    if (status != SAL_OK)
        return status;
    *dot->q = rate;
    *dot->v = (*torque - p[FRICTION] * rate) / (p[MASS] * p[LENGTH] * p[LENGTH]) - 9.81 / p[LENGTH] * sin(angle);
    return SAL_OK;
}

static const sal_system_class arm_class = {.name = "arm", .derivatives = derivatives};

/* Units and descriptions are for Lua's plots, checks and help. */
static sal_status make_arm(sal_system **out) {
    const double length = 0.5, mass = 1, friction = 0.1, none = sal_no_value();
    const sal_status status = sal_system_new(NULL, &arm_class, "arm", NULL, out);
    if (status != SAL_OK)
        return status;
    sal_system_add_values(*out, SAL_PARAM, "length", 1, &length);
    sal_system_add_values(*out, SAL_PARAM, "mass", 1, &mass);
    sal_system_add_values(*out, SAL_PARAM, "friction", 1, &friction);
    sal_system_add_values(*out, SAL_Q, "angle", 1, NULL);
    sal_system_add_values(*out, SAL_V, "rate", 1, NULL);
    sal_system_add_values(*out, SAL_INPUT, "torque", 1, &none); /* to be connected */
    sal_system_describe(*out, "angle", "rad", "from hanging down");
    sal_system_describe(*out, "rate", "rad/s", NULL);
    return sal_system_describe(*out, "torque", "N m", "of the motor");
}

/* The simulator that the script makes of the arm, on top of the stack; NULL after a message. */
static sal_simulator *run_script(lua_State *L, const char *script, sal_system *arm) {
    sal_simulator *sim = NULL;
    if (sal_script_push_system(L, arm) != SAL_OK)
        sal_system_free(arm); /* otherwise the state owns it from here on */
    else if (sal_script_load(L, script, 1) == SAL_OK)
        sim = sal_script_simulator(L, -1);
    if (!sim)
        fprintf(stderr, "%s\n", sal_script_trouble(L));
    return sim;
}

static bool control(sal_simulator *sim) {
    sal_report report = {0};
    for (int frame = 0; frame <= 100; frame++) {
        const sal_context *arm = sal_context_part(sal_simulator_context(sim), 0);
        if (frame % 20 == 0)
            printf("%.1f s  angle %.4f\n", frame / 50.0, *sal_context_get(arm, SAL_Q));
        if (sal_simulator_advance_to(sim, (frame + 1) / 50.0, &report) != SAL_OK) {
            fprintf(stderr, "at %.3f s: %s\n", report.time, report.note.text);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv) {
    lua_State *L = luaL_newstate();
    sal_system *arm = NULL;
    bool good = false;
    if (!L || make_arm(&arm) != SAL_OK)
        return 1;
    luaL_openlibs(L);
    if (sal_script_open(L, NULL) == SAL_OK) {
        sal_simulator *sim = run_script(L, argc > 1 ? argv[1] : "examples/hosts/scripts/arm.lua", arm);
        good = sim && control(sim);
    } else {
        fprintf(stderr, "%s\n", sal_script_trouble(L));
        sal_system_free(arm);
    }
    lua_close(L); /* frees the simulator and the arm */
    return good ? 0 : 1;
}
