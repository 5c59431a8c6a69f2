/* Breaks and sites in a snapshot of the run. */
#include <limits.h>
#include <math.h>

#include "delay.h"

static void archive_break(sal__archive *a, sal__break *b, double *last) {
    const double t = sal__real_finite(a, &b->t);
    sal__rule(a, t >= *last);
    *last = t;
    for (int i = 0; i < 4; i++)
        sal__int(a, &b->order[i], 0, SAL__SMOOTH);
    sal__whole(a, &b->by, INT64_MIN, INT64_MAX);
}

static void archive_site(sal__archive *a, sal__site *s) {
    sal__real_not_nan(a, &s->start);
    sal__real_not_nan(a, &s->end);
    sal__real_not_nan(a, &s->lag);
    sal__real_not_nan(a, &s->after);
    sal__real_not_nan(a, &s->until);
    sal__real_not_nan(a, &s->met);
    sal__whole(a, &s->past, 0, INT64_MAX);
    sal__int(a, &s->kind, SAL__PAST_STATE, SAL__PAST_INPUT);
    sal__int(a, &s->order, 0, SAL__SMOOTH);
    sal__int(a, &s->before, 0, SAL__SMOOTH);
    sal__flag(a, &s->rate);
    sal__flag(a, &s->steady);
    sal__flag(a, &s->alone);
    sal__flag(a, &s->back);
}

/* What the next step finds anew. */
static void settle_site(sal__site *s) {
    s->asked = s->end;
    s->crossed = NAN;
    s->round = 0;
    s->reader = (sal_delay_reader){0, false};
}

static void archive_breaks(sal__archive *a, sal__moment *m, int *breaks) {
    enum { LEAST = 32 }; /* bytes */
    sal__break room = {0};
    double last = -INFINITY;
    *breaks = sal__count(a, &m->count, INT_MAX, LEAST);
    for (int i = 0; i < *breaks && !a->bad; i++)
        archive_break(a, a->mode == SAL__CHECK ? &room : &m->item[i], &last);
}

static void archive_sites(sal__archive *a, sal__moment *m) {
    const int sites = sal__int(a, &m->sites, 0, SAL__SITES);
    for (int i = 0; i < sites && !a->bad; i++) {
        archive_site(a, &m->site[i]);
        if (a->mode == SAL__READ)
            settle_site(&m->site[i]);
    }
    sal__int(a, &m->arriving, -1, SAL__SITES - 1);
}

void sal__delays_archive(sal__archive *a, sal_simulator *sim, int *breaks) {
    sal__moment *m = sim->delay_state;
    if (!m)
        return;
    sal__rule(a, sal__real(a, &m->waits) > 0); /* a step may be as long */
    sal__real_not_nan(a, &m->stop);
    sal__real_not_nan(a, &m->corner);
    sal__flag(a, &m->owes);
    archive_breaks(a, m, breaks);
    archive_sites(a, m);
}

sal_status sal__delays_reserve(sal_simulator *sim, int breaks) {
    sal__moment *m = sim->delay_state;
    while (m && m->cap < breaks)
        if (sal__grow(&sim->mem, (void **)&m->item, m->cap, &m->cap, sizeof *m->item) != SAL_OK)
            return SAL_ENOMEM;
    return SAL_OK;
}
