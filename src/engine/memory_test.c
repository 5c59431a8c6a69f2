/* Memory of a simulator: taken before the run begins, given back whichever allocation fails. */
#include "test_ball.h"
#include "base/test_allocator.h"

static sal_status new_pair(const sal_allocator *mem, sal_system *ball, sal_system **out) {
    sal_status status = sal_diagram_new(mem, "pair", out);
    for (int i = 0; i < 2 && status == SAL_OK; i++)
        status = sal_diagram_add(*out, ball, i == 0 ? "a" : "b", NULL);
    return status == SAL_OK ? sal_diagram_connect(*out, 0, 0, 1, 0) : status;
}

static sal_status live(const sal_allocator *mem, script *s) {
    sal_system *ball = NULL, *pair = NULL;
    sal_simulator *sim = NULL;
    sal_status status = new_ball(mem, s, &ball);
    if (status == SAL_OK)
        status = new_pair(mem, ball, &pair);
    if (status == SAL_OK)
        status = sal_simulator_new(mem, pair, NULL, NULL, &sim);
    if (status == SAL_OK)
        status = sal_simulator_initialize(sim, false, NULL);
    if (status == SAL_OK)
        status = sal_simulator_advance_to(sim, 0.3, NULL);
    for (int i = 0; status == SAL_OK && i < 5; i++)
        status = sal_simulator_schedule(sim, i % 2, SHOUT, 0.5 + 0.1 * i, NULL);
    if (status == SAL_OK)
        status = sal_simulator_advance_to(sim, 1, NULL);
    sal_simulator_free(sim);
    sal_system_free(pair);
    sal_system_free(ball);
    return status;
}

static void every_allocation_fails_once(void) {
    for (long k = 0;; k++) {
        script s = {0};
        test_allocator p = {.requests_left = k};
        const sal_allocator mem = {test_allocate, &p};
        const sal_status status = live(&mem, &s);
        CHECK(p.bytes_lent == 0);
        if (p.requests_left >= 0) {
            CHECK(status == SAL_OK && k > 60);
            return;
        }
        CHECK(status == SAL_ENOMEM);
    }
}

static void nothing_is_allocated_after_initialize(void) {
    static const char *const methods[] = {"explicit_euler",    "runge_kutta2", "runge_kutta3",
                                          "bogacki_shampine3", "runge_kutta5", "tsitouras5"};
    for (int i = 0; i < 6; i++) {
        script s = {0};
        test_allocator p = {.requests_left = -1};
        const sal_allocator mem = {test_allocate, &p};
        sal_system *ball = NULL;
        sal_simulator *sim = new_sim(&s, &mem, methods[i], i < 2, &ball);
        CHECK(sal_simulator_initialize(sim, false, NULL) == SAL_OK);
        CHECK(sal_simulator_schedule(sim, 0, SHOUT, 1, NULL) == SAL_OK);
        const long before = p.request_count;
        sal_report report;
        CHECK(sal_simulator_advance_to(sim, 5, &report) == SAL_OK && report.time == 5);
        CHECK(s.touches > 5 && s.ticks == 20 && s.shows == 51 && s.times_asked > 10);
        const sal_context *then = NULL;
        CHECK(sal_simulator_state_at(sim, sal_simulator_step_start(sim), &then) == SAL_OK);
        CHECK(p.request_count == before);
        sal_simulator_free(sim);
        sal_system_free(ball);
        CHECK(p.bytes_lent == 0);
    }
}

int main(void) {
    every_allocation_fails_once();
    nothing_is_allocated_after_initialize();
    return check_summary();
}
