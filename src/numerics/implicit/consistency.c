/* Solves the equations without a derivative (rows of M that are zero) at the start of a step.
 *
 * An update may change such an equation. Its variables then jump to the new solution, and shorter steps do not help.
 * Newton's iteration solves M (x - x0) = h f(t, x) with an h so short that only these variables move. */
#include <math.h>

#include "implicit.h"

enum { MOST_UPDATES = 30 };
static const double enough = 0.01; /* of the accuracy */

static bool is_algebraic(const sal_integrator *in, int equation) {
    return !sal__mass_has_row(&in->implicit->mass, equation);
}

/* ---- Newton's iteration ---- */

static sal_status factor(const sal_integrator *in) {
    sal__implicit *im = in->implicit;
    sal__factors *f = &im->matrices.factors[SAL__STAGES];
    f->is_factored = false; /* these factors are not those that the method needs */
    im->stats.total.factorizations++;
    return sal__matrix_factor(&im->matrices.shape, &im->mass, 1, sal__least_step(in, in->steps.trial->t),
                              im->matrices.jacobian, f->lu, f->pivots)
               ? SAL_OK
               : SAL_RETRY;
}

/* Computes newton.update from the original start, newton.x. The first update uses the Jacobian of the method and
 * does not change it, because most failed steps have a consistent start. */
static sal_status find_update(const sal_integrator *in, const sal_rhs *rhs, bool is_first) {
    sal__implicit *im = in->implicit;
    sal_attempt *a = in->steps.trial;
    double *moved = im->work.full, *update = im->newton.update;
    const double h = sal__least_step(in, a->t);
    sal_status status = SAL_OK;
    if (!im->matrices.has_jacobian || !is_first)
        status = sal__update_jacobian(rhs, a, a->t, a->x0, a->f0);
    if (status == SAL_OK)
        status = factor(in);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < in->n; i++)
        moved[i] = a->x0[i] - im->newton.x[i];
    const double *inertia = sal__mass_times(&im->mass, in->n, moved, im->work.base);
    for (int i = 0; i < in->n; i++)
        update[i] = (is_algebraic(in, i) ? h * a->f0[i] : 0) - inertia[i];
    sal__matrix_solve(&im->matrices.shape, im->matrices.factors[SAL__STAGES].lu,
                      im->matrices.factors[SAL__STAGES].pivots, update, im->work.scratch);
    return SAL_OK;
}

static sal_status evaluate(sal_integrator *in, const sal_rhs *rhs) {
    sal_attempt *a = in->steps.trial;
    const sal_status status = sal__derivative(in, rhs, a, a->t, a->x0, a->f0);
    return status == SAL_OK && !sal__all_finite((size_t)in->n, a->f0) ? SAL_RETRY : status;
}

/* If the start is consistent within the accuracy, it is not changed, and *moved is false. */
static sal_status iterate(sal_integrator *in, const sal_rhs *rhs, bool *moved) {
    const double accuracy = isnan(in->accuracy) ? 1e-6 : in->accuracy;
    double *x = in->steps.trial->x0;
    const double *update = in->implicit->newton.update;
    for (int i = 0; i < MOST_UPDATES; i++) {
        sal_status status = find_update(in, rhs, i == 0);
        const double norm = status == SAL_OK ? sal__weighted_norm(in, update) : NAN;
        if (status != SAL_OK || isnan(norm))
            return status < 0 ? status : SAL_RETRY;
        if (i == 0 && norm <= accuracy)
            return SAL_OK;
        *moved = true;
        for (int k = 0; k < in->n; k++)
            x[k] += update[k];
        status = evaluate(in, rhs);
        if (status != SAL_OK || norm <= enough * accuracy)
            return status;
    }
    return SAL_RETRY;
}

/* The equation without a derivative with the largest residual; -1: all are 0. */
static int worst_equation(const sal_integrator *in) {
    const double *f = in->steps.trial->f0;
    int worst = -1;
    for (int i = 0; i < in->n; i++)
        if (is_algebraic(in, i) && fabs(f[i]) > (worst < 0 ? 0 : fabs(f[worst])))
            worst = i;
    return worst;
}

sal_status sal__meet_equations(sal_integrator *in, const sal_rhs *rhs, bool *moved) {
    sal__implicit *im = in->implicit;
    sal_attempt *a = in->steps.trial;
    *moved = false;
    if (!im || worst_equation(in) < 0)
        return SAL_OK;
    sal__copy(im->newton.x, a->x0, in->n);
    sal__copy(im->newton.dx, a->f0, in->n);
    const sal_status status = iterate(in, rhs, moved);
    if (status == SAL_OK && !*moved)
        return SAL_OK;
    sal__implicit_discard_matrices(im);
    if (status == SAL_OK)
        return SAL_OK;
    sal__copy(a->x0, im->newton.x, in->n);
    sal__copy(a->f0, im->newton.dx, in->n);
    *moved = false;
    in->control.unmet_equation = worst_equation(in);
    return status;
}
