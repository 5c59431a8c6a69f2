/* Multiplies a signal by a factor for each element, or by a matrix. */
#include "block.h"

static sal_status by_element(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    const sal__numbers gain = sal__only_param(ctx);
    const int size = sal_context_size(ctx, SAL_INPUT);
    for (int i = 0; i < size; i++)
        y[i] = sal__at(gain, i) * u[i];
    return SAL_OK;
}

SAL_BLOCK(gain, SAL_OPTIONS(SAL_OPTION(SIGNAL, "gain", "factor", .required = true), SAL_SIZE_OPTION),
          sal__declare_direct, SAL_FUNCTIONS(.output = by_element),
          .doc = "One factor for the signal, or one for each element of it.", .law = "output[i] = gain[i] input[i]",
          .drake = "Gain", .simbody = "Scale", .time_invariant = true,
          .example = "saltus.blocks.gain { gain = 2, size = 3 }");

/* ---- matrix ---- */

static sal_status by_matrix(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    const double *gain = sal__param(self, ctx, 0);
    const int rows = self->outputs.item[port].size, columns = self->size[SAL_INPUT];
    for (int i = 0; i < rows; i++) {
        y[i] = 0;
        for (int k = 0; k < columns; k++)
            y[i] += gain[i * columns + k] * u[k];
    }
    return SAL_OK;
}

static void declare_matrix(sal__block_builder *b) {
    const sal_block_value *gain = sal__value_of(b, "gain");
    const int rows = gain->rows > 0 ? gain->rows : 1;
    sal__add_input(b, "input", gain->count / rows);
    sal__add_output(b, "output", rows, true);
}

SAL_BLOCK(matrix_gain,
          SAL_OPTIONS(SAL_OPTION(MATRIX, "gain", "a row for each element of the output", .required = true)),
          declare_matrix, SAL_FUNCTIONS(.output = by_matrix), .doc = "A matrix times the signal.",
          .law = "output = gain input", .drake = "MatrixGain, SparseMatrixGain", .time_invariant = true,
          .instead_of = "gain", .when_given = "gain",
          .example = "saltus.blocks.gain { gain = { { 1, 2 }, { 0, 1 } } }");

sal_status sal_block_gain(const sal_allocator *allocator, const char *name, int size, double gain, sal_system **out) {
    const double elements = size;
    const sal_block_value values[] = {{.option = "gain", .numbers = &gain, .count = 1},
                                      {.option = "size", .numbers = &elements, .count = 1}};
    return sal_block_new(allocator, "gain", name, values, 2, NULL, out);
}
