/* From x+ to the next x-: as far as nothing else can happen. */
#include <math.h>
#include <string.h>

#include "simulator.h"

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
    const sal_rates dot = {dx + f->q, dx + f->v, dx + f->z};
    return f->derivatives(f->system, f->ctx, &dot);
}

/* ---- derivatives that a model in C forgets ---- */

/* A number that nobody computes. */
static double unset_mark(void) {
    const uint64_t bits = UINT64_C(0x7ff85a1755a17501);
    double mark;
    memcpy(&mark, &bits, sizeof mark);
    return mark;
}

static sal_status checked_rhs(void *user, double t, const double *x, double *dx) {
    sal_simulator *sim = user;
    const double mark = unset_mark();
    for (int i = 0; i < sim->plan->nx; i++)
        dx[i] = mark;
    const sal_status status = sim->rhs.eval(user, t, x, dx);
    for (int i = 0; status == SAL_OK && i < sim->plan->nx; i++)
        if (memcmp(&dx[i], &mark, sizeof mark) == 0) {
            sim->unset = i;
            return SAL_ENAN;
        }
    return status;
}

/* In the first step of a run, and in steps 2^k, each evaluation is looked at. */
static const sal_rhs *rhs_of_step(const sal_simulator *sim) {
    const int64_t step = sim->taken_steps - sim->first_step;
    return (step & (step - 1)) != 0 ? &sim->rhs : &sim->checked;
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

void sal__rhs_choose(sal_simulator *sim) {
    const bool usual = sim->flows == 1 && !sim->run->feeds; /* what is fed moves values that else stand still */
    sim->rhs = (sal_rhs){sim->plan->nx, sim->moment ? rhs_with_past : usual ? rhs_of_one : sal__rhs, sim};
    sim->checked = (sal_rhs){sim->plan->nx, checked_rhs, sim};
    sim->unset = -1;
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
static const sal_limits *limits_of(const sal_simulator *sim, const target *to, double most, sal_limits *nearer) {
    if (!sim->run->feeds && !(most < INFINITY))
        return &to->at;
    *nearer = to->at;
    nearer->boundary = sal__min(most, nearer->boundary);
    if (sim->run->feeds)
        nearer->boundary = sal__min(sal__feeds_stop(sim, earliest(to)), nearer->boundary);
    return nearer;
}

static sal_status blame_step(sal_simulator *sim, sal_status status, sal_report *report) {
    const bool explained = status == SAL_ECALLBACK || status == SAL_ELOOP;
    report->part = sim->run->blamed >= 0 && !explained ? sim->run->blamed : sim->failing_part;
    if (status == SAL_ESTEP && sal_integrator_failed(sim->in)->off)
        sal__projection_blame(sim, "", "", &report->note);
    else if (status == SAL_ESTEP)
        sal__step_blame(sim, report);
    else if (sim->unset >= 0)
        sal__unset_blame(sim, report);
    sim->unset = -1;
    return status;
}

static inline void begin_step(sal_simulator *sim) {
    sim->failing_part = sim->flows == 1 ? sim->flowing->part : -1;
    sim->run->blamed = -1;
}

/* The integrator has made a step to *t1, or could not; the run stays at t0. */
static inline sal_status end_step(sal_simulator *sim, sal_status status, double t0, double *t1, sal_report *report) {
    sal__store_look(sim->run, t0, NULL);
    if (status != SAL_OK)
        return blame_step(sim, status, report);
    *t1 = sal_integrator_end_time(sim->in);
    return SAL_OK;
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
    const char *why = "time does not advance: it asks for the current time again and again; let its next_time return a "
                      "later one";
    sal_note_set(&report->note, why);
    if (event >= 0) {
        sal__blame(sim, report, SAL_EZENO, event, NULL);
        sal__say(sim, event, why, &report->note);
    }
    return SAL_EZENO;
}

/* A step as it is tried: how far at most, from where, to where, its first event (2: there is none), and the witness
 * that has no value in it (-1: none). */
typedef struct trial {
    double most, start, end, theta;
    int blank;
} trial;

static sal_status integrate_watched(sal_simulator *sim, const target *to, trial *it, sal_report *report) {
    sal_limits nearer;
    const sal_limits *limits = limits_of(sim, to, it->most, &nearer);
    const double t0 = sim->run->time;
    if (sim->plan->nx == 0) {
        it->end = sal__min(sal__min(limits->publish, limits->update), limits->boundary);
        return SAL_OK;
    }
    begin_step(sim);
    if (sim->moment)
        sal__delays_cut(sim, t0);
    const sal_status status = sim->moment
                                  ? sal__delays_step(sim, rhs_of_step(sim), t0, sim->run->block, limits)
                                  : sal_integrator_step(sim->in, rhs_of_step(sim), t0, sim->run->block, limits, NULL);
    return end_step(sim, status, t0, &it->end, report);
}

static sal_status try_step(sal_simulator *sim, const target *to, trial *it, sal_report *report) {
    const double now = sim->run->time;
    if (sim->rest.there && sal__min(earliest(to), it->most) < sim->rest.t1)
        sal__flow_anew(sim);
    it->start = it->end = now;
    it->theta = 2;
    it->blank = -1;
    sal_status status = sim->witnesses > 0 ? sal__witness_arm(sim, report) : SAL_OK;
    if (status == SAL_OK && sim->rest.there)
        it->start = sim->rest.t0, it->end = sim->rest.t1;
    else if (status == SAL_OK)
        status = integrate_watched(sim, to, it, report);
    if (status == SAL_OK && sim->moment)
        status = sal__delays_foresee(sim, it->end);
    if (status != SAL_OK || sim->looks + sim->crossings + sim->guarded == 0)
        return status;
    status = sal__witness_locate(sim, it->start, it->end, &it->theta, report);
    sal__store_look(sim->run, now, NULL);
    it->blank = status == SAL_ENAN ? sim->blank : -1;
    return status;
}

/* A witness has no value somewhere in the step. As after a stage that failed, half of it is tried, which may end before
 * that, with an event perhaps; of the shortest step only whether the witness is there at its end is asked. */
static sal_status shorten(sal_simulator *sim, trial *it, sal_report *report) {
    const double now = sim->run->time, h = it->end - now, far = sal__max(fabs(now), fabs(it->end));
    const double least = sal__max(16 * sal__ulp(far), sal_integrator_working_minimum(sim->in, now));
    if (sim->moment)
        sal__course_put_back(sim->moment);
    *report = (sal_report){.reason = report->reason,
                           .time = report->time,
                           .boundary_time = report->boundary_time,
                           .part = -1,
                           .event = -1,
                           .limit = NAN};
    if (!(h > least))
        return sal__guard_leave_out(sim, it->blank, it->end, report);
    it->most = now + h / 2;
    if (sim->plan->nx > 0 && !sim->rest.there)
        sal_integrator_cut(sim->in, now, INFINITY);
    return SAL_OK;
}

static sal_status make_step(sal_simulator *sim, const target *to, trial *it, sal_report *report) {
    sal_status status = SAL_OK;
    do
        status = try_step(sim, to, it, report);
    while (it->blank >= 0 && (status = shorten(sim, it, report)) == SAL_OK);
    if (status == SAL_OK && it->most < INFINITY && sim->plan->nx > 0 && !sal_integrator_config_of(sim->in)->fixed_step)
        sal_integrator_set_ideal_step(sim->in, it->end - sim->run->time);
    return status;
}

/* The step is taken as far as it went. */
static inline void arrive(sal_simulator *sim, double t1) {
    sal__flow_to(sim, t1, sim->plan->nx ? sal_integrator_end(sim->in) : NULL);
}

/* A step that witnesses, conditions or what is fed may end, or that the past keeps. */
static sal_status watched_step(sal_simulator *sim, const target *to, sal_report *report) {
    trial it = {.most = INFINITY};
    sim->left_out = false;
    sal_status status = make_step(sim, to, &it, report);
    if (status == SAL_OK && sim->conditions > 0)
        status = sal__conditions_locate(sim, it.start, it.end, &it.theta, report);
    if (status == SAL_OK && it.theta <= 1)
        return sal__end_at_event(sim, it.start, it.end, it.theta, it.end == earliest(to), report);
    if (status == SAL_OK && sim->moment)
        status = sal__delays_commit(sim, it.end);
    if (status != SAL_OK)
        return status;
    arrive(sim, it.end);
    sim->rest.there = false;
    if (sim->conditions > 0)
        sal__conditions_passed(sim);
    return SAL_OK;
}

static sal_status integrate_free(sal_simulator *sim, const target *to, double *t1, sal_report *report) {
    const double t0 = sim->run->time;
    if (sim->plan->nx == 0) {
        *t1 = earliest(to);
        return SAL_OK;
    }
    begin_step(sim);
    const sal_status status = sal_integrator_step(sim->in, rhs_of_step(sim), t0, sim->run->block, &to->at, NULL);
    return end_step(sim, status, t0, t1, report);
}

static sal_status free_step(sal_simulator *sim, const target *to, sal_report *report) {
    double t1 = 0;
    const sal_status status = integrate_free(sim, to, &t1, report);
    if (status == SAL_OK)
        arrive(sim, t1);
    return status;
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
    const bool watched = sim->witnesses + sim->conditions > 0 || sim->moment || sim->run->feeds;
    const sal_status status = watched ? watched_step(sim, &to, report) : free_step(sim, &to, report);
    const double t1 = sim->run->time;
    if (status == SAL_OK)
        sim->opener = t1 >= to.at.publish || t1 >= to.at.update ? to.opener : t1;
    return status;
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
    if (sim->moment) {
        sal__delays_cut(sim, t0);
        sal__course_put_back(sim->moment);
    }
    return status;
}
