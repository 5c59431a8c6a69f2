/* Wiring: checks at the door, so that a build cannot find a wire that is wrong. */
#include <string.h>

#include "model.h"

sal_status sal_diagram_new(const sal_allocator *allocator, const char *name, sal_system **out) {
    return sal_system_new(allocator, NULL, name, NULL, out);
}

static bool is_open_diagram(const sal_system *d) {
    return d && !d->behaviour && !d->plan;
}

sal_status sal_diagram_add(sal_system *diagram, sal_system *part, const char *name, int *index) {
    if (!is_open_diagram(diagram) || !part || !part->behaviour || !name)
        return SAL_EINVAL;
    if (sal__names_find(&diagram->member_names, name) >= 0)
        return SAL_EINVAL;
    if (SAL_PUSH(&diagram->mem, diagram->members) != SAL_OK ||
        sal__names_reserve(&diagram->mem, &diagram->member_names) != SAL_OK)
        return SAL_ENOMEM;
    char *copy = sal__copy_text(&diagram->mem, name);
    if (!copy)
        return SAL_ENOMEM;
    diagram->members.item[diagram->members.count] = (sal__member){part, copy, NULL, 0};
    sal__names_add(&diagram->member_names, copy, diagram->members.count);
    if (index)
        *index = diagram->members.count;
    diagram->members.count++;
    return SAL_OK;
}

/* The input's declaration, by its place among the inputs. */
static const sal__value *input_of(const sal_system *sys, int port) {
    return port >= 0 && port < sys->inputs.count ? &sys->values.item[sys->inputs.item[port]] : NULL;
}

static const sal_system *member(const sal_system *d, int part) {
    return part >= 0 && part < d->members.count ? d->members.item[part].system : NULL;
}

/* Room to note of every input whether it has a wire; a part may still have grown. */
static sal_status make_feedable(const sal_system *d, sal__member *m) {
    const int inputs = m->system->inputs.count;
    if (inputs == m->feedable)
        return SAL_OK;
    bool *fed = sal__alloc(&d->mem, (size_t)inputs * sizeof *fed);
    if (!fed)
        return SAL_ENOMEM;
    if (m->fed)
        memcpy(fed, m->fed, (size_t)m->feedable * sizeof *fed);
    sal__free(&d->mem, m->fed, (size_t)m->feedable * sizeof *fed);
    m->fed = fed;
    m->feedable = inputs;
    return SAL_OK;
}

sal_status sal_diagram_connect(sal_system *diagram, int from_part, int output, int to_part, int input) {
    if (!is_open_diagram(diagram))
        return SAL_EINVAL;
    const sal_system *from = member(diagram, from_part), *to = member(diagram, to_part);
    const sal__value *sink = to ? input_of(to, input) : NULL;
    if (!from || !sink || output < 0 || output >= from->outputs.count || from->outputs.item[output].size != sink->size)
        return SAL_EINVAL;
    sal__member *fed = &diagram->members.item[to_part];
    if (input < fed->feedable && fed->fed[input])
        return SAL_EINVAL;
    if (SAL_PUSH(&diagram->mem, diagram->wires) != SAL_OK || make_feedable(diagram, fed) != SAL_OK)
        return SAL_ENOMEM;
    fed->fed[input] = true;
    diagram->wires.item[diagram->wires.count++] = (sal__wire){from_part, output, to_part, input};
    return SAL_OK;
}

const char *sal_diagram_part_name(const sal_system *diagram, int part) {
    if (diagram->behaviour)
        return part == 0 ? "" : NULL;
    return part >= 0 && part < diagram->members.count ? diagram->members.item[part].name : NULL;
}
