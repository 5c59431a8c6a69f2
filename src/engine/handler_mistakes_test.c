/* Mistakes in functions of a model: what they read that is not there, what they may not write, what they return. Each
 * fails, and the report names the system by its path, the function, the thing and the remedy. Only public headers are
 * used. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/saltus.h"

/* ---- a tank whose functions do what the present mistake says ---- */

typedef struct mistake {
    sal_status (*read)(const sal_context *ctx); /* what the function `in` reads */
    sal_outcome (*handle)(const sal_context *ctx, sal_context *next, sal_note *note);
    const char *in;
    sal_kind kind; /* of the event "tick" */
    sal_status status;
    const char *words[4];
} mistake;

static const mistake *now;
static sal_simulator *sim;

static sal_status read_in(const char *function, const sal_context *ctx) {
    return now->read && strcmp(now->in, function) == 0 ? now->read(ctx) : SAL_OK;
}

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *u = NULL;
    dot->z[0] = -1;
    if (strcmp(now->in, "output") == 0 && !now->handle)
        return sal_context_output(ctx, 0, &u);
    return read_in("derivatives", ctx);
}

static sal_status flow(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)port;
    *value = 1;
    return read_in("output", ctx);
}

static sal_status full(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = 1;
    return read_in("witness", ctx);
}

static sal_status is_open(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    *active = true;
    return read_in("when", ctx);
}

static sal_status wakes(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)self, (void)event;
    *t = INFINITY;
    return read_in("next_time", ctx);
}

static sal_status is_low(const sal_system *self, const sal_context *ctx, int event, bool *holds) {
    (void)self, (void)event;
    *holds = false;
    return read_in("holds", ctx);
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)self, (void)event;
    if (now->handle)
        return now->handle(ctx, next, note);
    return read_in("update", ctx) == SAL_OK ? SAL_SUCCEEDED : SAL_FAILED;
}

static sal_outcome publish(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note) {
    return update(self, ctx, event, NULL, note);
}

static const sal_system_class tank_class = {.name = "tank",
                                            .derivatives = rates,
                                            .output = flow,
                                            .witness = full,
                                            .when = is_open,
                                            .next_time = wakes,
                                            .holds = is_low,
                                            .update = update,
                                            .publish = publish};

static sal_status make_heap(const sal_system *self, int slot, void **out) {
    static int heap;
    (void)self, (void)slot;
    *out = &heap;
    return SAL_OK;
}
static sal_status clone_heap(const void *from, void **out) {
    *out = (void *)(uintptr_t)from;
    return SAL_OK;
}
static sal_status assign_heap(void *to, const void *from) {
    (void)to, (void)from;
    return SAL_OK;
}
static void drop_heap(void *value) {
    (void)value;
}
static const sal_slot_type heap_type = {
    .make = make_heap, .clone = clone_heap, .assign = assign_heap, .drop = drop_heap};

static void add_event(sal_system *sys, const char *name, sal_trigger trigger, sal_kind kind) {
    sal_event_config e = sal_event_config_default();
    e.name = name, e.trigger = trigger, e.kind = kind;
    e.period = 0.25;
    e.offset = 0.25;
    e.guarded = trigger == SAL_ON_PERIOD;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
}

static sal_system *tank(void) {
    const int none = 0;
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &tank_class, "tank", NULL, &sys) == SAL_OK);
    sal_system_add_values(sys, SAL_Z, "level", 1, (double[]){10});
    sal_system_add_values(sys, SAL_XD, "open", 1, NULL);
    sal_system_add_values(sys, SAL_PARAM, "area", 3, NULL);
    sal_system_add_values(sys, SAL_INPUT, "inflow", 1, (double[]){sal_no_value()});
    sal_system_add_output(sys, "flow", 1, NULL);
    sal_system_set_dependencies(sys, 0, &none, 0, NULL, 0);
    sal_system_add_past(sys, "level", 2, NULL);
    sal_system_add_slot(sys, "heap", &heap_type, NULL);
    add_event(sys, "tick", SAL_ON_PERIOD, now->kind ? now->kind : SAL_DISCRETE);
    add_event(sys, "full", SAL_ON_WITNESS, SAL_NO_HANDLER);
    add_event(sys, "wake", SAL_ON_TIME, SAL_NO_HANDLER);
    add_event(sys, "low", SAL_ON_CHANGE, SAL_NO_HANDLER);
    return sys;
}

/* ---- reads ---- */

static sal_status read_input_3(const sal_context *ctx) {
    const double *u = NULL;
    return sal_context_input(ctx, 3, &u);
}

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

static sal_status invent(const sal_context *ctx) {
    (void)ctx;
    return SAL_EINVAL;
}

/* ---- handlers ---- */

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

/* ---- what each report must say ---- */

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
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static bool says_all(const char *sentence, const mistake *m) {
    for (int k = 0; k < 4; k++)
        if (m->words[k] && !strstr(sentence, m->words[k]))
            return false;
    return true;
}

static void make_plant(sal_system **plant, sal_system **part) {
    *part = tank();
    CHECK(sal_diagram_new(NULL, "plant", plant) == SAL_OK);
    CHECK(sal_diagram_add(*plant, *part, "left", NULL) == SAL_OK);
    CHECK(sal_diagram_add(*plant, *part, "right", NULL) == SAL_OK);
    sal_note note = {.text = ""};
    CHECK(sal_system_build(*plant, &note) == SAL_OK);
    CHECK(sal_simulator_new(NULL, *plant, NULL, NULL, &sim) == SAL_OK);
}

static void each_is_reported(void) {
    for (int i = 0; i < MISTAKES; i++) {
        sal_system *plant = NULL, *part = NULL;
        char text[512];
        sal_report report;
        now = &mistakes[i];
        make_plant(&plant, &part);
        CHECK(sal_simulator_advance_to(sim, 1, &report) == now->status && report.status == now->status);
        sal_report_text(sim, &report, text, sizeof text);
        CHECK(says_all(text, now) && strlen(text) < 300);
        if (!says_all(text, now) || getenv("SALTUS_SHOW"))
            printf("%d (%d): %s\n", i, report.status, text);
        const sal_context *left = sal_context_part_const(sal_simulator_context(sim), 0),
                          *right = sal_context_part_const(sal_simulator_context(sim), 1);
        CHECK(sal_context_get(left, SAL_XD)[0] == 0 && sal_context_get(right, SAL_XD)[0] == 0);
        CHECK(sal_context_random_count(left) == 0);
        CHECK(sal_context_get(left, SAL_PARAM)[2] == 0 && sal_context_get(left, SAL_Z)[0] > 9);
        sal_simulator_free(sim);
        sal_system_free(plant);
        sal_system_free(part);
    }
}

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
    each_is_reported();
    dropped_writes_are_a_warning();
    return check_summary();
}
