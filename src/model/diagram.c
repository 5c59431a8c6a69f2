/* Diagrams: parts and wires are checked when they are added, so a build finds only valid wires. */
#include <string.h>

#include "model.h"

sal_status sal_diagram_new(const sal_allocator *allocator, const char *name, sal_system **out) {
    return sal__system_new(allocator, NULL, name, NULL, out);
}

static sal_status check_open_diagram(sal_system *d, const char *what) {
    if (d && d->behaviour)
        return SAL__REFUSE(d, "it is a system, which cannot have ", what, "; sal_diagram_new makes a diagram");
    return sal__check_open(d, what);
}

/* Takes ownership of `name`, which is NULL if memory ran out. */
static sal_status add_member(sal_system *diagram, sal_system *part, char *name) {
    sal_status status = name ? sal__check_new_name(diagram, "a part", name, &diagram->names.members) : SAL_ENOMEM;
    if (status == SAL_OK && (SAL_RESERVE(&diagram->mem, diagram->members) != SAL_OK ||
                             sal__name_table_reserve(&diagram->mem, &diagram->names.members) != SAL_OK))
        status = SAL_ENOMEM;
    if (status != SAL_OK) {
        sal__free_text(&diagram->mem, name);
        return status;
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
    sal_status status = SAL_OK;
    if (inner->members.count == 0)
        status =
            SAL__REFUSE(diagram, "the diagram \"", name, "\" has no parts yet; add them before it is added itself");
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

static sal_status check_part(sal_system *diagram, const sal_system *part, const char *name) {
    const sal_status status = check_open_diagram(diagram, "parts");
    if (status != SAL_OK)
        return status;
    if (!part)
        return SAL__REFUSE(diagram, "the part \"", name ? name : "NULL",
                           "\" is NULL; look at the status of the call that makes it");
    if (part == diagram)
        return SAL__REFUSE(diagram, "it cannot be a part of itself; add another system");
    return sal__check_new_name(diagram, "a part", name, &diagram->names.members);
}

sal_status sal_diagram_add(sal_system *diagram, sal_system *part, const char *name, int *index) {
    sal_status status = check_part(diagram, part, name);
    if (status != SAL_OK)
        return status;
    const int base = diagram->members.count;
    status = part->behaviour ? add_member(diagram, part, sal__copy_text(&diagram->mem, name))
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

static sal_status check_parts(sal_system *d, int from, int to) {
    const int wrong = sal_diagram_part(d, from) ? to : from;
    if (sal_diagram_part(d, from) && sal_diagram_part(d, to))
        return SAL_OK;
    return SAL__REFUSE(d, "there is no part ", sal__whole_number(wrong).text, " to connect: there are ",
                       sal__whole_number(d->members.count).text,
                       ", numbered from 0; use the index of sal_diagram_add, or of sal_diagram_find_part");
}

/* A port that does not exist; -1 comes from a search for an unknown name. */
static sal_status refuse_port(sal_system *d, const char *part, const char *what, int port, int count,
                              const char *find) {
    return SAL__REFUSE(d, "\"", part, "\" has no ", what, " ", sal__whole_number(port).text, ": there are ",
                       sal__whole_number(count).text, ", numbered from 0; ", find,
                       " finds one by its name, and returns -1 for a name that is unknown");
}

static sal_status check_wire(sal_system *d, const sal__wire *w) {
    const sal_status status = check_parts(d, w->from, w->to);
    if (status != SAL_OK)
        return status;
    const char *a = sal_diagram_part_name(d, w->from), *b = sal_diagram_part_name(d, w->to);
    const sal_system *from = sal_diagram_part(d, w->from), *to = sal_diagram_part(d, w->to);
    const sal__value *sink = input_of(to, w->input);
    if (w->output < 0 || w->output >= from->outputs.count)
        return refuse_port(d, a, "output", w->output, from->outputs.count, "sal_system_find_output");
    if (!sink)
        return refuse_port(d, b, "input", w->input, to->inputs.count, "sal_system_find_input");
    const sal__output *source = &from->outputs.item[w->output];
    if (source->size != sink->size)
        return SAL__REFUSE(d, "\"", a, ".", source->name, "\" has ", sal__whole_number(source->size).text,
                           " numbers and \"", b, ".", sink->name, "\" ", sal__whole_number(sink->size).text,
                           "; connect ports of one size");
    const sal__member *fed = &d->members.item[w->to];
    if (w->input < fed->input_count && fed->is_connected[w->input])
        return SAL__REFUSE(d, "\"", b, ".", sink->name,
                           "\" is connected already; an input has one source, so add the signals by a sum block");
    return SAL_OK;
}

sal_status sal_diagram_connect(sal_system *diagram, int from_part, int output, int to_part, int input) {
    const sal__wire wire = {from_part, output, to_part, input};
    sal_status status = check_open_diagram(diagram, "connections");
    if (status == SAL_OK)
        status = check_wire(diagram, &wire);
    if (status != SAL_OK)
        return status;
    sal__member *fed = &diagram->members.item[to_part];
    if (SAL_RESERVE(&diagram->mem, diagram->wires) != SAL_OK || reserve_flags(diagram, fed) != SAL_OK)
        return SAL_ENOMEM;
    fed->is_connected[input] = true;
    diagram->wires.item[diagram->wires.count++] = wire;
    return SAL_OK;
}
