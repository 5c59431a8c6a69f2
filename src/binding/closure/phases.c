/* Phases: how far the sines, remainders and tables in a closure have gone (src/engine/witness/undersampling.c). A
 * program computes them (lua/saltus/closure/compiler/phases.lua). */
#include "compiled.h"

/* Its program, which is made where phases are first asked for. They decide how the run is searched, so they do not
 * depend on who called the closure before, nor on whether programs may run in its place. NULL: it has none. */
static l_closure *phased(l_simulator *self, int k) {
    const l_closure *c = &self->closures.item[k - 1];
    const bool waits = self->has_stored_error;
    const bool is_known = c->phased || c->has_no_phases;
    if (!is_known && l_call_helper(self, UV_BUILD_ADAPTER, k, L_FIT_PHASES) != SAL_OK && !waits)
        l_clear_failure(self);
    return c->phased;
}

void l_phases(l_simulator *self, int k, const sal_context *ctx, double *phase, int *count) {
    l_closure *c = phased(self, k);
    *count = 0;
    if (!c || !l_run_program(self, c, ctx))
        return;
    const l_moves stores = c->compiled->stores;
    for (const l_move *m = stores.from; m < stores.to && *count < SAL_MAX_PHASES; m++)
        phase[(*count)++] = c->compiled->register_value[m->reg];
}
