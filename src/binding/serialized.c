/* Checks that saved bytes are plain data as lua/saltus/util/serialize.lua writes it. After that, reading them cannot
 * fail. A value begins with a letter or digit, its type:
 *
 *   f  a double              1  true          n  nil
 *   i  an int64              0  false         t  count, then a key and a value for each entry
 *   s  length, then bytes
 *
 * A key is a number other than NaN, a string or a boolean. The nesting depth of tables is limited to what Lua can
 * read. */
#include <string.h>

#include "binding.h"

typedef struct reader {
    const char *at, *end;
} reader;

static bool skip(reader *r, size_t size) {
    if ((size_t)(r->end - r->at) < size)
        return false;
    r->at += size;
    return true;
}

static bool take(reader *r, void *to, size_t size) {
    const char *from = r->at;
    if (!skip(r, size))
        return false;
    memcpy(to, from, size);
    return true;
}

/* Reads a little-endian number on every machine. */
static bool take_length(reader *r, uint32_t *length) {
    unsigned char byte[4];
    if (!take(r, byte, sizeof byte))
        return false;
    *length = (uint32_t)byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
    return true;
}

static bool skip_value(reader *r, bool is_key, int depth);

static bool skip_table(reader *r, int depth) {
    uint32_t pairs = 0;
    bool sound = depth <= L_MAX_NESTING && take_length(r, &pairs);
    for (; sound && pairs > 0; pairs--)
        sound = skip_value(r, true, depth) && skip_value(r, false, depth);
    return sound;
}

static bool skip_value(reader *r, bool is_key, int depth) {
    char kind = 0;
    uint32_t length = 0;
    double x = 0;
    if (!take(r, &kind, 1))
        return false;
    switch (kind) {
    case 'f':
        return take(r, &x, sizeof x) && !(is_key && x != x);
    case 'i':
        return skip(r, sizeof(int64_t));
    case 's':
        return take_length(r, &length) && skip(r, length);
    case 'n':
        return !is_key;
    case 't':
        return !is_key && skip_table(r, depth + 1);
    default:
        return kind == '0' || kind == '1';
    }
}

sal_status l_check_serialized(const char *bytes, size_t size) {
    reader r = {bytes, bytes + size};
    return skip_value(&r, false, 0) && r.at == r.end ? SAL_OK : SAL_EINVAL;
}
