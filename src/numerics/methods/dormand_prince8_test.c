/* The tableau of dormand_prince8: row sums, quadrature, and the conditions of its construction (Hairer, Norsett,
 * Wanner I, II.5). */
#include "dormand_prince8.h"

#include <math.h>

#include "base/test_check.h"
#include "saltus/integrator.h"

enum { STAGES = 16, STEP = 12 };

/* The matrix with its zeros; stages from 0. */
typedef struct tableau {
    double a[STAGES][STAGES], nodes[STAGES], weights[STEP];
} tableau;

static void fill(tableau *w, int stage, int count, const double *values, const int *columns) {
    for (int k = 0; k < count; k++)
        w->a[stage - 1][columns[k] - 1] = values[k];
}
#define FILL(w, stage, row, ...) fill(w, stage, (int)(sizeof row / sizeof *row), row, (const int[]){__VA_ARGS__})

static tableau whole(void) {
    tableau w = {0};
    FILL(&w, 2, a2, 1);
    FILL(&w, 3, a3, 1, 2);
    FILL(&w, 4, a4, 1, 3);
    FILL(&w, 5, a5, 1, 3, 4);
    FILL(&w, 6, a6, 1, 4, 5);
    FILL(&w, 7, a7, 1, 4, 5, 6);
    FILL(&w, 8, a8, 1, 4, 5, 6, 7);
    FILL(&w, 9, a9, 1, 4, 5, 6, 7, 8);
    FILL(&w, 10, a10, 1, 4, 5, 6, 7, 8, 9);
    FILL(&w, 11, a11, 1, 4, 5, 6, 7, 8, 9, 10);
    FILL(&w, 12, a12, 1, 4, 5, 6, 7, 8, 9, 10, 11);
    FILL(&w, 13, b, 1, 6, 7, 8, 9, 10, 11, 12);
    FILL(&w, 14, a14, 1, 7, 8, 9, 10, 11, 12, 13);
    FILL(&w, 15, a15, 1, 6, 7, 8, 11, 12, 13, 14);
    FILL(&w, 16, a16, 1, 6, 7, 8, 9, 13, 14, 15);
    for (int i = 1; i <= 10; i++)
        w.nodes[i] = c[i - 1];
    w.nodes[11] = w.nodes[12] = 1;
    for (int i = 0; i < 3; i++)
        w.nodes[13 + i] = c_dense[i];
    for (int j = 0; j < STEP; j++)
        w.weights[j] = w.a[12][j];
    return w;
}

/* sum_j a_ij c_j^(k - 1) = c_i^k / k: k = 1 for all stages, 2 from the third, 3 from the sixth, 4 as well. */
static void satisfies_stage_conditions(const tableau *w) {
    for (int i = 1; i < STAGES; i++) {
        const int highest = i < 2 ? 1 : i < 3 ? 2 : i < 5 ? 3 : 4;
        for (int k = 1; k <= highest; k++) {
            double sum = 0;
            for (int j = 0; j < i; j++)
                sum += w->a[i][j] * pow(w->nodes[j], k - 1);
            CHECK_NEAR(sum, pow(w->nodes[i], k) / k, 1e-14);
        }
    }
}

/* The weights integrate t^(k - 1): those of the step to order 8, the embedded ones to 5 and 3; the table has their
 * differences from the step's. */
static void integrates(const tableau *w) {
    const int columns[8] = {0, 5, 6, 7, 8, 9, 10, 11};
    for (int k = 1; k <= 8; k++) {
        double sum = 0, difference5 = 0, difference3 = 0;
        for (int j = 0; j < STEP; j++)
            sum += w->weights[j] * pow(w->nodes[j], k - 1);
        CHECK_NEAR(sum, 1. / k, 1e-14);
        for (int j = 0; j < 8; j++) {
            difference5 += e5[j] * pow(w->nodes[columns[j]], k - 1);
            difference3 += e3[j] * pow(w->nodes[columns[j]], k - 1);
        }
        CHECK(k > 5 || fabs(difference5) < 1e-14);
        CHECK(k > 3 || fabs(difference3) < 1e-14);
    }
}

/* The four highest terms of the dense output are zero for functions that the lower ones represent exactly. */
static void adds_nothing_to_cubics(const tableau *w) {
    const int columns[12] = {0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (int r = 0; r < 4; r++)
        for (int k = 1; k <= 3; k++) {
            double sum = 0;
            for (int j = 0; j < 12; j++)
                sum += d[r][j] * pow(w->nodes[columns[j]], k - 1);
            CHECK_NEAR(sum, 0, 1e-12);
        }
}

static sal_status decay(void *user, double t, const double *x, double *dx) {
    (void)t;
    *dx = *(const double *)user * *x;
    return SAL_OK;
}

/* One step of 1 s on x' = lambda x: the error is never much larger than its estimate, not even if the difference of
 * the embedded results is zero. */
static void no_mode_hides(void) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = sal_method_find("dormand_prince8");
    config.fixed_step = true;
    config.max_step = 1;
    for (double lambda = -0.5; lambda > -12; lambda -= 0.01) {
        sal_integrator *in = NULL;
        CHECK(sal_integrator_new(NULL, &config, 1, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
        const sal_rhs rhs = {1, decay, &lambda};
        const double x = 1;
        CHECK(sal_integrator_step(in, &rhs, 0, &x, &(sal_limits){INFINITY, INFINITY, 1}, NULL) == SAL_OK);
        const double error = fabs(*sal_integrator_end(in) - exp(lambda));
        CHECK(error < 2.2 * fabs(*sal_integrator_error_estimate(in)));
        sal_integrator_free(in);
    }
}

/* Stages that overflow in the middle of the step, with a finite end and an estimate whose square overflows. */
static sal_status explosive(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    const double y = x[0] * x[0] + 1e-300;
    dx[0] = -3e7 * y;
    return SAL_OK;
}

static void takes_no_overflow_for_precision(void) {
    for (double step = 1e-8; step < 1e3; step *= 1.1) {
        sal_integrator_config config = sal_integrator_config_default();
        config.method = sal_method_find("dormand_prince8");
        config.accuracy = 1e-9;
        config.initial_step = step;
        sal_integrator *in = NULL;
        CHECK(sal_integrator_new(NULL, &config, 1, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
        const sal_rhs rhs = {1, explosive, NULL};
        const sal_limits to = {INFINITY, INFINITY, INFINITY};
        const double x = 1;
        CHECK(sal_integrator_step(in, &rhs, 0, &x, &to, NULL) == SAL_OK);
        CHECK_NEAR(sal_integrator_end(in)[0], 1 / (1 + 3e7 * sal_integrator_end_time(in)), 1e-8);
        sal_integrator_free(in);
    }
}

int main(void) {
    const tableau w = whole();
    satisfies_stage_conditions(&w);
    integrates(&w);
    adds_nothing_to_cubics(&w);
    no_mode_hides();
    takes_no_overflow_for_precision();
    return check_summary();
}
