/* Contexts: one block of numbers, a list of slots, and for each part a view of its own numbers and slots. */
#include "base/threefry.h"
#include "model.h"

/* The arrays of a context and their sizes. */
#define ARRAYS(X) \
    X(block, data->block_size) \
    X(cache, plan->cache_size) \
    X(versions.of_value, plan->output_count + 1) \
    X(slot, plan->slot_count) \
    X(slot_written, plan->slot_count) \
    X(part_context, plan->part_count) \
    X(versions.of_part, plan->part_count) \
    X(path, plan->output_count)
#define ALLOCATE(array, count) \
    data->array = sal__alloc(&data->mem, (size_t)(count) * sizeof *data->array); \
    complete = complete && data->array;
#define FREE(array, count) sal__free(&mem, data->array, (size_t)(count) * sizeof *data->array);

static sal_status allocate(sal__context_data *data) {
    const sal__plan *plan = data->plan;
    bool complete = true;
    data->block_size = plan->nx + plan->nd + plan->size[SAL_PARAM] + plan->size[SAL_INPUT];
    ARRAYS(ALLOCATE)
    return complete ? SAL_OK : SAL_ENOMEM;
}

static void free_data(sal__context_data *data) {
    if (!data)
        return;
    const sal_allocator mem = data->mem;
    const sal__plan *plan = data->plan;
    for (int i = 0; data->slot && i < plan->slot_count; i++)
        if (data->slot[i])
            sal__slot_of(plan, i)->type->drop(data->slot[i]);
    ARRAYS(FREE)
    sal__free(&mem, data, sizeof *data);
}

static void lay_out(sal__context_data *data) {
    const sal__plan *plan = data->plan;
    data->storage[SAL_Q] = data->storage[SAL_V] = data->storage[SAL_Z] = data->block;
    data->storage[SAL_XD] = data->block + plan->nx;
    data->storage[SAL_PARAM] = data->storage[SAL_XD] + plan->nd;
    data->storage[SAL_INPUT] = data->storage[SAL_PARAM] + plan->size[SAL_PARAM];
    for (int p = 0; p < SAL_PARTITIONS; p++)
        data->source[sal__location(p)] = data->storage[p];
    data->source[SAL__COMPUTED] = data->cache;
    for (int i = 0; i < plan->part_count; i++)
        data->part_context[i] = (sal_context){data, &plan->part[i], plan->input_slot + plan->part[i].input_at, i};
}

static sal_status new_data(const sal_allocator *mem, const sal_system *system, sal__context_data **out) {
    sal__context_data *data = sal__alloc(mem, sizeof *data);
    if (!data)
        return SAL_ENOMEM;
    data->mem = *mem;
    data->system = system;
    data->plan = system->plan;
    data->versions.stamp[false] = data->versions.stamp[true] = 1;
    sal__forget_failures(data);
    if (allocate(data) != SAL_OK) {
        free_data(data);
        return SAL_ENOMEM;
    }
    lay_out(data);
    *out = data;
    return SAL_OK;
}

static void write_defaults(sal__context_data *data) {
    for (int i = 0; i < data->plan->part_count; i++) {
        const sal__part *part = &data->plan->part[i];
        for (int p = 0; p < SAL_PARTITIONS; p++)
            sal__copy(data->storage[p] + part->at[p], part->system->defaults[p].item, part->size[p]);
    }
}

static sal_status make_slots(sal__context_data *data) {
    for (int i = 0; i < data->plan->slot_count; i++) {
        const sal__slot *slot = sal__slot_of(data->plan, i);
        const sal__part *owner = &data->plan->part[data->plan->slot_part[i]];
        const sal_status status = slot->type->make(owner->system, i - owner->slot_at, &data->slot[i]);
        if (status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

sal_status sal_context_new(const sal_allocator *allocator, sal_system *system, sal_context **out) {
    if (!system || !out)
        return SAL_EINVAL;
    const sal_allocator mem = sal__allocator(allocator);
    sal_status status = sal__system_build(system);
    if (status != SAL_OK)
        return status;
    sal__context_data *data = NULL;
    status = new_data(&mem, system, &data);
    if (status != SAL_OK)
        return status;
    write_defaults(data);
    status = make_slots(data);
    if (status != SAL_OK) {
        free_data(data);
        return status;
    }
    *out = data->part_context;
    return SAL_OK;
}

sal_status sal_context_clone(const sal_context *ctx, sal_context **out) {
    const sal__context_data *from = ctx->data;
    sal__context_data *data = NULL;
    sal_status status = new_data(&from->mem, from->system, &data);
    if (status != SAL_OK)
        return status;
    for (int i = 0; status == SAL_OK && i < from->plan->slot_count; i++)
        status = sal__slot_of(from->plan, i)->type->clone(from->slot[i], &data->slot[i]);
    if (status != SAL_OK) {
        free_data(data);
        return status;
    }
    memcpy(data->block, from->block, (size_t)from->block_size * sizeof(double));
    data->time = from->time;
    data->seed = from->seed;
    *out = data->part_context;
    return SAL_OK;
}

void sal_context_free(sal_context *ctx) {
    if (ctx)
        free_data(ctx->data);
}

sal_status sal__context_data_assign(sal__context_data *to, const sal__context_data *from) {
    for (int i = 0; i < from->plan->slot_count; i++) {
        const sal_status status = sal__slot_of(from->plan, i)->type->assign(to->slot[i], from->slot[i]);
        if (status != SAL_OK)
            return status;
    }
    memcpy(to->block, from->block, (size_t)from->block_size * sizeof(double));
    to->time = from->time;
    to->seed = from->seed;
    sal__context_data_touch(to);
    sal__context_data_look(to, to->time, NULL);
    return SAL_OK;
}

/* ---- reading ---- */

uint64_t sal_context_discrete_version(const sal_context *ctx) {
    return sal__discrete_version(ctx);
}

double sal_context_time(const sal_context *ctx) {
    return ctx->data->time;
}

int sal_context_part_index(const sal_context *ctx) {
    return ctx->part;
}

int sal_context_size(const sal_context *ctx, sal_partition partition) {
    return ctx->layout->size[partition];
}

const double *sal_context_get(const sal_context *ctx, sal_partition partition) {
    return sal__get(ctx, partition);
}

const void *sal_context_slot(const sal_context *ctx, int slot) {
    const sal__context_data *data = ctx->data;
    const int i = ctx->layout->slot_at + slot;
    return data->origin && !data->slot_written[i] ? data->origin->slot[i] : data->slot[i];
}

/* ---- writing ---- */

/* Returns whether a function of the model may write here, and notes it if not. */
static bool refuses(const sal_context *ctx, int at) {
    sal__write_guard *guard = ctx->data->write_guard;
    if (!guard || (ctx->part == guard->part && (unsigned)at <= SAL__SLOTS && (guard->allowed & 1u << at)))
        return false;
    if (!guard->is_broken) {
        guard->broken_part = ctx->part;
        guard->broken_at = at;
    }
    guard->is_broken = true;
    return true;
}

void sal_context_set_time(sal_context *ctx, double t) {
    if (refuses(ctx, SAL__TIME))
        return;
    ctx->data->versions.external_writes++;
    sal__context_data_look(ctx->data, t, NULL);
}

double *sal_context_edit(sal_context *ctx, sal_partition partition) {
    sal__context_data *data = ctx->data;
    if (refuses(ctx, (int)partition))
        return data->write_guard->refuge;
    sal__context_data_touch(data);
    data->versions.external_writes++;
    if (partition <= SAL_Z)
        data->versions.external_moves++;
    return data->storage[partition] + ctx->layout->at[partition];
}

sal_status sal_context_edit_slot(sal_context *ctx, int slot, void **value) {
    sal__context_data *data = ctx->data;
    const int i = ctx->layout->slot_at + slot;
    if (refuses(ctx, SAL__SLOTS))
        return SAL_EINVAL;
    if (data->origin && !data->slot_written[i]) {
        const sal_status status = sal__slot_of(data->plan, i)->type->assign(data->slot[i], data->origin->slot[i]);
        if (status != SAL_OK)
            return status;
        data->slot_written[i] = true;
    }
    data->versions.stamp[false]++;
    data->versions.external_writes++;
    *value = data->slot[i];
    return SAL_OK;
}

/* ---- parts and the whole ---- */

int sal_context_parts(const sal_context *ctx) {
    return ctx->data->plan->part_count;
}

const sal_context *sal_context_part_const(const sal_context *ctx, int part) {
    return part >= 0 && part < ctx->data->plan->part_count ? &ctx->data->part_context[part] : NULL;
}

sal_context *sal_context_part(sal_context *ctx, int part) {
    return (sal_context *)(uintptr_t)sal_context_part_const(ctx, part);
}

int sal_context_continuous_size(const sal_context *ctx) {
    return ctx->data->plan->nx;
}

const double *sal_context_continuous(const sal_context *ctx) {
    return ctx->data->source[SAL__CONTINUOUS];
}

/* ---- randomness ---- */

/* The number of random numbers that a part has drawn. */
static double *draws_of(const sal__context_data *data, int part) {
    const sal__part *p = &data->plan->part[part];
    return data->storage[SAL_XD] + p->at[SAL_XD] + p->size[SAL_XD];
}

void sal_context_seed(sal_context *ctx, uint64_t seed) {
    if (refuses(ctx, SAL__SEED))
        return;
    ctx->data->seed = seed;
    sal__context_data_touch(ctx->data);
    for (int i = 0; i < ctx->data->plan->part_count; i++)
        *draws_of(ctx->data, i) = 0;
}

int64_t sal_context_random_count(const sal_context *ctx) {
    double draws = 0;
    for (int i = 0; i < ctx->data->plan->part_count; i++)
        draws += *draws_of(ctx->data, i);
    return (int64_t)draws;
}

double sal_context_random(sal_context *next) {
    sal__context_data *data = next->data;
    if (refuses(next, SAL__DRAWS))
        return NAN;
    double *draws = draws_of(data, next->part);
    const uint64_t key[2] = {data->seed, (uint64_t)next->part};
    const uint64_t counter[2] = {(uint64_t)*draws, 0};
    uint64_t bits[2];
    sal__threefry2x64(key, counter, bits);
    *draws += 1;
    data->draws_made++;
    data->versions.discrete++;
    return sal__to_unit(bits[0]);
}

double sal_context_random_normal(sal_context *next, double mean, double sd) {
    if (!isfinite(mean) || !isfinite(sd) || sd < 0)
        return NAN;
    const double first = sal_context_random(next);
    return sal__normal_from(mean, sd, first, sal_context_random(next));
}

double sal_context_random_exponential(sal_context *next, double mean) {
    return isfinite(mean) && mean > 0 ? sal__exponential_from(mean, sal_context_random(next)) : NAN;
}

static bool is_whole(double x) {
    return fabs(x) <= 0x1p53 && x == floor(x);
}

double sal_context_random_integer(sal_context *next, double low, double high) {
    if (!is_whole(low) || !is_whole(high) || low > high || high - low >= 0x1p53)
        return NAN;
    return (double)sal__integer_from((int64_t)low, (int64_t)high, sal_context_random(next));
}
