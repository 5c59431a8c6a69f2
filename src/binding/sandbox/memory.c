/* The memory of a sandbox: its allocator, and when its collector runs. */
#include <stdlib.h>

#include "library.h"
#include "sandbox.h"

enum {
    BYTES_PER_UNIT = 64, /* of memory that is allocated, in the budget */
    SMALL = 65536,       /* bytes that are allocated even if the budget is spent, so that errors can be raised */
    RESERVE = 8,         /* this part of the memory is for scripts that have run out of it ... */
    EMERGENCIES = 4      /* ... so often since the hook looked */
};

/* ---- what a block costs ---- */

/* The keys of a table that are no list are in blocks of a power of two of nodes. A table that grows moves its keys into
 * a new block in one instruction, and takes the square of their number if they all have the same place there. Returns
 * how many comparisons that are; 0 for other blocks. */
static double collisions(size_t size) {
    enum { NODE = 24, MORE = 16, FEW = 4096 }; /* bytes of a node, and before the first one in Lua 5.5; nodes */
    const size_t nodes = size / NODE;
    if (nodes < FEW || (nodes & (nodes - 1)) != 0 || size % NODE > MORE)
        return 0;
    return (double)nodes * (double)nodes / 8;
}

static bool may_collide(l_sandbox *s, double comparisons) {
    const double per_unit = 64, per_second = 2.5e8;
    if (s->limits.seconds > 0 && comparisons > s->limits.seconds * per_second)
        return false;
    return l_spend(&s->limits, (int64_t)(comparisons / per_unit));
}

/* Without memory, Lua collects all garbage and tries again, which takes long if nearly all of it is in use. A script
 * that runs out of it again and again gets the reserve until the hook looks. */
static bool has_room(l_sandbox *s, size_t more) {
    const size_t most = s->emergencies < EMERGENCIES ? s->memory - s->memory / RESERVE : s->memory;
    if (more <= most && s->used <= most - more)
        return true;
    s->emergencies++;
    l_spend(&s->limits, (int64_t)(s->used / BYTES_PER_UNIT));
    if (s->weak)
        l_forbid_weak_keys(s->weak);
    return false;
}

/* Without a block, `had` is the type of the new object; 0 if it is part of one. */
static bool is_allowed(l_sandbox *s, const void *block, size_t had, size_t more, size_t size) {
    if (!has_room(s, more))
        return false;
    if (!block && had == LUA_TSTRING && size > s->limits.longest)
        return false;
    const double comparisons = block || had != 0 ? 0 : collisions(size);
    if (comparisons > 0 && !may_collide(s, comparisons))
        return false;
    return l_spend(&s->limits, (int64_t)(more / BYTES_PER_UNIT)) || more <= SMALL;
}

void *l_allocate(void *user, void *block, size_t had, size_t size) {
    l_sandbox *s = user;
    const size_t before = block ? had : 0;
    if (size == 0) {
        free(block);
        s->used -= before;
        return NULL;
    }
    if (size > before && !is_allowed(s, block, had, size - before, size))
        return NULL;
    void *made = realloc(block, size);
    if (!made)
        return size <= before ? block : NULL; /* Lua expects that it can always shrink */
    s->used = s->used - before + size;
    return made;
}

l_sandbox *l_sandbox_of(lua_State *L) {
    void *user = NULL;
    return lua_getallocf(L, &user) == l_allocate ? user : NULL;
}

/* ---- the collector ---- */

/* Where the collector runs next: after the memory in use has doubled, or is closer to its end. */
static size_t next_collection(const l_sandbox *s) {
    enum { LEAST = 1 << 20 }; /* bytes */
    const size_t rest = s->used < s->memory ? (s->memory - s->used) / 2 : 0;
    const size_t more = s->used < rest ? s->used : rest;
    return s->used + (more > LEAST ? more : LEAST);
}

/* Under limits it runs where the hook looks, after weak keys are forbidden. */
void l_collect(lua_State *L) {
    l_sandbox *s = l_sandbox_of(L);
    s->emergencies = 0;
    if (s->used >= s->collect_at) {
        l_forbid_weak_keys(s->weak);
        lua_gc(L, LUA_GCCOLLECT);
        s->collect_at = next_collection(s);
    } else if (next_collection(s) < s->collect_at) {
        s->collect_at = next_collection(s); /* the host has collected */
    }
}

void l_start_collector(lua_State *L) {
    l_sandbox *s = l_sandbox_of(L);
    s->weak = l_new_weak_thread(L);
    s->limits.collect = l_collect;
}
