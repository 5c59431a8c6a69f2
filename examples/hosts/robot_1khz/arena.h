/* Memory for the engine from one array: it is taken at set-up, and none of it while the robot moves. */
#ifndef ARENA_H
#define ARENA_H

#include <saltus/saltus.h>

typedef struct arena {
    unsigned char *bytes; /* aligned for every type */
    size_t size, used;
    size_t last;   /* where the newest block begins */
    int64_t calls; /* of the allocator */
} arena;

/* An allocator that takes blocks from `memory`, which must outlive it. A freed block is used again only if it is the
 * newest one. */
sal_allocator arena_allocator(arena *memory);

#endif
