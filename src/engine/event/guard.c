/* Guards of witnesses: `when` of an event that fires where a witness crosses.
 *
 * What counts is whether the guard holds at the crossing, which instant.c evaluates. A guard that depends on modes and
 * numbers that do not flow has one value for the whole step: while it does not hold, the witness is not read. If its
 * declaration does not say so, in C or in a closure that stays in Lua, it is evaluated at both ends of the step: the
 * witness is read when it holds at either. One that flow is known to change is evaluated when its witness crosses.
 *
 * So a witness may be read where its guard does not hold. That it has no value there is no error. */
#include <math.h>

#include "engine/simulator.h"

sal_status sal__guard_eval(const sal__witness *w, bool *holds) {
    return w->info.system->behaviour->when(w->info.system, w->info.ctx, w->info.index, holds);
}

sal_status sal__guard_excuse_failure(const sal__witness *w, sal_status status, double *value) {
    bool holds = true;
    const sal_status asked = sal__guard_eval(w, &holds);
    if (asked != SAL_OK || holds)
        return asked != SAL_OK ? asked : status;
    *value = NAN;
    return SAL_OK;
}

static const double *end_state(const sal_simulator *sim) {
    return sim->plan->nx > 0 ? sal_integrator_end(sim->integrator) : NULL;
}

/* One that has no guard is always there. */
static sal_status evaluate_at(sal_simulator *sim, const sal__witness *w, double t, const double *x, bool *holds) {
    *holds = true;
    if (!w->info.has_guard)
        return SAL_OK;
    sal__context_data_look(sim->contexts.current, t, x);
    return sal__guard_eval(w, holds);
}

static sal_status activate(sal_simulator *sim, int witness, double now) {
    double value = 0;
    sal__context_data_look(sim->contexts.current, now, NULL);
    const sal_status status = sal__guarded_value(sim, &sim->witnesses.item[witness], &value);
    if (status == SAL_OK)
        sal__witness_activate(sim, witness, value);
    return status;
}

sal_status sal__guards_activate(sal_simulator *sim, double t1, sal_report *report) {
    const double now = sim->contexts.current->time;
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->witnesses.count && !sim->witnesses.has_excluded; i++) {
        const sal__witness *w = &sim->witnesses.item[i];
        bool holds = false;
        if (!w->info.has_guard || w->is_active || w->info.direction == SAL_NEVER)
            continue;
        status = evaluate_at(sim, w, t1, end_state(sim), &holds);
        if (status == SAL_OK && holds)
            status = activate(sim, i, now);
        if (status != SAL_OK)
            status = sal__witness_report(sim, i, status, report);
    }
    sal__context_data_look(sim->contexts.current, now, NULL);
    return status;
}

sal_status sal__guards_check_values(sal_simulator *sim, double now, double t1, sal_report *report) {
    for (int k = sim->witnesses.active_count - 1; k >= 0; k--) {
        const int i = sim->witnesses.active[k];
        const sal__witness *w = &sim->witnesses.item[i];
        const bool at_start = !isnan(w->w0), at_end = !isnan(w->w1) || !w->end_unread;
        bool holds = !w->info.has_guard;
        if (at_start && at_end)
            continue;
        sal_status status = SAL_OK;
        if (at_start)
            status = evaluate_at(sim, w, now, NULL, &holds);
        else if (at_end)
            status = evaluate_at(sim, w, t1, end_state(sim), &holds);
        if (status != SAL_OK || holds)
            return sal__witness_report(sim, i, status == SAL_OK ? SAL_ENAN : status, report);
        sal__witness_deactivate(sim, i);
    }
    return SAL_OK;
}

sal_status sal__guard_exclude(sal_simulator *sim, int witness, double t1, sal_report *report) {
    const sal__witness *w = &sim->witnesses.item[witness];
    const double now = sim->contexts.current->time;
    bool holds = true;
    sal_status status = evaluate_at(sim, w, now, NULL, &holds);
    if (status == SAL_OK && holds)
        status = evaluate_at(sim, w, t1, end_state(sim), &holds);
    sal__context_data_look(sim->contexts.current, now, NULL);
    if (status != SAL_OK || holds)
        return sal__witness_report(sim, witness, status == SAL_OK ? SAL_ENAN : status, report);
    sal__witness_exclude(sim, witness);
    return SAL_OK;
}
