/* q' = N(q) v. N is read from the model column by column, unless q' is v. It also maps errors of q. */
#include <string.h>

#include "projection.h"

typedef sal__constrained_part bound;

/* q' at v, by the model. */
static sal_status ask_rates(bound *b, const double *v, double *qdot) {
    const struct sal__projection *p = b->sim->projection;
    const int *at = sal__layout_of_part(b)->at, *n = b->system->size;
    memcpy(p->displaced, p->x, (size_t)b->sim->plan->nx * sizeof *p->x);
    memcpy(p->displaced + at[SAL_V], v, (size_t)n[SAL_V] * sizeof *v);
    sal__context_data_look(b->sim->contexts.current, p->t, p->displaced);
    if (b->system->behaviour->velocity_map)
        return b->system->behaviour->velocity_map(b->system, b->ctx, v, qdot);
    const sal_rates dot = {p->dot + at[SAL_Q], p->dot + at[SAL_V], p->dot + at[SAL_Z]};
    const sal_status status = b->system->behaviour->derivatives(b->system, b->ctx, &dot);
    sal_integrator_add_derivative_evaluations(b->sim->integrator, 1);
    memcpy(qdot, dot.q, (size_t)n[SAL_Q] * sizeof *qdot);
    return status;
}

sal_status sal__build_velocity_map(sal__constrained_part *b) {
    const int nq = b->system->size[SAL_Q], nv = b->system->size[SAL_V];
    memset(b->u, 0, (size_t)nv * sizeof *b->u);
    memset(b->drift, 0, (size_t)nq * sizeof *b->drift);
    sal_status status = b->system->behaviour->velocity_map ? SAL_OK : ask_rates(b, b->u, b->drift);
    for (int j = 0; status == SAL_OK && j < nv; j++) {
        b->u[j] = 1;
        status = ask_rates(b, b->u, b->qdot);
        b->u[j] = 0;
        for (int i = 0; i < nq; i++)
            b->rows[i * nv + j] = b->qdot[i] - b->drift[i];
    }
    return status;
}

static void take_identity(bound *b) {
    const int nq = b->system->size[SAL_Q], nv = b->system->size[SAL_V];
    for (int i = 0; i < nq; i++)
        for (int j = 0; j < nv; j++)
            b->rows[i * nv + j] = i == j;
    memset(b->drift, 0, (size_t)nq * sizeof *b->drift);
}

bool sal__is_identity(const sal__constrained_part *b) {
    const int nq = b->system->size[SAL_Q], nv = b->system->size[SAL_V];
    for (int i = 0; i < nq; i++)
        for (int j = 0; j < nv; j++)
            if (b->rows[i * nv + j] != (i == j) || b->drift[i] != 0)
                return false;
    return nq == nv;
}

/* Computes N and the part of q' that does not depend on v. If N was the identity at the start and q' is v now, N is
 * the identity. */
sal_status sal__refresh_velocity_map(sal__constrained_part *b) {
    const double *v = b->sim->projection->x + sal__layout_of_part(b)->at[SAL_V];
    if (!b->is_identity || b->system->behaviour->velocity_map)
        return sal__build_velocity_map(b);
    const sal_status status = ask_rates(b, v, b->qdot);
    for (int i = 0; status == SAL_OK && i < b->system->size[SAL_Q]; i++)
        if (b->qdot[i] != v[i])
            return sal__build_velocity_map(b);
    take_identity(b);
    return status;
}

void sal__apply_velocity_map(const sal__constrained_part *b, const double *v, double *qdot) {
    const int nq = b->system->size[SAL_Q], nv = b->system->size[SAL_V];
    for (int i = 0; i < nq; i++) {
        qdot[i] = b->drift[i];
        for (int j = 0; j < nv; j++)
            qdot[i] += b->rows[i * nv + j] * v[j];
    }
}

/* Maps errors of q to the error weights: N W N+ e, where W are the weights of v without the characteristic time. */
sal_status sal__weight_velocity_map(sal__constrained_part *b, double *err) {
    const int nq = b->map.n, nv = b->map.m;
    const sal_status status = sal__refresh_velocity_map(b);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < nq; i++) {
        b->map.scale[i] = 1;
        for (int j = 0; j < nv; j++)
            b->map.jacobian[j * nq + i] = b->rows[i * nv + j];
    }
    sal__manifold_factor(&b->map);
    double *e = err + sal__layout_of_part(b)->at[SAL_Q];
    sal__manifold_solve_transposed(&b->map, e, b->u);
    for (int j = 0; j < nv; j++)
        b->u[j] *= sal_integrator_weight(b->sim->integrator, sal__layout_of_part(b)->at[SAL_V] + j, 0) /
                   b->sim->config.characteristic_time;
    for (int i = 0; i < nq; i++) {
        e[i] = 0;
        for (int j = 0; j < nv; j++)
            e[i] += b->rows[i * nv + j] * b->u[j];
    }
    return SAL_OK;
}
