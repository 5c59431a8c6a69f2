/* Jacobians by groups of columns: given bands, detected patterns, and recovery when a probe missed an element. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "implicit.h"

enum { N = 40 };

/* ---- problems of N variables ---- */

typedef struct world {
    double threshold; /* threshold of `late`: beyond it the first variable depends on the last */
    int calls;
    double pull; /* how hard */
} world;

/* u and v one after the other: each reacts with its partner and diffuses along its own field. */
static sal_status fields(void *user, double t, const double *x, double *dx) {
    world *w = user;
    (void)t;
    w->calls++;
    const int half = N / 2;
    for (int i = 0; i < half; i++) {
        const double *u = x + i, *v = x + half + i;
        const double u_left = i ? u[-1] : 1, u_right = i < half - 1 ? u[1] : 1;
        const double v_left = i ? v[-1] : 3, v_right = i < half - 1 ? v[1] : 3;
        dx[i] = 1 + *u * *u * *v - 4 * *u + 20 * (u_left - 2 * *u + u_right);
        dx[half + i] = 3 * *u - *u * *u * *v + 20 * (v_left - 2 * *v + v_right);
    }
    return SAL_OK;
}

/* Diffusion; once the first variable is below the threshold, the last depends on it. */
static sal_status late(void *user, double t, const double *x, double *dx) {
    world *w = user;
    (void)t;
    w->calls++;
    for (int i = 0; i < N; i++)
        dx[i] = 300 * ((i ? x[i - 1] : 0) - 2 * x[i] + (i < N - 1 ? x[i + 1] : 0));
    if (x[0] < w->threshold)
        dx[N - 1] += w->pull * (w->threshold - x[0]);
    return SAL_OK;
}

/* At rest; each variable is driven by a product of three that is far smaller than itself. */
static sal_status at_rest(void *user, double t, const double *x, double *dx) {
    (void)user;
    for (int i = 0; i < N; i++)
        dx[i] = -x[i] + x[i] * x[(i + 1) % N] * x[(i + 7) % N];
    dx[0] += t * t;
    return SAL_OK;
}

/* Its Jacobian changes by a factor of thousands within a step. */
static sal_status steep(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    for (int i = 0; i < N; i++)
        dx[i] = -1e4 * x[i] * x[i] * x[i] * x[i] * x[i] + (i ? x[i - 1] : 1);
    return SAL_OK;
}

static sal_status mean_field(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += x[i];
    for (int i = 0; i < N; i++)
        dx[i] = 100 * (sum / N - x[i]) - x[i] * x[i];
    return SAL_OK;
}

/* The derivatives are NaN except along the path: a model may reject a probe. */
static sal_status touchy(void *user, double t, const double *x, double *dx) {
    const sal_status status = late(user, t, x, dx);
    for (int i = 0; i < N; i++)
        if (fabs(x[i]) > 1.0005)
            return SAL_RETRY;
    return status;
}

static sal_status late_jacobian(void *user, double t, const double *x, double *j) {
    (void)user, (void)t, (void)x;
    for (int i = 0; i < N; i++) { /* rows of three */
        j[3 * i] = 300;
        j[3 * i + 1] = -600;
        j[3 * i + 2] = 300;
    }
    return SAL_OK;
}

/* ---- runs ---- */

static sal_integrator *make(const char *method, int lower, int upper, bool dense) {
    sal_integrator_config config = sal_integrator_config_default();
    config.no_matrix_reuse = true; /* a new Jacobian at every step, checked */
    config.method = sal_method_find(method);
    config.accuracy = 1e-4;
    config.lower = lower;
    config.upper = upper;
    config.dense_jacobian = dense;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, N, &in) == SAL_OK);
    CHECK(sal_integrator_initialize(in) == SAL_OK);
    return in;
}

static void start(double *x) {
    for (int i = 0; i < N; i++)
        x[i] = 1;
}

static void go(sal_integrator *in, const sal_rhs *rhs, double end, double *x) {
    double t = 0;
    sal_status status = SAL_OK;
    const sal_limits to = {INFINITY, INFINITY, end};
    while (t < end && status == SAL_OK) {
        status = sal_integrator_step(in, rhs, t, x, &to, NULL);
        CHECK(status == SAL_OK);
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), N * sizeof *x);
    }
}

static double farthest(const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < N; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* ---- behaviour ---- */

static const char *const names[] = {"implicit_euler", "velocity_implicit_euler", "radau1", "radau3", "radau5",
                                    "rodas4"};

/* Two fields form a band of 2 and 2 in another order, which every method finds. */
static void finds_a_hidden_band(const char *name) {
    double x[2][N];
    sal_implicit_stats stats[2];
    for (int dense = 0; dense < 2; dense++) {
        world w = {0, 0, 500};
        const sal_rhs rhs = {N, fields, &w};
        sal_integrator *in = make(name, -1, -1, dense);
        start(x[dense]);
        go(in, &rhs, 0.5, x[dense]);
        stats[dense] = sal_integrator_implicit_statistics(in);
        CHECK(in->implicit->differences.sparsity == (dense ? SAL__NO_PATTERN : SAL__FOUND_PATTERN));
        CHECK(in->implicit->matrices.shape.is_banded == (!dense && in->method->takes_bands));
        if (!dense)
            CHECK(in->implicit->differences.pattern.lower == 2 && in->implicit->differences.pattern.upper == 2);
        CHECK(w.calls == sal_integrator_statistics(in)->derivative_evaluations);
        sal_integrator_free(in);
    }
    CHECK(farthest(x[0], x[1]) < 1e-5);
    const sal_implicit_counts *c = &stats[0].total, *d = &stats[1].total;
    /* At a start with unknown derivative, one more evaluation. */
    CHECK(d->derivative_evaluations_for_jacobians >= N * d->jacobians);
    CHECK(d->derivative_evaluations_for_jacobians <= (N + 1) * d->jacobians);
    CHECK(c->derivative_evaluations_for_jacobians <= 1 + N + 8 * c->jacobians);
}

/* A given band needs no probe, and one evaluation for each group. */
static void takes_a_given_band(const char *name) {
    double x[3][N];
    for (int k = 0; k < 3; k++) {
        world w = {-1, 0, 500};
        const sal_rhs rhs = {N, late, &w};
        sal_integrator *in = make(name, k ? 1 : -1, k ? 1 : -1, k == 0);
        if (k == 2)
            sal_integrator_set_jacobian(in, late_jacobian, false);
        start(x[k]);
        go(in, &rhs, 0.1, x[k]);
        const sal_implicit_counts c = sal_integrator_implicit_statistics(in).total;
        if (k > 0)
            CHECK(c.derivative_evaluations_for_jacobians <= (k == 1 ? 4 * c.jacobians : 0));
        sal_integrator_free(in);
    }
    CHECK(farthest(x[0], x[1]) < 1e-6 && farthest(x[0], x[2]) < 1e-5);
}

/* The branch is taken long after the probe; then the pattern grows by one element, and the result equals that of the
 * dense matrix. The element may be a ten-thousandth of its row. */
static void notices_what_it_missed(const char *name, double pull) {
    double x[2][N];
    for (int dense = 0; dense < 2; dense++) {
        world w = {0.3, 0, pull};
        const sal_rhs rhs = {N, late, &w};
        sal_integrator *in = make(name, -1, -1, dense);
        start(x[dense]);
        go(in, &rhs, 0.2, x[dense]);
        if (!dense) {
            CHECK(in->implicit->differences.sparsity == SAL__FOUND_PATTERN &&
                  in->implicit->differences.growth_count == 1);
            CHECK(in->implicit->differences.pattern.starts[1] == 3); /* itself, its neighbour, and the last */
        }
        sal_integrator_free(in);
    }
    CHECK(farthest(x[0], x[1]) < 2e-4);
}

static bool lists(const sal__pattern *p, int row, int column) {
    for (int k = p->starts[column]; k < p->starts[column + 1]; k++)
        if (p->rows[k] == row)
            return true;
    return false;
}

/* Near a state of rest the products are lost in rounding. */
static void sees_through_rest(void) {
    double x[N] = {0};
    const sal_rhs rhs = {N, at_rest, NULL};
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find("radau5");
    config.accuracy = 1e-8;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, N, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    const sal_limits to = {INFINITY, INFINITY, 1};
    CHECK(sal_integrator_step(in, &rhs, 0, x, &to, NULL) == SAL_OK);
    const sal__pattern *p = &in->implicit->differences.pattern;
    for (int i = 0; i < N; i++)
        CHECK(lists(p, i, i) && lists(p, i, (i + 1) % N) && lists(p, i, (i + 7) % N));
    CHECK(p->starts[N] == 3 * N);
    sal_integrator_free(in);
}

/* If Newton's iteration fails with a fresh Jacobian, the pattern is probed again, but not each time. */
static void doubts_what_fails(const char *name) {
    double x[N];
    const sal_rhs rhs = {N, steep, NULL};
    sal_integrator *in = make(name, -1, -1, false);
    sal_integrator_set_initial_step(in, 1);
    start(x);
    go(in, &rhs, 2, x);
    CHECK(in->implicit->differences.alarm_count > 0 && in->implicit->differences.probe_count >= 2 &&
          in->implicit->differences.probe_count < 2 + in->implicit->differences.alarm_count);
    CHECK(in->implicit->differences.growth_count == 0 && in->implicit->differences.pattern.starts[N] == 2 * N - 1);
    sal_integrator_free(in);
}

static void takes_the_whole_where_it_must(void) {
    double x[N];
    world w = {-1, 0, 500};
    const sal_rhs full = {N, mean_field, &w}, shy = {N, touchy, &w};
    sal_integrator *in = make("radau5", -1, -1, false);
    start(x);
    go(in, &full, 1, x);
    CHECK(in->implicit->differences.sparsity == SAL__NO_PATTERN && !in->implicit->matrices.shape.is_banded);
    sal_integrator_initialize(in);
    CHECK(in->implicit->differences.sparsity == SAL__WANTED_PATTERN);
    start(x);
    x[3] = -1; /* out of equilibrium: a probe leaves the box, steps stay inside it */
    go(in, &shy, 0.05, x);
    sal_integrator_set_jacobian(in, late_jacobian, false);
    CHECK(in->implicit->differences.sparsity == SAL__NO_PATTERN);
    sal_integrator_free(in);
}

/* ---- random systems, of which groups must make the Jacobian that single columns make ---- */

typedef struct tangle {
    int n, count;
    int row[500], column[500];
    double factor[500];
} tangle;

static uint32_t draw(uint32_t *seed, uint32_t below) {
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*seed * below) >> 32);
}

static sal_status tangled(void *user, double t, const double *x, double *dx) {
    const tangle *w = user;
    (void)t;
    for (int i = 0; i < w->n; i++)
        dx[i] = -x[i];
    for (int k = 0; k < w->count; k++)
        dx[w->row[k]] += w->factor[k] * x[w->column[k]] * (1 + 0.1 * x[w->column[k]]);
    return SAL_OK;
}

static int patterns, bands; /* that were found so far */

static void is_the_dense_one(uint32_t seed) {
    tangle w = {.n = 17 + (int)draw(&seed, 40)};
    w.count = (int)draw(&seed, 500);
    for (int k = 0; k < w.count; k++) {
        w.row[k] = (int)draw(&seed, (uint32_t)w.n);
        w.column[k] = draw(&seed, 3) ? (w.row[k] + (int)draw(&seed, 3)) % w.n : (int)draw(&seed, (uint32_t)w.n);
        w.factor[k] = (double)draw(&seed, 1000) / 500 - 1;
    }
    const sal_rhs rhs = {w.n, tangled, &w};
    const sal_limits to = {INFINITY, INFINITY, 1};
    sal_integrator *in[2];
    double x[60];
    for (int i = 0; i < w.n; i++)
        x[i] = (double)draw(&seed, 1000) / 1000 - 0.3;
    for (int dense = 0; dense < 2; dense++) {
        sal_integrator_config config = sal_integrator_config_default();
        config.method = sal_method_find("rodas4");
        config.dense_jacobian = dense;
        CHECK(sal_integrator_new(NULL, &config, w.n, &in[dense]) == SAL_OK);
        sal_integrator_initialize(in[dense]);
        CHECK(sal_integrator_step(in[dense], &rhs, 0, x, &to, NULL) == SAL_OK);
    }
    const sal__implicit *found = in[0]->implicit, *whole = in[1]->implicit;
    int wrong = 0;
    patterns += found->differences.sparsity == SAL__FOUND_PATTERN;
    bands += found->matrices.shape.is_banded;
    for (int j = 0; j < w.n; j++)
        for (int i = 0; i < w.n; i++) {
            bool listed = found->differences.sparsity == SAL__NO_PATTERN;
            for (int k = found->differences.pattern.starts[j]; !listed && k < found->differences.pattern.starts[j + 1];
                 k++)
                listed = found->differences.pattern.rows[k] == i;
            const double element = listed ? found->matrices.jacobian[sal__matrix_at(&found->matrices.shape, i, j)] : 0;
            wrong += element != whole->matrices.jacobian[i * w.n + j];
        }
    CHECK(wrong == 0);
    for (int i = 0; i < w.n; i++)
        CHECK_NEAR(sal_integrator_end(in[0])[i], sal_integrator_end(in[1])[i], 1e-13);
    sal_integrator_free(in[0]);
    sal_integrator_free(in[1]);
}

/* The first run and one after initialize have the same bits. */
static void begins_anew(void) {
    double x[2][N];
    world w = {0.3, 0, 500};
    const sal_rhs rhs = {N, late, &w};
    sal_integrator *in = make("radau5", -1, -1, false);
    for (int k = 0; k < 2; k++) {
        sal_integrator_initialize(in);
        start(x[k]);
        go(in, &rhs, 0.2, x[k]);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    sal_integrator_free(in);
}

static void refuses_impossible_bands(void) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find("radau5");
    sal_integrator *in = NULL;
    static const int wrong[][2] = {{3, 0}, {0, 3}, {-1, 1}, {1, -1}, {-2, -2}};
    for (int k = 0; k < 5; k++) {
        config.lower = wrong[k][0];
        config.upper = wrong[k][1];
        CHECK(sal_integrator_new(NULL, &config, 3, &in) == SAL_EINVAL && !in);
    }
}

int main(void) {
    for (int k = 0; k < 6; k++) {
        const int before = check_failed;
        finds_a_hidden_band(names[k]);
        takes_a_given_band(names[k]);
        notices_what_it_missed(names[k], 500);
        notices_what_it_missed(names[k], 0.09);
        if (strcmp(names[k], "rodas4") != 0) /* it does not iterate */
            doubts_what_fails(names[k]);
        if (check_failed != before)
            printf("    in %s\n", names[k]);
    }
    for (uint32_t seed = 1; seed <= 100; seed++)
        is_the_dense_one(seed);
    CHECK(patterns > 50 && patterns < 100 && bands >= 5);
    sees_through_rest();
    takes_the_whole_where_it_must();
    begins_anew();
    refuses_impossible_bands();
    return check_summary();
}
