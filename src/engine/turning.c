/* Where a witness stops rising inside a step.
 *
 * Its rate is a central difference along the dense output, over so little that the difference's own error
 * moves the turning by some 1e-10 of the step, which the value there does not feel. Rates at a few points of the
 * step show where it falls; between two that do not, the search that finds pairs of crossings finds a short fall.
 * What rounding can bring about is no fall: a constant has no turning, whatever its last digit does. */
#include <math.h>

#include "engine.h"

enum { PARTS = 4 };
static const double share = 1e-5;                    /* of the step: half of what a rate is taken over */
static const double finest = 2.220446049250313e-16;  /* of theta: the least that is after the start */
static const double rounding = 8 * 2.220446049250313e-16; /* of a value, in a difference of two */

typedef struct course {
    sal__span *span;
    double aside, size; /* size: the largest value seen */
} course;

static sal_status rate(void *user, double theta, double *r) {
    course *c = user;
    double before = 0, behind = 0;
    sal_status status = sal__probe_span(c->span, theta - c->aside, &before);
    if (status == SAL_OK)
        status = sal__probe_span(c->span, theta + c->aside, &behind);
    c->size = sal__max(sal__max(fabs(before), fabs(behind)), c->size);
    *r = (behind - before) / (2 * c->aside);
    return status;
}

static bool falls(const course *c, double r) {
    return r < -rounding * c->size / (2 * c->aside);
}

/* By the parabola through three neighbours. */
static double slope(const double *r, int k, double width) {
    if (k == 0)
        return (-3 * r[0] + 4 * r[1] - r[2]) / (2 * width);
    return (k == PARTS ? 3 * r[k] - 4 * r[k - 1] + r[k - 2] : r[k + 1] - r[k - 1]) / (2 * width);
}

/* From a rate that does not fall to one that does. */
static sal_status stops(course *c, const sal_piece *piece, double *theta) {
    const sal_probe probe = {rate, c};
    double r = 0;
    c->span->sim->stats.isolations++;
    if (piece->wa > 0)
        return sal__isolate_root(&probe, piece, 1e-12, theta, &r);
    *theta = piece->a;
    return SAL_OK;
}

static sal_status look_between(course *c, const sal_piece *piece, double *theta) {
    if (falls(c, piece->wb))
        return stops(c, piece, theta);
    bool found = false;
    double u = 0, r = 0;
    const sal_probe probe = {rate, c};
    const sal_status status = piece->wa > 0 && piece->wb > 0 ? sal__search_dip(&probe, piece, &found, &u, &r) : SAL_OK;
    if (status != SAL_OK || !found || !falls(c, r))
        return status;
    return stops(c, &(sal_piece){piece->a, piece->wa, piece->sa, u, r, NAN}, theta);
}

sal_status sal__find_turning(sal__span *s, double from, double *theta) {
    course c = {s, share * (1 - from), 0};
    const double first = from + c.aside, width = (1 - c.aside - first) / PARTS;
    double r[PARTS + 1];
    sal_status status = SAL_OK;
    s->witness->from = 1;
    for (int k = 0; status == SAL_OK && k <= PARTS; k++)
        status = rate(&c, first + k * width, &r[k]);
    if (status == SAL_OK && falls(&c, r[0]))
        *theta = from + finest;
    for (int k = 0; status == SAL_OK && k < PARTS && *theta > 1; k++) {
        const sal_piece piece = {first + k * width,       r[k],     slope(r, k, width),
                                 first + (k + 1) * width, r[k + 1], slope(r, k + 1, width)};
        status = look_between(&c, &piece, theta);
    }
    return status;
}
