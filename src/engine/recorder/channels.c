/* The channels of a recorder: whether they exist, and what they show of a context. */
#include "recorder_impl.h"

static sal_status evaluate_channel(sal_recorder *rec, const sal_channel *c, const sal_context *whole, double *to) {
    rec->is_evaluating = true;
    const sal_status status = c->function(c->user, whole, to);
    rec->is_evaluating = false;
    return status;
}

sal_status sal__recorder_read(sal_recorder *rec, int channel, const sal_context *whole, double *to) {
    const sal_channel *c = &rec->channel[channel];
    if (c->function)
        return evaluate_channel(rec, c, whole, to);
    const sal_context *ctx = sal_context_part_const(whole, c->part);
    const double *from = NULL;
    if (c->output < 0)
        from = sal_context_get(ctx, c->partition) + c->at;
    else {
        const sal_status status = sal_context_output(ctx, c->output, &from);
        if (status != SAL_OK)
            return status;
    }
    for (int i = 0; i < c->size; i++)
        to[i] = from[i];
    return SAL_OK;
}

sal_status sal__recorder_read_all(sal_recorder *rec, const sal_context *whole, double *to) {
    for (int i = 0, at = 0; i < rec->channel_count; at += rec->channel[i++].size) {
        const sal_status status = sal__recorder_read(rec, i, whole, to + at);
        if (status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

/* Whether the values of a channel are available. */
static bool is_sound(const sal_context *ctx, const sal_channel *c) {
    const sal_context *part = sal_context_part_const(ctx, c->part);
    if (!part || c->size < 1)
        return false;
    if (c->function)
        return true;
    sal_declared declared = {0};
    if (c->output >= 0)
        return sal_system_output_at(part->layout->system, c->output, &declared) && declared.size == c->size;
    return c->partition < SAL_PARTITIONS && c->at >= 0 && c->at <= sal_context_size(part, c->partition) - c->size;
}

sal_status sal__check_channels(sal_simulator *sim, const sal_channel *channels, int count) {
    const sal_context *ctx = sal_simulator_context(sim);
    for (int i = 0; i < count; i++)
        if (!channels || !is_sound(ctx, &channels[i]))
            return SAL__REFUSE_CALL(
                sim, SAL_EINVAL, "channel ", sal__whole_number(i).text,
                " of a recorder has a part, numbers or an output that do not exist; set its part, size "
                "and place, and output = -1 if it is no output");
    return SAL_OK;
}
