/* Reads and writes of contexts for adapters and the Lua layer, by part, partition and element. */
#include "binding.h"

/* Returns the context of a part, counted from 0; the second argument selects one of L_OF_RUN ... */
static const sal_context *context_of(lua_State *L, l_simulator *self, int part) {
    const l_access *access = &self->access;
    const sal_context *run = access->current ? access->current : sal_simulator_context(self->sim);
    const sal_context *const contexts[] = {run, access->next, access->before, access->view};
    const lua_Integer which = luaL_checkinteger(L, 2);
    const sal_context *whole = which > 0 && which <= L_OF_VIEW ? contexts[which] : run;
    if (!whole)
        luaL_error(L, "this context is valid only while its handler runs");
    const sal_context *ctx = sal_context_part_const(whole, part);
    luaL_argcheck(L, ctx, 3, "no such part");
    return ctx;
}

static const sal_context *check_context(lua_State *L, l_simulator *self) {
    return context_of(L, self, l_check_place(L, 3));
}

/* A vector of one element is a list too. */
static int push_value(lua_State *L, const double *from, int size, bool vector) {
    return vector ? l_push_list(L, size, from) : l_push_numbers(L, 1, from);
}

/* Checks two arguments: a partition, and the index of the first of `size` numbers. */
static sal_partition check_range(lua_State *L, const sal_context *ctx, int arg, int size, int *at) {
    const int partition = (int)luaL_checkinteger(L, arg);
    luaL_argcheck(L, partition >= 0 && partition < SAL_PARTITIONS, arg, "no such partition");
    *at = (int)luaL_checkinteger(L, arg + 1);
    luaL_argcheck(L, *at >= 0 && *at + size <= sal_context_size(ctx, (sal_partition)partition), arg + 1,
                  "out of range");
    return (sal_partition)partition;
}

/* value = self:read(which, part, partition, at, size or nil) */
static int l_read(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const sal_context *ctx = check_context(L, self);
    const int size = (int)luaL_optinteger(L, 6, 1);
    int at = 0;
    const sal_partition partition = check_range(L, ctx, 4, size, &at);
    return push_value(L, sal_context_get(ctx, partition) + at, size, !lua_isnoneornil(L, 6));
}

/* value = self:input(which, part, port, size or nil), self:output(...): evaluates the port, so closures may run;
 * raises their errors. In a closure, a port that needs a shorter step unwinds to the engine. nil and a status for a
 * loop or a port without value. */
static int l_port(lua_State *L, sal_status (*get)(const sal_context *, int, const double **)) {
    l_simulator *self = l_check_simulator(L, 1);
    const sal_context *ctx = check_context(L, self);
    const int port = l_check_place(L, 4);
    const bool vector = !lua_isnoneornil(L, 5);
    const int size = (int)luaL_optinteger(L, 5, 1);
    const double *value = NULL;
    const l_frame outer = l_enter(L, self, 1);
    const bool waits = self->has_stored_error; /* an outer failure may be stored: it remains the first one */
    const int failed = self->failed_closure;
    lua_getiuservalue(L, 1, UV_ERROR);
    self->has_stored_error = false;
    const sal_status status = get(ctx, port, &value);
    lua_getiuservalue(L, 1, UV_ERROR);
    lua_insert(L, -2);
    lua_setiuservalue(L, 1, UV_ERROR);
    self->has_stored_error = waits;
    self->failed_closure = failed;
    l_leave(self, outer);
    if (status == SAL_OK)
        return push_value(L, value, size, vector);
    if (status == SAL_ECALLBACK)
        return l_raise(L, self);
    if (status > 0 && self->access.current)
        return l_request_shorter_step(L, self);
    lua_pushnil(L);
    lua_pushinteger(L, status);
    return 2;
}

static int l_input(lua_State *L) {
    return l_port(L, sal_context_input);
}

static int l_output(lua_State *L) {
    return l_port(L, sal_context_output);
}

static int l_time(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    lua_pushnumber(L, sal_context_time(context_of(L, self, 0)));
    return 1;
}

/* bytes = self:slot(which, part, slot) */
static int l_slot(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const l_bytes *blob = sal_context_slot(check_context(L, self), l_check_place(L, 4));
    lua_pushlstring(L, blob->bytes, blob->size);
    return 1;
}

static int put_bytes(lua_State *L, sal_context *ctx, int slot, int bytes) {
    size_t size = 0;
    const char *text = luaL_checklstring(L, bytes, &size);
    void *blob = NULL;
    if (sal_context_edit_slot(ctx, slot, &blob) != SAL_OK || l_bytes_set(blob, text, size) != SAL_OK)
        return luaL_error(L, "not enough memory");
    return 0;
}

/* self:put(part, slot, bytes): writes a slot in the running update */
static int l_put(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_argcheck(L, self->access.next, 1, "no update is running");
    sal_context *next = sal_context_part(self->access.next, l_check_place(L, 2));
    return put_bytes(L, next, l_check_place(L, 3), 4);
}

static sal_context *check_writable_part(lua_State *L) {
    sal_context *part = sal_context_part(sal_simulator_context(l_check_writable(L)->sim), l_check_place(L, 2));
    luaL_argcheck(L, part, 2, "no such part");
    return part;
}

/* self:poke(part, partition, at, value) */
static int l_poke(lua_State *L) {
    sal_context *ctx = check_writable_part(L);
    int at = 0;
    const sal_partition partition = check_range(L, ctx, 3, 1, &at);
    const double value = luaL_checknumber(L, 5);
    sal_context_edit(ctx, partition)[at] = value;
    return 0;
}

static int l_poke_slot(lua_State *L) {
    return put_bytes(L, check_writable_part(L), l_check_place(L, 3), 4);
}

static int l_set_time(lua_State *L) {
    sal_context_set_time(sal_simulator_context(l_check_writable(L)->sim), luaL_checknumber(L, 2));
    return 0;
}

/* self:draw(part): uniform in (0, 1) from the part's stream; nil unless an update of the part is running. */
static int l_draw(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    if (!self->access.next || sal_context_part_index(self->access.next) != l_check_place(L, 2))
        return 0;
    lua_pushnumber(L, sal_context_random(self->access.next));
    return 1;
}

/* self:random_count(): how many random numbers the run has drawn */
static int l_random_count(lua_State *L) {
    lua_pushinteger(L, sal_context_random_count(sal_simulator_context(l_check_simulator(L, 1)->sim)));
    return 1;
}

/* self:place(which): an identifier of the context that is read, unique within this engine */
static int l_place(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    lua_pushlightuserdata(L, (void *)(uintptr_t)context_of(L, self, 0));
    return 1;
}

/* self:touch(closure): the closure read a name that its adapter does not have. */
static int l_touch(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    l_mark_stale(l_check_closure(L, self));
    return 0;
}

/* self:note(text, path): sets the note of the outcome that is about to be returned. */
static int l_note(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    if (self->access.note) {
        sal_note_set(self->access.note, luaL_optstring(L, 2, ""));
        sal_note_blame(self->access.note, luaL_optstring(L, 3, ""));
    }
    return 0;
}

/* true = self:state_at(t): computes the context L_OF_VIEW */
static int l_state_at(lua_State *L) {
    l_simulator *self = l_check_between_calls(L, "state_at can be called between advances only");
    const double t = luaL_checknumber(L, 2);
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = sal_simulator_state_at(self->sim, t, &self->access.view);
    l_leave(self, outer);
    if (status == SAL_ECALLBACK)
        l_raise_stored(L, self);
    if (status == SAL_EOFF)
        return luaL_error(L, "state_at(%s): %s there", l_number_text(t).text, sal_status_text(status));
    lua_pushboolean(L, status == SAL_OK);
    return 1;
}

const luaL_Reg l_context_methods[] = {
    {"read", l_read},   {"input", l_input},         {"output", l_output},
    {"time", l_time},   {"slot", l_slot},           {"put", l_put},
    {"poke", l_poke},   {"poke_slot", l_poke_slot}, {"set_time", l_set_time},
    {"place", l_place}, {"draw", l_draw},           {"touch", l_touch},
    {"note", l_note},   {"state_at", l_state_at},   {"random_count", l_random_count},

    {NULL, NULL},
};
