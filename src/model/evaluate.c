/* Values of inputs and outputs: computed when they are read and not fresh.
 *
 * An output that reads an input has what feeds it computed first, on the C stack.
 * In a long chain that would be a deep stack, so beyond a few levels what an output
 * is known to need is computed before it, in order, without recursion. What it reads
 * beyond that is still computed when it asks. */
#include "model.h"

#define EVALUATING UINT64_MAX    /* stamp of an output that is being computed */
#define WANTED (UINT64_MAX - 1u) /* of one that waits for its needs */

enum { MOST_DEPTH = 8 }; /* levels on the C stack; each may be a Lua call */

#define NO_VALUE UINT64_C(0x7ff85a1705a17000)

double sal_no_value(void) {
    return sal__from_bits(NO_VALUE);
}

static inline sal_status compute(sal__context_data *data, const sal__output_slot *s, uint64_t *stamp) {
    *stamp = EVALUATING;
    data->depth++;
    const sal_status status = s->output(s->system, &data->part_context[s->part], s->port, data->cache + s->at);
    data->depth--;
    *stamp = status == SAL_OK ? sal__current_version(data, s) : 0;
    if (status < 0 && data->failed_part < 0)
        data->failed_part = s->part;
    return status;
}

/* What is on the path since `base` waits no longer. */
static void leave_path(sal__context_data *data, int base) {
    for (int i = base; i < data->path_length; i++)
        if (data->versions.of_value[data->path[i].source] == WANTED)
            data->versions.of_value[data->path[i].source] = 0;
    data->path_length = base;
}

/* Computes all that a source is known to need: a depth-first walk along needs; a source is computed when it is left.
 * The path holds the sources above the present one. What waits on it already, here or in an outer walk, is passed by:
 * if it is really read, it is computed when it is asked for. */
static sal_status compute_needs(sal__context_data *data, int source) {
    const sal__plan *plan = data->plan;
    const int base = data->path_length, room = plan->output_count;
    int length = base, need = 0;
    for (int here = source;;) {
        const sal__output_slot *s = &plan->output_slot[here];
        if (need < s->need_count) {
            const int next = plan->need.item[s->need_at + need++];
            const sal__output_slot *n = &plan->output_slot[next];
            if (n->location || data->versions.of_value[next] == sal__current_version(data, n) ||
                data->versions.of_value[next] >= WANTED || length == room)
                continue;
            data->versions.of_value[next] = WANTED;
            data->path[length++] = (sal__visit){here, need};
            here = next;
            need = 0;
            continue;
        }
        if (length == base)
            return SAL_OK;
        data->path_length = length;
        uint64_t *stamp = &data->versions.of_value[here];
        const sal_status status = *stamp == WANTED ? compute(data, s, stamp) : SAL_OK; /* else asked for since */
        if (status != SAL_OK) {
            leave_path(data, base);
            return status;
        }
        data->path_length = --length;
        here = data->path[length].source;
        need = data->path[length].need;
    }
}

static sal_status compute_after_needs(sal__context_data *data, const sal__output_slot *s, uint64_t *stamp) {
    *stamp = EVALUATING;
    const sal_status status = compute_needs(data, (int)(s - data->plan->output_slot));
    if (status == SAL_OK)
        return compute(data, s, stamp);
    *stamp = 0;
    return status;
}

/* Of a source whose value is not fresh. */
static inline sal_status evaluate(sal__context_data *data, int source, const double **value) {
    const sal__output_slot *s = &data->plan->output_slot[source];
    uint64_t *stamp = &data->versions.of_value[source];
    if (*stamp == EVALUATING)
        return SAL_ELOOP;
    const bool deep = data->depth >= MOST_DEPTH && s->need_count > 0;
    const sal_status status = deep ? compute_after_needs(data, s, stamp) : compute(data, s, stamp);
    if (status == SAL_OK)
        *value = data->cache + s->at;
    return status;
}

sal_status sal_context_output(const sal_context *ctx, int port, const double **value) {
    const sal__part *part = ctx->layout;
    sal__context_data *data = ctx->data;
    if (port < 0 || port >= part->system->outputs.count)
        return SAL_EINVAL;
    if (data->tracer)
        return sal__trace_output(data, port, value);
    const int source = part->output_at + port;
    const sal__output_slot *s = &data->plan->output_slot[source];
    if (!s->location && data->versions.of_value[source] != sal__current_version(data, s))
        return evaluate(data, source, value);
    *value = sal__value_address(data, s->location, s->at);
    return SAL_OK;
}

static bool has_value(const double *numbers, int size) {
    for (int i = 0; i < size; i++)
        if (sal__bits_of(numbers[i]) == NO_VALUE)
            return false;
    return true;
}

/* Of an input that is not connected. */
static sal_status fixed_value(sal__context_data *data, const sal__input_slot *input, int port, const double **value) {
    const sal__feed *feed = data->feeds ? &data->feeds[input - data->plan->input_slot] : NULL;
    if (feed && feed->is_fed) {
        sal__feed_value(feed, data->time, input->size, feed->value);
        *value = feed->value;
        return SAL_OK;
    }
    const double *fixed = data->partition_source[SAL_INPUT] + input->at;
    sal_status status = SAL_OK;
    if (data->tracer)
        status = sal__trace_input(data, port);
    else if (!has_value(fixed, input->size))
        status = SAL_EINPUT;
    if (status == SAL_OK)
        *value = fixed;
    return status;
}

sal_status sal__compute_input(const sal_context *ctx, const sal__input_slot *input, const double **value) {
    sal__context_data *data = ctx->data;
    return input->source < 0 ? fixed_value(data, input, (int)(input - ctx->input_slot), value)
                             : evaluate(data, input->source, value);
}

sal_status sal_context_input(const sal_context *ctx, int port, const double **value) {
    return (unsigned)port >= (unsigned)ctx->layout->input_count ? SAL_EINVAL : sal__input(ctx, port, value);
}
