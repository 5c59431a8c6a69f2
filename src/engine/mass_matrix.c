/* The mass matrix of all of x, of those of the parts. */
#include "simulator.h"

static int size_of(const sal__part *part) {
    const int *size = part->system->size;
    return size[SAL_Q] + size[SAL_V] + size[SAL_Z];
}

/* Where a part's element k, its q, v and z in turn, is in the whole. */
static int place_of(const sal__part *part, int k) {
    int p = SAL_Q;
    while (k >= part->system->size[p])
        k -= part->system->size[p++];
    return part->at[p] + k;
}

static void enter(const sal__part *part, int nx, double *mass) {
    const int n = size_of(part);
    const double *own = part->system->mass;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            mass[place_of(part, i) * nx + place_of(part, j)] = own ? own[i * n + j] : i == j;
}

sal_status sal__mass_new(const sal_simulator *sim, double **out) {
    const int nx = sim->plan->nx;
    bool any = false;
    for (int i = 0; i < sim->plan->part_count; i++)
        any = any || sim->plan->part[i].system->mass;
    *out = any ? sal__alloc(&sim->mem, sal__mass_bytes(sim)) : NULL;
    for (int i = 0; *out && i < sim->plan->part_count; i++)
        enter(&sim->plan->part[i], nx, *out);
    return any && !*out ? SAL_ENOMEM : SAL_OK;
}
