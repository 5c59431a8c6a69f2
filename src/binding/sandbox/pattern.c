/* The search for a match. */
#include "pattern.h"

#include <ctype.h>
#include <string.h>

enum { ESCAPE = '%', MOST_DEPTH = 200 };

static const char *match(l_match *m, const char *s, const char *p);

static void step(l_match *m, int64_t units) {
    if (!l_spend(m->limits, units))
        l_raise_spent(m->L);
}

static unsigned char byte(const char *s) {
    return (unsigned char)*s;
}

void l_match_begin(l_match *m, lua_State *L, const char *text, size_t size, const char *pattern, size_t pattern_size) {
    m->L = L;
    m->limits = l_limits_of(L);
    m->text = text;
    m->text_end = text + size;
    m->pattern_end = pattern + pattern_size;
}

const char *l_match_here(l_match *m, const char *at, const char *pattern) {
    m->capture_count = 0;
    m->depth_left = MOST_DEPTH;
    return match(m, at, pattern);
}

/* ---- one character ---- */

/* The end of a set that begins with '[' at p. */
static const char *set_end(l_match *m, const char *p) {
    const char *const from = p++;
    if (p < m->pattern_end && *p == '^')
        p++;
    do { /* a ] at the start is a member */
        if (p >= m->pattern_end)
            luaL_error(m->L, "malformed pattern (missing ']')");
        if (*p++ == ESCAPE) {
            if (p >= m->pattern_end)
                luaL_error(m->L, "malformed pattern (missing ']')");
            p++;
        }
    } while (p >= m->pattern_end || *p != ']');
    step(m, (p - from) / 8);
    return p + 1;
}

/* The end of the single-character item at p. */
static const char *item_end(l_match *m, const char *p) {
    if (*p == '[')
        return set_end(m, p);
    if (*p != ESCAPE)
        return p + 1;
    if (p + 1 >= m->pattern_end)
        luaL_error(m->L, "malformed pattern (ends with '%%')");
    return p + 2;
}

static bool in_class(int c, int class) {
    bool is;
    switch (tolower(class)) {
    case 'a':
        is = isalpha(c);
        break;
    case 'c':
        is = iscntrl(c);
        break;
    case 'd':
        is = isdigit(c);
        break;
    case 'g':
        is = isgraph(c);
        break;
    case 'l':
        is = islower(c);
        break;
    case 'p':
        is = ispunct(c);
        break;
    case 's':
        is = isspace(c);
        break;
    case 'u':
        is = isupper(c);
        break;
    case 'w':
        is = isalnum(c);
        break;
    case 'x':
        is = isxdigit(c);
        break;
    default:
        return class == c;
    }
    return isupper(class) ? !is : is;
}

/* The set begins at p and has its ']' at `last`. */
static bool in_set(l_match *m, int c, const char *p, const char *last) {
    const bool wanted = p[1] != '^';
    step(m, (last - p) / 8);
    p += wanted ? 1 : 2;
    for (; p < last; p++) {
        if (*p == ESCAPE) {
            p++;
            if (in_class(c, byte(p)))
                return wanted;
        } else if (p[1] == '-' && p + 2 < last) {
            if (byte(p) <= c && c <= byte(p + 2))
                return wanted;
            p += 2;
        } else if (byte(p) == c) {
            return wanted;
        }
    }
    return !wanted;
}

/* Whether the character at s matches the item from p until before `end`. */
static bool single(l_match *m, const char *s, const char *p, const char *end) {
    step(m, 1);
    if (s >= m->text_end)
        return false;
    const int c = byte(s);
    switch (*p) {
    case '.':
        return true;
    case ESCAPE:
        return in_class(c, byte(p + 1));
    case '[':
        return in_set(m, c, p, end - 1);
    default:
        return byte(p) == c;
    }
}

/* ---- repetitions ---- */

static const char *longest(l_match *m, const char *s, const char *p, const char *end) {
    ptrdiff_t count = 0;
    while (single(m, s + count, p, end))
        count++;
    for (; count >= 0; count--) {
        const char *found = match(m, s + count, end + 1);
        if (found)
            return found;
    }
    return NULL;
}

static const char *shortest(l_match *m, const char *s, const char *p, const char *end) {
    for (;; s++) {
        const char *found = match(m, s, end + 1);
        if (found)
            return found;
        if (!single(m, s, p, end))
            return NULL;
    }
}

/* ---- captures ---- */

static const char *open_capture(l_match *m, const char *s, const char *p, ptrdiff_t kind) {
    if (m->capture_count >= L_MAX_CAPTURES)
        luaL_error(m->L, "too many captures");
    m->capture[m->capture_count++] = (l_capture){s, kind};
    const char *found = match(m, s, p);
    if (!found)
        m->capture_count--;
    return found;
}

static const char *close_capture(l_match *m, const char *s, const char *p) {
    int i = m->capture_count - 1;
    while (i >= 0 && m->capture[i].size != L_OPEN_CAPTURE)
        i--;
    if (i < 0)
        luaL_error(m->L, "invalid pattern capture");
    m->capture[i].size = s - m->capture[i].from;
    const char *found = match(m, s, p);
    if (!found)
        m->capture[i].size = L_OPEN_CAPTURE;
    return found;
}

static const l_capture *captured(l_match *m, int digit) {
    const int i = digit - '1';
    if (i < 0 || i >= m->capture_count || m->capture[i].size == L_OPEN_CAPTURE)
        luaL_error(m->L, "invalid capture index %%%d", i + 1);
    return &m->capture[i];
}

/* The end of the text at s that repeats the capture. */
static const char *repeated(l_match *m, const char *s, int digit) {
    const l_capture *c = captured(m, digit);
    if (c->size < 0 || c->size > m->text_end - s) /* a position is no text */
        return NULL;
    step(m, c->size / 16);
    return memcmp(c->from, s, (size_t)c->size) == 0 ? s + c->size : NULL;
}

/* ---- %b and %f ---- */

static const char *balanced(l_match *m, const char *s, const char *p) {
    if (p + 1 >= m->pattern_end)
        luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
    if (s >= m->text_end || *s != *p)
        return NULL;
    int64_t depth = 1;
    for (s++; s < m->text_end; s++) {
        step(m, 1);
        if (*s == p[1]) {
            if (--depth == 0)
                return s + 1;
        } else if (*s == *p) {
            depth++;
        }
    }
    return NULL;
}

/* Whether a frontier of the set at p is at s. */
static bool at_frontier(l_match *m, const char *s, const char *p, const char *end) {
    const int before = s == m->text ? '\0' : byte(s - 1), after = s < m->text_end ? byte(s) : '\0';
    return !in_set(m, before, p, end - 1) && in_set(m, after, p, end - 1);
}

/* ---- the pattern ---- */

/* Matches the item at *p that is no repetition of a character; moves *s and *p behind it. False: another kind of item.
 * *s becomes NULL if it does not match. */
static bool special(l_match *m, const char **s, const char **p) {
    if (**p != ESCAPE || *p + 1 >= m->pattern_end)
        return false;
    const int kind = byte(*p + 1);
    if (kind == 'b') {
        *s = balanced(m, *s, *p + 2);
        *p += 4;
    } else if (kind == 'f') {
        *p += 2;
        if (*p >= m->pattern_end || **p != '[')
            luaL_error(m->L, "missing '[' after '%%f' in pattern");
        const char *end = set_end(m, *p);
        *s = at_frontier(m, *s, *p, end) ? *s : NULL;
        *p = end;
    } else if (isdigit(kind)) {
        *s = repeated(m, *s, kind);
        *p += 2;
    } else {
        return false;
    }
    return true;
}

/* Matches what follows p at s, which is at or behind a single-character item; NULL: no match. *next_s is where the
 * match continues, at *next_p, if it need not return here. */
static const char *item(l_match *m, const char *s, const char *p, const char **next_s, const char **next_p) {
    const char *end = item_end(m, p), how = end < m->pattern_end ? *end : '\0';
    if (how == '*')
        return longest(m, s, p, end);
    if (how == '-')
        return shortest(m, s, p, end);
    if (how == '+')
        return single(m, s, p, end) ? longest(m, s + 1, p, end) : NULL;
    const bool is = single(m, s, p, end);
    if (how == '?') {
        const char *found = is ? match(m, s + 1, end + 1) : NULL;
        if (found)
            return found;
        *next_s = s;
        *next_p = end + 1;
    } else if (is) {
        *next_s = s + 1;
        *next_p = end;
    }
    return NULL;
}

static const char *follow(l_match *m, const char *s, const char *p) {
    while (s && p < m->pattern_end) {
        step(m, 1);
        if (*p == '(')
            return p + 1 < m->pattern_end && p[1] == ')' ? open_capture(m, s, p + 2, L_POSITION_CAPTURE)
                                                         : open_capture(m, s, p + 1, L_OPEN_CAPTURE);
        if (*p == ')')
            return close_capture(m, s, p + 1);
        if (*p == '$' && p + 1 == m->pattern_end)
            return s == m->text_end ? s : NULL;
        if (special(m, &s, &p))
            continue;
        const char *next = NULL, *found = item(m, s, p, &next, &p);
        if (found)
            return found;
        s = next;
    }
    return s;
}

static const char *match(l_match *m, const char *s, const char *p) {
    if (m->depth_left-- == 0)
        luaL_error(m->L, "pattern too complex");
    const char *found = follow(m, s, p);
    m->depth_left++;
    return found;
}

/* ---- results ---- */

void l_push_capture(l_match *m, int i, const char *from, const char *to) {
    if (i >= m->capture_count) {
        if (i > 0)
            luaL_error(m->L, "invalid capture index %%%d", i + 1);
        lua_pushlstring(m->L, from, (size_t)(to - from));
        return;
    }
    const l_capture *c = &m->capture[i];
    if (c->size == L_OPEN_CAPTURE)
        luaL_error(m->L, "unfinished capture");
    if (c->size == L_POSITION_CAPTURE)
        lua_pushinteger(m->L, c->from - m->text + 1);
    else
        lua_pushlstring(m->L, c->from, (size_t)c->size);
}

int l_push_captures(l_match *m, const char *from, const char *to) {
    const int count = m->capture_count == 0 && from ? 1 : m->capture_count;
    luaL_checkstack(m->L, count, "too many captures");
    for (int i = 0; i < count; i++)
        l_push_capture(m, i, from, to);
    return count;
}

const char *l_find_plain(l_match *m, const char *from, const char *what, size_t size) {
    if (size == 0)
        return from;
    while ((size_t)(m->text_end - from) >= size) {
        const char *at = memchr(from, *what, (size_t)(m->text_end - from) - size + 1);
        step(m, 1 + ((at ? at : m->text_end) - from) / 16);
        if (!at)
            return NULL;
        step(m, (int64_t)(size / 16));
        if (memcmp(at, what, size) == 0)
            return at;
        from = at + 1;
    }
    return NULL;
}
