/* Declaring systems: lists that grow until the first build, then never change. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "model.h"

sal_status sal_system_new(const sal_allocator *allocator, const sal_system_class *behaviour, const char *name,
                          void *data, sal_system **out) {
    return behaviour ? sal__system_new(allocator, behaviour, name, data, out) : SAL_EINVAL;
}

/* Control characters are refused because names are printed on terminals. */
bool sal__is_name(const char *name) {
    for (const char *c = name; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return false;
    return name != NULL;
}

sal_status sal__system_new(const sal_allocator *allocator, const sal_system_class *behaviour, const char *name,
                           void *data, sal_system **out) {
    if (!sal__is_name(name) || !out)
        return SAL_EINVAL;
    const sal_allocator mem = sal__allocator(allocator);
    sal_system *sys = sal__alloc(&mem, sizeof *sys);
    char *copy = sys ? sal__copy_text(&mem, name) : NULL;
    if (!copy) {
        sal__free(&mem, sys, sizeof *sys);
        return SAL_ENOMEM;
    }
    sys->mem = mem;
    sys->behaviour = behaviour;
    sys->name = copy;
    sys->data = data;
    *out = sys;
    return SAL_OK;
}

static size_t mass_bytes(const sal_system *sys) {
    const size_t n = (size_t)sal__continuous_size(sys);
    return n * n * sizeof(double);
}

/* Frees a list and the names of its items. */
#define FREE_NAMED_LIST(mem, list) \
    do { \
        for (int i = 0; i < (list).count; i++) \
            sal__free_text((mem), (char *)(uintptr_t)(list).item[i].name); \
        SAL_FREE_LIST((mem), (list)); \
    } while (false)

static void free_leaf_lists(const sal_allocator *mem, sal_system *sys) {
    for (int i = 0; i < sys->outputs.count; i++) {
        SAL_FREE_LIST(mem, sys->outputs.item[i].inputs);
        SAL_FREE_LIST(mem, sys->outputs.item[i].outputs);
        sal__labels_free(mem, &sys->outputs.item[i].labels);
    }
    for (int i = 0; i < sys->values.count; i++) {
        sal__labels_free(mem, &sys->values.item[i].labels);
        sal__modes_free(mem, &sys->values.item[i]);
    }
    for (int i = 0; i < sys->events.count; i++)
        sal__free_text(mem, (char *)(uintptr_t)sys->events.item[i].doc);
    for (int i = 0; i < sys->history.columns.count; i++)
        sal__free(mem, sys->history.columns.item[i].initial_history,
                  (size_t)sys->history.columns.item[i].size * sizeof(double));
    for (int p = 0; p < SAL_PARTITIONS; p++)
        SAL_FREE_LIST(mem, sys->defaults[p]);
    for (int p = 0; p <= SAL_Z; p++) {
        SAL_FREE_LIST(mem, sys->weight[p]);
        SAL_FREE_LIST(mem, sys->absolute[p]);
    }
    sal__free(mem, sys->mass, mass_bytes(sys));
    SAL_FREE_LIST(mem, sys->inputs);
    FREE_NAMED_LIST(mem, sys->values);
    FREE_NAMED_LIST(mem, sys->outputs);
    FREE_NAMED_LIST(mem, sys->slots);
    FREE_NAMED_LIST(mem, sys->events);
    FREE_NAMED_LIST(mem, sys->history.columns);
}

void sal_system_free(sal_system *sys) {
    if (!sys)
        return;
    const sal_allocator mem = sys->mem;
    if (sys->behaviour && sys->behaviour->destroy)
        sys->behaviour->destroy(sys->data);
    if (sys->has_prototype) {
        sal__free_copy_of_prototype(sys);
        return;
    }
    free_leaf_lists(&mem, sys);
    for (int i = 0; i < sys->members.count; i++)
        sal__free(&mem, sys->members.item[i].is_connected, (size_t)sys->members.item[i].input_count * sizeof(bool));
    FREE_NAMED_LIST(&mem, sys->members);
    SAL_FREE_LIST(&mem, sys->wires);
    SAL_FREE_LIST(&mem, sys->loop_outputs);
    sal__name_table_free(&mem, &sys->names.values);
    sal__name_table_free(&mem, &sys->names.outputs);
    sal__name_table_free(&mem, &sys->names.events);
    sal__name_table_free(&mem, &sys->names.members);
    sal__plan_free(&mem, sys->plan);
    sal__free_text(&mem, sys->name);
    sal__free_text(&mem, sys->doc);
    sal__free(&mem, sys, sizeof *sys);
}

const char *sal_system_name(const sal_system *sys) {
    return sys->name;
}

void *sal_system_data(const sal_system *sys) {
    return sys->data;
}

/* States, parameters, inputs and slots share one set of names; an output may have the name of a state. */
static bool is_taken(const sal_system *sys, const char *name) {
    return sal__name_table_find(&sys->names.values, name) >= 0;
}

/* Makes room for one more name in a table and returns a copy of the name; NULL: out of memory. */
static char *reserve_name(const sal_system *sys, sal__name_table *names, const char *name) {
    return sal__name_table_reserve(&sys->mem, names) == SAL_OK ? sal__copy_text(&sys->mem, name) : NULL;
}

static sal_status push_number(sal_system *sys, int partition, double value) {
    if (SAL_RESERVE(&sys->mem, sys->defaults[partition]) != SAL_OK)
        return SAL_ENOMEM;
    if (partition <= SAL_Z) {
        if (SAL_RESERVE(&sys->mem, sys->weight[partition]) != SAL_OK ||
            SAL_RESERVE(&sys->mem, sys->absolute[partition]) != SAL_OK)
            return SAL_ENOMEM;
        sys->weight[partition].item[sys->weight[partition].count++] = 1;
        sys->absolute[partition].item[sys->absolute[partition].count++] = partition == SAL_Q;
    }
    sys->defaults[partition].item[sys->defaults[partition].count++] = value;
    sys->size[partition]++;
    return SAL_OK;
}

/* Removes all but the first `size` elements of the partition. */
static void truncate(sal_system *sys, int partition, int size) {
    sys->size[partition] = sys->defaults[partition].count = size;
    if (partition <= SAL_Z)
        sys->weight[partition].count = sys->absolute[partition].count = size;
}

sal_status sal_system_add_values(sal_system *sys, sal_partition partition, const char *name, int size,
                                 const double *defaults) {
    if (!sal__is_open_leaf(sys) || partition >= SAL_PARTITIONS || size < 1 ||
        size > SAL_MAX_NUMBERS - sys->size[partition] || !sal__is_name(name) || is_taken(sys, name) ||
        (sys->mass && partition <= SAL_Z))
        return SAL_EINVAL;
    if (SAL_RESERVE(&sys->mem, sys->values) != SAL_OK ||
        (partition == SAL_INPUT && SAL_RESERVE(&sys->mem, sys->inputs) != SAL_OK))
        return SAL_ENOMEM;
    char *copy = reserve_name(sys, &sys->names.values, name);
    if (!copy)
        return SAL_ENOMEM;
    const int at = sys->size[partition];
    for (int i = 0; i < size; i++) {
        const sal_status status = push_number(sys, (int)partition, defaults ? defaults[i] : 0);
        if (status != SAL_OK) {
            truncate(sys, (int)partition, at);
            sal__free_text(&sys->mem, copy);
            return status;
        }
    }
    if (partition == SAL_INPUT)
        sys->inputs.item[sys->inputs.count++] = sys->values.count;
    sal__name_table_add(&sys->names.values, copy, sys->values.count);
    sys->values.item[sys->values.count++] = (sal__value){.name = copy, .partition = partition, .at = at, .size = size};
    return SAL_OK;
}

sal_status sal_system_set_weight(sal_system *sys, sal_partition partition, int element, double weight, bool relative) {
    if (!sal__is_open_leaf(sys) || partition > SAL_Z || element < 0 || element >= sys->size[partition] || isnan(weight))
        return SAL_EINVAL;
    sys->weight[partition].item[element] = weight; /* refused at initialize when negative */
    sys->absolute[partition].item[element] = !relative || partition == SAL_Q;
    return SAL_OK;
}

sal_status sal_system_set_constraints(sal_system *sys, int constraints, int rates) {
    const bool known = sal__is_open_leaf(sys) && (constraints == 0 || sys->behaviour->constraints) &&
                       (rates == 0 || sys->behaviour->constraint_rates);
    if (!known || constraints < 0 || rates < 0)
        return SAL_EINVAL;
    sys->constraint_count = constraints;
    sys->constraint_rate_count = rates;
    return SAL_OK;
}

static bool all_finite(const double *values, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return false;
    return true;
}

sal_status sal_system_set_mass(sal_system *sys, const double *rows) {
    const size_t bytes = sys ? mass_bytes(sys) : 0;
    if (!sal__is_open_leaf(sys) || !rows || bytes == 0 || !all_finite(rows, bytes / sizeof *rows))
        return SAL_EINVAL;
    if (!sys->mass)
        sys->mass = sal__alloc(&sys->mem, bytes);
    if (!sys->mass)
        return SAL_ENOMEM;
    memcpy(sys->mass, rows, bytes);
    return SAL_OK;
}

sal_status sal_system_add_output(sal_system *sys, const char *name, int size, int *port) {
    if (!sal__is_open_leaf(sys) || !sal__is_name(name) || size < 1 || size > SAL_MAX_NUMBERS ||
        sal__name_table_find(&sys->names.outputs, name) >= 0)
        return SAL_EINVAL;
    char *copy = SAL_RESERVE(&sys->mem, sys->outputs) == SAL_OK ? reserve_name(sys, &sys->names.outputs, name) : NULL;
    if (!copy)
        return SAL_ENOMEM;
    const int index = sys->outputs.count++;
    sys->outputs.item[index] = (sal__output){.name = copy, .size = size};
    sal__name_table_add(&sys->names.outputs, copy, index);
    if (port)
        *port = index;
    return SAL_OK;
}

/* A slot that is saved needs all four functions. */
static bool is_complete_type(const sal_slot_type *t) {
    const int n_save = !!t->size + !!t->save + !!t->load + !!t->hash;
    return t->make && t->clone && t->assign && t->drop && (n_save == 0 || n_save == 4);
}

sal_status sal_system_add_slot(sal_system *sys, const char *name, const sal_slot_type *type, int *slot) {
    if (!sal__is_open_leaf(sys) || !sal__is_name(name) || !type || !is_complete_type(type) || is_taken(sys, name))
        return SAL_EINVAL;
    char *copy = SAL_RESERVE(&sys->mem, sys->slots) == SAL_OK ? reserve_name(sys, &sys->names.values, name) : NULL;
    if (!copy)
        return SAL_ENOMEM;
    const int index = sys->slots.count++;
    sys->slots.item[index] = (sal__slot){copy, type};
    sal__name_table_add(&sys->names.values, copy, INT_MAX); /* taken, but no numbers */
    if (slot)
        *slot = index;
    return SAL_OK;
}

sal_event_config sal_event_config_default(void) {
    return (sal_event_config){.size = sizeof(sal_event_config), .trigger = SAL_ON_DEMAND, .time_variable = -1};
}

enum { MAX_FINDERS = 10000 };

static bool is_valid(const sal_system *sys, const sal_event_config *e) {
    if (!e || e->size != sizeof *e || !sal__is_name(e->name) || !sal__is_doc(e->doc) || e->trigger > SAL_ON_DEMAND ||
        e->kind > SAL_UNRESTRICTED)
        return false;
    if (e->trigger == SAL_ON_PERIOD && !(e->period > 0 && isfinite(e->period) && isfinite(e->offset)))
        return false;
    if (!(e->max_interval >= 0) || e->samples < 0)
        return false;
    if (e->trigger == SAL_ON_CHANGE && (e->finders < -1 || e->finders > MAX_FINDERS))
        return false;
    return !(e->trigger == SAL_ON_TIME && e->time_variable >= sys->size[SAL_XD]);
}

sal_status sal_system_add_event(sal_system *sys, const sal_event_config *config, int *event) {
    if (!sal__is_open_leaf(sys) || !is_valid(sys, config) ||
        sal__name_table_find(&sys->names.events, config->name) >= 0)
        return SAL_EINVAL;
    char *doc = config->doc ? sal__copy_text(&sys->mem, config->doc) : NULL;
    const bool has_room = SAL_RESERVE(&sys->mem, sys->events) == SAL_OK && (doc || !config->doc);
    char *copy = has_room ? reserve_name(sys, &sys->names.events, config->name) : NULL;
    if (!copy) {
        sal__free_text(&sys->mem, doc);
        return SAL_ENOMEM;
    }
    const int index = sys->events.count++;
    sys->events.item[index] = *config;
    sys->events.item[index].name = copy;
    sys->events.item[index].doc = doc;
    sal__name_table_add(&sys->names.events, copy, index);
    if (event)
        *event = index;
    return SAL_OK;
}
