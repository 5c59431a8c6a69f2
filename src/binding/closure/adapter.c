/* Shims as Lua hands them over: functions among the closures, and what they take and answer. */
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
    return sizeof(l_shim) + (size_t)ranges * sizeof(l_range);
}

/* From the lists of args, results, holds at stack places from `first` on. */
static l_shim *new_shim(lua_State *L, l_simulator *self, int first) {
    const int n = count_ranges(L, first);
    l_shim *shim = l_new_array(L, self, 1, bytes_of(n));
    shim->ranges = n;
    shim->args = read_ranges(L, first, shim->range);
    shim->results = read_ranges(L, first + 1, shim->range + shim->args);
    shim->holds = read_ranges(L, first + 2, shim->range + shim->args + shim->results);
    for (int i = 0; i < shim->args; i++)
        shim->ports = shim->ports || shim->range[i].partition >= L_INPUT;
    for (int i = 0; i < shim->results; i++) {
        const l_range *r = &shim->range[shim->args + i];
        shim->values += r->table > 0 ? 1 : r->size;
    }
    return shim;
}

static void free_shim(l_simulator *self, l_shim *shim) {
    if (shim)
        self->mem.resize(self->mem.user, shim, bytes_of(shim->ranges), 0);
}

/* A closure's own shim, and room for what it reads of ports. */
static void drop(l_simulator *self, l_closure *closure) {
    if (closure->port)
        self->mem.resize(self->mem.user, closure->port, (size_t)closure->shim->args * sizeof *closure->port, 0);
    if (closure->shim && !closure->shim->at)
        free_shim(self, closure->shim);
}

void l_free_shims(l_simulator *self) {
    for (int k = 0; self->closure && k < self->closures; k++)
        drop(self, &self->closure[k]);
    for (int i = 0; i < self->shareds; i++)
        free_shim(self, self->shared[i]);
    if (self->shared)
        self->mem.resize(self->mem.user, self->shared, (size_t)self->shared_cap * sizeof *self->shared, 0);
    if (self->closure)
        self->mem.resize(self->mem.user, self->closure, (size_t)self->closures * sizeof *self->closure, 0);
    l_free_programs(self);
    self->shared = NULL;
    self->closure = NULL;
    self->shareds = self->shared_cap = 0;
}

static void fit(lua_State *L, l_simulator *self, lua_Integer k, l_shim *shim) {
    l_closure *closure = &self->closure[k - 1];
    drop(self, closure);
    *closure = (l_closure){.shim = shim, .place = closure->place, .cold = COLD};
    if (shim->ports)
        closure->port = l_new_array(L, self, shim->args, sizeof *closure->port);
    closure->fitted = true;
}

static lua_Integer check_closure(lua_State *L, const l_simulator *self) {
    const lua_Integer k = luaL_checkinteger(L, 2);
    luaL_argcheck(L, k >= 1 && k <= self->closures, 2, "no such closure");
    return k;
}

/* A place among the closures for the value on top of the stack, which is taken. */
int l_keep(lua_State *L, l_simulator *self) {
    lua_getiuservalue(L, 1, UV_CLOSURES);
    lua_insert(L, -2);
    lua_rawseti(L, -2, self->kept + 1);
    lua_pop(L, 1);
    return ++self->kept;
}

/* Puts what stands at stack places `first` ... among the closures, as closure k's. */
static void place(lua_State *L, l_simulator *self, lua_Integer k, int first) {
    l_closure *closure = &self->closure[k - 1];
    closure->fitted = false; /* should memory run out on the way */
    for (int i = 0; !closure->place && i < PLACES; i++) {
        lua_pushboolean(L, 0);
        const int at = l_keep(L, self);
        if (i == PLACES - 1)
            closure->place = at - i;
    }
    lua_getiuservalue(L, 1, UV_CLOSURES);
    for (int i = 0; i < PLACES; i++) {
        lua_pushvalue(L, first + i);
        lua_rawseti(L, -2, closure->place + i);
    }
    lua_pop(L, 1);
}

/* self:fitted(closure, fast, clearing, checking, set, args, results, holds) */
static int l_fitted(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const lua_Integer k = check_closure(L, self);
    place(L, self, k, 3);
    fit(L, self, k, new_shim(L, self, 7));
    return 0;
}

static void make_room(lua_State *L, l_simulator *self) {
    if (self->shareds < self->shared_cap)
        return;
    const int cap = 2 * self->shared_cap + 8;
    l_shim **more = l_new_array(L, self, cap, sizeof *more);
    for (int i = 0; i < self->shareds; i++)
        more[i] = self->shared[i];
    if (self->shared)
        self->mem.resize(self->mem.user, self->shared, (size_t)self->shared_cap * sizeof *more, 0);
    self->shared = more;
    self->shared_cap = cap;
}

/* number = self:share(function, given, args, results, holds): a shim for handlers of one shape */
static int l_share(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    const int given = (int)luaL_checkinteger(L, 3);
    make_room(L, self);
    lua_pushvalue(L, 2);
    const int at = l_keep(L, self);
    l_shim *shim = new_shim(L, self, 4);
    shim->at = at;
    shim->given = given;
    self->shared[self->shareds++] = shim;
    lua_pushinteger(L, self->shareds);
    return 1;
}

/* self:fitted_shared(closure, number, function, ctx, target, event) */
static int l_fitted_shared(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const lua_Integer k = check_closure(L, self), number = luaL_checkinteger(L, 3);
    luaL_argcheck(L, number >= 1 && number <= self->shareds, 3, "no such shim");
    lua_settop(L, 3 + PLACES);
    place(L, self, k, 4);
    fit(L, self, k, self->shared[number - 1]);
    return 0;
}

/* index = self:keep_table(t): where a long vector's table stands among the closures */
static int l_keep_table(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_pushvalue(L, 2);
    lua_pushinteger(L, l_keep(L, self));
    return 1;
}

const luaL_Reg l_shim_methods[] = {
    {"fitted", l_fitted},         {"share", l_share}, {"fitted_shared", l_fitted_shared},
    {"keep_table", l_keep_table}, {NULL, NULL},
};
