/* An allocator for tests: counts requests and bytes not freed, and refuses one request. */
#ifndef SAL_TEST_ALLOCATOR_H
#define SAL_TEST_ALLOCATOR_H

#include <stdlib.h>

typedef struct test_allocator {
    long requests_left;             /* requests before the one that is refused; negative: none is */
    long request_count, bytes_lent; /* requests; bytes not freed */
} test_allocator;

static inline void *test_allocate(void *user, void *block, size_t old, size_t bytes) {
    test_allocator *p = user;
    if (bytes == 0) {
        p->bytes_lent -= (long)old;
        free(block);
        return NULL;
    }
    p->request_count++;
    if (p->requests_left-- == 0)
        return NULL;
    void *moved = realloc(block, bytes);
    p->bytes_lent += (long)bytes - (long)(block ? old : 0);
    return moved;
}

/* The same; all memory is 0 at first, also where nobody writes before it is saved. */
static inline void *test_allocate_zeroed(void *user, void *block, size_t old, size_t bytes) {
    unsigned char *moved = test_allocate(user, block, old, bytes);
    for (size_t i = block ? old : 0; moved && i < bytes; i++)
        moved[i] = 0;
    return moved;
}

#endif
