/* frames: what a host does in each frame: saves, copies, groups. Least time of many, in seconds. */
#include "clock.h"

#include <stdio.h>

#include "saltus/saltus.h"

/* ---- one entity of a game: it moves, it shoots at times of its own, the shot lands, it heals ---- */

enum { COOLDOWN_UNTIL, SHOTS, HITS, ACTIVE, HEALTH };

static sal_status entity_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *v = sal_context_get(ctx, SAL_V), *thrust = NULL;
    const sal_status status = sal_context_input(ctx, 0, &thrust);
    (void)self;
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < 4; i++)
        dot->q[i] = v[i];
    dot->v[0] = thrust[0] - 0.5 * v[0], dot->v[1] = dot->v[2] = 0;
    dot->v[3] = sal_context_get(ctx, SAL_XD)[ACTIVE] ? -9.81 : 0;
    return SAL_OK;
}

static sal_status shot_height(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = sal_context_get(ctx, SAL_Q)[3];
    return SAL_OK;
}

static sal_status shot_flies(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self, (void)event;
    *active = sal_context_get(ctx, SAL_XD)[ACTIVE] != 0;
    return SAL_OK;
}

static sal_outcome entity_update(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                 sal_context *next, sal_note *note) {
    double *xd = sal_context_edit(next, SAL_XD);
    (void)self, (void)note;
    if (event->index == 2) {
        xd[HEALTH] += 1;
        return SAL_SUCCEEDED;
    }
    double *q = sal_context_edit(next, SAL_Q), *v = sal_context_edit(next, SAL_V);
    if (event->index == 0) {
        xd[SHOTS] += 1, xd[ACTIVE] = 1;
        xd[COOLDOWN_UNTIL] = sal_context_time(ctx) + 0.7 + 0.6 * sal_context_random(next);
        q[2] = q[0], q[3] = 0.5, v[2] = 20, v[3] = 3;
    } else {
        xd[HITS] += 1, xd[ACTIVE] = 0;
        v[2] = v[3] = 0, q[3] = 1;
    }
    return SAL_SUCCEEDED;
}

static const sal_system_class entity_class = {
    .name = "entity", .derivatives = entity_rates, .witness = shot_height, .when = shot_flies, .update = entity_update};

static void must(sal_status status) {
    if (status == SAL_OK)
        return;
    fprintf(stderr, "frames: %s\n", sal_status_text(status));
    exit(1);
}

static void add_event(sal_system *sys, const char *name, sal_event_config e) {
    e.name = name;
    must(sal_system_add_event(sys, &e, NULL));
}

static sal_system *new_entity(void) {
    sal_system *sys = NULL;
    must(sal_system_new(NULL, &entity_class, "entity", NULL, &sys));
    must(sal_system_add_values(sys, SAL_Q, "position", 4, (double[]){0, 0, 0, 1}));
    must(sal_system_add_values(sys, SAL_V, "velocity", 4, NULL));
    must(sal_system_add_values(sys, SAL_XD, "until", 1, (double[]){0.1}));
    static const char *const counts[] = {"shots", "hits", "active", "health"};
    for (int i = 0; i < 4; i++)
        must(sal_system_add_values(sys, SAL_XD, counts[i], 1, NULL));
    must(sal_system_add_values(sys, SAL_INPUT, "thrust", 1, (double[]){0}));
    sal_event_config fire = sal_event_config_default(), landed = fire, heal = fire;
    fire.trigger = SAL_ON_TIME, fire.time_variable = 0, fire.kind = SAL_UNRESTRICTED;
    landed.trigger = SAL_ON_WITNESS, landed.direction = SAL_FALLING, landed.guarded = true;
    landed.kind = SAL_UNRESTRICTED;
    heal.trigger = SAL_ON_PERIOD, heal.period = 0.25, heal.kind = SAL_DISCRETE;
    add_event(sys, "fire", fire);
    add_event(sys, "landed", landed);
    add_event(sys, "heal", heal);
    return sys;
}

static sal_system *new_world(sal_system *entity, int count) {
    sal_system *world = NULL;
    must(sal_diagram_new(NULL, "world", &world));
    for (int i = 0, at; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "e%d", i);
        must(sal_diagram_add(world, entity, name, &at));
    }
    return world;
}

static sal_simulator *new_run(sal_system *sys, double t) {
    sal_simulator *sim = NULL;
    must(sal_simulator_new(NULL, sys, NULL, NULL, &sim));
    must(sal_simulator_advance_to(sim, t, NULL));
    return sim;
}

/* ---- saves and copies ---- */

/* The least time of one call of `work`, of several runs of `count` calls. */
static double least(void (*work)(void *user), void *user, int count) {
    double best = 1e9;
    for (int run = 0; run < 20 * patience(); run++) {
        const double begin = now();
        for (int i = 0; i < count; i++)
            work(user);
        const double spent = (now() - begin) / count;
        best = spent < best ? spent : best;
    }
    return best;
}

typedef struct pair {
    sal_simulator *sim, *other;
    unsigned char *bytes, *copy;
    size_t size;
    uint64_t sum;
} pair;

static pair new_pair(sal_system *sys, double t) {
    pair p = {.sim = new_run(sys, t), .other = new_run(sys, 2 * t)};
    p.size = sal_simulator_save_size(p.sim);
    p.bytes = calloc(2, p.size);
    p.copy = p.bytes + p.size;
    must(sal_simulator_save(p.sim, p.bytes, p.size));
    return p;
}

static void free_pair(pair *p) {
    sal_simulator_free(p->sim);
    sal_simulator_free(p->other);
    free(p->bytes);
}

static void copy_run(void *user) {
    pair *p = user;
    must(sal_simulator_copy(p->other, p->sim));
}

static void copy_bytes(void *user) {
    pair *p = user;
    memcpy(p->copy, p->bytes, p->size);
    __asm__ volatile("" : : "r"(p->copy) : "memory");
}

static void hash_bytes(void *user) {
    pair *p = user;
    p->sum += sal_hash(p->bytes, p->size, 0);
}

static void save_load_hash(void *user) {
    pair *p = user;
    size_t size = 0;
    must(sal_simulator_save_within(p->sim, p->bytes, p->size, &size));
    must(sal_simulator_load(p->sim, p->bytes, size));
    p->sum += sal_simulator_hash(p->sim);
}

static void measure_copies(const char *name, pair *p, int count) {
    printf("bytes_%s %zu\n", name, p->size);
    printf("copy_%s %.4e\n", name, least(copy_run, p, count));
    printf("memcpy_%s %.4e\n", name, least(copy_bytes, p, count));
    free_pair(p);
}

/* 100 states that decay, with 20 clocks of different periods. */
static sal_status decay_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *z = sal_context_get(ctx, SAL_Z);
    (void)self;
    for (int i = 0; i < 100; i++)
        dot->z[i] = -z[i];
    return SAL_OK;
}

static sal_outcome count_up(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                            sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    *sal_context_edit(next, SAL_XD) += 1;
    return SAL_SUCCEEDED;
}

static void measure_saves(void) {
    static const sal_system_class class = {.name = "decay", .derivatives = decay_rates, .update = count_up};
    sal_system *sys = NULL;
    must(sal_system_new(NULL, &class, "decay", NULL, &sys));
    must(sal_system_add_values(sys, SAL_Z, "x", 100, NULL));
    must(sal_system_add_values(sys, SAL_XD, "count", 1, NULL));
    for (int i = 0; i < 20; i++) {
        char name[16];
        sal_event_config e = sal_event_config_default();
        snprintf(name, sizeof name, "tick%d", i);
        e.trigger = SAL_ON_PERIOD, e.period = 0.1 + 0.01 * i, e.kind = SAL_DISCRETE;
        add_event(sys, name, e);
    }
    pair p = new_pair(sys, 0.333);
    printf("bytes_states %zu\nstates %.4e\n", p.size, least(save_load_hash, &p, 2000));
    free_pair(&p);
    sal_system_free(sys);
}

/* z' = -z(t - 1), whose past has 256 points. */
static sal_status delayed_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    double past = 0;
    const sal_status status = sal_context_past(ctx, 0, 1, &past);
    (void)self;
    dot->z[0] = -past;
    return status;
}

static sal_status ones(const sal_system *self, int past, double t, double *value, double *rate) {
    (void)self, (void)past, (void)t, (void)rate;
    *value = 1;
    return SAL_OK;
}

static void measure_delayed(void) {
    static const sal_system_class class = {.name = "delayed", .derivatives = delayed_rates, .history = ones};
    sal_system *sys = NULL;
    must(sal_system_new(NULL, &class, "delayed", NULL, &sys));
    must(sal_system_add_values(sys, SAL_Z, "x", 1, (double[]){1}));
    must(sal_system_add_past(sys, "x", 1, NULL));
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.max_step = 1. / 255, config.integrator.fixed_step = true;
    pair p = {0};
    must(sal_simulator_new(NULL, sys, NULL, &config, &p.sim));
    must(sal_simulator_new(NULL, sys, NULL, &config, &p.other));
    must(sal_simulator_advance_to(p.sim, 3, NULL));
    must(sal_simulator_advance_to(p.other, 2, NULL));
    p.size = sal_simulator_save_size(p.sim);
    p.bytes = calloc(2, p.size);
    p.copy = p.bytes + p.size;
    must(sal_simulator_save(p.sim, p.bytes, p.size));
    printf("bytes_delayed %zu\ndelayed %.4e\n", p.size, least(save_load_hash, &p, 500));
    printf("hash_delayed %.4e\n", least(hash_bytes, &p, 500));
    measure_copies("delayed", &p, 500);
    sal_system_free(sys);
}

/* ---- 200 entities, frame by frame ---- */

enum { ENTITIES = 200, FRAMES = 300 };

static double thrust_of(int frame, int entity) {
    return (frame * 7 + entity * 13) % 5 - 2;
}

static void push(sal_context *part, int frame, int entity) {
    *sal_context_edit(part, SAL_INPUT) = thrust_of(frame, entity);
}

/* Seconds of a frame, of so many from the start. */
static double of_singles(sal_system *entity) {
    static sal_simulator *sim[ENTITIES];
    sal_simulator_config config = sal_simulator_config_default();
    for (int i = 0; i < ENTITIES; i++) {
        config.seed = (uint64_t)i;
        must(sal_simulator_new(NULL, entity, NULL, &config, &sim[i]));
        must(sal_simulator_initialize(sim[i], false, NULL));
    }
    const double begin = now();
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < ENTITIES; i++) {
            push(sal_simulator_context(sim[i]), f, i);
            must(sal_simulator_advance_to(sim[i], (f + 1) / 60., NULL));
        }
    const double spent = (now() - begin) / FRAMES;
    for (int i = 0; i < ENTITIES; i++)
        sal_simulator_free(sim[i]);
    return spent;
}

static double of_group(sal_system *entity) {
    sal_group_config config = sal_group_config_default();
    sal_group *group = NULL;
    sal_member member[ENTITIES];
    config.member_capacity = ENTITIES;
    must(sal_group_new(NULL, entity, &config, &group));
    for (int i = 0; i < ENTITIES; i++)
        must(sal_group_add(group, &member[i]));
    must(sal_group_advance_to(group, 0, NULL));
    const double begin = now();
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < ENTITIES; i++)
            push(sal_simulator_context(sal_group_simulator(group, member[i])), f, i);
        must(sal_group_advance_to(group, (f + 1) / 60., NULL));
    }
    const double spent = (now() - begin) / FRAMES;
    sal_group_free(group);
    return spent;
}

static double of_diagram(sal_system *entity) {
    sal_system *world = new_world(entity, ENTITIES);
    sal_simulator *sim = NULL;
    must(sal_simulator_new(NULL, world, NULL, NULL, &sim));
    must(sal_simulator_initialize(sim, false, NULL));
    const double begin = now();
    for (int f = 0; f < FRAMES; f++) {
        for (int i = 0; i < ENTITIES; i++)
            push(sal_context_part(sal_simulator_context(sim), i), f, i);
        must(sal_simulator_advance_to(sim, (f + 1) / 60., NULL));
    }
    const double spent = (now() - begin) / FRAMES;
    sal_simulator_free(sim);
    sal_system_free(world);
    return spent;
}

/* They alternate, so that all see the same machine. */
static void measure_entities(sal_system *entity) {
    double best[3] = {1, 1, 1};
    for (int run = 0; run < 5 * patience(); run++) {
        const double spent[] = {of_singles(entity), of_group(entity), of_diagram(entity)};
        for (int k = 0; k < 3; k++)
            best[k] = spent[k] < best[k] ? spent[k] : best[k];
    }
    printf("singles %.4e\ngroup %.4e\ndiagram %.4e\n", best[0], best[1], best[2]);
}

/* ---- the call of a frame: a step of a run that has nothing to do in it ---- */

static void empty_frame(void *user) {
    must(sal_simulator_advance_frame(user, 0.015625, 0.015625, 4, NULL, NULL));
}

static void measure_call(void) {
    static const sal_system_class class = {.name = "ticks", .update = count_up};
    sal_system *sys = NULL;
    must(sal_system_new(NULL, &class, "ticks", NULL, &sys));
    must(sal_system_add_values(sys, SAL_XD, "count", 1, NULL));
    sal_event_config e = sal_event_config_default();
    e.trigger = SAL_ON_PERIOD, e.period = 1e6, e.kind = SAL_DISCRETE;
    add_event(sys, "tick", e);
    sal_simulator *sim = new_run(sys, 1);
    printf("frame_call %.4e\n", least(empty_frame, sim, 20000));
    sal_simulator_free(sim);
    sal_system_free(sys);
}

int main(void) {
    sal_system *entity = new_entity();
    pair one = new_pair(entity, 1. / 3);
    measure_copies("small", &one, 20000);
    sal_system *world = new_world(entity, 97);
    pair many = new_pair(world, 1. / 3);
    measure_copies("large", &many, 500);
    measure_saves();
    measure_delayed();
    measure_call();
    measure_entities(entity);
    sal_system_free(world);
    sal_system_free(entity);
    return 0;
}
