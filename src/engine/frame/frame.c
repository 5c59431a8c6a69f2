/* A frame of a host: whole steps of one size, within a budget. Time that they do not cover waits for the next frame; if
 * it is more than the steps of a frame, it is dropped, so that a slow frame does not slow down the next one. */
#include <math.h>

#include "engine/simulator.h"
#include "numerics/integrator/evaluation_count.h"

sal_frame_config sal_frame_config_default(void) {
    return (sal_frame_config){.size = sizeof(sal_frame_config), .step = NAN, .max_steps = 8};
}

/* ---- the budget ---- */

static double read_clock(const sal_simulator *sim) {
    return sim->config.clock(sim->config.clock_user);
}

static void open_budget(sal_simulator *sim, const sal_frame_config *c) {
    sal__frame *f = &sim->host.frame;
    f->is_limited = c->max_evaluations > 0 || c->max_seconds > 0;
    f->is_spent = false;
    f->last_evaluation =
        c->max_evaluations > 0 ? sal__integrator_evaluations(sim->integrator) + c->max_evaluations : INT64_MAX;
    f->last_second = c->max_seconds > 0 ? read_clock(sim) + c->max_seconds : INFINITY;
}

static void close_budget(sal_simulator *sim) {
    sim->host.frame.is_limited = sim->host.frame.is_spent = false;
}

bool sal__frame_is_spent(sal_simulator *sim) {
    sal__frame *f = &sim->host.frame;
    f->is_spent = sal__integrator_evaluations(sim->integrator) >= f->last_evaluation ||
                  (f->last_second < INFINITY && read_clock(sim) >= f->last_second);
    return f->is_spent;
}

/* ---- a frame ---- */

static const char *complaint(const sal_simulator *sim, double dt, const sal_frame_config *c) {
    if (!c || c->size != sizeof *c)
        return "the frame's config does not come from sal_frame_config_default";
    if (!(dt >= 0))
        return "a frame's dt must not be negative or NaN: the seconds since the last frame";
    if (!(c->step > 0 && c->step < INFINITY))
        return "a frame's step must be positive and finite: the seconds that each of its steps takes, such as 1/120";
    if (c->max_steps < 1)
        return "a frame's max_steps must be at least 1";
    if (c->max_evaluations < 0 || !(c->max_seconds >= 0))
        return "a frame's budget must not be negative or NaN; 0 is no limit";
    if (c->max_seconds > 0 && sal_system_is_lockstep(sim->system))
        return "a budget in seconds differs from machine to machine, and the system is in lockstep; use "
               "max_evaluations";
    return c->max_seconds > 0 && !sim->config.clock ? "a budget in seconds needs config.clock" : NULL;
}

/* Of the time that is due, the steps of this frame, and what is dropped: *left waits for the next one. */
static int plan_steps(const sal_frame_config *c, double due, double *left, double *dropped) {
    const bool is_behind = due / c->step >= c->max_steps + 1.0;
    const int steps = due / c->step > c->max_steps ? c->max_steps : (int)(due / c->step);
    *dropped = is_behind ? due - steps * c->step : 0;
    *left = is_behind ? 0 : due - steps * c->step;
    return steps;
}

/* Why no further step of this frame is made now. The rest belongs to the next one. */
static bool ends_between_steps(sal_simulator *sim, sal_report *report) {
    if (sal__take_interrupt(sim))
        report->reason = SAL_AT_INTERRUPT;
    else if (sim->host.frame.is_limited && sal__frame_is_spent(sim))
        report->reason = SAL_AT_BUDGET;
    else
        return false;
    return true;
}

static double step_count(const sal__frame_steps *f) {
    return f->count - f->out.steps;
}

sal_status sal__frame_begin(sal_simulator *sim, double dt, const sal_frame_config *config, sal__frame_steps *f,
                            sal_report *report) {
    *f = (sal__frame_steps){.began = sim->contexts.current->time};
    sal__report_clear(report, f->began, f->began);
    const char *wrong = complaint(sim, dt, config);
    if (wrong)
        return sal__report_refusal(sim, report, SAL_EINVAL, wrong);
    if (sal__check_usable(sim) != SAL_OK)
        return sal__report_unusable(sim, report);
    f->step = config->step;
    f->count = plan_steps(config, sim->host.frame.remainder + dt, &f->left, &f->out.dropped);
    open_budget(sim, config);
    return SAL_OK;
}

bool sal__frame_next(sal_simulator *sim, sal__frame_steps *f, double *t, sal_report *report) {
    f->out.is_whole = f->out.steps == f->count;
    if (f->out.is_whole || ends_between_steps(sim, report)) {
        sim->host.frame.remainder = sal__max(f->left + step_count(f) * f->step, 0);
        return false;
    }
    *t = sim->contexts.current->time + f->step;
    return true;
}

bool sal__frame_add(sal_simulator *sim, sal__frame_steps *f, sal_status status, const sal_report *report) {
    if (status == SAL_OK && report->reason != SAL_AT_TERMINATION && report->reason < SAL_AT_WATCH) {
        f->out.steps++;
        return true;
    }
    const double now = sim->contexts.current->time;
    if (now > f->began || report->reason == SAL_AT_BUDGET) /* else the frame counts as none */
        sim->host.frame.remainder = sal__max(f->left + f->count * f->step - (now - f->began), 0);
    return false;
}

sal_frame sal__frame_end(sal_simulator *sim, sal__frame_steps *f) {
    close_budget(sim);
    f->out.left = sim->host.frame.remainder;
    f->out.alpha = f->out.is_whole ? f->out.left / f->step : NAN;
    return f->out;
}

sal_status sal_simulator_run_frame(sal_simulator *sim, double dt, const sal_frame_config *config, sal_frame *out,
                                   sal_report *report) {
    sal_report mine;
    report = report ? report : &mine;
    sal__frame_steps f;
    sal_status status = sal__frame_begin(sim, dt, config, &f, report);
    if (status != SAL_OK)
        return status;
    double t = 0;
    while (sal__frame_next(sim, &f, &t, report)) {
        status = sal__advance_to(sim, t, false, report);
        if (!sal__frame_add(sim, &f, status, report))
            break;
    }
    const sal_frame frame = sal__frame_end(sim, &f);
    if (out)
        *out = frame;
    return status;
}

sal_status sal_simulator_advance_frame(sal_simulator *sim, double dt, double step, int max_steps, double *alpha,
                                       sal_report *report) {
    sal_frame_config config = sal_frame_config_default();
    sal_frame frame = {0};
    config.step = step;
    config.max_steps = max_steps;
    const sal_status status = sal_simulator_run_frame(sim, dt, &config, &frame, report);
    if (alpha && frame.is_whole)
        *alpha = frame.alpha;
    return status;
}

/* ---- in a snapshot ---- */

void sal__frame_archive(sal__archive *a, sal_simulator *sim) {
    sal__rule(a, sal__real_finite(a, &sim->host.frame.remainder) >= 0);
}

void sal__frame_copy(sal_simulator *to, const sal_simulator *from) {
    to->host.frame.remainder = from->host.frame.remainder;
}
