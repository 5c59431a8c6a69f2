/* Compares what a program computed in a shadow run with the results of its closure, bit by bit. */
#include <math.h>
#include <string.h>

#include "compiled.h"

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

sal_status l_compare_shadow(l_simulator *self, int k, const double *const *computed) {
    l_closure *c = &self->closures.item[k - 1];
    const l_compiled *p = c->compiled;
    const double *tried = p->shadow_result;
    bool same = true;
    for (const l_move *m = p->stores.from; m < p->stores.to; m++)
        same = same && same_bits(*tried++, computed[m->partition][m->at]);
    c->shadow_calls_left--;
    while (c->next_shadow_run <= c->run_count)
        c->next_shadow_run *= 2;
    c->has_differed = !same;
    if (!same)
        c->compiled = NULL;
    if (same && c->run_count > L_TRIALS)
        return SAL_OK;
    return l_call_helper(self, UV_BUILD_ADAPTER, k, same ? L_FIT_AGREED : L_FIT_DIFFERED);
}
