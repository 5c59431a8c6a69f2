/* The nearest point of a manifold: circles, planes, dependent rows, points that do not exist. */
#include "least_squares_projection.h"

#include <math.h>
#include <stdlib.h>

#include "base/test_check.h"

typedef struct problem {
    int n, m, asked;
    sal_status (*residual)(void *user, const double *x, double *r);
} problem;

static sal_status circle(void *user, const double *x, double *r) {
    ((problem *)user)->asked++;
    r[0] = x[0] * x[0] + x[1] * x[1] - 1;
    return SAL_OK;
}

/* The third constraint is the sum of the first two. */
static sal_status planes(void *user, const double *x, double *r) {
    ((problem *)user)->asked++;
    r[0] = x[0] + x[1] - 1;
    r[1] = 1e6 * (x[1] + x[2] - 2);
    r[2] = r[0] + 1e-6 * r[1];
    return SAL_OK;
}

static sal_status contradiction(void *user, const double *x, double *r) {
    ((problem *)user)->asked++;
    r[0] = x[0] + x[1] - 1;
    r[1] = x[0] + x[1] - 2;
    return SAL_OK;
}

static sal_status nowhere(void *user, const double *x, double *r) {
    ((problem *)user)->asked++;
    r[0] = x[0] * x[0] + 1;
    return SAL_OK;
}

static sal__pool pool; /* of the present test */

static sal__manifold made(problem *p) {
    sal__manifold mf = {.n = 0};
    pool.mem = sal__allocator(NULL);
    CHECK(sal__manifold_init(&mf, &pool, p->n, p->m) == SAL_OK);
    mf.residual = p->residual;
    mf.user = p;
    for (int j = 0; j < p->n; j++)
        mf.scale[j] = 1;
    return mf;
}

static void done(void) {
    sal__pool_free(&pool);
}

/* From a point near the circle: along the radius, to rounding, with a few residuals. */
static void finds_the_nearest(void) {
    problem p = {2, 1, 0, circle};
    sal__manifold mf = made(&p);
    double x[2] = {0.6 * 1.001, 0.8 * 1.001};
    bool moved = false;
    CHECK(sal__manifold_project(&mf, sal__manifold_differentiate, 1e-12, x, &moved) == SAL_OK && moved);
    CHECK(fabs(x[0] - 0.6) < 1e-8 && fabs(x[1] - 0.8) < 1e-8);
    CHECK(fabs(x[0] * x[0] + x[1] * x[1] - 1) < 4e-12);
    CHECK(p.asked <= 7);
    moved = false;
    const double was[2] = {x[0], x[1]};
    CHECK(sal__manifold_project(&mf, sal__manifold_differentiate, 1e-11, x, &moved) == SAL_OK && !moved);
    CHECK(x[0] == was[0] && x[1] == was[1]);
    done();
}

/* From a point far away, Jacobians are renewed. */
static void comes_from_far(void) {
    problem p = {2, 1, 0, circle};
    sal__manifold mf = made(&p);
    double x[2] = {3, 4};
    bool moved = false;
    CHECK(sal__manifold_project(&mf, sal__manifold_differentiate, 1e-12, x, &moved) == SAL_OK);
    CHECK(fabs(x[0] - 0.6) < 1e-6 && fabs(x[1] - 0.8) < 1e-6);
    done();
}

/* Scales are the costs of moving variables: the moves are in the ratio of their squares. */
static void weighs(void) {
    problem p = {3, 3, 0, planes};
    sal__manifold mf = made(&p);
    mf.scale[0] = 0.1;
    double x[3] = {0, 0, 2};
    bool moved = false;
    CHECK(sal__manifold_project(&mf, sal__manifold_differentiate, 1e-12, x, &moved) == SAL_OK);
    CHECK(mf.rank == 2);
    /* x = (1 - y, y, 2 - y): least 100 (1 - y)^2 + y^2 + y^2 */
    const double y = 100.0 / 102;
    CHECK(fabs(x[0] - (1 - y)) < 1e-8 && fabs(x[1] - y) < 1e-8 && fabs(x[2] - (2 - y)) < 1e-8);
    done();
}

static void refuses(sal_status (*residual)(void *user, const double *x, double *r), int n, int m) {
    problem p = {n, m, 0, residual};
    sal__manifold mf = made(&p);
    double x[2] = {0.25, 0.25};
    bool moved = false;
    CHECK(sal__manifold_project(&mf, sal__manifold_differentiate, 1e-10, x, &moved) == SAL_RETRY);
    CHECK(mf.worst >= 0 && mf.worst < m);
    done();
}

/* A projected difference has no part normal to the manifold, and its tangent part is unchanged; projecting twice
 * equals once. */
static void flattens(void) {
    problem p = {2, 1, 0, circle};
    sal__manifold mf = made(&p);
    double x[2] = {0.6, 0.8}, e[2] = {1e-3, 2e-3};
    bool moved = false;
    CHECK(sal__manifold_project(&mf, sal__manifold_differentiate, 1e-10, x, &moved) == SAL_OK);
    sal__manifold_remove_normal(&mf, e);
    CHECK(fabs(0.6 * e[0] + 0.8 * e[1]) < 1e-10);
    CHECK(fabs(-0.8 * e[0] + 0.6 * e[1] - (-0.8 * 1e-3 + 0.6 * 2e-3)) < 1e-10);
    done();
}

/* The pseudo-inverse, compared with the normal equations of a 4 x 2 matrix. */
static void pulls(void) {
    problem p = {4, 2, 0, NULL};
    sal__manifold mf = made(&p);
    const double columns[2][4] = {{1, 2, 0, -1}, {3, 0, 1, 1}}, e[4] = {1, -2, 3, 0.5};
    double a[2][2] = {{0}}, b[2] = {0}, y[2];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++) {
            mf.jacobian[i * 4 + k] = columns[i][k];
            b[i] += columns[i][k] * e[k];
            for (int j = 0; j < 2; j++)
                a[i][j] += columns[i][k] * columns[j][k];
        }
    sal__manifold_factor(&mf);
    sal__manifold_solve_transposed(&mf, e, y);
    for (int i = 0; i < 2; i++)
        CHECK(fabs(a[i][0] * y[0] + a[i][1] * y[1] - b[i]) < 1e-13);
    done();
}

int main(void) {
    finds_the_nearest();
    comes_from_far();
    weighs();
    refuses(contradiction, 2, 2);
    refuses(nowhere, 1, 1);
    flattens();
    pulls();
    return check_summary();
}
