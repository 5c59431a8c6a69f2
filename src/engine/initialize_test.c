/* A simulator that starts again: it does the same work, with the same bits, whatever it has run before. */
#include "saltus/simulator.h"

#include "test_run.h"

enum { FRAMES = 120, LIVES = 20 };

/* x goes up and down: a timer turns it. A witness reads x as it was a third of a second ago, which is constant at
 * first; so the engine finds in the middle of the run that time moves this witness, and searches it closely then. */
static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = sal_context_get(ctx, SAL_XD)[0];
    dot->z[1] = 0.1 * sal_context_get(ctx, SAL_XD)[1];
    return SAL_OK;
}

static sal_status delayed_x(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self, (void)event;
    const sal_status status = sal_context_past(ctx, 0, 1. / 3, value);
    *value -= 0.123;
    return status;
}

static sal_outcome turn_or_count(const sal_system *self, const sal_context *ctx, const sal_event *event,
                                 sal_context *next, sal_note *note) {
    (void)self, (void)note;
    const double *was = sal_context_get(ctx, SAL_XD);
    double *xd = sal_context_edit(next, SAL_XD);
    if (event->index == 0)
        xd[0] = -was[0];
    else
        xd[1] = was[1] + 1;
    return SAL_SUCCEEDED;
}

static const sal_system_class class = {
    .name = "swing", .derivatives = rates, .witness = delayed_x, .update = turn_or_count};

static sal_system *new_swing(void) {
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &class, "swing", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "x", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "y", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "rate", 2, (double[]){0.7, 0}) == SAL_OK);
    CHECK(sal_system_add_past(sys, "x", 1, NULL) == SAL_OK);
    sal_event_config e = sal_event_config_default();
    e.name = "turn";
    e.trigger = SAL_ON_PERIOD;
    e.kind = SAL_DISCRETE;
    e.period = 0.37;
    e.offset = 0.3;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    e = sal_event_config_default();
    e.name = "passed";
    e.trigger = SAL_ON_WITNESS;
    e.kind = SAL_DISCRETE;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    return sys;
}

static void run(sal_simulator *sim, int frames, uint64_t *hash) {
    for (int i = 0; i < frames; i++) {
        CHECK(sal_simulator_advance_to(sim, (i + 1) / 50., NULL) == SAL_OK);
        hash[i] = sal_simulator_hash(sim);
    }
}

/* What a run cost: it shows each decision that was made otherwise, also where the bits are the same by chance. */
static int64_t work(const sal_simulator *sim) {
    const sal_simulator_stats stats = sal_simulator_statistics(sim);
    return stats.witness_evaluations + stats.isolation_evaluations;
}

static int first_difference(const uint64_t *a, const uint64_t *b) {
    int i = 0;
    while (i < FRAMES && a[i] == b[i])
        i++;
    return i;
}

static void a_second_run_is_the_same(void) {
    sal_system *sys = new_swing();
    uint64_t first[FRAMES], second[FRAMES];
    sal_simulator *sim = simulator_of(sys, NULL);
    run(sim, FRAMES, first);
    const int64_t first_work = work(sim);
    CHECK(sal_context_get(sal_simulator_context(sim), SAL_XD)[1] > 4);
    sal_simulator_free(sim);
    for (int life = 1; life < LIVES; life++) {
        sal_context *anew = NULL;
        sim = simulator_of(sys, NULL);
        run(sim, 3 * life, second);
        CHECK(sal_context_new(NULL, sys, &anew) == SAL_OK);
        sal_context_seed(anew, sal_simulator_config_of(sim)->seed);
        CHECK(sal_simulator_reset_context(sim, anew) == SAL_OK);
        run(sim, FRAMES, second);
        CHECK(first_difference(first, second) == FRAMES && work(sim) == first_work);
        sal_simulator_free(sim);
    }
    sal_system_free(sys);
}

int main(void) {
    a_second_run_is_the_same();
    return check_summary();
}
