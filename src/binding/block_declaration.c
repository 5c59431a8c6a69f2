/* The declarations of a ready-made block, in the form of lua/saltus/model/system.lua, so that all other code treats
 * a block like any system; its initial values, in a separate list; and the kinds of blocks. */
#include <math.h>

#include "model/model.h"
#include "binding.h"

const char *const l_section_names[SAL_PARTITIONS] = {"q", "v", "z", "discrete", "params", "inputs"};

/* The order of the initial values of a block's states and parameters. */
static const sal_partition started[] = {SAL_PARAM, SAL_Q, SAL_V, SAL_Z, SAL_XD};
enum { STARTED = sizeof started / sizeof *started };

/* Returns how many numbers precede those of a partition. */
static int numbers_before(const sal_system *sys, sal_partition partition) {
    int count = 0;
    for (int p = 0; started[p] != partition; p++)
        count += sys->size[started[p]];
    return count;
}

/* An input has its default, or is required; other entries have their index in the list of the block's numbers. */
static void push_default(lua_State *L, const sal_system *sys, const sal__value *v) {
    const double *numbers = sys->defaults[v->partition].item + v->at;
    if (v->partition != SAL_INPUT) {
        l_set_integer(L, "from", numbers_before(sys, v->partition) + v->at + 1);
    } else if (isnan(*numbers)) {
        l_set_true(L, "required", true);
    } else {
        l_push_numbers(L, v->size, numbers);
        lua_setfield(L, -2, "default");
    }
}

static void push_labels(lua_State *L, const sal__labels *labels) {
    l_set_string(L, "unit", labels->unit);
    l_set_string(L, "doc", labels->doc);
}

/* values: the words of a mode */
static void push_words(lua_State *L, const sal__value *v) {
    lua_createtable(L, v->mode_count, 0);
    for (int k = 0; k < v->mode_count; k++) {
        lua_pushstring(L, v->mode_words[k]);
        lua_rawseti(L, -2, k + 1);
    }
    lua_setfield(L, -2, "values");
}

static void push_values(lua_State *L, const sal_system *sys, sal_partition partition) {
    lua_newtable(L);
    for (int i = 0, count = 0; i < sys->values.count; i++) {
        const sal__value *v = &sys->values.item[i];
        if (v->partition != partition)
            continue;
        lua_createtable(L, 0, 8);
        l_set_string(L, "name", v->name);
        l_set_integer(L, "size", v->size);
        push_default(L, sys, v);
        push_labels(L, &v->labels);
        if (v->mode_count > 0)
            push_words(L, v);
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

/* reads: numbers of other outputs; empty for blocks */
static void push_reads(lua_State *L, const sal__ints *outputs) {
    lua_createtable(L, outputs->count, 0);
    for (int i = 0; i < outputs->count; i++) {
        lua_pushinteger(L, outputs->item[i] + 1);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "reads");
}

/* pasts: name, depth, linear_only, can_use_current, is_only_way, history */
static void push_pasts(lua_State *L, const sal_system *sys) {
    lua_newtable(L);
    for (int i = 0; i < sys->history.columns.count; i++) {
        const sal__history *history = &sys->history.columns.item[i];
        lua_createtable(L, 0, 6);
        l_set_string(L, "name", history->name);
        l_set_number(L, "depth", history->depth);
        l_set_true(L, "linear_only", history->linear_only);
        l_set_true(L, "can_use_current", history->can_use_current);
        l_set_true(L, "is_only_way", history->is_only_way);
        l_push_list(L, history->initial_history ? history->size : 0, history->initial_history);
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
        l_set_integer(L, "size", sys->outputs.item[i].size);
        push_labels(L, &sys->outputs.item[i].labels);
        push_needs(L, sys, &sys->outputs.item[i].inputs);
        push_reads(L, &sys->outputs.item[i].outputs);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_event(lua_State *L, const sal_event_config *e) {
    lua_createtable(L, 0, 8);
    l_set_string(L, "name", e->name);
    l_set_string(L, "trigger", l_triggers[e->trigger - SAL_ON_INITIALIZATION]);
    l_set_string(L, "kind", l_kinds[e->kind - SAL_NO_HANDLER]);
    l_set_string(L, "doc", e->doc);
    if (e->trigger == SAL_ON_WITNESS)
        l_set_string(L, "direction", l_directions[e->direction]);
    l_set_flag(L, "guarded", e->guarded);
    l_set_flag(L, "endures", e->on_zeno);
    l_set_flag(L, "upstream_first", e->upstream_first);
    l_set_number(L, "offset", e->offset);
    if (e->trigger == SAL_ON_PERIOD)
        l_set_number(L, "every", e->period);
    if (e->time_variable >= 0)
        l_set_integer(L, "time_offset", e->time_variable);
}

void l_push_declaration(lua_State *L, const sal_system *sys) {
    lua_newtable(L);
    for (int p = 0; p < SAL_PARTITIONS; p++) {
        push_values(L, sys, (sal_partition)p);
        lua_setfield(L, -2, l_section_names[p]);
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

/* ---- the kinds of ready-made blocks ---- */

static void push_option(lua_State *L, const sal_block_option *o) {
    static const char *const types[] = {"number", "count", "flag", "signal", "list", "matrix", "choice", "text"};
    lua_createtable(L, 0, 14);
    l_set_string(L, "name", o->name);
    l_set_string(L, "type", types[o->type]);
    l_set_string(L, "doc", o->doc);
    l_set_string(L, "unit", o->unit);
    l_set_string(L, "words", o->words);
    l_set_string(L, "characters", o->characters);
    l_set_string(L, "not_above", o->not_above);
    l_set_true(L, "required", o->required);
    l_set_true(L, "fixed", o->fixed);
    l_set_true(L, "positive", o->rules & SAL_IS_POSITIVE);
    l_set_true(L, "not_negative", o->rules & SAL_IS_NOT_NEGATIVE);
    l_set_true(L, "may_be_infinite", o->rules & SAL_MAY_BE_INFINITE);
    l_set_true(L, "increasing", o->rules & SAL_IS_INCREASING);
    l_set_true(L, "less", o->rules & SAL_IS_LESS);
    l_set_true(L, "may_be_function", o->rules & SAL_MAY_BE_FUNCTION);
    l_set_number(L, "default", o->default_value);
}

/* core.blocks(): { { name, doc, law, drake, units, example, instead_of, when_given, options = { ... } }, ... } */
int l_blocks(lua_State *L) {
    const sal_block_kind *kind;
    lua_newtable(L);
    for (int i = 0; (kind = sal_block_at(i)); i++) {
        lua_createtable(L, 0, 9);
        l_set_string(L, "name", kind->name);
        l_set_string(L, "doc", kind->doc);
        l_set_string(L, "law", kind->law);
        l_set_string(L, "drake", kind->drake);
        l_set_string(L, "simbody", kind->simbody);
        l_set_string(L, "units", kind->units);
        l_set_string(L, "example", kind->example);
        l_set_string(L, "instead_of", kind->instead_of);
        l_set_string(L, "when_given", kind->when_given);
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
