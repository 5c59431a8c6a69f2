/* Values of witnesses: at the context as it looks now, and along the step that was just integrated. */
#include <math.h>

#include "crossing.h"

bool sal_witness_should_trigger(sal_direction direction, double w0, double w1) {
    const bool crosses = (w0 > 0 && w1 <= 0) || (w0 < 0 && w1 >= 0);
    return crosses && sal__is_wanted(direction, w0);
}

sal_status sal__finder_value(sal_simulator *sim, const sal__witness *f, double *value) {
    SAL__COUNT_ONE(sim, witness_evaluations);
    const sal_status status =
        f->info.system->behaviour->finder(f->info.system, f->info.ctx, f->info.index, f->info.finder, value);
    return status == SAL_OK && isnan(*value) ? SAL_ENAN : status;
}

sal_status sal__excuse_by_guard(const sal_simulator *sim, const sal__witness *w, sal_status status, double *value) {
    bool holds = true;
    const sal_status guard = sal__event_guard(sim, w->info.event, &holds);
    if (guard != SAL_OK || holds)
        return guard != SAL_OK ? guard : status;
    *value = NAN;
    return SAL_OK;
}

static inline sal_status probe_at(const sal__witness_probe *s, double theta, double t, double *value) {
    sal_simulator *sim = s->sim;
    double *x = sim->plan->nx > 0 ? sim->flow.scratch : NULL;
    if (x)
        sal_integrator_interpolate(sim->integrator, theta, x);
    sal__context_data_look(sim->contexts.current, t, x);
    SAL__COUNT_ONE(sim, isolation_evaluations);
    const sal_status status = sal__witness_value(sim, s->witness, value);
    *value -= s->level;
    return status;
}

sal_status sal__probe_witness(void *user, double theta, double *value) {
    const sal__witness_probe *s = user;
    return probe_at(s, theta, theta >= 1 ? s->t1 : s->t0 + theta * (s->t1 - s->t0), value);
}

sal_status sal__probe_witness_at_stored_time(void *user, double theta, double *value) {
    const sal__witness_probe *s = user;
    const double t = sal__stored_time(s->t0, s->t1, theta);
    return probe_at(s, t < s->t1 ? theta : 1, t, value);
}
