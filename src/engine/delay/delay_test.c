/* Delay equations in C: against closed forms, and what their past costs. The long versions
 * of the second part run when STRESS is set. */
#include <math.h>
#include <stdlib.h>

#include "base/test_check.h"
#include "base/test_allocator.h"
#include "model/model.h"
#include "saltus/saltus.h"

typedef struct problem {
    double lag;
    double (*rate)(double x, double delayed);
    double (*before)(double t); /* NULL: flat */
} problem;

static sal_status derivatives(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const problem *p = sal_system_data(self);
    double delayed = 0;
    const sal_status status = sal_context_past(ctx, 0, p->lag, &delayed);
    *dot->z = p->rate(*sal_context_get(ctx, SAL_Z), delayed);
    return status;
}

static sal_status history(const sal_system *self, int past, double t, double *value, double *rate) {
    const problem *p = sal_system_data(self);
    (void)past;
    if (!p->before)
        return SAL_RETRY;
    if (value)
        *value = p->before(t);
    else
        *rate = NAN;
    return SAL_OK;
}

static const sal_system_class delayed_class = {.name = "delayed", .derivatives = derivatives, .history = history};

typedef struct run {
    sal_system *system;
    sal_simulator *sim;
} run;

static run start(problem *p, double x0, const sal_simulator_config *config) {
    run r = {NULL, NULL};
    CHECK(sal_system_new(NULL, &delayed_class, "delayed", p, &r.system) == SAL_OK);
    CHECK(sal_system_add_past(r.system, "x", 1, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_values(r.system, SAL_Z, "x", 1, &x0) == SAL_OK);
    CHECK(sal_system_add_past(r.system, "x", -1, NULL) == SAL_EINVAL);
    CHECK(sal_system_add_past(r.system, "x", p->lag, NULL) == SAL_OK);
    CHECK(sal_system_add_past(r.system, "x", 1, NULL) == SAL_EINVAL);
    CHECK(sal_system_pasts(r.system) == 1);
    CHECK(sal_simulator_new(NULL, r.system, NULL, config, &r.sim) == SAL_OK);
    return r;
}

static double x_of(const run *r) {
    return *sal_context_get(sal_simulator_context(r->sim), SAL_Z);
}

static int points_of(const run *r) {
    const sal__history_buffer *history = sal_context_slot(sal_simulator_context(r->sim), r->system->history.slot);
    return sal_delay_buffer_points(history->ring);
}

static void finish(run *r) {
    sal_simulator_free(r->sim);
    sal_system_free(r->system);
}

static double minus_delayed(double x, double delayed) {
    (void)x;
    return -delayed;
}

/* Stability, not its smoothness, asks for many steps. */
static double damped(double x, double delayed) {
    return -100 * x - delayed;
}

/* x' = -x(t - 1), x = 1 before: by steps, 1 - t, then + (t - 1)^2 / 2, then - (t - 2)^3 / 6. */
static void flat_history(void) {
    problem p = {1, minus_delayed, NULL};
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.accuracy = 1e-10;
    run r = start(&p, 1, &config);
    CHECK(sal_simulator_advance_to(r.sim, 3, NULL) == SAL_OK);
    CHECK_NEAR(x_of(&r), 1 - 3 + 2 * 2 / 2. - 1 / 6., 1e-10);
    finish(&r);
}

static double quarter(double x, double delayed) {
    (void)x;
    return -1.5707963267948966 * delayed;
}
static double cosine(double t) {
    return cos(1.5707963267948966 * t);
}

static void history_goes_on(void) {
    problem p = {1, quarter, cosine};
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.accuracy = 1e-9;
    run r = start(&p, 1, &config);
    CHECK(sal_simulator_advance_to(r.sim, 6, NULL) == SAL_OK);
    CHECK_NEAR(x_of(&r), -1, 1e-8);
    finish(&r);
}

static double blood(double x, double delayed) {
    return 0.2 * delayed / (1 + pow(delayed, 10)) - 0.1 * x;
}

/* However long it runs, the past is as long as the delay. */
static void memory_is_bounded(double end) {
    problem p = {14, blood, NULL};
    run r = start(&p, 0.5, NULL);
    int most = 0;
    for (int i = 1; i <= 10; i++) {
        CHECK(sal_simulator_advance_to(r.sim, end * i / 10, NULL) == SAL_OK);
        most = points_of(&r) > most ? points_of(&r) : most;
    }
    CHECK(most < 60);
    printf("Mackey-Glass to t = %g: %lld steps, at most %d points kept\n", end,
           (long long)sal_simulator_statistics(r.sim).steps, most);
    finish(&r);
}

/* A delay of a thousandth of the step. */
static void short_delays_keep_little(int steps) {
    problem p = {1e-3, minus_delayed, NULL};
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find("runge_kutta3");
    config.integrator.fixed_step = true;
    config.integrator.max_step = 1;
    p.lag = 1e-3 * config.integrator.max_step;
    run r = start(&p, 1, &config);
    int most = 0;
    for (int i = 1; i <= 10; i++) {
        CHECK(sal_simulator_advance_to(r.sim, (double)steps * i / 10, NULL) == SAL_OK);
        most = points_of(&r) > most ? points_of(&r) : most;
    }
    CHECK(most <= 8);
    printf("a delay of 0.001 steps, %lld steps: at most %d points kept\n",
           (long long)sal_simulator_statistics(r.sim).steps, most);
    finish(&r);
}

/* A context is taken out and reads its past alone; another one, of a lesser run, goes on in its place. */
static void contexts_are_exchanged(void) {
    problem p = {1, minus_delayed, NULL};
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.accuracy = 1e-10;
    config.integrator.method = sal_method_find("dormand_prince8");
    run r = start(&p, 1, &config);
    sal_context *fresh = NULL;
    double x = 0;
    CHECK(sal_context_new(NULL, r.system, &fresh) == SAL_OK);
    CHECK(sal_simulator_advance_to(r.sim, 2, NULL) == SAL_OK);
    sal_context *taken = sal_simulator_release_context(r.sim);
    CHECK(sal_simulator_reset_context(r.sim, fresh) == SAL_OK);
    CHECK(sal_simulator_advance_to(r.sim, 3, NULL) == SAL_OK);
    CHECK_NEAR(x_of(&r), 1 - 3 + 2 * 2 / 2. - 1 / 6., 1e-10);
    CHECK(sal_context_past(taken, 0, 0.5, &x) == SAL_OK);
    CHECK_NEAR(x, 1 - 1.5 + 0.5 * 0.5 / 2, 1e-10);
    CHECK(sal_simulator_reset_context(r.sim, taken) == SAL_OK); /* at 2, with what it kept up to there */
    CHECK(sal_simulator_advance_to(r.sim, 3, NULL) == SAL_OK);
    CHECK_NEAR(x_of(&r), 1 - 3 + 2 * 2 / 2. - 1 / 6., 1e-10);
    taken = sal_simulator_release_context(r.sim);
    finish(&(run){NULL, r.sim});
    CHECK(sal_context_past(taken, 0, 0.5, &x) == SAL_OK);
    sal_context_free(taken);
    sal_system_free(r.system);
}

/* ---- memory ---- */

static sal_outcome jump(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    *sal_context_edit(next, SAL_Z) += 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class jumping_class = {
    .name = "jumping", .derivatives = derivatives, .history = history, .update = jump};

/* Steps of `step`, 0: as the accuracy has it; a jump each `period`, 0: none. Returns the steps taken. */
static int64_t takes_no_memory_in_the_loop(double depth, double step, bool fixed, double period,
                                           double (*rate)(double, double), const char *method) {
    problem p = {depth, rate, NULL};
    const double one = 1;
    test_allocator memory = {.requests_left = -1};
    const sal_allocator counting = {test_allocate, &memory};
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find(method);
    config.integrator.fixed_step = fixed;
    config.integrator.max_step = step > 0 ? step : INFINITY;
    sal_system *system = NULL;
    sal_simulator *sim = NULL;
    CHECK(sal_system_new(&counting, &jumping_class, "jumping", &p, &system) == SAL_OK);
    CHECK(sal_system_add_values(system, SAL_Z, "x", 1, &one) == SAL_OK);
    CHECK(sal_system_add_past(system, "x", depth, NULL) == SAL_OK);
    sal_event_config event = sal_event_config_default();
    event.name = "jump", event.trigger = SAL_ON_PERIOD, event.kind = SAL_UNRESTRICTED;
    event.period = event.offset = period;
    CHECK(period == 0 || sal_system_add_event(system, &event, NULL) == SAL_OK);
    CHECK(sal_simulator_new(&counting, system, NULL, &config, &sim) == SAL_OK);
    CHECK(sal_simulator_initialize(sim, false, NULL) == SAL_OK);
    const long before = memory.request_count;
    CHECK(sal_simulator_advance_to(sim, 3 * depth, NULL) == SAL_OK);
    CHECK(memory.request_count == before);
    const int64_t steps = sal_simulator_statistics(sim).steps;
    sal_simulator_free(sim);
    sal_system_free(system);
    return steps;
}

int main(void) {
    const bool stress = getenv("STRESS") != NULL;
    flat_history();
    contexts_are_exchanged();
    history_goes_on();
    memory_is_bounded(stress ? 1e5 : 1e3);
    short_delays_keep_little(stress ? 1000000 : 1000);
    for (double depth = 0.05; depth < 4; depth *= 2) {
        takes_no_memory_in_the_loop(depth, 1e-3, true, 0, minus_delayed, "tsitouras5");
        takes_no_memory_in_the_loop(depth, 1e-3, true, 0.0025, minus_delayed, "tsitouras5");
        takes_no_memory_in_the_loop(depth, 0, false, 0.01, minus_delayed, "tsitouras5");
        takes_no_memory_in_the_loop(depth, 0, false, 0, minus_delayed, "tsitouras5");
    }
    CHECK(takes_no_memory_in_the_loop(20, 0, false, 0, damped, "bogacki_shampine3") > 3 * 500); /* 500 in its past */
    return check_summary();
}
