/* Witnesses that may move faster than steps are long: those that time alone moves, of a sine, a table, a function of
 * time; and those whose event names max_interval or samples.
 *
 * Error control keeps steps as short as what is integrated asks for; of such a witness it knows nothing, and without
 * continuous state a step is all the way to the next timed event. So the step is walked in pieces, no longer than the
 * event asks, and short enough for the cubic of their ends and slopes to be right at two points inside; in each of them
 * crossings are looked for as in a whole step. A piece that is not is tried again at a quarter of its length, the next
 * may be four times as long. The points lie at no simple fractions, so that a period does not hide. Where the witness
 * jumps there is no such piece; one of the least length is taken as it is.
 *
 * A net of finer mesh, no proof: what happens between the points that are looked at, far from the cubic, is missed. */
#include <math.h>

#include "engine/simulator.h"

#define RIGHT 1e-3 /* of the witness's size in a piece: how far the cubic may be wrong */
#define LEAST 1e-9 /* of the step: the length of a piece */
#define SLOPE 1e-4 /* of a piece: what its slope is taken over */

/* In a step, and how many of the least length among them: of what jumps ever so often nothing can be said. The rest
 * of the step is one more. */
enum { MOST_PIECES = 1 << 20, MOST_JUMPS = 1 << 14 };

/* On (0, 1), from values and slopes at the ends: Hermite's cubic. */
static double cubic(const sal__root_interval *p, double u) {
    const double v = 1 - u, width = p->b - p->a;
    return v * v * (1 + 2 * u) * p->wa + u * u * (1 + 2 * v) * p->wb + u * v * (v * p->sa - u * p->sb) * width;
}

static sal_status is_told(sal__witness_probe *s, const sal__root_interval *p, bool *told) {
    static const double inside[] = {0.3819, 0.7742};
    *told = true;
    for (int k = 0; *told && k < 2; k++) {
        double value = 0;
        const sal_status status = sal__probe_witness(s, p->a + inside[k] * (p->b - p->a), &value);
        if (status != SAL_OK)
            return status;
        const double size = sal__max(fabs(value), sal__max(fabs(p->wa), fabs(p->wb)));
        *told = fabs(value - cubic(p, inside[k])) <= RIGHT * size;
    }
    return SAL_OK;
}

/* Puts the end of the piece `width` from its beginning; that of the step is known. */
static sal_status reach(sal__witness_probe *s, const sal__root_interval *whole, double width, sal__root_interval *p) {
    p->b = p->a + width;
    if (!(p->b < whole->b)) {
        p->b = whole->b, p->wb = whole->wb, p->sb = whole->sb;
        return SAL_OK;
    }
    double before = 0;
    sal_status status = sal__probe_witness_at_stored_time(s, p->b, &p->wb);
    if (status == SAL_OK)
        status = sal__probe_witness(s, p->b - SLOPE * width, &before);
    p->sb = (p->wb - before) / (SLOPE * width);
    return status;
}

/* A shorter piece from where this one begins; the slope at the step's start was taken over too much. */
static sal_status shorten(sal__witness_probe *s, const sal__root_interval *whole, sal__root_interval *p) {
    const double width = (p->b - p->a) / 4;
    double beside = p->wa;
    sal_status status = reach(s, whole, width, p);
    if (status != SAL_OK || p->a > whole->a)
        return status;
    status = sal__probe_witness(s, p->a + SLOPE * width, &beside);
    p->sa = (beside - p->wa) / (SLOPE * width);
    return status;
}

/* How long a piece may be: as the event asks, but for what nobody would wait for. */
static double longest_of(const sal__witness_probe *s) {
    const sal__witness *w = s->witness;
    const double asked =
        w->info.is_subdivided ? sal__min(w->info.max_share, w->info.max_interval / (s->t1 - s->t0)) : 1;
    if (asked >= 1.0 / MOST_PIECES)
        return asked;
    sal__warn(
        s->sim, s->sim->plan->event[w->info.event].part, w->info.index, -1, "interval",
        "names a max_interval (or samples) of less than a millionth of a step, which is too close; it is looked at "
        "a million times a step: let max_step be shorter, or max_interval longer");
    return 1.0 / MOST_PIECES;
}

sal_status sal__find_crossing_subdivided(sal__witness_probe *s, const sal__root_interval *whole, double most,
                                         double *theta) {
    sal__witness *w = s->witness;
    const bool surface = w->on_surface;
    const double longest = longest_of(s);
    sal__root_interval piece = *whole;
    s->level = 0;
    sal_status status = reach(s, whole, longest, &piece);
    int jumps = 0;
    for (int pieces = 0; status == SAL_OK; pieces++) {
        const double width = piece.b - piece.a;
        jumps += width <= LEAST;
        const bool many = pieces >= MOST_PIECES || jumps >= MOST_JUMPS;
        bool told = width <= LEAST || many || isnan(piece.sa) || isnan(piece.sb);
        s->level = 0;
        if (!told)
            status = is_told(s, &piece, &told);
        if (status == SAL_OK && !told) {
            status = shorten(s, whole, &piece);
            continue;
        }
        if (status == SAL_OK)
            status = sal__find_crossing(s, &piece, theta);
        if (status != SAL_OK || *theta <= 1 || piece.b >= whole->b || piece.b > most)
            break;
        sal__witness_set_on_surface(w, w->on_surface && sal__stays_on_surface(w, piece.wa, piece.sa, piece.wb));
        piece.a = piece.b, piece.wa = piece.wb, piece.sa = piece.sb;
        s->level = 0;
        status = reach(s, whole, many ? longest : sal__min(4 * width, longest), &piece);
    }
    sal__witness_set_on_surface(w, surface);
    return status;
}
