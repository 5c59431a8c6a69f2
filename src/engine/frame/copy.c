/* A run as it is in another simulator of the same system: what a snapshot of it would restore, without the bytes.
 *
 * Each owner of saved fields has a function ..._copy beside its ..._archive. After a copy, both runs have the same
 * snapshot; copy_test.c compares them for all models, and the fuzzers after any calls. */
#include <string.h>

#include "engine/simulator.h"
#include "numerics/integrator/integrator_snapshot.h"

bool sal__simulators_are_alike(const sal_simulator *a, const sal_simulator *b) {
    if (a->plan == b->plan)
        return sal__integrator_is_alike(a->integrator, b->integrator);
    bool same = a->plan->layout_hash == b->plan->layout_hash;
    for (int i = 0; same && i < a->plan->slot_count; i++)
        same = sal__slot_of(a->plan, i)->type == sal__slot_of(b->plan, i)->type;
    return same && sal__integrator_is_alike(a->integrator, b->integrator);
}

/* Into the lookup context, which is unused between calls. Functions of the host copy them, so neither run may be moved
 * meanwhile; marking the other one as read is all that changes in it. */
static sal_status copy_slots(sal_simulator *to, const sal_simulator *from) {
    sal_simulator *const source = (sal_simulator *)(uintptr_t)from;
    sal_status status = to->plan->slot_count > 0 ? sal__begin_reading(source) : SAL_OK;
    if (status != SAL_OK || to->plan->slot_count == 0)
        return status;
    for (int i = 0; status == SAL_OK && i < to->plan->slot_count; i++)
        status = sal__slot_of(to->plan, i)->type->assign(to->contexts.lookup->slot[i], from->contexts.current->slot[i]);
    return sal__end_reading(source, status);
}

/* Everything that can fail, before anything of the run changes. */
static sal_status make_room(sal_simulator *to, const sal_simulator *from) {
    sal_status status = SAL_OK;
    if (from->host.watches.armed_count > 0)
        status = sal__watches_reserve_copy(to, from);
    if (status == SAL_OK && from->schedule.calendar.item_count > to->schedule.calendar.capacity)
        status = sal__schedule_reserve(to, from->schedule.calendar.item_count);
    else if (status == SAL_OK)
        status = sal__dispatch_reserve(to);
    if (status == SAL_OK && from->delay_state)
        status = sal__delays_reserve(to, from->delay_state->discontinuities.count);
    return status == SAL_OK ? copy_slots(to, from) : status;
}

static void copy_numbers(sal__context_data *to, const sal__context_data *from) {
    memcpy(to->block, from->block, (size_t)to->block_size * sizeof(double));
    to->seed = from->seed;
    sal__context_data_touch(to);
    sal__context_data_look(to, from->time, NULL);
}

static void copy_progress(sal_simulator *to, const sal_simulator *from, bool edited) {
    sal__integrator_copy(to->integrator, from->integrator);
    sal__flow_copy(to, from, edited);
    sal__last_event_copy(to, from);
    sal__witnesses_copy(to, from);
}

/* What was written to the other context since its last call will be noticed here too. */
static void copy(sal_simulator *to, const sal_simulator *from) {
    const sal__versions *writes = &from->contexts.current->versions;
    const bool edited = writes->external_writes != from->run_state.seen_external_writes;
    const bool moved = writes->external_moves != from->run_state.seen_external_moves;
    if (!to->run_state.initialized)
        sal_integrator_initialize(to->integrator);
    sal__run_copy(to, from);
    copy_numbers(to->contexts.current, from->contexts.current);
    sal__watches_copy(to, from);
    if (from->run_state.initialized)
        copy_progress(to, from, edited);
    else
        sal__forget_progress(to);
    sal__schedule_copy(to, from, edited);
    sal__delays_copy(to, from);
    sal__feeds_copy(to, from);
    if (edited)
        sal_integrator_invalidate(to->integrator);
    sal__run_see_context(to, edited, moved);
}

sal_status sal_simulator_copy(sal_simulator *to, const sal_simulator *from) {
    if (!from)
        return SAL__REFUSE_CALL(to, SAL_EINVAL, "the simulator to copy from is NULL");
    if (sal__check_usable(from) != SAL_OK || sal__begin_call(to) != SAL_OK)
        return sal__at_rest(to) && !to->contexts.is_hidden
                   ? SAL__REFUSE_CALL(to, SAL_ESTATE,
                                      "the simulator to copy from has no context, or is in the middle of a "
                                      "call; copy between calls")
                   : sal__refuse_state(to);
    if (!sal__simulators_are_alike(to, from))
        return sal__end_call(to,
                             SAL__REFUSE_CALL(to, SAL_EINVAL,
                                              "the simulator to copy from is of another system, or has an integrator "
                                              "of another configuration; make both from one system and one config"));
    if (to->host.has_stories || from->host.has_stories)
        return sal__end_call(to, SAL_ESTORY);
    if (to == from)
        return sal__end_call(to, SAL_OK);
    const sal_status status = make_room(to, from);
    if (status != SAL_OK)
        return sal__end_call(to, status);
    for (int i = 0; i < to->plan->slot_count; i++)
        sal__swap_slots(to->contexts.current, to->contexts.lookup, i);
    copy(to, from);
    return sal__end_call(to,
                         to->host.observer_count > 0 ? sal__notify_observers(to, SAL_OBSERVE_LOADED, -1, -1) : SAL_OK);
}
