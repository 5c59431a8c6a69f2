#include "archive.h"

void sal__archive_spoil(sal__archive *a) {
    a->is_bad = true;
    a->is_open = false;
}

void sal__archive_break(sal__archive *a) {
    if (a->mode == SAL__CHECK)
        sal__archive_spoil(a);
}

bool sal__archive_pass(sal__archive *a, sal__field field, size_t bytes) {
    if (a->mode != SAL__COUNT) {
        sal__archive_spoil(a);
        return false;
    }
    if (a->list)
        a->list(a->user, field, a->at, bytes);
    a->at += bytes;
    return false;
}

static const unsigned char *bytes_of(const sal__archive *a) {
    return a->mode == SAL__WRITE ? a->to : a->from;
}

/* Hashes what was passed over, up to a field that is hashed as it is copied. */
static void catch_up(sal__archive *a, size_t at) {
    const size_t hashed = (size_t)a->hasher->size;
    sal__hasher_add(a->hasher, bytes_of(a) + hashed, at - hashed);
}

static void copy(sal__archive *a, size_t at, void *to, const void *from, size_t bytes) {
    if (!a->hasher) {
        memcpy(to, from, bytes);
        return;
    }
    catch_up(a, at);
    sal__hasher_copy(a->hasher, to, from, bytes);
}

void sal__archive_write_large(sal__archive *a, const void *memory, size_t bytes) {
    const size_t at = a->at - bytes;
    copy(a, at, a->to + at, memory, bytes);
}

void sal__archive_load_large(sal__archive *a, void *memory, size_t bytes) {
    const size_t at = a->at - bytes;
    copy(a, at, memory, a->from + at, bytes);
}

uint64_t sal__archive_hash(const sal__archive *a, size_t size) {
    const size_t hashed = (size_t)a->hasher->size;
    sal__hasher_add(a->hasher, bytes_of(a) + hashed, size - hashed);
    return sal__hasher_end(a->hasher);
}
