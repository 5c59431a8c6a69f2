/* The simulator's userdata: life, deeds, the frame that callbacks run in. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <string.h>
#include <time.h>

#include "binding.h"

l_simulator *l_check_simulator(lua_State *L, int index) {
    l_simulator *self = luaL_checkudata(L, index, L_SIMULATOR);
    luaL_argcheck(L, self->sim, index, "the simulator was never made whole");
    return self;
}

l_simulator *l_check_idle(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    if (self->frame.L)
        luaL_error(L, "settings can be changed between calls only, not by a closure of the run");
    return self;
}

/* ---- frames ---- */

l_frame l_enter(lua_State *L, l_simulator *self, int self_index) {
    const l_frame outer = self->frame;
    luaL_checkstack(L, 450, "callbacks");
    lua_getiuservalue(L, self_index, UV_CLOSURES);
    lua_getiuservalue(L, self_index, UV_HANDLER);
    self->frame = (l_frame){L, self_index, lua_gettop(L) - 1, lua_gettop(L), l_begin_run(self->runs, self->sim)};
    self->unwatched_runs = 0;
    self->lua_call_count++; /* what ran before, and may have changed what programs look at */
    return outer;
}

void l_leave(l_simulator *self, l_frame outer) {
    l_end_run(self->runs, self->frame.outer);
    self->frame = outer;
}

/* The parked error object; nil when there is none. Nothing is parked afterwards. */
static int take_parked(lua_State *L, l_simulator *self) {
    const int type = lua_getiuservalue(L, 1, UV_ERROR);
    lua_pushnil(L);
    lua_setiuservalue(L, 1, UV_ERROR);
    self->has_stored_error = false;
    return type;
}

int l_raise(lua_State *L, l_simulator *self) {
    if (self->frame.L) {
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, 1, UV_PASSING_ERROR);
    }
    return lua_error(L);
}

void l_raise_stored(lua_State *L, l_simulator *self) {
    const bool parked = self->has_stored_error;
    take_parked(L, self);
    if (parked)
        l_raise(L, self);
    lua_pop(L, 1);
}

/* Is the error at index 1 that of a closure further in? Told once. */
static bool is_passing(lua_State *L, int self) {
    const bool is = lua_getiuservalue(L, self, UV_PASSING_ERROR) != LUA_TNIL && lua_rawequal(L, 1, -1);
    lua_pushnil(L);
    lua_setiuservalue(L, self, UV_PASSING_ERROR);
    lua_pop(L, 1);
    return is;
}

/* object, closure, traceback = self:parked() */
static int l_stored_error(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    take_parked(L, self);
    lua_pushinteger(L, self->failed_closure);
    lua_getiuservalue(L, 1, UV_TRACEBACK);
    return 3;
}

/* Message handler: keeps the traceback of the first failure, of a closure that another called its own; hands the
 * object on as it is. Upvalue: the simulator. */
static int l_traceback(lua_State *L) {
    const l_simulator *self = lua_touserdata(L, lua_upvalueindex(1));
    if (self->has_stored_error || is_passing(L, lua_upvalueindex(1)))
        return 1;
    luaL_traceback(L, L, NULL, 1);
    lua_setiuservalue(L, lua_upvalueindex(1), UV_TRACEBACK);
    lua_settop(L, 1);
    return 1;
}

/* ---- life ---- */

static void *resize(void *user, void *block, size_t old, size_t bytes) {
    const l_simulator *self = user;
    return self->alloc(self->alloc_user, block, block ? old : 0, bytes);
}

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

/* core.simulator(model, options, start_time): nil when the model has an algebraic loop */
int l_new_simulator(lua_State *L);
int l_new_simulator(lua_State *L) {
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_checktype(L, 2, LUA_TTABLE);
    const double start = luaL_checknumber(L, 3);
    lua_settop(L, 3);
    l_simulator *self = lua_newuserdatauv(L, sizeof *self, UV_COUNT);
    memset(self, 0, sizeof *self);
    self->alloc = lua_getallocf(L, &self->alloc_user);
    self->mem = (sal_allocator){resize, self};
    self->runs = l_runs_of(L);
    luaL_setmetatable(L, L_SIMULATOR);
    l_build_model(L, self, 1);
    lua_newtable(L);
    lua_setiuservalue(L, 4, UV_CLOSURES);
    lua_newtable(L);
    lua_pushvalue(L, 4);
    lua_pushcclosure(L, l_traceback, 1);
    lua_setiuservalue(L, 4, UV_HANDLER);
    sal_simulator_config config = sal_simulator_config_default();
    l_read_config(L, 2, &config);
    config.clock = clock_now;
    config.sleep = clock_sleep;
    const sal_status status = sal_simulator_new(&self->mem, self->system, NULL, &config, &self->sim);
    if (status == SAL_ELOOP)
        return 0;
    if (status != SAL_OK)
        return luaL_error(L, status == SAL_ENOMEM ? "not enough memory" : "the simulator cannot be made: %s",
                          sal_status_text(status));
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

/* self:bind(fit, complain): the shim maker's two functions */
static int l_bind(lua_State *L) {
    l_check_simulator(L, 1);
    lua_settop(L, 3);
    lua_setiuservalue(L, 1, UV_RAISE_MISMATCH);
    lua_setiuservalue(L, 1, UV_BUILD_ADAPTER);
    return 0;
}

/* t = core.sparse(n): an empty table with room for n names */
static int l_sparse(lua_State *L) {
    lua_createtable(L, 0, (int)luaL_checkinteger(L, 1));
    return 1;
}

/* part, i = self:closure(k): whose it is, and the how many-th of the part, from 0, as closure.c lays them out */
static int l_closure_at(lua_State *L) {
    const l_simulator *self = l_check_simulator(L, 1);
    const lua_Integer k = luaL_checkinteger(L, 2);
    luaL_argcheck(L, k >= 1 && k <= self->closures.count, 2, "no such closure");
    int low = 0, high = self->part_count;
    while (high - low >
           1) { /* the last that begins at k or before; a block, which has none, begins where the next does */
        const int middle = low + (high - low) / 2;
        if (self->part[middle].first_closure <= k)
            low = middle;
        else
            high = middle;
    }
    lua_pushinteger(L, low + 1);
    lua_pushinteger(L, k - self->part[low].first_closure);
    return 2;
}

/* ---- deeds ---- */

/* status, reason, time, boundary, part, event, text, blame, limit, firings */
static int push_report(lua_State *L, sal_status status, const sal_report *report) {
    static const char *const reasons[] = {"reached_boundary_time", "reached_termination", "failed",
                                          "reached_step_limit", "interrupted"};
    lua_pushinteger(L, status);
    lua_pushstring(L, reasons[report->reason]);
    lua_pushnumber(L, report->time);
    lua_pushnumber(L, report->boundary_time);
    if (report->part >= 0)
        lua_pushinteger(L, report->part + 1);
    else
        lua_pushnil(L);
    if (report->event >= 0)
        lua_pushinteger(L, report->event + 1);
    else
        lua_pushnil(L);
    lua_pushstring(L, report->note.text);
    lua_pushstring(L, report->note.blame);
    lua_pushnumber(L, report->limit);
    lua_pushinteger(L, (lua_Integer)report->firings);
    return 10;
}

static l_simulator *ready(lua_State *L) {
    l_simulator *self = l_check_simulator(L, 1);
    if (self->frame.L)
        luaL_error(L, "the simulator is already advancing; a closure cannot advance it");
    return self;
}

static int l_initialize(lua_State *L) {
    l_simulator *self = ready(L);
    sal_report report;
    const bool suppress = lua_toboolean(L, 2), consistent = lua_toboolean(L, 3);
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status =
        (consistent ? sal_simulator_initialize_consistent : sal_simulator_initialize)(self->sim, suppress, &report);
    l_leave(self, outer);
    return push_report(L, status, &report);
}

static int advance(lua_State *L, sal_status (*deed)(sal_simulator *, double, sal_report *)) {
    l_simulator *self = ready(L);
    const double t = luaL_checknumber(L, 2);
    sal_report report;
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = deed(self->sim, t, &report);
    l_leave(self, outer);
    return push_report(L, status, &report);
}

static int l_advance_to(lua_State *L) {
    return advance(L, sal_simulator_advance_to);
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

/* self:sampled(): as a deed; the view is the context after the sampled updates */
static int l_sampled(lua_State *L) {
    l_simulator *self = ready(L);
    sal_report report;
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = sal_simulator_preview_sampled(self->sim, &self->access.view, &report);
    l_leave(self, outer);
    return push_report(L, status, &report);
}

/* bytes = self:save(); status = self:load(bytes); sixteen hex digits = self:hash() */
static int l_save(lua_State *L) {
    l_simulator *self = ready(L);
    const size_t size = sal_simulator_save_size(self->sim);
    luaL_Buffer buffer;
    char *bytes = luaL_buffinitsize(L, &buffer, size);
    if (sal_simulator_save(self->sim, bytes, size) != SAL_OK)
        return luaL_error(L, "the run cannot be saved");
    luaL_pushresultsize(&buffer, size);
    return 1;
}

static int l_load(lua_State *L) {
    l_simulator *self = ready(L);
    size_t size = 0;
    const char *bytes = luaL_checklstring(L, 2, &size);
    lua_pushinteger(L, sal_simulator_load(self->sim, bytes, size));
    return 1;
}

static int l_hash(lua_State *L) {
    const uint64_t hash = sal_simulator_hash(l_check_simulator(L, 1)->sim);
    char digits[17];
    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
    lua_pushlstring(L, digits, 16);
    return 1;
}

/* status, share of a step left = self:advance_frame(dt, step, max_steps), then as advance_to */
static int l_advance_frame(lua_State *L) {
    l_simulator *self = ready(L);
    sal_report report;
    double alpha = 0;
    const double dt = luaL_checknumber(L, 2), step = luaL_checknumber(L, 3);
    const int most = (int)luaL_checkinteger(L, 4);
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = sal_simulator_advance_frame(self->sim, dt, step, most, &alpha, &report);
    l_leave(self, outer);
    lua_pushnumber(L, alpha);
    return 1 + push_report(L, status, &report);
}

/* seconds = self:time_rhs(n): n derivative evaluations at the context as it is, for benchmarks */
static int l_time_rhs(lua_State *L) {
    l_simulator *self = ready(L);
    const lua_Integer n = luaL_checkinteger(L, 2);
    const int size = sal_context_continuous_size(sal_simulator_context(self->sim));
    double *dx = lua_newuserdatauv(L, (size_t)(size + 1) * sizeof *dx, 0);
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

static const luaL_Reg methods[] = {
    {"parked", l_stored_error},
    {"bind", l_bind},
    {"past_reader", l_delay_reader_new},
    {"set_history", l_set_history},
    {"sparse", l_sparse},
    {"closure", l_closure_at},
    {"initialize", l_initialize},
    {"advance_to", l_advance_to},
    {"step", l_step},
    {"advance_pending_events", l_advance_pending_events},
    {"save", l_save},
    {"load", l_load},
    {"hash", l_hash},
    {"advance_frame", l_advance_frame},
    {"sampled", l_sampled},
    {"time_rhs", l_time_rhs},
    {"recorder", l_new_recorder},
    {NULL, NULL},
};

void l_open_simulator(lua_State *L);
void l_open_simulator(lua_State *L) {
    luaL_newmetatable(L, L_SIMULATOR);
    lua_newtable(L);
    luaL_setfuncs(L, methods, 0);
    luaL_setfuncs(L, l_context_methods, 0);
    luaL_setfuncs(L, l_integrator_methods, 0);
    luaL_setfuncs(L, l_dense_methods, 0);
    luaL_setfuncs(L, l_settings_methods, 0);
    luaL_setfuncs(L, l_adapter_methods, 0);
    luaL_setfuncs(L, l_compiled_methods, 0);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, l_gc);
    lua_setfield(L, -2, "__gc");
    lua_pop(L, 1);
}
