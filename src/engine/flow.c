/* From x+ to the next x-: as far as nothing else can happen. */
#include <math.h>
#include <string.h>

#include "engine.h"

sal_status sal__rhs(void *user, double t, const double *x, double *dx) {
    sal_simulator *sim = user;
    sal__store_look(sim->run, t, x);
    for (int i = 0; i < sim->flows; i++) {
        const sal__flowing *f = &sim->flowing[i];
        const sal_rates dot = {dx + f->q, dx + f->v, dx + f->z};
        const sal_status status = f->derivatives(f->system, f->ctx, &dot);
        if (status != SAL_OK) {
            sim->failing_part = f->part;
            return status;
        }
    }
    return SAL_OK;
}

/* The same for the usual case, one part: a loop less for each evaluation. */
static sal_status rhs_of_one(void *user, double t, const double *x, double *dx) {
    sal_simulator *sim = user;
    const sal__flowing *f = sim->flowing;
    sal__store *run = sim->run;
    run->time = t;
    run->from[SAL__IN_X] = x;
    run->fresh[false]++;
    run->fresh[true] += run->feeds != NULL;
    const sal_rates dot = {dx + f->q, dx + f->v, dx + f->z};
    return f->derivatives(f->system, f->ctx, &dot);
}

/* The same where the past is read, read by read. */
static sal_status rhs_with_past(void *user, double t, const double *x, double *dx) {
    sal_simulator *sim = user;
    sal__moment *m = sim->moment;
    m->tracking = true;
    m->now = 0;
    m->round++;
    const sal_status status = sal__rhs(user, t, x, dx);
    m->tracking = false;
    if (status == SAL_OK && sal__moment_begins(m, t))
        sal__course_begun(m, t);
    return status;
}

sal_rhs sal__rhs_new(sal_simulator *sim) {
    if (sim->moment)
        return (sal_rhs){sim->plan->nx, rhs_with_past, sim};
    return (sal_rhs){sim->plan->nx, sim->flows == 1 ? rhs_of_one : sal__rhs, sim};
}

/* The earliest pending time opens the instant; it is the current time or the
 * boundary when one of them is within 4 ulp. */
typedef struct target {
    sal_limits at;
    double opener;
    bool now;
} target;

/* Times that are one instant, though not equal, become so. */
static void join_instants(target *to, double now, double scale) {
    sal_limits *at = &to->at;
    to->now = to->now || sal__same_instant(to->opener, now, scale);
    const double instant = sal__same_instant(to->opener, at->boundary, scale) ? at->boundary : to->opener;
    if (at->publish < INFINITY && sal__same_instant(at->publish, to->opener, scale))
        at->publish = instant;
    if (at->update < INFINITY && sal__same_instant(at->update, to->opener, scale))
        at->update = instant;
}

static target aim(const sal_simulator *sim, double boundary) {
    const double now = sim->run->time;
    const double publish = sal__timing_next(sim, SAL__PUBLISHES), update = sal__timing_next(sim, SAL__UPDATES);
    const double opener = sal__min(publish, update), scale = sal__timing_scale(sim, opener);
    target to = {{publish, update, boundary}, opener, opener <= now || boundary <= now};
    if (opener == INFINITY)
        return to;
    const double far = 0x1p-48 * (fabs(opener) + scale); /* more than 4 ulp of either, where that is between two */
    if (!(opener - now > far && fabs(boundary - opener) > far && (publish == update || fabs(publish - update) > far)))
        join_instants(&to, now, scale);
    return to;
}

static double earliest(const target *to) {
    return sal__min(sal__min(to->at.publish, to->at.update), to->at.boundary);
}

/* An input's corner ends a step, without being an instant at which anything happens. */
static sal_limits limits_of(const sal_simulator *sim, const target *to) {
    sal_limits at = to->at;
    if (sim->run->feeds)
        at.boundary = sal__min(sal__feeds_stop(sim, earliest(to)), at.boundary);
    return at;
}

static sal_status integrate(sal_simulator *sim, const target *to, double *t1, sal_report *report) {
    const double t0 = sim->run->time;
    const sal_limits limits = limits_of(sim, to);
    if (sim->plan->nx == 0) {
        *t1 = sal__min(sal__min(limits.publish, limits.update), limits.boundary);
        return SAL_OK;
    }
    sim->failing_part = sim->flows == 1 ? sim->flowing->part : -1;
    sim->run->blamed = -1;
    const sal_status status = sim->moment ? sal__delays_step(sim, &sim->rhs, t0, sim->run->block, &limits)
                                          : sal_integrator_step(sim->in, &sim->rhs, t0, sim->run->block, &limits, NULL);
    sal__store_look(sim->run, t0, NULL);
    if (status != SAL_OK) {
        const bool explained = status == SAL_ECALLBACK || status == SAL_ELOOP;
        report->part = sim->run->blamed >= 0 && !explained ? sim->run->blamed : sim->failing_part;
        if (status == SAL_ESTEP && sal_integrator_failed(sim->in)->off)
            sal__projection_blame(sim, "", "", &report->note);
        else if (status == SAL_ESTEP)
            sal__step_blame(sim, report);
        return status;
    }
    *t1 = sal_integrator_end_time(sim->in);
    return SAL_OK;
}

/* Integrates once more, to the time where an event was isolated. */
static sal_status retake(sal_simulator *sim, double t0, double t_event) {
    const sal_rhs rhs = sal__rhs_of(sim);
    const sal_limits limits = {INFINITY, INFINITY, t_event};
    double t = t0;
    memcpy(sim->scratch, sim->run->block, (size_t)sim->plan->nx * sizeof(double));
    while (t < t_event) {
        const sal_status status = sal_integrator_step(sim->in, &rhs, t, sim->scratch, &limits, NULL);
        if (status != SAL_OK)
            return status;
        t = sal_integrator_end_time(sim->in);
        const sal_status kept = sal__delays_commit(sim, t);
        if (kept != SAL_OK)
            return kept;
        memcpy(sim->scratch, sal_integrator_end(sim->in), (size_t)sim->plan->nx * sizeof(double));
    }
    return SAL_OK;
}

/* The smallest double that is not before theta of the step. */
static double time_at(double t0, double t1, double theta) {
    const double t = t0 + theta * (t1 - t0);
    const double short_of = theta * (t1 - t0) - (t - t0);
    return sal__min(short_of > 0 ? nextafter(t, INFINITY) : t, t1);
}

static inline void go_to(sal_simulator *sim, double t, const double *x) {
    sal__copy(sim->run->block, x, sim->plan->nx);
    sim->step_start = sim->run->time;
    sal__store_look(sim->run, t, NULL);
}

void sal__flow_anew(sal_simulator *sim) {
    if (sim->rest.there && sim->plan->nx > 0)
        sal_integrator_cut(sim->in, sim->run->time, sim->rest.cap);
    sim->rest.there = false;
    sal_integrator_invalidate(sim->in);
    sim->armed = 0;
    sim->values_hold = false;
    sim->step_dense = false;
}

/* Whether the state at an event is integrated once more. Not within the window, to which the event is known: so
 * short a step may leave the state as it is, on the side that it came from, and time would creep on without end. */
static bool retakes(const sal_simulator *sim, double t_event, double window) {
    return sim->config.retake && sim->plan->nx > 0 && t_event - sim->run->time > window;
}

/* The state at an event inside the step. */
static sal_status read_event_state(sal_simulator *sim, double t, double theta, bool retaken) {
    if (sim->plan->nx == 0 || retaken)
        return SAL_OK;
    sal_integrator_interpolate(sim->in, theta, sim->scratch);
    return sal__project(sim, t, sim->scratch);
}

static sal_status unfire(sal_simulator *sim, sal_status status, sal_report *report) {
    sal__witness_unfire(sim);
    if (status > 0)
        sal__projection_blame(sim, "at the event no state nearby meets ", "", &report->note);
    return status > 0 ? SAL_EOFF : status;
}

/* Brought back to its constraints, the state at the event may lie on the side that it came from, for a
 * witness that fired: then the event moves right, by the window, after that to where the last two
 * readings point, and when three moves did not do, each time twice as far; never past another crossing.
 * At the step's end, which is on the constraints, it lies where it fired. So it goes with a witness of time alone,
 * in which rounding may weigh more than an ulp of the time: by a few of those. */
static sal_status settle_event(sal_simulator *sim, double t0, double t1, double window, double *t_event, double *theta,
                               sal_report *report) {
    const bool retaken = retakes(sim, *t_event, window);
    const double most = sal__witness_next_crossing(sim);
    const double least = sim->projection ? window : 8 * sal__ulp(*t_event);
    const bool stands = !sim->projection && !sal__witness_timed_fired(sim);
    double t_was = NAN, was = NAN, dt = least;
    int who = -1;
    for (int moves = 0;; moves++) {
        sal_status status = read_event_state(sim, *t_event, *theta, retaken);
        if (status != SAL_OK || stands)
            return status;
        const int before = who;
        double value = 0;
        status = sal__witness_lacking(sim, *t_event, &who, &value, report);
        if (status != SAL_OK || who < 0 || *theta >= most)
            return status;
        const double slope = (value - was) / (*t_event - t_was);
        const bool nearer = who == before && slope * value < 0;
        dt = fmax(moves < 3 ? least : 2 * dt, moves < 3 && nearer ? -1.1 * value / slope : 0);
        t_was = *t_event;
        was = value;
        *theta = fmin(*theta + dt / (t1 - t0), most);
        *t_event = time_at(t0, t1, *theta);
    }
}

/* An isolated event ends the step at theta; within the window of the step's end it is taken there. */
static sal_status end_at_event(sal_simulator *sim, double t0, double t1, double theta, const target *to,
                               sal_report *report) {
    double t_event = time_at(t0, t1, theta);
    const bool at_limit = t1 == to->at.publish || t1 == to->at.update || t1 == to->at.boundary;
    const double window = sal__window(sim), now = sim->run->time;
    const bool retaken = retakes(sim, t_event, window);
    bool at_end = theta >= 1 || (at_limit && t1 - t_event <= window);
    if (!at_end) {
        const sal_status status = settle_event(sim, t0, t1, window, &t_event, &theta, report);
        sal__store_look(sim->run, now, NULL);
        if (status != SAL_OK)
            return unfire(sim, status, report);
        at_end = theta >= 1;
    }
    if (at_end)
        t_event = t1;
    if (!at_end && retaken) {
        sal_status status = retake(sim, now, t_event);
        if (status == SAL_OK)
            status = sal__witness_confirm(sim, t_event, report);
        sal__store_look(sim->run, now, NULL);
        if (status != SAL_OK) {
            sal__delays_cut(sim, now);
            return unfire(sim, status, report);
        }
        if (sim->waiting == 0) { /* the better state has not crossed yet: a step like any other */
            go_to(sim, t_event, sim->scratch);
            sal_integrator_cut(sim->in, t_event, INFINITY);
            return SAL_OK;
        }
    }
    const sal_status kept = sal__delays_commit(sim, t_event);
    if (kept != SAL_OK)
        return unfire(sim, kept, report);
    sal__witness_fire(sim, now, t1, t_event, window);
    const double cap = 1.25 * (t_event - (isnan(sim->last_event) ? -INFINITY : sim->last_event));
    if (!isnan(window))
        sim->last_event = t_event;
    sim->apart = t_event - now;
    sim->rest.there = false;
    if (at_end) {
        go_to(sim, t_event, sim->plan->nx ? sal_integrator_end(sim->in) : NULL);
        return SAL_OK;
    }
    go_to(sim, t_event, sim->scratch);
    if (sim->config.retake || sim->plan->nx == 0 || sal_integrator_config_of(sim->in)->fixed_step)
        sal_integrator_cut(sim->in, t_event, cap);
    else
        sim->rest = (sal__rest){true, t0, t1, theta, cap};
    return SAL_OK;
}

/* A guard against a model that asks for "now" for ever. */
static sal_status count_instant(sal_simulator *sim, sal_report *report) {
    if (sim->run->time != sim->instant_time) {
        sim->instant_time = sim->run->time;
        sim->instant_steps = 0;
    }
    if (++sim->instant_steps <= sim->config.max_events_per_instant)
        return SAL_OK;
    sim->instant_steps = 0;
    const int event = sal__timing_first(sim);
    if (event >= 0)
        sal__blame(sim, report, SAL_EZENO, event, NULL);
    sal_note_set(&report->note,
                 "time does not advance: it asks for the current time again and again; let its next_time "
                 "answer a later one");
    return SAL_EZENO;
}

static sal_status flow(sal_simulator *sim, double boundary, sal_report *report) {
    const double t0 = sim->run->time;
    const target to = aim(sim, boundary);
    if (to.opener < INFINITY && sal__timing_too_fine(sim, report))
        return SAL_ETIME;
    if (to.now) {
        sim->opener = sal__same_instant(to.opener, t0, 0) ? to.opener : t0;
        sim->step_start = t0;
        return count_instant(sim, report);
    }
    if (sim->rest.there && earliest(&to) < sim->rest.t1)
        sal__flow_anew(sim);
    double start = t0, t1 = t0, theta = 2;
    sal_status status = sim->witnesses > 0 ? sal__witness_arm(sim, report) : SAL_OK;
    if (status == SAL_OK && sim->rest.there)
        start = sim->rest.t0, t1 = sim->rest.t1;
    else if (status == SAL_OK)
        status = integrate(sim, &to, &t1, report);
    if (status == SAL_OK && sim->looks + sim->crossings > 0) {
        status = sal__witness_locate(sim, start, t1, &theta, report);
        sal__store_look(sim->run, t0, NULL);
    }
    if (status != SAL_OK)
        return status;
    if (theta <= 1) {
        status = end_at_event(sim, start, t1, theta, &to, report);
        if (status != SAL_OK)
            return status;
    } else {
        status = sim->moment ? sal__delays_commit(sim, t1) : SAL_OK;
        if (status != SAL_OK)
            return status;
        go_to(sim, t1, sim->plan->nx ? sal_integrator_end(sim->in) : NULL);
        sim->rest.there = false;
    }
    t1 = sim->run->time;
    sim->opener = t1 >= to.at.publish || t1 >= to.at.update ? to.opener : t1;
    return SAL_OK;
}

/* What fails has not been: the ideal step is that from before. */
sal_status sal__flow(sal_simulator *sim, double boundary, sal_report *report) {
    const sal_pace pace = sal_integrator_pace(sim->in);
    if (sim->moment) {
        sim->moment->blunt = !sal__isolates(sim);
        sal__course_keep(sim->moment, sim->run->time);
    }
    const double t0 = sim->run->time;
    if (sim->feeds.count > 0)
        sal__feeds_open(sim);
    const sal_status status = flow(sim, boundary, report);
    if (sim->run->feeds)
        sal__feeds_close(sim, t0);
    if (status == SAL_OK) {
        sim->armed = 0;
        return SAL_OK;
    }
    sal_integrator_set_pace(sim->in, &pace);
    if (sim->moment)
        sal__course_put_back(sim->moment);
    return status;
}
