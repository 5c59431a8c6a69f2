/* The journal of a kernel: what happened to its stories, from which they can be told again. */
#ifndef SAL_STORY_JOURNAL_H
#define SAL_STORY_JOURNAL_H

#include "story.h"

/* Records. Numbers of stories, indices and keys are written with 7 bits in a byte, lowest first. */
typedef enum {
    L_NOTE_TIME = 1, /* the time is now: 8 bytes */
    L_NOTE_DUE,      /* timers that were due woke stories */
    L_NOTE_LATE,     /* and deadlines */
    L_NOTE_HEARD,    /* an event was heard: part, event */
    L_NOTE_WATCH,    /* a watch fired: handle */
    L_NOTE_TURN,     /* a story ran: id, index */
    L_NOTE_FAILED,   /* and raised an error */
    L_NOTE_SPAWN,    /* the host spawned a story */
    L_NOTE_CANCEL,   /* the host cancelled one: id */
    L_NOTE_EMIT,     /* the host emitted an event: its name and data as bytes */
    L_NOTE_KEY,      /* a new key: bytes; keys are counted from 1 */
    L_NOTE_NUMBER,   /* a story read: key, 8 bytes */
    L_NOTE_INTEGER,  /* key, 8 bytes */
    L_NOTE_NIL,      /* key */
    L_NOTE_FALSE,    /* key */
    L_NOTE_TRUE,     /* key */
    L_NOTE_STRING,   /* key, bytes */
    L_NOTE_DATA,     /* key, bytes of serialize.lua */
    L_NOTE_COUNT
} l_note_kind;

/* Each raises if out of memory; they do nothing while stories are told again, or without a journal. */
void l_note(lua_State *L, l_kernel *k, l_note_kind kind);
void l_note_time(lua_State *L, l_kernel *k, double time);
void l_note_numbers(lua_State *L, l_kernel *k, l_note_kind kind, int count, uint64_t first, uint64_t second);

/* Room for the notes of a turn at a new time, none of which raises then. */
void l_note_room(lua_State *L, l_kernel *k);

/* Reading, from k->journal.at on; false at the end, or where the bytes are no journal. */
typedef struct l_journal_note {
    l_note_kind kind;
    uint64_t number[2];
    double value;
    const char *bytes;
    size_t size;
} l_journal_note;

bool l_journal_next(l_journal *journal, l_journal_note *note);

void l_journal_free(l_kernel *k);
extern const luaL_Reg l_journal_methods[]; /* of a kernel */

#endif
