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

/* Hashes whole stripes of 32 bytes in four independent lanes. Returns where they end. */
static const unsigned char *stripes(uint64_t *lane, const unsigned char *at, const unsigned char *end) {
    uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
    for (; end - at >= STRIPE; at += STRIPE) {
        a = round_of(a, word(at, 8));
        b = round_of(b, word(at + 8, 8));
        c = round_of(c, word(at + 16, 8));
        d = round_of(d, word(at + 24, 8));
    }
    lane[0] = a, lane[1] = b, lane[2] = c, lane[3] = d;
    return at;
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

/* ---- bytes that come piece by piece ---- */

/* Multiplies once a word, where XXH64 multiplies twice. Each lane has another value for another word, or for another
 * lane before it. */
static inline uint64_t light_round(uint64_t lane, uint64_t input) {
    return rotate((lane ^ input) * p1, 31);
}

enum { BLOCK = 8 * SAL__LANES };

/* Hashes whole blocks, and copies them if `to` is not NULL. Returns where they end. Each lane waits for its last
 * multiplication, so there are eight. */
static const unsigned char *blocks(uint64_t *lane, const unsigned char *at, const unsigned char *end,
                                   unsigned char *to) {
    uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3], e = lane[4], f = lane[5], g = lane[6], h = lane[7];
    for (; end - at >= BLOCK; at += BLOCK) {
        a = light_round(a, word(at, 8));
        b = light_round(b, word(at + 8, 8));
        c = light_round(c, word(at + 16, 8));
        d = light_round(d, word(at + 24, 8));
        e = light_round(e, word(at + 32, 8));
        f = light_round(f, word(at + 40, 8));
        g = light_round(g, word(at + 48, 8));
        h = light_round(h, word(at + 56, 8));
        if (to) {
            memcpy(to, at, BLOCK);
            to += BLOCK;
        }
    }
    lane[0] = a, lane[1] = b, lane[2] = c, lane[3] = d, lane[4] = e, lane[5] = f, lane[6] = g, lane[7] = h;
    return at;
}

void sal__hasher_begin(sal__hasher *h, uint64_t seed) {
    h->size = 0;
    for (unsigned i = 0; i < SAL__LANES; i++)
        h->lane[i] = seed + i * p2;
}

void sal__hasher_add(sal__hasher *h, const void *bytes, size_t size) {
    const unsigned char *at = bytes, *const end = at + size;
    const size_t waiting = h->size % BLOCK, wanted = BLOCK - waiting;
    h->size += size;
    if (waiting > 0 && size >= wanted) {
        memcpy(h->rest + waiting, at, wanted);
        blocks(h->lane, h->rest, h->rest + BLOCK, NULL);
        at += wanted;
    } else if (waiting > 0) {
        memcpy(h->rest + waiting, at, size);
        return;
    }
    at = blocks(h->lane, at, end, NULL);
    memcpy(h->rest, at, (size_t)(end - at));
}

void sal__hasher_copy(sal__hasher *h, void *to, const void *from, size_t size) {
    const size_t waiting = h->size % BLOCK, wanted = waiting > 0 ? BLOCK - waiting : 0;
    const size_t first = wanted < size ? wanted : size, whole = (size - first) / BLOCK * BLOCK;
    const unsigned char *at = from;
    unsigned char *copy = to;
    memcpy(copy, at, first);
    sal__hasher_add(h, at, first);
    if (whole > 0)
        blocks(h->lane, at + first, at + first + whole, copy + first);
    h->size += whole;
    memcpy(copy + first + whole, at + first + whole, size - first - whole);
    sal__hasher_add(h, at + first + whole, size - first - whole);
}

uint64_t sal__hasher_end(const sal__hasher *h) {
    uint64_t hash = h->size;
    for (int i = 0; i < SAL__LANES; i++)
        hash = merge(hash, h->lane[i]);
    return finish(hash, h->rest, h->rest + h->size % BLOCK);
}
