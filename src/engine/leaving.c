/* Where in a step that was tried a site leaves its smooth stretch: on the step's dense output, between points that
 * bracket it. */
#include <math.h>

#include "delays.h"
#include "numerics/isolation.h"

enum { POINTS = 8 };

typedef struct leaver {
    sal_simulator *sim;
    const sal_rhs *rhs;
    int site;
    bool back; /* where it was beyond last */
} leaver;

static double time_at(const sal__provisional *step, double theta) {
    return theta < 1 ? step->t0 + theta * (step->t1 - step->t0) : step->t1;
}

/* By how much the site is beyond the end of its smooth stretch, at theta of the dense output. */
static sal_status beyond(void *user, double theta, double *by) {
    leaver *who = user;
    sal_simulator *sim = who->sim;
    sal__moment *m = sim->moment;
    const double t = time_at(m->step, theta);
    for (int i = 0; i < sim->plan->nx; i++)
        sim->scratch[i] = sal__provisional_value(m->step, sim->plan->nx, i, t);
    m->probing = true;
    const sal_status status = who->rhs->eval(who->rhs->user, t, sim->scratch, sim->rate);
    m->probing = false;
    const sal__site *site = &m->site[who->site];
    *by = sal__site_beyond(site, site->asked);
    if (*by > 0)
        who->back = site->asked < site->start;
    return status;
}

/* The end first: it is mostly there. */
static sal_status bracket(const sal_probe *probe, sal_piece *found) {
    sal_status status = SAL_OK;
    bool has = false;
    for (int i = POINTS; status == SAL_OK && i >= 0; i--) {
        double by = 0;
        const double theta = (double)i / POINTS;
        status = probe->eval(probe->user, theta, &by);
        if (by > 0) {
            has = true;
            found->b = theta;
            found->wb = by;
        } else if (has) {
            found->a = theta;
            found->wa = by;
            return status;
        }
    }
    return status;
}

static sal_status leaves(sal_simulator *sim, const sal_rhs *rhs, sal__leaving *found) {
    const sal__provisional *step = sim->moment->step;
    const sal__site *at = &sim->moment->site[found->site];
    if (fabs((step->t1 - at->end) - (step->t0 - at->start)) <= sal__moment_near(step->t1) && at->end > at->until) {
        found->t = at->until + (step->t1 - at->end); /* a steady lag */
        return SAL_OK;
    }
    leaver who = {sim, rhs, found->site, false};
    const sal_probe probe = {beyond, &who};
    sal_piece piece = {.sa = NAN, .b = NAN, .sb = NAN};
    sal_status status = bracket(&probe, &piece);
    if (status != SAL_OK || isnan(piece.b))
        return status;
    double theta = 0, by = 0;
    status = sal__isolate_root(&probe, &piece, sal__moment_near(step->t1) / 4 / (step->t1 - step->t0), &theta, &by);
    found->t = time_at(step, theta);
    found->back = who.back;
    return status;
}

sal_status sal__first_leaving(sal_simulator *sim, const sal_rhs *rhs, sal__leaving *first) {
    const sal__moment *m = sim->moment;
    const int sites = m->sites;
    for (int i = 0; i < sites; i++) {
        sal__leaving found = {INFINITY, i, false};
        if (m->site[i].crossed != m->step->t1)
            continue;
        const sal_status status = leaves(sim, rhs, &found);
        if (status != SAL_OK)
            return status;
        if (found.t < first->t)
            *first = found;
    }
    return SAL_OK;
}
