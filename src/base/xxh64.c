#include "xxh64.h"

#include "saltus/status.h"

static const uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u,
                      p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u;

static uint64_t rotate(uint64_t x, unsigned by) {
    return x << by | x >> (64 - by);
}

/* Little-endian words, whatever the machine's order. */
static uint64_t word(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static uint64_t round_of(uint64_t lane, uint64_t input) {
    return rotate(lane + input * p2, 31) * p1;
}

static uint64_t merge(uint64_t hash, uint64_t lane) {
    return (hash ^ round_of(0, lane)) * p1 + p4;
}

static uint64_t stripes(const unsigned char **at, const unsigned char *end, uint64_t seed) {
    uint64_t lane[4] = {seed + p1 + p2, seed + p2, seed, seed - p1};
    while (end - *at >= 32)
        for (int i = 0; i < 4; i++, *at += 8)
            lane[i] = round_of(lane[i], word(*at, 8));
    uint64_t hash = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
    for (int i = 0; i < 4; i++)
        hash = merge(hash, lane[i]);
    return hash;
}

uint64_t sal__xxh64(const void *bytes, size_t size, uint64_t seed) {
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

uint64_t sal_hash(const void *bytes, size_t size, uint64_t seed) {
    return sal__xxh64(bytes, size, seed);
}
