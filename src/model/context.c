/* Contexts: one block of numbers, slots beside it, windows onto both. */
#include <math.h>
#include <string.h>

#include "base/threefry.h"
#include "model.h"

static int block_size(const sal__plan *plan) {
    return plan->nx + plan->nd + plan->size[SAL_PARAM] + plan->size[SAL_INPUT];
}

static void lay_out(sal__context_data *root) {
    const sal__plan *plan = root->plan;
    root->x_source[SAL__COMPUTED] = root->cache;
    root->x_source[SAL__IN_BLOCK] = root->block;
    root->x_source[SAL__IN_X] = root->storage[SAL_Q] = root->storage[SAL_V] = root->storage[SAL_Z] = root->block;
    root->partition_source[SAL_XD] = root->storage[SAL_XD] = root->block + plan->nx;
    root->partition_source[SAL_PARAM] = root->storage[SAL_PARAM] = root->storage[SAL_XD] + plan->nd;
    root->partition_source[SAL_INPUT] = root->storage[SAL_INPUT] = root->storage[SAL_PARAM] + plan->size[SAL_PARAM];
    for (int i = 0; i < plan->part_count; i++)
        root->part_context[i] = (sal_context){root, &plan->part[i], plan->input_slot + plan->part[i].input_at, i};
}

static sal_status allocate(sal__context_data *root) {
    const sal__plan *plan = root->plan;
    const sal_allocator *mem = &root->mem;
    root->block_size = block_size(plan);
    root->block = sal__alloc(mem, (size_t)root->block_size * sizeof(double));
    root->cache = sal__alloc(mem, (size_t)plan->cache_size * sizeof(double));
    root->value_version = sal__alloc(mem, ((size_t)plan->output_count + 1) * sizeof(uint64_t));
    root->slot = sal__alloc(mem, (size_t)plan->slot_count * sizeof(void *));
    root->slot_written = sal__alloc(mem, (size_t)plan->slot_count * sizeof(bool));
    root->part_context = sal__alloc(mem, (size_t)plan->part_count * sizeof(sal_context));
    root->part_version = sal__alloc(mem, (size_t)plan->part_count * sizeof(uint64_t));
    root->path = sal__alloc(mem, (size_t)plan->output_count * sizeof(sal__visit));
    const bool all = root->block && root->cache && root->value_version && root->slot && root->slot_written &&
                     root->part_context && root->part_version && root->path;
    return all ? SAL_OK : SAL_ENOMEM;
}

static const sal__slot *slot_of(const sal__plan *plan, int slot) {
    const sal__part *part = &plan->part[plan->slot_part[slot]];
    return &part->system->slots.item[slot - part->slot_at];
}

static void free_root(sal__context_data *root) {
    if (!root)
        return;
    const sal_allocator mem = root->mem;
    const sal__plan *plan = root->plan;
    for (int i = 0; root->slot && i < plan->slot_count; i++)
        if (root->slot[i])
            slot_of(plan, i)->type->drop(root->slot[i]);
    sal__free(&mem, root->block, (size_t)root->block_size * sizeof(double));
    sal__free(&mem, root->cache, (size_t)plan->cache_size * sizeof(double));
    sal__free(&mem, root->path, (size_t)plan->output_count * sizeof(sal__visit));
    sal__free(&mem, root->value_version, ((size_t)plan->output_count + 1) * sizeof(uint64_t));
    sal__free(&mem, root->slot, (size_t)plan->slot_count * sizeof(void *));
    sal__free(&mem, root->slot_written, (size_t)plan->slot_count * sizeof(bool));
    sal__free(&mem, root->part_version, (size_t)plan->part_count * sizeof(uint64_t));
    sal__free(&mem, root->part_context, (size_t)plan->part_count * sizeof(sal_context));
    sal__free(&mem, root, sizeof *root);
}

static sal_status make_root(const sal_allocator *mem, const sal_system *system, sal__context_data **out) {
    sal__context_data *root = sal__alloc(mem, sizeof *root);
    if (!root)
        return SAL_ENOMEM;
    root->mem = *mem;
    root->system = system;
    root->plan = system->plan;
    root->version[false] = root->version[true] = 1;
    root->failed_part = -1;
    if (allocate(root) != SAL_OK) {
        free_root(root);
        return SAL_ENOMEM;
    }
    lay_out(root);
    *out = root;
    return SAL_OK;
}

static void write_defaults(sal__context_data *root) {
    for (int i = 0; i < root->plan->part_count; i++) {
        const sal__part *part = &root->plan->part[i];
        for (int p = 0; p < SAL_PARTITIONS; p++) {
            double *to = root->storage[p] + part->at[p];
            if (part->system->size[p])
                memcpy(to, part->system->defaults[p].item, (size_t)part->system->size[p] * sizeof *to);
        }
    }
}

static sal_status make_slots(sal__context_data *root) {
    for (int i = 0; i < root->plan->slot_count; i++) {
        const sal__slot *slot = slot_of(root->plan, i);
        const sal__part *owner = &root->plan->part[root->plan->slot_part[i]];
        const sal_status status = slot->type->make(owner->system, i - owner->slot_at, &root->slot[i]);
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
    sal__context_data *root = NULL;
    status = make_root(&mem, system, &root);
    if (status != SAL_OK)
        return status;
    write_defaults(root);
    status = make_slots(root);
    if (status != SAL_OK) {
        free_root(root);
        return status;
    }
    *out = root->part_context;
    return SAL_OK;
}

sal_status sal_context_clone(const sal_context *ctx, sal_context **out) {
    const sal__context_data *from = ctx->data;
    sal__context_data *root = NULL;
    sal_status status = make_root(&from->mem, from->system, &root);
    if (status != SAL_OK)
        return status;
    for (int i = 0; status == SAL_OK && i < from->plan->slot_count; i++)
        status = slot_of(from->plan, i)->type->clone(from->slot[i], &root->slot[i]);
    if (status != SAL_OK) {
        free_root(root);
        return status;
    }
    memcpy(root->block, from->block, (size_t)from->block_size * sizeof(double));
    root->time = from->time;
    root->seed = from->seed;
    *out = root->part_context;
    return SAL_OK;
}

void sal_context_free(sal_context *ctx) {
    if (ctx)
        free_root(ctx->data);
}

sal_status sal__context_data_assign(sal__context_data *to, const sal__context_data *from) {
    for (int i = 0; i < from->plan->slot_count; i++) {
        const sal_status status = slot_of(from->plan, i)->type->assign(to->slot[i], from->slot[i]);
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
    const sal__context_data *root = ctx->data;
    const double *base = partition <= SAL_Z ? root->x_source[SAL__IN_X] : root->partition_source[partition];
    return base + ctx->layout->at[partition];
}

const void *sal_context_slot(const sal_context *ctx, int slot) {
    const sal__context_data *root = ctx->data;
    const int i = ctx->layout->slot_at + slot;
    return root->origin && !root->slot_written[i] ? root->origin->slot[i] : root->slot[i];
}

/* ---- writing ---- */

void sal_context_set_time(sal_context *ctx, double t) {
    ctx->data->external_writes++;
    sal__context_data_look(ctx->data, t, NULL);
}

double *sal_context_edit(sal_context *ctx, sal_partition partition) {
    sal__context_data *root = ctx->data;
    sal__context_data_touch(root);
    root->external_writes++;
    root->external_moves += partition <= SAL_Z;
    return root->storage[partition] + ctx->layout->at[partition];
}

sal_status sal_context_edit_slot(sal_context *ctx, int slot, void **value) {
    sal__context_data *root = ctx->data;
    const int i = ctx->layout->slot_at + slot;
    if (root->origin && !root->slot_written[i]) {
        const sal_status status = slot_of(root->plan, i)->type->assign(root->slot[i], root->origin->slot[i]);
        if (status != SAL_OK)
            return status;
        root->slot_written[i] = true;
    }
    root->version[false]++;
    root->external_writes++;
    *value = root->slot[i];
    return SAL_OK;
}

/* ---- parts and the whole ---- */

int sal_context_parts(const sal_context *ctx) {
    return ctx->data->plan->part_count;
}

sal_context *sal_context_part(sal_context *ctx, int part) {
    return part >= 0 && part < ctx->data->plan->part_count ? &ctx->data->part_context[part] : NULL;
}

const sal_context *sal_context_part_const(const sal_context *ctx, int part) {
    return part >= 0 && part < ctx->data->plan->part_count ? &ctx->data->part_context[part] : NULL;
}

int sal_context_continuous_size(const sal_context *ctx) {
    return ctx->data->plan->nx;
}

const double *sal_context_continuous(const sal_context *ctx) {
    return ctx->data->x_source[SAL__IN_X];
}

/* ---- randomness ---- */

static double *draws_of(sal__context_data *root, int part) {
    const sal__part *place = &root->plan->part[part];
    return root->storage[SAL_XD] + place->at[SAL_XD] + place->system->size[SAL_XD];
}

void sal_context_seed(sal_context *ctx, uint64_t seed) {
    ctx->data->seed = seed;
    sal__context_data_touch(ctx->data);
    for (int i = 0; i < ctx->data->plan->part_count; i++)
        *draws_of(ctx->data, i) = 0;
}

double sal_context_random(sal_context *next) {
    sal__context_data *root = next->data;
    double *draws = draws_of(root, next->part);
    const uint64_t key[2] = {root->seed, (uint64_t)next->part};
    const uint64_t counter[2] = {(uint64_t)*draws, 0};
    uint64_t bits[2];
    sal__threefry2x64(key, counter, bits);
    *draws += 1;
    return sal__to_unit(bits[0]);
}
