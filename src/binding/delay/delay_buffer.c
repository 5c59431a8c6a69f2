/* The delay buffer without a simulator: its values are numbers, or lists of `size` numbers. */
#include <math.h>

#include "binding/binding.h"

/* Followed by storage for the values and rates of two points. */
typedef struct l_delay {
    sal_delay_buffer *buffer;
    sal_delay_reader reader;
    int width;
    double *value, *rate;
} l_delay;

static l_delay *check(lua_State *L) {
    return luaL_checkudata(L, 1, l_delay_buffer_class.name);
}

static l_delay *new_userdata(lua_State *L, int width) {
    l_delay *d = l_new_object(L, &l_delay_buffer_class, sizeof *d + 2 * (size_t)width * sizeof(double), 0);
    d->width = width;
    d->value = (double *)(void *)(d + 1);
    d->rate = d->value + width;
    return d;
}

sal_delay_buffer **l_push_delay_buffer(lua_State *L, int width) {
    return &new_userdata(L, width)->buffer;
}

static int give_up(lua_State *L, sal_status status) {
    return luaL_error(L, "%s", sal_status_text(status));
}

/* core.delay_buffer(size, delay, linear_only, can_use_current) */
int l_new_delay_buffer(lua_State *L) {
    sal_delay_config config = sal_delay_config_default();
    config.width = (int)luaL_checkinteger(L, 1);
    config.delay = luaL_checknumber(L, 2);
    config.linear_only = lua_toboolean(L, 3);
    config.can_use_current = lua_toboolean(L, 4);
    l_delay *d = new_userdata(L, config.width);
    const sal_allocator mem = l_allocator(L);
    const sal_status status = sal_delay_buffer_new(&mem, &config, &d->buffer);
    return status == SAL_OK ? 1 : give_up(L, status);
}

/* Reads a number, or a list of `width` numbers. */
static void read_numbers(lua_State *L, int index, int width, const char *what, double *out) {
    if (width == 1 && lua_type(L, index) == LUA_TNUMBER) {
        out[0] = lua_tonumber(L, index);
        return;
    }
    if (lua_type(L, index) != LUA_TTABLE)
        luaL_error(L, "delay buffer: %s must be %d number(s), got %s", what, width, luaL_typename(L, index));
    if ((int)luaL_len(L, index) != width)
        luaL_error(L, "delay buffer: %s must be %d number(s), got %d", what, width, (int)luaL_len(L, index));
    for (int i = 0; i < width; i++) {
        if (lua_geti(L, index, i + 1) != LUA_TNUMBER)
            luaL_error(L, "delay buffer: %s must hold numbers, got %s", what, luaL_typename(L, -1));
        out[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
}

/* buffer:append(t, value, derivative or nil) */
static int l_append(lua_State *L) {
    l_delay *d = check(L);
    const double t = luaL_checknumber(L, 2);
    const bool has_rate = !lua_isnoneornil(L, 4);
    read_numbers(L, 3, d->width, "a value", d->value);
    if (has_rate)
        read_numbers(L, 4, d->width, "a derivative", d->rate);
    const sal_status status = sal_delay_buffer_append(d->buffer, t, d->value, has_rate ? d->rate : NULL);
    if (status == SAL_ETIME)
        return luaL_error(L, "delay buffer: a point's time must be finite, got %s", l_number_text(t).text);
    return status == SAL_OK ? 0 : give_up(L, status);
}

/* Reads { v = value, d = derivative or nil } on top and pops it. Returns whether it has a derivative. */
static bool read_pair(lua_State *L, int width, double *value, double *rate) {
    lua_getfield(L, -1, "v");
    read_numbers(L, lua_gettop(L), width, "the current value", value);
    const bool has_rate = lua_getfield(L, -2, "d") != LUA_TNIL && rate;
    if (has_rate)
        read_numbers(L, lua_gettop(L), width, "the current derivative", rate);
    lua_pop(L, 3);
    return has_rate;
}

/* Reads a list of such pairs of numbers, one for each value. */
static bool read_pairs(lua_State *L, const l_delay *d) {
    bool has_rate = true;
    for (int i = 0; i < d->width; i++) {
        if (lua_geti(L, 3, i + 1) != LUA_TTABLE)
            luaL_error(L, "delay buffer: the current values must be %d tables like { v = 1, d = 0 }", d->width);
        has_rate = read_pair(L, 1, &d->value[i], has_rate ? &d->rate[i] : NULL);
    }
    return has_rate;
}

/* Reads a value, a pair, or a list of one pair for each value. */
static bool read_current(lua_State *L, const l_delay *d) {
    const bool is_table = lua_istable(L, 3);
    if (is_table && lua_geti(L, 3, 1) == LUA_TTABLE)
        return read_pairs(L, d);
    const bool is_pair = is_table && lua_getfield(L, 3, "v") != LUA_TNIL;
    lua_settop(L, 3);
    if (is_pair)
        return read_pair(L, d->width, d->value, d->rate);
    read_numbers(L, 3, d->width, "the current value", d->value);
    return false;
}

/* buffer:read(t, current or nil): the value `delay` before t; buffer:rate(t, current): its derivative. */
static int read_at(lua_State *L, bool rate) {
    l_delay *d = check(L);
    const double t = luaL_checknumber(L, 2);
    const bool closed = !lua_isnoneornil(L, 3);
    const bool has_rate = closed && read_current(L, d);
    const sal_delay_current current = {t, d->value, has_rate ? d->rate : NULL};
    lua_settop(L, 3);
    double *out = l_push_room(L, d->width);
    const double s = t - sal_delay_buffer_config(d->buffer)->delay;
    if (s != s)
        return luaL_error(L, "delay buffer: the time to read at must be a number, got nan");
    sal_past_source source = SAL_PAST_FIRST_VALUE;
    const sal_status status = sal_delay_buffer_read(d->buffer, &d->reader, s, closed ? &current : NULL,
                                                    rate ? NULL : out, rate ? out : NULL, &source);
    if (status == SAL_ESTATE)
        return luaL_error(L, "delay buffer: nothing was appended yet");
    if (source == SAL_PAST_FORGOTTEN)
        return luaL_error(
            L,
            "delay buffer: nothing is recorded %s s before t = %s: the oldest point is at %s; give it a longer delay",
            l_number_text(t - s).text, l_number_text(t).text, l_number_text(sal_delay_buffer_time(d->buffer, 0)).text);
    return l_push_numbers(L, d->width, out);
}

static int l_read(lua_State *L) {
    return read_at(L, false);
}

static int l_rate(lua_State *L) {
    return read_at(L, true);
}

static int l_len(lua_State *L) {
    lua_pushinteger(L, sal_delay_buffer_points(check(L)->buffer));
    return 1;
}

/* buffer:times(): times of the stored points, oldest first */
static int l_times(lua_State *L) {
    const l_delay *d = check(L);
    const int points = sal_delay_buffer_points(d->buffer);
    double *times = l_push_room(L, points);
    for (int i = 0; i < points; i++)
        times[i] = sal_delay_buffer_time(d->buffer, i);
    return l_push_list(L, points, times);
}

static int l_get_delay(lua_State *L) {
    lua_pushnumber(L, sal_delay_buffer_config(check(L)->buffer)->delay);
    return 1;
}

static int l_set_delay(lua_State *L) {
    const l_delay *d = check(L);
    const double delay = luaL_checknumber(L, 2);
    if (sal_delay_buffer_set_delay(d->buffer, delay) != SAL_OK)
        return luaL_error(L, "delay buffer: delay must not be negative, got %s", l_number_text(delay).text);
    return 0;
}

static int l_cut(lua_State *L) {
    sal_delay_buffer_truncate(check(L)->buffer, luaL_checknumber(L, 2));
    return 0;
}

static int l_clear(lua_State *L) {
    sal_delay_buffer_clear(check(L)->buffer);
    return 0;
}

static int l_clone(lua_State *L) {
    const l_delay *d = check(L);
    l_delay *copy = new_userdata(L, d->width);
    const sal_status status = sal_delay_buffer_clone(d->buffer, &copy->buffer);
    return status == SAL_OK ? 1 : give_up(L, status);
}

static int l_save(lua_State *L) {
    const l_delay *d = check(L);
    const size_t size = sal_delay_buffer_save_size(d->buffer);
    luaL_Buffer bytes;
    sal_delay_buffer_save(d->buffer, luaL_buffinitsize(L, &bytes, size));
    luaL_pushresultsize(&bytes, size);
    return 1;
}

static int l_load(lua_State *L) {
    const l_delay *d = check(L);
    size_t size;
    const char *bytes = luaL_checklstring(L, 2, &size);
    const sal_status status = sal_delay_buffer_load(d->buffer, bytes, size);
    if (status == SAL_EINVAL)
        return luaL_error(L, "delay buffer: these bytes were not saved by a buffer of this size");
    return status == SAL_OK ? 0 : give_up(L, status);
}

static int l_hash(lua_State *L) {
    return l_push_hash(L, sal_delay_buffer_hash(check(L)->buffer, 0));
}

static int l_free(lua_State *L) {
    l_delay *d = check(L);
    sal_delay_buffer_free(d->buffer);
    d->buffer = NULL;
    return 0;
}

static const luaL_Reg methods[] = {
    {"append", l_append},       {"read", l_read}, {"rate", l_rate},   {"times", l_times}, {"delay", l_get_delay},
    {"set_delay", l_set_delay}, {"cut", l_cut},   {"clear", l_clear}, {"clone", l_clone}, {"save", l_save},
    {"load", l_load},           {"hash", l_hash}, {NULL, NULL}};
static const luaL_Reg meta[] = {{"__len", l_len}, {"__gc", l_free}, {"__metatable", NULL}, {NULL, NULL}};

const l_class l_delay_buffer_class = {"saltus.core.delay_buffer", meta, {methods}};
