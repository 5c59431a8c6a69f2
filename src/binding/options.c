/* Copies options, checked by lua/saltus/simulation/options.lua, to config structs. */
#include <math.h>
#include <string.h>

#include "binding.h"

static bool is_text(lua_State *L, int table, const char *name, const char *text) {
    lua_getfield(L, table, name);
    const char *value = lua_tostring(L, -1);
    const bool is = value && strcmp(value, text) == 0;
    lua_pop(L, 1);
    return is;
}

void l_read_integrator(lua_State *L, int options, sal_integrator_config *config) {
    if (lua_getfield(L, options, "integrator") == LUA_TSTRING) {
        config->method = sal_method_find(lua_tostring(L, -1));
        if (!config->method)
            luaL_error(L, "unknown integrator \"%s\"", lua_tostring(L, -1));
    }
    lua_pop(L, 1);
    if (sal_method_error_order(config->method) > 0) /* other methods refuse one */
        config->accuracy = l_field_number(L, options, "accuracy", config->accuracy);
    config->max_step = l_field_number(L, options, "max_step", config->max_step);
    config->min_step = l_field_number(L, options, "min_step", config->min_step);
    config->initial_step = l_field_number(L, options, "initial_step", config->initial_step);
    config->fixed_step = l_field_flag(L, options, "fixed_step", config->fixed_step);
    config->throw_on_min_step = l_field_flag(L, options, "throw_on_min_step", config->throw_on_min_step);
    config->hermite = is_text(L, options, "dense_output", "hermite");
    config->central_differences = is_text(L, options, "jacobian", "central");
    config->dense_jacobian = is_text(L, options, "jacobian_pattern", "dense");
    if (lua_getfield(L, options, "jacobian_pattern") == LUA_TTABLE) {
        config->lower = (int)l_field_number(L, lua_gettop(L), "lower", -1);
        config->upper = (int)l_field_number(L, lua_gettop(L), "upper", -1);
    }
    lua_pop(L, 1);
    sal_note why = {{0}, {0}};
    if (sal_integrator_config_check(config, &why) != SAL_OK)
        luaL_error(L, "%s", why.text);
}

void l_read_config(lua_State *L, int options, sal_simulator_config *config) {
    l_read_integrator(L, options, &config->integrator);
    config->context_accuracy = l_field_number(L, options, "context_accuracy", NAN);
    config->isolation = l_field_flag(L, options, "isolation", true);
    config->isolation_window = l_field_number(L, options, "isolation", NAN);
    config->characteristic_time = l_field_number(L, options, "characteristic_time", 1);
    config->reintegrate_to_event = is_text(L, options, "event_state", "reintegrate");
    config->interior_search = l_field_flag(L, options, "interior_search", true);
    config->absolute_weights = is_text(L, options, "error_weights", "absolute");
    config->publish_every_step = l_field_flag(L, options, "publish_every_step", false);
    config->publish_at_initialization = l_field_flag(L, options, "publish_at_initialization", false);
    config->max_events_per_instant = (int)l_field_number(L, options, "max_events_per_instant", 1000);
    config->max_steps_per_call = (int64_t)l_field_number(L, options, "max_steps_per_call", 0);
    config->watch_capacity = (int)l_field_number(L, options, "watch_capacity", 0);
    config->seed = (uint64_t)(int64_t)l_field_number(L, options, "seed", 0);
    config->target_realtime_rate = l_field_number(L, options, "target_realtime_rate", 0);
}
