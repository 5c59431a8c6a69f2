/* XXH64 (Yann Collet, xxHash specification 0.1.1): 64 bits of any bytes, the same on every machine. */
#include "base.h"

static const uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u,
                      p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u;

enum { STRIPE = 32 };

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

/* Hashes whole stripes of 32 bytes in four independent lanes, and copies them if `to` is not NULL. Returns where they
 * end. */
static inline const unsigned char *hash_stripes(uint64_t *lane, const unsigned char *at, const unsigned char *end,
                                                unsigned char *to) {
    uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    for (; end - at >= STRIPE; at += STRIPE) {
        a = round_of(a, word(at, 8));
        b = round_of(b, word(at + 8, 8));
        c = round_of(c, word(at + 16, 8));
        d = round_of(d, word(at + 24, 8));
        if (to) {
            memcpy(to, at, STRIPE);
            to += STRIPE;
        }
    }
    lane[0] = a, lane[1] = b, lane[2] = c, lane[3] = d;
    return at;
}

static const unsigned char *stripes(uint64_t *lane, const unsigned char *at, const unsigned char *end) {
    return hash_stripes(lane, at, end, NULL);
}

static inline void set_lanes(uint64_t *lane, uint64_t seed) {
    lane[0] = seed + p1 + p2, lane[1] = seed + p2, lane[2] = seed, lane[3] = seed - p1;
}

static inline uint64_t join_lanes(const uint64_t *lane) {
    uint64_t hash = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
    for (int i = 0; i < 4; i++)
        hash = merge(hash, lane[i]);
    return hash;
}

/* The last bytes, fewer than a stripe. */
static uint64_t finish(uint64_t hash, const unsigned char *at, const unsigned char *end) {
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

uint64_t sal_hash(const void *bytes, size_t size, uint64_t seed) {
    if (size == 0)
        bytes = "";
    const unsigned char *at = bytes, *const end = at + size;
    if (size < 32)
        return finish(seed + p5 + size, at, end);
    uint64_t lane[4];
    set_lanes(lane, seed);
    at = stripes(lane, at, end);
    return finish(join_lanes(lane) + size, at, end);
}

void sal__hasher_begin(sal__hasher *h, uint64_t seed) {
    h->size = 0;
    h->seed = seed;
    set_lanes(h->lane, seed);
}

void sal__hasher_add(sal__hasher *h, const void *bytes, size_t size) {
    const unsigned char *at = bytes, *const end = at + size;
    const size_t waiting = h->size % sizeof h->rest, wanted = sizeof h->rest - waiting;
    h->size += size;
    if (waiting > 0 && size >= wanted) {
        memcpy(h->rest + waiting, at, wanted);
        stripes(h->lane, h->rest, h->rest + sizeof h->rest);
        at += wanted;
    } else if (waiting > 0) {
        memcpy(h->rest + waiting, at, size);
        return;
    }
    at = stripes(h->lane, at, end);
    memcpy(h->rest, at, (size_t)(end - at));
}

void sal__hasher_copy(sal__hasher *h, void *to, const void *from, size_t size) {
    const size_t waiting = h->size % STRIPE, wanted = waiting > 0 ? STRIPE - waiting : 0;
    const size_t first = wanted < size ? wanted : size, whole = (size - first) / STRIPE * STRIPE;
    const unsigned char *at = from;
    unsigned char *copy = to;
    memcpy(copy, at, first);
    sal__hasher_add(h, at, first);
    if (whole > 0)
        hash_stripes(h->lane, at + first, at + first + whole, copy + first);
    h->size += whole;
    memcpy(copy + first + whole, at + first + whole, size - first - whole);
    sal__hasher_add(h, at + first + whole, size - first - whole);
}

uint64_t sal__hasher_end(const sal__hasher *h) {
    const uint64_t hash = h->size >= sizeof h->rest ? join_lanes(h->lane) : h->seed + p5;
    return finish(hash + h->size, h->rest, h->rest + h->size % sizeof h->rest);
}
