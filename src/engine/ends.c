/* What witnesses read at the two ends of a step: their values, and their slopes by a short Euler step.
 *
 * What both ends show to be no matter stays out of the search for crossings. */
#include <math.h>

#include "engine.h"

#define SLOPE 1e-4 /* of the step: the Euler step that a slope is taken over */

/* Looks at what an Euler step of `dt` from (t, x) with rate f leads to. */
static void look_beside(sal_simulator *sim, double t, const double *x, const double *f, double dt) {
    for (int i = 0; i < sim->plan->nx; i++)
        sim->scratch[i] = x[i] + dt * f[i];
    sal__store_look(sim->run, t + dt, sim->plan->nx > 0 ? sim->scratch : NULL);
}

/* From where the flow begins: the step's start, or the event that the rest goes on from. */
static void look_beside_start(sal_simulator *sim, double now, double dt) {
    const bool in_rest = sim->rest.there && sim->plan->nx > 0;
    if (in_rest)
        sal_integrator_interpolate_rate(sim->in, sim->rest.theta, sim->rate);
    look_beside(sim, now, sim->run->block, in_rest ? sim->rate : sal_integrator_start_rate(sim->in), dt);
}

/* It seems to go on beyond the surface. After an update a short hop would look the same: look closer. */
static sal_status look_closer(sal_simulator *sim, sal__witness *w, double now, double dt) {
    double beside = 0;
    look_beside_start(sim, now, 1e-3 * dt);
    const sal_status status = sal__witness_value(sim, w, &beside);
    if (status == SAL_OK && (beside - w->w0) * w->near > 0)
        w->s0 = (beside - w->w0) / (1e-3 * dt);
    look_beside_start(sim, now, dt);
    return status;
}

static sal_status start_slopes(sal_simulator *sim, bool search, double now, double h, sal_report *report) {
    if (sim->slopeless == 0)
        return SAL_OK;
    const double dt = SLOPE * h;
    bool looking = false;
    for (int k = 0; k < sim->looks; k++) {
        sal__witness *w = &sim->witness[sim->looking[k]];
        if (!isnan(w->s0) || !(search || w->surface) || w->direction == SAL_TURNING)
            continue;
        if (!looking)
            look_beside_start(sim, now, dt);
        looking = true;
        double beside = 0;
        sal_status status = sal__witness_value(sim, w, &beside);
        w->s0 = (beside - w->w0) / dt;
        if (status == SAL_OK && w->surface && !sim->rest.there && !(w->s0 * w->near > 0))
            status = look_closer(sim, w, now, dt);
        if (status != SAL_OK)
            w->s0 = NAN;
        if (status != SAL_OK)
            return sal__witness_blame(sim, sim->looking[k], status, report);
    }
    return SAL_OK;
}

static sal_status end_values(sal_simulator *sim, double t1, sal_report *report) {
    sal__store_look(sim->run, t1, sim->plan->nx > 0 ? sal_integrator_end(sim->in) : NULL);
    for (int k = 0; k < sim->looks; k++) {
        sal__witness *w = &sim->witness[sim->looking[k]];
        if (!w->end_unknown)
            continue;
        w->s1 = NAN;
        const sal_status status = sal__witness_value(sim, w, &w->w1);
        if (status != SAL_OK)
            return sal__witness_blame(sim, sim->looking[k], status, report);
    }
    return SAL_OK;
}

/* The usual case, seen at once: one sign, and on its way without turning (a cubic with both slopes along its rise
 * and none above three times it is monotone: Fritsch and Carlson, SIAM J. Numer. Anal. 17, 1980), or turning away
 * from zero, which leaves no room for another extremum. */
static bool stays_clear(const sal__witness *w, double h) {
    if (w->surface || !(w->w0 > 0 ? w->w1 > 0 : w->w0 < 0 && w->w1 < 0))
        return false;
    const double rise = w->w1 - w->w0, most = 3 * rise;
    const double sa = w->s0 * h, sb = w->s1 * h;
    if (rise > 0 ? sa >= 0 && sb >= 0 && sa <= most && sb <= most : sa <= 0 && sb <= 0 && sa >= most && sb >= most)
        return true;
    return w->w0 > 0 ? sa >= 0 && sb <= 0 : sa <= 0 && sb >= 0;
}

/* One that time alone may move, and nothing that feeds it, nor the host: it does not read the time, where both ends and
 * what is beside them are the same. */
static bool stands(const sal_simulator *sim, const sal__witness *w) {
    return !w->moved && !sim->run->feeds && w->w0 == w->w1 && w->s0 == 0 && w->s1 == 0;
}

static sal_status look_at_end(sal_simulator *sim, double t1, double dt) {
    const double *f1 = NULL;
    if (sim->plan->nx > 0) {
        const sal_rhs rhs = sal__rhs_of(sim);
        const sal_status status = sal_integrator_end_rate(sim->in, &rhs, &f1);
        if (status != SAL_OK)
            return status;
    }
    look_beside(sim, t1, sim->plan->nx > 0 ? sal_integrator_end(sim->in) : NULL, f1, dt);
    return SAL_OK;
}

static sal_status end_slopes(sal_simulator *sim, double t1, double h, sal_report *report) {
    const double dt = -SLOPE * h;
    bool looking = false;
    int *const suspect = sim->crossing + sim->crossings;
    for (int k = 0; k < sim->looks; k++) {
        const int i = sim->looking[k];
        sal__witness *w = &sim->witness[i];
        if (w->end_unknown && w->direction != SAL_TURNING) {
            sal_status status = looking ? SAL_OK : look_at_end(sim, t1, dt);
            if (status != SAL_OK)
                return status;
            looking = true;
            double beside = 0;
            status = sal__witness_value(sim, w, &beside);
            w->s1 = (beside - w->w1) / dt;
            if (status != SAL_OK)
                return sal__witness_blame(sim, i, status, report);
            if (w->timed ? stands(sim, w) : stays_clear(w, h))
                continue;
        }
        suspect[sim->suspects++] = i;
    }
    return SAL_OK;
}

static void suspect_all(sal_simulator *sim) {
    int *const suspect = sim->crossing + sim->crossings;
    for (; sim->suspects < sim->looks; sim->suspects++)
        suspect[sim->suspects] = sim->looking[sim->suspects];
}

/* Slopes are of x', and of an interpolant that is curved. */
bool sal__searches(const sal_simulator *sim) {
    if (!sim->config.interior || sim->has_mass || sim->plan->nx == 0)
        return sim->config.interior && !sim->has_mass;
    const sal_integrator_config *in = sal_integrator_config_of(sim->in);
    return in->hermite || sal_method_dense_order(in->method) >= 2;
}

sal_status sal__witness_ends(sal_simulator *sim, double t1, sal_report *report) {
    const double now = sim->run->time;
    sim->suspects = 0;
    const sal_status status = end_values(sim, t1, report);
    if (status != SAL_OK)
        return status;
    const bool search = sal__isolates(sim) && sal__searches(sim);
    const sal_status sloped = start_slopes(sim, search, now, t1 - now, report);
    if (sloped == SAL_OK && search)
        return end_slopes(sim, t1, t1 - now, report);
    suspect_all(sim);
    return sloped;
}
