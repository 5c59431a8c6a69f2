#include <string.h>

#include "binding.h"

void l_bytes_clear(l_bytes *blob) {
    if (blob->bytes)
        blob->mem.resize(blob->mem.user, blob->bytes, blob->cap, 0);
    blob->bytes = NULL;
    blob->size = blob->cap = 0;
}

sal_status l_bytes_set(l_bytes *blob, const char *bytes, size_t size) {
    if (size > blob->cap || !blob->bytes) {
        const size_t cap = 2 * size + 16;
        char *grown = blob->mem.resize(blob->mem.user, blob->bytes, blob->cap, cap);
        if (!grown)
            return SAL_ENOMEM;
        blob->bytes = grown;
        blob->cap = cap;
    }
    memcpy(blob->bytes, bytes, size);
    blob->size = size;
    return SAL_OK;
}

static sal_status clone(const void *value, void **out) {
    const l_bytes *from = value;
    l_bytes *blob = from->mem.resize(from->mem.user, NULL, 0, sizeof *blob);
    if (!blob)
        return SAL_ENOMEM;
    *blob = (l_bytes){NULL, 0, 0, from->mem};
    const sal_status status = l_bytes_set(blob, from->bytes, from->size);
    if (status != SAL_OK)
        blob->mem.resize(blob->mem.user, blob, sizeof *blob, 0);
    else
        *out = blob;
    return status;
}

static sal_status make(const sal_system *sys, int slot, void **out) {
    const l_part *part = sal_system_data(sys);
    return clone(&part->initial_slot[slot], out);
}

static sal_status assign(void *to, const void *from) {
    const l_bytes *source = from;
    return l_bytes_set(to, source->bytes, source->size);
}

static void drop(void *value) {
    l_bytes *blob = value;
    const sal_allocator mem = blob->mem;
    l_bytes_clear(blob);
    mem.resize(mem.user, blob, sizeof *blob, 0);
}

static size_t size_of(const void *value) {
    return ((const l_bytes *)value)->size;
}

static void save(const void *value, void *bytes) {
    const l_bytes *blob = value;
    memcpy(bytes, blob->bytes, blob->size);
}

static sal_status load(void *value, const void *bytes, size_t size) {
    l_bytes *blob = value;
    const sal_status status = l_check_serialized(bytes, size);
    return status == SAL_OK ? l_bytes_set(blob, bytes, size) : status;
}

static uint64_t hash(const void *value, uint64_t seed) {
    const l_bytes *blob = value;
    return sal_hash(blob->bytes, blob->size, seed);
}

const sal_slot_type l_slot_type = {make, clone, assign, drop, size_of, save, load, hash, NULL};
