/* Internals of a delay buffer: the ring, and reading it.
 *
 * Points have logical numbers that only increase: `first` is the number of the oldest point, `next` is one past the
 * newest; point k is in row k modulo the capacity, a power of two. So a reader's position stays valid when the old end
 * is trimmed.
 *
 * A row: t, value, rate and, if the buffer takes pieces, origin, length (0: none), x0 and coefficients of the
 * interval that begins there. A row of a few values fits one cache line. */
#ifndef SAL_DELAY_BUFFER_IMPL_H
#define SAL_DELAY_BUFFER_IMPL_H

#include "base/archive.h"
#include "saltus/delay_buffer.h"

struct sal_delay_buffer {
    sal_allocator mem;
    sal_delay_config config;
    int64_t first, next;
    int64_t mask;            /* capacity - 1 */
    size_t stride;           /* doubles a row */
    bool has_dropped_points; /* points were dropped: times before the oldest point have no value */
    bool has_jumped;         /* since the buffer was last empty */
    double *rows;
};

static inline double *sal__delay_row(const sal_delay_buffer *b, int64_t k) {
    return b->rows + (size_t)(k & b->mask) * b->stride;
}

/* The highest degree of any method's interpolant. */
enum { SAL__DELAY_DEGREES = 10 };

size_t sal__delay_row_size(int width, int degree); /* in doubles */

/* Within a row. */
enum { SAL__DELAY_VALUE = 1 };
static inline double *sal__delay_rate(const sal_delay_buffer *b, double *row) {
    return row + SAL__DELAY_VALUE + b->config.width;
}
static inline double *sal__delay_piece_in_row(const sal_delay_buffer *b, double *row) {
    return row + SAL__DELAY_VALUE + 2 * b->config.width;
}

/* Reads a buffer of pieces, `count` columns from `at` on, on a smooth branch: the pieces between `after` and `until`
 * are extended beyond these times. For callers that know where the history is smooth. The buffer is not empty. */
void sal__delay_read_branch(const sal_delay_buffer *b, sal_delay_reader *reader, double s, double after, double until,
                            int at, int count, double *value, double *rate);

/* Computes a piece, as it is in a row, at s; `count` columns from `at` on. `value` and `rate` may be NULL. */
void sal__delay_piece(const sal_delay_buffer *b, const double *piece, double s, int at, int count, double *value,
                      double *rate);

/* Computes coefficients c of the piece through degree + 1 values at equal distances, `stride` apart: c[j * stride]
 * belongs to theta^(j + 1). */
void sal__delay_fit(int degree, int stride, const double *v, double *c);

/* The bytes of a save if the ring is full. */
size_t sal__delay_save_bound(const sal_delay_buffer *b);
/* Writes the buffer as fields of an archive; loads the next `size` bytes of one, as sal_delay_buffer_load. */
void sal__delay_write(sal__archive *a, const sal_delay_buffer *b);
sal_status sal__delay_load(sal__archive *a, sal_delay_buffer *b, size_t size);
/* Makes the newest interval, a piece, end at t; its curve remains. */
sal_status sal__delay_end_at(sal_delay_buffer *b, double t);
/* Reallocates the points with room for pieces of a higher degree. */
sal_status sal__delay_widen(sal_delay_buffer *b, int degree);

#endif
