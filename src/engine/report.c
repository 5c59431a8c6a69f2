/* What came of a call: its outcome, its status, and a report that names the event, part and variable that failed. */
#include <string.h>

#include "base/sentence.h"
#include "simulator.h"

/* ---- the one way of a failure to the host ---- */

void sal__result_begin(sal_simulator *sim, sal_report *report) {
    sim->result = (sal__result){report, SAL_DID_NOTHING, SAL_OK};
}

void sal__result_clear(sal_simulator *sim) {
    sal_report *report = sim->result.report;
    sal__result_begin(sim, report);
    sal__report_clear(report, report->time, report->boundary_time);
}

void sal__result_begin_step(sal_simulator *sim) {
    sim->result.outcome = SAL_DID_NOTHING;
}

void sal__result_raise(sal_simulator *sim, sal_outcome outcome, int part, int event, const sal_note *note) {
    sim->result.outcome = outcome;
    if (outcome < SAL_TERMINATE)
        return;
    sim->result.status = outcome == SAL_FAILED ? SAL_EHANDLER : SAL_OK;
    sim->result.report->part = part;
    sim->result.report->event = event;
    sim->result.report->note = *note;
    if (outcome != SAL_FAILED)
        return;
    sal__explain(sim, &sim->result.report->note);
    sal__explain_read(sim, SAL_EHANDLER, event >= 0 ? "the handler" : "the monitor", &sim->result.report->note);
}

sal_outcome sal__refuse_outcome(sal_outcome outcome, sal_note *note) {
    const int number = (int)outcome;
    sal__write_pieces(note->text, sizeof note->text,
                      SAL__PIECES("the handler returned ", sal__whole_number(number).text,
                                  ", which is not a sal_outcome", number < 0 ? " (as a sal_status it is \"" : "",
                                  number < 0 ? sal_status_text(number) : "", number < 0 ? "\")" : "",
                                  "; return SAL_DID_NOTHING, SAL_SUCCEEDED, SAL_TERMINATE or SAL_FAILED"));
    return SAL_FAILED;
}

sal_note *sal__failure_note(sal_simulator *sim, sal_status status, int part, int event) {
    if (sim->result.outcome == SAL_FAILED)
        return NULL;
    sim->result.outcome = SAL_FAILED;
    sim->result.status = status;
    sim->result.report->part = part;
    sim->result.report->event = event;
    return &sim->result.report->note;
}

static sal_status report_error(sal_simulator *sim, sal_status status, int part, int event, const char *text,
                               const char *callback) {
    sal_note *note = sal__failure_note(sim, status, part, event);
    if (!note)
        return status;
    sal_note_set(note, text ? text : "");
    if (status == SAL_ECALLBACK || status == SAL_ENOMEM)
        sal__explain(sim, note);
    if (!note->text[0])
        sal__explain_read(sim, status, callback, note);
    return status;
}

sal_status sal__report_error(sal_simulator *sim, sal_status status, int part, int event, const char *text) {
    return report_error(sim, status, part, event, text, event >= 0 ? "the event" : "derivatives");
}

sal_status sal__report_at(sal_simulator *sim, sal_status status, int event, const char *text) {
    const sal__planned_event *e = event < 0 ? NULL : &sim->plan->event[event];
    return sal__report_failure(sim, status, e ? e->part : -1, e ? e->index : -1, text);
}

sal_status sal__report_failed_callback(sal_simulator *sim, sal_status status, int event, const char *callback) {
    const sal__planned_event *e = event < 0 ? NULL : &sim->plan->event[event];
    return report_error(sim, status, e ? e->part : -1, e ? e->index : -1, NULL, callback);
}

/* ---- texts ---- */

void sal__append_text(const char *text, sal_note *note) {
    strncat(note->text, text, sizeof note->text - 1 - strlen(note->text));
}

void sal__describe_event(const sal_simulator *sim, int event, const char *text, sal_note *note) {
    const sal__planned_event *e = &sim->plan->event[event];
    const char *path = sim->plan->part[e->part].name;
    sal_note_set(note, e->config->name);
    sal__append_text(" of ", note);
    sal__append_text(path[0] ? path : e->system->name, note); /* a single system has no path */
    sal__append_text(": ", note);
    sal__append_text(text, note);
}

const sal__value *sal__find_variable(const sal_simulator *sim, int variable, int *part, int *element) {
    for (*part = 0; *part < sim->plan->part_count; ++*part) {
        const sal__part *p = &sim->plan->part[*part];
        for (int k = 0; k < p->system->values.count; k++) {
            const sal__value *v = &p->system->values.item[k];
            *element = v->partition <= SAL_Z ? variable - p->at[v->partition] - v->at : -1;
            if (*element >= 0 && *element < v->size)
                return v;
        }
    }
    *part = -1;
    return NULL;
}

static void report_variable(sal_simulator *sim, sal_status status, int variable, const char *before,
                            const char *after) {
    int part = -1, element = -1;
    const sal__value *value = sal__find_variable(sim, variable, &part, &element);
    sal_note *note = sal__failure_note(sim, status, part, -1);
    if (!note)
        return;
    sal_note_set(note, before);
    sal__append_text(value ? value->name : "", note);
    sal__append_text(after, note);
}

void sal__report_unset_derivative(sal_simulator *sim, sal_status status) {
    report_variable(sim, status, sim->derivatives.unset_variable, "its derivatives leave that of \"",
                    "\" unset; write it in every branch");
}

/* "its derivatives write z[7], and it has z[0] to z[2]" */
void sal__report_stray_number(sal_simulator *sim, sal_status status) {
    static const char *const letters[] = {"q", "v", "z"};
    const int part = sim->derivatives.failed_part;
    const sal__stray_number *stray = &sim->stray_numbers.found;
    sal_note *note = sal__failure_note(sim, status, part, -1);
    if (!note)
        return;
    if (stray->kind == SAL__STRAY_READ) {
        sal_note_set(note, "its derivatives read a state behind its last one; check the indices of what "
                           "sal_context_get returns");
        return;
    }
    const char *const letter = letters[stray->partition];
    const int size = sim->plan->part[part].size[stray->partition];
    sal__write_pieces(note->text, sizeof note->text,
                      SAL__PIECES("its derivatives write ", letter, "[", sal__whole_number(stray->index).text,
                                  "], and it has ", size > 0 ? letter : "none", size > 0 ? "[0] to " : "",
                                  size > 0 ? letter : "", size > 0 ? "[" : "",
                                  size > 0 ? sal__whole_number(size - 1).text : "", size > 0 ? "]" : ""));
}

void sal__report_step_failure(sal_simulator *sim, sal_status status, int part) {
    const sal_integrator_failure *f = sal_integrator_last_failure(sim->integrator);
    if (f->variable < 0)
        sal__report_failure(sim, status, part, -1, "the model refuses every step, however short");
    else if (f->unmet_equation)
        report_variable(sim, status, f->variable, "no state near this one meets the equation of \"",
                        "\", which has no derivative");
    else if (f->not_finite)
        report_variable(sim, status, f->variable, "the derivative or value of \"",
                        "\" is not finite, however short the step");
    else
        report_variable(sim, status, f->variable, "\"", "\" needs steps below the minimum");
}
