/* The discontinuities of the past, and the sites between them. */
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
    sal__delay_state *m = sim->delay_state;
    return sal__grow(&sim->mem, (void **)&m->discontinuity, m->discontinuity_count, &m->discontinuity_capacity,
                     sizeof *m->discontinuity);
}

/* The one at the same instant that the same histories have; NULL: there is none. */
static sal__discontinuity *find_equal(const sal__delay_state *m, const sal__discontinuity *found) {
    const double earliest = found->t - sal__discontinuity_tolerance(found->t);
    for (int i = m->discontinuity_count - 1; i >= 0 && m->discontinuity[i].t >= earliest; i--)
        if (m->discontinuity[i].within == found->within)
            return &m->discontinuity[i];
    return NULL;
}

/* Inserts in the order of time; two within one instant become one. Room was reserved. */
void sal__add_discontinuity(sal__delay_state *m, const sal__discontinuity *found) {
    sal__discontinuity *equal = find_equal(m, found);
    if (equal) {
        equal->handed_on_by = equal->handed_on_by == found->handed_on_by ? equal->handed_on_by : -1;
        for (int i = 0; i < 4; i++)
            equal->order[i] = lower(equal->order[i], found->order[i]);
        return;
    }
    if (m->discontinuity_count == m->discontinuity_capacity) { /* room is reserved before each step; this one had two */
        memmove(m->discontinuity, m->discontinuity + 1,
                (size_t)(m->discontinuity_count - 1) * sizeof *m->discontinuity);
        m->discontinuity_count--;
    }
    int at = m->discontinuity_count++;
    for (; at > 0 && m->discontinuity[at - 1].t > found->t; at--)
        m->discontinuity[at] = m->discontinuity[at - 1];
    m->discontinuity[at] = *found;
}

/* Removes discontinuities that no delay reaches any more. */
void sal__drop_discontinuities(sal__delay_state *m, double t) {
    int gone = 0;
    while (gone < m->discontinuity_count &&
           (m->discontinuity[gone].t < t - m->max_depth * (1 + 1e-9) || m->discontinuity_count - gone > MOST_BREAKS))
        gone++;
    if (gone == 0)
        return;
    m->discontinuity_count -= gone;
    memmove(m->discontinuity, m->discontinuity + gone, (size_t)m->discontinuity_count * sizeof *m->discontinuity);
}

static void keep_sites(sal__delay_state *m) {
    memcpy(m->checkpoint.site, m->site, (size_t)m->site_count * sizeof *m->site);
    m->checkpoint.site_count = m->site_count;
}

void sal__checkpoint_save(sal__delay_state *m, double t) {
    keep_sites(m);
    m->checkpoint.t = t;
    m->checkpoint.arriving_site = m->arriving_site;
    m->checkpoint.step_end = m->step_end;
    m->checkpoint.kink = m->kink;
    m->checkpoint.shortest_wait = m->shortest_wait;
}

void sal__checkpoint_update(sal__delay_state *m, double t) {
    int sites = 0;
    for (int i = 0; i < m->site_count; i++) /* others are read no more */
        if (m->site[i].last_evaluation == m->evaluation)
            m->site[sites++] = m->site[i];
    m->site_count = sites;
    if (t == m->checkpoint.t)
        keep_sites(m);
}

void sal__checkpoint_restore(sal__delay_state *m) {
    memcpy(m->site, m->checkpoint.site, (size_t)m->checkpoint.site_count * sizeof *m->site);
    m->site_count = m->checkpoint.site_count;
    m->arriving_site = m->checkpoint.arriving_site;
    m->step_end = m->checkpoint.step_end;
    m->kink = m->checkpoint.kink;
    m->shortest_wait = m->checkpoint.shortest_wait;
    while (m->discontinuity_count > 0 && m->discontinuity[m->discontinuity_count - 1].t > m->checkpoint.t)
        m->discontinuity_count--;
}

static bool is_felt(const sal__delay_state *m, const sal__discontinuity *found) {
    for (int i = 0; i < m->site_count; i++)
        if (sal__site_feels(m, &m->site[i], found))
            return true;
    return false;
}

void sal__cross_discontinuity(sal_simulator *sim, sal__delay_site *site, bool back, double t) {
    sal__delay_state *m = sim->delay_state;
    const int met = back ? site->order_before : site->order;
    const int order = higher(1, met + (site->reads_rate ? 0 : 1)), signal = order - 1;
    const sal__discontinuity found = {t, {order, SAL__SMOOTH, signal, signal}, site->history, 0};
    site->at_break = back ? site->smooth_from : site->smooth_to;
    site->at_right_of_break = back;
    if (is_felt(m, &found))
        sal__add_discontinuity(m, &found);
    /* The derivative that is known was computed on the other side. At a kink it differs by the rounding of the time,
     * which is large far from time 0. */
    if (met <= (site->reads_rate ? 2 : 1))
        sal_integrator_invalidate(sim->integrator);
}

int sal__site_reaches_end(const sal__delay_state *m, int i, double t) {
    const sal__delay_site *site = &m->site[i];
    const double near = sal__discontinuity_tolerance(t);
    if (m->arriving_site == i && m->step_end == t &&
        isfinite(m->arriving_at_start ? site->smooth_from : site->smooth_to))
        return m->arriving_at_start ? -1 : 1; /* the step was shortened for this site */
    if (site->end > site->start)
        return site->end >= site->smooth_to - near;
    return site->end < site->start && site->end <= site->smooth_from + near ? -1 : 0;
}

/* The end of the step becomes the start of the next one. */
void sal__advance_sites(sal_simulator *sim, double t) {
    sal__delay_state *m = sim->delay_state;
    for (int i = 0; i < m->site_count; i++) {
        sal__delay_site *site = &m->site[i];
        const double lag = m->step->t1 - site->end, change = lag - (m->step->t0 - site->start);
        site->has_constant_lag = fabs(change) <= sal__discontinuity_tolerance(m->step->t1);
        site->lag = lag;
        site->at_break = site->end;
        site->at_right_of_break = false;
        const int arrives = sal__site_reaches_end(m, i, t);
        if (arrives)
            sal__cross_discontinuity(sim, site, arrives < 0, t);
        site->start = site->end;
    }
    if (m->kink == t) /* the right-hand side has a kink */
        sal__add_discontinuity(m, &(sal__discontinuity){t, {2, SAL__SMOOTH, 1, 1}, 0, 0});
    if (m->kink <= t)
        m->kink = INFINITY;
    for (int i = 0; i < m->site_count; i++)
        sal__site_place(m, &m->site[i]);
    m->arriving_site = -1;
}
