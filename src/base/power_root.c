/* Roots without libm, so that every machine returns the same bits. */
#include "base.h"

/* A first guess for the k-th root of m in [1, 2^k), less than 1 % off: 2^(log2(m) / k). */
static const double inverse[9] = {0, 1, 1 / 2.0, 1 / 3.0, 1 / 4.0, 1 / 5.0, 1 / 6.0, 1 / 7.0, 1 / 8.0};

static double guess(double m, int k) {
    const double below = sal__approx_log2(m), f = below - (int)below;
    return sal__approx_exp2((below + 0.346 * f * (1 - f)) * (k < 9 ? inverse[k] : 1.0 / k));
}

static double power(double y, int k) {
    if (k == 5) { /* the usual pair's */
        const double square = y * y;
        return square * square * y;
    }
    double p = k & 1 ? y : 1;
    for (k /= 2; k > 0; k /= 2) {
        y *= y;
        if (k & 1)
            p *= y;
    }
    return p;
}

/* Halley's iteration for y^k = m triples the correct digits each time:
 *     y <- y ((k - 1) p + (k + 1) m) / ((k + 1) p + (k - 1) m),  p = y^k.
 * x = m 2^(k q) with m in [1, 2^k) keeps every power far from overflow. */
double sal__power_root(double x, int k) {
    if (k == 1)
        return x;
    int scaled = 0;
    if (x < 2.2250738585072014e-308) { /* subnormal: no hidden bit */
        x *= sal__two_to(54);
        scaled = 54;
    }
    const int exponent = (int)(sal__bits_of(x) >> SAL__MANTISSA_BITS) - SAL__EXPONENT_BIAS;
    const int e = exponent - scaled;
    const int q = e >= 0 ? e / k : -((k - 1 - e) / k);
    const double m = sal__from_bits((sal__bits_of(x) & SAL__MANTISSA) | (uint64_t)(e - k * q + SAL__EXPONENT_BIAS)
                                                                            << SAL__MANTISSA_BITS);
    const double less = k - 1, more = k + 1;

    double y = guess(m, k);
    const int steps = k <= 5 ? 2 : 3 + k / 32; /* the error is cubed in each iteration, times (k^2 - 1) / 12 */
    for (int i = 0; i < steps; i++) {
        const double p = power(y, k);
        y = y * ((less * p + more * m) / (more * p + less * m));
    }
    return y * sal__two_to(q);
}
