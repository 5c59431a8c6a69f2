/* Advances that end at events. */
#include "engine/simulator.h"
#include "watch.h"

/* Ends an advance at x+ of an instant at which one of these events fired. */
typedef struct l_event_halt {
    l_simulator *owner;
    int observer, count;
    struct {
        int part, event;
        bool fired;
    } item[];
} l_event_halt;

static sal_status see_event(void *user, sal_simulator *sim, sal_observation observation, int part, int event) {
    l_event_halt *halt = user;
    for (int i = 0; observation == SAL_OBSERVE_EVENT && i < halt->count; i++) {
        if (halt->item[i].part != part || halt->item[i].event != event)
            continue;
        halt->item[i].fired = true;
        sal__run_halt_call(sim);
    }
    return SAL_OK;
}

/* halt = self:halt_at({ { part, event }, ... }): until it is closed or collected. Part 0: one that only halt:fire
 * knows */
int l_halt_at(lua_State *L) {
    l_simulator *self = l_check_between_calls(L, "a closure cannot wait for an event");
    luaL_checktype(L, 2, LUA_TTABLE);
    const int count = (int)luaL_len(L, 2);
    l_event_halt *halt = l_new_object(L, &l_event_halt_class, sizeof *halt + (size_t)count * sizeof halt->item[0], 1);
    halt->count = count;
    l_hold(L, 1, 1); /* it must go before its simulator */
    for (int i = 0; i < count; i++) {
        int place[2];
        lua_rawgeti(L, 2, i + 1);
        l_read_integers(L, -1, 1, place, 2);
        halt->item[i].part = place[0] - 1;
        halt->item[i].event = place[1] - 1;
        lua_pop(L, 1);
    }
    if (sal__observe_events(self->sim, see_event, halt, &halt->observer) != SAL_OK)
        return luaL_error(L, "there are too many observers of this simulator; finish some formulas first");
    halt->owner = self; /* from now on it has an observer to remove */
    return 1;
}

/* halt:fire(i): an event that the engine does not know */
static int l_fire(lua_State *L) {
    l_event_halt *halt = luaL_checkudata(L, 1, l_event_halt_class.name);
    const lua_Integer i = luaL_checkinteger(L, 2);
    luaL_argcheck(L, i >= 1 && i <= halt->count, 2, "no event of this halt");
    if (!halt->owner)
        return 0;
    halt->item[i - 1].fired = true;
    sal_simulator_halt(halt->owner->sim);
    return 0;
}

/* list, is_due = halt:fired(): which of its events, by number, fired since the last call; whether the halt is left to
 * the next advance */
static int l_fired(lua_State *L) {
    l_event_halt *halt = luaL_checkudata(L, 1, l_event_halt_class.name);
    lua_newtable(L);
    for (int i = 0, n = 0; i < halt->count; i++) {
        if (!halt->item[i].fired)
            continue;
        halt->item[i].fired = false;
        lua_pushinteger(L, i + 1);
        lua_rawseti(L, -2, ++n);
    }
    lua_pushboolean(L, halt->owner && halt->owner->sim->run_state.is_halted);
    return 2;
}

/* halt:close(), and for the collector */
static int l_close(lua_State *L) {
    l_event_halt *halt = luaL_checkudata(L, 1, l_event_halt_class.name);
    if (halt->owner && halt->owner->sim)
        sal_simulator_unobserve(halt->owner->sim, halt->observer);
    halt->owner = NULL;
    return 0;
}

static const luaL_Reg methods[] = {{"fired", l_fired}, {"fire", l_fire}, {"close", l_close}, {NULL, NULL}};
static const luaL_Reg meta[] = {{"__gc", l_close}, {NULL, NULL}};

const l_class l_event_halt_class = {"saltus.core.event_halt", meta, {methods}};
