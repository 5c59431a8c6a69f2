/* The constraints of one part: the projection of q, then of v, then of the estimated error.
 *
 * The shortest correction in units of the error weights brings the residuals of q to zero
 * (numerics/linear/least_squares_projection.c). A correction of v does the same for their derivatives along q' =
 * N(q) v. A part may also project its state itself. */
#include <math.h>
#include <string.h>

#include "projection.h"

typedef sal__constrained_part bound;

static const double tightness = 1e-5; /* times the accuracy: the distance at which a state counts as on the manifold */

/* ---- units ---- */

double sal__error_unit(const sal_simulator *sim, int i, double x) {
    const double weight = sal_integrator_weight(sim->integrator, i, x);
    return weight > 0 ? 1 / weight : 1;
}

static double tolerance(const sal_simulator *sim) {
    const double accuracy = sal_integrator_accuracy_in_use(sim->integrator);
    if (!isnan(accuracy))
        return tightness * accuracy;
    return tightness * (isnan(sim->config.context_accuracy) ? 1e-6 : sim->config.context_accuracy);
}

/* ---- position level ---- */

static sal_status look_at(const bound *b, double t, const double *x, double *residual) {
    sal__context_data_look(b->sim->contexts.current, t, x);
    return b->system->behaviour->constraints(b->system, b->ctx, residual);
}

static sal_status residual(void *user, const double *u, double *r) {
    bound *b = user;
    const struct sal__projection *p = b->sim->projection;
    for (int i = 0; i < b->unknown_count; i++)
        p->x[b->index[i]] = u[i];
    return look_at(b, p->t, p->x, r);
}

static sal_status to_positions(bound *b, bool *moved) {
    const struct sal__projection *p = b->sim->projection;
    for (int i = 0; i < b->unknown_count; i++) {
        b->u[i] = p->x[b->index[i]];
        b->position.scale[i] = sal__error_unit(b->sim, b->index[i], b->u[i]);
    }
    const sal_status status =
        sal__manifold_project(&b->position, sal__manifold_differentiate, tolerance(b->sim), b->u, moved);
    for (int i = 0; i < b->unknown_count; i++)
        p->x[b->index[i]] = b->u[i];
    return status;
}

/* ---- velocity level ---- */

/* The residuals at four points along (1, q'), `span` s apart. */
static sal_status look_around(bound *b) {
    static const int places[4] = {-2, -1, 1, 2};
    const struct sal__projection *p = b->sim->projection;
    const int q = sal__layout_of_part(b)->at[SAL_Q], nq = b->system->size[SAL_Q];
    memcpy(p->displaced, p->x, (size_t)b->sim->plan->nx * sizeof *p->x);
    for (int k = 0; k < 4; k++) {
        const double dt = places[k] * b->difference_span;
        for (int i = 0; i < nq; i++)
            p->displaced[q + i] = p->x[q + i] + dt * b->qdot[i];
        const sal_status status = look_at(b, p->t + dt, p->displaced, b->residual_samples[k]);
        if (status != SAL_OK)
            return status;
    }
    return SAL_OK;
}

/* Central differences over h and 2 h, extrapolated. Their difference shows whether h is short enough. */
static void differ(bound *b, double *rate) {
    b->difference_error = 0;
    for (int i = 0; i < b->position.m; i++) {
        const double inner = (b->residual_samples[2][i] - b->residual_samples[1][i]) / (2 * b->difference_span);
        const double outer = (b->residual_samples[3][i] - b->residual_samples[0][i]) / (4 * b->difference_span);
        rate[i] = inner + (inner - outer) / 3;
        if (b->position.length[i] > 0)
            b->difference_error = sal__max(b->difference_error, fabs(inner - outer) / b->position.length[i]);
    }
}

static double largest(int n, const double *x, double floor) {
    for (int i = 0; i < n; i++)
        floor = sal__max(floor, fabs(x[i]));
    return floor;
}

/* A span over which q moves by a thousandth of its size. */
static double first_span(const bound *b) {
    const struct sal__projection *p = b->sim->projection;
    const int nq = b->system->size[SAL_Q];
    const double size = largest(nq, p->x + sal__layout_of_part(b)->at[SAL_Q], 0x1p-4 * b->position.scale[0]);
    const double speed = largest(nq, b->qdot, size / b->sim->config.characteristic_time);
    return 0x1p-10 * size / speed;
}

static sal_status rates(void *user, const double *v, double *rate) {
    bound *b = user;
    const struct sal__projection *p = b->sim->projection;
    memcpy(p->x + sal__layout_of_part(b)->at[SAL_V], v, (size_t)b->velocity.n * sizeof *v);
    if (b->has_rates) {
        sal__context_data_look(b->sim->contexts.current, p->t, p->x);
        return b->system->behaviour->constraint_rates(b->system, b->ctx, rate);
    }
    sal__apply_velocity_map(b, v, b->qdot);
    b->difference_span = first_span(b);
    for (int i = 0; i < 6; i++, b->difference_span *= 0x1p-4) {
        const sal_status status = look_around(b);
        if (status != SAL_OK)
            return status;
        differ(b, rate);
        if (b->difference_error <= 1e-5 * largest(b->velocity.n, v, 1))
            break;
    }
    return SAL_OK;
}

/* Element j of row i of dr/dq N, from the Jacobian of the position level. *terms: the sum of the absolute values of
 * its terms. */
static double rate_by_velocity(const bound *b, int i, int j, double *terms) {
    const int nq = b->position.n, nv = b->velocity.n;
    double sum = 0;
    *terms = 0;
    for (int k = 0; k < nq; k++) {
        const double term = b->position.jacobian[i * nq + k] * b->rows[k * nv + j];
        sum += term;
        *terms += fabs(term);
    }
    return sum;
}

/* If the velocity map keeps a constraint by itself, as that of a quaternion keeps its norm, all terms of the row of
 * dr/dq N cancel and only rounding of the differences is left. `terms` shows this. The row goes into `to`, if that is
 * not NULL. */
static void measure_row(sal__manifold *velocity, int i, double *to) {
    const bound *b = velocity->user;
    double squares = 0;
    for (int j = 0; j < velocity->n; j++) {
        double terms;
        const double rate = rate_by_velocity(b, i, j, &terms);
        if (to)
            to[j] = rate;
        terms *= velocity->scale[j];
        squares += terms * terms;
    }
    velocity->terms[i] = sqrt(squares);
}

static sal_status derive(sal__manifold *velocity, const double *v) {
    (void)v;
    for (int i = 0; i < velocity->m; i++)
        measure_row(velocity, i, velocity->jacobian + i * velocity->n);
    return SAL_OK;
}

/* Are the rates that the model computes those of its constraints, by its velocity map? */
static bool has_mapped_rates(const bound *b) {
    return b->has_rates && b->system->behaviour->velocity_map && b->velocity.m > 0 && b->velocity.m == b->position.m;
}

/* The same for the rates that the model computes: their terms cancel as well. */
static sal_status differentiate_rates(sal__manifold *velocity, const double *v) {
    for (int i = 0; has_mapped_rates(velocity->user) && i < velocity->m; i++)
        measure_row(velocity, i, NULL);
    return sal__manifold_differentiate(velocity, v);
}

/* The rounding error of differences of the residuals. */
static double grain_of_rates(const bound *b) {
    const struct sal__projection *p = b->sim->projection;
    if (b->has_rates)
        return 0;
    const double size = largest(b->position.n, p->x + sal__layout_of_part(b)->at[SAL_Q], b->position.scale[0]);
    double least = INFINITY;
    for (int j = 0; j < b->velocity.n; j++)
        least = sal__min(least, b->velocity.scale[j]);
    return 0x1p-50 * size / first_span(b) / least;
}

static sal_status to_velocities(bound *b, bool *moved) {
    const struct sal__projection *p = b->sim->projection;
    const int at = sal__layout_of_part(b)->at[SAL_V], nv = b->velocity.n;
    sal_status status = b->has_rates ? SAL_OK : sal__refresh_velocity_map(b);
    if (status != SAL_OK)
        return status;
    for (int j = 0; j < nv; j++) {
        b->u[j] = p->x[at + j];
        b->velocity.scale[j] = sal__error_unit(b->sim, at + j, b->u[j]);
    }
    if (!b->has_rates)
        sal__apply_velocity_map(b, b->u, b->qdot);
    const double enough = sal__max(tolerance(b->sim), grain_of_rates(b));
    status = sal__manifold_project(&b->velocity, b->has_rates ? differentiate_rates : derive, enough, b->u, moved);
    memcpy(p->x + at, b->u, (size_t)nv * sizeof *b->u);
    return status;
}

/* ---- a part by itself ---- */

static sal_status to_its_own(bound *b, double *x, bool *moved) {
    const struct sal__projection *p = b->sim->projection;
    const int *at = sal__layout_of_part(b)->at;
    const size_t bytes = (size_t)b->sim->plan->nx * sizeof *x;
    memcpy(p->displaced, x, bytes);
    const sal_rates next = {p->displaced + at[SAL_Q], p->displaced + at[SAL_V], p->displaced + at[SAL_Z]};
    sal__context_data_look(b->sim->contexts.current, p->t, x);
    const sal_status status = b->system->behaviour->project(b->system, b->ctx, &next);
    if (status != SAL_OK)
        return status;
    for (int i = 0; i < b->sim->plan->nx; i++)
        if (p->displaced[i] - p->displaced[i] != 0)
            return SAL_ENAN;
    *moved = *moved || memcmp(p->displaced, x, bytes) != 0;
    memcpy(x, p->displaced, bytes);
    return SAL_OK;
}

/* The part of the error that remains after projection: the projected state with the error minus the projected state. */
static sal_status error_of_its_own(bound *b, double *err) {
    const struct sal__projection *p = b->sim->projection;
    const int *n = b->system->size;
    bool moved = false;
    for (int i = 0; i < b->sim->plan->nx; i++)
        p->dot[i] = p->x[i] + err[i];
    const sal_status status = to_its_own(b, p->dot, &moved);
    for (int k = SAL_Q; status == SAL_OK && k <= SAL_Z; k++)
        for (int i = sal__layout_of_part(b)->at[k]; i < sal__layout_of_part(b)->at[k] + n[k]; i++)
            err[i] = p->dot[i] - p->x[i];
    return status;
}

/* ---- errors ---- */

static void flatten(bound *b, double *err) {
    for (int i = 0; i < b->unknown_count && b->position.m > 0; i++)
        b->u[i] = err[b->index[i]];
    if (b->position.m > 0)
        sal__manifold_remove_normal(&b->position, b->u);
    for (int i = 0; i < b->unknown_count && b->position.m > 0; i++)
        err[b->index[i]] = b->u[i];
    if (b->velocity.m > 0)
        sal__manifold_remove_normal(&b->velocity, err + sal__layout_of_part(b)->at[SAL_V]);
}

/* ---- in this order ---- */

sal_status sal__project_part(sal__constrained_part *b, double *err, bool *moved) {
    sal_status status = SAL_OK;
    if (b->position.m > 0)
        status = to_positions(b, moved);
    if (status == SAL_OK && b->velocity.m > 0)
        status = to_velocities(b, moved);
    if (status == SAL_OK && err)
        flatten(b, err);
    if (status == SAL_OK && b->system->behaviour->project) {
        status = to_its_own(b, b->sim->projection->x, moved);
        if (status == SAL_OK && err)
            status = error_of_its_own(b, err);
    }
    return status == SAL_OK && err && b->map.n > 0 ? sal__weight_velocity_map(b, err) : status;
}

/* Checks whether q' = v, and whether constraints of q read v, which they must not. */
sal_status sal__check_constraints(sal__constrained_part *b, sal_note *why) {
    const sal_simulator *sim = b->sim;
    const struct sal__projection *p = sim->projection;
    const bool derived = b->velocity.m > 0 && !b->has_rates;
    sal_status status = derived || has_mapped_rates(b) ? sal__build_velocity_map(b) : SAL_OK;
    if (status != SAL_OK || !derived)
        return status;
    b->is_identity = sal__is_identity(b);
    status = look_at(b, p->t, p->x, b->residual_samples[0]);
    memcpy(p->displaced, p->x, (size_t)sim->plan->nx * sizeof *p->x);
    for (int j = 0; j < b->velocity.n; j++)
        p->displaced[sal__layout_of_part(b)->at[SAL_V] + j] += 1;
    if (status == SAL_OK)
        status = look_at(b, p->t, p->displaced, b->residual_samples[1]);
    for (int i = 0; status == SAL_OK && i < b->position.m; i++)
        if (fabs(b->residual_samples[0][i] - b->residual_samples[1][i]) >
            0) { /* false for NaN, which the projection reports */
            sal_note_set(why, "constraints may read positions and time only, and these read velocities; "
                              "constraint_rates may read velocities");
            return SAL_EINVAL;
        }
    return status;
}

/* ---- life ---- */

bool sal__is_constrained(const sal_system *sys) {
    return sys->constraints.residuals > 0 || sys->constraints.rates > 0 || sys->behaviour->project ||
           (sys->behaviour->velocity_map && sys->size[SAL_Q] > 0 && sys->size[SAL_V] > 0);
}

/* q; all continuous state if the part has no q */
static void list_unknowns(bound *b) {
    const int *n = b->system->size;
    const int last = n[SAL_Q] > 0 ? SAL_Q : SAL_Z;
    for (int k = SAL_Q; k <= last; k++)
        for (int i = 0; i < n[k]; i++)
            b->index[b->unknown_count++] = sal__layout_of_part(b)->at[k] + i;
}

static void make_manifold(sal__manifold *to, bound *b, int n, int m,
                          sal_status (*of)(void *user, const double *x, double *r)) {
    if (m > 0)
        sal__manifold_init(to, &b->sim->pool, n, m);
    to->residual = of;
    to->user = b;
}

sal_status sal__constrained_part_new(sal_simulator *sim, int part, sal__constrained_part *b) {
    const sal_system *sys = sim->plan->part[part].system;
    const int nq = sys->size[SAL_Q], nv = sys->size[SAL_V], all = nq + nv + sys->size[SAL_Z];
    *b = (sal__constrained_part){.sim = sim, .system = sys, .part = part, .has_rates = sys->constraints.rates > 0};
    b->index = sal__pool_alloc(&sim->pool, all, sizeof *b->index);
    b->u = sal__pool_alloc(&sim->pool, all, sizeof *b->u);
    b->rows = sal__pool_alloc(&sim->pool, nq * nv, sizeof *b->rows);
    b->drift = sal__pool_alloc(&sim->pool, nq, sizeof *b->drift);
    b->qdot = sal__pool_alloc(&sim->pool, nq, sizeof *b->qdot);
    for (int k = 0; k < 4; k++)
        b->residual_samples[k] = sal__pool_alloc(&sim->pool, sys->constraints.residuals, sizeof(double));
    if (sim->pool.failed)
        return SAL_ENOMEM;
    list_unknowns(b);
    const int m = b->has_rates ? sys->constraints.rates : nq > 0 ? sys->constraints.residuals : 0;
    make_manifold(&b->position, b, b->unknown_count, sys->constraints.residuals, residual);
    make_manifold(&b->velocity, b, nv, nv > 0 ? m : 0, rates);
    if (sys->behaviour->velocity_map)
        make_manifold(&b->map, b, nq, nv, NULL);
    return sal__pool_status(&sim->pool);
}
