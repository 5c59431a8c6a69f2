/* A context: the time, state, parameters and inputs of one instance of a system. It is the part of a run that changes.
 * All its numbers are in one contiguous block, in the order that the system fixes. Abstract state is in typed slots.
 *
 * A context of a diagram contains the numbers of its parts. The functions of a part get a `const sal_context *` that
 * shows this part alone. A context can be cloned. One thread at a time may use it. */
#ifndef SALTUS_CONTEXT_H
#define SALTUS_CONTEXT_H

#include "status.h"

SAL_BEGIN_DECLARATIONS

typedef struct sal_system sal_system;
typedef struct sal_context sal_context;

/* The partitions of a context. The first three are the continuous state. */
typedef enum { SAL_Q, SAL_V, SAL_Z, SAL_XD, SAL_PARAM, SAL_INPUT, SAL_PARTITIONS } sal_partition;

/* Makes a context with the defaults of the system. Builds the system first, if it is not built. The system must live as
 * long as the context. The caller owns *out. ENOMEM; ELOOP for an algebraic loop; what a slot's `make` returns. */
SAL_API sal_status sal_context_new(const sal_allocator *allocator, sal_system *system, sal_context **out);
/* Makes a copy that the caller owns. ENOMEM; what a slot's functions return. */
SAL_API sal_status sal_context_clone(const sal_context *ctx, sal_context **out);
/* Frees a context that the caller owns; NULL is fine. */
SAL_API void sal_context_free(sal_context *ctx);

/* Read one part. Called with the context of a diagram, these functions read its first part. Pointers are valid until
 * the context changes. Partition and slot indices are not checked; port indices are (EINVAL). Callbacks may call
 * these. */
SAL_API double sal_context_time(const sal_context *ctx);                                /* s */
SAL_API int sal_context_size(const sal_context *ctx, sal_partition partition);          /* numbers */
SAL_API const double *sal_context_get(const sal_context *ctx, sal_partition partition); /* the part's numbers */
SAL_API int sal_context_part_index(const sal_context *ctx);                             /* from 0 */

/* Write a pointer to the value of an input or output to *value. Outputs are computed at most once per state of the
 * context; *value is valid until the context changes. EINVAL for a port that does not exist; ELOOP for an algebraic
 * loop that the build could not find; EINPUT for an input without connection and value; what the output's function
 * returns. A long chain of outputs needs no more C stack than a short one. Callbacks may call these. */
SAL_API sal_status sal_context_input(const sal_context *ctx, int port, const double **value);
SAL_API sal_status sal_context_output(const sal_context *ctx, int port, const double **value);

/* Returns the NaN that marks an input without value. No arithmetic produces it. */
SAL_API double sal_no_value(void);

/* Returns a number that changes whenever discrete state or parameters of the part may have changed. As long as a
 * context returns the same number, its discrete state and parameters are the same. Callbacks may call it. */
SAL_API uint64_t sal_context_discrete_version(const sal_context *ctx);

/* Write the value, or the derivative, of a recorded history (sal_system_add_past): `lag` seconds ago, or at the
 * absolute time t. A lag of 0, or within 4 ulp of the time, means the present. A lag shorter than the step that is
 * being tried reads this step, which is then repeated until it converges. EINVAL for a history that does not exist;
 * ETIME for a negative lag, one longer than the depth, or a time in the future; RETRY where a shorter step is
 * needed. Callbacks may call these. */
SAL_API sal_status sal_context_past(const sal_context *ctx, int past, double lag, double *value);
SAL_API sal_status sal_context_past_at(const sal_context *ctx, int past, double t, double *value);
SAL_API sal_status sal_context_past_rate(const sal_context *ctx, int past, double lag, double *rate);
SAL_API sal_status sal_context_past_rate_at(const sal_context *ctx, int past, double t, double *rate);

/* Returns the value in a slot of abstract state. The context owns it. Callbacks may call it. */
SAL_API const void *sal_context_slot(const sal_context *ctx, int slot);

/* Writing. Between calls of a simulator, a host may write to any part of the context. During a call, only an update may
 * write, and only to its part of the `next` that it gets. Every update may write SAL_XD there. An unrestricted update
 * may also write q, v, z, parameters and slots. Any other write is dropped, and the call fails with a sentence that
 * says so. Pointers are valid until the call returns. After sal_context_set_time (t in s), call
 * sal_simulator_initialize: until then, advances return ETIME. */
SAL_API void sal_context_set_time(sal_context *ctx, double t);
SAL_API double *sal_context_edit(sal_context *ctx, sal_partition partition); /* as many as sal_context_size */
/* Writes a pointer to the slot's value to *value. The caller may change the slot's value. EINVAL in an update that may
 * not write it; what the slot's `assign` returns. */
SAL_API sal_status sal_context_edit_slot(sal_context *ctx, int slot, void **value);

/* Return the number of parts of a diagram's context, and one of its parts: an index from 0, NULL if there is no such
 * part. A system without parts is its own part 0. The context owns the parts. Callbacks may call these. */
SAL_API int sal_context_parts(const sal_context *ctx);
SAL_API sal_context *sal_context_part(sal_context *ctx, int part);
SAL_API const sal_context *sal_context_part_const(const sal_context *ctx, int part);

/* Return the size and the numbers of the continuous state of all parts: all q, then all v, then all z. The pointer is
 * valid until the context changes. Callbacks may call these. */
SAL_API int sal_context_continuous_size(const sal_context *ctx);
SAL_API const double *sal_context_continuous(const sal_context *ctx);

/* Returns a random number, uniform in (0, 1), from the part's own counter-based stream (Threefry 2x64-20: Salmon et
 * al., SC 2011). The position in the stream is state: it is cloned, saved, and restored when an update is undone.
 * Updates may draw from `next`, and hosts between calls. Any other draw returns NaN, and the call fails with a sentence
 * that says so. */
SAL_API double sal_context_random(sal_context *next);
/* Return numbers of other distributions from the same stream, with the same bits as next.random:normal(mean, sd),
 * :exponential and :integer in Lua. A normal number takes two uniform numbers from the stream, the others take one.
 * `integer` is a whole number from low to high, both included, at most 2^53 in size. They return NaN and draw nothing
 * for an argument that is not finite, an sd below 0, a mean of `exponential` that is not positive, and limits of
 * `integer` that are not whole or in the wrong order. */
SAL_API double sal_context_random_normal(sal_context *next, double mean, double sd);
SAL_API double sal_context_random_exponential(sal_context *next, double mean);
SAL_API double sal_context_random_integer(sal_context *next, double low, double high);
/* Returns how many random numbers all parts have drawn since they were seeded. */
SAL_API int64_t sal_context_random_count(const sal_context *ctx);
/* Seeds the streams of all parts. */
SAL_API void sal_context_seed(sal_context *ctx, uint64_t seed);

SAL_END_DECLARATIONS
#endif
