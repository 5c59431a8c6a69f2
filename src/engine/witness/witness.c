/* Witnesses: arming, crossings, surfaces.
 *
 * Drake's half-open rule holds on each piece of a step: from a value that is not zero to one that is zero or beyond. A
 * witness that fired and is left on or beyond its surface is compared with the value it was left at, until it has been
 * on the side it came from, or farther. So one crossing never fires twice, and a bounce that never gets above the
 * floor again still fires. */
#include <math.h>
#include <string.h>

#include "crossing.h"

/* The next value arms it. The record of its firings remains: a guard that is false in between does not end it. */
static void disarm(sal__witness *w) {
    w->on_surface = w->has_fired = w->needs_rearm = w->flow_changed = w->turned_by_feed = w->moved_by_handler =
        w->may_have_turned = false;
}

/* As after initialize. */
static void start(sal__witness *w, double now) {
    disarm(w);
    sal__witness_forget_time(w);
    sal__zeno_reset(w, now);
}

void sal__witness_start(sal_simulator *sim) {
    for (int i = 0; i < sim->witnesses.capacity; i++) {
        start(&sim->witnesses.item[i], sim->contexts.current->time);
        sim->witnesses.item[i].is_active = false;
        sal__zeno_set_count(&sim->witnesses.item[i], 0);
    }
    sim->witnesses.updated_since_armed = sim->witnesses.end_values_valid = false;
    sim->witnesses.longest_look = 0;
    sim->witnesses.next_phase_check = 0;
    sal__watches_start(sim);
    sim->witnesses.active_count = sim->witnesses.fired_count = sim->witnesses.handled_count =
        sim->witnesses.armed_count = 0;
    sal__crossings_sort(sim, 0);
}

sal_status sal__witness_report(sal_simulator *sim, int i, sal_status status) {
    static const char *const texts[] = {"the witness returned NaN; let its `when` be false where it has no value",
                                        "a watch returned NaN; let it return a negative number where it has no value"};
    const int event = sim->witnesses.item[i].info.event;
    sim->witnesses.failed = i;
    return status == SAL_ENAN ? sal__report_at(sim, status, event, texts[event < 0])
                              : sal__report_callback(sim, status, event, event < 0 ? "a watch" : "witness");
}

/* ---- arming ---- */

/* A witness whose guard flow may change is always followed: the guard is evaluated where the witness crosses. */
static sal_status evaluate_guard(const sal_simulator *sim, sal__witness *w) {
    w->is_active = w->info.direction != SAL_NEVER;
    const bool ask = w->info.has_guard && !w->info.guard_can_flow && w->is_active;
    return ask ? sal__event_guard(sim, w->info.event, &w->is_active) : SAL_OK;
}

/* It came to zero from its side, not in its direction: another witness fired there and turned the flow. Going on to
 * that side is a crossing. */
static void set_surface_after_flow_change(sal__witness *w, double was) {
    if (!(w->flow_changed && w->w0 == 0 && was != 0))
        return;
    w->on_surface = true;
    w->armed_side = was > 0 ? 1 : -1;
    w->surface_level = 0;
}

/* The flow left the surface towards the armed side by less than rounding, and then there were updates. */
static bool may_have_turned(const sal__witness *w, double was, double slope) {
    return w->flow_changed && w->surface_level == 0 && was == 0 && w->w0 == 0 && slope * w->armed_side > 0;
}

/* Did updates move it farther over? Then it is beyond its surface, not on it: zero counts for it, as for any other.
 * What a projection onto constraints moves is far less than a step does. */
static bool is_moved_over(const sal_simulator *sim, const sal__witness *w, double was) {
    const double moved = fabs(w->w0) - 2 * fabs(w->surface_level);
    return moved > (sim->projection ? 1e-3 : 1e-6) * sal__max(fabs(was), fabs(w->w1));
}

/* Updates changed states, but the witness reads what it did before: it is the past that moves it. */
static bool reads_the_same(const sal_simulator *sim, const sal__witness *w) {
    return sal__has_delays(sim) && fabs(w->w0 - w->crossing_value) <= 1e-6 * fabs(w->crossing_value);
}

/* A delayed jump took it to zero or far beyond, and no handler moved it from there. It has no surface to come back to:
 * it fires again after it has been on its near side. */
static bool has_landed_beyond(const sal_simulator *sim, const sal__witness *w) {
    return w->has_jumped && (!w->moved_by_handler || reads_the_same(sim, w)) &&
           fabs(w->w0) >= 0.5 * fabs(w->crossing_value);
}

static bool moved_clearly(const sal_simulator *sim) {
    return sal__moves_clearly(sim, sim->contexts.current->time - sal_integrator_start_time(sim->integrator));
}

/* A witness that stayed at zero for a step, from `was`, has no side that it could come back from: leaving zero is no
 * crossing. */
static bool has_rested(const sal_simulator *sim, const sal__witness *w, double was, double is) {
    return was == 0 && is == 0 && w->surface_level == 0 && moved_clearly(sim);
}

/* The step was so short that it hardly moved the state, and the witness reads its level still, wherever it goes. */
static bool has_not_left(const sal_simulator *sim, const sal__witness *w, double was) {
    return was == w->surface_level && w->w0 == was && !moved_clearly(sim);
}

/* On the surface while between the level it was left at and zero. */
static void update_surface(const sal_simulator *sim, sal__witness *w, double was, double slope) {
    if (sal__finds_turning(w)) { /* has none */
        w->needs_rearm = false;
    } else if (w->needs_rearm) {
        w->on_surface = w->w0 * w->armed_side <= 0 && !is_moved_over(sim, w, was) && !has_landed_beyond(sim, w);
        w->surface_level = w->w0;
        w->needs_rearm = false;
    } else if (w->on_surface) {
        const bool stays = sal__stays_on_surface(w, was, slope, w->w0) || has_not_left(sim, w, was);
        w->on_surface = stays && !has_rested(sim, w, was, w->w0);
        w->may_have_turned = sim->witnesses.updated_since_armed && may_have_turned(w, was, slope);
    } else {
        set_surface_after_flow_change(w, was);
    }
    w->flow_changed = w->flow_changed && w->on_surface;
    w->moved_by_handler = w->moved_by_handler && w->on_surface;
    w->turned_by_feed = false;
}

/* In the rest of a step only what fired or has just become active is new. */
static bool is_new(const sal_simulator *sim, sal__witness *w, bool was_active) {
    w->end_unread = !sim->flow.interrupted_step.is_pending || !was_active;
    return w->end_unread || w->needs_rearm;
}

/* The usual case: nothing happened since the last step, whose end is this one's start. Arms those from `k` on
 * that it fits, and returns the first that it does not. */
static int arm_unchanged(sal_simulator *sim, int k) {
    int *active = sim->witnesses.active + sim->witnesses.active_count, without_slope = 0;
    const int first = k, end = sim->witnesses.count;
    for (sal__witness *w = sim->witnesses.item + k; k < end; k++, w++) {
        if (!w->is_active | w->info.has_guard | w->needs_rearm | w->on_surface)
            break;
        w->w0 = w->w1;
        w->s0 = w->s1;
        w->end_unread = true;
        without_slope += isnan(w->s1);
        *active++ = k;
    }
    sim->witnesses.active_count += k - first;
    sim->witnesses.without_slope += without_slope;
    return k;
}

static sal_status arm_witness(sal_simulator *sim, int i) {
    sal__witness *w = &sim->witnesses.item[i];
    const bool was_active = w->is_active;
    const double was = was_active ? w->w0 : 0, slope = w->s0;
    sal_status status = evaluate_guard(sim, w);
    if (status != SAL_OK)
        w->is_active = was_active;
    if (status != SAL_OK || !w->is_active)
        return status;
    if (!was_active) {
        disarm(w);
        sal__witness_request_time_check(sim, w);
    }
    if (!is_new(sim, w, was_active))
        return SAL_OK;
    sim->witnesses.active[sim->witnesses.active_count++] = i;
    if (sim->witnesses.end_values_valid && was_active) {
        w->w0 = w->w1;
        w->s0 = w->on_surface && w->s1 == 0 ? NAN : w->s1; /* a step of a few ulp shows none: by the next one */
    } else {
        status = sal__guarded_value(sim, w, &w->w0);
        w->s0 = NAN;
        if (sim->witnesses.updated_since_armed && status == SAL_OK && !w->needs_rearm && !w->on_surface)
            sal__warn_about_jump(sim, w, was);
    }
    if (status == SAL_OK) {
        sim->witnesses.without_slope += isnan(w->s0);
        update_surface(sim, w, was, slope);
    } else {
        w->is_active = was_active;
        sim->witnesses.active_count--;
    }
    return status;
}

void sal__witness_activate(sal_simulator *sim, int witness, double w0) {
    sal__witness *w = &sim->witnesses.item[witness];
    int at = sim->witnesses.active_count++;
    for (; at > 0 && sim->witnesses.active[at - 1] > witness; at--)
        sim->witnesses.active[at] = sim->witnesses.active[at - 1];
    sim->witnesses.active[at] = witness;
    sim->witnesses.without_slope++;
    disarm(w);
    sal__witness_request_time_check(sim, w);
    w->is_active = w->end_unread = true;
    w->w0 = w0;
    w->s0 = NAN;
}

void sal__witness_deactivate(sal_simulator *sim, int witness) {
    int kept = 0;
    for (int k = 0; k < sim->witnesses.active_count; k++)
        if (sim->witnesses.active[k] != witness)
            sim->witnesses.active[kept++] = sim->witnesses.active[k];
    sim->witnesses.active_count = kept;
    sim->witnesses.item[witness].is_active = false;
}

void sal__witness_discard_slopes(sal_simulator *sim) {
    for (int k = 0; k < sim->witnesses.active_count; k++)
        sim->witnesses.item[sim->witnesses.active[k]].s0 = NAN;
    sim->witnesses.without_slope = sim->witnesses.active_count;
}

/* A step that failed is taken again from what was known at its start: what has come through stays. */
sal_status sal__witness_arm(sal_simulator *sim) {
    const bool few = sim->flow.interrupted_step.is_pending &&
                     sim->witnesses.guarded_count == 0; /* nothing but those that fired can be new */
    const int count = few ? sim->witnesses.handled_count : sim->witnesses.count;
    const bool as_before = sim->witnesses.end_values_valid && !sim->flow.interrupted_step.is_pending;
    if (sim->witnesses.armed_count == 0) {
        sim->witnesses.active_count = sim->witnesses.without_slope = 0;
        sim->witnesses.time_check_due = false;
        sim->witnesses.previous_step_size =
            as_before ? sim->contexts.current->time - sal_integrator_start_time(sim->integrator) : NAN;
    }
    if (sim->witnesses.armed_count > 0 || !sim->flow.interrupted_step.is_pending)
        sal__crossings_clear(sim);
    for (int k = sim->witnesses.armed_count;; k++) {
        sim->witnesses.armed_count = k = as_before ? arm_unchanged(sim, k) : k;
        if (k >= count)
            break;
        const int i = few ? sim->witnesses.handled[k] : k;
        const sal_status status = arm_witness(sim, i);
        if (status != SAL_OK)
            return sal__witness_report(sim, i, status);
    }
    sim->witnesses.handled_count = 0;
    sim->witnesses.updated_since_armed = false;
    return SAL_OK;
}

/* ---- firing ---- */

sal_status sal__witness_fire(sal_simulator *sim, double t0, double t1, double t_event, double window) {
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        const int i = sim->witnesses.fired[k];
        const sal_status status = sal__zeno_look(sim, &sim->witnesses.item[i], t_event);
        if (status != SAL_OK)
            return sal__witness_report(sim, i, status);
    }
    memcpy(sim->contexts.pre_step->block, sim->contexts.current->block,
           (size_t)sim->contexts.current->block_size * sizeof(double));
    sal__context_data_touch(sim->contexts.pre_step);
    sal__context_data_look(sim->contexts.pre_step, t0, NULL);
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        sal__witness *w = &sim->witnesses.item[sim->witnesses.fired[k]];
        w->t0 = t0, w->t1 = t1;
        w->armed_side = w->crossing_side;
        w->surface_level = w->crossing_value;
        sal__zeno_record_firing(sim, w, t_event, window);
    }
    return SAL_OK;
}

sal_status sal__witness_filter_fired(sal_simulator *sim, sal__fired_filter stays, const void *user, bool disarms) {
    int kept = 0;
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        const int i = sim->witnesses.fired[k];
        sal__witness *w = &sim->witnesses.item[i];
        const sal_status status = stays(sim, user, w, &w->has_fired);
        if (status != SAL_OK)
            return sal__witness_report(sim, i, status);
        if (w->has_fired)
            sim->witnesses.fired[kept++] = i;
        else if (disarms) {
            disarm(w);
            w->is_active = false;
        }
    }
    sim->witnesses.fired_count = kept;
    return SAL_OK;
}

void sal__witness_cancel(sal_simulator *sim) {
    while (sim->witnesses.fired_count > 0) {
        const int i = sim->witnesses.fired[--sim->witnesses.fired_count];
        sim->witnesses.item[i].has_fired = false;
        if (sim->witnesses.item[i].info.condition < 0)
            sal__crossing_insert(sim, i);
    }
}

sal_status sal__witness_record_values(sal_simulator *sim) {
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        const int i = sim->witnesses.fired[k];
        sal__witness *w = &sim->witnesses.item[i];
        const bool looks = w->info.direction == SAL_CROSSING;
        const sal_status status = looks ? sal__guarded_value(sim, w, &w->surface_level) : SAL_OK;
        if (status == SAL_ENAN)
            w->surface_level = 0;
        else if (status != SAL_OK)
            return sal__witness_report(sim, i, status);
    }
    return SAL_OK;
}

void sal__witness_collect(sal_simulator *sim, sal_kind kind) {
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        const sal__witness *w = &sim->witnesses.item[sim->witnesses.fired[k]];
        if (sal__witness_kind(w) == kind)
            sal__dispatch_add(sim, w->info.event, w->firings.count, sim->witnesses.fired[k]);
    }
}

void sal__witness_rearm(sal_simulator *sim, bool publishes) {
    int kept = 0;
    for (int k = 0; k < sim->witnesses.fired_count; k++) {
        const int i = sim->witnesses.fired[k];
        sal__witness *w = &sim->witnesses.item[i];
        const int kind = (int)sal__witness_kind(w);
        if (publishes ? kind > SAL_PUBLISH : kind <= SAL_PUBLISH || kind > SAL_UNRESTRICTED) {
            sim->witnesses.fired[kept++] = i;
            continue;
        }
        if (w->firings.is_zeno) {
            start(w, sim->contexts.current->time);
            w->is_active = false; /* looked at anew, even in the rest of this step */
        } else
            w->needs_rearm = true;
        w->has_fired = w->moved_by_handler = false;
        if (w->info.condition < 0)
            sim->witnesses.handled[sim->witnesses.handled_count++] = i;
    }
    sim->witnesses.fired_count = kept;
}

/* -1: that of a watch, which may read any part. */
static int part_of(const sal_simulator *sim, const sal__witness *w) {
    return w->info.event >= 0 ? sim->plan->event[w->info.event].part : -1;
}

static bool is_moved(const sal_simulator *sim, const sal__witness *w, int moved) {
    const int part = part_of(sim, w);
    return part >= 0 ? sim->schedule.is_affected[part] : moved > 0;
}

/* Updates that changed continuous state moved the witnesses there and downstream, whatever later ones of the instant
 * do. For all others, they changed the flow at most. */
static void note_moves(sal_simulator *sim) {
    const int *written = NULL, moved = sal__moved_parts(sim, sim->transaction.moved_part);
    sal__mark_affected(sim, sim->transaction.moved_part, moved);
    for (int k = 0; k < sim->witnesses.handled_count; k++) {
        sal__witness *w = &sim->witnesses.item[sim->witnesses.handled[k]];
        w->moved_by_handler = w->moved_by_handler || is_moved(sim, w, moved);
        w->flow_changed = w->flow_changed && !w->moved_by_handler;
    }
    if (moved > 0 && moved == sal__written_parts(sim, &written))
        return;
    for (int i = 0; i < sim->witnesses.count; i++) {
        sal__witness *w = &sim->witnesses.item[i];
        w->flow_changed = is_moved(sim, w, moved) ? w->flow_changed : !w->moved_by_handler && !w->turned_by_feed;
    }
}

void sal__witness_note_update(sal_simulator *sim) {
    sim->witnesses.updated_since_armed = true;
    if (sim->witnesses.handled_count == 0)
        return;
    sal__witness *w = &sim->witnesses.item[sim->witnesses.handled[0]];
    if (sim->witnesses.handled_count > 1 || !sal__moved_only(sim, part_of(sim, w))) {
        note_moves(sim);
        return;
    }
    w->moved_by_handler = true;
    w->flow_changed = false;
}

void sal__witness_note_flow_change(sal_simulator *sim, bool by_feed) {
    for (int i = 0; i < sim->witnesses.count; i++) {
        sal__witness *w = &sim->witnesses.item[i];
        w->on_surface = w->on_surface && (w->needs_rearm || !has_rested(sim, w, w->w0, w->w1));
        const bool leaves_zero = by_feed && w->surface_level == 0;
        w->flow_changed = !w->moved_by_handler && (w->on_surface || w->needs_rearm) && !leaves_zero;
        w->turned_by_feed = w->has_fired && leaves_zero;
    }
}
