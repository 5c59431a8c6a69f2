/* The Jacobian for CVODE's BDF: computed here, by groups of columns if a pattern is given or detected, and copied
 * into a SUNDIALS matrix. */
#include <string.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "cvode.h"

static double element(const sal__implicit *im, int i, int j) {
    return im->matrices.jacobian[sal__matrix_at(&im->matrices.shape, i, j)];
}

static bool in_band(const sal__shape *s, int i, int j) {
    if (!s->is_banded)
        return true;
    const int row = s->position ? s->position[i] : i, column = s->position ? s->position[j] : j;
    const int first = row > s->lower ? row - s->lower : 0;
    return column >= first && column < first + s->width;
}

/* The matrix has the elements for which it was created; if the pattern has grown since, Newton's iteration omits the
 * others. CVODE clears the structure each time. */
static void copy_sparse(const sal__cvode *c, SUNMatrix to) {
    const sal__implicit *im = c->in->implicit;
    const int n = im->n, *starts = c->structure, *rows = c->structure + n + 1;
    for (int j = 0; j < n; j++) {
        SUNSparseMatrix_IndexPointers(to)[j] = starts[j];
        for (int k = starts[j]; k < starts[j + 1]; k++) {
            SUNSparseMatrix_IndexValues(to)[k] = rows[k];
            SUNSparseMatrix_Data(to)[k] = in_band(&im->matrices.shape, rows[k], j) ? element(im, rows[k], j) : 0;
        }
    }
    SUNSparseMatrix_IndexPointers(to)[n] = starts[n];
}

static void copy_band(const sal__implicit *im, SUNMatrix to) {
    const int upper = (int)SUNBandMatrix_UpperBandwidth(to), lower = (int)SUNBandMatrix_LowerBandwidth(to);
    for (int j = 0; j < im->n; j++)
        for (int i = j > upper ? j - upper : 0; i <= j + lower && i < im->n; i++)
            SM_ELEMENT_B(to, i, j) = in_band(&im->matrices.shape, i, j) ? element(im, i, j) : 0;
}

static void copy_dense(const sal__implicit *im, SUNMatrix to) {
    for (int j = 0; j < im->n; j++)
        for (int i = 0; i < im->n; i++)
            SM_ELEMENT_D(to, i, j) = in_band(&im->matrices.shape, i, j) ? element(im, i, j) : 0;
}

static int renew(realtype t, N_Vector state, N_Vector rate, SUNMatrix to, void *user, N_Vector a, N_Vector b,
                 N_Vector d) {
    sal__cvode *c = user;
    const sal__implicit *im = c->in->implicit;
    (void)a, (void)b, (void)d;
    const sal_status status = sal__update_jacobian(c->rhs, c->a, t, NV_DATA_S(state), NV_DATA_S(rate));
    if (status != SAL_OK) {
        c->failed = status;
        return status < 0 ? -1 : 1;
    }
    if (SUNMatGetID(to) == SUNMATRIX_SPARSE)
        copy_sparse(c, to);
    else if (SUNMatGetID(to) == SUNMATRIX_BAND)
        copy_band(im, to);
    else
        copy_dense(im, to);
    return 0;
}

static void make_sparse(sal__cvode *c) {
    const sal__pattern *p = &c->in->implicit->differences.pattern;
    const int n = c->in->n, count = p->starts[n];
    c->structure_bytes = (size_t)(n + 1 + count) * sizeof *c->structure;
    c->structure = sal__alloc(&c->in->allocator, c->structure_bytes);
    c->matrix = c->structure ? SUNSparseMatrix(n, n, count, CSC_MAT, c->context) : NULL;
    if (!c->matrix)
        return;
    memcpy(c->structure, p->starts, (size_t)(n + 1) * sizeof *p->starts);
    memcpy(c->structure + n + 1, p->rows, (size_t)count * sizeof *p->rows);
    c->linear = SUNLinSol_KLU(c->state, c->matrix, c->context);
}

static void make_band(sal__cvode *c) {
    const sal__pattern *p = &c->in->implicit->differences.pattern;
    c->matrix = SUNBandMatrix(c->in->n, p->upper, p->lower, c->context);
    c->linear = c->matrix ? SUNLinSol_Band(c->state, c->matrix, c->context) : NULL;
}

static void make_dense(sal__cvode *c) {
    c->matrix = SUNDenseMatrix(c->in->n, c->in->n, c->context);
    c->linear = c->matrix ? SUNLinSol_Dense(c->state, c->matrix, c->context) : NULL;
}

sal_status sal__cvode_attach_matrix(sal__cvode *c) {
    const sal__implicit *im = c->in->implicit;
    if (im->differences.sparsity == SAL__WANTED_PATTERN)
        sal__find_pattern(c->rhs, c->a, c->a->t, c->a->x0);
    if (sal__has_pattern(im) && im->matrices.shape.is_banded && !im->matrices.shape.position)
        make_band(c);
    else if (sal__has_pattern(im))
        make_sparse(c);
    else
        make_dense(c);
    if (!c->linear || CVodeSetLinearSolver(c->memory, c->linear, c->matrix) != CV_SUCCESS)
        return SAL_ENOMEM;
    return CVodeSetJacFn(c->memory, renew) == CV_SUCCESS ? SAL_OK : SAL_EINVAL;
}

void sal__cvode_drop_matrix(sal__cvode *c) {
    if (c->linear)
        SUNLinSolFree(c->linear);
    if (c->matrix)
        SUNMatDestroy(c->matrix);
    sal__free(&c->in->allocator, c->structure, c->structure_bytes);
    c->structure = NULL;
    c->linear = NULL;
    c->matrix = NULL;
}
