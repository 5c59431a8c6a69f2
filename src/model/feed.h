/* An input that a host feeds: a straight line in time, constant after its end. The engine decides which inputs are
 * fed and when (engine/feed.c); this file computes their values while time advances. */
#ifndef SAL_FEED_H
#define SAL_FEED_H

#include "base/base.h"

typedef struct sal__line {
    double t0, t1;
    double *from, *to; /* as many numbers as the input has */
} sal__line;

typedef struct sal__feed {
    bool is_fed;
    sal__line line, before; /* before: the value until line.t0, for reads inside the last step */
    double *value;          /* present value during integration */
} sal__feed;

/* Returns `from` before t0 and exactly `to` from t1 on; never beyond either. */
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
