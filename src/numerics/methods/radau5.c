/* Radau IIA with three stages, of order 5, as Hairer and Wanner's RADAU5 (Solving
 * Ordinary Differential Equations II, 2nd edition, 1996, section IV.8).
 *
 * The unknowns are z_i = x_i - x0. With A^-1 = T Lambda T^-1, Lambda one real number
 * gamma and one complex pair alpha +- i beta, and w = T^-1 z, Newton's equations of
 * 3n unknowns fall into one real system and one complex one of n each:
 *
 *     (gamma I - h J) dw1 = h (T^-1 f)_1 - gamma w1
 *     ((alpha - i beta) I - h J) (dw2 + i dw3) = h (T^-1 f)_2 + i h (T^-1 f)_3 - (alpha - i beta) (w2 + i w3) */
#include "numerics/implicit.h"
#include "numerics/lu.h"
#include "numerics/lu_complex.h"

enum { STAGES = 3 };
static const double c[STAGES] = {0.15505102572168219, 0.6449489742783178, 1}; /* (4 -+ sqrt 6) / 10 */
static const double mu_real = 3.6378342527444957, alpha = 2.6810828736277521, beta = 3.0504301992474105;
static const double T[STAGES][STAGES] = {{0.09443876248897524, -0.14125529502095421, 0.03002919410514742},
                                         {0.25021312296533332, 0.20412935229379994, -0.38294211275726192},
                                         {1, 1, 0}};
static const double Tinv[STAGES][STAGES] = {{4.17871859155190428, 0.32768282076106237, 0.52337644549944951},
                                            {-4.17871859155190428, -0.32768282076106237, 0.47662355450055044},
                                            {0.50287263494578682, -2.57192694985560522, 0.59603920482822492}};
/* Of the error estimate: weights of z (8.19 there, times gamma). */
static const double e[STAGES] = {-10.048809399827414, 1.3821427331607485, -1. / 3};
/* The collocation polynomial: theta^(k + 1) has z_i with weight p[i][k]. */
static const double p[STAGES][STAGES] = {{10.048809399827414, -25.62959144707664, 15.580782047249224},
                                         {-1.3821427331607485, 10.296258113743303, -8.914115380582556},
                                         {1. / 3, -8. / 3, 10. / 3}};
static const int enough_iterations = 3; /* more tell that the Jacobian has aged */

/* to = m from, for STAGES arrays of n; they may be the same arrays. */
static void transform(const double m[STAGES][STAGES], int n, const double *from, double *to) {
    for (int i = 0; i < n; i++) {
        const double a = from[i], b = from[n + i], d = from[2 * n + i];
        for (int k = 0; k < STAGES; k++)
            to[k * n + i] = m[k][0] * a + m[k][1] * b + m[k][2] * d;
    }
}

static void dense(int n, const sal_attempt *a, double *coefficients) {
    const double *z = a->work;
    for (int k = 0; k < STAGES; k++)
        for (int i = 0; i < n; i++)
            coefficients[k * n + i] = p[0][k] * z[i] + p[1][k] * z[n + i] + p[2][k] * z[2 * n + i];
}

/* The last step's polynomial, read beyond its end, guesses where the stages lie. */
static void extrapolate(int n, const sal_attempt *last, const sal_attempt *a, double *z) {
    for (int i = 0; i < n; i++) {
        const double z1 = last->work[i], z2 = last->work[n + i], z3 = last->work[2 * n + i];
        double q[STAGES];
        for (int k = 0; k < STAGES; k++)
            q[k] = p[0][k] * z1 + p[1][k] * z2 + p[2][k] * z3;
        for (int s = 0; s < STAGES; s++) {
            const double theta = 1 + c[s] * a->h / last->h;
            z[s * n + i] = theta * (q[0] + theta * (q[1] + theta * q[2])) - z3;
        }
    }
}

static bool goes_on_from(const sal_integrator *in, const sal_attempt *a) {
    const sal_attempt *last = in->accepted;
    if (!in->has_step || !(last->h > 0) || last->t1 != a->t)
        return false;
    for (int i = 0; i < in->n; i++)
        if (last->x1[i] != a->x0[i])
            return false;
    return true;
}

static sal_status begin(const sal__newton *s) {
    sal__implicit *im = s->a->implicit;
    double *z = s->a->work;
    if (goes_on_from(im->in, s->a))
        extrapolate(im->n, im->in->accepted, s->a, z);
    else
        for (int i = 0; i < STAGES * im->n; i++)
            z[i] = 0;
    transform(Tinv, im->n, z, im->unknowns);
    for (int i = 0; i < im->n; i++)
        im->x[i] = s->x0[i] + z[2 * im->n + i];
    return SAL_OK;
}

static sal_status defect(const sal__newton *s, double *d) {
    const sal__implicit *im = s->a->implicit;
    const int n = im->n;
    const double *w = im->unknowns, *z = s->a->work;
    for (int k = 0; k < STAGES; k++) {
        for (int i = 0; i < n; i++)
            im->probe[i] = s->x0[i] + z[k * n + i];
        const double t = k == STAGES - 1 ? s->t1 : s->t0 + c[k] * s->h;
        const sal_status status = sal__eval(s->rhs, s->a, t, im->probe, d + k * n);
        if (status != SAL_OK)
            return status;
    }
    transform(Tinv, n, d, d);
    for (int i = 0; i < n; i++) {
        const double w1 = w[i], w2 = w[n + i], w3 = w[2 * n + i];
        d[i] = s->h * d[i] - mu_real * w1;
        d[n + i] = s->h * d[n + i] - (alpha * w2 + beta * w3);
        d[2 * n + i] = s->h * d[2 * n + i] - (alpha * w3 - beta * w2);
    }
    return SAL_OK;
}

/* The largest change of any stage stands for the state's. */
static sal_status advance(const sal__newton *s, const double *update) {
    sal__implicit *im = s->a->implicit;
    const int n = im->n;
    double *w = im->unknowns, *z = s->a->work;
    for (int i = 0; i < n; i++)
        im->dx[i] = 0;
    for (int i = 0; i < STAGES * n; i++)
        w[i] += update[i];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < STAGES; k++) {
            const double next = T[k][0] * w[i] + T[k][1] * w[n + i] + T[k][2] * w[2 * n + i];
            const double change = next - z[k * n + i];
            if (change * change >= im->dx[i] * im->dx[i] || change != change)
                im->dx[i] = change;
            z[k * n + i] = next;
        }
    for (int i = 0; i < n; i++)
        im->x[i] = s->x0[i] + z[2 * n + i];
    return SAL_OK;
}

/* In the room of the factors: the real matrix, then both parts of the complex one. */
static bool factor(const sal__newton *s) {
    sal__implicit *im = s->a->implicit;
    const size_t n = (size_t)im->n, square = n * n;
    double *real = im->factors[s->matrix].lu, *re = real + square, *imaginary = re + square;
    int *pivots = im->factors[s->matrix].pivots;
    for (size_t k = 0; k < square; k++) {
        const bool diagonal = k % (n + 1) == 0;
        const double element = -s->h * im->jacobian[k];
        real[k] = element + (diagonal ? mu_real : 0);
        re[k] = element + (diagonal ? alpha : 0);
        imaginary[k] = diagonal ? -beta : 0;
    }
    im->factored_h = s->h;
    return sal__lu_factor(im->n, real, pivots) && sal__lu_complex_factor(im->n, re, imaginary, pivots + n);
}

static void solve(const sal__newton *s, double *d) {
    const sal__implicit *im = s->a->implicit;
    const size_t n = (size_t)im->n;
    const sal__factors *f = &im->factors[s->matrix];
    sal__lu_solve(im->n, f->lu, f->pivots, d);
    sal__lu_complex_solve(im->n, f->lu + n * n, f->lu + 2 * n * n, f->pivots + n, d + n, d + 2 * n);
}

/* (gamma I - h J)^-1 (h f + e z): bounded however stiff the system is (8.19). */
static void filtered_error(sal_attempt *a, const double *f) {
    const sal__implicit *im = a->implicit;
    const sal__factors *factors = &im->factors[SAL__STAGES];
    const int n = im->n;
    const double *z = a->work;
    for (int i = 0; i < n; i++)
        a->err[i] = a->h * f[i] + e[0] * z[i] + e[1] * z[n + i] + e[2] * z[2 * n + i];
    sal__lu_solve(n, factors->lu, factors->pivots, a->err);
}

/* An estimate that would reject is asked a second time, about x0 + err: at the first
 * step of a stiff transient it is too large otherwise (8.20). */
static sal_status estimate(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    int worst;
    filtered_error(a, a->f0);
    if (!(sal__weighted_norm(im->in, a->x0, a->err, &worst) > im->in->accuracy))
        return SAL_OK;
    for (int i = 0; i < im->n; i++)
        im->probe[i] = a->x0[i] + a->err[i];
    sal__set_estimating(a, true);
    const sal_status status = sal__eval(rhs, a, a->t, im->probe, im->rate);
    sal__set_estimating(a, false);
    if (status == SAL_OK)
        filtered_error(a, im->rate);
    return status < 0 ? status : SAL_OK;
}

static sal_status step(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    sal__newton s = sal__single_stage(rhs, a, a->t, a->t1, a->h, a->x0);
    s.f0 = a->f0;
    s.eager = 1;
    s.begin = begin;
    s.defect = defect;
    s.advance = advance;
    s.factor = factor;
    s.solve = solve;
    if (im->factored_h != a->h)
        im->factors[SAL__STAGES].ready = false;
    const sal_status status = sal__newton_solve(&s);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < rhs->n; i++)
        a->x1[i] = im->x[i];
    if (im->iterations > enough_iterations && !im->fresh)
        im->has_jacobian = false;
    return estimate(rhs, a);
}

/* Bogacki and Shampine's step; its stages are taken from a straight line. */
static sal_status explicit_step(const sal_rhs *rhs, sal_attempt *a) {
    sal_attempt other = *a;
    other.work = a->implicit->unknowns;
    const sal_status status = sal__bogacki_shampine3.attempt(rhs, &other);
    a->evaluations = other.evaluations;
    for (int k = 0; status == SAL_OK && k < STAGES; k++)
        for (int i = 0; i < rhs->n; i++)
            a->work[k * rhs->n + i] = c[k] * (a->x1[i] - a->x0[i]);
    return status;
}

static sal_status attempt(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit_begin(a);
    return sal__implicit_conclude(a, sal__too_short_to_solve(a) ? explicit_step(rhs, a) : step(rhs, a));
}

const sal_method sal__radau5 = {.name = "radau5",
                                .order = 5,
                                .error_order = 4,
                                .dense_order = 3,
                                .dense_degree = STAGES,
                                .default_accuracy = 1e-6,
                                .loosest_accuracy = 1e-2,
                                .work = STAGES,
                                .implicit_stages = STAGES,
                                .factors_apart = true,
                                .scaled_increments = true,
                                .attempt = attempt,
                                .dense = dense};
