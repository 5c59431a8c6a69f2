/* Mistakes with a simulator: its config, its system and what is asked of it; and what fails while it runs. */
#include <math.h>

#include "test_tank.h"

static sal_event_config event(const char *name, sal_trigger trigger, sal_kind kind) {
    sal_event_config e = sal_event_config_default();
    e.name = name;
    e.trigger = trigger;
    e.kind = kind;
    return e;
}

static const char *failure(double t) {
    CHECK(sal_simulator_advance_to(sim, t, &report) < 0);
    return reported();
}

static const char *context_of_a_simulator(sal_status *status) {
    sal_system *sys = tank();
    sal_simulator *second = NULL;
    *status = sal_simulator_new(NULL, sys, sal_simulator_context(running(sys)), NULL, &second);
    return said(sys);
}

static const char *method_misspelt(sal_status *status) {
    sal_system *sys = tank();
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find("rk45");
    *status = sal_simulator_new(NULL, sys, NULL, &config, &sim);
    return said(sys);
}

static const char *config_from_zeros(sal_status *status) {
    sal_system *sys = tank();
    const sal_simulator_config config = {.seed = 1};
    *status = sal_simulator_new(NULL, sys, NULL, &config, &sim);
    return said(sys);
}

static const char *fixed_without_size(sal_status *status) {
    sal_system *sys = tank();
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.fixed_step = true;
    *status = sal_simulator_new(NULL, sys, NULL, &config, &sim);
    return said(sys);
}

static const char *new_with(sal_simulator_config *c, sal_status *status) {
    sal_system *sys = tank();
    *status = sal_simulator_new(NULL, sys, NULL, c, &sim);
    return sal_system_trouble(sys);
}

static const char *accuracy_negative(sal_status *status) {
    sal_simulator_config c = sal_simulator_config_default();
    c.integrator.accuracy = -1;
    return new_with(&c, status);
}

static const char *min_above_max(sal_status *status) {
    sal_simulator_config c = sal_simulator_config_default();
    c.integrator.min_step = 1, c.integrator.max_step = 0.1;
    return new_with(&c, status);
}

static const char *rate_negative(sal_status *status) {
    sal_simulator_config c = sal_simulator_config_default();
    c.target_realtime_rate = -1;
    return new_with(&c, status);
}

static const char *limit_of_events_zero(sal_status *status) {
    sal_simulator_config c = sal_simulator_config_default();
    c.max_events_per_instant = 0;
    return new_with(&c, status);
}

static const char *watch_capacity_negative(sal_status *status) {
    sal_simulator_config c = sal_simulator_config_default();
    c.watch_capacity = -1;
    return new_with(&c, status);
}

static const char *context_of_another(sal_status *status) {
    sal_system *sys = tank(), *twin = tank();
    sal_context *ctx = NULL;
    CHECK(sal_context_new(NULL, twin, &ctx) == SAL_OK);
    *status = sal_simulator_new(NULL, sys, ctx, NULL, &sim);
    sal_context_free(ctx);
    return said(sys);
}

static const char *system_null(sal_status *status) {
    *status = sal_simulator_new(NULL, NULL, NULL, NULL, &sim);
    return said(NULL);
}

static const char *method_without_mass(sal_status *status) {
    sal_system *sys = tank();
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find("tsitouras5");
    sal_system_set_mass(sys, (double[]){2});
    *status = sal_simulator_new(NULL, sys, NULL, &config, &sim);
    return said(sys);
}

static const char *past_with_mass(sal_status *status) {
    sal_system *sys = tank();
    sal_system_set_mass(sys, (double[]){2});
    sal_system_add_past(sys, "level", 1, NULL);
    *status = sal_simulator_new(NULL, sys, NULL, NULL, &sim);
    return said(sys);
}

static const char *band_too_wide(sal_status *status) {
    sal_integrator_config config = sal_integrator_config_default();
    config.lower = config.upper = 3;
    *status = sal_simulator_set_integrator(running(tank()), &config);
    return sal_simulator_trouble(sim);
}

static const char *frame_backwards(sal_status *status) {
    *status = sal_simulator_advance_frame(running(tank()), -1, 0.01, 4, NULL, &report);
    return reported();
}

static const char *nothing_sampled(sal_status *status) {
    const sal_context *next = NULL;
    *status = sal_simulator_preview_sampled(running(tank()), &next, &report);
    return reported();
}

static const char *channel_of_nothing(sal_status *status) {
    sal_recorder *rec = NULL;
    const sal_channel channel = {.part = 0, .size = 3, .partition = SAL_Z, .output = -1};
    *status = sal_recorder_new(running(tank()), &channel, 1, 0.1, &rec);
    return sal_simulator_trouble(sim);
}

static sal_recorder *recorder(void) {
    sal_recorder *rec = NULL;
    const sal_channel channel = {.part = 0, .size = 1, .partition = SAL_Z, .output = -1};
    CHECK(sal_recorder_new(running(tank()), &channel, 1, 0.1, &rec) == SAL_OK);
    return rec;
}

static const char *end_recorder(sal_recorder *rec) {
    sal_recorder_free(rec);
    return sal_simulator_trouble(sim);
}

static const char *few_rows(sal_status *status) {
    sal_recorder *rec = recorder();
    *status = sal_recorder_set_max_rows(rec, 3);
    return end_recorder(rec);
}

static const char *rows_of_no_save(sal_status *status) {
    sal_recorder *rec = recorder();
    *status = sal_recorder_load(rec, text, 10);
    return end_recorder(rec);
}

static const char *path_misspelt(sal_status *status) {
    double level = 0;
    *status = sal_simulator_value(running(plant()), "tank.levle", &level);
    return sal_simulator_trouble(sim);
}

static const char *results_without_place(sal_status *status) {
    sal_simulator *run = running(plant());
    CHECK(sal_simulator_derivatives(run, NULL) == SAL_EINVAL && sal_simulator_trouble(run)[0]);
    CHECK(sal_simulator_witness_value(run, 0, 0, NULL) == SAL_EINVAL && sal_simulator_trouble(run)[0]);
    CHECK(sal_simulator_preview_sampled(run, NULL, NULL) == SAL_EINVAL && sal_simulator_trouble(run)[0]);
    *status = sal_simulator_value(run, "tank.level", NULL);
    return sal_simulator_trouble(run);
}

static const char *copied_from_nothing(sal_status *status) {
    *status = sal_simulator_copy(running(tank()), NULL);
    return sal_simulator_trouble(sim);
}

static const char *fed_with_nan(sal_status *status) {
    *status = sal_simulator_feed(running(tank()), 0, 0, 1, (double[]){NAN});
    return sal_simulator_trouble(sim);
}

static const char *scheduled_by_a_wrong_name(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_simulator_schedule(running(sys), 0, sal_system_find_event(sys, "drip"), 1, NULL);
    return sal_simulator_trouble(sim);
}

static const char *foreign_save(sal_status *status) {
    static const char bytes[100] = "not a save";
    *status = sal_simulator_load(running(tank()), bytes, sizeof bytes);
    return sal_simulator_trouble(sim);
}

static const char *back_in_time(sal_status *status) {
    CHECK(sal_simulator_advance_to(running(tank()), 1, NULL) == SAL_OK);
    const char *sentence = failure(0.5);
    *status = report.status;
    return sentence;
}

static const char *time_nan(sal_status *status) {
    running(tank());
    const char *sentence = failure(NAN);
    *status = report.status;
    return sentence;
}

static const char *input_without_value(sal_status *status) {
    sal_system *sys = system_of(&tank_class);
    const sal_channel channel = {.size = 1, .output = 0};
    sal_recorder *rec = NULL;
    sal_system_add_values(sys, SAL_Z, "level", 1, NULL);
    sal_system_add_values(sys, SAL_INPUT, "inflow", 1, (double[]){sal_no_value()});
    sal_system_add_output(sys, "flow", 1, NULL);
    CHECK(sal_recorder_new(running(sys), &channel, 1, NAN, &rec) == SAL_OK);
    const char *sentence = failure(1);
    *status = report.status;
    sal_recorder_free(rec);
    return sentence;
}

static sal_status no_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self, (void)ctx, (void)dot;
    return SAL_OK;
}

static sal_status nan_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = sal_context_time(ctx) > 0.5 ? NAN : 1;
    return SAL_OK;
}

static sal_status odd_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    rates(self, ctx, dot);
    return -77;
}

/* Advances its own run. */
static sal_outcome reenter(const sal_system *self, const sal_context *ctx, const sal_event *e, sal_note *why) {
    sal_report inner;
    (void)self, (void)ctx, (void)e;
    if (sal_simulator_advance_to(sim, 5, &inner) == SAL_OK)
        return SAL_SUCCEEDED;
    sal_note_set(why, inner.note.text);
    return SAL_FAILED;
}

static const char *run_of(const sal_system_class *class, sal_status *status) {
    sal_system *sys = system_of(class);
    const sal_event_config e = event("tick", SAL_ON_STEP, class->publish ? SAL_PUBLISH : SAL_NO_HANDLER);
    sal_system_add_values(sys, SAL_Z, "level", 1, NULL);
    sal_system_add_event(sys, &e, NULL);
    running(sys);
    const char *sentence = failure(1);
    *status = report.status;
    return sentence;
}

static const char *derivative_unset(sal_status *status) {
    static const sal_system_class class = {.name = "tank", .derivatives = no_rates};
    return run_of(&class, status);
}

static const char *derivative_nan(sal_status *status) {
    static const sal_system_class class = {.name = "tank", .derivatives = nan_rates};
    return run_of(&class, status);
}

/* The host writes NaN between two calls. */
static const char *state_edited_to_nan(sal_status *status) {
    CHECK(sal_simulator_advance_to(running(tank()), 1, NULL) == SAL_OK);
    *sal_context_edit(sal_simulator_context(sim), SAL_Z) = NAN;
    const char *sentence = failure(2);
    *status = report.status;
    return sentence;
}

static const char *odd_status(sal_status *status) {
    static const sal_system_class class = {.name = "tank", .derivatives = odd_rates};
    return run_of(&class, status);
}

static const char *advanced_from_inside(sal_status *status) {
    static const sal_system_class class = {.name = "tank", .derivatives = rates, .publish = reenter};
    return run_of(&class, status);
}

static const mistake mistakes[] = {
    {method_misspelt, SAL_EINVAL, "tank: ", "method", "\"auto\" is the default"},
    {config_from_zeros, SAL_EINVAL, "tank: ", "config", "sal_simulator_config_default"},
    {fixed_without_size, SAL_EINVAL, "tank: ", "fixed_step", "a finite max_step"},
    {context_of_a_simulator, SAL_EINVAL, "tank: ", "belongs to a simulator already", "sal_context_clone"},
    {accuracy_negative, SAL_EINVAL, "tank: ", "accuracy", "must be positive"},
    {min_above_max, SAL_EINVAL, "tank: ", "max_step", "less than min_step"},
    {rate_negative, SAL_EINVAL, "tank: ", "target_realtime_rate", "must not be negative"},
    {limit_of_events_zero, SAL_EINVAL, "tank: ", "max_events_per_instant", "at least 1"},
    {watch_capacity_negative, SAL_EINVAL, "tank: ", "watch_capacity", "SAL_MAX_WATCHES"},
    {context_of_another, SAL_EINVAL, "tank: ", "context", "sal_context_new"},
    {system_null, SAL_EINVAL, "no system", "NULL", "look at their status"},
    {method_without_mass, SAL_EINVAL, "tank: ", "mass matrix", "radau5"},
    {past_with_mass, SAL_EINVAL, "tank: ", "mass matrix and records a past", "one of the two"},
    {band_too_wide, SAL_EINVAL, "tank: ", "half-bandwidths", "set lower and upper"},
    {frame_backwards, SAL_EINVAL, "tank: ", "a frame's dt", "seconds since the last frame"},
    {nothing_sampled, SAL_EINVAL, "tank: ", "periodic discrete updates", "sal_system_sampling"},
    {channel_of_nothing, SAL_EINVAL, "tank: ", "channel 0", "set its part, size and place"},
    {few_rows, SAL_EINVAL, "tank: ", "at most 3 rows", "give 16 or more"},
    {rows_of_no_save, SAL_EINVAL, "tank: ", "not a save of a recorder", "what sal_recorder_save wrote"},
    {path_misspelt, SAL_EINVAL, "plant: ", "\"levle\" in \"tank\"", "did you mean \"level\"?"},
    {results_without_place, SAL_EINVAL, "plant: ", "place for the result is NULL", "the address of a variable"},
    {copied_from_nothing, SAL_EINVAL, "tank: ", "copy from", "is NULL"},
    {fed_with_nan, SAL_EINVAL, "tank: ", "fed with NaN", "finite"},
    {scheduled_by_a_wrong_name, SAL_EINVAL, "tank: ", "event -1", "sal_system_find_event"},
    {foreign_save, SAL_EINVAL, "tank: ", "bytes", "sal_simulator_save"},
    {back_in_time, SAL_ETIME, "tank", "time to advance to is 0.5, and the present is 1", "load an earlier save"},
    {time_nan, SAL_ETIME, "tank", "time to advance to is NaN", "give a time"},
    {input_without_value, SAL_EINPUT, "\"tank\"", "input \"inflow\"", "connect it"},
    {derivative_unset, SAL_ENAN, "tank", "\"level\"", "write it in every branch"},
    {derivative_nan, SAL_ESTEP, "\"tank\"", "\"level\" of \"tank\" is NaN", "look at what derivatives computes"},
    {state_edited_to_nan, SAL_ESTEP, "\"tank\"", "before the step the value of \"level\" of \"tank\" is NaN",
     "an edit of the context"},
    {odd_status, -77, "tank", "-77", "return SAL_OK"},
    {advanced_from_inside, SAL_EHANDLER, "tick of tank", "called from inside of the run", "after that has ended"},
};

int main(void) {
    each_is_named_in_words(sizeof mistakes / sizeof *mistakes, mistakes);
    return check_summary();
}
