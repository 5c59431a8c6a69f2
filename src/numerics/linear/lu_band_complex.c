/* As lu_band.c, for complex numbers written out in real arithmetic. */
#include <math.h>
#include <stddef.h>

#include "lu.h"

SAL__BAND_BODY int largest_of(int rows, int width, const double *re, const double *im) {
    int best = 0;
    double most = fabs(re[0]) + fabs(im[0]);
    for (int r = 1; r < rows; r++) {
        const double size = fabs(re[r * width]) + fabs(im[r * width]);
        if (size > most) {
            best = r;
            most = size;
        }
    }
    return best;
}

SAL__BAND_BODY void eliminate(int width, double f_re, double f_im, const double *restrict p_re,
                              const double *restrict p_im, double *restrict re, double *restrict im) {
    for (int j = 1; j < width; j++) {
        re[j - 1] = re[j] - (f_re * p_re[j] - f_im * p_im[j]);
        im[j - 1] = im[j] - (f_re * p_im[j] + f_im * p_re[j]);
    }
    re[width - 1] = im[width - 1] = 0;
}

SAL__BAND_BODY bool factor(const int n, const int lower, const int width, double *re, double *im, double *l_re,
                           double *l_im, int *pivots) {
    pivots[n] = 0;
    for (int k = 0; k < n; k++) {
        const int rows = sal__smaller(lower + 1, n - k);
        const size_t at = (size_t)k * (size_t)width, below = (size_t)k * (size_t)lower;
        double *p = re + at, *q = im + at;
        const int best = largest_of(rows, width, p, q);
        pivots[k] = k + best;
        if (best != 0) {
            sal__swap_rows(width, p, p + best * width);
            sal__swap_rows(width, q, q + best * width);
            pivots[n] = 1;
        }
        const double size = fabs(p[0]) + fabs(q[0]);
        if (!(size > 0 && size < INFINITY))
            return false;
        sal__complex_invert(&p[0], &q[0]);
        for (int r = 1; r < rows; r++) {
            double *row = p + r * width, *imaginary = q + r * width;
            const double f_re = row[0] * p[0] - imaginary[0] * q[0], f_im = row[0] * q[0] + imaginary[0] * p[0];
            l_re[below + (size_t)r - 1] = f_re;
            l_im[below + (size_t)r - 1] = f_im;
            eliminate(width, f_re, f_im, p, q, row, imaginary);
        }
    }
    return true;
}

static void forwards(int n, int lower, const double *l_re, const double *l_im, const int *pivots, double *b_re,
                     double *b_im) {
    for (int k = 0; k < n; k++) {
        const int rows = sal__smaller(lower + 1, n - k);
        const double *f_re = l_re + (size_t)k * (size_t)lower, *f_im = l_im + (size_t)k * (size_t)lower;
        sal__swap(&b_re[k], &b_re[pivots[k]]);
        sal__swap(&b_im[k], &b_im[pivots[k]]);
        const double x = b_re[k], y = b_im[k];
        for (int r = 1; r < rows; r++) {
            b_re[k + r] -= f_re[r - 1] * x - f_im[r - 1] * y;
            b_im[k + r] -= f_re[r - 1] * y + f_im[r - 1] * x;
        }
    }
}

static void backwards(int n, int reach, int width, const double *re, const double *im, double *b_re, double *b_im) {
    for (int k = n - 1; k >= 0; k--) {
        const double *p = re + (size_t)k * (size_t)width, *q = im + (size_t)k * (size_t)width;
        double x = b_re[k], y = b_im[k];
        for (int j = sal__smaller(reach, n - k) - 1; j > 0; j--) {
            x -= p[j] * b_re[k + j] - q[j] * b_im[k + j];
            y -= p[j] * b_im[k + j] + q[j] * b_re[k + j];
        }
        b_re[k] = x * p[0] - y * q[0];
        b_im[k] = x * q[0] + y * p[0];
    }
}

typedef struct number {
    double re, im;
} number;

static inline number product(double re, double im, number x) {
    return (number){re * x.re - im * x.im, re * x.im + im * x.re};
}

static inline number less(number a, number b) {
    return (number){a.re - b.re, a.im - b.im};
}

/* The narrowest bands, as in lu_band.c; terms of earlier neighbours are summed while the last one is still being
 * computed. */
static void solve_tridiagonal(int n, const double *restrict re, const double *restrict im, const double *restrict l_re,
                              const double *restrict l_im, double *restrict b_re, double *restrict b_im) {
    number x = {0, 0};
    for (int k = 0; k < n; k++) {
        const number b = {b_re[k], b_im[k]};
        x = k > 0 ? less(b, product(l_re[k - 1], l_im[k - 1], x)) : b;
        b_re[k] = x.re;
        b_im[k] = x.im;
    }
    x = (number){0, 0};
    for (int k = n - 1; k >= 0; k--) {
        const number b = {b_re[k], b_im[k]};
        x = product(re[3 * k], im[3 * k], less(b, product(re[3 * k + 1], im[3 * k + 1], x)));
        b_re[k] = x.re;
        b_im[k] = x.im;
    }
}

static void solve_pentadiagonal(int n, const double *restrict re, const double *restrict im,
                                const double *restrict l_re, const double *restrict l_im, double *restrict b_re,
                                double *restrict b_im) {
    number x = {0, 0}, y = {0, 0};
    for (int k = 0; k < n; k++) {
        number b = {b_re[k], b_im[k]};
        if (k > 1)
            b = less(b, product(l_re[2 * k - 3], l_im[2 * k - 3], y));
        if (k > 0)
            b = less(b, product(l_re[2 * k - 2], l_im[2 * k - 2], x));
        y = x;
        x = b;
        b_re[k] = x.re;
        b_im[k] = x.im;
    }
    x = y = (number){0, 0};
    for (int k = n - 1; k >= 0; k--) {
        const number b = less((number){b_re[k], b_im[k]}, product(re[5 * k + 2], im[5 * k + 2], y));
        y = x;
        x = product(re[5 * k], im[5 * k], less(b, product(re[5 * k + 1], im[5 * k + 1], x)));
        b_re[k] = x.re;
        b_im[k] = x.im;
    }
}

bool sal__lu_band_complex_factor(int n, int lower, int width, double *re, double *im, double *l_re, double *l_im,
                                 int *pivots) {
    if (lower == 1 && width == 3)
        return factor(n, 1, 3, re, im, l_re, l_im, pivots);
    if (lower == 2 && width == 5)
        return factor(n, 2, 5, re, im, l_re, l_im, pivots);
    return factor(n, lower, width, re, im, l_re, l_im, pivots);
}

void sal__lu_band_complex_solve(int n, int lower, int width, const double *re, const double *im, const double *l_re,
                                const double *l_im, const int *pivots, double *b_re, double *b_im) {
    if (!pivots[n] && lower == 1 && width == 3) {
        solve_tridiagonal(n, re, im, l_re, l_im, b_re, b_im);
    } else if (!pivots[n] && lower == 2 && width == 5) {
        solve_pentadiagonal(n, re, im, l_re, l_im, b_re, b_im);
    } else {
        forwards(n, lower, l_re, l_im, pivots, b_re, b_im);
        backwards(n, pivots[n] ? width : width - lower, width, re, im, b_re, b_im);
    }
}
