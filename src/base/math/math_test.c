/* Special values of C11, Annex F, and the bits of many results. The accuracy is measured by spec/stress/math_accuracy.c
 * and spec/base/math_spec.lua. */
#include "saltus/math.h"

#include "base/base.h"
#include "base/test_check.h"

static const double inf = HUGE_VAL, pi = 0x1.921fb54442d18p1, half_pi = 0x1.921fb54442d18p0;
static const double quarter_pi = 0x1.921fb54442d18p-1, three_quarters_pi = 0x1.2d97c7f3321d2p1;

static double nan_of(uint64_t payload) {
    return sal__from_bits(UINT64_C(0x7ff8000000000000) | payload);
}

/* The same number, with the sign of zero; of NaN the one that functions return. */
static bool are_same(double got, double wanted) {
    return sal__bits_of(got) == sal__bits_of(wanted);
}

typedef struct one_value {
    double x, wanted;
} one_value;

typedef struct two_values {
    double x, y, wanted;
} two_values;

static void check_one(const char *name, double (*function)(double), const one_value *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const double got = function(list[i].x);
        CHECK(are_same(got, list[i].wanted));
        if (!are_same(got, list[i].wanted))
            printf("%s(%a) is %a\n", name, list[i].x, got);
    }
}

static void check_two(const char *name, double (*function)(double, double), const two_values *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const double got = function(list[i].x, list[i].y);
        CHECK(are_same(got, list[i].wanted));
        if (!are_same(got, list[i].wanted))
            printf("%s(%a, %a) is %a\n", name, list[i].x, list[i].y, got);
    }
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

static void special_values_of_one(void) {
    const double nan = nan_of(0), other_nan = -nan_of(77);
    const one_value sine[] = {{0, 0}, {-0.0, -0.0}, {inf, nan}, {-inf, nan}, {other_nan, nan}, {5e-324, 5e-324}};
    check_one("sin", sal_sin, sine, COUNT(sine));
    check_one("tan", sal_tan, sine, COUNT(sine));
    const one_value cosine[] = {{0, 1}, {-0.0, 1}, {inf, nan}, {-inf, nan}, {other_nan, nan}};
    check_one("cos", sal_cos, cosine, COUNT(cosine));
    const one_value exponential[] = {{0, 1},      {-0.0, 1},    {inf, inf},  {-inf, 0},      {710, inf},
                                     {-745.2, 0}, {1e300, inf}, {-1e300, 0}, {-745, 5e-324}, {other_nan, nan}};
    check_one("exp", sal_exp, exponential, COUNT(exponential));
    const one_value logarithm[] = {{0, -inf},   {-0.0, -inf}, {1, 0},           {-1, nan},
                                   {-inf, nan}, {inf, inf},   {other_nan, nan}, {5e-324, -0x1.74385446d71c3p9}};
    check_one("log", sal_log, logarithm, COUNT(logarithm));
}

static void special_values_of_power(void) {
    const double nan = nan_of(0), other_nan = -nan_of(77);
    const two_values at_zero[] = {{0, -3, inf},
                                  {-0.0, -3, -inf},
                                  {0, -2, inf},
                                  {-0.0, -2, inf},
                                  {0, -2.5, inf},
                                  {-0.0, -2.5, inf},
                                  {0, -inf, inf},
                                  {-0.0, -inf, inf},
                                  {0, 3, 0},
                                  {-0.0, 3, -0.0},
                                  {0, 2, 0},
                                  {-0.0, 2, 0},
                                  {0, 0.5, 0},
                                  {-0.0, 0.5, 0},
                                  {0, inf, 0},
                                  {-0.0, inf, 0},
                                  {0, 5e-324, 0},
                                  {-0.0, 0x1p53, 0},
                                  {-0.0, 0x1.fffffffffffffp52, -0.0}};
    check_two("pow", sal_pow, at_zero, COUNT(at_zero));
    const two_values at_one[] = {
        {-1, inf, 1},   {-1, -inf, 1},     {1, other_nan, 1},    {1, inf, 1}, {1, -inf, 1}, {1, 1e300, 1}, {-1, 3, -1},
        {-1, 1e300, 1}, {other_nan, 0, 1}, {other_nan, -0.0, 1}, {inf, 0, 1}, {-2, 0, 1},   {0, -0.0, 1}};
    check_two("pow", sal_pow, at_one, COUNT(at_one));
    const two_values at_infinity[] = {
        {0.5, -inf, inf}, {-0.5, -inf, inf}, {2, -inf, 0},     {-2, -inf, 0},   {0.5, inf, 0},   {-0.5, inf, 0},
        {2, inf, inf},    {-2, inf, inf},    {-inf, -3, -0.0}, {-inf, -2, 0},   {-inf, -2.5, 0}, {-inf, 3, -inf},
        {-inf, 2, inf},   {-inf, 2.5, inf},  {inf, -1, 0},     {inf, 0.5, inf}, {-inf, -inf, 0}, {-inf, inf, inf}};
    check_two("pow", sal_pow, at_infinity, COUNT(at_infinity));
    const two_values others[] = {{-2, 0.5, nan},      {-2, 5e-324, nan}, {other_nan, 1, nan}, {2, other_nan, nan},
                                 {-2, 3, -8},         {-2, -3, -0.125},  {2, 1023, 0x1p1023}, {2, 1024, inf},
                                 {2, -1074, 5e-324},  {2, -1076, 0},     {-2, 1025, -inf},    {-2, -1077, -0.0},
                                 {5e-324, 1, 5e-324}, {5e-324, -1, inf}, {2, 1e300, inf},     {-10, 1, -10}};
    check_two("pow", sal_pow, others, COUNT(others));
}

static void special_values_of_points(void) {
    const double nan = nan_of(0), other_nan = -nan_of(77);
    const two_values angle[] = {/* of y and x */
                                {0, -0.0, pi},
                                {-0.0, -0.0, -pi},
                                {0, 0, 0},
                                {-0.0, 0, -0.0},
                                {0, -1, pi},
                                {-0.0, -1, -pi},
                                {0, 1, 0},
                                {-0.0, 1, -0.0},
                                {-1, 0, -half_pi},
                                {-1, -0.0, -half_pi},
                                {1, 0, half_pi},
                                {1, -0.0, half_pi},
                                {1, -inf, pi},
                                {-1, -inf, -pi},
                                {1, inf, 0},
                                {-1, inf, -0.0},
                                {inf, 1, half_pi},
                                {-inf, 1, -half_pi},
                                {inf, -inf, three_quarters_pi},
                                {-inf, -inf, -three_quarters_pi},
                                {inf, inf, quarter_pi},
                                {-inf, inf, -quarter_pi},
                                {other_nan, 1, nan},
                                {1, other_nan, nan},
                                {5e-324, 1, 5e-324},
                                {-5e-324, 2, -0.0},
                                {0, inf, 0},
                                {-0.0, -inf, -pi},
                                {1, 1, quarter_pi},
                                {5e-324, 5e-324, quarter_pi}};
    check_two("atan2", sal_atan2, angle, COUNT(angle));
    const two_values distance[] = {{inf, other_nan, inf},
                                   {other_nan, -inf, inf},
                                   {-inf, 1, inf},
                                   {other_nan, 1, nan},
                                   {0, 0, 0},
                                   {-0.0, -0.0, 0},
                                   {-3, 4, 5},
                                   {0, -5e-324, 5e-324},
                                   {3e-320, 4e-320, 5e-320},
                                   {0x1.fffffffffffffp1023, 0x1p1000, inf},
                                   {0x1.8p1023, 0x1p1023, 0x1.cd82b446159f3p1023},
                                   {0x1p-540, 0x1p-1074, 0x1p-540}};
    check_two("hypot", sal_hypot, distance, COUNT(distance));
}

/* One hash of 160,000 results. `make platforms` runs this test on every machine that it has. */
static uint64_t step(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

static double number(uint64_t *state, int exponents) {
    const uint64_t bits = step(state);
    const int exponent = SAL__EXPONENT_BIAS - exponents + (int)(step(state) % (uint64_t)(2 * exponents));
    return sal__from_bits((bits & ~(UINT64_C(0x7ff) << 52)) | (uint64_t)exponent << 52);
}

static void the_same_bits_everywhere(void) {
    static double (*const one[])(double) = {sal_sin, sal_cos, sal_tan, sal_exp, sal_log};
    static double (*const two[])(double, double) = {sal_pow, sal_atan2, sal_hypot};
    uint64_t state = 1, hash = 0;
    for (int i = 0; i < 20000; i++) {
        double results[8];
        const double x = number(&state, i % 2 ? 8 : 1000), y = number(&state, i % 3 ? 4 : 60);
        for (size_t f = 0; f < COUNT(one); f++)
            results[f] = one[f](f == 4 ? fabs(x) : x);
        for (size_t f = 0; f < COUNT(two); f++)
            results[COUNT(one) + f] = two[f](fabs(x), y);
        hash = sal_hash(results, sizeof results, hash);
    }
    CHECK(hash == UINT64_C(0xe09a929f445c3dbe));
}

int main(void) {
    special_values_of_one();
    special_values_of_power();
    special_values_of_points();
    the_same_bits_everywhere();
    return check_summary();
}
