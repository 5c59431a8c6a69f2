/* Registers the adapters that Lua writes: their functions, stored among the closures, and what they take and return. */
#include <string.h>

#include "binding/binding.h"

/* Reads a list of { partition, at, size, table or -1 }. */
static int read_ranges(lua_State *L, int list, l_range *to) {
    const int n = (int)luaL_len(L, list);
    for (int i = 0; i < n; i++) {
        int field[4];
        lua_rawgeti(L, list, i + 1);
        l_read_integers(L, -1, 1, field, 4);
        to[i] = (l_range){field[0], field[1], field[2], field[3]};
        lua_pop(L, 1);
    }
    return n;
}

/* Pushes an adapter that is made from the lists of args and results at these stack indices. */
static l_adapter *push_adapter(lua_State *L, int args, int results) {
    const size_t arg_count = (size_t)luaL_len(L, args), count = arg_count + (size_t)luaL_len(L, results);
    const size_t bytes = sizeof(l_adapter) + count * sizeof(l_range) + arg_count * sizeof(double *);
    l_adapter *adapter = memset(lua_newuserdatauv(L, bytes, 0), 0, bytes);
    adapter->arg_count = read_ranges(L, args, adapter->range);
    adapter->result_count = read_ranges(L, results, adapter->range + adapter->arg_count);
    for (int i = 0; i < adapter->arg_count; i++)
        if (adapter->range[i].partition >= L_INPUT)
            adapter->port = (const double **)(void *)(adapter->range + count);
    for (int i = 0; i < adapter->result_count; i++) {
        const l_range *r = &adapter->range[adapter->arg_count + i];
        adapter->value_count += r->table > 0 ? 1 : r->size;
    }
    return adapter;
}

/* Pops a value, stores it among the closures, and returns its index. */
int l_anchor(lua_State *L, l_simulator *self) {
    lua_getiuservalue(L, 1, UV_CLOSURES);
    lua_insert(L, -2);
    lua_rawseti(L, -2, self->closures.anchor_count + 1);
    lua_pop(L, 1);
    return ++self->closures.anchor_count;
}

/* self:set_adapter(closure, fast, clearing, checking, args, results, calls until it may be compiled) */
static int l_set_adapter(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    l_closure *closure = l_check_closure(L, self);
    const int calls = (int)luaL_checkinteger(L, 8);
    const int at = closure->anchor ? closure->anchor : self->closures.anchor_count + 1;
    closure->adapter = NULL; /* in case memory runs out on the way */
    l_adapter *adapter = push_adapter(L, 6, 7);
    lua_replace(L, 3 + ADAPTER);
    lua_getiuservalue(L, 1, UV_CLOSURES);
    for (int i = 0; i < ANCHORS; i++) {
        lua_pushvalue(L, 3 + i);
        lua_rawseti(L, -2, at + i);
    }
    self->closures.anchor_count += closure->anchor ? 0 : ANCHORS;
    *closure = (l_closure){.adapter = adapter,
                           .anchor = at,
                           .calls_until_compiled = calls,
                           .phased = closure->phased,
                           .has_no_phases = closure->has_no_phases};
    return 0;
}

/* index = self:anchor_table(t): stores a table for a long vector among the closures */
static int l_anchor_table(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_pushvalue(L, 2);
    lua_pushinteger(L, l_anchor(L, self));
    return 1;
}

const luaL_Reg l_adapter_methods[] = {
    {"set_adapter", l_set_adapter},
    {"anchor_table", l_anchor_table},
    {NULL, NULL},
};
