/* saltus.core's blocks: their table for Lua, and what one declares, in the form that lua/saltus/system.lua gives to
 * systems, so that everything else treats a block as any other system. */
#include <math.h>
#include <string.h>

#include "../model/model.h"
#include "binding.h"

static void set_string(lua_State *L, const char *key, const char *value) {
    lua_pushstring(L, value); /* NULL: nil */
    lua_setfield(L, -2, key);
}

static void set_boolean(lua_State *L, const char *key, bool value) {
    if (!value)
        return;
    lua_pushboolean(L, true);
    lua_setfield(L, -2, key);
}

/* ---- the table ---- */

static void push_option(lua_State *L, const sal_block_option *o) {
    static const char *const types[] = {"number", "count", "flag", "signal", "list", "matrix", "choice", "text"};
    lua_createtable(L, 0, 14);
    set_string(L, "name", o->name);
    set_string(L, "type", types[o->type]);
    set_string(L, "doc", o->doc);
    set_string(L, "unit", o->unit);
    set_string(L, "words", o->words);
    set_string(L, "characters", o->characters);
    set_string(L, "not_above", o->not_above);
    set_boolean(L, "required", o->required);
    set_boolean(L, "fixed", o->fixed);
    set_boolean(L, "positive", o->rules & SAL_IS_POSITIVE);
    set_boolean(L, "not_negative", o->rules & SAL_IS_NOT_NEGATIVE);
    set_boolean(L, "may_be_infinite", o->rules & SAL_MAY_BE_INFINITE);
    set_boolean(L, "increasing", o->rules & SAL_IS_INCREASING);
    set_boolean(L, "less", o->rules & SAL_IS_LESS);
    set_boolean(L, "may_be_function", o->rules & SAL_MAY_BE_FUNCTION);
    lua_pushnumber(L, o->otherwise);
    lua_setfield(L, -2, "default");
}

/* core.blocks(): { { name, doc, law, drake, units, example, instead_of, when_given, options = { ... } }, ... } */
static int l_blocks(lua_State *L) {
    const sal_block_kind *kind;
    lua_newtable(L);
    for (int i = 0; (kind = sal_block_at(i)); i++) {
        lua_createtable(L, 0, 9);
        set_string(L, "name", kind->name);
        set_string(L, "doc", kind->doc);
        set_string(L, "law", kind->law);
        set_string(L, "drake", kind->drake);
        set_string(L, "simbody", kind->simbody);
        set_string(L, "units", kind->units);
        set_string(L, "example", kind->example);
        set_string(L, "instead_of", kind->instead_of);
        set_string(L, "when_given", kind->when_given);
        lua_newtable(L);
        for (int k = 0; kind->options[k].name; k++) {
            push_option(L, &kind->options[k]);
            lua_rawseti(L, -2, k + 1);
        }
        lua_setfield(L, -2, "options");
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* ---- what one declares ---- */

static void push_default(lua_State *L, const sal_system *sys, const sal__value *v) {
    const double *numbers = sys->defaults[v->partition].item + v->at;
    if (v->size == 1) {
        lua_pushnumber(L, isnan(*numbers) ? 0 : *numbers);
        return;
    }
    lua_createtable(L, v->size, 0);
    for (int i = 0; i < v->size; i++) {
        lua_pushnumber(L, isnan(numbers[i]) ? 0 : numbers[i]);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_values(lua_State *L, const sal_system *sys, sal_partition partition) {
    lua_newtable(L);
    for (int i = 0, count = 0; i < sys->values.count; i++) {
        const sal__value *v = &sys->values.item[i];
        if (v->partition != partition)
            continue;
        lua_createtable(L, 0, 4);
        set_string(L, "name", v->name);
        lua_pushinteger(L, v->size);
        lua_setfield(L, -2, "size");
        set_boolean(L, "required", partition == SAL_INPUT && isnan(sys->defaults[partition].item[v->at]));
        push_default(L, sys, v);
        lua_setfield(L, -2, "default");
        lua_rawseti(L, -2, ++count);
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
    for (int i = 0; i < sys->kept.count; i++) {
        const sal__kept *kept = &sys->kept.item[i];
        lua_createtable(L, 0, 5);
        set_string(L, "name", kept->name);
        lua_pushnumber(L, kept->depth);
        lua_setfield(L, -2, "depth");
        set_boolean(L, "linear_only", kept->lines);
        set_boolean(L, "can_use_current", kept->current);
        lua_createtable(L, kept->size, 0);
        for (int k = 0; kept->before && k < kept->size; k++) {
            lua_pushnumber(L, kept->before[k]);
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
        set_string(L, "name", sys->outputs.item[i].name);
        lua_pushinteger(L, sys->outputs.item[i].size);
        lua_setfield(L, -2, "size");
        push_needs(L, sys, &sys->outputs.item[i].inputs);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_event(lua_State *L, const sal_event_config *e) {
    static const char *const triggers[] = {"initialization", "step", "period", "time", "witness", "demand"};
    static const char *const kinds[] = {"none", "publish", "discrete_update", "unrestricted_update"};
    static const char *const directions[] = {"crossing", "falling", "rising", "none", "turning"};
    lua_createtable(L, 0, 8);
    set_string(L, "name", e->name);
    set_string(L, "trigger", triggers[e->trigger]);
    set_string(L, "kind", kinds[e->kind]);
    if (e->trigger == SAL_ON_WITNESS)
        set_string(L, "direction", directions[e->direction]);
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

static void push_description(lua_State *L, const sal_system *sys) {
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

/* ---- making one ---- */

/* { option =, rows =, text = | 1, 2, ... }; the numbers live as userdata on the stack. */
static sal_block_value read_value(lua_State *L, int at) {
    sal_block_value value = {.option = NULL};
    lua_getfield(L, at, "option");
    value.option = lua_tostring(L, -1);
    lua_getfield(L, at, "text");
    value.text = lua_tostring(L, -1);
    lua_getfield(L, at, "rows");
    value.rows = (int)lua_tointeger(L, -1);
    lua_pop(L, 3); /* the strings stay in the caller's tables */
    value.count = (int)luaL_len(L, at);
    double *numbers = lua_newuserdatauv(L, (size_t)value.count * sizeof *numbers + 1, 0);
    for (int i = 0; i < value.count; i++) {
        lua_rawgeti(L, at, i + 1);
        numbers[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    value.numbers = numbers;
    return value;
}

static int drop_system(lua_State *L) {
    sal_system **sys = lua_touserdata(L, 1);
    sal_system_free(*sys);
    *sys = NULL;
    return 0;
}

/* A system that Lua frees should something raise before we do. */
static sal_system **new_holder(lua_State *L) {
    sal_system **held = lua_newuserdatauv(L, sizeof *held, 0);
    *held = NULL;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, drop_system);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    return held;
}

/* description or nil, why = core.block(kind, name, values) */
static int l_block(lua_State *L) {
    const char *kind = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    const int count = (int)luaL_len(L, 3);
    luaL_checkstack(L, 2 * count + 10, "block");
    sal_system **held = new_holder(L);
    sal_block_value *values = lua_newuserdatauv(L, (size_t)count * sizeof *values + 1, 0);
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, 3, i + 1);
        values[i] = read_value(L, lua_gettop(L));
    }
    sal_note note = {.text = ""};
    const sal_status status = sal_block_new(NULL, kind, name, values, count, &note, held);
    if (status != SAL_OK) {
        lua_pushnil(L);
        lua_pushstring(L, note.text[0] ? note.text : sal_status_text(status));
        return 2;
    }
    push_description(L, *held);
    sal_system_free(*held);
    *held = NULL;
    return 1;
}

/* ---- as a part of a model ---- */

void l_be_block(lua_State *L, l_part *part, const char *kind) {
    part->kind = sal_block_find(kind);
    if (!part->kind)
        luaL_error(L, "there is no block %s", kind);
    part->behaviour = *sal_block_class(kind);
    part->behaviour.history = l_history;
}

const luaL_Reg l_block_functions[] = {{"blocks", l_blocks}, {"block", l_block}, {NULL, NULL}};
