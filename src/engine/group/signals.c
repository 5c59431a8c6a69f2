/* Signals of a group: inputs that all members share, and links from outputs to inputs. */
#include "group_impl.h"

#include <math.h>
#include <string.h>

/* ---- shared inputs ---- */

static const sal__plan *plan_of(const sal_group *group) {
    return group->system->plan;
}

static size_t input_bytes(const sal__plan *plan) {
    return (size_t)plan->input_count * sizeof(sal__shared_input) + 2 * (size_t)plan->size[SAL_INPUT] * sizeof(double);
}

sal_status sal__group_inputs_new(sal_group *group) {
    const sal__plan *plan = plan_of(group);
    group->inputs = sal__alloc(&group->mem, input_bytes(plan));
    if (!group->inputs)
        return SAL_ENOMEM;
    double *at = (double *)(void *)(group->inputs + plan->input_count);
    for (int i = 0; i < plan->input_count; i++) {
        const int size = plan->input_slot[i].source < 0 ? plan->input_slot[i].size : 0;
        group->inputs[i].from = at, group->inputs[i].to = at + size;
        at += 2 * size;
    }
    return SAL_OK;
}

void sal__group_inputs_free(sal_group *group) {
    if (group->inputs)
        sal__free(&group->mem, group->inputs, input_bytes(plan_of(group)));
}

static int find_input(const sal_group *group, int part, int input) {
    const sal__plan *plan = plan_of(group);
    if (part < 0 || part >= plan->part_count || input < 0 || input >= plan->part[part].input_count)
        return -1;
    const int i = plan->part[part].input_at + input;
    return plan->input_slot[i].source < 0 ? i : -1;
}

/* Writes an input of a member, unless it has that value: a new value is an edit, which ends a step. */
static void write_input(sal_simulator *sim, int input, const double *value) {
    const sal__input_slot *slot = &sim->plan->input_slot[input];
    const size_t bytes = (size_t)slot->size * sizeof(double);
    const double *was = sim->contexts.current->storage[SAL_INPUT] + slot->at;
    if (memcmp(was, value, bytes) != 0) {
        sal_context_edit(sim->contexts.current->part_context, SAL_INPUT);
        memcpy(sim->contexts.current->storage[SAL_INPUT] + slot->at, value, bytes);
    }
}

/* The value of a shared input at a time. */
static void value_at(const sal__shared_input *shared, int size, double t, double *value) {
    const sal__line line = {shared->t0, shared->t1, shared->from, shared->to};
    for (int i = 0; i < size; i++)
        value[i] = shared->t1 > shared->t0 ? sal__line_at(&line, i, t) : shared->to[i];
}

static sal_status apply(sal_group *group, sal_simulator *sim, int input, int part, int port) {
    const sal__shared_input *shared = &group->inputs[input];
    if (!shared->is_set)
        return SAL_OK;
    value_at(shared, sim->plan->input_slot[input].size, group->time, sim->flow.scratch);
    const sal_status status = sal_simulator_end_feed(sim, part, port);
    if (status != SAL_OK)
        return status;
    write_input(sim, input, sim->flow.scratch);
    return shared->t1 > group->time ? sal_simulator_feed(sim, part, port, shared->t1, shared->to) : SAL_OK;
}

sal_status sal__group_inputs_apply(sal_group *group, sal_simulator *sim) {
    const sal__plan *plan = plan_of(group);
    sal_status status = SAL_OK;
    for (int part = 0; part < plan->part_count; part++)
        for (int port = 0; status == SAL_OK && port < plan->part[part].input_count; port++)
            status = apply(group, sim, plan->part[part].input_at + port, part, port);
    return status;
}

static sal_status apply_to_all(sal_group *group, int input, int part, int port) {
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < group->slots.count; i++)
        if (group->slots.item[i].is_used)
            status = apply(group, group->slots.item[i].sim, input, part, port);
    return status;
}

static bool are_finite(const double *value, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(value[i]))
            return false;
    return true;
}

static sal_status refuse_input(sal_group *group, int part, int input) {
    return SAL__REFUSE_GROUP(group, SAL_EINVAL, "input ", sal__whole_number(input).text, " of part ",
                             sal__whole_number(part).text,
                             " does not exist, or is connected; use one that sal_system_find_input finds and that has "
                             "no source");
}

static sal_status check_shared(sal_group *group, int part, int input, const double *value) {
    const int i = find_input(group, part, input);
    if (i < 0)
        return refuse_input(group, part, input);
    if (!value || !are_finite(value, plan_of(group)->input_slot[i].size))
        return SAL__REFUSE_GROUP(group, SAL_EINVAL, "the value of input ", sal__whole_number(input).text, " of part ",
                                 sal__whole_number(part).text, " is NULL or not finite; give its numbers");
    return SAL_OK;
}

sal_status sal_group_set_input(sal_group *group, int part, int input, const double *value) {
    const int i = find_input(group, part, input);
    if (sal__group_check_idle(group) != SAL_OK)
        return SAL_ESTATE;
    if (check_shared(group, part, input, value) != SAL_OK)
        return SAL_EINVAL;
    sal__shared_input *shared = &group->inputs[i];
    shared->is_set = true;
    shared->t0 = shared->t1 = group->time;
    memcpy(shared->to, value, (size_t)plan_of(group)->input_slot[i].size * sizeof *value);
    return apply_to_all(group, i, part, input);
}

sal_status sal_group_feed(sal_group *group, int part, int input, double t1, const double *value) {
    const int i = find_input(group, part, input);
    if (sal__group_check_idle(group) != SAL_OK)
        return SAL_ESTATE;
    if (check_shared(group, part, input, value) != SAL_OK)
        return SAL_EINVAL;
    const sal__input_slot *slot = &plan_of(group)->input_slot[i];
    if (!isfinite(t1) || !(t1 > group->time) || sal__same_instant(t1, group->time, 0))
        return SAL__REFUSE_GROUP(group, SAL_ETIME, "a feed until t = ", sal__time_text(t1).text,
                                 " does not end after the present, ", sal__time_text(group->time).text,
                                 "; give a finite time in the future");
    sal__shared_input *shared = &group->inputs[i];
    if (shared->is_set)
        value_at(shared, slot->size, group->time, shared->from);
    else
        memcpy(shared->from, group->blank->contexts.current->storage[SAL_INPUT] + slot->at,
               (size_t)slot->size * sizeof *value);
    if (!are_finite(shared->from, slot->size))
        return SAL__REFUSE_GROUP(group, SAL_EINPUT, "input ", sal__whole_number(input).text, " of part ",
                                 sal__whole_number(part).text,
                                 " has no value from which a feed could begin; call sal_group_set_input first");
    shared->is_set = true;
    shared->t0 = group->time, shared->t1 = t1;
    memcpy(shared->to, value, (size_t)slot->size * sizeof *value);
    return apply_to_all(group, i, part, input);
}

/* ---- links ---- */

static sal_status reserve_values(sal_group *group, int count) {
    while (group->links.value.cap < count) {
        const sal_status status = sal__grow(&group->mem, (void **)&group->links.value.item, group->links.value.cap,
                                            &group->links.value.cap, sizeof(double));
        if (status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

sal_status sal__group_reserve_links(sal_group *group, int links) {
    sal__links *all = &group->links;
    while (all->list.cap < links)
        if (sal__grow(&group->mem, (void **)&all->list.item, all->list.cap, &all->list.cap, sizeof *all->list.item) !=
            SAL_OK)
            return SAL_ENOMEM;
    return reserve_values(group, links);
}

static int output_size(const sal_group *group, int part, int output) {
    const sal__plan *plan = plan_of(group);
    if (part < 0 || part >= plan->part_count || output < 0 || output >= plan->part[part].system->outputs.count)
        return -1;
    return plan->part[part].system->outputs.item[output].size;
}

bool sal__group_suits(const sal_group *group, const sal__group_link *link) {
    const int input = find_input(group, link->to_part, link->input);
    return input >= 0 && output_size(group, link->from_part, link->output) == link->size &&
           plan_of(group)->input_slot[input].size == link->size;
}

void sal__group_finish_links(sal_group *group, int count) {
    group->links.list.count = count;
    group->links.width = 0;
    for (int i = 0; i < count; i++)
        group->links.width += group->links.list.item[i].size;
}

static void remove_link(sal_group *group, int i) {
    sal__links *all = &group->links;
    all->width -= all->list.item[i].size;
    all->list.count--;
    memmove(&all->list.item[i], &all->list.item[i + 1], (size_t)(all->list.count - i) * sizeof *all->list.item);
}

static int find_link(const sal_group *group, sal_member to, int part, int input) {
    for (int i = 0; i < group->links.list.count; i++) {
        const sal__group_link *link = &group->links.list.item[i];
        if (link->to == to && link->to_part == part && link->input == input)
            return i;
    }
    return -1;
}

sal_status sal_group_link(sal_group *group, sal_member from, int from_part, int output, sal_member to, int to_part,
                          int input) {
    const int i = find_input(group, to_part, input), known = find_link(group, to, to_part, input);
    if (sal__group_check_idle(group) != SAL_OK)
        return SAL_ESTATE;
    if (i < 0)
        return refuse_input(group, to_part, input);
    if (!sal__group_find(group, to))
        return sal__group_refuse_member(group, to);
    const sal__group_link link = {from, to, from_part, output, to_part, input, plan_of(group)->input_slot[i].size};
    if (from != 0 && !sal__group_find(group, from))
        return sal__group_refuse_member(group, from);
    if (from != 0 && !sal__group_suits(group, &link))
        return SAL__REFUSE_GROUP(group, SAL_EINVAL, "output ", sal__whole_number(output).text, " of part ",
                                 sal__whole_number(from_part).text, " does not exist, or has other than the ",
                                 sal__whole_number(link.size).text,
                                 " numbers of the input; link ports of one size, which sal_system_find_output finds");
    const sal__links *all = &group->links;
    if (from != 0 && (sal__group_reserve_links(group, all->list.count + 1) != SAL_OK ||
                      reserve_values(group, all->width + link.size) != SAL_OK))
        return SAL_ENOMEM;
    if (known >= 0)
        remove_link(group, known);
    if (from == 0)
        return SAL_OK;
    group->links.list.item[group->links.list.count++] = link;
    group->links.width += link.size;
    return SAL_OK;
}

/* Reads the outputs of all links before an input changes. *failed: the link whose output failed. */
static sal_status read_links(sal_group *group, const sal__group_link **failed) {
    double *value = group->links.value.item;
    for (int i = 0; i < group->links.list.count; i++) {
        const sal__group_link *link = &group->links.list.item[i];
        const double *now = NULL;
        sal_simulator *sim = sal__group_find(group, link->from)->sim;
        sal__forget_reads(sim);
        const sal_status status =
            sal_context_output(&sim->contexts.current->part_context[link->from_part], link->output, &now);
        if (status != SAL_OK) {
            *failed = link;
            return status;
        }
        memcpy(value, now, (size_t)link->size * sizeof *value);
        value += link->size;
    }
    return SAL_OK;
}

static void drop_dead_links(sal_group *group) {
    for (int i = group->links.list.count - 1; i >= 0; i--) {
        const sal__group_link *link = &group->links.list.item[i];
        if (!sal__group_find(group, link->from) || !sal__group_find(group, link->to))
            remove_link(group, i);
    }
}

sal_status sal__group_carry_links(sal_group *group, const sal__group_link **failed) {
    drop_dead_links(group);
    const sal_status status = read_links(group, failed);
    const double *value = group->links.value.item;
    for (int i = 0; status == SAL_OK && i < group->links.list.count; i++) {
        const sal__group_link *link = &group->links.list.item[i];
        write_input(sal__group_find(group, link->to)->sim, find_input(group, link->to_part, link->input), value);
        value += link->size;
    }
    return status;
}
