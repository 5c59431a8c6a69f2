/* Witnesses and conditions in a snapshot of the run. */
#include <stddef.h>
#include <string.h>

#include "engine/simulator.h"

enum { IN_NO_LIST, IN_CROSSING, IN_FIRED, IN_LEFT };

/* Witnesses by their numbers in a snapshot, which do not depend on the room for watches: those of the plan, then those
 * of conditions, then `watches` armed ones. */
typedef struct numbering {
    int planned, conditions, watches;
    int first_condition; /* in memory */
} numbering;

static numbering number(const sal_simulator *sim, int watches) {
    const int planned = sal__first_watch(sim), conditions = sim->conditions.count;
    return (numbering){planned, conditions, watches, sim->witnesses.capacity - conditions};
}

static int count_all(const numbering *n) {
    return n->planned + n->conditions + n->watches;
}

static int index_of(const numbering *n, int number_of) {
    if (number_of < n->planned)
        return number_of;
    const int behind = number_of - n->planned;
    return behind < n->conditions ? n->first_condition + behind : number_of - n->conditions;
}

static int number_of(const numbering *n, int index) {
    if (index < n->planned)
        return index;
    return index >= n->first_condition ? n->planned + index - n->first_condition : index + n->conditions;
}

/* A list of witnesses. None is in two, nor twice in one. Conditions fire, and never cross. */
static int archive_list(sal__archive *a, sal_simulator *sim, const numbering *all, int *list, int *count,
                        unsigned char in) {
    const int most = count_all(all) - (in == IN_FIRED ? 0 : all->conditions);
    const int size = sal__count(a, count, most, sizeof(int32_t));
    sal__may_take(a, (size_t)most * sizeof(int32_t));
    for (int k = 0; k < size && !a->is_bad; k++) {
        int i = sal__is_loading(a) ? 0 : number_of(all, list[k]);
        i = sal__int(a, &i, 0, count_all(all) - 1);
        if (a->mode == SAL__READ)
            list[k] = index_of(all, i);
        if (a->mode != SAL__CHECK)
            continue;
        sal__rule(a, in == IN_FIRED || i < all->planned || i >= all->planned + all->conditions);
        sal__rule(a, sim->witnesses.list_membership[i] == IN_NO_LIST);
        sim->witnesses.list_membership[i] = in;
    }
    return size;
}

void sal__witness_archive_time(sal__archive *a, sal__witness *w) {
    sal__flag(a, &w->may_be_fast);
    sal__int(a, &w->time_checks, 0, SAL__MAX_TIME_CHECKS);
}

static void archive_witness(sal__archive *a, sal__witness *w, int listed, const sal__interrupted_step *rest) {
    sal__flag(a, &w->is_active);
    sal__flag(a, &w->on_surface);
    sal__flag(a, &w->flow_changed);
    sal__flag(a, &w->turned_by_feed);
    sal__flag(a, &w->moved_by_handler);
    const bool settle = sal__flag(a, &w->needs_rearm), fired = sal__flag(a, &w->has_fired);
    sal__flag(a, &w->end_unread);
    sal__flag(a, &w->has_jumped);
    sal__witness_archive_time(a, w);
    sal__sign_field(a, &w->armed_side);
    sal__sign_field(a, &w->crossing_side);
    const double theta = sal__real(a, &w->theta);
    double *const values[] = {
        &w->w0, &w->w1, &w->s0, &w->s1, &w->surface_level, &w->crossing_value, &w->t0, &w->t1, &w->crossing_level};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        sal__real(a, values[i]);
    sal__zeno_archive(a, w);
    if (a->mode != SAL__CHECK)
        return;
    sal__rule(a, fired == (listed == IN_FIRED));
    sal__rule(a, listed != IN_CROSSING || (rest->is_pending && !settle && theta >= rest->theta && theta <= 1));
}

/* Handlers of those that fired may ask for the state before. */
static void archive_before(sal__archive *a, sal_simulator *sim) {
    double time = sim->contexts.pre_step->time;
    sal__real(a, &time);
    sal__block_archive(a, sim, sim->contexts.pre_step);
    if (a->mode != SAL__READ)
        return;
    sal__context_data_touch(sim->contexts.pre_step);
    sal__context_data_look(sim->contexts.pre_step, time, NULL);
}

/* Watches that may be added, with their places in three lists. */
static size_t bytes_of_more(const sal_simulator *sim, int watches, const sal__interrupted_step *rest) {
    sal__archive one = {.mode = SAL__COUNT};
    sal__witness w = {0};
    archive_witness(&one, &w, IN_NO_LIST, rest);
    return (size_t)(sim->host.watches.room - watches) * (one.at + 3 * sizeof(int32_t));
}

void sal__witnesses_archive(sal__archive *a, sal_simulator *sim, int watches, const sal__interrupted_step *rest) {
    bool end_values_valid = sim->witnesses.end_values_valid && sim->witnesses.armed_count == 0;
    end_values_valid = sal__flag(a, &end_values_valid);
    if (a->mode == SAL__READ) {
        sim->witnesses.end_values_valid = end_values_valid;
        sim->witnesses.armed_count = sim->witnesses.active_count = 0;
    }
    if (a->is_bad)
        return;
    const numbering all = number(sim, watches);
    int crossings = rest->is_pending ? sim->crossings.count : 0;
    if (a->mode == SAL__CHECK)
        memset(sim->witnesses.list_membership, IN_NO_LIST, (size_t)sim->witnesses.capacity);
    archive_list(a, sim, &all, sim->crossings.item, &crossings, IN_CROSSING);
    const int fired = archive_list(a, sim, &all, sim->witnesses.fired, &sim->witnesses.fired_count, IN_FIRED);
    sal__flag(a, &sim->witnesses.time_check_due);
    sal__real_not_nan(a, &sim->witnesses.longest_look);
    sal__int64(a, &sim->witnesses.next_phase_check, 0, SAL__MAX_COUNT);
    archive_list(a, sim, &all, sim->witnesses.handled, &sim->witnesses.handled_count, IN_LEFT);
    for (int i = 0; i < count_all(&all) && !a->is_bad; i++)
        archive_witness(a, &sim->witnesses.item[index_of(&all, i)], sim->witnesses.list_membership[i], rest);
    if (a->at_most)
        sal__may_take(a, bytes_of_more(sim, watches, rest));
    if (a->mode == SAL__READ)
        sal__crossings_sort(sim, crossings);
    if (fired > 0 || a->at_most)
        archive_before(a, sim);
    sal__conditions_archive(a, sim);
}

/* ---- a copy ---- */

void sal__witness_copy_time(sal__witness *to, const sal__witness *from) {
    to->may_be_fast = from->may_be_fast;
    to->time_checks = from->time_checks;
}

/* All that is not a constant. */
static void copy_state(sal__witness *to, const sal__witness *from, int count) {
    enum { AT = offsetof(sal__witness, is_active) };
    for (int i = 0; i < count; i++)
        memcpy((unsigned char *)&to[i] + AT, (const unsigned char *)&from[i] + AT, sizeof *to - AT);
}

static int copy_list(const numbering *to, const numbering *from, int *list, const int *had, int count) {
    for (int k = 0; k < count; k++)
        list[k] = index_of(to, number_of(from, had[k]));
    return count;
}

static void copy_before(sal_simulator *to, const sal_simulator *from) {
    memcpy(to->contexts.pre_step->block, from->contexts.pre_step->block,
           (size_t)to->contexts.pre_step->block_size * sizeof(double));
    sal__context_data_touch(to->contexts.pre_step);
    sal__context_data_look(to->contexts.pre_step, from->contexts.pre_step->time, NULL);
}

void sal__witnesses_copy(sal_simulator *to, const sal_simulator *from) {
    const numbering here = number(to, to->host.watches.armed_count), there = number(from, here.watches);
    const sal__witnesses *had = &from->witnesses;
    to->witnesses.end_values_valid = had->end_values_valid && had->armed_count == 0;
    to->witnesses.armed_count = to->witnesses.active_count = 0;
    to->witnesses.time_check_due = had->time_check_due;
    to->witnesses.longest_look = had->longest_look;
    to->witnesses.next_phase_check = had->next_phase_check;
    copy_state(to->witnesses.item, had->item, had->count);
    copy_state(to->witnesses.item + here.first_condition, had->item + there.first_condition, here.conditions);
    to->witnesses.fired_count = copy_list(&here, &there, to->witnesses.fired, had->fired, had->fired_count);
    to->witnesses.handled_count = copy_list(&here, &there, to->witnesses.handled, had->handled, had->handled_count);
    const int crossings = to->flow.interrupted_step.is_pending ? from->crossings.count : 0;
    sal__crossings_sort(to, copy_list(&here, &there, to->crossings.item, from->crossings.item, crossings));
    if (had->fired_count > 0)
        copy_before(to, from);
    if (here.conditions > 0)
        sal__conditions_copy(to, from);
}
