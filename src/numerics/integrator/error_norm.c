/* The infinity norm of weighted errors, and detection of NaN and infinity. */
#include <math.h>

#include "integrator_impl.h"

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

bool sal_integrator_is_relative(const sal_integrator *in, int i) {
    return in->scale.is_relative[i];
}

double sal_integrator_weight(const sal_integrator *in, int i, double x) {
    return sal__weight_at(in, i, x);
}

/* Without branches on the values. A weight of 0 times NaN or infinity is NaN, so every value that is not finite is
 * detected. */
double sal__weighted_norm(const sal_integrator *in, const double *value) {
    const double *restrict weight = in->scale.at_start;
    double norm = 0, sum = 0;
    for (int i = 0; i < in->n; i++) {
        const double e = weight[i] * fabs(value[i]);
        norm = sal__max(e, norm);
        sum += e;
    }
    return finite_value(sum) ? norm : NAN;
}

/* In one pass, for the usual attempt, where the variable is not needed. */
double sal__error_norm(const sal_integrator *in, const sal_attempt *a) {
    const double *restrict weight = in->scale.at_start, *restrict x1 = a->x1, *restrict err = a->err;
    double norm = 0, watch = 0;
    for (int i = 0; i < in->n; i++) {
        const double e = weight[i] * fabs(err[i]);
        norm = sal__max(e, norm);
        watch += e + (x1[i] - x1[i]);
    }
    return finite_value(watch) ? norm : NAN;
}

int sal__worst_error(const sal_integrator *in, const sal_attempt *a) {
    const double norm = sal__weighted_norm(in, a->err);
    const int broken = isnan(norm) ? -1 : sal__first_not_finite(in->n, a->x1);
    for (int i = 0; broken < 0 && i < in->n; i++) {
        const double e = in->scale.at_start[i] * fabs(a->err[i]);
        if (!(e < norm) && (!finite_value(e) || (e == norm && norm > 0)))
            return i;
    }
    return broken < 0 && in->n > 0 ? 0 : broken;
}
