/* Small models of every kind, for those who do to them what no one should: each state that a run can be saved in is met
 * by one of them. */
#ifndef SPEC_MODELS_H
#define SPEC_MODELS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "saltus/saltus.h"

#define MODEL_UNUSED __attribute__((unused))

/* ---- abstract state: a heap of positive numbers ---- */

typedef struct pile {
    int count;
    double number[8];
} pile;

static sal_status pile_make(const sal_system *self, int slot, void **out) {
    (void)self, (void)slot;
    *out = calloc(1, sizeof(pile));
    return *out ? SAL_OK : SAL_ENOMEM;
}

static sal_status pile_assign(void *to, const void *from) {
    memcpy(to, from, sizeof(pile));
    return SAL_OK;
}

static sal_status pile_clone(const void *from, void **out) {
    const sal_status status = pile_make(NULL, 0, out);
    return status == SAL_OK ? pile_assign(*out, from) : status;
}

static size_t pile_size(const void *value) {
    return (size_t)((const pile *)value)->count * sizeof(double);
}

static size_t pile_bound(const void *value) {
    return sizeof((const pile *)value)->number;
}

static void pile_save(const void *value, void *bytes) {
    memcpy(bytes, ((const pile *)value)->number, pile_size(value));
}

static sal_status pile_load(void *value, const void *bytes, size_t size) {
    pile p = {(int)(size / sizeof(double)), {0}};
    if (size > sizeof p.number || size % sizeof(double))
        return SAL_EINVAL;
    memcpy(p.number, bytes, size);
    for (int i = 0; i < p.count; i++)
        if (!(p.number[i] > 0))
            return SAL_EINVAL;
    return pile_assign(value, &p);
}

static uint64_t pile_hash(const void *value, uint64_t seed) {
    return sal_hash(((const pile *)value)->number, pile_size(value), seed);
}

static const sal_slot_type pile_type = {pile_make, pile_clone, pile_assign, free,      pile_size,
                                        pile_save, pile_load,  pile_hash,   pile_bound};

/* ---- building ---- */

static const sal_allocator *model_memory; /* NULL: the C library's */

static sal_system *new_system(const sal_system_class *behaviour, const char *name) {
    sal_system *sys = NULL;
    return sal_system_new(model_memory, behaviour, name, NULL, &sys) == SAL_OK ? sys : NULL;
}

static void add_number(sal_system *sys, sal_partition partition, const char *name, double value) {
    sal_system_add_values(sys, partition, name, 1, &value);
}

static void add_event(sal_system *sys, const char *name, sal_trigger trigger, sal_kind kind, double period) {
    sal_event_config e = sal_event_config_default();
    e.name = name, e.trigger = trigger, e.kind = kind, e.period = period;
    sal_system_add_event(sys, &e, NULL);
}

static void add_timed(sal_system *sys, const char *name, sal_kind kind, int variable) {
    sal_event_config e = sal_event_config_default();
    e.name = name, e.trigger = SAL_ON_TIME, e.kind = kind, e.time_variable = variable;
    sal_system_add_event(sys, &e, NULL);
}

static void add_witness(sal_system *sys, const char *name, sal_kind kind, sal_direction direction, bool guarded) {
    sal_event_config e = sal_event_config_default();
    e.name = name, e.trigger = SAL_ON_WITNESS, e.kind = kind, e.direction = direction;
    e.guarded = guarded, e.on_zeno = kind == SAL_UNRESTRICTED;
    sal_system_add_event(sys, &e, NULL);
}

static sal_outcome see(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    return SAL_SUCCEEDED;
}

/* ---- a ball: a mode, random draws, timers of every kind, abstract state, a Zeno point ---- */

enum { MODE, WAKE, TICKS };
enum { BOUNCE, HIGH, TICK, NAP, KICK, SHOUT, ASK };

static sal_status ball_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->q[0] = sal_context_get(ctx, SAL_V)[0];
    dot->v[0] = sal_context_get(ctx, SAL_XD)[MODE] == 1 ? -9.81 : 0;
    return SAL_OK;
}

static sal_status ball_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    *value = sal_context_get(ctx, SAL_Q)[0] - (event == HIGH ? 0.3 : 0);
    return SAL_OK;
}

static sal_status ball_when(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    *active = sal_context_get(ctx, SAL_XD)[MODE] == 1;
    return SAL_OK;
}

static sal_status ball_next_time(const sal_system *self, const sal_context *ctx, int event, double *t) {
    (void)self, (void)event;
    *t = floor(sal_context_time(ctx) * 4 + 1) / 4;
    return SAL_OK;
}

static void note_bounce(sal_context *next, double speed) {
    void *value = NULL;
    if (sal_context_edit_slot(next, 0, &value) != SAL_OK)
        return;
    pile *p = value;
    p->number[p->count % 8] = speed == speed ? 1 + fabs(speed) : 1;
    p->count = p->count % 8 + 1;
}

static sal_outcome ball_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                               sal_context *next, sal_note *note) {
    (void)self, (void)note;
    double *xd = sal_context_edit(next, SAL_XD);
    if (event->index == TICK)
        xd[TICKS] += 1;
    else if (event->index == NAP)
        xd[WAKE] = sal_context_time(ctx) + 0.3;
    else if (event->index == KICK)
        sal_context_edit(next, SAL_V)[0] += 1;
    else if (event->zeno)
        xd[MODE] = 2, sal_context_edit(next, SAL_Q)[0] = sal_context_edit(next, SAL_V)[0] = 0;
    else {
        const double speed = -(0.5 + 0.3 * sal_context_random(next)) * sal_context_get(ctx, SAL_V)[0];
        sal_context_edit(next, SAL_Q)[0] = 0;
        sal_context_edit(next, SAL_V)[0] = speed;
        note_bounce(next, speed);
    }
    return SAL_SUCCEEDED;
}

static const sal_system_class ball_class = {.name = "ball",
                                            .derivatives = ball_rates,
                                            .witness = ball_witness,
                                            .when = ball_when,
                                            .next_time = ball_next_time,
                                            .publish = see,
                                            .update = ball_update};

static sal_system *make_ball(void) {
    sal_system *sys = new_system(&ball_class, "ball");
    add_number(sys, SAL_Q, "height", 1);
    add_number(sys, SAL_V, "speed", 0);
    add_number(sys, SAL_XD, "mode", 1);
    sal_system_set_modes(sys, "mode", (const char *const[]){"falling", "resting"}, 2);
    add_number(sys, SAL_XD, "wake", 0.35);
    add_number(sys, SAL_XD, "ticks", 0);
    add_number(sys, SAL_PARAM, "spare", 3);
    sal_system_add_slot(sys, "pile", &pile_type, NULL);
    add_witness(sys, "bounce", SAL_UNRESTRICTED, SAL_FALLING, true);
    add_witness(sys, "high", SAL_PUBLISH, SAL_CROSSING, false);
    add_event(sys, "tick", SAL_ON_PERIOD, SAL_DISCRETE, 0.1);
    add_timed(sys, "nap", SAL_DISCRETE, WAKE);
    add_event(sys, "kick", SAL_ON_DEMAND, SAL_UNRESTRICTED, 0);
    add_event(sys, "shout", SAL_ON_DEMAND, SAL_PUBLISH, 0);
    add_timed(sys, "ask", SAL_PUBLISH, -1);
    return sys;
}

/* ---- waves: many crossings in one step, none of which ends its flow ---- */

static sal_status wave_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *z = sal_context_get(ctx, SAL_Z);
    dot->z[0] = z[1];
    dot->z[1] = -z[0];
    dot->z[2] = 0.3 * cos(3 * sal_context_time(ctx));
    return SAL_OK;
}

static sal_status wave_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    const double *z = sal_context_get(ctx, SAL_Z), t = sal_context_time(ctx);
    const double of[] = {z[0], z[1] - 0.2, z[0] + z[2], z[0] * z[1] + 0.01, z[1] + 0.5 * sin(t), z[0] - 0.9 * z[2]};
    *value = of[event];
    return SAL_OK;
}

static sal_status wave_when(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    *active = fmod(sal_context_time(ctx), 3) < 2;
    return SAL_OK;
}

static sal_outcome wave_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                               sal_context *next, sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    sal_context_edit(next, SAL_XD)[0] += 1;
    return sal_context_get(ctx, SAL_XD)[0] > 5 ? SAL_SUCCEEDED : SAL_DID_NOTHING;
}

static const sal_system_class wave_class = {.name = "waves",
                                            .derivatives = wave_rates,
                                            .witness = wave_witness,
                                            .when = wave_when,
                                            .publish = see,
                                            .update = wave_update};

static sal_system *make_waves(void) {
    sal_system *sys = new_system(&wave_class, "waves");
    const double start[] = {0, 1, 0.1};
    sal_system_add_values(sys, SAL_Z, "z", 3, start);
    add_number(sys, SAL_XD, "n", 0);
    add_witness(sys, "a", SAL_PUBLISH, SAL_CROSSING, false);
    add_witness(sys, "b", SAL_NO_HANDLER, SAL_RISING, false);
    add_witness(sys, "c", SAL_DISCRETE, SAL_CROSSING, false);
    add_witness(sys, "d", SAL_PUBLISH, SAL_FALLING, true);
    add_witness(sys, "e", SAL_DISCRETE, SAL_CROSSING, true);
    add_witness(sys, "f", SAL_PUBLISH, SAL_TURNING, false);
    return sys;
}

/* ---- a rod: stiff, its Jacobian a band; with M x' = f, and a sum that is kept ---- */

enum { ROD = 24 };

static sal_status rod_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const int n = sal_context_size(ctx, SAL_Z);
    const double *u = sal_context_get(ctx, SAL_Z), t = sal_context_time(ctx);
    for (int i = 0; i < n; i++)
        dot->z[i] = 100 * ((i > 0 ? u[i - 1] : sin(t)) - 2 * u[i] + (i + 1 < n ? u[i + 1] : 0)) - u[i] * u[i] * u[i];
    return SAL_OK;
}

static sal_status rod_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = sal_context_get(ctx, SAL_Z)[2] - 0.25;
    return SAL_OK;
}

static const sal_system_class rod_class = {
    .name = "rod", .derivatives = rod_rates, .witness = rod_witness, .publish = see};

static sal_system *make_rod(void) {
    sal_system *sys = new_system(&rod_class, "rod");
    sal_system_add_values(sys, SAL_Z, "u", ROD, NULL);
    add_witness(sys, "warm", SAL_PUBLISH, SAL_CROSSING, false);
    return sys;
}

static sal_system *make_heavy_rod(void) {
    enum { N = 4 };
    sal_system *sys = new_system(&rod_class, "heavy");
    double mass[N * N] = {0};
    sal_system_add_values(sys, SAL_Z, "u", N, NULL);
    for (int i = 0; i < N; i++)
        mass[i * N + i] = 1 + i, mass[i * N + (i + 1) % N] = 0.1;
    sal_system_set_mass(sys, mass);
    add_witness(sys, "warm", SAL_PUBLISH, SAL_CROSSING, false);
    return sys;
}

/* ---- a pendulum on its circle ---- */

static sal_status pendulum_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *q = sal_context_get(ctx, SAL_Q), *v = sal_context_get(ctx, SAL_V);
    const double pull = v[0] * v[0] + v[1] * v[1] - 9.81 * q[1];
    for (int i = 0; i < 2; i++) {
        dot->q[i] = v[i];
        dot->v[i] = -pull * q[i] - (i ? 9.81 : 0);
    }
    return SAL_OK;
}

static sal_status pendulum_constraints(const sal_system *self, const sal_context *ctx, double *residual) {
    (void)self;
    const double *q = sal_context_get(ctx, SAL_Q);
    residual[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return SAL_OK;
}

static sal_status pendulum_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = sal_context_get(ctx, SAL_Q)[0];
    return SAL_OK;
}

static sal_outcome pendulum_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                   sal_context *next, sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    double *v = sal_context_edit(next, SAL_V);
    v[0] *= 1.01, v[1] *= 1.01;
    return SAL_SUCCEEDED;
}

static const sal_system_class pendulum_class = {.name = "pendulum",
                                                .derivatives = pendulum_rates,
                                                .constraints = pendulum_constraints,
                                                .witness = pendulum_witness,
                                                .update = pendulum_update};

static sal_system *make_pendulum(void) {
    sal_system *sys = new_system(&pendulum_class, "pendulum");
    const double q[] = {1, 0};
    sal_system_add_values(sys, SAL_Q, "q", 2, q);
    sal_system_add_values(sys, SAL_V, "v", 2, NULL);
    sal_system_set_constraints(sys, 1, 0);
    add_witness(sys, "through", SAL_UNRESTRICTED, SAL_CROSSING, false);
    return sys;
}

/* ---- what reads its past: a lag that stands, one that varies, a derivative, a jump ---- */

static sal_status delayed_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    double a = 0, b = 0, c = 0;
    sal_status status = sal_context_past(ctx, 0, 0.25, &a);
    if (status == SAL_OK)
        status = sal_context_past(ctx, 0, 0.3 + 0.1 * sin(sal_context_time(ctx)), &b);
    if (status == SAL_OK)
        status = sal_context_past_rate(ctx, 1, 0.5, &c);
    dot->z[0] = -a + 0.3 * b + 0.1 * c;
    dot->z[1] = sal_context_get(ctx, SAL_Z)[0];
    return status;
}

static sal_status delayed_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = sal_context_get(ctx, SAL_Z)[0];
    return SAL_OK;
}

static sal_outcome delayed_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                  sal_context *next, sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    sal_context_edit(next, SAL_Z)[0] += 0.1;
    return SAL_SUCCEEDED;
}

static const sal_system_class delayed_class = {.name = "delayed",
                                               .derivatives = delayed_rates,
                                               .witness = delayed_witness,
                                               .publish = see,
                                               .update = delayed_update};

static sal_system *make_delayed(void) {
    sal_system *sys = new_system(&delayed_class, "delayed");
    const double z[] = {1, 0};
    sal_system_add_values(sys, SAL_Z, "x", 1, z);
    sal_system_add_values(sys, SAL_Z, "y", 1, z + 1);
    sal_system_add_past(sys, "x", 0.5, NULL);
    sal_system_add_past(sys, "y", 1, NULL);
    add_witness(sys, "through", SAL_PUBLISH, SAL_CROSSING, false);
    add_event(sys, "push", SAL_ON_PERIOD, SAL_UNRESTRICTED, 0.7);
    return sys;
}

/* ---- a hand that a host feeds ---- */

static sal_status fed_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *hand = NULL;
    const sal_status status = sal_context_input(ctx, 0, &hand);
    dot->z[0] = status == SAL_OK ? hand[0] - 0.1 * hand[1] : 0;
    return status;
}

static sal_status fed_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    const double *hand = NULL;
    const sal_status status = sal_context_input(ctx, 0, &hand);
    *value = status == SAL_OK ? hand[0] - 0.25 : 0;
    return status;
}

static sal_outcome fed_update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                              sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    sal_context_edit(next, SAL_XD)[0] += 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class fed_class = {
    .name = "fed", .derivatives = fed_rates, .witness = fed_witness, .update = fed_update};

static sal_system *make_fed(void) {
    sal_system *sys = new_system(&fed_class, "fed");
    const double hand[] = {0.1, 0};
    sal_system_add_values(sys, SAL_INPUT, "hand", 2, hand);
    add_number(sys, SAL_Z, "sum", 0);
    add_number(sys, SAL_XD, "n", 0);
    add_witness(sys, "cross", SAL_DISCRETE, SAL_CROSSING, false);
    add_event(sys, "sample", SAL_ON_PERIOD, SAL_DISCRETE, 0.2);
    return sys;
}

/* ---- blocks, each fed by a sine ---- */

static const double two[4] = {0.1, 0.3, 0.3, 0.5}, less = 0.05, pair[2] = {1, 1}, one = 1;

static bool is_one_of(const char *name, const char *const *names) {
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static sal_block_value something_for(const sal_block_option *o) {
    static const char *const lists[] = {"denominator", "points", "rows", "columns", "times", "values", NULL};
    static const char *const small[] = {"lower", "width", "kinetic_friction", NULL};
    sal_block_value v = {.option = o->name, .numbers = two, .count = 1};
    if (is_one_of(o->name, lists))
        v.count = 2;
    else if (strcmp(o->name, "sizes") == 0)
        v.numbers = pair, v.count = 2;
    else if (is_one_of(o->name, small))
        v.numbers = &less;
    else if (o->type == SAL_OPTION_COUNT || strcmp(o->name, "elements") == 0)
        v.numbers = &one;
    return v;
}

static sal_status make_block(const sal_block_kind *kind, sal_system **out) {
    sal_block_value told[16];
    int count = 0;
    for (const sal_block_option *o = kind->options; o->name; o++)
        if (o->required)
            told[count++] = something_for(o);
    if (strcmp(kind->name, "lookup_table_2d") == 0)
        told[2].count = 4;
    if (strcmp(kind->name, "demux") == 0)
        told[0].count = 1;
    return sal_block_new(model_memory, kind->name, kind->name, told, count, NULL, out);
}

/* Kinds from `first` on, every `stride`th. What it is made of lives as long as the process. */
static sal_system *make_blocks(int first, int stride) {
    sal_system *whole = NULL, *sine = NULL, *constant = NULL, *block = NULL;
    sal_diagram_new(model_memory, "blocks", &whole);
    sal_block_sine(model_memory, "sine", 0.7, 3, 0.5, &sine);
    sal_block_constant(model_memory, "constant", 1, &less, &constant);
    sal_diagram_add(whole, sine, "sine", NULL);
    sal_diagram_add(whole, constant, "constant", NULL);
    for (int k = first; sal_block_at(k); k += stride) {
        int part = 0;
        if (make_block(sal_block_at(k), &block) != SAL_OK)
            continue;
        if (sal_diagram_add(whole, block, sal_block_at(k)->name, &part) != SAL_OK) {
            sal_system_free(block);
            continue;
        }
        const int delay = sal_system_find_value(block, SAL_INPUT, "delay");
        for (int i = 0; i < sal_system_inputs(block); i++)
            sal_diagram_connect(whole, i > 0 && i == delay ? 1 : 0, 0, part, i);
    }
    return whole;
}

MODEL_UNUSED static sal_system *make_blocks_0(void) {
    return make_blocks(0, 3);
}
MODEL_UNUSED static sal_system *make_blocks_1(void) {
    return make_blocks(1, 3);
}
MODEL_UNUSED static sal_system *make_blocks_2(void) {
    return make_blocks(2, 3);
}

/* ---- all of them ---- */

typedef struct model {
    const char *name, *method;
    sal_system *(*make)(void);
    double accuracy, max_step; /* with a `fixed` step when that is below 0 */
} model;

static const model models[] = {
    {"ball", "tsitouras5", make_ball, 1e-5, INFINITY},
    {"ball stepwise", "runge_kutta3", make_ball, NAN, -0.01},
    {"ball implicit", "radau3", make_ball, 1e-4, 0.1},
    {"waves", "dormand_prince8", make_waves, 1e-6, INFINITY},
    {"waves auto", "auto", make_waves, 1e-4, INFINITY},
    {"rod", "radau5", make_rod, 1e-4, INFINITY},
    {"rod auto", "auto", make_rod, 1e-4, INFINITY},
    {"rod rodas", "rodas4", make_rod, 1e-4, INFINITY},
    {"rod euler", "implicit_euler", make_rod, 1e-2, INFINITY},
    {"heavy rod", "radau5", make_heavy_rod, 1e-4, INFINITY},
    {"heavy rod rodas", "rodas4", make_heavy_rod, 1e-4, INFINITY},
    {"pendulum", "tsitouras5", make_pendulum, 1e-5, INFINITY},
    {"delayed", "tsitouras5", make_delayed, 1e-4, INFINITY},
    {"delayed auto", "auto", make_delayed, 1e-4, INFINITY},
    {"fed", "tsitouras5", make_fed, 1e-4, INFINITY},
    {"blocks 0", "tsitouras5", make_blocks_0, 1e-3, INFINITY},
    {"blocks 1", "bogacki_shampine3", make_blocks_1, 1e-3, INFINITY},
    {"blocks 2", "tsitouras5", make_blocks_2, 1e-3, INFINITY},
};

enum { MODELS = sizeof models / sizeof *models };

static sal_status make_simulator(const sal_allocator *mem, const model *m, sal_system *sys, sal_simulator **out) {
    sal_simulator_config c = sal_simulator_config_default();
    c.integrator.method = sal_method_find(m->method);
    c.integrator.accuracy = m->accuracy;
    c.integrator.max_step = fabs(m->max_step);
    c.integrator.fixed_step = m->max_step < 0;
    c.max_steps_per_call = 12;
    return sal_simulator_new(mem, sys, NULL, &c, out);
}

#endif
