/* RODAS, the Rosenbrock method of order 4(3) with six stages and a dense output of
 * order 3, stiffly accurate (Hairer, Wanner, Solving Ordinary Differential Equations
 * II, 2nd edition, 1996, section IV.7, in the transformed variables given there).
 *
 *     (M / gamma - h J) u_i = h f(t + c_i h, x0 + sum a_ij u_j) + M sum b_ij u_j + h^2 d_i f_t
 *
 * No iteration: one matrix, six evaluations and as many solutions a step, but a
 * Jacobian, and the derivative by time, that are those of the start. */
#include <math.h>

#include "numerics/implicit/implicit.h"

enum { STAGES = 6 };
static const double inverse_gamma = 4;
static const double c[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double d[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
static const double a[STAGES][STAGES] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1},
};
static const double b[STAGES][STAGES] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
};
/* Of the dense output: x0 + theta (x1 - x0 + (1 - theta) (r2 + theta r3)), r = sum e_j u_j. */
static const double e2[STAGES - 1] = {10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
                                      1.025137723295662};
static const double e3[STAGES - 1] = {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
                                      -6.594389125716872};

/* The Jacobian and f_t are stored in case this start is tried again; im->base is its state, im->full is f_t. */
static bool known(const sal_attempt *at) {
    const sal__implicit *im = at->implicit;
    return im->matrices.has_jacobian && im->matrices.jacobian_time == at->t &&
           sal__are_equal(im->n, im->work.base, at->x0);
}

/* The interval of the difference that f_t is. What f rounds in t, about |t| 2^-52, is divided by the interval, and the
 * interval is an error of f_t beside the step: their geometric mean keeps both small, however far t is from 0. */
static double look_ahead(const sal_attempt *at) {
    return fmin(at->h, 0x1p-26 * sqrt(fmax(fabs(at->t), at->h) * at->h));
}

static sal_status differentiate(const sal_rhs *rhs, sal_attempt *at) {
    sal__implicit *im = at->implicit;
    if (known(at))
        return SAL_OK;
    sal_status status = sal__update_jacobian(rhs, at, at->t, at->x0, at->f0);
    if (status != SAL_OK)
        return status;
    im->matrices.has_jacobian = false; /* until f_t is computed too */
    const double later = at->t + look_ahead(at);
    status = sal__eval(rhs, at, later, at->x0, im->work.rate);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < im->n; i++) {
        im->work.full[i] = later > at->t ? (im->work.rate[i] - at->f0[i]) / (later - at->t) : 0;
        im->work.base[i] = at->x0[i];
    }
    im->matrices.has_jacobian =
        sal__first_not_finite(im->n, im->work.full) < 0; /* else a smaller time increment may help */
    return SAL_OK;
}

static sal_status factor(sal_attempt *at) {
    sal__implicit *im = at->implicit;
    sal__factors *f = &im->matrices.factors[SAL__STAGES];
    im->stats.total.factorizations++;
    const bool done = sal__matrix_factor(&im->matrices.shape, &im->mass, inverse_gamma, at->h, im->matrices.jacobian,
                                         f->lu, f->pivots);
    return done ? SAL_OK : SAL_RETRY;
}

/* Stage k: computes its state into x, and its solution into u_k. */
static sal_status solve_stage(const sal_rhs *rhs, sal_attempt *at, int k) {
    const sal__implicit *im = at->implicit;
    const int n = im->n;
    const double *u = at->work, *rate = k == 0 ? at->f0 : im->work.rate;
    double *x = at->x1, *solution = at->work + k * n;
    for (int i = 0; i < n; i++) {
        x[i] = at->x0[i];
        for (int j = 0; j < k; j++)
            x[i] += a[k][j] * u[j * n + i];
    }
    const double t = c[k] == 1 ? at->t1 : at->t + c[k] * at->h;
    const sal_status status = k == 0 ? SAL_OK : sal__eval(rhs, at, t, x, im->work.rate);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < n; i++) {
        im->newton.dx[i] = 0;
        for (int j = 0; j < k; j++)
            im->newton.dx[i] += b[k][j] * u[j * n + i];
    }
    const double *inertia = sal__mass_times(&im->mass, n, im->newton.dx, im->work.half);
    for (int i = 0; i < n; i++)
        solution[i] = at->h * rate[i] + at->h * at->h * d[k] * im->work.full[i] + inertia[i];
    const sal__factors *f = &im->matrices.factors[SAL__STAGES];
    sal__matrix_solve(&im->matrices.shape, f->lu, f->pivots, solution, im->work.scratch);
    return SAL_OK;
}

/* Of variable i: x1 - x0, r2 and r3. */
typedef struct curve {
    double change, r2, r3;
} curve;

static curve curve_of(int n, const sal_attempt *at, int i) {
    const double *u = at->work;
    curve way = {at->x1[i] - at->x0[i], 0, 0};
    for (int j = 0; j < STAGES - 1; j++) {
        way.r2 += e2[j] * u[j * n + i];
        way.r3 += e3[j] * u[j * n + i];
    }
    return way;
}

static void dense(int n, const sal_attempt *at, double *coefficients) {
    for (int i = 0; i < n; i++) {
        const curve way = curve_of(n, at, i);
        coefficients[i] = way.change + way.r2;
        coefficients[n + i] = way.r3 - way.r2;
        coefficients[2 * n + i] = -way.r3;
    }
}

/* The error of the interpolant at 0.8, where it is largest, (M / gamma - h J)^-1 (h f - M h p'). A variable that
 * follows others at once has no error at the end of a step, however long the step is. Replaces an estimate that is
 * smaller. */
static sal_status inner_error(const sal_rhs *rhs, sal_attempt *at) {
    sal__implicit *im = at->implicit;
    const sal__factors *f = &im->matrices.factors[SAL__STAGES];
    const int n = rhs->n;
    double *slope = im->newton.dx, *error = im->newton.update;
    for (int i = 0; i < n; i++) {
        const curve way = curve_of(n, at, i);
        im->work.probe[i] = at->x0[i] + 0.8 * (way.change + 0.2 * (way.r2 + 0.8 * way.r3));
        slope[i] = way.change - 0.6 * way.r2 - 0.32 * way.r3;
    }
    sal__set_estimating(at, true);
    const sal_status status = sal__eval(rhs, at, at->t + 0.8 * at->h, im->work.probe, im->work.rate);
    sal__set_estimating(at, false);
    if (status != SAL_OK)
        return status;
    const double *inertia = sal__mass_times(&im->mass, n, slope, im->work.half);
    for (int i = 0; i < n; i++)
        error[i] = at->h * im->work.rate[i] - inertia[i];
    sal__matrix_solve(&im->matrices.shape, f->lu, f->pivots, error, im->work.scratch);
    const double inner = sal__weighted_norm(im->integrator, error);
    if (!(inner <= sal__weighted_norm(im->integrator, at->err)) && !sal__is_jump_inside(at, inner))
        sal__copy(at->err, error, n);
    return SAL_OK;
}

/* The last stage's solution is the difference from the embedded result to the result. */
static sal_status step(const sal_rhs *rhs, sal_attempt *at) {
    sal_status status = differentiate(rhs, at);
    if (status == SAL_OK)
        status = factor(at);
    for (int k = 0; status == SAL_OK && k < STAGES; k++)
        status = solve_stage(rhs, at, k);
    const double *last = at->work + (STAGES - 1) * rhs->n;
    for (int i = 0; status == SAL_OK && i < rhs->n; i++) {
        at->x1[i] += last[i];
        at->err[i] = last[i];
    }
    return status == SAL_OK && !at->implicit->integrator->config.fixed_step ? inner_error(rhs, at) : status;
}

/* Bogacki and Shampine's step, with a straight line as dense output. */
static sal_status explicit_step(const sal_rhs *rhs, sal_attempt *at) {
    const sal_status status = sal__bogacki_shampine3.attempt(rhs, at);
    for (int i = 0; i < STAGES * rhs->n; i++)
        at->work[i] = 0;
    return status;
}

const sal_method sal__rodas4 = {.name = "rodas4",
                                .order = 4,
                                .error_order = 4, /* order of the difference of the two results */
                                .dense_order = 3,
                                .dense_degree = 3,
                                .default_accuracy = 1e-4,
                                .loosest_accuracy = 1e-2,
                                .work = STAGES,
                                .implicit_stages = 1,
                                .takes_bands = true,
                                .takes_mass = true,
                                .scaled_increments = true,
                                .predicts = true,
                                SAL__IMPLICIT_ATTEMPT(step, explicit_step),
                                .dense = dense};
