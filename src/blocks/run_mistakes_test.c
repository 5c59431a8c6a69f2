/* Mistakes with a run: its values, time, saves, events, feeds, watches and recorders. */
#include <math.h>

#include "test_mistakes.h"

/* ---- a tank, and what is made of it ---- */

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = -sal_context_get(ctx, SAL_Z)[0];
    return SAL_OK;
}

static sal_status flow(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)port;
    *value = 2 * sal_context_get(ctx, SAL_Z)[0];
    return SAL_OK;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *why) {
    (void)self, (void)ctx, (void)event, (void)next, (void)why;
    return SAL_SUCCEEDED;
}

static const sal_system_class tank_class = {.name = "tank", .derivatives = rates, .output = flow, .update = update};

static void add_event(sal_system *sys, const char *name, sal_trigger trigger) {
    sal_event_config e = sal_event_config_default();
    e.name = name, e.trigger = trigger, e.kind = SAL_DISCRETE, e.period = 0.5;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
}

static sal_system *tank_with(const char *state) {
    const char *const words[] = {"shut", "open"};
    sal_system *sys = NULL;
    sal_system_new(NULL, &tank_class, "tank", NULL, &sys);
    sal_system_add_values(sys, SAL_Z, state, 1, (double[]){1});
    sal_system_add_values(sys, SAL_XD, "valve", 1, NULL);
    sal_system_set_modes(sys, "valve", words, 2);
    sal_system_add_values(sys, SAL_INPUT, "inflow", 1, NULL);
    sal_system_add_output(sys, "flow", 1, NULL);
    add_event(sys, "kick", SAL_ON_DEMAND);
    add_event(sys, "tick", SAL_ON_PERIOD);
    return keep(sys);
}

static sal_system *tank(void) {
    return tank_with("level");
}

static sal_simulator *running(void) {
    CHECK(sal_simulator_new(NULL, tank(), NULL, NULL, &sim) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
    return sim;
}

static sal_simulator *another(sal_system *sys) {
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &other) == SAL_OK);
    return other;
}

static const char *refused(void) {
    return sal_simulator_trouble(sim);
}

/* ---- values by path ---- */

static const char *set_nan(sal_status *s) {
    *s = sal_simulator_set_value(running(), "level", NAN);
    return refused();
}
static const char *set_output(sal_status *s) {
    *s = sal_simulator_set_value(running(), "flow", 1);
    return refused();
}
static const char *path_null(sal_status *s) {
    double v = 0;
    *s = sal_simulator_value(running(), NULL, &v);
    return refused();
}
static const char *element_of_one(sal_status *s) {
    double v = 0;
    *s = sal_simulator_value(running(), "level[7]", &v);
    return refused();
}
static const char *mode_of_a_number(sal_status *s) {
    const char *w = NULL;
    *s = sal_simulator_mode(running(), "level", &w);
    return refused();
}
static const char *mode_word_unknown(sal_status *s) {
    *s = sal_simulator_set_mode(running(), "valve", "opne");
    return refused();
}
static const char *mode_number_unknown(sal_status *s) {
    *s = sal_simulator_set_value(running(), "valve", 3);
    return refused();
}

/* ---- time ---- */

static const char *time_changed(sal_status *s) {
    sal_context_set_time(sal_simulator_context(running()), 5);
    *s = sal_simulator_advance_to(sim, 6, &report);
    return reported();
}
static const char *time_infinite(sal_status *s) {
    sim = NULL;
    CHECK(sal_simulator_new(NULL, tank(), NULL, NULL, &sim) == SAL_OK);
    sal_context_set_time(sal_simulator_context(sim), INFINITY);
    *s = sal_simulator_advance_to(sim, INFINITY, &report);
    return reported();
}
static const char *step_back(sal_status *s) {
    *s = sal_simulator_step(running(), 0, &report);
    return reported();
}
static const char *frame_of_nan(sal_status *s) {
    *s = sal_simulator_advance_frame(running(), NAN, 0.01, 4, NULL, &report);
    return reported();
}
static const char *frame_without_step(sal_status *s) {
    *s = sal_simulator_advance_frame(running(), 0.1, 0, 4, NULL, &report);
    return reported();
}
static const char *frame_without_steps(sal_status *s) {
    *s = sal_simulator_advance_frame(running(), 0.1, 0.01, -1, NULL, &report);
    return reported();
}
static const char *frame_config_null(sal_status *s) {
    *s = sal_simulator_run_frame(running(), 0.1, NULL, NULL, &report);
    return reported();
}
static const char *frame_config_from_zeros(sal_status *s) {
    const sal_frame_config c = {.step = 0.01, .max_steps = 8};
    *s = sal_simulator_run_frame(running(), 0.1, &c, NULL, &report);
    return reported();
}
static const char *budget_negative(sal_status *s) {
    sal_frame_config c = sal_frame_config_default();
    c.step = 0.01, c.max_evaluations = -1;
    *s = sal_simulator_run_frame(running(), 0.1, &c, NULL, &report);
    return reported();
}
static const char *budget_without_clock(sal_status *s) {
    sal_frame_config c = sal_frame_config_default();
    c.step = 0.01, c.max_seconds = 0.001;
    *s = sal_simulator_run_frame(running(), 0.1, &c, NULL, &report);
    return reported();
}

/* ---- saves ---- */

static const char *save_too_small(sal_status *s) {
    static char bytes[8];
    *s = sal_simulator_save(running(), bytes, sizeof bytes);
    return refused();
}
static const char *save_too_large(sal_status *s) {
    static char bytes[1 << 16];
    *s = sal_simulator_save(running(), bytes, sizeof bytes);
    return refused();
}
static const char *save_within_too_small(sal_status *s) {
    static char bytes[8];
    size_t size = 0;
    *s = sal_simulator_save_within(running(), bytes, sizeof bytes, &size);
    return refused();
}
static const char *load_with(void (*change)(char *bytes, size_t size), sal_system *into, sal_status *s) {
    const size_t size = sal_simulator_save_size(running());
    char *bytes = malloc(size);
    CHECK(bytes && sal_simulator_save(sim, bytes, size) == SAL_OK);
    if (change)
        change(bytes, size);
    *s = sal_simulator_load(another(into), bytes, size);
    free(bytes);
    return sal_simulator_trouble(other);
}
static void flip(char *bytes, size_t size) {
    bytes[size / 2] = (char)(bytes[size / 2] ^ 1);
}
static const char *save_damaged(sal_status *s) {
    return load_with(flip, tank(), s);
}
static const char *save_of_another_model(sal_status *s) {
    return load_with(NULL, tank_with("height"), s);
}
static const char *load_null(sal_status *s) {
    *s = sal_simulator_load(running(), NULL, 0);
    return refused();
}
static const char *copy_of_another_model(sal_status *s) {
    another(tank_with("height"));
    *s = sal_simulator_copy(running(), other);
    return refused();
}
static const char *context_of_another_model(sal_status *s) {
    sal_context *ctx = NULL;
    CHECK(sal_context_new(NULL, tank_with("height"), &ctx) == SAL_OK);
    *s = sal_simulator_reset_context(running(), ctx);
    sal_context_free(ctx);
    return refused();
}
static const char *context_gone(sal_status *s) {
    sal_context_free(sal_simulator_release_context(running()));
    *s = sal_simulator_advance_to(sim, 2, &report);
    return reported();
}
static const char *value_without_context(sal_status *s) {
    double v = 0;
    sal_context_free(sal_simulator_release_context(running()));
    *s = sal_simulator_value(sim, "level", &v);
    return refused();
}

/* ---- events, feeds, watches ---- */

static const char *scheduled_in_the_past(sal_status *s) {
    *s = sal_simulator_schedule(running(), 0, 0, 0.5, NULL);
    return refused();
}
static const char *scheduled_at_nan(sal_status *s) {
    *s = sal_simulator_schedule(running(), 0, 0, NAN, NULL);
    return refused();
}
static const char *scheduled_with_a_clock(sal_status *s) {
    *s = sal_simulator_schedule(running(), 0, 1, 2, NULL);
    return refused();
}
static const char *demanded_of_no_part(sal_status *s) {
    *s = sal_simulator_demand(running(), 3, 0);
    return refused();
}
static const char *cancelled_twice(sal_status *s) {
    int64_t h = 0;
    CHECK(sal_simulator_schedule(running(), 0, 0, 3, &h) == SAL_OK && sal_simulator_cancel(sim, h) == SAL_OK);
    *s = sal_simulator_cancel(sim, h);
    return refused();
}
static const char *cancelled_what_never_was(sal_status *s) {
    *s = sal_simulator_cancel(running(), 99);
    return refused();
}
static const char *fed_no_input(sal_status *s) {
    *s = sal_simulator_feed(running(), 0, 7, 2, (double[]){1});
    return refused();
}
static const char *fed_null(sal_status *s) {
    *s = sal_simulator_feed(running(), 0, 0, 2, NULL);
    return refused();
}
static const char *fed_to_the_past(sal_status *s) {
    *s = sal_simulator_feed(running(), 0, 0, 0.5, (double[]){1});
    return refused();
}
static const char *watched_by_nothing(sal_status *s) {
    int64_t h = 0;
    *s = sal_simulator_watch(running(), &(sal_watch){.margin = NULL}, &h);
    return refused();
}
static const char *watch_null(sal_status *s) {
    int64_t h = 0;
    *s = sal_simulator_watch(running(), NULL, &h);
    return refused();
}
static const char *unwatched_what_never_was(sal_status *s) {
    *s = sal_simulator_unwatch(running(), 12);
    return refused();
}
static sal_status nan_margin(void *user, const sal_context *ctx, double *value) {
    (void)user, (void)ctx;
    *value = NAN;
    return SAL_OK;
}
static const char *watch_of_nan(sal_status *s) {
    int64_t h = 0;
    *s = sal_simulator_watch(running(), &(sal_watch){.margin = nan_margin}, &h);
    return refused();
}
static sal_status failed_margin(void *user, const sal_context *ctx, double *value) {
    (void)user, (void)ctx, (void)value;
    return -77;
}
static const char *watch_fails(sal_status *s) {
    int64_t h = 0;
    *s = sal_simulator_watch(running(), &(sal_watch){.margin = failed_margin}, &h);
    return refused();
}
static sal_status astray_margin(void *user, const sal_context *ctx, double *value) {
    const double *output = NULL;
    (void)user, (void)value;
    return sal_context_output(ctx, 9, &output);
}
static const char *watch_reads_astray(sal_status *s) {
    int64_t h = 0;
    *s = sal_simulator_watch(running(), &(sal_watch){.margin = astray_margin}, &h);
    return refused();
}
static const char *witness_of_a_clock(sal_status *s) {
    double v = 0;
    *s = sal_simulator_witness_value(running(), 0, 1, &v);
    return refused();
}
static const char *state_before_the_step(sal_status *s) {
    const sal_context *ctx = NULL;
    *s = sal_simulator_state_at(running(), -3, &ctx);
    return refused();
}

/* ---- recorders ---- */

static const char *record(double interval, const sal_channel *c, sal_status *s) {
    sal_recorder *rec = NULL;
    *s = sal_recorder_new(running(), c, 1, interval, &rec);
    return refused();
}
static const char *recorded_backwards(sal_status *s) {
    return record(-1, &(sal_channel){.size = 1, .partition = SAL_Z, .output = -1}, s);
}
static const char *recorded_output_of_wrong_size(sal_status *s) {
    return record(0.1, &(sal_channel){.size = 4, .output = 0}, s);
}
static const char *recorded_no_part(sal_status *s) {
    return record(0.1, &(sal_channel){.part = 9, .size = 1, .partition = SAL_Z, .output = -1}, s);
}
static const char *recorded_null(sal_status *s) {
    return record(0.1, NULL, s);
}

static const mistake mistakes[] = {
    {set_nan, SAL_EINVAL, "tank: ", "\"level\" cannot be NaN", "a state is finite"},
    {set_output, SAL_EINVAL, "tank: ", "\"flow\" is an output", "write what it depends on"},
    {path_null, SAL_EINVAL, "tank: ", "path is NULL", "write one like"},
    {element_of_one, SAL_EINVAL, "tank: ", "\"level\" is one number", "leave out the brackets"},
    {mode_of_a_number, SAL_EINVAL, "tank: ", "\"level\" is a number", "sal_system_set_modes"},
    {mode_word_unknown, SAL_EINVAL, "tank: ", "\"opne\"", "did you mean \"open\"?"},
    {mode_number_unknown, SAL_EINVAL, "tank: ", "\"valve\" cannot be 3", "from 1 to 2"},
    {time_changed, SAL_ETIME, "tank: ", "time was changed", "sal_simulator_initialize()"},
    {time_infinite, SAL_ETIME, "tank: ", "context's time is", "not finite"},
    {step_back, SAL_ETIME, "tank: ", "advance to is 0", "give a time"},
    {frame_of_nan, SAL_EINVAL, "tank: ", "frame's dt", "seconds since the last frame"},
    {frame_without_step, SAL_EINVAL, "tank: ", "frame's step", "such as 1/120"},
    {frame_without_steps, SAL_EINVAL, "tank: ", "max_steps", "at least 1"},
    {frame_config_null, SAL_EINVAL, "tank: ", "frame's config", "sal_frame_config_default"},
    {frame_config_from_zeros, SAL_EINVAL, "tank: ", "frame's config", "sal_frame_config_default"},
    {budget_negative, SAL_EINVAL, "tank: ", "frame's budget", "0 is no limit"},
    {budget_without_clock, SAL_EINVAL, "tank: ", "budget in seconds", "config.clock"},
    {save_too_small, SAL_EINVAL, "tank: ", "not 8", "sal_simulator_save_size"},
    {save_too_large, SAL_EINVAL, "tank: ", "not 65536", "sal_simulator_save_size"},
    {save_within_too_small, SAL_EINVAL, "tank: ", "not 8", "call sal_simulator_save"},
    {save_damaged, SAL_EINVAL, "tank: ", "bytes are not a save", "load what sal_simulator_save wrote"},
    {save_of_another_model, SAL_EINVAL, "tank: ", "bytes are not a save", "load what sal_simulator_save wrote"},
    {load_null, SAL_EINVAL, "tank: ", "bytes are not a save", "load what sal_simulator_save wrote"},
    {copy_of_another_model, SAL_EINVAL, "tank: ", "simulator to copy from is of another system",
     "one system and one config"},
    {context_of_another_model, SAL_EINVAL, "tank: ", "context is of another system", "sal_context_new of this one"},
    {context_gone, SAL_ESTATE, "tank: ", "no context", "give it one"},
    {value_without_context, SAL_ESTATE, "tank: ", "no context", "sal_simulator_reset_context"},
    {scheduled_in_the_past, SAL_EINVAL, "tank: ", "\"kick\" is scheduled for t = 0.5", "not past"},
    {scheduled_at_nan, SAL_EINVAL, "tank: ", "\"kick\" is scheduled for t = NaN", "give a time"},
    {scheduled_with_a_clock, SAL_EINVAL, "tank: ", "\"tick\" has a trigger of its own", "SAL_ON_DEMAND"},
    {demanded_of_no_part, SAL_EINVAL, "tank: ", "part 3 has no event 0", "sal_diagram_find_part"},
    {cancelled_twice, SAL_ETIME, "tank: ", "handle 1 is scheduled no more", "cancel an event once"},
    {cancelled_what_never_was, SAL_EINVAL, "tank: ", "handle 99", "sal_simulator_schedule wrote"},
    {fed_no_input, SAL_EINVAL, "tank: ", "input 7 of part 0", "sal_system_find_input"},
    {fed_null, SAL_EINVAL, "tank: ", "input 0 of part 0", "is NULL"},
    {fed_to_the_past, SAL_ETIME, "tank: ", "feed until t = 0.5", "in the future"},
    {watched_by_nothing, SAL_EINVAL, "tank: ", "a watch needs", "a function `margin`"},
    {watch_null, SAL_EINVAL, "tank: ", "a watch needs", "a function `margin`"},
    {unwatched_what_never_was, SAL_EINVAL, "tank: ", "no watch 12", "sal_simulator_watch wrote"},
    {watch_of_nan, SAL_ENAN, "tank: ", "margin of a watch is NaN at t = 1", "negative number"},
    {watch_fails, -77, "tank: ", "the margin of a watch failed at t = 1: it returned -77", "return SAL_OK"},
    {watch_reads_astray, SAL_EINVAL, "tank: ", "the margin of \"tank\" reads output 9", "sal_system_find_output"},
    {witness_of_a_clock, SAL_EINVAL, "tank: ", "event 1 of part 0 has no witness", "SAL_ON_WITNESS"},
    {state_before_the_step, SAL_EINVAL, "tank: ", "time -3 is not inside", "sal_simulator_step_start"},
    {recorded_backwards, SAL_EINVAL, "tank: ", "interval of -1 s", "greater than 0"},
    {recorded_output_of_wrong_size, SAL_EINVAL, "tank: ", "channel 0", "set its part, size and place"},
    {recorded_no_part, SAL_EINVAL, "tank: ", "channel 0", "set its part, size and place"},
    {recorded_null, SAL_EINVAL, "tank: ", "channel 0", "set its part, size and place"},
};

int main(void) {
    each_is_named_in_words(sizeof mistakes / sizeof *mistakes, mistakes);
    return check_summary();
}
