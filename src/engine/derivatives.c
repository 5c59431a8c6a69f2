/* The right-hand side: the derivatives of all parts. */
#include <string.h>

#include "simulator.h"

sal_status sal__derivatives_new(sal_simulator *sim) {
    sal__derivatives *all = &sim->derivatives;
    all->part = sal__pool_alloc(&sim->pool, sim->plan->part_count, sizeof *all->part);
    for (int i = 0; i < sim->plan->part_count && !sim->pool.failed; i++) {
        const sal__part *part = &sim->plan->part[i];
        const sal_system *sys = part->system;
        all->has_mass = all->has_mass || sys->mass;
        if (sal__continuous_size(sys) > 0)
            all->part[all->part_count++] = (sal__derivative_part){
                sys, sys->behaviour->derivatives, NULL, part->at[SAL_Q], part->at[SAL_V], part->at[SAL_Z], i};
    }
    return sim->pool.failed ? SAL_ENOMEM : sal__stray_numbers_new(sim);
}

void sal__derivatives_attach(sal_simulator *sim) {
    for (int i = 0; i < sim->derivatives.part_count; i++)
        sim->derivatives.part[i].ctx = &sim->contexts.current->part_context[sim->derivatives.part[i].part];
    if (sim->derivatives.part_count == 1)
        sim->derivatives.single = (sal__single_part){.of = *sim->derivatives.part, .context = sim->contexts.current};
    sal__choose_rhs(sim);
}

void sal__derivatives_start(sal_simulator *sim) {
    sim->derivatives.failed_part = -1;
}

sal_status sal__eval_rhs(void *user, double t, const double *x, double *dx) {
    sal_simulator *sim = user;
    sal__context_data_look(sim->contexts.current, t, x);
    const sal__derivative_part *f = sim->derivatives.part, *const end = f + sim->derivatives.part_count;
    for (; f < end; f++) {
        const sal_rates dot = {dx + f->q, dx + f->v, dx + f->z};
        const sal_status status = f->derivatives(f->system, f->ctx, &dot);
        if (status != SAL_OK) {
            sim->derivatives.failed_part = f->part;
            return status;
        }
    }
    return SAL_OK;
}

/* The same for the usual case of one part, whose q are the first elements of x: without the loop, with few pointers to
 * follow, for which each evaluation waits, and with rates that stay in place. Together 15 % of a step of Lorenz. */
static sal_status rhs_of_one(void *user, double t, const double *x, double *dx) {
    sal_simulator *sim = user;
    sal__single_part *single = &sim->derivatives.single;
    const sal__derivative_part *f = &single->of;
    sal__context_data *context = single->context;
    context->time = t;
    sal__context_data_show_x(context, x);
    context->versions.stamp[false]++;
    single->dot = (sal_rates){dx, dx + f->v, dx + f->z};
    const sal_status status = f->derivatives(f->system, f->ctx, &single->dot);
    SAL__KEEP_CALL();
    return status;
}

/* ---- the past ---- */

typedef sal_status (*evaluation)(void *user, double t, const double *x, double *dx);

/* The right-hand side of models that read the past; numbers the reads. */
static sal_status with_past(sal_simulator *sim, double t, const double *x, double *dx, evaluation eval) {
    sal__delay_state *m = sim->delay_state;
    m->is_tracking = true;
    m->sites.next = 0;
    m->sites.evaluation++;
    const sal_status status = eval(sim, t, x, dx);
    m->is_tracking = false;
    if (status == SAL_OK && sal__is_step_start(m, t))
        sal__checkpoint_update(m, t);
    return status;
}

static sal_status rhs_with_past(void *user, double t, const double *x, double *dx) {
    return with_past(user, t, x, dx, sal__eval_rhs);
}

/* ---- derivatives that a model in C forgets ---- */

/* A number that no computation returns. */
static double unset_mark(void) {
    const uint64_t bits = SAL__UNSET;
    double mark;
    memcpy(&mark, &bits, sizeof mark);
    return mark;
}

static sal_status eval_checked(sal_simulator *sim, double t, const double *x, double *dx) {
    if (sim->stray_numbers.checks_left == 0)
        return sim->derivatives.rhs.eval(sim, t, x, dx);
    return sim->delay_state ? with_past(sim, t, x, dx, sal__eval_rhs_with_margins)
                            : sal__eval_rhs_with_margins(sim, t, x, dx);
}

static sal_status checked_rhs(void *user, double t, const double *x, double *dx) {
    sal_simulator *sim = user;
    const double mark = unset_mark();
    for (int i = 0; i < sim->plan->nx; i++)
        dx[i] = mark;
    const sal_status status = eval_checked(sim, t, x, dx);
    for (int i = 0; status == SAL_OK && i < sim->plan->nx; i++)
        if (memcmp(&dx[i], &mark, sizeof mark) == 0) {
            sim->derivatives.unset_variable = i;
            return SAL_ENAN;
        }
    return status;
}

void sal__choose_rhs(sal_simulator *sim) {
    const bool usual =
        sim->derivatives.part_count == 1 &&
        !sim->contexts.current->feeds; /* inputs that the host feeds move values that otherwise would be constant */
    sim->derivatives.rhs = (sal_rhs){sim->plan->nx,
                                     sim->delay_state ? rhs_with_past
                                     : usual          ? rhs_of_one
                                                      : sal__eval_rhs,
                                     sim};
    sim->derivatives.checked_rhs = (sal_rhs){sim->plan->nx, checked_rhs, sim};
    sim->derivatives.unset_variable = -1;
}
