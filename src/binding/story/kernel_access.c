/* What lua/saltus/story/ asks a kernel: stories, events, random numbers, and counts. */
#include "base/threefry.h"
#include "engine/simulator.h"
#include "journal.h"

#define OF_STORIES UINT64_C(0x53544F52494553) /* the second word of the key: parts and sweeps use small numbers */

/* story = kernel:spawn(function, ...): it gets itself and the other arguments */
static int l_spawn(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    l_check_acting(L, k, 1);
    if (!k->current)
        l_note(L, k, L_NOTE_SPAWN);
    l_push_story(L, k, 1, lua_gettop(L) - 1);
    return 1;
}

/* kernel:wake_list(key): wakes all that wait in the list of this value */
static int l_emit(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    luaL_checkany(L, 2);
    lua_settop(L, 2);
    lua_pushinteger(L, l_wake_list(L, k, 1, 2));
    return 1;
}

/* kernel:cancel(story) */
static int l_cancel(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    l_story *story = l_check_story(L, 2);
    luaL_argcheck(L, story->kernel == k && story->thread, 2, "this story is not of this run, or it has ended");
    if (k->current == story)
        return luaL_error(L, "a story cannot cancel itself; it returns");
    if (!k->current)
        l_note_numbers(L, k, L_NOTE_CANCEL, 1, story->id, 0);
    l_close_story(L, k, 1, story);
    return 0;
}

/* kernel:observe(n): logs see event n of the host, counted from 1 */
static int l_observe(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    lua_getiuservalue(L, 1, UV_KERNEL_SIMULATOR);
    const l_frame outer = l_enter(L, k->core, lua_gettop(L));
    sal__run_observe_event(k->core->sim, l_check_place(L, 2));
    l_leave(k->core, outer);
    return 0;
}

/* kernel:stop(): the run ends before the next story runs */
static int l_stop(lua_State *L) {
    l_check_kernel(L, 1)->is_stopping = true;
    return 0;
}

/* x = kernel:draw(): uniform in (0, 1), of the stream of the story that runs */
static int l_draw(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    if (!k->current)
        return l_fail_at_user(L, 1, "only a story can draw random numbers here");
    l_check_acting(L, k, 1);
    const uint64_t key[2] = {k->draws.seed, OF_STORIES};
    const uint64_t counter[2] = {k->current->id, k->current->draw_count++};
    uint64_t out[2];
    k->draws.count++;
    sal__threefry2x64(key, counter, out);
    lua_pushnumber(L, sal__to_unit(out[0]));
    return 1;
}

/* kernel:requeue(): the story that runs will be ready when it has parked */
static int l_requeue(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    if (k->current && !k->current->is_queued)
        l_ready_add(L, k, k->current);
    return 0;
}

/* story = kernel:current(), stories = kernel:stories() by id, now, wakes, pending timers = kernel:counts() */
static int l_current(lua_State *L) {
    const l_kernel *k = l_check_kernel(L, 1);
    if (!k->current)
        return 0;
    l_push_anchored(L, 1, k->current);
    return 1;
}

static int l_stories(lua_State *L) {
    l_check_kernel(L, 1);
    lua_getiuservalue(L, 1, UV_KERNEL_STORIES);
    return 1;
}

static int l_counts(lua_State *L) {
    const l_kernel *k = l_check_kernel(L, 1);
    lua_pushnumber(L, k->now);
    lua_pushinteger(L, k->wake_count);
    lua_pushinteger(L, l_timer_count(k));
    lua_pushinteger(L, k->living_count);
    lua_pushinteger(L, k->draws.count);
    return 5;
}

/* time, seed = kernel:start(): before its first story; kernel:start(time, seed) sets both */
static int l_start(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    if (!lua_isnoneornil(L, 2)) {
        k->now = luaL_checknumber(L, 2);
        k->draws.seed = (uint64_t)luaL_checkinteger(L, 3);
    }
    lua_pushnumber(L, k->now);
    lua_pushinteger(L, (lua_Integer)k->draws.seed);
    return 2;
}

static int l_time(lua_State *L) {
    lua_pushnumber(L, l_check_kernel(L, 1)->now);
    return 1;
}

/* kernel:set_traced(is) */
static int l_set_traced(lua_State *L) {
    l_check_kernel(L, 1)->is_traced = lua_toboolean(L, 2);
    return 0;
}

static int l_is_running(lua_State *L) {
    lua_pushboolean(L, l_check_kernel(L, 1)->is_running);
    return 1;
}

const luaL_Reg l_kernel_access_methods[] = {{"spawn", l_spawn},
                                            {"wake_list", l_emit},
                                            {"cancel", l_cancel},
                                            {"stop", l_stop},
                                            {"requeue", l_requeue},
                                            {"current", l_current},
                                            {"stories", l_stories},
                                            {"counts", l_counts},
                                            {"start", l_start},
                                            {"time", l_time},
                                            {"wait_digests", l_wait_digests},
                                            {"draw", l_draw},
                                            {"set_traced", l_set_traced},
                                            {"observe", l_observe},
                                            {"is_running", l_is_running},
                                            {NULL, NULL}};
