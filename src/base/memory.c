/* Memory through the caller's hook, or else the C library. */
#include <stddef.h>
#include <stdlib.h>

#include "base.h"

static void *library_resize(void *user, void *block, size_t old, size_t bytes) {
    (void)user;
    (void)old;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, bytes);
}

sal_allocator sal__allocator(const sal_allocator *allocator) {
    if (allocator && allocator->resize)
        return *allocator;
    return (sal_allocator){library_resize, NULL};
}

/* A hook frees at 0 bytes, so an empty block is one byte long. */
static size_t at_least_one(size_t bytes) {
    return bytes ? bytes : 1;
}

void *sal__alloc(const sal_allocator *a, size_t bytes) {
    void *block = a->resize(a->user, NULL, 0, at_least_one(bytes));
    if (block)
        memset(block, 0, at_least_one(bytes));
    return block;
}

void *sal__resize(const sal_allocator *a, void *block, size_t old, size_t bytes) {
    return a->resize(a->user, block, block ? at_least_one(old) : 0, at_least_one(bytes));
}

void sal__free(const sal_allocator *a, void *block, size_t bytes) {
    if (block)
        a->resize(a->user, block, at_least_one(bytes), 0);
}

char *sal__copy_text(const sal_allocator *a, const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *copy = sal__alloc(a, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void sal__free_text(const sal_allocator *a, char *text) {
    if (text)
        sal__free(a, text, strlen(text) + 1);
}

sal_status sal__grow(const sal_allocator *a, void **items, int count, int *cap, size_t item_bytes) {
    if (count < *cap)
        return SAL_OK;
    const int wanted = *cap ? 2 * *cap : item_bytes < 64 ? 4 : 1; /* large items are rare: most parts have one output */
    void *grown = sal__resize(a, *items, (size_t)*cap * item_bytes, (size_t)wanted * item_bytes);
    if (!grown)
        return SAL_ENOMEM;
    *items = grown;
    *cap = wanted;
    return SAL_OK;
}

/* The header of each block of a pool: what follows it is aligned for numbers and pointers. */
struct sal__pool_block {
    _Alignas(double) struct sal__pool_block *older;
    size_t bytes;
};

void *sal__pool_alloc(sal__pool *pool, int count, size_t size) {
    const size_t bytes = sizeof *pool->newest + (size_t)count * size;
    struct sal__pool_block *block = pool->failed ? NULL : sal__alloc(&pool->mem, bytes);
    pool->failed = !block;
    if (!block)
        return NULL;
    block->older = pool->newest;
    block->bytes = bytes;
    pool->newest = block;
    return block + 1;
}

void sal__pool_free(sal__pool *pool) {
    while (pool->newest) {
        struct sal__pool_block *block = pool->newest;
        pool->newest = block->older;
        sal__free(&pool->mem, block, block->bytes);
    }
}
