/* The time of one call of saltus/math.h, and of the C library's function, in turns on the same arguments.
 * Prints two lines for each: its ns, and the C library's. */
#include "clock.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "saltus/math.h"

enum { ARGUMENTS = 1024, ROUNDS = 200 };

typedef struct function {
    const char *name;
    double (*one)(double), (*peer_one)(double);
    double (*two)(double, double), (*peer_two)(double, double);
    double low, high, low_y, high_y;
    bool exponents; /* the ranges are of log2 */
} function;

static const function functions[] = {
    {"sin", sal_sin, sin, NULL, NULL, -10, 10, 0, 0, false},
    {"sin_to_1e5", sal_sin, sin, NULL, NULL, -1e5, 1e5, 0, 0, false},
    {"sin_huge", sal_sin, sin, NULL, NULL, 20, 1000, 0, 0, true},
    {"cos", sal_cos, cos, NULL, NULL, -10, 10, 0, 0, false},
    {"cos_huge", sal_cos, cos, NULL, NULL, 20, 1000, 0, 0, true},
    {"tan", sal_tan, tan, NULL, NULL, -10, 10, 0, 0, false},
    {"tan_huge", sal_tan, tan, NULL, NULL, 20, 1000, 0, 0, true},
    {"exp", sal_exp, exp, NULL, NULL, -10, 10, 0, 0, false},
    {"exp_to_700", sal_exp, exp, NULL, NULL, -700, 700, 0, 0, false},
    {"log", sal_log, log, NULL, NULL, 0, 10, 0, 0, false},
    {"log_all", sal_log, log, NULL, NULL, -1074, 1023, 0, 0, true},
    {"pow", NULL, NULL, sal_pow, pow, 0, 10, -10, 10, false},
    {"pow_all", NULL, NULL, sal_pow, pow, -300, 300, -1, 1.5, true},
    {"atan2", NULL, NULL, sal_atan2, atan2, -10, 10, -10, 10, false},
    {"atan2_all", NULL, NULL, sal_atan2, atan2, -1000, 1000, -1000, 1000, true},
    {"hypot", NULL, NULL, sal_hypot, hypot, -10, 10, -10, 10, false},
    {"hypot_all", NULL, NULL, sal_hypot, hypot, -1000, 1000, -1000, 1000, true},
};

static double x[ARGUMENTS], y[ARGUMENTS];

static double between(double low, double high, bool exponents) {
    const double t = low + (high - low) * (rand() / (RAND_MAX + 1.0));
    return exponents ? exp2(t) : t;
}

static double pass(const function *f, bool peer) {
    double sum = 0;
    const double start = now();
    if (f->two) {
        double (*const two)(double, double) = peer ? f->peer_two : f->two;
        for (int i = 0; i < ARGUMENTS; i++)
            sum += two(x[i], y[i]);
    } else {
        double (*const one)(double) = peer ? f->peer_one : f->one;
        for (int i = 0; i < ARGUMENTS; i++)
            sum += one(x[i]);
    }
    const double took = now() - start;
    return sum == 0.125 ? took + 1 : took; /* the sum is used */
}

int main(void) {
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        const function *f = &functions[k];
        for (int i = 0; i < ARGUMENTS; i++) {
            x[i] = between(f->low, f->high, f->exponents);
            y[i] = between(f->low_y, f->high_y, f->exponents);
        }
        double own = INFINITY, peer = INFINITY;
        for (int round = 0; round < ROUNDS * patience(); round++) {
            own = fmin(own, pass(f, false));
            peer = fmin(peer, pass(f, true));
        }
        printf("%s_ours %.3f\n%s_theirs %.3f\n", f->name, own / ARGUMENTS * 1e9, f->name, peer / ARGUMENTS * 1e9);
    }
    return 0;
}
