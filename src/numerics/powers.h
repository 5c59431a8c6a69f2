/* Polynomials without a constant term: c[0] theta + c[stride] theta^2 + ..., up to the power `degree`. */
#ifndef SAL_POWERS_H
#define SAL_POWERS_H

static inline double sal__powers_value(const double *c, int stride, int degree, double theta) {
    double sum = 0;
    for (int j = degree - 1; j >= 0; j--)
        sum = theta * (c[j * stride] + sum);
    return sum;
}

/* The derivative with respect to theta. */
static inline double sal__powers_slope(const double *c, int stride, int degree, double theta) {
    double sum = 0;
    for (int j = degree; j > 0; j--)
        sum = j * c[(j - 1) * stride] + theta * sum;
    return sum;
}

#endif
