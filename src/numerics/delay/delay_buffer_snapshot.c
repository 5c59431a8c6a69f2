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

sal_status sal_delay_buffer_assign(sal_delay_buffer *b, const sal_delay_buffer *from) {
    const head h = head_of(from);
    if (h.width != b->config.width || (h.degree > 0) != (b->config.degree > 0))
        return SAL_EINVAL;
    const sal_status status = take(b, &h);
    for (int64_t k = b->first; status == SAL_OK && k < b->next; k++)
        put_row(b, k, sal__delay_row(from, k), row_bytes(from));
    return status;
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

void sal_delay_buffer_save(const sal_delay_buffer *b, void *bytes) {
    const head h = head_of(b);
    unsigned char *to = bytes;
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    for (int64_t k = b->first; k < b->next; k++, to += row_bytes(b))
        memcpy(to, sal__delay_row(b, k), row_bytes(b));
}

static size_t row_bytes_of(const head *h) {
    return sal__delay_row_size((int)h->width, (int)h->degree) * sizeof(double);
}

/* A buffer of points loads points; one of pieces loads pieces of any degree. The points must be in order of time. */
static bool ascends(const head *h, const unsigned char *rows) {
    double before = -INFINITY;
    for (int64_t k = 0; k < h->points; k++, rows += row_bytes_of(h)) {
        double t;
        memcpy(&t, rows, sizeof t);
        if (!isfinite(t) || t < before)
            return false;
        before = t;
    }
    return true;
}

static bool is_ours(const sal_delay_buffer *b, const head *h, size_t size) {
    return h->width == b->config.width && (h->degree > 0) == (b->config.degree > 0) && h->degree >= 0 &&
           h->degree <= SAL__DELAY_DEGREES && h->first >= 0 && h->points >= 0 && h->points <= INT32_MAX / 2 &&
           h->first <= INT64_MAX / 2 && h->delay >= 0 && size == sizeof *h + (size_t)h->points * row_bytes_of(h);
}

sal_status sal_delay_buffer_load(sal_delay_buffer *b, const void *bytes, size_t size) {
    head h;
    if (size < sizeof h)
        return SAL_EINVAL;
    memcpy(&h, bytes, sizeof h);
    const unsigned char *from = (const unsigned char *)bytes + sizeof h;
    if (!is_ours(b, &h, size) || !ascends(&h, from))
        return SAL_EINVAL;
    const sal_status status = take(b, &h);
    for (int64_t k = b->first; status == SAL_OK && k < b->next; k++, from += row_bytes_of(&h))
        put_row(b, k, from, row_bytes_of(&h));
    return status;
}

uint64_t sal_delay_buffer_hash(const sal_delay_buffer *b, uint64_t seed) {
    const head h = head_of(b);
    uint64_t hash = sal_hash(&h, sizeof h, seed);
    for (int64_t k = b->first; k < b->next; k++)
        hash = sal_hash(sal__delay_row(b, k), row_bytes(b), hash);
    return hash;
}
