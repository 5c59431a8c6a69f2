/* Sites: the places in a model that read a history during a step. Each has a smooth interval of the history around
 * its read. */
#include "model/model.h"

int64_t sal__history_number(const sal_context *ctx, const sal__history *history) {
    const int past = (int)(history - ctx->layout->system->history.columns.item);
    return ((int64_t)ctx->part << 32) + past + 1;
}

sal__history_kind sal__history_kind_in(const sal_context *ctx, const sal__history *history) {
    const sal__output_slot *source = NULL;
    if (history->kind == SAL__HISTORY_INPUT)
        source = ctx->input_slot[history->at].output;
    else if (history->kind == SAL__HISTORY_OUTPUT)
        source = &ctx->data->plan->output_slot[ctx->layout->output_at + history->at];
    return source && source->time_invariant && !source->may_be_fed ? SAL__HISTORY_DISCRETE : history->kind;
}

int sal__first_discontinuity_after(const sal__delay_state *m, double t, bool or_at) {
    const sal__discontinuity *item = m->discontinuities.item;
    int low = -1, high = m->discontinuities.count;
    SAL__BISECT(int, low, high, !(item[middle].t > t || (or_at && item[middle].t == t)))
    return high;
}

/* The lowest order among those that this site feels from number i on, in steps of `way`, at the instant of i. */
static int order_of_instant(const sal__delay_state *m, const sal__delay_site *site, int i, int way) {
    const sal__discontinuity *all = m->discontinuities.item;
    const double t = all[i].t, near = sal__discontinuity_tolerance(t);
    int order = sal__site_order(m, site, &all[i]);
    for (int k = i + way; k >= 0 && k < m->discontinuities.count && way * (all[k].t - t) <= near; k += way)
        if (sal__site_feels(m, site, &all[k]) && sal__site_order(m, site, &all[k]) < order)
            order = sal__site_order(m, site, &all[k]);
    return order;
}

void sal__site_place(const sal__delay_state *m, sal__delay_site *site) {
    enum { BACK = 64 }; /* number of instants: more than one step can pass, even with a growing lag */
    const sal__discontinuity *all = m->discontinuities.item;
    const double near = sal__discontinuity_tolerance(site->at_break);
    const int next = sal__first_discontinuity_after(
        m, site->at_right_of_break ? site->at_break - near : site->at_break + near, site->at_right_of_break);
    site->smooth_from = -INFINITY;
    site->smooth_to = INFINITY;
    for (int i = next - 1, instants = 0; i >= 0 && instants < BACK && isinf(site->smooth_from); i--) {
        instants += i == 0 || all[i - 1].t < all[i].t;
        if (sal__site_feels(m, site, &all[i])) {
            site->smooth_from = all[i].t;
            site->order_before = order_of_instant(m, site, i, -1);
        }
    }
    for (int i = next; i < m->discontinuities.count && isinf(site->smooth_to); i++)
        if (sal__site_feels(m, site, &all[i])) {
            site->smooth_to = all[i].t;
            site->order = order_of_instant(m, site, i, 1);
        }
}

/* Initializes a site when it is first visited, and again as each step begins. `known`: the site read the same
 * history before, and may be at the discontinuity that it reached. A site first visited inside a step is assumed to
 * have had the same lag at the start. */
static void begin_site(const sal_context *ctx, sal__delay_site *site, const sal__history *history, double s, bool rate,
                       bool known) {
    const sal__delay_state *m = ctx->data->delay_state;
    const double t = ctx->data->time, lag = t - s, start = t == m->step->t0 ? s : m->step->t0 - lag;
    const bool is_steady = known && site->has_constant_lag && fabs(lag - site->lag) <= sal__discontinuity_tolerance(t);
    const bool is_at_break = known && fabs(s - site->start) <= sal__discontinuity_tolerance(t);
    *site = (sal__delay_site){.start = start,
                              .end = s,
                              .lag = lag,
                              .at_break = is_at_break ? site->at_break : start,
                              .at_right_of_break = is_at_break && site->at_right_of_break,
                              .kind = (int)sal__history_kind_in(ctx, history),
                              .history = sal__history_number(ctx, history),
                              .ignores_self = history->can_use_current,
                              .reads_rate = rate,
                              .has_constant_lag = is_steady,
                              .exit_end = NAN,
                              .reader = site->reader};
    sal__site_place(m, site);
}

/* Usually the next site matches. But a closure may read in another order from its second call on, or read other
 * histories behind a branch. */
static sal__delay_site *find_site(const sal__delay_state *m, int64_t past, bool rate) {
    for (int i = -1; i < m->sites.count; i++) {
        sal__delay_site *site = &m->sites.item[i < 0 ? m->sites.next : i];
        if (site < m->sites.item + m->sites.count && site->last_evaluation != m->sites.evaluation &&
            site->history == past && site->reads_rate == rate)
            return site;
    }
    return NULL;
}

/* Records that a site reads s when the time is t. */
static void track(const sal__delay_state *m, int site, double t, double s) {
    sal__site_track *k = &m->sites.track[site];
    if (k->t1 != m->step->t1)
        k->point_count = 0;
    k->t1 = m->step->t1;
    int at = k->point_count;
    while (at > 0 && k->t[at - 1] >= t)
        at--;
    if (at == k->point_count || k->t[at] != t) {
        if (k->point_count == SAL__MAX_TRACK_POINTS)
            return;
        for (int i = k->point_count++; i > at; i--) {
            k->t[i] = k->t[i - 1];
            k->read_at[i] = k->read_at[i - 1];
        }
    }
    k->t[at] = t;
    k->read_at[at] = s;
}

/* Finds a site that this evaluation has read already: in a shadow run the compiled closure reads first, then the
 * closure itself. */
static sal__delay_site *find_again(const sal__delay_state *m, int64_t past, double s, bool rate) {
    for (int i = m->sites.count - 1; i >= 0; i--) {
        sal__delay_site *site = &m->sites.item[i];
        if (site->last_evaluation == m->sites.evaluation && site->read_at == s && site->history == past &&
            site->reads_rate == rate)
            return site;
    }
    return NULL;
}

sal__delay_site *sal__site_visit(const sal_context *ctx, const sal__history *history, double s, bool rate) {
    sal__delay_state *m = ctx->data->delay_state;
    const double t = ctx->data->time;
    sal__delay_site *site =
        m->sites.next < SAL__MAX_SITES ? find_site(m, sal__history_number(ctx, history), rate) : NULL;
    const bool known = site != NULL;
    sal__delay_site *again = known ? NULL : find_again(m, sal__history_number(ctx, history), s, rate);
    if (again)
        return again;
    if (!known && m->sites.count == SAL__MAX_SITES)
        return NULL;
    if (!known)
        site = &m->sites.item[m->sites.count++];
    m->sites.next++;
    if (!known || sal__is_step_start(m, t))
        begin_site(ctx, site, history, s, rate, known);
    site->last_evaluation = m->sites.evaluation;
    site->read_at = s;
    if (m->is_probing)
        return site;
    if (!site->has_constant_lag && site - m->sites.item < SAL__MAX_TRACKS)
        track(m, (int)(site - m->sites.item), t, s);
    if (t == m->step->t1)
        site->end = s;
    if (sal__site_beyond(site, s) > sal__discontinuity_tolerance(t))
        site->exit_end = m->sites.exit_end = m->step->t1;
    return site;
}
