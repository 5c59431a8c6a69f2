/* A step that looks into the past: it ends where a lag meets a place that is not smooth. A lag
 * that does not vary has its next one foretold; one that varies is led across by an attempt,
 * and found on that one's dense output. */
#include <math.h>
#include <string.h>

#include "delays.h"

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
