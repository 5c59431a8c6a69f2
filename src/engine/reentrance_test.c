/* Whatever function a host gives is running, and by whichever call: from inside of it the run is not moved, changed or
 * kept, and looking at it changes nothing. Every function of simulator.h, and of recorder.h what moves a record, stands in
 * the table below; spec/architecture_spec.lua sees to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "saltus/saltus.h"

static sal_simulator *sim;
static sal_recorder *rec;
static bool poked; /* does this run have its functions call it? */
static double dx[8];
static unsigned char bytes[1 << 16];

/* ---- from where ---- */

#define KINDS(X) \
    X(DERIVATIVES), X(OUTPUT), X(WITNESS), X(WHEN), X(NEXT_TIME), X(HOLDS), X(FINDER), X(CONSTRAINTS), X(RATES), \
        X(PROJECT), X(MAP), X(HISTORY), X(PHASES), X(JACOBIAN), X(CLOCK), X(SLEEP), X(SLOT), X(CHANNEL), X(PUBLISH), \
        X(DISCRETE), X(UNRESTRICTED), X(ZENO), X(MONITOR), X(OBSERVER)
#define NAMED(kind) kind
#define TEXT(kind) #kind
typedef enum { KINDS(NAMED), COUNT_OF_KINDS } kind;
static const char *const kind_name[] = {KINDS(TEXT)};
static int64_t met[COUNT_OF_KINDS];
static int depth;

/* ---- who may be called ---- */

/* REFUSED: from nowhere inside. READS: from where no trial state stands in the context. LOOKS and TELLS: from everywhere.
 * OUTSIDE: by nobody inside, or it has nothing to do with a run. */
typedef enum { REFUSED, READS, LOOKS, TELLS, OUTSIDE } rule;

typedef struct entry {
    const char *name;
    rule rule;
    sal_status (*call)(void); /* REFUSED and READS: the answer */
} entry;

static sal_outcome watch(void *user, const sal_context *ctx, sal_note *note);
static sal_status see(void *user, sal_simulator *seen, sal_sight sight, int part, int event);
static sal_status slopes(void *user, const sal_context *ctx, double *j);
static sal_status read_channel(void *user, const sal_context *ctx, double *value);
static const double one[] = {1, 1};
static double rate = 1e9;

#define CALL(name, expression) \
    static sal_status name(void) { \
        return expression; \
    }
/* For what answers nothing that could be wrong. */
#define DO(name, statement) \
    static sal_status name(void) { \
        statement; \
        return SAL_OK; \
    }

static const sal_channel channel = {.size = 1, .output = -1, .function = read_channel};
static sal_recorder *another;
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
CALL(load, sal_simulator_load(sim, bytes, sizeof bytes))
CALL(feed, sal_simulator_feed(sim, 0, 0, 1e3, one))
CALL(end_feed, sal_simulator_end_feed(sim, 0, 0))
CALL(schedule, sal_simulator_schedule(sim, 0, 0, 1e3, NULL))
CALL(demand, sal_simulator_demand(sim, 0, 0))
CALL(cancel, sal_simulator_cancel(sim, 1))
CALL(sampled, sal_simulator_sampled(sim, &seen_context, NULL))
CALL(record, sal_recorder_new(sim, &channel, 1, INFINITY, &another))
CALL(derivatives, sal_simulator_derivatives(sim, dx))
CALL(witness_value, sal_simulator_witness_value(sim, 0, 1, dx))
CALL(state_at, sal_simulator_state_at(sim, sal_simulator_step_start(sim), &seen_context))
DO(context, sal_context_time(sal_simulator_context(sim)))
DO(integrator, sal_integrator_statistics(sal_simulator_integrator(sim)))
DO(config_of, sal_simulator_config_of(sim))
DO(realtime, sal_simulator_actual_realtime_rate(sim))
DO(initialized, sal_simulator_initialized(sim))
DO(window, sal_simulator_isolation_window(sim))
DO(save_size, sal_simulator_save_size(sim))
DO(hash, sal_simulator_hash(sim))
DO(statistics, sal_simulator_statistics(sim))
DO(warnings, sal_simulator_warnings(sim, &(const sal_warning *){NULL}))
DO(step_start, sal_simulator_step_start(sim))
DO(allocator, sal_simulator_allocator(sim))
DO(interrupt, sal_simulator_interrupt(sim))
DO(set_monitor, sal_simulator_set_monitor(sim, watch, NULL))
DO(publish_steps, sal_simulator_set_publish_every_step(sim, false))
DO(publish_start, sal_simulator_set_publish_at_initialization(sim, false))
DO(set_rate, sal_simulator_set_target_realtime_rate(sim, rate))

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
    {"sal_simulator_load", REFUSED, load},
    {"sal_simulator_feed", REFUSED, feed},
    {"sal_simulator_end_feed", REFUSED, end_feed},
    {"sal_simulator_schedule", REFUSED, schedule},
    {"sal_simulator_demand", REFUSED, demand},
    {"sal_simulator_cancel", REFUSED, cancel},
    {"sal_simulator_sampled", REFUSED, sampled},
    {"sal_recorder_new", REFUSED, record},
    {"sal_simulator_derivatives", READS, derivatives},
    {"sal_simulator_witness_value", READS, witness_value},
    {"sal_simulator_state_at", READS, state_at},
    {"sal_simulator_context", LOOKS, context},
    {"sal_simulator_integrator", LOOKS, integrator},
    {"sal_simulator_config_of", LOOKS, config_of},
    {"sal_simulator_actual_realtime_rate", LOOKS, realtime},
    {"sal_simulator_initialized", LOOKS, initialized},
    {"sal_simulator_isolation_window", LOOKS, window},
    {"sal_simulator_save_size", LOOKS, save_size},
    {"sal_simulator_hash", LOOKS, hash},
    {"sal_simulator_statistics", LOOKS, statistics},
    {"sal_simulator_warnings", LOOKS, warnings},
    {"sal_simulator_step_start", LOOKS, step_start},
    {"sal_simulator_allocator", LOOKS, allocator},
    {"sal_simulator_interrupt", TELLS, interrupt},
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

static void judge(const entry *e, kind from, sal_status answer) {
    if (!is_right(e, from, answer))
        printf("%s from %s: %s\n", e->name, kind_name[from], sal_status_text(answer));
    CHECK(is_right(e, from, answer));
}

/* Readers call functions of the model: from those all is asked again, and no deeper. */
static void poke(kind from) {
    if (!poked || !sim || depth > 1)
        return;
    depth++;
    met[from]++;
    for (int i = 0; i < ENTRIES; i++)
        if (table[i].call)
            judge(&table[i], from, table[i].call());
    if (from == CHANNEL)
        CHECK(sal_recorder_sample(rec) == SAL_ESTATE && sal_recorder_set_most(rec, 16) == SAL_ESTATE &&
              sal_recorder_copy(rec, rec) == SAL_ESTATE);
    depth--;
}

/* ---- a ball that comes to rest; what it keeps, who looks at it ---- */

enum { CALLED, TOUCH, TICK };

static sal_status ball_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *speed = sal_context_get(ctx, SAL_V), *input = NULL, *output = NULL;
    double past = 0;
    poke(DERIVATIVES);
    sal_status status = sal_context_input(ctx, 0, &input);
    if (status == SAL_OK)
        status = sal_context_output(ctx, 0, &output);
    if (status == SAL_OK && sal_system_pasts(self) > 0)
        status = sal_context_past(ctx, 0, 0.1, &past);
    dot->q[0] = speed[0];
    dot->v[0] = sal_context_get(ctx, SAL_XD)[1] > 0 ? 0 : -9.81;
    dot->z[0] = *output + past + input[0] - sal_context_get(ctx, SAL_Z)[0];
    return status;
}

static sal_status ball_output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)port;
    poke(OUTPUT);
    *value = 2 * sal_context_get(ctx, SAL_Q)[0];
    return SAL_OK;
}

static sal_status ball_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    poke(WITNESS);
    *value = sal_context_get(ctx, SAL_Q)[0];
    return SAL_OK;
}

static sal_status ball_when(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    poke(WHEN);
    *active = sal_context_get(ctx, SAL_XD)[1] == 0;
    return SAL_OK;
}

static sal_status ball_next_time(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)self, (void)event;
    poke(NEXT_TIME);
    *t = floor(sal_context_time(ctx) * 3 + 1) / 3;
    return SAL_OK;
}

static sal_status ball_holds(const sal_system *self, const sal_context *ctx, int event, bool *holds) {
    (void)self, (void)event;
    poke(HOLDS);
    *holds = sal_context_get(ctx, SAL_Z)[0] >= 0.25;
    return SAL_OK;
}

static sal_status ball_finder(const sal_system *self, const sal_context *ctx, int event, int finder, double *value) {
    (void)self, (void)event, (void)finder;
    poke(FINDER);
    *value = sal_context_get(ctx, SAL_Z)[0] - 0.25;
    return SAL_OK;
}

static sal_status ball_phases(const sal_system *self, const sal_context *ctx, int event, double *phase, int *count) {
    (void)self, (void)event;
    poke(PHASES);
    *phase = sal_context_time(ctx);
    *count = 1;
    return SAL_OK;
}

static sal_status ball_history(const sal_system *self, int past, double t, double *value, double *slope) {
    (void)self, (void)past;
    poke(HISTORY);
    if (value)
        *value = t;
    if (slope)
        *slope = 1;
    return SAL_OK;
}

static sal_outcome ball_publish(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    poke(PUBLISH);
    return SAL_SUCCEEDED;
}

static sal_outcome ball_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                               sal_context *next, sal_note *note) {
    void *slot = NULL;
    (void)self, (void)note;
    poke(event->zeno ? ZENO : event->index == TICK ? DISCRETE : UNRESTRICTED);
    if (event->index == TICK) {
        sal_context_edit(next, SAL_XD)[0] += 1;
        return SAL_SUCCEEDED;
    }
    if (event->index == TOUCH) {
        sal_context_edit(next, SAL_Q)[0] = 0;
        sal_context_edit(next, SAL_V)[0] = event->zeno ? 0 : -0.5 * sal_context_get(ctx, SAL_V)[0];
        sal_context_edit(next, SAL_XD)[1] = event->zeno;
    }
    return sal_context_edit_slot(next, 0, &slot) == SAL_OK ? ++*(double *)slot, SAL_SUCCEEDED : SAL_FAILED;
}

static const sal_system_class ball_class = {.name = "ball",
                                            .derivatives = ball_rates,
                                            .output = ball_output,
                                            .witness = ball_witness,
                                            .when = ball_when,
                                            .next_time = ball_next_time,
                                            .holds = ball_holds,
                                            .finder = ball_finder,
                                            .phases = ball_phases,
                                            .history = ball_history,
                                            .publish = ball_publish,
                                            .update = ball_update};

static sal_status slot_make(const sal_system *self, int slot, void **out) {
    (void)self, (void)slot;
    *out = calloc(1, sizeof(double));
    return *out ? SAL_OK : SAL_ENOMEM;
}

static sal_status slot_assign(void *to, const void *from) {
    poke(SLOT);
    memcpy(to, from, sizeof(double));
    return SAL_OK;
}

static sal_status slot_clone(const void *from, void **out) {
    const sal_status status = slot_make(NULL, 0, out);
    return status == SAL_OK ? slot_assign(*out, from) : status;
}

static size_t slot_size(const void *value) {
    (void)value;
    return sizeof(double);
}

static void slot_save(const void *value, void *to) {
    memcpy(to, value, sizeof(double));
}

static sal_status slot_load(void *value, const void *from, size_t size) {
    return size == sizeof(double) ? slot_assign(value, from) : SAL_EINVAL;
}

static uint64_t slot_hash(const void *value, uint64_t seed) {
    return sal_hash(value, sizeof(double), seed);
}

static const sal_slot_type slot_type = {slot_make, slot_clone, slot_assign, free,
                                        slot_size, slot_save,  slot_load,   slot_hash};

static void add_event(sal_system *sys, const char *name, sal_trigger trigger, sal_kind what, bool at_touch) {
    sal_event_config e = sal_event_config_default();
    e.name = name, e.trigger = trigger, e.kind = what;
    e.guarded = e.on_zeno = at_touch, e.direction = SAL_FALLING;
    e.time_variable = -1, e.finders = trigger == SAL_ON_CHANGE, e.period = trigger == SAL_ON_PERIOD ? 0.25 : 0;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
}

static sal_system *make_ball(bool keeps_past) {
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &ball_class, "ball", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Q, "height", 1, one) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_V, "speed", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "lag", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "count", 2, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, "hand", 1, one) == SAL_OK);
    CHECK(sal_system_add_output(sys, "twice", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_slot(sys, "kept", &slot_type, NULL) == SAL_OK);
    CHECK(!keeps_past || sal_system_add_past(sys, "lag", 0.2, NULL) == SAL_OK);
    add_event(sys, "call", SAL_ON_DEMAND, SAL_DISCRETE, false);
    add_event(sys, "touch", SAL_ON_WITNESS, SAL_UNRESTRICTED, true);
    add_event(sys, "tick", SAL_ON_PERIOD, SAL_DISCRETE, false);
    add_event(sys, "show", SAL_ON_STEP, SAL_PUBLISH, false);
    add_event(sys, "set", SAL_ON_INITIALIZATION, SAL_UNRESTRICTED, false);
    add_event(sys, "alarm", SAL_ON_TIME, SAL_UNRESTRICTED, false);
    add_event(sys, "turn", SAL_ON_CHANGE, SAL_UNRESTRICTED, false);
    return sys;
}

/* ---- a pendulum that is held on its circle ---- */

static sal_status swing_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *r = sal_context_get(ctx, SAL_Q), *u = sal_context_get(ctx, SAL_V);
    const double pull = (u[0] * u[0] + u[1] * u[1] - 9.81 * r[1]) / (r[0] * r[0] + r[1] * r[1]);
    (void)self;
    poke(DERIVATIVES);
    for (int i = 0; i < 2; i++) {
        dot->q[i] = u[i];
        dot->v[i] = -pull * r[i] - (i == 1 ? 9.81 : 0);
    }
    return SAL_OK;
}

static sal_status swing_rod(const sal_system *self, const sal_context *ctx, double *residual) {
    const double *r = sal_context_get(ctx, SAL_Q);
    (void)self;
    poke(CONSTRAINTS);
    residual[0] = (r[0] * r[0] + r[1] * r[1] - 1) / 2;
    return SAL_OK;
}

static sal_status swing_rod_rate(const sal_system *self, const sal_context *ctx, double *slope) {
    const double *r = sal_context_get(ctx, SAL_Q), *u = sal_context_get(ctx, SAL_V);
    (void)self;
    poke(RATES);
    slope[0] = r[0] * u[0] + r[1] * u[1];
    return SAL_OK;
}

static sal_status swing_project(const sal_system *self, const sal_context *ctx, const sal_rates *next) {
    (void)self, (void)ctx, (void)next;
    poke(PROJECT);
    return SAL_OK;
}

static sal_status swing_map(const sal_system *self, const sal_context *ctx, const double *v, double *qdot) {
    (void)self, (void)ctx;
    poke(MAP);
    qdot[0] = v[0], qdot[1] = v[1];
    return SAL_OK;
}

static const sal_system_class swing_class = {.name = "pendulum",
                                             .derivatives = swing_rates,
                                             .constraints = swing_rod,
                                             .constraint_rates = swing_rod_rate,
                                             .project = swing_project,
                                             .velocity_map = swing_map};

static sal_system *make_pendulum(void) {
    const double level[] = {1, 0};
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &swing_class, "pendulum", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Q, "r", 2, level) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_V, "u", 2, NULL) == SAL_OK);
    CHECK(sal_system_set_constraints(sys, 1, 1) == SAL_OK);
    return sys;
}

/* ---- who looks ---- */

static sal_outcome watch(void *user, const sal_context *ctx, sal_note *note) {
    (void)user, (void)ctx, (void)note;
    poke(MONITOR);
    return SAL_SUCCEEDED;
}

static sal_status see(void *user, sal_simulator *seen, sal_sight sight, int part, int event) {
    (void)user, (void)seen, (void)sight, (void)part, (void)event;
    poke(OBSERVER);
    return SAL_OK;
}

static sal_status read_channel(void *user, const sal_context *ctx, double *value) {
    (void)user;
    poke(CHANNEL);
    *value = sal_context_time(ctx);
    return SAL_OK;
}

static sal_status slopes(void *user, const sal_context *ctx, double *j) {
    (void)user, (void)ctx;
    poke(JACOBIAN);
    const double given[] = {0, 1, 0, 0, 0, 0, 2, 0, -1};
    memcpy(j, given, sizeof given);
    return SAL_OK;
}

static double clock_now(void *user) {
    (void)user;
    poke(CLOCK);
    return 1;
}

static void clock_sleep(void *user, double seconds) {
    (void)user, (void)seconds;
    poke(SLEEP);
}

/* ---- runs ---- */

/* Those that were interrupted from inside go on. */
static void advance(double t) {
    sal_report report;
    poked = true;
    do
        CHECK(sal_simulator_advance_to(sim, t, &report) == SAL_OK);
    while (report.reason == SAL_AT_INTERRUPT);
    CHECK(report.reason == SAL_AT_BOUNDARY && report.time == t);
}

/* What was saved at the end: in `bytes`, so many. */
static size_t run(sal_system *sys, const char *method, bool pokes, bool jacobian) {
    sal_simulator_config config = sal_simulator_config_default();
    int handle = -1;
    config.integrator.method = sal_method_find(method);
    config.integrator.max_step = 0.1;
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

/* The functions of a model read a whole run's samples too, for sal_simulator_sampled; there is no flow. */
static void while_its_samples_are_asked(void) {
    static const sal_system_class still = {.name = "still", .update = ball_update};
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &still, "still", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "n", 2, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, "hand", 1, one) == SAL_OK);
    add_event(sys, "call", SAL_ON_DEMAND, SAL_DISCRETE, false);
    add_event(sys, "none", SAL_ON_STEP, SAL_NO_HANDLER, false);
    add_event(sys, "tick", SAL_ON_PERIOD, SAL_DISCRETE, false);
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &sim) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 0.1, NULL) == SAL_OK);
    const int64_t before = met[DISCRETE];
    depth = 0, poked = true;
    CHECK(sal_simulator_sampled(sim, &seen_context, NULL) == SAL_OK && met[DISCRETE] > before);
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
    for (int i = 0; i < 4; i++) {
        changes_nothing(make_ball(true), explicit_methods[i], false);
        changes_nothing(make_pendulum(), explicit_methods[i], false);
    }
    for (int i = 0; i < 3; i++)
        for (int given = 0; given < 2; given++)
            changes_nothing(make_ball(false), implicit_methods[i], given);
    while_its_samples_are_asked();
    for (int i = 0; i < COUNT_OF_KINDS; i++) {
        if (met[i] == 0)
            printf("nothing was called from %s\n", kind_name[i]);
        CHECK(met[i] > 0);
    }
    return check_summary();
}
