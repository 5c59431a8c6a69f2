/* The infinity norm of weighted errors, and the watch for NaN and infinity. */
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

/* A value of variable i, weighted: an absolute weight multiplies, a relative one is
 * min(weight, 1 / |x|); at x = 0 that is the weight. The division does not wait for the value. */
static double weighted(const sal_integrator *in, int i, double x, double value) {
    const double w = in->scale.weight[i];
    return (in->scale.is_relative[i] ? w / sal__max(1, w * fabs(x)) : w) * fabs(value);
}

bool sal_integrator_is_relative(const sal_integrator *in, int i) {
    return in->scale.is_relative[i];
}

double sal_integrator_weight(const sal_integrator *in, int i, double x) {
    const double w = in->scale.weight[i];
    return in->scale.is_relative[i] ? w / sal__max(1, w * fabs(x)) : w;
}

/* The largest, and, where `worst` is wanted, whose it is. The usual case asks only for
 * the norm: no branch in it depends on the values. A weight of 0 times NaN or infinity
 * is NaN, so nothing that is not finite gets by. */
double sal__weighted_norm(const sal_integrator *in, const double *x0, const double *value, int *worst) {
    double norm = 0, sum = 0;
    for (int i = 0; i < in->n; i++) {
        const double e = weighted(in, i, x0[i], value[i]);
        norm = sal__max(e, norm);
        sum += e;
    }
    if (worst) {
        *worst = in->n > 0 ? 0 : -1;
        for (int i = 0; i < in->n; i++) {
            const double e = weighted(in, i, x0[i], value[i]);
            if (!(e < norm) && (!finite_value(e) || (e == norm && norm > 0))) {
                *worst = i;
                break;
            }
        }
    }
    return finite_value(sum) ? norm : NAN;
}

/* In one pass, for the usual attempt, whose culprit nobody asks for. */
double sal__error_norm(const sal_integrator *in, const sal_attempt *a) {
    const double *restrict x0 = a->x0, *restrict x1 = a->x1, *restrict err = a->err;
    double norm = 0, watch = 0;
    for (int i = 0; i < in->n; i++) {
        const double e = weighted(in, i, x0[i], err[i]);
        norm = sal__max(e, norm);
        watch += e + (x1[i] - x1[i]);
    }
    return finite_value(watch) ? norm : NAN;
}

int sal__worst_error(const sal_integrator *in, const sal_attempt *a) {
    int worst;
    const double norm = sal__weighted_norm(in, a->x0, a->err, &worst);
    const int broken = isnan(norm) ? -1 : sal__first_not_finite(in->n, a->x1);
    return broken < 0 ? worst : broken;
}
