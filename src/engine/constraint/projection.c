/* Projects the state onto its manifold: constraints, invariants and unit quaternions, part by part.
 *
 * Eich's coordinate projection at both levels (SIAM J. Numer. Anal. 30, 1993; Ascher, Chin, Reich, Numer. Math. 67,
 * 1994; Hairer, Wanner, Solving ODEs II, VII.2). The component of the estimated error that points off the manifold
 * is removed. */
#include <math.h>
#include <string.h>

#include "projection.h"

typedef sal__constrained_part bound;

static void measure(const sal_simulator *sim) {
    struct sal__projection *p = sim->projection;
    for (int k = 0; k < p->constrained_count; k++)
        for (int s = SAL_Q; s <= SAL_Z; s++) {
            const int first = sal__layout_of_part(&p->constrained[k])->at[s], n = p->constrained[k].system->size[s];
            for (int i = first; i < first + n; i++) {
                const double distance = fabs(p->x[i] - p->original[i]) / sal__error_unit(sim, i, p->original[i]);
                if (distance > p->distance)
                    p->furthest_part = p->constrained[k].part;
                p->distance = sal__max(p->distance, distance);
            }
        }
}

/* Changes x only if the projection of all parts succeeds. */
static sal_status correct(void *user, double t, double *x, double *err, bool *moved) {
    sal_simulator *sim = user;
    struct sal__projection *p = sim->projection;
    const size_t bytes = (size_t)sim->plan->nx * sizeof *x;
    sal_status status = SAL_OK;
    bool any = false;
    const int blamed = sim->derivatives.failed_part;
    p->t = t;
    p->distance = 0;
    memcpy(p->x, x, bytes);
    memcpy(p->original, x, bytes);
    for (int i = 0; status == SAL_OK && i < p->constrained_count; i++) {
        sal__blame_part(sim, p->constrained[i].part);
        status = sal__project_part(&p->constrained[i], err, &any);
    }
    sal__context_data_look(sim->contexts.current, t, x);
    if (status != SAL_OK)
        return status;
    sal__blame_part(sim, blamed);
    measure(sim);
    memcpy(x, p->x, bytes);
    *moved = *moved || any;
    return SAL_OK;
}

sal_status sal__project(sal_simulator *sim, double t, double *x) {
    bool moved = false;
    return sim->projection ? correct(sim, t, x, NULL, &moved) : SAL_OK;
}

void sal__projection_attach(sal_simulator *sim) {
    const sal_correction correction = {correct, sim};
    struct sal__projection *p = sim->projection;
    if (!p)
        return;
    for (int i = 0; i < p->constrained_count; i++)
        p->constrained[i].ctx = &sim->contexts.current->part_context[p->constrained[i].part];
    sal_integrator_set_correction(sim->integrator, &correction);
}

/* If the derivatives keep the constraints, a step leaves them by its own error only. The first step may also correct
 * the start. The count is not saved, as warnings are not. */
#define FAR_STEPS 4

void sal__projection_check_step(sal_simulator *sim) {
    const sal_integrator_config *config = sim->integrator_config;
    struct sal__projection *p = sim->projection;
    if (config->fixed_step || !(p->distance > 100 * config->accuracy)) {
        p->far_steps = 0;
        return;
    }
    if (++p->far_steps == FAR_STEPS)
        sal__warn(sim, p->furthest_part, -1, -1, "constraints",
                  "has constraints that its derivatives do not keep: the correction after each step is over 100 times "
                  "the accuracy; add the constraint forces to the derivatives");
}

/* ---- the state as a whole: at the start, after updates, after changes from outside ---- */

/* Writes "constraint 12", without stdio. */
static void name_constraint(char *text, const char *what, int number) {
    char digits[12];
    int n = 0;
    for (int rest = number; rest > 0; rest /= 10)
        digits[n++] = (char)('0' + rest % 10);
    size_t at = strlen(what);
    memcpy(text, what, at);
    while (n > 0)
        text[at++] = digits[--n];
    text[at] = '\0';
}

/* Writes `before` and which constraint is not met. */
static void describe_unmet(const sal_simulator *sim, const char *before, sal_note *note) {
    const struct sal__projection *p = sim->projection;
    char which[64] = "what project wants";
    for (int i = 0; i < p->constrained_count; i++) {
        const bound *b = &p->constrained[i];
        if (b->part == sim->derivatives.failed_part && b->position.m > 0 && b->position.worst >= 0)
            name_constraint(which, "constraint ", b->position.worst + 1);
        else if (b->part == sim->derivatives.failed_part && b->velocity.m > 0 && b->velocity.worst >= 0)
            name_constraint(which, "the rate of constraint ", b->velocity.worst + 1);
    }
    sal_note_set(note, before);
    sal__append_text(which, note);
}

sal_status sal__report_unmet_constraint(sal_simulator *sim, sal_status status, int part, const char *before) {
    sal_note *note = sal__failure_note(sim, status, part, -1);
    if (note && sim->projection)
        describe_unmet(sim, before, note);
    return status;
}

/* The projection failed. */
static sal_status report_unprojected(sal_simulator *sim, sal_status status, const char *before) {
    const int part = sim->derivatives.failed_part;
    return status == SAL_RETRY ? sal__report_unmet_constraint(sim, SAL_EOFF, part, before)
                               : sal__report_failure(sim, status, part, -1, NULL);
}

/* Projects the run's state into `scratch`. */
static sal_status correct_run(sal_simulator *sim, bool *moved) {
    const double t = sim->contexts.current->time;
    memcpy(sim->flow.scratch, sim->contexts.current->block, (size_t)sim->plan->nx * sizeof *sim->flow.scratch);
    const sal_status status = correct(sim, t, sim->flow.scratch, NULL, moved);
    sal__context_data_look(sim->contexts.current, t, NULL);
    return status;
}

/* Projects the context, if the state moves by at most `most` units. */
sal_status sal__project_context(sal_simulator *sim, double most) {
    struct sal__projection *p = sim->projection;
    if (!p)
        return SAL_OK;
    bool moved = false;
    const sal_status status = correct_run(sim, &moved);
    if (status != SAL_OK)
        return report_unprojected(sim, status, "no state near this one meets ");
    if (!(p->distance <= most))
        return sal__report_failure(
            sim, SAL_EOFF, p->distance > most ? p->furthest_part : sim->derivatives.failed_part, -1,
            "the state does not meet the constraints; initialize{ consistent = true } moves it there");
    memcpy(sim->contexts.current->block, sim->flow.scratch, (size_t)sim->plan->nx * sizeof *sim->flow.scratch);
    return SAL_OK;
}

/* After unrestricted updates. Parts that the projection moves count as written, so a failure undoes them too. */
sal_status sal__projection_update(sal_simulator *sim) {
    const struct sal__projection *p = sim->projection;
    bool moved = false;
    const sal_status status = correct_run(sim, &moved);
    if (status != SAL_OK)
        return report_unprojected(sim, status, "after the update no state nearby meets ");
    sal__transaction_begin(sim, SAL_UNRESTRICTED);
    for (int i = 0; moved && i < p->constrained_count; i++) {
        const int part = p->constrained[i].part, *at = sim->plan->part[part].at;
        sal__transaction_add_part(sim, part);
        sal__transaction_mark_written(sim, part);
        for (int k = SAL_Q; k <= SAL_Z; k++)
            memcpy(sim->contexts.next->block + at[k], sim->flow.scratch + at[k],
                   (size_t)p->constrained[i].system->size[k] * sizeof(double));
    }
    if (moved)
        sal__transaction_end(sim, true);
    return SAL_OK;
}

sal_status sal__projection_start(sal_simulator *sim) {
    struct sal__projection *p = sim->projection;
    if (!p)
        return SAL_OK;
    sal_status status = SAL_OK;
    p->far_steps = 0;
    p->t = sim->contexts.current->time;
    memcpy(p->x, sim->contexts.current->block, (size_t)sim->plan->nx * sizeof *p->x);
    for (int i = 0; status == SAL_OK && i < p->constrained_count; i++) {
        sal_note note = {{0}, {0}};
        status = sal__check_constraints(&p->constrained[i], &note);
        sal__report_failure(sim, status, p->constrained[i].part, -1, note.text);
    }
    sal__context_data_look(sim->contexts.current, p->t, NULL);
    return status;
}

/* ---- life ---- */

static sal_status make_room(sal_simulator *sim) {
    struct sal__projection *p = sim->projection = sal__pool_alloc(&sim->pool, 1, sizeof *p);
    if (!p)
        return SAL_ENOMEM;
    p->constrained = sal__pool_alloc(&sim->pool, sim->plan->part_count, sizeof *p->constrained);
    p->x = sal__pool_alloc(&sim->pool, sim->plan->nx, sizeof *p->x);
    p->original = sal__pool_alloc(&sim->pool, sim->plan->nx, sizeof *p->original);
    p->displaced = sal__pool_alloc(&sim->pool, sim->plan->nx, sizeof *p->displaced);
    p->dot = sal__pool_alloc(&sim->pool, sim->plan->nx, sizeof *p->dot);
    return sal__pool_status(&sim->pool);
}

sal_status sal__projection_new(sal_simulator *sim) {
    sal_status status = SAL_OK;
    for (int i = 0; status == SAL_OK && i < sim->plan->part_count; i++) {
        if (!sal__is_constrained(sim->plan->part[i].system))
            continue;
        status = sim->projection ? SAL_OK : make_room(sim);
        if (status == SAL_OK)
            status =
                sal__constrained_part_new(sim, i, &sim->projection->constrained[sim->projection->constrained_count++]);
    }
    return status;
}
