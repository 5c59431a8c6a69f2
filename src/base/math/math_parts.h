/* What the functions of saltus/math.h share: tables, made by spec/support/math_tables.py, arithmetic on pairs of
 * doubles, and the parts of exponentials and logarithms. */
#ifndef SAL_MATH_PARTS_H
#define SAL_MATH_PARTS_H

#include "base/base.h"

/* Each operation must round once, to a double: no fused multiply-add, no extended precision. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

/* An unevaluated sum: `low` is below half an ulp of `high`. */
typedef struct sal__pair {
    double high, low;
} sal__pair;

typedef struct sal__log_piece {
    double c, high, low; /* c is near 1 / m; -log(c) = high + low */
} sal__log_piece;

typedef struct sal__sine {
    double high, low;  /* their sum is the sine, */
    double head, rest; /* and so is this one; head has 26 bits */
} sal__sine;

extern const sal__pair sal__exp_table[128];       /* 2^(i / 128) */
extern const double sal__exp_step[2];             /* log(2) / 128; 34 bits and the rest */
extern const sal__log_piece sal__log_table[128];  /* of m from 11/16 to 11/8 */
extern const double sal__log_2[2];                /* a multiple of 2^-42 and the rest */
extern const sal__sine sal__sine_table[64];       /* of i pi / 32 */
extern const double sal__sine_step[3];            /* pi / 32; 33 bits, 33 bits and the rest */
extern const sal__pair sal__full_turn;            /* 2 pi */
extern const uint64_t sal__turn_bits[22];         /* 1 / (2 pi), after 64 zeros */
extern const sal__pair sal__arctangent_table[65]; /* of i / 64 */
extern const sal__pair sal__right_angles[3];      /* 0, pi / 2, pi */

/* The first 26 bits of x. The rest, x minus this, has 27. */
static inline double sal__head(double x) {
    return sal__from_bits(sal__bits_of(x) & ~UINT64_C(0x7ffffff));
}

/* a + b = high + low for |a| >= |b|, or a = 0 (Dekker, Numer. Math. 18 (1971)). */
static inline sal__pair sal__fast_sum(double a, double b) {
    const double high = a + b;
    return (sal__pair){high, (a - high) + b};
}

/* a * b - product, where product is a * b rounded. */
static inline double sal__product_rest(double a, double b, double product) {
    const double ah = sal__head(a), al = a - ah, bh = sal__head(b), bl = b - bh;
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
}

/* The integer nearest to x, for |x| < 2^51. It is also in the last bits of *sum. */
static inline double sal__nearest(double x, double *sum) {
    *sum = x + 0x1.8p52;
    return *sum - 0x1.8p52;
}

/* The one NaN that functions return: its bits do not depend on the machine. */
static inline double sal__nan(void) {
    return sal__from_bits(UINT64_C(0x7ff8000000000000));
}

static inline double sal__with_sign_of(double size, double x) {
    return sal__from_bits(sal__bits_of(size) | (sal__bits_of(x) & UINT64_C(1) << 63));
}

static inline int sal__biased_exponent(double x) {
    return (int)(sal__bits_of(x) >> SAL__MANTISSA_BITS & 0x7ff);
}

/* y 2^e, rounded once. */
static inline double sal__times_power_of_2(double y, int64_t e) {
    if (e >= -1000 && e <= 1000)
        return y * sal__two_to((int)e);
    return e > 0 ? y * sal__two_to((int)(e - 1000)) * 0x1p1000 : y * sal__two_to((int)(e + 1000)) * 0x1p-1000;
}

/* e^(x + rest) for |x| < 746 and |rest| < 2^-16: 2^e 2^(j / 128) e^r with |r| <= log(2) / 256 + |rest|. */
SAL__ALWAYS_INLINE double sal__exp_of_pair(double x, double rest) {
    double sum = 0;
    const double k = sal__nearest(x * 0x1.71547652b82fep7, &sum); /* 128 / log(2) */
    const int64_t index = (int64_t)(sal__bits_of(sum) - sal__bits_of(0x1.8p52));
    const double r = ((x - k * sal__exp_step[0]) - k * sal__exp_step[1]) + rest;
    const sal__pair t = sal__exp_table[index & 127];
    const double r2 = r * r;
    const double p = r + r2 * ((0.5 + r * (1 / 6.0)) + r2 * (1 / 24.0 + r * (1 / 120.0))); /* e^r - 1 */
    return sal__times_power_of_2(t.high + (t.low + t.high * p), index >> 7);
}

/* A positive finite x as 2^k times m, with log(m) = high + log(1 + r + r_low); `exponent` is k. */
typedef struct sal__log_parts {
    double k, r, r_low;
    const sal__log_piece *piece;
} sal__log_parts;

static inline sal__log_parts sal__take_log_apart(double x) {
    uint64_t bits = sal__bits_of(x);
    int shift = 0;
    if (bits < UINT64_C(1) << SAL__MANTISSA_BITS) { /* subnormal */
        bits = sal__bits_of(x * 0x1p52);
        shift = 52;
    }
    const uint64_t above = bits - UINT64_C(0x3fe6000000000000); /* 11/16 */
    const int k = (int)((int64_t)above >> SAL__MANTISSA_BITS);
    const sal__log_piece *piece = &sal__log_table[above >> 45 & 127];
    const double m = sal__from_bits(bits - ((uint64_t)(int64_t)k << SAL__MANTISSA_BITS));
    const double head = sal__from_bits(sal__bits_of(m) & ~UINT64_C(0xffff)), c = piece->c;
    const sal__pair r = sal__fast_sum(head * c - 1, (m - head) * c); /* both exact: c has 12 bits */
    return (sal__log_parts){k - shift, r.high, r.low, piece};
}

#endif
