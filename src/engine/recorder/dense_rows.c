/* Dense rows: signals between two rows of steps.
 *
 * A row of a step also keeps states and outputs at a few nodes inside the step, which are read from its dense
 * output. There are as many nodes as its polynomial needs, and they are closer together towards the ends, like
 * Chebyshev's. Between the nodes a state is the polynomial through them, by the barycentric formula (Berrut and
 * Trefethen, SIAM Review 46, 2004, eq. 4.2). So is an output if the polynomial's last term is small in it; an output
 * that jumps or bends inside the step is piecewise linear. */
#include <math.h>
#include <string.h>

#include "numerics/integrator/dense_output.h"
#include "recorder_impl.h"

static bool is_curved(const sal_channel *c) {
    return !c->function && (c->output >= 0 || c->partition <= SAL_Z);
}

static int degree_of(const sal_simulator *sim) {
    const int degree = sal__dense_degree(sim->integrator);
    return degree < 4 ? 4 : degree < SAL__MAX_NODES ? degree : SAL__MAX_NODES - 1;
}

/* The number of values on the way to a row; its end is the row itself. */
static int inner_count(const sal__dense_rows *dense) {
    return (dense->node_count - 1) * dense->curve_count;
}

static void place_nodes(sal_recorder *rec, int degree) {
    sal__dense_rows *dense = &rec->dense_rows;
    dense->node_count = degree + 1;
    rec->row_size = rec->width + 1 + inner_count(dense) + 1;
    for (int j = 0; j <= degree; j++) {
        const double s = (double)j / degree;
        dense->node[j] = s * s * (3 - 2 * s);
    }
    for (int j = 0; j <= degree; j++) {
        double product = 1;
        for (int i = 0; i <= degree; i++)
            product *= i == j ? 1 : dense->node[j] - dense->node[i];
        dense->weight[j] = 1 / product;
    }
}

/* Room for as many nodes as any method has: the record of a clone may have them. */
static size_t room_inside(const sal__dense_rows *dense) {
    return (size_t)((SAL__MAX_NODES - 1) * dense->curve_count) * sizeof(double);
}

sal_status sal__dense_rows_new(sal_recorder *rec) {
    sal__dense_rows *dense = &rec->dense_rows;
    rec->row_size = rec->width + 1;
    dense->curve_of_channel = sal__alloc(&rec->mem, (size_t)rec->channel_count * sizeof *dense->curve_of_channel);
    if (!dense->curve_of_channel)
        return SAL_ENOMEM;
    for (int i = 0; i < rec->channel_count; i++) {
        const bool curved = isnan(rec->interval) && is_curved(&rec->channel[i]);
        dense->curve_of_channel[i] = curved ? dense->curve_count : -1;
        dense->curve_count += curved ? rec->channel[i].size : 0;
    }
    if (dense->curve_count == 0)
        return SAL_OK;
    place_nodes(rec, degree_of(rec->sim));
    dense->segment_start = NAN;
    dense->inner_nodes = sal__alloc(&rec->mem, room_inside(dense));
    return dense->inner_nodes ? SAL_OK : SAL_ENOMEM;
}

void sal__dense_rows_free(sal_recorder *rec) {
    const sal__dense_rows *dense = &rec->dense_rows;
    sal__free(&rec->mem, dense->curve_of_channel, (size_t)rec->channel_count * sizeof *dense->curve_of_channel);
    sal__free(&rec->mem, dense->inner_nodes, room_inside(dense));
}

static sal_status read_node(sal_recorder *rec, double t, double *to) {
    const sal_context *ctx = NULL;
    sal_status status = sal_simulator_state_at(rec->sim, t, &ctx);
    for (int i = 0; status == SAL_OK && i < rec->channel_count; i++)
        if (rec->dense_rows.curve_of_channel[i] >= 0)
            status = sal__recorder_read(rec, i, ctx, to + rec->dense_rows.curve_of_channel[i]);
    return status;
}

/* The last row, with what was written since then: the start of the step. The step may have moved variables of equations
 * without a derivative. */
static sal_status read_start(sal_recorder *rec, double start) {
    const sal__dense_rows *dense = &rec->dense_rows;
    if (dense->context_version != sal__recorder_context_version(rec) || rec->sim->derivatives.has_mass)
        return read_node(rec, start, dense->inner_nodes);
    const double *from = rec->block + (rec->row_count - 1) * rec->row_size + SIGNALS;
    for (int i = 0; i < rec->channel_count; from += rec->channel[i++].size)
        if (dense->curve_of_channel[i] >= 0)
            memcpy(dense->inner_nodes + dense->curve_of_channel[i], from, (size_t)rec->channel[i].size * sizeof *from);
    return SAL_OK;
}

/* Rows that were thinned out are further apart than a step. If the state inside a step is unknown (no derivative at
 * its end, or no projection onto the constraints), the signal is linear. */
sal_status sal__sample_step(sal_recorder *rec, double now) {
    sal__dense_rows *dense = &rec->dense_rows;
    const double start = sal_simulator_step_start(rec->sim);
    const bool joined = rec->row_count > 0 && rec->block[(rec->row_count - 1) * rec->row_size + TIME] == start;
    dense->segment_start = NAN; /* a row that could not be read did not use its nodes */
    if (dense->curve_count == 0 || rec->stride > 1 || !joined)
        return SAL_OK;
    for (int j = 0; j < dense->node_count - 1; j++) {
        const double t = start + dense->node[j] * (now - start);
        const sal_status status =
            j == 0 ? read_start(rec, start) : read_node(rec, t, dense->inner_nodes + j * dense->curve_count);
        if (status != SAL_OK)
            return status == SAL_EOFF || status == SAL_EINVAL ? SAL_OK : status;
    }
    dense->segment_start = start;
    return SAL_OK;
}

void sal__write_nodes(sal_recorder *rec, double *row) {
    sal__dense_rows *dense = &rec->dense_rows;
    if (dense->curve_count == 0)
        return;
    row[rec->width] = dense->segment_start;
    memcpy(row + rec->width + 1, dense->inner_nodes, (size_t)inner_count(dense) * sizeof(double));
    dense->segment_start = NAN;
    dense->context_version = sal__recorder_context_version(rec);
}

/* The channel of a column; *element: which of its values. NULL: the time or the mark. */
static const sal_channel *channel_of(const sal_recorder *rec, int column, int *element) {
    int at = SIGNALS;
    for (int i = 0; i < rec->channel_count && column >= SIGNALS; at += rec->channel[i++].size)
        if (column < at + rec->channel[i].size) {
            *element = column - at;
            return &rec->channel[i];
        }
    return NULL;
}

static double on_polynomial(const sal__dense_rows *dense, const double *v, double share) {
    double above = 0, below = 0;
    for (int j = 0; j < dense->node_count; j++) {
        if (share == dense->node[j])
            return v[j];
        const double part = dense->weight[j] / (share - dense->node[j]);
        above += part * (v[j] - v[0]);
        below += part;
    }
    return v[0] + above / below;
}

static double on_lines(const sal__dense_rows *dense, const double *v, double share) {
    int j = 0;
    while (j < dense->node_count - 2 && share > dense->node[j + 1])
        j++;
    return v[j] + (share - dense->node[j]) / (dense->node[j + 1] - dense->node[j]) * (v[j + 1] - v[j]);
}

/* Is the coefficient of the last Chebyshev polynomial below a hundredth of the range? */
static bool is_smooth(const sal__dense_rows *dense, const double *v) {
    double low = v[0], high = v[0], last = dense->weight[0] * v[0];
    for (int j = 1; j < dense->node_count; j++) {
        low = sal__min(low, v[j]);
        high = sal__max(high, v[j]);
        last += dense->weight[j] * v[j];
    }
    return fabs(last) / ldexp(1, 2 * dense->node_count - 3) <= 0.01 * (high - low);
}

/* Returns whether a curved signal is a polynomial on the way to a row, where its value is `end`; otherwise it is
 * linear. `way`: its values at the nodes before; `v`: those and the end. */
static bool read_way(const sal__dense_rows *dense, const sal_channel *c, const double *way, double end, double *v) {
    const int last = dense->node_count - 1;
    for (int j = 0; j < last; j++)
        v[j] = way[j * dense->curve_count];
    v[last] = end;
    return c->output < 0 || is_smooth(dense, v);
}

static double on_curve(const sal__dense_rows *dense, const sal_channel *c, const double *way, double end,
                       double share) {
    double v[SAL__MAX_NODES];
    return read_way(dense, c, way, end, v) ? on_polynomial(dense, v, share) : on_lines(dense, v, share);
}

/* ---- other nodes ---- */

/* Makes a row with the present number of nodes from one with the previous number. */
static void convert_row(const sal_recorder *rec, const sal__dense_rows *was, int was_size, const double *from,
                        double *to) {
    const sal__dense_rows *dense = &rec->dense_rows;
    memcpy(to, from, (size_t)(rec->width + 1) * sizeof *to);
    to[rec->row_size - 1] = from[was_size - 1];
    const double *way = from + rec->width + 1;
    for (int i = 0, column = SIGNALS; i < rec->channel_count && !isnan(from[rec->width]); i++) {
        const sal_channel *c = &rec->channel[i];
        const int first = dense->curve_of_channel[i];
        for (int k = 0; k < c->size; k++, column++)
            for (int j = 0; first >= 0 && j < dense->node_count - 1; j++)
                to[rec->width + 1 + j * dense->curve_count + first + k] =
                    on_curve(was, c, way + first + k, from[column], dense->node[j]);
    }
}

sal_status sal__dense_rows_fit(sal_recorder *rec) {
    const int degree = rec->dense_rows.curve_count > 0 ? degree_of(rec->sim) : 0;
    const sal__dense_rows was = rec->dense_rows;
    if (degree + 1 <= was.node_count || degree == 0)
        return SAL_OK;
    const int was_size = rec->row_size;
    place_nodes(rec, degree);
    double *block = sal__alloc(&rec->mem, (size_t)rec->capacity * (size_t)rec->row_size * sizeof *block);
    if (!block && rec->capacity > 0) {
        rec->dense_rows = was;
        rec->row_size = was_size;
        return SAL_ENOMEM;
    }
    for (int64_t i = 0; i < rec->row_count; i++)
        convert_row(rec, &was, was_size, rec->block + i * was_size, block + i * rec->row_size);
    sal__free(&rec->mem, rec->block, (size_t)rec->capacity * (size_t)was_size * sizeof *block);
    rec->block = block;
    return SAL_OK;
}

/* ---- reading ---- */

bool sal_recorder_is_curve(const sal_recorder *rec, int64_t row) {
    if (row < 0 || row + 1 >= rec->row_count || rec->dense_rows.curve_count == 0)
        return false;
    const double *a = rec->block + row * rec->row_size, *b = a + rec->row_size;
    return b[rec->width] == a[TIME] && b[TIME] > a[TIME];
}

static const double *way_of(const sal_recorder *rec, const double *row, int channel, int element) {
    return row + rec->width + 1 + rec->dense_rows.curve_of_channel[channel] + element;
}

double sal__dense_value(const sal_recorder *rec, int64_t row, double share, int channel, int element, int column) {
    const double *end = rec->block + (row + 1) * rec->row_size;
    return on_curve(&rec->dense_rows, &rec->channel[channel], way_of(rec, end, channel, element), end[column], share);
}

bool sal__dense_has_corner(const sal_recorder *rec, int64_t row, int channel, int column) {
    const double *end = rec->block + (row + 1) * rec->row_size;
    const sal_channel *c = &rec->channel[channel];
    double v[SAL__MAX_NODES];
    for (int i = 0; i < c->size; i++)
        if (!read_way(&rec->dense_rows, c, way_of(rec, end, channel, i), end[column + i], v))
            return true;
    return false;
}

double sal_recorder_interpolate(const sal_recorder *rec, int64_t row, double share, int column) {
    if (row < 0 || row >= rec->row_count || column < 0 || column >= rec->width)
        return NAN;
    const double *a = rec->block + row * rec->row_size, *b = row + 1 < rec->row_count ? a + rec->row_size : a;
    int element = 0;
    const sal_channel *c = channel_of(rec, column, &element);
    const int curve = c ? rec->dense_rows.curve_of_channel[c - rec->channel] : -1;
    if (share == 0 || column == MARK || (c && !c->function && c->output < 0 && c->partition == SAL_XD))
        return a[column];
    if (curve < 0 || !sal_recorder_is_curve(rec, row))
        return a[column] + share * (b[column] - a[column]);
    return sal__dense_value(rec, row, share, (int)(c - rec->channel), element, column);
}
