/* What a system has, by name and by number: for those who wire, show and report. */
#include "model.h"

#include <string.h>

int sal_system_find_value(const sal_system *sys, sal_partition partition, const char *name) {
    const int i = name ? sal__name_table_find(&sys->names.values, name) : -1;
    return i >= 0 && i < sys->values.count && sys->values.item[i].partition == partition ? sys->values.item[i].at : -1;
}

int sal_system_find_input(const sal_system *sys, const char *name) {
    for (int port = 0; name && port < sys->inputs.count; port++)
        if (strcmp(sys->values.item[sys->inputs.item[port]].name, name) == 0)
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

int sal_system_events(const sal_system *sys) {
    return sys->events.count;
}

int sal_system_inputs(const sal_system *sys) {
    return sys->inputs.count;
}

int sal_system_outputs(const sal_system *sys) {
    return sys->outputs.count;
}
