/* Declaring values, outputs and slots: lists that grow until the first build, then never change. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "model.h"

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

static sal_status check_size(sal_system *sys, const char *name, int size, int most) {
    if (size < 1)
        return SAL__REFUSE(sys, "\"", name, "\" has the size ", sal__whole_number(size).text,
                           "; it needs at least 1 number");
    if (size > most)
        return SAL__REFUSE(sys, "\"", name, "\" has the size ", sal__whole_number(size).text, "; there is room for ",
                           sal__whole_number(most).text, " numbers (SAL_MAX_NUMBERS in all)");
    return SAL_OK;
}

/* A state starts at finite numbers. */
static sal_status check_defaults(sal_system *sys, const char *name, int size, const double *defaults) {
    for (int i = 0; defaults && i < size; i++)
        if (!isfinite(defaults[i]))
            return SAL__REFUSE(sys, "the default of \"", name, "\" is ", sal__real_number(defaults[i], 6).text,
                               "; a state starts at finite numbers");
    return SAL_OK;
}

/* States, parameters, inputs and slots share one set of names; an output may have the name of a state. */
static sal_status check_values(sal_system *sys, sal_partition partition, const char *name, int size,
                               const double *defaults) {
    sal_status status = sal__check_open_leaf(sys, "values");
    if (status == SAL_OK)
        status = sal__check_new_leaf_name(sys, "a value", name, &sys->names.values);
    if (status != SAL_OK)
        return status;
    if ((unsigned)partition >= SAL_PARTITIONS)
        return SAL__REFUSE(sys, "\"", name, "\" is declared in partition ", sal__whole_number((int)partition).text,
                           ", which does not exist; use one of SAL_Q to SAL_INPUT");
    if (sys->mass && partition <= SAL_Z)
        return SAL__REFUSE(sys, "\"", name,
                           "\" is declared after the mass matrix; declare all q, v and z before "
                           "sal_system_set_mass");
    status = check_size(sys, name, size, SAL_MAX_NUMBERS - sys->size[partition]);
    return status == SAL_OK && partition <= SAL_Z ? check_defaults(sys, name, size, defaults) : status;
}

sal_status sal_system_add_values(sal_system *sys, sal_partition partition, const char *name, int size,
                                 const double *defaults) {
    const sal_status checked = check_values(sys, partition, name, size, defaults);
    if (checked != SAL_OK)
        return checked;
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

sal_status sal_system_add_output(sal_system *sys, const char *name, int size, int *port) {
    sal_status status = sal__check_open_leaf(sys, "outputs");
    if (status == SAL_OK)
        status = sal__check_new_leaf_name(sys, "an output", name, &sys->names.outputs);
    if (status == SAL_OK)
        status = check_size(sys, name, size, SAL_MAX_NUMBERS);
    if (status != SAL_OK)
        return status;
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
static sal_status check_slot_type(sal_system *sys, const char *name, const sal_slot_type *t) {
    if (!t || !t->make || !t->clone || !t->assign || !t->drop)
        return SAL__REFUSE(sys, "the type of the slot \"", name,
                           "\" lacks one of make, clone, assign and drop; set all "
                           "four");
    const int count = !!t->size + !!t->save + !!t->load + !!t->hash;
    if (count != 0 && count != 4)
        return SAL__REFUSE(sys, "the type of the slot \"", name, "\" has ", sal__whole_number(count).text,
                           " of size, save, load and hash; set all four, or none if it is not saved");
    return SAL_OK;
}

sal_status sal_system_add_slot(sal_system *sys, const char *name, const sal_slot_type *type, int *slot) {
    sal_status status = sal__check_open_leaf(sys, "slots");
    if (status == SAL_OK)
        status = sal__check_new_leaf_name(sys, "a slot", name, &sys->names.values);
    if (status == SAL_OK)
        status = check_slot_type(sys, name, type);
    if (status != SAL_OK)
        return status;
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
