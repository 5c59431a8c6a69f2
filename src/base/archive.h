/* Saves and loads a run as bytes, with one walk over the saved fields.
 *
 * Each part of a run has one function that names its fields in order. The mode of the archive decides what it does:
 *
 *   SAL__COUNT  computes the number of bytes
 *   SAL__WRITE  writes the bytes
 *   SAL__CHECK  checks bytes of any origin against the rules of their fields; only the archive changes
 *   SAL__READ   stores the bytes in the fields
 *
 * Bytes are checked before they are read, so reading cannot fail: a load succeeds as a whole, or changes nothing. A
 * field returns its value (when checking and reading, that of the bytes), for rules that concern several fields. Once
 * `bad` is set, later fields are skipped and return what is in memory, or the least allowed value. */
#ifndef SAL_ARCHIVE_H
#define SAL_ARCHIVE_H

#include <math.h>

#include "base.h"

typedef enum { SAL__COUNT, SAL__WRITE, SAL__CHECK, SAL__READ } sal__archive_mode;
typedef enum {
    SAL__FIELD_BYTES,
    SAL__FIELD_FLAG,
    SAL__FIELD_SIGN,
    SAL__FIELD_INT,
    SAL__FIELD_INT64,
    SAL__FIELD_REAL
} sal__field;

/* A field of so many bytes is hashed while it is copied. */
enum { SAL__LARGE_FIELD = 256 };

/* The largest values of counters. */
#define SAL__MAX_COUNT (INT64_MAX / 4)

typedef struct sal__archive {
    sal__archive_mode mode;
    bool at_most;              /* SAL__COUNT: as many bytes as the present memory can need */
    bool is_open;              /* fields are written or read: they are not only counted, and none was bad */
    bool is_bad;               /* the bytes break a rule, or there are too few of them */
    size_t at, size;           /* bytes so far; in all */
    unsigned char *to;         /* SAL__WRITE */
    const unsigned char *from; /* SAL__CHECK, SAL__READ */
    sal__hasher *hasher;       /* has hashed the first bytes; the others follow. NULL: none */
    /* SAL__COUNT: called for each field, in tests; may be NULL */
    void (*list)(void *user, sal__field field, size_t at, size_t bytes);
    void *user;
} sal__archive;

static inline sal__archive sal__archive_to(void *bytes, size_t size) {
    return (sal__archive){.mode = SAL__WRITE, .is_open = true, .size = size, .to = bytes};
}
static inline sal__archive sal__archive_from(const void *bytes, size_t size) {
    return (sal__archive){.mode = SAL__CHECK, .is_open = true, .size = size, .from = bytes};
}
/* After a successful check: reads the bytes from the beginning. */
static inline void sal__archive_read(sal__archive *a) {
    a->mode = SAL__READ;
    a->at = 0;
}
/* The next `bytes` as an archive of their own, for content that other versions may not understand. */
static inline sal__archive sal__archive_part(sal__archive *a, size_t bytes) {
    sal__archive part = sal__archive_from(a->from + a->at, bytes);
    part.mode = a->mode;
    a->at += bytes;
    return part;
}
static inline bool sal__archive_ended(const sal__archive *a) {
    return !a->is_bad && a->at == a->size;
}
static inline bool sal__is_loading(const sal__archive *a) {
    return a->mode >= SAL__CHECK;
}

/* archive.c: what is seldom. The bytes are bad if they are being checked; they are bad at any time; a field that is
 * counted, or for which there is no room. */
void sal__archive_break(sal__archive *a);
void sal__archive_spoil(sal__archive *a);
bool sal__archive_pass(sal__archive *a, sal__field field, size_t bytes);
/* The last `bytes` up to `at` are copied: written from, or loaded to `memory`, and hashed at the same time. */
void sal__archive_write_large(sal__archive *a, const void *memory, size_t bytes);
void sal__archive_load_large(sal__archive *a, void *memory, size_t bytes);
/* The hash of the first `size` bytes, as far as they are not hashed yet. */
uint64_t sal__archive_hash(const sal__archive *a, size_t size);

static inline void sal__rule(sal__archive *a, bool holds) {
    if (!holds)
        sal__archive_break(a);
}

/* Handles `bytes` more bytes; returns false if they are neither written nor read. */
static inline bool sal__archive_step(sal__archive *a, sal__field field, size_t bytes) {
    if (!a->is_open || bytes > a->size - a->at)
        return sal__archive_pass(a, field, bytes);
    a->at += bytes;
    return true;
}

/* One number, at `memory`. `value` is its value in the bytes when loading, else the value in memory. Each field of
 * each run passes here: what is seldom stands in archive.c. */
static inline void sal__field_of(sal__archive *a, sal__field field, void *memory, void *value, size_t bytes) {
    const size_t at = a->at;
    if (!sal__archive_step(a, field, bytes)) {
        memcpy(value, memory, bytes);
    } else if (a->mode == SAL__WRITE) {
        memcpy(value, memory, bytes);
        memcpy(a->to + at, value, bytes);
    } else {
        memcpy(value, a->from + at, bytes);
        if (a->mode == SAL__READ)
            memcpy(memory, value, bytes);
    }
}

/* ---- fields ---- */

/* Any number, also NaN. */
static inline double sal__real(sal__archive *a, double *x) {
    double value;
    sal__field_of(a, SAL__FIELD_REAL, x, &value, sizeof value);
    return value;
}

static inline double sal__real_not_nan(sal__archive *a, double *x) {
    const double value = sal__real(a, x);
    sal__rule(a, value == value);
    return value;
}

static inline double sal__real_finite(sal__archive *a, double *x) {
    const double value = sal__real(a, x);
    sal__rule(a, isfinite(value));
    return value;
}

static inline int64_t sal__int64(sal__archive *a, int64_t *x, int64_t least, int64_t most) {
    int64_t value;
    sal__field_of(a, SAL__FIELD_INT64, x, &value, sizeof value);
    const bool fits = value >= least && value <= most;
    sal__rule(a, fits);
    return fits ? value : least;
}

static inline int sal__int(sal__archive *a, int *x, int least, int most) {
    int32_t value;
    sal__field_of(a, SAL__FIELD_INT, x, &value, sizeof value);
    const bool fits = value >= least && value <= most;
    sal__rule(a, fits);
    return fits ? value : least;
}

static inline bool sal__flag(sal__archive *a, bool *x) {
    unsigned char value;
    sal__field_of(a, SAL__FIELD_FLAG, x, &value, sizeof value);
    sal__rule(a, value <= 1);
    return value != 0;
}

/* -1, 0 or 1. */
static inline int sal__sign_field(sal__archive *a, signed char *x) {
    signed char value;
    sal__field_of(a, SAL__FIELD_SIGN, x, &value, sizeof value);
    sal__rule(a, value >= -1 && value <= 1);
    return value;
}

/* Any bits. */
static inline uint64_t sal__bits(sal__archive *a, uint64_t *x) {
    uint64_t value;
    sal__field_of(a, SAL__FIELD_INT64, x, &value, sizeof value);
    return value;
}

/* Field of `bytes` without rules. Returns its position in the loaded bytes, else NULL. */
static inline const unsigned char *sal__bytes(sal__archive *a, void *memory, size_t bytes) {
    if (!sal__archive_step(a, SAL__FIELD_BYTES, bytes))
        return NULL;
    if (a->mode == SAL__WRITE && bytes >= SAL__LARGE_FIELD)
        sal__archive_write_large(a, memory, bytes);
    else if (a->mode == SAL__WRITE && bytes > 0)
        memcpy(a->to + a->at - bytes, memory, bytes);
    if (a->mode == SAL__READ && bytes > 0)
        memcpy(memory, a->from + a->at - bytes, bytes);
    return sal__is_loading(a) ? a->from + a->at - bytes : NULL;
}

/* Bytes that are not there now, but may be: counted if the most is counted. */
static inline void sal__may_take(sal__archive *a, size_t bytes) {
    a->at += a->at_most ? bytes : 0;
}

/* Any numbers. */
static inline const unsigned char *sal__reals(sal__archive *a, double *x, size_t count) {
    if (!a->list)
        return sal__bytes(a, x, count * sizeof *x);
    for (size_t i = 0; i < count; i++)
        sal__archive_step(a, SAL__FIELD_REAL, sizeof *x);
    return NULL;
}

static inline double sal__real_at(const unsigned char *bytes, size_t i) {
    double value;
    memcpy(&value, bytes + i * sizeof value, sizeof value);
    return value;
}

static inline int sal__int_at(const unsigned char *bytes, size_t i) {
    int value;
    memcpy(&value, bytes + i * sizeof value, sizeof value);
    return value;
}

/* Field: a count of items of at least `each` bytes that follow; never more than the remaining bytes hold. */
static inline int sal__count(sal__archive *a, int *count, int most, size_t each) {
    const int value = sal__int(a, count, 0, most);
    if (a->mode == SAL__CHECK && (a->is_bad || (size_t)value > (a->size - a->at) / each)) {
        sal__archive_spoil(a);
        return 0;
    }
    return value;
}

#endif
