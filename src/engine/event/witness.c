/* Witnesses: arming, crossings, surfaces.
 *
 * The seed's half-open rule holds on each piece of a step: from a value that is
 * not zero to one that is zero or beyond. A witness that fired and is left on or
 * beyond its surface is compared with the value it was left at, until it has
 * been on the side it came from, or farther. So one crossing never fires twice,
 * and a bounce that never gets above the floor again still fires. */
#include <math.h>
#include <string.h>

#include "engine/simulator.h"

void sal__witness_disarm(sal__witness *w) {
    w->surface = w->fired = w->settle = w->turned = w->thrown = false;
}

/* As after initialize. */
static void start(sal__witness *w, double now) {
    sal__witness_disarm(w);
    sal__accumulation_start(w, now);
}

void sal__witness_start(sal_simulator *sim) {
    for (int i = 0; i < sim->witness_cap; i++) {
        start(&sim->witness[i], sim->run->time);
        sim->witness[i].active = false;
        sim->witness[i].firings = 0;
    }
    sim->jumped = false;
    sim->looks = sim->crossings = sim->waiting = sim->lefts = sim->armed = 0;
    sim->values_hold = false;
    sim->last_event = sim->short_of = NAN;
    sim->apart = INFINITY;
}

/* Nothing flows in its part, and in nothing that feeds it. */
static bool is_timed(const sal__plan *plan, const sal__part *part) {
    bool timed = sal__flows(part->system) == 0;
    for (int k = 0; timed && k < part->inputs; k++) {
        const int source = plan->sink[part->input_at + k].source;
        timed = source < 0 || plan->source[source].timed;
    }
    return timed;
}

/* Some input does not stand still. One without inputs is taken to move by itself. */
static bool is_moved(const sal__plan *plan, const sal__part *part) {
    bool moved = part->inputs == 0;
    for (int k = 0; !moved && k < part->inputs; k++) {
        const sal__sink *sink = &plan->sink[part->input_at + k];
        moved = sink->source >= 0 && !sink->still;
    }
    return moved;
}

void sal__witness_describe(const sal_simulator *sim, int event, sal__witness *w) {
    const sal__planned_event *e = &sim->plan->event[event];
    w->event = event;
    w->condition = -1;
    w->system = e->system;
    w->ctx = &sim->run->window[e->part];
    w->index = e->index;
    w->kind = e->config->kind == SAL_NO_HANDLER ? SAL_PUBLISH : e->config->kind;
    w->timed = is_timed(sim->plan, &sim->plan->part[e->part]);
    w->moved = is_moved(sim->plan, &sim->plan->part[e->part]);
    w->fine = e->config->max_interval > 0 || e->config->samples > 0;
    w->max_interval = e->config->max_interval > 0 ? e->config->max_interval : INFINITY;
    w->max_share = e->config->samples > 0 ? 1.0 / e->config->samples : 1;
}

void sal__witness_make(sal_simulator *sim, int event) {
    sal__witness *w = &sim->witness[sim->witnesses++];
    sal__witness_describe(sim, event, w);
    w->value = w->system->behaviour->witness;
    w->direction = sim->plan->event[event].config->direction;
    w->guarded = sim->plan->event[event].guarded;
    w->guard_flows = sim->plan->event[event].config->when_flows;
    sim->guarded += w->guarded;
    sim->with_phases += sal__tells_phases(w);
}

sal_status sal__witness_blame(sal_simulator *sim, int i, sal_status status, sal_report *report) {
    const char *text =
        status == SAL_ENAN ? "the witness answered NaN; a `when` keeps it out of where it has no value" : NULL;
    sim->blank = i;
    return sal__blame(sim, report, status, sim->witness[i].event, text);
}

double sal__window(const sal_simulator *sim) {
    if (!sal__isolates(sim))
        return NAN;
    const sal_integrator_config *in = sal_integrator_config_of(sim->in);
    const double least = sal_integrator_working_minimum(sim->in, sim->run->time);
    if (!isnan(sim->config.isolation_window))
        return sal__max(sim->config.isolation_window, least);
    const double accuracy =
        isnan(sim->config.context_accuracy) ? sal_integrator_accuracy_in_use(sim->in) : sim->config.context_accuracy;
    return sal__max(0.01 * accuracy * (in->fixed_step ? in->max_step : sim->config.characteristic_time), least);
}

/* ---- arming ---- */

/* One whose guard flow may change is followed whatever that says: it is asked where the witness crosses. */
static sal_status ask_guard(sal__witness *w) {
    w->active = w->direction != SAL_NEVER;
    return w->guarded && !w->guard_flows && w->active ? sal__guard_ask(w, &w->active) : SAL_OK;
}

/* It came to zero from its side, not in its direction: another witness fired there and turned the flow. Going on to
 * that side is a crossing. */
static void settle_turned(sal__witness *w, double was) {
    if (!(w->turned && w->w0 == 0 && was != 0))
        return;
    w->surface = true;
    w->near = was > 0 ? 1 : -1;
    w->level = 0;
}

/* On the surface while between the level it was left at and zero. */
static void settle(sal__witness *w, double was, double slope) {
    if (w->direction == SAL_TURNING) { /* has none */
        w->settle = false;
    } else if (w->settle) {
        w->surface = w->w0 * w->near <= 0;
        w->level = w->w0;
        w->settle = false;
    } else if (w->surface) {
        w->surface = sal__stays_on_surface(w, was, slope, w->w0);
    } else {
        settle_turned(w, was);
    }
    w->turned = w->turned && w->surface;
    w->thrown = w->thrown && w->surface;
}

/* In the rest of a step only what fired or has just become active is new. */
static bool is_new(const sal_simulator *sim, sal__witness *w, bool was_active) {
    w->end_unknown = !sim->rest.there || !was_active;
    return w->end_unknown || w->settle;
}

/* The usual case: nothing happened since the last step, whose end is this one's start. Arms those from `k` on
 * that it fits, and answers the first that it does not. */
static int go_on(sal_simulator *sim, int k) {
    int *looking = sim->looking + sim->looks, slopeless = 0;
    const int first = k, end = sim->witnesses;
    for (sal__witness *w = sim->witness + k; k < end; k++, w++) {
        if (!w->active | w->guarded | w->settle | w->surface)
            break;
        w->w0 = w->w1;
        w->s0 = w->s1;
        w->end_unknown = true;
        slopeless += isnan(w->s1);
        *looking++ = k;
    }
    sim->looks += k - first;
    sim->slopeless += slopeless;
    return k;
}

/* Only flow crosses: what an update has carried to the other side fires nothing. Whoever did not mean that is told. A
 * part whose next_time is asked after updates can see to it itself, as blocks do. */
static void warn_of_jump(sal_simulator *sim, const sal__witness *w, double was) {
    const sal_event_config *events = w->system->events.item;
    if (!sal_witness_should_trigger(w->direction, was, w->w0))
        return;
    for (int i = 0; i < w->system->events.count; i++)
        if (events[i].trigger == SAL_ON_TIME && events[i].time_variable < 0)
            return;
    sal__warn(
        sim, sim->plan->event[w->event].part, w->index, -1, "jump",
        "has a witness that an update has moved to the other side of zero, which fires nothing: only flow crosses; "
        "`becomes` fires where something turns true, by flow or by an update");
}

static sal_status arm_one(sal_simulator *sim, int i) {
    sal__witness *w = &sim->witness[i];
    const bool was_active = w->active;
    const double was = was_active ? w->w0 : 0, slope = w->s0;
    sal_status status = ask_guard(w);
    if (status != SAL_OK)
        w->active = was_active;
    if (status != SAL_OK || !w->active)
        return status;
    if (!was_active)
        sal__witness_disarm(w);
    if (!is_new(sim, w, was_active))
        return SAL_OK;
    sim->looking[sim->looks++] = i;
    if (sim->values_hold && was_active) {
        w->w0 = w->w1;
        w->s0 = w->surface && w->s1 == 0 ? NAN : w->s1; /* a step of a few ulp shows none: by the next one */
    } else {
        status = sal__guarded_value(sim, w, &w->w0);
        w->s0 = NAN;
        if (sim->jumped && status == SAL_OK && !w->settle && !w->surface)
            warn_of_jump(sim, w, was);
    }
    if (status == SAL_OK) {
        sim->slopeless += isnan(w->s0);
        settle(w, was, slope);
    } else {
        w->active = was_active;
        sim->looks--;
    }
    return status;
}

/* Where those that are looked at cross in this step is to be found, again when the step failed. */
static void forget_crossings(sal_simulator *sim) {
    for (int k = 0; k < sim->looks; k++)
        sim->witness[sim->looking[k]].theta = 2;
    int kept = 0;
    for (int k = 0; sim->rest.there && k < sim->crossings; k++)
        if (sim->witness[sim->crossing[k]].theta <= 1)
            sim->crossing[kept++] = sim->crossing[k];
    sim->crossings = kept;
}

/* A step that failed is taken again from what was known at its start: what has come through stays. */
sal_status sal__witness_arm(sal_simulator *sim, sal_report *report) {
    const bool few = sim->rest.there && sim->guarded == 0; /* nothing but those that fired can be new */
    const int count = few ? sim->lefts : sim->witnesses;
    const bool as_before = sim->values_hold && !sim->rest.there;
    if (sim->armed == 0) {
        sim->looks = sim->slopeless = 0;
        sim->last_step = as_before ? sim->run->time - sal_integrator_start_time(sim->in) : NAN;
    }
    if (sim->armed > 0 || !sim->rest.there)
        forget_crossings(sim);
    for (int k = sim->armed;; k++) {
        sim->armed = k = as_before ? go_on(sim, k) : k;
        if (k >= count)
            break;
        const int i = few ? sim->left[k] : k;
        const sal_status status = arm_one(sim, i);
        if (status != SAL_OK)
            return sal__witness_blame(sim, i, status, report);
    }
    sim->lefts = 0;
    sim->jumped = false;
    return SAL_OK;
}

/* ---- firing ---- */

void sal__witness_fire(sal_simulator *sim, double t0, double t1, double t_event, double window) {
    memcpy(sim->before->block, sim->run->block, (size_t)sim->run->words * sizeof(double));
    sal__store_touch(sim->before);
    sal__store_look(sim->before, t0, NULL);
    for (int k = 0; k < sim->waiting; k++) {
        sal__witness *w = &sim->witness[sim->fired[k]];
        w->t0 = t0;
        w->t1 = t1;
        w->near = w->from;
        sal__accumulation_note(sim, w, t_event, window);
    }
}

void sal__witness_unfire(sal_simulator *sim) {
    while (sim->waiting > 0) {
        const int i = sim->fired[--sim->waiting];
        sim->witness[i].fired = false;
        if (sim->witness[i].condition >= 0)
            continue;
        int at = sim->crossings++;
        for (; at > 0 && sim->witness[sim->crossing[at - 1]].theta < sim->witness[i].theta; at--)
            sim->crossing[at] = sim->crossing[at - 1];
        sim->crossing[at] = i;
    }
}

void sal__witness_collect(sal_simulator *sim, sal_kind kind) {
    for (int k = 0; k < sim->waiting; k++) {
        const sal__witness *w = &sim->witness[sim->fired[k]];
        if (sal__witness_kind(w) == kind)
            sal__dispatch_add(sim, w->event, w->firings, sim->fired[k]);
    }
}

void sal__witness_handled(sal_simulator *sim, bool publishes) {
    int kept = 0;
    for (int k = 0; k < sim->waiting; k++) {
        const int i = sim->fired[k];
        sal__witness *w = &sim->witness[i];
        if ((sal__witness_kind(w) <= SAL_PUBLISH) != publishes) {
            sim->fired[kept++] = i;
            continue;
        }
        if (w->zeno) {
            start(w, sim->run->time);
            w->active = false; /* looked at anew, even in the rest of this step */
        } else
            w->settle = true;
        w->fired = false;
        if (w->condition < 0)
            sim->left[sim->lefts++] = i;
    }
    sim->waiting = kept;
}

void sal__witness_updated(sal_simulator *sim) {
    if (sim->lefts == 0)
        return;
    const bool moved = sal__stage_moved(sim);
    for (int k = 0; k < sim->lefts; k++) {
        sal__witness *w = &sim->witness[sim->left[k]];
        w->thrown = moved;
        w->turned = w->turned && !moved;
    }
    for (int i = 0; i < sim->witnesses && !moved; i++)
        sim->witness[i].turned = !sim->witness[i].thrown;
}

void sal__witness_turned(sal_simulator *sim) {
    for (int i = 0; i < sim->witnesses; i++) {
        sal__witness *w = &sim->witness[i];
        w->turned = !w->thrown && (w->surface || w->settle);
    }
}
