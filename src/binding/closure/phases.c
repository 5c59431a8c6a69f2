/* Phases: how far the sines, remainders and tables in a program have gone (src/engine/witness/undersampling.c). */
#include <math.h>

#include "compiled.h"

static bool is_loaded(const l_moves *moves, int reg) {
    bool is = false;
    for (const l_move *m = moves->from; m < moves->to; m++)
        is |= reg >= m->reg && reg < m->reg + m->size;
    return is;
}

/* May flow move what is in a register? Not discrete values, parameters and constants, which no instruction writes. */
static bool flows(const l_compiled *p, int reg) {
    bool is = is_loaded(&p->flowing, reg) || is_loaded(&p->ports, reg) || is_loaded(&p->others, reg);
    for (const sal__instruction *i = p->code; i->op != SAL__OP_END; i++)
        is |= i->a == reg || i->op == SAL__OP_STORE || (i->op == SAL__OP_SINCOS && i->c == reg);
    return is;
}

/* Remainders jump where they repeat, and elements of a list between two of them. */
static bool jumps(const l_compiled *p, const sal__instruction *i) {
    if (i->op == SAL__OP_LOAD)
        return flows(p, i->c);
    return (i->op == SAL__OP_MOD || i->op == SAL__OP_FMOD) && (flows(p, i->b) || flows(p, i->c));
}

static bool repeats(const l_compiled *p, const sal__instruction *i) {
    switch (i->op) {
    case SAL__OP_SIN:
    case SAL__OP_COS:
    case SAL__OP_SINCOS:
    case SAL__OP_TAN:
    case SAL__OP_SINE:
    case SAL__OP_COSINE:
    case SAL__OP_TANGENT:
        return flows(p, i->b);
    default:
        return jumps(p, i);
    }
}

static double phase_of(const sal__instruction *i, const double *value) {
    if (i->op == SAL__OP_LOAD)
        return value[i->c];
    return value[i->b] / (i->op == SAL__OP_MOD || i->op == SAL__OP_FMOD ? value[i->c] : 3.141592653589793);
}

/* Runs closure c's program up to instruction i, which is replaced by one that gives up. Returns false if the run
 * does not reach it. */
static bool run_up_to(l_simulator *self, l_closure *c, const sal_context *ctx, sal__instruction *i) {
    const sal__instruction was = *i;
    *i = (sal__instruction){SAL__OP_LOAD, was.a, was.b, was.b, 0}; /* an element of no registers */
    const bool ended = l_run_program(self, c, ctx);
    *i = was;
    return !ended;
}

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

static bool any(const l_compiled *p, bool (*is)(const l_compiled *p, const sal__instruction *i)) {
    const sal__instruction *i = p->code;
    while (i->op != SAL__OP_END && !is(p, i))
        i++;
    return i->op != SAL__OP_END;
}

bool l_has_phases(const l_compiled *p) {
    return any(p, repeats);
}

void l_phases(l_simulator *self, int k, const sal_context *ctx, double *phase, int *count) {
    l_closure *c = phased(self, k);
    *count = 0;
    if (!c || !l_run_program(self, c, ctx))
        return;
    if (any(c->compiled, jumps))
        phase[(*count)++] = INFINITY;
    for (sal__instruction *i = c->compiled->code; i->op != SAL__OP_END; i++)
        if (repeats(c->compiled, i) && *count == SAL_MAX_PHASES)
            phase[0] = INFINITY; /* who knows how fast the others are */
        else if (repeats(c->compiled, i))
            phase[(*count)++] = run_up_to(self, c, ctx, i) ? phase_of(i, c->compiled->register_value) : NAN;
}
