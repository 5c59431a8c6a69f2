/* What came of a call as one sentence, and warnings as sentences: the text of both languages. */
#include <math.h>

#include "base/sentence.h"
#include "simulator.h"

/* A text that grows; what does not fit is counted only. */
typedef struct writer {
    char *to;
    size_t room, length;
} writer;

static void say(writer *w, const char *const *pieces) {
    const bool is_full = w->length >= w->room;
    w->length += sal__write_pieces(is_full ? NULL : w->to + w->length, is_full ? 0 : w->room - w->length, pieces);
}
#define SAY(w, ...) say((w), SAL__PIECES(__VA_ARGS__))

static writer begin(char *text, size_t room) {
    if (room > 0)
        text[0] = '\0';
    return (writer){text, room, 0};
}

/* ---- names ---- */

static const char *part_name(const sal_simulator *sim, int part) {
    const sal__part *p = &sim->plan->part[part];
    return p->name[0] ? p->name : p->system->name; /* a single system has no path */
}

/* "height" of "ball"; an element of several: "r[2]". */
static void say_variable(writer *w, const sal_simulator *sim, int variable) {
    int part = -1, element = -1;
    const sal__value *value = sal__find_variable(sim, variable, &part, &element);
    if (!value) {
        SAY(w, "the state");
        return;
    }
    SAY(w, "\"", value->name);
    if (value->size > 1)
        SAY(w, "[", sal__whole_number(element + 1).text, "]");
    SAY(w, "\" of \"", part_name(sim, part), "\"");
}

static const char *event_name(const sal_simulator *sim, int part, int event) {
    return sal_system_event(sim->plan->part[part].system, event)->name;
}

/* ---- steps that failed ---- */

/* The remedy where stability limits the steps. "auto" does not use matrices that would be too large. */
static const char *cure_of_stiffness(const sal_simulator *sim) {
    return strcmp(sal_method_name(sim->integrator_config->method), "auto") == 0
               ? "jacobian_pattern = { lower, upper }, where it is a band, lets \"auto\" take longer ones"
               : "integrator = \"auto\" or \"radau5\" takes longer ones";
}

static bool is_limited_by_stability(const sal_simulator *sim) {
    const sal_stiffness s = sal_integrator_stiffness(sim->integrator);
    return s.found && !s.will_switch;
}

static void say_unmet(writer *w, const sal_simulator *sim, const sal_integrator_failure *f) {
    SAY(w, "the equation of ");
    say_variable(w, sim, f->variable);
    SAY(w, ", which has no derivative, is not met: it computes ", sal__real_number(f->value, 6).text,
        ", not 0, and no value near this one makes it 0; let the event that changes it, or the start, write values "
        "that meet it");
}

static void say_not_finite_before(writer *w, const sal_simulator *sim, const sal_integrator_failure *f) {
    SAY(w, "before the step the value of ");
    say_variable(w, sim, f->variable);
    SAY(w, " is ", sal__real_number(f->value, 14).text,
        ", as an edit of the context or an update wrote it; write finite numbers");
}

static void say_not_finite(writer *w, const sal_simulator *sim, const sal_integrator_failure *f) {
    SAY(w, "the derivative or value of ");
    say_variable(w, sim, f->variable);
    SAY(w, " is ", sal__real_number(f->value, 14).text);
    if (f->step > 0)
        SAY(w, "; smaller steps, down to ", sal__real_number(f->step, 3).text, " s, do not help");
    SAY(w, "; look at what derivatives computes there");
}

static void say_too_short(writer *w, const sal_simulator *sim, const sal_integrator_failure *f) {
    const double least = sal_integrator_working_minimum(sim->integrator, sim->contexts.current->time);
    const bool stiff = is_limited_by_stability(sim);
    say_variable(w, sim, f->variable);
    SAY(w, " needs steps below the minimum (", sal__real_number(least, 3).text, " s); ",
        stiff ? "the system is stiff: " : "",
        stiff ? cure_of_stiffness(sim)
              : "loosen accuracy, lower min_step, or look for a jump that should be an event, or a singularity");
}

static void say_refused(writer *w, const sal_simulator *sim, const sal_integrator_failure *f) {
    bool has_mass = false;
    for (int i = 0; i < sim->plan->part_count; i++)
        has_mass = has_mass || sim->plan->part[i].system->mass;
    if (f->step == 0)
        SAY(w,
            "a function of the model requests a smaller step (SAL_RETRY) where the step begins, which no step avoids");
    else if (f->time + f->step == f->time)
        SAY(w, "steps of ", sal__real_number(f->step, 3).text,
            " s do not change the time in floating point; start nearer to t = 0, or allow longer steps");
    else
        SAY(w, "the model refuses every step down to ", sal__real_number(f->step, 3).text, " s",
            has_mass ? "; check that the equations without a derivative determine their variables" : "");
}

static void say_failed_step(writer *w, const sal_simulator *sim, const sal_report *report) {
    const sal_integrator_failure *f = sal_integrator_last_failure(sim->integrator);
    SAY(w, "the step from t = ", sal__time_text(f->time).text, " failed: ");
    if (f->off_constraints)
        SAY(w, "however short, down to ", sal__real_number(f->step, 3).text, " s, it leads to where ",
            report->note.text, " of \"", report->part >= 0 ? part_name(sim, report->part) : sim->system->name,
            "\" cannot be met");
    else if (f->variable >= 0)
        (f->unmet_equation ? say_unmet
         : f->before_step  ? say_not_finite_before
         : f->not_finite   ? say_not_finite
                           : say_too_short)(w, sim, f);
    else
        say_refused(w, sim, f);
}

/* ---- other failures ---- */

static void say_accumulation(writer *w, const sal_report *report) {
    SAY(w, report->note.text);
    if (report->firings == 0)
        return;
    SAY(w, " [", sal__whole_number(report->firings).text, " firings");
    if (!isnan(report->limit))
        SAY(w, ", accumulating at t = ", sal__real_number(report->limit, 7).text);
    SAY(w, "]");
}

/* The first input without connection and value, of the part that failed or else of any. */
static void say_missing_input(writer *w, const sal_simulator *sim, const sal_report *report) {
    for (int i = 0; i < sim->plan->input_count; i++) {
        const sal__input_slot *input = &sim->plan->input_slot[i];
        const sal__part *part = &sim->plan->part[input->part];
        const sal_system *sys = part->system;
        const sal__value *value = &sys->values.item[sys->inputs.item[i - part->input_at]];
        const double *now = sim->contexts.current->storage[SAL_INPUT] + part->at[SAL_INPUT] + value->at;
        if (input->source >= 0 || !isnan(*now) || (report->part >= 0 && report->part != input->part))
            continue;
        SAY(w, "the input \"", value->name, "\" of \"", part_name(sim, input->part),
            "\" is not connected and has no value; connect it, set it before the run, or declare a default");
        return;
    }
    SAY(w, sal_status_text(SAL_EINPUT));
}

static void say_failure(writer *w, const sal_simulator *sim, const sal_report *report) {
    const char *note = report->note.text;
    const bool is_refusal = report->status == SAL_ETIME || report->status == SAL_ESTATE || report->status == SAL_EINVAL;
    if (is_refusal && report->part < 0 && sim->system->name[0])
        SAY(w, sim->system->name, ": "); /* no place in the model is to blame */
    if (report->status == SAL_ESTEP)
        say_failed_step(w, sim, report);
    else if (report->status == SAL_EZENO)
        say_accumulation(w, report);
    else if (report->status == SAL_EPAST)
        SAY(w, "a delay is negative, or longer than its recorded past (option max_delay)");
    else if (note[0])
        SAY(w, note);
    else if (report->status == SAL_EINPUT)
        say_missing_input(w, sim, report);
    else if (report->status == SAL_EOFF)
        SAY(w, "the constraints cannot be met here");
    else if (report->status == SAL_EHANDLER)
        SAY(w, "a handler reported failure, and gives no reason for it");
    else if (report->status == SAL_ESTATE && report->part >= 0)
        SAY(w, "a function of the model was refused a call that is not possible inside of the run; saltus/simulator.h "
               "lists those that are, so make it after the run's call has ended");
    else if (is_refusal && report->part >= 0)
        SAY(w, "a function of the model returned \"", sal_status_text(report->status), "\"");
    else if (report->status < SAL_EWATCH)
        SAY(w, "a function of the model returned ", sal__whole_number(report->status).text,
            ", which is not a sal_status; return SAL_OK, SAL_RETRY or one of SAL_E...");
    else
        SAY(w, sal_status_text(report->status));
}

/* " (in touch of ball, ball.lua:7, at t = 0.5)" */
static void say_place(writer *w, const sal_simulator *sim, const sal_report *report, const char *source) {
    SAY(w, " (");
    if (report->part >= 0) {
        SAY(w, "in ");
        if (report->event >= 0)
            SAY(w, event_name(sim, report->part, report->event), " of ");
        SAY(w, part_name(sim, report->part));
        if (!source)
            SAY(w, " ");
    }
    if (source)
        SAY(w, report->part >= 0 ? ", " : "", source, ", ");
    SAY(w, "at t = ", sal__time_text(report->time).text, ")");
}

static bool is_about_steps(sal_status status) {
    return status != SAL_ETIME && status != SAL_ENOMEM && status != SAL_EINPUT && status != SAL_EPAST &&
           status != SAL_ESTATE && status != SAL_EINVAL;
}

size_t sal__accuracy_text(const sal_simulator *sim, sal_status status, char *text, size_t room) {
    static const double loose = 1e-3, finest = 0x1p-52;
    const double given = sim->config.integrator.accuracy;
    writer w = begin(text, room);
    if (!is_about_steps(status) || sim->integrator_config->fixed_step || isnan(given))
        return 0;
    if (given < finest)
        SAY(&w, "; the accuracy ", sal__real_number(given, 6).text, " is finer than the rounding of numbers, ",
            sal__real_number(finest, 2).text, ", so no step is short enough; try a coarser one, such as 1e-12");
    else if (given > loose)
        SAY(&w, "; the accuracy ", sal__real_number(given, 6).text, " is loose: each step may be wrong by ",
            sal__real_number(100 * given, 6).text,
            " % of the state, which can cause this; try a finer one, such as the default 1e-6");
    return w.length;
}

static void say_whole_failure(writer *w, const sal_simulator *sim, const sal_report *report, const char *source) {
    char accuracy[256] = "";
    say_failure(w, sim, report);
    if (report->note.blame[0])
        SAY(w, " [", report->note.blame, "]");
    say_place(w, sim, report, source);
    sal__accuracy_text(sim, report->status, accuracy, sizeof accuracy);
    SAY(w, accuracy);
}

/* "reached_termination at t = 1 s: enough (stop of tank)" */
static void say_end(writer *w, const sal_simulator *sim, const sal_report *report) {
    SAY(w, sal_reason_text(report->reason), " at t = ", sal__real_number(report->time, 10).text, " s");
    if (report->reason != SAL_AT_TERMINATION)
        return;
    if (report->note.text[0])
        SAY(w, ": ", report->note.text);
    if (report->event >= 0)
        SAY(w, " (", event_name(sim, report->part, report->event), " of ",
            report->note.blame[0] ? report->note.blame : part_name(sim, report->part), ")");
}

size_t sal__report_text(const sal_simulator *sim, const sal_report *report, const char *source, char *text,
                        size_t room) {
    writer w = begin(text, room);
    if (report->reason == SAL_AT_FAILURE)
        say_whole_failure(&w, sim, report, source);
    else
        say_end(&w, sim, report);
    return w.length;
}

size_t sal_report_text(const sal_simulator *sim, const sal_report *report, char *text, size_t room) {
    return sal__report_text(sim, report, NULL, text, room);
}

void sal__log_failure(const sal_simulator *sim, const sal_report *report) {
    char text[512];
    if (!sim->config.log)
        return;
    sal_report_text(sim, report, text, sizeof text);
    sal__log(sim, text);
}

const char *sal_reason_text(sal_reason reason) {
    static const char *const texts[] = {"reached_boundary_time", "reached_termination", "failed", "reached_step_limit",
                                        "interrupted",           "reached_watch",       "halted", "out_of_budget"};
    return (size_t)reason < sizeof texts / sizeof *texts ? texts[reason] : "unknown";
}

/* ---- warnings ---- */

static void say_subject(writer *w, const sal_simulator *sim, const sal_warning *warning) {
    if (warning->variable >= 0) {
        say_variable(w, sim, warning->variable);
        return;
    }
    if (warning->event >= 0)
        SAY(w, event_name(sim, warning->part, warning->event), " of ");
    SAY(w, warning->part >= 0 ? part_name(sim, warning->part) : sim->system->name);
}

size_t sal_warning_text(const sal_simulator *sim, const sal_warning *warning, char *text, size_t room) {
    writer w = begin(text, room);
    say_subject(&w, sim, warning);
    SAY(&w, " ", warning->note.text, " (at t = ", sal__time_text(warning->time).text, ")");
    return w.length;
}

size_t sal__stiffness_text(const sal_simulator *sim, char *text, size_t room) {
    const sal_stiffness s = sal_integrator_stiffness(sim->integrator);
    writer w = begin(text, room);
    SAY(&w, sim->system->name, " is stiff from about t = ", sal__real_number(s.time, 6).text,
        " on: stability, not accuracy, limits the steps of ",
        sal_method_name(sal_integrator_method_in_use(sim->integrator)), ", by ");
    say_variable(&w, sim, s.variable);
    SAY(&w, "; ", cure_of_stiffness(sim));
    return w.length;
}
