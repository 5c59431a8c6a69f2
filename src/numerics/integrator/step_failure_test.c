/* Failed steps: what is reported, what state remains, and steps that shrink first. */
#include "test_spring.h"

static void names_what_is_not_a_number(void) {
    const char *const names[] = {"explicit_euler",    "runge_kutta2", "runge_kutta3",
                                 "bogacki_shampine3", "runge_kutta5", "tsitouras5"};
    for (size_t k = 0; k < 6; k++)
        for (int weightless = 0; weightless < 2; weightless++) {
            world w = calm();
            w.nan_from = 0.7;
            double t = 0, x[2] = {0.1, 0};
            sal_integrator *in = make(names[k], 2, 0.1, k < 2 || weightless);
            CHECK(sal_integrator_set_weight(in, 1, weightless ? 0 : 1, false) == SAL_OK);
            CHECK(go(in, &w, &t, x, 1) == SAL_ESTEP);
            CHECK(t <= 0.7 + 1e-12 && t > 0.7 - 1e-11);
            CHECK(isfinite(x[0]) && isfinite(x[1]));
            const sal_integrator_failure *f = sal_integrator_last_failure(in);
            CHECK(f->time == t && f->variable == 1 && f->not_finite && isnan(f->value) && !f->before_step);
            CHECK(w.calls < 3000);
            sal_integrator_free(in);
        }
}

/* A state that the caller gave. The derivative of the other variable, which is NaN too, is not named. */
static void names_what_was_not_a_number_before(void) {
    const sal_method *method = NULL;
    for (int k = 0; (method = sal_method_at(k)) != NULL; k++) {
        world w = calm();
        double t = 0, x[2] = {0, NAN};
        sal_integrator *in = make(sal_method_name(method), 2, 0.1, sal_method_error_order(method) == 0);
        CHECK(go(in, &w, &t, x, 1) < 0);
        const sal_integrator_failure *f = sal_integrator_last_failure(in);
        CHECK(f->before_step && f->not_finite && f->variable == 1 && t == 0);
        sal_integrator_free(in);
    }
}

static void shrinks_on_request(void) {
    for (int fixed = 0; fixed < 2; fixed++) {
        world w = calm();
        w.retry_above = 0.03;
        double x[2] = {0.1, 0};
        const sal_rhs rhs = {2, spring, &w};
        const sal_limits to = {INFINITY, INFINITY, 1};
        sal_integrator *in = make("runge_kutta3", 2, 0.1, fixed);
        sal_integrator_set_ideal_step(in, 0.1);
        sal_step_result result;
        CHECK(sal_integrator_step(in, &rhs, 0, x, &to, &result) == SAL_OK && result == SAL_TIME_ADVANCED);
        CHECK(sal_integrator_end_time(in) == 0.025);
        CHECK(sal_integrator_statistics(in)->substep_failures == 2);
        CHECK(sal_integrator_statistics(in)->substep_shrinkages == 2);

        w.retry_above = 0;
        CHECK(sal_integrator_step(in, &rhs, 0, x, &to, NULL) == SAL_ESTEP);
        CHECK(sal_integrator_last_failure(in)->variable == -1 && !sal_integrator_last_failure(in)->not_finite);
        sal_integrator_free(in);
    }
}

static void fails_as_if_not_called(void) {
    world w = calm();
    double t = 0, x[2] = {0.1, 0};
    const sal_rhs rhs = {2, spring, &w};
    const sal_limits to = {INFINITY, INFINITY, 9};
    sal_integrator *in = make("tsitouras5", 2, INFINITY, false);
    CHECK(go(in, &w, &t, x, 1) == SAL_OK);
    double before[2], after[2];
    const double ideal = sal_integrator_ideal_step(in), end = sal_integrator_end_time(in);
    w.nan_from = end + 1e-9;
    CHECK(sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_OK); /* short of it */
    w = calm();
    sal_integrator_set_ideal_step(in, ideal);
    CHECK(sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_OK);
    const double finish = sal_integrator_end_time(in);
    w.nan_from = 0;
    sal_integrator_invalidate(in);
    const double kept = sal_integrator_ideal_step(in);
    CHECK(sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_ESTEP);
    w.answer = SAL_ECALLBACK;
    CHECK(sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_ECALLBACK);
    CHECK(sal_integrator_ideal_step(in) == kept && sal_integrator_end_time(in) == finish);

    w = calm(); /* the last step can be read after another step failed */
    CHECK(sal_integrator_prepare_dense(in, &rhs) == SAL_OK);
    sal_integrator_interpolate(in, 0.3, before);
    w.retry_above = 0, w.inside = t;
    CHECK(sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_ESTEP);
    sal_integrator_interpolate(in, 0.3, after);
    CHECK(memcmp(before, after, sizeof before) == 0);
    sal_integrator_free(in);
}

static void minds_its_minimum(void) {
    for (int throws = 0; throws < 2; throws++) {
        world w = calm();
        double t = 0, x[2] = {0.1, 0};
        sal_integrator_config c = sal_integrator_config_default();
        c.method = sal_method_find("runge_kutta3");
        c.max_step = c.initial_step = 0.5, c.min_step = 0.25, c.accuracy = 1e-8, c.throw_on_min_step = throws;
        sal_integrator *in = NULL;
        CHECK(sal_integrator_new(NULL, &c, 2, &in) == SAL_OK && sal_integrator_initialize(in) == SAL_OK);
        const sal_status status = go(in, &w, &t, x, 1);
        const sal_integrator_stats *s = sal_integrator_statistics(in);
        if (throws) {
            CHECK(status == SAL_ESTEP && t == 0 && s->steps == 0 && isnan(sal_integrator_ideal_step(in)));
            CHECK(sal_integrator_last_failure(in)->variable >= 0 && !sal_integrator_last_failure(in)->not_finite);
        } else {
            CHECK(status == SAL_OK && s->steps == 4 && s->rejected_steps == 1 && s->smallest_adapted_step == 0.25);
            w.nan_from = 1.1; /* accepted with any error, but not with a value that is not finite */
            CHECK(go(in, &w, &t, x, 2) == SAL_ESTEP && sal_integrator_last_failure(in)->not_finite);
        }
        sal_integrator_free(in);
    }
}

typedef struct decay {
    double rate;
    int calls;
} decay;

static sal_status decays(void *user, double t, const double *x, double *dx) {
    decay *d = user;
    (void)t;
    dx[0] = d->rate * x[0];
    return ++d->calls < 20000 ? SAL_OK : SAL_ECALLBACK;
}

/* The steps of a state that has come to rest grow until they would be infinite. */
static void ends_on_the_way_to_infinity(void) {
    const double rates[] = {0, -1, -1000};
    for (int k = 0; sal_method_at(k); k++)
        for (int i = 0; i < 6; i++) {
            const sal_method *method = sal_method_at(k);
            const bool fixed = i >= 3 || sal_method_error_order(method) == 0;
            decay d = {.rate = rates[i % 3]};
            double t = 0, x = 1;
            const sal_rhs rhs = {1, decays, &d};
            const sal_limits to = {INFINITY, INFINITY, INFINITY};
            sal_integrator *in = make(sal_method_name(method), 1, fixed ? 1e308 : INFINITY, fixed);
            const sal_status status = sal_integrator_advance(in, &rhs, &to, 0, NULL, &t, &x, NULL);
            CHECK(status == SAL_ESTEP || status == SAL_ECALLBACK);
            CHECK(isfinite(t));
            sal_integrator_free(in);
        }
}

int main(void) {
    ends_on_the_way_to_infinity();
    names_what_is_not_a_number();
    names_what_was_not_a_number_before();
    shrinks_on_request();
    fails_as_if_not_called();
    minds_its_minimum();
    return check_summary();
}
