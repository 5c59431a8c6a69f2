/* Values of inputs and outputs: computed when they are read and out of date.
 *
 * When an output reads an input, the source of the input is computed first, on the C stack. In a long chain the
 * stack would get deep. So beyond a few levels, the known dependencies of an output are computed before it, in
 * order, without recursion. Any other dependency is still computed when it is read. */
#include <math.h>

#include "model.h"

#define EVALUATING UINT64_MAX    /* version of an output while it is computed */
#define WANTED (UINT64_MAX - 1u) /* version of an output that waits for its dependencies */

enum { MAX_DEPTH = 8 }; /* levels on the C stack; each may be a Lua call */

#define NO_VALUE UINT64_C(0x7ff85a1705a17000)

double sal_no_value(void) {
    return sal__from_bits(NO_VALUE);
}

sal_status sal__note_failed_read(const sal_context *ctx, sal_status status, sal__read_kind kind, int index, double at) {
    ctx->data->failures.read = (sal__failed_read){status, kind, ctx->part, index, at, ctx->data->time};
    return status;
}

static inline sal_status compute(sal__context_data *data, const sal__output_slot *s, uint64_t *stamp) {
    *stamp = EVALUATING;
    data->depth++;
    const sal_status status = s->output(s->system, &data->part_context[s->part], s->port, data->cache + s->at);
    data->depth--;
    *stamp = status == SAL_OK ? sal__current_version(data, s) : 0;
    if (status < 0 && data->failures.part < 0) {
        data->failures.part = s->part;
        data->failures.port = s->port;
        data->failures.status = status;
    }
    return status;
}

/* Removes the sources on the path since `base`: they no longer wait for their dependencies. */
static void leave_path(sal__context_data *data, int base) {
    for (int i = base; i < data->path_length; i++)
        if (data->versions.of_value[data->path[i].source] == WANTED)
            data->versions.of_value[data->path[i].source] = 0;
    data->path_length = base;
}

/* Whether a source must be computed. A source that already waits for its dependencies, here or in an outer walk, is
 * skipped: it is computed if it is really read. */
static inline bool is_wanted(const sal__context_data *data, int source) {
    const sal__output_slot *s = &data->plan->output_slot[source];
    const uint64_t version = data->versions.of_value[source];
    return s->location == SAL__COMPUTED && version != sal__current_version(data, s) && version < WANTED;
}

/* Computes all known dependencies of a source: a depth-first walk, which computes a source when it leaves it. The
 * path holds the sources above the present one. */
static sal_status compute_needs(sal__context_data *data, int source) {
    const sal__plan *plan = data->plan;
    const int base = data->path_length;
    sal__visit here = {source, 0};
    for (int length = base;;) {
        const sal__output_slot *s = &plan->output_slot[here.source];
        if (here.need < s->need_count) {
            const int next = plan->need.item[s->need_at + here.need++];
            if (is_wanted(data, next) && length < plan->output_count) {
                data->versions.of_value[next] = WANTED;
                data->path[length++] = here;
                here = (sal__visit){next, 0};
            }
            continue;
        }
        if (length == base)
            return SAL_OK;
        data->path_length = length;
        uint64_t *stamp = &data->versions.of_value[here.source];
        const sal_status status =
            *stamp == WANTED ? compute(data, s, stamp) : SAL_OK; /* else it was computed in a read */
        if (status != SAL_OK) {
            leave_path(data, base);
            return status;
        }
        data->path_length = --length;
        here = data->path[length];
    }
}

/* Computes a source after its known dependencies: on a deep stack they are not computed when the output reads them. */
__attribute__((noinline)) static sal_status compute_with_needs(sal__context_data *data, const sal__output_slot *s,
                                                               uint64_t *stamp) {
    *stamp = EVALUATING;
    const sal_status status = compute_needs(data, (int)(s - data->plan->output_slot));
    if (status == SAL_OK)
        return compute(data, s, stamp);
    *stamp = 0;
    return status;
}

/* Computes a source whose value is out of date. */
static inline sal_status evaluate(sal__context_data *data, const sal__output_slot *s, int source,
                                  const double **value) {
    uint64_t *stamp = &data->versions.of_value[source];
    if (*stamp == EVALUATING)
        return sal__note_failed_read(&data->part_context[s->part], SAL_ELOOP, SAL__READ_OUTPUT, s->port, NAN);
    const bool is_deep = s->need_count > 0 && data->depth >= MAX_DEPTH;
    const sal_status status = is_deep ? compute_with_needs(data, s, stamp) : compute(data, s, stamp);
    if (status == SAL_OK)
        *value = data->cache + s->at;
    return status;
}

sal_status sal_context_output(const sal_context *ctx, int port, const double **value) {
    const sal__part *part = ctx->layout;
    sal__context_data *data = ctx->data;
    if (port < 0 || port >= part->system->outputs.count)
        return sal__note_failed_read(ctx, SAL_EINVAL, SAL__READ_OUTPUT, port, NAN);
    if (data->tracer)
        return sal__trace_output(data, port, value);
    const int source = part->output_at + port;
    const sal__output_slot *s = &data->plan->output_slot[source];
    if (s->location == SAL__COMPUTED && data->versions.of_value[source] != sal__current_version(data, s))
        return evaluate(data, s, source, value);
    *value = data->source[s->location] + s->at;
    return SAL_OK;
}

static bool has_value(const double *numbers, int size) {
    for (int i = 0; i < size; i++)
        if (sal__bits_of(numbers[i]) == NO_VALUE)
            return false;
    return true;
}

/* Returns the value of an input that is not connected. */
__attribute__((noinline)) static sal_status fixed_value(sal__context_data *data, const sal__input_slot *input, int port,
                                                        const double **value) {
    const sal__feed *feed = data->feeds ? &data->feeds[input - data->plan->input_slot] : NULL;
    if (feed && feed->is_fed) {
        sal__feed_value(feed, data->time, input->size, feed->value);
        *value = feed->value;
        return SAL_OK;
    }
    const double *fixed = data->source[SAL_INPUT] + input->at;
    sal_status status = SAL_OK;
    if (data->tracer)
        status = sal__trace_input(data, port);
    else if (!has_value(fixed, input->size))
        status = sal__note_failed_read(&data->part_context[input->part], SAL_EINPUT, SAL__READ_INPUT, port, NAN);
    if (status == SAL_OK)
        *value = fixed;
    return status;
}

sal_status sal__compute_input(const sal_context *ctx, const sal__input_slot *input, const double **value) {
    sal__context_data *data = ctx->data;
    return input->output ? evaluate(data, input->output, input->version_index, value)
                         : fixed_value(data, input, (int)(input - ctx->input_slot), value);
}

sal_status sal_context_input(const sal_context *ctx, int port, const double **value) {
    if ((unsigned)port >= (unsigned)ctx->layout->input_count)
        return sal__note_failed_read(ctx, SAL_EINVAL, SAL__READ_INPUT, port, NAN);
    return sal__input(ctx, port, value);
}
