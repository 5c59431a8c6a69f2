/* XXH64 (Yann Collet, xxHash specification 0.1.1): 64 bits of any bytes, the same on every machine. */
#include "base.h"

static const uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u,
                      p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u;

static inline uint64_t rotate(uint64_t x, unsigned by) {
    return x << by | x >> (64 - by);
}

/* Reads the next 4 or 8 bytes as a little-endian number on every machine. */
static inline uint64_t word(const unsigned char *at, size_t bytes) {
    uint64_t value = 0;
    memcpy(&value, at, bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

static inline uint64_t round_of(uint64_t lane, uint64_t input) {
    return rotate(lane + input * p2, 31) * p1;
}

static inline uint64_t merge(uint64_t hash, uint64_t lane) {
    return (hash ^ round_of(0, lane)) * p1 + p4;
}

/* Hashes whole stripes of 32 bytes in four independent lanes. */
static uint64_t stripes(const unsigned char **from, const unsigned char *end, uint64_t seed) {
    const unsigned char *at = *from;
    uint64_t a = seed + p1 + p2, b = seed + p2, c = seed, d = seed - p1;
    for (; end - at >= 32; at += 32) {
        a = round_of(a, word(at, 8));
        b = round_of(b, word(at + 8, 8));
        c = round_of(c, word(at + 16, 8));
        d = round_of(d, word(at + 24, 8));
    }
    *from = at;
    const uint64_t hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    return merge(merge(merge(merge(hash, a), b), c), d);
}

uint64_t sal_hash(const void *bytes, size_t size, uint64_t seed) {
    if (size == 0)
        bytes = "";
    const unsigned char *at = bytes, *const end = at + size;
    uint64_t hash = (size >= 32 ? stripes(&at, end, seed) : seed + p5) + size;
    for (; end - at >= 8; at += 8)
        hash = rotate(hash ^ round_of(0, word(at, 8)), 27) * p1 + p4;
    if (end - at >= 4) {
        hash = rotate(hash ^ word(at, 4) * p1, 23) * p2 + p3;
        at += 4;
    }
    for (; at < end; at++)
        hash = rotate(hash ^ *at * p5, 11) * p1;
    hash = (hash ^ hash >> 33) * p2;
    hash = (hash ^ hash >> 29) * p3;
    return hash ^ hash >> 32;
}
