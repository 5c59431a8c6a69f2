/* The tableau of every explicit method, checked by the order conditions, one for each rooted tree (J. C. Butcher;
 * Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.2): for the result, the estimate and the
 * interpolant.
 *
 * Nothing is copied from the methods. A right-hand side whose k-th result is the k-th unit vector makes an attempt
 * write its tableau: with x0 = 0 and h = 1, variable j of a stage is its weight of derivative j. */
#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "methods.h"

enum { MOST_STAGES = 20, MOST_ORDER = 9, MOST_TREES = 512, MOST_DEGREE = 8 };

/* ---- rooted trees ---- */

typedef struct tree {
    int order, branches, branch[MOST_ORDER]; /* earlier trees, in order of size */
    double density, symmetry;
} tree;

static tree trees[MOST_TREES];
static int tree_count;

/* All roots with `open` nodes left to distribute over branches not after `last`. */
static void grow(tree *root, int open, int last) {
    if (open == 0) {
        root->density = root->order;
        root->symmetry = 1;
        for (int k = 0, alike = 0; k < root->branches; k++) {
            root->density *= trees[root->branch[k]].density;
            alike = k > 0 && root->branch[k] == root->branch[k - 1] ? alike + 1 : 1;
            root->symmetry *= trees[root->branch[k]].symmetry * alike;
        }
        trees[tree_count++] = *root;
        return;
    }
    for (int b = last; b >= 0; b--)
        if (trees[b].order <= open) {
            root->branch[root->branches++] = b;
            grow(root, open - trees[b].order, b);
            root->branches--;
        }
}

static void grow_all(int highest) {
    for (int order = 1; order <= highest; order++) {
        tree root = {.order = order};
        grow(&root, order - 1, tree_count - 1);
    }
}

/* ---- tableaus ---- */

typedef struct tableau {
    int stages; /* derivatives evaluated, including the one passed in */
    double a[MOST_STAGES][MOST_STAGES], c[MOST_STAGES];
    double b[MOST_STAGES], e[MOST_STAGES];
    double dense[MOST_DEGREE][MOST_STAGES]; /* of theta^(j + 1) */
    double phi[MOST_TREES][MOST_STAGES];    /* elementary weights of each stage */
} tableau;

static sal_status unit_vectors(void *user, double t, const double *x, double *dx) {
    tableau *w = user;
    memcpy(w->a[w->stages], x, sizeof w->a[0]);
    w->c[w->stages] = t;
    memset(dx, 0, sizeof w->a[0]);
    dx[w->stages++] = 1;
    return SAL_OK;
}

static void read_off(const sal_method *m, tableau *w) {
    static double x0[MOST_STAGES], f0[MOST_STAGES], x1[MOST_STAGES], f1[MOST_STAGES], work[MOST_STAGES * MOST_STAGES];
    const sal_rhs rhs = {MOST_STAGES, unit_vectors, w};
    sal_attempt at = {.t1 = 1, .h = 1, .x0 = x0, .f0 = f0, .x1 = x1, .f1 = f1, .err = w->e, .work = work};
    memset(w, 0, sizeof *w);
    memset(x0, 0, sizeof x0);
    CHECK(m->work <= MOST_STAGES && m->dense_degree <= MOST_DEGREE);
    CHECK(rhs.eval(w, 0, x0, f0) == SAL_OK && m->attempt(&rhs, &at) == SAL_OK);
    memcpy(w->b, x1, sizeof w->b);
    if (!m->first_same_as_last)
        CHECK(rhs.eval(w, 1, x1, f1) == SAL_OK);
    if (m->dense_stages)
        CHECK(m->dense_stages(&rhs, &at) == SAL_OK);
    m->dense(MOST_STAGES, &at, w->dense[0]);
}

static double product(const double *weights, const double *values) {
    double sum = 0;
    for (int j = 0; j < MOST_STAGES; j++)
        sum += weights[j] * values[j];
    return sum;
}

static void weigh_trees(tableau *w) {
    for (int k = 0; k < tree_count; k++)
        for (int i = 0; i < w->stages; i++) {
            w->phi[k][i] = 1;
            for (int b = 0; b < trees[k].branches; b++)
                w->phi[k][i] *= product(w->a[i], w->phi[trees[k].branch[b]]);
        }
}

/* The largest residual of sum w_i phi_i = theta^order / density among trees of this order. */
static double failure(const tableau *w, const double *weights, int order, double theta) {
    double worst = 0;
    for (int k = 0; k < tree_count; k++)
        if (trees[k].order == order) {
            const double wanted = theta > 0 ? pow(theta, order) / trees[k].density : 0;
            worst = fmax(worst, fabs(product(weights, w->phi[k]) - wanted));
        }
    return worst;
}

/* ---- what must hold ---- */

/* Rows sum to the nodes, and each row is explicit. */
static void has_consistent_rows(const tableau *w) {
    for (int i = 0; i < w->stages; i++) {
        double sum = 0;
        for (int j = 0; j < MOST_STAGES; j++) {
            sum += w->a[i][j];
            CHECK(j < i || w->a[i][j] == 0);
        }
        CHECK_NEAR(sum, w->c[i], 1e-14);
    }
}

/* All conditions up to the claimed order hold, and one of the next does not. */
static void is_of_order(const tableau *w, const double *weights, int order, double theta) {
    for (int p = 1; p <= order; p++)
        CHECK_NEAR(failure(w, weights, p, theta), 0, 2e-13);
    CHECK(failure(w, weights, order + 1, theta) > 1e-9);
}

/* The estimate is zero below its order. That of dormand_prince8 is not linear: see its own test. */
static void estimates(const sal_method *m, const tableau *w) {
    for (int p = 1; p < m->error_order; p++)
        CHECK_NEAR(failure(w, w->e, p, 0), 0, 1e-14);
    CHECK(failure(w, w->e, m->error_order, 0) > 1e-6);
}

/* The declared jump_factor: the mean of error / estimate over the positions of a jump of f. */
static void misjudges_jumps(const sal_method *m, const tableau *w) {
    enum { ANCHORS = 10000 };
    double sum = 0;
    for (int k = 0; k < ANCHORS; k++) {
        const double at = (k + 0.5) / ANCHORS;
        double error = at - 1, estimate = 0;
        for (int i = 0; i < w->stages; i++)
            if (w->c[i] > at)
                error += w->b[i], estimate += w->e[i];
        sum += fabs(error / estimate);
    }
    CHECK(m->jump_factor == 0 || fabs(sum / ANCHORS - m->jump_factor) < 0.5);
}

/* The norm of the weights of the elementary differentials in the leading error. */
static double principal_error(const tableau *w, int order) {
    double sum = 0;
    for (int k = 0; k < tree_count; k++)
        if (trees[k].order == order + 1) {
            const double term = (product(w->b, w->phi[k]) - 1 / trees[k].density) / trees[k].symmetry;
            sum += term * term;
        }
    return sqrt(sum);
}

/* For Dormand and Prince's pair the norm is published: 3.99e-4 (Journal of Computational and Applied Mathematics 6,
 * 1980). Tsitouras minimized it: about a third of that. */
static void errs_as_published(const sal_method *m, const tableau *w) {
    if (m == &sal__runge_kutta5 || m == &sal__dormand_prince5)
        CHECK_NEAR(principal_error(w, 5), 3.99e-4, 0.005e-4);
    if (m == &sal__tsitouras5)
        CHECK_NEAR(principal_error(w, 5) / 3.99e-4, 0.35, 0.005);
}

static void weights_at(const tableau *w, double theta, bool slope, double *weights) {
    for (int i = 0; i < MOST_STAGES; i++) {
        weights[i] = 0;
        for (int j = MOST_DEGREE - 1; j >= 0; j--)
            weights[i] = slope ? weights[i] * theta + (j + 1) * w->dense[j][i] : (weights[i] + w->dense[j][i]) * theta;
    }
}

/* The interpolant has its order everywhere inside, ends at the result, and from cubics on has both end derivatives. */
static void interpolates(const sal_method *m, const tableau *w) {
    double weights[MOST_STAGES];
    for (double theta = 0.125; theta < 1; theta += 0.125) {
        weights_at(w, theta, false, weights);
        for (int p = 1; p <= m->dense_order; p++)
            CHECK_NEAR(failure(w, weights, p, theta), 0, 1e-12);
    }
    weights_at(w, 0.375, false, weights);
    CHECK(failure(w, weights, m->dense_order + 1, 0.375) > 1e-9);

    weights_at(w, 1, false, weights);
    for (int i = 0; i < MOST_STAGES; i++)
        CHECK_NEAR(weights[i], w->b[i], 2e-13);
    const int last = w->stages - 1 - (m->dense_stages ? 3 : 0);
    for (int end = 0; end < 2 && m->dense_degree >= SAL__HERMITE_DEGREE; end++) {
        weights_at(w, end, true, weights);
        for (int i = 0; i < MOST_STAGES; i++)
            CHECK_NEAR(weights[i], i == (end ? last : 0), 2e-12);
    }
}

int main(void) {
    const int known[] = {0, 1, 1, 2, 4, 9, 20, 48, 115, 286};
    grow_all(MOST_ORDER);
    for (int order = 1; order <= MOST_ORDER; order++) {
        int count = 0;
        for (int k = 0; k < tree_count; k++)
            count += trees[k].order == order;
        CHECK(count == known[order]);
    }
    static tableau w;
    const sal_method *m;
    for (int k = 0; (m = sal_method_at(k)) != NULL; k++) {
        if (m->implicit_stages > 0 || m == &sal__symplectic4 || m == &sal__auto)
            continue; /* symplectic4 also steps backwards: its order is measured */
        const int before = check_failed;
        read_off(m, &w);
        weigh_trees(&w);
        has_consistent_rows(&w);
        is_of_order(&w, w.b, m->order, 1);
        if (m->error_order > 0 && m != &sal__dormand_prince8)
            estimates(m, &w);
        misjudges_jumps(m, &w);
        interpolates(m, &w);
        errs_as_published(m, &w);
        if (check_failed != before)
            printf("    in %s\n", m->name);
    }
    return check_summary();
}
