/* Tells stories again from their journal: the same happenings in the same order, without the simulator. Stories read
 * what the journal has; lua/saltus/story/ keeps what they write silent. */
#include "journal.h"

#include <math.h>
#include <string.h>

/* A difference between the journal and what the stories do: pushes why, and the story or nil. */
static int differs(lua_State *L, int kernel, const char *why, const l_story *story) {
    lua_pushstring(L, why);
    if (story)
        l_push_anchored(L, kernel, story);
    else
        lua_pushnil(L);
    return 2;
}

static int turn(lua_State *L, l_kernel *k, int kernel, const l_journal_note *note) {
    l_story *story = l_ready_first(L, k, kernel);
    if (!story)
        return differs(L, kernel, "no story continues where one continued before the save", NULL);
    if (story->id != note->number[0] || (uint32_t)story->index != note->number[1])
        return differs(L, kernel, "another story continues than before the save", story);
    l_ready_take(k);
    const bool went_on = l_resume_story(L, k, kernel, story);
    if (!went_on) {
        l_journal ahead = k->journal;
        l_journal_note next;
        if (!l_journal_next(&ahead, &next) || next.kind != L_NOTE_FAILED) {
            lua_pop(L, 1); /* the traceback */
            lua_pushliteral(L, "failed");
            lua_insert(L, -2);
            l_drop_reference(L, kernel, story);
            return 2;
        }
        k->journal.at = ahead.at;
        lua_pop(L, 2);
    }
    l_drop_reference(L, kernel, story);
    return 0;
}

/* host[what](host, ...): what the host did itself */
static void call_host(lua_State *L, int kernel, const char *what, const l_journal_note *note) {
    lua_getiuservalue(L, kernel, UV_KERNEL_HOST);
    lua_getfield(L, -1, what);
    lua_insert(L, -2);
    if (note->kind == L_NOTE_EMIT)
        lua_pushlstring(L, note->bytes, note->size);
    else
        lua_pushinteger(L, (lua_Integer)note->number[0]);
    lua_call(L, 2, 0);
}

static int pass_time(lua_State *L, l_kernel *k, int kernel, double time) {
    if (!(time > k->now && isfinite(time)) && k->instant > 0)
        return differs(L, kernel, "time goes back", NULL);
    k->now = time;
    k->instant++;
    return 0;
}

static int happen(lua_State *L, l_kernel *k, int kernel, const l_journal_note *note) {
    switch (note->kind) {
    case L_NOTE_TIME:
        return pass_time(L, k, kernel, note->value);
    case L_NOTE_DUE:
        l_timer_wake_due(L, k, kernel, false);
        return 0;
    case L_NOTE_LATE:
        l_timer_wake_due(L, k, kernel, true);
        return 0;
    case L_NOTE_HEARD:
        l_wake_event(L, k, kernel, (int)note->number[0], (int)note->number[1]);
        return 0;
    case L_NOTE_WATCH:
        l_wake_watch(L, k, kernel, (int64_t)note->number[0]);
        return 0;
    case L_NOTE_TURN:
        return turn(L, k, kernel, note);
    case L_NOTE_SPAWN:
        call_host(L, kernel, "spawn_again", note);
        return 0;
    case L_NOTE_CANCEL:
        call_host(L, kernel, "cancel_again", note);
        return 0;
    case L_NOTE_EMIT:
        call_host(L, kernel, "emit_again", note);
        return 0;
    default:
        return differs(L, kernel, "a story read less than before", NULL);
    }
}

static int retell(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    l_journal_note note = {0};
    lua_settop(L, 1);
    while (k->journal.at < k->journal.size) {
        if (!l_journal_next(&k->journal, &note))
            return differs(L, 1, "it is damaged", NULL);
        const int ended = happen(L, k, 1, &note);
        if (ended > 0)
            return ended;
        lua_settop(L, 1);
    }
    return 0;
}

/* why, story = kernel:retell(): nothing if all was told; "failed" and an error object; else how they differ */
static int l_retell(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    lua_settop(L, 1);
    lua_pushcfunction(L, retell);
    lua_insert(L, 1);
    k->journal.is_retelling = k->is_running = true;
    k->journal.at = 0;
    const int failed = l_call_stories(L, k, 1);
    k->journal.is_retelling = k->is_running = k->is_stopping = false;
    k->current = NULL;
    return failed ? lua_error(L) : lua_gettop(L);
}

/* kernel:recall(key): what the journal has for a read; raises if it has another key, or something else */
static int l_recall(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    const uint64_t key = (uint64_t)luaL_checkinteger(L, 2);
    l_journal_note note = {0};
    const l_journal before = k->journal;
    if (!l_journal_next(&k->journal, &note) || note.kind < L_NOTE_NUMBER || note.number[0] != key) {
        k->journal = before;
        return 0;
    }
    lua_pushboolean(L, note.kind == L_NOTE_DATA);
    if (note.kind == L_NOTE_NUMBER)
        lua_pushnumber(L, note.value);
    else if (note.kind == L_NOTE_INTEGER) {
        lua_Integer value = 0;
        memcpy(&value, &note.value, sizeof value);
        lua_pushinteger(L, value);
    } else if (note.kind == L_NOTE_NIL)
        lua_pushnil(L);
    else if (note.kind == L_NOTE_FALSE || note.kind == L_NOTE_TRUE)
        lua_pushboolean(L, note.kind == L_NOTE_TRUE);
    else
        lua_pushlstring(L, note.bytes, note.size);
    return 2;
}

/* same = kernel:recall_key(name): whether the journal has this new key here */
static int l_recall_key(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    size_t size = 0;
    const char *name = luaL_checklstring(L, 2, &size);
    l_journal_note note = {0};
    const bool same = l_journal_next(&k->journal, &note) && note.kind == L_NOTE_KEY && note.size == size &&
                      memcmp(note.bytes, name, size) == 0;
    lua_pushboolean(L, same);
    return 1;
}

static int l_is_retelling(lua_State *L) {
    lua_pushboolean(L, l_check_kernel(L, 1)->journal.is_retelling);
    return 1;
}

const luaL_Reg l_retell_methods[] = {{"retell", l_retell},
                                     {"recall", l_recall},
                                     {"recall_key", l_recall_key},
                                     {"is_retelling", l_is_retelling},
                                     {NULL, NULL}};
