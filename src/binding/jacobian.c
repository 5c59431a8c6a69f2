/* A Jacobian that the model gives, of a simulator: lua/saltus/simulation/jacobian.lua makes a list of it. */
#include "binding.h"

bool l_read_jacobian(lua_State *L, int count, double *j) {
    bool numbers = lua_type(L, -1) == LUA_TTABLE;
    for (int i = 0; i < count && numbers; i++) {
        numbers = lua_rawgeti(L, -1, i + 1) == LUA_TNUMBER;
        j[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    return numbers;
}

static int count_of(const l_simulator *self) {
    const sal_integrator *in = sal_simulator_integrator(self->sim);
    const sal_integrator_config *c = sal_integrator_config_of(in);
    const int n = sal_integrator_size(in);
    return n * (c->lower >= 0 && c->upper >= 0 ? c->lower + c->upper + 1 : n);
}

static sal_status ask(void *user, const sal_context *ctx, double *j) {
    l_simulator *self = user;
    lua_State *L = self->frame.L;
    const sal_context *outer = self->access.current;
    if (!lua_checkstack(L, 20))
        return SAL_ENOMEM;
    self->access.current = ctx;
    lua_getiuservalue(L, self->frame.self, UV_JACOBIAN);
    const bool went = l_pcall(self, 0, 1) == LUA_OK;
    self->access.current = outer;
    if (!went) {
        l_store_error(self, L_IN_JACOBIAN);
        return SAL_ECALLBACK;
    }
    const bool numbers = l_read_jacobian(L, count_of(self), j);
    lua_pop(L, 1);
    return numbers ? SAL_OK : SAL_EINVAL;
}

/* self:set_jacobian(fn or nil): fn() returns the elements as one list */
int l_set_jacobian(lua_State *L) {
    l_simulator *self = l_check_idle(L);
    const bool is = !lua_isnoneornil(L, 2);
    lua_settop(L, 2);
    lua_setiuservalue(L, 1, UV_JACOBIAN);
    sal_simulator_set_jacobian(self->sim, is ? ask : NULL, self);
    return 0;
}
