/* Linear systems: state space and transfer function, continuous and sampled. Both use the same function of (x, u),
 * which computes the derivative or the next state. */
#include "block.h"

/* ---- state space ---- */

enum { A, B, C, D, F0, Y0 };

/* y[i] = offset[i] + row i of A x + row i of B u */
static void affine(const double *offset, const double *a, const double *x, int n, const double *b, const double *u,
                   int m, double *y, int rows) {
    for (int i = 0; i < rows; i++) {
        y[i] = offset[i];
        for (int k = 0; k < n; k++)
            y[i] += a[i * n + k] * x[k];
        for (int k = 0; k < m; k++)
            y[i] += b[i * m + k] * u[k];
    }
}

/* Computes the derivative, or the next state, of state x with input u. */
static void advance(const sal_system *self, const sal_context *ctx, const double *x, const double *u, double *to) {
    const int n = sal__param_size(self, F0), m = self->size[SAL_INPUT];
    affine(sal__param(self, ctx, F0), sal__param(self, ctx, A), x, n, sal__param(self, ctx, B), u, m, to, n);
}

static sal_status flow(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    if (status == SAL_OK)
        advance(self, ctx, sal__get(ctx, SAL_Z), u, dot->z);
    return status;
}

static void sample(const sal_system *self, const sal_context *ctx, const sal_event *event, const double *u,
                   double *to) {
    (void)event;
    advance(self, ctx, sal__get(ctx, SAL_XD), u, to);
}

static sal_status observe(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL, *d = sal__param(self, ctx, D);
    const int n = sal__param_size(self, F0), rows = self->outputs.item[port].size, m = self->size[SAL_INPUT];
    bool direct = false;
    for (int i = 0; !direct && i < rows * m; i++)
        direct = d[i] != 0;
    const sal_status status = direct ? sal__input(ctx, 0, &u) : SAL_OK;
    const double *x = sal__get(ctx, self->size[SAL_Z] > 0 ? SAL_Z : SAL_XD);
    if (status == SAL_OK)
        affine(sal__param(self, ctx, Y0), sal__param(self, ctx, C), x, n, d, u, direct ? m : 0, y, rows);
    return status;
}

/* Declares a matrix. Its default is zero, with `diagonal` ones on the diagonal. */
static void add_matrix(sal__block_builder *b, const char *option, int count, int diagonal) {
    const sal_block_value *given = sal__given(b, option);
    if (given && given->count != count)
        sal__refuse(b, "option A needs n x n numbers, B n x inputs, C outputs x n, D outputs x inputs, f0 n, y0 "
                       "outputs");
    sal__add_state(b, SAL_PARAM, option, count, given);
    if (given)
        return;
    double *numbers = sal__last_numbers(b, SAL_PARAM, count);
    for (int i = 0; numbers && i < diagonal; i++)
        numbers[i * diagonal + i] = 1;
}

/* The rows of a square matrix. */
static int side_of(int count) {
    int n = 1;
    while ((n + 1) * (n + 1) <= count)
        n++;
    return n;
}

static void declare_space(sal__block_builder *b) {
    const bool is_sampled = sal__has_option(b, "period");
    const int n = side_of(sal__value_of(b, "A")->count), inputs = sal__value_of(b, "B")->count / n;
    const sal_block_value *c = sal__given(b, "C");
    const int outputs = c ? c->count / n : n;
    if (outputs < 1 || inputs < 1)
        sal__refuse(b, "option A has more rows than B or C have numbers");
    add_matrix(b, "A", n * n, 0);
    add_matrix(b, "B", n * inputs, 0);
    add_matrix(b, "C", outputs * n, c ? 0 : n);
    add_matrix(b, "D", outputs * inputs, 0);
    add_matrix(b, "f0", n, 0);
    add_matrix(b, "y0", outputs, 0);
    sal__add_input(b, "input", inputs);
    sal__add_state(b, is_sampled ? SAL_XD : SAL_Z, "state", n, sal__value_of(b, "initial"));
    sal__add_output(b, "output", outputs, sal__given(b, "D"));
    if (is_sampled)
        sal__add_samples(b);
}

#define SPACE_OPTIONS \
    SAL_OPTION(MATRIX, "A", "n rows of n numbers", .required = true, .fixed = true), \
        SAL_OPTION(MATRIX, "B", "n rows, one column for each input", .required = true, .fixed = true), \
        SAL_OPTION(MATRIX, "C", "one row for each output, n columns; default: the state", .fixed = true), \
        SAL_OPTION(MATRIX, "D", "one row for each output, one column for each input; default: 0", .fixed = true), \
        SAL_OPTION(LIST, "f0", "term added to the law", .fixed = true), \
        SAL_OPTION(LIST, "y0", "term added to the output", .fixed = true), \
        SAL_OPTION(LIST, "initial", "state at the start, one number or n", .fixed = true)

SAL_BLOCK(state_space, SAL_OPTIONS(SPACE_OPTIONS), declare_space, SAL_FUNCTIONS(.derivatives = flow, .output = observe),
          .doc = "A linear or affine system. The matrices are parameters, row by row.",
          .law = "x' = f0 + A x + B input, output = y0 + C x + D input", .drake = "LinearSystem, AffineSystem",
          .example = "saltus.blocks.state_space { A = { { 0, 1 }, { -4, -0.4 } }, B = { 0, 1 }, C = { { 1, 0 } } }");

SAL_BLOCK(discrete_state_space, SAL_OPTIONS(SPACE_OPTIONS, SAL_PERIOD_OPTIONS), declare_space,
          SAL_FUNCTIONS(.output = observe, SAL_SAMPLED_BY(sample)),
          .doc = "A sampled linear or affine system. The matrices are parameters, row by row.",
          .law = "x[n + 1] = f0 + A x[n] + B input[n], output = y0 + C x + D input",
          .drake = "LinearSystem, AffineSystem with a time period", .time_invariant = true, .instead_of = "state_space",
          .when_given = "period",
          .example = "saltus.blocks.state_space { A = { { 0.9 } }, B = { { 0.1 } }, period = 0.1 }");

/* ---- transfer function, in controllable canonical form:
 * x1' = u - (a1 x1 + ... + an xn), xk' = x(k-1), y = sum (bk - b0 ak) xk + b0 u, with a0 = 1 ---- */

enum { NUMERATOR, DENOMINATOR };

/* Returns coefficient k of the numerator, padded with leading zeros to the length of the denominator. */
static double numerator_at(const sal_system *self, const sal_context *ctx, int k) {
    const int missing = sal__param_size(self, DENOMINATOR) - sal__param_size(self, NUMERATOR);
    return k < missing ? 0 : sal__param(self, ctx, NUMERATOR)[k - missing];
}

static void canonical(const sal_system *self, const sal_context *ctx, const double *x, const double *u, double *to) {
    const double *a = sal__param(self, ctx, DENOMINATOR);
    const int n = sal__param_size(self, DENOMINATOR) - 1;
    double sum = *u;
    for (int k = 1; k <= n; k++)
        sum -= a[k] / a[0] * x[k - 1];
    for (int k = n - 1; k > 0; k--)
        to[k] = x[k - 1];
    to[0] = sum;
}

static sal_status transfer_flow(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *u = NULL;
    const sal_status status = sal__input(ctx, 0, &u);
    if (status == SAL_OK)
        canonical(self, ctx, sal__get(ctx, SAL_Z), u, dot->z);
    return status;
}

static void transfer_sample(const sal_system *self, const sal_context *ctx, const sal_event *event, const double *u,
                            double *to) {
    (void)event;
    canonical(self, ctx, sal__get(ctx, SAL_XD), u, to);
}

static sal_status transfer_output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)port;
    const double *u = NULL, *a = sal__param(self, ctx, DENOMINATOR);
    const double *x = sal__get(ctx, self->size[SAL_Z] > 0 ? SAL_Z : SAL_XD);
    const double b0 = numerator_at(self, ctx, 0) / a[0];
    const sal_status status = b0 != 0 ? sal__input(ctx, 0, &u) : SAL_OK;
    if (status != SAL_OK)
        return status;
    *y = u ? b0 * *u : 0;
    for (int k = 1; k < sal__param_size(self, DENOMINATOR); k++)
        *y += (numerator_at(self, ctx, k) / a[0] - b0 * a[k] / a[0]) * x[k - 1];
    return SAL_OK;
}

static void declare_transfer(sal__block_builder *b) {
    const bool is_sampled = sal__has_option(b, "period");
    const sal_block_value *up = sal__value_of(b, "numerator"), *down = sal__value_of(b, "denominator");
    if (down->count < 2 || down->numbers[0] == 0)
        sal__refuse(b, "option denominator needs two numbers or more, the first of them not 0");
    if (up->count > down->count)
        sal__refuse(b, "option numerator must not be longer than denominator: that would differentiate");
    sal__add_input(b, "input", 1);
    sal__add_numbers(b, is_sampled ? SAL_XD : SAL_Z, "state", down->count - 1, 0);
    sal__add_output(b, "output", 1, up->count == down->count);
    if (is_sampled)
        sal__add_samples(b);
}

#define TRANSFER_OPTIONS \
    SAL_OPTION(LIST, "numerator", "coefficients, the highest power first", .required = true), \
        SAL_OPTION(LIST, "denominator", "coefficients, the highest power first", .required = true)

SAL_BLOCK(transfer_function, SAL_OPTIONS(TRANSFER_OPTIONS), declare_transfer,
          SAL_FUNCTIONS(.derivatives = transfer_flow, .output = transfer_output),
          .doc = "One input, one output, by polynomials in s; at rest at the start.",
          .law = "output = numerator(s) / denominator(s) input", .drake = "LinearSystem",
          .example = "saltus.blocks.transfer_function { numerator = { 1 }, denominator = { 1, 0.4, 4 } }");

SAL_BLOCK(
    discrete_transfer_function, SAL_OPTIONS(TRANSFER_OPTIONS, SAL_PERIOD_OPTIONS), declare_transfer,
    SAL_FUNCTIONS(.output = transfer_output, SAL_SAMPLED_BY(transfer_sample)),
    .doc = "One input, one output, by polynomials in z; at rest at the start.",
    .law = "output = numerator(z) / denominator(z) input, sampled at offset + k period",
    .drake = "LinearSystem with a time period", .time_invariant = true, .instead_of = "transfer_function",
    .when_given = "period",
    .example = "saltus.blocks.transfer_function { numerator = { 0.1 }, denominator = { 1, -0.9 }, period = 0.1 }");
