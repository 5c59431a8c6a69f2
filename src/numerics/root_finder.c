/* Finding where a scalar function of a step's fraction crosses zero.
 *
 * sal__find_root keeps a bracket [a, b]: w is on the near side at a and on the far
 * side at b, where zero itself is far. So it converges to one crossing whatever
 * w does, and its answer is always b. The order of probes:
 *   1. the root of the Hermite cubic of the values and slopes at the ends;
 *   2. from there, a Halley step along the quartic that meets this value too, pushed a
 *      little too far, to come down on the other side: the bracket closes from both ends;
 *   3. Chandrupatla's hybrid of inverse quadratic interpolation and bisection
 *      (T. R. Chandrupatla, Advances in Engineering Software 28, 1997), where every
 *      third step that did not halve the bracket is a bisection.
 * It cannot see crossings in pairs; sal__search_interior_extremum looks for those. */
#include "root_finder.h"

#include <math.h>

#include "base/base.h"

static const double finest = 2.220446049250313e-16; /* 2^-52: 2 ulp of theta just below 1 */

static const double noise = 1e-13; /* in theta: within this distance the values of w are mostly rounding */

/* Cubic on u in [0, 1]: p0 + u (p1 + u (p2 + u p3)). */
typedef struct cubic {
    double p0, p1, p2, p3;
} cubic;

static cubic hermite(double w0, double s0, double w1, double s1) {
    const double rise = w1 - w0;
    return (cubic){w0, s0, 3 * rise - 2 * s0 - s1, s0 + s1 - 2 * rise};
}

static double value(const cubic *p, double u) {
    return p->p0 + u * (p->p1 + u * (p->p2 + u * p->p3));
}

static double slope(const cubic *p, double u) {
    return p->p1 + u * (2 * p->p2 + u * (3 * p->p3));
}

static double curvature(const cubic *p, double u) {
    return 2 * p->p2 + u * (6 * p->p3);
}

static cubic over_u(const cubic *p) {
    return (cubic){p->p1, p->p2, p->p3, 0};
}

/* Returns the root of a p that is negative at 0 and positive at 1: Halley's iteration, kept inside a shrinking
 * bracket. All in registers. */
static double root_of(const cubic *p) {
    double lo = 0, hi = 1, u = p->p0 / (p->p0 - value(p, 1));
    for (int i = 0; i < 60 && hi - lo > 1e-15; i++) {
        const double v = value(p, u), s = slope(p, u);
        if (v < 0)
            lo = u;
        else
            hi = u;
        double next = u - 2 * v * s / (2 * s * s - v * curvature(p, u));
        if (!(next > lo && next < hi))
            next = lo + (hi - lo) / 2;
        const double moved = fabs(next - u);
        u = next;
        if (moved < 1e-3) /* the next change would be 1e-9: the cubic is no better a model than that */
            break;
    }
    return u;
}

/* The bracket. Values are signed so that the far side is positive or zero. A w that starts at zero is armed when it
 * leaves zero: wa is then NaN, which is not used for curves, and counts as near. */
typedef struct bracket {
    double a, wa, b, wb;
    double c, wc;  /* the end that was replaced last; NaN: none */
    bool at_a;     /* the newest point is a */
    double far;    /* sign: of w on the far side */
    double narrow; /* the width to end with */
    int lazy;      /* steps that did not halve it */
} bracket;

/* If w is zero at the right end of a bracket as narrow as rounding allows, that end is the root. */
static bool closed(const bracket *k) {
    const double width = k->b - k->a;
    return width <= k->narrow || (width <= noise && k->wb == 0);
}

/* Evaluates at x, limited to the inside by nearly half the final width, and narrows the bracket. */
static sal_status narrow_at(bracket *k, const sal__probe *probe, double x) {
    const double width = k->b - k->a, margin = 0.45 * k->narrow;
    x = sal__min(sal__max(x, k->a + margin), k->b - margin);
    if (!(x > k->a && x < k->b))
        x = k->a + width / 2;
    double w;
    const sal_status status = probe->eval(probe->user, x, &w);
    if (status != SAL_OK)
        return status;
    if (isnan(w))
        return SAL_ENAN;

    w *= k->far;
    k->at_a = w < 0;
    if (k->at_a) {
        k->c = k->a, k->wc = k->wa;
        k->a = x, k->wa = w;
    } else {
        k->c = k->b, k->wc = k->wb;
        k->b = x, k->wb = w;
    }
    k->lazy += k->b - k->a > width / 2;
    return SAL_OK;
}

/* If w is zero at b, because of rounding or exactly, searches for the left end of the zeros: first just beyond
 * rounding, then four times as far while w is zero there too; a root that is far to the left is found by bisection. */
static double beside_zero(const bracket *k, double middle) {
    const double aside = k->wc == 0 ? 4 * (k->c - k->b) : 0.9 * noise;
    return !k->at_a && aside < 1e3 * noise ? k->b - aside : middle;
}

/* Chandrupatla's step: inverse quadratic interpolation through a, b and the previous point if that is safely
 * monotone; else the middle. NaN anywhere fails the test. */
static double next_probe(bracket *k) {
    const double middle = k->a + (k->b - k->a) / 2;
    if (k->wb == 0)
        return beside_zero(k, middle);
    if (k->lazy >= 2) {
        k->lazy = 0;
        return middle;
    }
    const double x1 = k->at_a ? k->a : k->b, f1 = k->at_a ? k->wa : k->wb;
    const double x2 = k->at_a ? k->b : k->a, f2 = k->at_a ? k->wb : k->wa;
    const double x3 = k->c, f3 = k->wc;
    const double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi))
        return middle;
    const double t = f1 / (f2 - f1) * (f3 / (f2 - f3)) + (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2));
    return x1 + t * (x2 - x1) +
           (x2 > x1 ? 0.5 : -0.5) * k->narrow; /* slightly beyond, to close the bracket from the other side */
}

/* The first two probes, which use the slopes. A start at zero is one root of the cubic; the quotient by u has the
 * next one. */
static sal_status probe_cubic(bracket *k, const sal__probe *probe, const sal__root_interval *piece) {
    const double start = piece->a, width = piece->b - piece->a;
    cubic p = hermite(k->far * piece->wa, k->far * piece->sa * width, k->far * piece->wb, k->far * piece->sb * width);
    const cubic whole = p;
    if (piece->wa == 0)
        p = over_u(&p);
    if (!(p.p0 < 0 && value(&p, 1) > 0)) /* slopes are unknown, or contradict the signs */
        return SAL_OK;

    const double u = root_of(&p);
    sal_status status = narrow_at(k, probe, start + u * width);
    if (status != SAL_OK || closed(k))
        return status;

    /* The quartic is p + w (v (1 - v) / (u (1 - u)))^2: its slope at u is more accurate, so the push can be small. */
    const double tried = k->at_a ? k->a : k->b, w = k->at_a ? k->wa : k->wb;
    const double s = slope(&whole, u) + w * (2 * (1 - 2 * u) / (u * (1 - u)));
    const double step = -2 * w * s / (2 * s * s - w * curvature(&whole, u)) * width;
    if (!(fabs(step) < width))
        return SAL_OK;
    const double push = sal__max(1e-5 * fabs(step), k->narrow / 2);
    return narrow_at(k, probe, tried + step + (k->at_a ? push : -push));
}

sal_status sal__find_root(const sal__probe *probe, const sal__root_interval *piece, double tolerance, double *theta,
                          double *w) {
    const double toward = piece->wb != 0 ? piece->wb : piece->wa != 0 ? -piece->wa : -piece->sa;
    bracket k = {.a = piece->a, .b = piece->b, .c = NAN, .wc = NAN};
    k.far = toward < 0 ? -1 : 1;
    k.wa = piece->wa == 0 ? NAN : k.far * piece->wa;
    k.wb = k.far * piece->wb;
    k.narrow = sal__max(finest, tolerance);

    sal_status status = closed(&k) ? SAL_OK : probe_cubic(&k, probe, piece);
    while (status == SAL_OK && !closed(&k))
        status = narrow_at(&k, probe, next_probe(&k));
    if (status != SAL_OK)
        return status;
    *theta = k.b;
    *w = k.far * k.wb;
    return SAL_OK;
}

/* Returns where in (0, 1) the cubic has a minimum; NaN if nowhere: the root of the slope with p'' > 0, computed
 * without cancellation. */
static double inner_minimum(const cubic *p) {
    const double d = p->p2 * p->p2 - 3 * p->p3 * p->p1;
    if (!(d > 0))
        return NAN;
    const double root = sqrt(d);
    const double u = p->p2 > 0 ? -p->p1 / (p->p2 + root) : (root - p->p2) / (3 * p->p3);
    return u > 0 && u < 1 ? u : NAN;
}

/* A probe at the end of a piece would not divide it. */
static double off_the_ends(double u) {
    return fmin(fmax(u, 0.01), 0.99);
}

/* The remaining piece, signed so that both ends are positive. */
typedef struct dip {
    double sign;
    double a, fa, da, b, fb, db;
} dip;

static cubic model_of(const dip *d) {
    return hermite(d->fa, d->da * (d->b - d->a), d->fb, d->db * (d->b - d->a));
}

/* A start at zero belongs to a dip only if w rises from it to the side of its end. */
static bool has_one_sign(const dip *d) {
    return d->fa > 0 || (d->fa == 0 && d->da > 0);
}

/* Returns where the tangents at the ends intersect: below any dip without an inflection, and exactly at the tip of a
 * kink, which no cubic represents. */
static double tangents_meet(const dip *d) {
    const double width = d->b - d->a;
    const double along = (d->fb - d->db * width - d->fa) / (d->da - d->db);
    return d->fa + d->da * along;
}

static sal_status look(const sal__probe *probe, const dip *d, double theta, double *f) {
    double w;
    const sal_status status = probe->eval(probe->user, theta, &w);
    if (status != SAL_OK)
        return status;
    *f = d->sign * w;
    return isnan(w) ? SAL_ENAN : SAL_OK;
}

/* Evaluates at fraction u of the piece and, for the slope, a little beside it; keeps the part with the minimum.
 * *theta and *f are the last point: *f is zero or negative if it is on the other side. *error is the error of the
 * model, at u and over the small distance. The difference is the slope at half that distance; the model's curvature
 * corrects it. */
static sal_status look_and_part(dip *d, const sal__probe *probe, const cubic *model, double u, double *theta, double *f,
                                double *error) {
    const double width = d->b - d->a, aside = 1e-4;
    const double x = d->a + u * width;
    *theta = x;
    sal_status status = look(probe, d, x, f);
    if (status != SAL_OK || *f <= 0)
        return status;
    const double at_x = *f;
    *theta = x + aside * width;
    status = look(probe, d, *theta, f);
    if (status != SAL_OK || *f <= 0)
        return status;

    *error = fabs(at_x - value(model, u)) + fabs(*f - at_x);
    const double rise = ((*f - at_x) / aside - aside / 2 * curvature(model, u)) / width;
    if (rise > 0)
        d->b = x, d->fb = at_x, d->db = rise;
    else
        d->a = x, d->fa = at_x, d->da = rise;
    return SAL_OK;
}

/* Each round evaluates at the cubic's minimum and keeps the part that contains the true one. It ends when w reaches
 * zero, or when the cubic of a part is away from zero by twice the last model error; never before the slope is known
 * there, which would miss grazing contacts. */
sal_status sal__search_interior_extremum(const sal__probe *probe, const sal__root_interval *piece, bool *found,
                                         double *theta, double *w) {
    const double sign = (piece->wb != 0 ? piece->wb : piece->wa) < 0 ? -1 : 1;
    dip d = {sign, piece->a, sign * piece->wa, sign * piece->sa, piece->b, sign * piece->wb, sign * piece->sb};
    cubic p = model_of(&d);
    double u = inner_minimum(&p);
    *found = false;

    for (int round = 0; round < 8 && !isnan(u) && has_one_sign(&d); round++) {
        double x, f, error = 0;
        const sal_status status = look_and_part(&d, probe, &p, off_the_ends(u), &x, &f, &error);
        if (status != SAL_OK)
            return status;
        if (f <= 0) {
            *found = true;
            *theta = x;
            *w = sign * f;
            return SAL_OK;
        }
        p = model_of(&d);
        u = inner_minimum(&p);
        if (!isnan(u) && value(&p, u) - 2 * error > 0 && !(tangents_meet(&d) <= 0))
            return SAL_OK;
    }
    return SAL_OK;
}
