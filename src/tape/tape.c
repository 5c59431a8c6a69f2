/* Recording and evaluating. One list of entries, one entry a register. */
#include "saltus/tape.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

enum { CONSTANT = SAL_TAPE_OPS };

typedef struct entry {
    double value; /* of a constant */
    int op, a, b;
} entry;

struct sal_tape {
    sal_allocator mem;
    int inputs, count, capacity; /* of entries; their registers stand after the inputs */
    entry *entries;
};

sal_status sal_tape_new(const sal_allocator *allocator, int inputs, sal_tape **out) {
    if (inputs < 0 || !out)
        return SAL_EINVAL;
    const sal_allocator mem = sal__allocator(allocator);
    sal_tape *tape = sal__alloc(&mem, sizeof *tape);
    if (!tape)
        return SAL_ENOMEM;
    tape->mem = mem;
    tape->inputs = inputs;
    *out = tape;
    return SAL_OK;
}

void sal_tape_free(sal_tape *tape) {
    if (!tape)
        return;
    const sal_allocator mem = tape->mem;
    if (tape->entries)
        sal__free(&mem, tape->entries, (size_t)tape->capacity * sizeof *tape->entries);
    sal__free(&mem, tape, sizeof *tape);
}

static sal_status append(sal_tape *tape, entry e, int *reg) {
    if (tape->count == tape->capacity) {
        const int wanted = tape->capacity ? 2 * tape->capacity : 16;
        entry *grown = sal__resize(&tape->mem, tape->entries, (size_t)tape->capacity * sizeof *grown,
                                   (size_t)wanted * sizeof *grown);
        if (!grown)
            return SAL_ENOMEM;
        tape->entries = grown;
        tape->capacity = wanted;
    }
    tape->entries[tape->count] = e;
    *reg = tape->inputs + tape->count++;
    return SAL_OK;
}

sal_status sal_tape_add_constant(sal_tape *tape, double value, int *reg) {
    return append(tape, (entry){.value = value, .op = CONSTANT}, reg);
}

sal_status sal_tape_add(sal_tape *tape, sal_tape_op op, int a, int b, int *reg) {
    const int known = sal_tape_registers(tape);
    if ((int)op < 0 || op >= SAL_TAPE_OPS)
        return SAL_EINVAL;
    if (op >= SAL_TAPE_NEG)
        b = a;
    if (a < 0 || a >= known || b < 0 || b >= known)
        return SAL_EINVAL;
    return append(tape, (entry){.op = (int)op, .a = a, .b = b}, reg);
}

int sal_tape_inputs(const sal_tape *tape) {
    return tape->inputs;
}

int sal_tape_registers(const sal_tape *tape) {
    return tape->inputs + tape->count;
}

static double result(const entry *e, double a, double b) {
    switch (e->op) {
    case SAL_TAPE_ADD:
        return a + b;
    case SAL_TAPE_SUB:
        return a - b;
    case SAL_TAPE_MUL:
        return a * b;
    case SAL_TAPE_DIV:
        return a / b;
    case SAL_TAPE_NEG:
        return -a;
    case SAL_TAPE_ABS:
        return fabs(a);
    case SAL_TAPE_SQRT:
        return sqrt(a);
    case SAL_TAPE_SIN:
        return sin(a);
    case SAL_TAPE_COS:
        return cos(a);
    default:
        return exp(a);
    }
}

void sal_tape_eval(const sal_tape *tape, const double *inputs, double *work) {
    for (int i = 0; i < tape->inputs; i++)
        work[i] = inputs[i];
    double *out = work + tape->inputs;
    for (int i = 0; i < tape->count; i++) {
        const entry *e = &tape->entries[i];
        out[i] = e->op == CONSTANT ? e->value : result(e, work[e->a], work[e->b]);
    }
}
