/* Contexts: one block of numbers, slots beside it, windows onto both. */
#include <math.h>
#include <string.h>

#include "base/threefry.h"
#include "model.h"

static int block_size(const sal__plan *plan) {
    return plan->nx + plan->nd + plan->size[SAL_PARAM] + plan->size[SAL_INPUT];
}

static void lay_out(sal__store *root) {
    const sal__plan *plan = root->plan;
    root->from[SAL__COMPUTED] = root->cache;
    root->from[SAL__IN_BLOCK] = root->block;
    root->from[SAL__IN_X] = root->home[SAL_Q] = root->home[SAL_V] = root->home[SAL_Z] = root->block;
    root->of[SAL_XD] = root->home[SAL_XD] = root->block + plan->nx;
    root->of[SAL_PARAM] = root->home[SAL_PARAM] = root->home[SAL_XD] + plan->nd;
    root->of[SAL_INPUT] = root->home[SAL_INPUT] = root->home[SAL_PARAM] + plan->size[SAL_PARAM];
    for (int i = 0; i < plan->parts; i++)
        root->window[i] = (sal_context){root, &plan->part[i], plan->sink + plan->part[i].input_at, i};
}

static sal_status allocate(sal__store *root) {
    const sal__plan *plan = root->plan;
    const sal_allocator *mem = &root->mem;
    root->words = block_size(plan);
    root->block = sal__alloc(mem, (size_t)root->words * sizeof(double));
    root->cache = sal__alloc(mem, (size_t)plan->cache * sizeof(double));
    root->stamp = sal__alloc(mem, ((size_t)plan->outputs + 1) * sizeof(uint64_t));
    root->slot = sal__alloc(mem, (size_t)plan->slots * sizeof(void *));
    root->edited = sal__alloc(mem, (size_t)plan->slots * sizeof(bool));
    root->window = sal__alloc(mem, (size_t)plan->parts * sizeof(sal_context));
    root->held_of = sal__alloc(mem, (size_t)plan->parts * sizeof(uint64_t));
    root->path = sal__alloc(mem, (size_t)plan->outputs * sizeof(sal__visit));
    const bool all = root->block && root->cache && root->stamp && root->slot && root->edited && root->window &&
                     root->held_of && root->path;
    return all ? SAL_OK : SAL_ENOMEM;
}

static const sal__slot *slot_of(const sal__plan *plan, int slot) {
    const sal__part *part = &plan->part[plan->slot_part[slot]];
    return &part->system->slots.item[slot - part->slot_at];
}

static void free_root(sal__store *root) {
    if (!root)
        return;
    const sal_allocator mem = root->mem;
    const sal__plan *plan = root->plan;
    for (int i = 0; root->slot && i < plan->slots; i++)
        if (root->slot[i])
            slot_of(plan, i)->type->drop(root->slot[i]);
    sal__free(&mem, root->block, (size_t)root->words * sizeof(double));
    sal__free(&mem, root->cache, (size_t)plan->cache * sizeof(double));
    sal__free(&mem, root->path, (size_t)plan->outputs * sizeof(sal__visit));
    sal__free(&mem, root->stamp, ((size_t)plan->outputs + 1) * sizeof(uint64_t));
    sal__free(&mem, root->slot, (size_t)plan->slots * sizeof(void *));
    sal__free(&mem, root->edited, (size_t)plan->slots * sizeof(bool));
    sal__free(&mem, root->held_of, (size_t)plan->parts * sizeof(uint64_t));
    sal__free(&mem, root->window, (size_t)plan->parts * sizeof(sal_context));
    sal__free(&mem, root, sizeof *root);
}

static sal_status make_root(const sal_allocator *mem, const sal_system *system, sal__store **out) {
    sal__store *root = sal__alloc(mem, sizeof *root);
    if (!root)
        return SAL_ENOMEM;
    root->mem = *mem;
    root->system = system;
    root->plan = system->plan;
    root->fresh[false] = root->fresh[true] = 1;
    root->blamed = -1;
    if (allocate(root) != SAL_OK) {
        free_root(root);
        return SAL_ENOMEM;
    }
    lay_out(root);
    *out = root;
    return SAL_OK;
}

static void write_defaults(sal__store *root) {
    for (int i = 0; i < root->plan->parts; i++) {
        const sal__part *part = &root->plan->part[i];
        for (int p = 0; p < SAL_PARTITIONS; p++) {
            double *to = root->home[p] + part->at[p];
            if (part->system->size[p])
                memcpy(to, part->system->defaults[p].item, (size_t)part->system->size[p] * sizeof *to);
        }
    }
}

static sal_status make_slots(sal__store *root) {
    for (int i = 0; i < root->plan->slots; i++) {
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
    sal__store *root = NULL;
    status = make_root(&mem, system, &root);
    if (status != SAL_OK)
        return status;
    write_defaults(root);
    status = make_slots(root);
    if (status != SAL_OK) {
        free_root(root);
        return status;
    }
    *out = root->window;
    return SAL_OK;
}

sal_status sal_context_clone(const sal_context *ctx, sal_context **out) {
    const sal__store *from = ctx->root;
    sal__store *root = NULL;
    sal_status status = make_root(&from->mem, from->system, &root);
    if (status != SAL_OK)
        return status;
    for (int i = 0; status == SAL_OK && i < from->plan->slots; i++)
        status = slot_of(from->plan, i)->type->clone(from->slot[i], &root->slot[i]);
    if (status != SAL_OK) {
        free_root(root);
        return status;
    }
    memcpy(root->block, from->block, (size_t)from->words * sizeof(double));
    root->time = from->time;
    root->seed = from->seed;
    *out = root->window;
    return SAL_OK;
}

void sal_context_free(sal_context *ctx) {
    if (ctx)
        free_root(ctx->root);
}

sal_status sal__store_assign(sal__store *to, const sal__store *from) {
    for (int i = 0; i < from->plan->slots; i++) {
        const sal_status status = slot_of(from->plan, i)->type->assign(to->slot[i], from->slot[i]);
        if (status != SAL_OK)
            return status;
    }
    memcpy(to->block, from->block, (size_t)from->words * sizeof(double));
    to->time = from->time;
    to->seed = from->seed;
    sal__store_touch(to);
    sal__store_look(to, to->time, NULL);
    return SAL_OK;
}

/* ---- reading ---- */

uint64_t sal_context_held(const sal_context *ctx) {
    return sal__held(ctx);
}

double sal_context_time(const sal_context *ctx) {
    return ctx->root->time;
}

int sal_context_part_index(const sal_context *ctx) {
    return ctx->part;
}

int sal_context_size(const sal_context *ctx, sal_partition partition) {
    return ctx->place->size[partition];
}

const double *sal_context_get(const sal_context *ctx, sal_partition partition) {
    const sal__store *root = ctx->root;
    const double *base = partition <= SAL_Z ? root->from[SAL__IN_X] : root->of[partition];
    return base + ctx->place->at[partition];
}

const void *sal_context_slot(const sal_context *ctx, int slot) {
    const sal__store *root = ctx->root;
    const int i = ctx->place->slot_at + slot;
    return root->origin && !root->edited[i] ? root->origin->slot[i] : root->slot[i];
}

/* ---- writing ---- */

void sal_context_set_time(sal_context *ctx, double t) {
    ctx->root->edits++;
    sal__store_look(ctx->root, t, NULL);
}

double *sal_context_edit(sal_context *ctx, sal_partition partition) {
    sal__store *root = ctx->root;
    sal__store_touch(root);
    root->edits++;
    root->moves += partition <= SAL_Z;
    return root->home[partition] + ctx->place->at[partition];
}

sal_status sal_context_edit_slot(sal_context *ctx, int slot, void **value) {
    sal__store *root = ctx->root;
    const int i = ctx->place->slot_at + slot;
    if (root->origin && !root->edited[i]) {
        const sal_status status = slot_of(root->plan, i)->type->assign(root->slot[i], root->origin->slot[i]);
        if (status != SAL_OK)
            return status;
        root->edited[i] = true;
    }
    root->fresh[false]++;
    root->edits++;
    *value = root->slot[i];
    return SAL_OK;
}

/* ---- parts and the whole ---- */

int sal_context_parts(const sal_context *ctx) {
    return ctx->root->plan->parts;
}

sal_context *sal_context_part(sal_context *ctx, int part) {
    return part >= 0 && part < ctx->root->plan->parts ? &ctx->root->window[part] : NULL;
}

const sal_context *sal_context_part_const(const sal_context *ctx, int part) {
    return part >= 0 && part < ctx->root->plan->parts ? &ctx->root->window[part] : NULL;
}

int sal_context_continuous_size(const sal_context *ctx) {
    return ctx->root->plan->nx;
}

const double *sal_context_continuous(const sal_context *ctx) {
    return ctx->root->from[SAL__IN_X];
}

/* ---- randomness ---- */

static double *draws_of(sal__store *root, int part) {
    const sal__part *place = &root->plan->part[part];
    return root->home[SAL_XD] + place->at[SAL_XD] + place->system->size[SAL_XD];
}

void sal_context_seed(sal_context *ctx, uint64_t seed) {
    ctx->root->seed = seed;
    sal__store_touch(ctx->root);
    for (int i = 0; i < ctx->root->plan->parts; i++)
        *draws_of(ctx->root, i) = 0;
}

double sal_context_random(sal_context *next) {
    sal__store *root = next->root;
    double *draws = draws_of(root, next->part);
    const uint64_t key[2] = {root->seed, (uint64_t)next->part};
    const uint64_t counter[2] = {(uint64_t)*draws, 0};
    uint64_t bits[2];
    sal__threefry2x64(key, counter, bits);
    *draws += 1;
    return sal__to_unit(bits[0]);
}
