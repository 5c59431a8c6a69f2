/* Only + - * / sqrt, so every machine projects to the same point. */
#include "least_squares_projection.h"

#include <math.h>
#include <string.h>

#include "lu.h"

static const double dependent = 1e-6; /* remaining fraction of a dependent row's length; the error of differences */
enum { MOST_ITERATIONS = 40, MOST_JACOBIANS = 12 }; /* in a step, 2 and 1 suffice */

static double *row(double *a, int width, int i) {
    return a + (size_t)i * (size_t)width;
}

sal_status sal__manifold_init(sal__manifold *to, sal__pool *pool, int n, int m) {
    *to = (sal__manifold){.n = n, .m = m, .worst = -1};
    to->scale = sal__pool_alloc(pool, n, sizeof(double));
    to->point = sal__pool_alloc(pool, n, sizeof(double));
    to->displaced = sal__pool_alloc(pool, n, sizeof(double));
    to->jacobian = sal__pool_alloc(pool, m * n, sizeof(double));
    to->q = sal__pool_alloc(pool, m * n, sizeof(double));
    to->l = sal__pool_alloc(pool, m * m, sizeof(double));
    to->terms = sal__pool_alloc(pool, m, sizeof(double));
    to->length = sal__pool_alloc(pool, m, sizeof(double));
    to->r = sal__pool_alloc(pool, m, sizeof(double));
    to->y = sal__pool_alloc(pool, m, sizeof(double));
    to->order = sal__pool_alloc(pool, m, sizeof(int));
    return sal__pool_status(pool);
}

/* Increments of 2^-26 of the variable, or of its unit if that is larger, rounded to differences of doubles. */
sal_status sal__manifold_differentiate(sal__manifold *mf, const double *x) {
    memcpy(mf->point, x, (size_t)mf->n * sizeof *x);
    for (int j = 0; j < mf->n; j++) {
        const double size = sal__max(fabs(x[j]), mf->scale[j]);
        mf->point[j] = x[j] + 0x1p-26 * size;
        const double dx = mf->point[j] - x[j];
        const sal_status status = mf->residual(mf->user, mf->point, mf->y);
        if (status != SAL_OK)
            return status;
        for (int i = 0; i < mf->m; i++)
            row(mf->jacobian, mf->n, i)[j] = (mf->y[i] - mf->r[i]) / dx;
        mf->point[j] = x[j];
    }
    return SAL_OK;
}

static void swap_rows(sal__manifold *mf, int a, int b) {
    if (a == b)
        return;
    sal__swap_rows(mf->n, row(mf->q, mf->n, a), row(mf->q, mf->n, b));
    sal__swap_rows(mf->m, row(mf->l, mf->m, a), row(mf->l, mf->m, b));
    const int kept = mf->order[a];
    mf->order[a] = mf->order[b];
    mf->order[b] = kept;
}

/* The row, from k on, of which the largest fraction of its length remains. */
static int next_row(sal__manifold *mf, int k, double *left) {
    int best = k;
    *left = 0;
    for (int i = k; i < mf->m; i++) {
        const double *qi = row(mf->q, mf->n, i), length = mf->length[mf->order[i]];
        const double share = length > 0 ? sqrt(sal__dot(mf->n, qi, qi)) / length : 0;
        if (share > *left) {
            *left = share;
            best = i;
        }
    }
    return best;
}

/* Modified Gram-Schmidt with pivoting; each row is orthogonalized twice against the earlier ones (Golub, Van Loan,
 * Matrix Computations, 5.2.8: twice is enough). */
static void clear_of(sal__manifold *mf, int k, int i) {
    const double *qk = row(mf->q, mf->n, k);
    double *qi = row(mf->q, mf->n, i);
    const double share = sal__dot(mf->n, qk, qi);
    row(mf->l, mf->m, i)[k] += share;
    for (int j = 0; j < mf->n; j++)
        qi[j] -= share * qk[j];
}

void sal__manifold_factor(sal__manifold *mf) {
    memset(mf->l, 0, (size_t)mf->m * (size_t)mf->m * sizeof *mf->l);
    for (int i = 0; i < mf->m; i++) {
        const double *from = row(mf->jacobian, mf->n, i);
        double *to = row(mf->q, mf->n, i);
        for (int j = 0; j < mf->n; j++)
            to[j] = from[j] * mf->scale[j];
        mf->length[i] = sal__max(sqrt(sal__dot(mf->n, to, to)), mf->terms[i]);
        mf->order[i] = i;
    }
    for (mf->rank = 0; mf->rank < mf->m; mf->rank++) {
        const int k = mf->rank;
        double left;
        swap_rows(mf, k, next_row(mf, k, &left));
        if (!(left > dependent))
            return;
        double *qk = row(mf->q, mf->n, k);
        for (int i = 0; i < k; i++)
            clear_of(mf, i, k);
        const double length = sqrt(sal__dot(mf->n, qk, qk));
        row(mf->l, mf->m, k)[k] = length;
        for (int j = 0; j < mf->n; j++)
            qk[j] /= length;
        for (int i = k + 1; i < mf->m; i++)
            clear_of(mf, k, i);
    }
}

/* Computes the correction for the residual, in units, into `beside`; returns its largest element. */
static double correction(sal__manifold *mf) {
    memset(mf->displaced, 0, (size_t)mf->n * sizeof *mf->displaced);
    for (int k = 0; k < mf->rank; k++) {
        const double *lk = row(mf->l, mf->m, k), *qk = row(mf->q, mf->n, k);
        mf->y[k] = (-mf->r[mf->order[k]] - sal__dot(k, lk, mf->y)) / lk[k];
        for (int j = 0; j < mf->n; j++)
            mf->displaced[j] += mf->y[k] * qk[j];
    }
    double norm = 0;
    for (int j = 0; j < mf->n; j++)
        norm = mf->displaced[j] - mf->displaced[j] == 0 ? sal__max(norm, fabs(mf->displaced[j])) : INFINITY;
    return norm;
}

/* Constraints that were left out are met together with the others, or cannot be met. */
static sal_status check_left_out(sal__manifold *mf, double tolerance) {
    for (int k = mf->rank; k < mf->m; k++) {
        const int i = mf->order[k];
        const double length = mf->length[i] > 0 ? mf->length[i] : 1;
        if (!(fabs(mf->r[i]) <= tolerance * length)) {
            mf->worst = i;
            return SAL_RETRY;
        }
    }
    return SAL_OK;
}

static int largest_residual(const sal__manifold *mf) {
    int worst = 0;
    double most = -1;
    for (int i = 0; i < mf->m; i++) {
        const double share = fabs(mf->r[i]) / (mf->length[i] > 0 ? mf->length[i] : 1);
        if (!(share <= most)) {
            most = share;
            worst = i;
        }
    }
    return worst;
}

/* The effect of rounding x, in units. */
static double grain(const sal__manifold *mf, const double *x) {
    double most = 0;
    for (int j = 0; j < mf->n; j++)
        most = sal__max(most, 0x1p-50 * fabs(x[j]) / mf->scale[j]);
    return most;
}

static sal_status prepare(sal__manifold *mf, sal__jacobian_updater renew, const double *x) {
    const sal_status status = renew(mf, x);
    if (status == SAL_OK)
        sal__manifold_factor(mf);
    return status;
}

static sal_status fail(sal__manifold *mf) {
    mf->worst = largest_residual(mf);
    return SAL_RETRY;
}

sal_status sal__manifold_project(sal__manifold *mf, sal__jacobian_updater renew, double tolerance, double *x,
                                 bool *moved) {
    double last = INFINITY;
    int jacobians = 0;
    mf->worst = -1;
    tolerance = sal__max(tolerance, grain(mf, x));
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        sal_status status = mf->residual(mf->user, x, mf->r);
        if (status == SAL_OK && jacobians == 0 && ++jacobians)
            status = prepare(mf, renew, x);
        if (status != SAL_OK)
            return status;
        double norm = correction(mf);
        const bool stuck = norm > 0.1 * last;
        if (norm <= tolerance || (stuck && norm <= 100 * tolerance))
            return check_left_out(mf, 1000 * tolerance);
        if (stuck && jacobians++ < MOST_JACOBIANS) {
            status = prepare(mf, renew, x);
            if (status != SAL_OK)
                return status;
            norm = correction(mf);
        }
        if (!(norm < INFINITY) || (stuck && norm > 2 * last))
            return fail(mf);
        for (int j = 0; j < mf->n; j++)
            x[j] += mf->scale[j] * mf->displaced[j];
        *moved = true;
        last = norm;
    }
    return fail(mf);
}

void sal__manifold_remove_normal(sal__manifold *mf, double *difference) {
    for (int j = 0; j < mf->n; j++)
        mf->displaced[j] = difference[j] / mf->scale[j];
    for (int k = 0; k < mf->rank; k++) {
        const double *qk = row(mf->q, mf->n, k);
        const double share = sal__dot(mf->n, qk, mf->displaced);
        for (int j = 0; j < mf->n; j++)
            mf->displaced[j] -= share * qk[j];
    }
    for (int j = 0; j < mf->n; j++)
        difference[j] = mf->displaced[j] * mf->scale[j];
}

/* J' = Q' L', so L' y = Q e. */
void sal__manifold_solve_transposed(sal__manifold *mf, const double *e, double *y) {
    for (int i = 0; i < mf->m; i++)
        y[i] = 0;
    for (int k = mf->rank - 1; k >= 0; k--) {
        double sum = sal__dot(mf->n, row(mf->q, mf->n, k), e);
        for (int i = k + 1; i < mf->rank; i++)
            sum -= row(mf->l, mf->m, i)[k] * y[mf->order[i]];
        y[mf->order[k]] = sum / row(mf->l, mf->m, k)[k];
    }
}
