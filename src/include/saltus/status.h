/* What every call answers, how handlers answer, and where memory comes from.
 *
 * A fallible call answers a sal_status: 0 is fine, a positive value is "try
 * smaller", a negative one is a failure that left its arguments as they were.
 * Results travel through `out` parameters, written only on success. */
#ifndef SALTUS_STATUS_H
#define SALTUS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SAL_API __attribute__((visibility("default")))
#else
#define SAL_API
#endif

#define SAL_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

typedef int sal_status;

enum {
    SAL_OK = 0,
    SAL_RETRY = 1,      /* the step was too long for the method or the model: try smaller */
    SAL_ENOMEM = -1,    /* the allocator answered NULL */
    SAL_EINVAL = -2,    /* an argument is out of its range */
    SAL_ECALLBACK = -3, /* a function of the model failed; it keeps its own error */
    SAL_ESTEP = -4,     /* the step size fell below its minimum */
    SAL_ENAN = -5,      /* a function of the model answered NaN */
    SAL_EZENO = -6,     /* events accumulate, chatter, or repeat at one instant */
    SAL_EHANDLER = -7,  /* a handler or the monitor reported failure */
    SAL_ELOOP = -8,     /* an algebraic loop */
    SAL_ETIME = -9,     /* time cannot do that: the past, NaN, changed without initialize */
    SAL_ESTATE = -10,   /* not now: no context, or called from inside itself */
    SAL_EINPUT = -11,   /* an input was read that is not connected and has no value */
    SAL_EOFF = -12,     /* the state is off its constraints, and cannot be brought back */
    SAL_EPAST = -13     /* a delay is negative, or longer than its past is kept */
};

/* Numbers that a partition of a system, an output, or a point of a delay buffer can have: more are a mistake, and
 * EINVAL, before any memory is taken. */
enum { SAL_MAX_NUMBERS = 1 << 24 };

/* A short English text, never NULL, for any value. */
SAL_API const char *sal_status_text(sal_status status);

/* What a handler or the monitor answers. Simultaneous answers merge by the
 * greater; the first of equals wins. */
typedef enum { SAL_DID_NOTHING, SAL_SUCCEEDED, SAL_TERMINATE, SAL_FAILED } sal_outcome;

/* A message beside an outcome: why, and the path of the system to blame ("" is
 * the handler's own). Both are cut to fit, on a whole UTF-8 character. */
typedef struct sal_note {
    char text[256];
    char blame[128];
} sal_note;

SAL_API void sal_note_set(sal_note *note, const char *text);
SAL_API void sal_note_blame(sal_note *note, const char *path);

/* Memory: one function that resizes, as in Lua. `bytes` 0 frees; `old` is the
 * size the block was asked with. NULL allocator: the C library's. */
typedef struct sal_allocator {
    void *(*resize)(void *user, void *block, size_t old, size_t bytes);
    void *user;
} sal_allocator;

/* XXH64: what hosts and slots hash with. */
SAL_API uint64_t sal_hash(const void *bytes, size_t size, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
