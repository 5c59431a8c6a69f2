/* Whatever function a host gives is running, and by whichever call: from inside of it the run is not moved, changed or
 * kept, and looking at it changes nothing. Every function of simulator.h, and of recorder.h what moves a record, stands
 * in the table below; spec/architecture_spec.lua sees to it. */
#include <stdlib.h>

#include "test_callbacks.h"

static sal_simulator *sim;
static sal_recorder *rec;
static bool poked; /* does this run have its functions call it? */
static double dx[8];
static unsigned char bytes[1 << 16];
static int64_t met[COUNT_OF_KINDS];
static int depth;
static int64_t told; /* sentences to the host */

/* ---- who may be called ---- */

/* REFUSED: from nowhere inside. READS: from where no trial state is in the context. LOOKS and TELLS: from
 * everywhere. OUTSIDE: by nobody inside, or it has nothing to do with a run. */
typedef enum { REFUSED, READS, LOOKS, TELLS, OUTSIDE } rule;

typedef struct entry {
    const char *name;
    rule rule;
    sal_status (*call)(void); /* REFUSED and READS: the answer */
} entry;

static double rate = 1e9;

#define CALL(name, expression) \
    static sal_status name(void) { \
        return expression; \
    }
/* For calls that return no status. */
#define DO(name, statement) \
    static sal_status name(void) { \
        statement; \
        return SAL_OK; \
    }

static const sal_channel channel = {.size = 1, .output = -1, .function = read_channel};
static sal_recorder *another;

static sal_status never(void *user, const sal_context *ctx, double *value) {
    (void)user, (void)ctx;
    *value = -1;
    return SAL_OK;
}

static const sal_context *seen_context;
static sal_report last;

CALL(initialize, sal_simulator_initialize(sim, false, &last))
CALL(initialize_consistent, sal_simulator_initialize_consistent(sim, false, NULL))
CALL(advance_to, sal_simulator_advance_to(sim, 1e3, &last))
CALL(advance_pending, sal_simulator_advance_pending_events(sim, &last))
CALL(step, sal_simulator_step(sim, 1e3, &last))
CALL(whole_frame, sal_simulator_advance_frame(sim, 1, 0.25, 8, NULL, &last))
CALL(frame, whole_frame() == SAL_ESTATE ? sal_simulator_advance_frame(sim, 0.1, 0.25, 8, NULL, &last) : SAL_OK)
CALL(reset_context, sal_simulator_reset_context(sim, NULL))
CALL(release_context, sal_simulator_release_context(sim) ? SAL_OK : SAL_ESTATE)
CALL(set_integrator, sal_simulator_set_integrator(sim, &sal_simulator_config_of(sim)->integrator))
CALL(set_context_accuracy, sal_simulator_set_context_accuracy(sim, 0.01))
CALL(set_jacobian, sal_simulator_set_jacobian(sim, NULL, NULL))
CALL(save, sal_simulator_save(sim, bytes, sizeof bytes))
CALL(save_within, sal_simulator_save_within(sim, bytes, sizeof bytes, &(size_t){0}))
CALL(copy, sal_simulator_copy(sim, sim))
CALL(run_frame,
     sal_simulator_run_frame(sim, 0.1, &(sal_frame_config){sizeof(sal_frame_config), 0.1, 1, 0, 0}, NULL, NULL))
CALL(load, sal_simulator_load(sim, bytes, sizeof bytes))
CALL(feed, sal_simulator_feed(sim, 0, 0, 1e3, one))
CALL(end_feed, sal_simulator_end_feed(sim, 0, 0))
CALL(schedule, sal_simulator_schedule(sim, 0, 0, 1e3, NULL))
CALL(demand, sal_simulator_demand(sim, 0, 0))
CALL(cancel, sal_simulator_cancel(sim, 1))
CALL(add_watch, sal_simulator_watch(sim, &(sal_watch){never, NULL, 0}, &(int64_t){0}))
CALL(know_watch, sal_simulator_know_watch(sim, &(sal_watch){never, NULL, 0}, 9))
CALL(unwatch, sal_simulator_unwatch(sim, 1))
CALL(sampled, sal_simulator_preview_sampled(sim, &seen_context, NULL))
CALL(record, sal_recorder_new(sim, &channel, 1, INFINITY, &another))
CALL(derivatives, sal_simulator_derivatives(sim, dx))
CALL(witness_value, sal_simulator_witness_value(sim, 0, 1, dx))
CALL(state_at, sal_simulator_state_at(sim, sal_simulator_step_start(sim), &seen_context))
DO(context, sal_context_time(sal_simulator_context(sim)))
DO(integrator, sal_integrator_statistics(sal_simulator_integrator(sim)))
DO(config_of, sal_simulator_config_of(sim))
DO(realtime, sal_simulator_actual_realtime_rate(sim))
DO(initialized, sal_simulator_is_initialized(sim))
DO(window, sal_simulator_isolation_window(sim))
DO(save_size, sal_simulator_save_size(sim))
DO(save_bound, sal_simulator_save_bound(sim))
DO(pacing, sal_simulator_pacing(sim))
DO(hash, sal_simulator_hash(sim))
DO(difference, sal_simulator_difference(sim, sim, NULL, 0))
DO(statistics, sal_simulator_statistics(sim))
DO(warnings, sal_simulator_warnings(sim, &(const sal_warning *){NULL}))
DO(step_start, sal_simulator_step_start(sim))
DO(allocator, sal_simulator_allocator(sim))
DO(next_time, sal_simulator_next_time(sim))
DO(fired_watches, sal_simulator_fired_watches(sim, &(const int64_t *){NULL}))
DO(interrupt, sal_simulator_interrupt(sim))
DO(set_monitor, sal_simulator_set_monitor(sim, watch, NULL))
DO(publish_steps, sal_simulator_set_publish_every_step(sim, false))
DO(publish_start, sal_simulator_set_publish_at_initialization(sim, false))
DO(set_rate, sal_simulator_set_target_realtime_rate(sim, rate))

/* At times: a call that halts at once, such as from its clock, gets nowhere. Not at the end, where it would wait for
 * the next call, and be saved. */
static sal_status halt(void) {
    static int count = 0;
    if (++count % 16 == 0 && sal_context_time(sal_simulator_context(sim)) < 0.5)
        sal_simulator_halt(sim);
    return SAL_OK;
}

/* At times, so that there is something to sleep for. */
static sal_status reset_statistics(void) {
    if (met[DERIVATIVES] % 64 == 0)
        sal_simulator_reset_statistics(sim);
    return SAL_OK;
}

/* One that begins to watch while the others are told, and ends at once. */
static sal_status observe_and_not(void) {
    int handle = -1;
    const sal_status status = sal_simulator_observe(sim, see, NULL, &handle);
    sal_simulator_unobserve(sim, handle);
    return status;
}

static sal_status value_by_path(void) {
    double value = 0;
    return sal_simulator_value(sim, "height", &value);
}

static sal_status set_value_by_path(void) {
    return sal_simulator_set_value(sim, "height", 3);
}

static sal_status mode_by_path(void) {
    const char *word = NULL;
    return sal_simulator_mode(sim, "mode", &word);
}

static sal_status set_mode_by_path(void) {
    return sal_simulator_set_mode(sim, "mode", "on");
}

static sal_status clone_run(void) {
    sal_simulator *copy = NULL;
    return sal_simulator_clone(sim, &copy);
}

static sal_status trouble(void) {
    return sal_simulator_trouble(sim)[0] ? SAL_OK : SAL_EINVAL;
}

static const entry table[] = {
    {"sal_simulator_initialize", REFUSED, initialize},
    {"sal_simulator_initialize_consistent", REFUSED, initialize_consistent},
    {"sal_simulator_advance_to", REFUSED, advance_to},
    {"sal_simulator_advance_pending_events", REFUSED, advance_pending},
    {"sal_simulator_step", REFUSED, step},
    {"sal_simulator_advance_frame", REFUSED, frame},
    {"sal_simulator_reset_context", REFUSED, reset_context},
    {"sal_simulator_release_context", REFUSED, release_context},
    {"sal_simulator_set_integrator", REFUSED, set_integrator},
    {"sal_simulator_set_context_accuracy", REFUSED, set_context_accuracy},
    {"sal_simulator_set_jacobian", REFUSED, set_jacobian},
    {"sal_simulator_save", REFUSED, save},
    {"sal_simulator_save_within", REFUSED, save_within},
    {"sal_simulator_copy", REFUSED, copy},
    {"sal_simulator_run_frame", REFUSED, run_frame},
    {"sal_simulator_load", REFUSED, load},
    {"sal_simulator_feed", REFUSED, feed},
    {"sal_simulator_end_feed", REFUSED, end_feed},
    {"sal_simulator_schedule", REFUSED, schedule},
    {"sal_simulator_demand", REFUSED, demand},
    {"sal_simulator_cancel", REFUSED, cancel},
    {"sal_simulator_watch", REFUSED, add_watch},
    {"sal_simulator_know_watch", REFUSED, know_watch},
    {"sal_simulator_unwatch", REFUSED, unwatch},
    {"sal_simulator_preview_sampled", REFUSED, sampled},
    {"sal_simulator_value", REFUSED, value_by_path},
    {"sal_simulator_set_value", REFUSED, set_value_by_path},
    {"sal_simulator_mode", REFUSED, mode_by_path},
    {"sal_simulator_set_mode", REFUSED, set_mode_by_path},
    {"sal_simulator_clone", REFUSED, clone_run},
    {"sal_recorder_new", REFUSED, record},
    {"sal_simulator_derivatives", READS, derivatives},
    {"sal_simulator_witness_value", READS, witness_value},
    {"sal_simulator_state_at", READS, state_at},
    {"sal_simulator_context", LOOKS, context},
    {"sal_simulator_integrator", LOOKS, integrator},
    {"sal_simulator_config_of", LOOKS, config_of},
    {"sal_simulator_actual_realtime_rate", LOOKS, realtime},
    {"sal_simulator_is_initialized", LOOKS, initialized},
    {"sal_simulator_isolation_window", LOOKS, window},
    {"sal_simulator_save_size", LOOKS, save_size},
    {"sal_simulator_save_bound", LOOKS, save_bound},
    {"sal_simulator_pacing", LOOKS, pacing},
    {"sal_simulator_hash", LOOKS, hash},
    {"sal_simulator_difference", LOOKS, difference},
    {"sal_simulator_statistics", LOOKS, statistics},
    {"sal_simulator_warnings", LOOKS, warnings},
    {"sal_simulator_step_start", LOOKS, step_start},
    {"sal_simulator_allocator", LOOKS, allocator},
    {"sal_simulator_next_time", LOOKS, next_time},
    {"sal_simulator_fired_watches", LOOKS, fired_watches},
    {"sal_simulator_trouble", LOOKS, trouble},
    {"sal_simulator_interrupt", TELLS, interrupt},
    {"sal_simulator_halt", TELLS, halt},
    {"sal_simulator_set_monitor", TELLS, set_monitor},
    {"sal_simulator_set_publish_every_step", TELLS, publish_steps},
    {"sal_simulator_set_publish_at_initialization", TELLS, publish_start},
    {"sal_simulator_set_target_realtime_rate", TELLS, set_rate},
    {"sal_simulator_reset_statistics", TELLS, reset_statistics},
    {"sal_simulator_observe", TELLS, observe_and_not},
    {"sal_simulator_unobserve", TELLS, observe_and_not},
    {"sal_simulator_new", OUTSIDE, NULL},
    {"sal_simulator_free", OUTSIDE, NULL},
    {"sal_simulator_config_default", OUTSIDE, NULL},
    {"sal_simulator_config_check", OUTSIDE, NULL},
};
enum { ENTRIES = sizeof table / sizeof *table };

/* ---- from inside ---- */

/* Handlers and those who watch are called where the state stands still. */
static bool may_read(kind from) {
    return from >= PUBLISH && depth == 1;
}

/* Under a reader, only who asks for the time alone is let in. */
static bool is_right(const entry *e, kind from, sal_status answer) {
    const bool refused = answer == SAL_ESTATE;
    if (e->rule == REFUSED)
        return refused;
    return e->rule != READS || (may_read(from) ? !refused : refused || depth == 1 || from == CLOCK);
}

static void hear(void *user, const char *sentence) {
    (void)user;
    told += sentence[0] != '\0';
}

/* A refusal is told in words. */
static void judge(const entry *e, kind from) {
    const int64_t before = told;
    const sal_status answer = e->call();
    const bool right = is_right(e, from, answer) && (answer != SAL_ESTATE || told > before);
    if (!right)
        printf("%s from %s: %s\n", e->name, kind_name[from], sal_status_text(answer));
    CHECK(right);
}

/* A channel's function may save the rows, which moves nothing, but not load them. */
static void poke_saved_rows(void) {
    const size_t size = sal_recorder_save_size(rec);
    void *rows = malloc(size);
    CHECK(rows && sal_recorder_save(rec, rows, size) == SAL_OK && sal_recorder_load(rec, rows, size) == SAL_ESTATE);
    free(rows);
}

/* Readers call functions of the model: from those all is asked again, and no deeper. */
static void poke(kind from) {
    if (!poked || !sim || depth > 1)
        return;
    depth++;
    met[from]++;
    for (int i = 0; i < ENTRIES; i++)
        if (table[i].call)
            judge(&table[i], from);
    if (from == CHANNEL)
        CHECK(sal_recorder_sample(rec) == SAL_ESTATE && sal_recorder_set_max_rows(rec, 16) == SAL_ESTATE &&
              sal_recorder_copy(rec, rec) == SAL_ESTATE);
    sal_delay_buffer *past = NULL; /* a copy moves nothing */
    CHECK(from != CHANNEL || sal_recorder_history(rec, 0, NULL, &past) == SAL_OK);
    sal_delay_buffer_free(past);
    if (from == CHANNEL)
        poke_saved_rows();
    depth--;
}

/* ---- runs ---- */

/* Those that were interrupted from inside go on. */
static void advance(double t) {
    sal_report report;
    poked = true;
    do
        CHECK(sal_simulator_advance_to(sim, t, &report) == SAL_OK);
    while (report.reason == SAL_AT_INTERRUPT || report.reason == SAL_AT_HALT);
    CHECK(report.reason == SAL_AT_BOUNDARY && report.time == t);
}

/* The host looks at the context between two calls, and so runs the outputs. */
static void read_outputs(sal_context *ctx) {
    const double *value = NULL;
    const int64_t before = met[OUTPUT];
    sal_context_edit(ctx, SAL_Q); /* what was computed is out of date */
    sal_context_edit(ctx, SAL_Z);
    const sal_status status = sal_context_output(ctx, 0, &value);
    CHECK(status == SAL_OK || status == SAL_EINVAL); /* the pendulum has none */
    CHECK(!value || depth > 0 || met[OUTPUT] > before);
}

/* The slots of a run are copied between two calls. */
static int64_t asked_by_copies;

static void copy_it(void) {
    sal_simulator *copy = NULL;
    const int64_t before = met[SLOT];
    CHECK(sal_simulator_clone(sim, &copy) == SAL_OK && sal_simulator_copy(copy, sim) == SAL_OK);
    asked_by_copies += met[SLOT] - before;
    sal_simulator_free(copy);
}

/* What was saved at the end: in `bytes`, so many. */
static size_t run(sal_system *sys, const char *method, bool pokes, bool jacobian) {
    sal_simulator_config config = sal_simulator_config_default();
    int handle = -1;
    config.integrator.method = sal_method_find(method);
    config.integrator.max_step = 0.1;
    config.log = hear;
    config.clock = clock_now, config.sleep = clock_sleep, config.target_realtime_rate = 1;
    rate = pokes ? 1 : 2;
    CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK);
    CHECK(!jacobian || sal_simulator_set_jacobian(sim, slopes, NULL) == SAL_OK);
    sal_simulator_set_monitor(sim, watch, NULL);
    CHECK(sal_simulator_observe(sim, see, NULL, &handle) == SAL_OK);
    CHECK(sal_recorder_new(sim, &channel, 1, 0.03, &rec) == SAL_OK);
    depth = pokes ? 0 : 9;
    advance(0.7);
    CHECK(sal_simulator_state_at(sim, sal_simulator_step_start(sim), &seen_context) == SAL_OK);
    CHECK(sal_simulator_derivatives(sim, dx) == SAL_OK);
    CHECK(sal_recorder_sample(rec) == SAL_OK); /* outside of an advance */
    read_outputs(sal_simulator_context(sim));
    copy_it();
    static unsigned char saved[sizeof bytes];
    poked = false;
    size_t size = sal_simulator_save_size(sim);
    CHECK(size <= sizeof saved && sal_simulator_save(sim, saved, size) == SAL_OK);
    poked = true;
    CHECK(sal_simulator_load(sim, saved, size) == SAL_OK);
    sal_simulator_interrupt(sim);
    advance(2);
    poked = false;
    sal_recorder_free(rec);
    size = sal_simulator_save_size(sim);
    CHECK(sal_simulator_save(sim, bytes, size) == SAL_OK);
    sal_simulator_free(sim);
    sim = NULL;
    return size;
}

static void changes_nothing(sal_system *sys, const char *method, bool jacobian) {
    static unsigned char calm[sizeof bytes];
    const size_t size = run(sys, method, false, jacobian);
    memcpy(calm, bytes, size);
    const int before = check_failed;
    CHECK(run(sys, method, true, jacobian) == size && memcmp(bytes, calm, size) == 0);
    if (check_failed > before)
        printf("%s with %s\n", sal_system_name(sys), method);
    sal_system_free(sys);
}

/* The functions of a model read a whole run's samples too, for sal_simulator_preview_sampled; there is no flow. */
static void while_its_samples_are_asked(void) {
    static const sal_system_class still = {.name = "still", .update = ball_update};
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &still, "still", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "n", 2, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, "hand", 1, one) == SAL_OK);
    add_event(sys, "call", SAL_ON_DEMAND, SAL_DISCRETE, false);
    add_event(sys, "none", SAL_ON_STEP, SAL_NO_HANDLER, false);
    add_event(sys, "tick", SAL_ON_PERIOD, SAL_DISCRETE, false);
    sal_simulator_config config = sal_simulator_config_default();
    config.log = hear;
    CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 0.1, NULL) == SAL_OK);
    const int64_t before = met[DISCRETE];
    depth = 0, poked = true;
    CHECK(sal_simulator_preview_sampled(sim, &seen_context, NULL) == SAL_OK && met[DISCRETE] > before);
    poked = false;
    CHECK(sal_context_get(seen_context, SAL_XD)[0] == 2);
    CHECK(sal_simulator_demand(sim, 0, 0) == SAL_OK); /* and outside all is as before */
    sal_simulator_free(sim);
    sal_system_free(sys);
    sim = NULL;
}

int main(void) {
    static const char *const explicit_methods[] = {"tsitouras5", "dormand_prince8", "runge_kutta3", "auto"};
    static const char *const implicit_methods[] = {"radau5", "rodas4", "implicit_euler"};
    for (int i = 0; i < check_share(4); i++) {
        changes_nothing(make_ball(true), explicit_methods[i], false);
        changes_nothing(make_pendulum(), explicit_methods[i], false);
    }
    for (int i = 0; i < check_share(3); i++)
        for (int given = 0; given < 2; given++)
            changes_nothing(make_ball(false), implicit_methods[i], given);
    while_its_samples_are_asked();
    CHECK(asked_by_copies > 0);
    for (int i = 0; i < COUNT_OF_KINDS; i++) {
        if (met[i] == 0)
            printf("nothing was called from %s\n", kind_name[i]);
        CHECK(met[i] > 0);
    }
    return check_summary();
}
