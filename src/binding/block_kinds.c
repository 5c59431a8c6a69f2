/* The kinds of ready-made blocks, as a table for Lua. */
#include "binding.h"

void l_set_string(lua_State *L, const char *key, const char *value) {
    lua_pushstring(L, value); /* NULL: nil */
    lua_setfield(L, -2, key);
}

void l_set_true(lua_State *L, const char *key, bool value) {
    if (!value)
        return;
    lua_pushboolean(L, true);
    lua_setfield(L, -2, key);
}

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
    lua_pushnumber(L, o->default_value);
    lua_setfield(L, -2, "default");
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
