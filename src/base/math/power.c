/* x^y = e^(y log(x)), with the logarithm as a pair of 68 correct bits: e^ multiplies its relative error
 * by up to 745. */
#include "saltus/math.h"
#include "math_parts.h"

/* log(x) of a positive finite x; `high` has 26 bits, so that its product with 26 bits of y is exact. */
SAL__ALWAYS_INLINE sal__pair log_pair(double x) {
    const sal__log_parts at = sal__take_log_apart(x);
    const double r = at.r, r2 = r * r;
    const sal__pair first = sal__fast_sum(at.k * sal__log_2[0] + at.piece->high, r);
    /* r^2 / 2 is a head, which is exact, and a rest. */
    const double head = sal__head(r), half = 0.5 * (head * head), rest = 0.5 * ((r - head) * (head + r));
    const sal__pair second = sal__fast_sum(first.high, -half);
    const double p =
        (1 / 3.0 - r * 0.25) + r2 * ((0.2 - r * (1 / 6.0)) + r2 * ((1 / 7.0 - r * 0.125) + r2 * (1 / 9.0 - r * 0.1)));
    const double constant = (at.k * sal__log_2[1] + at.piece->low) + (at.r_low - at.r_low * r);
    const double low = (first.low + second.low) + constant + (r * r2 * p - rest);
    const double high = sal__head(second.high + low);
    return (sal__pair){high, (second.high - high) + low};
}

/* 0: not whole; 1: odd; 2: even. */
static int wholeness(double y) {
    const int exponent = sal__biased_exponent(y) - SAL__EXPONENT_BIAS;
    if (exponent < 0)
        return 0;
    if (exponent > 52)
        return 2;
    const uint64_t unit = UINT64_C(1) << (52 - exponent), bits = sal__bits_of(y) | UINT64_C(1) << 52;
    if (bits & (unit - 1))
        return 0;
    return bits & unit ? 1 : 2;
}

/* x is 0 or infinite: the size of the result is one or the other too. */
static double of_limit(double x, double y) {
    const double size = (x == 0) == (y > 0) ? 0 : HUGE_VAL;
    return wholeness(y) == 1 ? sal__with_sign_of(size, x) : size;
}

/* y is infinite. */
static double to_limit(double x, double y) {
    const double size = fabs(x);
    if (size == 1)
        return 1;
    return (size > 1) == (y > 0) ? HUGE_VAL : 0;
}

/* x > 0 to the power y; both are finite. */
SAL__ALWAYS_INLINE double power(double x, double y) {
    if (fabs(y) < 0x1p-64)
        return 1; /* |y log(x)| < 2^-54 */
    const sal__pair l = log_pair(x);
    const double head = sal__head(y), product = head * l.high; /* exact, or far too great */
    if (fabs(product) < 745.5)
        return sal__exp_of_pair(product, (y - head) * l.high + y * l.low);
    return product > 0 ? HUGE_VAL : 0;
}

/* For the arguments that sal_pow does not take itself. */
static double power_of_others(double x, double y) {
    if (x == 1 || y == 0)
        return 1;
    if (x != x || y != y)
        return sal__nan();
    if (fabs(y) == HUGE_VAL)
        return to_limit(x, y);
    if (x == 0 || fabs(x) == HUGE_VAL)
        return of_limit(x, y);
    const int kind = wholeness(y);
    if (kind == 0)
        return sal__nan();
    const double size = power(-x, y);
    return kind == 1 ? -size : size;
}

double sal_pow(double x, double y) {
    const bool is_plain = x > 0 && x < HUGE_VAL && fabs(y) < HUGE_VAL;
    return is_plain ? power(x, y) : power_of_others(x, y);
}
