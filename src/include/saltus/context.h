/* A context: time, state, parameters and inputs of one instance of a system;
 * the moving half of a run. All its numbers stand in one contiguous block whose
 * layout the system fixes; abstract state stands in typed slots beside it.
 *
 * A context of a diagram holds its parts' numbers; a part's functions are handed
 * a `const sal_context *` that shows that part alone. Everything of a context
 * that changes on its own is here: it can be cloned. One thread at a time. */
#ifndef SALTUS_CONTEXT_H
#define SALTUS_CONTEXT_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sal_system sal_system;
typedef struct sal_context sal_context;

/* Partitions: the three of the continuous state, then the rest. */
typedef enum { SAL_Q, SAL_V, SAL_Z, SAL_XD, SAL_PARAM, SAL_INPUT, SAL_PARTITIONS } sal_partition;

/* A new context with the system's defaults; the system is built first if it was
 * not. The system must outlive the context. */
SAL_API sal_status sal_context_new(const sal_allocator *allocator, sal_system *system, sal_context **out);
SAL_API sal_status sal_context_clone(const sal_context *ctx, sal_context **out);
SAL_API void sal_context_free(sal_context *ctx);

/* What a part's functions see; on the whole context, its first part. Partitions and slots must be such
 * that there are; ports are checked: EINVAL. */
SAL_API double sal_context_time(const sal_context *ctx);
SAL_API int sal_context_size(const sal_context *ctx, sal_partition partition);
SAL_API const double *sal_context_get(const sal_context *ctx, sal_partition partition);
SAL_API int sal_context_part_index(const sal_context *ctx);

/* An input's or output's value, evaluated at most once per state of the context.
 * *value stays until the context changes. SAL_ELOOP for an algebraic loop that no
 * build could see; SAL_EINPUT for an input without connection and value. However
 * long a chain of outputs is, the C stack does not grow with it: what an output
 * needs is evaluated before it. */
SAL_API sal_status sal_context_input(const sal_context *ctx, int port, const double **value);
SAL_API sal_status sal_context_output(const sal_context *ctx, int port, const double **value);

/* What stands in an input that has no value: a NaN of its own, that no arithmetic makes. */
SAL_API double sal_no_value(void);

/* Changes whenever discrete state or parameters may have: what was read of them
 * from this same context is as it was while this answers the same. */
SAL_API uint64_t sal_context_discrete_version(const sal_context *ctx);

/* The past of what the system keeps of it (sal_system_add_past): as it was `lag` ago, or at
 * the absolute time t; and its derivative. A lag of 0, or within 4 ulp of the time of it, is
 * the present. ETIME: further back than is kept, or the future. Inside a step being tried a
 * lag shorter than the step reads the step itself, which is then repeated until it agrees. */
SAL_API sal_status sal_context_past(const sal_context *ctx, int past, double lag, double *value);
SAL_API sal_status sal_context_past_at(const sal_context *ctx, int past, double t, double *value);
SAL_API sal_status sal_context_past_rate(const sal_context *ctx, int past, double lag, double *rate);
SAL_API sal_status sal_context_past_rate_at(const sal_context *ctx, int past, double t, double *rate);

/* Abstract state: the value in a slot. */
SAL_API const void *sal_context_slot(const sal_context *ctx, int slot);

/* Writing. Outside of a run on the whole context's parts; inside of it only on
 * the `next` that an update is handed. Lent until the call returns. */
SAL_API void sal_context_set_time(sal_context *ctx, double t);
SAL_API double *sal_context_edit(sal_context *ctx, sal_partition partition);
SAL_API sal_status sal_context_edit_slot(sal_context *ctx, int slot, void **value);

/* Parts of a diagram's context, 0 .. count-1; a leaf system is its own only part. */
SAL_API int sal_context_parts(const sal_context *ctx);
SAL_API sal_context *sal_context_part(sal_context *ctx, int part);
SAL_API const sal_context *sal_context_part_const(const sal_context *ctx, int part);

/* The whole's continuous state: all q, then all v, then all z. */
SAL_API int sal_context_continuous_size(const sal_context *ctx);
SAL_API const double *sal_context_continuous(const sal_context *ctx);

/* A draw, uniform in (0, 1), from the part's own counter-based stream (Threefry
 * 2x64-20: Salmon et al., SC 2011). The position in the stream is state: it is
 * cloned, saved, and put back when an update is undone. */
SAL_API double sal_context_random(sal_context *next);
SAL_API void sal_context_seed(sal_context *ctx, uint64_t seed);

#ifdef __cplusplus
}
#endif
#endif
