/* Lua's patterns, with a charge for each step, because the search for a match can take longer than any script may
 * last: ("a"):rep(99):find(("a-"):rep(40) .. "b"). Meaning and messages are those of lstrlib.c. */
#ifndef SAL_PATTERN_H
#define SAL_PATTERN_H

#include <lauxlib.h>

#include "limits.h"

enum { L_MAX_CAPTURES = 32 };

typedef struct l_capture {
    const char *from;
    ptrdiff_t size; /* or one of these */
} l_capture;
enum { L_OPEN_CAPTURE = -1, L_POSITION_CAPTURE = -2 };

typedef struct l_match {
    lua_State *L;
    l_limits *limits;
    const char *text, *text_end, *pattern_end;
    int depth_left;
    int capture_count;
    l_capture capture[L_MAX_CAPTURES];
} l_match;

void l_match_begin(l_match *m, lua_State *L, const char *text, size_t size, const char *pattern, size_t pattern_size);
/* Returns the end of the match that begins at `at`, NULL if there is none; clears the captures first. */
const char *l_match_here(l_match *m, const char *at, const char *pattern);
/* Pushes capture i, from 0 on; the whole match, from `from` until before `to`, if there are no captures. */
void l_push_capture(l_match *m, int i, const char *from, const char *to);
/* Pushes all captures; returns their number. With `from` NULL: none where the pattern has none. */
int l_push_captures(l_match *m, const char *from, const char *to);
/* Returns where `what` begins in the text, or NULL; charges what is read. */
const char *l_find_plain(l_match *m, const char *from, const char *what, size_t size);

extern const luaL_Reg l_pattern_functions[]; /* find, match, gmatch, gsub */

#endif
