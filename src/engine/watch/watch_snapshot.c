/* Watches in a snapshot of the run: which of them are armed. Their functions are the host's, so a run can be loaded
 * only by a simulator that knows a watch for each of these handles; what they remember is saved with their
 * witnesses. */
#include <limits.h>

#include "engine/simulator.h"

/* Handles are in their order, so none occurs twice. */
static void check(sal__archive *a, sal_simulator *sim, int64_t handle, int64_t last) {
    sal__rule(a, handle > last);
    if (a->mode != SAL__CHECK || a->is_bad || sal__watch_find(sim, handle) >= 0)
        return;
    sim->host.watches.is_absent = true;
    sal__archive_spoil(a);
}

static void archive_armed(sal__archive *a, sal_simulator *sim, int count) {
    const sal__watch *item = sim->host.watches.item;
    int64_t last = 0;
    for (int k = 0; k < count && !a->is_bad; k++) {
        while (!sal__is_loading(a) && !item->is_armed)
            item++;
        int64_t handle = sal__is_loading(a) ? 0 : item++->handle;
        handle = sal__int64(a, &handle, 1, INT64_MAX);
        check(a, sim, handle, last);
        last = handle;
        if (a->mode == SAL__READ)
            sal__watches_arm(sim, handle);
    }
}

int sal__watches_archive(sal__archive *a, sal_simulator *sim) {
    int count = sim->host.watches.armed_count;
    bool are_stale = sim->host.watches.is_stale && count > 0;
    if (a->mode == SAL__CHECK)
        sim->host.watches.is_absent = false;
    are_stale = sal__flag(a, &are_stale);
    sal__flag(a, &sim->host.watches.may_be_fast);
    count = sal__count(a, &count, INT_MAX, sizeof(int64_t));
    if (a->mode == SAL__READ)
        sal__watches_disarm(sim);
    archive_armed(a, sim, count);
    sal__may_take(a, (size_t)sim->host.watches.room * sizeof(int64_t));
    if (a->mode == SAL__READ)
        sal__watches_set_stale(sim, are_stale);
    return count;
}
