/* The constants of witnesses, from the events of the plan, and the memory of all. */
#include <math.h>

#include "crossing.h"

static void describe(const sal_simulator *sim, int event, sal__witness *w) {
    const sal__planned_event *e = &sim->plan->event[event];
    w->info.event = event;
    w->info.condition = -1;
    w->info.system = e->system;
    w->info.ctx = &sim->contexts.current->part_context[e->part];
    w->info.index = e->index;
    w->info.kind = e->config->kind == SAL_NO_HANDLER ? SAL_PUBLISH : e->config->kind;
    w->info.time_only = sal__depends_on_time_only(sim->plan, &sim->plan->part[e->part]);
    w->info.inputs_vary = sal__has_varying_inputs(sim->plan, &sim->plan->part[e->part]);
    w->info.is_subdivided = e->config->max_interval > 0 || e->config->samples > 0;
    w->info.max_interval = e->config->max_interval > 0 ? e->config->max_interval : INFINITY;
    w->info.max_share = e->config->samples > 0 ? 1.0 / e->config->samples : 1;
}

static void init_witness(sal_simulator *sim, int event) {
    sal__witness *w = &sim->witnesses.item[sim->witnesses.count++];
    describe(sim, event, w);
    w->info.value = w->info.system->behaviour->witness;
    w->info.direction = sim->plan->event[event].config->direction;
    w->info.has_guard = sim->plan->event[event].has_guard;
    w->info.guard_can_flow = sim->plan->event[event].config->when_flows;
    sim->witnesses.guarded_count += w->info.has_guard;
    sim->witnesses.undirected_count += w->info.direction == SAL_CROSSING;
}

static bool may_have_phases(const sal_system *sys) {
    return sys->behaviour->phases || sys->behaviour->output_phases;
}

sal_status sal__witnesses_new(sal_simulator *sim) {
    sal__witnesses *all = &sim->witnesses;
    for (int i = 0; i < sim->plan->event_count; i++) {
        const sal_trigger trigger = sim->plan->event[i].config->trigger;
        all->capacity += trigger == SAL_ON_WITNESS || trigger == SAL_ON_CHANGE;
    }
    all->item = sal__pool_alloc(&sim->pool, all->capacity, sizeof *all->item);
    all->active = sal__pool_alloc(&sim->pool, all->capacity, sizeof *all->active);
    all->fired = sal__pool_alloc(&sim->pool, all->capacity, sizeof *all->fired);
    all->handled = sal__pool_alloc(&sim->pool, all->capacity, sizeof *all->handled);
    all->list_membership = sal__pool_alloc(&sim->pool, all->capacity, sizeof *all->list_membership);
    for (int i = 0; i < sim->plan->event_count && !sim->pool.failed; i++)
        if (sim->plan->event[i].config->trigger == SAL_ON_WITNESS)
            init_witness(sim, i);
    for (int i = 0; i < sim->plan->part_count; i++)
        all->may_have_phases |= may_have_phases(sim->plan->part[i].system);
    return sal__pool_status(&sim->pool);
}

int sal__witness_init_condition(sal_simulator *sim, int event, int condition) {
    const int i = sim->witnesses.count + condition;
    sal__witness *w = &sim->witnesses.item[i];
    describe(sim, event, w);
    w->info.direction = SAL_NEVER;
    w->info.condition = condition;
    return i;
}

void sal__witness_init_finder(const sal_simulator *sim, int event, int finder, sal__witness *f) {
    describe(sim, event, f);
    f->info.direction = SAL_CROSSING;
    f->info.value = sim->plan->event[event].config->finders > 0 ? NULL : f->info.system->behaviour->witness;
    f->info.finder = finder;
}

void sal__witness_init_watch(const sal_simulator *sim, sal__witness *w, sal__watch_value value, double max_interval) {
    *w = (sal__witness){.theta = 2};
    w->info = (sal__witness_info){.value = value,
                                  .ctx = sim->contexts.current->part_context,
                                  .time_only = sim->plan->nx == 0,
                                  .is_subdivided = max_interval > 0,
                                  .max_interval = max_interval > 0 ? max_interval : INFINITY,
                                  .max_share = 1,
                                  .direction = SAL_RISING,
                                  .kind = (sal_kind)SAL__WATCH,
                                  .event = -1,
                                  .condition = -1};
    sal__witness_forget_time(w);
    w->may_be_fast |= sim->host.watches.may_be_fast;
    sal__zeno_reset(w, sim->contexts.current->time);
}

void sal__witness_attach(sal_simulator *sim) {
    for (int i = 0; i < sim->witnesses.capacity; i++) {
        sal__witness_info *info = &sim->witnesses.item[i].info;
        info->ctx = &sim->contexts.current->part_context[info->event < 0 ? 0 : sim->plan->event[info->event].part];
    }
}
