/* What blocks with memory have in common. */
#include "block.h"

const double *sal__sample_of(const sal_context *ctx, int port, sal_note *note) {
    const double *u = NULL;
    if (sal__input(ctx, port, &u) != SAL_OK) {
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
