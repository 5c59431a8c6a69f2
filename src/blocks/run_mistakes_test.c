/* Mistakes that a C programmer makes with a run, its values, saves, watches and recorders. Each is refused with a
 * status, and a sentence names the thing and the remedy. Only public headers are used. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/saltus.h"

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
                          sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)next, (void)note;
    return SAL_SUCCEEDED;
}

static const sal_system_class tank_class = {.name = "tank", .derivatives = rates, .output = flow, .update = update};

static sal_system *made[8];
static int made_count;
static sal_simulator *sim, *other;
static sal_report report;
static char text[512];

static sal_system *keep(sal_system *sys) {
    return made[made_count++] = sys;
}

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

static const char *reported(void) {
    sal_report_text(sim, &report, text, sizeof text);
    return text;
}

static void clear(void) {
    sal_simulator_free(sim);
    sal_simulator_free(other);
    sim = other = NULL;
    for (int i = 0; i < made_count; i++)
        sal_system_free(made[i]);
    made_count = 0;
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

/* ---- configs ---- */

static const char *new_with(sal_simulator_config *c, sal_status *s) {
    sal_system *sys = tank();
    *s = sal_simulator_new(NULL, sys, NULL, c, &sim);
    return sal_system_trouble(sys);
}
static const char *accuracy_negative(sal_status *s) {
    sal_simulator_config c = sal_simulator_config_default();
    c.integrator.accuracy = -1;
    return new_with(&c, s);
}
static const char *min_above_max(sal_status *s) {
    sal_simulator_config c = sal_simulator_config_default();
    c.integrator.min_step = 1, c.integrator.max_step = 0.1;
    return new_with(&c, s);
}
static const char *rate_negative(sal_status *s) {
    sal_simulator_config c = sal_simulator_config_default();
    c.target_realtime_rate = -1;
    return new_with(&c, s);
}
static const char *limit_of_events_zero(sal_status *s) {
    sal_simulator_config c = sal_simulator_config_default();
    c.max_events_per_instant = 0;
    return new_with(&c, s);
}
static const char *watch_capacity_negative(sal_status *s) {
    sal_simulator_config c = sal_simulator_config_default();
    c.watch_capacity = -1;
    return new_with(&c, s);
}

/* ---- saves ---- */

static const char *save_too_small(sal_status *s) {
    static char bytes[8];
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

/* ---- what each sentence must name ---- */

typedef struct mistake {
    const char *(*make)(sal_status *status);
    sal_status status;
    const char *thing, *remedy;
} mistake;

static const mistake mistakes[] = {
    {set_nan, SAL_EINVAL, "\"level\" cannot be NaN", "a state is finite"},
    {set_output, SAL_EINVAL, "\"flow\" is an output", "write what it depends on"},
    {path_null, SAL_EINVAL, "path is NULL", "write one like"},
    {element_of_one, SAL_EINVAL, "\"level\" is one number", "leave out the brackets"},
    {mode_of_a_number, SAL_EINVAL, "\"level\" is a number", "sal_system_set_modes"},
    {mode_word_unknown, SAL_EINVAL, "\"opne\"", "did you mean \"open\"?"},
    {mode_number_unknown, SAL_EINVAL, "\"valve\" cannot be 3", "from 1 to 2"},
    {time_changed, SAL_ETIME, "time was changed", "sal_simulator_initialize()"},
    {time_infinite, SAL_ETIME, "context's time is", "not finite"},
    {step_back, SAL_ETIME, "advance to is 0", "give a time"},
    {frame_of_nan, SAL_EINVAL, "frame's dt", "seconds since the last frame"},
    {frame_without_step, SAL_EINVAL, "frame's step", "such as 1/120"},
    {frame_without_steps, SAL_EINVAL, "max_steps", "at least 1"},
    {frame_config_null, SAL_EINVAL, "frame's config", "sal_frame_config_default"},
    {frame_config_from_zeros, SAL_EINVAL, "frame's config", "sal_frame_config_default"},
    {budget_negative, SAL_EINVAL, "frame's budget", "0 is no limit"},
    {budget_without_clock, SAL_EINVAL, "budget in seconds", "config.clock"},
    {accuracy_negative, SAL_EINVAL, "accuracy", "must be positive"},
    {min_above_max, SAL_EINVAL, "max_step", "less than min_step"},
    {rate_negative, SAL_EINVAL, "target_realtime_rate", "must not be negative"},
    {limit_of_events_zero, SAL_EINVAL, "max_events_per_instant", "at least 1"},
    {watch_capacity_negative, SAL_EINVAL, "watch_capacity", "SAL_MAX_WATCHES"},
    {save_too_small, SAL_EINVAL, "not 8", "sal_simulator_save_size"},
    {save_within_too_small, SAL_EINVAL, "not 8", "call sal_simulator_save"},
    {save_damaged, SAL_EINVAL, "bytes are not a save", "load what sal_simulator_save wrote"},
    {save_of_another_model, SAL_EINVAL, "bytes are not a save", "load what sal_simulator_save wrote"},
    {load_null, SAL_EINVAL, "bytes are not a save", "load what sal_simulator_save wrote"},
    {copy_of_another_model, SAL_EINVAL, "simulator to copy from is of another system", "one system and one config"},
    {context_of_another_model, SAL_EINVAL, "context is of another system", "sal_context_new of this one"},
    {context_gone, SAL_ESTATE, "no context", "give it one"},
    {value_without_context, SAL_ESTATE, "no context", "sal_simulator_reset_context"},
    {scheduled_in_the_past, SAL_EINVAL, "\"kick\" is scheduled for t = 0.5", "not past"},
    {scheduled_at_nan, SAL_EINVAL, "\"kick\" is scheduled for t = NaN", "give a time"},
    {scheduled_with_a_clock, SAL_EINVAL, "\"tick\" has a trigger of its own", "SAL_ON_DEMAND"},
    {demanded_of_no_part, SAL_EINVAL, "part 3 has no event 0", "sal_diagram_find_part"},
    {cancelled_twice, SAL_ETIME, "handle 1 is scheduled no more", "cancel an event once"},
    {cancelled_what_never_was, SAL_EINVAL, "handle 99", "sal_simulator_schedule wrote"},
    {fed_no_input, SAL_EINVAL, "input 7 of part 0", "sal_system_find_input"},
    {fed_null, SAL_EINVAL, "input 0 of part 0", "is NULL"},
    {fed_to_the_past, SAL_ETIME, "feed until t = 0.5", "in the future"},
    {watched_by_nothing, SAL_EINVAL, "a watch needs", "a function `margin`"},
    {watch_null, SAL_EINVAL, "a watch needs", "a function `margin`"},
    {unwatched_what_never_was, SAL_EINVAL, "no watch 12", "sal_simulator_watch wrote"},
    {watch_of_nan, SAL_ENAN, "margin of a watch is NaN at t = 1", "negative number"},
    {watch_fails, -77, "the margin of a watch failed at t = 1: it returned -77", "return SAL_OK"},
    {watch_reads_astray, SAL_EINVAL, "the margin of \"tank\" reads output 9", "sal_system_find_output"},
    {witness_of_a_clock, SAL_EINVAL, "event 1 of part 0 has no witness", "SAL_ON_WITNESS"},
    {state_before_the_step, SAL_EINVAL, "time -3 is not inside", "sal_simulator_step_start"},
    {recorded_backwards, SAL_EINVAL, "interval of -1 s", "greater than 0"},
    {recorded_output_of_wrong_size, SAL_EINVAL, "channel 0", "set its part, size and place"},
    {recorded_no_part, SAL_EINVAL, "channel 0", "set its part, size and place"},
    {recorded_null, SAL_EINVAL, "channel 0", "set its part, size and place"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

int main(void) {
    for (int i = 0; i < MISTAKES; i++) {
        const mistake *m = &mistakes[i];
        sal_status status = SAL_OK;
        const char *sentence = m->make(&status);
        const bool names_all =
            strncmp(sentence, "tank: ", 6) == 0 && strstr(sentence, m->thing) && strstr(sentence, m->remedy);
        if (!names_all || status != m->status || getenv("SALTUS_SHOW"))
            printf("%d (%d): %s\n", i, status, sentence);
        CHECK(names_all && status == m->status && strlen(sentence) < 250);
        clear();
    }
    return check_summary();
}
