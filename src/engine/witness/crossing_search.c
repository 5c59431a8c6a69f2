/* Where a witness crosses zero, or the level of its surface, in a piece of a step.
 *
 * Where the ends of the piece have different signs, the crossing is isolated. Where they have the same sign, there may
 * be two crossings between them: then the extremum of the cubic through the ends is searched for a change of sign.
 *
 * A witness on its surface fired and was left at `surface_level`, on its surface or beyond. It came from its near side,
 * which `armed_side` gives. It fires again when it falls below that level, or when it comes back from the near side.
 *
 * The root finder is Chandrupatla's (Adv. Eng. Software 28, 1997), begun from the cubic of the ends; see
 * numerics/root_finder.c. */
#include <math.h>

#include "crossing.h"

typedef sal__witness_probe span;

#define NEAR 1e-3 /* of the values of a witness at the ends of a piece: a distance that flow goes just after its root */

static sal__root_interval piece_before(const sal__root_interval *whole, double u, double wu) {
    return (sal__root_interval){whole->a, whole->wa, whole->sa, u, wu, NAN};
}

static sal__root_interval piece_after(const sal__root_interval *whole, double u, double wu) {
    return (sal__root_interval){u, wu, NAN, whole->b, whole->wb, whole->sb};
}

/* The smallest change of theta that changes the witness: if only time moves it, an ulp of the time. */
static double finest(const span *s) {
    return s->witness->info.time_only ? sal__ulp(sal__max(fabs(s->t0), fabs(s->t1))) / (s->t1 - s->t0) : 0;
}

/* A value that flows is near zero just after its root: nearer than a thousandth of its values at the ends of the
 * piece, or what a few ulp of the time make of it. */
static bool is_far(const span *s, const sal__root_interval *piece, double value) {
    const double share = fabs(value) / (fabs(piece->wa) + fabs(piece->wb));
    return share > NEAR && share * (s->t1 - s->t0) > 16 * sal__ulp(sal__max(fabs(s->t0), fabs(s->t1)));
}

/* Does a delayed jump arrive at theta, which is the end of the step, give or take rounding? */
static bool jump_arrives(const span *s, double theta) {
    sal_simulator *sim = s->sim;
    if ((1 - theta) * (s->t1 - s->t0) > sal__discontinuity_tolerance(s->t1))
        return false;
    sal__context_data_look(sim->contexts.current, s->t1, sal__end_state(sim));
    return sal__reads_jump(sim, s->witness, s->t1);
}

/* A jump crosses zero alone, and no level that it was left at beyond. */
static void note_jump(const span *s, double level, bool far, double *theta) {
    const bool jumps = sal__has_delays(s->sim) && jump_arrives(s, *theta);
    s->witness->has_jumped = level == 0 && (far || jumps);
    if (jumps && level != 0)
        *theta = 2;
}

/* Considers only points at which an event can be stored, so that the handler sees zero or the far side. */
static sal_status isolate(span *s, sal__root_interval piece, double level, double *theta) {
    sal__witness *w = s->witness;
    s->level = w->crossing_level = level;
    piece.wa -= level;
    piece.wb -= level;
    w->crossing_side =
        (signed char)(piece.wb < 0 || (piece.wb == 0 && (piece.wa > 0 || (piece.wa == 0 && piece.sa > 0))) ? 1 : -1);
    const sal__probe probe = {sal__probe_witness_at_stored_time, s};
    sal_status status = sal__prepare_dense(s->sim);
    if (status != SAL_OK)
        return status;
    SAL__COUNT_ONE(s->sim, isolations);
    status = sal__find_root(&probe, &piece, finest(s), theta, &w->crossing_value); /* to an ulp or two of theta */
    const bool far = is_far(s, &piece, w->crossing_value);
    w->has_jumped = false;
    if (SAL__RARELY(far || sal__has_delays(s->sim)))
        note_jump(s, level, far, theta);
    return status;
}

/* Does the witness still have the sign of wu at u when read where an event can be stored? */
static sal_status confirm(span *s, double u, bool *found, double *wu) {
    const double side = *wu;
    const sal_status status = sal__probe_witness_at_stored_time(s, u, wu);
    *found = side != 0 ? *wu * side > 0 : *wu == 0;
    return status;
}

static bool is_monotone(const sal__root_interval *piece) {
    const double width = piece->b - piece->a;
    return sal__is_monotone(piece->wb - piece->wa, piece->sa * width, piece->sb * width);
}

/* Finds a point u within the piece where the witness is zero or has the other sign than at the ends. */
static sal_status find_dip(span *s, const sal__root_interval *piece, bool *found, double *u, double *wu) {
    const sal__probe probe = {sal__probe_witness, s};
    *found = false;
    if (isnan(piece->sa) || isnan(piece->sb) || is_monotone(piece))
        return SAL_OK;
    s->level = 0;
    sal_status status = sal__prepare_dense(s->sim);
    if (status != SAL_OK)
        return status;
    SAL__COUNT_ONE(s->sim, searches);
    status = sal__search_interior_extremum(&probe, piece, found, u, wu);
    return status == SAL_OK && *found ? confirm(s, *u, found, wu) : status;
}

/* Both ends have one sign, so there are two crossings between them or none. Takes the one in the wanted direction. */
static sal_status find_inner_crossing(span *s, const sal__root_interval *whole, sal_direction wanted, double *theta) {
    bool found = false;
    double u = 0, wu = 0;
    const sal_status status = find_dip(s, whole, &found, &u, &wu);
    const bool is_flat = whole->wa == 0 && wu == 0; /* from the start: then it only leaves zero */
    if (status != SAL_OK || !found || is_flat)
        return status;
    if (sal__is_wanted(wanted, whole->wa != 0 ? whole->wa : whole->wb))
        return isolate(s, piece_before(whole, u, wu), 0, theta);
    return wu == 0 ? SAL_OK : isolate(s, piece_after(whole, u, wu), 0, theta);
}

/* The top of the parabola that leaves the level towards the side `near` with the slope at the start, and ends beyond
 * the level. */
static double top_of(const sal__root_interval *whole, int near, double level) {
    const double width = whole->b - whole->a, up = whole->sa * near * width, down = (level - whole->wb) * near;
    return whole->a + width * up / (2 * (up + down));
}

/* Is the witness on the side `near` of the level at u? */
static sal_status is_near_at(span *s, double u, int near, double level, bool *found, double *value) {
    s->level = 0;
    sal_status status = sal__prepare_dense(s->sim);
    if (status == SAL_OK)
        status = sal__probe_witness_at_stored_time(s, u, value);
    *found = (*value - level) * near > 0;
    return status;
}

static bool is_sliver(const span *s) {
    return sal__is_sliver(s->sim, s->t1 - s->t0);
}

/* A witness whose ends both read the level may be flat there, whatever longer Euler steps show. A hop from the level to
 * the side `near` and back must be read at its top; in a tiny step, by its slope at the end. */
static sal_status check_hop(span *s, const sal__root_interval *whole, int near, double level, bool *hops) {
    double value = 0, slope = 0;
    if (!is_sliver(s))
        return is_near_at(s, top_of(whole, near, level), near, level, hops, &value);
    const sal_status status = sal__slope_at_end(s->sim, s->witness, s->t1, s->t1 - s->t0, &slope);
    *hops = slope * near < 0;
    return status;
}

/* The witness leaves its level and comes back to it. Where the start hardly moves, a root before the top of the hop may
 * be rounding; then the root after the top counts, if the witness can be read above the level there. */
static sal_status cross_after_hop(span *s, const sal__root_interval *whole, int near, double level, double *theta) {
    bool found = true;
    sal_status status = whole->b < 1 ? SAL_OK : sal__comes_back(s, whole->sb, near, &found);
    if (status == SAL_OK && found)
        status = isolate(s, *whole, level, theta);
    const double top = top_of(whole, near, level);
    if (status != SAL_OK || !found || *theta >= top)
        return status;
    double value = 0;
    status = is_near_at(s, top, near, level, &found, &value);
    return status == SAL_OK && found ? isolate(s, piece_after(whole, top, value), level, theta) : status;
}

static sal_status cross_after_checked_hop(span *s, const sal__root_interval *whole, int near, double level,
                                          double *theta) {
    bool hops = false;
    const sal_status status = check_hop(s, whole, near, level, &hops);
    return status == SAL_OK && hops ? cross_after_hop(s, whole, near, level, theta) : status;
}

/* Is the witness, which starts at zero, still there a thousandth of the step later? Or has it been there for longer
 * than a sliver, in the pieces before this one? */
static sal_status has_stayed(span *s, const sal__root_interval *whole, bool *stayed) {
    const double start = sal__flow_from(s->sim);
    bool is_near = false;
    *stayed =
        !(whole->sa * s->witness->armed_side < 0) && !sal__is_sliver(s->sim, (whole->a - start) * (s->t1 - s->t0));
    if (*stayed)
        return SAL_OK;
    double value = NAN;
    const double share = 1e-3 * (whole->b - whole->a);
    const sal_status status = sal__moves_clearly(s->sim, share * (s->t1 - s->t0))
                                  ? is_near_at(s, whole->a + share, s->witness->armed_side, 0, &is_near, &value)
                                  : SAL_OK;
    *stayed = value == 0;
    return status;
}

/* Is theta so close to the start of the flow that an update there brings the witness back? */
static bool is_at_once(const span *s, double theta) {
    const double start = sal__flow_from(s->sim);
    const double rounding = 64 * sal__ulp(sal__max(fabs(s->t0), fabs(s->t1)));
    return sal__is_sliver(s->sim, (theta - start) * (s->t1 - s->t0) - rounding);
}

/* The witness ends on its near side. That only arms it again, unless it went beyond its surface first, or updates
 * turned the flow, or it comes back later from where a jump took it. */
static sal_status cross_to_near_side(span *s, const sal__root_interval *whole, double *theta) {
    const sal__witness *w = s->witness;
    const bool crosses = w->flow_changed || whole->sa * w->armed_side < 0;
    if (!(crosses || w->has_jumped) || !sal__is_wanted(w->info.direction, -w->armed_side))
        return SAL_OK;
    bool stayed = false; /* then it only leaves zero */
    sal_status status = whole->wa == 0 ? has_stayed(s, whole, &stayed) : SAL_OK;
    if (status == SAL_OK && !stayed)
        status = isolate(s, *whole, 0, theta);
    if (!crosses && is_at_once(s, *theta))
        *theta = 2;
    return status;
}

/* The witness was on its near side at u. If the way to u is no crossing, it crosses after u. */
static sal_status cross_around(span *s, const sal__root_interval *whole, double u, double wu, double level,
                               double *theta) {
    const sal__root_interval before = piece_before(whole, u, wu);
    const sal_status status = cross_to_near_side(s, &before, theta);
    return status == SAL_OK && *theta > 1 ? isolate(s, piece_after(whole, u, wu), level, theta) : status;
}

static sal_status cross_from_surface(span *s, const sal__root_interval *whole, double *theta) {
    const sal__witness *w = s->witness;
    const int near = w->armed_side;
    const double level = w->surface_level;
    bool found = false;
    double u = 0, wu = 0;
    if (whole->wb * near > 0)
        return cross_to_near_side(s, whole, theta);
    if (whole->wb == 0 && whole->sa * near < 0 && sal__is_wanted(w->info.direction, -near)) { /* back at zero? */
        const sal_status status = check_hop(s, whole, -near, 0, &found);
        if (status != SAL_OK || found)
            return status == SAL_OK ? isolate(s, *whole, 0, theta) : status;
    }
    if (level != 0) { /* was it on the near side in between? */
        const sal_status status = find_dip(s, whole, &found, &u, &wu);
        if (status != SAL_OK)
            return status;
        if (found && wu != 0)
            return cross_around(s, whole, u, wu, 0, theta);
    }
    const double f0 = (whole->wa - level) * near, f1 = (whole->wb - level) * near;
    const bool hops = f1 <= 0 && f0 == 0 && whole->sa * near > 0;
    /* Where nothing jumped, a hop may be rounding: then it must be read at its top. */
    if (hops && (s->sim->flow.interrupted_step.is_pending || w->flow_changed)) {
        u = top_of(whole, near, level);
        const sal_status status = is_near_at(s, u, near, level, &found, &wu);
        return status == SAL_OK && found ? cross_around(s, whole, u, wu, level, theta) : status;
    }
    if (hops)
        return f1 < 0 ? cross_after_hop(s, whole, near, level, theta)
                      : cross_after_checked_hop(s, whole, near, level, theta);
    if (f1 <= 0 && f0 > 0)
        return isolate(s, *whole, level, theta);
    if (level != 0 || is_monotone(whole)) /* the second saves 1 % of wit100 */
        return SAL_OK;
    const bool may_dip = whole->sa * near < 0 && !is_sliver(s);
    const sal_status status = may_dip ? find_dip(s, whole, &found, &u, &wu) : SAL_OK;
    return status == SAL_OK && found && wu != 0 ? cross_around(s, whole, u, wu, 0, theta) : status;
}

sal_status sal__find_crossing(span *s, const sal__root_interval *piece, double *theta) {
    const sal__witness *w = s->witness;
    const sal_direction wanted = w->info.direction;
    if (w->on_surface)
        return cross_from_surface(s, piece, theta);
    if (piece->wa != 0 && piece->wa * (piece->wb > 0 ? 1.0 : piece->wb < 0 ? -1.0 : 0.0) <= 0)
        return sal__is_wanted(wanted, piece->wa) ? isolate(s, *piece, 0, theta) : SAL_OK;
    if (isnan(piece->sa))
        return SAL_OK;
    if (piece->wa == 0 && piece->sa * piece->wb < 0) /* leaves zero to one side and ends on the other */
        return sal__is_wanted(wanted, piece->sa) ? cross_after_hop(s, piece, piece->sa > 0 ? 1 : -1, 0, theta) : SAL_OK;
    return piece->wb != 0 ? find_inner_crossing(s, piece, wanted, theta) : SAL_OK;
}

bool sal__is_back_at_zero(const sal__witness *w, const sal__root_interval *whole) {
    return !w->on_surface && whole->wa == 0 && whole->wb == 0 && fabs(whole->sa) > 0 &&
           sal__is_wanted(w->info.direction, whole->sa);
}

sal_status sal__find_return_to_zero(span *s, const sal__root_interval *whole, double *theta) {
    return cross_after_checked_hop(s, whole, whole->sa > 0 ? 1 : -1, 0, theta);
}
