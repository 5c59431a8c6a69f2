/* What functions of a model may not write, and what handlers return. */
#include "test_callback_mistakes.h"

static sal_outcome read_with_a_note(const sal_context *ctx, sal_context *next, sal_note *note) {
    const double *u = NULL;
    (void)next;
    if (sal_context_output(ctx, 0, &u) == SAL_OK)
        return SAL_SUCCEEDED;
    sal_note_set(note, "cannot see how much flows");
    return SAL_FAILED;
}

static sal_outcome fail_without_a_reason(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)next, (void)note;
    return SAL_FAILED;
}

static sal_outcome write_state(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)note;
    sal_context_edit(next, SAL_Z)[0] = 3;
    return SAL_SUCCEEDED;
}

static sal_outcome write_parameters(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)note;
    for (int i = 0; i < 3; i++)
        sal_context_edit(next, SAL_PARAM)[i] = 3;
    return SAL_SUCCEEDED;
}

static sal_outcome write_input(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)note;
    sal_context_edit(next, SAL_INPUT)[0] = 3;
    return SAL_SUCCEEDED;
}

static sal_outcome write_other_part(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)note;
    sal_context_edit(sal_context_part(next, 1 - sal_context_part_index(ctx)), SAL_XD)[0] = 3;
    return SAL_SUCCEEDED;
}

static sal_outcome write_slot(const sal_context *ctx, sal_context *next, sal_note *note) {
    void *heap = NULL;
    (void)ctx, (void)note;
    return sal_context_edit_slot(next, 0, &heap) == SAL_OK ? SAL_SUCCEEDED : SAL_FAILED;
}

static sal_outcome write_time(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)note;
    sal_context_set_time(next, sal_context_time(ctx) + 1);
    return SAL_SUCCEEDED;
}

static sal_outcome write_seed(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)note;
    sal_context_seed(next, 7);
    return SAL_SUCCEEDED;
}

static sal_outcome write_nowhere(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)note;
    sal_context_edit(next, (sal_partition)77)[0] = 3;
    return SAL_SUCCEEDED;
}

/* Through the simulator, which lends a context without const. */
static sal_outcome write_to_run(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)next, (void)note;
    sal_context_edit(sal_simulator_context(sim), SAL_XD)[0] = 3;
    return SAL_SUCCEEDED;
}

static sal_status write_to_run_too(const sal_context *ctx) {
    (void)ctx;
    sal_context_edit(sal_simulator_context(sim), SAL_Z)[0] = 3;
    return SAL_OK;
}

static sal_status schedule_in_run(const sal_context *ctx) {
    return sal_simulator_schedule(sim, sal_context_part_index(ctx), 0, 9, NULL);
}

static sal_status draw_in_run(const sal_context *ctx) {
    (void)ctx;
    return isnan(sal_context_random_exponential(sal_simulator_context(sim), 1)) ? SAL_OK : SAL_ENOMEM;
}

static sal_outcome draw_of_other_part(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)note;
    sal_context_random(next);
    sal_context_random(sal_context_part(next, 1 - sal_context_part_index(ctx)));
    return SAL_SUCCEEDED;
}

static sal_outcome return_status(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)next, (void)note;
    return (sal_outcome)SAL_EINVAL;
}

static sal_outcome return_nonsense(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)next, (void)note;
    return (sal_outcome)17;
}

static const mistake mistakes[] = {
    {invent,
     read_with_a_note,
     "output",
     0,
     SAL_EHANDLER,
     {"cannot see how much flows; output \"flow\" of \"left\" failed: an argument", "tick of left"}},
    {read_input_3,
     read_with_a_note,
     "output",
     0,
     SAL_EHANDLER,
     {"cannot see how much flows; output \"flow\" of \"left\" reads input 3"}},
    {NULL, fail_without_a_reason, "", 0, SAL_EHANDLER, {"gives no reason", "tick of left", "t = 0.25"}},
    {NULL,
     write_state,
     "",
     SAL_DISCRETE,
     SAL_EHANDLER,
     {"discrete update writes z (SAL_Z) of \"left\"", "SAL_XD) only", "SAL_UNRESTRICTED", "tick of left"}},
    {NULL,
     write_parameters,
     "",
     SAL_DISCRETE,
     SAL_EHANDLER,
     {"parameters (SAL_PARAM) of \"left\"", "SAL_UNRESTRICTED"}},
    {NULL, write_slot, "", SAL_DISCRETE, SAL_EHANDLER, {"writes a slot of \"left\"", "SAL_UNRESTRICTED"}},
    {NULL, write_input, "", SAL_DISCRETE, SAL_EHANDLER, {"inputs (SAL_INPUT) of \"left\"", "no update may"}},
    {NULL, write_input, "", SAL_UNRESTRICTED, SAL_EHANDLER, {"inputs (SAL_INPUT) of \"left\"", "no update may"}},
    {NULL,
     write_other_part,
     "",
     SAL_UNRESTRICTED,
     SAL_EHANDLER,
     {"(SAL_XD) of \"right\"", "its own part only", "tick of left"}},
    {NULL, write_time, "", SAL_UNRESTRICTED, SAL_EHANDLER, {"writes the time of \"left\"", "no update may"}},
    {NULL, write_seed, "", SAL_UNRESTRICTED, SAL_EHANDLER, {"writes the seed of \"left\"", "no update may"}},
    {NULL, write_nowhere, "", SAL_UNRESTRICTED, SAL_EHANDLER, {"a partition that does not exist"}},
    {NULL,
     write_to_run,
     "",
     SAL_PUBLISH,
     SAL_EHANDLER,
     {"handler writes discrete values (SAL_XD) of \"left\"", "only an update may", "tick of left"}},
    {NULL,
     write_to_run,
     "",
     SAL_UNRESTRICTED,
     SAL_EHANDLER,
     {"to the context of the run", "only to the `next`", "tick of left"}},
    {write_to_run_too,
     NULL,
     "derivatives",
     0,
     SAL_EINVAL,
     {"writes z (SAL_Z) of \"left\"", "to the context of the run"}},
    {schedule_in_run,
     NULL,
     "derivatives",
     0,
     SAL_ESTATE,
     {"not possible inside of the run", "saltus/simulator.h", "after the run's call has ended", "in left at t = 0"}},
    {draw_in_run,
     NULL,
     "derivatives",
     0,
     SAL_EINVAL,
     {"writes the random stream of \"left\"", "to the context of the run"}},
    {NULL,
     draw_of_other_part,
     "",
     SAL_DISCRETE,
     SAL_EHANDLER,
     {"writes the random stream of \"right\"", "its own part only", "tick of left"}},
    {NULL,
     return_status,
     "",
     SAL_UNRESTRICTED,
     SAL_EHANDLER,
     {"returned -2", "not a sal_outcome", "\"an argument is out of its range\"", "SAL_SUCCEEDED"}},
    {NULL, return_nonsense, "", SAL_PUBLISH, SAL_EHANDLER, {"returned 17", "not a sal_outcome", "SAL_SUCCEEDED"}},
};

/* What is written is dropped, as documented; the run goes on, and says so once. */
static sal_outcome write_and_deny(const sal_context *ctx, sal_context *next, sal_note *note) {
    (void)ctx, (void)note;
    sal_context_edit(next, SAL_XD)[0] = 3;
    return (sal_outcome)SAL_OK;
}

static void dropped_writes_are_a_warning(void) {
    static const mistake ok_is_no_outcome = {.in = "", .handle = write_and_deny};
    sal_system *plant = NULL, *part = NULL;
    const sal_warning *warning = NULL;
    char text[512];
    now = &ok_is_no_outcome;
    make_plant(&plant, &part);
    CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
    CHECK(sal_simulator_warnings(sim, &warning) == 2);
    sal_warning_text(sim, warning, text, sizeof text);
    CHECK(strstr(text, "tick of left writes to next") && strstr(text, "return SAL_SUCCEEDED"));
    sal_simulator_free(sim);
    sal_system_free(plant);
    sal_system_free(part);
}

int main(void) {
    each_is_reported(sizeof mistakes / sizeof *mistakes, mistakes);
    dropped_writes_are_a_warning();
    return check_summary();
}
