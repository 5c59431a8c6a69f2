/* The spacing of doubles. */
#include <math.h>
#include <string.h>

#include "base.h"

/* Doubles of one sign are ordered as their bits are: the next one is one more. */
double sal__ulp(double x) {
    const double size = fabs(x);
    uint64_t bits;
    if (!(size <= 1.7976931348623157e308))
        return size; /* of infinity infinity, of NaN NaN */
    memcpy(&bits, &size, sizeof bits);
    bits++;
    double next;
    memcpy(&next, &bits, sizeof next);
    return next - size;
}
