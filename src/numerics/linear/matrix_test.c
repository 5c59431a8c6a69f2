/* Dense and banded, real and complex matrices, checked by multiplication; groups and orders of patterns. */
#include "matrix.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "numerics/implicit/sparsity_pattern.h"

enum { MOST = 60 };

static uint32_t seed = 20261121u;

static double chance(void) { /* in [-1/2, 1/2) */
    seed = seed * 1664525u + 1013904223u;
    return seed / 4294967296. - 0.5;
}

/* A Jacobian with the elements inside a band, in the storage of its shape and as a dense matrix. */
static void fill(const sal__shape *s, int lower, int upper, double *jacobian, double *whole) {
    const int n = s->n;
    memset(jacobian, 0, sal__matrix_elements(s) * sizeof *jacobian);
    memset(whole, 0, (size_t)(n * n) * sizeof *whole);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const int row = s->position ? s->position[i] : i, column = s->position ? s->position[j] : j;
            if (row - column > lower || column - row > upper)
                continue;
            whole[i * n + j] = chance();
            jacobian[sal__matrix_at(s, i, j)] = whole[i * n + j];
        }
}

static double mass_at(const sal__mass *mass, int i, int j) {
    double value = mass->count == 0 && i == j;
    for (int k = 0; k < mass->count; k++)
        if (mass->rows[k] == i && mass->columns[k] == j)
            value = mass->values[k];
    return value;
}

/* Solves for a known solution: the shift decides whether rows must be swapped. */
static void solves(const sal__shape *s, int lower, int upper, const sal__mass *mass, double shift) {
    static double jacobian[MOST * MOST], whole[MOST * MOST], factors[4 * MOST * MOST], scratch[2 * MOST];
    double b[MOST], re[MOST], im[MOST], x[MOST], y[MOST];
    int pivots[MOST + 1];
    const int n = s->n;
    const double h = 0.7, turn = -1.3;
    fill(s, lower, upper, jacobian, whole);
    for (int i = 0; i < n; i++) {
        x[i] = chance();
        y[i] = chance();
    }
    for (int i = 0; i < n; i++) {
        b[i] = re[i] = im[i] = 0;
        for (int j = 0; j < n; j++) {
            const double m = mass_at(mass, i, j), a = shift * m - h * whole[i * n + j];
            b[i] += a * x[j];
            re[i] += a * x[j] - turn * m * y[j];
            im[i] += a * y[j] + turn * m * x[j];
        }
    }
    CHECK(sal__matrix_factor(s, mass, shift, h, jacobian, factors, pivots));
    sal__matrix_solve(s, factors, pivots, b, scratch);
    CHECK(sal__matrix_complex_factor(s, mass, shift, turn, h, jacobian, factors, pivots));
    sal__matrix_complex_solve(s, factors, pivots, re, im, scratch);
    for (int i = 0; i < n; i++) {
        CHECK_NEAR(b[i], x[i], 1e-8);
        CHECK_NEAR(re[i], x[i], 1e-8);
        CHECK_NEAR(im[i], y[i], 1e-8);
    }
}

static void solves_all_shapes(void) {
    static const int bands[][2] = {{0, 0}, {1, 1}, {2, 2}, {3, 1}, {1, 4}, {0, 2}, {7, 5}};
    int backwards[MOST];
    const sal__mass identity = {0};
    for (int n = 1; n <= MOST; n = n < 12 ? n + 1 : n + 16) {
        for (int i = 0; i < n; i++)
            backwards[i] = n - 1 - i;
        const sal__shape dense = sal__dense_shape(n);
        solves(&dense, n, n, &identity, 0);
        solves(&dense, n, n, &identity, 9);
        for (size_t k = 0; k < sizeof bands / sizeof *bands; k++) {
            const int lower = bands[k][0], upper = bands[k][1];
            if (lower >= n || upper >= n)
                continue;
            sal__shape band = sal__band_shape(n, lower, upper, NULL);
            solves(&band, lower, upper, &identity, 0.2);
            solves(&band, lower, upper, &identity, 9);
            band.position = backwards;
            solves(&band, lower, upper, &identity, 9);
        }
    }
}

static void adds_mass(void) {
    enum { N = 20 };
    double matrix[N * N] = {0}, values[3 * N], scratch[N], x[N];
    int rows[3 * N], columns[3 * N];
    for (int i = 0; i < N; i++) {
        matrix[i * N + i] = i % 3 ? 2 : 0;
        if (i > 0)
            matrix[i * N + i - 1] = 0.5;
        x[i] = chance();
    }
    sal__mass mass = {sal__mass_count(N, matrix), rows, columns, values};
    CHECK(mass.count == 13 + 19);
    sal__mass_read(&mass, N, matrix);
    const double *product = sal__mass_times(&mass, N, x, scratch);
    for (int i = 0; i < N; i++)
        CHECK_NEAR(product[i], matrix[i * N + i] * x[i] + (i > 0 ? 0.5 * x[i - 1] : 0), 1e-15);
    const sal__shape band = sal__band_shape(N, 1, 1, NULL), dense = sal__dense_shape(N);
    solves(&band, 1, 1, &mass, 5);
    solves(&dense, N, N, &mass, 5);
    const sal__mass identity = {0};
    CHECK(sal__mass_times(&identity, N, x, scratch) == x && sal__mass_count(N, NULL) == 0);
}

static void refuses_singular_ones(void) {
    const sal__shape band = sal__band_shape(4, 1, 1, NULL), dense = sal__dense_shape(4);
    const sal__mass identity = {0};
    double jacobian[16] = {0}, factors[64];
    int pivots[5];
    CHECK(!sal__matrix_factor(&band, &identity, 0, 1, jacobian, factors, pivots));
    CHECK(!sal__matrix_complex_factor(&band, &identity, 0, 0, 1, jacobian, factors, pivots));
    CHECK(!sal__matrix_factor(&dense, &identity, 0, 1, jacobian, factors, pivots));
    jacobian[4] = NAN;
    CHECK(!sal__matrix_factor(&band, &identity, 1, 1, jacobian, factors, pivots));
}

/* ---- patterns ---- */

typedef struct drawing {
    sal__pattern p;
    int *room;
} drawing;

static drawing draw(int n, bool (*can)(int i, int j, int n)) {
    drawing d;
    d.room = malloc(sal__pattern_room((size_t)n, (size_t)(n * n)) * sizeof *d.room);
    sal__pattern_lay_out(&d.p, n, n * n, d.room);
    sal__pattern_open(&d.p);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            if (can(i, j, n))
                CHECK(sal__pattern_add(&d.p, j, i));
        sal__pattern_end_column(&d.p, j);
    }
    sal__pattern_close(&d.p);
    return d;
}

static bool diagonals(int i, int j, int n) {
    (void)n;
    return abs(i - j) <= 1;
}
static bool two_fields(int i, int j, int n) { /* u and v one after the other, each coupled to its neighbours */
    return (abs(i - j) <= 1 && i / (n / 2) == j / (n / 2)) || abs(i - j) == n / 2;
}
static bool arrow(int i, int j, int n) {
    (void)n;
    return i == j || i == 0 || j == 0;
}
static bool islands(int i, int j, int n) { /* two independent fields, interleaved */
    (void)n;
    return (i - j) % 2 == 0 && abs(i - j) <= 2;
}

/* Every column is in one group; two columns of a group share no row. */
static void check_groups(const sal__pattern *p) {
    int seen[MOST] = {0};
    for (int g = 0; g < p->group_count; g++) {
        int rows[MOST] = {0};
        for (int m = p->group_starts[g]; m < p->group_starts[g + 1]; m++) {
            const int j = p->members[m];
            seen[j]++;
            for (int k = p->starts[j]; k < p->starts[j + 1]; k++)
                CHECK(rows[p->rows[k]]++ == 0);
        }
    }
    for (int j = 0; j < p->n; j++)
        CHECK(seen[j] == 1);
}

static void check_order(const sal__pattern *p) {
    int seen[MOST] = {0};
    for (int i = 0; i < p->n; i++) {
        CHECK(p->position[i] >= 0 && p->position[i] < p->n);
        seen[p->position[i]]++;
    }
    for (int i = 0; i < p->n; i++)
        CHECK(seen[i] == 1);
}

static void groups_and_orders(void) {
    static const struct {
        bool (*can)(int i, int j, int n);
        int groups, band; /* at most */
        bool reordered;
    } cases[] = {{diagonals, 3, 2, false}, {two_fields, 6, 4, true}, {arrow, 40, 76, true}, {islands, 3, 2, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        drawing d = draw(40, cases[k].can);
        check_groups(&d.p);
        check_order(&d.p);
        CHECK(d.p.group_count <= cases[k].groups);
        CHECK(d.p.lower + d.p.upper <= cases[k].band);
        CHECK(d.p.reordered == cases[k].reordered);
        free(d.room);
    }
}

static void says_when_it_is_full(void) {
    int room[200];
    sal__pattern p;
    CHECK(sal__pattern_room(3, 2) <= 200);
    sal__pattern_lay_out(&p, 3, 2, room);
    sal__pattern_open(&p);
    CHECK(sal__pattern_add(&p, 0, 0) && sal__pattern_add(&p, 0, 1) && !sal__pattern_add(&p, 0, 2));
}

static void knows_when_a_band_pays(void) {
    CHECK(sal__band_pays(500, 1, 1) && sal__band_pays(1000, 2, 2) && sal__band_pays(20, 0, 0));
    CHECK(!sal__band_pays(20, 19, 19) && !sal__band_pays(3, 1, 1));
}

int main(void) {
    solves_all_shapes();
    adds_mass();
    refuses_singular_ones();
    groups_and_orders();
    says_when_it_is_full();
    knows_when_a_band_pays();
    return check_summary();
}
