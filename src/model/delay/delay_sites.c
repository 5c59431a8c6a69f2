/* Sites: the places in a model where the past is read in a step, each with the smooth stretch of
 * the past that it is on. */
#include <math.h>

#include "model/model.h"
#include "delay_state.h"

int64_t sal__past_number(const sal_context *ctx, const sal__kept *kept) {
    const int past = (int)(kept - ctx->place->system->kept.item);
    return ((int64_t)sal_context_part_index(ctx) << 32) + past + 1;
}

/* The first break after t, or at it. */
static int first_after(const sal__moment *m, double t, bool or_at) {
    int low = 0, high = m->count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (m->item[middle].t > t || (or_at && m->item[middle].t == t))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void sal__site_place(const sal__moment *m, sal__site *site) {
    enum { BACK = 64 }; /* further back than a step leads, even where a lag grows */
    const double near = sal__moment_near(site->met);
    const int next = first_after(m, site->back ? site->met - near : site->met + near, site->back);
    site->after = -INFINITY;
    site->until = INFINITY;
    for (int i = next - 1; i >= 0 && i >= next - BACK && isinf(site->after); i--)
        if (sal__site_feels(m, site, &m->item[i])) {
            site->after = m->item[i].t;
            site->before = m->item[i].order[site->kind];
        }
    for (int i = next; i < m->count && isinf(site->until); i++)
        if (sal__site_feels(m, site, &m->item[i])) {
            site->until = m->item[i].t;
            site->order = m->item[i].order[site->kind];
        }
}

/* A site seen for the first time, or anew as a step begins; `known`: it read the same when it was seen last, and may
 * stand at a break that it came to. Seen first inside of a step its lag is taken to have been the same at the start. */
static void begin_site(const sal_context *ctx, sal__site *site, const sal__kept *kept, double s, bool rate,
                       bool known) {
    const sal__moment *m = ctx->root->moment;
    const double t = ctx->root->time, lag = t - s, start = t == m->step->t0 ? s : m->step->t0 - lag;
    const bool steady = known && site->steady && fabs(lag - site->lag) <= sal__moment_near(t);
    const bool stands = known && fabs(s - site->start) <= sal__moment_near(t);
    *site = (sal__site){.start = start,
                        .end = s,
                        .lag = lag,
                        .met = stands ? site->met : start,
                        .back = stands && site->back,
                        .kind = (int)kept->kind,
                        .past = sal__past_number(ctx, kept),
                        .alone = kept->current,
                        .rate = rate,
                        .steady = steady,
                        .crossed = NAN,
                        .reader = site->reader};
    sal__site_place(m, site);
}

/* Closures may read in another order from their second call on, or other pasts behind a branch: mostly it is the
 * next. */
static sal__site *find_site(const sal__moment *m, int64_t past, bool rate) {
    for (int i = -1; i < m->sites; i++) {
        sal__site *site = &m->site[i < 0 ? m->now : i];
        if (site < m->site + m->sites && site->round != m->round && site->past == past && site->rate == rate)
            return site;
    }
    return NULL;
}

static void track(const sal__moment *m, int site, double t, double s) {
    sal__track *k = &m->track[site];
    if (k->t1 != m->step->t1)
        k->count = 0;
    k->t1 = m->step->t1;
    int at = k->count;
    while (at > 0 && k->t[at - 1] >= t)
        at--;
    if (at == k->count || k->t[at] != t) {
        if (k->count == SAL__TRACK)
            return;
        for (int i = k->count++; i > at; i--) {
            k->t[i] = k->t[i - 1];
            k->asked[i] = k->asked[i - 1];
        }
    }
    k->t[at] = t;
    k->asked[at] = s;
}

/* What this evaluation has read already: a program in trial reads, and then its closure the same. */
static sal__site *find_again(const sal__moment *m, int64_t past, double s, bool rate) {
    for (int i = m->sites - 1; i >= 0; i--) {
        sal__site *site = &m->site[i];
        if (site->round == m->round && site->asked == s && site->past == past && site->rate == rate)
            return site;
    }
    return NULL;
}

sal__site *sal__site_visit(const sal_context *ctx, const sal__kept *kept, double s, bool rate) {
    sal__moment *m = ctx->root->moment;
    const double t = ctx->root->time;
    sal__site *site = m->now < SAL__SITES ? find_site(m, sal__past_number(ctx, kept), rate) : NULL;
    const bool known = site != NULL;
    sal__site *again = known ? NULL : find_again(m, sal__past_number(ctx, kept), s, rate);
    if (again)
        return again;
    if (!known && m->sites == SAL__SITES)
        return NULL;
    if (!known)
        site = &m->site[m->sites++];
    m->now++;
    if (!known || sal__moment_begins(m, t))
        begin_site(ctx, site, kept, s, rate, known);
    site->round = m->round;
    site->asked = s;
    if (m->probing)
        return site;
    if (!site->steady && site - m->site < SAL__TRACKS)
        track(m, (int)(site - m->site), t, s);
    if (t == m->step->t1)
        site->end = s;
    if (sal__site_beyond(site, s) > sal__moment_near(t))
        site->crossed = m->crossed = m->step->t1;
    return site;
}
