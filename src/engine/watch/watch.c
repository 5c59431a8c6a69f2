/* Watches: functions of the host that end an advance where they reach zero from below.
 *
 * An armed watch is a witness like those of the plan, behind them: the same search finds where it crosses, on the same
 * dense output, and it is stored by the same rule. It has no handler: it ends the call, is disarmed, and stays known
 * until the host removes it, so that a save in which it is armed can be loaded.
 *
 * A witness crosses by flow only. What turns true otherwise, by an update, an edit or a start, is found at x+: there
 * all watches are read if anything but flow has changed. So at each x- and x+ an armed watch is below zero. */
#include <math.h>
#include <string.h>

#include "engine/simulator.h"

static sal_status margin(const sal_system *self, const sal_context *ctx, int event, double *value) {
    const sal_watch *given = sal_system_data(self);
    (void)event;
    return given->margin(given->user, ctx, value);
}

static const sal_system_class watch_class = {.name = "watch", .witness = margin};

/* ---- their witnesses ---- */

/* The arrays may have moved. */
static void relink(sal_simulator *sim) {
    sal__watches *all = &sim->host.watches;
    sal__witness *w = sim->witnesses.item + sal__first_watch(sim);
    for (int i = 0; i < all->count; i++) {
        sal__watch *watch = &all->item[i];
        watch->system.behaviour = &watch_class;
        watch->system.data = &watch->given;
        if (watch->is_armed)
            sal__witness_set_system(w++, &watch->system);
    }
    sal__run_set_watched(sim, all->armed_count > 0);
}

/* Adds its witness as the last one. */
static void add_witness(sal_simulator *sim, sal__watch *watch) {
    sal__witness_init_watch(sim, sal__witness_append(sim), margin, watch->given.max_interval);
    sim->host.watches.armed_count++;
    watch->is_armed = true;
}

static void remove_witness(sal_simulator *sim, sal__watch *watch, int witness) {
    sal__witness_remove(sim, witness);
    sim->host.watches.armed_count--;
    watch->is_armed = false;
}

static int witness_of(const sal_simulator *sim, int watch) {
    int witness = sal__first_watch(sim);
    for (int i = 0; i < watch; i++)
        witness += sim->host.watches.item[i].is_armed;
    return witness;
}

void sal__watches_disarm(sal_simulator *sim) {
    sal__watches *all = &sim->host.watches;
    sal__witness_truncate(sim, sal__first_watch(sim));
    all->armed_count = 0;
    for (int i = 0; i < all->count; i++)
        all->item[i].is_armed = false;
    relink(sim);
}

void sal__watches_clear(sal_simulator *sim) {
    if (sim->host.watches.armed_count > 0)
        sal__watches_disarm(sim);
    sim->host.watches.count = sim->host.watches.fired_count = 0;
    sim->host.watches.last_handle = 0;
}

void sal__watches_arm(sal_simulator *sim, int64_t handle) {
    add_witness(sim, &sim->host.watches.item[sal__watch_find(sim, handle)]);
    relink(sim);
}

/* ---- adding and removing ---- */

int sal__watch_find(const sal_simulator *sim, int64_t handle) {
    const sal__watches *all = &sim->host.watches;
    int low = 0, high = all->count;
    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (all->item[mid].handle < handle)
            low = mid + 1;
        else
            high = mid;
    }
    return low < all->count && all->item[low].handle == handle ? low : -1;
}

static size_t bytes_of(int room) {
    return (size_t)room * (sizeof(sal__watch) + sizeof(int64_t));
}

/* The handles of those that fired are behind the watches. */
static void move_to(sal__watches *all, sal__watch *item, int room) {
    int64_t *fired = (int64_t *)(item + room);
    if (all->room > 0) {
        memcpy(item, all->item, (size_t)all->count * sizeof *item);
        memcpy(fired, all->fired, (size_t)all->fired_count * sizeof *fired);
    }
    all->item = item;
    all->fired = fired;
    all->room = room;
}

/* Makes room for that many watches and their witnesses, or changes nothing. */
static sal_status reserve(sal_simulator *sim, int room) {
    sal__watches *all = &sim->host.watches;
    const sal__watches old = *all;
    if (room <= old.room || room > SAL_MAX_WATCHES)
        return room <= old.room ? SAL_OK : SAL_ENOMEM;
    sal__watch *item = sal__alloc(&sim->pool.mem, bytes_of(room));
    const sal_status status = item ? sal__witnesses_make_room(sim, room - old.room) : SAL_ENOMEM;
    if (status != SAL_OK) {
        sal__free(&sim->pool.mem, item, bytes_of(room));
        return status;
    }
    move_to(all, item, room);
    sal__free(&sim->pool.mem, old.item, bytes_of(old.room));
    relink(sim);
    return SAL_OK;
}

sal_status sal__watches_new(sal_simulator *sim) {
    return reserve(sim, sim->config.watch_capacity);
}

void sal__watches_free(sal_simulator *sim) {
    sal__free(&sim->pool.mem, sim->host.watches.item, bytes_of(sim->host.watches.room));
}

static sal_status make_room(sal_simulator *sim) {
    const sal__watches *all = &sim->host.watches;
    if (all->count < all->room)
        return SAL_OK;
    return reserve(sim, all->room < 8 ? 8 : 2 * all->room);
}

/* In the order of handles. */
static sal__watch *insert(sal_simulator *sim, const sal_watch *given, int64_t handle) {
    sal__watches *all = &sim->host.watches;
    int at = all->count++;
    for (; at > 0 && all->item[at - 1].handle > handle; at--)
        all->item[at] = all->item[at - 1];
    all->item[at] = (sal__watch){.handle = handle, .given = *given};
    if (handle > all->last_handle)
        all->last_handle = handle;
    return &all->item[at];
}

static sal_status read_margin(sal_simulator *sim, const sal_watch *watch, double *value) {
    SAL__COUNT_ONE(sim, witness_evaluations);
    sal__forget_reads(sim);
    const sal_status status = watch->margin(watch->user, sim->contexts.current->part_context, value);
    return status == SAL_OK && isnan(*value) ? SAL_ENAN : status;
}

static sal_status refuse_margin(sal_simulator *sim, sal_status status) {
    const sal__number_text now = sal__time_text(sim->contexts.current->time);
    if (status == SAL_ENAN)
        return SAL__REFUSE_CALL(sim, status, "the margin of a watch is NaN at t = ", now.text,
                                "; let it return a negative number where it has no value");
    sal_note why = {.text = ""};
    sal__explain_read(sim, status, "the margin", &why);
    if (!why.text[0])
        sal__write_pieces(why.text, sizeof why.text,
                          SAL__PIECES("it returned ", sal__whole_number(status).text, ", \"", sal_status_text(status),
                                      "\"; return SAL_OK and set the value"));
    return SAL__REFUSE_CALL(sim, status, "the margin of a watch failed at t = ", now.text, ": ", why.text);
}

static sal_status add(sal_simulator *sim, const sal_watch *given, int64_t *handle) {
    double value = NAN;
    sal_status status = read_margin(sim, given, &value);
    if (status != SAL_OK)
        return refuse_margin(sim, status);
    if (value < 0)
        status = make_room(sim);
    if (status != SAL_OK)
        return status;
    *handle = 0;
    if (value >= 0)
        return SAL_OK;
    sal__watch *watch = insert(sim, given, sim->host.watches.last_handle + 1);
    add_witness(sim, watch);
    relink(sim);
    sal__witness_join_step(sim, value);
    *handle = watch->handle;
    return SAL_OK;
}

static bool is_watch(const sal_watch *watch) {
    return watch && watch->margin && watch->max_interval >= 0;
}

static sal_status refuse_watch(sal_simulator *sim) {
    return SAL__REFUSE_CALL(sim, SAL_EINVAL,
                            "a watch needs a function `margin`, a max_interval of 0 or more seconds, and "
                            "a place for its handle");
}

sal_status sal_simulator_watch(sal_simulator *sim, const sal_watch *watch, int64_t *handle) {
    if (!is_watch(watch) || !handle)
        return refuse_watch(sim);
    if (sal__begin_call(sim) != SAL_OK)
        return sal__refuse_state(sim);
    return sal__end_call(sim, add(sim, watch, handle));
}

sal_status sal_simulator_know_watch(sal_simulator *sim, const sal_watch *watch, int64_t handle) {
    if (!is_watch(watch))
        return refuse_watch(sim);
    if (handle < 1 || handle > SAL__MAX_COUNT || sal__watch_find(sim, handle) >= 0)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "a watch cannot be known by the handle ",
                                sal__whole_number(handle).text, ": handles count from 1, and each is of one watch");
    if (!sal__at_rest(sim))
        return sal__refuse_state(sim);
    const sal_status status = make_room(sim);
    if (status != SAL_OK)
        return status;
    insert(sim, watch, handle);
    relink(sim);
    return SAL_OK;
}

sal_status sal_simulator_unwatch(sal_simulator *sim, int64_t handle) {
    sal__watches *all = &sim->host.watches;
    if (!sal__at_rest(sim))
        return sal__refuse_state(sim);
    const int i = sal__watch_find(sim, handle);
    if (i < 0)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "there is no watch ", sal__whole_number(handle).text,
                                "; use a handle that sal_simulator_watch wrote");
    const bool was_armed = all->item[i].is_armed;
    if (was_armed)
        remove_witness(sim, &all->item[i], witness_of(sim, i));
    all->count--;
    memmove(&all->item[i], &all->item[i + 1], (size_t)(all->count - i) * sizeof *all->item);
    relink(sim);
    return was_armed ? SAL_OK : SAL_ETIME;
}

int sal_simulator_fired_watches(const sal_simulator *sim, const int64_t **handle) {
    *handle = sim->host.watches.fired;
    return sim->host.watches.fired_count;
}

/* ---- a copy ---- */

void sal__watches_set_private(sal_simulator *sim) {
    sim->host.watches.are_private = true;
}

sal_status sal__watches_reserve_copy(sal_simulator *to, const sal_simulator *from) {
    const sal__watches *all = &from->host.watches;
    int unknown = 0;
    for (int i = 0; i < all->count; i++)
        unknown += all->item[i].is_armed && sal__watch_find(to, all->item[i].handle) < 0;
    if (unknown == 0)
        return SAL_OK;
    return all->are_private ? SAL_EWATCH : reserve(to, to->host.watches.count + unknown);
}

/* They are armed in the order of their handles. */
static void arm_as(sal_simulator *to, const sal__watches *had) {
    for (int i = 0; i < had->count; i++)
        if (had->item[i].is_armed && sal__watch_find(to, had->item[i].handle) < 0)
            insert(to, &had->item[i].given, had->item[i].handle);
    sal__watches_disarm(to);
    for (int i = 0; i < had->count; i++)
        if (had->item[i].is_armed)
            add_witness(to, &to->host.watches.item[sal__watch_find(to, had->item[i].handle)]);
    relink(to);
}

void sal__watches_copy(sal_simulator *to, const sal_simulator *from) {
    sal__watches *all = &to->host.watches;
    const sal__watches *had = &from->host.watches;
    if (had->last_handle > all->last_handle)
        all->last_handle = had->last_handle;
    if (all->armed_count > 0 || had->armed_count > 0)
        arm_as(to, had);
    all->is_stale = had->is_stale && had->armed_count > 0;
    all->may_be_fast = had->may_be_fast;
}

/* ---- firing ---- */

/* Disarms those that fired, and lists them. */
static void take_fired(sal_simulator *sim) {
    sal__watches *all = &sim->host.watches;
    int witness = sal__first_watch(sim);
    for (int i = 0; i < all->count; i++) {
        sal__watch *watch = &all->item[i];
        if (!watch->is_armed)
            continue;
        if (!sim->witnesses.item[witness].has_fired) {
            witness++;
            continue;
        }
        remove_witness(sim, watch, witness);
        all->fired[all->fired_count++] = watch->handle;
    }
    if (all->fired_count == 0)
        return;
    relink(sim);
    sim->result.report->reason = SAL_AT_WATCH;
}

/* What is true at x+ has fired. */
static sal_status read_all(sal_simulator *sim) {
    for (int i = sal__first_watch(sim); i < sim->witnesses.count; i++) {
        double value = 0;
        if (sim->witnesses.item[i].has_fired)
            continue;
        const sal_status status = sal__event_value(sim, &sim->witnesses.item[i], &value);
        if (status != SAL_OK)
            return sal__witness_report(sim, i, status);
        if (value >= 0)
            sal__witness_add_fired(sim, i);
    }
    sim->host.watches.is_stale = false;
    return SAL_OK;
}

void sal__watches_end_update(sal_simulator *sim) {
    if (sim->host.watches.is_stale && read_all(sim) != SAL_OK)
        return;
    if (sim->witnesses.fired_count > 0)
        take_fired(sim);
}

void sal__watches_end_step(sal_simulator *sim) {
    if (!sal__has_failed(sim) && sim->witnesses.fired_count > 0)
        take_fired(sim);
}
