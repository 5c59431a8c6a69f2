/* As lu.c, written out in real arithmetic: C's complex products check for infinities, and differ by compiler. Pivots
 * are compared by |re| + |im|. */
#include "lu.h"

#include <math.h>
#include <stddef.h>

enum { PANEL = 2 };

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

void sal__complex_invert(double *re, double *im) {
    const double square = *re * *re + *im * *im;
    *re = *re / square;
    *im = -*im / square;
}

static void multiply(double *x_re, double *x_im, double y_re, double y_im) {
    const double re = *x_re * y_re - *x_im * y_im;
    *x_im = *x_re * y_im + *x_im * y_re;
    *x_re = re;
}

static void eliminate(int from, int to, double f_re, double f_im, const double *restrict p_re,
                      const double *restrict p_im, double *restrict re, double *restrict im) {
    for (int j = from; j < to; j++) {
        re[j] -= f_re * p_re[j] - f_im * p_im[j];
        im[j] -= f_re * p_im[j] + f_im * p_re[j];
    }
}

static bool factor_panel(int n, double *re, double *im, int *pivots, int first, int end) {
    const size_t width = (size_t)n;
    for (int k = first; k < end; k++) {
        const int best = largest_below(n, re, im, k);
        double *p_re = re + (size_t)k * width, *p_im = im + (size_t)k * width;
        pivots[k] = best;
        if (best != k) {
            sal__swap_rows(n, p_re, re + (size_t)best * width);
            sal__swap_rows(n, p_im, im + (size_t)best * width);
        }
        const double pivot = size_at(p_re, p_im, (size_t)k);
        if (!(pivot > 0 && pivot < INFINITY))
            return false;
        sal__complex_invert(&p_re[k], &p_im[k]);
        for (size_t i = (size_t)k + 1; i < width; i++) {
            double *r = re + i * width, *m = im + i * width;
            multiply(&r[k], &m[k], p_re[k], p_im[k]);
            eliminate(k + 1, end, r[k], m[k], p_re, p_im, r, m);
        }
    }
    return true;
}

static void eliminate_two(int from, int n, const double *restrict p_re, const double *restrict p_im,
                          double *restrict re, double *restrict im) {
    const double *restrict q_re = p_re + n, *restrict q_im = p_im + n;
    const double f_re = re[from - 2], f_im = im[from - 2], g_re = re[from - 1], g_im = im[from - 1];
    for (int j = from; j < n; j++) {
        re[j] -= f_re * p_re[j] - f_im * p_im[j] + (g_re * q_re[j] - g_im * q_im[j]);
        im[j] -= f_re * p_im[j] + f_im * p_re[j] + (g_re * q_im[j] + g_im * q_re[j]);
    }
}

static void follow_panel(int n, double *re, double *im, int first) {
    const size_t width = (size_t)n, row = (size_t)first * width;
    double *p_re = re + row, *p_im = im + row;
    eliminate(first + PANEL, n, p_re[n + first], p_im[n + first], p_re, p_im, p_re + n, p_im + n);
    for (size_t i = (size_t)(first + PANEL); i < width; i++)
        eliminate_two(first + PANEL, n, p_re, p_im, re + i * width, im + i * width);
}

bool sal__lu_complex_factor(int n, double *re, double *im, int *pivots) {
    int first = 0;
    for (; n - first > PANEL; first += PANEL) {
        if (!factor_panel(n, re, im, pivots, first, first + PANEL))
            return false;
        follow_panel(n, re, im, first);
    }
    return factor_panel(n, re, im, pivots, first, n);
}

/* b_i minus row i times b over [from, to). */
static void subtract(const double *re, const double *im, int i, int from, int to, double *b_re, double *b_im) {
    double s_re = 0, s_im = 0, u_re = 0, u_im = 0;
    for (int j = from; j < to; j++) {
        s_re += re[j] * b_re[j];
        u_re += im[j] * b_im[j];
        s_im += re[j] * b_im[j];
        u_im += im[j] * b_re[j];
    }
    b_re[i] -= s_re - u_re;
    b_im[i] -= s_im + u_im;
}

void sal__lu_complex_solve(int n, const double *re, const double *im, const int *pivots, double *b_re, double *b_im) {
    const size_t width = (size_t)n;
    for (int k = 0; k < n; k++) {
        sal__swap(&b_re[k], &b_re[pivots[k]]);
        sal__swap(&b_im[k], &b_im[pivots[k]]);
    }
    for (int i = 1; i < n; i++)
        subtract(re + (size_t)i * width, im + (size_t)i * width, i, 0, i, b_re, b_im);
    for (int i = n - 1; i >= 0; i--) {
        const double *row_re = re + (size_t)i * width, *row_im = im + (size_t)i * width;
        subtract(row_re, row_im, i, i + 1, n, b_re, b_im);
        multiply(&b_re[i], &b_im[i], row_re[i], row_im[i]);
    }
}
