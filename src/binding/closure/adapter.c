/* Registers the adapters that Lua writes: their functions, stored among the closures, and what they take and return. */
#include "binding/binding.h"

enum { COLD = 64 }; /* calls of a closure before it may be compiled */

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

static size_t bytes_of(lua_Integer ranges) {
    return sizeof(l_adapter) + (size_t)ranges * sizeof(l_range);
}

/* Makes an adapter from the lists of args and results at these stack indices. */
static l_adapter *new_shim(lua_State *L, l_simulator *self, int args, int results) {
    l_adapter *shim = l_new_array(L, self, 1, bytes_of(luaL_len(L, args) + luaL_len(L, results)));
    shim->arg_count = read_ranges(L, args, shim->range);
    shim->result_count = read_ranges(L, results, shim->range + shim->arg_count);
    for (int i = 0; i < shim->arg_count; i++)
        shim->has_ports = shim->has_ports || shim->range[i].partition >= L_INPUT;
    for (int i = 0; i < shim->result_count; i++) {
        const l_range *r = &shim->range[shim->arg_count + i];
        shim->value_count += r->table > 0 ? 1 : r->size;
    }
    return shim;
}

/* Frees a closure's own adapter and its array of port values. */
static void drop(l_simulator *self, l_closure *closure) {
    l_adapter *shim = closure->adapter;
    if (closure->port)
        l_free_array(self, closure->port, shim->arg_count, sizeof *closure->port);
    if (shim)
        l_free_array(self, shim, 1, bytes_of(shim->arg_count + shim->result_count));
}

void l_free_adapters(l_simulator *self) {
    l_closure_set *closures = &self->closures;
    for (int k = 0; closures->item && k < closures->count; k++)
        drop(self, &closures->item[k]);
    l_free_array(self, closures->item, closures->count, sizeof *closures->item);
    closures->item = NULL;
}

static void fit(lua_State *L, l_simulator *self, l_closure *closure, l_adapter *shim) {
    drop(self, closure);
    *closure = (l_closure){.adapter = shim, .anchor = closure->anchor, .calls_until_compiled = COLD};
    if (shim->has_ports)
        closure->port = l_new_array(L, self, shim->arg_count, sizeof *closure->port);
    closure->has_adapter = true;
}

/* Pops a value, stores it among the closures, and returns its index. */
int l_anchor(lua_State *L, l_simulator *self) {
    lua_getiuservalue(L, 1, UV_CLOSURES);
    lua_insert(L, -2);
    lua_rawseti(L, -2, self->closures.anchor_count + 1);
    lua_pop(L, 1);
    return ++self->closures.anchor_count;
}

/* Stores the values at stack indices `first` ... among the closures, as this closure's anchors. */
static void place(lua_State *L, l_simulator *self, l_closure *closure, int first) {
    const int at = closure->anchor ? closure->anchor : self->closures.anchor_count + 1;
    closure->has_adapter = false; /* in case memory runs out below */
    lua_getiuservalue(L, 1, UV_CLOSURES);
    for (int i = 0; i < ANCHORS; i++) {
        lua_pushvalue(L, first + i);
        lua_rawseti(L, -2, at + i);
    }
    lua_pop(L, 1);
    self->closures.anchor_count += closure->anchor ? 0 : ANCHORS;
    closure->anchor = at;
}

/* self:fitted(closure, fast, clearing, checking, args, results) */
static int l_set_adapter(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    l_closure *closure = l_check_closure(L, self);
    place(L, self, closure, 3);
    fit(L, self, closure, new_shim(L, self, 3 + ANCHORS, 4 + ANCHORS));
    return 0;
}

/* index = self:keep_table(t): stores a table for a long vector among the closures */
static int l_anchor_table(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_pushvalue(L, 2);
    lua_pushinteger(L, l_anchor(L, self));
    return 1;
}

const luaL_Reg l_adapter_methods[] = {
    {"fitted", l_set_adapter},
    {"keep_table", l_anchor_table},
    {NULL, NULL},
};
