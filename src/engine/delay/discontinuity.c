/* The discontinuities of the past, and the sites between them. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "delay.h"

enum { MOST = 1 << 16 };

static int lower(int a, int b) {
    return a < b ? a : b;
}

static int higher(int a, int b) {
    return a < b ? b : a;
}

sal_status sal__reserve_discontinuity(sal_simulator *sim) {
    const sal__delay_state *m = sim->delay_state;
    return sal__delays_reserve(sim, m->discontinuities.count + m->sites.count + 1); /* each site may hand one on */
}

sal_status sal__delays_reserve(sal_simulator *sim, int count) {
    sal__discontinuities *all = sim->delay_state ? &sim->delay_state->discontinuities : NULL;
    while (all && all->cap < count)
        if (sal__grow(&sim->pool.mem, (void **)&all->item, all->cap, &all->cap, sizeof *all->item) != SAL_OK)
            return SAL_ENOMEM;
    return SAL_OK;
}

/* The one at the same time that the same history handed on to the same ones; NULL: there is none. Close ones stay two:
 * before the first and behind the last, a history has other values. */
static sal__discontinuity *find_equal(const sal__discontinuities *all, const sal__discontinuity *found) {
    for (int i = all->count - 1; i >= 0 && all->item[i].t >= found->t; i--)
        if (all->item[i].within == found->within && all->item[i].handed_on_by == found->handed_on_by)
            return &all->item[i];
    return NULL;
}

static void remove_first(sal__discontinuities *all, int count) {
    all->count -= count;
    memmove(all->item, all->item + count, (size_t)all->count * sizeof *all->item);
}

/* Inserts in the order of time; two equal ones become one. Room was reserved. */
void sal__add_discontinuity(sal__delay_state *m, const sal__discontinuity *found) {
    sal__discontinuities *all = &m->discontinuities;
    sal__discontinuity *equal = find_equal(all, found);
    if (equal) {
        for (int i = 0; i < 4; i++)
            equal->order[i] = lower(equal->order[i], found->order[i]);
        return;
    }
    if (all->count == all->cap) /* room is reserved before each step; this one had two */
        remove_first(all, 1);
    int at = all->count++;
    for (; at > 0 && all->item[at - 1].t > found->t; at--)
        all->item[at] = all->item[at - 1];
    all->item[at] = *found;
}

/* Removes discontinuities that no delay reaches any more. */
void sal__drop_discontinuities(sal__delay_state *m, double t) {
    const sal__discontinuities *all = &m->discontinuities;
    int gone = 0;
    while (gone < all->count && (all->item[gone].t < t - m->max_depth * (1 + 1e-9) || all->count - gone > MOST))
        gone++;
    if (gone > 0)
        remove_first(&m->discontinuities, gone);
}

void sal__drop_discontinuities_after(sal__delay_state *m, double t) {
    while (m->discontinuities.count > 0 && m->discontinuities.item[m->discontinuities.count - 1].t > t)
        m->discontinuities.count--;
}

static void keep_sites(sal__delay_state *m) {
    memcpy(m->checkpoint.site, m->sites.item, (size_t)m->sites.count * sizeof *m->sites.item);
    m->checkpoint.site_count = m->sites.count;
}

void sal__checkpoint_save(sal__delay_state *m, double t) {
    keep_sites(m);
    m->checkpoint.t = t;
    m->checkpoint.bounds = m->bounds;
}

void sal__checkpoint_update(sal__delay_state *m, double t) {
    int sites = 0;
    for (int i = 0; i < m->sites.count; i++) /* others are read no more */
        if (m->sites.item[i].last_evaluation == m->sites.evaluation)
            m->sites.item[sites++] = m->sites.item[i];
    m->sites.count = sites;
    if (t == m->checkpoint.t)
        keep_sites(m);
}

void sal__checkpoint_restore(sal__delay_state *m) {
    memcpy(m->sites.item, m->checkpoint.site, (size_t)m->checkpoint.site_count * sizeof *m->sites.item);
    m->sites.count = m->checkpoint.site_count;
    m->bounds = m->checkpoint.bounds;
    sal__drop_discontinuities_after(m, m->checkpoint.t);
}

/* Does any past that the method can feel have it, whether a site reads it now or not? */
static bool is_felt(const sal__delay_state *m, const sal__discontinuity *found) {
    const int highest = m->method_order - found->order[SAL__HISTORY_INPUT];
    const sal__influence *table = &m->influence;
    if (!table->integrals)
        return highest >= 0;
    const unsigned char *row =
        table->integrals + (size_t)sal__past_row(table, found->handed_on_by) * (size_t)table->past_count;
    int i = 0;
    while (i < table->past_count && row[i] > highest)
        i++;
    return i < table->past_count;
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
    const sal__delay_site *site = &m->sites.item[i];
    const double near = sal__discontinuity_tolerance(t);
    if (m->bounds.arriving_site == i && m->bounds.step_end == t &&
        isfinite(m->bounds.arriving_at_start ? site->smooth_from : site->smooth_to))
        return m->bounds.arriving_at_start ? -1 : 1; /* the step was shortened for this site */
    if (site->end > site->start)
        return site->end >= site->smooth_to - near;
    return site->end < site->start && site->end <= site->smooth_from + near ? -1 : 0;
}

/* The end of the step becomes the start of the next one. */
void sal__advance_sites(sal_simulator *sim, double t) {
    sal__delay_state *m = sim->delay_state;
    for (int i = 0; i < m->sites.count; i++) {
        sal__delay_site *site = &m->sites.item[i];
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
    if (m->bounds.kink == t) /* the right-hand side has a kink */
        sal__add_discontinuity(m, &(sal__discontinuity){t, {2, SAL__SMOOTH, 1, 1}, 0, 0});
    if (m->bounds.kink <= t)
        m->bounds.kink = INFINITY;
    for (int i = 0; i < m->sites.count; i++)
        sal__site_place(m, &m->sites.item[i]);
    m->bounds.arriving_site = -1;
}

/* ---- in a snapshot ---- */

static void archive_discontinuity(sal__archive *a, const sal__influence *table, sal__discontinuity *b, double *last) {
    const double t = sal__real_finite(a, &b->t);
    sal__rule(a, t >= *last);
    *last = t;
    for (int i = 0; i < 4; i++)
        sal__int(a, &b->order[i], 0, SAL__SMOOTH);
    const int64_t by = sal__int64(a, &b->handed_on_by, 0, INT64_MAX);
    sal__rule(a, by == 0 || sal__is_past(table, by));
    sal__int64(a, &b->within, 0, INT64_MAX);
}

void sal__discontinuities_archive(sal__archive *a, sal__delay_state *m, int *count) {
    enum { LEAST = 32 }; /* bytes */
    sal__discontinuity room = {0};
    double last = -INFINITY;
    *count = sal__count(a, &m->discontinuities.count, INT_MAX, LEAST);
    sal__may_take(a, (size_t)(m->discontinuities.cap - *count) * sizeof(sal__discontinuity));
    for (int i = 0; i < *count && !a->is_bad; i++)
        archive_discontinuity(a, &m->influence, a->mode == SAL__CHECK ? &room : &m->discontinuities.item[i], &last);
}

void sal__discontinuities_copy(sal__delay_state *m, const sal__delay_state *from) {
    m->discontinuities.count = from->discontinuities.count;
    if (from->discontinuities.count > 0)
        memcpy(m->discontinuities.item, from->discontinuities.item,
               (size_t)from->discontinuities.count * sizeof *m->discontinuities.item);
}
