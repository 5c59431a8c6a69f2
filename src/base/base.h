/* Shared by all layers: allocation through a hook, lists, small vectors, bits of doubles. */
#ifndef SAL_BASE_H
#define SAL_BASE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "saltus/status.h"

/* Results have the same bits everywhere because each operation rounds to a double. */
#if FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2
#error the x87 computes with more digits than a double has: for i386 compile with -msse2 -mfpmath=sse
#endif
#if defined(__FAST_MATH__)
#error -ffast-math changes results: compile without it
#endif

/* The C library's allocator if `allocator` is NULL. A caller that frees later keeps a copy of the struct. */
sal_allocator sal__allocator(const sal_allocator *allocator);
void *sal__alloc(const sal_allocator *a, size_t bytes); /* zeroed; 0 bytes returns a valid block */
void *sal__resize(const sal_allocator *a, void *block, size_t old, size_t bytes);
void sal__free(const sal_allocator *a, void *block, size_t bytes); /* NULL is fine */
char *sal__copy_text(const sal_allocator *a, const char *text);
void sal__free_text(const sal_allocator *a, char *text); /* NULL is fine */

/* A hash of bytes that come piece by piece, the same for any pieces; not that of sal_hash, which takes a third more
 * time. Pieces are not NULL. */
enum { SAL__LANES = 8 };
typedef struct sal__hasher {
    uint64_t lane[SAL__LANES], size;
    unsigned char rest[8 * SAL__LANES]; /* the last bytes, fewer than these */
} sal__hasher;
void sal__hasher_begin(sal__hasher *h, uint64_t seed);
void sal__hasher_add(sal__hasher *h, const void *bytes, size_t size);
/* Adds `from` and copies it to `to`. The hash waits for its multiplications, so the copy costs nothing: measured, a
 * fifth of both together. */
void sal__hasher_copy(sal__hasher *h, void *to, const void *from, size_t size);
uint64_t sal__hasher_end(const sal__hasher *h);

/* A growing list: `item` has `count` elements. SAL_RESERVE makes room for one more. */
#define SAL_LIST(type) \
    struct { \
        type *item; \
        int count, cap; \
    }
#define SAL_RESERVE(a, list) sal__grow((a), (void **)&(list).item, (list).count, &(list).cap, sizeof *(list).item)
#define SAL_FREE_LIST(a, list) sal__free((a), (list).item, (size_t)(list).cap * sizeof *(list).item)
sal_status sal__grow(const sal_allocator *a, void **items, int count, int *cap, size_t item_bytes);

/* Blocks that are freed together. Once an allocation fails, `failed` is set and later ones are skipped, so one check
 * after the last is enough. */
typedef struct sal__pool {
    sal_allocator mem;
    struct sal__pool_block *newest;
    bool failed;
} sal__pool;
void *sal__pool_alloc(sal__pool *pool, int count, size_t size); /* zeroed; NULL: out of memory */
void sal__pool_free(sal__pool *pool);
static inline sal_status sal__pool_status(const sal__pool *pool) {
    return pool->failed ? SAL_ENOMEM : SAL_OK;
}

/* For short functions with more than one caller that are part of every step: gcc inlines them by itself only if they
 * have one. */
#if defined(__GNUC__) && !defined(SAL_MINIMAL)
#define SAL__ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define SAL__ALWAYS_INLINE static inline
#endif

/* A condition that seldom holds in a step, such as a feature that few models use. gcc expects a pointer not to be NULL,
 * and jumps over what then is not there; with fewer jumps taken, a sample of cart_pole takes 4 to 8 % less time. */
#ifdef __GNUC__
#define SAL__RARELY(condition) __builtin_expect(!!(condition), 0)
#else
#define SAL__RARELY(condition) (condition)
#endif

/* Between a call and its return: the call does not become a jump. For functions known only at run time, where the jump
 * takes longer: 10 % of a step of Lorenz. */
#ifdef __GNUC__
#define SAL__KEEP_CALL() __asm__ volatile("")
#else
#define SAL__KEEP_CALL() ((void)0)
#endif

/* Before a loop that copies a few numbers which were just written: each of its first turns gets instructions of its
 * own. A processor that remembers for each load from which store its value came is wrong again and again where turns
 * share one: 18 % of a step of Lorenz, 5 % of a sample of cart_pole. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(SAL_MINIMAL)
#define SAL__UNROLL _Pragma("GCC unroll 6")
#else
#define SAL__UNROLL
#endif

/* The smaller and the greater of two numbers; b if a is NaN. Unlike fmin and fmax they are inlined and do not
 * distinguish the zeros. */
static inline double sal__min(double a, double b) {
    return a < b ? a : b;
}
static inline double sal__max(double a, double b) {
    return a > b ? a : b;
}

/* The time scale in s of a run at t towards `boundary`, at most 1: runs of femtoseconds have shorter steps and
 * windows than runs of seconds. */
static inline double sal__run_scale(double t, double boundary) {
    const double far = sal__max(fabs(t), fabs(boundary));
    return far == 0 ? 1 : sal__min(far, 1);
}

/* Returns the nearest index from 0 to count - 1; 0 for NaN. */
static inline int sal__index(double x, int count) {
    return x >= count ? count - 1 : x > 0 ? (int)x : 0;
}

/* Copies a few numbers without a call. Counting up to 0 makes the shortest loop. */
static inline void sal__copy(double *to, const double *from, int count) {
    if (count == 0)
        return; /* `to` and `from` may be NULL if the count is 0 */
    to += count;
    from += count;
    for (ptrdiff_t i = -(ptrdiff_t)count; i != 0; i++)
        to[i] = from[i];
}

static inline bool sal__are_equal(int count, const double *a, const double *b) {
    for (int i = 0; i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

static inline double sal__dot(int count, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Where a condition on `middle` turns from true to false, for rising indices: bisects until high is low + 1. Then low
 * is the last index where it is true, or the first low, and high the first where it is false, or the first high. */
#define SAL__BISECT(index, low, high, condition) \
    while (high - low > 1) { \
        const index middle = low + (high - low) / 2; \
        if (condition) \
            low = middle; \
        else \
            high = middle; \
    }

/* A double as its sign, exponent and fraction. */
enum { SAL__MANTISSA_BITS = 52, SAL__EXPONENT_BIAS = 1023 };
#define SAL__MANTISSA ((UINT64_C(1) << SAL__MANTISSA_BITS) - 1)
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
/* Returns the distance from |x| to the next greater double; infinity for infinity, NaN for NaN. */
static inline double sal__ulp(double x) {
    const double size = fabs(x);
    return isfinite(size) ? sal__from_bits(sal__bits_of(size) + 1) - size : size;
}
static inline double sal__two_to(int e) { /* normal range only */
    return sal__from_bits((uint64_t)(e + SAL__EXPONENT_BIAS) << SAL__MANTISSA_BITS);
}

/* x^(1/k) for finite x > 0, correct to a few ulp. It needs only + - * / and integer operations, so every machine
 * chooses the same step sizes. */
double sal__power_root(double x, int k);

/* log2(x) of x > 0, within 0.09: linear between the powers of two; -1023 for 0. 2^y for |y| < 1000, within 0.5 %.
 * Both are continuous and increasing, as step size control needs, and cost a fraction of a root. */
static inline double sal__approx_log2(double x) {
    return (double)(int64_t)sal__bits_of(x) * 0x1p-52 - SAL__EXPONENT_BIAS;
}
static inline double sal__times_exp2(double x, double y) { /* x 2^y */
    const double rounder = 0x1.8p52; /* the last bits of rounder + y are the integer nearest to y */
    const double sum = y + rounder, g = y - (sum - rounder);
    const int nearest = (int)(int32_t)(uint32_t)sal__bits_of(sum);
    return x * sal__two_to(nearest) * (1 + g * (0.70666666666666667 + 0.24 * g)); /* no jump at 1/2 */
}
static inline double sal__approx_exp2(double y) {
    return sal__times_exp2(1, y);
}

#endif
