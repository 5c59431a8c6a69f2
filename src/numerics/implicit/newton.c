/* Newton's iteration with matrices that are reused as long as they converge (Hairer, Wanner, Solving Ordinary
 * Differential Equations II, IV.8; rules as in Drake).
 *
 * Up to three trials: with the old factors, with new factors of the old Jacobian, with a new Jacobian. After that
 * only a smaller step can help. */
#include <math.h>

#include "implicit.h"
#include "numerics/linear/lu.h"

enum { ITERATIONS = 10, TRIALS = 3 };
static const double kappa = 0.05; /* fraction of the accuracy, for the remaining error of the iteration */

bool sal__update_is_zero(int n, const double *x, const double *dx, double tolerance) {
    if (tolerance <= 0)
        tolerance = 10 * 0x1p-52;
    for (int i = 0; i < n; i++)
        if (!(fabs(dx[i]) <= tolerance * fmax(1, fabs(x[i]))))
            return false;
    return true;
}

/* theta estimates the contraction, and theta / (1 - theta) |dx| the remaining error: (8.10) there. A zero first
 * update may mean a stationary start, and two updates give no reliable theta. */
sal__progress sal__newton_progress(int iteration, bool zero, double norm, double last_norm, double accuracy) {
    if (isnan(norm))
        return SAL__DIVERGED;
    if (iteration >= 1 && zero)
        return SAL__CONVERGED;
    if (iteration <= 1)
        return SAL__GOING_ON;
    const double theta = norm / last_norm;
    if (theta > 1)
        return SAL__DIVERGED;
    return theta / (1 - theta) * norm < kappa * accuracy ? SAL__CONVERGED : SAL__GOING_ON;
}

/* A singular matrix requires another step size. */
static sal_status factor(const sal__newton *p) {
    sal__implicit *im = p->a->implicit;
    sal__factors *f = &im->matrices.factors[p->matrix];
    im->stats.total.factorizations++;
    im->stats.estimator.factorizations += im->is_estimating;
    if (p->form) {
        p->form(p, f->lu);
        f->is_factored = sal__lu_factor(p->size, f->lu, f->pivots);
    } else {
        f->is_factored =
            sal__matrix_factor(&im->matrices.shape, &im->mass, 1, p->h, im->matrices.jacobian, f->lu, f->pivots);
    }
    return f->is_factored ? SAL_OK : SAL_RETRY;
}

static sal_status renew(const sal__newton *p, double t, const double *x, const double *f) {
    const sal_status status = sal__update_jacobian(p->rhs, p->a, t, x, f);
    return status == SAL_OK ? factor(p) : status;
}

/* As in Drake, the third trial fails if its Jacobian is already the one of this start. */
static sal_status freshen(const sal__newton *p, int trial) {
    const sal__implicit *im = p->a->implicit;
    if (im->integrator->config.full_newton)
        return SAL_OK;
    if (!im->matrices.has_jacobian || im->integrator->config.no_matrix_reuse)
        return renew(p, p->t0, p->x0, p->f0);
    if (trial == 2 || !im->matrices.factors[p->matrix].is_factored)
        return factor(p);
    if (trial == 3)
        return im->matrices.jacobian_is_fresh ? SAL_RETRY : renew(p, p->t0, p->x0, p->f0);
    return SAL_OK;
}

static sal_status update(const sal__newton *p) {
    sal__implicit *im = p->a->implicit;
    const sal__factors *f = &im->matrices.factors[p->matrix];
    sal_status status = SAL_OK;
    if (im->integrator->config.full_newton)
        status = renew(p, p->t1, im->newton.x, NULL);
    if (status == SAL_OK)
        status = p->defect(p, im->newton.update);
    if (status != SAL_OK)
        return status;
    im->stats.total.newton_iterations++;
    im->stats.estimator.newton_iterations += im->is_estimating;
    if (p->form)
        sal__lu_solve(p->size, f->lu, f->pivots, im->newton.update);
    else
        sal__matrix_solve(&im->matrices.shape, f->lu, f->pivots, im->newton.update, im->work.scratch);
    return p->advance(p, im->newton.update);
}

static sal_status iterate(const sal__newton *p, bool *converged) {
    sal__implicit *im = p->a->implicit;
    double last_norm = INFINITY;
    sal__progress progress = SAL__GOING_ON;
    sal_status status = p->begin(p);
    for (int i = 0; status == SAL_OK && i < ITERATIONS && progress == SAL__GOING_ON; i++) {
        status = update(p);
        im->newton.iteration_count = i + 1;
        if (status != SAL_OK)
            break;
        const double norm = sal__weighted_norm(im->integrator, im->newton.dx);
        const bool zero = sal__update_is_zero(im->n, im->newton.x, im->newton.dx, 0);
        progress = sal__newton_progress(i, zero, norm, last_norm, im->integrator->accuracy);
        last_norm = norm;
    }
    *converged = status == SAL_OK && progress == SAL__CONVERGED;
    return status;
}

sal_status sal__newton_solve(const sal__newton *p) {
    const sal_integrator_config *c = &p->a->implicit->integrator->config;
    const int trials = c->no_matrix_reuse || c->full_newton ? 1 : TRIALS;
    for (int trial = 1; trial <= trials; trial++) {
        bool converged = false;
        sal_status status = freshen(p, trial);
        if (status == SAL_OK)
            status = iterate(p, &converged);
        if (status != SAL_OK || converged)
            return status;
    }
    sal__question_pattern(p->a->implicit);
    return SAL_RETRY;
}
