/* Diagrams: parts and wires are checked when they are added, so a build finds only valid wires. */
#include <string.h>

#include "model.h"

sal_status sal_diagram_new(const sal_allocator *allocator, const char *name, sal_system **out) {
    return sal__system_new(allocator, NULL, name, NULL, out);
}

static bool is_open_diagram(const sal_system *d) {
    return d && !d->behaviour && !d->is_frozen;
}

/* Takes ownership of `name`, which is NULL if memory ran out. */
static sal_status add_member(sal_system *diagram, sal_system *part, char *name) {
    const bool taken = name && sal__name_table_find(&diagram->names.members, name) >= 0;
    if (!name || taken || SAL_RESERVE(&diagram->mem, diagram->members) != SAL_OK ||
        sal__name_table_reserve(&diagram->mem, &diagram->names.members) != SAL_OK) {
        sal__free_text(&diagram->mem, name);
        return taken ? SAL_EINVAL : SAL_ENOMEM;
    }
    sal__name_table_add(&diagram->names.members, name, diagram->members.count);
    diagram->members.item[diagram->members.count++] = (sal__member){part, name, NULL, 0};
    return SAL_OK;
}

/* Returns "diagram.part". */
static char *join(const sal_allocator *mem, const char *diagram, const char *part) {
    const size_t first = strlen(diagram), second = strlen(part);
    char *path = sal__alloc(mem, first + second + 2);
    if (!path)
        return NULL;
    memcpy(path, diagram, first);
    path[first] = '.';
    memcpy(path + first + 1, part, second + 1);
    return path;
}

/* Removes all members and wires after the first ones. */
static void truncate(sal_system *diagram, int members, int wires) {
    diagram->wires.count = wires;
    while (diagram->members.count > members) {
        sal__member *m = &diagram->members.item[--diagram->members.count];
        sal__free(&diagram->mem, m->is_connected, (size_t)m->input_count * sizeof(bool));
        sal__name_table_remove(&diagram->names.members, m->name);
        sal__free_text(&diagram->mem, m->name);
    }
}

static sal_status add_diagram(sal_system *diagram, const sal_system *inner, const char *name) {
    const int base = diagram->members.count, wires = diagram->wires.count;
    sal_status status = inner->members.count > 0 ? SAL_OK : SAL_EINVAL;
    for (int i = 0; status == SAL_OK && i < inner->members.count; i++) {
        const sal__member *m = &inner->members.item[i];
        status = add_member(diagram, m->system, join(&diagram->mem, name, m->name));
    }
    diagram->is_lockstep = diagram->is_lockstep || inner->is_lockstep;
    for (int i = 0; status == SAL_OK && i < inner->wires.count; i++) {
        const sal__wire *w = &inner->wires.item[i];
        status = sal_diagram_connect(diagram, base + w->from, w->output, base + w->to, w->input);
    }
    if (status != SAL_OK)
        truncate(diagram, base, wires);
    return status;
}

sal_status sal_diagram_add(sal_system *diagram, sal_system *part, const char *name, int *index) {
    if (!is_open_diagram(diagram) || !part || part == diagram || !sal__is_name(name))
        return SAL_EINVAL;
    const int base = diagram->members.count;
    const sal_status status = part->behaviour ? add_member(diagram, part, sal__copy_text(&diagram->mem, name))
                                              : add_diagram(diagram, part, name);
    if (status == SAL_OK && index)
        *index = base;
    return status;
}

int sal_diagram_find_part(const sal_system *diagram, const char *path) {
    return sal__name_table_find(&diagram->names.members, path);
}

int sal_diagram_parts(const sal_system *diagram) {
    return diagram->behaviour ? 1 : diagram->members.count;
}

const sal_system *sal_diagram_part(const sal_system *diagram, int part) {
    if (diagram->behaviour)
        return part == 0 ? diagram : NULL;
    return part >= 0 && part < diagram->members.count ? diagram->members.item[part].system : NULL;
}

const char *sal_diagram_part_name(const sal_system *diagram, int part) {
    if (diagram->behaviour)
        return part == 0 ? "" : NULL;
    return part >= 0 && part < diagram->members.count ? diagram->members.item[part].name : NULL;
}

/* Returns the declaration of an input. */
static const sal__value *input_of(const sal_system *sys, int port) {
    return port >= 0 && port < sys->inputs.count ? &sys->values.item[sys->inputs.item[port]] : NULL;
}

/* Grows the connection flags to the number of inputs of the part, which may have increased. */
static sal_status reserve_flags(const sal_system *d, sal__member *m) {
    const int inputs = m->system->inputs.count;
    if (inputs == m->input_count)
        return SAL_OK;
    bool *flags =
        sal__resize(&d->mem, m->is_connected, (size_t)m->input_count * sizeof *flags, (size_t)inputs * sizeof *flags);
    if (!flags)
        return SAL_ENOMEM;
    memset(flags + m->input_count, 0, (size_t)(inputs - m->input_count) * sizeof *flags);
    m->is_connected = flags;
    m->input_count = inputs;
    return SAL_OK;
}

sal_status sal_diagram_connect(sal_system *diagram, int from_part, int output, int to_part, int input) {
    if (!is_open_diagram(diagram))
        return SAL_EINVAL;
    const sal_system *from = sal_diagram_part(diagram, from_part), *to = sal_diagram_part(diagram, to_part);
    const sal__value *sink = to ? input_of(to, input) : NULL;
    if (!from || !sink || output < 0 || output >= from->outputs.count || from->outputs.item[output].size != sink->size)
        return SAL_EINVAL;
    sal__member *fed = &diagram->members.item[to_part];
    if (input < fed->input_count && fed->is_connected[input])
        return SAL_EINVAL;
    if (SAL_RESERVE(&diagram->mem, diagram->wires) != SAL_OK || reserve_flags(diagram, fed) != SAL_OK)
        return SAL_ENOMEM;
    fed->is_connected[input] = true;
    diagram->wires.item[diagram->wires.count++] = (sal__wire){from_part, output, to_part, input};
    return SAL_OK;
}
