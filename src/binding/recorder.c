/* Recorders, with their columns as read-only sequences. */
#include <math.h>

#include "binding.h"
#include "saltus/recorder.h"

typedef struct l_recorder {
    sal_recorder *rec;
    l_simulator *owner;
} l_recorder;

/* A column of the rows, or of one side of the jumps. */
typedef enum l_side { OF_ROWS, BEFORE_JUMPS, AFTER_JUMPS } l_side;

typedef struct l_column {
    const l_recorder *of;
    int column;
    l_side side;
} l_column;

typedef struct l_function {
    l_simulator *owner;
    int at; /* among the closures */
} l_function;

static sal_status call_function(void *user, const sal_context *ctx, double *value) {
    const l_function *f = user;
    l_simulator *self = f->owner;
    lua_State *L = self->frame.L;
    if (!lua_checkstack(L, 20))
        return SAL_ENOMEM;
    lua_rawgeti(L, self->frame.closures, f->at);
    lua_rawgeti(L, -1, 1);
    lua_remove(L, -2);
    const sal_status status = l_call_at(self, ctx, 1, L_IN_LOG);
    if (status != SAL_OK)
        return status;
    *value = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return SAL_OK;
}

static sal_channel read_channel(lua_State *L, l_simulator *self, int entry, l_function *function) {
    sal_channel c = {.part = l_field_integer(L, entry, "part") - 1,
                     .size = l_field_integer(L, entry, "size"),
                     .output = l_field_integer(L, entry, "output") - 1,
                     .partition = (sal_partition)l_field_integer(L, entry, "partition"),
                     .at = l_field_integer(L, entry, "at")};
    *function = (l_function){self, l_field_integer(L, entry, "function")};
    if (function->at > 0) {
        c.function = call_function;
        c.user = function;
    }
    return c;
}

/* self:recorder({ { part, size, partition, at | output | function }, ... }, every or nil); with infinite every, rows
 * are only added by rec:sample() */
int l_new_recorder(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    const double interval = luaL_optnumber(L, 3, NAN);
    luaL_argcheck(L, !(interval <= 0), 3, "every must be positive");
    const int count = (int)luaL_len(L, 2);
    sal_channel *channels = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *channels, 0);
    l_function *functions = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *functions, 0);
    const int kept = lua_gettop(L);
    l_recorder *rec = l_new_object(L, &l_recorder_class, sizeof *rec, 2);
    rec->owner = self;
    l_hold(L, 1, 1); /* the recorder must go before its simulator */
    l_hold(L, kept, 2);
    for (int i = 0; i < count; i++) {
        lua_rawgeti(L, 2, i + 1);
        channels[i] = read_channel(L, self, lua_gettop(L), &functions[i]);
        lua_pop(L, 1);
    }
    sal_status status = sal_recorder_new(self->sim, channels, count, interval, &rec->rec);
    if (status == SAL_ENOMEM) { /* collecting unreachable recorders may free room */
        lua_gc(L, LUA_GCCOLLECT, 0);
        status = sal_recorder_new(self->sim, channels, count, interval, &rec->rec);
    }
    if (status != SAL_OK)
        return luaL_error(L, "no recorder could be made: not enough memory, or more than 60 at work on one simulator");
    return 1;
}

static l_recorder *check_recorder(lua_State *L, int index) {
    l_recorder *rec = luaL_checkudata(L, index, l_recorder_class.name);
    luaL_argcheck(L, rec->rec, index, "the recorder is closed");
    return rec;
}

/* Frees a recorder. The simulator is freed before it only if both are collected together; then there is nothing to
 * unobserve. While the simulator runs the recorder may be in use: it is finalized in a later collection. */
static int l_gc(lua_State *L) {
    l_recorder *rec = luaL_checkudata(L, 1, l_recorder_class.name);
    if (rec->rec && l_is_busy(rec->owner)) {
        lua_getmetatable(L, 1);
        lua_setmetatable(L, 1);
        return 0;
    }
    if (rec->rec && rec->owner->sim)
        sal_recorder_free(rec->rec);
    rec->rec = NULL;
    return 0;
}

static int l_stop(lua_State *L) {
    sal_recorder_stop(check_recorder(L, 1)->rec);
    return 0;
}

static int l_start(lua_State *L) {
    sal_recorder_start(check_recorder(L, 1)->rec);
    return 0;
}

/* rec:sample(): adds a row of the present; closures may run for it. Returns 0, or a negative status. */
static int l_sample(lua_State *L) {
    l_recorder *rec = check_recorder(L, 1);
    lua_settop(L, 1);
    lua_getiuservalue(L, 1, 1);
    const l_frame outer = l_enter(L, rec->owner, 2);
    const sal_status status = sal_recorder_sample(rec->rec);
    l_leave(rec->owner, outer);
    lua_settop(L, 2);
    if (status == SAL_ECALLBACK) {
        lua_replace(L, 1);
        l_raise_stored(L, rec->owner);
    }
    lua_pushinteger(L, status);
    return 1;
}

/* rec:set_most(rows) */
static int l_set_most(lua_State *L) {
    lua_pushinteger(L, sal_recorder_set_max_rows(check_recorder(L, 1)->rec, luaL_checkinteger(L, 2)));
    return 1;
}

/* rec:copy(from): false if the recorders do not match, or memory runs out */
static int l_copy(lua_State *L) {
    lua_pushboolean(L, sal_recorder_copy(check_recorder(L, 1)->rec, check_recorder(L, 2)->rec) == SAL_OK);
    return 1;
}

/* bytes = rec:save() */
static int l_save(lua_State *L) {
    const sal_recorder *rec = check_recorder(L, 1)->rec;
    const size_t size = sal_recorder_save_size(rec);
    void *bytes = lua_newuserdatauv(L, size, 0);
    sal_recorder_save(rec, bytes, size);
    lua_pushlstring(L, bytes, size);
    return 1;
}

/* rec:load(bytes): false if they are damaged or of other channels, or memory runs out */
static int l_load(lua_State *L) {
    size_t size = 0;
    const char *bytes = luaL_checklstring(L, 2, &size);
    lua_pushboolean(L, sal_recorder_load(check_recorder(L, 1)->rec, bytes, size) == SAL_OK);
    return 1;
}

/* rec:is_curve(row): whether the values between this row and the next are known */
static int l_is_curve(lua_State *L) {
    lua_pushboolean(L, sal_recorder_is_curve(check_recorder(L, 1)->rec, luaL_checkinteger(L, 2) - 1));
    return 1;
}

/* rec:history(channel, size): a delay buffer with the record of a channel of that size; channels count from 1 */
static int l_recorder_history(lua_State *L) {
    const l_recorder *rec = check_recorder(L, 1);
    const int channel = (int)luaL_checkinteger(L, 2) - 1, size = (int)luaL_checkinteger(L, 3);
    sal_delay_buffer **buffer = l_push_delay_buffer(L, size);
    const sal_status status = sal_recorder_history(rec->rec, channel, NULL, buffer);
    luaL_argcheck(L, status != SAL_EINVAL, 2, "no such channel");
    if (status != SAL_OK)
        return luaL_error(L, "%s", sal_status_text(status));
    luaL_argcheck(L, sal_delay_buffer_config(*buffer)->width == size, 3, "the channel has another size");
    return 1;
}

/* column = rec:column(i, side): 1 is time, 2 the marks, then the signals; side: nil for the rows, "before" or "after"
 * for the jumps */
static int l_new_column(lua_State *L) {
    static const char *const sides[] = {"rows", "before", "after", NULL};
    const l_recorder *rec = check_recorder(L, 1);
    const lua_Integer column = luaL_checkinteger(L, 2);
    luaL_argcheck(L, column >= 1 && column <= sal_recorder_width(rec->rec), 2, "no such column");
    const l_side side = (l_side)luaL_checkoption(L, 3, "rows", sides);
    l_column *self = l_new_object(L, &l_column_class, sizeof *self, 1);
    *self = (l_column){rec, (int)column - 1, side};
    l_hold(L, 1, 1);
    return 1;
}

static const double *row_of(const l_column *self, int64_t row) {
    const sal_recorder *rec = self->of->rec;
    if (!rec)
        return NULL;
    return self->side == OF_ROWS ? sal_recorder_row(rec, row) : sal_recorder_jump(rec, row, self->side == AFTER_JUMPS);
}

static int l_column_index(lua_State *L) {
    const l_column *self = luaL_checkudata(L, 1, l_column_class.name);
    const double *row = lua_type(L, 2) == LUA_TNUMBER ? row_of(self, lua_tointeger(L, 2) - 1) : NULL;
    if (!row)
        return 0;
    lua_pushnumber(L, row[self->column]);
    return 1;
}

/* column(row, share): its value at fraction `share` between this row and the next */
static int l_column_between(lua_State *L) {
    const l_column *self = luaL_checkudata(L, 1, l_column_class.name);
    const lua_Integer row = luaL_checkinteger(L, 2);
    const double share = luaL_checknumber(L, 3);
    lua_pushnumber(L, self->of->rec ? sal_recorder_interpolate(self->of->rec, row - 1, share, self->column) : NAN);
    return 1;
}

static int l_column_length(lua_State *L) {
    const l_column *self = luaL_checkudata(L, 1, l_column_class.name);
    const sal_recorder *rec = self->of->rec;
    const int64_t length = !rec ? 0 : self->side == OF_ROWS ? sal_recorder_rows(rec) : sal_recorder_jumps(rec);
    lua_pushinteger(L, (lua_Integer)length);
    return 1;
}

static int l_column_newindex(lua_State *L) {
    return luaL_error(L, "a log's columns are read-only");
}

/* count = rec:events(); time, part, event = rec:event(i); part 0: an event of the host */
static int l_events(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)sal_recorder_events(check_recorder(L, 1)->rec));
    return 1;
}

static int l_event(lua_State *L) {
    const sal_recorded_event *e = sal_recorder_event(check_recorder(L, 1)->rec, luaL_checkinteger(L, 2) - 1);
    if (!e)
        return 0;
    lua_pushnumber(L, e->time);
    lua_pushinteger(L, e->part + 1);
    lua_pushinteger(L, e->event + 1);
    return 3;
}

static const luaL_Reg recorder_methods[] = {
    {"stop", l_stop},
    {"start", l_start},
    {"sample", l_sample},
    {"set_most", l_set_most},
    {"copy", l_copy},
    {"save", l_save},
    {"load", l_load},
    {"column", l_new_column},
    {"is_curve", l_is_curve},
    {"history", l_recorder_history},
    {"events", l_events},
    {"event", l_event},
    {NULL, NULL},
};
static const luaL_Reg recorder_meta[] = {{"__gc", l_gc}, {NULL, NULL}};

const l_class l_recorder_class = {"saltus.core.recorder", recorder_meta, {recorder_methods}};

static const luaL_Reg column_meta[] = {
    {"__index", l_column_index},
    {"__newindex", l_column_newindex},
    {"__len", l_column_length},
    {"__call", l_column_between},
    {NULL, NULL},
};

const l_class l_column_class = {"saltus.core.column", column_meta, {NULL}};
