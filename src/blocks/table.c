/* Lookup tables, linear between their points. Piece k is between points k and k + 1. The first and the last piece lie
 * outside. */
#include "piecewise.h"

enum { POINTS, VALUES, OUTSIDE };
enum { HOLD = 1, EXTRAPOLATE };

/* Returns the interval that contains x: the last i with p[i] <= x, from 0 to n - 2. */
static int interval_of(const double *p, int n, double x) {
    int low = 0, high = n - 1;
    SAL__BISECT(int, low, high, p[middle] <= x)
    return low;
}

/* Returns the position of x in the interval of piece k, from 0 to 1; outside the table 0 or 1 if values are held. */
static double share_of(const double *p, int n, int k, double x, bool hold) {
    if (hold && (k < 0 || k > n - 2))
        return k < 0 ? 0 : 1;
    const int i = k < 0 ? 0 : k > n - 2 ? n - 2 : k;
    return (x - p[i]) / (p[i + 1] - p[i]);
}

/* A piece as an integer, from -1, left of the first point, to n - 1. */
static int whole_piece(int n, double k) {
    return sal__index(k + 1, n + 1) - 1;
}

static int interval_of_piece(int n, int k) {
    return k < 0 ? 0 : k > n - 2 ? n - 2 : k;
}

static double border_between(const double *p, int n, double k) {
    return k < 0 ? -HUGE_VAL : k > n - 1 ? HUGE_VAL : p[sal__index(k, n)];
}

static double piece_guess(const double *p, int n, double x) {
    return x < p[0] ? -1 : x > p[n - 1] ? n - 1 : interval_of(p, n, x);
}

static double mix(double a, double b, double share) {
    return a + share * (b - a);
}

/* ---- one dimension ---- */

static double border(const sal_system *self, const sal_context *ctx, int i, double k) {
    (void)i;
    return border_between(sal__param(self, ctx, POINTS), sal__param_size(self, POINTS), k);
}

static double guess(const sal_system *self, const sal_context *ctx, int i, double u) {
    (void)i;
    return piece_guess(sal__param(self, ctx, POINTS), sal__param_size(self, POINTS), u);
}

static const sal__pieces line = {sal__element_of_input, border, guess};

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL, *p = sal__param(self, ctx, POINTS), *v = sal__param(self, ctx, VALUES);
    const sal_status status = sal__input(ctx, 0, &u);
    const int n = sal__param_size(self, POINTS);
    const bool hold = *sal__param(self, ctx, OUTSIDE) == HOLD;
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++) {
        const int piece = whole_piece(n, sal__piece(self, ctx, i, u[i]));
        const int k = interval_of_piece(n, piece);
        y[i] = mix(v[k], v[k + 1], share_of(p, n, piece, u[i], hold));
    }
    return status;
}

static void declare(sal__block_builder *b) {
    const int n = sal__value_of(b, "points")->count;
    if (n < 2 || sal__value_of(b, "values")->count != n)
        sal__refuse(b, "option values must have as many numbers as points, two or more");
    sal__add_signal(b, true);
    if (sal__number(b, "watch") != 0)
        sal__add_pieces(b, sal__size(b), SAL_DISCRETE);
}

#define OUTSIDE_OPTION \
    SAL_OPTION(CHOICE, "outside", "beyond the ends: the last value, or the last slope", .words = "hold extrapolate", \
               .default_value = HOLD)

SAL_BLOCK(lookup_table,
          SAL_OPTIONS(SAL_OPTION(LIST, "points", "inputs, increasing", .required = true, .rules = SAL_IS_INCREASING),
                      SAL_OPTION(LIST, "values", "outputs at the points", .required = true), OUTSIDE_OPTION,
                      SAL_WATCH_OPTION, SAL_SIZE_OPTION),
          declare, SAL_FUNCTIONS(.output = output, SAL_PIECES_MEMBERS(line)),
          .doc = "A function given by points, linear between them, for each element of the signal.",
          .law = "output = values[k] + (values[k + 1] - values[k]) (input - points[k]) / (points[k + 1] - points[k])",
          .time_invariant = true,
          .example = "saltus.blocks.lookup_table { points = { 0, 1, 3 }, values = { 0, 2, 1 } }");

/* ---- two dimensions: input1 by rows, input2 by columns ---- */

enum { ROWS, COLUMNS, FIELD, BEYOND };

static sal_status coordinate(const sal_system *self, const sal_context *ctx, int i, double *u) {
    (void)self;
    const double *input = NULL;
    const sal_status status = sal__input(ctx, i, &input);
    if (status == SAL_OK)
        *u = *input;
    return status;
}

static double grid_border(const sal_system *self, const sal_context *ctx, int i, double k) {
    return border_between(sal__param(self, ctx, i), sal__param_size(self, i), k); /* ROWS, COLUMNS */
}

static double grid_guess(const sal_system *self, const sal_context *ctx, int i, double u) {
    return piece_guess(sal__param(self, ctx, i), sal__param_size(self, i), u);
}

static const sal__pieces grid = {coordinate, grid_border, grid_guess};

/* The interval of one coordinate, and the position of the coordinate in it. */
static sal_status locate(const sal_system *self, const sal_context *ctx, int i, int *interval, double *share) {
    double u = 0;
    const sal_status status = coordinate(self, ctx, i, &u);
    if (status != SAL_OK)
        return status;
    const int n = sal__param_size(self, i);
    const int k = whole_piece(n, sal__piece(self, ctx, i, u));
    *interval = interval_of_piece(n, k);
    *share = share_of(sal__param(self, ctx, i), n, k, u, *sal__param(self, ctx, BEYOND) == HOLD);
    return SAL_OK;
}

static sal_status field(const sal_system *self, const sal_context *ctx, int port, double *out) {
    (void)port;
    int i = 0, k = 0;
    double down = 0, along = 0;
    sal_status status = locate(self, ctx, ROWS, &i, &down);
    if (status == SAL_OK)
        status = locate(self, ctx, COLUMNS, &k, &along);
    if (status != SAL_OK)
        return status;
    const int m = sal__param_size(self, COLUMNS);
    const double *v = sal__param(self, ctx, FIELD) + i * m + k;
    *out = mix(mix(v[0], v[1], along), mix(v[m], v[m + 1], along), down);
    return SAL_OK;
}

static void declare_field(sal__block_builder *b) {
    const int n = sal__value_of(b, "rows")->count, m = sal__value_of(b, "columns")->count;
    if (n < 2 || m < 2 || sal__value_of(b, "values")->count != n * m)
        sal__refuse(b, "option values must have a row for each of rows, with a number for each of columns");
    sal__add_inputs(b, 2, 1);
    sal__add_output(b, "output", 1, true);
    if (sal__number(b, "watch") != 0)
        sal__add_pieces(b, 2, SAL_DISCRETE);
}

SAL_BLOCK(lookup_table_2d,
          SAL_OPTIONS(SAL_OPTION(LIST, "rows", "points of input1", .required = true, .rules = SAL_IS_INCREASING),
                      SAL_OPTION(LIST, "columns", "points of input2", .required = true, .rules = SAL_IS_INCREASING),
                      SAL_OPTION(MATRIX, "values", "one row for each of rows", .required = true), OUTSIDE_OPTION,
                      SAL_WATCH_OPTION),
          declare_field, SAL_FUNCTIONS(.output = field, SAL_PIECES_MEMBERS(grid)),
          .doc = "A function of two signals given by points on a grid, bilinear between them.",
          .law = "output = values at (input1, input2), linear along rows and along columns", .time_invariant = true,
          .example =
              "saltus.blocks.lookup_table_2d { rows = { 0, 1 }, columns = { 0, 2 }, values = { { 0, 1 }, { 2, 5 } } }");
