/* What blocks with memory have in common. */
#include <string.h>

#include "block.h"

const double *sal__sample_of(const sal_context *ctx, int port, sal_note *note) {
    const double *u = NULL;
    if (sal_context_input(ctx, port, &u) != SAL_OK) {
        sal_note_set(note, "its input failed");
        return NULL;
    }
    const sal_system *self = ctx->place->system;
    const int size = self->values.item[self->inputs.item[port]].size;
    for (int i = 0; i < size; i++)
        if (isnan(u[i])) {
            sal_note_set(note, "its input is NaN");
            return NULL;
        }
    return u;
}

sal_status sal__output_held(const sal_system *self, const sal_context *ctx, int port, double *y) {
    memcpy(y, sal__get(ctx, SAL_XD), sizeof *y * (size_t)self->outputs.item[port].size);
    return SAL_OK;
}
