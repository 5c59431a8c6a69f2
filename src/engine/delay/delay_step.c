/* A step that reads the past. It ends where a lag reaches a discontinuity. For a constant lag that time is known in
 * advance. For a lag that varies, an attempt extrapolates across, and the time is found on its dense output. */
#include <math.h>
#include <string.h>

#include "delay.h"
#include "engine/witness/crossing.h"

/* The earliest time at which a constant lag reaches its next discontinuity. */
static double next_known_exit(const sal__delay_state *m, double t) {
    double stop = INFINITY;
    for (int i = 0; i < m->sites.count; i++) {
        const sal__delay_site *site = &m->sites.item[i];
        const double meets = site->smooth_to + site->lag;
        if (site->has_constant_lag && meets > t + sal__discontinuity_tolerance(t))
            stop = sal__min(meets, stop);
    }
    return stop;
}

/* A site that leaves its smooth interval as the step begins moves to the next interval. */
static void step_over(sal_simulator *sim, const sal__site_exit *who, double t) {
    sal__delay_site *site = &sim->delay_state->sites.item[who->site];
    sal__cross_discontinuity(sim, site, who->at_start, t);
    sal__site_place(sim->delay_state, site);
}

/* The step ends at t for it. */
static double set_arrival(sal__delay_state *m, const sal__site_exit *who, double t) {
    m->bounds.arriving_site = who->site;
    m->bounds.arriving_at_start = who->at_start;
    m->bounds.step_end = t;
    return t;
}

static sal_status reserve(sal_simulator *sim) {
    sal_status status = sal__reserve_discontinuity(sim);
    for (int i = 0; status == SAL_OK && i < sim->plan->part_count; i++)
        if (sal__has_history(sim, i))
            status = sal_delay_buffer_reserve(sal__history_buffer_of(sim, i)->ring, 3);
    return status;
}

static bool varies(const sal__delay_state *m) {
    for (int i = 0; i < m->sites.count; i++)
        if (!m->sites.item[i].has_constant_lag)
            return true;
    return false;
}

/* After a step that error control shortened, or that was to end at a kink found before: searches for the kink.
 * *stop: it lies in this step, which is repeated up to there. */
static sal_status look_for_corner(sal_simulator *sim, const sal_rhs *rhs, double *stop) {
    sal__delay_state *m = sim->delay_state;
    const double t0 = m->step->t0, t1 = m->step->t1, met = m->bounds.kink;
    const bool at_one = fabs(t1 - met) <= sal__discontinuity_tolerance(t1);
    *stop = INFINITY;
    if (!at_one && (m->step->longest <= 1.001 * m->step->h || !varies(m)))
        return SAL_OK;
    const double until = at_one ? t1 + (t1 - t0) / 4 : t0 + m->step->longest;
    const sal_status status = sal__find_kink(sim, rhs, t0, until, &m->bounds.kink);
    if (at_one && isinf(m->bounds.kink))
        m->bounds.kink = t1;
    if (status != SAL_OK || isinf(m->bounds.kink))
        return status;
    const double near = 1e-6 * m->step->h;
    if (at_one && fabs(m->bounds.kink - t1) <= near)
        m->bounds.kink = t1;
    else if (m->bounds.kink < t1 - near && m->bounds.kink > t0 + near)
        *stop = m->bounds.kink;
    else if (m->bounds.kink <= t0 + near)
        m->bounds.kink = INFINITY;
    return SAL_OK;
}

/* The latest end of the step, as far as it is known before an attempt. */
static double expected(sal__delay_state *m, double t, const sal_limits *limits) {
    const double next = sal__min(sal__min(limits->publish, limits->update), limits->boundary);
    double stop = sal__min(next_known_exit(m, t), t + m->bounds.shortest_wait);
    if (m->bounds.kink > t + sal__discontinuity_tolerance(t))
        stop = sal__min(m->bounds.kink, stop);
    m->bounds.shortest_wait *= 2; /* it is found again if it is still there */
    return fabs(stop - next) <= sal__discontinuity_tolerance(t) / 4 ? next : stop; /* one instant */
}

/* After an attempt: either the step is good, or *stop is where it has to end. The first EXACT attempts end where a
 * site leaves its smooth interval. If that time depends on the state and moves, later attempts end well before it. */
static sal_status judge(sal_simulator *sim, const sal_rhs *rhs, double t, int tries, double *stop, bool *good) {
    enum { EXACT = 10 };
    sal__delay_state *m = sim->delay_state;
    const double t1 = m->step->t1;
    sal__site_exit first = {INFINITY, -1, false};
    sal__mark_possible_exits(m);
    sal_status status = m->sites.exit_end == t1 ? sal__first_exit(sim, rhs, &first) : SAL_OK;
    *good = status == SAL_OK && !(first.t < t1 - sal__discontinuity_tolerance(t1));
    if (*good && first.t < INFINITY) {
        set_arrival(m, &first, t1);
    } else if (*good) {
        double corner = INFINITY;
        status = look_for_corner(sim, rhs, &corner);
        *good = isinf(corner);
        *stop = *good ? *stop : corner;
    } else if (status > 0) { /* the attempt read a time that cannot be read */
        *stop = t + m->step->h / 2;
    } else if (first.t - t <= sal__max(sal__discontinuity_tolerance(t), 1e-10 * m->step->h)) {
        step_over(sim, &first, t);
    } else if (tries < EXACT) {
        *stop = set_arrival(m, &first, first.t);
    } else {
        *stop = t + (first.t - t) / 2;
    }
    return status < 0 ? status : SAL_OK;
}

/* The same for what else reads the past. */
static sal_status judge_readers(sal_simulator *sim, double t, double *stop, bool *good) {
    double meets = INFINITY;
    const sal_status status = sal__past_readers_limit(sim, t, sim->delay_state->step->t1, sal__end_state(sim), &meets);
    if (status == SAL_OK && meets < INFINITY) {
        *stop = meets;
        *good = false;
    }
    return status;
}

enum { TRIES = 80 }; /* after so many there is nothing left to halve */

sal_status sal__delays_resume_step(sal_simulator *sim, double now, double t1) {
    double none = INFINITY;
    sal__past_readers_begin_step(sim->delay_state);
    if (sim->delay_state->readers.at_end.t == t1)
        return SAL_OK;
    return sal__past_readers_limit(sim, now, t1, sal__end_state(sim), &none);
}

sal_status sal__delays_end_without_state(sal_simulator *sim, double t, double *end) {
    sal_status status = SAL_OK;
    double stop = *end;
    sal__past_readers_begin_step(sim->delay_state);
    for (int i = 0; status == SAL_OK && i < TRIES && stop < INFINITY; i++) {
        *end = stop;
        status = sal__past_readers_limit(sim, t, *end, NULL, &stop);
    }
    return status;
}

/* Takes one step of the integrator in which no site crosses a discontinuity. */
sal_status sal__delays_step(sal_simulator *sim, const sal_rhs *rhs, double t, const double *x,
                            const sal_limits *limits) {
    sal__delay_state *m = sim->delay_state;
    sal_status status = reserve(sim);
    double stop = expected(m, t, limits);
    bool good = false;
    m->bounds.arriving_site = -1;
    sal__past_readers_begin_step(m);
    for (int i = 0; status == SAL_OK && !good; i++) {
        sal_limits to = *limits;
        to.boundary = sal__min(to.boundary, stop);
        m->sites.exit_end = NAN;
        status = sal_integrator_step(sim->integrator, rhs, t, x, &to, NULL);
        if (status == SAL_OK && i < TRIES)
            status = judge(sim, rhs, t, i, &stop, &good);
        else
            good = true;
        if (status == SAL_OK && good && i < TRIES)
            status = judge_readers(sim, t, &stop, &good);
    }
    return status;
}
