/* Arcs: what signals do between two rows of steps.
 *
 * A row of a step also keeps states and outputs at a few nodes inside that step, read from its dense output: as
 * many as its polynomial needs, so that nothing of it is lost. Nodes lie closer towards the ends, as those of
 * Chebyshev do. Between them a state is the polynomial through them, by the barycentric formula (Berrut and
 * Trefethen, SIAM Review 46, 2004, eq. 4.2). So is an output, if the polynomial's last term is small in it; one
 * that jumps or bends inside the step has straight lines from node to node. */
#include <math.h>
#include <string.h>

#include "recorder_impl.h"

static bool is_curved(const sal_channel *c) {
    return !c->function && (c->output >= 0 || c->partition <= SAL_Z);
}

static int degree_of(const sal_simulator *sim) {
    const int order = sal_method_dense_order(sal_integrator_config_of(sim->in)->method);
    return order < 4 ? 4 : order < SAL__MOST_NODES ? order : SAL__MOST_NODES - 1;
}

static void place_nodes(sal__arcs *arcs, int degree) {
    arcs->nodes = degree + 1;
    for (int j = 0; j <= degree; j++) {
        const double s = (double)j / degree;
        arcs->node[j] = s * s * (3 - 2 * s);
    }
    for (int j = 0; j <= degree; j++) {
        double product = 1;
        for (int i = 0; i <= degree; i++)
            product *= i == j ? 1 : arcs->node[j] - arcs->node[i];
        arcs->weight[j] = 1 / product;
    }
}

/* How many numbers lie on an arc: its end is the row itself. */
static int on_arc(const sal__arcs *arcs) {
    return (arcs->nodes - 1) * arcs->curved;
}

/* For as many nodes as any method has: a clone's record may come with them. */
static size_t room_inside(const sal__arcs *arcs) {
    return (size_t)((SAL__MOST_NODES - 1) * arcs->curved) * sizeof(double);
}

sal_status sal__arcs_new(sal_recorder *rec) {
    sal__arcs *arcs = &rec->arcs;
    rec->span = rec->width;
    arcs->at = sal__alloc(&rec->mem, (size_t)rec->channels * sizeof *arcs->at);
    if (!arcs->at)
        return SAL_ENOMEM;
    for (int i = 0; i < rec->channels; i++) {
        const bool curved = isnan(rec->interval) && is_curved(&rec->channel[i]);
        arcs->at[i] = curved ? arcs->curved : -1;
        arcs->curved += curved ? rec->channel[i].size : 0;
    }
    if (arcs->curved == 0)
        return SAL_OK;
    place_nodes(arcs, degree_of(rec->sim));
    arcs->since = NAN;
    rec->span += 1 + on_arc(arcs);
    arcs->inside = sal__alloc(&rec->mem, room_inside(arcs));
    return arcs->inside ? SAL_OK : SAL_ENOMEM;
}

void sal__arcs_free(sal_recorder *rec) {
    const sal__arcs *arcs = &rec->arcs;
    sal__free(&rec->mem, arcs->at, (size_t)rec->channels * sizeof *arcs->at);
    sal__free(&rec->mem, arcs->inside, room_inside(arcs));
}

static sal_status read_node(sal_recorder *rec, double t, double *to) {
    const sal_context *ctx = NULL;
    sal_status status = sal_simulator_state_at(rec->sim, t, &ctx);
    for (int i = 0; status == SAL_OK && i < rec->channels; i++)
        if (rec->arcs.at[i] >= 0)
            status = sal__recorder_read(rec, i, ctx, to + rec->arcs.at[i]);
    return status;
}

/* What the last row has, but for what was written since then: a step begins behind that. */
static sal_status read_start(sal_recorder *rec, double start) {
    const sal__arcs *arcs = &rec->arcs;
    if (arcs->written != sal__recorder_writes(rec))
        return read_node(rec, start, arcs->inside);
    const double *from = rec->block + (rec->rows - 1) * rec->span + SIGNALS;
    for (int i = 0; i < rec->channels; from += rec->channel[i++].size)
        if (arcs->at[i] >= 0)
            memcpy(arcs->inside + arcs->at[i], from, (size_t)rec->channel[i].size * sizeof *from);
    return SAL_OK;
}

/* Rows that are thinned out are further apart than a step. A step whose inside has no state (its end has no
 * derivative, or no place on the constraints) is a line. */
sal_status sal__arcs_follow(sal_recorder *rec, double now) {
    sal__arcs *arcs = &rec->arcs;
    const double start = sal_simulator_step_start(rec->sim);
    const bool joined = rec->rows > 0 && rec->block[(rec->rows - 1) * rec->span + TIME] == start;
    arcs->since = NAN; /* a row that could not be read did not take its way */
    if (arcs->curved == 0 || rec->stride > 1 || !joined)
        return SAL_OK;
    for (int j = 0; j < arcs->nodes - 1; j++) {
        const double t = start + arcs->node[j] * (now - start);
        const sal_status status = j == 0 ? read_start(rec, start) : read_node(rec, t, arcs->inside + j * arcs->curved);
        if (status != SAL_OK)
            return status == SAL_EOFF || status == SAL_EINVAL ? SAL_OK : status;
    }
    arcs->since = start;
    return SAL_OK;
}

void sal__arcs_put(sal_recorder *rec, double *row) {
    sal__arcs *arcs = &rec->arcs;
    if (arcs->curved == 0)
        return;
    row[rec->width] = arcs->since;
    memcpy(row + rec->width + 1, arcs->inside, (size_t)on_arc(arcs) * sizeof(double));
    arcs->since = NAN;
    arcs->written = sal__recorder_writes(rec);
}

/* The channel that a column belongs to; *element: which of its numbers. NULL: time or mark. */
static const sal_channel *channel_of(const sal_recorder *rec, int column, int *element) {
    int at = SIGNALS;
    for (int i = 0; i < rec->channels && column >= SIGNALS; at += rec->channel[i++].size)
        if (column < at + rec->channel[i].size) {
            *element = column - at;
            return &rec->channel[i];
        }
    return NULL;
}

static double on_polynomial(const sal__arcs *arcs, const double *v, double share) {
    double above = 0, below = 0;
    for (int j = 0; j < arcs->nodes; j++) {
        if (share == arcs->node[j])
            return v[j];
        const double part = arcs->weight[j] / (share - arcs->node[j]);
        above += part * (v[j] - v[0]);
        below += part;
    }
    return v[0] + above / below;
}

static double on_lines(const sal__arcs *arcs, const double *v, double share) {
    int j = 0;
    while (j < arcs->nodes - 2 && share > arcs->node[j + 1])
        j++;
    return v[j] + (share - arcs->node[j]) / (arcs->node[j + 1] - arcs->node[j]) * (v[j + 1] - v[j]);
}

/* Is what the last of Chebyshev's polynomials has in it below a hundredth of its range? */
static bool is_smooth(const sal__arcs *arcs, const double *v) {
    double low = v[0], high = v[0], last = arcs->weight[0] * v[0];
    for (int j = 1; j < arcs->nodes; j++) {
        low = sal__min(low, v[j]);
        high = sal__max(high, v[j]);
        last += arcs->weight[j] * v[j];
    }
    return fabs(last) / ldexp(1, 2 * arcs->nodes - 3) <= 0.01 * (high - low);
}

bool sal_recorder_is_arc(const sal_recorder *rec, int64_t row) {
    if (row < 0 || row + 1 >= rec->rows || rec->arcs.curved == 0)
        return false;
    const double *a = rec->block + row * rec->span, *b = a + rec->span;
    return b[rec->width] == a[TIME] && b[TIME] > a[TIME];
}

double sal_recorder_between(const sal_recorder *rec, int64_t row, double share, int column) {
    if (row < 0 || row >= rec->rows || column < 0 || column >= rec->width)
        return NAN;
    const double *a = rec->block + row * rec->span, *b = row + 1 < rec->rows ? a + rec->span : a;
    int element = 0;
    const sal_channel *c = channel_of(rec, column, &element);
    const int arc = c ? rec->arcs.at[c - rec->channel] : -1;
    if (share == 0 || column == MARK || (c && !c->function && c->output < 0 && c->partition == SAL_XD))
        return a[column];
    if (arc < 0 || !sal_recorder_is_arc(rec, row))
        return a[column] + share * (b[column] - a[column]);
    double v[SAL__MOST_NODES];
    const int last = rec->arcs.nodes - 1;
    for (int j = 0; j < last; j++)
        v[j] = b[rec->width + 1 + j * rec->arcs.curved + arc + element];
    v[last] = b[column];
    return c->output < 0 || is_smooth(&rec->arcs, v) ? on_polynomial(&rec->arcs, v, share)
                                                     : on_lines(&rec->arcs, v, share);
}
