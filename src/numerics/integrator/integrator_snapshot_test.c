/* Tests of integrator_snapshot.c and implicit_snapshot.c: a run that continues from bytes, in the same or another
 * integrator, gives the same bits, and so do reads of its last step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "integrator_impl.h"

enum { N = 30 };

/* Heat on a rod with a moving source: stiff, its Jacobian a narrow band. */
static sal_status heat(void *user, double t, const double *x, double *dx) {
    (void)user;
    for (int i = 0; i < N; i++) {
        const double left = i > 0 ? x[i - 1] : 0, right = i < N - 1 ? x[i + 1] : 0;
        const double far = i / (double)N - 0.5 - 0.3 * sin(t);
        dx[i] = 200 * (left - 2 * x[i] + right) + 1 / (1 + 20 * far * far) - x[i] * x[i] * x[i];
    }
    return SAL_OK;
}

static const sal_rhs rhs = {N, heat, NULL};

static sal_integrator *make(const sal_method *method, bool fixed) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = method;
    if (fixed) {
        config.fixed_step = true;
        config.max_step = 1e-3;
    } else {
        config.accuracy = 1e-4;
    }
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, N, &in) == SAL_OK);
    sal_integrator_set_split(in, 0, 0);
    CHECK(sal_integrator_initialize(in) == SAL_OK);
    return in;
}

static double advance(sal_integrator *in, int steps, double t, double *x) {
    const sal_limits to = {INFINITY, INFINITY, 100};
    for (int i = 0; i < steps; i++) {
        CHECK(sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_OK);
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), N * sizeof *x);
    }
    return t;
}

static void check_same_reading(const sal_integrator *a, const sal_integrator *b) {
    double x[N], y[N];
    for (double theta = 0; theta <= 1; theta += 0.25) {
        sal_integrator_interpolate(a, theta, x);
        sal_integrator_interpolate(b, theta, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
        sal_integrator_interpolate_rate(a, theta, x);
        sal_integrator_interpolate_rate(b, theta, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
    }
}

static void goes_on(const sal_method *method, bool fixed, int steps, bool dense) {
    sal_integrator *here = make(method, fixed), *there = make(method, fixed);
    double x[N] = {1}, y[N], other[N] = {0.5};
    const double t = advance(here, steps, 0, x);
    if (dense)
        CHECK(sal_integrator_prepare_dense(here, &rhs) == SAL_OK);
    advance(there, 7, 3, other); /* it has a past of its own */
    const size_t size = sal_integrator_save_size(here);
    void *bytes = malloc(size);
    sal_integrator_save(here, bytes);
    CHECK(sal_integrator_load(there, bytes, size) == SAL_OK);
    if (dense)
        check_same_reading(here, there);
    memcpy(y, x, sizeof y);
    const double t1 = advance(here, 25, t, x);
    CHECK(advance(there, 25, t, y) == t1 && memcmp(x, y, sizeof x) == 0);
    free(bytes);
    sal_integrator_free(here);
    sal_integrator_free(there);
}

static void goes_on_with_every_method(void) {
    const sal_method *method;
    for (int k = 0; (method = sal_method_at(k)); k++)
        for (int steps = 1; steps < 40; steps = 2 * steps + 1) {
            goes_on(method, true, steps, steps % 4 == 3);
            if (sal_method_error_order(method) > 0)
                goes_on(method, false, steps, steps % 4 == 3);
        }
}

static void refuses_other_bytes(void) {
    sal_integrator *in = make(sal_method_find("radau5"), false), *other = make(sal_method_find("rodas4"), false);
    double x[N] = {1}, y[N] = {1};
    advance(in, 3, 0, x);
    const size_t size = sal_integrator_save_size(in);
    void *bytes = malloc(size);
    sal_integrator_save(in, bytes);
    CHECK(sal_integrator_load(in, bytes, size - 1) == SAL_EINVAL);
    CHECK(sal_integrator_load(in, bytes, 4) == SAL_EINVAL);
    advance(other, 2, 0, y);
    CHECK(sal_integrator_load(other, bytes, size) == SAL_OK); /* its step size alone */
    CHECK(sal_integrator_ideal_step(other) == sal_integrator_ideal_step(in));
    advance(other, 3, 1, y);
    free(bytes);
    sal_integrator_free(in);
    sal_integrator_free(other);
}

/* Steps may be as long as any number, and then their sums are infinite. */
static void takes_back_infinite_sums(void) {
    sal_integrator *in = make(sal_method_find("auto"), false);
    double x[N] = {1};
    advance(in, 3, 0, x);
    in->controller.ideal_step = in->controller.nonstiff_step = in->controller.trial_time = INFINITY;
    const size_t size = sal_integrator_save_size(in);
    void *bytes = malloc(size);
    sal_integrator_save(in, bytes);
    CHECK(sal_integrator_load(in, bytes, size) == SAL_OK);
    CHECK(in->controller.trial_time == INFINITY);
    free(bytes);
    sal_integrator_free(in);
}

int main(void) {
    takes_back_infinite_sums();
    goes_on_with_every_method();
    refuses_other_bytes();
    return check_summary();
}
