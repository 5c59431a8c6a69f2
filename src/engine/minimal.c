/* In place of delay/, stray_numbers.c, idle.c, warnings about witnesses and what blocks need, where SAL_MINIMAL is
 * defined. A simulator then has no `delay_state`, no parts that follow their inputs, no evaluations or handlers that
 * it watches, and no witnesses with phases, so that most of these functions are never called. */
#include "engine/simulator.h"
#include "engine/witness/crossing.h"

sal_status sal__delays_new(sal_simulator *sim) {
    (void)sim;
    return SAL_OK;
}

void sal__delays_free(sal_simulator *sim) {
    (void)sim;
}

void sal__delays_copy(sal_simulator *to, const sal_simulator *from) {
    (void)to, (void)from;
}

void sal__delays_set_time_scale(sal_simulator *sim, double scale) {
    (void)sim, (void)scale;
}

sal_status sal__delays_attach(sal_simulator *sim, sal_integrator *in, sal__context_data *context) {
    (void)sim, (void)in, (void)context;
    return SAL_OK;
}

sal_status sal__delays_start(sal_simulator *sim) {
    (void)sim;
    return SAL_OK;
}

sal_status sal__delays_add_jump(sal_simulator *sim) {
    (void)sim;
    return SAL_OK;
}

sal_status sal__delays_flush(sal_simulator *sim) {
    (void)sim;
    return SAL_OK;
}

sal_status sal__delays_preview(sal_simulator *sim, double t1) {
    (void)sim, (void)t1;
    return SAL_OK;
}

sal_status sal__delays_extend(sal_simulator *sim, double t) {
    (void)sim, (void)t;
    return SAL_OK;
}

void sal__delays_truncate(sal_simulator *sim, double t) {
    (void)sim, (void)t;
}

sal_status sal__delays_reserve(sal_simulator *sim, int count) {
    (void)sim;
    return count == 0 ? SAL_OK : SAL_EINVAL;
}

void sal__delays_archive(sal__archive *a, sal_simulator *sim, int *count) {
    (void)a, (void)sim, (void)count;
}

bool sal__is_history(const sal_simulator *sim, int slot) {
    (void)sim, (void)slot;
    return false;
}

bool sal__history_archive(sal__archive *a, sal_simulator *sim, int slot, size_t bytes, sal_status *status) {
    (void)a, (void)sim, (void)slot, (void)bytes, (void)status;
    return false;
}

sal_status sal__delays_step(sal_simulator *sim, const sal_rhs *rhs, double t, const double *x,
                            const sal_limits *limits) {
    (void)sim, (void)rhs, (void)t, (void)x, (void)limits;
    return SAL_ESTATE;
}

sal_status sal__delays_resume_step(sal_simulator *sim, double now, double t1) {
    (void)sim, (void)now, (void)t1;
    return SAL_OK;
}

sal_status sal__delays_end_without_state(sal_simulator *sim, double t, double *end) {
    (void)sim, (void)t, (void)end;
    return SAL_OK;
}

sal_status sal__reserve_discontinuity(sal_simulator *sim) {
    (void)sim;
    return SAL_OK;
}

void sal__add_discontinuity(sal__delay_state *m, const sal__discontinuity *found) {
    (void)m, (void)found;
}

void sal__checkpoint_save(sal__delay_state *m, double t) {
    (void)m, (void)t;
}

void sal__checkpoint_update(sal__delay_state *m, double t) {
    (void)m, (void)t;
}

void sal__checkpoint_restore(sal__delay_state *m) {
    (void)m;
}

sal_status sal__witness_value_by_reads(sal_simulator *sim, const sal__witness *w, double *value, bool *reads_past) {
    *reads_past = false;
    return sal__witness_value(sim, w, value);
}

sal_status sal__stray_numbers_new(sal_simulator *sim) {
    (void)sim;
    return SAL_OK;
}

sal_status sal__eval_rhs_with_margins(void *sim, double t, const double *x, double *dx) {
    return sal__eval_rhs(sim, t, x, dx);
}

sal_outcome sal__call_watched_update(sal_simulator *sim, const sal__planned_event *e, const sal_event *event,
                                     sal_note *note) {
    return sal__call_update(sim, e, event, note);
}

/* Never called: sal_system_add_event refuses SAL_TURNING. */
sal_status sal__find_turning_point(sal__witness_probe *s, double from, double *theta) {
    (void)s, (void)from, (void)theta;
    return SAL_OK;
}

/* Starts with upstream_first run in the order in which they are declared. */
sal_status sal__plan_levels(const sal_allocator *mem, sal__plan *plan) {
    (void)mem;
    plan->order.deepest_level = -1;
    for (int i = 0; i < plan->event_count; i++)
        if (plan->event[i].config->upstream_first && plan->event[i].trigger == SAL_ON_INITIALIZATION)
            plan->order.start[plan->order.start_count++] = i;
    return SAL_OK;
}

sal_status sal__followers_new(sal_simulator *sim) {
    (void)sim;
    return SAL_OK;
}

bool sal__pass_time(sal_simulator *sim, double t, sal_report *report) {
    (void)sim, (void)t, (void)report;
    return false;
}

sal_status sal__follow_inputs(sal_simulator *sim) {
    (void)sim;
    return SAL_OK;
}

sal_status sal__follow_edit(sal_simulator *sim) {
    (void)sim;
    return SAL_OK;
}

void sal__warn_about_missed_crossings(sal_simulator *sim, const sal__witness *w) {
    (void)sim, (void)w;
}

void sal__warn_about_jump(sal_simulator *sim, const sal__witness *w, double was) {
    (void)sim, (void)w, (void)was;
}

void sal__warn_about_start(sal_simulator *sim, const sal__witness *w) {
    (void)sim, (void)w;
}

void sal__find_undersampled(sal_simulator *sim, double now, double t1) {
    (void)sim, (void)now, (void)t1;
}
