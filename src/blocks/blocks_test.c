/* Each block alone, then a loop of them in a diagram. */
#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/saltus.h"

static double output_of(sal_context *ctx, int part, int element) {
    const double *y = NULL;
    CHECK(sal_context_output(sal_context_part_const(ctx, part), 0, &y) == SAL_OK);
    return y ? y[element] : NAN;
}

static void sine_follows_time(void) {
    sal_system *sine = NULL;
    sal_context *ctx = NULL;
    CHECK(sal_block_sine(NULL, "sine", 2, 3, 0.5, &sine) == SAL_OK);
    CHECK(sal_context_new(NULL, sine, &ctx) == SAL_OK);
    CHECK(output_of(ctx, 0, 0) == 2 * sin(0.5));
    sal_context_set_time(ctx, 0.7);
    CHECK_NEAR(output_of(ctx, 0, 0), 2 * sin(3 * 0.7 + 0.5), 1e-15);
    sal_context_free(ctx);
    sal_system_free(sine);
}

static void error_times_gain(void) {
    const double two[2] = {2, -1}, half[2] = {0.5, 4};
    sal_system *target = NULL, *measured = NULL, *sum = NULL, *gain = NULL, *loop = NULL;
    CHECK(sal_block_constant(NULL, "target", 2, two, &target) == SAL_OK);
    CHECK(sal_block_constant(NULL, "measured", 2, half, &measured) == SAL_OK);
    CHECK(sal_block_sum(NULL, "error", 2, "+-", &sum) == SAL_OK);
    CHECK(sal_block_gain(NULL, "gain", 2, 3, &gain) == SAL_OK);

    int a, b, e, g;
    CHECK(sal_diagram_new(NULL, "loop", &loop) == SAL_OK);
    CHECK(sal_diagram_add(loop, target, "target", &a) == SAL_OK);
    CHECK(sal_diagram_add(loop, measured, "measured", &b) == SAL_OK);
    CHECK(sal_diagram_add(loop, sum, "error", &e) == SAL_OK);
    CHECK(sal_diagram_add(loop, gain, "gain", &g) == SAL_OK);
    CHECK(sal_diagram_connect(loop, a, 0, e, 0) == SAL_OK);
    CHECK(sal_diagram_connect(loop, b, 0, e, 1) == SAL_OK);
    CHECK(sal_diagram_connect(loop, e, 0, g, 0) == SAL_OK);

    sal_context *ctx = NULL;
    CHECK(sal_context_new(NULL, loop, &ctx) == SAL_OK);
    CHECK(output_of(ctx, g, 0) == 3 * (2 - 0.5));
    CHECK(output_of(ctx, g, 1) == 3 * (-1.0 - 4));

    /* Options of a block are parameters: changes to them affect all readers. */
    *sal_context_edit(sal_context_part(ctx, g), SAL_PARAM) = -1;
    CHECK(output_of(ctx, g, 0) == -1.5);

    sal_context_free(ctx);
    sal_system_free(loop);
    sal_system_free(gain);
    sal_system_free(sum);
    sal_system_free(measured);
    sal_system_free(target);
}

static void sum_refuses_other_signs(void) {
    sal_system *sum = NULL;
    CHECK(sal_block_sum(NULL, "sum", 1, "", &sum) == SAL_EINVAL);
    CHECK(sal_block_sum(NULL, "sum", 1, NULL, &sum) == SAL_EINVAL);
    CHECK(sal_block_sum(NULL, "sum", 1, "+*", &sum) == SAL_EINVAL);
    CHECK(sal_block_gain(NULL, "gain", 0, 1, &sum) == SAL_EINVAL);
    CHECK(sum == NULL);
}

static int asked;

static sal_status count_output(const sal_system *self, const sal_context *ctx, int port, double *y) {
    (void)self, (void)port;
    asked++;
    *y = *sal_context_get(ctx, SAL_PARAM) + *sal_context_get(ctx, SAL_XD);
    return SAL_OK;
}

static sal_outcome count_on(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                            sal_note *note) {
    (void)self, (void)event, (void)note;
    *sal_context_edit(next, SAL_XD) = *sal_context_get(ctx, SAL_XD) + 1;
    return SAL_SUCCEEDED;
}

/* p + n, where n counts the tenths of a second. */
static sal_system *new_counting(void) {
    static const sal_system_class class = {.name = "counting", .output = count_output, .update = count_on};
    sal_system *sys = NULL;
    sal_event_config tick = sal_event_config_default();
    tick.name = "tick";
    tick.trigger = SAL_ON_PERIOD;
    tick.kind = SAL_DISCRETE;
    tick.period = 0.1;
    CHECK(sal_system_new(NULL, &class, "counting", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_PARAM, "p", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "n", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_output(sys, "y", 1, NULL) == SAL_OK);
    CHECK(sal_system_set_dependencies(sys, 0, NULL, 0, NULL, 0) == SAL_OK);
    CHECK(sal_system_set_time_invariant(sys, 0) == SAL_OK);
    CHECK(sal_system_set_time_invariant(sys, 1) == SAL_EINVAL);
    CHECK(sal_system_add_event(sys, &tick, NULL) == SAL_OK);
    return sys;
}

/* A time-invariant output is computed only after a write; a block fed by time is not time-invariant. */
static void still_outputs_stay(void) {
    sal_system *counting = new_counting(), *sine = NULL, *sum = NULL, *gain = NULL, *area = NULL, *d = NULL;
    CHECK(sal_block_sine(NULL, "sine", 1, 1, 0, &sine) == SAL_OK);
    CHECK(sal_block_sum(NULL, "sum", 1, "++", &sum) == SAL_OK);
    CHECK(sal_block_gain(NULL, "gain", 1, 2, &gain) == SAL_OK);
    CHECK(sal_block_new(NULL, "integral", "area", NULL, 0, NULL, &area) == SAL_OK);
    CHECK(sal_diagram_new(NULL, "d", &d) == SAL_OK);
    sal_system *const part[] = {counting, sine, sum, gain, area};
    for (int i = 0; i < 5; i++)
        CHECK(sal_diagram_add(d, part[i], sal_system_name(part[i]), NULL) == SAL_OK);
    CHECK(sal_diagram_connect(d, 0, 0, 2, 0) == SAL_OK);
    CHECK(sal_diagram_connect(d, 1, 0, 2, 1) == SAL_OK);
    CHECK(sal_diagram_connect(d, 0, 0, 3, 0) == SAL_OK);
    CHECK(sal_diagram_connect(d, 3, 0, 4, 0) == SAL_OK);

    sal_simulator *sim = NULL;
    sal_report report;
    CHECK(sal_simulator_new(NULL, d, NULL, NULL, &sim) == SAL_OK);
    sal_context *ctx = sal_simulator_context(sim);
    asked = 0;
    for (int i = 0; i < 4; i++) {
        sal_context_set_time(ctx, 0.1 * i);
        CHECK(output_of(ctx, 3, 0) == 0);
        CHECK(output_of(ctx, 2, 0) == sin(0.1 * i));
    }
    CHECK(asked == 1);
    *sal_context_edit(sal_context_part(ctx, 0), SAL_PARAM) = 5;
    CHECK(output_of(ctx, 3, 0) == 10);
    CHECK(asked == 2);

    sal_context_set_time(ctx, 0);
    CHECK(sal_simulator_initialize(sim, false, &report) == SAL_OK);
    asked = 0;
    CHECK(sal_simulator_advance_to(sim, 0.95, &report) == SAL_OK);
    CHECK(asked <= 11); /* ten ticks, whatever the number of stages */
    CHECK(output_of(ctx, 3, 0) == 2 * (5 + 10));
    double wanted = 0;
    for (int n = 1; n <= 10; n++)
        wanted += 2 * (5 + n) * (n < 10 ? 0.1 : 0.05);
    CHECK_NEAR(output_of(ctx, 4, 0), wanted, 1e-12);
    sal_simulator_free(sim);
    sal_system_free(d);
    for (int i = 0; i < 5; i++)
        sal_system_free(part[i]);
}

/* A sampling block with an input that is not connected: the report names the problem. */
static void unfed_memories_say_so(void) {
    const double some = 0.1;
    const struct {
        const char *kind, *option;
    } blocks[] = {{"zero_order_hold", "period"}, {"quantizer", "interval"}, {"pid", "kd"}, {"counter", NULL}};
    for (int i = 0; i < 4; i++) {
        const sal_block_value told = {.option = blocks[i].option, .numbers = &some, .count = 1};
        sal_system *block = NULL;
        sal_simulator *sim = NULL;
        sal_report report = {0};
        CHECK(sal_block_new(NULL, blocks[i].kind, "alone", &told, told.option != NULL, NULL, &block) == SAL_OK);
        CHECK(sal_simulator_new(NULL, block, NULL, NULL, &sim) == SAL_OK);
        CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_EHANDLER);
        CHECK(strstr(report.note.text, "the input \"") &&
              strstr(report.note.text, "\" of \"alone\", which the handler reads, "
                                       "is not connected and has no value"));
        sal_simulator_free(sim);
        sal_system_free(block);
    }
}

int main(void) {
    still_outputs_stay();
    sine_follows_time();
    error_times_gain();
    sum_refuses_other_signs();
    unfed_memories_say_so();
    return check_summary();
}
