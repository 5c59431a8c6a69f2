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

#include "engine.h"

enum { BREAKS_AT_FIRST = 64, MOST_BREAKS = 1 << 16 };

static sal__past *past_of(const sal_simulator *sim, int part) {
    const sal__part *place = &sim->plan->part[part];
    return sim->run->slot[place->slot_at + place->system->past_slot];
}

static bool keeps(const sal_simulator *sim, int part) {
    return sim->plan->part[part].system->kept.count > 0;
}

/* ---- life ---- */

static void free_moment(const sal_allocator *mem, sal__moment *m) {
    if (!m)
        return;
    if (m->site)
        sal__free(mem, m->site, SAL__SITES * sizeof *m->site);
    if (m->item)
        sal__free(mem, m->item, (size_t)m->cap * sizeof *m->item);
    sal__free(mem, m, sizeof *m);
}

/* Room for the coefficients of the widest part's piece, and for its samples. */
static size_t widest(const sal_simulator *sim) {
    size_t width = 0;
    for (int i = 0; i < sim->plan->parts; i++)
        if (keeps(sim, i) && (size_t)sim->plan->part[i].system->kept_width > width)
            width = (size_t)sim->plan->part[i].system->kept_width;
    return width;
}

enum { SAMPLES = 5 };
static size_t room_of(const sal_simulator *sim) {
    return (widest(sim) * (SAL__DELAY_DEGREES + SAMPLES + 1)) * sizeof(double);
}

sal_status sal__delays_new(sal_simulator *sim) {
    if (widest(sim) == 0)
        return SAL_OK;
    sal__moment *m = sal__alloc(&sim->mem, sizeof *m);
    if (!m)
        return SAL_ENOMEM;
    sim->moment = m;
    m->cap = BREAKS_AT_FIRST;
    m->item = sal__alloc(&sim->mem, BREAKS_AT_FIRST * sizeof *m->item);
    m->site = sal__alloc(&sim->mem, SAL__SITES * sizeof *m->site);
    sim->kept_room = sal__alloc(&sim->mem, room_of(sim));
    for (int i = 0; i < sim->plan->parts; i++)
        for (int k = 0; k < sim->plan->part[i].system->kept.count; k++)
            m->depth = sal__max(sim->plan->part[i].system->kept.item[k].depth, m->depth);
    return m->item && m->site && sim->kept_room ? SAL_OK : SAL_ENOMEM;
}

void sal__delays_free(sal_simulator *sim) {
    if (sim->kept_room)
        sal__free(&sim->mem, sim->kept_room, room_of(sim));
    free_moment(&sim->mem, sim->moment);
}

/* A new integrator, or a new context. */
sal_status sal__delays_attach(sal_simulator *sim) {
    sal__moment *m = sim->moment;
    if (!m)
        return SAL_OK;
    m->step = sal__integrator_provisional(sim->in);
    if (!m->step)
        return SAL_ENOMEM;
    const sal_method *method = sal_integrator_config_of(sim->in)->method;
    m->order = sal_method_order(method);
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++)
        if (keeps(sim, i))
            status = sal__delay_widen(past_of(sim, i)->ring, m->step->degree);
    sim->run->moment = status == SAL_OK ? m : NULL;
    return status;
}

/* ---- breaks ---- */

static int lower(int a, int b) {
    return a < b ? a : b;
}

static int higher(int a, int b) {
    return a < b ? b : a;
}

static sal_status reserve_break(sal_simulator *sim) {
    sal__moment *m = sim->moment;
    return sal__grow(&sim->mem, (void **)&m->item, m->count, &m->cap, sizeof *m->item);
}

/* In the order of time; two that are one instant become one. Room was made. */
static void add_break(sal__moment *m, const sal__break *found) {
    sal__break *last = m->count > 0 ? &m->item[m->count - 1] : NULL;
    if (last && found->t - last->t <= sal__moment_near(found->t)) {
        last->by = last->by == found->by ? last->by : -1;
        for (int i = 0; i < 4; i++)
            last->order[i] = lower(last->order[i], found->order[i]);
        return;
    }
    if (m->count == m->cap) { /* room is made before each step; this one had two */
        memmove(m->item, m->item + 1, (size_t)(m->count - 1) * sizeof *m->item);
        m->count--;
    }
    m->item[m->count++] = *found;
}

/* What no delay reaches any more. */
static void forget_breaks(sal__moment *m, double t) {
    int gone = 0;
    while (gone < m->count && (m->item[gone].t < t - m->depth * (1 + 1e-9) || m->count - gone > MOST_BREAKS))
        gone++;
    if (gone == 0)
        return;
    m->count -= gone;
    memmove(m->item, m->item + gone, (size_t)m->count * sizeof *m->item);
}

/* ---- the past at one time ---- */

static sal_status gather(const sal_simulator *sim, const sal_context *ctx, int part, double *value) {
    const sal_system *sys = sim->plan->part[part].system;
    sal_status status = SAL_OK;
    for (int k = 0; status == SAL_OK && k < sys->kept.count; k++)
        status = sal__kept_now(ctx, &sys->kept.item[k], value + sys->kept.item[k].column);
    return status;
}

static bool differs(const sal__kept *kept, const double *a, const double *b) {
    for (int i = kept->column; i < kept->column + kept->size; i++)
        if (a[i] != b[i])
            return true;
    return false;
}

/* The updates of an instant changed something: another point at its time, for what jumped. */
static sal_status jump_of_part(sal_simulator *sim, int part, sal__break *found) {
    const sal_system *sys = sim->plan->part[part].system;
    sal_delay_buffer *ring = past_of(sim, part)->ring;
    double *now = sim->kept_room;
    const sal_status status = gather(sim, &sim->run->window[part], part, now);
    const double *was = sal_delay_buffer_value(ring, sal_delay_buffer_points(ring) - 1);
    if (status != SAL_OK || !was)
        return status;
    bool any = false;
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
    sal_status status = reserve_break(sim);
    /* Whatever was written may change the derivatives, and all signals. */
    sal__break found = {sim->run->time, {1, SAL__SMOOTH, 0, 0}, 0};
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++)
        if (keeps(sim, i))
            status = jump_of_part(sim, i, &found);
    if (status == SAL_OK)
        add_break(sim->moment, &found);
    return status;
}

/* Where history and start do not meet, the value jumps. */
static sal_status compare_history(sal_simulator *sim, int part, double t, sal__break *start) {
    const sal_system *sys = sim->plan->part[part].system;
    const double *now = sal_delay_buffer_value(past_of(sim, part)->ring, 0);
    double *was = sim->kept_room;
    for (int k = 0; k < sys->kept.count; k++) {
        const sal__kept *kept = &sys->kept.item[k];
        const sal_status status = sal__kept_before(sys, past_of(sim, part), k, t, was + kept->column);
        if (status != SAL_OK)
            return status;
        for (int i = kept->column; i < kept->column + kept->size; i++)
            if (!(fabs(was[i] - now[i]) <= 1e-12 * fabs(now[i])))
                start->order[kept->kind] = 0;
    }
    return SAL_OK;
}

/* The start of a run, or its continuation where the past reaches up to now. */
sal_status sal__delays_start(sal_simulator *sim) {
    sal__moment *m = sim->moment;
    if (!m)
        return SAL_OK;
    const double t = sim->run->time;
    bool goes_on = true;
    for (int i = 0; i < sim->plan->parts; i++)
        if (keeps(sim, i)) {
            const sal_delay_buffer *ring = past_of(sim, i)->ring;
            goes_on = goes_on && sal_delay_buffer_time(ring, sal_delay_buffer_points(ring) - 1) == t;
        }
    m->sites = m->now = 0;
    m->waits = m->corner = INFINITY;
    if (goes_on)
        return sal__delays_jump(sim);
    m->count = 0;
    sal__break start = {t, {1, SAL__SMOOTH, 1, 1}, 0};
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++) {
        if (!keeps(sim, i))
            continue;
        sal_delay_buffer *ring = past_of(sim, i)->ring;
        sal_delay_buffer_clear(ring);
        status = gather(sim, &sim->run->window[i], i, sim->kept_room);
        if (status == SAL_OK)
            status = sal_delay_buffer_append(ring, t, sim->kept_room, NULL);
        if (status == SAL_OK)
            status = compare_history(sim, i, t, &start);
    }
    add_break(m, &start);
    return status;
}

/* ---- appending what was accepted ---- */

/* Coefficients of the polynomial of degree SAMPLES - 1 through values at equal distances
 * (Newton's forward differences, multiplied out). c[j] is that of theta^(j + 1). */
static void fit(const double v[SAMPLES], double c[SAMPLES - 1]) {
    double d[SAMPLES], p[SAMPLES] = {0};
    memcpy(d, v, sizeof d);
    for (int k = 1; k < SAMPLES; k++)
        for (int j = SAMPLES - 1; j >= k; j--)
            d[j] = (d[j] - d[j - 1]) / k;
    for (int k = SAMPLES - 1; k >= 0; k--) { /* p = d[k] + (u - k) p, u = theta (SAMPLES - 1) */
        for (int j = SAMPLES - 1; j > 0; j--)
            p[j] = p[j - 1] - k * p[j];
        p[0] = d[k] - k * p[0];
    }
    double scale = 1;
    for (int j = 1; j < SAMPLES; j++) {
        scale *= SAMPLES - 1;
        c[j - 1] = p[j] * scale;
    }
}

/* The same polynomial in steps of its own: from theta = a on, `share` of its length. */
static void move_origin(int degree, int stride, double a, double share, double *x0, double *c) {
    /* Repeated synthetic division gives the derivatives over factorials at a. */
    double p[SAL__DELAY_DEGREES + 1] = {*x0};
    for (int j = 1; j <= degree; j++)
        p[j] = c[(j - 1) * stride];
    for (int k = 0; k <= degree; k++)
        for (int j = degree - 1; j >= k; j--)
            p[j] += a * p[j + 1];
    *x0 = p[0];
    double scale = 1;
    for (int j = 1; j <= degree; j++) {
        scale *= share;
        c[(j - 1) * stride] = p[j] * scale;
    }
}

/* What is to be appended: from t0 to t1, with the integrator's interpolant where there is one. */
typedef struct stretch {
    double t0, t1;
    bool flows;
    double from, share; /* of the interpolant */
} stretch;

static stretch stretch_to(const sal_simulator *sim, double t0, double t1) {
    const sal__provisional *step = sim->moment->step;
    stretch s = {t0, t1, sim->plan->nx > 0 && step->known && step->h > 0, 0, 1};
    if (s.flows) {
        s.from = (t0 - step->t0) / step->h;
        s.share = t1 == step->t1 && t0 == step->t0 ? 1 : (t1 - t0) / step->h;
    }
    return s;
}

static void take_state(const sal_simulator *sim, const stretch *s, int x, int degree, int width, double *x0,
                       double *c) {
    const sal__provisional *step = sim->moment->step;
    const int n = sim->plan->nx;
    *x0 = s->flows ? step->x0[x] : sim->run->block[x];
    for (int j = 0; j < degree; j++)
        c[j * width] = s->flows && j < step->degree ? step->c[j * n + x] : 0;
    if (s->flows && (s->from != 0 || s->share != 1))
        move_origin(degree, width, s->from, s->share, x0, c);
}

/* The whole continuous state at theta of the stretch. */
static void state_in(const sal_simulator *sim, const stretch *s, double t, double *x) {
    for (int i = 0; i < sim->plan->nx; i++)
        x[i] = s->flows ? sal__provisional_value(sim->moment->step, sim->plan->nx, i, t) : sim->run->block[i];
}

/* Did a site, or does one, come to a break of its past just there? */
static bool arrived(const sal__moment *m, double t) {
    const sal__break *last = m->count > 0 ? &m->item[m->count - 1] : NULL;
    return last && last->by != 0 && fabs(last->t - t) <= sal__moment_near(t);
}

static bool is_led(const sal__moment *m, int site, double t) {
    return m->arriving == site && m->stop == t && isfinite(m->site[site].until);
}

static bool arrives(const sal__moment *m, double t) {
    for (int i = 0; i < m->sites; i++)
        if (m->site[i].end >= m->site[i].until - sal__moment_near(t) || is_led(m, i, t))
            return true;
    return false;
}

/* Signals are sampled along the stretch; where a delay brings a jump to one of its ends, as they are
 * inside of it. */
static double sample_time(const sal__moment *m, const stretch *s, int j) {
    const double inside = 2 * sal__moment_near(s->t1);
    const bool wide = s->t1 - s->t0 > 1e3 * inside;
    if (j == 0)
        return wide && arrived(m, s->t0) ? s->t0 + inside : s->t0;
    if (j == SAMPLES - 1)
        return wide && arrives(m, s->t1) ? s->t1 - inside : s->t1;
    return s->t0 + j * (s->t1 - s->t0) / (SAMPLES - 1);
}

static sal_status take_signals(sal_simulator *sim, const stretch *s, int part, int degree, double *x0, double *c) {
    const sal_system *sys = sim->plan->part[part].system;
    const int width = sys->kept_width;
    double *sample = sim->kept_room + widest(sim) * (SAL__DELAY_DEGREES + 1);
    sal_status status = SAL_OK;
    for (int j = 0; status == SAL_OK && j < SAMPLES; j++) {
        const double t = sample_time(sim->moment, s, j);
        state_in(sim, s, t, sim->rate);
        sal__store_look(sim->run, t, sim->rate);
        status = gather(sim, &sim->run->window[part], part, sample + j * width);
    }
    for (int k = 0; status == SAL_OK && k < sys->kept.count; k++) {
        const sal__kept *kept = &sys->kept.item[k];
        for (int i = kept->column; kept->kind >= SAL__PAST_OUTPUT && i < kept->column + kept->size; i++) {
            double v[SAMPLES], p[SAMPLES - 1];
            for (int j = 0; j < SAMPLES; j++)
                v[j] = sample[j * width + i];
            fit(v, p);
            x0[i] = v[0];
            for (int j = 0; j < degree; j++)
                c[j * width + i] = j < SAMPLES - 1 ? p[j] : 0;
        }
    }
    return status;
}

static sal_status append_to(sal_simulator *sim, int part, const stretch *s) {
    const sal__part *place = &sim->plan->part[part];
    const sal_system *sys = place->system;
    sal_delay_buffer *ring = past_of(sim, part)->ring;
    const int width = sys->kept_width, degree = sal_delay_buffer_config(ring)->degree;
    double *x0 = sim->kept_room, *c = x0 + width;
    bool signals = false;
    for (int k = 0; k < sys->kept.count; k++) {
        const sal__kept *kept = &sys->kept.item[k];
        signals = signals || kept->kind >= SAL__PAST_OUTPUT;
        for (int i = 0; i < kept->size && kept->kind <= SAL__PAST_HELD_VALUE; i++) {
            const int column = kept->column + i;
            if (kept->kind == SAL__PAST_STATE) {
                take_state(sim, s, place->at[kept->partition] + kept->at + i, degree, width, x0 + column, c + column);
                continue;
            }
            x0[column] = sal_context_get(&sim->run->window[part], kept->partition)[kept->at + i];
            for (int j = 0; j < degree; j++)
                c[j * width + column] = 0;
        }
    }
    const sal_status status = signals ? take_signals(sim, s, part, degree, x0, c) : SAL_OK;
    if (status != SAL_OK)
        return status;
    const sal_delay_piece piece = {s->t0, s->t1 - s->t0, x0, c};
    return sal_delay_buffer_append_piece(ring, s->t1, &piece);
}

/* A site that came to the end of its smooth stretch hands the break on. */
static void hand_on(sal__moment *m, const sal__site *site, double t) {
    const int order = higher(1, site->order + (site->rate ? 0 : 1)), signal = order - 1;
    add_break(m, &(sal__break){t, {order, SAL__SMOOTH, signal, signal}, site->past});
}

/* The step's end is the next one's start. */
static void settle(sal_simulator *sim, double t) {
    sal__moment *m = sim->moment;
    for (int i = 0; i < m->sites; i++) {
        sal__site *site = &m->site[i];
        const double lag = m->step->t1 - site->end, change = lag - (m->step->t0 - site->start);
        site->steady = fabs(change) <= sal__moment_near(m->step->t1);
        site->lag = lag;
        site->start = site->end;
        if (site->end >= site->until - sal__moment_near(t) || is_led(m, i, t)) {
            hand_on(m, site, t);
            if (site->order <= (site->rate ? 1 : 0)) /* the derivative at the end is that from the left */
                sal_integrator_invalidate(sim->in);
            site->met = sal__max(site->until, site->end);
        } else {
            site->met = site->end;
        }
    }
    if (m->corner == t) /* the right-hand side has a kink */
        add_break(m, &(sal__break){t, {2, SAL__SMOOTH, 1, 1}, 0});
    if (m->corner <= t)
        m->corner = INFINITY;
    for (int i = 0; i < m->sites; i++)
        sal__site_place(m, &m->site[i], m->site[i].met);
    m->arriving = -1;
}

/* The run has come to t: the buffers hold it up to there. Nothing is appended twice. */
sal_status sal__delays_commit(sal_simulator *sim, double t) {
    sal__moment *m = sim->moment;
    if (!m)
        return SAL_OK;
    const double now = sim->run->time;
    sal_status status = reserve_break(sim);
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++) {
        if (!keeps(sim, i))
            continue;
        const sal_delay_buffer *ring = past_of(sim, i)->ring;
        const stretch s = stretch_to(sim, sal_delay_buffer_time(ring, sal_delay_buffer_points(ring) - 1), t);
        if (t > s.t0)
            status = append_to(sim, i, &s);
        if (status != SAL_OK)
            sim->failing_part = i;
    }
    sal__store_look(sim->run, now, NULL);
    if (status != SAL_OK) {
        sal__delays_cut(sim, now);
        return status;
    }
    if (sim->plan->nx > 0 && t == m->step->t1 && m->step->known)
        settle(sim, t);
    forget_breaks(m, t);
    return SAL_OK;
}

/* What was appended after t has not been. */
void sal__delays_cut(sal_simulator *sim, double t) {
    for (int i = 0; sim->moment && i < sim->plan->parts; i++)
        if (keeps(sim, i))
            sal_delay_buffer_cut(past_of(sim, i)->ring, t);
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
    sal_status status = reserve_break(sim);
    for (int i = 0; status == SAL_OK && i < sim->plan->parts; i++)
        if (keeps(sim, i))
            status = sal_delay_buffer_reserve(past_of(sim, i)->ring, 3);
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

/* ---- snapshots ---- */

typedef struct summary {
    double waits, stop, corner, arriving;
} summary;

typedef struct trace {
    double start, end, lag, after, until, met;
    int32_t kind, order, rate, steady;
} trace;

size_t sal__delays_room(const sal_simulator *sim, int breaks, int sites) {
    return sim->moment ? sizeof(summary) + (size_t)breaks * sizeof(sal__break) + (size_t)sites * sizeof(trace) : 0;
}

void sal__delays_write(const sal_simulator *sim, unsigned char *to, size_t *size) {
    const sal__moment *m = sim->moment;
    if (!m)
        return;
    *size += sal__delays_room(sim, m->count, m->sites);
    if (!to)
        return;
    memcpy(to, &(summary){m->waits, m->stop, m->corner, m->arriving}, sizeof(summary));
    to += sizeof(summary);
    memcpy(to, m->item, (size_t)m->count * sizeof *m->item);
    to += (size_t)m->count * sizeof *m->item;
    for (int i = 0; i < m->sites; i++, to += sizeof(trace)) {
        const sal__site *s = &m->site[i];
        const trace t = {s->start, s->end, s->lag, s->after, s->until, s->met, s->kind, s->order, s->rate, s->steady};
        memcpy(to, &t, sizeof t);
    }
}

sal_status sal__delays_reserve(sal_simulator *sim, int breaks) {
    sal__moment *m = sim->moment;
    while (m && m->cap < breaks)
        if (sal__grow(&sim->mem, (void **)&m->item, m->cap, &m->cap, sizeof *m->item) != SAL_OK)
            return SAL_ENOMEM;
    return SAL_OK;
}

void sal__delays_read(sal_simulator *sim, const unsigned char *from, int breaks, int sites) {
    sal__moment *m = sim->moment;
    if (!m)
        return;
    summary all;
    memcpy(&all, from, sizeof all);
    from += sizeof all;
    m->waits = all.waits, m->stop = all.stop, m->corner = all.corner, m->arriving = (int)all.arriving;
    memcpy(m->item, from, (size_t)breaks * sizeof *m->item);
    from += (size_t)breaks * sizeof *m->item;
    m->count = breaks;
    m->sites = sites;
    for (int i = 0; i < sites; i++, from += sizeof(trace)) {
        trace t;
        memcpy(&t, from, sizeof t);
        m->site[i] = (sal__site){.start = t.start,
                                 .asked = t.end,
                                 .end = t.end,
                                 .lag = t.lag,
                                 .after = t.after,
                                 .until = t.until,
                                 .met = t.met,
                                 .kind = t.kind,
                                 .order = t.order,
                                 .rate = t.rate != 0,
                                 .steady = t.steady != 0,
                                 .crossed = NAN};
    }
}
