/* sal_system_set_past in C: a wave that is delayed on lines, up to the present, behind a history. */
#include <math.h>

#include "base/test_check.h"
#include "saltus/saltus.h"

static const double late = 0.05;

static sal_status wave(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)port;
    *value = sin(sal_context_time(ctx));
    return SAL_OK;
}

/* x integrates the wave, area what it was. */
static sal_status derivatives(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *now = NULL;
    const sal_status status = sal_context_output(ctx, 0, &now);
    if (status != SAL_OK)
        return status;
    dot->z[0] = *now;
    return sal_context_past(ctx, 0, late, &dot->z[1]);
}

static const sal_system_class class = {.name = "wave", .derivatives = derivatives, .output = wave};

typedef struct run {
    sal_system *system;
    sal_simulator *sim;
} run;

static run start(const sal_past_config *how) {
    run r = {NULL, NULL};
    CHECK(sal_system_new(NULL, &class, "wave", NULL, &r.system) == SAL_OK);
    CHECK(sal_system_add_values(r.system, SAL_Z, "x", 2, NULL) == SAL_OK);
    CHECK(sal_system_add_output(r.system, "wave", 1, NULL) == SAL_OK);
    CHECK(sal_system_set_past(r.system, 0, how) == SAL_EINVAL); /* nothing is kept yet */
    CHECK(sal_system_add_past(r.system, "wave", late, NULL) == SAL_OK);
    CHECK(sal_system_set_past(r.system, 1, how) == SAL_EINVAL);
    CHECK(sal_system_set_past(r.system, 0, how) == SAL_OK);
    CHECK(sal_simulator_new(NULL, r.system, NULL, NULL, &r.sim) == SAL_OK);
    CHECK(sal_system_set_past(r.system, 0, how) == SAL_EINVAL); /* it was built */
    return r;
}

static double area(const run *r) {
    return sal_context_get(sal_simulator_context(r->sim), SAL_Z)[1];
}

static void finish(run *r) {
    sal_simulator_free(r->sim);
    sal_system_free(r->system);
}

/* Steps may not be longer than the delay, unless the present may be used. */
static void steps_and_the_present(void) {
    sal_past_config how = sal_past_config_default();
    for (int current = 0; current <= 1; current++) {
        how.can_use_current = current != 0;
        run r = start(&how);
        double longest = 0, last = 0;
        while (last < 6) {
            CHECK(sal_simulator_step(r.sim, 6, NULL) == SAL_OK);
            const double t = sal_context_time(sal_simulator_context(r.sim));
            longest = fmax(longest, t - last);
            last = t;
        }
        CHECK((longest > late + 1e-9) == (current != 0));
        CHECK_NEAR(area(&r), 1 - cos(6 - late), 1e-5);
        finish(&r);
    }
}

/* On lines the delayed value is on the chord of the two points around it. */
static void on_lines(void) {
    sal_past_config how = sal_past_config_default();
    how.linear_only = true;
    run r = start(&how);
    double t[4096] = {0};
    for (int n = 1; n < 4096 && t[n - 1] < 6; n++) {
        CHECK(sal_simulator_step(r.sim, 6, NULL) == SAL_OK);
        const sal_context *ctx = sal_simulator_context(r.sim);
        t[n] = sal_context_time(ctx);
        double value = 0, rate = 0;
        int k = n;
        while (k > 0 && t[k] > t[n] - late)
            k--;
        CHECK(sal_context_past(ctx, 0, late, &value) == SAL_OK);
        CHECK(sal_context_past_rate(ctx, 0, late, &rate) == SAL_OK);
        const double slope = (sin(t[k + 1]) - sin(t[k])) / (t[k + 1] - t[k]);
        if (t[n] > late)
            CHECK_NEAR(value, sin(t[k]) + slope * (t[n] - late - t[k]), 1e-12);
        if (t[n] > late)
            CHECK_NEAR(rate, slope, 1e-9);
    }
    finish(&r);
}

static void behind_a_history(void) {
    const double before = 5;
    sal_past_config how = sal_past_config_default();
    how.history = &before;
    run r = start(&how);
    CHECK(sal_simulator_advance_to(r.sim, 2, NULL) == SAL_OK);
    CHECK_NEAR(area(&r), 5 * late + 1 - cos(2 - late), 1e-5);
    double value = 0;
    const sal_context *ctx = sal_simulator_context(r.sim);
    CHECK(sal_context_past(ctx, 0, 1, &value) == SAL_ETIME);
    CHECK(sal_context_past(ctx, 0, -1, &value) == SAL_ETIME);
    finish(&r);
}

int main(void) {
    steps_and_the_present();
    on_lines();
    behind_a_history();
    return check_summary();
}
