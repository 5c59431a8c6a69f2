/* Radau IIA with three stages, of order 5, as Hairer and Wanner's RADAU5 (Solving
 * Ordinary Differential Equations II, 2nd edition, 1996, section IV.8).
 *
 * The unknowns are z_i = x_i - x0. With A^-1 = T Lambda T^-1, Lambda one real number
 * gamma and one complex pair alpha +- i beta, and w = T^-1 z, Newton's equations of
 * 3n unknowns fall into one real system and one complex one of n each:
 *
 *     (gamma I - h J) dw1 = h (T^-1 f)_1 - gamma w1
 *     ((alpha - i beta) I - h J) (dw2 + i dw3) = h (T^-1 f)_2 + i h (T^-1 f)_3 - (alpha - i beta) (w2 + i w3) */
#include "radau5.h"

#include <math.h>

static const double c[STAGES] = {0.15505102572168219, 0.6449489742783178, 1}; /* (4 -+ sqrt 6) / 10 */
static const double mu_real = 3.6378342527444957, alpha = 2.6810828736277521, beta = 3.0504301992474105;
static const double T[STAGES][STAGES] = {{0.09443876248897524, -0.14125529502095421, 0.03002919410514742},
                                         {0.25021312296533332, 0.20412935229379994, -0.38294211275726192},
                                         {1, 1, 0}};
static const double Tinv[STAGES][STAGES] = {{4.17871859155190428, 0.32768282076106237, 0.52337644549944951},
                                            {-4.17871859155190428, -0.32768282076106237, 0.47662355450055044},
                                            {0.50287263494578682, -2.57192694985560522, 0.59603920482822492}};
/* The collocation polynomial: theta^(k + 1) weights z_i by p[i][k]. */
static const double p[STAGES][STAGES] = {{10.048809399827414, -25.62959144707664, 15.580782047249224},
                                         {-1.3821427331607485, 10.296258113743303, -8.914115380582556},
                                         {1. / 3, -8. / 3, 10. / 3}};

enum { ITERATIONS = 10, PATIENCE = 40 }; /* the latter if no smaller step was requested */
static const double kappa = 0.05;        /* fraction of the accuracy, for the remaining error of the iteration */
static const double aged = 0.1;          /* a larger contraction requires a new Jacobian */
static const double diverging = 0.99;    /* a larger one means divergence */
static const double longest_extrapolation = 100; /* times the last step */

/* to = m from, for STAGES arrays of n, which may be the same arrays. */
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

/* Extrapolates the last step's polynomial, as the guess for the stages. Steps much longer than the last one start
 * from zero: the extrapolation would multiply its rounding by the third power of the ratio. */
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

bool sal__radau5_goes_on(const sal_integrator *in, const sal_attempt *a) {
    const sal_attempt *last = in->steps.accepted;
    return in->steps.has_step && last->method == a->method && last->h > 0 && last->t1 == a->t &&
           sal__are_equal(in->n, last->x1, a->x0);
}

static void begin(sal_attempt *a) {
    sal__implicit *im = a->implicit;
    const sal_attempt *last = im->integrator->steps.accepted;
    double *z = a->work;
    if (sal__radau5_goes_on(im->integrator, a) && a->h <= longest_extrapolation * last->h)
        extrapolate(im->n, last, a, z);
    else
        for (int i = 0; i < STAGES * im->n; i++)
            z[i] = 0;
    transform(Tinv, im->n, z, im->newton.unknowns);
}

static sal_status evaluate_stages(const sal_rhs *rhs, sal_attempt *a, double *f) {
    sal__implicit *im = a->implicit;
    const int n = im->n;
    for (int k = 0; k < STAGES; k++) {
        for (int i = 0; i < n; i++)
            im->work.probe[i] = a->x0[i] + a->work[k * n + i];
        const double t = k == STAGES - 1 ? a->t1 : a->t + c[k] * a->h;
        const sal_status status = sal__eval(rhs, a, t, im->work.probe, f + k * n);
        if (status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

/* Computes the right-hand side of the linear equations for the next update. */
static sal_status defect(const sal_rhs *rhs, sal_attempt *a, double *d) {
    const sal__implicit *im = a->implicit;
    const int n = im->n;
    const sal_status status = evaluate_stages(rhs, a, d);
    if (status != SAL_OK)
        return status;
    const double *w1 = sal__mass_times(&im->mass, n, im->newton.unknowns, im->work.base);
    const double *w2 = sal__mass_times(&im->mass, n, im->newton.unknowns + n, im->work.full);
    const double *w3 = sal__mass_times(&im->mass, n, im->newton.unknowns + 2 * n, im->work.half);
    transform(Tinv, n, d, d);
    for (int i = 0; i < n; i++) {
        d[i] = a->h * d[i] - mu_real * w1[i];
        d[n + i] = a->h * d[n + i] - (alpha * w2[i] + beta * w3[i]);
        d[2 * n + i] = a->h * d[2 * n + i] - (alpha * w3[i] - beta * w2[i]);
    }
    return SAL_OK;
}

/* The largest change of any stage is taken as that of the state. */
static void advance(sal_attempt *a, const double *update) {
    sal__implicit *im = a->implicit;
    const int n = im->n;
    double *w = im->newton.unknowns, *z = a->work;
    for (int i = 0; i < STAGES * n; i++)
        w[i] += update[i];
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int k = 0; k < STAGES; k++) {
            const double next = T[k][0] * w[i] + T[k][1] * w[n + i] + T[k][2] * w[2 * n + i];
            const double change = next - z[k * n + i];
            most = change * change >= most * most || change != change ? change : most;
            z[k * n + i] = next;
        }
        im->newton.dx[i] = most;
    }
}

/* In the memory of the factors: the real matrix, then the complex one. */
static double *complex_factors(const sal__implicit *im) {
    return im->matrices.factors[SAL__STAGES].lu + sal__factors_room(&im->matrices.shape);
}

static sal_status factor(sal_attempt *a) {
    sal__implicit *im = a->implicit;
    sal__factors *f = &im->matrices.factors[SAL__STAGES];
    int *pivots = f->pivots;
    im->stats.total.factorizations++;
    im->matrices.factored_h = a->h;
    f->is_factored =
        sal__matrix_factor(&im->matrices.shape, &im->mass, mu_real, a->h, im->matrices.jacobian, f->lu, pivots) &&
        sal__matrix_complex_factor(&im->matrices.shape, &im->mass, alpha, -beta, a->h, im->matrices.jacobian,
                                   complex_factors(im), pivots + im->n + 1);
    return f->is_factored ? SAL_OK : SAL_RETRY;
}

static void solve(const sal__implicit *im, double *d) {
    const sal__factors *f = &im->matrices.factors[SAL__STAGES];
    sal__matrix_solve(&im->matrices.shape, f->lu, f->pivots, d, im->work.scratch);
    sal__matrix_complex_solve(&im->matrices.shape, complex_factors(im), f->pivots + im->n + 1, d + im->n, d + 2 * im->n,
                              im->work.scratch);
}

/* ---- Newton's iteration ---- */

/* Factors matrices for this step size, with a Jacobian that still converges, if there is one. */
static sal_status prepare(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    const sal_integrator_config *config = &im->integrator->config;
    const bool serves = im->matrices.has_jacobian && !config->full_newton &&
                        (im->matrices.jacobian_is_fresh || !config->no_matrix_reuse);
    if (!serves) {
        const sal_status status = sal__update_jacobian(rhs, a, a->t, a->x0, a->f0);
        if (status != SAL_OK)
            return status;
        im->matrices.factors[SAL__STAGES].is_factored = false;
    }
    return im->matrices.factors[SAL__STAGES].is_factored && im->matrices.factored_h == a->h ? SAL_OK : factor(a);
}

/* The tolerance is at least the rounding of the state. */
static double tolerance_of(const sal_attempt *a) {
    const sal_integrator *in = a->implicit->integrator;
    const double tolerance = kappa * in->accuracy;
    return tolerance > 1e-12 ? tolerance : fmax(tolerance, 4 * 0x1p-52 * sal__weighted_norm(in, a->x0));
}

/* Computes a new Jacobian at the present iterate of the step's end. */
static sal_status renew_within(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    for (int i = 0; i < im->n; i++)
        im->work.guess[i] = a->x0[i] + a->work[2 * im->n + i];
    const sal_status status = sal__update_jacobian(rhs, a, a->t1, im->work.guess, NULL);
    return status == SAL_OK ? factor(a) : status;
}

static sal_status update(const sal_rhs *rhs, sal_attempt *a, bool renews, double *norm) {
    sal__implicit *im = a->implicit;
    sal_status status = renews ? renew_within(rhs, a) : SAL_OK;
    if (status == SAL_OK)
        status = defect(rhs, a, im->newton.update);
    if (status != SAL_OK)
        return status;
    solve(im, im->newton.update);
    advance(a, im->newton.update);
    im->stats.total.newton_iterations++;
    *norm = sal__weighted_norm(im->integrator, im->newton.dx);
    return SAL_OK;
}

/* The contraction theta is estimated from the last two updates; the remaining error is theta / (1 - theta) |update|
 * (8.10). A first update is judged by the last step's theta, to the power of 4/5, as the authors advise. An
 * iteration that would take too long ends at once. */
static sal_status iterate(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    const double tolerance = tolerance_of(a), root = sal__power_root(sal__max(im->newton.remaining_error, 0x1p-52), 5);
    double left = root * root * root * root, norm = 0, last_norm = 0, ratio = 0;
    const bool renews = im->integrator->config.full_newton;
    const int most = renews || im->integrator->config.fixed_step ? PATIENCE : ITERATIONS;
    im->newton.contraction = 0;
    im->newton.remaining_error = 1;
    for (int i = 0; i < most; i++) {
        const sal_status status = update(rhs, a, i > 0 && renews, &norm);
        if (status != SAL_OK)
            return status;
        if (i > 0) {
            const double last_ratio = ratio;
            ratio = norm / last_norm;
            im->newton.contraction = i == 1 ? ratio : sqrt(ratio * last_ratio);
            left = im->newton.contraction / (1 - im->newton.contraction);
        }
        double ahead = left * norm;
        for (int k = i + 1; i > 0 && k < most; k++)
            ahead *= im->newton.contraction;
        if (norm != norm || !(im->newton.contraction < diverging) || (i > 0 && ahead > tolerance))
            return SAL_RETRY;
        if (left * norm <= tolerance) {
            im->newton.remaining_error = left, im->newton.update_norm = norm, im->newton.tolerance = tolerance,
            im->newton.iteration_count = i + 1;
            return SAL_OK;
        }
        last_norm = norm;
    }
    return SAL_RETRY;
}

static sal_status solve_stages(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    for (;;) {
        sal_status status = prepare(rhs, a);
        if (status != SAL_OK)
            return status;
        begin(a);
        status = iterate(rhs, a);
        if (status <= SAL_OK)
            return status;
        if (im->matrices.jacobian_is_fresh) {
            sal__question_pattern(im);
            return status;
        }
        im->matrices.has_jacobian = false;
    }
}

/* ---- a step ---- */

static sal_status solve_and_estimate(const sal_rhs *rhs, sal_attempt *a, double *error) {
    sal__implicit *im = a->implicit;
    const int n = rhs->n;
    const sal_status status = solve_stages(rhs, a);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < n; i++)
        a->x1[i] = a->x0[i] + a->work[2 * n + i];
    if (im->newton.contraction > aged && !im->matrices.jacobian_is_fresh)
        im->matrices.has_jacobian = false;
    return sal__radau5_estimate(rhs, a, error);
}

static sal_status step(const sal_rhs *rhs, sal_attempt *a) {
    sal__implicit *im = a->implicit;
    for (;;) {
        double error = 0;
        a->has_f1 = false;
        sal_status status = solve_and_estimate(rhs, a, &error);
        const bool will_stand = im->integrator->config.fixed_step || error <= im->integrator->accuracy;
        const bool shows_contraction = im->newton.iteration_count > 1 && im->matrices.jacobian_is_fresh;
        if (status != SAL_OK || !will_stand || shows_contraction)
            return status;
        status = sal__radau5_confirm(rhs, a);
        if (status <= SAL_OK || im->matrices.jacobian_is_fresh)
            return status;
        im->matrices.has_jacobian = false;
    }
}

/* The stages are guessed on a straight line. */
static sal_status explicit_step(const sal_rhs *rhs, sal_attempt *a) {
    const sal_status status = sal__explicit_third_order(rhs, a);
    for (int k = 0; status == SAL_OK && k < STAGES; k++)
        for (int i = 0; i < rhs->n; i++)
            a->work[k * rhs->n + i] = c[k] * (a->x1[i] - a->x0[i]);
    return status;
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
                                .predicts = true,
                                .factors_apart = true,
                                .takes_bands = true,
                                .takes_mass = true,
                                .scaled_increments = true,
                                SAL__IMPLICIT_ATTEMPT(step, explicit_step),
                                .dense = dense};
