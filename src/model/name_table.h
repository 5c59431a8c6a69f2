/* Internal to the model: what a name is, and a table that finds an item by name in constant time. */
#ifndef SAL_NAME_TABLE_H
#define SAL_NAME_TABLE_H

#include "base/base.h"

typedef struct sal__name_entry {
    const char *text; /* borrowed; NULL: free */
    int item;
} sal__name_entry;

/* Open addressing: `cap` is a power of two, and at least a third of it is free. */
typedef struct sal__name_table {
    sal__name_entry *at;
    int cap, count;
} sal__name_table;

bool sal__is_name(const char *name); /* not NULL, and without control characters */

int sal__name_table_find(const sal__name_table *names, const char *text); /* -1: none */
/* Makes room for one more name, so that the next add cannot fail. */
sal_status sal__name_table_reserve(const sal_allocator *mem, sal__name_table *names);
void sal__name_table_add(sal__name_table *names, const char *text, int item);
void sal__name_table_remove(sal__name_table *names, const char *text); /* must be there */
void sal__name_table_free(const sal_allocator *mem, sal__name_table *names);

#endif
