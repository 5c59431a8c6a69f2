/* atan(a / b) = atan(c) + atan((a - c b) / (b + c a)) with c = j / 64 near a / b, so that the quotient is below
 * 1 / 100. Numerator and denominator are pairs; the table has 106 bits (as Gal and Bachelis, ACM TOMS 17 (1991)):
 * 0.52 ulp. */
#include "saltus/math.h"
#include "math_parts.h"

static sal__pair sum_of(double a, double b) { /* Knuth: in any order of size */
    const double high = a + b, of_b = high - a;
    return (sal__pair){high, (a - (high - of_b)) + (b - of_b)};
}

/* base + sign * atan(a / b) for 0 < a <= b, neither tiny nor huge. */
static double rotated(double a, double b, sal__pair base, double sign) {
    double sum = 0;
    const double c = sal__nearest(64 * (a / b), &sum) * (1 / 64.0);
    const sal__pair of_c = sal__arctangent_table[sal__bits_of(sum) & 127];
    const double a_head = sal__head(a), b_head = sal__head(b);
    const sal__pair first = sum_of(a, -(c * b_head)), up = sum_of(first.high, -(c * (b - b_head)));
    const double up_low = up.low + first.low;
    const sal__pair part = sal__fast_sum(b, c * a_head), whole = sal__fast_sum(part.high, c * (a - a_head));
    const double down = whole.high, down_low = whole.low + part.low;

    const double inverse = 1 / down, z = up.high * inverse, back = z * down;
    const double rest = (up.high - back) - sal__product_rest(z, down, back) + (up_low - z * down_low);
    const double z2 = z * z;
    const double cubic = z * z2 * (-1 / 3.0 + z2 * (0.2 + z2 * (-1 / 7.0 + z2 * (1 / 9.0))));

    const sal__pair at_c = sal__fast_sum(base.high, sign * of_c.high), all = sal__fast_sum(at_c.high, sign * z);
    return all.high + (all.low + (at_c.low + (base.low + sign * (of_c.low + (rest * inverse + cubic)))));
}

/* x or y is 0 or infinite, or both are. */
static double of_limits(double y, double x) {
    const bool turned = sal__bits_of(x) >> 63;
    if (fabs(x) == HUGE_VAL && fabs(y) == HUGE_VAL)
        return turned ? 0x1.2d97c7f3321d2p1 : 0x1.921fb54442d18p-1; /* 3 pi / 4, pi / 4 */
    if (y == 0 || fabs(x) == HUGE_VAL)
        return turned ? sal__right_angles[2].high : 0;
    return sal__right_angles[1].high;
}

/* The angle of a point in the upper half plane. */
static double upper(double y, double x) {
    if (y == 0 || x == 0 || y == HUGE_VAL || fabs(x) == HUGE_VAL)
        return of_limits(y, x);
    const bool is_steep = y > fabs(x), turned = x < 0;
    double a = is_steep ? fabs(x) : y, b = is_steep ? y : fabs(x);
    const int apart = sal__biased_exponent(b) - sal__biased_exponent(a);
    if (apart > 64) { /* atan(a / b) is a / b, or nothing beside a right angle */
        if (is_steep || turned)
            return sal__right_angles[is_steep ? 1 : 2].high;
        return a / b;
    }
    const int exponent = sal__biased_exponent(b);
    if (exponent < SAL__EXPONENT_BIAS - 500 || exponent > SAL__EXPONENT_BIAS + 500) {
        const double scale = exponent > SAL__EXPONENT_BIAS ? 0x1p-600 : 0x1p600;
        a *= scale;
        b *= scale;
    }
    return rotated(a, b, sal__right_angles[is_steep ? 1 : turned ? 2 : 0], is_steep == turned ? 1 : -1);
}

double sal_atan2(double y, double x) {
    if (x != x || y != y)
        return sal__nan();
    return sal__with_sign_of(upper(fabs(y), x), y);
}
