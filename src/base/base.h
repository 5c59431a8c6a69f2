/* What every room may use: memory through a hook, small vectors, ulps. */
#ifndef SAL_BASE_H
#define SAL_BASE_H

#include "saltus/status.h"

/* The C library's allocator when `allocator` is NULL. The struct is copied by
 * value into whatever must free later. */
sal_allocator sal__allocator(const sal_allocator *allocator);
void *sal__alloc(const sal_allocator *a, size_t bytes); /* zeroed; 0 bytes answers a valid block */
void *sal__resize(const sal_allocator *a, void *block, size_t old, size_t bytes);
void sal__free(const sal_allocator *a, void *block, size_t bytes);

/* The smaller, the greater; b when a is NaN. Unlike fmin and fmax no call, and no care for -0. */
static inline double sal__min(double a, double b) {
    return a < b ? a : b;
}
static inline double sal__max(double a, double b) {
    return a > b ? a : b;
}

/* Distance from |x| to the next greater double. */
double sal__ulp(double x);

/* x^(1/k) for finite x > 0, correct to a few ulp, from + - * / and integer
 * operations alone, so that every machine chooses the same step sizes. */
double sal__root(double x, int k);

#endif
