/* Queries of a system's declarations, by name and by number; its sampling. */
#include "model.h"

int sal_system_find_value(const sal_system *sys, sal_partition partition, const char *name) {
    const int i = name ? sal__name_table_find(&sys->names.values, name) : -1;
    return i >= 0 && i < sys->values.count && sys->values.item[i].partition == partition ? sys->values.item[i].at : -1;
}

int sal_system_find_input(const sal_system *sys, const char *name) {
    const int i = name ? sal__name_table_find(&sys->names.values, name) : -1;
    for (int port = 0; i >= 0 && port < sys->inputs.count; port++)
        if (sys->inputs.item[port] == i)
            return port;
    return -1;
}

int sal_system_find_output(const sal_system *sys, const char *name) {
    return name ? sal__name_table_find(&sys->names.outputs, name) : -1;
}

int sal_system_find_event(const sal_system *sys, const char *name) {
    return name ? sal__name_table_find(&sys->names.events, name) : -1;
}

bool sal_system_value_at(const sal_system *sys, sal_partition partition, int i, sal_declared *out) {
    for (int k = 0; i >= 0 && k < sys->values.count; k++) {
        const sal__value *value = &sys->values.item[k];
        if (value->partition != partition || i-- > 0)
            continue;
        *out = (sal_declared){value->name, value->at, value->size};
        return true;
    }
    return false;
}

bool sal_system_output_at(const sal_system *sys, int port, sal_declared *out) {
    if (port < 0 || port >= sys->outputs.count)
        return false;
    *out = (sal_declared){sys->outputs.item[port].name, 0, sys->outputs.item[port].size};
    return true;
}

const sal_event_config *sal_system_event(const sal_system *sys, int event) {
    return event >= 0 && event < sys->events.count ? &sys->events.item[event] : NULL;
}

int sal_system_inputs(const sal_system *sys) {
    return sys->inputs.count;
}

int sal_system_outputs(const sal_system *sys) {
    return sys->outputs.count;
}

/* ---- sampling ---- */

static bool is_sampled(const sal_event_config *e) {
    return e->trigger == SAL_ON_PERIOD && e->kind == SAL_DISCRETE;
}

/* Adds the timing of a leaf's events. Returns false if one differs from the earlier ones. */
static bool add_timing(const sal_system *leaf, int part, sal_sampling *s) {
    for (int i = 0; i < leaf->events.count; i++) {
        const sal_event_config *e = &leaf->events.item[i];
        if (!is_sampled(e))
            continue;
        if (s->first.part < 0)
            *s = (sal_sampling){e->period, e->offset, {part, i}, {-1, -1}};
        if (e->period == s->period && e->offset == s->offset)
            continue;
        s->other = (sal_sampled){part, i};
        return false;
    }
    return true;
}

sal_status sal_system_sampling(const sal_system *sys, sal_sampling *out) {
    *out = (sal_sampling){0, 0, {-1, -1}, {-1, -1}};
    bool same = true;
    for (int i = 0; i < sal_diagram_parts(sys) && same; i++)
        same = add_timing(sal_diagram_part(sys, i), i, out);
    return same && out->first.part >= 0 ? SAL_OK : SAL_EINVAL;
}
