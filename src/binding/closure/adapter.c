/* Shims as Lua hands them over: functions among the closures, and what they take and return. */
#include "binding/binding.h"

enum { COLD = 64 }; /* calls of a closure before it may become a program */

/* Numbers in all lists at stack places `first` to `first + 2`. */
static int count_ranges(lua_State *L, int first) {
    int n = 0;
    for (int list = first; list < first + 3; list++)
        n += (int)luaL_len(L, list);
    return n;
}

/* A list of { partition, at, size, table or -1 }. */
static int read_ranges(lua_State *L, int list, l_range *to) {
    const int n = (int)luaL_len(L, list);
    for (int i = 0; i < n; i++) {
        lua_rawgeti(L, list, i + 1);
        int field[4];
        for (int k = 0; k < 4; k++) {
            lua_rawgeti(L, -1, k + 1);
            field[k] = (int)lua_tointeger(L, -1);
            lua_pop(L, 1);
        }
        to[i] = (l_range){field[0], field[1], field[2], field[3]};
        lua_pop(L, 1);
    }
    return n;
}

static size_t bytes_of(int ranges) {
    return sizeof(l_adapter) + (size_t)ranges * sizeof(l_range);
}

/* From the lists of args, results, holds at stack places from `first` on. */
static l_adapter *new_shim(lua_State *L, l_simulator *self, int first) {
    const int n = count_ranges(L, first);
    l_adapter *shim = l_new_array(L, self, 1, bytes_of(n));
    shim->range_count = n;
    shim->arg_count = read_ranges(L, first, shim->range);
    shim->result_count = read_ranges(L, first + 1, shim->range + shim->arg_count);
    shim->constant_count = read_ranges(L, first + 2, shim->range + shim->arg_count + shim->result_count);
    for (int i = 0; i < shim->arg_count; i++)
        shim->has_ports = shim->has_ports || shim->range[i].partition >= L_INPUT;
    for (int i = 0; i < shim->result_count; i++) {
        const l_range *r = &shim->range[shim->arg_count + i];
        shim->value_count += r->table > 0 ? 1 : r->size;
    }
    return shim;
}

static void free_shim(l_simulator *self, l_adapter *shim) {
    if (shim)
        self->mem.resize(self->mem.user, shim, bytes_of(shim->range_count), 0);
}

/* A closure's own shim, and room for what it reads of ports. */
static void drop(l_simulator *self, l_closure *closure) {
    if (closure->port)
        self->mem.resize(self->mem.user, closure->port, (size_t)closure->adapter->arg_count * sizeof *closure->port, 0);
    if (closure->adapter && !closure->adapter->shared_function)
        free_shim(self, closure->adapter);
}

void l_free_adapters(l_simulator *self) {
    for (int k = 0; self->closures.item && k < self->closures.count; k++)
        drop(self, &self->closures.item[k]);
    for (int i = 0; i < self->closures.shared_count; i++)
        free_shim(self, self->closures.shared[i]);
    if (self->closures.shared)
        self->mem.resize(self->mem.user, self->closures.shared,
                         (size_t)self->closures.shared_capacity * sizeof *self->closures.shared, 0);
    if (self->closures.item)
        self->mem.resize(self->mem.user, self->closures.item,
                         (size_t)self->closures.count * sizeof *self->closures.item, 0);
    l_free_compiled(self);
    self->closures.shared = NULL;
    self->closures.item = NULL;
    self->closures.shared_count = self->closures.shared_capacity = 0;
}

static void fit(lua_State *L, l_simulator *self, lua_Integer k, l_adapter *shim) {
    l_closure *closure = &self->closures.item[k - 1];
    drop(self, closure);
    *closure = (l_closure){.adapter = shim, .anchor = closure->anchor, .calls_until_compiled = COLD};
    if (shim->has_ports)
        closure->port = l_new_array(L, self, shim->arg_count, sizeof *closure->port);
    closure->has_adapter = true;
}

static lua_Integer check_closure(lua_State *L, const l_simulator *self) {
    const lua_Integer k = luaL_checkinteger(L, 2);
    luaL_argcheck(L, k >= 1 && k <= self->closures.count, 2, "no such closure");
    return k;
}

/* A place among the closures for the value on top of the stack, which is taken. */
int l_anchor(lua_State *L, l_simulator *self) {
    lua_getiuservalue(L, 1, UV_CLOSURES);
    lua_insert(L, -2);
    lua_rawseti(L, -2, self->closures.anchor_count + 1);
    lua_pop(L, 1);
    return ++self->closures.anchor_count;
}

/* Puts what is at stack places `first` ... among the closures, as closure k's. */
static void place(lua_State *L, l_simulator *self, lua_Integer k, int first) {
    l_closure *closure = &self->closures.item[k - 1];
    closure->has_adapter = false; /* should memory run out on the way */
    for (int i = 0; !closure->anchor && i < ANCHORS; i++) {
        lua_pushboolean(L, 0);
        const int at = l_anchor(L, self);
        if (i == ANCHORS - 1)
            closure->anchor = at - i;
    }
    lua_getiuservalue(L, 1, UV_CLOSURES);
    for (int i = 0; i < ANCHORS; i++) {
        lua_pushvalue(L, first + i);
        lua_rawseti(L, -2, closure->anchor + i);
    }
    lua_pop(L, 1);
}

/* self:fitted(closure, fast, clearing, checking, set, args, results, holds) */
static int l_set_adapter(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const lua_Integer k = check_closure(L, self);
    place(L, self, k, 3);
    fit(L, self, k, new_shim(L, self, 7));
    return 0;
}

static void make_room(lua_State *L, l_simulator *self) {
    if (self->closures.shared_count < self->closures.shared_capacity)
        return;
    const int cap = 2 * self->closures.shared_capacity + 8;
    l_adapter **more = l_new_array(L, self, cap, sizeof *more);
    for (int i = 0; i < self->closures.shared_count; i++)
        more[i] = self->closures.shared[i];
    if (self->closures.shared)
        self->mem.resize(self->mem.user, self->closures.shared, (size_t)self->closures.shared_capacity * sizeof *more,
                         0);
    self->closures.shared = more;
    self->closures.shared_capacity = cap;
}

/* number = self:share(function, given, args, results, holds): a shim for handlers of one shape */
static int l_find_shared_adapter(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    const int given = (int)luaL_checkinteger(L, 3);
    make_room(L, self);
    lua_pushvalue(L, 2);
    const int at = l_anchor(L, self);
    l_adapter *shim = new_shim(L, self, 4);
    shim->shared_function = at;
    shim->anchor_count = given;
    self->closures.shared[self->closures.shared_count++] = shim;
    lua_pushinteger(L, self->closures.shared_count);
    return 1;
}

/* self:fitted_shared(closure, number, function, ctx, target, event) */
static int l_set_shared_adapter(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const lua_Integer k = check_closure(L, self), number = luaL_checkinteger(L, 3);
    luaL_argcheck(L, number >= 1 && number <= self->closures.shared_count, 3, "no such shim");
    lua_settop(L, 3 + ANCHORS);
    place(L, self, k, 4);
    fit(L, self, k, self->closures.shared[number - 1]);
    return 0;
}

/* index = self:keep_table(t): where a long vector's table is among the closures */
static int l_anchor_table(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_pushvalue(L, 2);
    lua_pushinteger(L, l_anchor(L, self));
    return 1;
}

const luaL_Reg l_adapter_methods[] = {
    {"fitted", l_set_adapter},
    {"share", l_find_shared_adapter},
    {"fitted_shared", l_set_shared_adapter},
    {"keep_table", l_anchor_table},
    {NULL, NULL},
};
