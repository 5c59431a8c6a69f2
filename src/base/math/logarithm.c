/* log(2^k m) = k log(2) - log(c) + log(1 + r) with r = m c - 1, which is exact (Tang, ACM TOMS 16 (1990)). Beside 1, k
 * and log(c) are 0, and the result is as exact as r = x - 1. */
#include "saltus/math.h"
#include "math_parts.h"

double sal_log(double x) {
    if (!(x > 0 && x < HUGE_VAL)) {
        if (x == 0)
            return -HUGE_VAL;
        return x > 0 ? x : sal__nan();
    }
    const sal__log_parts at = sal__take_log_apart(x);
    const double r = at.r, r2 = r * r;
    const sal__pair sum = sal__fast_sum(at.k * sal__log_2[0] + at.piece->high, r);
    const double low = sum.low + (at.r_low + (at.k * sal__log_2[1] + at.piece->low));
    const double p = (1 / 3.0 - r * 0.25) + r2 * ((0.2 - r * (1 / 6.0)) + r2 * (1 / 7.0 - r * 0.125));
    return sum.high + (low + r2 * (r * p - 0.5));
}
