/* One story: its start, its resumes and its end. */
#include <string.h>

#include "journal.h"

/* Releases of 5.4 close a thread under other names. */
static int close_thread(lua_State *L, lua_State *thread) {
#if LUA_VERSION_RELEASE_NUM >= 50406
    return lua_closethread(thread, L);
#elif LUA_VERSION_RELEASE_NUM == 50405
    return lua_resetthread(thread, L);
#else
    (void)L;
    return lua_resetthread(thread);
#endif
}

void l_push_anchored(lua_State *L, int kernel, const l_story *story) {
    lua_getiuservalue(L, kernel, UV_KERNEL_STORIES);
    lua_rawgeti(L, -1, story->id);
    lua_remove(L, -2);
}

static void anchor(lua_State *L, int kernel, lua_Integer id, int story) {
    lua_getiuservalue(L, kernel, UV_KERNEL_STORIES);
    if (story)
        lua_pushvalue(L, story);
    else
        lua_pushnil(L);
    lua_rawseti(L, -2, id);
    lua_pop(L, 1);
}

void l_release(lua_State *L, int kernel, const l_story *story) {
    anchor(L, kernel, story->id, 0);
}

/* The resumes at one instant count from the story that spawned it, so a chain of stories is bounded too. */
static void count_from(l_story *story, const l_kernel *k) {
    story->instant = k->instant;
    story->resume_count = k->current && k->current->instant == k->instant ? k->current->resume_count : 0;
}

/* The function and its `args` arguments, the first of which is the story itself, are on top. */
l_story *l_push_story(lua_State *L, l_kernel *k, int kernel, int args) {
    l_story *story = memset(lua_newuserdatauv(L, sizeof *story, UV_STORY_COUNT), 0, sizeof *story);
    lua_getiuservalue(L, kernel, UV_KERNEL_META);
    lua_setmetatable(L, -2);
    const int at = lua_gettop(L), function = at - args;
    lua_State *thread = lua_newthread(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, at, UV_STORY_THREAD);
    luaL_checkstack(thread, args + 4, "arguments of a story");
    lua_pushvalue(L, function);
    lua_pushvalue(L, at);
    for (int i = 1; i < args; i++)
        lua_pushvalue(L, function + i);
    lua_xmove(L, thread, args + 1);
    lua_settop(L, at);
    story->class = &l_story_class;
    story->kernel = k;
    story->thread = thread;
    story->id = ++k->last_id;
    k->living_count++;
    story->waker = k->current ? k->current->id : 0;
    count_from(story, k);
    anchor(L, kernel, story->id, at);
    l_ready_add(L, k, story);
    lua_replace(L, function);
    lua_settop(L, function);
    return story;
}

/* Wakes those that wait for its end. */
static void end_story(lua_State *L, l_kernel *k, int kernel, l_story *story) {
    l_push_anchored(L, kernel, story);
    const int at = lua_gettop(L);
    story->thread = NULL;
    k->living_count--;
    story->token++;
    k->timers.stale += story->timer_count;
    lua_pushnil(L);
    lua_setiuservalue(L, at, UV_STORY_THREAD);
    if (story->is_awaited)
        l_wake_list(L, k, kernel, at);
    if (story->has_seats) {
        lua_getiuservalue(L, kernel, UV_KERNEL_HOST);
        lua_getfield(L, -1, "end_story");
        lua_insert(L, -2);
        lua_pushvalue(L, at);
        lua_call(L, 2, 0);
    }
    if (story->reference_count == 0)
        l_release(L, kernel, story);
    lua_pop(L, 1);
}

/* host.trace(host, story, waker) */
static void trace(lua_State *L, int kernel, const l_story *story) {
    lua_getiuservalue(L, kernel, UV_KERNEL_HOST);
    lua_getfield(L, -1, "trace_turn");
    lua_insert(L, -2);
    l_push_anchored(L, kernel, story);
    lua_pushinteger(L, story->waker);
    lua_call(L, 3, 0);
}

void l_begin_turn(lua_State *L, l_kernel *k, l_story *story) {
    story->token++;
    k->timers.stale += story->timer_count;
    story->timer_count = 0;
    story->missing = 0;
    story->is_queued = story->is_parked = false;
    if (story->instant != k->instant)
        story->resume_count = 0;
    story->instant = k->instant;
    story->resume_count++;
    k->wake_count++;
    k->current = story;
    l_note_numbers(L, k, L_NOTE_TURN, 2, story->id, (uint32_t)story->index);
}

/* The arguments of a resume: those of its function the first time, then the index of what woke it, if it has one. */
static int push_arguments(l_story *story) {
    if (lua_status(story->thread) != LUA_YIELD)
        return lua_gettop(story->thread) - 1;
    if (story->index == 0)
        return 0;
    lua_pushinteger(story->thread, story->index);
    return 1;
}

/* Leaves the error object and its traceback on L. */
static bool fail(lua_State *L, l_kernel *k, int kernel, l_story *story) {
    luaL_traceback(L, story->thread, NULL, 0);
    lua_xmove(story->thread, L, 1);
    lua_insert(L, -2);
    close_thread(L, story->thread);
    end_story(L, k, kernel, story);
    return false;
}

static bool fail_with(lua_State *L, l_kernel *k, int kernel, l_story *story, const char *why) {
    luaL_where(story->thread, 1); /* level 0 is coroutine.yield */
    lua_pushstring(story->thread, why);
    lua_concat(story->thread, 2);
    return fail(L, k, kernel, story);
}

bool l_resume_story(lua_State *L, l_kernel *k, int kernel, l_story *story) {
    if (k->is_traced && !k->journal.is_retelling)
        trace(L, kernel, story);
    l_begin_turn(L, k, story);
    int results = 0;
    if (k->is_hooked)
        lua_sethook(story->thread, lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L));
    const int status = lua_resume(story->thread, L, push_arguments(story), &results);
    k->current = NULL;
    if (status == LUA_YIELD) {
        if (results > 0)
            lua_pop(story->thread, results);
        return story->is_parked || fail_with(L, k, kernel, story,
                                             "a story waits with the verbs of s, such as s:wait, not with "
                                             "coroutine.yield");
    }
    if (status != LUA_OK)
        return fail(L, k, kernel, story);
    end_story(L, k, kernel, story);
    return true;
}

void l_hook_story(l_kernel *k, lua_Hook hook, int mask, int count) {
    k->is_hooked = true;
    const l_story *story = k->current;
    if (story && story->thread)
        lua_sethook(story->thread, hook, mask, count);
}

void l_close_story(lua_State *L, l_kernel *k, int kernel, l_story *story) {
    lua_State *thread = story->thread;
    const bool failed = close_thread(L, thread) != LUA_OK;
    if (failed)
        lua_xmove(thread, L, 1);
    end_story(L, k, kernel, story);
    if (failed)
        lua_error(L);
}
