/* The beginning and the end of a run, for tests whose models note what they see. */
#ifndef SAL_TEST_RUN_H
#define SAL_TEST_RUN_H

#include "base/test_check.h"
#include "saltus/simulator.h"

static inline sal_simulator *simulator_of(sal_system *sys, const sal_simulator_config *config) {
    sal_simulator *sim = NULL;
    CHECK(sal_simulator_new(NULL, sys, NULL, config, &sim) == SAL_OK);
    return sim;
}

/* Then both are gone. */
static inline void run_to_the_end(sal_simulator *sim, double end, sal_system *sys) {
    sal_report report;
    CHECK(sal_simulator_advance_to(sim, end, &report) == SAL_OK);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

#endif
