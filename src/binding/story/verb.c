/* What stories call: the verbs that need speed, and those from which lua/saltus/story/ makes the others. */
#include <string.h>

#include "story.h"

/* A verb without a colon takes its first argument for the story. */
__attribute__((noinline)) static int raise_type_error(lua_State *L, int index) {
    lua_Debug verb;
    if (index == 1 && lua_getstack(L, 0, &verb) && lua_getinfo(L, "n", &verb) && verb.name)
        return luaL_error(L, "write s:%s(...), with a colon", verb.name);
    return luaL_typeerror(L, index, L_STORY);
}

l_story *l_check_story(lua_State *L, int index) {
    l_story *story = lua_touserdata(L, index);
    if (!story || lua_rawlen(L, index) != sizeof *story || story->class != &l_story_class)
        raise_type_error(L, index);
    return story;
}

void l_push_kernel(lua_State *L, int story) {
    luaL_getmetafield(L, story, "__kernel");
}

static const char *why_not_waiting(lua_State *L, const l_kernel *k) {
    if (!k->current)
        return "only a story can wait; give its function to spawn, or to the field story of a scenario";
    if (k->current->thread != L)
        return "a story cannot wait within a coroutine of its own; spawn a story instead";
    return "a story cannot wait within a function that C code calls, such as the comparison of table.sort";
}

/* Of a verb, whose first argument is a story. */
static int fail(lua_State *L, const l_kernel *k) {
    l_push_kernel(L, 1);
    l_check_acting(L, k, lua_gettop(L));
    return l_fail_at_user(L, lua_gettop(L), why_not_waiting(L, k));
}

l_story *l_check_waiting(lua_State *L) {
    const l_kernel *k = l_check_story(L, 1)->kernel;
    l_story *story = k->current;
    if (!story || k->journal.is_reading || story->thread != L || !lua_isyieldable(L))
        fail(L, k);
    return story;
}

static int park(lua_State *L, l_story *story, int missing) {
    story->index = 0;
    story->missing = missing;
    story->is_parked = true;
    return lua_yield(L, 0);
}

__attribute__((noinline)) static int refuse_seconds(lua_State *L, double seconds) {
    return luaL_error(L, "wait: the seconds must not be negative or NaN, got %s",
                      isnan(seconds) ? "NaN" : l_number_text(seconds).text);
}

static inline int wait_until(lua_State *L, l_story *story, double t, int index) {
    if (l_go_on_at(L, story->kernel, t, index))
        return 0;
    l_timer_add(L, story->kernel, story, t, index);
    return park(L, story, 0);
}

/* s:wait(seconds) */
static int l_wait(lua_State *L) {
    l_story *story = l_check_waiting(L);
    const double seconds = luaL_checknumber(L, 2);
    if (!(seconds >= 0))
        return refuse_seconds(L, seconds);
    return wait_until(L, story, story->kernel->now + seconds, 0);
}

/* s:park_until(t) */
static int l_park_until(lua_State *L) {
    return wait_until(L, l_check_waiting(L), luaL_checknumber(L, 2), 1);
}

/* index = s:park(n): waits for one of the conditions that were armed, or for n of them; none is like 1 */
static int l_park(lua_State *L) {
    l_story *story = l_check_waiting(L);
    const int missing = (int)luaL_optinteger(L, 2, 0);
    if (missing > 0) {
        l_push_kernel(L, 1);
        lua_getiuservalue(L, -1, UV_KERNEL_MET);
        lua_createtable(L, missing, 0);
        lua_rawseti(L, -2, story->id);
    }
    return park(L, story, missing);
}

/* s:arm_deadline(t) */
static int l_arm_deadline(lua_State *L) {
    l_story *story = l_check_waiting(L);
    l_timer_add(L, story->kernel, story, luaL_checknumber(L, 2), L_DEADLINE);
    return 0;
}

/* s:arm_timer(t, index) */
static int l_arm_timer(lua_State *L) {
    l_story *story = l_check_waiting(L);
    l_timer_add(L, story->kernel, story, luaL_checknumber(L, 2), (int)luaL_checkinteger(L, 3));
    return 0;
}

/* s:arm_list(key, index) */
static int l_arm_list(lua_State *L) {
    l_story *story = l_check_waiting(L);
    luaL_checkany(L, 2);
    if (lua_type(L, 2) == LUA_TUSERDATA)
        l_check_story(L, 2)->is_awaited = true;
    const int index = (int)luaL_checkinteger(L, 3);
    l_push_kernel(L, 1);
    l_wait_in_list(L, story->kernel, lua_gettop(L), 2, index);
    return 0;
}

/* s:arm_event(part, event, index) */
static int l_arm_event(lua_State *L) {
    l_story *story = l_check_waiting(L);
    const int part = l_check_place(L, 2), event = l_check_place(L, 3), index = (int)luaL_checkinteger(L, 4);
    l_push_kernel(L, 1);
    l_push_event_key(L, part, event);
    l_wait_in_list(L, story->kernel, lua_gettop(L) - 1, lua_gettop(L), index);
    l_await_event(L, story->kernel, part, event);
    return 0;
}

/* token = s:token(): of the wait that the story that runs begins next */
static int l_token(lua_State *L) {
    lua_pushinteger(L, l_check_waiting(L)->token);
    return 1;
}

/* woken = s:wake(token, index) */
static int l_wake_one(lua_State *L) {
    l_story *story = l_check_story(L, 1);
    const uint32_t token = (uint32_t)luaL_checkinteger(L, 2);
    l_push_kernel(L, 1);
    lua_pushboolean(L, l_wake(L, story->kernel, lua_gettop(L), story, token, (int)luaL_checkinteger(L, 3)));
    return 1;
}

/* waits = s:is_waiting(token): whether its wait with that token goes on, woken or not */
static int l_is_waiting(lua_State *L) {
    const l_story *story = l_check_story(L, 1);
    lua_pushboolean(L, story->thread && story->token == (uint32_t)luaL_checkinteger(L, 2));
    return 1;
}

/* endless = s:pass(): counts a wait that took no time; whether these are too many for one instant */
static int l_pass(lua_State *L) {
    l_story *story = l_check_waiting(L);
    lua_pushboolean(L,
                    ++story->resume_count > sal_simulator_config_of(story->kernel->core->sim)->max_events_per_instant);
    return 1;
}

/* s:hold_seats(holds): whether the host must hear of its end */
static int l_hold_seats(lua_State *L) {
    l_check_story(L, 1)->has_seats = lua_toboolean(L, 2);
    return 0;
}

/* s:disarm(): what was armed since the last wait wakes nobody */
static int l_disarm(lua_State *L) {
    l_story *story = l_check_waiting(L);
    story->token++;
    story->kernel->timers.stale += story->timer_count;
    story->timer_count = 0;
    return 0;
}

/* yes = core.is_story(value) */
int l_is_story(lua_State *L) {
    const l_story *story = lua_type(L, 1) == LUA_TUSERDATA ? lua_touserdata(L, 1) : NULL;
    lua_pushboolean(L, story && lua_rawlen(L, 1) == sizeof *story && story->class == &l_story_class);
    return 1;
}

static const char *state_of(const l_story *story) {
    if (!story->thread)
        return "ended";
    if (story->kernel->current == story)
        return "running";
    return story->is_queued ? "ready" : "parked";
}

/* state = s:state(): "ended", "running", "ready" or "parked" */
static int l_state(lua_State *L) {
    lua_pushstring(L, state_of(l_check_story(L, 1)));
    return 1;
}

/* s:story_thread(): its coroutine, nil if it has ended */
static int l_thread(lua_State *L) {
    l_check_story(L, 1);
    lua_getiuservalue(L, 1, UV_STORY_THREAD);
    return 1;
}

/* fn = s:unbegun(): the function of a story that has not begun */
static int l_unbegun(lua_State *L) {
    const l_story *story = l_check_story(L, 1);
    if (!story->thread || lua_status(story->thread) != LUA_OK || story->kernel->current == story)
        return 0;
    lua_pushvalue(story->thread, 1);
    lua_xmove(story->thread, L, 1);
    return 1;
}

/* id = s:id(): from 1, in the order of spawning */
static int l_id(lua_State *L) {
    lua_pushinteger(L, l_check_story(L, 1)->id);
    return 1;
}

/* "s:name()" for each verb here; lua/saltus/story/verbs.lua adds the others. */
static const luaL_Reg verbs[] = {{"id", l_id},
                                 {"wait", l_wait},
                                 {"park", l_park},
                                 {"park_until", l_park_until},
                                 {"arm_timer", l_arm_timer},
                                 {"arm_list", l_arm_list},
                                 {"arm_event", l_arm_event},
                                 {"token", l_token},
                                 {"wake", l_wake_one},
                                 {"is_waiting", l_is_waiting},
                                 {"state", l_state},
                                 {"pass", l_pass},
                                 {"hold_seats", l_hold_seats},
                                 {"arm_deadline", l_arm_deadline},
                                 {"thread", l_thread},
                                 {"unbegun", l_unbegun},
                                 {"disarm", l_disarm},
                                 {NULL, NULL}};

static const luaL_Reg meta[] = {{NULL, NULL}};

const l_class l_story_class = {L_STORY, meta, {NULL}};

void l_open_story(lua_State *L) {
    luaL_newlib(L, verbs);
    lua_setfield(L, -2, "story_verbs");
}
