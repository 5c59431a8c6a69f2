/* An input that a host feeds: a straight line in time, and then its end. The engine says which inputs are fed and when
 * (engine/feed.c); here a context finds their values while time moves. */
#ifndef SAL_FEED_H
#define SAL_FEED_H

#include "base/base.h"

typedef struct sal__line {
    double t0, t1;
    double *from, *to; /* as many numbers as the input has */
} sal__line;

typedef struct sal__feed {
    bool is_fed;
    sal__line line, before; /* before: what it was until line.t0, for those who look back into the last step */
    double *value;          /* while the run flows, its value then */
} sal__feed;

/* Before t0 it is `from`, from t1 on exactly `to`, and never beyond either. */
static inline double sal__line_at(const sal__line *line, int i, double t) {
    const double from = line->from[i], to = line->to[i];
    if (t >= line->t1)
        return to;
    if (!(t > line->t0))
        return from;
    const double value = from + (to - from) * ((t - line->t0) / (line->t1 - line->t0));
    return to > from ? sal__min(value, to) : sal__max(value, to);
}

static inline void sal__feed_value(const sal__feed *feed, double t, int size, double *value) {
    const sal__line *line = t >= feed->line.t0 ? &feed->line : &feed->before;
    for (int i = 0; i < size; i++)
        value[i] = sal__line_at(line, i, t);
}

#endif
