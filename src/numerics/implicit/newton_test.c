/* Components of implicit methods: linear algebra, Newton's rules, increments. */
#include "implicit.h"

#include <math.h>

#include "base/test_check.h"
#include "numerics/linear/lu.h"
#include "numerics/linear/lu.h"

static void solves_linear_systems(void) {
    enum { N = 7 };
    double a[N * N], lu[N * N], x[N], b[N];
    int pivots[N];
    uint32_t seed = 12345;
    for (int i = 0; i < N * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        a[i] = lu[i] = i % (N + 1) == 0 ? 0 : seed / 4294967296. - 0.5; /* zero diagonal: pivoting is needed */
    }
    for (int i = 0; i < N; i++) {
        x[i] = i - 2.5;
        b[i] = 0;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            b[i] += a[i * N + j] * x[j];
    CHECK(sal__lu_factor(N, lu, pivots));
    sal__lu_solve(N, lu, pivots, b);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(b[i], x[i], 1e-12);
    double singular[4] = {1, 2, 2, 4}, broken[1] = {NAN};
    CHECK(!sal__lu_factor(2, singular, pivots) && !sal__lu_factor(1, broken, pivots));
    CHECK(sal__lu_factor(0, NULL, NULL));
}

static void solves_complex_systems(void) {
    enum { N = 5 };
    double re[N * N], im[N * N], lu_re[N * N], lu_im[N * N], b_re[N] = {0}, b_im[N] = {0};
    int pivots[N];
    uint32_t seed = 54321;
    for (int i = 0; i < N * N; i++) {
        seed = seed * 1664525u + 1013904223u;
        re[i] = lu_re[i] = i % (N + 1) == 0 ? 0 : seed / 4294967296. - 0.5;
        seed = seed * 1664525u + 1013904223u;
        im[i] = lu_im[i] = i % (N + 1) == 0 ? 0 : seed / 4294967296. - 0.5;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) { /* x_j = j + i (1 - j) */
            b_re[i] += re[i * N + j] * j - im[i * N + j] * (1 - j);
            b_im[i] += re[i * N + j] * (1 - j) + im[i * N + j] * j;
        }
    CHECK(sal__lu_complex_factor(N, lu_re, lu_im, pivots));
    sal__lu_complex_solve(N, lu_re, lu_im, pivots, b_re, b_im);
    for (int i = 0; i < N; i++) {
        CHECK_NEAR(b_re[i], i, 1e-13);
        CHECK_NEAR(b_im[i], 1 - i, 1e-13);
    }
    double zero[4] = {0};
    CHECK(!sal__lu_complex_factor(1, zero, zero + 1, pivots));
}

static void knows_a_zero_update(void) {
    const double eps = 0x1p-52;
    CHECK(sal__update_is_zero(1, &(double){1}, &(double){5 * eps}, 10 * eps));
    CHECK(!sal__update_is_zero(1, &(double){1}, &(double){50 * eps}, 10 * eps));
    CHECK(sal__update_is_zero(1, &(double){1e10}, &(double){1e6 * eps}, 10 * eps));
    CHECK(!sal__update_is_zero(2, (double[]){1, 1e10}, (double[]){0, 1}, 10 * eps));
    CHECK(sal__update_is_zero(1, &(double){1}, &(double){5 * eps}, 0));
    CHECK(!sal__update_is_zero(1, &(double){1}, &(double){NAN}, 0));
}

static void judges_newton(void) {
    CHECK(sal__newton_progress(0, true, 0, INFINITY, 1) == SAL__GOING_ON); /* nothing was tried yet */
    CHECK(sal__newton_progress(1, true, 0, 1, 1) == SAL__CONVERGED);
    CHECK(sal__newton_progress(1, false, 10, 1, 1) == SAL__GOING_ON);
    CHECK(sal__newton_progress(2, false, 1.5, 1, 1) == SAL__DIVERGED);
    CHECK(sal__newton_progress(2, false, 0.1, 1, 1) == SAL__CONVERGED); /* 1/9 0.1 < 0.05 */
    CHECK(sal__newton_progress(2, false, 0.1, 1, 0.1) == SAL__GOING_ON);
    CHECK(sal__newton_progress(0, false, NAN, INFINITY, 1) == SAL__DIVERGED);
}

static void knows_increments(void) {
    CHECK(sal__difference_increment(0, 1, false) == 0x1p-26 && sal__difference_increment(-0.5, 1, false) == 0x1p-26);
    CHECK(sal__difference_increment(2, 1, false) == 0x1p-25 && sal__difference_increment(-2, 1, false) == -0x1p-25);
    CHECK(sal__difference_increment(2, 1, true) == 0x1p-21);
    CHECK(sal__difference_increment(0x1p-40, 0x1p-50, false) == 0x1p-66);
}

int main(void) {
    solves_linear_systems();
    solves_complex_systems();
    knows_a_zero_update();
    knows_increments();
    judges_newton();
    return check_summary();
}
