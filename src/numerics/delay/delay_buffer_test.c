/* Delay buffers compared with formulas, and with an array that keeps every point. */
#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "delay_buffer_impl.h"

static sal_delay_buffer *make(int width, double delay, int degree, bool linear_only) {
    sal_delay_config config = sal_delay_config_default();
    config.width = width;
    config.delay = delay;
    config.degree = degree;
    config.linear_only = linear_only;
    sal_delay_buffer *b = NULL;
    CHECK(sal_delay_buffer_new(NULL, &config, &b) == SAL_OK);
    return b;
}

static double read_at(const sal_delay_buffer *b, double s) {
    double value = NAN;
    sal_delay_buffer_read(b, NULL, s, NULL, &value, NULL, NULL);
    return value;
}

static double cubic(double t) {
    return 1 - 2 * t + t * t / 2 - t * t * t / 4;
}
static double cubic_rate(double t) {
    return -2 + t - 3 * t * t / 4;
}

static void cubics_are_exact(bool with_rates) {
    sal_delay_buffer *b = make(1, INFINITY, 0, false);
    for (int i = 0; i <= 10; i++) {
        const double t = 0.01 * i * i, v = cubic(t), d = cubic_rate(t);
        CHECK(sal_delay_buffer_append(b, t, &v, with_rates ? &d : NULL) == SAL_OK);
    }
    for (double s = 0.05; s < 0.8; s += 0.007) {
        double value = 0, rate = 0;
        sal_past_source source = SAL_PAST_FIRST_VALUE;
        CHECK(sal_delay_buffer_read(b, NULL, s, NULL, &value, &rate, &source) == SAL_OK);
        CHECK_NEAR(value, cubic(s), 1e-13);
        CHECK_NEAR(rate, cubic_rate(s), 1e-12);
        CHECK(source == SAL_PAST_INTERPOLATED);
    }
    sal_delay_buffer_free(b);
}

static void few_points_are_lines(void) {
    sal_delay_buffer *b = make(1, INFINITY, 0, false);
    double v = 2;
    CHECK(sal_delay_buffer_read(b, NULL, 0, NULL, &v, NULL, NULL) == SAL_ESTATE);
    sal_delay_buffer_append(b, 1, &v, NULL);
    CHECK(read_at(b, 0) == 2 && read_at(b, 1) == 2 && read_at(b, 3) == 2);
    v = 4;
    sal_delay_buffer_append(b, 2, &v, NULL);
    CHECK(read_at(b, 1.25) == 2.5 && read_at(b, 3) == 6);
    sal_delay_buffer_free(b);
}

/* Extrapolation from a point with a rate follows the rate; the current point closes the interval. */
static void newest_goes_on(void) {
    sal_delay_buffer *b = make(1, INFINITY, 0, false);
    const double v = cubic(0), d = cubic_rate(0), v1 = cubic(1), d1 = cubic_rate(1);
    sal_delay_buffer_append(b, 0, &v, &d);
    CHECK_NEAR(read_at(b, 0.5), v + 0.5 * d, 0);
    const sal_delay_current now = {1, &v1, &d1};
    double value = 0;
    sal_past_source source = SAL_PAST_FIRST_VALUE;
    sal_delay_buffer_read(b, NULL, 0.5, &now, &value, NULL, &source);
    CHECK_NEAR(value, cubic(0.5), 1e-15);
    CHECK(source == SAL_PAST_CURRENT);
    sal_delay_buffer_append(b, 1, &v1, &d1);
    CHECK_NEAR(read_at(b, 1.5), cubic(1.5), 1e-14);
    sal_delay_buffer_free(b);
}

static void jumps_are_jumps(void) {
    sal_delay_buffer *b = make(1, INFINITY, 0, false);
    const double zero = 0, one = 1, two = 2, five = 5;
    sal_delay_buffer_append(b, 0, &zero, &one);
    sal_delay_buffer_append(b, 1, &one, &one);
    sal_delay_buffer_append(b, 1, &two, &one);
    sal_delay_buffer_append(b, 1, &five, &zero); /* the last one counts */
    sal_delay_buffer_append(b, 2, &five, &zero);
    CHECK_NEAR(read_at(b, nextafter(1, 0)), 1, 1e-15);
    CHECK(read_at(b, 1) == 5 && read_at(b, 1.5) == 5);
    sal_delay_reader before = {0, true};
    double value = 0;
    sal_delay_buffer_read(b, &before, 1, NULL, &value, NULL, NULL);
    CHECK(value == 1);
    CHECK(sal_delay_buffer_points(b) == 4);
    sal_delay_buffer_free(b);
}

/* Steps of x = t^4 in pieces of degree four, one of them cut in two, followed by a jump. */
static void pieces_are_exact(void) {
    sal_delay_buffer *b = make(1, 1, 4, false);
    const double start = 0, rate = 0;
    sal_delay_buffer_append(b, 0, &start, &rate);
    for (int i = 0; i < 10; i++) {
        const double t = i, x0 = t * t * t * t;
        const double c[4] = {4 * t * t * t, 6 * t * t, 4 * t, 1};
        const sal_delay_piece p = {t, 1, &x0, c};
        CHECK(sal_delay_buffer_append_piece(b, t + 0.25, &p) == SAL_OK);
        CHECK(sal_delay_buffer_append_piece(b, t + 1, &p) == SAL_OK);
    }
    double value = 0, slope = 0;
    for (double s = 8; s <= 10; s += 1. / 64) {
        sal_delay_buffer_read(b, NULL, s, NULL, &value, &slope, NULL);
        CHECK_NEAR(value, s * s * s * s, 1e-10);
        CHECK_NEAR(slope, 4 * s * s * s, 1e-10);
    }
    sal_past_source source = SAL_PAST_FIRST_VALUE;
    sal_delay_buffer_read(b, NULL, 2, NULL, &value, NULL, &source);
    CHECK(source == SAL_PAST_FORGOTTEN);
    CHECK(sal_delay_buffer_points(b) <= 8);
    /* Each side of 9.25 is extended beyond it, here with a jump after it. */
    const double nine = 9;
    sal_delay_buffer_truncate(b, 9.25);
    sal_delay_buffer_append(b, 9.25, &nine, NULL);
    const sal_delay_piece flat = {9.25, 1, &nine, (const double[]){0, 0, 0, 0}};
    CHECK(sal_delay_buffer_append_piece(b, 10.25, &flat) == SAL_OK);
    sal_delay_reader reader = {0, false};
    sal__delay_read_branch(b, &reader, 9.5, -INFINITY, 9.25, 0, 1, &value, &slope);
    CHECK_NEAR(value, 9.5 * 9.5 * 9.5 * 9.5, 1e-10);
    CHECK_NEAR(slope, 4 * 9.5 * 9.5 * 9.5, 1e-10);
    sal__delay_read_branch(b, &reader, 9, 9.25, INFINITY, 0, 1, &value, &slope);
    CHECK(value == 9 && slope == 0);
    CHECK(sal__delay_widen(b, 6) == SAL_OK);
    sal_delay_buffer_read(b, NULL, 9, NULL, &value, NULL, NULL);
    CHECK_NEAR(value, 9 * 9 * 9 * 9, 1e-10);
    sal_delay_buffer_read(b, NULL, 9.5, NULL, &value, NULL, NULL);
    CHECK(value == 9);
    const sal_delay_piece late = {11, 1, &start, (const double[]){0, 0, 0, 0}};
    CHECK(sal_delay_buffer_append_piece(b, 9, &late) == SAL_ETIME);
    sal_delay_buffer_free(b);
}

/* The slope of x = t^2 beyond 1.000001, where the last piece is so short that its curve is mostly rounding noise. */
static void slopes_are_not_told_by_a_short_piece(void) {
    sal_delay_buffer *b = make(1, 10, 4, false);
    const double zero = 0, one = 1, shortest = 1e-6, end = 1 + shortest;
    sal_delay_buffer_append(b, 0, &zero, NULL);
    const sal_delay_piece whole = {0, 1, &zero, (const double[]){0, 1, 0, 0}};
    const sal_delay_piece scrap = {1, shortest, &one,
                                   (const double[]){2 * shortest, shortest * shortest, 1e-16, 1e-16}};
    CHECK(sal_delay_buffer_append_piece(b, 1, &whole) == SAL_OK);
    CHECK(sal_delay_buffer_append_piece(b, end, &scrap) == SAL_OK);
    sal_delay_reader reader = {0, false};
    double value = 0, slope = 0;
    for (double s = end; s < 1.5; s += 1. / 64) {
        sal__delay_read_branch(b, &reader, s, 0, end, 0, 1, &value, &slope);
        CHECK_NEAR(slope, 2 * s, 1e-6);
    }
    sal_delay_buffer_free(b);
}

/* The naive reference: every point in an array, searched from the front. */
enum { STEPS = 400 };
static double twin_t[STEPS], twin_v[STEPS];
static int twin_points;

static double twin_read(double s) {
    int i = 0;
    while (i + 2 < twin_points && twin_t[i + 1] <= s)
        i++;
    if (s <= twin_t[0])
        return twin_v[0];
    return twin_v[i] + (s - twin_t[i]) / (twin_t[i + 1] - twin_t[i]) * (twin_v[i + 1] - twin_v[i]);
}

static uint32_t dice;
static double roll(void) {
    dice = dice * 1664525u + 1013904223u;
    return (dice >> 8) / 16777216.;
}

/* Random steps, some with time moved back, and reads within the delay, through a clone and a save. */
static void as_an_array_that_forgets_nothing(void) {
    sal_delay_buffer *b = make(1, 2, 0, true), *other = make(1, 2, 0, true);
    sal_delay_reader reader = {0, false};
    double t = 0;
    for (int i = 0; i < STEPS; i++) {
        if (i % 37 == 36)
            t -= 0.3;
        while (twin_points > 0 && twin_t[twin_points - 1] >= t)
            twin_points--;
        sal_delay_buffer_truncate(b, nextafter(t, -INFINITY));
        twin_t[twin_points] = t;
        twin_v[twin_points++] = roll();
        CHECK(sal_delay_buffer_append(b, t, &twin_v[twin_points - 1], NULL) == SAL_OK);
        for (int k = 0; k < 5; k++) {
            const double s = t + 0.1 - 2 * roll();
            double value = 0;
            sal_delay_buffer_read(b, &reader, s, NULL, &value, NULL, NULL);
            CHECK_NEAR(value, twin_read(s), 1e-12);
        }
        unsigned char bytes[16384];
        const size_t size = sal_delay_buffer_save_size(b);
        CHECK(size <= sizeof bytes);
        sal_delay_buffer_save(b, bytes);
        CHECK(sal_delay_buffer_load(other, bytes, size) == SAL_OK);
        CHECK(sal_delay_buffer_hash(b, 1) == sal_delay_buffer_hash(other, 1));
        CHECK(sal_delay_buffer_load(other, bytes, size - 8) == SAL_EINVAL);
        t += 0.2 * roll() + 0.001;
    }
    sal_delay_buffer *copy = NULL;
    CHECK(sal_delay_buffer_clone(b, &copy) == SAL_OK);
    CHECK(sal_delay_buffer_hash(b, 1) == sal_delay_buffer_hash(copy, 1));
    sal_delay_buffer_append(copy, t, twin_v, NULL);
    CHECK(sal_delay_buffer_hash(b, 1) != sal_delay_buffer_hash(copy, 1));
    sal_delay_buffer_free(copy);
    sal_delay_buffer_free(other);
    sal_delay_buffer_free(b);
}

/* A delay far below the step keeps a few points, however long it runs. */
static void short_delays_keep_little(void) {
    sal_delay_buffer *b = make(2, 1e-3, 0, false);
    const double v[2] = {1, 2};
    for (int i = 0; i < 20000; i++)
        sal_delay_buffer_append(b, i, v, NULL);
    CHECK(sal_delay_buffer_points(b) <= 8);
    sal_delay_buffer_free(b);
}

static void refusals(void) {
    sal_delay_config config = sal_delay_config_default();
    sal_delay_buffer *b = NULL;
    config.delay = -1;
    CHECK(sal_delay_buffer_new(NULL, NULL, &b) == SAL_EINVAL);
    CHECK(sal_delay_buffer_new(NULL, &config, &b) == SAL_EINVAL);
    config.delay = NAN;
    CHECK(sal_delay_buffer_new(NULL, &config, &b) == SAL_EINVAL);
    config.delay = 0;
    config.width = 0;
    CHECK(sal_delay_buffer_new(NULL, &config, &b) == SAL_EINVAL && !b);
    b = make(1, 0, 0, false);
    const double v = 1;
    CHECK(sal_delay_buffer_append(b, INFINITY, &v, NULL) == SAL_ETIME);
    CHECK(sal_delay_buffer_points(b) == 0);
    CHECK(isnan(sal_delay_buffer_time(b, 0)) && !sal_delay_buffer_value(b, 0));
    sal_delay_buffer_free(b);
}

int main(void) {
    cubics_are_exact(true);
    cubics_are_exact(false);
    few_points_are_lines();
    newest_goes_on();
    jumps_are_jumps();
    pieces_are_exact();
    slopes_are_not_told_by_a_short_piece();
    as_an_array_that_forgets_nothing();
    short_delays_keep_little();
    refusals();
    return check_summary();
}
