/* Whether bytes that somebody saved are plain data as lua/saltus/util/serialize.lua writes it, so that reading them
 * cannot fail:
 *
 *   f double, i int64, s length bytes, 1, 0, n (nil), t count (key value)...
 * A key is a number other than NaN, a string or a boolean. Tables nest so far that Lua can read them. */
#include <string.h>

#include "binding.h"

enum { DEEPEST = 1000 }; /* as in lua/saltus/util/serialize.lua */

/* How many keys and values each table still wants, from the outermost inwards; before them, the whole wants one. */
typedef struct nest {
    uint64_t wanted[1 + DEEPEST];
    size_t depth;
} nest;

typedef struct reader {
    const char *at, *end;
} reader;

static sal_status push(nest *n, uint64_t wanted) {
    if (n->depth > DEEPEST)
        return SAL_EINVAL;
    n->wanted[n->depth++] = wanted;
    return SAL_OK;
}

static bool take(reader *r, void *to, size_t size) {
    if ((size_t)(r->end - r->at) < size)
        return false;
    memcpy(to, r->at, size);
    r->at += size;
    return true;
}

/* Little-endian, on every machine. */
static bool take_length(reader *r, uint32_t *length) {
    unsigned char byte[4];
    if (!take(r, byte, sizeof byte))
        return false;
    *length = (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
    return true;
}

static bool skip_text(reader *r) {
    uint32_t length;
    if (!take_length(r, &length) || (size_t)(r->end - r->at) < length)
        return false;
    r->at += length;
    return true;
}

static bool skip_float(reader *r, bool is_key) {
    double x;
    return take(r, &x, sizeof x) && !(is_key && x != x);
}

static bool skip_integer(reader *r) {
    int64_t i;
    return take(r, &i, sizeof i);
}

/* All but tables. */
static bool skip(reader *r, char kind, bool is_key) {
    switch (kind) {
    case 'f':
        return skip_float(r, is_key);
    case 'i':
        return skip_integer(r);
    case 's':
        return skip_text(r);
    case 'n':
        return !is_key;
    default:
        return kind == '0' || kind == '1';
    }
}

static sal_status enter(reader *r, nest *n) {
    uint32_t pairs;
    return take_length(r, &pairs) ? push(n, 2 * (uint64_t)pairs) : SAL_EINVAL;
}

static sal_status check(reader *r, nest *n) {
    sal_status status = push(n, 1);
    for (bool is_key = false; status == SAL_OK && n->depth > 0;) {
        uint64_t *wanted = &n->wanted[n->depth - 1];
        if (*wanted == 0) {
            n->depth--;
            continue;
        }
        char kind = 0;
        is_key = n->depth > 1 && *wanted % 2 == 0;
        --*wanted;
        if (!take(r, &kind, 1))
            status = SAL_EINVAL;
        else if (kind == 't' && !is_key)
            status = enter(r, n);
        else
            status = skip(r, kind, is_key) ? SAL_OK : SAL_EINVAL;
    }
    return status == SAL_OK && r->at != r->end ? SAL_EINVAL : status;
}

sal_status l_check_serialized(const char *bytes, size_t size) {
    nest n;
    n.depth = 0;
    reader r = {bytes, bytes + size};
    return check(&r, &n);
}
