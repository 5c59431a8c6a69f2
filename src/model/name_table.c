/* Names, and a hash table of them. */
#include "name_table.h"

#include <string.h>

/* Control characters are refused because names are printed on terminals. */
bool sal__is_name(const char *name) {
    for (const char *c = name; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return false;
    return name != NULL;
}

/* Returns the index of a name, or the free index where it belongs. */
static int index_of(const sal__name_table *names, const char *text) {
    const int mask = names->cap - 1;
    int i = (int)(sal_hash(text, strlen(text), 0) & (uint64_t)mask);
    while (names->at[i].text && strcmp(names->at[i].text, text) != 0)
        i = (i + 1) & mask;
    return i;
}

int sal__name_table_find(const sal__name_table *names, const char *text) {
    if (names->cap == 0)
        return -1;
    const sal__name_entry *name = &names->at[index_of(names, text)];
    return name->text ? name->item : -1;
}

sal_status sal__name_table_reserve(const sal_allocator *mem, sal__name_table *names) {
    if (3 * (names->count + 1) <= 2 * names->cap)
        return SAL_OK;
    sal__name_table wider = {NULL, names->cap ? 2 * names->cap : 4, 0};
    wider.at = sal__alloc(mem, (size_t)wider.cap * sizeof *wider.at);
    if (!wider.at)
        return SAL_ENOMEM;
    for (int i = 0; i < names->cap; i++)
        if (names->at[i].text)
            sal__name_table_add(&wider, names->at[i].text, names->at[i].item);
    sal__name_table_free(mem, names);
    *names = wider;
    return SAL_OK;
}

void sal__name_table_add(sal__name_table *names, const char *text, int item) {
    names->at[index_of(names, text)] = (sal__name_entry){text, item};
    names->count++;
}

/* Names that follow without a gap may belong nearer to the freed place: they are inserted again. */
void sal__name_table_remove(sal__name_table *names, const char *text) {
    const int mask = names->cap - 1;
    int i = index_of(names, text);
    names->count--;
    names->at[i] = (sal__name_entry){NULL, 0};
    for (i = (i + 1) & mask; names->at[i].text; i = (i + 1) & mask) {
        const sal__name_entry name = names->at[i];
        names->at[i] = (sal__name_entry){NULL, 0};
        names->at[index_of(names, name.text)] = name;
    }
}

void sal__name_table_free(const sal_allocator *mem, sal__name_table *names) {
    sal__free(mem, names->at, (size_t)names->cap * sizeof *names->at);
    *names = (sal__name_table){NULL, 0, 0};
}
