/* Compares saltus/math.h with MPFR: the greatest error of each function, over its usual range and over all exponents.
 *
 *   build/stress/math_accuracy [arguments of each kind, 1000000]
 *
 * Prints one line a function and range, and fails if an error is greater than 1 ulp or if a NaN has other bits. */
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "saltus/math.h"

enum { BITS = 160 };

static uint64_t drawn;

static uint64_t draw(void) { /* splitmix64 */
    uint64_t z = drawn += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Any finite number: sign, exponent and fraction are equally likely. */
static double any(void) {
    double x = NAN;
    while (!isfinite(x))
        x = from_bits(draw());
    return x;
}

static double between(double low, double high) {
    return low + (high - low) * ((double)(draw() >> 11) * 0x1p-53);
}

/* A number of any sign, with an exponent of 2 from `low` to `high`. */
static double of_exponents(int low, int high) {
    const double x = ldexp(between(1, 2), low + (int)(draw() % (uint64_t)(high - low + 1)));
    return draw() & 1 ? -x : x;
}

typedef struct function {
    const char *name;
    double (*one)(double x);
    double (*two)(double x, double y);
    int (*exact_one)(mpfr_t to, const mpfr_t x, mpfr_rnd_t rounding);
    int (*exact_two)(mpfr_t to, const mpfr_t x, const mpfr_t y, mpfr_rnd_t rounding);
    void (*usual)(double *x, double *y);
    void (*all)(double *x, double *y);
} function;

static void angles(double *x, double *y) {
    (void)y;
    *x = between(-100, 100);
}

/* Also beside multiples of pi / 32, and in the range where the reduction changes. */
static void all_angles(double *x, double *y) {
    (void)y;
    const uint64_t kind = draw() % 4;
    const double n = floor(between(-0x1p21, 0x1p21));
    *x = kind == 0   ? of_exponents(-30, 25)
         : kind == 1 ? n * 0x1.921fb54442d18p-4 * (1 + between(-4, 4) * 0x1p-52)
                     : any();
}

static void exponents(double *x, double *y) {
    (void)y;
    *x = between(-30, 30);
}

static void all_exponents(double *x, double *y) {
    (void)y;
    *x = draw() & 1 ? between(-746, 710) : of_exponents(-60, 10);
}

static void positives(double *x, double *y) {
    (void)y;
    *x = draw() & 1 ? between(0, 4) : between(0, 1000);
}

static void all_positives(double *x, double *y) {
    (void)y;
    *x = draw() & 1 ? fabs(any()) : 1 + of_exponents(-52, -2);
}

static void powers(double *x, double *y) {
    *x = between(0, 20);
    *y = between(-10, 10);
}

/* Powers that neither overflow nor vanish, and integers; negative numbers too. */
static void all_powers(double *x, double *y) {
    const uint64_t kind = draw() % 4;
    *x = kind == 0 ? 1 + of_exponents(-50, -3) : fabs(any());
    *y = between(-1080, 1030) / log2(*x);
    if (kind == 2)
        *y = rint(*y);
    if (kind == 2 && draw() & 1)
        *x = -*x;
    if (kind == 3)
        *y = any();
}

static void points(double *x, double *y) {
    *x = between(-10, 10);
    *y = between(-10, 10);
}

static void all_points(double *x, double *y) {
    *x = any();
    *y = draw() & 1 ? any() : *x * of_exponents(-60, 60);
    if (!isfinite(*y))
        *y = any();
}

static const function functions[] = {
    {"sin", sal_sin, NULL, mpfr_sin, NULL, angles, all_angles},
    {"cos", sal_cos, NULL, mpfr_cos, NULL, angles, all_angles},
    {"tan", sal_tan, NULL, mpfr_tan, NULL, angles, all_angles},
    {"exp", sal_exp, NULL, mpfr_exp, NULL, exponents, all_exponents},
    {"log", sal_log, NULL, mpfr_log, NULL, positives, all_positives},
    {"pow", NULL, sal_pow, NULL, mpfr_pow, powers, all_powers},
    {"atan2", NULL, sal_atan2, NULL, mpfr_atan2, points, all_points},
    {"hypot", NULL, sal_hypot, NULL, mpfr_hypot, points, all_points},
};

/* |got - exact| in ulp of the double nearest to exact. */
static double error_of(double got, const mpfr_t exact) {
    const double nearest = mpfr_get_d(exact, MPFR_RNDN);
    if (isnan(nearest)) {
        uint64_t bits;
        memcpy(&bits, &got, sizeof bits);
        return bits == UINT64_C(0x7ff8000000000000) ? 0 : INFINITY;
    }
    if (!isfinite(nearest) || !isfinite(got))
        return got == nearest ? 0 : INFINITY;
    if (signbit(got) != signbit(nearest))
        return INFINITY;
    mpfr_t off;
    mpfr_init2(off, BITS);
    mpfr_sub_d(off, exact, got, MPFR_RNDN);
    const long power = mpfr_zero_p(exact) ? -1074 : mpfr_get_exp(exact) - 53;
    mpfr_mul_2si(off, off, -(power < -1074 ? -1074 : power), MPFR_RNDN);
    const double error = fabs(mpfr_get_d(off, MPFR_RNDN));
    mpfr_clear(off);
    return error;
}

static bool compare(const function *f, bool everywhere, long count) {
    mpfr_t x, y, exact;
    mpfr_inits2(BITS, x, y, exact, NULL);
    double worst = 0, worst_x = 0, worst_y = 0, sum = 0;
    for (long i = 0; i < count; i++) {
        double a = 0, b = 0;
        (everywhere ? f->all : f->usual)(&a, &b);
        mpfr_set_d(x, a, MPFR_RNDN);
        mpfr_set_d(y, b, MPFR_RNDN);
        if (f->one)
            f->exact_one(exact, x, MPFR_RNDN);
        else
            f->exact_two(exact, x, y, MPFR_RNDN);
        const double error = error_of(f->one ? f->one(a) : f->two(a, b), exact);
        sum += error;
        if (error > worst) {
            worst = error;
            worst_x = a;
            worst_y = b;
        }
    }
    printf("%-6s %-13s at most %.4f ulp, at %a %a; mean %.4f; %ld arguments\n", f->name,
           everywhere ? "all exponents" : "usual range", worst, worst_x, worst_y, sum / (double)count, count);
    mpfr_clears(x, y, exact, NULL);
    return worst <= 1;
}

int main(int count, char **words) {
    const long arguments = count > 1 ? atol(words[1]) : 1000000;
    bool good = true;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        drawn = i;
        good &= compare(&functions[i], false, arguments);
        good &= compare(&functions[i], true, arguments);
    }
    return good ? 0 : 1;
}
