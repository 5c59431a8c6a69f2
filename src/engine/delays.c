/* What a simulator does about the past: appends to it what was accepted, knows where it is
 * not smooth, and ends steps where a delay meets such a place.
 *
 * A break of order k (the k-th derivative is the first that jumps) that is read through a
 * delay makes the right-hand side jump in its k-th derivative, so the solution has a break of
 * order k + 1 there; a delayed derivative hands it on unsmoothed. Breaks that a method of order
 * p cannot feel are forgotten (Bellen and Zennaro, Numerical Methods for Delay Differential
 * Equations, 2003, chapter 2). A lag that was the same at both ends of a step has its next break
 * foretold; one that varies is found, after an attempt that was led across, on its dense output. */
#include <math.h>
#include <string.h>

#include "delays.h"

enum { BREAKS_AT_FIRST = 64 };

/* ---- life ---- */

static void free_moment(const sal_allocator *mem, sal__moment *m) {
    if (!m)
        return;
    if (m->site)
        sal__free(mem, m->site, SAL__SITES * sizeof *m->site);
    if (m->was.site)
        sal__free(mem, m->was.site, SAL__SITES * sizeof *m->site);
    if (m->item)
        sal__free(mem, m->item, (size_t)m->cap * sizeof *m->item);
    sal__free(mem, m, sizeof *m);
}

static size_t room_of(const sal_simulator *sim) {
    return (sal__widest_kept(sim) * (SAL__DELAY_DEGREES + SAL__SAMPLES + 1)) * sizeof(double);
}

sal_status sal__delays_new(sal_simulator *sim) {
    if (sal__widest_kept(sim) == 0)
        return SAL_OK;
    sal__moment *m = sal__alloc(&sim->mem, sizeof *m);
    if (!m)
        return SAL_ENOMEM;
    sim->moment = m;
    m->cap = BREAKS_AT_FIRST;
    m->item = sal__alloc(&sim->mem, BREAKS_AT_FIRST * sizeof *m->item);
    m->site = sal__alloc(&sim->mem, SAL__SITES * sizeof *m->site);
    m->was.site = sal__alloc(&sim->mem, SAL__SITES * sizeof *m->site);
    sim->kept_room = sal__alloc(&sim->mem, room_of(sim));
    for (int i = 0; i < sim->plan->parts; i++)
        for (int k = 0; k < sim->plan->part[i].system->kept.count; k++)
            m->depth = sal__max(sim->plan->part[i].system->kept.item[k].depth, m->depth);
    return m->item && m->site && m->was.site && sim->kept_room ? SAL_OK : SAL_ENOMEM;
}

void sal__delays_free(sal_simulator *sim) {
    if (sim->kept_room)
        sal__free(&sim->mem, sim->kept_room, room_of(sim));
    free_moment(&sim->mem, sim->moment);
}

static sal_status widen(const sal_simulator *sim, const sal__store *root, int degree) {
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++)
        if (sal__keeps(sim, i))
            status = sal__delay_widen(sal__past_in(sim, root, i)->ring, degree);
    return status;
}

/* A snapshot is read into the view, which then becomes the run: it has to take the same pieces. */
sal_status sal__delays_attach(sal_simulator *sim, sal_integrator *in, sal__store *run) {
    sal__moment *m = sim->moment;
    if (!m)
        return SAL_OK;
    sal__provisional *step = sal__integrator_provisional(in);
    sal_status status = step ? widen(sim, run, step->degree) : SAL_ENOMEM;
    if (status == SAL_OK)
        status = widen(sim, sim->view, step->degree);
    if (status != SAL_OK)
        return status;
    m->step = step;
    m->order = sal_method_order(sal_integrator_config_of(in)->method);
    sim->run->moment = NULL;
    run->moment = m;
    return SAL_OK;
}

/* ---- the past at one time ---- */

static bool differs(const sal__kept *kept, const double *a, const double *b) {
    for (int i = kept->column; i < kept->column + kept->size; i++)
        if (a[i] != b[i])
            return true;
    return false;
}

/* The updates of an instant changed something: another point at its time, for what jumped from
 * where it came, also when that point was begun before and something failed. */
static sal_status jump_of_part(sal_simulator *sim, int part, sal__break *found) {
    const sal_system *sys = sim->plan->part[part].system;
    sal_delay_buffer *ring = sal__past_of(sim, part)->ring;
    double *now = sim->kept_room;
    const sal_status status = sal__gather_kept(sim, part, now);
    const int newest = sal_delay_buffer_points(ring) - 1;
    if (status != SAL_OK || newest < 0)
        return status;
    const bool begun = sal_delay_buffer_time(ring, newest - 1) == sim->run->time;
    const double *was = sal_delay_buffer_value(ring, begun ? newest - 1 : newest);
    bool any = begun;
    for (int k = 0; k < sys->kept.count; k++) {
        if (!differs(&sys->kept.item[k], was, now))
            continue;
        any = true;
        found->order[sys->kept.item[k].kind] = 0;
    }
    return any ? sal_delay_buffer_append(ring, sim->run->time, now, NULL) : SAL_OK;
}

sal_status sal__delays_jump(sal_simulator *sim) {
    if (!sim->moment)
        return SAL_OK;
    sim->moment->owes = true;
    sal_status status = sal__reserve_break(sim);
    /* Whatever was written may change the derivatives, and all signals. */
    sal__break found = {sim->run->time, {1, SAL__SMOOTH, 0, 0}, 0};
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++)
        if (sal__keeps(sim, i))
            status = jump_of_part(sim, i, &found);
    if (status != SAL_OK)
        return status;
    sal__add_break(sim->moment, &found);
    sim->moment->owes = false;
    return SAL_OK;
}

sal_status sal__delays_catch_up(sal_simulator *sim) {
    return sim->moment && sim->moment->owes ? sal__delays_jump(sim) : SAL_OK;
}

/* Where history and start do not meet, the value jumps. */
static sal_status compare_history(sal_simulator *sim, int part, double t, sal__break *start) {
    const sal_system *sys = sim->plan->part[part].system;
    const double *now = sal_delay_buffer_value(sal__past_of(sim, part)->ring, 0);
    double *was = sim->kept_room;
    for (int k = 0; k < sys->kept.count; k++) {
        const sal__kept *kept = &sys->kept.item[k];
        const sal_status status = sal__kept_before(sys, sal__past_of(sim, part), k, t, was + kept->column);
        if (status != SAL_OK)
            return status;
        for (int i = kept->column; i < kept->column + kept->size; i++)
            if (!(fabs(was[i] - now[i]) <= 1e-12 * fabs(now[i])))
                start->order[kept->kind] = 0;
    }
    return SAL_OK;
}

static bool reaches_up_to(const sal_simulator *sim, double t) {
    for (int i = 0; i < sim->plan->parts; i++) {
        const sal_delay_buffer *ring = sal__keeps(sim, i) ? sal__past_of(sim, i)->ring : NULL;
        if (ring && !(sal_delay_buffer_time(ring, 0) < t &&
                      sal_delay_buffer_time(ring, sal_delay_buffer_points(ring) - 1) == t))
            return false;
    }
    return true;
}

/* The start of a run, or its continuation where a past reaches up to now. */
sal_status sal__delays_start(sal_simulator *sim) {
    sal__moment *m = sim->moment;
    if (!m)
        return SAL_OK;
    const double t = sim->run->time;
    m->sites = m->now = 0;
    m->waits = m->corner = INFINITY;
    m->owes = false;
    if (reaches_up_to(sim, t)) {
        while (m->count > 0 && m->item[m->count - 1].t > t) /* of another context */
            m->count--;
        return sal__delays_jump(sim);
    }
    m->count = 0;
    sal__break start = {t, {1, SAL__SMOOTH, 1, 1}, 0};
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++) {
        if (!sal__keeps(sim, i))
            continue;
        sal_delay_buffer *ring = sal__past_of(sim, i)->ring;
        sal_delay_buffer_clear(ring);
        status = sal__gather_kept(sim, i, sim->kept_room);
        if (status == SAL_OK)
            status = sal_delay_buffer_append(ring, t, sim->kept_room, NULL);
        if (status == SAL_OK)
            status = compare_history(sim, i, t, &start);
    }
    sal__add_break(m, &start);
    return status;
}

/* The run has come to t: the buffers hold it up to there. Nothing is appended twice. */
sal_status sal__delays_commit(sal_simulator *sim, double t) {
    sal__moment *m = sim->moment;
    if (!m)
        return SAL_OK;
    const double now = sim->run->time;
    sal_status status = sal__reserve_break(sim);
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++) {
        if (!sal__keeps(sim, i))
            continue;
        status = sal__keep(sim, i, t);
        if (status != SAL_OK)
            sim->failing_part = i;
    }
    sal__store_look(sim->run, now, NULL);
    if (status != SAL_OK) {
        sal__delays_cut(sim, now);
        return status;
    }
    if (sim->plan->nx > 0 && t == m->step->t1 && m->step->known)
        sal__settle_sites(sim, t);
    sal__forget_breaks(m, t);
    return SAL_OK;
}

/* What was appended after t has not been. */
void sal__delays_cut(sal_simulator *sim, double t) {
    for (int i = 0; sim->moment && i < sim->plan->parts; i++)
        if (sal__keeps(sim, i))
            sal_delay_buffer_cut(sal__past_of(sim, i)->ring, t);
}

/* ---- steps ---- */

/* Where lags that do not vary meet their next breaks, the earliest. */
static double foretold(const sal__moment *m, double t) {
    double stop = INFINITY;
    for (int i = 0; i < m->sites; i++) {
        const sal__site *site = &m->site[i];
        const double meets = site->until + site->lag;
        if (site->steady && meets > t + sal__moment_near(t))
            stop = sal__min(meets, stop);
    }
    return stop;
}

/* By how much the site is beyond the end of its smooth stretch, at t on the dense output. */
static sal_status beyond(sal_simulator *sim, const sal_rhs *rhs, int site, double t, double *by) {
    sal__moment *m = sim->moment;
    for (int i = 0; i < sim->plan->nx; i++)
        sim->scratch[i] = sal__provisional_value(m->step, sim->plan->nx, i, t);
    m->probing = true;
    const sal_status status = rhs->eval(rhs->user, t, sim->scratch, sim->rate);
    m->probing = false;
    const sal__site *s = &m->site[site];
    const bool back = s->asked < s->after;
    *by = back ? s->after - s->asked : s->asked - (isinf(s->until) ? s->after : s->until);
    if (isinf(s->until) && !back)
        *by = -*by;
    return status;
}

/* Where the site leaves its stretch: the step's start and end bracket it, or one of the points
 * between. Illinois' rule, with halves where that is slow. INFINITY: nowhere. */
static sal_status leaves(sal_simulator *sim, const sal_rhs *rhs, int site, double *t) {
    enum { POINTS = 8, ROUNDS = 60 };
    const double t0 = sim->moment->step->t0, t1 = sim->moment->step->t1;
    const sal__site *at = &sim->moment->site[site];
    double low = t0, high = INFINITY, at_low = 0, at_high = 0;
    if (fabs((t1 - at->end) - (t0 - at->start)) <= sal__moment_near(t1) && at->end > at->until) {
        *t = at->until + (t1 - at->end); /* a steady lag */
        return SAL_OK;
    }
    sal_status status = beyond(sim, rhs, site, t0, &at_low);
    for (int i = POINTS; status == SAL_OK && i > 0; i--) { /* the end first: it is mostly there */
        double by = 0;
        const double probe = i == POINTS ? t1 : t0 + i * (t1 - t0) / POINTS;
        status = beyond(sim, rhs, site, probe, &by);
        if (by > 0) {
            high = probe;
            at_high = by;
        } else if (!isinf(high)) {
            low = probe;
            at_low = by;
            break;
        }
    }
    *t = at_low > 0 ? t0 : high;
    if (isinf(high) || at_low > 0)
        return status;
    for (int i = 0; status == SAL_OK && i < ROUNDS && high - low > sal__moment_near(high) / 4; i++) {
        double probe = i % 4 == 3 ? low + (high - low) / 2 : low - at_low * (high - low) / (at_high - at_low);
        if (!(probe > low && probe < high))
            probe = low + (high - low) / 2;
        double by = 0;
        status = beyond(sim, rhs, site, probe, &by);
        if (by > 0) {
            high = probe;
            at_high = by;
            at_low /= 2;
        } else {
            low = probe;
            at_low = by;
            at_high /= 2;
            if (by == 0)
                high = probe;
        }
    }
    *t = high;
    return status;
}

/* The first place in the step where a site was led across. */
static sal_status first_crossing(sal_simulator *sim, const sal_rhs *rhs, double *stop, int *who) {
    sal__moment *m = sim->moment;
    *stop = INFINITY;
    const int sites = m->sites;
    for (int i = 0; i < sites; i++) {
        double t = INFINITY;
        if (m->site[i].crossed != m->step->t1)
            continue;
        const sal_status status = leaves(sim, rhs, i, &t);
        if (status != SAL_OK)
            return status;
        if (t < *stop) {
            *stop = t;
            *who = i;
        }
    }
    return SAL_OK;
}

/* A site that left its stretch as the step began stands in the next one. */
static void step_over(sal__moment *m, int who) {
    sal__site *site = &m->site[who];
    const double reach = 1e-9 * (m->step->h + 1);
    sal__site_place(m, site, site->asked < site->after ? site->after - reach : site->until + reach);
}

static sal_status reserve(sal_simulator *sim) {
    sal_status status = sal__reserve_break(sim);
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++)
        if (sal__keeps(sim, i))
            status = sal_delay_buffer_reserve(sal__past_of(sim, i)->ring, 3);
    return status;
}

static bool varies(const sal__moment *m) {
    for (int i = 0; i < m->sites; i++)
        if (!m->site[i].steady)
            return true;
    return false;
}

/* After a step that was shortened by its error, or was to end at a corner seen before: where
 * is it? *stop: in this step, which is then taken anew up to there. */
static sal_status look_for_corner(sal_simulator *sim, const sal_rhs *rhs, double *stop) {
    sal__moment *m = sim->moment;
    const double t0 = m->step->t0, t1 = m->step->t1, met = m->corner;
    const bool at_one = fabs(t1 - met) <= sal__moment_near(t1);
    *stop = INFINITY;
    if (!at_one && (m->step->longest <= 1.001 * m->step->h || !varies(m)))
        return SAL_OK;
    const double until = at_one ? t1 + (t1 - t0) / 4 : t0 + m->step->longest;
    const sal_status status = sal__find_corner(sim, rhs, t0, until, &m->corner);
    if (at_one && isinf(m->corner))
        m->corner = t1;
    if (status != SAL_OK || isinf(m->corner))
        return status;
    const double near = 1e-6 * m->step->h;
    if (at_one && fabs(m->corner - t1) <= near)
        m->corner = t1;
    else if (m->corner < t1 - near && m->corner > t0 + near)
        *stop = m->corner;
    else if (m->corner <= t0 + near)
        m->corner = INFINITY;
    return SAL_OK;
}

/* One step of the integrator that no site crosses a break in. */
sal_status sal__delays_step(sal_simulator *sim, const sal_rhs *rhs, double t, const double *x,
                            const sal_limits *limits) {
    enum { TRIES = 20 };
    sal__moment *m = sim->moment;
    sal_status status = reserve(sim);
    const double next = sal__min(sal__min(limits->publish, limits->update), limits->boundary);
    double stop = sal__min(foretold(m, t), t + m->waits);
    if (m->corner > t + sal__moment_near(t))
        stop = sal__min(m->corner, stop);
    if (fabs(stop - next) <= sal__moment_near(t) / 4)
        stop = next; /* one instant */
    m->waits *= 2;   /* to be found again if it is still there */
    m->arriving = -1;
    for (int i = 0; status == SAL_OK; i++) {
        sal_limits to = *limits;
        to.boundary = sal__min(to.boundary, stop);
        m->crossed = NAN;
        status = sal_integrator_step(sim->in, rhs, t, x, &to, NULL);
        if (status != SAL_OK || i == TRIES)
            break;
        double crossing = INFINITY;
        int who = -1;
        if (m->crossed == m->step->t1)
            status = first_crossing(sim, rhs, &crossing, &who);
        if (status == SAL_OK && !(crossing < m->step->t1)) {
            double corner = INFINITY;
            status = look_for_corner(sim, rhs, &corner);
            if (status != SAL_OK || isinf(corner))
                break;
            stop = corner;
            continue;
        }
        if (status != SAL_OK)
            break;
        if (crossing - t <= sal__max(sal__moment_near(t), 1e-10 * m->step->h)) {
            step_over(m, who);
            continue;
        }
        stop = m->stop = crossing;
        m->arriving = who;
    }
    return status;
}
