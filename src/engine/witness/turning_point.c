/* Where a witness stops rising inside a step.
 *
 * Its rate is a central difference along the dense output, over so short a distance that the error of the difference
 * moves the turning point by about 1e-8 of the step, which its value there does not show. Rates at a few points of the
 * step show where it falls. Between two points where it does not, the search for interior extrema finds a short fall.
 * What rounding can cause is no fall: a constant has no turning point, whatever its last digit does.
 *
 * The derivative of the dense output is not quite the right-hand side. At the ends of the step, and to isolate the
 * turning point, the rate is taken along the right-hand side. So a step that begins at a turning point falls from its
 * start, and one turning point is found once. */
#include <math.h>

#include "crossing.h"

enum { PARTS = 4 };
static const double share = 1e-4; /* of the step: half the length over which a rate is measured */
static const double ulp = 2.220446049250313e-16;
static const double rounding = 8 * 2.220446049250313e-16; /* of a value, in the difference of two */

typedef struct course {
    sal__witness_probe *span;
    double from;        /* where the flow begins in the step */
    double aside, size; /* size: the largest value seen */
    bool has_rhs;
} course;

static sal_status rate(void *user, double theta, double *r) {
    course *c = user;
    const double a = sal__max(theta - c->aside, 0), b = sal__min(theta + c->aside, 1);
    double before = 0, behind = 0;
    sal_status status = sal__probe_witness(c->span, a, &before);
    if (status == SAL_OK)
        status = sal__probe_witness(c->span, b, &behind);
    c->size = sal__max(sal__max(fabs(before), fabs(behind)), c->size);
    *r = (behind - before) / (b - a);
    return status;
}

static bool falls(const course *c, double r) {
    return r < -rounding * c->size / (2 * c->aside);
}

/* The slope of the parabola through three neighbours. */
static double slope(const double *r, int k, double width) {
    if (k == 0)
        return (-3 * r[0] + 4 * r[1] - r[2]) / (2 * width);
    return (k == PARTS ? 3 * r[k] - 4 * r[k - 1] + r[k - 2] : r[k + 1] - r[k - 1]) / (2 * width);
}

/* The right-hand side at theta, with the state there in scratch. At the ends of the step the integrator knows it. */
static sal_status flow_at(sal__witness_probe *s, double theta, double *t, const double **f) {
    sal_simulator *sim = s->sim;
    const sal_rhs *rhs = sal__current_rhs(sim);
    *t = theta >= 1 ? s->t1 : s->t0 + theta * (s->t1 - s->t0);
    sal_integrator_interpolate(sim->integrator, theta, sim->flow.scratch);
    if (theta >= 1)
        return sal_integrator_end_rate(sim->integrator, rhs, f);
    *f = theta > 0 ? sim->flow.rate : sal_integrator_start_rate(sim->integrator);
    if (theta <= 0)
        return SAL_OK;
    if (sim->delay_state)
        sim->delay_state->is_probing = true;
    const sal_status status = rhs->eval(rhs->user, *t, sim->flow.scratch, sim->flow.rate);
    if (sim->delay_state)
        sim->delay_state->is_probing = false;
    return status;
}

/* The distances of the two values of a difference quotient. With two, a rising signal never seems to fall because the
 * times of the values round. */
typedef struct difference {
    double from, to;
} difference;

static const difference central = {-1, 1}, forward = {0, 1};

/* The rate at the start of the next step, if this one ended at theta. What lies before the flow may need a past that is
 * recorded no more. */
static sal_status rate_of_flow(void *user, double theta, double *r) {
    course *c = user;
    sal_simulator *sim = c->span->sim;
    const double *f = NULL, dt = c->aside * (c->span->t1 - c->span->t0);
    const difference *d = sim->delay_state && theta <= c->from ? &forward : &central;
    double t = 0, value[2] = {0, 0};
    sal_status status = flow_at(c->span, theta, &t, &f);
    for (int side = 0; status == SAL_OK && side < 2; side++) {
        const double at = side == 0 ? d->from : d->to, step = side == 0 ? d->from : d->to - d->from;
        for (int i = 0; i < sim->plan->nx; i++)
            sim->flow.scratch[i] += step * dt * f[i];
        sal__context_data_look(sim->contexts.current, t + at * dt, sim->flow.scratch);
        status = sal__witness_value(sim, c->span->witness, &value[side]);
    }
    c->size = sal__max(sal__max(fabs(value[0]), fabs(value[1])), c->size);
    *r = (value[1] - value[0]) / ((d->to - d->from) * c->aside);
    return status;
}

/* A turning point after the end of the step is left to the next step. */
static sal_status isolate(course *c, const sal__probe *probe, sal__root_interval piece, double *theta) {
    double r = 0;
    sal_status status = probe->eval(c, piece.a, &piece.wa);
    if (status == SAL_OK)
        status = probe->eval(c, piece.b, &piece.wb);
    if (status == SAL_OK && piece.wb >= 0) {
        piece = (sal__root_interval){piece.b, piece.wb, NAN, 1, 0, NAN};
        status = probe->eval(c, piece.b, &piece.wb);
    }
    if (status != SAL_OK || piece.wb >= 0)
        return status;
    if (piece.wa > 0)
        return sal__find_root(probe, &piece, 1e-12, theta, &r);
    *theta = piece.a;
    return SAL_OK;
}

/* From a rate that does not fall to one that does. */
static sal_status find_stop(course *c, sal__root_interval piece, double *theta) {
    const sal__probe of_flow = {rate_of_flow, c}, of_output = {rate, c};
    SAL__COUNT_ONE(c->span->sim, isolations);
    const sal_status status = c->has_rhs ? isolate(c, &of_flow, piece, theta) : SAL_RETRY;
    return status > 0 ? isolate(c, &of_output, piece, theta) : status;
}

static sal_status search_piece(course *c, const sal__root_interval *piece, double *theta) {
    if (falls(c, piece->wb))
        return find_stop(c, *piece, theta);
    bool found = false;
    double u = 0, r = 0;
    const sal__probe probe = {rate, c};
    const sal_status status =
        piece->wa > 0 && piece->wb > 0 ? sal__search_interior_extremum(&probe, piece, &found, &u, &r) : SAL_OK;
    if (status != SAL_OK || !found || !falls(c, r))
        return status;
    return find_stop(c, (sal__root_interval){piece->a, piece->wa, piece->sa, u, r, NAN}, theta);
}

static sal_status rate_at_end(course *c, double theta, double *r) {
    const sal_status status = c->has_rhs ? rate_of_flow(c, theta, r) : SAL_RETRY;
    return status > 0 ? rate(c, theta, r) : status;
}

/* Searches from part k of the step on. */
static sal_status search_parts(course *c, const double *r, double from, int k, double *theta) {
    const double width = (1 - from) / PARTS;
    sal_status status = SAL_OK;
    for (; status == SAL_OK && *theta > 1 && k < PARTS; k++) {
        const double a = from + k * width, b = k + 1 < PARTS ? a + width : 1;
        status = search_piece(
            c, &(sal__root_interval){a, r[k], slope(r, k, width), b, r[k + 1], slope(r, k + 1, width)}, theta);
    }
    return status;
}

/* The value falls where the flow goes on. If the guard excludes the event there, the next one is behind a rise. */
static sal_status pass_if_shut(course *c, const double *r, double from, double *theta) {
    const sal__witness_probe *s = c->span;
    bool holds = true;
    sal__context_data_look(s->sim->contexts.current, sal__stored_time(s->t0, s->t1, from), NULL);
    const sal_status status = sal__event_guard(s->sim, s->witness->info.event, &holds);
    if (status != SAL_OK || holds)
        return status;
    int k = 1;
    while (k < PARTS && falls(c, r[k]))
        k++;
    *theta = 2;
    return search_parts(c, r, from, k, theta);
}

sal_status sal__find_turning_point(sal__witness_probe *s, double from, double *theta) {
    const sal_simulator *sim = s->sim;
    course c = {s, from, share * (1 - from), 0, sim->plan->nx > 0 && !sim->derivatives.has_mass};
    const double width = (1 - from) / PARTS;
    double r[PARTS + 1];
    s->witness->crossing_side = 1;
    sal_status status = rate_at_end(&c, from, &r[0]);
    for (int k = 1; status == SAL_OK && k < PARTS; k++)
        status = rate(&c, from + k * width, &r[k]);
    if (status == SAL_OK)
        status = rate_at_end(&c, 1, &r[PARTS]);
    double where = status == SAL_OK && falls(&c, r[0]) ? from + ulp : 2;
    if (status == SAL_OK)
        status = search_parts(&c, r, from, 0, &where);
    if (status == SAL_OK && where <= from + ulp && s->witness->info.has_guard)
        status = pass_if_shut(&c, r, from, &where);
    *theta = where;
    return status;
}
