/* Appends what was accepted to the histories: states by the integrator's own interpolant, discrete values as they
 * are, signals by the polynomial through samples along the step. */
#include <math.h>
#include <string.h>

#include "delay.h"

/* Room for the coefficients and the samples of the widest part's piece. */
size_t sal__widest_history_row(const sal_simulator *sim) {
    size_t width = 0;
    for (int i = 0; i < sim->plan->part_count; i++)
        if (sal__has_history(sim, i) && (size_t)sim->plan->part[i].system->history.width > width)
            width = (size_t)sim->plan->part[i].system->history.width;
    return width;
}

sal_status sal__read_history_row(const sal_simulator *sim, int part, double *value) {
    const sal_system *sys = sim->plan->part[part].system;
    sal_status status = SAL_OK;
    for (int k = 0; status == SAL_OK && k < sys->history.columns.count; k++)
        status = sal__present_value(&sim->contexts.current->part_context[part], &sys->history.columns.item[k],
                                    value + sys->history.columns.item[k].column);
    return status;
}

/* A polynomial on its own interval: from theta = a on, with the length `share` of the original one. */
static void move_origin(int degree, int stride, double a, double share, double *x0, double *c) {
    /* Repeated synthetic division computes the derivatives at a, divided by factorials. */
    double p[SAL__DELAY_DEGREES + 1] = {*x0};
    for (int j = 1; j <= degree; j++)
        p[j] = c[(j - 1) * stride];
    for (int k = 0; k <= degree; k++)
        for (int j = degree - 1; j >= k; j--)
            p[j] += a * p[j + 1];
    *x0 = p[0];
    double scale = 1;
    for (int j = 1; j <= degree; j++) {
        scale *= share;
        c[(j - 1) * stride] = p[j] * scale;
    }
}

/* The piece to append: from t0 to t1, with the integrator's interpolant if there is one. */
typedef struct stretch {
    double t0, t1;
    bool flows;
    double from, share; /* of the interpolant */
} stretch;

static stretch stretch_to(const sal_simulator *sim, double t0, double t1) {
    const sal__provisional_step *step = sim->delay_state->step;
    stretch s = {t0, t1, sim->plan->nx > 0 && step->has_interpolant && step->h > 0, 0, 1};
    if (s.flows) {
        s.from = (t0 - step->t0) / step->h;
        s.share = t1 == step->t1 && t0 == step->t0 ? 1 : (t1 - t0) / step->h;
    }
    return s;
}

static void take_state(const sal_simulator *sim, const stretch *s, int x, int degree, int width, double *x0,
                       double *c) {
    const sal__provisional_step *step = sim->delay_state->step;
    const int n = sim->plan->nx;
    *x0 = s->flows ? step->x0[x] : sim->contexts.current->block[x];
    for (int j = 0; j < degree; j++)
        c[j * width] = s->flows && j < step->degree ? step->c[j * n + x] : 0;
    if (s->flows && (s->from != 0 || s->share != 1))
        move_origin(degree, width, s->from, s->share, x0, c);
}

/* The whole continuous state at theta of the piece. */
static void state_in(const sal_simulator *sim, const stretch *s, double t, double *x) {
    if (s->flows)
        sal__attempted_state(sim, t, x);
    else
        sal__copy(x, sim->contexts.current->block, sim->plan->nx);
}

/* Did a site, or does one, reach a discontinuity at this very time? */
static bool arrived(const sal__delay_state *m, double t) {
    const double near = sal__discontinuity_tolerance(t);
    for (int i = m->discontinuities.count - 1; i >= 0 && m->discontinuities.item[i].t >= t - near; i--)
        if (m->discontinuities.item[i].handed_on_by != 0 && m->discontinuities.item[i].t <= t + near)
            return true;
    return false;
}

static bool arrives(const sal__delay_state *m, double t) {
    for (int i = 0; i < m->sites.count; i++)
        if (sal__site_reaches_end(m, i, t))
            return true;
    return sal__past_readers_meet(m, t);
}

/* Signals are sampled at as many points as the polynomials of the states have. Where a delay brings a jump to an end
 * of the piece, the sample there is taken just inside. A piece of a few ulp is on one side of the jump. */
static double sample_time(const sal__delay_state *m, const stretch *s, int j, int last) {
    const double inside = 2 * sal__discontinuity_tolerance(s->t1);
    const bool wide = s->t1 - s->t0 > 1e3 * inside;
    if (!wide && (arrived(m, s->t0) || arrives(m, s->t1)))
        return arrived(m, s->t0) ? s->t0 + inside : s->t0;
    if (j == 0)
        return wide && arrived(m, s->t0) ? s->t0 + inside : s->t0;
    if (j == last)
        return wide && arrives(m, s->t1) ? s->t1 - inside : s->t1;
    return s->t0 + j * (s->t1 - s->t0) / last;
}

static sal_status take_signals(sal_simulator *sim, const stretch *s, int part, int degree, double *x0, double *c) {
    const sal_system *sys = sim->plan->part[part].system;
    const int width = sys->history.width;
    double *sample = sim->delay_state->row + sal__widest_history_row(sim) * (SAL__DELAY_DEGREES + 1);
    sal_status status = SAL_OK;
    for (int j = 0; status == SAL_OK && j <= degree; j++) {
        const double t = sample_time(sim->delay_state, s, j, degree);
        state_in(sim, s, t, sim->flow.rate);
        sal__context_data_look(sim->contexts.current, t, sim->flow.rate);
        status = sal__read_history_row(sim, part, sample + j * width);
    }
    for (int k = 0; status == SAL_OK && k < sys->history.columns.count; k++) {
        const sal__history *history = &sys->history.columns.item[k];
        for (int i = history->column; history->kind >= SAL__HISTORY_OUTPUT && i < history->column + history->size;
             i++) {
            x0[i] = sample[i];
            sal__delay_fit(degree, width, sample + i, c + i);
        }
    }
    return status;
}

static sal_status append_to(sal_simulator *sim, int part, const stretch *s) {
    const sal__part *place = &sim->plan->part[part];
    const sal_system *sys = place->system;
    sal_delay_buffer *ring = sal__history_buffer_of(sim, part)->ring;
    const int width = sys->history.width, degree = sal_delay_buffer_config(ring)->degree;
    double *x0 = sim->delay_state->row, *c = x0 + width;
    bool signals = false;
    for (int k = 0; k < sys->history.columns.count; k++) {
        const sal__history *history = &sys->history.columns.item[k];
        signals = signals || history->kind >= SAL__HISTORY_OUTPUT;
        for (int i = 0; i < history->size && history->kind <= SAL__HISTORY_DISCRETE; i++) {
            const int column = history->column + i;
            if (history->kind == SAL__HISTORY_STATE) {
                take_state(sim, s, place->at[history->partition] + history->at + i, degree, width, x0 + column,
                           c + column);
                continue;
            }
            x0[column] =
                sal_context_get(&sim->contexts.current->part_context[part], history->partition)[history->at + i];
            for (int j = 0; j < degree; j++)
                c[j * width + column] = 0;
        }
    }
    const sal_status status = signals ? take_signals(sim, s, part, degree, x0, c) : SAL_OK;
    if (status != SAL_OK)
        return status;
    const sal_delay_piece piece = {s->t0, s->t1 - s->t0, x0, c};
    return sal_delay_buffer_append_piece(ring, s->t1, &piece);
}

sal_status sal__append_history(sal_simulator *sim, int part, double t) {
    sal_delay_buffer *ring = sal__history_buffer_of(sim, part)->ring;
    const double newest = sal_delay_buffer_time(ring, sal_delay_buffer_points(ring) - 1);
    if (!(t > newest))
        return t < newest ? sal__delay_end_at(ring, t) : SAL_OK; /* nothing is appended twice */
    const stretch s = stretch_to(sim, newest, t);
    return append_to(sim, part, &s);
}
