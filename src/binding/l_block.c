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

/* An input has its default, or is required; the others tell where theirs stands in the list of the block's numbers. */
static void push_default(lua_State *L, const sal_system *sys, const sal__value *v) {
    const double *numbers = sys->defaults[v->partition].item + v->at;
    if (v->partition != SAL_INPUT) {
        lua_pushinteger(L, numbers_before(sys, v->partition) + v->at + 1);
        lua_setfield(L, -2, "from");
    } else if (isnan(*numbers)) {
        set_boolean(L, "required", true);
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
        set_string(L, "name", v->name);
        lua_pushinteger(L, v->size);
        lua_setfield(L, -2, "size");
        push_default(L, sys, v);
        lua_rawseti(L, -2, ++count);
    }
}

static void push_starts(lua_State *L, const sal_system *sys) {
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

enum { MOST_OPTIONS = 16 }; /* of a block; src/blocks/building.h */

/* What the options were set to, as checked by lua/saltus/blocks.lua; lists of numbers live as userdata on the stack. */
typedef struct l_given {
    sal_block_value value[MOST_OPTIONS];
    double number[MOST_OPTIONS];
    int count;
} l_given;

/* Numbers of the list on top from `*numbers` on, which is moved behind them; of a list of lists, those of each. */
static int take_list(lua_State *L, double **numbers) {
    const int count = (int)luaL_len(L, -1);
    for (int i = 1; i <= count; i++) {
        if (lua_geti(L, -1, i) == LUA_TTABLE)
            take_list(L, numbers);
        else
            *(*numbers)++ = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return count;
}

/* How many numbers the list on top has; of a list of lists, whose rows are of one length, all. */
static int count_numbers(lua_State *L, int *rows) {
    const int count = (int)luaL_len(L, -1);
    const bool nested = lua_geti(L, -1, 1) == LUA_TTABLE;
    const int each = nested ? (int)luaL_len(L, -1) : 1;
    lua_pop(L, 1);
    *rows = nested ? count : 0;
    return count * each;
}

/* The value on top, which a list's numbers replace. False: a function, or none. */
static bool read_value(lua_State *L, sal_block_value *value, double *number) {
    *number = lua_isboolean(L, -1) ? lua_toboolean(L, -1) : lua_tonumber(L, -1);
    value->numbers = number;
    value->count = 1;
    value->text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    if (!lua_istable(L, -1))
        return !lua_isnil(L, -1) && !lua_isfunction(L, -1);
    value->count = count_numbers(L, &value->rows);
    double *numbers = lua_newuserdatauv(L, (size_t)value->count * sizeof *numbers + 1, 0);
    value->numbers = numbers;
    lua_insert(L, -2);
    take_list(L, &numbers);
    lua_pop(L, 1);
    return true;
}

/* Leaves strings and numbers on the stack for as long as `given` is used. */
static void read_given(lua_State *L, int table, const sal_block_option *options, l_given *given) {
    luaL_checkstack(L, MOST_OPTIONS + 10, "block");
    given->count = 0;
    for (int k = 0; options[k].name && k < MOST_OPTIONS; k++) {
        sal_block_value value = {.option = options[k].name};
        lua_getfield(L, table, options[k].name);
        if (read_value(L, &value, &given->number[given->count]))
            given->value[given->count++] = value;
    }
}

static void drop(sal_system **held) {
    sal_system_free(*held);
    *held = NULL;
}

/* A system that Lua frees. */
static int drop_held(lua_State *L) {
    drop(luaL_checkudata(L, 1, L_BLOCK));
    return 0;
}

static sal_system **push_holder(lua_State *L) {
    sal_system **held = lua_newuserdatauv(L, sizeof *held, 0);
    *held = NULL;
    luaL_setmetatable(L, L_BLOCK);
    return held;
}

static bool is_like(lua_State *L, int other, const sal_system *sys) {
    sal_system **known = luaL_testudata(L, other, L_BLOCK);
    return known && *known && sal__system_is_like(sys, *known);
}

/* numbers, description, made = core.block(kind, name, given, like): what it begins at; and what it declares, unless
 * that is what `like`, made before, declares. nil, why: when it cannot be. */
static int l_block(lua_State *L) {
    const char *kind = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    const sal_block_kind *known = sal_block_find(kind);
    luaL_argcheck(L, known, 1, "there is no such block");
    sal_system **held = lua_touserdata(L, lua_upvalueindex(1)); /* frees what an error here leaves behind */
    drop(held);
    l_given given;
    read_given(L, 3, known->options, &given);
    sal_note note = {.text = ""};
    const sal_status status = sal_block_new(NULL, kind, name, given.value, given.count, &note, held);
    if (status != SAL_OK) {
        lua_pushnil(L);
        lua_pushstring(L, note.text[0] ? note.text : sal_status_text(status));
        return 2;
    }
    push_starts(L, *held);
    if (is_like(L, 4, *held)) {
        drop(held);
        return 1;
    }
    push_description(L, *held);
    *push_holder(L) = *held;
    *held = NULL;
    return 3;
}

/* ---- as a part of a model ---- */

void l_be_block(lua_State *L, l_part *part, const char *kind) {
    part->kind = sal_block_find(kind);
    if (!part->kind)
        luaL_error(L, "there is no block %s", kind);
    part->behaviour = *sal_block_class(kind);
    part->behaviour.history = l_history;
}

static void read_starts(lua_State *L, int numbers, const sal_system *sys) {
    for (int p = 0, n = 0; p < STARTED; p++)
        for (int k = 0; k < sys->size[started[p]]; k++) {
            lua_rawgeti(L, numbers, ++n);
            sys->defaults[started[p]].item[k] = lua_tonumber(L, -1);
            lua_pop(L, 1);
        }
}

sal_status l_make_twin(lua_State *L, l_part *part, const l_part *like, int system) {
    part->kind = like->kind;
    part->outputs = like->outputs;
    part->events = like->events;
    lua_getfield(L, system, "name");
    const sal_status status = sal__system_twin(like->system, lua_tostring(L, -1), part, &part->system);
    if (lua_getfield(L, system, "numbers") == LUA_TTABLE && status == SAL_OK)
        read_starts(L, lua_gettop(L), part->system);
    lua_pop(L, 2);
    return status;
}

static const luaL_Reg functions[] = {{"blocks", l_blocks}, {"block", l_block}, {NULL, NULL}};

void l_open_blocks(lua_State *L) {
    luaL_newmetatable(L, L_BLOCK);
    lua_pushcfunction(L, drop_held);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
    push_holder(L);
    luaL_setfuncs(L, functions, 1);
}
