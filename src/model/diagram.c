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
    for (int i = 0; i < diagram->members.count; i++)
        if (strcmp(diagram->members.item[i].name, name) == 0)
            return SAL_EINVAL;
    if (SAL_PUSH(&diagram->mem, diagram->members) != SAL_OK)
        return SAL_ENOMEM;
    char *copy = sal__copy_text(&diagram->mem, name);
    if (!copy)
        return SAL_ENOMEM;
    diagram->members.item[diagram->members.count] = (sal__member){part, copy};
    if (index)
        *index = diagram->members.count;
    diagram->members.count++;
    return SAL_OK;
}

/* The input's declaration, by its place among the inputs. */
static const sal__value *input_of(const sal_system *sys, int port) {
    for (int i = 0, seen = 0; i < sys->values.count; i++)
        if (sys->values.item[i].partition == SAL_INPUT && seen++ == port)
            return &sys->values.item[i];
    return NULL;
}

static const sal_system *member(const sal_system *d, int part) {
    return part >= 0 && part < d->members.count ? d->members.item[part].system : NULL;
}

sal_status sal_diagram_connect(sal_system *diagram, int from_part, int output, int to_part, int input) {
    if (!is_open_diagram(diagram))
        return SAL_EINVAL;
    const sal_system *from = member(diagram, from_part), *to = member(diagram, to_part);
    const sal__value *sink = to && input >= 0 ? input_of(to, input) : NULL;
    if (!from || !sink || output < 0 || output >= from->outputs.count || from->outputs.item[output].size != sink->size)
        return SAL_EINVAL;
    for (int i = 0; i < diagram->wires.count; i++)
        if (diagram->wires.item[i].to == to_part && diagram->wires.item[i].input == input)
            return SAL_EINVAL;
    if (SAL_PUSH(&diagram->mem, diagram->wires) != SAL_OK)
        return SAL_ENOMEM;
    diagram->wires.item[diagram->wires.count++] = (sal__wire){from_part, output, to_part, input};
    return SAL_OK;
}

const char *sal_diagram_part_name(const sal_system *diagram, int part) {
    if (diagram->behaviour)
        return part == 0 ? "" : NULL;
    return part >= 0 && part < diagram->members.count ? diagram->members.item[part].name : NULL;
}
