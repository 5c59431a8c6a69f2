/* The state that an integrator's next step depends on: controller state, the last step as far as it can be read, and
 * the matrices of implicit methods. A run that continues from it gives the same bits. */
#include <math.h>

#include "numerics/implicit/implicit.h"
#include "integrator_snapshot.h"

/* What both integrators must have in common: with another method, other steps or other matrices, only the state is
 * restored. */
static uint64_t kind_of(const sal_integrator *in) {
    const sal_integrator_config *c = &in->config;
    const int32_t all[] = {in->n,    in->steps.dense_degree, c->fixed_step,      in->implicit != NULL, c->lower,
                           c->upper, c->dense_jacobian,      c->jacobian != NULL};
    return sal_hash(all, sizeof all, sal_hash(c->method->name, strlen(c->method->name), 0));
}

/* int32_t is no int on every machine. */
static void archive_count(sal__archive *a, int32_t *count, int most) {
    int value = (int)*count;
    sal__int(a, &value, 0, most);
    *count = value;
}

static void archive_pace(sal__archive *a, sal_controller_state *p) {
    enum { MANY = 1 << 20 };
    const double farthest_log2 = 1100; /* larger than for any double */
    const double step = sal__real(a, &p->ideal_step);
    sal__rule(a, isnan(step) || step > 0);
    sal__rule(a, fabs(sal__real(a, &p->last_log2_error)) <= farthest_log2);
    sal__rule(a, sal__real_finite(a, &p->last_size) >= 0);
    sal__real(a, &p->nonsmooth_until);
    int32_t *const counts[] = {&p->stiff_count, &p->nonstiff_count, &p->unchecked_count, &p->return_count,
                               &p->initial_check_count};
    for (int i = 0; i < 5; i++)
        archive_count(a, counts[i], MANY);
    sal__int64(a, &p->next_is_stiff, 0, 1);
    sal__int64(a, &p->last_was_stiff, 0, 1);
    archive_count(a, &p->trial_stage, SAL__TRIAL_STEPS);
    archive_count(a, &p->refusal_count, SAL__MAX_REFUSALS);
    double *const sums[] = {&p->evaluations_since_switch, &p->nonstiff_step, &p->trial_evaluations, &p->trial_time};
    for (int i = 0; i < 4; i++)
        sal__rule(a, sal__real(a, sums[i]) >= 0); /* infinite where steps are */
    const double scale = sal__real(a, &p->scale);
    sal__rule(a, scale > 0 && scale <= 1);
    sal__int64(a, &p->jump_score, 0, SAL__MAX_JUMP_SCORE);
    sal__rule(a, sal__real_finite(a, &p->jump_size) >= 0);
}

/* Which of its methods "auto" used for the last step. */
static int part_of_step(const sal_integrator *in) {
    const sal_method *const *parts = in->config.method->methods_by_kind;
    for (int k = 0; parts && k < SAL__METHOD_KINDS; k++)
        if (parts[k] == in->steps.accepted->method)
            return k;
    return 0;
}

static bool could_take(const sal_integrator *in, int part) {
    const sal_method *const *parts = in->config.method->methods_by_kind;
    return parts ? parts[part]->implicit_stages == 0 || in->implicit : part == 0;
}

static void archive_step(sal__archive *a, sal_integrator *in) {
    sal_attempt *last = in->steps.accepted;
    const size_t n = (size_t)in->n;
    const sal_method *all = in->config.method;
    int taken_by = part_of_step(in);
    const int part = sal__int(a, &taken_by, 0, SAL__METHOD_KINDS - 1);
    sal__rule(a, could_take(in, part));
    const double t = sal__real_finite(a, &last->t), t1 = sal__real_finite(a, &last->t1);
    const double h = sal__real_finite(a, &last->h);
    sal__rule(a, h >= 0 && t1 >= t && (h > 0) == (t1 > t));
    if (a->is_bad)
        return;
    const sal_method *m = all->methods_by_kind ? all->methods_by_kind[part] : all;
    if (a->mode == SAL__READ)
        last->method = m;
    sal__reals(a, last->x0, n);
    sal__reals(a, last->f0, n);
    sal__reals(a, last->x1, n);
    sal__reals(a, last->f1, n);
    sal__reals(a, last->work, n * (size_t)m->work);
    sal__may_take(a, n * (size_t)(sal__integrator_work(all) - m->work) * sizeof(double));
    if (sal__flag(a, &in->steps.dense_ready) || a->at_most)
        sal__reals(a, in->steps.coefficients, n * (size_t)in->steps.dense_degree);
}

/* For an integrator with the same configuration. */
static void archive_rest(sal__archive *a, sal_integrator *in) {
    const bool has_step = sal__flag(a, &in->steps.has_step);
    const bool waits = sal__flag(a, &in->checks.gap_is_pending),
               knows_start = sal__flag(a, &in->steps.start_rate_known),
               knows_end = sal__flag(a, &in->steps.end_rate_known);
    sal__rule(a, has_step || !(waits || knows_start || knows_end));
    sal__real(a, &in->checks.stiffness_gap);
    sal__real(a, &in->control.initial_step);
    if (has_step || a->at_most)
        archive_step(a, in);
    else if (a->mode == SAL__READ)
        in->steps.dense_ready = false;
    if (in->step_iteration && a->mode == SAL__READ)
        sal__step_iteration_reload(in);
    if (in->implicit)
        sal__implicit_archive(a, in->implicit);
}

static void pass_over(sal__archive *a, sal_integrator *in, double ideal_step) {
    a->at = a->size;
    if (a->mode != SAL__READ)
        return;
    if (in->step_iteration)
        sal__step_iteration_fail(in);
    sal_integrator_set_ideal_step(in, ideal_step);
}

void sal__integrator_archive(sal__archive *a, sal_integrator *in) {
    const uint64_t mine = kind_of(in);
    uint64_t kind = mine;
    sal_controller_state pace = in->controller;
    const bool is_alike = sal__bits(a, &kind) == mine;
    archive_pace(a, &pace);
    if (a->mode == SAL__READ) {
        sal_integrator_invalidate(in);
        if (is_alike)
            sal_integrator_set_controller_state(in, &pace);
    }
    if (is_alike)
        archive_rest(a, in);
    else if (!a->is_bad)
        pass_over(a, in, pace.ideal_step);
}

/* Counting and writing change nothing. */
static sal_integrator *unchanged(const sal_integrator *in) {
    return (sal_integrator *)(uintptr_t)in;
}

size_t sal_integrator_save_size(const sal_integrator *in) {
    sal__archive a = {.mode = SAL__COUNT};
    sal__integrator_archive(&a, unchanged(in));
    return a.at;
}

void sal_integrator_save(const sal_integrator *in, void *bytes) {
    sal__archive a = sal__archive_to(bytes, sal_integrator_save_size(in));
    sal__integrator_archive(&a, unchanged(in));
}

sal_status sal_integrator_load(sal_integrator *in, const void *bytes, size_t size) {
    sal__archive a = sal__archive_from(bytes, size);
    sal__integrator_archive(&a, in);
    if (!sal__archive_ended(&a))
        return SAL_EINVAL;
    sal__archive_read(&a);
    sal__integrator_archive(&a, in);
    return SAL_OK;
}

void sal__integrator_adopt_settings(sal_integrator *to, const sal_integrator *from) {
    to->config.max_step = from->config.max_step;
    to->config.min_step = from->config.min_step;
    to->config.initial_step = from->config.initial_step;
    to->config.fixed_step = from->config.fixed_step;
    to->config.throw_on_min_step = from->config.throw_on_min_step;
    for (int i = 0; i < to->n; i++) {
        to->scale.weight[i] = from->scale.weight[i];
        to->scale.is_relative[i] = from->scale.is_relative[i];
    }
    if (to->config.method->error_order > 0 && !isnan(from->config.accuracy))
        sal_integrator_set_accuracy(to, from->config.accuracy);
}

/* ---- a copy ---- */

bool sal__integrator_is_alike(const sal_integrator *a, const sal_integrator *b) {
    const sal_integrator_config *c = &a->config, *d = &b->config;
    return a->n == b->n && c->method == d->method && a->steps.dense_degree == b->steps.dense_degree &&
           c->fixed_step == d->fixed_step && !a->implicit == !b->implicit && c->lower == d->lower &&
           c->upper == d->upper && c->dense_jacobian == d->dense_jacobian && !c->jacobian == !d->jacobian;
}

/* The arrays of an attempt are neighbours: x0, f0, x1, f1, work. */
static void copy_step(sal_integrator *to, const sal_integrator *from) {
    const sal_attempt *a = from->steps.accepted;
    sal_attempt *b = to->steps.accepted;
    const size_t n = (size_t)to->n;
    b->method = a->method;
    b->t = a->t, b->t1 = a->t1, b->h = a->h;
    memcpy(b->x0, a->x0, n * (4 + (size_t)a->method->work) * sizeof(double));
    to->steps.dense_ready = from->steps.dense_ready;
    if (from->steps.dense_ready)
        memcpy(to->steps.coefficients, from->steps.coefficients, n * (size_t)to->steps.dense_degree * sizeof(double));
}

void sal__integrator_copy(sal_integrator *to, const sal_integrator *from) {
    sal_integrator_invalidate(to);
    sal_integrator_set_controller_state(to, &from->controller);
    to->steps.has_step = from->steps.has_step;
    to->checks.gap_is_pending = from->checks.gap_is_pending;
    to->steps.start_rate_known = from->steps.start_rate_known;
    to->steps.end_rate_known = from->steps.end_rate_known;
    to->checks.stiffness_gap = from->checks.stiffness_gap;
    to->control.initial_step = from->control.initial_step;
    if (from->steps.has_step)
        copy_step(to, from);
    else
        to->steps.dense_ready = false;
    if (to->step_iteration)
        sal__step_iteration_reload(to);
    if (to->implicit)
        sal__implicit_copy(to->implicit, from->implicit);
}
