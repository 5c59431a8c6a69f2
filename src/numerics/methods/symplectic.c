/* Stoermer-Verlet steps for x = (q, v, z), here called leaps: velocity_verlet makes one in each step (W. C. Swope et
 * al., Journal of Chemical Physics 76, 1982), symplectic4 makes five of alternating direction (M. Suzuki, Physics
 * Letters A 146, 1990; E. Hairer, Ch. Lubich, G. Wanner, Geometric Numerical Integration, 2nd edition, II.4 (4.5)).
 *
 * If q' = v, or q' = N(q) v, and v' does not depend on v or z, a leap is time-reversible, and if q' = v it is
 * symplectic: over any number of periods the energy error is bounded. Otherwise both are of order 2: v and z then
 * follow Heun's method.
 *
 * If q' = v, a leap evaluates derivatives once, at its end; the first leap of a step starts from those passed in. If
 * q' = N(q) v, the midpoint that q passes is found by iteration. */
#include <math.h>

#include "base/base.h"
#include "methods.h"

enum { MIDPOINT_ITERATIONS = 30 };

/* Advances along a step: state and derivative at the end of the last leap. */
typedef struct path {
    const sal_rhs *rhs;
    sal_attempt *at;
    double *x, *rate;      /* there */
    double *next, *arrive; /* state at the leap's end, except for v, and the derivative there */
    bool straight;         /* true while q' = v */
} path;

/* q at the end of the leap from q' = N(q) v with v at the middle: q1 = q0 + h N(q0/2 + q1/2) v, iterated until the
 * change is zero or stops decreasing. */
static sal_status drift(const path *p, double t, double h) {
    const int nq = p->at->nq, nv = p->at->nv, n = p->rhs->n;
    double *middle = p->next;
    for (int i = 0; i < nq; i++)
        middle[i] = p->x[i] + h / 2 * p->rate[i];
    for (int i = nq; i < n; i++)
        middle[i] = p->x[i] + (i < nq + nv ? h / 2 * p->rate[i] : 0);
    double last = INFINITY;
    for (int k = 0; k < MIDPOINT_ITERATIONS && last > 0; k++) {
        const sal_status status = sal__eval(p->rhs, p->at, t + h / 2, middle, p->arrive);
        if (status != SAL_OK)
            return status;
        double change = 0;
        for (int i = 0; i < nq; i++) {
            const double q = p->x[i] + h / 2 * p->arrive[i];
            change = fmax(change, fabs(q - middle[i]));
            middle[i] = q;
        }
        if (change >= last)
            break;
        last = change;
    }
    for (int i = 0; i < nq; i++)
        p->next[i] = p->x[i] + h * p->arrive[i];
    return SAL_OK;
}

/* The derivative at the leap's end, with v and z from Euler's method there. */
static sal_status arrive(const path *p, double t1, double h) {
    for (int i = p->at->nq; i < p->rhs->n; i++)
        p->next[i] = p->x[i] + h * p->rate[i];
    return sal__eval(p->rhs, p->at, t1, p->next, p->arrive);
}

/* From t to t1 = t + h, where h may be negative: half a kick, the drift, the other half kick. */
static sal_status leap(path *p, double t, double t1, double h) {
    const int nq = p->at->nq, n = p->rhs->n;
    sal_status status = SAL_OK;
    if (p->straight) {
        for (int i = 0; i < nq; i++)
            p->next[i] = p->x[i] + h * (p->x[nq + i] + h / 2 * p->rate[nq + i]);
        status = arrive(p, t1, h);
        p->straight = sal__are_equal(nq, p->arrive, p->next + nq);
    }
    if (status == SAL_OK && !p->straight) {
        status = drift(p, t, h);
        if (status == SAL_OK)
            status = arrive(p, t1, h);
    }
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < n; i++) {
        p->x[i] = i < nq ? p->next[i] : p->x[i] + h / 2 * (p->rate[i] + p->arrive[i]);
        p->rate[i] = p->arrive[i];
    }
    return SAL_OK;
}

static path begin(const sal_rhs *rhs, sal_attempt *at) {
    const int n = rhs->n;
    const path p = {rhs,
                    at,
                    at->x1,
                    at->work,
                    at->work + n,
                    at->work + 2 * n,
                    at->nq == at->nv && sal__are_equal(at->nq, at->f0, at->x0 + at->nq)};
    for (int i = 0; i < n; i++) {
        p.x[i] = at->x0[i];
        p.rate[i] = at->f0[i];
    }
    return p;
}

static sal_status one_leap(const sal_rhs *rhs, sal_attempt *at) {
    path p = begin(rhs, at);
    return leap(&p, at->t, at->t1, at->h);
}

/* 1 / (4 - 4^(1/3)); the third leap goes backwards. */
static const double share = 0.41449077179437573;

static sal_status five_leaps(const sal_rhs *rhs, sal_attempt *at) {
    const double there = share * at->h, back = at->h - 4 * there;
    const double t[6] = {at->t, at->t + there, at->t + 2 * there, at->t1 - 2 * there, at->t1 - there, at->t1};
    path p = begin(rhs, at);
    sal_status status = SAL_OK;
    for (int k = 0; status == SAL_OK && k < 5; k++)
        status = leap(&p, t[k], t[k + 1], k == 2 ? back : there);
    return status;
}

const sal_method sal__velocity_verlet = {.name = "velocity_verlet",
                                         .order = 2,
                                         .dense_order = 2,
                                         SAL__NO_ESTIMATE,
                                         .work = 3,
                                         .attempt = one_leap,
                                         SAL__HERMITE_OUTPUT};

const sal_method sal__symplectic4 = {.name = "symplectic4",
                                     .order = 4,
                                     .dense_order = 3,
                                     SAL__NO_ESTIMATE,
                                     .work = 3,
                                     .attempt = five_leaps,
                                     SAL__HERMITE_OUTPUT};
