/* Threefry 2x64 with 20 rounds: random numbers as a function of key and counter.
 * Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
#ifndef SAL_THREEFRY_H
#define SAL_THREEFRY_H

#include <stdint.h>

void sal__threefry2x64(const uint64_t key[2], const uint64_t counter[2], uint64_t out[2]);

/* The 52 upper bits and a half, as a double in (0, 1): exact, so never 0 or 1. */
static inline double sal__to_unit(uint64_t bits) {
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* Numbers of other distributions, from uniform numbers in (0, 1). C and Lua both call these functions, which use
 * saltus/math.h, so all numbers have the same bits. Normal: Box and Muller, Ann. Math. Stat. 29 (1958). Integer: from
 * low to high, which differ by less than 2^53. */
double sal__normal_from(double mean, double sd, double first, double second);
double sal__exponential_from(double mean, double uniform);
int64_t sal__integer_from(int64_t low, int64_t high, double uniform);

#endif
