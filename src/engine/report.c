/* Texts of failures: the event, part and variable that failed, and how. */
#include <string.h>

#include "simulator.h"

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

sal_status sal__report_at(sal_simulator *sim, sal_report *report, sal_status status, int event, const char *text) {
    report->part = sim->plan->event[event].part;
    report->event = sim->plan->event[event].index;
    if (text)
        sal_note_set(&report->note, text);
    return status;
}

/* The name of an element of a part's partition. */
static const char *name_of(const sal_system *sys, sal_partition partition, int element) {
    sal_declared declared = {0};
    for (int i = 0; sal_system_value_at(sys, partition, i, &declared); i++)
        if (element < declared.at + declared.size)
            return declared.name;
    return "";
}

/* The name of variable i of the whole state. */
static const char *find_name(const sal_simulator *sim, int i, int *part) {
    for (*part = 0; *part < sim->plan->part_count; ++*part) {
        const sal__part *p = &sim->plan->part[*part];
        for (int in = SAL_Q; in <= SAL_Z; in++)
            if (i >= p->at[in] && i < p->at[in] + p->size[in])
                return name_of(p->system, (sal_partition)in, i - p->at[in]);
    }
    return "";
}

void sal__report_unset_derivative(const sal_simulator *sim, sal_report *report) {
    sal_note_set(&report->note, "its derivatives leave that of \"");
    sal__append_text(find_name(sim, sim->derivatives.unset_variable, &report->part), &report->note);
    sal__append_text("\" unset", &report->note);
}

void sal__report_step_failure(const sal_simulator *sim, sal_report *report) {
    const sal_integrator_failure *f = sal_integrator_last_failure(sim->integrator);
    if (f->variable < 0) {
        sal_note_set(&report->note, "the model refuses every step, however short");
        return;
    }
    if (f->unmet_equation) {
        sal_note_set(&report->note, "no state near this one meets the equation of \"");
        sal__append_text(find_name(sim, f->variable, &report->part), &report->note);
        sal__append_text("\", which has no derivative", &report->note);
        return;
    }
    sal_note_set(&report->note, f->not_finite ? "the derivative or value of \"" : "\"");
    sal__append_text(find_name(sim, f->variable, &report->part), &report->note);
    sal__append_text(f->not_finite ? "\" is not finite, however short the step" : "\" needs steps below the minimum",
                     &report->note);
}
