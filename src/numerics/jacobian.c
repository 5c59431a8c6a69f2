/* The Jacobian of a right-hand side: by differences, or from the model. */
#include <math.h>

#include "implicit.h"

static const double forward = 0x1p-26; /* sqrt(eps), where truncation and rounding balance */
static const double centred = 0x1p-22; /* a power of eps between 1/2 and 1/3 */

/* Relative to x above the floor, and away from zero. */
double sal__difference_increment(double x, double floor, bool central) {
    const double size = central ? centred : forward;
    return fabs(x) < floor ? size * floor : size * x;
}

/* What counts as small for variable j: 1 as in Drake, or, for methods that ask for it, what
 * the step may change, and not much less than what the accuracy can tell from zero. */
static double floor_of(const sal_attempt *a, int j) {
    const sal_integrator *in = a->implicit->in;
    if (!in->method->scaled_increments)
        return 1;
    const double weight = in->weight[j] > 0 ? in->weight[j] : 1;
    return fmax(fabs(a->h * a->f0[j]), forward * in->accuracy / weight);
}

static sal_status evaluate(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, double *dx) {
    sal__implicit *im = a->implicit;
    im->stats.total.derivative_evaluations_for_jacobians++;
    im->stats.estimator.derivative_evaluations_for_jacobians += im->estimating;
    return sal__eval(rhs, a, t, x, dx);
}

/* Column j from the derivatives at x_j - behind and x_j + ahead; that behind is known
 * when `behind` is zero. */
static sal_status column(const sal_rhs *rhs, sal_attempt *a, double t, const double *known, int j, bool central) {
    sal__implicit *im = a->implicit;
    const int n = rhs->n;
    const double x = im->probe[j], increment = sal__difference_increment(x, floor_of(a, j), central);
    const double ahead = x + increment, behind = central ? x - increment : x;
    const double *from = known;
    sal_status status = SAL_OK;
    if (central) {
        im->probe[j] = behind;
        status = evaluate(rhs, a, t, im->probe, im->rate0);
        from = im->rate0;
    }
    im->probe[j] = ahead;
    if (status == SAL_OK)
        status = evaluate(rhs, a, t, im->probe, im->rate);
    im->probe[j] = x;
    for (int i = 0; status == SAL_OK && i < n; i++)
        im->jacobian[(size_t)i * (size_t)n + (size_t)j] = (im->rate[i] - from[i]) / (ahead - behind);
    return status;
}

static sal_status by_differences(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, const double *f,
                                 bool central) {
    sal__implicit *im = a->implicit;
    for (int i = 0; i < im->n; i++)
        im->probe[i] = x[i];
    sal_status status = SAL_OK;
    if (!f && !central) {
        status = evaluate(rhs, a, t, x, im->rate0);
        f = im->rate0;
    }
    for (int j = 0; status == SAL_OK && j < im->n; j++)
        status = column(rhs, a, t, f, j, central);
    return status;
}

static bool all_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (values[i] - values[i] != 0)
            return false;
    return true;
}

sal_status sal__renew_jacobian(const sal_rhs *rhs, sal_attempt *a, double t, const double *x, const double *f) {
    sal__implicit *im = a->implicit;
    const sal_integrator_config *c = &im->in->config;
    im->has_jacobian = false;
    im->stats.total.jacobians++;
    im->stats.estimator.jacobians += im->estimating;
    sal_status status = c->jacobian ? c->jacobian(rhs->user, t, x, im->jacobian)
                                    : by_differences(rhs, a, t, x, f, c->central_differences);
    if (status == SAL_OK && !all_finite(im->jacobian, (size_t)im->n * (size_t)im->n))
        status = SAL_RETRY;
    im->has_jacobian = im->fresh = status == SAL_OK;
    return status;
}
