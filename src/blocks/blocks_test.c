/* Each block alone, then a loop of them in a diagram. */
#include "saltus/blocks.h"

#include <math.h>

#include "../base/check.h"
#include "saltus/diagram.h"

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

    /* What a block was told is a parameter: changed there, seen everywhere. */
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

int main(void) {
    sine_follows_time();
    error_times_gain();
    sum_refuses_other_signs();
    return check_summary();
}
