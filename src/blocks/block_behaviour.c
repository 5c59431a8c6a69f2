/* What blocks have in common: outputs from numbers, and updates of what follows an input. */
#include "block.h"

sal_status sal__spread(sal__numbers from, int size, double *y) {
    for (int i = 0; i < size; i++)
        y[i] = sal__at(from, i);
    return SAL_OK;
}

sal_status sal__spread_either(const double *state, sal__numbers when_set, sal__numbers otherwise, int size, double *y) {
    for (int i = 0; i < size; i++)
        y[i] = state[i] != 0 ? sal__at(when_set, i) : sal__at(otherwise, i);
    return SAL_OK;
}

sal_status sal__settle(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    const sal__follower *follower = self->behaviour->data;
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    bool settled = true;
    for (int i = 0; status == SAL_OK && settled && i < ctx->input_slot->size; i++)
        settled = follower->is_settled(self, ctx, i, u[i]);
    *t = sal__settle_time(ctx, settled);
    return status;
}

sal_outcome sal__sample(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    const sal__sampler *sampler = self->behaviour->data;
    const double *u = sal__sample_input(ctx, 0, note);
    if (!u)
        return SAL_FAILED;
    sampler->sample(self, ctx, event, u, sal_context_edit(next, SAL_XD));
    return SAL_SUCCEEDED;
}

sal_outcome sal__keep_input(const sal_context *ctx, sal_context *next, sal_partition partition, sal_note *note) {
    const double *u = sal__sample_input(ctx, 0, note);
    if (!u)
        return SAL_FAILED;
    memcpy(sal_context_edit(next, partition), u, sizeof *u * (size_t)sal_context_size(next, partition));
    return SAL_SUCCEEDED;
}

sal_outcome sal__input_failed(sal_status status, sal_note *note) {
    if (status > 0)
        sal_note_set(note, "its input requests a smaller step, which an update cannot make");
    return SAL_FAILED;
}

const double *sal__reject_sample(const char *why, sal_note *note) {
    sal_note_set(note, why);
    return NULL;
}
