/* The witnesses that cross in the present step, sorted by theta, the first one last. */
#include "crossing.h"

sal_status sal__crossings_new(sal_simulator *sim) {
    sim->crossings.item = sal__pool_alloc(&sim->pool, sim->witnesses.capacity, sizeof *sim->crossings.item);
    return sal__pool_status(&sim->pool);
}

void sal__crossings_sort(sal_simulator *sim, int count) {
    sim->crossings.count = 0;
    for (int k = 0; k < count; k++)
        if (sim->witnesses.item[sim->crossings.item[k]].is_active)
            sal__crossing_insert(sim, sim->crossings.item[k]);
}

void sal__crossings_clear(sal_simulator *sim) {
    for (int k = 0; k < sim->witnesses.active_count; k++)
        sim->witnesses.item[sim->witnesses.active[k]].theta = 2;
    int kept = 0;
    for (int k = 0; sim->flow.interrupted_step.is_pending && k < sim->crossings.count; k++)
        if (sim->witnesses.item[sim->crossings.item[k]].theta <= 1)
            sim->crossings.item[kept++] = sim->crossings.item[k];
    sim->crossings.count = kept;
}
