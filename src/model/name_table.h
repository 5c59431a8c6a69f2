/* Inside the model: which item bears a name, found in constant time. */
#ifndef SAL_NAME_TABLE_H
#define SAL_NAME_TABLE_H

#include "base/base.h"

typedef struct sal__name {
    const char *text; /* borrowed; NULL: free */
    int item;
} sal__name;

/* Open addressing: `cap` is a power of two, at least a third of it free. */
typedef struct sal__names {
    sal__name *at;
    int cap, count;
} sal__names;

int sal__names_find(const sal__names *names, const char *text); /* -1: none */
/* Makes room for one more, so that the next add cannot fail. */
sal_status sal__names_reserve(const sal_allocator *mem, sal__names *names);
void sal__names_add(sal__names *names, const char *text, int item);
void sal__names_drop(sal__names *names, const char *text); /* must be there */
void sal__names_free(const sal_allocator *mem, sal__names *names);

#endif
