/* What each story waits for, as a number: the journal does not have what a story waits for at last, so a save has
 * this. It differs where times, events, or other lists of those that wait differ. */
#include <string.h>

#include "story.h"

static uint32_t mixed(uint64_t bits, int64_t index) {
    bits = (bits ^ (uint64_t)index) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(bits ^ bits >> 32);
}

/* A key of the lists: the name of an event, its place, or an object, which has no number that a load would repeat. */
static uint64_t number_of_key(lua_State *L, int key) {
    if (lua_type(L, key) == LUA_TNUMBER)
        return (uint64_t)lua_tointeger(L, key);
    if (lua_type(L, key) != LUA_TSTRING)
        return 1;
    size_t size = 0;
    const char *text = lua_tolstring(L, key, &size);
    uint64_t number = size;
    for (size_t i = 0; i < size; i++)
        number = mixed(number, (unsigned char)text[i]);
    return number;
}

static l_story *living(lua_State *L, int stories, uint32_t id) {
    lua_rawgeti(L, stories, id);
    l_story *story = lua_touserdata(L, -1); /* anchored in the table */
    lua_pop(L, 1);
    return story && story->thread ? story : NULL;
}

static void add_timer(const l_timer *timer) {
    uint64_t bits = 0;
    memcpy(&bits, &timer->time, sizeof bits);
    if (timer->story->thread && timer->token == timer->story->token)
        timer->story->waits_for += mixed(bits, timer->index);
}

static void add_timers(const l_timers *timers) {
    const l_timer_run *run = &timers->run;
    for (int i = 0; i < run->count; i++)
        add_timer(&run->item[(run->first + i) & (run->capacity - 1)]);
    for (int i = 0; i < timers->heap.count; i++)
        add_timer(&timers->heap.item[i]);
}

/* The list is on top: { story, token, index, ... }. */
static void add_list(lua_State *L, uint64_t key) {
    const lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
    for (lua_Integer at = 1; at <= n; at += 3) {
        for (int i = 0; i < 3; i++)
            lua_rawgeti(L, -1 - i, at + i);
        l_story *story = lua_touserdata(L, -3);
        if (story->thread && story->token == (uint32_t)lua_tointeger(L, -2))
            story->waits_for += mixed(key, lua_tointeger(L, -1));
        lua_pop(L, 3);
    }
}

static void add_lists(lua_State *L, int kernel) {
    lua_getiuservalue(L, kernel, UV_KERNEL_WAITING);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
        if (lua_type(L, -1) == LUA_TTABLE)
            add_list(L, number_of_key(L, -2));
    lua_pop(L, 1);
}

/* bytes = kernel:wait_digests(): for each story that has not ended its id, 4 bytes, and its number, 4 bytes */
int l_wait_digests(lua_State *L) {
    const l_kernel *k = l_check_kernel(L, 1);
    lua_settop(L, 1);
    lua_getiuservalue(L, 1, UV_KERNEL_STORIES);
    for (uint32_t id = 1; id <= k->last_id; id++) {
        l_story *story = living(L, 2, id);
        if (story)
            story->waits_for = mixed((uint64_t)story->missing, story->is_queued);
    }
    add_timers(&k->timers);
    add_lists(L, 1);
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    for (uint32_t id = 1; id <= k->last_id; id++) {
        lua_rawgeti(L, 2, id);
        const l_story *story = lua_touserdata(L, -1);
        lua_pop(L, 1);
        if (!story || !story->thread)
            continue;
        luaL_addlstring(&out, (const char *)&story->id, sizeof story->id);
        luaL_addlstring(&out, (const char *)&story->waits_for, sizeof story->waits_for);
    }
    luaL_pushresult(&out);
    return 1;
}
