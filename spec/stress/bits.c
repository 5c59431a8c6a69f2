/* The final states of runs with events, of every scheme: one hash a run and one of all.
 * Models of + - * / and sqrt alone, so the same from every compiler, at every optimisation,
 * on every machine with IEEE 754 doubles: `make bits` builds it several times and compares. */
#include <stdio.h>
#include <stdlib.h>

#include "saltus/blocks.h"
#include "saltus/diagram.h"

#include "../support/ball.h"
#include "../support/flows.h"

static sal_status relaxing(void *user, double t, const double *x, double *dx) {
    (void)user, (void)t;
    dx[0] = x[1];
    dx[1] = 1000 * (1 - x[0] * x[0]) * x[1] - x[0];
    return SAL_OK;
}

static const flow stiff = {"vdp1000", 2, 900, {2, 0}, {0}, relaxing};

/* A flow as a system: events where the first two values cross, and every 0.3 s. */
static sal_status flow_rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const flow *f = sal_system_data(self);
    return f->eval(NULL, sal_context_time(ctx), sal_context_get(ctx, SAL_Z), dot->z);
}

static sal_status difference(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const double *x = sal_context_get(ctx, SAL_Z);
    (void)self, (void)event;
    *value = x[0] - x[1];
    return SAL_OK;
}

enum { COUNT, SUM, MARKS };

static sal_outcome mark(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)self, (void)note;
    double *marks = sal_context_edit(next, SAL_XD);
    marks[COUNT] += event->index + 1;
    marks[SUM] += sal_context_time(ctx) * sal_context_get(ctx, SAL_Z)[0];
    return SAL_SUCCEEDED;
}

static sal_status first(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)port;
    *value = sal_context_get(ctx, SAL_Z)[0];
    return SAL_OK;
}

static const sal_system_class flow_class = {
    .name = "flow", .derivatives = flow_rates, .output = first, .witness = difference, .update = mark};

static sal_status new_flow(const flow *f, sal_system **out) {
    sal_system *sys = NULL;
    sal_status status = sal_system_new(NULL, &flow_class, f->name, (void *)(uintptr_t)f, &sys);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_Z, "x", f->n, f->x0);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_XD, "marks", MARKS, NULL);
    if (status == SAL_OK)
        status = sal_system_add_output(sys, "first", 1, NULL);
    sal_event_config event = sal_event_config_default();
    event.name = "crossing";
    event.trigger = SAL_ON_WITNESS;
    event.kind = SAL_DISCRETE;
    if (status == SAL_OK)
        status = sal_system_add_event(sys, &event, NULL);
    event.name = "tick";
    event.trigger = SAL_ON_PERIOD;
    event.period = 0.3;
    if (status == SAL_OK)
        status = sal_system_add_event(sys, &event, NULL);
    *out = sys;
    return status;
}

/* A pendulum in x and y, kept on its circle, kicked every 0.3 s. */
static sal_status swing(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
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

static sal_status lowest(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = sal_context_get(ctx, SAL_Q)[0];
    return SAL_OK;
}

static sal_outcome kick(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    sal_context_edit(next, SAL_V)[0] += 0.1;
    return SAL_SUCCEEDED;
}

static const sal_system_class pendulum_class = {
    .name = "pendulum", .derivatives = swing, .constraints = rod, .witness = lowest, .update = kick};

static sal_status new_pendulum(sal_system **out) {
    const double level[2] = {1, 0};
    sal_system *sys = NULL;
    sal_status status = sal_system_new(NULL, &pendulum_class, "pendulum", NULL, &sys);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_Q, "r", 2, level);
    if (status == SAL_OK)
        status = sal_system_add_values(sys, SAL_V, "u", 2, NULL);
    if (status == SAL_OK)
        status = sal_system_set_constraints(sys, 1, 0);
    sal_event_config event = sal_event_config_default();
    event.name = "lowest";
    event.trigger = SAL_ON_WITNESS;
    event.kind = SAL_UNRESTRICTED;
    if (status == SAL_OK)
        status = sal_system_add_event(sys, &event, NULL);
    event.name = "tick";
    event.trigger = SAL_ON_PERIOD;
    event.period = event.offset = 0.3;
    if (status == SAL_OK)
        status = sal_system_add_event(sys, &event, NULL);
    *out = sys;
    return status;
}

static uint64_t all = 14695981039346656037u;

static void run(const char *name, sal_system *sys, const sal_method *m, double t1) {
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = m;
    config.context_accuracy = 1e-6;
    if (sal_method_error_order(m) > 0) {
        config.integrator.accuracy = 1e-6;
    } else {
        config.integrator.fixed_step = true;
        config.integrator.max_step = 0.01;
    }
    sal_simulator *sim = NULL;
    sal_report report = {0};
    if (sal_simulator_new(NULL, sys, NULL, &config, &sim) != SAL_OK ||
        sal_simulator_advance_to(sim, t1, &report) != SAL_OK) {
        printf("%s with %s: %s\n", name, sal_method_name(m), report.note.text);
        exit(1);
    }
    const uint64_t hash = sal_simulator_hash(sim);
    all = (all ^ hash) * 1099511628211u;
    printf("%016llx %s %s, %lld steps\n", (unsigned long long)hash, name, sal_method_name(m),
           (long long)sal_simulator_statistics(sim).steps);
    sal_simulator_free(sim);
}

static void run_flow(const flow *f, const sal_method *m, double t1) {
    sal_system *sys = NULL;
    if (new_flow(f, &sys) != SAL_OK)
        exit(1);
    run(f->name, sys, m, t1);
    sal_system_free(sys);
}

/* The extremes of its first value: a past is kept, and turnings are found. */
static void run_extremes(const flow *f, const sal_method *m, double t1) {
    static const char *const kinds[] = {"maximum", "min_abs"};
    sal_system *all_of = NULL, *parts[3] = {NULL};
    int at[3] = {0};
    sal_status status = new_flow(f, &parts[0]);
    for (int i = 0; status == SAL_OK && i < 2; i++)
        status = sal_block_new(NULL, kinds[i], kinds[i], NULL, 0, NULL, &parts[i + 1]);
    if (status == SAL_OK)
        status = sal_diagram_new(NULL, "extremes", &all_of);
    for (int i = 0; status == SAL_OK && i < 3; i++)
        status = sal_diagram_add(all_of, parts[i], i > 0 ? kinds[i - 1] : "flow", &at[i]);
    for (int i = 1; status == SAL_OK && i < 3; i++)
        status = sal_diagram_connect(all_of, at[0], 0, at[i], 0);
    if (status != SAL_OK)
        exit(1);
    run("extremes", all_of, m, t1);
    sal_system_free(all_of);
    for (int i = 0; i < 3; i++)
        sal_system_free(parts[i]);
}

static bool is_implicit(const sal_method *m) {
    static const char *const names[] = {"auto", "rodas4", "radau5", "radau3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sal_method_find(names[i]) == m)
            return true;
    return false;
}

int main(void) {
    const sal_method *m;
    for (int k = 0; (m = sal_method_at(k)) != NULL; k++) {
        const bool low = sal_method_order(m) == 1 && sal_method_error_order(m) > 0; /* thousands of steps for 1e-6 */
        sal_system *ball = NULL;
        if (new_ball(NULL, &ball) != SAL_OK)
            return 1;
        run("ball", ball, m, 3.9);
        sal_system_free(ball);
        sal_system *pendulum = NULL;
        if (new_pendulum(&pendulum) != SAL_OK)
            return 1;
        run("pendulum", pendulum, m, low ? 0.4 : 3);
        sal_system_free(pendulum);
        run_flow(&flows[0], m, low ? 0.2 : 2);
        if (sal_method_order(m) >= 5)
            run_flow(&flows[2], m, flows[2].t1);
        if (m == sal_method_find("tsitouras5") || m == sal_method_find("dormand_prince8"))
            run_extremes(&flows[0], m, flows[0].t1);
        if (is_implicit(m))
            run_flow(&stiff, m, stiff.t1);
    }
    printf("%016llx\n", (unsigned long long)all);
    return 0;
}
