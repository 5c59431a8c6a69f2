/* Roots with closed forms, flat ones, starts at zero, and a stress set of pairs of crossings inside one step,
 * compared with a scan. */
#include "root_finder.h"

#include <math.h>

#include "base/test_check.h"

typedef struct scalar {
    double (*f)(const struct scalar *, double);
    double p[6];
    int calls;
} scalar;

static sal_status eval(void *user, double theta, double *w) {
    scalar *s = user;
    s->calls++;
    *w = s->f(s, theta);
    return SAL_OK;
}

static double slope_near(scalar *s, double from, double to) {
    return (s->f(s, from) - s->f(s, to)) / (from - to);
}

static sal__root_interval piece_of(scalar *s, double a, double b) {
    const double beside = 1e-4 * (b - a);
    return (sal__root_interval){a, s->f(s, a), slope_near(s, a, a + beside),
                                b, s->f(s, b), slope_near(s, b, b - beside)};
}

static double line(const scalar *s, double u) {
    return s->p[0] * (u - s->p[1]);
}
static double cube(const scalar *s, double u) {
    const double d = u - s->p[1];
    return s->p[0] * d * d * d;
}
static double ninth(const scalar *s, double u) {
    return s->p[0] * pow(u - s->p[1], 9);
}
static double exponential(const scalar *s, double u) {
    return s->p[0] * (exp(9 * u) - exp(9 * s->p[1]));
}
static double jump(const scalar *s, double u) {
    return u < s->p[1] ? -s->p[0] : s->p[0];
}
static double bounce(const scalar *s, double u) {
    return s->p[0] * u * (s->p[1] - u);
}
static double bad(const scalar *s, double u) {
    return u > s->p[1] ? NAN : -1;
}

static void finds_roots(void) {
    double (*const families[])(const scalar *, double) = {line, cube, ninth, exponential, jump};
    int worst[5] = {0};
    for (int k = 0; k < 5; k++)
        for (int i = 1; i < 200; i++)
            for (int side = -1; side <= 1; side += 2) {
                const double root = i / 200. + 1e-5 * sqrt(2);
                scalar s = {families[k], {side, root}, 0};
                const sal__probe probe = {eval, &s};
                sal__root_interval piece = piece_of(&s, 0, 1);
                if (i % 3 == 0)
                    piece.sa = NAN;
                double theta, w;
                CHECK(sal__find_root(&probe, &piece, 0, &theta, &w) == SAL_OK);
                CHECK(w * side >= 0);
                CHECK(s.f(&s, theta - 4.5e-16) * side <= 0);
                CHECK_NEAR(theta, root, k == 2 ? 1e-9 : k == 3 ? 1e-14 : 1e-15);
                if (s.calls > worst[k])
                    worst[k] = s.calls;
            }
    CHECK(worst[0] <= 6);
    CHECK(worst[3] <= 20);
    CHECK(worst[1] <= 120 && worst[2] <= 160 && worst[4] <= 160); /* three bisections' worth */
}

/* Like a ball's height after a contact: it starts at exactly zero. */
static void leaves_a_start_at_zero(void) {
    for (int i = 1; i < 300; i++)
        for (int side = -1; side <= 1; side += 2) {
            const double root = i / 300. - 1e-7 * sqrt(3);
            scalar s = {bounce, {side, root}, 0};
            const sal__probe probe = {eval, &s};
            sal__root_interval piece = piece_of(&s, 0, 1);
            double theta, w;
            CHECK(piece.wa == 0);
            CHECK(sal__find_root(&probe, &piece, 0, &theta, &w) == SAL_OK);
            CHECK(w * side <= 0);
            CHECK_NEAR(theta, root, 2.3e-16);
            CHECK(s.calls <= 12);
            piece.sa = piece.sb = NAN;
            CHECK(sal__find_root(&probe, &piece, 0, &theta, &w) == SAL_OK);
            CHECK_NEAR(theta, root, 2.3e-16);
        }
}

static double orbit(const scalar *s, double u) { /* the difference of doubles near 1: zero over many theta */
    return cos(s->p[0] + s->p[2] * u) - cos(s->p[0] + s->p[2] * s->p[1]);
}
static double dead(const scalar *s, double u) {
    return u < s->p[1] ? s->p[0] * (u - s->p[1]) : u < s->p[2] ? 0 : s->p[0] * (u - s->p[2]);
}

/* If w is zero over more than an ulp of theta, by rounding or exactly, the search for its start does not go ulp by
 * ulp. */
static void does_not_walk_along_zero(void) {
    int calls = 0, roots = 0;
    for (int i = 1; i < 2000; i++) {
        const double root = i / 2000. + 1e-5 * sqrt(2);
        scalar s = {orbit, {0.02 + 0.0004 * i, root, 0.25}, 0};
        const sal__probe probe = {eval, &s};
        const sal__root_interval piece = piece_of(&s, 0, 1);
        double theta, w;
        CHECK(sal__find_root(&probe, &piece, 0, &theta, &w) == SAL_OK);
        CHECK(w <= 0);
        CHECK_NEAR(theta, root, 1e-13);
        CHECK(s.calls <= 16);
        calls += s.calls, roots++;
    }
    CHECK(calls <= 5 * roots);
    for (int i = 1; i < 200; i++)
        for (int side = -1; side <= 1; side += 2) {
            const double left = i / 400., right = left + 1e-3 * i / 200;
            scalar s = {dead, {side, left, right}, 0};
            const sal__probe probe = {eval, &s};
            const sal__root_interval piece = piece_of(&s, 0, 1);
            double theta, w;
            CHECK(sal__find_root(&probe, &piece, 0, &theta, &w) == SAL_OK);
            CHECK(w == 0);
            CHECK_NEAR(theta, left, 1e-13);
            CHECK(s.calls <= 70); /* a bisection's worth */
        }
}

static void keeps_its_promises(void) {
    scalar s = {line, {1, 0.3}, 0};
    const sal__probe probe = {eval, &s};
    sal__root_interval piece = piece_of(&s, 0, 1);
    double theta = -1, w;
    CHECK(sal__find_root(&probe, &piece, 1e-3, &theta, &w) == SAL_OK);
    CHECK(theta >= 0.3 && theta <= 0.301);

    piece = (sal__root_interval){0, -0.3, NAN, 0.3, 0, NAN}; /* the root is the end */
    CHECK(sal__find_root(&probe, &piece, 0, &theta, &w) == SAL_OK);
    CHECK(theta == 0.3 && w == 0);

    scalar broken = {bad, {1, 0.5}, 0};
    const sal__probe broken_probe = {eval, &broken};
    piece = (sal__root_interval){0, -1, NAN, 1, 1, NAN};
    theta = -1;
    CHECK(sal__find_root(&broken_probe, &piece, 0, &theta, &w) == SAL_ENAN);
    CHECK(theta == -1);
}

/* The stress set; deterministic, so that failures can be reproduced. */
static uint64_t seed = 1;
static double random_in(double lo, double hi) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return lo + (hi - lo) * ((double)(seed >> 11) / 9007199254740992.0);
}

static double sine(const scalar *s, double u) {
    return sin(s->p[0] * u + s->p[1]) + s->p[2];
}
static double sines(const scalar *s, double u) {
    return sin(s->p[0] * u + s->p[1]) * sin(0.7 * s->p[0] * u + s->p[3]);
}
static double graze(const scalar *s, double u) {
    return 1 - cos(s->p[0] * (u - s->p[4])) + s->p[5];
}
static double kink(const scalar *s, double u) {
    return fabs(u - s->p[4]) - 0.3 * s->p[3] * s->p[4];
}
static double distance(const scalar *s, double u) {
    return hypot(s->p[0] * (u - s->p[4]), 0.2 * s->p[3]) - 0.2 * s->p[3] - s->p[5];
}
static double sum(const scalar *s, double u) {
    return sin(s->p[0] * u + s->p[1]) + 0.4 * sin(1.7 * s->p[0] * u + s->p[3]) + 1.2 * s->p[2];
}
static double growing(const scalar *s, double u) {
    return exp(u) * sin(s->p[0] * u + s->p[1]) + s->p[2];
}

/* The least value over the step, with the sign for which its ends are positive. */
static double scanned_minimum(const scalar *s, double sign) {
    double least = sign * s->f(s, 0), at = 0;
    for (int i = 1; i <= 500; i++)
        if (sign * s->f(s, i / 500.) < least)
            least = sign * s->f(s, at = i / 500.);
    for (double step = 1. / 1000; step > 1e-9; step /= 2)
        for (int k = -1; k <= 1; k += 2) {
            const double beside = fmin(fmax(at + k * step, 0), 1);
            if (sign * s->f(s, beside) < least)
                least = sign * s->f(s, at = beside);
        }
    return least;
}

static void catches_pairs(void) {
    double (*const families[])(const scalar *, double) = {sine, sines, graze, kink, distance, sum, growing};
    const double bands[8] = {0.1, 0.2, 0.4, 0.7, 1, 1.5, 2, 3};
    int pairs = 0, missed = 0, false_events = 0, tried = 0;
    for (int i = 0; i < 40000; i++) {
        const int band = i % 7;
        scalar s = {families[i / 7 % 7], {0}, 0};
        s.p[0] = random_in(bands[band], bands[band + 1]);
        s.p[1] = random_in(-3.2, 3.2);
        s.p[2] = random_in(-1.1, 1.1);
        s.p[3] = random_in(0, 1);
        s.p[4] = random_in(0.02, 0.98);
        s.p[5] = (i % 2 ? -1 : 1) * pow(10, random_in(-8, 0)) * 0.5 * s.p[0] * s.p[0];
        const sal__root_interval piece = piece_of(&s, 0, 1);
        if (piece.wa * piece.wb <= 0)
            continue;
        tried++;
        const double sign = piece.wb < 0 ? -1 : 1;
        const bool crosses = scanned_minimum(&s, sign) <= 0;
        const sal__probe probe = {eval, &s};
        bool found;
        double theta = 0.5, w = 0;
        CHECK(sal__search_interior_extremum(&probe, &piece, &found, &theta, &w) == SAL_OK);
        CHECK(s.calls <= 16);
        pairs += crosses;
        missed += crosses && !found;
        false_events += found && sign * s.f(&s, theta) > 0;
        if (!found)
            continue;
        double first, second;
        const sal__root_interval left = {0, piece.wa, piece.sa, theta, w, NAN},
                                 right = {theta, w, NAN, 1, piece.wb, piece.sb};
        CHECK(sal__find_root(&probe, &left, 0, &first, &w) == SAL_OK && sign * w <= 0);
        CHECK(sal__find_root(&probe, &right, 0, &second, &w) == SAL_OK && sign * w >= 0);
        CHECK(first <= theta && theta <= second);
    }
    printf("%d steps, %d pairs of crossings, %d missed\n", tried, pairs, missed);
    CHECK(pairs > 10000);
    CHECK(missed * 500 <= pairs); /* 0.2 % */
    CHECK(false_events == 0);
}

/* A ball that starts on the surface, rises, and comes back twice is a dip too. */
static double hump(const scalar *s, double u) {
    return u * ((u - s->p[0]) * (u - s->p[0]) - s->p[1]);
}

static void searches_from_zero(void) {
    scalar s = {hump, {0.6, 0.01}, 0};
    const sal__probe probe = {eval, &s};
    sal__root_interval piece = piece_of(&s, 0, 1);
    bool found;
    double theta, w;
    CHECK(sal__search_interior_extremum(&probe, &piece, &found, &theta, &w) == SAL_OK);
    CHECK(found && w <= 0 && theta > 0.5 && theta < 0.7);

    piece.sa = -1; /* leaves to the other side: this is a crossing, not a dip */
    CHECK(sal__search_interior_extremum(&probe, &piece, &found, &theta, &w) == SAL_OK && !found);
    s.calls = 0;
    piece = (sal__root_interval){0, 1, NAN, 1, 1, NAN};
    CHECK(sal__search_interior_extremum(&probe, &piece, &found, &theta, &w) == SAL_OK && !found && s.calls == 0);
}

int main(void) {
    finds_roots();
    leaves_a_start_at_zero();
    does_not_walk_along_zero();
    keeps_its_promises();
    catches_pairs();
    searches_from_zero();
    return check_summary();
}
