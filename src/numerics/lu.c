/* Gaussian elimination by rows (Golub, Van Loan, Matrix Computations, 3.4). */
#include "lu.h"

#include <math.h>
#include <stddef.h>

static double *row(double *a, int n, int i) {
    return a + (size_t)i * (size_t)n;
}

static int largest_below(int n, const double *a, int k) {
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (fabs(a[(size_t)i * (size_t)n + (size_t)k]) > fabs(a[(size_t)best * (size_t)n + (size_t)k]))
            best = i;
    return best;
}

static void swap_rows(int n, double *restrict a, double *restrict b) {
    for (int j = 0; j < n; j++) {
        const double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

/* Multipliers are kept where the zeros would stand. */
static void eliminate(int n, int k, const double *restrict pivot_row, double *restrict below) {
    const double factor = below[k] / pivot_row[k];
    below[k] = factor;
    if (factor == 0)
        return;
    for (int j = k + 1; j < n; j++)
        below[j] -= factor * pivot_row[j];
}

bool sal__lu_factor(int n, double *a, int *pivots) {
    for (int k = 0; k < n; k++) {
        const int best = largest_below(n, a, k);
        double *pivot_row = row(a, n, k);
        pivots[k] = best;
        if (best != k)
            swap_rows(n, pivot_row, row(a, n, best));
        const double pivot = fabs(pivot_row[k]);
        if (!(pivot > 0 && pivot < INFINITY))
            return false;
        for (int i = k + 1; i < n; i++)
            eliminate(n, k, pivot_row, row(a, n, i));
    }
    return true;
}

void sal__lu_solve(int n, const double *a, const int *pivots, double *b) {
    for (int k = 0; k < n; k++) {
        const double kept = b[pivots[k]];
        b[pivots[k]] = b[k];
        b[k] = kept;
    }
    for (int i = 1; i < n; i++) {
        const double *r = a + (size_t)i * (size_t)n;
        double sum = b[i];
        for (int j = 0; j < i; j++)
            sum -= r[j] * b[j];
        b[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *r = a + (size_t)i * (size_t)n;
        double sum = b[i];
        for (int j = i + 1; j < n; j++)
            sum -= r[j] * b[j];
        b[i] = sum / r[i];
    }
}
