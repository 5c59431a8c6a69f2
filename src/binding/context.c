/* What the shims and the Lua face read and write, by part, partition and element. */
#include "binding.h"

static const sal_context *context(lua_State *L, l_simulator *self, int which, int part) {
    const sal_context *whole = self->access.current ? self->access.current : sal_simulator_context(self->sim);
    if (which == L_OF_NEXT)
        whole = self->access.next;
    else if (which == L_OF_BEFORE)
        whole = self->access.before;
    else if (which == L_OF_VIEW)
        whole = self->access.view;
    if (!whole)
        luaL_error(L, "this context is only there while its handler runs");
    const sal_context *ctx = sal_context_part_const(whole, part - 1);
    luaL_argcheck(L, ctx, 3, "no such part");
    return ctx;
}

static const sal_context *context_arg(lua_State *L, l_simulator *self) {
    return context(L, self, (int)luaL_checkinteger(L, 2), (int)luaL_checkinteger(L, 3));
}

static int push_numbers(lua_State *L, const double *from, int size, bool vector) {
    if (!vector) {
        lua_pushnumber(L, from[0]);
        return 1;
    }
    lua_createtable(L, size, 0);
    for (int i = 0; i < size; i++) {
        lua_pushnumber(L, from[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* value = self:read(which, part, partition, at, size or nil) */
static int l_read(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const sal_context *ctx = context_arg(L, self);
    const int partition = (int)luaL_checkinteger(L, 4), at = (int)luaL_checkinteger(L, 5);
    luaL_argcheck(L, partition >= 0 && partition < SAL_PARTITIONS, 4, "no such partition");
    const int size = (int)luaL_optinteger(L, 6, 1);
    luaL_argcheck(L, at >= 0 && at + size <= sal_context_size(ctx, (sal_partition)partition), 5, "out of range");
    return push_numbers(L, sal_context_get(ctx, (sal_partition)partition) + at, size, !lua_isnoneornil(L, 6));
}

/* value = self:input(which, part, port, size or nil), self:output(...): evaluates, so closures may run; raises what
 * they raise. nil and a status when there is a loop or nothing to read. */
static int l_port(lua_State *L, sal_status (*get)(const sal_context *, int, const double **)) {
    l_simulator *self = l_check_simulator(L, 1);
    const sal_context *ctx = context_arg(L, self);
    const int port = (int)luaL_checkinteger(L, 4) - 1;
    const bool vector = !lua_isnoneornil(L, 5);
    const int size = (int)luaL_optinteger(L, 5, 1);
    const double *value = NULL;
    const l_frame outer = l_enter(L, self, 1);
    const bool parked = self->has_stored_error; /* a failure further out waits: it stays the first one there */
    const int failed = self->failed_closure;
    lua_getiuservalue(L, 1, UV_ERROR);
    self->has_stored_error = false;
    const sal_status status = get(ctx, port, &value);
    lua_getiuservalue(L, 1, UV_ERROR);
    lua_insert(L, -2);
    lua_setiuservalue(L, 1, UV_ERROR);
    self->has_stored_error = parked;
    self->failed_closure = failed;
    l_leave(self, outer);
    if (status == SAL_OK)
        return push_numbers(L, value, size, vector);
    if (status == SAL_ECALLBACK)
        return l_raise(L, self);
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
    lua_pushnumber(L, sal_context_time(context(L, self, (int)luaL_checkinteger(L, 2), 1)));
    return 1;
}

/* bytes = self:slot(which, part, slot) */
static int l_slot(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const l_bytes *blob = sal_context_slot(context_arg(L, self), (int)luaL_checkinteger(L, 4) - 1);
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

/* self:put(part, slot, bytes), in the update that runs */
static int l_put(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_argcheck(L, self->access.next, 1, "no update is running");
    sal_context *next = sal_context_part(self->access.next, (int)luaL_checkinteger(L, 2) - 1);
    return put_bytes(L, next, (int)luaL_checkinteger(L, 3) - 1, 4);
}

static sal_context *outside(lua_State *L, l_simulator *self) {
    if (self->frame.L)
        luaL_error(L, "the context can be written between calls only; in an update, write to `next`");
    sal_context *part = sal_context_part(sal_simulator_context(self->sim), (int)luaL_checkinteger(L, 2) - 1);
    luaL_argcheck(L, part, 2, "no such part");
    return part;
}

/* self:poke(part, partition, at, value) */
static int l_poke(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    sal_context *ctx = outside(L, self);
    const int partition = (int)luaL_checkinteger(L, 3), at = (int)luaL_checkinteger(L, 4);
    luaL_argcheck(L, partition >= 0 && partition < SAL_PARTITIONS, 3, "no such partition");
    luaL_argcheck(L, at >= 0 && at < sal_context_size(ctx, (sal_partition)partition), 4, "out of range");
    const double value = luaL_checknumber(L, 5);
    sal_context_edit(ctx, (sal_partition)partition)[at] = value;
    return 0;
}

static int l_poke_slot(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    return put_bytes(L, outside(L, self), (int)luaL_checkinteger(L, 3) - 1, 4);
}

static int l_set_time(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    lua_pushinteger(L, 1);
    lua_insert(L, 2);
    sal_context_set_time(outside(L, self), luaL_checknumber(L, 3));
    return 0;
}

/* self:draw(part): uniform in (0, 1) from the part's stream; nil unless an update of the part is running. */
static int l_draw(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    if (!self->access.next || sal_context_part_index(self->access.next) != luaL_checkinteger(L, 2) - 1)
        return 0;
    lua_pushnumber(L, sal_context_random(self->access.next));
    return 1;
}

/* self:place(which): what tells the context that is read from the others of this engine */
static int l_place(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const int which = (int)luaL_checkinteger(L, 2);
    lua_pushlightuserdata(L, (void *)(uintptr_t)context(L, self, which, 1));
    return 1;
}

/* self:touch(closure): it read a name that its shim does not know. */
static int l_touch(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const int k = (int)luaL_checkinteger(L, 2);
    luaL_argcheck(L, k >= 1 && k <= self->closures.count, 2, "no such closure");
    self->closures.item[k - 1].is_stale = true;
    return 0;
}

/* self:note(text, path): the note of the outcome that is about to be returned. */
static int l_note(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    if (self->access.note) {
        sal_note_set(self->access.note, luaL_optstring(L, 2, ""));
        sal_note_blame(self->access.note, luaL_optstring(L, 3, ""));
    }
    return 0;
}

/* true = self:state_at(t): the context numbered 3 from now on */
static int l_state_at(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    if (self->frame.L)
        return luaL_error(L, "state_at can be asked between calls only");
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
    {"read", l_read}, {"input", l_input}, {"output", l_output},       {"time", l_time},         {"slot", l_slot},
    {"put", l_put},   {"poke", l_poke},   {"poke_slot", l_poke_slot}, {"set_time", l_set_time}, {"place", l_place},
    {"draw", l_draw}, {"touch", l_touch}, {"note", l_note},           {"state_at", l_state_at}, {NULL, NULL},
};
