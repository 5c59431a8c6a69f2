/* Copies a recorded channel to a delay buffer, which can be the initial history of another run. The curves between rows
 * become pieces of the buffer. */
#include <math.h>
#include <string.h>

#include "numerics/delay/delay_buffer_impl.h"
#include "recorder_impl.h"

typedef struct builder {
    sal_allocator mem;
    const sal_recorder *rec;
    const sal_channel *channel;
    int index, column; /* of the channel; its first column */
    int degree;
    double *sample, *c; /* degree + 1 and degree times the channel's size */
    sal_delay_buffer *past;
} builder;

static const double *row_at(const builder *b, int64_t row) {
    return sal_recorder_row(b->rec, row);
}

static size_t scratch_size(const builder *b) {
    return (size_t)((2 * b->degree + 1) * b->channel->size) * sizeof(double);
}

static sal_status append_row(const builder *b, int64_t row) {
    return sal_delay_buffer_append(b->past, row_at(b, row)[TIME], row_at(b, row) + b->column, NULL);
}

static bool is_held(const sal_channel *c) {
    return !c->function && c->output < 0 && c->partition == SAL_XD;
}

static sal_status append_held(const builder *b, int64_t row) {
    const double *from = row_at(b, row), *to = row_at(b, row + 1);
    const size_t size = (size_t)b->channel->size * sizeof *from;
    memset(b->c, 0, (size_t)b->degree * size);
    const sal_delay_piece piece = {from[TIME], to[TIME] - from[TIME], from + b->column, b->c};
    const sal_status status = sal_delay_buffer_append_piece(b->past, to[TIME], &piece);
    const bool same = memcmp(from + b->column, to + b->column, size) == 0;
    return status == SAL_OK && !same ? append_row(b, row + 1) : status;
}

static void sample_curve(const builder *b, int64_t row, double from, double to) {
    const int n = b->channel->size;
    for (int j = 0; j <= b->degree; j++)
        for (int i = 0; i < n; i++)
            b->sample[j * n + i] =
                sal__dense_value(b->rec, row, from + (to - from) * j / b->degree, b->index, i, b->column + i);
    for (int i = 0; i < n; i++)
        sal__delay_fit(b->degree, n, b->sample + i, b->c + i);
}

/* Appends a part of the curve between a row and the next one: from the fraction `from` of that interval to `to`. */
static sal_status append_share(const builder *b, int64_t row, double from, double to) {
    const double t0 = row_at(b, row)[TIME], t1 = row_at(b, row + 1)[TIME], length = t1 - t0;
    const double end = to == 1 ? t1 : t0 + to * length;
    if (!(end > sal_delay_buffer_time(b->past, sal_delay_buffer_points(b->past) - 1)))
        return SAL_OK; /* a step of a few ulp */
    sample_curve(b, row, from, to);
    const sal_delay_piece piece = {t0 + from * length, (to - from) * length, b->sample, b->c};
    return sal_delay_buffer_append_piece(b->past, end, &piece);
}

/* A value that was written between two steps is a jump at the start of the second one. */
static sal_status append_start(const builder *b, int64_t row) {
    const double *there = row_at(b, row);
    const int n = b->channel->size;
    for (int i = 0; i < n; i++)
        b->sample[i] = sal__dense_value(b->rec, row, 0, b->index, i, b->column + i);
    const bool same = memcmp(b->sample, there + b->column, (size_t)n * sizeof *there) == 0;
    return same ? SAL_OK : sal_delay_buffer_append(b->past, there[TIME], b->sample, NULL);
}

/* Appends the curve from a row to the next one as one piece. If the signal has a corner there, it is a line between
 * each two nodes. */
static sal_status append_curve(const builder *b, int64_t row) {
    const sal__dense_rows *dense = &b->rec->dense_rows;
    sal_status status = append_start(b, row);
    if (status != SAL_OK || !sal__dense_has_corner(b->rec, row, b->index, b->column))
        return status == SAL_OK ? append_share(b, row, 0, 1) : status;
    for (int j = 0; status == SAL_OK && j + 1 < dense->node_count; j++)
        status = append_share(b, row, dense->node[j], dense->node[j + 1]);
    return status;
}

static sal_status append_rows(const builder *b) {
    const bool curved = b->rec->dense_rows.curve_of_channel[b->index] >= 0;
    sal_status status = b->rec->row_count > 0 ? append_row(b, 0) : SAL_OK;
    for (int64_t row = 0; status == SAL_OK && row + 1 < b->rec->row_count; row++) {
        if (curved && sal_recorder_is_curve(b->rec, row))
            status = append_curve(b, row);
        else if (is_held(b->channel) && row_at(b, row + 1)[TIME] > row_at(b, row)[TIME])
            status = append_held(b, row);
        else
            status = append_row(b, row + 1);
    }
    return status;
}

static sal_status build(builder *b) {
    sal_delay_config config = sal_delay_config_default();
    config.width = b->channel->size;
    config.delay = INFINITY;
    config.degree = b->degree;
    const sal_status status = sal_delay_buffer_new(&b->mem, &config, &b->past);
    return status == SAL_OK ? append_rows(b) : status;
}

sal_status sal_recorder_history(const sal_recorder *rec, int channel, const sal_allocator *allocator,
                                sal_delay_buffer **out) {
    if (channel < 0 || channel >= rec->channel_count)
        return SAL_EINVAL;
    const int nodes = rec->dense_rows.node_count;
    builder b = {.mem = sal__allocator(allocator),
                 .rec = rec,
                 .channel = &rec->channel[channel],
                 .index = channel,
                 .column = SIGNALS,
                 .degree = nodes > 1 ? nodes - 1 : 1};
    for (int i = 0; i < channel; i++)
        b.column += rec->channel[i].size;
    b.sample = sal__alloc(&b.mem, scratch_size(&b));
    if (!b.sample)
        return SAL_ENOMEM;
    b.c = b.sample + (b.degree + 1) * b.channel->size;
    const sal_status status = build(&b);
    sal__free(&b.mem, b.sample, scratch_size(&b));
    if (status == SAL_OK)
        *out = b.past;
    else
        sal_delay_buffer_free(b.past);
    return status;
}
