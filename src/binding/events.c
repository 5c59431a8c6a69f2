/* Adds the events of normalised tables to a part's system. */
#include "binding.h"

const char *const l_triggers[] = {"initialization", "step", "period", "time", "witness", "change", "demand", NULL};
const char *const l_kinds[] = {"none", "publish", "discrete_update", "unrestricted_update", NULL};
const char *const l_directions[] = {"crossing", "falling", "rising", "none", "turning", NULL};

static void add_event(lua_State *L, l_part *part, int event) {
    sal_event_config config = sal_event_config_default();
    config.trigger = (sal_trigger)(SAL_ON_INITIALIZATION + l_field_option(L, event, "trigger", l_triggers));
    config.kind = (sal_kind)(SAL_NO_HANDLER + l_field_option(L, event, "kind", l_kinds));
    const int direction = l_field_option(L, event, "direction", l_directions);
    config.direction = direction < 0 ? SAL_CROSSING : (sal_direction)direction;
    config.period = l_field_number(L, event, "every", 0);
    config.offset = l_field_number(L, event, "offset", 0);
    config.max_interval = l_field_number(L, event, "max_interval", 0);
    config.samples = (int)l_field_number(L, event, "samples", 0);
    config.guarded = l_field_is(L, event, "when", LUA_TFUNCTION) ||
                     l_field_flag(L, event, "guarded", false); /* or the guard of a block */
    config.on_zeno = l_field_is(L, event, "on_zeno", LUA_TFUNCTION) || l_field_flag(L, event, "endures", false);
    config.upstream_first = l_field_flag(L, event, "upstream_first", false);
    config.at_start = l_field_flag(L, event, "at_start", false);
    config.finders_suffice = l_field_flag(L, event, "found", false);
    config.when_flows = l_field_flag(L, event, "when_flows", false);
    config.finders = l_field_flag(L, event, "flows", false)
                         ? l_field_length(L, event, "finders") + l_field_length(L, event, "slices")
                         : -1;
    if (lua_getfield(L, event, "time_variable") == LUA_TTABLE)
        config.time_variable = l_field_integer(L, lua_gettop(L), "offset");
    lua_getfield(L, event, "name");
    config.name = lua_tostring(L, -1);
    lua_getfield(L, event, "doc");
    config.doc = lua_tostring(L, -1);
    l_check_status(L, sal_system_add_event(part->system, &config, NULL), config.name);
    part->event_count++;
    lua_pop(L, 3);
}

void l_lay_out_finders(lua_State *L, l_simulator *self, l_part *part) {
    part->finder_at = l_new_array(L, self, part->event_count, sizeof *part->finder_at);
    for (int i = 0; i < part->event_count; i++) {
        const int count = sal_system_event(part->system, i)->finders;
        part->finder_at[i] = part->finder_count;
        part->finder_count += count > 0 ? count : 0;
    }
}

void l_add_events(lua_State *L, l_part *part, int system) {
    lua_getfield(L, system, "events");
    for (int i = 1; l_push_item(L, i); i++) {
        add_event(L, part, lua_gettop(L));
        lua_pop(L, 1);
    }
}
