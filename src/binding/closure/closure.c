/* The system class whose functions call closures. Closures are numbered part by part: derivatives, outputs,
 * PER_EVENT for each event, then constraints, then finders. */
#include "binding/binding.h"
#include "model/model.h"

/* The closures of a part (constraints, ...) follow those of its events, like those of an event with index
 * event_count. */
int l_closure_number(const l_part *part, int event, int what) {
    return part->first_closure + 1 + part->output_count + PER_EVENT * event + what;
}

static sal_status rates_of(const sal_system *sys, int what, const sal_context *ctx, const sal_rates *dot) {
    const l_part *part = sal_system_data(sys);
    return l_eval_derivatives(part->owner, l_closure_number(part, part->event_count, what), ctx, dot);
}

/* Evaluates a closure of an event, or of the part if event < 0. */
static sal_status value_of(const sal_system *sys, int event, int what, const sal_context *ctx, double *value) {
    const l_part *part = sal_system_data(sys);
    return l_eval_value(part->owner, l_closure_number(part, event < 0 ? part->event_count : event, what), ctx, value);
}

static sal_status derivatives(const sal_system *sys, const sal_context *ctx, const sal_rates *dot) {
    const l_part *part = sys->data;
    return l_eval_derivatives(part->owner, part->first_closure, ctx, dot);
}

static sal_status output(const sal_system *sys, const sal_context *ctx, int port, double *value) {
    const l_part *part = sal_system_data(sys);
    if (port < part->output_count)
        return l_eval_value(part->owner, part->first_closure + 1 + port, ctx, value);
    *value = 0; /* an abstract state: readers read it in its slot */
    return SAL_OK;
}

/* ---- constraints ---- */

static sal_status constraints(const sal_system *sys, const sal_context *ctx, double *residual) {
    return value_of(sys, -1, OF_CONSTRAINTS, ctx, residual);
}

static sal_status constraint_rates(const sal_system *sys, const sal_context *ctx, double *rate) {
    return value_of(sys, -1, OF_CONSTRAINT_RATES, ctx, rate);
}

static sal_status project(const sal_system *sys, const sal_context *ctx, const sal_rates *next) {
    return rates_of(sys, OF_PROJECT, ctx, next);
}

/* The engine sets the same v in ctx; the adapter reads it there. */
static sal_status velocity_map(const sal_system *sys, const sal_context *ctx, const double *v, double *qdot) {
    (void)v;
    return rates_of(sys, OF_VELOCITY_MAP, ctx, &(sal_rates){qdot, NULL, NULL});
}

/* ---- events ---- */

static sal_status witness(const sal_system *sys, const sal_context *ctx, int event, double *value) {
    return value_of(sys, event, OF_WITNESS, ctx, value);
}

static sal_status phases(const sal_system *sys, const sal_context *ctx, int event, double *phase, int *count) {
    const l_part *part = sal_system_data(sys);
    const int what = sal_system_event(sys, event)->trigger == SAL_ON_CHANGE ? OF_CONDITION : OF_WITNESS;
    l_phases(part->owner, l_closure_number(part, event, what), ctx, phase, count);
    return SAL_OK;
}

static sal_status output_phases(const sal_system *sys, const sal_context *ctx, int port, double *phase, int *count) {
    const l_part *part = sal_system_data(sys);
    *count = 0;
    if (port < part->output_count)
        l_phases(part->owner, part->first_closure + 1 + port, ctx, phase, count);
    return SAL_OK;
}

static sal_status truth(const sal_system *sys, const sal_context *ctx, int event, int what, bool *is) {
    double value = 0;
    const sal_status status = value_of(sys, event, what, ctx, &value);
    *is = value != 0;
    return status;
}

static sal_status when(const sal_system *sys, const sal_context *ctx, int event, bool *active) {
    return truth(sys, ctx, event, OF_WHEN, active);
}

static sal_status holds(const sal_system *sys, const sal_context *ctx, int event, bool *is) {
    return truth(sys, ctx, event, OF_CONDITION, is);
}

static sal_status next_time(const sal_system *sys, const sal_context *ctx, int event, double *t) {
    return value_of(sys, event, OF_NEXT_TIME, ctx, t);
}

static sal_status finder(const sal_system *sys, const sal_context *ctx, int event, int number, double *value) {
    const l_part *part = sal_system_data(sys);
    const int k = l_closure_number(part, part->event_count, PER_PART + part->finder_at[event] + number);
    return part->owner->closures.item[k - 1].is_slice ? l_eval_slice(part->owner, k, ctx, value)
                                                      : l_eval_value(part->owner, k, ctx, value);
}

static sal_outcome publish(const sal_system *sys, const sal_context *ctx, const sal_event *event, sal_note *note) {
    const l_part *part = sal_system_data(sys);
    return l_handle(part->owner, l_closure_number(part, event->index, OF_HANDLER), ctx, event, NULL, note);
}

static sal_outcome update(const sal_system *sys, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const l_part *part = sal_system_data(sys);
    const int what = event->zeno ? OF_ZENO : OF_HANDLER;
    return l_handle(part->owner, l_closure_number(part, event->index, what), ctx, event, next, note);
}

const sal_system_class l_closures = {
    .name = "closures",
    .derivatives = derivatives,
    .output = output,
    .witness = witness,
    .when = when,
    .holds = holds,
    .finder = finder,
    .next_time = next_time,
    .publish = publish,
    .update = update,
    .constraints = constraints,
    .constraint_rates = constraint_rates,
    .project = project,
    .velocity_map = velocity_map,
    .history = l_history,
    .phases = phases,
    .output_phases = output_phases,
    .lockstep = true, /* closure/lockstep/check.lua refuses closures that break it */
};
