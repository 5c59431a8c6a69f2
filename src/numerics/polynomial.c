/* Two arrays that grow together: what each segment covers, and its coefficients,
 * (degree + 1) * n a segment, lowest power first. */
#include "saltus/polynomial.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

/* A cut segment keeps its length: its polynomial is the whole step's still. */
typedef struct segment {
    double start, end, length;
} segment;

struct sal_polynomial {
    sal_allocator allocator;
    int n, degree, count, cap;
    segment *segments;
    double *values;
};

static size_t stride(const sal_polynomial *p) {
    return (size_t)p->n * (size_t)(p->degree + 1);
}

sal_status sal_polynomial_new(const sal_allocator *allocator, int n, int degree, sal_polynomial **out) {
    if (n < 0 || degree < 1)
        return SAL_EINVAL;
    const sal_allocator from = sal__allocator(allocator);
    sal_polynomial *p = sal__alloc(&from, sizeof *p);
    if (!p)
        return SAL_ENOMEM;
    *p = (sal_polynomial){.allocator = from, .n = n, .degree = degree};
    *out = p;
    return SAL_OK;
}

void sal_polynomial_free(sal_polynomial *p) {
    if (!p)
        return;
    const sal_allocator allocator = p->allocator;
    const size_t cap = (size_t)p->cap;
    if (p->segments)
        sal__free(&allocator, p->segments, cap * sizeof *p->segments);
    if (p->values)
        sal__free(&allocator, p->values, cap * stride(p) * sizeof *p->values);
    sal__free(&allocator, p, sizeof *p);
}

/* Both arrays, or none: the first one to grow keeps its old size on the books. */
sal_status sal_polynomial_reserve(sal_polynomial *p) {
    if (p->count < p->cap)
        return SAL_OK;
    const size_t old = (size_t)p->cap, cap = old ? 2 * old : 16, width = stride(p) * sizeof *p->values;
    if (cap > INT32_MAX / 2)
        return SAL_ENOMEM;
    segment *segments = sal__alloc(&p->allocator, cap * sizeof *segments);
    double *values = sal__alloc(&p->allocator, cap * width);
    if (!segments || !values) {
        if (segments)
            sal__free(&p->allocator, segments, cap * sizeof *segments);
        if (values)
            sal__free(&p->allocator, values, cap * width);
        return SAL_ENOMEM;
    }
    if (old) {
        memcpy(segments, p->segments, old * sizeof *segments);
        memcpy(values, p->values, old * width);
        sal__free(&p->allocator, p->segments, old * sizeof *segments);
        sal__free(&p->allocator, p->values, old * width);
    }
    p->segments = segments;
    p->values = values;
    p->cap = (int)cap;
    return SAL_OK;
}

sal_status sal_polynomial_clone(const sal_polynomial *p, sal_polynomial **out) {
    sal_polynomial *copy = NULL;
    sal_status status = sal_polynomial_new(&p->allocator, p->n, p->degree, &copy);
    while (status == SAL_OK && copy->cap < p->count) {
        copy->count = copy->cap;
        status = sal_polynomial_reserve(copy);
    }
    if (status != SAL_OK) {
        sal_polynomial_free(copy);
        return status;
    }
    copy->count = p->count;
    if (p->count > 0) {
        memcpy(copy->segments, p->segments, (size_t)p->count * sizeof *p->segments);
        memcpy(copy->values, p->values, (size_t)p->count * stride(p) * sizeof *p->values);
    }
    *out = copy;
    return SAL_OK;
}

void sal_polynomial_truncate(sal_polynomial *p, double t) {
    while (p->count > 0 && p->segments[p->count - 1].start >= t)
        p->count--;
    if (p->count > 0)
        p->segments[p->count - 1].end = fmin(p->segments[p->count - 1].end, t);
}

void sal_polynomial_clear(sal_polynomial *p) {
    p->count = 0;
}

sal_status sal_polynomial_append(sal_polynomial *p, double t0, double t1, const double *x0, const double *c) {
    if (!(t1 > t0) || t0 - t0 != 0 || t1 - t1 != 0 || (p->count > 0 && t0 > p->segments[p->count - 1].end))
        return SAL_ETIME;
    const sal_status status = sal_polynomial_reserve(p);
    if (status != SAL_OK)
        return status;
    sal_polynomial_truncate(p, t0);
    const size_t n = (size_t)p->n;
    double *values = p->values + (size_t)p->count * stride(p);
    for (size_t i = 0; i < n; i++)
        values[i] = x0[i];
    for (size_t i = 0; i < n * (size_t)p->degree; i++)
        values[n + i] = c[i];
    p->segments[p->count++] = (segment){t0, t1, t1 - t0};
    return SAL_OK;
}

int sal_polynomial_size(const sal_polynomial *p) {
    return p->n;
}

int sal_polynomial_degree(const sal_polynomial *p) {
    return p->degree;
}

int sal_polynomial_segments(const sal_polynomial *p) {
    return p->count;
}

double sal_polynomial_break(const sal_polynomial *p, int i) {
    if (i < 0 || i > p->count || p->count == 0)
        return NAN;
    return i < p->count ? p->segments[i].start : p->segments[i - 1].end;
}

/* The last segment that begins at t or before; -1 outside, and for NaN. */
static int segment_at(const sal_polynomial *p, double t) {
    if (p->count == 0 || !(t >= p->segments[0].start && t <= p->segments[p->count - 1].end))
        return -1;
    int low = 0, high = p->count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (p->segments[middle].start <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

sal_status sal_polynomial_value(const sal_polynomial *p, double t, double *x) {
    const int at = segment_at(p, t);
    if (at < 0)
        return SAL_ETIME;
    const double *values = p->values + (size_t)at * stride(p);
    const double theta = (t - p->segments[at].start) / p->segments[at].length;
    for (int i = 0; i < p->n; i++) {
        double sum = 0;
        for (int j = p->degree; j > 0; j--)
            sum = theta * (values[j * p->n + i] + sum);
        x[i] = values[i] + sum;
    }
    return SAL_OK;
}

sal_status sal_polynomial_rate(const sal_polynomial *p, double t, double *dx) {
    const int at = segment_at(p, t);
    if (at < 0)
        return SAL_ETIME;
    const double *values = p->values + (size_t)at * stride(p);
    const double theta = (t - p->segments[at].start) / p->segments[at].length;
    for (int i = 0; i < p->n; i++) {
        double sum = 0;
        for (int j = p->degree; j > 0; j--)
            sum = j * values[j * p->n + i] + theta * sum;
        dx[i] = sum / p->segments[at].length;
    }
    return SAL_OK;
}
