/* Numbers that the derivatives of a part write or read, and that it does not have.
 *
 * In its first evaluations, a simulator gives each part room of its own for its derivatives, with marks around q, v and
 * z; and marks behind x. Mistakes with indices are mostly there from the start. Later evaluations would take too long:
 * all of them, in runs of a few steps, 5 %. */
#include <string.h>

#include "simulator.h"

enum { MARGIN = 8, CHECKS = 8, UPDATES = 16 };

/* Where no state is: a number that no computation returns. */
#define NO_STATE UINT64_C(0x7ff85a1755a17502)

static void fill(double *to, int count, uint64_t bits) {
    for (int i = 0; i < count; i++)
        memcpy(&to[i], &bits, sizeof bits);
}

/* Also of the other sign: a computation may change it, and keeps the other bits. */
static bool is_mark(double number, uint64_t bits) {
    uint64_t found;
    memcpy(&found, &number, sizeof found);
    return (found & (UINT64_MAX >> 1)) == bits;
}

sal_status sal__stray_numbers_new(sal_simulator *sim) {
    int most = 0;
    for (int i = 0; i < sim->derivatives.part_count; i++)
        most = (int)sal__max(most, sal__continuous_size(sim->derivatives.part[i].system));
    sim->stray_numbers.room = sal__pool_alloc(&sim->pool, sim->plan->nx + MARGIN + most + 6 * MARGIN, sizeof(double));
    sim->stray_numbers.checks_left = CHECKS;
    sim->stray_numbers.updates_left = UPDATES;
    return sal__pool_status(&sim->pool);
}

static sal_status blame(sal_simulator *sim, const sal__derivative_part *f, sal__stray_number stray) {
    sal__blame_part(sim, f->part);
    sim->stray_numbers.found = stray;
    return SAL_EINVAL;
}

/* The first number around the derivatives of the partition that was written; false: none. */
static bool find_stray_write(const double *of, int size, int partition, sal__stray_number *found) {
    for (int i = -MARGIN; i < size + MARGIN; i++)
        if ((i < 0 || i >= size) && !is_mark(of[i], SAL__UNSET)) {
            *found = (sal__stray_number){SAL__STRAY_WRITE, partition, i};
            return true;
        }
    return false;
}

static bool find_stray_read(const double *of, int size, sal__stray_number *found) {
    for (int i = 0; i < size; i++)
        if (is_mark(of[i], NO_STATE)) {
            *found = (sal__stray_number){.kind = SAL__STRAY_READ};
            return true;
        }
    return false;
}

/* q, v and z of a part stand in `room`, each between two margins. */
static sal_status eval_with_margins(sal_simulator *sim, const sal__derivative_part *f, double *room, double *dx) {
    const int *size = sim->plan->part[f->part].size;
    double *const q = room + MARGIN, *const v = q + size[SAL_Q] + 2 * MARGIN, *const z = v + size[SAL_V] + 2 * MARGIN;
    double *const all[] = {q, v, z}, *const to[] = {dx + f->q, dx + f->v, dx + f->z};
    fill(room, (int)(z - room) + size[SAL_Z] + MARGIN, SAL__UNSET);
    const sal_status status = f->derivatives(f->system, f->ctx, &(sal_rates){q, v, z});
    sal__stray_number found;
    for (int p = SAL_Q; status == SAL_OK && p <= SAL_Z; p++) {
        if (find_stray_write(all[p], size[p], p, &found) || find_stray_read(all[p], size[p], &found))
            return blame(sim, f, found);
        memcpy(to[p], all[p], (size_t)size[p] * sizeof(double));
    }
    return status;
}

/* As sal__eval_rhs, with marks behind x, which a read behind the last state returns. */
sal_status sal__eval_rhs_with_margins(void *user, double t, const double *x, double *dx) {
    sal_simulator *sim = user;
    const int nx = sim->plan->nx;
    double *const shown = sim->stray_numbers.room;
    memcpy(shown, x, (size_t)nx * sizeof(double));
    fill(shown + nx, MARGIN, NO_STATE);
    sal__context_data_look(sim->contexts.current, t, shown);
    sal_status status = SAL_OK;
    for (int i = 0; i < sim->derivatives.part_count && status == SAL_OK; i++) {
        const sal__derivative_part *f = &sim->derivatives.part[i];
        status = eval_with_margins(sim, f, shown + nx + MARGIN, dx);
        if (status != SAL_OK)
            sal__blame_part(sim, f->part);
    }
    sal__context_data_show_x(sim->contexts.current, x);
    sim->stray_numbers.checks_left -= sim->stray_numbers.found.kind == SAL__NO_STRAY;
    return status;
}
