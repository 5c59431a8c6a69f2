/* As lu.c, written out in real numbers: C's complex products check for infinities,
 * and differ by compiler. Pivots are judged by |re| + |im|. */
#include "lu_complex.h"

#include <math.h>
#include <stddef.h>

static double size_at(const double *re, const double *im, size_t k) {
    return fabs(re[k]) + fabs(im[k]);
}

static int largest_below(int n, const double *re, const double *im, int k) {
    const size_t width = (size_t)n, column = (size_t)k;
    int best = k;
    for (int i = k + 1; i < n; i++)
        if (size_at(re, im, (size_t)i * width + column) > size_at(re, im, (size_t)best * width + column))
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

/* (x_re + i x_im) /= (y_re + i y_im) */
static void divide(double *x_re, double *x_im, double y_re, double y_im) {
    const double square = y_re * y_re + y_im * y_im;
    const double re = (*x_re * y_re + *x_im * y_im) / square, im = (*x_im * y_re - *x_re * y_im) / square;
    *x_re = re;
    *x_im = im;
}

static void eliminate(int n, int k, const double *restrict p_re, const double *restrict p_im, double *restrict re,
                      double *restrict im) {
    divide(&re[k], &im[k], p_re[k], p_im[k]);
    const double f_re = re[k], f_im = im[k];
    for (int j = k + 1; j < n; j++) {
        re[j] -= f_re * p_re[j] - f_im * p_im[j];
        im[j] -= f_re * p_im[j] + f_im * p_re[j];
    }
}

bool sal__lu_complex_factor(int n, double *re, double *im, int *pivots) {
    const size_t width = (size_t)n;
    for (int k = 0; k < n; k++) {
        const int best = largest_below(n, re, im, k);
        double *p_re = re + (size_t)k * width, *p_im = im + (size_t)k * width;
        pivots[k] = best;
        if (best != k) {
            swap_rows(n, p_re, re + (size_t)best * width);
            swap_rows(n, p_im, im + (size_t)best * width);
        }
        const double pivot = size_at(p_re, p_im, (size_t)k);
        if (!(pivot > 0 && pivot < INFINITY))
            return false;
        for (size_t i = (size_t)k + 1; i < width; i++)
            eliminate(n, k, p_re, p_im, re + i * width, im + i * width);
    }
    return true;
}

static void swap(double *a, double *b) {
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* b_i less row i times b over [from, to). */
static void subtract(const double *re, const double *im, int i, int from, int to, double *b_re, double *b_im) {
    double sum_re = b_re[i], sum_im = b_im[i];
    for (int j = from; j < to; j++) {
        sum_re -= re[j] * b_re[j] - im[j] * b_im[j];
        sum_im -= re[j] * b_im[j] + im[j] * b_re[j];
    }
    b_re[i] = sum_re;
    b_im[i] = sum_im;
}

void sal__lu_complex_solve(int n, const double *re, const double *im, const int *pivots, double *b_re, double *b_im) {
    const size_t width = (size_t)n;
    for (int k = 0; k < n; k++) {
        swap(&b_re[k], &b_re[pivots[k]]);
        swap(&b_im[k], &b_im[pivots[k]]);
    }
    for (int i = 1; i < n; i++)
        subtract(re + (size_t)i * width, im + (size_t)i * width, i, 0, i, b_re, b_im);
    for (int i = n - 1; i >= 0; i--) {
        const double *row_re = re + (size_t)i * width, *row_im = im + (size_t)i * width;
        subtract(row_re, row_im, i, i + 1, n, b_re, b_im);
        divide(&b_re[i], &b_im[i], row_re[i], row_im[i]);
    }
}
