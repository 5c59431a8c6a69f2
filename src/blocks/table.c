/* Lookup tables, linear between their points. One witness serves all points: it
 * swings through zero at each of them, so that steps end at every corner. */
#include "block.h"

enum { POINTS, VALUES, OUTSIDE };
enum { HOLD = 1, EXTRAPOLATE };

/* The interval of increasing points that x is in: the last i with p[i] <= x, from 0 to n - 2. */
static int interval_of(const double *p, int n, double x) {
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (p[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The share of its interval that x is along; cut at the ends when values are held there. */
static double share_of(const double *p, int i, double x, bool hold) {
    const double share = (x - p[i]) / (p[i + 1] - p[i]);
    return hold ? sal__clamp(share, 0, 1) : share;
}

/* A wave of slope +-1 through 0 at each point, its sign changing from interval to interval. */
static double swing(const double *p, int n, double x) {
    const int i = interval_of(p, n, x);
    const double sign = i % 2 == 0 ? 1 : -1;
    if (x < p[0])
        return x - p[0];
    if (x > p[n - 1])
        return sign * (p[n - 1] - x);
    return sign * (x - p[i]) * (p[i + 1] - x) / (p[i + 1] - p[i]);
}

static double mix(double a, double b, double share) {
    return a + share * (b - a);
}

/* ---- one dimension ---- */

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *u = NULL, *p = sal__param(self, ctx, POINTS), *v = sal__param(self, ctx, VALUES);
    const sal_status status = sal_context_input(ctx, 0, &u);
    const int n = sal__param_size(self, POINTS);
    const bool hold = *sal__param(self, ctx, OUTSIDE) == HOLD;
    for (int i = 0; status == SAL_OK && i < self->outputs.item[port].size; i++) {
        const int k = interval_of(p, n, u[i]);
        y[i] = mix(v[k], v[k + 1], share_of(p, k, u[i], hold));
    }
    return status;
}

static sal_status witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    if (status == SAL_OK)
        *value = swing(sal__param(self, ctx, POINTS), sal__param_size(self, POINTS), u[event]);
    return status;
}

static void declare(sal__building *b) {
    const int n = sal__value_of(b, "points")->count;
    if (n < 2 || sal__value_of(b, "values")->count != n)
        sal__refuse(b, "option values must have as many numbers as points, two or more");
    sal__add_input(b, "input", sal__size(b));
    sal__add_output(b, "output", sal__size(b), true);
    if (sal__number(b, "watch") != 0)
        sal__add_witness(b, "at_point", SAL_NO_HANDLER, SAL_CROSSING, sal__size(b));
}

#define OUTSIDE_OPTION \
    { \
        .name = "outside", .type = SAL_A_CHOICE, .words = "hold extrapolate", .otherwise = HOLD, \
        .doc = "beyond the ends: the value there, or the last slope" \
    }

static const sal_block_option options[] = {
    {.name = "points", .type = SAL_A_LIST, .required = true, .rules = SAL_IS_INCREASING, .doc = "inputs, increasing"},
    {.name = "values", .type = SAL_A_LIST, .required = true, .doc = "outputs there"},
    OUTSIDE_OPTION,
    SAL_WATCH_OPTION,
    SAL_SIZE_OPTION,
    {0}};

static const sal_system_class class = {.name = "lookup_table", .output = output, .witness = witness};

const sal__block sal__block_lookup_table = {
    {.name = "lookup_table",
     .doc = "A function by points, linear between them; each element of the signal by itself.",
     .law = "output = values[k] + (values[k + 1] - values[k]) (input - points[k]) / (points[k + 1] - points[k])",
     .example = "saltus.blocks.lookup_table { points = { 0, 1, 3 }, values = { 0, 2, 1 } }",
     .options = options},
    &class,
    declare};

/* ---- two dimensions: input1 by rows, input2 by columns ---- */

enum { ROWS, COLUMNS, FIELD, BEYOND };

static sal_status two_inputs(const sal_context *ctx, double *x, double *y) {
    const double *u = NULL;
    sal_status status = sal_context_input(ctx, 0, &u);
    if (status != SAL_OK)
        return status;
    *x = *u;
    status = sal_context_input(ctx, 1, &u);
    *y = status == SAL_OK ? *u : 0;
    return status;
}

static sal_status field(const sal_system *self, const sal_context *ctx, int port, double *out) {
    (void)port;
    double x = 0, y = 0;
    const sal_status status = two_inputs(ctx, &x, &y);
    if (status != SAL_OK)
        return status;
    const double *p = sal__param(self, ctx, ROWS), *q = sal__param(self, ctx, COLUMNS);
    const int n = sal__param_size(self, ROWS), m = sal__param_size(self, COLUMNS);
    const int i = interval_of(p, n, x), k = interval_of(q, m, y);
    const bool hold = *sal__param(self, ctx, BEYOND) == HOLD;
    const double along = share_of(q, k, y, hold), *v = sal__param(self, ctx, FIELD) + i * m + k;
    *out = mix(mix(v[0], v[1], along), mix(v[m], v[m + 1], along), share_of(p, i, x, hold));
    return SAL_OK;
}

static sal_status field_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, event, &u);
    if (status == SAL_OK)
        *value = swing(sal__param(self, ctx, event == 0 ? ROWS : COLUMNS), sal__param_size(self, event), *u);
    return status;
}

static void declare_field(sal__building *b) {
    const int n = sal__value_of(b, "rows")->count, m = sal__value_of(b, "columns")->count;
    if (n < 2 || m < 2 || sal__value_of(b, "values")->count != n * m)
        sal__refuse(b, "option values must have a row for each of rows, with a number for each of columns");
    sal__add_inputs(b, 2, 1);
    sal__add_output(b, "output", 1, true);
    if (sal__number(b, "watch") == 0)
        return;
    sal__add_witness(b, "at_row", SAL_NO_HANDLER, SAL_CROSSING, 1);
    sal__add_witness(b, "at_column", SAL_NO_HANDLER, SAL_CROSSING, 1);
}

static const sal_block_option field_options[] = {
    {.name = "rows", .type = SAL_A_LIST, .required = true, .rules = SAL_IS_INCREASING, .doc = "points of input1"},
    {.name = "columns", .type = SAL_A_LIST, .required = true, .rules = SAL_IS_INCREASING, .doc = "points of input2"},
    {.name = "values", .type = SAL_A_MATRIX, .required = true, .doc = "a row for each of rows"},
    OUTSIDE_OPTION,
    SAL_WATCH_OPTION,
    {0}};

static const sal_system_class field_class = {.name = "lookup_table_2d", .output = field, .witness = field_witness};

const sal__block sal__block_lookup_table_2d = {
    {.name = "lookup_table_2d",
     .doc = "A function of two signals by points on a grid, bilinear between them.",
     .law = "output = values at (input1, input2), linear along rows and along columns",
     .example =
         "saltus.blocks.lookup_table_2d { rows = { 0, 1 }, columns = { 0, 2 }, values = { { 0, 1 }, { 2, 5 } } }",
     .options = field_options},
    &field_class,
    declare_field};

/* ---- a function of time: the number of points passed is a discrete state, each point a timed event ---- */

enum { TIMES, SAMPLES, BETWEEN };
enum { LINEAR = 1, STAIRS };

static sal_status over_time(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *p = sal__param(self, ctx, TIMES), *v = sal__param(self, ctx, SAMPLES);
    const int n = sal__param_size(self, TIMES), size = self->outputs.item[port].size;
    const int passed = (int)*sal_context_get(ctx, SAL_XD);
    const bool stairs = *sal__param(self, ctx, BETWEEN) == STAIRS;
    const int k = passed < 1 ? 0 : passed >= n && !stairs ? n - 2 : passed - 1;
    const double share = stairs ? 0 : share_of(p, k, sal_context_time(ctx), true);
    for (int i = 0; i < size; i++)
        y[i] = stairs ? v[k * size + i] : mix(v[k * size + i], v[(k + 1) * size + i], share);
    return SAL_OK;
}

static sal_status next_point(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    const int passed = (int)*sal_context_get(ctx, SAL_XD);
    const double now = sal_context_time(ctx);
    const double at = passed < sal__param_size(self, TIMES) ? sal__param(self, ctx, TIMES)[passed] : HUGE_VAL;
    *t = at > now ? at : now;
    return SAL_OK;
}

static sal_outcome pass(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)note;
    const double *p = sal__param(self, ctx, TIMES), now = sal_context_time(ctx);
    double *passed = sal_context_edit(next, SAL_XD);
    *passed += event->index != SAL__START;
    while (*passed < sal__param_size(self, TIMES) && p[(int)*passed] < now)
        *passed += 1;
    return SAL_SUCCEEDED;
}

static void declare_over_time(sal__building *b) {
    const int n = sal__value_of(b, "times")->count, count = sal__value_of(b, "values")->count;
    if (n < 2 || count % n != 0)
        sal__refuse(b, "option values must have a number, or a row, for each of times, two or more");
    sal__add_numbers(b, SAL_XD, "passed", 1, 0);
    sal__add_output(b, "output", count / n, false);
    sal__add_start(b, SAL_DISCRETE);
    sal__add_timed(b, "point", SAL_DISCRETE, -1);
}

static const sal_block_option time_options[] = {
    {.name = "times",
     .type = SAL_A_LIST,
     .required = true,
     .rules = SAL_IS_INCREASING,
     .unit = "s",
     .doc = "when, increasing"},
    {.name = "values", .type = SAL_A_MATRIX, .required = true, .doc = "what, a number or a row for each time"},
    {.name = "between",
     .type = SAL_A_CHOICE,
     .words = "linear stairs",
     .otherwise = LINEAR,
     .doc = "stairs: the value holds until the next time"},
    {0}};

static const sal_system_class time_class = {
    .name = "time_table", .output = over_time, .next_time = next_point, .update = pass};

const sal__block sal__block_time_table = {
    {.name = "time_table",
     .doc = "A source by points in time, linear between them or in stairs; before and after, the first and last value.",
     .law = "output = values[k] + (values[k + 1] - values[k]) (t - times[k]) / (times[k + 1] - times[k])",
     .drake = "TrajectorySource",
     .example = "saltus.blocks.time_table { times = { 0, 1, 2 }, values = { 0, 5, 5 } }",
     .options = time_options},
    &time_class,
    declare_over_time};
