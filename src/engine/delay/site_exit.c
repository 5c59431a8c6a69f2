/* Where a site leaves its smooth interval in an attempted step: on the step's dense output, between points that
 * bracket it. */
#include <math.h>

#include "delay.h"
#include "numerics/root_finder.h"

enum { POINTS = 8 };

typedef struct site_probe {
    sal_simulator *sim;
    const sal_rhs *rhs;
    int site;
    bool back; /* where it was beyond last */
} site_probe;

static double time_at(const sal__provisional_step *step, double theta) {
    return theta < 1 ? step->t0 + theta * (step->t1 - step->t0) : step->t1;
}

sal_status sal__probe_sites(sal_simulator *sim, const sal_rhs *rhs, double t) {
    sal__attempted_state(sim, t, sim->flow.scratch);
    sim->delay_state->is_probing = true;
    const sal_status status = rhs->eval(rhs->user, t, sim->flow.scratch, sim->flow.rate);
    sim->delay_state->is_probing = false;
    return status;
}

/* The distance of the site beyond the end of its smooth interval, at theta of the dense output. */
static sal_status beyond(void *user, double theta, double *by) {
    site_probe *who = user;
    const sal__delay_state *m = who->sim->delay_state;
    const sal_status status = sal__probe_sites(who->sim, who->rhs, time_at(m->step, theta));
    const sal__delay_site *site = &m->sites.item[who->site];
    *by = sal__site_beyond(site, site->read_at);
    if (*by > 0)
        who->back = site->read_at < site->start;
    return status;
}

/* No sample is beyond the end. The maximum between the samples may be: a parabola through three of them is refined. */
static sal_status peak(const sal__probe *probe, const double by[POINTS + 1], sal__root_interval *found) {
    enum { ROUNDS = 5 };
    int at = 1;
    for (int i = 1; i < POINTS; i++)
        at = by[i] > by[at] ? i : at;
    double theta[3], w[3];
    for (int i = 0; i < 3; i++) {
        theta[i] = (double)(at - 1 + i) / POINTS;
        w[i] = by[at - 1 + i];
    }
    for (int round = 0; round < ROUNDS; round++) {
        const double left = (w[1] - w[0]) / (theta[1] - theta[0]), right = (w[2] - w[1]) / (theta[2] - theta[1]);
        const double top = (theta[0] + theta[1]) / 2 + left / (left - right) * (theta[2] - theta[0]) / 2;
        double x = 0;
        if (!(top > theta[0] && top < theta[2]) || top == theta[1])
            return SAL_OK;
        const sal_status status = probe->eval(probe->user, top, &x);
        if (status != SAL_OK)
            return status;
        if (x > 0) {
            *found = (sal__root_interval){theta[0], w[0], NAN, top, x, NAN};
            return SAL_OK;
        }
        const int out = top > theta[1] ? 0 : 2;
        if (x > w[1]) {
            theta[out] = theta[1], w[out] = w[1];
            theta[1] = top, w[1] = x;
        } else {
            theta[2 - out] = top, w[2 - out] = x;
        }
    }
    return SAL_OK;
}

/* Samples from the end of the step backwards, since the exit is mostly there. For a site that returns, finds the
 * first of several exits. A distance within rounding counts as an exit at the end only. */
static sal_status bracket(const sal__probe *probe, bool returns, double near, sal__root_interval *found) {
    double by[POINTS + 1];
    for (int i = POINTS; i >= 0; i--) {
        const double theta = (double)i / POINTS;
        const sal_status status = probe->eval(probe->user, theta, &by[i]);
        if (status != SAL_OK)
            return status;
        if (by[i] > (returns ? near : 0)) {
            found->b = theta;
            found->wb = by[i];
        } else if (found->b == (double)(i + 1) / POINTS) {
            found->a = theta;
            found->wa = by[i];
            if (!returns)
                return SAL_OK;
        }
    }
    return isnan(found->b) ? peak(probe, by, found) : SAL_OK;
}

static sal_status leaves(sal_simulator *sim, const sal_rhs *rhs, sal__site_exit *found) {
    const sal__provisional_step *step = sim->delay_state->step;
    const sal__delay_site *at = &sim->delay_state->sites.item[found->site];
    if (fabs((step->t1 - at->end) - (step->t0 - at->start)) <= sal__discontinuity_tolerance(step->t1) &&
        at->end > at->smooth_to) {
        found->t = at->smooth_to + (step->t1 - at->end); /* a steady lag */
        return SAL_OK;
    }
    site_probe who = {sim, rhs, found->site, false};
    const sal__probe probe = {beyond, &who};
    sal__root_interval piece = {.sa = NAN, .b = NAN, .sb = NAN};
    const double near = sal__discontinuity_tolerance(step->t1);
    const bool returns = found->site < SAL__MAX_TRACKS && sim->delay_state->sites.track[found->site].may_have_returned;
    sal_status status = bracket(&probe, returns, near, &piece);
    if (status != SAL_OK || isnan(piece.b))
        return status;
    double theta = 0, by = 0;
    status = sal__find_root(&probe, &piece, near / 4 / (step->t1 - step->t0), &theta, &by);
    found->t = time_at(step, theta);
    found->at_start = who.back;
    return status;
}

/* The second divided difference of three points, half the curvature. */
static double bend(const double *t, const double *s) {
    return ((s[2] - s[1]) / (t[2] - t[1]) - (s[1] - s[0]) / (t[1] - t[0])) / (t[2] - t[0]);
}

/* A bound for how far a curve extends beyond points i and i + 1 between them, from the curvature beside them. */
static double overshoot(const double *t, const double *s, int i, int count, int side) {
    enum { MORE = 3 };
    const double before = i > 0 ? bend(t + i - 1, s + i - 1) : 0, behind = i + 2 < count ? bend(t + i, s + i) : 0;
    const double length = t[i + 1] - t[i], most = sal__max(-side * before, -side * behind);
    const double arc = MORE * most * length * length, rise = fabs(s[i + 1] - s[i]);
    return arc > rise ? (arc - rise) * (arc - rise) / (4 * arc) : 0;
}

/* There are few stages: between two of them a site may leave its smooth interval and return. Marks the site if
 * it may have. */
static void mark_possible_return(sal__delay_state *m, int i) {
    sal__delay_site *site = &m->sites.item[i];
    sal__site_track *k = &m->sites.track[i];
    const double near = sal__discontinuity_tolerance(m->step->t1);
    k->may_have_returned = false;
    double t[SAL__MAX_TRACK_POINTS + 1] = {m->step->t0}, s[SAL__MAX_TRACK_POINTS + 1] = {site->start};
    int count = 1;
    for (int j = 0; k->t1 == m->step->t1 && j < k->point_count; j++)
        if (k->t[j] - t[count - 1] > 1e-3 * m->step->h) {
            t[count] = k->t[j];
            s[count++] = k->read_at[j];
        }
    for (int j = 0; j + 1 < count; j++) {
        const double high = sal__max(s[j], s[j + 1]) + overshoot(t, s, j, count, 1);
        const double low = sal__min(s[j], s[j + 1]) - overshoot(t, s, j, count, -1);
        const double most = sal__max(sal__site_beyond(site, high), sal__site_beyond(site, low));
        if (most > near && sal__site_beyond(site, s[j + 1]) <= near) {
            k->may_have_returned = true;
            site->exit_end = m->sites.exit_end = m->step->t1;
        }
    }
}

void sal__mark_possible_exits(sal__delay_state *m) {
    for (int i = 0; i < m->sites.count && i < SAL__MAX_TRACKS; i++)
        if (!m->sites.item[i].has_constant_lag &&
            (isfinite(m->sites.item[i].smooth_to) || isfinite(m->sites.item[i].smooth_from)))
            mark_possible_return(m, i);
}

sal_status sal__first_exit(sal_simulator *sim, const sal_rhs *rhs, sal__site_exit *first) {
    const sal__delay_state *m = sim->delay_state;
    const int sites = m->sites.count;
    for (int i = 0; i < sites; i++) {
        sal__site_exit found = {INFINITY, i, false};
        if (m->sites.item[i].exit_end != m->step->t1)
            continue;
        const sal_status status = leaves(sim, rhs, &found);
        if (status != SAL_OK)
            return status;
        if (found.t < first->t)
            *first = found;
    }
    return SAL_OK;
}
