/* What every scheme survives, or reports as a failure: values that are not finite at any stage, times that cannot be
 * told apart, huge and tiny scales, jumps in f. */
#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "numerics/methods/methods.h"

enum { N = 3 };

/* (q, v, z) of a spring and a leak; variable `which` is wrong from time `from` on, at the `stage`th call from then
 * on. */
typedef struct world {
    double from, wrong;
    int which, stage, late_calls;
    double scale; /* of time */
} world;

static sal_status rates(void *user, double t, const double *x, double *dx) {
    world *w = user;
    dx[0] = x[1] / w->scale;
    dx[1] = -x[0] / w->scale;
    dx[2] = -x[2] / w->scale;
    if (t >= w->from && ++w->late_calls > w->stage)
        dx[w->which] = w->wrong;
    return SAL_OK;
}

static world fine(void) {
    return (world){.from = INFINITY, .scale = 1};
}

static sal_integrator *make(const sal_method *m, double max_step, double min_step, bool fixed) {
    sal_integrator_config config = sal_integrator_config_default();
    config.method = m;
    config.fixed_step = fixed || sal_method_error_order(m) == 0;
    config.max_step = max_step;
    config.min_step = min_step;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, N, &in) == SAL_OK);
    CHECK(sal_integrator_set_split(in, 1, 1) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    return in;
}

static sal_status go(sal_integrator *in, const sal_rhs *rhs, double *t, double t1, double *x) {
    const sal_limits to = {INFINITY, INFINITY, t1};
    sal_status status = SAL_OK;
    while (*t < t1 && (status = sal_integrator_step(in, rhs, *t, x, &to, NULL)) == SAL_OK) {
        *t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), N * sizeof *x);
    }
    return status;
}

/* Steps shrink as far as possible, then the run fails and names the variable and the time; no accepted step is
 * wrong. */
static void names_the_cause(const sal_method *m, bool fixed, double wrong, int which, int stage) {
    world w = fine();
    w.from = 0.7, w.wrong = wrong, w.which = which, w.stage = stage;
    const sal_rhs rhs = {N, rates, &w};
    sal_integrator *in = make(m, 0.1, 0, fixed);
    double t = 0, x[N] = {1, 0, 1};
    CHECK(go(in, &rhs, &t, 1, x) == SAL_ESTEP);
    const sal_integrator_failure *f = sal_integrator_last_failure(in);
    CHECK(f->time == t);
    CHECK(stage > 0 || (t > 0.7 - 1e-11 && t <= 0.7 + 1e-12));
    CHECK(isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]));
    CHECK(f->not_finite && f->variable == which && !isfinite(f->value));
    sal_integrator_free(in);
}

/* A model that returns invalid values beyond its border, x = 0. The first trial step crosses the border at a stage,
 * but no solution does: x' = -sqrt(x). */
static sal_status leak(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    for (int i = 0; i < N; i++)
        dx[i] = -sqrt(x[i]);
    return SAL_OK;
}

static void shrinks_back_from_nonsense(const sal_method *m) {
    const sal_rhs rhs = {N, leak, NULL};
    sal_integrator_config config = sal_integrator_config_default();
    config.method = m;
    config.initial_step = 4;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, N, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    double t = 0, x[N] = {1, 1, 1};
    CHECK(go(in, &rhs, &t, 1.5, x) == SAL_OK && t == 1.5); /* all has leaked at t = 2 */
    CHECK_NEAR(x[2], 0.0625, m->order > 1 ? 1e-2 : 0.2);
    sal_integrator_free(in);
}

/* D-192, and the same motion on any time scale: the same steps, except for rounding. */
static void spans_magnitudes(const sal_method *m) {
    world w = fine();
    const sal_rhs rhs = {N, rates, &w};
    double t = 1e10, x[N] = {1, 0, 1};
    sal_integrator *in = make(m, 1e-6, 0, false);
    CHECK(go(in, &rhs, &t, 1e10 + 1e-5, x) == SAL_OK);
    sal_integrator_free(in);

    t = 0;
    in = make(m, 1e-40, 1e-40, true);
    CHECK(go(in, &rhs, &t, 1e-39, x) == SAL_OK && t == 1e-39);
    t = 1;
    CHECK(go(in, &rhs, &t, 2, x) == SAL_ESTEP && t == 1); /* so short a step does not change the time */
    sal_integrator_free(in);

    int64_t steps[3];
    for (int k = 0; k < 3; k++) {
        w.scale = k == 0 ? 1 : k == 1 ? 0x1p60 : 0x1p-30;
        double y[N] = {1, 0.5, 1};
        t = 0;
        in = make(m, 0.1 * w.scale, 0, false);
        CHECK(go(in, &rhs, &t, 2 * w.scale, y) == SAL_OK && t == 2 * w.scale);
        steps[k] = sal_integrator_statistics(in)->steps;
        CHECK_NEAR(y[0], cos(2) + 0.5 * sin(2), 0.2);
        sal_integrator_free(in);
    }
    CHECK(steps[0] == steps[1] && steps[0] == steps[2]);
}

/* Times that are adjacent doubles. */
static void tells_when_time_stands_still(const sal_method *m) {
    world w = fine();
    const sal_rhs rhs = {N, rates, &w};
    const double late = 0x1p52; /* ulp 1 */
    double t = late, x[N] = {1, 0, 1};
    sal_integrator *in = make(m, 0.25, 0, true);
    CHECK(go(in, &rhs, &t, late + 8, x) == SAL_ESTEP && t == late);
    CHECK(sal_integrator_last_failure(in)->time == late && sal_integrator_last_failure(in)->step <= 0.25);
    sal_integrator_free(in);
    in = make(m, 1, 0, true);
    CHECK(go(in, &rhs, &t, late + 8, x) == SAL_OK && t == late + 8);
    CHECK(sal_integrator_statistics(in)->steps == 8);
    sal_integrator_free(in);
}

/* A force that jumps twice, without an event: x[1]' = 0, then 1000, then 0. */
static sal_status kicked(void *user, double t, const double *x, double *dx) {
    (void)user;
    dx[0] = x[1];
    dx[1] = t < 0.3 || t >= 0.700123 ? 0 : 1000;
    dx[2] = 0;
    return SAL_OK;
}

static void gets_across_jumps(const sal_method *m) {
    const sal_rhs rhs = {N, kicked, NULL};
    sal_integrator_config config = sal_integrator_config_default();
    config.method = m;
    config.accuracy = 1e-3;
    config.max_step = 0.1;
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, N, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
    double t = 0, x[N] = {0, 0, 0};
    CHECK(go(in, &rhs, &t, 1, x) == SAL_OK);
    CHECK_NEAR(x[1], 400.123, m->order > 1 ? 0.1 : 1);
    CHECK(sal_integrator_statistics(in)->steps < (m->order > 1 ? 400 : 20000));
    sal_integrator_free(in);
}

/* x[0] rises at one speed below `at` and at another above; the others depend on it smoothly. */
typedef struct bend {
    double below, above, at;
} bend;

static sal_status bent(void *user, double t, const double *x, double *dx) {
    const bend *w = user;
    (void)t;
    dx[0] = x[0] > w->at ? w->above : w->below;
    dx[1] = x[2];
    dx[2] = x[0] - x[1];
    return SAL_OK;
}

static double error_of_bent(const sal_method *m, const bend *w) {
    const sal_rhs rhs = {N, bent, (void *)w};
    sal_integrator *in = make(m, INFINITY, 0, false);
    double t = 0, x[N] = {0, 1, 0};
    CHECK(go(in, &rhs, &t, 2, x) == SAL_OK);
    sal_integrator_free(in);
    const double reached = w->at / w->below;
    return fabs(x[0] - (reached < 2 ? w->at + w->above * (2 - reached) : 2 * w->below));
}

/* A jump without an event: with an accuracy of 1e-6, results are right to about 1e-6. */
static void is_accurate_over_jumps(const sal_method *m) {
    int good = 0, count = 0;
    for (double below = 0.3; below < 4; below *= 1.3)
        for (double above = 0.25; above < 4; above *= 1.7)
            for (double at = 0.11; at < 1; at += 0.17, count++)
                good += error_of_bent(m, &(bend){below, above, at}) < 5e-6;
    CHECK(good > 0.98 * count);
}

/* Without jumps none are detected, not at rejected steps either. */
static void takes_nothing_for_a_jump(const sal_method *m) {
    world w = fine();
    const sal_rhs rhs = {N, rates, &w};
    sal_integrator *in = make(m, INFINITY, 0, false);
    double t = 0, x[N] = {1, 0, 1};
    for (int k = 1; k < 50; k++) {
        sal_integrator_set_ideal_step(in, 3);
        CHECK(go(in, &rhs, &t, k, x) == SAL_OK);
    }
    CHECK(sal_integrator_statistics(in)->rejected_steps > 30 &&
          isnan(sal_integrator_controller_state(in).nonsmooth_until));
    sal_integrator_free(in);
}

int main(void) {
    const sal_method *m;
    for (int k = 0; (m = sal_method_at(k)) != NULL; k++) {
        const int before = check_failed;
        const double wrongs[] = {NAN, INFINITY, -INFINITY};
        for (int fixed = 0; fixed < 2; fixed++)
            for (int i = 0; i < 3; i++)
                for (int which = 0; which < N; which++)
                    for (int stage = 0; stage < 3; stage++)
                        names_the_cause(m, fixed, wrongs[i], which, stage);
        spans_magnitudes(m);
        tells_when_time_stands_still(m);
        if (m->error_order > 0) {
            shrinks_back_from_nonsense(m);
            gets_across_jumps(m);
        }
        if (m->jump_factor > 0) {
            is_accurate_over_jumps(m);
            takes_nothing_for_a_jump(m);
        }
        if (check_failed != before)
            printf("    in %s\n", m->name);
    }
    return check_summary();
}
