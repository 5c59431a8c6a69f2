/* The stability limits that methods declare, compared with one step of size 1. For dormand_prince8 the declared
 * limit is that of Hairer and Wanner's DOP853, which is 5 % cautious. */
#include <math.h>

#include "base/test_check.h"
#include "methods.h"
#include "saltus/integrator.h"

typedef struct linear {
    double real, imaginary; /* x' = (real + i imaginary) x */
} linear;

static sal_status eval(void *user, double t, const double *x, double *dx) {
    const linear *a = user;
    (void)t;
    dx[0] = a->real * x[0] - a->imaginary * x[1];
    dx[1] = a->imaginary * x[0] + a->real * x[1];
    return SAL_OK;
}

/* |x| after one step of size 1 from |x| = 1. */
static double growth(const sal_method *method, linear a) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = method;
    config.fixed_step = true;
    config.max_step = 1;
    const sal_rhs rhs = {2, eval, &a};
    sal_integrator *in = NULL;
    double t = 0, x[2] = {1, 0};
    bool taken = false;
    CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    CHECK(sal_integrator_single_fixed_step(in, &rhs, 1, &t, x, &taken) == SAL_OK && taken);
    sal_integrator_free(in);
    return hypot(x[0], x[1]);
}

/* The first size, on a grid of 0.01, at which a step grows by more than `most`. */
static double limit(const sal_method *method, linear direction, double most) {
    for (int k = 1; k < 2000; k++) {
        const double z = 0.01 * k;
        if (growth(method, (linear){z * direction.real, z * direction.imaginary}) > 1 + most)
            return z;
    }
    return INFINITY;
}

static bool is_near(double found, double declared) {
    return fabs(found - declared) < 0.05 + 0.05 * declared; /* a digit, and caution */
}

int main(void) {
    const sal_method *method;
    int measured = 0, on_the_axis = 0;
    for (int i = 0; (method = sal_method_at(i)); i++) {
        if (method->stability_limit > 0) {
            const double found = limit(method, (linear){-1, 0}, 0);
            if (!is_near(found, method->stability_limit))
                printf("%s: %g, declared %g\n", method->name, found, method->stability_limit);
            CHECK(is_near(found, method->stability_limit));
            measured++;
        }
        if (method->imaginary_stability_limit > 0) {
            const double found = limit(method, (linear){0, 1}, 1e-5);
            if (!is_near(found, method->imaginary_stability_limit))
                printf("%s on the imaginary axis: %g, declared %g\n", method->name, found,
                       method->imaginary_stability_limit);
            CHECK(is_near(found, method->imaginary_stability_limit));
            on_the_axis++;
        }
    }
    CHECK(measured >= 5 && on_the_axis >= 2);
    return check_summary();
}
