/* Where a lag has a kink: t - 1 - |x| where x is zero, the larger of two lags where they are equal. The right-hand
 * side has a kink there that no discontinuity announces, and error control rejects steps over it. After such a
 * rejection, the times that each varying lag reads are computed along the step's interpolant, up to the end of the
 * longest attempt. At a kink, one second difference of these times is much larger than its neighbours. */
#include <math.h>
#include <string.h>

#include "delay.h"

enum { POINTS = 9, LOOKED_AT = 8, ROUNDS = 5 };

typedef struct scan {
    double from, to;
    double read_at[LOOKED_AT][POINTS]; /* by site */
    int sites;
} scan;

static double point(const scan *s, int i) {
    return s->from + i * (s->to - s->from) / (POINTS - 1);
}

static sal_status look_along(sal_simulator *sim, const sal_rhs *rhs, scan *s) {
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < POINTS; i++) {
        status = sal__probe_sites(sim, rhs, point(s, i));
        for (int k = 0; k < s->sites; k++)
            s->read_at[k][i] = sim->delay_state->sites.item[k].read_at;
    }
    return status;
}

/* The interval, or the two, that hold a kink: the largest second difference, alone or with one neighbour, is ten
 * times all others. Second differences of a smooth curve change little from one to the next. */
static bool find_kink(const double *read_at, int *low, int *high) {
    double size[POINTS] = {0}, noise = 0;
    int at = 1;
    for (int i = 1; i < POINTS - 1; i++) {
        size[i] = fabs(read_at[i - 1] - 2 * read_at[i] + read_at[i + 1]);
        noise = sal__max(fabs(read_at[i]), noise);
        at = size[i] > size[at] ? i : at;
    }
    if (!(size[at] > 1e-13 * noise) || at < 2 || at > POINTS - 3)
        return false;
    const int beside = size[at - 1] > size[at + 1] ? at - 1 : at + 1;
    double rest = 0;
    for (int i = 1; i < POINTS - 1; i++)
        if (i != at && i != beside)
            rest = sal__max(size[i], rest);
    if (!(size[at] > 10 * rest))
        return false;
    *low = at - 1;
    *high = at + 1;
    if (size[beside] > 0.05 * size[at]) { /* between the two */
        *low = beside < at ? beside : at;
        *high = *low + 1;
    }
    return true;
}

/* The intersection of the lines through the points on either side. */
static double meet(const scan *s, const double *read_at, int low, int high) {
    const double h = (s->to - s->from) / (POINTS - 1);
    const double left = (read_at[low] - read_at[low - 1]) / h, right = (read_at[high + 1] - read_at[high]) / h;
    const double t = point(s, low), gap = read_at[high] - read_at[low] - right * (high - low) * h;
    return sal__max(t, sal__min(t + gap / (left - right), point(s, high)));
}

/* The first kink of any varying lag between the times; INFINITY: none. */
sal_status sal__find_kink(sal_simulator *sim, const sal_rhs *rhs, double from, double to, double *corner) {
    const sal__delay_state *m = sim->delay_state;
    *corner = INFINITY;
    int who = -1, low = 0, high = 0;
    scan s = {.from = from, .to = to, .sites = m->sites.count < LOOKED_AT ? m->sites.count : LOOKED_AT};
    for (int round = 0; round < ROUNDS; round++) {
        const sal_status status = look_along(sim, rhs, &s);
        if (status != SAL_OK)
            return status < 0 ? status : SAL_OK; /* a time that cannot be read: no kink is found */
        int found = -1;
        for (int k = 0; k < s.sites && found < 0; k++)
            if ((who < 0 || k == who) && find_kink(s.read_at[k], &low, &high))
                found = k;
        if (found < 0)
            return SAL_OK;
        who = found;
        *corner = meet(&s, s.read_at[who], low, high);
        const double margin = 1.5 * (point(&s, high) - point(&s, low));
        s.from = sal__max(*corner - margin, from);
        s.to = sal__min(*corner + margin, to);
    }
    return SAL_OK;
}
