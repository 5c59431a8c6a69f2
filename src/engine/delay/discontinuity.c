/* Where the past is not smooth, and where sites stand between such places. */
#include <math.h>
#include <string.h>

#include "delay.h"

enum { MOST_BREAKS = 1 << 16 };

static int lower(int a, int b) {
    return a < b ? a : b;
}

static int higher(int a, int b) {
    return a < b ? b : a;
}

sal_status sal__reserve_discontinuity(sal_simulator *sim) {
    sal__moment *m = sim->delay_state;
    return sal__grow(&sim->mem, (void **)&m->item, m->count, &m->cap, sizeof *m->item);
}

/* In the order of time; two that are one instant become one. Room was made. */
void sal__add_discontinuity(sal__moment *m, const sal__break *found) {
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
void sal__drop_discontinuities(sal__moment *m, double t) {
    int gone = 0;
    while (gone < m->count && (m->item[gone].t < t - m->depth * (1 + 1e-9) || m->count - gone > MOST_BREAKS))
        gone++;
    if (gone == 0)
        return;
    m->count -= gone;
    memmove(m->item, m->item + gone, (size_t)m->count * sizeof *m->item);
}

static void keep_sites(sal__moment *m) {
    memcpy(m->was.site, m->site, (size_t)m->sites * sizeof *m->site);
    m->was.sites = m->sites;
}

void sal__checkpoint_save(sal__moment *m, double t) {
    keep_sites(m);
    m->was.t = t;
    m->was.arriving = m->arriving;
    m->was.stop = m->stop;
    m->was.corner = m->corner;
    m->was.waits = m->waits;
}

void sal__checkpoint_update(sal__moment *m, double t) {
    int sites = 0;
    for (int i = 0; i < m->sites; i++) /* others are read no more */
        if (m->site[i].round == m->round)
            m->site[sites++] = m->site[i];
    m->sites = sites;
    if (t == m->was.t)
        keep_sites(m);
}

void sal__checkpoint_restore(sal__moment *m) {
    memcpy(m->site, m->was.site, (size_t)m->was.sites * sizeof *m->site);
    m->sites = m->was.sites;
    m->arriving = m->was.arriving;
    m->stop = m->was.stop;
    m->corner = m->was.corner;
    m->waits = m->was.waits;
    while (m->count > 0 && m->item[m->count - 1].t > m->was.t)
        m->count--;
}

static bool is_felt(const sal__moment *m, const sal__break *found) {
    for (int i = 0; i < m->sites; i++)
        if (sal__site_feels(m, &m->site[i], found))
            return true;
    return false;
}

void sal__cross_discontinuity(sal_simulator *sim, sal__site *site, bool back, double t) {
    sal__moment *m = sim->delay_state;
    const int met = back ? site->before : site->order;
    const int order = higher(1, met + (site->rate ? 0 : 1)), signal = order - 1;
    const sal__break found = {t, {order, SAL__SMOOTH, signal, signal}, site->past};
    site->met = back ? site->after : site->until;
    site->back = back;
    if (is_felt(m, &found))
        sal__add_discontinuity(m, &found);
    if (met <= (site->rate ? 1 : 0)) /* the derivative that is known is that from the other side */
        sal_integrator_invalidate(sim->integrator);
}

int sal__site_reaches_end(const sal__moment *m, int i, double t) {
    const sal__site *site = &m->site[i];
    const double near = sal__moment_near(t);
    if (m->arriving == i && m->stop == t && isfinite(m->arriving_back ? site->after : site->until))
        return m->arriving_back ? -1 : 1; /* the step was cut short for it */
    if (site->end > site->start)
        return site->end >= site->until - near;
    return site->end < site->start && site->end <= site->after + near ? -1 : 0;
}

/* The step's end is the next one's start. */
void sal__advance_sites(sal_simulator *sim, double t) {
    sal__moment *m = sim->delay_state;
    for (int i = 0; i < m->sites; i++) {
        sal__site *site = &m->site[i];
        const double lag = m->step->t1 - site->end, change = lag - (m->step->t0 - site->start);
        site->steady = fabs(change) <= sal__moment_near(m->step->t1);
        site->lag = lag;
        site->met = site->end;
        site->back = false;
        const int arrives = sal__site_reaches_end(m, i, t);
        if (arrives)
            sal__cross_discontinuity(sim, site, arrives < 0, t);
        site->start = site->end;
    }
    if (m->corner == t) /* the right-hand side has a kink */
        sal__add_discontinuity(m, &(sal__break){t, {2, SAL__SMOOTH, 1, 1}, 0});
    if (m->corner <= t)
        m->corner = INFINITY;
    for (int i = 0; i < m->sites; i++)
        sal__site_place(m, &m->site[i]);
    m->arriving = -1;
}
