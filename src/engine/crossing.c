/* Where witnesses cross zero inside a step: their values and slopes at its ends, the
 * search for what those cannot show, and the instant that comes first.
 *
 * The root finder is Chandrupatla's (Adv. Eng. Software 28, 1997), begun from the
 * cubic of the ends; see numerics/isolation.c. */
#include <math.h>

#include "engine.h"

#define SLOPE 1e-4 /* of the step: the Euler step that a slope is taken over */

/* ---- one step's values and slopes ---- */

typedef struct span {
    sal_simulator *sim;
    sal__witness *witness;
    double t0, t1, level;
} span;

/* w - level at theta of the step, on its dense output. */
static sal_status probe(void *user, double theta, double *value) {
    const span *s = user;
    sal_simulator *sim = s->sim;
    if (sim->plan->nx > 0)
        sal_integrator_interpolate(sim->in, theta, sim->scratch);
    const double t = theta >= 1 ? s->t1 : s->t0 + theta * (s->t1 - s->t0);
    sal__store_look(sim->run, t, sim->plan->nx > 0 ? sim->scratch : NULL);
    sim->stats.isolation_evaluations++;
    const sal_status status = sal__witness_value(sim, s->witness, value);
    *value -= s->level;
    return status;
}

/* Looks at what an Euler step of `dt` from (t, x) with rate f leads to. */
static void look_beside(sal_simulator *sim, double t, const double *x, const double *f, double dt) {
    for (int i = 0; i < sim->plan->nx; i++)
        sim->scratch[i] = x[i] + dt * f[i];
    sal__store_look(sim->run, t + dt, sim->plan->nx > 0 ? sim->scratch : NULL);
}

/* Where the look begins: the step's start, or the event that the rest goes on from. */
static const double *start_rate(sal_simulator *sim) {
    if (sim->plan->nx == 0)
        return NULL;
    if (!sim->rest.there)
        return sal_integrator_start_rate(sim->in);
    sal_integrator_interpolate_rate(sim->in, sim->rest.theta, sim->rate);
    return sim->rate;
}

/* It seems to go on beyond the surface. After an update a short hop would look the same: look closer. */
static sal_status look_closer(sal_simulator *sim, sal__witness *w, double now, const double *f, double dt) {
    double beside = 0;
    look_beside(sim, now, sim->run->block, f, 1e-3 * dt);
    const sal_status status = sal__witness_value(sim, w, &beside);
    if (status == SAL_OK && (beside - w->w0) * w->near > 0)
        w->s0 = (beside - w->w0) / (1e-3 * dt);
    look_beside(sim, now, sim->run->block, f, dt);
    return status;
}

static sal_status start_slopes(sal_simulator *sim, bool search, double now, double h, sal_report *report) {
    const double dt = SLOPE * h;
    const double *f = NULL;
    bool looking = false;
    for (int k = 0; k < sim->looks; k++) {
        sal__witness *w = &sim->witness[sim->looking[k]];
        if (!isnan(w->s0) || !(search || w->surface))
            continue;
        if (!looking)
            look_beside(sim, now, sim->run->block, f = start_rate(sim), dt);
        looking = true;
        double beside = 0;
        sal_status status = sal__witness_value(sim, w, &beside);
        w->s0 = (beside - w->w0) / dt;
        if (status == SAL_OK && w->surface && !sim->rest.there && !(w->s0 * w->near > 0))
            status = look_closer(sim, w, now, f, dt);
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

static sal_status end_slopes(sal_simulator *sim, double t1, double h, sal_report *report) {
    const double dt = -SLOPE * h;
    const double *f1 = NULL;
    if (sim->plan->nx > 0) {
        const sal_rhs rhs = sal__rhs_of(sim);
        const sal_status status = sal_integrator_end_rate(sim->in, &rhs, &f1);
        if (status != SAL_OK)
            return status;
    }
    look_beside(sim, t1, sim->plan->nx > 0 ? sal_integrator_end(sim->in) : NULL, f1, dt);
    for (int k = 0; k < sim->looks; k++) {
        sal__witness *w = &sim->witness[sim->looking[k]];
        if (!w->end_unknown)
            continue;
        double beside = 0;
        const sal_status status = sal__witness_value(sim, w, &beside);
        w->s1 = (beside - w->w1) / dt;
        if (status != SAL_OK)
            return sal__witness_blame(sim, sim->looking[k], status, report);
    }
    return SAL_OK;
}

static bool is_curved(const sal_simulator *sim) {
    if (sim->plan->nx == 0)
        return true;
    const sal_integrator_config *in = sal_integrator_config_of(sim->in);
    return in->hermite || sal_method_dense_order(in->method) >= 2;
}

static bool lacks_end(const sal_simulator *sim) {
    for (int k = 0; k < sim->looks; k++)
        if (sim->witness[sim->looking[k]].end_unknown)
            return true;
    return false;
}

static sal_status slopes(sal_simulator *sim, double now, double t1, sal_report *report) {
    const bool search = sim->config.interior && is_curved(sim) && !sim->has_mass; /* slopes are of x' */
    const sal_status status = start_slopes(sim, search, now, t1 - now, report);
    return status == SAL_OK && search && lacks_end(sim) ? end_slopes(sim, t1, t1 - now, report) : status;
}

/* ---- crossings ---- */

static bool fits(sal_direction wanted, double from) {
    return wanted == SAL_CROSSING || wanted == (from > 0 ? SAL_FALLING : SAL_RISING);
}

/* The interpolant, only when something is to be located. */
static sal_status prepare(sal_simulator *sim) {
    const sal_rhs rhs = sal__rhs_of(sim);
    return sim->plan->nx > 0 ? sal_integrator_prepare_dense(sim->in, &rhs) : SAL_OK;
}

static sal_status isolate(span *s, sal_piece piece, double level, double *theta) {
    sal__witness *w = s->witness;
    s->level = level;
    piece.wa -= level;
    piece.wb -= level;
    w->from =
        (signed char)(piece.wb < 0 || (piece.wb == 0 && (piece.wa > 0 || (piece.wa == 0 && piece.sa > 0))) ? 1 : -1);
    const sal_probe look = {probe, s};
    double value = 0;
    const sal_status status = prepare(s->sim);
    if (status != SAL_OK)
        return status;
    s->sim->stats.isolations++;
    return sal__isolate_root(&look, &piece, 0, theta, &value); /* to an ulp or two of theta */
}

/* A cubic with both slopes along its rise and none above three times it is monotone
 * (Fritsch and Carlson, SIAM J. Numer. Anal. 17, 1980): no extremum, as nearly always. */
static bool goes_one_way(const sal_piece *piece) {
    const double rise = piece->wb - piece->wa, width = piece->b - piece->a;
    const double sa = piece->sa * width, sb = piece->sb * width;
    return sa * rise >= 0 && sb * rise >= 0 && fabs(sa) <= 3 * fabs(rise) && fabs(sb) <= 3 * fabs(rise);
}

static sal_status dip(span *s, const sal_piece *piece, bool *found, double *u, double *wu) {
    const sal_probe look = {probe, s};
    *found = false;
    if (isnan(piece->sa) || isnan(piece->sb) || goes_one_way(piece))
        return SAL_OK;
    s->level = 0;
    const sal_status status = prepare(s->sim);
    if (status != SAL_OK)
        return status;
    s->sim->stats.searches++;
    return sal__search_dip(&look, piece, found, u, wu);
}

/* Both ends on one side: two crossings inside, or none. The one in the wanted direction. */
static sal_status inner_crossing(span *s, const sal_piece *whole, sal_direction wanted, double *theta) {
    bool found = false;
    double u = 0, wu = 0;
    const sal_status status = dip(s, whole, &found, &u, &wu);
    if (status != SAL_OK || !found)
        return status;
    const double side = whole->wa != 0 ? whole->wa : whole->wb;
    if (fits(wanted, side))
        return isolate(s, (sal_piece){whole->a, whole->wa, whole->sa, u, wu, NAN}, 0, theta);
    if (wu == 0)
        return SAL_OK;
    return isolate(s, (sal_piece){u, wu, NAN, whole->b, whole->wb, whole->sb}, 0, theta);
}

static sal_status from_surface(span *s, const sal_piece *whole, double *theta) {
    const sal__witness *w = s->witness;
    const int near = w->near;
    const double level = w->level;
    if (w->w1 * near > 0) { /* back on its own side: armed again, or, gone on beyond first, crossing back */
        const sal_direction wanted = w->direction;
        return w->s0 * near < 0 && fits(wanted, -near) ? isolate(s, *whole, 0, theta) : SAL_OK;
    }
    if (level != 0) { /* was it there in between? */
        bool found = false;
        double u = 0, wu = 0;
        const sal_status status = dip(s, whole, &found, &u, &wu);
        if (status != SAL_OK)
            return status;
        if (found && wu != 0)
            return isolate(s, (sal_piece){u, wu, NAN, 1, whole->wb, whole->sb}, 0, theta);
    }
    const double f0 = (w->w0 - level) * near, f1 = (w->w1 - level) * near;
    if (f1 <= 0 && (f0 > 0 || (f0 == 0 && f1 < 0 && w->s0 * near > 0)))
        return isolate(s, *whole, level, theta);
    return SAL_OK;
}

static sal_status find_crossing(span *s, double h, double *theta) {
    const sal__witness *w = s->witness;
    const sal_direction wanted = w->direction;
    const double from = s->sim->rest.there ? s->sim->rest.theta : 0;
    const sal_piece whole = {from, w->w0, w->s0 * h, 1, w->w1, w->s1 * h};
    if (w->surface)
        return from_surface(s, &whole, theta);
    if (w->w0 != 0 && w->w0 * (w->w1 > 0 ? 1.0 : w->w1 < 0 ? -1.0 : 0.0) <= 0)
        return fits(wanted, w->w0) ? isolate(s, whole, 0, theta) : SAL_OK;
    if (isnan(w->s0))
        return SAL_OK;
    if (w->w0 == 0 && w->s0 * w->w1 < 0) /* left zero to one side, ended on the other */
        return fits(wanted, w->s0) ? isolate(s, whole, 0, theta) : SAL_OK;
    return w->w1 != 0 ? inner_crossing(s, &whole, wanted, theta) : SAL_OK;
}

/* Without isolation: the signs at the ends, with a surface's level in place of zero. */
static void by_ends(sal__witness *w) {
    const double level = w->surface ? w->level : 0;
    const double f0 = w->w0 - level, f1 = w->w1 - level;
    const bool crossed = (f0 > 0 && f1 <= 0) || (f0 < 0 && f1 >= 0);
    if (!crossed || (w->surface && (w->w1 * w->near > 0 || f0 * w->near < 0)))
        return;
    if (!w->surface && !fits(w->direction, f0))
        return;
    w->from = f0 > 0 ? 1 : -1;
    w->theta = 1;
}

/* The usual case, seen at once: one sign, and turning away from zero, where a cubic has room for one
 * extremum only, or on its way without turning. */
static bool stays_clear(const sal__witness *w, double h) {
    if (w->surface || !(w->w0 * w->w1 > 0))
        return false;
    if (w->w0 > 0 ? w->s0 >= 0 && w->s1 <= 0 : w->s0 <= 0 && w->s1 >= 0)
        return true;
    const double rise = w->w1 - w->w0, most = 3 * fabs(rise);
    const double sa = w->s0 * h, sb = w->s1 * h;
    return sa * rise >= 0 && sb * rise >= 0 && fabs(sa) <= most && fabs(sb) <= most;
}

static sal_status cross_all(sal_simulator *sim, double t0, double t1, sal_report *report) {
    const int known = sim->crossings;
    for (int k = 0; k < sim->looks; k++) {
        const int i = sim->looking[k];
        sal__witness *w = &sim->witness[i];
        if (stays_clear(w, t1 - t0))
            continue;
        span s = {sim, w, t0, t1, 0};
        const sal_status status = find_crossing(&s, t1 - t0, &w->theta);
        if (status != SAL_OK) {
            sim->crossings = known;
            return sal__witness_blame(sim, i, status, report);
        }
        if (w->theta <= 1)
            sim->crossing[sim->crossings++] = i;
    }
    return SAL_OK;
}

static void cross_by_ends(sal_simulator *sim) {
    for (int k = 0; k < sim->looks; k++) {
        const int i = sim->looking[k];
        by_ends(&sim->witness[i]);
        if (sim->witness[i].theta <= 1)
            sim->crossing[sim->crossings++] = i;
    }
}

/* The first crossing stands last, and of equals the first declared. They come in declared order: what is new
 * is taken from the back. */
static void sort_crossings(sal_simulator *sim, int known) {
    int *const list = sim->crossing;
    for (int a = known, b = sim->crossings - 1; a < b; a++, b--) {
        const int was = list[a];
        list[a] = list[b];
        list[b] = was;
    }
    for (int k = known; k < sim->crossings; k++) {
        const int i = list[k];
        int at = k;
        for (; at > 0 && sim->witness[list[at - 1]].theta < sim->witness[i].theta; at--)
            list[at] = list[at - 1];
        list[at] = i;
    }
}

static void drop_inactive(sal_simulator *sim) {
    int kept = 0;
    for (int k = 0; k < sim->crossings; k++)
        if (sim->witness[sim->crossing[k]].active)
            sim->crossing[kept++] = sim->crossing[k];
    sim->crossings = kept;
}

/* Roots within 4 ulp of the earliest are one instant; its state is that of the last,
 * where all have crossed. They move from the list of crossings to that of the fired. */
static double first_instant(sal_simulator *sim, double t0, double t1) {
    if (sim->guarded > 0)
        drop_inactive(sim);
    if (sim->crossings == 0)
        return 2;
    const double first = t0 + sal__witness_next_crossing(sim) * (t1 - t0);
    double theta;
    do {
        const int i = sim->crossing[--sim->crossings];
        sal__witness *w = &sim->witness[i];
        w->fired = true;
        w->near = w->from;
        theta = w->theta;
        sim->fired[sim->waiting++] = i;
    } while (sim->crossings > 0 && sal__same_instant(t0 + sal__witness_next_crossing(sim) * (t1 - t0), first, 0));
    return theta;
}

sal_status sal__witness_locate(sal_simulator *sim, double t0, double t1, double *theta, sal_report *report) {
    const double now = sim->run->time;
    const int known = sim->crossings;
    *theta = 2;
    sal_status status = end_values(sim, t1, report);
    if (status == SAL_OK && !sal__isolates(sim)) {
        cross_by_ends(sim);
    } else if (status == SAL_OK) {
        status = slopes(sim, now, t1, report);
        if (status == SAL_OK)
            status = cross_all(sim, t0, t1, report);
    }
    if (status != SAL_OK)
        return status;
    sort_crossings(sim, known);
    *theta = first_instant(sim, t0, t1);
    sim->values_hold = *theta > 1;
    return SAL_OK;
}
