/* Step-size rules, error control, reused derivatives, memory. */
#include "base/test_allocator.h"
#include "test_spring.h"

/* One step from 0 with a maximum of h: what ended it, and at which time. */
static sal_step_result once(double h, double publish, double update, double boundary, double *end) {
    world w = calm();
    double x[2] = {0.1, 0};
    const sal_rhs rhs = {2, spring, &w};
    const sal_limits to = {publish, update, boundary};
    sal_step_result result = SAL_TIME_ADVANCED;
    sal_integrator *in = make("explicit_euler", 2, h, true);
    CHECK(sal_integrator_step(in, &rhs, 0, x, &to, &result) == SAL_OK);
    *end = sal_integrator_end_time(in);
    sal_integrator_free(in);
    return result;
}

static void stops_where_it_should(void) {
    double end;
    CHECK(once(0.99999999, INFINITY, 1, 1, &end) == SAL_REACHED_UPDATE && end == 1);
    CHECK(once(0.995, INFINITY, 1, 2, &end) == SAL_REACHED_UPDATE && end == 1);
    CHECK(once(0.9, INFINITY, 1, 1, &end) == SAL_TIME_ADVANCED && end == 0.9);
    CHECK(once(0.99999999, INFINITY, INFINITY, 1, &end) == SAL_TIME_ADVANCED && end == 0.99999999);
    CHECK(once(0.01, INFINITY, 0.01001, INFINITY, &end) == SAL_REACHED_UPDATE && end == 0.01001);
    CHECK(once(0.01, INFINITY, 0.01001, 0.01, &end) == SAL_REACHED_BOUNDARY && end == 0.01);
    CHECK(once(0.01, 0.005, 0.007, 1, &end) == SAL_REACHED_PUBLISH && end == 0.005);
    CHECK(once(0.01, 0.17, 0.19, 1, &end) == SAL_TIME_ADVANCED && end == 0.01);
    CHECK(once(1, 0.5, 0.5, 0.5, &end) == SAL_REACHED_UPDATE && end == 0.5);
    CHECK(once(1, 0.5, 0.7, 0.5, &end) == SAL_REACHED_PUBLISH);
    CHECK(once(1, 0, 0.5, 1, &end) == SAL_REACHED_PUBLISH && end == 0);
}

static void leaves_no_slivers(void) {
    const int counts[] = {3, 7, 10, 30, 49, 100, 1000};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        world w = calm();
        double t = 0, x[2] = {0.1, 0};
        sal_integrator *in = make("runge_kutta2", 2, 1. / counts[k], true);
        CHECK(go(in, &w, &t, x, 1) == SAL_OK && t == 1);
        CHECK(sal_integrator_statistics(in)->steps == counts[k]);
        sal_integrator_free(in);
    }
    world w = calm();
    double t = 0, x[2] = {0.1, 0};
    sal_integrator *in = make("runge_kutta2", 2, 0.1, true);
    for (int k = 1; k <= 10; k++)
        CHECK(go(in, &w, &t, x, 0.1 * k) == SAL_OK);
    CHECK(sal_integrator_statistics(in)->steps == 10);
    sal_integrator_free(in);
}

static void refuses_the_past(void) {
    world w = calm();
    double x[2] = {0, 0};
    const sal_rhs rhs = {2, spring, &w}, wrong = {1, spring, &w};
    const double soon = 0.5;
    const sal_limits past[] = {{0.4, 1, 1}, {1, 0.4, 1}, {1, 1, 0.4}, {NAN, 1, 1}};
    const sal_limits fine = {1, 1, 1};
    sal_integrator_config config = sal_integrator_config_default();
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK);
    CHECK(sal_integrator_step(in, &rhs, soon, x, &fine, NULL) == SAL_ESTATE);
    CHECK(isnan(sal_integrator_end_time(in)));
    sal_integrator_initialize(in);
    for (size_t k = 0; k < 4; k++)
        CHECK(sal_integrator_step(in, &rhs, soon, x, &past[k], NULL) == SAL_ETIME);
    CHECK(sal_integrator_step(in, &rhs, NAN, x, &fine, NULL) == SAL_ETIME);
    CHECK(sal_integrator_step(in, &wrong, soon, x, &fine, NULL) == SAL_EINVAL);
    CHECK(w.calls == 0 && sal_integrator_prepare_dense(in, &rhs) == SAL_ESTATE);
    sal_integrator_free(in);
}

static bool accepts(sal_integrator_config c) {
    sal_note why = {{0}, {0}};
    const bool yes = sal_integrator_config_check(&c, &why) == SAL_OK;
    CHECK(yes == (why.text[0] == '\0'));
    return yes;
}

static void checks_its_settings(void) {
    const sal_integrator_config good = sal_integrator_config_default();
    sal_integrator_config c = good;
    CHECK(accepts(c));
    c.max_step = 0.1, c.min_step = 0.2;
    CHECK(!accepts(c));
    c = good, c.max_step = 0.1, c.initial_step = 0.2;
    CHECK(!accepts(c));
    c = good, c.min_step = 1e-3, c.initial_step = 1e-5;
    CHECK(!accepts(c));
    c = good, c.max_step = NAN;
    CHECK(!accepts(c));
    c = good, c.fixed_step = true;
    CHECK(!accepts(c));
    c = good, c.accuracy = 0;
    CHECK(!accepts(c));
    c = good, c.method = sal_method_find("runge_kutta2"), c.max_step = 0.1;
    CHECK(!accepts(c));
    c.fixed_step = true;
    CHECK(accepts(c));
    c.accuracy = 1e-3;
    CHECK(!accepts(c));
    c = good, c.size = 3;
    CHECK(!accepts(c));

    sal_integrator *in = make("runge_kutta3", 2, 0.1, false);
    CHECK(sal_integrator_accuracy_in_use(in) == 1e-3);
    CHECK(sal_integrator_set_accuracy(in, 10) == SAL_OK && sal_integrator_accuracy_in_use(in) == 0.1);
    CHECK(sal_integrator_set_accuracy(in, -1) == SAL_EINVAL);
    CHECK(sal_integrator_set_max_step(in, 0) == SAL_EINVAL && sal_integrator_set_max_step(in, 0.2) == SAL_OK);
    CHECK(sal_integrator_initial_step_target(in) == 0.1 * 0.2);
    CHECK(sal_integrator_set_weight(in, 0, -1, false) == SAL_EINVAL);
    CHECK(sal_integrator_set_weight(in, 2, 1, false) == SAL_EINVAL);
    CHECK(sal_integrator_working_minimum(in, 0) == 1e-14 && sal_integrator_working_minimum(in, -1e3) == 1e-11);
    sal_integrator_free(in);
}

static void controls_its_error(void) {
    const char *const names[] = {"runge_kutta3", "bogacki_shampine3", "runge_kutta5", "tsitouras5"};
    for (size_t k = 0; k < 4; k++) {
        world w = calm();
        w.stiffness = 150;
        double t = 0, x[2] = {0.1, 0.01};
        sal_integrator *in = make(names[k], 2, k % 2 ? 0.1 : INFINITY, false);
        CHECK(sal_integrator_set_accuracy(in, 1e-5) == SAL_OK);
        CHECK(go(in, &w, &t, x, 1) == SAL_OK && t == 1);
        const double omega = sqrt(150);
        CHECK_NEAR(x[0], 0.1 * cos(omega) + 0.01 / omega * sin(omega), 2e-4);
        const sal_integrator_stats *s = sal_integrator_statistics(in);
        CHECK(s->steps < 1000 && s->largest_step <= 0.1 * 1.01);
        CHECK(s->derivative_evaluations == w.calls);
        CHECK(s->rejected_steps == sal_integrator_limited_by(in, 0) + sal_integrator_limited_by(in, 1));
        CHECK(s->actual_initial_step > 0 && s->smallest_adapted_step > 0);
        sal_integrator_free(in);
    }
}

static void keeps_the_ideal_step(void) {
    world w = calm();
    double x[2] = {0.1, 0};
    const sal_rhs rhs = {2, spring, &w};
    sal_integrator *in = make("runge_kutta3", 2, 0.5, false);
    sal_integrator_set_ideal_step(in, 0.3);
    sal_limits to = {INFINITY, 0.2, 1};
    CHECK(sal_integrator_step(in, &rhs, 0, x, &to, NULL) == SAL_OK);
    CHECK(sal_integrator_end_time(in) == 0.2 && sal_integrator_ideal_step(in) == 0.3);
    sal_integrator_cut(in, 0.15, 1);
    CHECK(sal_integrator_ideal_step(in) == 0.3 && sal_integrator_statistics(in)->previous_step == 0.15);
    sal_integrator_cut(in, 0.15, 0.05);
    CHECK(sal_integrator_ideal_step(in) == 0.05);

    to.update = 0.96 * 0.05; /* near enough to count as the whole span */
    CHECK(sal_integrator_step(in, &rhs, 0, x, &to, NULL) == SAL_OK);
    CHECK(sal_integrator_ideal_step(in) > 0.05);
    sal_integrator_set_ideal_step(in, 0.1);
    to.update = 0.10005; /* too little more to leave */
    CHECK(sal_integrator_step(in, &rhs, 0, x, &to, NULL) == SAL_OK && sal_integrator_end_time(in) == 0.10005);
    sal_integrator_free(in);
}

static void keeps_derivatives(void) {
    const char *const names[] = {"bogacki_shampine3", "runge_kutta5", "tsitouras5"};
    const int stages[] = {3, 6, 6};
    for (size_t k = 0; k < 3; k++) {
        world w = calm();
        double t = 0, x[2] = {0.1, 0};
        const sal_rhs rhs = {2, spring, &w};
        sal_integrator *in = make(names[k], 2, 0.125, true);
        CHECK(go(in, &w, &t, x, 1) == SAL_OK);
        CHECK(w.calls == 8 * stages[k] + 1);
        CHECK(sal_integrator_prepare_dense(in, &rhs) == SAL_OK && w.calls == 8 * stages[k] + 1);
        CHECK(sal_integrator_start_rate(in)[0] == sal_integrator_start(in)[1]);

        sal_integrator_invalidate(in);
        CHECK(go(in, &w, &t, x, 1.125) == SAL_OK && w.calls == 9 * stages[k] + 2);
        x[0] = 0.3; /* not told, but seen */
        CHECK(go(in, &w, &t, x, 1.25) == SAL_OK && w.calls == 10 * stages[k] + 3);

        const double from = sal_integrator_start_time(in); /* the same step again, shorter */
        double again[2];
        memcpy(again, sal_integrator_start(in), sizeof again);
        sal_integrator_cut(in, 1.2, 1);
        const sal_limits to = {INFINITY, INFINITY, 1.2};
        CHECK(sal_integrator_step(in, &rhs, from, again, &to, NULL) == SAL_OK && w.calls == 11 * stages[k] + 3);
        CHECK(sal_integrator_end_time(in) == 1.2);
        sal_integrator_free(in);
    }
    world w = calm();
    double t = 0, x[2] = {0.1, 0};
    const sal_rhs rhs = {2, spring, &w};
    sal_integrator *in = make("runge_kutta3", 2, 0.125, true);
    CHECK(go(in, &w, &t, x, 0.125) == SAL_OK && w.calls == 3);
    const double *rate = NULL;
    CHECK(sal_integrator_end_rate(in, &rhs, &rate) == SAL_OK && w.calls == 4 && rate[0] == x[1]);
    CHECK(sal_integrator_prepare_dense(in, &rhs) == SAL_OK && w.calls == 4);
    CHECK(go(in, &w, &t, x, 0.25) == SAL_OK && w.calls == 6);
    sal_integrator_free(in);
}

static void weighs_errors(void) {
    int64_t steps[4];
    for (int k = 0; k < 4; k++) {
        world w = calm();
        w.stiffness = 100;
        double t = 0, x[2] = {1e4, 0};
        sal_integrator *in = make("runge_kutta3", 2, 0.1, false);
        for (int i = 0; i < 2; i++) /* absolute, relative, small, none */
            CHECK(sal_integrator_set_weight(in, i, k == 3 ? 0 : k == 2 ? 1e-4 : 1, k == 1) == SAL_OK);
        CHECK(go(in, &w, &t, x, 1) == SAL_OK);
        steps[k] = sal_integrator_statistics(in)->steps;
        sal_integrator_free(in);
    }
    CHECK(steps[1] * 4 < steps[0]);
    CHECK(steps[2] * 4 < steps[0]);
    CHECK(steps[3] <= 12);
}

static sal_status nothing_moves(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t, (void)x, (void)dx;
    return SAL_OK;
}

static void spans_magnitudes(void) {
    world w = calm();
    double t = 1e10, x[2] = {0.1, 0};
    sal_integrator *in = make("runge_kutta3", 2, 1e-6, false);
    CHECK(go(in, &w, &t, x, 1e10 + 1e-4) == SAL_OK);
    sal_integrator_free(in);
    t = 0;
    in = make("explicit_euler", 2, 1e-40, true);
    CHECK(go(in, &w, &t, x, 1e-39) == SAL_OK && sal_integrator_statistics(in)->steps == 10);
    t = 1;
    CHECK(go(in, &w, &t, x, 2) == SAL_ESTEP); /* so short a step does not change the time */
    sal_integrator_free(in);

    in = make("tsitouras5", 0, INFINITY, false);
    const sal_rhs nothing = {0, nothing_moves, NULL};
    const sal_limits to = {INFINITY, 3, INFINITY};
    t = 0;
    while (t < 3 && sal_integrator_step(in, &nothing, t, NULL, &to, NULL) == SAL_OK)
        t = sal_integrator_end_time(in);
    CHECK(t == 3 && sal_integrator_prepare_dense(in, &nothing) == SAL_OK);
    sal_integrator_free(in);
}

static void balances_its_memory(void) {
    sal_integrator_config config = sal_integrator_config_default();
    for (long k = 0;; k++) {
        test_allocator p = {.requests_left = k};
        const sal_allocator allocator = {test_allocate, &p};
        sal_integrator *in = NULL;
        const sal_status status = sal_integrator_new(&allocator, &config, 2, &in);
        if (status != SAL_OK) {
            CHECK(status == SAL_ENOMEM && p.bytes_lent == 0 && in == NULL);
            continue;
        }
        const long asked = p.request_count;
        sal_integrator_initialize(in);
        world w = calm();
        double t = 0, x[2] = {0.1, 0};
        CHECK(go(in, &w, &t, x, 100) == SAL_OK && p.request_count == asked);
        sal_integrator_free(in);
        CHECK(p.bytes_lent == 0);
        break;
    }
    sal_integrator_free(NULL);
}

static void no_config_is_the_defaults(void) {
    sal_integrator *in = NULL;
    CHECK(sal_integrator_new(NULL, NULL, 1, &in) == SAL_OK);
    CHECK(sal_integrator_config_of(in)->method == sal_integrator_config_default().method);
    sal_integrator_free(in);
}

int main(void) {
    no_config_is_the_defaults();
    stops_where_it_should();
    leaves_no_slivers();
    refuses_the_past();
    checks_its_settings();
    controls_its_error();
    keeps_the_ideal_step();
    keeps_derivatives();
    weighs_errors();
    spans_magnitudes();
    balances_its_memory();
    return check_summary();
}
