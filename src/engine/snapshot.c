/* A run as bytes, and back: the context, timers, armed witnesses, what is scheduled,
 * the step size, the random streams. Everything that the next step depends on.
 *
 *   head   magic, layout of the system, size of the whole
 *   body   numbers of the run, the context's block, timers, witnesses, schedule, slots
 *   tail   checksum of all before
 * Numbers are written as they stand in memory: a snapshot is for the same program on
 * the same kind of machine. Looking at one is checked whole before anything is written. */
#include <string.h>

#include "../base/xxh64.h"
#include "engine.h"

#define MAGIC UINT64_C(0x3353554C4C5453AB) /* ends in a version */

typedef struct head {
    uint64_t magic, layout, size;
} head;

/* What of the simulator itself goes along. */
typedef struct numbers {
    double time, opener, last_event, instant_time, step_start;
    sal__rest rest;
    uint64_t seed;
    int64_t taken_steps, step_bytes; /* of the integrator */
    double frame_left;
    int32_t initialized, updated, values_hold, instant_steps, scheduled, waiting, lefts, unasked, crossings, edited,
        breaks, sites;
} numbers;

/* The part of a witness that moves. */
typedef struct memory {
    double w0, w1, s0, s1, level, theta, t0, t1, times[4], limit, longest;
    int64_t steps[5], firings, rapid;
    int8_t active, surface, fired, settle, zeno, near, from, end_unknown;
} memory;

/* A place in the bytes; NULL only counts. */
typedef struct pen {
    unsigned char *at;
    size_t size;
} pen;

static void write_bytes(pen *p, const void *from, size_t size) {
    if (p->at)
        memcpy(p->at + p->size, from, size);
    p->size += size;
}

static uint64_t layout_of(const sal_simulator *sim) {
    const sal__plan *plan = sim->plan;
    uint64_t hash = sal__xxh64(plan->size, sizeof plan->size, (uint64_t)plan->parts);
    const int counts[5] = {plan->slots, plan->events, sim->witnesses, sim->queue[0].timers, sim->queue[1].timers};
    hash = sal__xxh64(counts, sizeof counts, hash);
    for (int i = 0; i < plan->parts; i++) {
        const sal__part *part = &plan->part[i];
        hash = sal__xxh64(part->name, strlen(part->name), hash);
        hash = sal__xxh64(part->system->size, sizeof part->system->size, hash);
        for (int k = 0; k < part->system->values.count; k++)
            hash = sal__xxh64(part->system->values.item[k].name, strlen(part->system->values.item[k].name), hash);
    }
    for (int i = 0; i < plan->events; i++)
        hash = sal__xxh64(plan->event[i].config->name, strlen(plan->event[i].config->name), hash);
    return hash;
}

static memory remember(const sal__witness *w) {
    memory m;
    memset(&m, 0, sizeof m); /* padding has no say in a checksum */
    m.w0 = w->w0, m.w1 = w->w1, m.s0 = w->s0, m.s1 = w->s1;
    m.level = w->level, m.theta = w->theta, m.t0 = w->t0, m.t1 = w->t1;
    m.limit = w->limit, m.longest = w->longest;
    memcpy(m.times, w->times, sizeof m.times);
    memcpy(m.steps, w->steps, sizeof m.steps);
    m.firings = w->firings, m.rapid = w->rapid;
    m.active = w->active, m.surface = w->surface, m.fired = w->fired, m.settle = w->settle, m.zeno = w->zeno;
    m.near = w->near, m.from = w->from, m.end_unknown = w->end_unknown;
    return m;
}

static void recall(sal__witness *w, const memory *m) {
    w->w0 = m->w0, w->w1 = m->w1, w->s0 = m->s0, w->s1 = m->s1;
    w->level = m->level, w->theta = m->theta, w->t0 = m->t0, w->t1 = m->t1;
    w->limit = m->limit, w->longest = m->longest;
    memcpy(w->times, m->times, sizeof m->times);
    memcpy(w->steps, m->steps, sizeof m->steps);
    w->firings = m->firings, w->rapid = m->rapid;
    w->active = m->active, w->surface = m->surface, w->fired = m->fired, w->settle = m->settle, w->zeno = m->zeno;
    w->near = m->near, w->from = m->from, w->end_unknown = m->end_unknown;
}

static void write_rest(numbers *n, const sal_simulator *sim) {
    const sal__rest *rest = &sim->rest;
    if (!rest->there || n->edited)
        return;
    n->rest.there = true; /* one by one: padding has no say in a checksum */
    n->rest.t0 = rest->t0, n->rest.t1 = rest->t1, n->rest.theta = rest->theta, n->rest.cap = rest->cap;
    n->crossings = sim->crossings;
}

static numbers numbers_of(const sal_simulator *sim) {
    numbers n;
    memset(&n, 0, sizeof n);
    n.time = sim->run->time, n.opener = sim->opener, n.last_event = sim->last_event;
    n.instant_time = sim->instant_time, n.step_start = sim->step_start;
    n.edited = sim->run->edits != sim->edits_seen; /* nothing known of the last step holds any more */
    write_rest(&n, sim);
    n.step_bytes = (int64_t)sal_integrator_save_size(sim->in);
    n.seed = sim->run->seed;
    n.taken_steps = sim->taken_steps, n.frame_left = sim->frame_left;
    n.initialized = sim->initialized, n.updated = sim->updated, n.values_hold = sim->values_hold && sim->armed == 0;
    n.unasked = sim->unasked || n.edited;
    n.instant_steps = sim->instant_steps, n.scheduled = sim->scheduled;
    n.waiting = sim->waiting, n.lefts = sim->lefts;
    if (sim->moment)
        n.breaks = sim->moment->count, n.sites = sim->moment->sites;
    return n;
}

static void write_timers(pen *p, const sal__queue *queue) {
    for (int i = 0; i < queue->timers; i++) {
        write_bytes(p, &queue->timer[i].time, sizeof(double));
        write_bytes(p, &queue->timer[i].k, sizeof(int64_t));
    }
}

static const sal_slot_type *type_of(const sal__plan *plan, int slot) {
    int part = 0;
    while (part + 1 < plan->parts && plan->part[part + 1].slot_at <= slot)
        part++;
    return plan->part[part].system->slots.item[slot - plan->part[part].slot_at].type;
}

static void write_slots(pen *p, const sal_simulator *sim) {
    for (int i = 0; i < sim->plan->slots; i++) {
        const sal_slot_type *type = type_of(sim->plan, i);
        const uint64_t size = type->size ? type->size(sim->run->slot[i]) : 0;
        write_bytes(p, &size, sizeof size);
        if (p->at && size)
            type->save(sim->run->slot[i], p->at + p->size);
        p->size += size;
    }
}

static void write_all(pen *p, const sal_simulator *sim, uint64_t size) {
    const head first = {MAGIC, layout_of(sim), size};
    const numbers n = numbers_of(sim);
    write_bytes(p, &first, sizeof first);
    write_bytes(p, &n, sizeof n);
    if (p->at)
        sal_integrator_save(sim->in, p->at + p->size);
    p->size += (size_t)n.step_bytes;
    write_bytes(p, sim->crossing, (size_t)n.crossings * sizeof(int));
    write_bytes(p, sim->run->block, (size_t)sim->run->words * sizeof(double));
    write_timers(p, &sim->queue[0]);
    write_timers(p, &sim->queue[1]);
    for (int i = 0; i < sim->witnesses; i++) {
        const memory m = remember(&sim->witness[i]);
        write_bytes(p, &m, sizeof m);
    }
    write_bytes(p, sim->fired, (size_t)sim->waiting * sizeof(int));
    if (sim->waiting > 0) { /* their handlers may ask for the state before */
        write_bytes(p, &sim->before->time, sizeof(double));
        write_bytes(p, sim->before->block, (size_t)sim->run->words * sizeof(double));
    }
    write_bytes(p, sim->left, (size_t)sim->lefts * sizeof(int));
    for (int i = 0; i < sim->scheduled; i++) {
        const double entry[2] = {sim->agenda[i].time, sim->agenda[i].event};
        write_bytes(p, entry, sizeof entry);
    }
    sal__delays_write(sim, p->at ? p->at + p->size : NULL, &p->size);
    write_slots(p, sim);
}

size_t sal_simulator_save_size(const sal_simulator *sim) {
    pen p = {NULL, 0};
    write_all(&p, sim, 0);
    return p.size + sizeof(uint64_t);
}

sal_status sal_simulator_save(sal_simulator *sim, void *bytes, size_t size) {
    if (sim->running || sim->away)
        return SAL_ESTATE;
    if (size < sal_simulator_save_size(sim))
        return SAL_EINVAL;
    pen p = {bytes, 0};
    write_all(&p, sim, size);
    const uint64_t checksum = sal__xxh64(bytes, p.size, 0);
    write_bytes(&p, &checksum, sizeof checksum);
    return SAL_OK;
}

/* ---- back ---- */

static void read_bytes(const unsigned char **at, void *to, size_t size) {
    memcpy(to, *at, size);
    *at += size;
}

static bool is_mine(const sal_simulator *sim, const unsigned char *bytes, size_t size) {
    head first;
    uint64_t checksum;
    if (size < sizeof first + sizeof checksum)
        return false;
    memcpy(&first, bytes, sizeof first);
    memcpy(&checksum, bytes + size - sizeof checksum, sizeof checksum);
    return first.magic == MAGIC && first.layout == layout_of(sim) && first.size == size &&
           checksum == sal__xxh64(bytes, size - sizeof checksum, 0);
}

static void read_timers(const unsigned char **at, sal__queue *queue) {
    queue->size = 0;
    for (int i = 0; i < queue->timers; i++) {
        read_bytes(at, &queue->timer[i].time, sizeof(double));
        read_bytes(at, &queue->timer[i].k, sizeof(int64_t));
        sal__queue_put(queue, i);
    }
}

static void take_numbers(sal_simulator *sim, const numbers *n) {
    sim->opener = n->opener, sim->last_event = n->last_event;
    sim->instant_time = n->instant_time, sim->step_start = n->step_start;
    sim->run->seed = n->seed;
    sim->taken_steps = n->taken_steps, sim->frame_left = n->frame_left;
    sim->initialized = n->initialized, sim->updated = n->updated, sim->values_hold = n->values_hold;
    sim->armed = 0;
    sim->unasked = n->unasked;
    sim->instant_steps = n->instant_steps, sim->waiting = n->waiting, sim->lefts = n->lefts;
    sim->rest = n->rest;
    sim->step_dense = false;
    sim->crossings = n->crossings, sim->looks = 0;
    sim->apart = INFINITY; /* it only spares work: the next event tells it */
}

/* The integrator as it was; one of another kind goes on from the state alone. */
static void take_step(sal_simulator *sim, const numbers *n, const unsigned char *at, bool fresh) {
    if (fresh)
        sal_integrator_initialize(sim->in);
    sal_integrator_load(sim->in, at, (size_t)n->step_bytes);
    memcpy(sim->crossing, at + n->step_bytes, (size_t)n->crossings * sizeof(int));
    if (sal_integrator_start_time(sim->in) != n->rest.t0 || sal_integrator_end_time(sim->in) != n->rest.t1)
        sim->rest.there = false;
    if (n->edited)
        sal_integrator_invalidate(sim->in);
}

static sal_status read_slots(const unsigned char *at, sal_simulator *sim) {
    for (int i = 0; i < sim->plan->slots; i++) {
        uint64_t size;
        read_bytes(&at, &size, sizeof size);
        const sal_slot_type *type = type_of(sim->plan, i);
        const sal_status status = type->load ? type->load(sim->view->slot[i], at, size) : SAL_OK;
        if (status != SAL_OK)
            return status;
        at += size;
    }
    return SAL_OK;
}

/* Room first, so that nothing can fail once the first number is overwritten. */
static sal_status make_room(sal_simulator *sim, const numbers *n) {
    while (sim->agenda_cap < n->scheduled)
        if (sal__grow(&sim->mem, (void **)&sim->agenda, sim->agenda_cap, &sim->agenda_cap, sizeof *sim->agenda) !=
            SAL_OK)
            return SAL_ENOMEM;
    return sal__grow_calls(sim);
}

static void swap_slots(sal_simulator *sim) {
    for (int i = 0; i < sim->plan->slots; i++) {
        void *was = sim->run->slot[i];
        sim->run->slot[i] = sim->view->slot[i];
        sim->view->slot[i] = was;
    }
}

sal_status sal_simulator_load(sal_simulator *sim, const void *bytes, size_t size) {
    if (sim->running || sim->away)
        return SAL_ESTATE;
    if (!is_mine(sim, bytes, size))
        return SAL_EINVAL;
    const unsigned char *at = (const unsigned char *)bytes + sizeof(head);
    numbers n;
    read_bytes(&at, &n, sizeof n);
    const unsigned char *step = at;
    at += (size_t)n.step_bytes + (size_t)n.crossings * sizeof(int);
    const size_t before_slots = (size_t)sim->run->words * sizeof(double) +
                                (size_t)(sim->queue[0].timers + sim->queue[1].timers) * 16 +
                                (size_t)sim->witnesses * sizeof(memory) + (size_t)(n.waiting + n.lefts) * sizeof(int) +
                                (size_t)n.scheduled * 16 + sal__delays_room(sim, n.breaks, n.sites) +
                                (n.waiting > 0 ? (size_t)(sim->run->words + 1) * sizeof(double) : 0);
    sal_status status = make_room(sim, &n);
    if (status == SAL_OK)
        status = sal__delays_reserve(sim, n.breaks);
    if (status == SAL_OK)
        status = read_slots(at + before_slots, sim);
    if (status != SAL_OK)
        return status;
    swap_slots(sim);
    read_bytes(&at, sim->run->block, (size_t)sim->run->words * sizeof(double));
    read_timers(&at, &sim->queue[0]);
    read_timers(&at, &sim->queue[1]);
    for (int i = 0; i < sim->witnesses; i++) {
        memory m;
        read_bytes(&at, &m, sizeof m);
        recall(&sim->witness[i], &m);
    }
    read_bytes(&at, sim->fired, (size_t)n.waiting * sizeof(int));
    if (n.waiting > 0) {
        double time;
        read_bytes(&at, &time, sizeof time);
        read_bytes(&at, sim->before->block, (size_t)sim->run->words * sizeof(double));
        sal__store_touch(sim->before);
        sal__store_look(sim->before, time, NULL);
    }
    read_bytes(&at, sim->left, (size_t)n.lefts * sizeof(int));
    for (sim->scheduled = 0; sim->scheduled < n.scheduled; sim->scheduled++) {
        double entry[2];
        read_bytes(&at, entry, sizeof entry);
        sim->agenda[sim->scheduled] = (sal__scheduled){entry[0], (int)entry[1]};
    }
    sal__delays_read(sim, at, n.breaks, n.sites);
    const bool fresh = !sim->initialized;
    take_numbers(sim, &n);
    take_step(sim, &n, step, fresh);
    sal__store_touch(sim->run);
    sal__store_look(sim->run, n.time, NULL);
    sim->time_seen = n.time;
    sim->edits_seen = sim->run->edits - (n.edited != 0); /* what was written then is noticed, as it would have been */
    return sal__observe(sim, SAL_SEE_LOADED, n.updated, -1);
}

/* Of what the model sees: time, numbers, abstract state. Two runs with one hash go on alike. */
uint64_t sal_simulator_hash(const sal_simulator *sim) {
    uint64_t hash = sal__xxh64(&sim->run->time, sizeof(double), sim->run->seed);
    hash = sal__xxh64(sim->run->block, (size_t)sim->run->words * sizeof(double), hash);
    for (int i = 0; i < sim->plan->slots; i++) {
        const sal_slot_type *type = type_of(sim->plan, i);
        if (type->hash)
            hash = type->hash(sim->run->slot[i], hash);
    }
    return hash;
}
