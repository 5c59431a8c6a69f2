/* Measures what closures cost, for the option `profile`: the functions of each part's class are replaced by these,
 * which count calls and seconds. A run that is not measured pays nothing. The time of a closure includes that of the
 * outputs which it reads. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "binding/binding.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Adds a call of closure k of the part that began at that time. */
static void add(const l_part *part, int k, double began) {
    l_cost *cost = &part->owner->costs[k - 1];
    cost->calls++;
    cost->seconds += now() - began;
}

static int of_event(const l_part *part, int event, int what) {
    return l_closure_number(part, event, what);
}

static int of_part(const l_part *part, int what) {
    return l_closure_number(part, part->event_count, what);
}

/* A function that measures `call`, which has the parameters and the arguments given, as closure `number`. */
#define MEASURED(type, name, number, call, ...) \
    static type name(const sal_system *sys, __VA_ARGS__) { \
        const l_part *part = sal_system_data(sys); \
        const double began = now(); \
        const type result = l_closures.call; \
        add(part, number, began); \
        return result; \
    }

MEASURED(sal_status, derivatives, part->first_closure, derivatives(sys, ctx, dot), const sal_context *ctx,
         const sal_rates *dot)
MEASURED(sal_status, output, part->first_closure + 1 + port, output(sys, ctx, port, value), const sal_context *ctx,
         int port, double *value)
MEASURED(sal_status, witness, of_event(part, event, OF_WITNESS), witness(sys, ctx, event, value),
         const sal_context *ctx, int event, double *value)
MEASURED(sal_status, when, of_event(part, event, OF_WHEN), when(sys, ctx, event, is), const sal_context *ctx, int event,
         bool *is)
MEASURED(sal_status, holds, of_event(part, event, OF_CONDITION), holds(sys, ctx, event, is), const sal_context *ctx,
         int event, bool *is)
MEASURED(sal_status, next_time, of_event(part, event, OF_NEXT_TIME), next_time(sys, ctx, event, t),
         const sal_context *ctx, int event, double *t)
MEASURED(sal_outcome, publish, of_event(part, event->index, OF_HANDLER), publish(sys, ctx, event, note),
         const sal_context *ctx, const sal_event *event, sal_note *note)
MEASURED(sal_outcome, update, of_event(part, event->index, event->zeno ? OF_ZENO : OF_HANDLER),
         update(sys, ctx, event, next, note), const sal_context *ctx, const sal_event *event, sal_context *next,
         sal_note *note)
MEASURED(sal_status, constraints, of_part(part, OF_CONSTRAINTS), constraints(sys, ctx, residual),
         const sal_context *ctx, double *residual)
MEASURED(sal_status, constraint_rates, of_part(part, OF_CONSTRAINT_RATES), constraint_rates(sys, ctx, rate),
         const sal_context *ctx, double *rate)
MEASURED(sal_status, project, of_part(part, OF_PROJECT), project(sys, ctx, next), const sal_context *ctx,
         const sal_rates *next)

/* Output ports after the closures are abstract states, which call nothing. */
static sal_status output_or_state(const sal_system *sys, const sal_context *ctx, int port, double *value) {
    const l_part *part = sal_system_data(sys);
    return port < part->output_count ? output(sys, ctx, port, value) : l_closures.output(sys, ctx, port, value);
}

#define REPLACE(of, name, by) (of).name = (of).name ? (by) : NULL

static void measure(l_part *part) {
    sal_system_class *c = &part->behaviour;
    REPLACE(*c, derivatives, derivatives);
    REPLACE(*c, output, output_or_state);
    REPLACE(*c, witness, witness);
    REPLACE(*c, when, when);
    REPLACE(*c, holds, holds);
    REPLACE(*c, next_time, next_time);
    REPLACE(*c, publish, publish);
    REPLACE(*c, update, update);
    REPLACE(*c, constraints, constraints);
    REPLACE(*c, constraint_rates, constraint_rates);
    REPLACE(*c, project, project);
}

void l_measure_closures(lua_State *L, l_simulator *self) {
    self->costs = l_new_array(L, self, self->closures.count, sizeof *self->costs);
    for (int i = 0; i < self->part_count; i++)
        if (!self->part[i].kind)
            measure(&self->part[i]);
}

/* { { calls, seconds }, ... } = self:costs(), by closure */
static int l_costs(lua_State *L) {
    const l_simulator *self = l_check_simulator(L, 1);
    lua_newtable(L);
    for (int k = 0; self->costs && k < self->closures.count; k++) {
        lua_createtable(L, 2, 0);
        lua_pushinteger(L, self->costs[k].calls);
        lua_rawseti(L, -2, 1);
        lua_pushnumber(L, self->costs[k].seconds);
        lua_rawseti(L, -2, 2);
        lua_rawseti(L, -2, k + 1);
    }
    return 1;
}

const luaL_Reg l_meter_methods[] = {{"costs", l_costs}, {NULL, NULL}};
