/* Constraints from C: a pendulum that is kicked, memory, and the integrator's correction alone. */
#include <math.h>
#include <string.h>

#include "base/test_check.h"
#include "base/test_allocator.h"
#include "saltus/simulator.h"

/* ---- a pendulum in x and y, its velocity map given though it is the identity ---- */

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *r = sal_context_get(ctx, SAL_Q), *u = sal_context_get(ctx, SAL_V);
    const double pull = (u[0] * u[0] + u[1] * u[1] - 9.81 * r[1]) / (r[0] * r[0] + r[1] * r[1]);
    (void)self;
    for (int i = 0; i < 2; i++) {
        dot->q[i] = u[i];
        dot->v[i] = -pull * r[i] - 9.81 * i;
    }
    return SAL_OK;
}

static sal_status rod(const sal_system *self, const sal_context *ctx, double *residual) {
    const double *r = sal_context_get(ctx, SAL_Q);
    (void)self;
    *residual = r[0] * r[0] + r[1] * r[1] - 1;
    return SAL_OK;
}

static sal_status map(const sal_system *self, const sal_context *ctx, const double *v, double *qdot) {
    (void)self;
    (void)ctx;
    memcpy(qdot, v, 2 * sizeof *v);
    return SAL_OK;
}

static sal_outcome kick(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)self;
    (void)ctx;
    (void)event;
    (void)note;
    sal_context_edit(next, SAL_V)[0] += 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class plain = {.name = "pendulum", .derivatives = rates, .constraints = rod, .update = kick};
static const sal_system_class mapped = {
    .name = "pendulum", .derivatives = rates, .constraints = rod, .velocity_map = map, .update = kick};

static sal_status new_pendulum(const sal_allocator *mem, const sal_system_class *behaviour, sal_system **out) {
    const double level[2] = {1, 0};
    sal_event_config every = sal_event_config_default();
    every.name = "kick";
    every.trigger = SAL_ON_PERIOD;
    every.kind = SAL_UNRESTRICTED;
    every.period = every.offset = 0.7;
    sal_status status = sal_system_new(mem, behaviour, "pendulum", NULL, out);
    if (status == SAL_OK)
        status = sal_system_add_values(*out, SAL_Q, "r", 2, level);
    if (status == SAL_OK)
        status = sal_system_add_values(*out, SAL_V, "u", 2, NULL);
    if (status == SAL_OK)
        status = sal_system_add_event(*out, &every, NULL);
    return status == SAL_OK ? sal_system_set_constraints(*out, 1, 0) : status;
}

static double off_circle(sal_simulator *sim) {
    const double *r = sal_context_get(sal_simulator_context(sim), SAL_Q);
    return fabs(sqrt(r[0] * r[0] + r[1] * r[1]) - 1);
}

static sal_status swing(test_allocator *p, const sal_system_class *behaviour) {
    const sal_allocator mem = {test_allocate, p};
    sal_system *pendulum = NULL;
    sal_simulator *sim = NULL;
    sal_status status = new_pendulum(&mem, behaviour, &pendulum);
    if (status == SAL_OK)
        status = sal_simulator_new(&mem, pendulum, NULL, NULL, &sim);
    if (status == SAL_OK)
        status = sal_simulator_initialize(sim, false, NULL);
    const long before = p->request_count;
    if (status == SAL_OK) {
        CHECK(sal_simulator_advance_to(sim, 20, NULL) == SAL_OK);
        CHECK_NEAR(off_circle(sim), 0, 1e-10);
        const sal_context *then = NULL;
        CHECK(sal_simulator_state_at(sim, sal_simulator_step_start(sim), &then) == SAL_OK);
        CHECK(p->request_count == before);
    }
    sal_simulator_free(sim);
    sal_system_free(pendulum);
    CHECK(p->bytes_lent == 0);
    return status;
}

static void takes_memory_at_set_up_alone(void) {
    test_allocator all = {.requests_left = -1};
    CHECK(swing(&all, &plain) == SAL_OK);
    for (long k = 0;; k++) {
        test_allocator p = {.requests_left = k};
        const sal_status status = swing(&p, &mapped);
        if (p.requests_left >= 0) {
            CHECK(status == SAL_OK && k > 30);
            return;
        }
        CHECK(status == SAL_ENOMEM);
    }
}

static void starts_where_it_may(void) {
    sal_system *pendulum = NULL;
    sal_simulator *sim = NULL;
    sal_report report;
    CHECK(new_pendulum(NULL, &plain, &pendulum) == SAL_OK);
    CHECK(sal_simulator_new(NULL, pendulum, NULL, NULL, &sim) == SAL_OK);
    sal_context_edit(sal_simulator_context(sim), SAL_Q)[0] = 1.5;
    CHECK(sal_simulator_initialize(sim, false, &report) == SAL_EOFF && report.part == 0);
    CHECK(!sal_simulator_is_initialized(sim) && sal_context_get(sal_simulator_context(sim), SAL_Q)[0] == 1.5);
    CHECK(sal_simulator_initialize_consistent(sim, false, &report) == SAL_OK);
    CHECK_NEAR(off_circle(sim), 0, 1e-10);
    sal_simulator_free(sim);
    sal_system_free(pendulum);
}

static void is_declared(void) {
    static const sal_system_class bare = {.name = "bare", .derivatives = rates};
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &bare, "bare", NULL, &sys) == SAL_OK);
    CHECK(sal_system_set_constraints(sys, 1, 0) == SAL_EINVAL);
    CHECK(sal_system_set_constraints(sys, 0, 1) == SAL_EINVAL);
    CHECK(sal_system_set_constraints(sys, 0, 0) == SAL_OK);
    sal_system_free(sys);
}

/* ---- an integrator alone: a circle kept by dividing by its radius ---- */

static sal_status turn(void *user, double t, const double *x, double *dx) {
    (void)user;
    (void)t;
    dx[0] = -x[1];
    dx[1] = x[0];
    return SAL_OK;
}

static sal_status to_circle(void *user, double t, double *x, double *err, bool *moved) {
    const double size = sqrt(x[0] * x[0] + x[1] * x[1]);
    (void)t;
    (void)err;
    if (*(int *)user)
        return SAL_RETRY;
    *moved = size != 1;
    x[0] /= size;
    x[1] /= size;
    return SAL_OK;
}

static void corrects_without_a_simulator(void) {
    int refuse = 0;
    const sal_rhs rhs = {2, turn, NULL};
    const sal_correction correction = {to_circle, &refuse};
    sal_integrator_config config = sal_integrator_config_default();
    config.accuracy = 1e-3;
    sal_integrator *in = NULL;
    double t = 0, x[2] = {1, 0};
    CHECK(sal_integrator_new(NULL, &config, 2, &in) == SAL_OK);
    sal_integrator_set_correction(in, &correction);
    sal_integrator_initialize(in);
    const sal_limits to = {INFINITY, INFINITY, 50};
    while (t < 50 && sal_integrator_step(in, &rhs, t, x, &to, NULL) == SAL_OK) {
        t = sal_integrator_end_time(in);
        memcpy(x, sal_integrator_end(in), sizeof x);
        CHECK_NEAR(x[0] * x[0] + x[1] * x[1], 1, 1e-15);
    }
    CHECK(t == 50);
    refuse = 1;
    const sal_limits on = {INFINITY, INFINITY, 60};
    CHECK(sal_integrator_step(in, &rhs, t, x, &on, NULL) == SAL_ESTEP &&
          sal_integrator_last_failure(in)->off_constraints);
    sal_integrator_free(in);
}

int main(void) {
    takes_memory_at_set_up_alone();
    starts_where_it_may();
    is_declared();
    corrects_without_a_simulator();
    return check_summary();
}
