/* Elimination within a band (Golub, Van Loan, Matrix Computations, 4.3.4).
 *
 * At step k the rows k to k + lower begin with column k; when a row's first element is eliminated, the row moves one
 * to the left, so that rows to be swapped or subtracted are aligned. The diagonal contains the reciprocals of the
 * pivots, l the multipliers, column by column. pivots[n] says whether rows were swapped: if not, U is no wider than
 * the matrix was. */
#include "lu.h"

#include <math.h>
#include <stddef.h>

SAL__BAND_BODY int largest_of(int rows, int width, const double *column) {
    int best = 0;
    for (int r = 1; r < rows; r++)
        if (fabs(column[r * width]) > fabs(column[best * width]))
            best = r;
    return best;
}

SAL__BAND_BODY void eliminate(int width, double factor, const double *restrict pivot_row, double *restrict row) {
    for (int j = 1; j < width; j++)
        row[j - 1] = row[j] - factor * pivot_row[j];
    row[width - 1] = 0;
}

SAL__BAND_BODY bool factor(const int n, const int lower, const int width, double *a, double *l, int *pivots) {
    pivots[n] = 0;
    for (int k = 0; k < n; k++) {
        const int rows = sal__smaller(lower + 1, n - k);
        double *p = a + (size_t)k * (size_t)width, *multipliers = l + (size_t)k * (size_t)lower;
        const int best = largest_of(rows, width, p);
        pivots[k] = k + best;
        if (best != 0) {
            sal__swap_rows(width, p, p + best * width);
            pivots[n] = 1;
        }
        if (!(fabs(p[0]) > 0 && fabs(p[0]) < INFINITY))
            return false;
        p[0] = 1 / p[0];
        for (int r = 1; r < rows; r++) {
            double *row = p + r * width;
            multipliers[r - 1] = row[0] * p[0];
            eliminate(width, multipliers[r - 1], p, row);
        }
    }
    return true;
}

static void forwards(int n, int lower, const double *l, const int *pivots, double *b) {
    for (int k = 0; k < n; k++) {
        const int rows = sal__smaller(lower + 1, n - k);
        const double *multipliers = l + (size_t)k * (size_t)lower;
        const double x = b[pivots[k]];
        b[pivots[k]] = b[k];
        b[k] = x;
        for (int r = 1; r < rows; r++)
            b[k + r] -= multipliers[r - 1] * x;
    }
}

/* The nearest unknown, just computed, is added last, so that only the end of the sum waits for it. */
static void backwards(int n, int reach, int width, const double *a, double *b) {
    for (int k = n - 1; k >= 0; k--) {
        const double *row = a + (size_t)k * (size_t)width;
        double sum = b[k];
        for (int j = sal__smaller(reach, n - k) - 1; j > 0; j--)
            sum -= row[j] * b[k + j];
        b[k] = sum * row[0];
    }
}

/* The narrowest bands, without row swaps. Each unknown depends on its neighbour, which stays in a register:
 * otherwise the Brusselator (pentadiagonal) would take 1.6 times as long, the heat equation (tridiagonal) 1.24
 * times. */
static void solve_tridiagonal(int n, const double *restrict a, const double *restrict l, double *restrict b) {
    double x = 0;
    for (int k = 0; k < n; k++)
        b[k] = x = k > 0 ? b[k] - l[k - 1] * x : b[k];
    x = 0;
    for (int k = n - 1; k >= 0; k--)
        b[k] = x = (b[k] - a[3 * k + 1] * x) * a[3 * k];
}

static void solve_pentadiagonal(int n, const double *restrict a, const double *restrict l, double *restrict b) {
    double x = 0, y = 0;
    for (int k = 0; k < n; k++) {
        double now = b[k];
        if (k > 1)
            now -= l[2 * k - 3] * y;
        if (k > 0)
            now -= l[2 * k - 2] * x;
        y = x;
        b[k] = x = now;
    }
    x = y = 0;
    for (int k = n - 1; k >= 0; k--) {
        const double now = (b[k] - a[5 * k + 2] * y - a[5 * k + 1] * x) * a[5 * k];
        y = x;
        b[k] = x = now;
    }
}

bool sal__lu_band_factor(int n, int lower, int width, double *a, double *l, int *pivots) {
    if (lower == 1 && width == 3)
        return factor(n, 1, 3, a, l, pivots);
    if (lower == 2 && width == 5)
        return factor(n, 2, 5, a, l, pivots);
    return factor(n, lower, width, a, l, pivots);
}

void sal__lu_band_solve(int n, int lower, int width, const double *a, const double *l, const int *pivots, double *b) {
    if (!pivots[n] && lower == 1 && width == 3) {
        solve_tridiagonal(n, a, l, b);
    } else if (!pivots[n] && lower == 2 && width == 5) {
        solve_pentadiagonal(n, a, l, b);
    } else {
        forwards(n, lower, l, pivots, b);
        backwards(n, pivots[n] ? width : width - lower, width, a, b);
    }
}
