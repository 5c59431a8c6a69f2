/* Guards of witnesses: the `when` of an event that fires where a witness crosses.
 *
 * What counts is whether the guard holds at the crossing; instant.c evaluates it there. A guard that depends only on
 * modes and numbers that do not flow has one value for the whole step, and while it is false the witness is not read.
 * If its declaration does not say so (in C, or in a closure that is not compiled), the guard is evaluated at both ends
 * of the step, and the witness is read if it holds at either. A guard that is known to change with the flow is
 * evaluated where its witness crosses.
 *
 * So a witness may be read where its guard is false. If it has no value there, that is no error. */
#include <math.h>

#include "crossing.h"

static sal_status evaluate_at(sal_simulator *sim, int witness, double t, const double *x, bool *holds) {
    sal__context_data_look(sim->contexts.current, t, x);
    const sal__witness *w = &sim->witnesses.item[witness];
    *holds = true;
    return w->info.has_guard ? sal__event_guard(sim, w->info.event, holds) : SAL_OK;
}

static sal_status activate(sal_simulator *sim, int witness, double now) {
    double value = 0;
    sal__context_data_look(sim->contexts.current, now, NULL);
    const sal_status status = sal__guarded_value(sim, &sim->witnesses.item[witness], &value);
    if (status == SAL_OK)
        sal__witness_activate(sim, witness, value);
    return status;
}

sal_status sal__guards_activate(sal_simulator *sim, double t1) {
    const double now = sim->contexts.current->time;
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->witnesses.count && !sim->witnesses.has_excluded; i++) {
        const sal__witness *w = &sim->witnesses.item[i];
        bool holds = false;
        if (!w->info.has_guard || w->is_active || w->info.direction == SAL_NEVER)
            continue;
        status = evaluate_at(sim, i, t1, sal__end_state(sim), &holds);
        if (status == SAL_OK && holds)
            status = activate(sim, i, now);
        if (status != SAL_OK)
            status = sal__witness_report(sim, i, status);
    }
    sal__context_data_look(sim->contexts.current, now, NULL);
    return status;
}

sal_status sal__guards_check_values(sal_simulator *sim, double now, double t1) {
    for (int k = sim->witnesses.active_count - 1; k >= 0; k--) {
        const int i = sim->witnesses.active[k];
        const sal__witness *w = &sim->witnesses.item[i];
        const bool at_start = !isnan(w->w0), at_end = !isnan(w->w1) || !w->end_unread;
        bool holds = !w->info.has_guard;
        if (at_start && at_end)
            continue;
        sal_status status = SAL_OK;
        if (at_start)
            status = evaluate_at(sim, i, now, NULL, &holds);
        else if (at_end)
            status = evaluate_at(sim, i, t1, sal__end_state(sim), &holds);
        if (status != SAL_OK || holds)
            return sal__witness_report(sim, i, status == SAL_OK ? SAL_ENAN : status);
        sal__witness_deactivate(sim, i);
    }
    return SAL_OK;
}

sal_status sal__guard_exclude(sal_simulator *sim, int witness, double t1) {
    const double now = sim->contexts.current->time;
    bool holds = true;
    sal_status status = evaluate_at(sim, witness, now, NULL, &holds);
    if (status == SAL_OK && holds)
        status = evaluate_at(sim, witness, t1, sal__end_state(sim), &holds);
    sal__context_data_look(sim->contexts.current, now, NULL);
    if (status != SAL_OK || holds)
        return sal__witness_report(sim, witness, status == SAL_OK ? SAL_ENAN : status);
    sal__witness_exclude(sim, witness);
    return SAL_OK;
}
