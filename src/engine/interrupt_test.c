/* sal_simulator_interrupt: from a closure, between calls, from a signal handler; a run that was interrupted goes on to
 * the bits of one that was not. */
#define _XOPEN_SOURCE 700
#include <math.h>

#if defined(__unix__) || defined(__APPLE__)
#define HAS_TIMERS 1
#include <signal.h>
#include <sys/time.h>
#endif

#include "test_run.h"

/* x' = v, v' = -x; counts its samples and turns round where x falls through 0. */
static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->q[0] = *sal_context_get(ctx, SAL_V);
    dot->v[0] = -*sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static sal_status position(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    *value = *sal_context_get(ctx, SAL_Q);
    return SAL_OK;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)self, (void)note;
    if (event->index == 0)
        *sal_context_edit(next, SAL_V) = -*sal_context_get(ctx, SAL_V);
    else
        *sal_context_edit(next, SAL_XD) += 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class class = {.name = "pendulum", .derivatives = rates, .witness = position, .update = update};

static sal_system *new_system(void) {
    const double one = 1;
    sal_event_config e = sal_event_config_default();
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &class, "pendulum", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Q, "x", 1, &one) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_V, "v", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "n", 1, NULL) == SAL_OK);
    e.name = "turn", e.trigger = SAL_ON_WITNESS, e.direction = SAL_FALLING, e.kind = SAL_UNRESTRICTED;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    e = sal_event_config_default();
    e.name = "count", e.trigger = SAL_ON_PERIOD, e.period = 0.3, e.kind = SAL_DISCRETE;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    return sys;
}

static uint64_t uninterrupted(sal_system *sys, double stop, int64_t *steps) {
    sal_simulator *sim = simulator_of(sys, NULL);
    CHECK(sal_simulator_advance_to(sim, stop, NULL) == SAL_OK);
    const uint64_t hash = sal_simulator_hash(sim);
    *steps = sal_simulator_statistics(sim).steps;
    sal_simulator_free(sim);
    return hash;
}

static sal_outcome interrupt_each(void *user, const sal_context *ctx, sal_note *note) {
    (void)ctx, (void)note;
    sal_simulator_interrupt(user);
    return SAL_DID_NOTHING;
}

/* The monitor asks after every step, the last one too: a call a step, and one before the first. */
static void test_every_step(sal_system *sys) {
    int64_t steps = 0, calls = 0;
    const uint64_t hash = uninterrupted(sys, 20, &steps);
    sal_simulator *sim = simulator_of(sys, NULL);
    sal_simulator_set_monitor(sim, interrupt_each, sim);
    sal_report report;
    do {
        const double before = sal_context_time(sal_simulator_context(sim));
        CHECK(sal_simulator_advance_to(sim, 20, &report) == SAL_OK);
        CHECK(report.reason == (report.time < 20 ? SAL_AT_INTERRUPT : SAL_AT_BOUNDARY));
        CHECK(report.time >= before && report.boundary_time == 20);
        calls++;
    } while (report.reason == SAL_AT_INTERRUPT);
    CHECK(calls == steps + 1 && sal_simulator_statistics(sim).steps == steps);
    CHECK(sal_simulator_hash(sim) == hash);
    CHECK(sal_simulator_advance_to(sim, 21, &report) == SAL_OK); /* the last step's request */
    CHECK(report.reason == SAL_AT_INTERRUPT && report.time == 20);
    sal_simulator_free(sim);
}

static void test_between_calls(sal_system *sys) {
    sal_simulator *sim = simulator_of(sys, NULL);
    sal_report report;
    sal_simulator_interrupt(sim);
    sal_simulator_interrupt(sim);
    CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_OK);
    CHECK(report.reason == SAL_AT_INTERRUPT && report.time == 0 && sal_simulator_is_initialized(sim));
    CHECK(sal_simulator_advance_to(sim, 1, &report) == SAL_OK && report.reason == SAL_AT_BOUNDARY);
    sal_simulator_interrupt(sim);
    CHECK(sal_simulator_step(sim, 2, &report) == SAL_OK && report.reason == SAL_AT_INTERRUPT && report.time == 1);
    sal_simulator_interrupt(sim);
    CHECK(sal_simulator_advance_to(sim, NAN, &report) == SAL_ETIME); /* what is refused takes no request */
    CHECK(sal_simulator_advance_pending_events(sim, &report) == SAL_OK && report.reason == SAL_AT_INTERRUPT);
    sal_simulator_free(sim);
}

/* Frames end between their steps, and lose none. */
static void test_frames(sal_system *sys) {
    int64_t steps = 0;
    const uint64_t hash = uninterrupted(sys, 0.25, &steps);
    sal_simulator *sim = simulator_of(sys, NULL);
    sal_report report;
    double alpha = -1;
    CHECK(sal_simulator_advance_to(sim, 0.25, NULL) == SAL_OK);
    sal_simulator_interrupt(sim);
    CHECK(sal_simulator_advance_frame(sim, 0.75, 0.25, 8, &alpha, &report) == SAL_OK);
    CHECK(report.reason == SAL_AT_INTERRUPT && report.time == 0.25 && sal_simulator_hash(sim) == hash);
    CHECK(sal_simulator_advance_frame(sim, 0.125, 0.25, 8, &alpha, &report) == SAL_OK);
    CHECK(report.reason == SAL_AT_BOUNDARY && report.time == 1 && alpha == 0.5);
    sal_simulator_free(sim);
}

#if defined(HAS_TIMERS)

static sal_simulator *volatile signalled; /* NULL: signals that are still under way mean nobody */

static void on_alarm(int signal) {
    (void)signal;
    if (signalled)
        sal_simulator_interrupt(signalled);
}

static void test_signals(sal_system *sys) {
    const double stop = 2e4;
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    int64_t steps = 0, interrupts = 0;
    const uint64_t hash = uninterrupted(sys, stop, &steps);
    sal_report report;
    struct sigaction action = {.sa_handler = on_alarm};
    signalled = simulator_of(sys, NULL);
    CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (;;) {
        CHECK(sal_simulator_advance_to(signalled, stop, &report) == SAL_OK);
        if (report.reason != SAL_AT_INTERRUPT)
            break;
        interrupts++;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(interrupts > 0 && report.time == stop);
    CHECK(sal_simulator_hash(signalled) == hash && sal_simulator_statistics(signalled).steps == steps);
    sal_simulator *const done = signalled;
    signalled = NULL;
    sal_simulator_free(done);
}

#else

static void test_signals(sal_system *sys) {
    (void)sys;
    printf("no timers here: interruption by signals is not tested\n");
}

#endif

int main(void) {
    sal_system *sys = new_system();
    test_every_step(sys);
    test_between_calls(sys);
    test_frames(sys);
    test_signals(sys);
    sal_system_free(sys);
    return check_summary();
}
