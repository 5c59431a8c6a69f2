/* What functions return, what handlers return, and where memory comes from.
 *
 * A function that can fail returns a sal_status: SAL_OK (0), SAL_RETRY (positive: try a smaller step), or a negative
 * error. A call that fails leaves its arguments unchanged, with two exceptions: a report is always written, and a
 * failed advance keeps the steps that it has made. Results are written through `out` parameters, only on success.
 * A pointer may be NULL only where a comment says so.
 *
 * Threads: an object may be used by one thread at a time. Systems that are built are read only and may be shared. */
#ifndef SALTUS_STATUS_H
#define SALTUS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* On Windows, define SAL_DLL to use the library as a DLL; SAL_DLL_BUILD is defined while the DLL is made. */
#if defined(_WIN32) && defined(SAL_DLL_BUILD)
#define SAL_API __declspec(dllexport)
#elif defined(_WIN32) && defined(SAL_DLL)
#define SAL_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define SAL_API __attribute__((visibility("default")))
#else
#define SAL_API
#endif

/* Around the declarations of a header, for C++. */
#ifdef __cplusplus
#define SAL_BEGIN_DECLARATIONS extern "C" {
#define SAL_END_DECLARATIONS }
#else
#define SAL_BEGIN_DECLARATIONS
#define SAL_END_DECLARATIONS
#endif

#define SAL_VERSION "0.1.0"

SAL_BEGIN_DECLARATIONS

typedef int sal_status;

enum {
    SAL_OK = 0,
    SAL_RETRY = 1,      /* the step is too long for the method or the model: try a smaller one */
    SAL_ENOMEM = -1,    /* the allocator returned NULL */
    SAL_EINVAL = -2,    /* an argument is out of its range */
    SAL_ECALLBACK = -3, /* a function of the model failed; it keeps its own error */
    SAL_ESTEP = -4,     /* the step size fell below its minimum */
    SAL_ENAN = -5,      /* a function of the model returned NaN */
    SAL_EZENO = -6,     /* events accumulate, chatter, or repeat at one instant */
    SAL_EHANDLER = -7,  /* a handler or the monitor reported a failure */
    SAL_ELOOP = -8,     /* an algebraic loop */
    SAL_ETIME = -9,     /* the time is in the past, is NaN, or was changed without initialize */
    SAL_ESTATE = -10,   /* not possible now: there is no context, or the call comes from inside the run */
    SAL_EINPUT = -11,   /* an input was read that is not connected and has no value */
    SAL_EOFF = -12,     /* the state does not meet its constraints, and cannot be projected onto them */
    SAL_EPAST = -13,    /* the delay of a block is negative, or longer than the history that it records */
    SAL_EWATCH = -14,   /* the save or the other run has an armed watch that this simulator does not have */
    SAL_ESTORY = -15    /* the run has stories, which only Lua can copy */
};

/* The most numbers in a partition of a system, in an output, or in a point of a delay buffer. More are refused with
 * EINVAL before any memory is allocated. */
enum { SAL_MAX_NUMBERS = 1 << 24 };

/* Returns a short English text for any value; never NULL. The text is static. */
SAL_API const char *sal_status_text(sal_status status);

/* What a handler or the monitor returns; it is not a sal_status. SAL_DID_NOTHING drops what the handler has written to
 * `next`; any other number than these is a failure. The outcome of simultaneous events is the greatest of their
 * outcomes; among equal ones, the first. */
typedef enum { SAL_DID_NOTHING, SAL_SUCCEEDED, SAL_TERMINATE, SAL_FAILED } sal_outcome;

/* A message that belongs to an outcome: the reason, and the path of the system that caused it ("" means the system
 * of the handler itself). Longer texts are cut at a whole UTF-8 character. */
typedef struct sal_note {
    char text[256];
    char blame[128];
} sal_note;

/* Copy `text` or `path` into the note. `note` may be NULL. Callbacks may call these. */
SAL_API void sal_note_set(sal_note *note, const char *text);
SAL_API void sal_note_blame(sal_note *note, const char *path);

/* Memory comes from one function that resizes, as in Lua: `bytes` 0 frees the block; `old` is the size with which the
 * block was allocated. If an allocator is NULL, that of the C library is used. */
typedef struct sal_allocator {
    void *(*resize)(void *user, void *block, size_t old, size_t bytes);
    void *user;
} sal_allocator;

/* Returns XXH64 of the bytes. Hosts and slots may hash with it. Callbacks and any thread may call it. */
SAL_API uint64_t sal_hash(const void *bytes, size_t size, uint64_t seed);

SAL_END_DECLARATIONS
#endif
