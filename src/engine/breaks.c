/* Where the past is not smooth, and where sites stand between such places. */
#include <math.h>
#include <string.h>

#include "delays.h"

enum { MOST_BREAKS = 1 << 16 };

static int lower(int a, int b) {
    return a < b ? a : b;
}

static int higher(int a, int b) {
    return a < b ? b : a;
}

sal_status sal__reserve_break(sal_simulator *sim) {
    sal__moment *m = sim->moment;
    return sal__grow(&sim->mem, (void **)&m->item, m->count, &m->cap, sizeof *m->item);
}

/* In the order of time; two that are one instant become one. Room was made. */
void sal__add_break(sal__moment *m, const sal__break *found) {
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
void sal__forget_breaks(sal__moment *m, double t) {
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

void sal__course_keep(sal__moment *m, double t) {
    keep_sites(m);
    m->was.t = t;
    m->was.arriving = m->arriving;
    m->was.stop = m->stop;
    m->was.corner = m->corner;
    m->was.waits = m->waits;
}

void sal__course_begun(sal__moment *m, double t) {
    int sites = 0;
    for (int i = 0; i < m->sites; i++) /* others are read no more */
        if (m->site[i].round == m->round)
            m->site[sites++] = m->site[i];
    m->sites = sites;
    if (t == m->was.t)
        keep_sites(m);
}

void sal__course_put_back(sal__moment *m) {
    memcpy(m->site, m->was.site, (size_t)m->was.sites * sizeof *m->site);
    m->sites = m->was.sites;
    m->arriving = m->was.arriving;
    m->stop = m->was.stop;
    m->corner = m->was.corner;
    m->waits = m->was.waits;
    while (m->count > 0 && m->item[m->count - 1].t > m->was.t)
        m->count--;
}

/* A site that came to the end of its smooth stretch hands the break on. */
static void hand_on(sal__moment *m, const sal__site *site, double t) {
    const int order = higher(1, site->order + (site->rate ? 0 : 1)), signal = order - 1;
    sal__add_break(m, &(sal__break){t, {order, SAL__SMOOTH, signal, signal}, site->past});
}

/* The step's end is the next one's start. */
void sal__settle_sites(sal_simulator *sim, double t) {
    sal__moment *m = sim->moment;
    for (int i = 0; i < m->sites; i++) {
        sal__site *site = &m->site[i];
        const double lag = m->step->t1 - site->end, change = lag - (m->step->t0 - site->start);
        site->steady = fabs(change) <= sal__moment_near(m->step->t1);
        site->lag = lag;
        site->start = site->end;
        if (site->end >= site->until - sal__moment_near(t) || sal__is_led(m, i, t)) {
            hand_on(m, site, t);
            if (site->order <= (site->rate ? 1 : 0)) /* the derivative at the end is that from the left */
                sal_integrator_invalidate(sim->in);
            site->met = sal__max(site->until, site->end);
        } else {
            site->met = site->end;
        }
    }
    if (m->corner == t) /* the right-hand side has a kink */
        sal__add_break(m, &(sal__break){t, {2, SAL__SMOOTH, 1, 1}, 0});
    if (m->corner <= t)
        m->corner = INFINITY;
    for (int i = 0; i < m->sites; i++)
        sal__site_place(m, &m->site[i], m->site[i].met);
    m->arriving = -1;
}
