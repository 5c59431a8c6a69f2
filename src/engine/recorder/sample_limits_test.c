/* A step with more samples than memory or patience has room for, as a log with a period in another unit has. */
#include "engine/test_run.h"
#include "saltus/recorder.h"

#include <stdlib.h>
#include <string.h>

typedef struct memory {
    size_t left;
    int refused;
} memory;

static void *lend(void *user, void *block, size_t old, size_t bytes) {
    memory *m = user;
    const size_t more = bytes > old ? bytes - old : 0;
    if (more > m->left) {
        m->refused++;
        return NULL;
    }
    m->left = m->left + old - bytes;
    if (bytes > 0)
        return realloc(block, bytes);
    free(block);
    return NULL;
}

static sal_simulator *interrupted; /* by the derivatives of its system; NULL: none is */

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self, (void)ctx;
    *dot->z = 1;
    if (interrupted)
        sal_simulator_interrupt(interrupted);
    return SAL_OK;
}

static const sal_system_class class = {.name = "clock", .derivatives = rates};
static const sal_channel channel = {.size = 1, .output = -1, .partition = SAL_Z};

/* A run in steps of a second with a record of each nanosecond. */
typedef struct run {
    memory memory;
    sal_system *system;
    sal_simulator *sim;
    sal_recorder *rec;
} run;

static void start(run *r, size_t bytes) {
    const sal_allocator from = {lend, &r->memory};
    sal_simulator_config config = sal_simulator_config_default();
    config.integrator.method = sal_method_find("runge_kutta4");
    config.integrator.fixed_step = true;
    config.integrator.max_step = 1;
    r->memory = (memory){SIZE_MAX / 2, 0};
    CHECK(sal_system_new(NULL, &class, "clock", NULL, &r->system) == SAL_OK);
    CHECK(sal_system_add_values(r->system, SAL_Z, "t", 1, NULL) == SAL_OK);
    CHECK(sal_simulator_new(&from, r->system, NULL, &config, &r->sim) == SAL_OK);
    CHECK(sal_recorder_new(r->sim, &channel, 1, 1e-9, &r->rec) == SAL_OK);
    CHECK(sal_simulator_initialize(r->sim, false, NULL) == SAL_OK);
    r->memory.left = bytes;
}

static void end(run *r) {
    interrupted = NULL;
    sal_recorder_free(r->rec);
    sal_simulator_free(r->sim);
    sal_system_free(r->system);
}

/* Each step fails once, and does not try its other samples. */
static void fails_once_without_memory(void) {
    run r;
    sal_report report;
    start(&r, 1 << 20);
    for (int second = 1; second <= 2; second++) {
        CHECK(sal_simulator_advance_to(r.sim, second, &report) == SAL_ENOMEM);
        CHECK(r.memory.refused == second);
        CHECK(sal_context_time(sal_simulator_context(r.sim)) == second);
    }
    const int64_t rows = sal_recorder_rows(r.rec);
    CHECK(rows > 1000 && rows < 1 << 16);
    end(&r);
}

/* A record that is thinned skips most samples. */
static void can_be_interrupted(int64_t most_rows) {
    run r;
    sal_report report;
    const sal_warning *warning = NULL;
    char text[300];
    start(&r, 1 << 28);
    CHECK(sal_recorder_set_max_rows(r.rec, most_rows) == SAL_OK);
    CHECK(sal_simulator_advance_to(r.sim, 1.23457e-4, &report) ==
          SAL_OK); /* 123,457 samples: no power of 2 divides it */
    interrupted = r.sim;
    CHECK(sal_simulator_advance_to(r.sim, 1, &report) == SAL_OK);
    CHECK(sal_context_time(sal_simulator_context(r.sim)) == 1);
    CHECK(sal_recorder_rows(r.rec) <= 1 << 18);
    CHECK(sal_simulator_warnings(r.sim, &warning) == 1);
    sal_warning_text(r.sim, warning, text, sizeof text);
    CHECK(strstr(text, "clock is recorded with more samples in a step than"));
    end(&r);
}

int main(void) {
    fails_once_without_memory();
    can_be_interrupted(0);
    can_be_interrupted(1000);
    return check_summary();
}
