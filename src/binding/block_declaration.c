/* What a ready-made block declares, in the form that lua/saltus/model/system.lua gives to systems, so that everything
 * else treats a block as any other system; and its numbers, in a list beside it. */
#include <math.h>

#include "model/model.h"
#include "binding.h"

static void push_numbers(lua_State *L, const double *numbers, int size) {
    if (size == 1) {
        lua_pushnumber(L, *numbers);
        return;
    }
    lua_createtable(L, size, 0);
    for (int i = 0; i < size; i++) {
        lua_pushnumber(L, numbers[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

/* In which order the numbers of a block stand that states and parameters begin at. */
static const sal_partition started[] = {SAL_PARAM, SAL_Q, SAL_V, SAL_Z, SAL_XD};
enum { STARTED = sizeof started / sizeof *started };

/* How many numbers stand before those of a partition. */
static int numbers_before(const sal_system *sys, sal_partition partition) {
    int count = 0;
    for (int p = 0; started[p] != partition; p++)
        count += sys->size[started[p]];
    return count;
}

/* An input has its default, or is required; the others tell where theirs is in the list of the block's numbers. */
static void push_default(lua_State *L, const sal_system *sys, const sal__value *v) {
    const double *numbers = sys->defaults[v->partition].item + v->at;
    if (v->partition != SAL_INPUT) {
        lua_pushinteger(L, numbers_before(sys, v->partition) + v->at + 1);
        lua_setfield(L, -2, "from");
    } else if (isnan(*numbers)) {
        l_set_true(L, "required", true);
    } else {
        push_numbers(L, numbers, v->size);
        lua_setfield(L, -2, "default");
    }
}

static void push_values(lua_State *L, const sal_system *sys, sal_partition partition) {
    lua_newtable(L);
    for (int i = 0, count = 0; i < sys->values.count; i++) {
        const sal__value *v = &sys->values.item[i];
        if (v->partition != partition)
            continue;
        lua_createtable(L, 0, 8);
        l_set_string(L, "name", v->name);
        lua_pushinteger(L, v->size);
        lua_setfield(L, -2, "size");
        push_default(L, sys, v);
        lua_rawseti(L, -2, ++count);
    }
}

void l_push_initial_values(lua_State *L, const sal_system *sys) {
    lua_createtable(L, numbers_before(sys, SAL_XD) + sys->size[SAL_XD], 0);
    for (int p = 0, n = 0; p < STARTED; p++)
        for (int k = 0; k < sys->size[started[p]]; k++) {
            const double start = sys->defaults[started[p]].item[k];
            lua_pushnumber(L, isnan(start) ? 0 : start);
            lua_rawseti(L, -2, ++n);
        }
}

/* needs: names of inputs */
static void push_needs(lua_State *L, const sal_system *sys, const sal__ints *inputs) {
    lua_createtable(L, inputs->count, 0);
    for (int i = 0; i < inputs->count; i++) {
        lua_pushstring(L, sys->values.item[sys->inputs.item[inputs->item[i]]].name);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "needs");
}

/* pasts: name, depth, linear_only, can_use_current, history */
static void push_pasts(lua_State *L, const sal_system *sys) {
    lua_newtable(L);
    for (int i = 0; i < sys->history.columns.count; i++) {
        const sal__history *history = &sys->history.columns.item[i];
        lua_createtable(L, 0, 5);
        l_set_string(L, "name", history->name);
        lua_pushnumber(L, history->depth);
        lua_setfield(L, -2, "depth");
        l_set_true(L, "linear_only", history->linear_only);
        l_set_true(L, "can_use_current", history->can_use_current);
        lua_createtable(L, history->size, 0);
        for (int k = 0; history->initial_history && k < history->size; k++) {
            lua_pushnumber(L, history->initial_history[k]);
            lua_rawseti(L, -2, k + 1);
        }
        lua_setfield(L, -2, "history");
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "pasts");
}

static void push_outputs(lua_State *L, const sal_system *sys) {
    lua_newtable(L);
    for (int i = 0; i < sys->outputs.count; i++) {
        lua_createtable(L, 0, 4);
        l_set_string(L, "name", sys->outputs.item[i].name);
        lua_pushinteger(L, sys->outputs.item[i].size);
        lua_setfield(L, -2, "size");
        push_needs(L, sys, &sys->outputs.item[i].inputs);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_event(lua_State *L, const sal_event_config *e) {
    static const char *const triggers[] = {"initialization", "step", "period", "time", "witness", "change", "demand"};
    static const char *const kinds[] = {"none", "publish", "discrete_update", "unrestricted_update"};
    static const char *const directions[] = {"crossing", "falling", "rising", "none", "turning"};
    lua_createtable(L, 0, 8);
    l_set_string(L, "name", e->name);
    l_set_string(L, "trigger", triggers[e->trigger]);
    l_set_string(L, "kind", kinds[e->kind]);
    if (e->trigger == SAL_ON_WITNESS)
        l_set_string(L, "direction", directions[e->direction]);
    lua_pushboolean(L, e->guarded);
    lua_setfield(L, -2, "guarded");
    lua_pushboolean(L, e->on_zeno);
    lua_setfield(L, -2, "endures");
    lua_pushnumber(L, e->offset);
    lua_setfield(L, -2, "offset");
    if (e->trigger == SAL_ON_PERIOD) {
        lua_pushnumber(L, e->period);
        lua_setfield(L, -2, "every");
    }
    if (e->time_variable >= 0) {
        lua_pushinteger(L, e->time_variable);
        lua_setfield(L, -2, "time_offset");
    }
}

void l_push_declaration(lua_State *L, const sal_system *sys) {
    static const char *const lists[SAL_PARTITIONS] = {"q", "v", "z", "discrete", "params", "inputs"};
    lua_newtable(L);
    for (int p = 0; p < SAL_PARTITIONS; p++) {
        push_values(L, sys, (sal_partition)p);
        lua_setfield(L, -2, lists[p]);
    }
    push_pasts(L, sys);
    push_outputs(L, sys);
    lua_setfield(L, -2, "outputs");
    lua_newtable(L);
    for (int i = 0; i < sys->events.count; i++) {
        push_event(L, &sys->events.item[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "events");
}

void l_read_initial_values(lua_State *L, int numbers, const sal_system *sys) {
    for (int p = 0, n = 0; p < STARTED; p++)
        for (int k = 0; k < sys->size[started[p]]; k++) {
            lua_rawgeti(L, numbers, ++n);
            sys->defaults[started[p]].item[k] = lua_tonumber(L, -1);
            lua_pop(L, 1);
        }
}
