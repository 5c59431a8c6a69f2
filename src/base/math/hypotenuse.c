/* sqrt(a^2 + b^2) with the squares and their sum to 106 bits: the root halves the error of the rounded sum, and the
 * result has less than 0.86 ulp. */
#include "saltus/math.h"
#include "math_parts.h"

static inline double root_of_squares(double a, double b) {
    const double a2 = a * a, b2 = b * b;
    const sal__pair sum = sal__fast_sum(a2, b2);
    return sqrt(sum.high + (sum.low + (sal__product_rest(a, a, a2) + sal__product_rest(b, b, b2))));
}

double sal_hypot(double x, double y) {
    const double size = fabs(x), other = fabs(y);
    if (size == HUGE_VAL || other == HUGE_VAL)
        return HUGE_VAL;
    if (x != x || y != y)
        return sal__nan();
    const double a = size > other ? size : other, b = size > other ? other : size;
    const int exponent = sal__biased_exponent(a);
    if (exponent - sal__biased_exponent(b) > 54)
        return a + b;
    if (exponent > SAL__EXPONENT_BIAS + 500)
        return root_of_squares(a * 0x1p-600, b * 0x1p-600) * 0x1p600;
    if (exponent < SAL__EXPONENT_BIAS - 400)
        return root_of_squares(a * 0x1p600, b * 0x1p600) * 0x1p-600;
    return root_of_squares(a, b);
}
