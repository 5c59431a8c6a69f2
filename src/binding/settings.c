/* Settings and queries of a simulator between its calls. */
#include <math.h>

#include "binding.h"

/* Stores the function at index 2 as a user value; false: it is nil. */
static bool keep_function(lua_State *L, int user_value) {
    const bool is = !lua_isnoneornil(L, 2);
    lua_settop(L, 2);
    lua_setiuservalue(L, 1, user_value);
    return is;
}

/* self:set_monitor(fn or nil): fn() returns 0 .. 3, like an adapter */
static int l_set_monitor(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    sal_simulator_set_monitor(self->sim, keep_function(L, UV_MONITOR) ? l_monitor : NULL, self);
    return 0;
}

/* self:set_jacobian(fn or nil): fn() returns the elements as one list */
static int l_set_jacobian(lua_State *L) {
    l_simulator *self = l_check_idle(L);
    sal_simulator_set_jacobian(self->sim, keep_function(L, UV_JACOBIAN) ? l_jacobian : NULL, self);
    return 0;
}

static int l_set_progress(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const int every = (int)luaL_optinteger(L, 3, 64);
    int handle = 0;
    if (!keep_function(L, UV_PROGRESS))
        return 0;
    if (self->progress_every == 0 && sal_simulator_observe(self->sim, l_progress, self, &handle) != SAL_OK)
        return luaL_error(L, "too many observers");
    self->progress_every = self->progress_left = every;
    return 0;
}

/* status, handle = self:schedule(part, event, t) */
static int l_schedule(lua_State *L) {
    l_simulator *self = l_check_between_calls(L, "a closure cannot schedule events; let it write the discrete variable "
                                                 "of an event with next_time");
    const double t = luaL_optnumber(L, 4, sal_context_time(sal_simulator_context(self->sim)));
    int64_t handle = 0;
    lua_pushinteger(L, sal_simulator_schedule(self->sim, l_check_place(L, 2), l_check_place(L, 3), t, &handle));
    lua_pushinteger(L, handle);
    return 2;
}

/* self:cancel(handle): whether the event was still pending; nil: no such handle was given. */
static int l_cancel(lua_State *L) {
    l_simulator *self = l_check_between_calls(L, "a closure cannot cancel a scheduled event");
    const sal_status status = sal_simulator_cancel(self->sim, luaL_checkinteger(L, 2));
    if (status == SAL_EINVAL)
        lua_pushnil(L);
    else
        lua_pushboolean(L, status == SAL_OK);
    return 1;
}

/* status = self:feed(part, input, t1, { numbers }) */
static int l_feed(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const double t1 = luaL_checknumber(L, 4);
    luaL_checktype(L, 5, LUA_TTABLE);
    const int size = (int)luaL_len(L, 5);
    double *value = l_push_room(L, size);
    luaL_argcheck(L, l_read_numbers(L, 5, 1, value, size), 5, "a list of numbers is needed");
    lua_pushinteger(L, sal_simulator_feed(self->sim, l_check_place(L, 2), l_check_place(L, 3), t1, value));
    return 1;
}

/* self:end_feed(part, input) */
static int l_end_feed(lua_State *L) {
    l_simulator *self = l_check_writable(L);
    lua_pushinteger(L, sal_simulator_end_feed(self->sim, l_check_place(L, 2), l_check_place(L, 3)));
    return 1;
}

/* time, part, event, variable, key, sentence = self:next_warning(): a warning that was not returned yet; nothing if
 * there is none */
static int l_next_warning(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const sal_warning *warning = NULL;
    if (self->warnings_shown == sal_simulator_warnings(self->sim, &warning))
        return 0;
    warning += self->warnings_shown++;
    lua_pushnumber(L, warning->time);
    l_push_place(L, warning->part);
    l_push_place(L, warning->event);
    l_push_place(L, warning->variable);
    char text[1024];
    sal_warning_text(self->sim, warning, text, sizeof text);
    lua_pushstring(L, warning->key);
    lua_pushstring(L, text);
    return 6;
}

static int l_stats(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const sal_simulator_stats s = sal_simulator_statistics(self->sim);
    lua_newtable(L);
    l_set_integer(L, "steps", s.steps);
    l_set_integer(L, "publishes", s.publishes);
    l_set_integer(L, "discrete_updates", s.discrete_updates);
    l_set_integer(L, "unrestricted_updates", s.unrestricted_updates);
    l_set_integer(L, "derivative_evaluations", s.derivative_evaluations);
    l_set_integer(L, "witness_evaluations", s.witness_evaluations);
    l_set_integer(L, "isolations", s.isolations);
    l_set_integer(L, "isolation_evaluations", s.isolation_evaluations);
    l_set_integer(L, "searches", s.searches);
    l_set_integer(L, "rejected_steps", sal_integrator_statistics(sal_simulator_integrator(self->sim))->rejected_steps);
    return 1;
}

static int l_reset_statistics(lua_State *L) {
    sal_simulator_reset_statistics(l_check_simulator(L, 1)->sim);
    return 0;
}

static int l_window(lua_State *L) {
    const double window = sal_simulator_isolation_window(l_check_simulator(L, 1)->sim);
    if (isnan(window))
        lua_pushnil(L);
    else
        lua_pushnumber(L, window);
    return 1;
}

static int l_set_context_accuracy(lua_State *L) {
    l_simulator *self = l_check_idle(L);
    lua_pushboolean(L, sal_simulator_set_context_accuracy(self->sim, luaL_optnumber(L, 2, NAN)) == SAL_OK);
    return 1;
}

/* self:set_forced(every_step, at_initialization): when the publishes on demand run */
static int l_set_forced(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    sal_simulator_set_publish_every_step(self->sim, lua_toboolean(L, 2));
    sal_simulator_set_publish_at_initialization(self->sim, lua_toboolean(L, 3));
    return 0;
}

/* value or nil = self:witness_value(part, event); raises a closure's own error */
static int l_witness_value(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const int part = l_check_place(L, 2), event = l_check_place(L, 3);
    const l_frame outer = l_enter(L, self, 1);
    double value = 0;
    const sal_status status = sal_simulator_witness_value(self->sim, part, event, &value);
    l_leave(self, outer);
    l_raise_stored(L, self);
    if (status == SAL_OK)
        lua_pushnumber(L, value);
    else
        lua_pushnil(L);
    return 1;
}

/* fires = self:should_trigger(direction, w0, w1) */
static int l_should_trigger(lua_State *L) {
    const sal_direction direction = (sal_direction)luaL_checkinteger(L, 2);
    lua_pushboolean(L, sal_witness_should_trigger(direction, luaL_checknumber(L, 3), luaL_checknumber(L, 4)));
    return 1;
}

static int l_set_target_realtime_rate(lua_State *L) {
    sal_simulator_set_target_realtime_rate(l_check_simulator(L, 1)->sim, luaL_checknumber(L, 2));
    return 0;
}

static int l_actual_realtime_rate(lua_State *L) {
    lua_pushnumber(L, sal_simulator_actual_realtime_rate(l_check_simulator(L, 1)->sim));
    return 1;
}

/* Is a closure running? */
static int l_running(lua_State *L) {
    lua_pushboolean(L, l_is_busy(l_check_simulator(L, 1)));
    return 1;
}

static int l_initialized(lua_State *L) {
    lua_pushboolean(L, sal_simulator_is_initialized(l_check_simulator(L, 1)->sim));
    return 1;
}

static int l_interrupt(lua_State *L) {
    sal_simulator_interrupt(l_check_simulator(L, 1)->sim);
    return 0;
}

const luaL_Reg l_settings_methods[] = {
    {"interrupt", l_interrupt},
    {"set_monitor", l_set_monitor},
    {"set_progress", l_set_progress},
    {"set_jacobian", l_set_jacobian},
    {"set_forced", l_set_forced},
    {"witness_value", l_witness_value},
    {"should_trigger", l_should_trigger},
    {"next_warning", l_next_warning},
    {"schedule", l_schedule},
    {"cancel", l_cancel},
    {"feed", l_feed},
    {"end_feed", l_end_feed},
    {"stats", l_stats},
    {"reset_statistics", l_reset_statistics},
    {"window", l_window},
    {"set_context_accuracy", l_set_context_accuracy},
    {"set_target_realtime_rate", l_set_target_realtime_rate},
    {"actual_realtime_rate", l_actual_realtime_rate},
    {"running", l_running},
    {"initialized", l_initialized},
    {NULL, NULL},
};
