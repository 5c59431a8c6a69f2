/* The simulator's userdata: creates, frees and runs it. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>
#include <time.h>

#include "binding.h"
#include "engine/simulator.h"
#include "script/script.h"

/* ---- life cycle ---- */

static double clock_now(void *user) {
    (void)user;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void clock_sleep(void *user, double seconds) {
    (void)user;
    const double whole = floor(seconds);
    const struct timespec pause = {(time_t)whole, (long)(1e9 * (seconds - whole))};
    nanosleep(&pause, NULL);
}

/* core.simulator(model, options, start_time): nil if the model has an algebraic loop */
int l_new_simulator(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TTABLE);
    const double start = luaL_checknumber(L, 3);
    lua_settop(L, 3);
    l_simulator *self = l_new_object(L, &l_simulator_class, sizeof *self, UV_COUNT);
    self->class = &l_simulator_class;
    self->mem = l_allocator(L);
    self->runs = l_runs_of(L);
    self->limits = l_limits_of(L);
    l_build_model(L, self, 1);
    if (l_field_flag(L, 2, "profile", false))
        l_measure_closures(L, self);
    lua_newtable(L);
    lua_setiuservalue(L, 4, UV_CLOSURES);
    lua_pushvalue(L, 4);
    lua_pushcclosure(L, l_traceback, 1);
    lua_setiuservalue(L, 4, UV_HANDLER);
    sal_simulator_config config = sal_simulator_config_default();
    l_read_config(L, 2, &config);
    if (!self->limits->untrusted) { /* a script must not put its host to sleep */
        config.clock = clock_now;
        config.sleep = clock_sleep;
    }
    const sal_status status = sal_simulator_new(&self->mem, self->system, NULL, &config, &self->sim);
    if (status == SAL_ELOOP)
        return 0;
    l_check_status(L, status, "the simulator cannot be made");
    sal__watches_set_private(self->sim);
    sal_context_set_time(sal_simulator_context(self->sim), start);
    lua_settop(L, 4);
    return 1;
}

static int l_gc(lua_State *L) {
    l_simulator *self = luaL_checkudata(L, 1, L_SIMULATOR);
    sal_simulator_free(self->sim);
    self->sim = NULL;
    l_free_model(self);
    return 0;
}

/* self:bind(build_adapter, raise_mismatch): sets the functions that build adapters and report mismatches */
static int l_bind(lua_State *L) {
    l_check_simulator(L, 1);
    lua_settop(L, 3);
    lua_setiuservalue(L, 1, UV_RAISE_MISMATCH);
    lua_setiuservalue(L, 1, UV_BUILD_ADAPTER);
    return 0;
}

/* part, i = self:closure(k): the part of a closure, and its number in the part, from 0, in the order of closure.c */
static int l_closure_at(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const lua_Integer k = l_check_closure(L, self) - self->closures.item + 1;
    /* The last part that begins at or before k: a block has no closures, and begins where the next part does. */
    int low = 0, high = self->part_count;
    SAL__BISECT(int, low, high, self->part[middle].first_closure <= k)
    lua_pushinteger(L, low + 1);
    lua_pushinteger(L, k - self->part[low].first_closure);
    return 2;
}

/* ---- runs ---- */

int l_push_report(lua_State *L, sal_status status, const sal_report *report) {
    lua_pushinteger(L, status);
    lua_pushstring(L, sal_reason_text(report->reason));
    lua_pushnumber(L, report->time);
    lua_pushnumber(L, report->boundary_time);
    l_push_place(L, report->part);
    l_push_place(L, report->event);
    lua_pushstring(L, report->note.text);
    lua_pushstring(L, report->note.blame);
    lua_pushnumber(L, report->limit);
    lua_pushinteger(L, (lua_Integer)report->firings);
    return 10;
}

static int leave_run(lua_State *L, l_simulator *self, l_frame outer, sal_status status, const sal_report *report) {
    l_leave(self, outer);
    return l_push_report(L, status, report);
}

static int l_initialize(lua_State *L) {
    l_simulator *self = l_check_ready(L);
    sal_report report;
    const bool suppress = lua_toboolean(L, 2), consistent = lua_toboolean(L, 3);
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status =
        (consistent ? sal_simulator_initialize_consistent : sal_simulator_initialize)(self->sim, suppress, &report);
    return leave_run(L, self, outer, status, &report);
}

static int advance(lua_State *L, sal_status (*run)(sal_simulator *, double, sal_report *)) {
    l_simulator *self = l_check_ready(L);
    const double t = luaL_checknumber(L, 2);
    sal_report report;
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = run(self->sim, t, &report);
    return leave_run(L, self, outer, status, &report);
}

static int l_advance_to(lua_State *L) {
    return advance(L, sal_simulator_advance_to);
}

/* Is there a warning that was not shown yet? */
static bool has_news(const l_simulator *self) {
    const sal_warning *warning = NULL;
    return sal_simulator_warnings(self->sim, &warning) > self->warnings_shown ||
           sal_integrator_stiffness(sal_simulator_integrator(self->sim)).found;
}

/* self:reach(t): a fast advance_to. Returns the time alone if the run reached t and there is nothing to report, as in
 * most calls; the time and the watches, if watches ended the call; else the results of advance_to. Returns nothing, and
 * does not advance, if advance_to must check the call first. */
static int l_reach(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    const double t = lua_type(L, 2) == LUA_TNUMBER ? lua_tonumber(L, 2) : NAN;
    if (l_is_busy(self) || !sal_simulator_is_initialized(self->sim) ||
        !(t >= sal_context_time(sal_simulator_context(self->sim))))
        return 0;
    sal_report report;
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = sal_simulator_advance_to(self->sim, t, &report);
    const bool at_watch = report.reason == SAL_AT_WATCH;
    if (status != SAL_OK || !(at_watch || report.reason == SAL_AT_BOUNDARY) || has_news(self))
        return leave_run(L, self, outer, status, &report);
    l_leave(self, outer);
    lua_pushnumber(L, report.time);
    return at_watch ? 1 + l_push_fired_watches(L, self) : 1;
}

/* ---- cases of a sweep: one simulator, many runs ---- */

/* Loads the bytes at index 2, seeds the random streams with index 3, clears the statistics, and writes values[i] at the
 * i-th place: part, partition and index of each, from 0 on, in the list at index 4; the values are at index 5. */
static void begin_case(lua_State *L, l_simulator *self) {
    l_load_case(L, self);
    sal_context *ctx = sal_simulator_context(self->sim);
    sal_context_seed(ctx, (uint64_t)luaL_checkinteger(L, 3));
    sal_simulator_reset_statistics(self->sim);
    const int count = (int)luaL_len(L, 4) / 3;
    for (int i = 0; i < count; i++) {
        int at[3];
        l_read_integers(L, 4, 3 * i + 1, at, 3);
        sal_context *part = sal_context_part(ctx, at[0]);
        luaL_argcheck(L,
                      part && at[1] >= 0 && at[1] < SAL_PARTITIONS && at[2] >= 0 &&
                          at[2] < sal_context_size(part, (sal_partition)at[1]),
                      4, "no such place");
        lua_rawgeti(L, 5, i + 1);
        sal_context_edit(part, (sal_partition)at[1])[at[2]] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
}

static bool has_warning(sal_simulator *sim) {
    const sal_warning *warning = NULL;
    return sal_simulator_warnings(sim, &warning) > 0 || sal_integrator_stiffness(sal_simulator_integrator(sim)).found;
}

/* Nothing if it reached t without a warning, as most runs do; else as advance_to. */
static int advance_case(lua_State *L, l_simulator *self, double t) {
    sal_report report;
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = sal_simulator_advance_to(self->sim, t, &report);
    if (status != SAL_OK || report.reason != SAL_AT_BOUNDARY || has_warning(self->sim))
        return leave_run(L, self, outer, status, &report);
    l_leave(self, outer);
    return 0;
}

/* self:begin_case(saved, seed, places, values) */
static int l_begin_case(lua_State *L) {
    begin_case(L, l_check_ready(L));
    return 0;
}

/* self:advance_case(t) */
static int l_advance_case(lua_State *L) {
    return advance_case(L, l_check_ready(L), luaL_checknumber(L, 2));
}

/* self:run_case(saved, seed, places, values, t): both in one call */
static int l_run_case(lua_State *L) {
    l_simulator *self = l_check_ready(L);
    begin_case(L, self);
    return advance_case(L, self, luaL_checknumber(L, 6));
}

static int l_step(lua_State *L) {
    return advance(L, sal_simulator_step);
}

static sal_status pending(sal_simulator *sim, double t, sal_report *report) {
    (void)t;
    return sal_simulator_advance_pending_events(sim, report);
}

static int l_advance_pending_events(lua_State *L) {
    lua_settop(L, 1);
    lua_pushnumber(L, 0);
    return advance(L, pending);
}

/* self:sampled(): results as advance_to; L_OF_VIEW is the context after the sampled updates */
static int l_sampled(lua_State *L) {
    l_simulator *self = l_check_ready(L);
    sal_report report;
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = sal_simulator_preview_sampled(self->sim, &self->access.view, &report);
    return leave_run(L, self, outer, status, &report);
}

/* fraction of a step left, seconds left, seconds dropped = self:advance_frame(dt, step, max_steps, max_evaluations,
 * max_seconds), then results as advance_to */
static int l_advance_frame(lua_State *L) {
    l_simulator *self = l_check_ready(L);
    sal_report report;
    sal_frame frame = {0};
    sal_frame_config config = sal_frame_config_default();
    const double dt = luaL_checknumber(L, 2);
    config.step = luaL_checknumber(L, 3);
    config.max_steps = (int)luaL_checkinteger(L, 4);
    config.max_evaluations = luaL_checkinteger(L, 5);
    config.max_seconds = luaL_checknumber(L, 6);
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = sal_simulator_run_frame(self->sim, dt, &config, &frame, &report);
    lua_pushnumber(L, frame.is_whole ? frame.alpha : 0);
    lua_pushnumber(L, frame.left);
    lua_pushnumber(L, frame.dropped);
    return 3 + leave_run(L, self, outer, status, &report);
}

/* steps, overruns, lag, worst lag = self:pacing() */
static int l_pacing(lua_State *L) {
    const sal_pacing pacing = sal_simulator_pacing(l_check_simulator(L, 1)->sim);
    lua_pushinteger(L, (lua_Integer)pacing.steps);
    lua_pushinteger(L, (lua_Integer)pacing.overruns);
    lua_pushnumber(L, pacing.lag);
    lua_pushnumber(L, pacing.worst_lag);
    return 4;
}

/* seconds = self:time_rhs(n): time of n derivative evaluations at the present context, for benchmarks */
static int l_time_rhs(lua_State *L) {
    l_simulator *self = l_check_ready(L);
    const lua_Integer n = luaL_checkinteger(L, 2);
    const int size = sal_context_continuous_size(sal_simulator_context(self->sim));
    double *dx = l_push_room(L, size);
    const l_frame outer = l_enter(L, self, 1);
    const double began = clock_now(NULL);
    sal_status status = SAL_OK;
    for (lua_Integer i = 0; i < n && status == SAL_OK; i++)
        status = sal_simulator_derivatives(self->sim, dx);
    const double seconds = clock_now(NULL) - began;
    l_leave(self, outer);
    if (status == SAL_ECALLBACK)
        l_raise_stored(L, self);
    lua_pushnumber(L, seconds);
    return 1;
}

/* step, is_updating, is_initialized, is_updated = self:instant(): where the run is. Closures may ask. */
static int l_instant(lua_State *L) {
    const sal_simulator *sim = l_check_simulator(L, 1)->sim;
    lua_pushinteger(L, sim->run_state.total_steps);
    lua_pushboolean(L, sal__is_updating(sim));
    lua_pushboolean(L, sim->run_state.initialized);
    lua_pushboolean(L, sim->run_state.updated);
    return 4;
}

static const luaL_Reg methods[] = {
    {"stored_error", l_stored_error},
    {"bind", l_bind},
    {"past_reader", l_delay_reader_new},
    {"set_history", l_set_history},
    {"closure", l_closure_at},
    {"initialize", l_initialize},
    {"advance_to", l_advance_to},
    {"reach", l_reach},
    {"begin_case", l_begin_case},
    {"advance_case", l_advance_case},
    {"run_case", l_run_case},
    {"step", l_step},
    {"advance_pending_events", l_advance_pending_events},
    {"advance_frame", l_advance_frame},
    {"pacing", l_pacing},
    {"sampled", l_sampled},
    {"time_rhs", l_time_rhs},
    {"recorder", l_new_recorder},
    {"is_lent", l_is_lent},
    {"instant", l_instant},
    {NULL, NULL},
};

static const luaL_Reg meta[] = {{"__gc", l_gc}, {NULL, NULL}};

const l_class l_simulator_class = {L_SIMULATOR,
                                   meta,
                                   {methods, l_context_methods, l_integrator_methods, l_dense_methods,
                                    l_settings_methods, l_adapter_methods, l_compiled_methods, l_meter_methods,
                                    l_watch_methods, l_sentence_methods, l_saved_run_methods}};
