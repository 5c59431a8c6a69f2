/* The C face, called in any order with any arguments, right or wrong, between the calls of a run and from its handlers:
 * a call is refused, it fails, or it does something; none crashes, hangs, or spoils what is freed at the end. */
#include <stdio.h>

#include "../support/models.h"

enum { SIMULATORS = 2, BYTES = 1 << 24, MOST_CALLS = 24 };

typedef struct input {
    const uint8_t *data;
    size_t left;
} input;

typedef struct world {
    input in;
    const model *model;
    sal_system *sys;
    sal_simulator *sim[SIMULATORS];
    sal_recorder *recorder; /* of the first */
    sal_context *context;   /* nobody's */
    unsigned char *bytes;
    size_t size;
    int handle;
    bool inside;                 /* a function of the model or of the host runs, */
    const sal_simulator *called; /* in a call of this one */
} world;

static unsigned byte(world *w) {
    if (w->in.left == 0)
        return 0;
    w->in.left--;
    return *w->in.data++;
}

static int number(world *w) {
    return (int)byte(w) - 4;
}

static double real(world *w) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e-300, 1e300, 1e-9};
    const unsigned which = byte(w);
    return which < sizeof odd / sizeof *odd ? odd[which] : (which - 50) / 40.;
}

/* Mostly soon. */
static double ahead(world *w, sal_simulator *sim) {
    const sal_context *ctx = sal_simulator_context(sim);
    const double dt = real(w);
    return byte(w) % 8 && ctx ? sal_context_time(ctx) + fabs(dt) / 4 : dt;
}

static void check(bool holds, const char *what, const world *w) {
    if (holds)
        return;
    fprintf(stderr, "api_fuzz: %s, %s\n", what, w->model->name);
    abort();
}

/* ---- calls ---- */

static void advance(world *w, sal_simulator *sim) {
    sal_report report;
    const double t = ahead(w, sim);
    switch (byte(w) % 6) {
    case 0:
        sal_simulator_step(sim, t, &report);
        break;
    case 1:
        sal_simulator_advance_pending_events(sim, NULL);
        break;
    case 2:
        sal_simulator_advance_frame(sim, real(w), real(w), number(w), NULL, byte(w) % 2 ? &report : NULL);
        break;
    default:
        sal_simulator_advance_to(sim, t, &report);
    }
}

static void initialize(world *w, sal_simulator *sim) {
    sal_report report;
    if (byte(w) % 2)
        sal_simulator_initialize(sim, byte(w) % 2, &report);
    else
        sal_simulator_initialize_consistent(sim, byte(w) % 2, NULL);
}

static void save(world *w, sal_simulator *sim) {
    const size_t size = sal_simulator_save_size(sim), room = byte(w) % 8 ? size : size / 2;
    unsigned char *bytes = malloc(size);
    const sal_status status = sal_simulator_save(sim, bytes, room);
    check(status != SAL_OK || room == size, "a save that did not fit", w);
    if (status != SAL_OK) {
        free(bytes);
        return;
    }
    free(w->bytes);
    w->bytes = bytes;
    w->size = size;
}

static void load(world *w, sal_simulator *sim) {
    if (w->bytes)
        sal_simulator_load(sim, w->bytes, byte(w) % 8 ? w->size : byte(w) % (w->size + 1));
}

/* A copy is the same run. */
static void copy(world *w, sal_simulator *sim) {
    sal_simulator *from = w->sim[byte(w) % SIMULATORS];
    const uint64_t before = sal_simulator_hash(sim);
    const sal_status status = sal_simulator_copy(sim, from);
    check(sal_simulator_hash(sim) == (status == SAL_OK ? sal_simulator_hash(from) : before), "a copy that differs", w);
}

static void schedule(world *w, sal_simulator *sim) {
    int64_t handle = number(w);
    const int part = byte(w) % 4 ? 0 : number(w), event = byte(w) % 4 ? 4 + (int)byte(w) % 2 : number(w);
    switch (byte(w) % 4) {
    case 0:
        sal_simulator_demand(sim, part, event);
        break;
    case 1:
        sal_simulator_cancel(sim, handle);
        break;
    default:
        for (int i = byte(w) % 5; i >= 0; i--)
            sal_simulator_schedule(sim, part, event, ahead(w, sim), &handle);
        if (byte(w) % 2)
            sal_simulator_cancel(sim, handle);
    }
}

static void feed(world *w, sal_simulator *sim) {
    double value[4] = {real(w), real(w), real(w), 1};
    const int part = byte(w) % 4 ? 0 : number(w), port = byte(w) % 4 ? 0 : number(w);
    const sal_system *sys = sal_diagram_part(w->sys, part);
    if (sys && sal_system_inputs(sys) > 0 && strcmp(w->model->name, "fed") != 0 && port != 0)
        return; /* an input may be longer than the value */
    if (byte(w) % 4)
        sal_simulator_feed(sim, part, port, ahead(w, sim), value);
    else
        sal_simulator_end_feed(sim, part, port);
}

static void edit(world *w, sal_simulator *sim) {
    sal_context *ctx = sal_simulator_context(sim);
    sal_context *part = ctx ? sal_context_part(ctx, byte(w) % 4 ? 0 : number(w)) : NULL;
    const sal_partition p = (sal_partition)(byte(w) % SAL_PARTITIONS);
    if (!part || w->inside)
        return;
    const int size = sal_context_size(part, p);
    if (byte(w) % 8 == 0)
        sal_context_set_time(ctx, real(w));
    else if (byte(w) % 8 == 0)
        sal_context_seed(ctx, byte(w));
    else if (size > 0)
        sal_context_edit(part, p)[byte(w) % (unsigned)size] = real(w);
}

static void set_integrator(world *w, sal_simulator *sim) {
    sal_integrator_config c = sal_integrator_config_default();
    c.method = sal_method_at((int)byte(w) % 24);
    if (byte(w) % 2)
        c.accuracy = real(w);
    if (byte(w) % 2)
        c.max_step = real(w);
    if (byte(w) % 4 == 0)
        c.min_step = real(w), c.initial_step = real(w), c.lower = number(w), c.upper = number(w);
    c.fixed_step = byte(w) % 4 == 0;
    c.hermite = byte(w) % 4 == 0;
    c.full_newton = byte(w) % 8 == 0, c.no_matrix_reuse = byte(w) % 8 == 0, c.dense_jacobian = byte(w) % 4 == 0;
    sal_simulator_set_integrator(sim, &c);
}

static void set(world *w, sal_simulator *sim) {
    sal_integrator *in = sal_simulator_integrator(sim);
    switch (byte(w) % 9) {
    case 0:
        sal_integrator_set_max_step(in, real(w));
        break;
    case 1:
        sal_integrator_set_accuracy(in, real(w));
        break;
    case 2:
        sal_integrator_set_min_step(in, real(w));
        break;
    case 3:
        sal_integrator_set_initial_step(in, real(w));
        break;
    case 4:
        sal_integrator_set_fixed_step(in, byte(w) % 2);
        break;
    case 5:
        sal_integrator_set_weight(in, number(w), real(w), byte(w) % 2);
        break;
    case 6:
        sal_simulator_set_context_accuracy(sim, real(w));
        break;
    case 7:
        sal_simulator_set_publish_every_step(sim, byte(w) % 2);
        break;
    default:
        sal_integrator_set_ideal_step(in, real(w));
    }
}

static void look(world *w, sal_simulator *sim) {
    static double dx[4096];
    const sal_context *ctx = NULL;
    const sal_warning *warnings = NULL;
    sal_report report;
    double value = 0;
    switch (byte(w) % 8) {
    case 0:
        sal_simulator_derivatives(sim, dx);
        break;
    case 1:
        sal_simulator_witness_value(sim, number(w), number(w), &value);
        break;
    case 2:
        sal_simulator_preview_sampled(sim, &ctx, &report);
        break;
    case 3:
        sal_simulator_hash(sim);
        break;
    case 4:
        sal_simulator_warnings(sim, &warnings);
        sal_simulator_statistics(sim);
        break;
    case 5:
        sal_simulator_reset_statistics(sim);
        break;
    default:
        if (sal_simulator_state_at(sim, byte(w) % 2 ? sal_simulator_step_start(sim) : real(w), &ctx) == SAL_OK)
            value = sal_context_time(ctx);
    }
}

static void change_context(world *w, sal_simulator *sim) {
    switch (byte(w) % 4) {
    case 0:
        sal_simulator_reset_context(sim, NULL);
        break;
    case 1:
        sal_context_free(w->context);
        w->context = sal_simulator_release_context(sim);
        break;
    case 2:
        if (w->context && sal_simulator_reset_context(sim, w->context) == SAL_OK)
            w->context = NULL;
        break;
    default:
        if (!w->context && sal_simulator_context(sim))
            sal_context_clone(sal_simulator_context(sim), &w->context);
    }
}

static void call(world *w, sal_simulator *sim);

/* From inside of the run: whatever it is, the run goes on. */
static void call_inside(world *w, sal_simulator *sim) {
    const bool was = w->inside;
    w->inside = true;
    if (!was && byte(w) % 4 == 0)
        call(w, sim);
    w->inside = was;
}

static sal_status time_of(void *user, const sal_context *ctx, double *value) {
    world *w = user;
    call_inside(w, w->sim[0]);
    *value = sal_context_time(ctx);
    return SAL_OK;
}

/* At each step: as many samples as a run to 1e300 asks for are nobody's to wait for. */
static double interval(world *w) {
    if (byte(w) % 8)
        return NAN;
    return byte(w) % 2 ? INFINITY : -1;
}

static void make_recorder(world *w) {
    const sal_channel channel = {.size = 1, .output = -1, .function = time_of, .user = w};
    const sal_status status = sal_recorder_new(w->sim[0], &channel, 1, interval(w), &w->recorder);
    check(status != SAL_OK || !w->inside || w->called != w->sim[0], "a recorder was made from inside", w);
}

static void record(world *w, sal_simulator *sim) {
    if (sim != w->sim[0])
        return;
    if (!w->recorder) {
        make_recorder(w);
        return;
    }
    switch (byte(w) % 8) {
    case 0:
        sal_recorder_stop(w->recorder);
        break;
    case 1:
        sal_recorder_start(w->recorder);
        break;
    case 2:
        sal_recorder_set_max_rows(w->recorder, number(w) * 4);
        break;
    case 3:
        sal_recorder_copy(w->recorder, w->recorder);
        break;
    case 4:
        sal_recorder_interpolate(w->recorder, number(w), real(w), number(w));
        break;
    default:
        sal_recorder_sample(w->recorder);
    }
}

static sal_status observe(void *user, sal_simulator *sim, sal_observation sight, int part, int event) {
    (void)sight, (void)part, (void)event;
    call_inside(user, sim);
    return SAL_OK;
}

static sal_outcome monitor(void *user, const sal_context *ctx, sal_note *note) {
    world *w = user;
    (void)ctx;
    sal_note_set(note, "enough");
    call_inside(w, w->sim[0]);
    return byte(w) % 16 == 15 ? SAL_TERMINATE : SAL_SUCCEEDED;
}

/* Of the time, mostly. */
static sal_status margin(void *user, const sal_context *ctx, double *value) {
    world *w = user;
    call_inside(w, w->sim[0]);
    *value = byte(w) % 16 == 15 ? real(w) : sal_context_time(ctx) - (double)byte(w) / 50;
    return SAL_OK;
}

static void watch(world *w, sal_simulator *sim) {
    const sal_watch wanted = {margin, w, byte(w) % 4 ? 0 : real(w)};
    const int64_t *fired = NULL;
    int64_t handle = number(w);
    switch (byte(w) % 8) {
    case 0:
        sal_simulator_unwatch(sim, handle);
        break;
    case 1:
        sal_simulator_know_watch(sim, &wanted, handle);
        break;
    case 2:
        sal_simulator_halt(sim);
        break;
    case 3:
        check(!isnan(sal_simulator_next_time(sim)) || isnan(sal_context_time(sal_simulator_context(sim))), "no time",
              w);
        check(sal_simulator_fired_watches(sim, &fired) == 0 || *fired > 0, "a handle", w);
        break;
    default:
        sal_simulator_watch(sim, &wanted, &handle);
    }
}

static void listen(world *w, sal_simulator *sim) {
    if (sim != w->sim[0])
        return;
    switch (byte(w) % 4) {
    case 0:
        sal_simulator_set_monitor(sim, monitor, w);
        break;
    case 1:
        sal_simulator_set_monitor(sim, NULL, NULL);
        break;
    case 2:
        sal_simulator_unobserve(sim, number(w));
        break;
    default:
        sal_simulator_observe(sim, observe, w, &w->handle);
    }
}

static void call(world *w, sal_simulator *sim) {
    if (!w->inside)
        w->called = sim;
    static void (*const calls[])(world *, sal_simulator *) = {
        advance, advance, advance,        initialize, save,  load,   schedule, feed,    edit, set_integrator,
        set,     look,    change_context, record,     watch, listen, watch,    advance, copy};
    calls[byte(w) % (sizeof calls / sizeof *calls)](w, sim);
}

/* ---- a sequence ---- */

static sal_system *systems[MODELS];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    world w = {.in = {data, size}};
    const unsigned which = byte(&w) % MODELS;
    w.model = &models[which];
    if (!systems[which])
        systems[which] = w.model->make();
    w.sys = systems[which];
    for (int i = 0; i < SIMULATORS; i++)
        check(make_simulator(NULL, w.model, w.sys, &w.sim[i]) == SAL_OK, "cannot be made", &w);
    for (int i = 0; i < MOST_CALLS && w.in.left > 0; i++)
        call(&w, w.sim[byte(&w) % 8 == 0]);
    for (int i = 0; i < SIMULATORS; i++)
        check(sal_simulator_context(w.sim[i]) == NULL || sal_simulator_save_size(w.sim[i]) < BYTES, "it grew", &w);
    sal_recorder_free(w.recorder);
    for (int i = 0; i < SIMULATORS; i++)
        sal_simulator_free(w.sim[i]);
    sal_context_free(w.context);
    free(w.bytes);
    return 0;
}
