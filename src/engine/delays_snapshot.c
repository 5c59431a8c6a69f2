/* Breaks and sites in a snapshot of the run. */
#include <math.h>
#include <string.h>

#include "delays.h"

typedef struct summary {
    double waits, stop, corner, arriving, owes;
} summary;

typedef struct trace {
    double start, end, lag, after, until, met;
    int64_t past;
    int32_t kind, order, before, rate, steady, alone, back, unused; /* no padding */
} trace;

size_t sal__delays_room(const sal_simulator *sim, int breaks, int sites) {
    return sim->moment ? sizeof(summary) + (size_t)breaks * sizeof(sal__break) + (size_t)sites * sizeof(trace) : 0;
}

void sal__delays_write(const sal_simulator *sim, unsigned char *to, size_t *size) {
    const sal__moment *m = sim->moment;
    if (!m)
        return;
    *size += sal__delays_room(sim, m->count, m->sites);
    if (!to)
        return;
    memcpy(to, &(summary){m->waits, m->stop, m->corner, m->arriving, m->owes}, sizeof(summary));
    to += sizeof(summary);
    memcpy(to, m->item, (size_t)m->count * sizeof *m->item);
    to += (size_t)m->count * sizeof *m->item;
    for (int i = 0; i < m->sites; i++, to += sizeof(trace)) {
        const sal__site *s = &m->site[i];
        const trace t = {s->start, s->end,    s->lag,  s->after,  s->until, s->met,  s->past, s->kind,
                         s->order, s->before, s->rate, s->steady, s->alone, s->back, 0};
        memcpy(to, &t, sizeof t);
    }
}

sal_status sal__delays_reserve(sal_simulator *sim, int breaks) {
    sal__moment *m = sim->moment;
    while (m && m->cap < breaks)
        if (sal__grow(&sim->mem, (void **)&m->item, m->cap, &m->cap, sizeof *m->item) != SAL_OK)
            return SAL_ENOMEM;
    return SAL_OK;
}

void sal__delays_read(sal_simulator *sim, const unsigned char *from, int breaks, int sites) {
    sal__moment *m = sim->moment;
    if (!m)
        return;
    summary all;
    memcpy(&all, from, sizeof all);
    from += sizeof all;
    m->waits = all.waits, m->stop = all.stop, m->corner = all.corner, m->arriving = (int)all.arriving;
    m->owes = all.owes != 0;
    memcpy(m->item, from, (size_t)breaks * sizeof *m->item);
    from += (size_t)breaks * sizeof *m->item;
    m->count = breaks;
    m->sites = sites;
    for (int i = 0; i < sites; i++, from += sizeof(trace)) {
        trace t;
        memcpy(&t, from, sizeof t);
        m->site[i] = (sal__site){.start = t.start,
                                 .asked = t.end,
                                 .end = t.end,
                                 .lag = t.lag,
                                 .after = t.after,
                                 .until = t.until,
                                 .met = t.met,
                                 .kind = t.kind,
                                 .order = t.order,
                                 .before = t.before,
                                 .past = t.past,
                                 .alone = t.alone != 0,
                                 .rate = t.rate != 0,
                                 .steady = t.steady != 0,
                                 .back = t.back != 0,
                                 .crossed = NAN};
    }
}
