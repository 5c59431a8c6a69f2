/* An interval at whose ends a function has different signs. The Illinois method narrows it, with a bisection every
 * fourth time. */
#ifndef SAL_BRACKET_H
#define SAL_BRACKET_H

#include <stdbool.h>

typedef struct sal__bracket {
    double a, b, fa, fb;
} sal__bracket;

/* Returns the point to try in iteration i. */
static inline double sal__bracket_point(const sal__bracket *z, int i) {
    const double chord = z->a - z->fa * (z->b - z->a) / (z->fb - z->fa);
    return i % 4 == 3 || !(chord > z->a && chord < z->b) ? z->a + (z->b - z->a) / 2 : chord;
}

/* Replaces the end whose value has the sign of ft by (t, ft), and halves the value at the other end. */
static inline void sal__bracket_narrow(sal__bracket *z, double t, double ft) {
    if ((ft > 0) == (z->fb > 0))
        *z = (sal__bracket){z->a, t, z->fa / 2, ft};
    else
        *z = (sal__bracket){t, z->b, ft, z->fb / 2};
}

#endif
