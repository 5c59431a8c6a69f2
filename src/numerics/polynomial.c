/* A growing array of segments: the interval of each, and its (degree + 1) * n coefficients, lowest power first. */
#include "saltus/polynomial.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "numerics/powers.h"

/* A cut segment keeps its length: its polynomial is still that of the whole step. */
typedef struct segment {
    double start, end, length;
    double values[];
} segment;

struct sal_polynomial {
    sal_allocator allocator;
    int n, degree, count, cap;
    void *segments;
};

static size_t bytes_of(const sal_polynomial *p, int segments) {
    const size_t values = (size_t)p->n * (size_t)(p->degree + 1);
    return (size_t)segments * (sizeof(segment) + values * sizeof(double));
}

static segment *segment_at(const sal_polynomial *p, int i) {
    return (segment *)(void *)((unsigned char *)p->segments + bytes_of(p, i));
}

static segment *last_segment(const sal_polynomial *p) {
    return segment_at(p, p->count - 1);
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
    sal__free(&allocator, p->segments, bytes_of(p, p->cap));
    sal__free(&allocator, p, sizeof *p);
}

sal_status sal_polynomial_reserve(sal_polynomial *p) {
    if (p->count > INT32_MAX / 4)
        return SAL_ENOMEM;
    return sal__grow(&p->allocator, &p->segments, p->count, &p->cap, bytes_of(p, 1));
}

sal_status sal_polynomial_clone(const sal_polynomial *p, sal_polynomial **out) {
    sal_polynomial *copy = NULL;
    const sal_status status = sal_polynomial_new(&p->allocator, p->n, p->degree, &copy);
    if (status != SAL_OK)
        return status;
    copy->segments = sal__alloc(&p->allocator, bytes_of(p, p->count));
    if (!copy->segments) {
        sal_polynomial_free(copy);
        return SAL_ENOMEM;
    }
    copy->count = copy->cap = p->count;
    if (p->count > 0)
        memcpy(copy->segments, p->segments, bytes_of(p, p->count));
    *out = copy;
    return SAL_OK;
}

void sal_polynomial_truncate(sal_polynomial *p, double t) {
    while (p->count > 0 && last_segment(p)->start >= t)
        p->count--;
    if (p->count > 0)
        last_segment(p)->end = fmin(last_segment(p)->end, t);
}

void sal_polynomial_clear(sal_polynomial *p) {
    p->count = 0;
}

sal_status sal_polynomial_append(sal_polynomial *p, double t0, double t1, const double *x0, const double *c) {
    if (!(t1 > t0) || t0 - t0 != 0 || t1 - t1 != 0 || (p->count > 0 && t0 > last_segment(p)->end))
        return SAL_ETIME;
    const sal_status status = sal_polynomial_reserve(p);
    if (status != SAL_OK)
        return status;
    sal_polynomial_truncate(p, t0);
    p->count++;
    segment *last = last_segment(p);
    *last = (segment){t0, t1, t1 - t0};
    sal__copy(last->values, x0, p->n);
    sal__copy(last->values + p->n, c, p->n * p->degree);
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
    return i < p->count ? segment_at(p, i)->start : last_segment(p)->end;
}

/* Finds the last segment that begins at or before t, and the position of t in it; NULL outside, and for NaN. */
static const segment *find(const sal_polynomial *p, double t, double *theta) {
    if (p->count == 0 || !(t >= segment_at(p, 0)->start && t <= last_segment(p)->end))
        return NULL;
    int low = 0, high = p->count;
    SAL__BISECT(int, low, high, segment_at(p, middle)->start <= t)
    const segment *found = segment_at(p, low);
    *theta = (t - found->start) / found->length;
    return found;
}

sal_status sal_polynomial_value(const sal_polynomial *p, double t, double *x) {
    double theta = 0;
    const segment *s = find(p, t, &theta);
    for (int i = 0; s && i < p->n; i++)
        x[i] = s->values[i] + sal__powers_value(s->values + p->n + i, p->n, p->degree, theta);
    return s ? SAL_OK : SAL_ETIME;
}

sal_status sal_polynomial_rate(const sal_polynomial *p, double t, double *dx) {
    double theta = 0;
    const segment *s = find(p, t, &theta);
    for (int i = 0; s && i < p->n; i++)
        dx[i] = sal__powers_slope(s->values + p->n + i, p->n, p->degree, theta) / s->length;
    return s ? SAL_OK : SAL_ETIME;
}
