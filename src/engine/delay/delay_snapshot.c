/* Discontinuities and sites in a snapshot of the run. */
#include <math.h>

#include "delay.h"

static void archive_site(sal__archive *a, const sal__influence *table, sal__delay_site *s) {
    sal__real_not_nan(a, &s->start);
    sal__real_not_nan(a, &s->end);
    sal__real_not_nan(a, &s->lag);
    sal__real_not_nan(a, &s->smooth_from);
    sal__real_not_nan(a, &s->smooth_to);
    sal__real_not_nan(a, &s->at_break);
    sal__rule(a, sal__is_past(table, sal__int64(a, &s->history, 0, INT64_MAX)));
    sal__int(a, &s->kind, SAL__HISTORY_STATE, SAL__HISTORY_INPUT);
    sal__int(a, &s->order, 0, SAL__SMOOTH);
    sal__int(a, &s->order_before, 0, SAL__SMOOTH);
    sal__flag(a, &s->reads_rate);
    sal__flag(a, &s->has_constant_lag);
    sal__flag(a, &s->ignores_self);
    sal__flag(a, &s->at_right_of_break);
}

/* Fields that the next step computes anew. */
static void settle_site(sal__delay_site *s) {
    s->read_at = s->end;
    s->exit_end = NAN;
    s->last_evaluation = 0;
    s->reader = (sal_delay_reader){0, false};
}

static void archive_sites(sal__archive *a, sal__delay_state *m) {
    const int sites = sal__int(a, &m->sites.count, 0, SAL__MAX_SITES);
    sal__may_take(a, (size_t)(SAL__MAX_SITES - sites) * sizeof(sal__delay_site));
    for (int i = 0; i < sites && !a->is_bad; i++) {
        archive_site(a, &m->influence, &m->sites.item[i]);
        if (a->mode == SAL__READ)
            settle_site(&m->sites.item[i]);
    }
    sal__int(a, &m->bounds.arriving_site, -1, SAL__MAX_SITES - 1);
}

void sal__delays_archive(sal__archive *a, sal_simulator *sim, int *count) {
    sal__delay_state *m = sim->delay_state;
    if (!m)
        return;
    if (a->mode == SAL__READ)
        sal__past_readers_forget(m);
    sal__rule(a, sal__real(a, &m->bounds.shortest_wait) > 0); /* a step may be as long */
    sal__real_not_nan(a, &m->bounds.step_end);
    sal__real_not_nan(a, &m->bounds.kink);
    sal__flag(a, &m->has_pending_jump);
    sal__discontinuities_archive(a, m, count);
    archive_sites(a, m);
}

bool sal__is_history(const sal_simulator *sim, int slot) {
    const int part = sim->plan->slot_part[slot];
    return sal__has_history(sim, part) &&
           slot == sim->plan->part[part].slot_at + sim->plan->part[part].system->history.slot;
}

bool sal__history_archive(sal__archive *a, sal_simulator *sim, int slot, size_t bytes, sal_status *status) {
    if (!sal__is_history(sim, slot))
        return false;
    if (a->mode == SAL__WRITE)
        sal__history_write(a, sim->contexts.current->slot[slot]);
    else if (a->mode == SAL__CHECK && !a->is_bad)
        *status = sal__history_load(a, sim->contexts.lookup->slot[slot], bytes);
    else
        sal__archive_step(a, SAL__FIELD_BYTES, bytes);
    if (*status != SAL_OK)
        sal__archive_spoil(a);
    return true;
}

void sal__delays_copy(sal_simulator *to, const sal_simulator *from) {
    const sal__delay_state *had = from->delay_state;
    sal__delay_state *m = to->delay_state;
    if (!m)
        return;
    sal__past_readers_forget(m);
    m->bounds.shortest_wait = had->bounds.shortest_wait;
    m->bounds.step_end = had->bounds.step_end;
    m->bounds.kink = had->bounds.kink;
    m->bounds.arriving_site = had->bounds.arriving_site;
    m->has_pending_jump = had->has_pending_jump;
    sal__discontinuities_copy(m, had);
    m->sites.count = had->sites.count;
    for (int i = 0; i < had->sites.count; i++) {
        m->sites.item[i] = had->sites.item[i];
        settle_site(&m->sites.item[i]);
    }
}
