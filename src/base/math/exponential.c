/* e^x by a table of 2^(j / 128) and a polynomial (Tang, ACM TOMS 15 (1989)). The table has 106 bits, so that the last
 * addition makes almost all of the error: 0.51 ulp. */
#include "math_parts.h"
#include "saltus/math.h"

double sal_exp(double x) {
    if (fabs(x) < 745.5)
        return sal__exp_of_pair(x, 0);
    if (x != x)
        return sal__nan();
    return x > 0 ? HUGE_VAL : 0;
}
