/* A source given by points in time. The number of points passed is a discrete state, and each point is a timed
 * event: no step crosses a point. */
#include "block.h"

enum { TIMES, SAMPLES, BETWEEN };
enum { LINEAR = 1, STAIRS };

static sal_status over_time(const sal_system *self, const sal_context *ctx, int port, double *y) {
    const double *p = sal__param(self, ctx, TIMES), *v = sal__param(self, ctx, SAMPLES);
    const int n = sal__param_size(self, TIMES), size = self->outputs.item[port].size;
    const int passed = sal__index(*sal__get(ctx, SAL_XD), n + 1);
    const bool stairs = *sal__param(self, ctx, BETWEEN) == STAIRS;
    const bool ends = passed < 1 || passed >= n;
    const int k = passed < 1 ? 0 : passed - 1;
    const double share = stairs || ends ? 0 : (sal_context_time(ctx) - p[k]) / (p[k + 1] - p[k]);
    for (int i = 0; i < size; i++) {
        const double from = v[k * size + i];
        y[i] = share == 0 ? from : from + share * (v[(k + 1) * size + i] - from);
    }
    return SAL_OK;
}

static sal_status next_point(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)event;
    const int n = sal__param_size(self, TIMES), passed = sal__index(*sal__get(ctx, SAL_XD), n + 1);
    const double now = sal_context_time(ctx);
    const double at = passed < n ? sal__param(self, ctx, TIMES)[passed] : HUGE_VAL;
    *t = at > now ? at : now;
    return SAL_OK;
}

static sal_outcome pass(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)note;
    const double *p = sal__param(self, ctx, TIMES), now = sal_context_time(ctx);
    const int n = sal__param_size(self, TIMES);
    double *to = sal_context_edit(next, SAL_XD);
    int passed = sal__index(*to, n + 1) + (event->index != SAL__START);
    while (passed < n && p[passed] < now)
        passed++;
    *to = passed;
    return SAL_SUCCEEDED;
}

static void declare_over_time(sal__block_builder *b) {
    const int n = sal__value_of(b, "times")->count, count = sal__value_of(b, "values")->count;
    if (n < 2 || count % n != 0)
        sal__refuse(b, "option values must have a number, or a row, for each of times, two or more");
    sal__add_numbers(b, SAL_XD, "passed", 1, 0);
    sal__add_output(b, "output", count / n, false);
    sal__add_start(b, SAL_DISCRETE);
    sal__add_timed(b, "point", SAL_DISCRETE, -1);
}

SAL_BLOCK(
    time_table,
    SAL_OPTIONS(SAL_OPTION(LIST, "times", "times, increasing; a step block adds a jump", .unit = "s", .required = true,
                           .rules = SAL_IS_INCREASING),
                SAL_OPTION(MATRIX, "values", "values, a number or a row for each time", .required = true),
                SAL_OPTION(CHOICE, "between", "stairs: the value is constant until the next time",
                           .words = "linear stairs", .default_value = LINEAR)),
    declare_over_time, SAL_FUNCTIONS(.output = over_time, .next_time = next_point, .update = pass),
    .doc = "A source given by points in time, linear or constant between them; before and after, the first and last "
           "value.",
    .law = "output = values[k] + (values[k + 1] - values[k]) (t - times[k]) / (times[k + 1] - times[k])",
    .drake = "TrajectorySource", .example = "saltus.blocks.time_table { times = { 0, 1, 2 }, values = { 0, 5, 5 } }");
