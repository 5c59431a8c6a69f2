/* Which stories are ready, and which wait for the same thing. */
#include <string.h>

#include "engine/simulator.h"
#include "journal.h"

void *l_story_grow(lua_State *L, l_kernel *k, void *items, int *capacity, size_t size) {
    const int wanted = *capacity > 0 ? 2 * *capacity : 16;
    void *grown = k->core->mem.resize(k->core->mem.user, items, (size_t)*capacity * size, (size_t)wanted * size);
    if (!grown)
        luaL_error(L, "not enough memory");
    *capacity = wanted;
    return grown;
}

/* The part that wrapped around moves behind the old end. */
void *l_story_grow_ring(lua_State *L, l_kernel *k, void *items, int first, int count, int *capacity, size_t size) {
    const int old = *capacity, wrapped = first + count - old;
    char *grown = l_story_grow(L, k, items, capacity, size);
    if (wrapped > 0)
        memcpy(grown + (size_t)old * size, grown, (size_t)wrapped * size);
    return grown;
}

/* ---- the queue of those that are ready ---- */

void l_ready_add(lua_State *L, l_kernel *k, l_story *story) {
    l_ready_queue *q = &k->ready;
    q->item = l_story_ring_room(L, k, q->item, q->first, q->count, 0, &q->capacity, sizeof *q->item);
    q->item[(q->first + q->count++) & (q->capacity - 1)] = story;
    story->is_queued = true;
    story->reference_count++;
}

void l_ready_free(l_kernel *k) {
    l_free_array(k->core, k->ready.item, k->ready.capacity, sizeof *k->ready.item);
    l_free_array(k->core, k->awaited.item, k->awaited.capacity, sizeof *k->awaited.item);
    l_free_array(k->core, k->heard.item, k->heard.capacity, sizeof *k->heard.item);
}

/* ---- waking ---- */

/* In a wait for all: whether condition `index` was not met before; now it is. */
static bool is_missing(lua_State *L, int kernel, const l_story *story, int index) {
    lua_getiuservalue(L, kernel, UV_KERNEL_MET);
    lua_rawgeti(L, -1, story->id);
    const bool is_met = lua_rawgeti(L, -1, index) == LUA_TBOOLEAN;
    lua_pop(L, 1);
    lua_pushboolean(L, true);
    lua_rawseti(L, -2, index);
    lua_pop(L, 2);
    return !is_met;
}

bool l_wake(lua_State *L, l_kernel *k, int kernel, l_story *story, uint32_t token, int index) {
    if (!story->thread || story->token != token || !story->is_parked)
        return false;
    if (story->missing > 0 && index != L_DEADLINE && (!is_missing(L, kernel, story, index) || --story->missing > 0))
        return true;
    if (!story->is_queued)
        l_ready_add(L, k, story);
    else if (index >= story->index)
        return true;
    story->index = index;
    story->waker = k->current ? k->current->id : 0;
    return true;
}

/* A list is { threshold = item 0, story, token, index, story, ... }. */
enum { ENTRY = 3, FEW = 16 };

static bool is_live(lua_State *L, int list, lua_Integer at) {
    lua_rawgeti(L, list, at);
    lua_rawgeti(L, list, at + 1);
    const l_story *story = lua_touserdata(L, -2);
    const bool is = story->thread && story->token == (uint32_t)lua_tointeger(L, -1);
    lua_pop(L, 2);
    return is;
}

static void move_item(lua_State *L, int list, lua_Integer from, lua_Integer to) {
    lua_rawgeti(L, list, from);
    lua_rawseti(L, list, to);
    lua_pushnil(L);
    lua_rawseti(L, list, from);
}

/* Removes those that no longer wait, each time that the list has doubled. Returns the number of items. */
static lua_Integer prune(lua_State *L, int list, lua_Integer n) {
    lua_rawgeti(L, list, 0);
    const lua_Integer threshold = lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (n < threshold)
        return n;
    lua_Integer left = 0;
    for (lua_Integer at = 1; at <= n; at += ENTRY)
        if (is_live(L, list, at)) {
            for (int i = 0; i < ENTRY && left + 1 + i != at + i; i++)
                move_item(L, list, at + i, left + 1 + i);
            left += ENTRY;
        }
    for (lua_Integer at = left + 1; at <= n; at++) {
        lua_pushnil(L);
        lua_rawseti(L, list, at);
    }
    lua_pushinteger(L, 2 * left + ENTRY * FEW);
    lua_rawseti(L, list, 0);
    return left;
}

/* Pushes the list of the value at `key`. */
static void push_list(lua_State *L, int kernel, int key) {
    lua_getiuservalue(L, kernel, UV_KERNEL_WAITING);
    lua_pushvalue(L, key);
    if (lua_rawget(L, -2) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_createtable(L, ENTRY, 1);
        lua_pushinteger(L, ENTRY * FEW);
        lua_rawseti(L, -2, 0);
        lua_pushvalue(L, key);
        lua_pushvalue(L, -2);
        lua_rawset(L, -4);
    }
    lua_remove(L, -2);
}

void l_wait_in_list(lua_State *L, l_kernel *k, int kernel, int key, int index) {
    push_list(L, kernel, key);
    const int list = lua_gettop(L);
    const lua_Integer n = prune(L, list, (lua_Integer)lua_rawlen(L, list));
    l_push_anchored(L, kernel, k->current);
    lua_rawseti(L, list, n + 1);
    lua_pushinteger(L, k->current->token);
    lua_rawseti(L, list, n + 2);
    lua_pushinteger(L, index);
    lua_rawseti(L, list, n + 3);
    lua_pop(L, 1);
}

static bool wake_entry(lua_State *L, l_kernel *k, int kernel, lua_Integer at) {
    lua_rawgeti(L, -1, at);
    lua_rawgeti(L, -2, at + 1);
    lua_rawgeti(L, -3, at + 2);
    l_story *story = lua_touserdata(L, -3);
    const bool woken = l_wake(L, k, kernel, story, (uint32_t)lua_tointeger(L, -2), (int)lua_tointeger(L, -1));
    lua_pop(L, 3);
    return woken;
}

int l_wake_list(lua_State *L, l_kernel *k, int kernel, int key) {
    int woken = 0;
    lua_getiuservalue(L, kernel, UV_KERNEL_WAITING);
    lua_pushvalue(L, key);
    if (lua_rawget(L, -2) == LUA_TTABLE) {
        lua_pushvalue(L, key);
        lua_pushnil(L);
        lua_rawset(L, -4);
        const lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
        for (lua_Integer at = 1; at <= n; at += ENTRY)
            woken += wake_entry(L, k, kernel, at);
    }
    lua_pop(L, 2);
    return woken;
}

/* ---- events of the model ---- */

static l_event_key *find(const l_event_list *list, int part, int event) {
    for (int i = 0; i < list->count; i++)
        if (list->item[i].part == part && list->item[i].event == event)
            return &list->item[i];
    return NULL;
}

void l_push_event_key(lua_State *L, int part, int event) {
    lua_pushinteger(L, (lua_Integer)part << 32 | (lua_Integer)event);
}

/* Room in `heard` is made here, so that hearing needs no memory. */
void l_await_event(lua_State *L, l_kernel *k, int part, int event) {
    l_event_key *known = find(&k->awaited, part, event);
    if (known) {
        known->waiting++;
        return;
    }
    k->awaited.item =
        l_story_room(L, k, k->awaited.item, k->awaited.count, &k->awaited.capacity, sizeof *k->awaited.item);
    while (k->heard.capacity < k->awaited.capacity)
        k->heard.item = l_story_room(L, k, k->heard.item, k->heard.capacity, &k->heard.capacity, sizeof *k->heard.item);
    k->awaited.item[k->awaited.count++] = (l_event_key){part, event, 1};
}

void l_halt(l_kernel *k) {
    k->expected_halts++;
    sal__run_halt_call(k->core->sim);
}

sal_status l_hear(void *user, sal_simulator *sim, sal_observation observation, int part, int event) {
    (void)sim;
    l_kernel *k = user;
    l_event_key *key = observation == SAL_OBSERVE_EVENT ? find(&k->awaited, part, event) : NULL;
    if (!key || key->waiting == 0)
        return SAL_OK;
    key->waiting = 0;
    k->heard.item[k->heard.count++] = *key;
    l_halt(k);
    return SAL_OK;
}

void l_wake_event(lua_State *L, l_kernel *k, int kernel, int part, int event) {
    l_event_key *key = find(&k->awaited, part, event);
    if (key)
        key->waiting = 0;
    l_push_event_key(L, part, event);
    l_wake_list(L, k, kernel, lua_gettop(L));
    lua_pop(L, 1);
}

void l_wake_heard(lua_State *L, l_kernel *k, int kernel) {
    for (int i = 0; i < k->heard.count; i++) {
        const l_event_key key = k->heard.item[i];
        l_note_numbers(L, k, L_NOTE_HEARD, 2, (uint64_t)key.part, (uint64_t)key.event);
        l_wake_event(L, k, kernel, key.part, key.event);
    }
    k->heard.count = 0;
}

/* Handles are above 0; so in the lists, their negative numbers are no event. */
int l_wake_watch(lua_State *L, l_kernel *k, int kernel, int64_t handle) {
    lua_pushinteger(L, -(lua_Integer)handle);
    const int woken = l_wake_list(L, k, kernel, lua_gettop(L));
    lua_pop(L, 1);
    return woken;
}
