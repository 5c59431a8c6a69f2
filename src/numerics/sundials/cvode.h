/* Shared by the files of the CVODE methods. */
#ifndef SAL_CVODE_H
#define SAL_CVODE_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>

#include "numerics/implicit/implicit.h"

typedef struct sal__cvode {
    sal_integrator *in;
    SUNContext context;
    void *memory;
    N_Vector state, other; /* other: derivatives, estimates */
    SUNMatrix matrix;      /* BDF: from its first step on */
    int *structure;        /* sparse matrix: n + 1 starts of columns, then rows */
    size_t structure_bytes;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear; /* of Adams */
    const sal_rhs *rhs;           /* of the present step, like the following members */
    sal_attempt *a;
    sal_status failed; /* the model's last status, if it ended the step */
    bool started;      /* the history ends in `state`, at t */
    double t;
} sal__cvode;

/* cvode_matrix.c. Dense, banded or, if the pattern is neither, sparse (KLU). */
sal_status sal__cvode_attach_matrix(sal__cvode *c);
void sal__cvode_drop_matrix(sal__cvode *c);

#endif
