#include "arena.h"

#include <stddef.h>
#include <string.h>

static size_t rounded_up(size_t bytes) {
    const size_t unit = _Alignof(max_align_t);
    return (bytes + unit - 1) / unit * unit;
}

/* A new block at `start`; NULL if it does not fit. */
static void *take(arena *memory, size_t start, size_t bytes) {
    if (bytes > memory->size - start || rounded_up(bytes) > memory->size - start)
        return NULL;
    memory->last = start;
    memory->used = start + rounded_up(bytes);
    return memory->bytes + start;
}

static void *resize(void *user, void *block, size_t old, size_t bytes) {
    arena *memory = user;
    const bool is_newest = block && block == memory->bytes + memory->last;
    memory->calls++;
    if (bytes == 0) {
        if (is_newest)
            memory->used = memory->last;
        return NULL;
    }
    if (is_newest)
        return take(memory, memory->last, bytes);
    void *moved = take(memory, memory->used, bytes);
    if (moved && block)
        memcpy(moved, block, old < bytes ? old : bytes);
    return moved;
}

sal_allocator arena_allocator(arena *memory) {
    return (sal_allocator){resize, memory};
}
