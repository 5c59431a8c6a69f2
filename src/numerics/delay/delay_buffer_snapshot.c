/* Saves, loads and copies delay buffers: always from the first point on, so that equal histories give equal bytes
 * wherever their rings begin. */
#include <math.h>
#include <string.h>

#include "delay_buffer_impl.h"

/* The header before the points. The number of the first point is saved too, so that readers' positions stay valid. */
typedef struct head {
    int64_t width, degree, first, points;
    double delay;
    int64_t forgetful, jumped;
} head;

static int64_t points(const sal_delay_buffer *b) {
    return b->next - b->first;
}

static size_t row_bytes(const sal_delay_buffer *b) {
    return b->stride * sizeof(double);
}

/* Rows of a buffer of a lower degree are shorter at their ends. */
static void put_row(sal_delay_buffer *b, int64_t k, const void *from, size_t bytes) {
    unsigned char *row = (unsigned char *)sal__delay_row(b, k);
    memcpy(row, from, bytes);
    memset(row + bytes, 0, row_bytes(b) - bytes);
}

static head head_of(const sal_delay_buffer *b) {
    return (head){b->config.width, b->config.degree,      b->first,     points(b),
                  b->config.delay, b->has_dropped_points, b->has_jumped};
}

/* Copies all members except the rows, and allocates room for the rows. */
static sal_status take(sal_delay_buffer *b, const head *h) {
    if (sal__delay_widen(b, (int)h->degree) != SAL_OK ||
        sal_delay_buffer_reserve(b, (int)(h->points - points(b))) != SAL_OK)
        return SAL_ENOMEM;
    b->first = h->first;
    b->next = h->first + h->points;
    b->config.delay = h->delay;
    b->has_dropped_points = h->forgetful != 0;
    b->has_jumped = h->jumped != 0;
    return SAL_OK;
}

/* Returns how many rows from k on are neighbours in the ring. */
static int64_t run_length(const sal_delay_buffer *b, int64_t k) {
    const int64_t to_wrap = b->mask + 1 - (k & b->mask), left = b->next - k;
    return left < to_wrap ? left : to_wrap;
}

/* All rows of a buffer whose rows are as long. */
static void copy_rows(sal_delay_buffer *b, const sal_delay_buffer *from) {
    for (int64_t k = b->first, count; k < b->next; k += count) {
        const int64_t here = run_length(b, k), there = run_length(from, k);
        count = here < there ? here : there;
        memcpy(sal__delay_row(b, k), sal__delay_row(from, k), (size_t)count * row_bytes(b));
    }
}

sal_status sal_delay_buffer_assign(sal_delay_buffer *b, const sal_delay_buffer *from) {
    const head h = head_of(from);
    if (h.width != b->config.width || (h.degree > 0) != (b->config.degree > 0))
        return SAL_EINVAL;
    const sal_status status = take(b, &h);
    if (status != SAL_OK)
        return status;
    if (b->stride == from->stride)
        copy_rows(b, from);
    else
        for (int64_t k = b->first; k < b->next; k++)
            put_row(b, k, sal__delay_row(from, k), row_bytes(from));
    return SAL_OK;
}

sal_status sal_delay_buffer_clone(const sal_delay_buffer *b, sal_delay_buffer **out) {
    sal_delay_buffer *copy = NULL;
    sal_status status = sal_delay_buffer_new(&b->mem, &b->config, &copy);
    if (status == SAL_OK)
        status = sal_delay_buffer_assign(copy, b);
    if (status == SAL_OK)
        *out = copy;
    else
        sal_delay_buffer_free(copy);
    return status;
}

size_t sal_delay_buffer_save_size(const sal_delay_buffer *b) {
    return sizeof(head) + (size_t)points(b) * row_bytes(b);
}

size_t sal__delay_save_bound(const sal_delay_buffer *b) {
    return sizeof(head) + (size_t)(b->mask + 1) * row_bytes(b);
}

void sal__delay_write(sal__archive *a, const sal_delay_buffer *b) {
    head h = head_of(b);
    sal__bytes(a, &h, sizeof h);
    for (int64_t k = b->first, count; k < b->next; k += count) {
        count = run_length(b, k);
        sal__bytes(a, sal__delay_row(b, k), (size_t)count * row_bytes(b));
    }
}

void sal_delay_buffer_save(const sal_delay_buffer *b, void *bytes) {
    sal__archive a = sal__archive_to(bytes, sal_delay_buffer_save_size(b));
    sal__delay_write(&a, b);
}

static size_t row_bytes_of(const head *h) {
    return sal__delay_row_size((int)h->width, (int)h->degree) * sizeof(double);
}

/* A buffer of points loads points; one of pieces loads pieces of any degree. The points must be in order of time. */
static bool ascends(const head *h, const unsigned char *rows) {
    const size_t row = row_bytes_of(h);
    const unsigned char *at = rows, *const end = rows + (size_t)h->points * row;
    if (at == end)
        return true;
    double t = sal__real_at(at, 0);
    if (!isfinite(t))
        return false;
    while ((at += row) < end) {
        const double next = sal__real_at(at, 0);
        if (!(next >= t))
            return false;
        t = next;
    }
    return isfinite(t);
}

static bool is_ours(const sal_delay_buffer *b, const head *h, size_t size) {
    return h->width == b->config.width && (h->degree > 0) == (b->config.degree > 0) && h->degree >= 0 &&
           h->degree <= SAL__DELAY_DEGREES && h->first >= 0 && h->points >= 0 && h->points <= INT32_MAX / 2 &&
           h->first <= INT64_MAX / 2 && h->delay >= 0 && size == sizeof *h + (size_t)h->points * row_bytes_of(h);
}

sal_status sal__delay_load(sal__archive *a, sal_delay_buffer *b, size_t size) {
    const unsigned char *const from = a->from + a->at;
    head h;
    if (size < sizeof h || size > a->size - a->at)
        return SAL_EINVAL;
    memcpy(&h, from, sizeof h);
    if (!is_ours(b, &h, size) || !ascends(&h, from + sizeof h))
        return SAL_EINVAL;
    const size_t row = row_bytes_of(&h);
    const sal_status status = take(b, &h);
    a->at += sizeof h;
    for (int64_t k = b->first, count; status == SAL_OK && k < b->next; k += count) {
        count = row == row_bytes(b) ? run_length(b, k) : 1;
        a->at += (size_t)count * row;
        if (row == row_bytes(b))
            sal__archive_load_large(a, sal__delay_row(b, k), (size_t)count * row);
        else
            put_row(b, k, a->from + a->at - row, row);
    }
    return status;
}

sal_status sal_delay_buffer_load(sal_delay_buffer *b, const void *bytes, size_t size) {
    sal__archive a = sal__archive_from(bytes, size);
    return sal__delay_load(&a, b, size);
}

uint64_t sal_delay_buffer_hash(const sal_delay_buffer *b, uint64_t seed) {
    const head h = head_of(b);
    sal__hasher hasher;
    sal__hasher_begin(&hasher, seed);
    sal__hasher_add(&hasher, &h, sizeof h);
    for (int64_t k = b->first, count; k < b->next; k += count) {
        count = run_length(b, k);
        sal__hasher_add(&hasher, sal__delay_row(b, k), (size_t)count * row_bytes(b));
    }
    return sal__hasher_end(&hasher);
}
