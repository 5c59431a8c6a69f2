/* ctx.past.height(0.08), ctx.past.height:at(t): one reader for each name, of values or of derivatives. It reads the
 * context of the running closure. */
#include <math.h>
#include <string.h>

#include "binding/binding.h"

typedef struct l_reader {
    l_simulator *owner;
    int part, past, size;
    bool named;               /* values of an enumeration */
    bool view;                /* outside of a run: use the context of the last state_at */
    bool vector, rate, calls; /* reading may call closures, for a signal or an initial history */
    double depth;
    double value[]; /* size */
} l_reader;

enum { READER_OWNER = 1, READER_NAMES, READER_LABEL, READER_COUNT = READER_LABEL };

/* reader = self:past_reader(part, past, size, vector, rate, depth, names of an enumeration or nil, label, calls,
 * view) */
int l_delay_reader_new(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const int size = (int)luaL_checkinteger(L, 4);
    l_reader *r = l_new_object(L, &l_past_class, sizeof *r + (size_t)size * sizeof(double), READER_COUNT);
    *r = (l_reader){.owner = self,
                    .part = l_check_place(L, 2),
                    .past = l_check_place(L, 3),
                    .size = size,
                    .named = lua_istable(L, 8) && !lua_toboolean(L, 6),
                    .view = lua_toboolean(L, 11),
                    .vector = lua_toboolean(L, 5),
                    .rate = lua_toboolean(L, 6),
                    .calls = lua_toboolean(L, 10),
                    .depth = luaL_checknumber(L, 7)};
    l_hold(L, 1, READER_OWNER);
    l_hold(L, 8, READER_NAMES);
    l_hold(L, 9, READER_LABEL);
    return 1;
}

static void push_value(lua_State *L, const l_reader *r, double value) {
    if (!r->named) {
        lua_pushnumber(L, value);
        return;
    }
    lua_getiuservalue(L, 1, READER_NAMES);
    lua_rawgeti(L, -1, (lua_Integer)value);
    lua_remove(L, -2);
}

static int refuse(lua_State *L, const l_reader *r, double now, double lag) {
    lua_getiuservalue(L, 1, READER_LABEL);
    const char *label = lua_tostring(L, -1);
    if (lag < 0)
        return luaL_error(L, "%s cannot be read at t = %s: the time is only %s", label, l_number_text(now - lag).text,
                          l_number_text(now).text);
    if (lag != lag)
        return luaL_error(L, "%s cannot be read at a time that is not a number (nan)", label);
    return luaL_error(L, "%s cannot be read %s s before t = %s: only %s s are recorded; declare past = { %s = %s }",
                      label, l_number_text(lag).text, l_number_text(now).text, l_number_text(r->depth).text,
                      strchr(label, '.') + 1, l_number_text(lag).text); /* "past.x" or "past_rate.x" */
}

int l_request_shorter_step(lua_State *L, l_simulator *self) {
    self->wants_retry = true;
    lua_pushliteral(L, "the step is longer than a delay of a signal");
    return lua_error(L);
}

/* Raises the errors of closures that the read called; if the step is too long, unwinds to the engine. */
static int unwind(lua_State *L, l_simulator *self, sal_status status) {
    if (status > 0)
        return l_request_shorter_step(L, self);
    lua_getiuservalue(L, 1, READER_OWNER);
    lua_replace(L, 1);
    l_raise_stored(L, self);
    return luaL_error(L, "the past cannot be read: %s", sal_status_text(status));
}

sal_status l_read_past(const sal_context *ctx, int past, bool rate, bool absolute, double time, double *value) {
    if (rate)
        return (absolute ? sal_context_past_rate_at : sal_context_past_rate)(ctx, past, time, value);
    return (absolute ? sal_context_past_at : sal_context_past)(ctx, past, time, value);
}

static sal_status read_by_calling(lua_State *L, l_reader *r, const sal_context *ctx, bool absolute, double time) {
    lua_getiuservalue(L, 1, READER_OWNER);
    const l_frame outer = l_enter(L, r->owner, 3);
    const sal_status status = l_read_past(ctx, r->past, r->rate, absolute, time, r->value);
    l_leave(r->owner, outer);
    return status;
}

static double check_time(lua_State *L, bool absolute) {
    if (lua_type(L, 2) == LUA_TNUMBER)
        return lua_tonumber(L, 2);
    const char *got = luaL_typename(L, 2);
    lua_getiuservalue(L, 1, READER_LABEL);
    return luaL_error(L, "%s wants %s as a number of seconds, got %s", lua_tostring(L, -1),
                      absolute ? "the time" : "how long ago", got);
}

/* `absolute`: the argument is a time, not a lag. */
static int read(lua_State *L, l_reader *r, bool absolute) {
    l_simulator *self = r->owner;
    const double time = check_time(L, absolute);
    const sal_context *whole = self->access.current ? self->access.current : r->view ? self->access.view : NULL;
    whole = whole ? whole : sal_simulator_context(self->sim);
    const sal_context *ctx = sal_context_part_const(whole, r->part);
    lua_settop(L, 2);
    const sal_status status = r->calls ? read_by_calling(L, r, ctx, absolute, time)
                                       : l_read_past(ctx, r->past, r->rate, absolute, time, r->value);
    if (status == SAL_ETIME)
        return refuse(L, r, sal_context_time(ctx), absolute ? sal_context_time(ctx) - time : time);
    if (status != SAL_OK)
        return unwind(L, self, status);
    if (!r->vector) {
        push_value(L, r, r->value[0]);
        return 1;
    }
    lua_createtable(L, r->size, 0);
    for (int i = 0; i < r->size; i++) {
        push_value(L, r, r->value[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

static int l_ago(lua_State *L) {
    return read(L, lua_touserdata(L, 1), false); /* only readers have this metatable, and users cannot get it */
}

static int l_at(lua_State *L) {
    l_reader *r = luaL_testudata(L, 1, l_past_class.name);
    return r ? read(L, r, true) : luaL_error(L, "write ctx.past.name:at(t), with a colon");
}

/* ---- history ---- */

/* self:set_history({ [part] = function(past, t, rate) ... values ... end }) */
int l_set_history(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    for (int i = 0; i < self->part_count; i++) {
        self->part[i].has_history = lua_rawgeti(L, 2, i + 1) == LUA_TFUNCTION;
        lua_pop(L, 1);
    }
    lua_settop(L, 2);
    lua_setiuservalue(L, 1, UV_HISTORY);
    return 0;
}

/* A function that returns nothing leaves the default: a constant history, or differences. */
sal_status l_history(const sal_system *sys, int past, double t, double *value, double *rate) {
    const l_part *part = sal_system_data(sys);
    l_simulator *self = part->owner;
    lua_State *L = self->frame.L;
    if (!part->has_history || !L || !lua_checkstack(L, 80)) /* a read without history is in no frame: `calls` */
        return SAL_RETRY;
    const int base = lua_gettop(L);
    lua_getiuservalue(L, self->frame.self, UV_HISTORY);
    lua_rawgeti(L, -1, part->index + 1);
    lua_pushinteger(L, past + 1);
    lua_pushnumber(L, t);
    lua_pushboolean(L, rate != NULL);
    double *out = value ? value : rate;
    sal_status status = l_call(self, 3, 1, L_IN_HISTORY - part->index);
    if (status == SAL_OK && lua_type(L, -1) == LUA_TNUMBER)
        out[0] = lua_tonumber(L, -1);
    else if (status == SAL_OK && lua_istable(L, -1))
        l_read_numbers(L, -1, 1, out, (int)lua_rawlen(L, -1));
    else if (status == SAL_OK && !lua_toboolean(L, -1))
        status = SAL_RETRY;
    lua_settop(L, base);
    return status;
}

static const luaL_Reg methods[] = {{"at", l_at}, {NULL, NULL}};
static const luaL_Reg meta[] = {{"__call", l_ago}, {"__metatable", NULL}, {NULL, NULL}};

const l_class l_past_class = {"saltus.core.past", meta, {methods}};
