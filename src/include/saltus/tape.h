/* A tape: an expression as data. Inputs, constants and results each have a
 * register, numbered in the order in which they were added; an instruction reads
 * registers before it and writes its own, so a tape has no branches and no loops
 * and gives the same bits as the same C, operation by operation.
 *
 *   sal_tape *tape = NULL;              y = 3 x0 - sqrt(x1)
 *   int three, product, root, y;
 *   sal_tape_new(NULL, 2, &tape);       registers 0 and 1 are x0 and x1
 *   sal_tape_add_constant(tape, 3, &three);
 *   sal_tape_add(tape, SAL_TAPE_MUL, three, 0, &product);
 *   sal_tape_add(tape, SAL_TAPE_SQRT, 1, 0, &root);
 *   sal_tape_add(tape, SAL_TAPE_SUB, product, root, &y);
 *   sal_tape_eval(tape, x, work);       work[y] is the result */
#ifndef SALTUS_TAPE_H
#define SALTUS_TAPE_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sal_tape sal_tape;

typedef enum {
    SAL_TAPE_ADD,
    SAL_TAPE_SUB,
    SAL_TAPE_MUL,
    SAL_TAPE_DIV,
    SAL_TAPE_NEG, /* from here on `b` is ignored */
    SAL_TAPE_ABS,
    SAL_TAPE_SQRT,
    SAL_TAPE_SIN,
    SAL_TAPE_COS,
    SAL_TAPE_EXP,
    SAL_TAPE_OPS
} sal_tape_op;

/* A tape of `inputs` registers, to begin with. */
SAL_API sal_status sal_tape_new(const sal_allocator *allocator, int inputs, sal_tape **out);
SAL_API void sal_tape_free(sal_tape *tape);

/* One more register. EINVAL for an unknown operation or a register not yet there. */
SAL_API sal_status sal_tape_add_constant(sal_tape *tape, double value, int *reg);
SAL_API sal_status sal_tape_add(sal_tape *tape, sal_tape_op op, int a, int b, int *reg);

SAL_API int sal_tape_inputs(const sal_tape *tape);
SAL_API int sal_tape_registers(const sal_tape *tape);

/* Fills all registers: `work` has room for sal_tape_registers() numbers. */
SAL_API void sal_tape_eval(const sal_tape *tape, const double *inputs, double *work);

#ifdef __cplusplus
}
#endif
#endif
