/* The ring buffer: points are appended at the new end and trimmed at the old one. */
#include "saltus/delay_buffer.h"

#include <math.h>
#include <string.h>

#include "delay_buffer_impl.h"

sal_delay_config sal_delay_config_default(void) {
    return (sal_delay_config){.size = sizeof(sal_delay_config), .width = 1, .points = 8};
}

size_t sal__delay_row_size(int width, int degree) {
    const size_t n = (size_t)width;
    return SAL__DELAY_VALUE + 2 * n + (degree ? 2 + ((size_t)degree + 1) * n : 0);
}

static size_t bytes_of(const sal_delay_buffer *b, int64_t capacity) {
    return (size_t)capacity * b->stride * sizeof(double);
}

/* Moves the points to a larger ring; their numbers remain. */
static sal_status grow(sal_delay_buffer *b, int64_t capacity) {
    const int64_t most = INT32_MAX / 2;
    if (capacity > most || (size_t)capacity > SIZE_MAX / (b->stride * sizeof(double)))
        return SAL_ENOMEM;
    double *rows = sal__alloc(&b->mem, bytes_of(b, capacity));
    if (!rows)
        return SAL_ENOMEM;
    for (int64_t k = b->first; k < b->next; k++)
        memcpy(rows + (size_t)(k & (capacity - 1)) * b->stride, sal__delay_row(b, k), b->stride * sizeof(double));
    if (b->rows)
        sal__free(&b->mem, b->rows, bytes_of(b, b->mask + 1));
    b->rows = rows;
    b->mask = capacity - 1;
    return SAL_OK;
}

sal_status sal_delay_buffer_reserve(sal_delay_buffer *b, int points) {
    int64_t capacity = b->mask + 1;
    const int64_t wanted = b->next - b->first + points;
    if (wanted <= capacity)
        return SAL_OK;
    while (capacity < wanted)
        capacity *= 2;
    return grow(b, capacity);
}

sal_status sal_delay_buffer_new(const sal_allocator *allocator, const sal_delay_config *config,
                                sal_delay_buffer **out) {
    if (!config || config->size != sizeof *config || config->width < 1 || config->width > SAL_MAX_NUMBERS ||
        !(config->delay >= 0) || config->degree < 0 || config->degree > SAL__DELAY_DEGREES)
        return SAL_EINVAL;
    const sal_allocator from = sal__allocator(allocator);
    sal_delay_buffer *b = sal__alloc(&from, sizeof *b);
    if (!b)
        return SAL_ENOMEM;
    *b = (sal_delay_buffer){
        .mem = from, .config = *config, .stride = sal__delay_row_size(config->width, config->degree)};
    int64_t capacity = 8;
    while (capacity < config->points)
        capacity *= 2;
    const sal_status status = grow(b, capacity);
    if (status != SAL_OK) {
        sal__free(&from, b, sizeof *b);
        return status;
    }
    *out = b;
    return SAL_OK;
}

void sal_delay_buffer_free(sal_delay_buffer *b) {
    if (!b)
        return;
    const sal_allocator mem = b->mem;
    sal__free(&mem, b->rows, bytes_of(b, b->mask + 1));
    sal__free(&mem, b, sizeof *b);
}

const sal_delay_config *sal_delay_buffer_config(const sal_delay_buffer *b) {
    return &b->config;
}

sal_status sal_delay_buffer_set_delay(sal_delay_buffer *b, double delay) {
    if (!(delay >= 0))
        return SAL_EINVAL;
    b->config.delay = delay;
    return SAL_OK;
}

void sal_delay_buffer_clear(sal_delay_buffer *b) {
    b->first = b->next = 0;
    b->has_dropped_points = false;
    b->has_jumped = false;
}

int sal_delay_buffer_points(const sal_delay_buffer *b) {
    return (int)(b->next - b->first);
}

double sal_delay_buffer_time(const sal_delay_buffer *b, int i) {
    return i >= 0 && i < b->next - b->first ? *sal__delay_row(b, b->first + i) : NAN;
}

const double *sal_delay_buffer_value(const sal_delay_buffer *b, int i) {
    return i >= 0 && i < b->next - b->first ? sal__delay_row(b, b->first + i) + SAL__DELAY_VALUE : NULL;
}

void sal_delay_buffer_truncate(sal_delay_buffer *b, double t) {
    while (b->next > b->first && *sal__delay_row(b, b->next - 1) > t)
        b->next--;
}

/* Keep one point before `from`, for the value just before a jump there, and one more for the cubic through four
 * points. */
static void forget_before(sal_delay_buffer *b, double from) {
    enum { MORE = 2 };
    while (b->next - b->first > MORE && *sal__delay_row(b, b->first + MORE) < from) {
        b->first++;
        b->has_dropped_points = true;
    }
}

/* A third point at one time replaces the second. */
static bool is_jump(const sal_delay_buffer *b, double t) {
    return b->next - b->first > 1 && *sal__delay_row(b, b->next - 1) == t && *sal__delay_row(b, b->next - 2) == t;
}

static sal_status next_row(sal_delay_buffer *b, double t, double **row) {
    if (!isfinite(t))
        return SAL_ETIME;
    sal_delay_buffer_truncate(b, t);
    /* The history inside the interval that this point closes may still be read. */
    if (b->next > b->first)
        forget_before(b, *sal__delay_row(b, b->next - 1) - b->config.delay);
    if (is_jump(b, t))
        b->next--;
    if (b->next - b->first > b->mask && grow(b, 2 * (b->mask + 1)) != SAL_OK)
        return SAL_ENOMEM;
    *row = sal__delay_row(b, b->next);
    if (b->config.degree) /* equal pasts are equal bytes */
        memset(*row, 0, b->stride * sizeof(double));
    **row = t;
    return SAL_OK;
}

sal_status sal_delay_buffer_append(sal_delay_buffer *b, double t, const double *value, const double *rate) {
    double *row = NULL;
    const sal_status status = next_row(b, t, &row);
    if (status != SAL_OK)
        return status;
    const int n = b->config.width;
    double *to = row + SAL__DELAY_VALUE;
    for (int i = 0; i < n; i++)
        to[i] = value[i];
    for (int i = 0; i < n; i++)
        to[n + i] = rate ? rate[i] : NAN;
    b->has_jumped = b->has_jumped || (b->next > b->first && *sal__delay_row(b, b->next - 1) == t);
    b->next++;
    return SAL_OK;
}

/* Ends the newest interval at t. Its piece is stored in the row where it begins; its end is a row of its own. NULL:
 * the row has the piece already. */
static sal_status end_interval(sal_delay_buffer *b, double t, const sal_delay_piece *piece) {
    const size_t n = (size_t)b->config.width, degree = (size_t)b->config.degree;
    double *row = NULL;
    const sal_status status = next_row(b, t, &row);
    if (status != SAL_OK)
        return status;
    double *kept = sal__delay_piece_in_row(b, sal__delay_row(b, b->next - 1));
    if (piece) {
        kept[0] = piece->origin;
        kept[1] = piece->length;
        memcpy(kept + 2, piece->x0, n * sizeof(double));
        memcpy(kept + 2 + n, piece->c, degree * n * sizeof(double));
    }
    double *value = row + SAL__DELAY_VALUE;
    sal__delay_piece(b, kept, t, 0, b->config.width, value, value + n);
    b->next++;
    return SAL_OK;
}

sal_status sal_delay_buffer_append_piece(sal_delay_buffer *b, double t, const sal_delay_piece *piece) {
    if (b->config.degree == 0 || !(piece->length > 0))
        return SAL_EINVAL;
    if (b->next == b->first)
        return SAL_ESTATE;
    if (!isfinite(t) || !(t > *sal__delay_row(b, b->next - 1)))
        return SAL_ETIME;
    return end_interval(b, t, piece);
}

sal_status sal__delay_end_at(sal_delay_buffer *b, double t) {
    sal_delay_buffer_truncate(b, t);
    if (b->next == b->first || *sal__delay_row(b, b->next - 1) == t)
        return SAL_OK;
    return end_interval(b, t, NULL);
}

sal_status sal__delay_widen(sal_delay_buffer *b, int degree) {
    sal_delay_config config = b->config;
    if (degree <= config.degree)
        return SAL_OK;
    config.degree = degree;
    sal_delay_buffer wide = *b;
    wide.config = config;
    wide.stride = sal__delay_row_size(config.width, config.degree);
    wide.rows = sal__alloc(&b->mem, bytes_of(&wide, b->mask + 1));
    if (!wide.rows)
        return SAL_ENOMEM;
    for (int64_t k = b->first; k < b->next; k++)
        memcpy(sal__delay_row(&wide, k), sal__delay_row(b, k), b->stride * sizeof(double));
    sal__free(&b->mem, b->rows, bytes_of(b, b->mask + 1));
    *b = wide;
    return SAL_OK;
}
