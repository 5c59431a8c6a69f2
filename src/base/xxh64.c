#include "xxh64.h"

#include <string.h>

#include "saltus/status.h"

static const uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u,
                      p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u;

static inline uint64_t rotate(uint64_t x, unsigned by) {
    return x << by | x >> (64 - by);
}

/* Little-endian words, whatever the machine's order; one load where that is the machine's. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint64_t word_of_8(const unsigned char *at) {
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t word_of_4(const unsigned char *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}
#else
static uint64_t word(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static uint64_t word_of_8(const unsigned char *at) {
    return word(at, 8);
}

static uint64_t word_of_4(const unsigned char *at) {
    return word(at, 4);
}
#endif

static inline uint64_t round_of(uint64_t lane, uint64_t input) {
    return rotate(lane + input * p2, 31) * p1;
}

static inline uint64_t merge(uint64_t hash, uint64_t lane) {
    return (hash ^ round_of(0, lane)) * p1 + p4;
}

/* Four lanes that do not wait for one another. */
static uint64_t stripes(const unsigned char **from, const unsigned char *end, uint64_t seed) {
    const unsigned char *at = *from;
    uint64_t a = seed + p1 + p2, b = seed + p2, c = seed, d = seed - p1;
    for (; end - at >= 32; at += 32) {
        a = round_of(a, word_of_8(at));
        b = round_of(b, word_of_8(at + 8));
        c = round_of(c, word_of_8(at + 16));
        d = round_of(d, word_of_8(at + 24));
    }
    *from = at;
    const uint64_t hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    return merge(merge(merge(merge(hash, a), b), c), d);
}

uint64_t sal__xxh64(const void *bytes, size_t size, uint64_t seed) {
    if (size == 0)
        bytes = "";
    const unsigned char *at = bytes, *const end = at + size;
    uint64_t hash = (size >= 32 ? stripes(&at, end, seed) : seed + p5) + size;
    for (; end - at >= 8; at += 8)
        hash = rotate(hash ^ round_of(0, word_of_8(at)), 27) * p1 + p4;
    if (end - at >= 4) {
        hash = rotate(hash ^ word_of_4(at) * p1, 23) * p2 + p3;
        at += 4;
    }
    for (; at < end; at++)
        hash = rotate(hash ^ *at * p5, 11) * p1;
    hash = (hash ^ hash >> 33) * p2;
    hash = (hash ^ hash >> 29) * p3;
    return hash ^ hash >> 32;
}

uint64_t sal_hash(const void *bytes, size_t size, uint64_t seed) {
    return sal__xxh64(bytes, size, seed);
}
