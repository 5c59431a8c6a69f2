/* Callbacks of the engine that call Lua functions of the simulator: its monitor, its progress function, and its
 * Jacobian, which lua/saltus/simulation/jacobian.lua converts to a list. */
#include "binding.h"

sal_outcome l_outcome_at(lua_State *L, int index) {
    return lua_isnil(L, index) ? SAL_SUCCEEDED : (sal_outcome)lua_tointeger(L, index);
}

sal_outcome l_monitor(void *user, const sal_context *ctx, sal_note *note) {
    l_simulator *self = user;
    lua_State *L = self->frame.L;
    if (!lua_checkstack(L, 20)) {
        sal_note_set(note, "the Lua stack is full");
        return SAL_FAILED;
    }
    sal_note *outer = self->access.note;
    self->access.note = note;
    lua_getiuservalue(L, self->frame.self, UV_MONITOR);
    const sal_status status = l_call_at(self, ctx, 1, L_IN_MONITOR);
    self->access.note = outer;
    if (status != SAL_OK)
        return SAL_FAILED;
    const sal_outcome outcome = l_outcome_at(L, -1);
    lua_pop(L, 1);
    return outcome;
}

sal_status l_progress(void *user, sal_simulator *sim, sal_observation observation, int part, int event) {
    l_simulator *self = user;
    (void)part;
    (void)event;
    if (observation != SAL_OBSERVE_STEP || --self->progress_left > 0)
        return SAL_OK;
    self->progress_left = self->progress_every;
    lua_State *L = self->frame.L;
    if (!lua_checkstack(L, 20))
        return SAL_ENOMEM;
    if (lua_getiuservalue(L, self->frame.self, UV_PROGRESS) != LUA_TFUNCTION) {
        lua_pop(L, 1);
        return SAL_OK;
    }
    lua_pushnumber(L, sal_context_time(sal_simulator_context(sim)));
    return l_call(self, 1, 0, L_IN_PROGRESS);
}

int l_jacobian_size(const sal_integrator *in) {
    const sal_integrator_config *c = sal_integrator_config_of(in);
    const int n = sal_integrator_size(in);
    return n * (c->lower >= 0 && c->upper >= 0 ? c->lower + c->upper + 1 : n);
}

sal_status l_jacobian(void *user, const sal_context *ctx, double *j) {
    l_simulator *self = user;
    lua_State *L = self->frame.L;
    if (!lua_checkstack(L, 20))
        return SAL_ENOMEM;
    lua_getiuservalue(L, self->frame.self, UV_JACOBIAN);
    const sal_status status = l_call_at(self, ctx, 1, L_IN_JACOBIAN);
    if (status != SAL_OK)
        return status;
    const bool all = l_read_numbers(L, -1, 1, j, l_jacobian_size(sal_simulator_integrator(self->sim)));
    lua_pop(L, 1);
    return all ? SAL_OK : SAL_EINVAL;
}
