/* Sine, cosine, tangent. The angle is n pi / 32 + r, |r| <= pi / 64; its sine is S_n cos(r) + C_n sin(r), with tables
 * of more bits than a double (Gal and Bachelis, ACM TOMS 17 (1991)). The two largest terms are added exactly: 0.53 ulp.
 * r is a pair of doubles: x minus three parts of n pi / 32 (Cody and Waite, 1980), or, where this would lose bits, the
 * fraction of x / (2 pi) in integers (Payne and Hanek, SIGNUM Newsletter 18 (1983)). */
#include "saltus/math.h"
#include "math_parts.h"

typedef struct angle {
    unsigned n; /* of 64 in a turn */
    double r, low;
} angle;

/* ---- the fraction of a turn, in integers ---- */

typedef struct wide {
    uint64_t high, low;
} wide;

static inline wide product(uint64_t a, uint64_t b) {
    const uint64_t ah = a >> 32, al = a & 0xffffffff, bh = b >> 32, bl = b & 0xffffffff;
    const uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (middle & 0xffffffff);
    return (wide){ah * bh + (middle >> 32) + (other >> 32), a * b};
}

/* 64 bits of 1 / (2 pi) from bit `at` on. */
static inline uint64_t turn_bits(int at) {
    const int word = at >> 6, shift = at & 63;
    const uint64_t first = sal__turn_bits[word] << shift;
    return shift ? first | sal__turn_bits[word + 1] >> (64 - shift) : first;
}

/* Bits 0 to 127 after the point of x / (2 pi). Bits before the point of 2^e / (2 pi), where x = m 2^e, make whole
 * turns; 192 bits after it are enough: no double is closer to a multiple of pi / 2 than 2^-62 of itself. */
static wide turns(uint64_t m, int e) {
    const int at = 64 + e;
    const wide third = product(m, turn_bits(at + 128)), second = product(m, turn_bits(at + 64));
    const uint64_t low = second.low + third.high;
    return (wide){m * turn_bits(at) + second.high + (low < second.low), low};
}

static int leading_zeros(uint64_t x) {
    int count = 0;
    for (int step = 32; step > 0; step /= 2) {
        if (x >> (64 - step) == 0) {
            count += step;
            x <<= step;
        }
    }
    return count;
}

/* high 2^-64 + low 2^-128, of high > 0 or low > 0, as a pair. */
static sal__pair fraction(wide f) {
    double scale = 0x1p-64;
    if (f.high == 0) {
        f = (wide){f.low, 0};
        scale = 0x1p-128;
    }
    const int shift = leading_zeros(f.high);
    if (shift > 0)
        f = (wide){f.high << shift | f.low >> (64 - shift), f.low << shift};
    scale *= sal__two_to(-shift);
    const double first = (double)(f.high >> 11), second = (double)((f.high & 0x7ff) << 42 | f.low >> 22);
    return (sal__pair){first * 0x1p11 * scale, second * 0x1p-42 * scale};
}

static angle reduce_in_integers(double x) {
    const uint64_t bits = sal__bits_of(x);
    const uint64_t m = (bits & SAL__MANTISSA) | UINT64_C(1) << SAL__MANTISSA_BITS;
    wide f = turns(m, sal__biased_exponent(x) - 1075);
    const uint64_t n = (f.high + (UINT64_C(1) << 57)) >> 58;
    f.high -= n << 58;
    const bool is_below = f.high >> 63;
    if (is_below)
        f = (wide){~f.high + (f.low == 0), ~f.low + 1};
    const sal__pair turn = fraction(f);
    const double r = turn.high * sal__full_turn.high;
    const double low = sal__product_rest(turn.high, sal__full_turn.high, r) +
                       (turn.high * sal__full_turn.low + turn.low * sal__full_turn.high);
    const bool negative = (x < 0) != is_below;
    const sal__pair sum = sal__fast_sum(r, low);
    return (angle){(unsigned)(x < 0 ? 0 - n : n) & 63, negative ? -sum.high : sum.high, negative ? -sum.low : sum.low};
}

/* ---- in doubles ---- */

/* Of a finite x. */
static inline angle reduce(double x) {
    if (!(fabs(x) < 0x1.8p16))
        return reduce_in_integers(x);
    double sum = 0;
    const double n = sal__nearest(x * 0x1.45f306dc9c883p3, &sum);                         /* 32 / pi */
    const double after_first = x - n * sal__sine_step[0], second = n * sal__sine_step[1]; /* exact */
    const double r = after_first - second;
    const double low = ((after_first - r) - second) - n * sal__sine_step[2];
    if (fabs(r) < 0x1p-25 && n != 0)
        return reduce_in_integers(x);
    return (angle){(unsigned)sal__bits_of(sum) & 63, r, low};
}

/* The sine of an angle n pi / 32 + r. */
static inline sal__pair sine(unsigned n, double r, double low) {
    const sal__sine s = sal__sine_table[n & 63], c = sal__sine_table[(n + 16) & 63];
    const double r2 = r * r, head = sal__head(r);
    const double sin_r = r * r2 * (-1 / 6.0 + r2 * (1 / 120.0 + r2 * (-1 / 5040.0 + r2 * (1 / 362880.0)))); /* - r */
    const double cos_r = r2 * (-0.5 + r2 * (1 / 24.0 + r2 * (-1 / 720.0 + r2 * (1 / 40320.0))));            /* - 1 */
    const sal__pair sum = sal__fast_sum(s.high, c.head * head);
    const double small = s.high * cos_r + c.high * (sin_r + low);
    return (sal__pair){sum.high, sum.low + (s.low + ((c.head * (r - head) + c.rest * r) + small))};
}

double sal_sin(double x) {
    const int exponent = sal__biased_exponent(x);
    if (exponent < SAL__EXPONENT_BIAS - 27)
        return x;
    if (exponent == 0x7ff)
        return sal__nan();
    const angle a = reduce(x);
    const sal__pair s = sine(a.n, a.r, a.low);
    return s.high + s.low;
}

double sal_cos(double x) {
    const int exponent = sal__biased_exponent(x);
    if (exponent < SAL__EXPONENT_BIAS - 27)
        return 1;
    if (exponent == 0x7ff)
        return sal__nan();
    const angle a = reduce(x);
    const sal__pair c = sine(a.n + 16, a.r, a.low);
    return c.high + c.low;
}

/* The quotient of two pairs: the rest of the division by the high parts corrects it. */
double sal_tan(double x) {
    const int exponent = sal__biased_exponent(x);
    if (exponent < SAL__EXPONENT_BIAS - 27)
        return x;
    if (exponent == 0x7ff)
        return sal__nan();
    const angle a = reduce(x);
    const sal__pair s = sine(a.n, a.r, a.low), c = sine(a.n + 16, a.r, a.low);
    const sal__pair up = sal__fast_sum(s.high, s.low), down = sal__fast_sum(c.high, c.low);
    const double inverse = 1 / down.high, q = up.high * inverse, back = q * down.high;
    const double rest = (up.high - back) - sal__product_rest(q, down.high, back) + (up.low - q * down.low);
    return q + rest * inverse;
}
