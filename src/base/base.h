/* What every room may use: memory through a hook, small vectors, ulps. */
#ifndef SAL_BASE_H
#define SAL_BASE_H

#include <string.h>

#include "saltus/status.h"

/* The C library's allocator when `allocator` is NULL. The struct is copied by
 * value into whatever must free later. */
sal_allocator sal__allocator(const sal_allocator *allocator);
void *sal__alloc(const sal_allocator *a, size_t bytes); /* zeroed; 0 bytes returns a valid block */
void *sal__resize(const sal_allocator *a, void *block, size_t old, size_t bytes);
void sal__free(const sal_allocator *a, void *block, size_t bytes);

/* The smaller, the greater; b when a is NaN. Unlike fmin and fmax no call, and no care for -0. */
static inline double sal__min(double a, double b) {
    return a < b ? a : b;
}
static inline double sal__max(double a, double b) {
    return a > b ? a : b;
}

/* x as an index of `count`: the nearer end where it is beyond them, 0 where it is NaN. Numbers of a context may be
 * anything, and an index must not. */
static inline int sal__index(double x, int count) {
    return x >= count ? count - 1 : x > 0 ? (int)x : 0;
}

/* Of few numbers, so no call; counted up to 0, which is the shortest loop. */
static inline void sal__copy(double *to, const double *from, int count) {
    if (count == 0)
        return; /* what is not there is nowhere: nothing may be added to NULL */
    to += count;
    from += count;
    for (ptrdiff_t i = -(ptrdiff_t)count; i != 0; i++)
        to[i] = from[i];
}

/* Distance from |x| to the next greater double. */
double sal__ulp(double x);

/* A double as its sign, exponent and fraction. */
enum { SAL__MANTISSA_BITS = 52, SAL__EXPONENT_BIAS = 1023 };
#define SAL__MANTISSA ((UINT64_C(1) << SAL__MANTISSA_BITS) - 1)
#define SAL__ONE ((uint64_t)SAL__EXPONENT_BIAS << SAL__MANTISSA_BITS)
static inline uint64_t sal__bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double sal__from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline double sal__two_to(int e) { /* normal range only */
    return sal__from_bits((uint64_t)(e + SAL__EXPONENT_BIAS) << SAL__MANTISSA_BITS);
}

/* x^(1/k) for finite x > 0, correct to a few ulp, from + - * / and integer
 * operations alone, so that every machine chooses the same step sizes. */
double sal__power_root(double x, int k);

/* log2(x) of x > 0, within 0.09: straight between the powers of two; -1023 of 0. And 2^y for |y| < 1000,
 * within 0.5 %. Continuous and increasing: what the choice of a step size asks for, at a
 * fraction of a root's cost. */
static inline double sal__approx_log2(double x) {
    return (double)(int64_t)sal__bits_of(x) * 0x1p-52 - SAL__EXPONENT_BIAS;
}
static inline double sal__times_exp2(double x, double y) { /* x 2^y */
    const double rounder = 0x1.8p52;                       /* its sum with y ends in the whole number nearest to y */
    const double sum = y + rounder, g = y - (sum - rounder);
    const int nearest = (int)(int32_t)(uint32_t)sal__bits_of(sum);
    return x * sal__two_to(nearest) * (1 + g * (0.70666666666666667 + 0.24 * g)); /* no jump at 1/2 */
}
static inline double sal__approx_exp2(double y) {
    return sal__times_exp2(1, y);
}

#endif
