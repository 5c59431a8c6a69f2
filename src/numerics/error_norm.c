/* The infinity norm of weighted errors, and the watch for NaN and infinity. */
#include <math.h>

#include "integrator_parts.h"

/* Also false for infinity, whose difference from itself is NaN. */
static bool finite_value(double x) {
    return x - x == 0;
}

int sal__first_not_finite(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (!finite_value(x[i]))
            return i;
    return -1;
}

/* The weight of variable i at x: an absolute one by itself, a relative one
 * min(weight, 1 / |x|); at x = 0 that is the weight. */
static double weight_at(const sal_integrator *in, int i, double x) {
    const double w = in->weight[i];
    return in->relative[i] && w * fabs(x) > 1 ? 1 / fabs(x) : w;
}

/* A weight of 0 times NaN or infinity is NaN, so nothing that is not finite gets by. */
double sal__weighted_norm(const sal_integrator *in, const double *x0, const double *value, int *worst) {
    double norm = 0;
    *worst = in->n > 0 ? 0 : -1;
    for (int i = 0; i < in->n; i++) {
        const double e = weight_at(in, i, x0[i]) * fabs(value[i]);
        if (e <= norm)
            continue;
        *worst = i;
        if (!finite_value(e))
            return NAN;
        norm = e;
    }
    return norm;
}

double sal__error_norm(const sal_integrator *in, const sal_attempt *a, int *worst) {
    const double norm = sal__weighted_norm(in, a->x0, a->err, worst);
    if (isnan(norm))
        return norm;
    const int broken = sal__first_not_finite(in->n, a->x1);
    if (broken < 0)
        return norm;
    *worst = broken;
    return NAN;
}
