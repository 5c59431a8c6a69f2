/* What functions of a model read that is not there. */
#include "test_callback_mistakes.h"

static sal_status read_unset_input(const sal_context *ctx) {
    const double *u = NULL;
    return sal_context_input(ctx, 0, &u);
}

static sal_status read_output_of_wrong_name(const sal_context *ctx) {
    const double *u = NULL;
    return sal_context_output(ctx, -1, &u);
}

static sal_status read_flow(const sal_context *ctx) {
    const double *u = NULL;
    return sal_context_output(ctx, 0, &u);
}

static sal_status read_long_ago(const sal_context *ctx) {
    double value = 0;
    return sal_context_past(ctx, 0, 5, &value);
}

static sal_status read_long_ago_later(const sal_context *ctx) {
    return sal_context_time(ctx) > 0.5 ? read_long_ago(ctx) : SAL_OK;
}

static sal_status read_future(const sal_context *ctx) {
    double value = 0;
    return sal_context_past(ctx, 0, -1.5, &value);
}

static sal_status read_never(const sal_context *ctx) {
    double value = 0;
    return sal_context_past(ctx, 0, NAN, &value);
}

static sal_status read_past_4(const sal_context *ctx) {
    double value = 0;
    return sal_context_past_rate(ctx, 4, 1, &value);
}

static const mistake mistakes[] = {
    {read_input_3,
     NULL,
     "derivatives",
     0,
     SAL_EINVAL,
     {"derivatives of \"left\" reads input 3", "has 1", "sal_system_find_input"}},
    {read_input_3,
     NULL,
     "output",
     0,
     SAL_EINVAL,
     {"output \"flow\" of \"left\" reads input 3", "sal_system_find_input"}},
    {read_input_3, NULL, "witness", 0, SAL_EINVAL, {"witness of \"left\" reads input 3", "full of left"}},
    {read_input_3, NULL, "when", 0, SAL_EINVAL, {"when of \"left\" reads input 3", "tick of left", "at t = 0.25"}},
    {read_input_3, NULL, "next_time", 0, SAL_EINVAL, {"next_time of \"left\" reads input 3", "wake of left"}},
    {read_input_3, NULL, "holds", 0, SAL_EINVAL, {"holds of \"left\" reads input 3", "low of left"}},
    {read_input_3,
     NULL,
     "update",
     0,
     SAL_EHANDLER,
     {"handler of \"left\" reads input 3", "tick of left", "at t = 0.25"}},
    {read_input_3, NULL, "update", SAL_PUBLISH, SAL_EHANDLER, {"handler of \"left\" reads input 3", "tick of left"}},
    {read_unset_input,
     NULL,
     "derivatives",
     0,
     SAL_EINPUT,
     {"input \"inflow\" of \"left\", which derivatives reads", "connect it"}},
    {read_unset_input,
     NULL,
     "output",
     0,
     SAL_EINPUT,
     {"input \"inflow\" of \"left\", which output \"flow\" reads", "connect it"}},
    {read_unset_input,
     NULL,
     "update",
     0,
     SAL_EHANDLER,
     {"input \"inflow\" of \"left\", which the handler reads", "connect it"}},
    {read_output_of_wrong_name,
     NULL,
     "witness",
     0,
     SAL_EINVAL,
     {"witness of \"left\" reads output -1", "sal_system_find_output"}},
    {read_flow, NULL, "output", 0, SAL_ELOOP, {"output \"flow\" of \"left\" needs itself", "put a state"}},
    {read_long_ago,
     NULL,
     "derivatives",
     0,
     SAL_ETIME,
     {"derivatives of \"left\" reads \"level\" at t = -5, 5 s ago", "2 s deep", "greater depth"}},
    {read_long_ago_later,
     NULL,
     "derivatives",
     0,
     SAL_ETIME,
     {"\"level\" at t = -4.5", "2 s deep", "in left at t = 0.5)"}},
    {read_long_ago, NULL, "output", 0, SAL_ETIME, {"output \"flow\" of \"left\" reads \"level\"", "2 s deep"}},
    {read_long_ago, NULL, "update", 0, SAL_EHANDLER, {"handler of \"left\" reads \"level\" at t = -4.75", "2 s deep"}},
    {read_future, NULL, "derivatives", 0, SAL_ETIME, {"\"level\"", "1.5 s in the future", "lag of 0 or more"}},
    {read_never, NULL, "update", 0, SAL_EHANDLER, {"\"level\" at t = NaN", "the lag that it computes"}},
    {read_past_4, NULL, "witness", 0, SAL_EINVAL, {"witness of \"left\" reads past 4", "has 1", "sal_system_add_past"}},
    {invent, NULL, "derivatives", 0, SAL_EINVAL, {"a function of the model returned \"an argument", "in left"}},
};

int main(void) {
    each_is_reported(sizeof mistakes / sizeof *mistakes, mistakes);
    return check_summary();
}
