/* Runs as bytes: they are saved, loaded, copied and hashed. */
#include "binding.h"
#include "engine/simulator.h"

/* Logs read the loaded run, so closures may be called. Their errors come again in the run. */
static sal_status leave_load(l_simulator *self, l_frame outer, sal_status status) {
    if (self->has_stored_error)
        l_clear_failure(self);
    l_leave(self, outer);
    return status;
}

/* Strings do not change: the same one is checked once. */
void l_load_case(lua_State *L, l_simulator *self) {
    size_t size = 0;
    const char *saved = luaL_checklstring(L, 2, &size);
    lua_getiuservalue(L, 1, UV_CASE);
    const bool same = lua_rawequal(L, -1, 2);
    lua_pop(L, 1);
    const l_frame outer = l_enter(L, self, 1);
    const sal_status status = (same ? sal__simulator_reload : sal_simulator_load)(self->sim, saved, size);
    l_check_status(L, leave_load(self, outer, status), "load");
    if (same)
        return;
    lua_pushvalue(L, 2);
    lua_setiuservalue(L, 1, UV_CASE);
}

/* bytes = self:save(); status = self:load(bytes); sixteen hex digits = self:hash() */
static int l_save(lua_State *L) {
    l_simulator *self = l_check_ready(L);
    const size_t size = sal_simulator_save_size(self->sim);
    luaL_Buffer buffer;
    char *bytes = luaL_buffinitsize(L, &buffer, size);
    if (sal_simulator_save(self->sim, bytes, size) != SAL_OK)
        return luaL_error(L, "the run cannot be saved");
    luaL_pushresultsize(&buffer, size);
    return 1;
}

static int l_load(lua_State *L) {
    l_simulator *self = l_check_ready(L);
    size_t size = 0;
    const char *bytes = luaL_checklstring(L, 2, &size);
    const l_frame outer = l_enter(L, self, 1);
    lua_pushinteger(L, leave_load(self, outer, sal_simulator_load(self->sim, bytes, size)));
    return 1;
}

/* status = self:check_load(saved): whether load would succeed; the run does not change */
static int l_check_load(lua_State *L) {
    l_simulator *self = l_check_ready(L);
    size_t size = 0;
    const char *bytes = luaL_checklstring(L, 2, &size);
    sal_status status = sal__begin_call(self->sim);
    if (status == SAL_OK)
        status = sal__end_call(self->sim, sal__snapshot_prepare(self->sim, bytes, size));
    lua_pushinteger(L, status);
    return 1;
}

/* whether self:copy_from(core of another simulator) is possible */
static int l_is_like(lua_State *L) {
    const l_simulator *self = l_check_simulator(L, 1), *other = l_check_simulator(L, 2);
    lua_pushboolean(L, sal__simulators_are_alike(self->sim, other->sim));
    return 1;
}

/* status = self:copy_from(core of another simulator) */
static int l_copy_from(lua_State *L) {
    l_simulator *self = l_check_ready(L);
    const l_simulator *other = l_check_simulator(L, 2);
    const l_frame outer = l_enter(L, self, 1);
    lua_pushinteger(L, leave_load(self, outer, sal_simulator_copy(self->sim, other->sim)));
    return 1;
}

static int l_hash(lua_State *L) {
    return l_push_hash(L, sal_simulator_hash(l_check_simulator(L, 1)->sim));
}

const luaL_Reg l_saved_run_methods[] = {
    {"save", l_save},       {"load", l_load},           {"check_load", l_check_load},
    {"is_like", l_is_like}, {"copy_from", l_copy_from}, {"hash", l_hash},
    {NULL, NULL},
};
