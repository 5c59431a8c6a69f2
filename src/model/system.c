/* Systems: made empty, filled by declarations, freed. */
#include <string.h>

#include "model.h"

sal_status sal_system_new(const sal_allocator *allocator, const sal_system_class *behaviour, const char *name,
                          void *data, sal_system **out) {
    return behaviour ? sal__system_new(allocator, behaviour, name, data, out) : SAL_EINVAL;
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
    sal__free(mem, sys->mass, sal__mass_bytes(sys));
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
    if (sys->keeping == SAL__COPY) {
        sal__free_copy_of_prototype(sys);
        return;
    }
    if (sys->behaviour && sys->behaviour->destroy)
        sys->behaviour->destroy(sys->data);
    free_leaf_lists(&mem, sys);
    for (int i = 0; i < sys->members.count; i++)
        sal__free(&mem, sys->members.item[i].is_connected, (size_t)sys->members.item[i].input_count * sizeof(bool));
    FREE_NAMED_LIST(&mem, sys->members);
    SAL_FREE_LIST(&mem, sys->wires);
    SAL_FREE_LIST(&mem, sys->trouble.loop_outputs);
    sal__trouble_free(&mem, sys->trouble.refusal);
    sal__name_table_free(&mem, &sys->names.values);
    sal__name_table_free(&mem, &sys->names.outputs);
    sal__name_table_free(&mem, &sys->names.events);
    sal__name_table_free(&mem, &sys->names.members);
    sal__plan_free(&mem, sys->plan);
    sal__free_text(&mem, sys->name);
    sal__free_text(&mem, sys->doc);
    sal__free(&mem, sys, sizeof *sys);
}

bool sal__system_take(sal_system *sys) {
    if (sys->keeping != SAL__CALLERS)
        return false;
    sys->keeping = SAL__TAKEN;
    return true;
}

const char *sal_system_name(const sal_system *sys) {
    return sys->name;
}

void *sal_system_data(const sal_system *sys) {
    return sys->data;
}
