/* Crossings of witnesses that may move faster than steps are long: those that read the time, alone (sines, tables,
 * functions of time) or with the state, and those whose event sets max_interval or samples.
 *
 * Error control adapts the steps to what is integrated, and knows nothing of such a witness. Without continuous state
 * a step even goes as far as the next timed event. So the step is searched in pieces. A piece is no longer than the
 * event allows, and short enough for the cubic through its ends and slopes to be right at two points inside; in each
 * piece crossings are searched for as in a whole step. A piece that is too long is tried again at a quarter of its
 * length; the next piece may be four times as long. The points inside, and the length of a slope, are no simple
 * fractions, not even decimal ones: however round a period and the step are, none fits between them. Where the witness
 * jumps no piece is short enough; then one of the shortest length counts.
 *
 * This search is heuristic: it misses what happens between the points and far from the cubic. */
#include <math.h>

#include "crossing.h"

#define ACCURACY 1e-3               /* of the witness's size in a piece: the largest error of the cubic */
#define SHORTEST 1e-9               /* of the step: the length of a piece */
#define SLOPE 1.0345261087214593e-4 /* of a piece: the length over which a slope is measured */

/* Of the pieces in a step, and of the shortest pieces among them: nothing can be said about a witness that jumps so
 * often. The rest of the step is one more piece. Fewer pieces where the event asks for no search and the state moves
 * the witness too: if it is faster still, there is a warning. */
enum { MAX_PIECES = 200000, MAX_BY_DEFAULT = 1 << 14, MAX_JUMPS = 1 << 14 };

/* Hermite's cubic of a piece, at u in (0, 1). */
static double cubic(const sal__root_interval *p, double u) {
    const double v = 1 - u, width = p->b - p->a;
    return v * v * (1 + 2 * u) * p->wa + u * u * (1 + 2 * v) * p->wb + u * v * (v * p->sa - u * p->sb) * width;
}

/* An ulp of the time, as a share of the step: closer readings differ by rounding. */
static double grain(const sal__witness_probe *s) {
    return 0x1p-52 * sal__max(fabs(s->t0), fabs(s->t1)) / (s->t1 - s->t0);
}

/* The length over which a slope is measured in a piece of this width. */
static double slope_length(const sal__witness_probe *s, double width) {
    return sal__min(sal__max(SLOPE * width, 64 * grain(s)), width / 2);
}

/* Is the cubic right inside the piece? A piece with flat ends may be flat nowhere else. */
static sal_status is_resolved(sal__witness_probe *s, const sal__root_interval *p, bool *resolved) {
    static const double inside[] = {0.38196601125010515, 0.77420931763504127, 0.06213846715281741, 0.16391738205614973,
                                    0.27182818284590452, 0.55271463820917364, 0.66337294810563827, 0.91723849105672838};
    const bool is_flat = p->wa == p->wb && p->sa == 0 && p->sb == 0;
    *resolved = true;
    for (int k = 0; *resolved && k < (is_flat ? 8 : 2); k++) {
        double value = 0;
        const sal_status status = sal__probe_witness(s, p->a + inside[k] * (p->b - p->a), &value);
        if (status != SAL_OK)
            return status;
        const double size = sal__max(fabs(value), sal__max(fabs(p->wa), fabs(p->wb)));
        const double rounding = 4 * grain(s) * sal__max(fabs(p->sa), fabs(p->sb));
        *resolved = fabs(value - cubic(p, inside[k])) <= ACCURACY * size + rounding;
    }
    return SAL_OK;
}

/* Moves the end of the piece to `width` after its start, or to the end of the step. */
static sal_status set_width(sal__witness_probe *s, const sal__root_interval *whole, double width,
                            sal__root_interval *p) {
    p->b = p->a + width;
    if (!(p->b < whole->b)) {
        p->b = whole->b, p->wb = whole->wb, p->sb = whole->sb;
        return SAL_OK;
    }
    double before = 0;
    sal_status status = sal__probe_witness_at_stored_time(s, p->b, &p->wb);
    const double length = slope_length(s, width);
    if (status == SAL_OK)
        status = sal__probe_witness(s, p->b - length, &before);
    p->sb = (p->wb - before) / length;
    return status;
}

/* Makes the piece shorter. The slope at the start of the step was measured over too much. */
static sal_status shorten(sal__witness_probe *s, const sal__root_interval *whole, sal__root_interval *p) {
    const double width = (p->b - p->a) / 4;
    double after = p->wa;
    sal_status status = set_width(s, whole, width, p);
    if (status != SAL_OK || p->a > whole->a)
        return status;
    const double length = slope_length(s, width);
    status = sal__probe_witness(s, p->a + length, &after);
    p->sa = (after - p->wa) / length;
    return status;
}

/* The slopes at the ends of the step, where they are not known by the right-hand side: with a linear dense output,
 * which it does not fit, and with a mass matrix. */
static sal_status measure_slopes(sal__witness_probe *s, sal__root_interval *p) {
    const double length = slope_length(s, p->b - p->a);
    double after = 0, before = 0;
    sal_status status = sal__probe_witness(s, p->a + length, &after);
    if (status == SAL_OK)
        status = sal__probe_witness(s, p->b - length, &before);
    p->sa = (after - p->wa) / length;
    p->sb = (p->wb - before) / length;
    return status;
}

/* The longest piece that the event allows, or a 200,000th of the step: shorter ones would take too long. */
static double longest_piece(const sal__witness_probe *s) {
    const sal__witness *w = s->witness;
    const double asked =
        w->info.is_subdivided ? sal__min(w->info.max_share, w->info.max_interval / (s->t1 - s->t0)) : 1;
    if (asked >= 1.0 / MAX_PIECES)
        return asked;
    sal__warn_of_event(s->sim, w->info.event, "interval",
                       "has a max_interval (or samples) of less than a 200,000th of a step, and is evaluated 200,000 "
                       "times per step instead; shorten max_step or lengthen max_interval");
    return 1.0 / MAX_PIECES;
}

sal_status sal__find_crossing_subdivided(sal__witness_probe *s, const sal__root_interval *ends, double most,
                                         double *theta) {
    sal__witness *w = s->witness;
    const bool surface = w->on_surface;
    const bool by_default = !w->info.is_subdivided && !w->info.time_only;
    const double longest = longest_piece(s), shortest = sal__max(SHORTEST, 1024 * grain(s));
    sal__root_interval whole = *ends;
    s->level = 0;
    sal_status status = sal__prepare_dense(s->sim);
    if (status == SAL_OK && s->sim->config.interior_search && !s->sim->has_interior_search)
        status = measure_slopes(s, &whole);
    sal__root_interval piece = whole;
    if (status == SAL_OK)
        status = set_width(s, &whole, longest, &piece);
    const int most_pieces = by_default ? MAX_BY_DEFAULT : MAX_PIECES;
    int jumps = 0;
    for (int pieces = 0; status == SAL_OK; pieces++) {
        const double width = piece.b - piece.a;
        jumps += width <= shortest;
        const bool many = pieces >= most_pieces || jumps >= MAX_JUMPS;
        if (many && !w->info.is_subdivided)
            sal__warn_about_missed_crossings(s->sim, w);
        bool resolved = width <= shortest || many || isnan(piece.sa) || isnan(piece.sb);
        s->level = 0;
        if (!resolved)
            status = is_resolved(s, &piece, &resolved);
        if (status == SAL_OK && !resolved) {
            status = shorten(s, &whole, &piece);
            continue;
        }
        if (status == SAL_OK)
            status = sal__find_crossing(s, &piece, theta);
        if (status != SAL_OK || *theta <= 1 || piece.b >= whole.b || piece.b > most)
            break;
        sal__witness_set_on_surface(w, w->on_surface && sal__stays_on_surface(w, piece.wa, piece.sa, piece.wb));
        piece.a = piece.b, piece.wa = piece.wb, piece.sa = piece.sb;
        s->level = 0;
        status = set_width(s, &whole, many ? longest : sal__min(4 * width, longest), &piece);
    }
    sal__witness_set_on_surface(w, surface);
    return status;
}
