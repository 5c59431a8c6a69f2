/* An allocator for tests: counts what it is asked for and what is lent, and refuses one request. */
#ifndef SAL_TEST_ALLOCATOR_H
#define SAL_TEST_ALLOCATOR_H

#include <stdlib.h>

typedef struct purse {
    long left;        /* requests before the one that is refused; negative: none is */
    long asked, lent; /* requests; bytes that were not given back */
} purse;

static inline void *lend(void *user, void *block, size_t old, size_t bytes) {
    purse *p = user;
    if (bytes == 0) {
        p->lent -= (long)old;
        free(block);
        return NULL;
    }
    p->asked++;
    if (p->left-- == 0)
        return NULL;
    void *moved = realloc(block, bytes);
    p->lent += (long)bytes - (long)(block ? old : 0);
    return moved;
}

#endif
