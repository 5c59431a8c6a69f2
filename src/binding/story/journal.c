/* Writes and reads the records of a journal. */
#include "journal.h"

#include <string.h>

/* ---- writing ---- */

static void grow(lua_State *L, l_kernel *k, size_t size) {
    l_journal *j = &k->journal;
    size_t wanted = j->capacity > 0 ? j->capacity + j->capacity / 2 : 64;
    wanted = wanted < size ? size : wanted;
    unsigned char *grown = k->core->mem.resize(k->core->mem.user, j->bytes, j->capacity, wanted);
    if (!grown)
        luaL_error(L, "not enough memory");
    j->bytes = grown;
    j->capacity = wanted;
}

/* Room for that many bytes, behind those that are there. */
static inline unsigned char *room(lua_State *L, l_kernel *k, size_t size) {
    const size_t wanted = k->journal.size + size;
    if (wanted > k->journal.capacity)
        grow(L, k, wanted);
    return k->journal.bytes + k->journal.size;
}

static inline unsigned char *add(lua_State *L, l_kernel *k, size_t size) {
    unsigned char *to = room(L, k, size);
    k->journal.size += size;
    return to;
}

static bool is_silent(const l_kernel *k) {
    return !k->journal.is_kept || k->journal.is_retelling || k->journal.is_reading;
}

/* Returns its end. */
static inline unsigned char *put_number(unsigned char *to, uint64_t number) {
    for (; number >= 128; number >>= 7)
        *to++ = (unsigned char)(number | 128);
    *to++ = (unsigned char)number;
    return to;
}

enum { LONGEST = 10 }; /* bytes of a number */

static void add_head(lua_State *L, l_kernel *k, l_note_kind kind, int count, uint64_t first, uint64_t second) {
    unsigned char *to = room(L, k, 1 + 2 * LONGEST);
    *to++ = (unsigned char)kind;
    if (count > 0)
        to = put_number(to, first);
    if (count > 1)
        to = put_number(to, second);
    k->journal.size = (size_t)(to - k->journal.bytes);
}

void l_note_room(lua_State *L, l_kernel *k) {
    if (!is_silent(k))
        room(L, k, 1 + sizeof(double) + 1 + 1 + 2 * LONGEST);
}

void l_note(lua_State *L, l_kernel *k, l_note_kind kind) {
    if (!is_silent(k))
        *add(L, k, 1) = (unsigned char)kind;
}

void l_note_time(lua_State *L, l_kernel *k, double time) {
    if (is_silent(k))
        return;
    unsigned char *to = add(L, k, 1 + sizeof time);
    *to = L_NOTE_TIME;
    memcpy(to + 1, &time, sizeof time);
}

void l_note_numbers(lua_State *L, l_kernel *k, l_note_kind kind, int count, uint64_t first, uint64_t second) {
    if (!is_silent(k))
        add_head(L, k, kind, count, first, second);
}

static void add_bytes(lua_State *L, l_kernel *k, const void *bytes, size_t size) {
    if (size > 0)
        memcpy(add(L, k, size), bytes, size);
}

static void note_text(lua_State *L, l_kernel *k, l_note_kind kind, uint64_t key, int text) {
    size_t size = 0;
    const char *bytes = luaL_checklstring(L, text, &size);
    const bool has_key = kind == L_NOTE_STRING || kind == L_NOTE_DATA;
    add_head(L, k, kind, has_key ? 2 : 1, has_key ? key : size, size);
    add_bytes(L, k, bytes, size);
}

static void note_integer(lua_State *L, l_kernel *k, uint64_t key, lua_Integer value) {
    add_head(L, k, L_NOTE_INTEGER, 1, key, 0);
    add_bytes(L, k, &value, sizeof value);
}

static void note_float(lua_State *L, l_kernel *k, uint64_t key, double value) {
    add_head(L, k, L_NOTE_NUMBER, 1, key, 0);
    add_bytes(L, k, &value, sizeof value);
}

/* ---- reading ---- */

static bool get_number(l_journal *j, uint64_t *number) {
    *number = 0;
    for (int shift = 0; shift < 64 && j->at < j->size; shift += 7) {
        const unsigned char byte = j->bytes[j->at++];
        *number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

static bool get_bytes(l_journal *j, size_t size, const char **bytes) {
    if (size > j->size - j->at)
        return false;
    *bytes = (const char *)j->bytes + j->at;
    j->at += size;
    return true;
}

static bool get_value(l_journal *j, double *value) {
    const char *bytes = NULL;
    if (!get_bytes(j, sizeof *value, &bytes))
        return false;
    memcpy(value, bytes, sizeof *value);
    return true;
}

static bool get_text(l_journal *j, l_journal_note *note) {
    uint64_t size = 0;
    note->size = 0;
    if (!get_number(j, &size) || size > j->size - j->at)
        return false;
    note->size = (size_t)size;
    return get_bytes(j, note->size, &note->bytes);
}

/* What follows the kind of a record: numbers, a value, a text. */
static const struct shape {
    unsigned char numbers;
    bool has_value, has_text;
} shapes[L_NOTE_COUNT] = {
    [L_NOTE_TIME] = {0, true, false},    [L_NOTE_DUE] = {0, false, false},   [L_NOTE_LATE] = {0, false, false},
    [L_NOTE_HEARD] = {2, false, false},  [L_NOTE_WATCH] = {1, false, false}, [L_NOTE_TURN] = {2, false, false},
    [L_NOTE_FAILED] = {0, false, false}, [L_NOTE_SPAWN] = {0, false, false}, [L_NOTE_CANCEL] = {1, false, false},
    [L_NOTE_EMIT] = {0, false, true},    [L_NOTE_KEY] = {0, false, true},    [L_NOTE_NUMBER] = {1, true, false},
    [L_NOTE_INTEGER] = {1, true, false}, [L_NOTE_NIL] = {1, false, false},   [L_NOTE_FALSE] = {1, false, false},
    [L_NOTE_TRUE] = {1, false, false},   [L_NOTE_STRING] = {1, false, true}, [L_NOTE_DATA] = {1, false, true},
};

bool l_journal_next(l_journal *j, l_journal_note *note) {
    if (j->at >= j->size || j->bytes[j->at] == 0 || j->bytes[j->at] >= L_NOTE_COUNT)
        return false;
    const struct shape *shape = &shapes[note->kind = (l_note_kind)j->bytes[j->at++]];
    for (int i = 0; i < shape->numbers; i++)
        if (!get_number(j, &note->number[i]))
            return false;
    if (shape->has_value && !get_value(j, &note->value))
        return false;
    return !shape->has_text || get_text(j, note);
}

void l_journal_free(l_kernel *k) {
    if (k->journal.bytes)
        k->core->mem.resize(k->core->mem.user, k->journal.bytes, k->journal.capacity, 0);
    k->journal = (l_journal){0};
}

/* ---- methods of a kernel ---- */

/* kernel:note_read(key, value): a number, a text, a boolean or nil; with a third argument, `value` is serialized
 * data */
static int l_note_read(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    const uint64_t key = (uint64_t)luaL_checkinteger(L, 2);
    const int type = lua_type(L, 3);
    if (is_silent(k))
        return 0;
    if (type == LUA_TNUMBER && lua_isinteger(L, 3))
        note_integer(L, k, key, lua_tointeger(L, 3));
    else if (type == LUA_TNUMBER)
        note_float(L, k, key, lua_tonumber(L, 3));
    else if (type == LUA_TSTRING)
        note_text(L, k, lua_toboolean(L, 4) ? L_NOTE_DATA : L_NOTE_STRING, key, 3);
    else if (type == LUA_TBOOLEAN)
        add_head(L, k, lua_toboolean(L, 3) ? L_NOTE_TRUE : L_NOTE_FALSE, 1, key, 0);
    else
        add_head(L, k, L_NOTE_NIL, 1, key, 0);
    return 0;
}

/* noted = kernel:note_number(key, value): false, and nothing noted, unless a story that runs has read a float */
static int l_note_number(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    const bool notes = lua_type(L, 3) == LUA_TNUMBER && !lua_isinteger(L, 3) && k->current && !is_silent(k);
    if (notes)
        note_float(L, k, (uint64_t)luaL_checkinteger(L, 2), lua_tonumber(L, 3));
    lua_pushboolean(L, notes);
    return 1;
}

/* kernel:note_key(name), kernel:note_emit(bytes) */
static int l_note_key(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    if (!is_silent(k))
        note_text(L, k, L_NOTE_KEY, 0, 2);
    return 0;
}

static int l_note_emit(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    if (!is_silent(k))
        note_text(L, k, L_NOTE_EMIT, 0, 2);
    return 0;
}

/* kernel:keep_journal(bytes or nil): from now on notes are kept; `bytes` are an earlier journal, to be told again */
static int l_keep_journal(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    k->journal.is_kept = true;
    if (lua_isnoneornil(L, 2))
        return 0;
    size_t size = 0;
    const char *bytes = luaL_checklstring(L, 2, &size);
    add_bytes(L, k, bytes, size);
    return 0;
}

/* kernel:read_outside(fn, ...): its one result; stories told again do not call it, so it may do nothing to them */
static int l_read_outside(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    k->journal.is_reading = true;
    const int failed = lua_pcall(L, lua_gettop(L) - 2, 1, 0);
    k->journal.is_reading = false;
    return failed ? lua_error(L) : 1;
}

/* kernel:is_noting(): whether what is read is noted, for it is neither told again nor read for s:read */
static int l_is_noting(lua_State *L) {
    lua_pushboolean(L, !is_silent(l_check_kernel(L, 1)));
    return 1;
}

void l_check_acting(lua_State *L, const l_kernel *k, int kernel) {
    if (k->journal.is_reading)
        l_fail_at_user(L, kernel,
                       "the function of s:read only reads; it cannot wait, draw numbers, or do anything to stories");
}

/* kernel:check_acting(): raises within a function of s:read */
static int l_check_acts(lua_State *L) {
    l_check_acting(L, l_check_kernel(L, 1), 1);
    return 0;
}

/* bytes = kernel:journal() */
static int l_journal_bytes(lua_State *L) {
    const l_kernel *k = l_check_kernel(L, 1);
    lua_pushlstring(L, k->journal.size > 0 ? (const char *)k->journal.bytes : "", k->journal.size);
    return 1;
}

static int l_journal_size(lua_State *L) {
    lua_pushinteger(L, (lua_Integer)l_check_kernel(L, 1)->journal.size);
    return 1;
}

const luaL_Reg l_journal_methods[] = {{"note_read", l_note_read},
                                      {"note_number", l_note_number},
                                      {"note_key", l_note_key},
                                      {"note_emit", l_note_emit},
                                      {"keep_journal", l_keep_journal},
                                      {"journal", l_journal_bytes},
                                      {"journal_size", l_journal_size},
                                      {"read_outside", l_read_outside},
                                      {"is_noting", l_is_noting},
                                      {"check_acting", l_check_acts},
                                      {NULL, NULL}};
