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

/* The same; all memory is filled at first, each block with another byte. */
typedef struct filling_allocator {
    test_allocator counted;
    unsigned char fill;
} filling_allocator;

static inline void *test_allocate_filled(void *user, void *block, size_t old, size_t bytes) {
    filling_allocator *p = user;
    unsigned char *moved = test_allocate(&p->counted, block, old, bytes);
    for (size_t i = block ? old : 0; moved && i < bytes; i++)
        moved[i] = p->fill;
    p->fill++;
    return moved;
}

#endif
